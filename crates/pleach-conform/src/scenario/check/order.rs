//! Checks how the calls of a scenario go together.

use super::{Checked, Checker, value_error};
use crate::scenario::{Call, TimedCall};

impl Checker<'_> {
    /// Versions of the tree stand in the order in which they come.
    pub(super) fn in_order(&self, i: usize, op: &TimedCall) -> Checked {
        let is_version = |op: &TimedCall| matches!(op.call, Call::Replace { .. });
        let later = |it: &&TimedCall| is_version(it) && it.before > op.before;
        match self.scenario.ops[..i].iter().find(later) {
            Some(other) if is_version(op) => {
                let what =
                    format!("`replace` before tick {} stands behind one before tick {}", op.before, other.before);
                Err(value_error(format!("ops[{i}].before"), what))
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
