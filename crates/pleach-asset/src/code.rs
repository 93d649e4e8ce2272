//! The codes of problems: one for each kind, which never changes its meaning.

#[cfg(feature = "reports")]
mod pages;

use std::fmt;

#[cfg(feature = "reports")]
pub use pages::{CodePage, code_pages};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The tree can be used, but something in it is probably not meant.
    Warning,
    /// The tree does not load.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Makes [`Code`] and its list.
macro_rules! codes {
    ($($name:ident = $number:literal,)*) => {
        /// What kind of problem it is. `codes.md` has a page for each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Code {
            $($name,)*
        }

        impl Code {
            #[cfg(feature = "text")]
            pub(crate) const ALL: &[Code] = &[$(Code::$name,)*];

            /// How reports write it.
            pub(crate) fn number(self) -> &'static str {
                match self {
                    $(Code::$name => $number,)*
                }
            }
        }
    };
}

codes! {
    // The text of a file.
    NotATree = "P0101",
    Syntax = "P0102",
    Bracket = "P0103",
    OpenString = "P0104",
    Token = "P0105",
    Limit = "P0106",
    Version = "P0107",
    // Nodes and their fields.
    UnknownNode = "P0201",
    NotANode = "P0202",
    UnknownField = "P0203",
    DoubledField = "P0204",
    MissingField = "P0205",
    WrongValue = "P0206",
    Nameless = "P0207",
    Misplaced = "P0208",
    NoChildren = "P0209",
    DisabledRoot = "P0210",
    Parameters = "P0211",
    BadAllow = "P0212",
    // Names, keys, events.
    BadName = "P0301",
    DoubledName = "P0302",
    DoubledId = "P0303",
    Collision = "P0304",
    UnknownKey = "P0305",
    UnknownType = "P0306",
    KeyDefault = "P0307",
    UnknownWord = "P0308",
    KeyNeed = "P0309",
    NotWritable = "P0310",
    DeclaredOtherwise = "P0311",
    UnknownEvent = "P0312",
    Payload = "P0313",
    // Expressions.
    ExprSyntax = "P0401",
    ExprFunction = "P0402",
    ExprType = "P0403",
    // Numbers that a node cannot have.
    Number = "P0501",
    Threshold = "P0502",
    Cases = "P0503",
    NodeToken = "P0504",
    // Several files, templates, holes.
    NoFile = "P0601",
    Cycle = "P0602",
    UnknownPort = "P0603",
    PortNotConnected = "P0604",
    PortValue = "P0605",
    UnknownTemplate = "P0606",
    UnknownHole = "P0607",
    HoleNotFilled = "P0608",
    HoleNodes = "P0609",
    FileIsPart = "P0610",
    SlotTrees = "P0611",
    InstancesAlike = "P0612",
    // Files other than trees.
    Manifest = "P0701",
    Document = "P0702",
    NotWritten = "P0703",
    // Warnings.
    Unreachable = "P1001",
    NeverFires = "P1002",
    UnwatchedTests = "P1003",
    PassingEvent = "P1004",
    LostCooldown = "P1005",
    NoAbort = "P1006",
    GateAfterCondition = "P1007",
    FlagStaysSet = "P1008",
    OnlyCountedUp = "P1009",
    NoCase = "P1010",
    Stamp = "P1011",
    Doubt = "P1012",
    Amount = "P1013",
    Unused = "P1014",
    Hides = "P1015",
    SharedDiffers = "P1016",
    KeyOfNoTree = "P1017",
    AllowsNothing = "P1018",
}

impl Code {
    /// Warnings have numbers from P1000.
    pub(crate) fn severity(self) -> Severity {
        if self.number().starts_with("P1") { Severity::Warning } else { Severity::Error }
    }

    #[cfg(feature = "text")]
    pub(crate) fn of(number: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|it| it.number() == number)
    }
}
