//! Spans, counts, probabilities and the ends of rolls: validated, and compiled.

use pleach_expr::expr::{Expr, ExprError, ExprErrorKind};

use super::super::amount::{Base, Bound, Count, NodeChance, NodeCount, NodeSpan, Number, SpanRule};
use super::super::flatten::Flatten;
use super::super::problem::{Field, ProblemKind};
use super::super::record::Op;
use crate::clock::{self, Span};
use crate::index::{ExprId, SpanId};
use crate::limits::MAX_SECONDS;
use crate::{Host, NodeId, Type, Value};

impl<H: Host> Flatten<H> {
    /// The field `seconds`, with the jitter and its field.
    pub(super) fn seconds(&mut self, id: NodeId, seconds: Number, jitter: Option<(Field, f64)>) -> NodeSpan {
        self.span(id, Field::Param("seconds"), seconds, jitter)
    }

    /// By how much a score must exceed that of the running child of a utility selector.
    pub(super) fn inertia(&mut self, id: NodeId, reevaluate: bool, inertia: Option<f64>) -> f32 {
        let Some(inertia) = inertia else { return 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "scores are 32-bit floats")]
        let narrow = inertia as f32;
        let field = Some(Field::Param("inertia"));
        if inertia < 0.0 || !narrow.is_finite() {
            self.problem(id, field, ProblemKind::Inertia(inertia));
        } else if !reevaluate {
            self.problem(id, field, ProblemKind::InertiaAlone);
        }
        narrow
    }

    /// A span, with the jitter and its field.
    pub(in super::super) fn span(
        &mut self,
        id: NodeId,
        field: Field,
        seconds: Number,
        jitter: Option<(Field, f64)>,
    ) -> NodeSpan {
        let literal = if let Number::Literal(it) = seconds { Some(it) } else { None };
        let base = match seconds {
            Number::Literal(seconds) => Base::Fixed(clock::span(seconds).unwrap_or_else(|| {
                self.problem(id, Some(field), ProblemKind::Duration(seconds));
                Span::ZERO
            })),
            Number::Expr(expr) => match self.amount(id, field, expr, Type::Float) {
                Ok(Value::Float(seconds)) => Base::Fixed(clock::evaluated(seconds)),
                Ok(_) => Base::Fixed(Span::ZERO),
                Err(expr) => Base::Expr(expr),
            },
        };
        let jitter = jitter.map_or(0.0, |(field, jitter)| {
            let wrong = match literal {
                _ if !(0.0..=MAX_SECONDS).contains(&jitter) => Some(ProblemKind::Jitter(jitter)),
                // A bad span was reported already.
                Some(seconds) if clock::span(seconds).is_some() && jitter > seconds.max(0.0) => {
                    Some(ProblemKind::JitterAboveSpan { jitter, seconds })
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                self.problem(id, Some(field), wrong);
            }
            jitter
        });
        match base {
            Base::Fixed(span) if jitter == 0.0 => NodeSpan::Fixed(span),
            base => {
                self.tree.spans.push(SpanRule { base, jitter });
                NodeSpan::Found(SpanId::new(self.tree.spans.len() - 1))
            }
        }
    }

    pub(super) fn count(&mut self, id: NodeId, field: Field, count: Count) -> NodeCount {
        match count {
            Count::Literal(count) => NodeCount::Fixed(count),
            Count::Expr(expr) => match self.amount(id, field, expr, Type::Int) {
                Ok(Value::Int(count)) => NodeCount::Fixed(u32::try_from(count.max(0)).unwrap_or(u32::MAX)),
                Ok(_) => NodeCount::Fixed(0),
                Err(expr) => NodeCount::Expr(expr),
            },
        }
    }

    pub(super) fn chance(&mut self, id: NodeId, field: Field, p: Number) -> NodeChance {
        match p {
            Number::Literal(p) => {
                if !(0.0..=1.0).contains(&p) {
                    self.problem(id, Some(field), ProblemKind::Probability(p));
                }
                NodeChance::Fixed(p)
            }
            Number::Expr(expr) => match self.amount(id, field, expr, Type::Float) {
                Ok(Value::Float(p)) => NodeChance::Fixed(p.into()),
                Ok(_) => NodeChance::Fixed(0.0),
                Err(expr) => NodeChance::Expr(expr),
            },
        }
    }

    pub(super) fn roll(&mut self, id: NodeId, key: &str, from: Bound, to: Bound) -> Op {
        let Some(key) = self.key(id, Field::Param("key"), key) else { return Op::Fail };
        let ty = self.schema.decl(key).ty();
        if !matches!(ty, Type::Int | Type::Float) {
            self.problem(id, Some(Field::Param("key")), ProblemKind::RollType(ty));
            return Op::Fail;
        }
        let ends = [("from", from), ("to", to)].map(|(name, it)| self.bound(id, Field::Param(name), it, ty));
        let [Some(from), Some(to)] = ends else { return Op::Fail };
        if let (Some(low), Some(high)) = (self.tree.expr(from).constant(), self.tree.expr(to).constant()) {
            let crossed = match (low, high) {
                (Value::Int(low), Value::Int(high)) if high < low => Some((low.to_string(), high.to_string())),
                (Value::Float(low), Value::Float(high)) if high < low => Some((low.to_string(), high.to_string())),
                _ => None,
            };
            if let Some((from, to)) = crossed {
                self.problem(id, Some(Field::Param("to")), ProblemKind::RollOrder { from, to });
            }
        }
        Op::Roll { key, from, to }
    }

    /// An end of a roll, as an expression of the key's type, if it is one.
    fn bound(&mut self, id: NodeId, field: Field, bound: Bound, ty: Type) -> Option<ExprId> {
        let source = match bound {
            Bound::Int(it) => it.to_string(),
            Bound::Float(it) if ty == Type::Int => {
                let wrong = ProblemKind::NotANumber { expr: it.to_string(), expected: ty, found: Type::Float };
                self.problem(id, Some(field), wrong);
                return None;
            }
            Bound::Float(it) => {
                #[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
                let narrow = it as f32;
                if !narrow.is_finite() {
                    self.problem(id, Some(field), ProblemKind::RollEnd(it));
                    return None;
                }
                // With a point or an exponent, and as many digits as it takes.
                format!("{narrow:?}")
            }
            Bound::Expr(it) => it,
        };
        let compiled = self.numeric(id, &field, source, ty)?;
        if let Some(Value::Float(it)) = compiled.as_ref().ok().and_then(Expr::constant)
            && !it.is_finite()
        {
            self.problem(id, Some(field), ProblemKind::RollEnd(it.into()));
            return None;
        }
        let compiles = compiled.is_ok();
        let expr = self.compiled(id, field, compiled);
        compiles.then_some(expr)
    }

    /// An expression that gives a number: that number, if it is always the same, so that it costs
    /// as little as a literal.
    fn amount(&mut self, id: NodeId, field: Field, source: String, expected: Type) -> Result<Value, ExprId> {
        let Some(compiled) = self.numeric(id, &field, source, expected) else { return Err(ExprId::new(0)) };
        match compiled.as_ref().ok().and_then(Expr::constant) {
            // A count of 0 or less stays an expression: a literal 0 is a repeat without end.
            Some(Value::Int(..=0)) | None => Err(self.compiled(id, field, compiled)),
            Some(value) if value.ty() == expected => Ok(value),
            Some(_) => Err(self.compiled(id, field, compiled)),
        }
    }

    /// Compiles an expression that gives a number. If it gives something else, returns `None`, and
    /// the problem quotes the whole of it: it is usually the name of a key.
    fn numeric(
        &mut self,
        id: NodeId,
        field: &Field,
        source: String,
        expected: Type,
    ) -> Option<Result<Expr, Vec<ExprError>>> {
        let view = self.schema.view(&self.sight);
        let compiled = self.compiler.compile(source.as_str().into(), &view, Some(expected), None);
        if let Err(errors) = &compiled
            && let [error] = &**errors
            && let ExprErrorKind::Mismatch { expected, found } = error.kind
            && source.get(error.span.clone()).is_some_and(|it| it == source.trim())
        {
            self.problem(id, Some(field.clone()), ProblemKind::NotANumber { expr: source, expected, found });
            self.problems.last_mut().expect("just pushed").span = Some(error.span.clone());
            return None;
        }
        Some(compiled)
    }
}

#[cfg(test)]
mod tests {
    use crate::nodes::{cooldown, delay, idle, limit, repeat, timeout, wait, wait_ticks};
    use crate::{Host, Tree, nodes::Node};

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    /// Words of memory, and entries beside the record.
    fn cost(root: Node<Game>) -> (usize, usize) {
        let mut builder = Tree::builder("t");
        builder.key("n", 1_i64);
        let tree = builder.build(root).unwrap();
        (tree.memory, tree.spans.len() + tree.exprs.len())
    }

    #[test]
    fn a_literal_has_nothing_beside_its_record_and_an_expression_no_more_memory() {
        let pairs: [(Node<Game>, Node<Game>, usize); 7] = [
            (wait(1.0), wait("n"), 2),
            (delay(1.0, idle()), delay("n", idle()), 2),
            (timeout(1.0, idle()), timeout("n", idle()), 2),
            (cooldown(1.0, idle()), cooldown("n", idle()), 2),
            (wait_ticks(1), wait_ticks("n"), 1),
            (repeat(1, idle()), repeat("n", idle()), 1),
            (limit(1, idle()), limit("n", idle()), 1),
        ];
        for (literal, expr, words) in pairs {
            assert_eq!(cost(literal), (words, 0));
            assert_eq!(cost(expr).0, words);
        }
        assert_eq!(cost(wait(1.0).jitter(0.0)), (2, 0));
        assert_eq!(cost(wait(1.0).jitter(0.5)), (2, 1));
    }
}
