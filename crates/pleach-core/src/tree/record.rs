//! What the interpreter knows about a node: one small record, made at load.

use bitflags::bitflags;
use pleach_expr::expr::KeyIndex;

use super::amount::{NodeChance, NodeCount, NodeSpan};
use super::kind::{NodeKind, Receiver};
use crate::host::Callbacks;
use crate::index::{
    CasesId, ExprId, LeafId, MemoryOffset, ObserverId, Observers, StackId, Stacks, TextId, TokenId, WeightsId,
};
use crate::{
    NodeId, Outcome, Symbol, Value,
    nodes::{Abort, Ending},
};

/// The cases of a switch, compiled.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    /// In the order in which they were written, no two equal.
    pub(crate) children: Box<[(Value, NodeId)]>,
    pub(crate) default: Option<NodeId>,
}

impl Cases {
    /// The child for a value. Its cost grows with the number of cases.
    pub(crate) fn select(&self, value: Value) -> Option<NodeId> {
        self.children.iter().find(|it| it.0 == value).map(|it| it.1).or(self.default)
    }
}

/// A guard's condition, compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardTest {
    Expr(ExprId),
    Leaf(LeafId),
}

/// The kind of a node with its parameters, compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Sequence,
    Selector,
    /// How many successes, how many failures; memory: counts and verdict.
    Parallel {
        success: u16,
        failure: u16,
        slot: MemoryOffset,
    },
    /// Memory: the running child for which the last rerun was quiet, as its index plus one. `None`
    /// if no rerun is quiet.
    ReactiveSequence {
        slot: Option<MemoryOffset>,
    },
    ReactiveSelector {
        slot: Option<MemoryOffset>,
    },
    /// The weights, or none; memory: the order.
    RandomSequence {
        weights: Option<WeightsId>,
        order: MemoryOffset,
    },
    RandomSelector {
        weights: Option<WeightsId>,
        order: MemoryOffset,
    },
    /// Memory: the drawn child, as a Switch.
    RandomChoice {
        weights: Option<WeightsId>,
        slot: MemoryOffset,
    },
    /// The first of as many scores as there are children.
    UtilitySelector {
        scores: ExprId,
        reevaluate: bool,
        /// By how much a score must exceed that of the running child.
        inertia: f32,
        order: MemoryOffset,
    },
    /// Memory: the selected child, as its index plus one, or 0.
    Switch {
        on: ExprId,
        cases: CasesId,
        latch: bool,
        slot: MemoryOffset,
    },
    Inverter,
    ForceSuccess,
    ForceFailure,
    /// Without a count, like the next one.
    UntilSuccess,
    UntilFailure,
    /// An until with a count; memory: the remaining attempts.
    Attempts {
        until: Outcome,
        count: NodeCount,
        slot: MemoryOffset,
    },
    /// A fixed count of 0 means for ever; memory: the remaining rounds, if there is a count.
    Repeat {
        count: NodeCount,
        end_on_failure: bool,
        slot: MemoryOffset,
    },
    Guard {
        when: GuardTest,
        result: Outcome,
    },
    /// Memory: the deadline, in two words, as for all following kinds with a span: for a cooldown,
    /// its end.
    Timeout {
        seconds: NodeSpan,
        result: Outcome,
        slot: MemoryOffset,
    },
    Cooldown {
        seconds: NodeSpan,
        slot: MemoryOffset,
    },
    /// Memory: how often the child was started.
    Limit {
        count: NodeCount,
        exhausted: Outcome,
        slot: MemoryOffset,
    },
    Delay {
        seconds: NodeSpan,
        slot: MemoryOffset,
    },
    Probability {
        p: NodeChance,
    },
    /// Memory, which outlives an activation: the group in which it holds a place, in two words, or
    /// nothing.
    Token {
        token: TokenId,
        slot: MemoryOffset,
    },
    /// Its children after the first are the leaves of `do`.
    Finally {
        on: Ending,
    },
    Action {
        leaf: LeafId,
        calls: Callbacks,
    },
    Condition {
        leaf: LeafId,
        calls: Callbacks,
    },
    Wait {
        seconds: NodeSpan,
        slot: MemoryOffset,
    },
    /// Memory: the remaining updates.
    WaitTicks {
        ticks: NodeCount,
        slot: MemoryOffset,
    },
    WaitUntil {
        expr: ExprId,
    },
    /// Memory: whether it has been updated since its start.
    WaitFor {
        event: Symbol,
        into: Option<KeyIndex>,
        slot: MemoryOffset,
    },
    Check {
        expr: ExprId,
    },
    OnEvent {
        event: Symbol,
        into: Option<KeyIndex>,
    },
    /// Whether a place of a token is free.
    Free {
        token: TokenId,
    },
    Set {
        key: KeyIndex,
        expr: ExprId,
    },
    Roll {
        key: KeyIndex,
        from: ExprId,
        to: ExprId,
    },
    Log {
        text: TextId,
    },
    Emit {
        event: Symbol,
        payload: Option<ExprId>,
        to: Receiver,
    },
    Succeed,
    Fail,
    Idle,
}

impl Op {
    /// Where its memory begins, if it has any.
    pub(crate) fn slot(self) -> Option<MemoryOffset> {
        match self {
            Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot } => slot,
            Op::Parallel { slot, .. }
            | Op::RandomChoice { slot, .. }
            | Op::Switch { slot, .. }
            | Op::Attempts { slot, .. }
            | Op::Repeat { slot, .. }
            | Op::Timeout { slot, .. }
            | Op::Cooldown { slot, .. }
            | Op::Limit { slot, .. }
            | Op::Delay { slot, .. }
            | Op::Token { slot, .. }
            | Op::Wait { slot, .. }
            | Op::WaitTicks { slot, .. }
            | Op::WaitFor { slot, .. }
            | Op::RandomSequence { order: slot, .. }
            | Op::RandomSelector { order: slot, .. }
            | Op::UtilitySelector { order: slot, .. } => Some(slot),
            // `finish` compares each record with the table of kinds.
            _ => None,
        }
    }
}

/// Every leaf, as a pattern. A match that has to name each parent, so that a new one does not
/// compile unnoticed, skips the leaves with this.
macro_rules! leaf {
    () => {
        Op::Action { .. }
            | Op::Condition { .. }
            | Op::Wait { .. }
            | Op::WaitTicks { .. }
            | Op::WaitUntil { .. }
            | Op::WaitFor { .. }
            | Op::Check { .. }
            | Op::OnEvent { .. }
            | Op::Free { .. }
            | Op::Set { .. }
            | Op::Roll { .. }
            | Op::Log { .. }
            | Op::Emit { .. }
            | Op::Succeed
            | Op::Fail
            | Op::Idle
    };
}

/// Every composite and decorator, as a pattern, for matches that have to name each leaf.
macro_rules! parent {
    () => {
        Op::Sequence
            | Op::Selector
            | Op::Parallel { .. }
            | Op::ReactiveSequence { .. }
            | Op::ReactiveSelector { .. }
            | Op::RandomSequence { .. }
            | Op::RandomSelector { .. }
            | Op::RandomChoice { .. }
            | Op::UtilitySelector { .. }
            | Op::Switch { .. }
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure
            | Op::Attempts { .. }
            | Op::Repeat { .. }
            | Op::Guard { .. }
            | Op::Timeout { .. }
            | Op::Cooldown { .. }
            | Op::Limit { .. }
            | Op::Delay { .. }
            | Op::Probability { .. }
            | Op::Token { .. }
            | Op::Finally { .. }
    };
}

pub(crate) use {leaf, parent};

/// What comes after a leaf's success or failure, if the tree alone decides it (SEMANTICS 3,
/// followed at load).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next node in pre-order is a leaf and runs next, and there are no monitors to delete. A
    /// separate variant because the processor can then guess where to go before it has read this
    /// record.
    Next,
    /// The leaf `to` runs next; the monitors of `clear` are deleted on the way.
    Leaf { to: NodeId, clear: Observers },
    /// A repeating decorator runs its child again, beginning with the leaf `to`, if the child was
    /// there before this visit; else it returns Running.
    Again { repeat: NodeId, to: NodeId },
    /// The stack is empty: its bottom ended like this.
    Done(Outcome),
    /// Nothing is known at load: the leaf ends in the general way.
    Climb,
}

/// Which ends of a node begin to cool its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cools {
    /// None: the parent is not a Cooldown.
    No,
    /// Every one, also from outside.
    End,
    /// Ends by itself like this.
    After(Outcome),
}

/// A node, as the interpreter sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) op: Op,
    pub(crate) kind: NodeKind,
    /// After failure, after success.
    pub(crate) then: [Then; 2],
    /// [`NodeId::NONE`] for the root.
    pub(crate) parent: NodeId,
    /// One past the last node of the subtree.
    pub(crate) end: NodeId,
    /// The nearest composite ancestor, or [`NodeId::NONE`].
    pub(crate) nearest_composite: NodeId,
    /// The run stack on which the node runs.
    pub(crate) stack: StackId,
    /// The stacks whose bottoms are below the node.
    pub(crate) stacks: Stacks,
    /// The observers in the node's subtree.
    pub(crate) observers: Observers,
    /// The observer of a condition that can be watched, or [`ObserverId::NONE`].
    pub(crate) monitor: ObserverId,
    pub(crate) abort: Abort,
    /// The node is the bottom of its stack.
    pub(crate) bottom: bool,
    /// Which ends of the node begin to cool its parent.
    pub(crate) cools: Cools,
    /// The node has services.
    pub(crate) serves: bool,
    /// A reactive composite cannot leave out a rerun that starts the node.
    pub(crate) loud: bool,
    /// The node resets keys when it starts.
    pub(crate) resets: bool,
    /// What the interpreter has to do at a leaf.
    pub(crate) hooks: Hooks,
    /// The host leaf, where `hooks` says so.
    pub(crate) leaf: LeafId,
    /// How many host leaves after this one follow it at once, each if the one before succeeds.
    pub(crate) streak: u16,
    /// The observers to look at while the node is on top, in simple trees; 0 in others.
    pub(crate) mask: u64,
}

bitflags! {
    /// What a leaf takes part in, so that common leaves need no checks.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Hooks: u8 {
        /// The update is one call of a host's leaf: of an action, or of a condition that is never
        /// watched.
        const HOST = 1;
        /// The start has something to do.
        const START = 2;
        /// The end has something to do.
        const END = 4;
        /// The update is one call, as above, and the tree is simple: a fast tick can begin with
        /// it.
        const FAST = 8;
    }
}

impl Record {
    pub(crate) fn is_condition(&self) -> bool {
        matches!(self.op, Op::Condition { .. } | Op::Check { .. } | Op::OnEvent { .. } | Op::Free { .. })
    }

    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.op, leaf!())
    }

    /// Whether a change of a condition below it can abort its running child (SEMANTICS 5).
    pub(crate) fn watches_conditions(&self) -> bool {
        self.kind.watches_conditions()
    }

    pub(crate) fn is_parallel(&self) -> bool {
        matches!(self.op, Op::Parallel { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_small() {
        assert!(size_of::<Op>() <= 24, "{}", size_of::<Op>());
        assert!(size_of::<Record>() <= 88, "{}", size_of::<Record>());
    }
}
