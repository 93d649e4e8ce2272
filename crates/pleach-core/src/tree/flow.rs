//! What follows a leaf, worked out at load: as long as only nodes without memory come next, the
//! interpreter goes from leaf to leaf without looking at the nodes in between.

use super::amount::NodeCount;
use super::record::{Cools, Hooks, Op, Record, Then, leaf};
use crate::{NodeId, Outcome};

/// What starting `node` leads to, if no node on the way down to the first leaf has anything to do.
pub(super) fn descend(records: &[Record], node: NodeId) -> Then {
    let clear = records[node.index()].observers;
    let mut at = node;
    loop {
        let record = &records[at.index()];
        match record.op {
            // A leaf has a hook for what it resets.
            leaf!() => return Then::Leaf { to: at, clear },
            _ if record.serves || record.resets => return Then::Climb,
            Op::Sequence
            | Op::Selector
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure
            | Op::Finally { .. } => at = at.next(),
            // They have something to do, or to find out.
            _ => return Then::Climb,
        }
    }
}

/// What follows when `leaf` ends with `outcome`.
pub(super) fn after(records: &[Record], leaf: NodeId, mut outcome: Outcome) -> Then {
    let mut at = leaf;
    loop {
        let record = &records[at.index()];
        if record.cools != Cools::No {
            return Then::Climb;
        }
        if record.bottom {
            return Then::Done(outcome);
        }
        let parent = &records[record.parent.index()];
        let decides = match parent.op {
            Op::Sequence | Op::ReactiveSequence { .. } => outcome == Outcome::Failure,
            Op::Selector | Op::ReactiveSelector { .. } => outcome == Outcome::Success,
            Op::Inverter => {
                outcome = outcome.inverted();
                true
            }
            Op::ForceSuccess => {
                outcome = Outcome::Success;
                true
            }
            Op::ForceFailure => {
                outcome = Outcome::Failure;
                true
            }
            Op::UntilSuccess if outcome == Outcome::Success => true,
            Op::UntilFailure if outcome == Outcome::Failure => true,
            Op::Attempts { until, .. } if outcome == until => true,
            Op::Repeat { end_on_failure: true, .. } if outcome == Outcome::Failure => true,
            Op::Repeat { count: NodeCount::Fixed(0), .. } | Op::UntilSuccess | Op::UntilFailure => {
                return match descend(records, record.parent.next()) {
                    Then::Leaf { to, .. } => Then::Again { repeat: record.parent, to },
                    _ => Then::Climb,
                };
            }
            Op::RandomChoice { .. }
            | Op::Switch { .. }
            | Op::Guard { .. }
            | Op::Timeout { .. }
            | Op::Limit { .. }
            | Op::Delay { .. }
            | Op::Probability { .. } => true,
            // They have something to remember or to order, or want their child again.
            _ => return Then::Climb,
        };
        if decides || record.end == parent.end {
            at = record.parent;
        } else {
            return match descend(records, record.end) {
                Then::Leaf { to, clear } if to == leaf.next() && clear.from == clear.to => Then::Next,
                then => then,
            };
        }
    }
}

/// Finds the leaves after each leaf that need nothing but their update, one after the other, as
/// long as they succeed.
pub(super) fn mark_streaks(records: &mut [Record]) {
    for index in (0..records.len().saturating_sub(1)).rev() {
        let next = records[index + 1];
        let record = &mut records[index];
        if record.then[Outcome::Success as usize] == Then::Next
            && record.hooks == Hooks::HOST
            && next.hooks == Hooks::HOST
            && next.leaf == record.leaf.next()
        {
            record.streak = next.streak + 1;
        }
    }
}
