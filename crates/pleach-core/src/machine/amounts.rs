//! Spans, counts and probabilities at the moment when they begin to count (SEMANTICS 8.25, 8.26),
//! and rolls (8.28).

use super::Machine;
use crate::clock::{self, Moment, Span};
use crate::index::{ExprId, SpanId};
use crate::trace::Tracer;
use crate::tree::amount::{Base, NodeChance, NodeCount, NodeSpan};
use crate::{Host, Value, rng};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// A span that begins now. Draws if it has a jitter: call it exactly once each time.
    #[inline(always)]
    pub(super) fn span(&mut self, span: NodeSpan) -> Span {
        match span {
            NodeSpan::Fixed(span) => span,
            NodeSpan::Found(id) => self.find_span(id),
        }
    }

    /// The end of a span that begins now.
    #[inline(always)]
    pub(super) fn deadline(&mut self, span: NodeSpan) -> Moment {
        let span = self.span(span);
        self.cx.agent.moment() + span
    }

    /// A separate function, so that a literal pays nothing for it.
    #[inline(never)]
    fn find_span(&mut self, id: SpanId) -> Span {
        let rule = self.tree.spans[id.index()];
        let span = match rule.base {
            Base::Fixed(span) => span,
            Base::Expr(expr) => clock::evaluated(self.expr(expr).eval_float(&self.cx.agent)),
        };
        if rule.jitter == 0.0 { span } else { clock::jittered(span, rule.jitter, self.random()) }
    }

    /// A number between two ends, which were compiled to the same type.
    pub(super) fn roll(&mut self, from: ExprId, to: ExprId) -> Value {
        let from = self.expr(from).eval(&self.cx.agent);
        let to = self.expr(to).eval(&self.cx.agent);
        match (from, to) {
            (Value::Int(from), Value::Int(to)) => Value::Int(self.drawn(|rng| rng::whole(rng, from, to.max(from)))),
            (from, to) => {
                let (from, to) = (end(from), end(to));
                Value::Float(self.drawn(|rng| rng::within(rng, from..to.max(from))))
            }
        }
    }

    /// A count that begins now.
    #[inline(always)]
    pub(super) fn count(&mut self, count: NodeCount) -> u32 {
        match count {
            NodeCount::Fixed(count) => count,
            NodeCount::Expr(expr) => self.find_count(expr),
        }
    }

    #[inline(never)]
    fn find_count(&mut self, expr: ExprId) -> u32 {
        match self.expr(expr).eval(&self.cx.agent) {
            Value::Int(count) => u32::try_from(count.max(0)).unwrap_or(u32::MAX),
            // It was compiled to be an Int.
            _ => 0,
        }
    }

    /// A probability. One outside of 0 to 1 need not be clamped, as it is compared with a number
    /// that is at least 0 and less than 1; and no number is less than NaN.
    #[inline(always)]
    pub(super) fn chance(&mut self, p: NodeChance) -> f64 {
        match p {
            NodeChance::Fixed(p) => p,
            NodeChance::Expr(expr) => self.expr(expr).eval_float(&self.cx.agent).into(),
        }
    }
}

/// An end that can be drawn from: not NaN, and finite.
fn end(value: Value) -> f32 {
    match value {
        Value::Float(it) if it.is_nan() => 0.0,
        Value::Float(it) => it.clamp(f32::MIN, f32::MAX),
        // It was compiled to be a Float.
        _ => 0.0,
    }
}
