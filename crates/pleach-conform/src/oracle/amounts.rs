//! Rules 8.25, 8.26 and 8.28: numbers when they begin to count, and rolled values. Scores, and the
//! value of a switch.
//!
//! Every tick lasts whole seconds, so rounding spans up to nanoseconds is not visible, and seconds
//! in a 64-bit float are enough.

use pleach_core::limits::MAX_SECONDS;

use super::Agent;
use super::node::AgentNode;
use crate::expr::{Expr, float};
use crate::scenario::{Amount, Jittered, Value, ValueType};

impl Agent<'_> {
    /// A number of seconds; a node's expression is evaluated.
    pub(super) fn seconds(&self, n: &AgentNode, ticks: &Amount<i32>) -> f64 {
        self.span(ticks, n.exprs.first())
    }

    pub(super) fn jittered_seconds(&mut self, n: &AgentNode, it: &Jittered) -> f64 {
        self.jittered(it, n.exprs.first())
    }

    fn span(&self, ticks: &Amount<i32>, expr: Option<&Expr>) -> f64 {
        let seconds = match ticks {
            Amount::Literal(ticks) => f64::from(*ticks),
            Amount::Expr(_) => f64::from(expr.expect("it was parsed").score(&self.keys, self.clock())),
        };
        bounded(seconds)
    }

    /// The same with jitter: one draw, if there is any.
    pub(super) fn jittered(&mut self, it: &Jittered, expr: Option<&Expr>) -> f64 {
        let span = self.span(&it.ticks, expr);
        if it.jitter == 0.0 {
            return span;
        }
        bounded(span + it.jitter * (2.0 * self.random.unit() - 1.0))
    }

    /// Rule 8.28.
    pub(super) fn roll(&mut self, n: &AgentNode, key: &str) -> Value {
        let (from, to) = (n.exprs[0].eval(&self.keys, self.clock()), n.exprs[1].eval(&self.keys, self.clock()));
        if self.setup.scenario.keys.find(key).is_some_and(|it| it.1.default.value_type() == ValueType::Float) {
            return Value::Float(self.random.below(float(from), float(to)));
        }
        match (from, to) {
            (Value::Int(from), Value::Int(to)) => Value::Int(self.random.int(from, to)),
            other => panic!("an int was rolled between {other:?}, which checking should have refused"),
        }
    }

    /// A number of times or ticks.
    pub(super) fn count(&self, n: &AgentNode, count: &Amount<u32>) -> u32 {
        match count {
            Amount::Literal(count) => *count,
            Amount::Expr(_) => match n.exprs[0].eval(&self.keys, self.clock()) {
                Value::Int(count) => u32::try_from(count.clamp(0, u32::MAX.into())).expect("clamped"),
                other => panic!("a count was asked of {other}, which checking should have refused"),
            },
        }
    }

    /// A probability. A NaN counts as 0.
    pub(super) fn probability(&self, n: &AgentNode, p: &Amount<f64>) -> f64 {
        let p = match p {
            Amount::Literal(p) => *p,
            Amount::Expr(_) => f64::from(n.exprs[0].score(&self.keys, self.clock())),
        };
        if p.is_nan() { 0.0 } else { p.clamp(0.0, 1.0) }
    }

    /// The child of a switch for its value now: of the first case equal to it, else the default.
    pub(super) fn case(&self, n: &AgentNode, cases: &[Value], default: bool) -> Option<usize> {
        let value = n.exprs[0].eval(&self.keys, self.clock());
        cases.iter().position(|case| *case == value).or_else(|| default.then_some(n.children.len() - 1))
    }

    /// The score of a child of a utility selector. NaN counts as minus infinity.
    pub(super) fn score(&self, n: &AgentNode, child: usize) -> f32 {
        let score = n.exprs[child].score(&self.keys, self.clock());
        if score.is_nan() { f32::NEG_INFINITY } else { score }
    }
}

fn bounded(seconds: f64) -> f64 {
    if seconds.is_nan() { 0.0 } else { seconds.clamp(0.0, MAX_SECONDS) }
}
