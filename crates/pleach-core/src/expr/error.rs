//! Errors of an expression, and where in its source they are.

use std::ops::Range;

use crate::limits::{MAX_EXPR_DEPTH, MAX_EXPR_SOURCE, MAX_EXPR_VALUES};
use crate::names::Help;
use crate::value::Type;

/// One problem of an expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ExprError {
    /// The bytes of the source that the problem is about, on character boundaries. Empty at the end
    /// of the source.
    pub span: Range<usize>,
    /// What is wrong.
    pub kind: ExprErrorKind,
}

/// What can be wrong with an expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprErrorKind {
    /// The source is longer than [`MAX_EXPR_SOURCE`].
    #[error("an expression of {len} bytes is too long: at most {MAX_EXPR_SOURCE}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// Parentheses, calls and prefixes are nested deeper than [`MAX_EXPR_DEPTH`].
    #[error("nested too deeply: at most {MAX_EXPR_DEPTH} levels")]
    TooDeep,
    /// It would hold more than [`MAX_EXPR_VALUES`] values at once.
    #[error("too complex: more than {MAX_EXPR_VALUES} intermediate values at once")]
    TooManyValues,
    /// A character that begins nothing.
    #[error("unexpected character {found:?}{}", and(&.instead.map(Help::meant)))]
    UnexpectedChar {
        /// The character.
        found: char,
        /// The operator that may have been meant.
        instead: Option<&'static str>,
    },
    /// A word that begins with a digit, or an incomplete number: `2x`, `1.`, `1e`.
    #[error("malformed number `{text}`")]
    MalformedNumber {
        /// As it was written.
        text: String,
    },
    /// A number that its type cannot hold.
    #[error("the number `{text}` is out of range")]
    NumberOutOfRange {
        /// As it was written.
        text: String,
    },
    /// Something stands where it may not.
    #[error("expected {expected}, found `{found}`")]
    UnexpectedToken {
        /// As it was written.
        found: String,
        /// What could have stood there.
        expected: &'static str,
    },
    /// The source ends too soon.
    #[error("expected {expected}, but the expression ends here")]
    UnexpectedEnd {
        /// What could have followed.
        expected: &'static str,
    },
    /// `a < b < c`.
    #[error("comparisons do not chain: join two of them with `&&`, or use parentheses")]
    ChainedComparison,
    /// No key has that name.
    #[error("unknown key `{name}`{}", and(.help))]
    UnknownKey {
        /// The name, with its scope if one was written.
        name: String,
        /// Which key was meant, or which there are.
        help: Option<Help>,
    },
    /// No function has that name.
    #[error("unknown function `{name}`{}", and(.help))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// The Symbol that a word stands for or is compared with cannot be this word.
    #[error("unknown symbol `{word}`{}", and(.help))]
    UnknownWord {
        /// The word.
        word: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// Only vectors have components: `x` and `y`, and a Vec3 has `z`.
    #[error("{found} has no component `{component}`")]
    NoComponent {
        /// The type of what stands before the dot.
        found: Type,
        /// What stands after it.
        component: String,
    },
    /// A function was given too few or too many arguments.
    #[error("`{function}` takes {expected} argument{}, not {found}", if *.expected == 1 { "" } else { "s" })]
    WrongArgumentCount {
        /// The function.
        function: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// One type is wanted, and the value has another.
    #[error("expected {expected}, found {found}")]
    Mismatch {
        /// The type that is wanted.
        expected: Type,
        /// The type that it has.
        found: Type,
    },
    /// An argument of a type that the function does not take.
    #[error("`{function}` takes {expected}, not {found}")]
    WrongArgument {
        /// The function.
        function: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The type of the argument.
        found: Type,
    },
    /// A prefix operator before a type for which it is not defined.
    #[error("`{op}` cannot be applied to {found}")]
    WrongOperand {
        /// The operator.
        op: &'static str,
        /// The type of what follows it.
        found: Type,
    },
    /// An operator between two types for which it is not defined.
    #[error("`{op}` cannot be applied to {left} and {right}")]
    WrongOperands {
        /// The operator.
        op: &'static str,
        /// The type on its left.
        left: Type,
        /// The type on its right.
        right: Type,
    },
    /// The two results of an `if` have types that cannot be combined.
    #[error("`if` gives {left} or {right}: both must have one type")]
    BranchTypes {
        /// The type of the first.
        left: Type,
        /// The type of the second.
        right: Type,
    },
}

impl ExprErrorKind {
    /// Takes out what to do about it, for those who show that in another place: what is left says
    /// what is wrong, and no more.
    pub fn take_help(&mut self) -> Option<Help> {
        match self {
            ExprErrorKind::UnexpectedChar { found: _, instead } => instead.take().map(Help::meant),
            ExprErrorKind::UnknownKey { name: _, help } => help.take(),
            ExprErrorKind::UnknownFunction { name: _, help } => help.take(),
            ExprErrorKind::UnknownWord { word: _, help } => help.take(),
            _ => None,
        }
    }
}

fn and(help: &Option<Help>) -> String {
    help.as_ref().map(|it| format!(": {it}")).unwrap_or_default()
}
