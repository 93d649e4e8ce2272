//! One node's parameters: validated, and compiled into its record.

mod amounts;
mod leaves;
mod token;

use std::collections::HashSet;
use std::fmt::Write;

use pleach_expr::expr::{Expr, ExprError, ExprErrorKind, KeyIndex, Names};
use pleach_expr::known;
use pleach_expr::names::{self, Near};
use pleach_expr::runtime::{self, SLOT};

use super::amount::{Count, NodeCount, Number};
use super::flatten::Flatten;
use super::kind::{NodeKind, NodeMemory, Receiver};
use super::node::{Build, Case, Ending, Policy};
use super::part::Part;
use super::problem::{Field, ProblemKind};
use super::record::{Cases, GuardTest, Op};
use crate::blackboard::{EventDecl, EventError, SchemaError};
use crate::index::{CasesId, ExprId, MemoryOffset, TextId, WeightsId, narrow};
use crate::limits::{MAX_NAME, MAX_ORDERED_CHILDREN};
use crate::{Host, NodeId, Outcome, Symbol, Type, Value};

pub(super) use leaves::{Use, Waiting};

/// The most cases of a switch that its line in drawings has.
const MAX_SHOWN_CASES: usize = 8;

impl<H: Host> Flatten<H> {
    /// The operation of a node, except for the host's leaves: these are made after all nodes.
    pub(super) fn op(&mut self, id: NodeId, build: Build<H>, children: usize, jitter: Option<f64>) -> Op {
        let jitter = jitter.map(|it| (Field::Param("jitter"), it));
        match build {
            Build::Sequence => Op::Sequence,
            Build::Selector => Op::Selector,
            Build::Parallel { success, failure } => Op::Parallel {
                success: self.policy(id, Field::Param("success"), success.unwrap_or(Policy::All), children),
                failure: self.policy(id, Field::Param("failure"), failure.unwrap_or(Policy::Any), children),
                slot: self.slot(NodeKind::Parallel, 0),
            },
            Build::ReactiveSequence => Op::ReactiveSequence { slot: Some(self.slot(NodeKind::ReactiveSequence, 0)) },
            Build::ReactiveSelector => Op::ReactiveSelector { slot: Some(self.slot(NodeKind::ReactiveSelector, 0)) },
            Build::RandomSequence { weights } => Op::RandomSequence {
                weights: self.weights(id, weights, children),
                order: self.order(id, NodeKind::RandomSequence, children),
            },
            Build::RandomSelector { weights } => Op::RandomSelector {
                weights: self.weights(id, weights, children),
                order: self.order(id, NodeKind::RandomSelector, children),
            },
            Build::RandomChoice { weights } => Op::RandomChoice {
                weights: self.weights(id, weights, children),
                slot: self.slot(NodeKind::RandomChoice, 0),
            },
            Build::UtilitySelector { scores, reevaluate, inertia } => {
                if scores.len() != children {
                    self.problem(
                        id,
                        Some(Field::Param("scores")),
                        ProblemKind::Count { found: scores.len(), children },
                    );
                }
                self.tree.scores = self.tree.scores.max(children);
                let first = ExprId::new(self.tree.exprs.len());
                for (index, score) in scores.into_iter().enumerate() {
                    self.expr(id, Field::Item("scores", index), score, Some(Type::Float));
                }
                let inertia = self.inertia(id, reevaluate, inertia);
                Op::UtilitySelector {
                    scores: first,
                    reevaluate,
                    inertia,
                    order: self.order(id, NodeKind::UtilitySelector, children),
                }
            }
            Build::Switch { on, cases, default, latch } => self.switch(id, on, cases, default, latch),
            Build::Inverter => Op::Inverter,
            Build::ForceSuccess => Op::ForceSuccess,
            Build::ForceFailure => Op::ForceFailure,
            Build::UntilSuccess { count: None } => Op::UntilSuccess,
            Build::UntilFailure { count: None } => Op::UntilFailure,
            Build::UntilSuccess { count: Some(it) } => self.attempts(id, NodeKind::UntilSuccess, Outcome::Success, it),
            Build::UntilFailure { count: Some(it) } => self.attempts(id, NodeKind::UntilFailure, Outcome::Failure, it),
            Build::Repeat { count, end_on_failure } => {
                if count == Some(Count::Literal(0)) {
                    self.problem(id, Some(Field::Param("count")), ProblemKind::NoRounds);
                }
                let slot = self.slot(NodeKind::Repeat, usize::from(count.is_some()));
                let count = count.map_or(NodeCount::Fixed(0), |it| self.count(id, Field::Param("count"), it));
                Op::Repeat { count, end_on_failure, slot }
            }
            Build::Guard { when: None, .. } => Op::Fail,
            Build::Guard { when: Some(Part::Check(expr)), result } => {
                let when = GuardTest::Expr(self.expr(id, Field::Param("when"), expr, Some(Type::Bool)));
                Op::Guard { when, result: result.unwrap_or(Outcome::Failure) }
            }
            Build::Guard { when: Some(Part::Leaf(leaf, kind)), result } => {
                self.later(id, leaf, Use::Guard(kind, result.unwrap_or(Outcome::Failure)))
            }
            Build::Timeout { seconds, result } => {
                let result = result.unwrap_or(Outcome::Failure);
                Op::Timeout { seconds: self.seconds(id, seconds, None), result, slot: self.slot(NodeKind::Timeout, 0) }
            }
            // Its child knows `after`, as its ends are what counts.
            Build::Cooldown { seconds, after: _ } => {
                Op::Cooldown { seconds: self.seconds(id, seconds, jitter), slot: self.slot(NodeKind::Cooldown, 0) }
            }
            Build::Limit { count, exhausted } => {
                let count = self.count(id, Field::Param("count"), count);
                let exhausted = exhausted.unwrap_or(Outcome::Failure);
                Op::Limit { count, exhausted, slot: self.slot(NodeKind::Limit, 0) }
            }
            Build::Delay { seconds } => {
                Op::Delay { seconds: self.seconds(id, seconds, jitter), slot: self.slot(NodeKind::Delay, 0) }
            }
            Build::Token { token, count: _, rest: _, global: _ } => self.token(&token),
            Build::Free { token } => self.free(id, &token),
            Build::Probability { p } => Op::Probability { p: self.chance(id, Field::Param("p"), p) },
            Build::Finally { on } => Op::Finally { on: on.unwrap_or_default() },
            Build::Host { leaf } => self.later(id, leaf, Use::Node),
            Build::Wait { seconds } => {
                Op::Wait { seconds: self.seconds(id, seconds, jitter), slot: self.slot(NodeKind::Wait, 0) }
            }
            Build::WaitTicks { ticks } => Op::WaitTicks {
                ticks: self.count(id, Field::Param("ticks"), ticks),
                slot: self.slot(NodeKind::WaitTicks, 0),
            },
            Build::WaitUntil { expr } => {
                Op::WaitUntil { expr: self.expr(id, Field::Param("expr"), expr, Some(Type::Bool)) }
            }
            Build::Check { expr } => Op::Check { expr: self.expr(id, Field::Param("expr"), expr, Some(Type::Bool)) },
            Build::OnEvent { event, into } => {
                let (event, into) = self.heard(id, &event, into);
                Op::OnEvent { event, into }
            }
            Build::WaitFor { event, into } => {
                let (event, into) = self.heard(id, &event, into);
                Op::WaitFor { event, into, slot: self.slot(NodeKind::WaitFor, 0) }
            }
            Build::Set { key, expr } => self.set(id, &key, expr),
            Build::Roll { key, from, to } => self.roll(id, &key, from, to),
            Build::Log { text } => {
                let at = TextId::new(self.tree.texts.len());
                self.tree.texts.push(text.into());
                Op::Log { text: at }
            }
            Build::Emit { event, payload, to_group } => {
                let declared = self.event(id, &event);
                if let (Some(declared), None) = (declared, &payload) {
                    self.payload(id, "event", &event, declared, None);
                }
                let expected = declared.flatten();
                let payload = payload.map(|it| {
                    let before = self.problems.count();
                    let expr = self.expr(id, Field::Param("payload"), it, expected);
                    if declared == Some(None) && self.problems.count() == before {
                        let found = self.tree.expr(expr).ty();
                        self.payload(id, "payload", &event, None, Some(found));
                    }
                    expr
                });
                let to = if to_group { Receiver::Group } else { Receiver::Host };
                Op::Emit { event: Symbol::new(&event), payload, to }
            }
            Build::Succeed => Op::Succeed,
            Build::Fail => Op::Fail,
            Build::Idle => Op::Idle,
        }
    }

    fn attempts(&mut self, id: NodeId, kind: NodeKind, until: Outcome, count: Count) -> Op {
        if count == Count::Literal(0) {
            self.problem(id, Some(Field::Param("count")), ProblemKind::NoAttempts);
        }
        let slot = self.slot(kind, 1);
        Op::Attempts { until, count: self.count(id, Field::Param("count"), count), slot }
    }

    fn switch(&mut self, id: NodeId, on: String, cases: Vec<Case>, default: bool, latch: bool) -> Op {
        let view = self.schema.view(&self.sight);
        // The value of a slot is not an expression.
        let of_slot = if on.starts_with(SLOT) { view.find(&on).ok() } else { None };
        let compiled = match of_slot {
            Some(key) => Ok(runtime::of_key(&on, key, view.key_type(key))),
            None => self.compiler.compile(on.into(), &view, None, None),
        };
        // The type of `on`, and the words that it can be, if it compiles.
        let known = compiled.as_ref().ok().map(|it| (it.ty(), it.keys().to_vec()));
        let on = self.compiled(id, Field::Param("on"), compiled);
        // Without a default it has no child either, which is another problem.
        if cases.is_empty() && default {
            self.problem(id, Some(Field::Param("cases")), ProblemKind::NoCases);
        }
        if let Some((ty @ (Type::Float | Type::Vec2 | Type::Vec3 | Type::Entity | Type::Time), _)) = known {
            self.problem(id, Some(Field::Param("on")), ProblemKind::SwitchType(ty));
        } else {
            self.check_cases(id, &cases, known);
        }
        let children = self.tree.children.of(id).to_vec();
        let wanted = cases.len() + usize::from(default);
        if wanted != children.len() {
            // Only callers that push nodes into a list can get it wrong.
            let kind = ProblemKind::Count { found: wanted, children: children.len() };
            self.problem(id, Some(Field::Param("cases")), kind);
        }
        let value = |it: &Case| match it {
            Case::Bool(it) => Value::Bool(*it),
            Case::Int(it) => Value::Int(*it),
            Case::Word(it) => Value::Symbol(Symbol::new(it)),
        };
        let default = if default { children.last().copied() } else { None };
        let pairs = cases.iter().map(value).zip(children).collect();
        self.tree.cases.push(Cases { children: pairs, default });
        let cases = CasesId::new(self.tree.cases.len() - 1);
        Op::Switch { on, cases, latch, slot: self.slot(NodeKind::Switch, 0) }
    }

    /// Each case has the type of the switch, is a word that its keys know, and occurs once. If the
    /// type is not `known`, only the last is checked.
    fn check_cases(&mut self, id: NodeId, cases: &[Case], known: Option<(Type, Vec<KeyIndex>)>) {
        let mut seen = HashSet::new();
        for (index, case) in cases.iter().enumerate() {
            let wrong = match (case, &known) {
                (_, Some((on, _))) if case.ty() != *on => Some(ProblemKind::CaseType { case: case.clone(), on: *on }),
                (Case::Word(word), Some((_, keys))) => self.unknown_word(word, keys),
                _ => None,
            };
            let wrong = wrong.or_else(|| (!seen.insert(case)).then(|| ProblemKind::DoubledCase(case.clone())));
            if let Some(wrong) = wrong {
                self.problem(id, Some(Field::Item("cases", index)), wrong);
            }
        }
    }

    /// What is wrong with a word that must be one of these keys': `None` if it is one.
    fn unknown_word(&self, word: &str, keys: &[KeyIndex]) -> Option<ProblemKind> {
        let view = self.schema.view(&self.sight);
        if keys.iter().any(|&it| view.has_word(it, word)) {
            return None;
        }
        let words = || keys.iter().flat_map(|&it| view.words(it));
        let help = names::near(word, words()).map(Near::help).or_else(|| known::words(words()));
        Some(ProblemKind::Expr(ExprErrorKind::UnknownWord { word: word.into(), help }))
    }

    fn set(&mut self, id: NodeId, key: &str, expr: String) -> Op {
        let Some(key) = self.key(id, Field::Param("key"), key) else { return Op::Fail };
        let view = self.schema.view(&self.sight);
        let compiled = self.compiler.compile(expr.into(), &view, Some(view.key_type(key)), Some(key));
        Op::Set { key, expr: self.compiled(id, Field::Param("to"), compiled) }
    }

    /// The payload that an event is declared with, if it is declared. Reports an unknown name.
    fn event(&mut self, id: NodeId, name: &str) -> Option<Option<Type>> {
        self.name(id, Field::Param("event"), name);
        if name.is_empty() || name.len() > MAX_NAME {
            return None;
        }
        match self.schema.find_event(self.sight.frame, name) {
            Ok(declared) => declared.map(EventDecl::payload),
            Err(error) => {
                self.problem(id, Some(Field::Param("event")), ProblemKind::Event(error));
                None
            }
        }
    }

    /// An event that a node waits for or asks for, and the key that takes its payload.
    fn heard(&mut self, id: NodeId, event: &str, into: Option<String>) -> (Symbol, Option<KeyIndex>) {
        let declared = self.event(id, event);
        let into = into.and_then(|it| self.key(id, Field::Param("into"), &it));
        if let (Some(declared), Some(key)) = (declared, into) {
            let ty = self.schema.decl(key).ty();
            self.payload(id, "into", event, declared, Some(ty));
        }
        (Symbol::new(event), into)
    }

    /// Reports a payload of another type than the declared one.
    fn payload(&mut self, id: NodeId, field: &'static str, event: &str, declared: Option<Type>, found: Option<Type>) {
        if declared != found {
            let error = EventError::Payload { name: event.into(), declared, found };
            self.problem(id, Some(Field::Param(field)), ProblemKind::Event(error));
        }
    }

    pub(super) fn name(&mut self, id: NodeId, field: Field, text: &str) {
        if text.is_empty() || text.len() > MAX_NAME {
            self.problem(id, Some(field), ProblemKind::BadName(text.chars().take(MAX_NAME).collect()));
        }
    }

    pub(super) fn key(&mut self, id: NodeId, field: Field, name: &str) -> Option<KeyIndex> {
        let view = self.schema.view(&self.sight);
        match view.find(name) {
            Ok(key) if self.schema.is_read_only(self.sight.frame, key, name) => {
                self.problem(id, Some(field), ProblemKind::Key(SchemaError::ReadOnly(name.into())));
                None
            }
            Ok(key) => Some(key),
            Err(error) => {
                self.problem(id, Some(field), ProblemKind::Key(error));
                None
            }
        }
    }

    pub(super) fn expr(&mut self, id: NodeId, field: Field, source: String, expected: Option<Type>) -> ExprId {
        let view = self.schema.view(&self.sight);
        let compiled = self.compiler.compile(source.into(), &view, expected, None);
        self.compiled(id, field, compiled)
    }

    pub(super) fn compiled(&mut self, id: NodeId, field: Field, compiled: Result<Expr, Vec<ExprError>>) -> ExprId {
        match compiled {
            Ok(expr) => self.tree.exprs.push(expr),
            Err(errors) => {
                for error in errors {
                    self.problem(id, Some(field.clone()), ProblemKind::Expr(error.kind));
                    self.problems.last_mut().expect("just pushed").span = Some(error.span);
                }
            }
        }
        ExprId::new(self.tree.exprs.len().saturating_sub(1))
    }

    fn policy(&mut self, id: NodeId, field: Field, policy: Policy, children: usize) -> u16 {
        match policy {
            Policy::All => narrow(children),
            Policy::Any => 1,
            Policy::AtLeast(wanted) => {
                if wanted == 0 || usize::from(wanted) > children {
                    self.problem(id, Some(field), ProblemKind::Policy { wanted, children });
                }
                wanted
            }
        }
    }

    fn weights(&mut self, id: NodeId, weights: Option<Vec<f64>>, children: usize) -> Option<WeightsId> {
        let weights = weights?;
        if weights.len() != children {
            self.problem(id, Some(Field::Param("weights")), ProblemKind::Count { found: weights.len(), children });
        }
        self.tree.weights.push(weights.into());
        Some(WeightsId::new(self.tree.weights.len() - 1))
    }

    fn order(&mut self, id: NodeId, kind: NodeKind, children: usize) -> MemoryOffset {
        if children > MAX_ORDERED_CHILDREN {
            self.problem(id, None, ProblemKind::TooManyOrdered(children));
        }
        self.slot(kind, children)
    }

    /// Memory for the node that is being compiled, according to the table of kinds. `count` is the
    /// number of children whose order it remembers, or of its counts.
    pub(super) fn slot(&mut self, kind: NodeKind, count: usize) -> MemoryOffset {
        match kind.memory() {
            NodeMemory::Nothing => self.memory.words(0),
            NodeMemory::Words(words) => self.memory.words(words),
            NodeMemory::Kept(words) => self.memory.kept(words),
            NodeMemory::Rounds => self.memory.words(u32::try_from(count).expect("T1")),
            // Two places to a word, and how many of them were tried.
            NodeMemory::Order => self.memory.words(u32::try_from(count.div_ceil(2) + 1).expect("T1")),
            NodeMemory::Selected | NodeMemory::Cache => self.memory.words(1),
        }
    }
}

/// Writes a node's main parameter in a few characters, for drawings; not for a node with an
/// expression, which keeps its text.
pub(super) fn detail<H: Host>(text: &mut String, build: &Build<H>, jitter: Option<f64>) {
    let written = match build {
        Build::Timeout { seconds, .. }
        | Build::Cooldown { seconds, after: None }
        | Build::Delay { seconds }
        | Build::Wait { seconds } => match jitter {
            Some(jitter) => write!(text, "{seconds} ± {jitter} s"),
            None => write!(text, "{seconds} s"),
        },
        Build::Cooldown { seconds, after: Some(after) } => match jitter {
            Some(jitter) => write!(text, "{seconds} ± {jitter} s after {after}"),
            None => write!(text, "{seconds} s after {after}"),
        },
        Build::Repeat { count: None, .. } => text.write_str("for ever"),
        Build::UntilSuccess { count: Some(count) } | Build::UntilFailure { count: Some(count) } => {
            write!(text, "at most {count} times")
        }
        Build::Repeat { count: Some(count), .. } | Build::Limit { count, .. } => write!(text, "{count} times"),
        // Without the noise of the product: 0.07 is 7 %.
        Build::Finally { on: Some(on) } if *on != Ending::Any => write!(text, "on {on}"),
        Build::Probability { p: Number::Literal(p) } => write!(text, "{} %", (p * 1e11).round() / 1e9),
        Build::Token { token, count, rest, global } => token::describe(text, token, count, *rest, *global),
        Build::Free { token } => text.write_str(token),
        Build::Probability { p: Number::Expr(p) } => text.write_str(p),
        Build::WaitTicks { ticks } => write!(text, "{ticks} ticks"),
        Build::Switch { on, cases, .. } if on.starts_with(SLOT) => {
            let words = cases.iter().take(MAX_SHOWN_CASES).map(Case::to_string);
            let more = (cases.len() > MAX_SHOWN_CASES).then(|| "…".to_owned());
            text.write_str(&words.chain(more).collect::<Vec<_>>().join(", "))
        }
        Build::Switch { on, cases, default, latch: _ } => {
            let shown = cases.iter().take(MAX_SHOWN_CASES).map(Case::to_string);
            let more = (cases.len() > MAX_SHOWN_CASES).then(|| "…".to_owned());
            let rest = default.then(|| "else".to_owned());
            write!(text, "{on}: {}", shown.chain(more).chain(rest).collect::<Vec<_>>().join(", "))
        }
        Build::Emit { event, to_group: true, .. } => write!(text, "{event} to the group"),
        Build::OnEvent { event, .. } | Build::WaitFor { event, .. } | Build::Emit { event, .. } => {
            text.write_str(event)
        }
        Build::Set { key, expr } => write!(text, "{key} = {expr}"),
        Build::Roll { key, from, to } => write!(text, "{key} = {from} to {to}"),
        Build::Log { text: logged } => write!(text, "{logged:?}"),
        Build::WaitUntil { expr: _ } | Build::Check { expr: _ } => Ok(()),
        // A leaf's is known when it is made.
        Build::Host { .. } | Build::Guard { .. } => Ok(()),
        Build::Sequence
        | Build::Selector
        | Build::Parallel { .. }
        | Build::ReactiveSequence
        | Build::ReactiveSelector
        | Build::RandomSequence { .. }
        | Build::RandomSelector { .. }
        | Build::RandomChoice { .. }
        | Build::UtilitySelector { .. }
        | Build::Inverter
        | Build::ForceSuccess
        | Build::ForceFailure
        | Build::UntilSuccess { count: None }
        | Build::UntilFailure { count: None }
        | Build::Finally { .. }
        | Build::Succeed
        | Build::Fail
        | Build::Idle => Ok(()),
    };
    written.expect("a string takes all");
}
