//! Errors of an expression, and where in its source they are.

use std::fmt;
use std::ops::Range;

use crate::known::meant;
use crate::limits::{MAX_EXPR_DEPTH, MAX_EXPR_SOURCE, MAX_EXPR_VALUES};
use crate::names::Help;
use crate::value::Type;

/// One problem of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct ExprError {
    /// The bytes of the source that the problem is about, on character boundaries. Empty at the end
    /// of the source.
    pub span: Range<usize>,
    /// What is wrong.
    pub kind: ExprErrorKind,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExprError { span: _, kind } = self;
        write!(f, "{kind}")
    }
}

impl std::error::Error for ExprError {}

/// What can be wrong with an expression.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExprErrorKind {
    /// The source is longer than [`MAX_EXPR_SOURCE`].
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// Parentheses, calls and prefixes are nested deeper than [`MAX_EXPR_DEPTH`].
    TooDeep,
    /// It would hold more than [`MAX_EXPR_VALUES`] values at once.
    TooManyValues,
    /// A character that begins nothing.
    UnexpectedChar {
        /// The character.
        found: char,
        /// The operator that may have been meant.
        instead: Option<&'static str>,
    },
    /// A quote: words are written without them.
    Quote {
        /// The quote.
        found: char,
        /// How words are written.
        help: Option<Help>,
    },
    /// A word that begins with a digit, or an incomplete number: `2x`, `1.`, `1e`.
    MalformedNumber {
        /// As it was written.
        text: String,
    },
    /// A number that its type cannot hold.
    NumberOutOfRange {
        /// As it was written.
        text: String,
    },
    /// Something that is not allowed there.
    UnexpectedToken {
        /// As it was written.
        found: String,
        /// What could stand there.
        expected: &'static str,
    },
    /// The source ends too soon.
    UnexpectedEnd {
        /// What could follow.
        expected: &'static str,
    },
    /// `a < b < c`.
    ChainedComparison,
    /// No key has that name.
    UnknownKey {
        /// The name, with its scope if one was written.
        name: String,
        /// Which key was meant, or which exist.
        help: Option<Help>,
    },
    /// No function has that name.
    UnknownFunction {
        /// The name.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// The Symbol that a word stands for or is compared with cannot be this word.
    UnknownWord {
        /// The word.
        word: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// Only vectors have components: `x` and `y`, and a Vec3 has `z`.
    NoComponent {
        /// The type of the operand before the dot.
        found: Type,
        /// The name after it.
        component: String,
    },
    /// A function was given too few or too many arguments.
    WrongArgumentCount {
        /// The function.
        function: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// One type is wanted, and the value has another.
    Mismatch {
        /// The type that is wanted.
        expected: Type,
        /// The type that it has.
        found: Type,
    },
    /// An argument of a type that the function does not take.
    WrongArgument {
        /// The function.
        function: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The type of the argument.
        found: Type,
    },
    /// A prefix operator before a type for which it is not defined.
    WrongOperand {
        /// The operator.
        op: &'static str,
        /// The type of what follows it.
        found: Type,
    },
    /// An operator between two types for which it is not defined.
    WrongOperands {
        /// The operator.
        op: &'static str,
        /// The type on its left.
        left: Type,
        /// The type on its right.
        right: Type,
    },
    /// The two results of an `if` have types that cannot be combined.
    BranchTypes {
        /// The type of the first.
        left: Type,
        /// The type of the second.
        right: Type,
    },
}

impl fmt::Display for ExprErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExprErrorKind::TooLong { len } => {
                write!(f, "an expression of {len} bytes is too long: at most {MAX_EXPR_SOURCE}")
            }
            ExprErrorKind::TooDeep => write!(f, "nested too deeply: at most {MAX_EXPR_DEPTH} levels"),
            ExprErrorKind::TooManyValues => {
                write!(f, "too complex: more than {MAX_EXPR_VALUES} intermediate values at once")
            }
            ExprErrorKind::UnexpectedChar { found, instead } => {
                write!(f, "unexpected character {found:?}{}", and(&instead.map(meant)))
            }
            ExprErrorKind::Quote { found, help } => write!(f, "unexpected character {found:?}{}", and(help)),
            ExprErrorKind::MalformedNumber { text } => write!(f, "malformed number `{text}`"),
            ExprErrorKind::NumberOutOfRange { text } => write!(f, "the number `{text}` is out of range"),
            ExprErrorKind::UnexpectedToken { found, expected } => write!(f, "expected {expected}, found `{found}`"),
            ExprErrorKind::UnexpectedEnd { expected } => write!(f, "expected {expected}, but the expression ends here"),
            ExprErrorKind::ChainedComparison => {
                f.write_str("comparisons do not chain: join two of them with `&&`, or use parentheses")
            }
            ExprErrorKind::UnknownKey { name, help } => write!(f, "unknown key `{name}`{}", and(help)),
            ExprErrorKind::UnknownFunction { name, help } => write!(f, "unknown function `{name}`{}", and(help)),
            ExprErrorKind::UnknownWord { word, help } => write!(f, "unknown symbol `{word}`{}", and(help)),
            ExprErrorKind::NoComponent { found, component } => write!(f, "{found} has no component `{component}`"),
            ExprErrorKind::WrongArgumentCount { function, expected, found } => write!(
                f,
                "`{function}` takes {expected} argument{}, not {found}",
                if *expected == 1 { "" } else { "s" }
            ),
            ExprErrorKind::Mismatch { expected, found } => write!(f, "expected {expected}, found {found}"),
            ExprErrorKind::WrongArgument { function, expected, found } => {
                write!(f, "`{function}` takes {expected}, not {found}")
            }
            ExprErrorKind::WrongOperand { op, found } => write!(f, "`{op}` cannot be applied to {found}"),
            ExprErrorKind::WrongOperands { op, left, right } => {
                write!(f, "`{op}` cannot be applied to {left} and {right}")
            }
            ExprErrorKind::BranchTypes { left, right } => {
                write!(f, "`if` gives {left} or {right}: both must have one type")
            }
        }
    }
}

impl std::error::Error for ExprErrorKind {}

impl ExprErrorKind {
    /// Takes out what to do about it, for callers that show that elsewhere: the rest says only what
    /// is wrong.
    pub fn take_help(&mut self) -> Option<Help> {
        match self {
            ExprErrorKind::UnexpectedChar { found: _, instead } => instead.take().map(meant),
            ExprErrorKind::Quote { found: _, help } => help.take(),
            ExprErrorKind::UnknownKey { name: _, help } => help.take(),
            ExprErrorKind::UnknownFunction { name: _, help } => help.take(),
            ExprErrorKind::UnknownWord { word: _, help } => help.take(),
            ExprErrorKind::UnexpectedToken { found, .. } => {
                let operator = ["and", "or"].into_iter().find(|it| it.eq_ignore_ascii_case(found) && it != found);
                operator.map(meant)
            }
            ExprErrorKind::MalformedNumber { text } if text.ends_with('%') => {
                let percent: f64 = text.trim_end_matches('%').parse().ok()?;
                Some(meant(&format!("{:?}", percent / 100.0)))
            }
            ExprErrorKind::MalformedNumber { text } if text.contains(',') || text.starts_with('.') => {
                let zero = if text.starts_with('.') { "0" } else { "" };
                let number = format!("{zero}{}", text.replace(',', "."));
                number.parse::<f64>().ok().map(|_| meant(&number))
            }
            ExprErrorKind::MalformedNumber { text } => {
                let number = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
                let value: f64 = number.parse().ok()?;
                match &text[number.len()..] {
                    "s" | "f" => Some(meant(number)),
                    "ms" => Some(meant(&format!("{:?}", value / 1000.0))),
                    // Anything else there may mean anything.
                    _ => None,
                }
            }
            ExprErrorKind::WrongOperands { op: "==" | "!=", left, right }
                if matches!((*left, *right), (Type::Entity, Type::Int) | (Type::Int, Type::Entity)) =>
            {
                Some(meant("none"))
            }
            _ => None,
        }
    }
}

fn and(help: &Option<Help>) -> String {
    help.as_ref().map(|it| format!(": {it}")).unwrap_or_default()
}
