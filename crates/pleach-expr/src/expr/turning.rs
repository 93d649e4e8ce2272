//! When an expression that reads `time` or `now` can change its value though no key changes.

use super::code::{Arith, Cmp, Instruction};
use super::{Expr, KeyIndex, Read};
use crate::time::Time;
use crate::value::{Type, Value};

/// How many nanoseconds early a result of [`next_turn`] may be, at most: less than a frame.
const PRECISION: u64 = 1 << 20;

/// Whether the value, a Bool, turns at most once as time goes on, as long as no key changes. This
/// is known if `time` or `now` stands once in the expression, as a part of one side of `<`, `<=`,
/// `>` or `>=` that only adds to it and subtracts.
#[must_use]
pub fn turns_once(expr: &Expr) -> bool {
    let is_clock = |it: &Instruction| matches!(it, Instruction::Time | Instruction::Now);
    let Some(at) = expr.code.iter().position(is_clock) else { return false };
    let rest = &expr.code[at + 1..];
    expr.ty == Type::Bool && !rest.iter().any(is_clock) && is_compared(rest)
}

/// Whether the value on top of the stack reaches an ordering comparison only by sums and
/// differences. Each of them only rises as the value rises, or only falls.
fn is_compared(code: &[Instruction]) -> bool {
    // How many values are above that one.
    let mut above = 0;
    for op in code {
        if op.skips().is_some() {
            return false;
        }
        let (pops, pushes) = op.effect();
        if pops > above {
            match op {
                Instruction::CompareTime(cmp, ..) | Instruction::CompareFloat(cmp) => {
                    return matches!(cmp, Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge);
                }
                Instruction::TimeToFloat
                | Instruction::Seconds
                | Instruction::Negate(Type::Float)
                | Instruction::Float(Arith::Add | Arith::Sub)
                | Instruction::OfTimes(Arith::Add | Arith::Sub, ..) => above = 0,
                _ => return false,
            }
        } else {
            above = above - pops + usize::from(pushes.is_some());
        }
    }
    false
}

/// The time until an expression that [turns once](turns_once) turns, in nanoseconds, or up to a
/// millisecond less. `None` if it no longer turns. Bisects, in about 30 evaluations.
pub fn next_turn<R: Read + Copy>(expr: &Expr, read: R) -> Option<u64> {
    let holds = |by| expr.eval_bool(Later { read, by });
    let now = holds(0);
    if holds(Time::END.as_nanos()) == now {
        return None;
    }
    let (mut before, mut behind) = (0, PRECISION);
    while holds(behind) == now {
        (before, behind) = (behind, behind * 2);
    }
    while behind - before > PRECISION {
        let middle = before.midpoint(behind);
        *if holds(middle) == now { &mut before } else { &mut behind } = middle;
    }
    Some(before + 1)
}

/// Reads as if this much time had passed, and nothing else had changed.
struct Later<R> {
    read: R,
    by: u64,
}

impl<R: Read> Later<R> {
    fn after(&self, moment: Time) -> Time {
        Time::from_nanos(moment.as_nanos().saturating_add(self.by))
    }
}

impl<R: Read> Read for Later<R> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.read.value(key)
    }
    fn time(&mut self) -> Time {
        let time = self.read.time();
        self.after(time)
    }
    fn now(&mut self) -> Time {
        let now = self.read.now();
        self.after(now)
    }
    fn bool(&mut self, key: KeyIndex) -> bool {
        self.read.bool(key)
    }
    fn int(&mut self, key: KeyIndex) -> i64 {
        self.read.int(key)
    }
    fn float(&mut self, key: KeyIndex) -> f32 {
        self.read.float(key)
    }
}
