//! The results of visiting a node, and the reasons for ending one.

use crate::twin::with_twin;

/// The result of visiting a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The node ended and failed.
    Failure,
    /// The node ended and succeeded.
    Success,
    /// The node continues in a later tick.
    Running,
}

impl Status {
    /// [`Status::Success`] for true, [`Status::Failure`] for false: turns a test into the answer of
    /// a condition.
    #[must_use]
    pub const fn from_bool(holds: bool) -> Self {
        if holds { Status::Success } else { Status::Failure }
    }

    pub(crate) const fn outcome(self) -> Option<Outcome> {
        match self {
            Status::Failure => Some(Outcome::Failure),
            Status::Success => Some(Outcome::Success),
            Status::Running => None,
        }
    }
}

impl From<bool> for Status {
    fn from(holds: bool) -> Self {
        Status::from_bool(holds)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Failure => "failure",
            Status::Success => "success",
            Status::Running => "running",
        })
    }
}

/// How a node ended by itself: a [`Status`] that is not `Running`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// The node failed.
    #[default]
    Failure,
    /// The node succeeded.
    Success,
}

impl Outcome {
    /// The other outcome.
    #[must_use]
    pub const fn inverted(self) -> Self {
        match self {
            Outcome::Failure => Outcome::Success,
            Outcome::Success => Outcome::Failure,
        }
    }
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Failure => Status::Failure,
            Outcome::Success => Status::Success,
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outcome::Failure => "failure",
            Outcome::Success => "success",
        })
    }
}

/// How an activation of a node ended. Every `start` is followed by exactly one `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// By itself, with success.
    Success,
    /// By itself, with failure.
    Failure,
    /// From outside.
    Aborted(Reason),
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Failure => End::Failure,
            Outcome::Success => End::Success,
        }
    }
}

with_twin! {
    /// Why a node was aborted: ended from outside.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Reason, EveryReason {
        /// A conditional abort; or a guard, timeout, reactive or utility composite above ended the
        /// node.
        Abort,
        /// The value of the switch above selects another child, or none.
        Switched,
        /// The parallel above got its verdict while this branch was running.
        Decided,
        /// The agent was disabled, stopped or restarted.
        Stopped,
        /// The agent's tree was replaced by another.
        Replaced,
        /// The agent was despawned.
        Despawned,
        /// A leaf of the `do` of a Finally returned Running: it is updated only once.
        NotInstant,
    }
}

/// In words for people: `aborted`, `the parallel is decided`, `stopped`.
impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Abort => "aborted",
            Reason::Switched => "switched",
            Reason::Decided => "the parallel is decided",
            Reason::Stopped => "stopped",
            Reason::Replaced => "the tree was replaced",
            Reason::Despawned => "despawned",
            Reason::NotInstant => "not done at once",
        })
    }
}
