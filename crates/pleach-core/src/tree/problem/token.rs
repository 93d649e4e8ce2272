//! What can be wrong with tokens (SEMANTICS 8.36).

use std::fmt;

use pleach_expr::names::Help;

use crate::blackboard::TokenTerms;
use crate::limits::{MAX_SECONDS, MAX_TOKENS};

/// What can be wrong with a token.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TokenProblem {
    /// Not a name of a token.
    BadName(String),
    /// The count is not a literal of at least 1.
    NoPlaces,
    /// Not a number of seconds that a place can rest.
    Rest(f64),
    /// Another Token of the same name has another count, rest, or `of`.
    Differs {
        /// The token.
        token: String,
        /// The path of the other node.
        other: String,
        /// The terms of this node, and those of the other one.
        terms: [TokenTerms; 2],
    },
    /// The tree has no Token of this name.
    Unknown {
        /// The name.
        token: String,
        /// What to do about it.
        help: Option<Help>,
    },
    /// More than [`MAX_TOKENS`] tokens.
    TooMany,
}

impl fmt::Display for TokenProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenProblem::BadName(it) => {
                write!(f, "{it:?} cannot be the name of a token: use letters, digits and `_`, as for a key")
            }
            TokenProblem::NoPlaces => {
                f.write_str("a token has at least 1 place: use a whole number, not an expression")
            }
            TokenProblem::Rest(it) => {
                write!(f, "{it} is not a rest: use a number of seconds from 0 to {MAX_SECONDS:e}")
            }
            TokenProblem::Differs { token, other, terms: [here, there] } => write!(
                f,
                "Tokens of one name must be alike, and this one has {here}, but `{token}` has {there} at {other}"
            ),
            TokenProblem::Unknown { token, help } => {
                let help = help.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
                write!(f, "no Token of this tree is called `{token}`{help}")
            }
            TokenProblem::TooMany => write!(f, "more than {MAX_TOKENS} tokens in one tree"),
        }
    }
}

impl std::error::Error for TokenProblem {}
