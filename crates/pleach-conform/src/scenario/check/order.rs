//! Checks that the calls of a scenario fit together.

use super::{Checked, Checker, value_error};
use crate::scenario::{Call, TimedCall};

impl Checker<'_> {
    /// Versions of the tree are listed in the order in which they come.
    pub(super) fn in_order(&self, i: usize, op: &TimedCall) -> Checked {
        let is_version = |op: &TimedCall| op.call.version().is_some();
        let later = |it: &&TimedCall| is_version(it) && it.before > op.before;
        match self.scenario.ops[..i].iter().find(later) {
            Some(other) if is_version(op) => {
                let (call, other_call) = (op.call.op_name(), other.call.op_name());
                let (before, earlier) = (op.before, other.before);
                let what = if call == other_call {
                    format!("`{call}` before tick {before} stands behind one before tick {earlier}")
                } else {
                    format!("`{call}` before tick {before} stands behind `{other_call}` before tick {earlier}")
                };
                Err(value_error(format!("ops[{i}].before"), what))
            }
            _ => Ok(()),
        }
    }

    /// A restore follows a save. A panic can leave something to be sent, and while that is pending
    /// there is no save.
    pub(super) fn saved(&self, i: usize, op: &TimedCall) -> Checked {
        let ops = &self.scenario.ops;
        let is_save = |(at, it): (usize, &TimedCall)| matches!(it.call, Call::Save) && (it.before, at) < (op.before, i);
        match op.call {
            Call::Restore { .. } if !ops.iter().enumerate().any(is_save) => {
                Err(value_error(format!("ops[{i}]"), "nothing was saved before"))
            }
            Call::Save if ops.iter().any(|it| matches!(it.call, Call::Panic)) && self.scenario.tells_group() => {
                let what = "a scenario whose tree sends events to the group has a `panic` or a `save`, not both";
                Err(value_error(format!("ops[{i}]"), what))
            }
            _ => Ok(()),
        }
    }

    /// A tick has a budget, or a panic, or neither; never both.
    pub(super) fn one_way_to_tick(&self, i: usize, op: &TimedCall) -> Checked {
        let says_how = |op: &TimedCall| matches!(op.call, Call::Budget { .. } | Call::Panic);
        let earlier = self.scenario.ops[..i].iter().find(|it| it.before == op.before && says_how(it));
        match earlier {
            Some(earlier) if says_how(op) => {
                let (one, other) = (earlier.call.op_name(), op.call.op_name());
                let what = format!("`{one}` and `{other}` before tick {}: only one of them can be", op.before);
                Err(value_error(format!("ops[{i}]"), what))
            }
            _ => Ok(()),
        }
    }
}
