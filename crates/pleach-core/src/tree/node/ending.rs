//! Which ends of its child a Finally waits for.

use std::fmt;

use crate::Outcome;

/// Which ends of its child a [`finally`](crate::nodes::finally) waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Every end.
    #[default]
    Any,
    /// An end from outside.
    Aborted,
    /// An end by itself, with success.
    Success,
    /// An end by itself, with failure.
    Failure,
}

impl Ending {
    /// Whether an end is one of them: by itself with this outcome, or from outside.
    pub(crate) fn includes(self, outcome: Option<Outcome>) -> bool {
        match self {
            Ending::Any => true,
            Ending::Aborted => outcome.is_none(),
            Ending::Success => outcome == Some(Outcome::Success),
            Ending::Failure => outcome == Some(Outcome::Failure),
        }
    }
}

/// As in "on abort".
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Any => "any end",
            Ending::Aborted => "abort",
            Ending::Success => "success",
            Ending::Failure => "failure",
        })
    }
}
