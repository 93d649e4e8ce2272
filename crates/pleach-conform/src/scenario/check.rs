//! Checks a scenario beyond its shape: names, types, ranges.

mod keys;
mod order;
mod payload;
mod roll;
mod size;
mod switch;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use pleach_core::limits::{MAX_EVENTS, MAX_KEYS, MAX_NAME, MAX_ORDERED_CHILDREN, MAX_SECONDS};

use super::fields::error;
use super::{
    Amount, Call, CompositeKind, DecoratorKind, Jittered, Key, LeafKind, Node, Outcome, Policy, Problem, Scenario,
    ScenarioError, Service, Shape, Status, Test, Token, Value, ValueType, Whose,
};
use crate::expr::{Expr, ExprError};
use crate::keys::SLOT;
use crate::stack;
pub(super) use keys::key_name;
use keys::{declaration, is_finite, one_of_its_words};
use payload::comes_with;

type Checked = Result<(), ScenarioError>;

/// The rarest rate.
const MAX_RATE: u32 = 255;
/// The largest number of seconds up to which a 32-bit float holds every whole number.
const MAX_EVERY: i32 = 1 << 24;

pub(super) fn scenario(scenario: &Scenario) -> Checked {
    if scenario.stranger && !scenario.squad {
        return Err(value_error("stranger", "the agent is in no group"));
    }
    size::check(scenario)?;
    stack::with_room_for(scenario.levels(), || {
        let (ids, conditions, actions) = Default::default();
        Checker { scenario, ids, conditions, actions, tokens: BTreeMap::new() }.run()
    })
}

struct Checker<'a> {
    scenario: &'a Scenario,
    /// The ids of the nodes.
    ids: BTreeSet<&'a str>,
    /// The names of the condition nodes.
    conditions: BTreeSet<&'a str>,
    /// The names of the action nodes.
    actions: BTreeSet<&'a str>,
    /// The first token of each name.
    tokens: BTreeMap<&'a str, &'a Token>,
}

pub(super) fn value_error(at: impl Into<String>, what: impl Into<String>) -> ScenarioError {
    error(at, Problem::Value(what.into()))
}

/// A text in a line of the trace must not break the line.
fn word(at: &str, text: &str) -> Checked {
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(value_error(at, format!("{text:?} is empty or holds control characters")));
    }
    Ok(())
}

/// The name of a node or an event.
fn name_of(at: &str, name: &str) -> Checked {
    word(at, name)?;
    length_of(at, name)
}

fn length_of(at: &str, name: &str) -> Checked {
    at_most(at, name.len(), "bytes are too many for a name", MAX_NAME)
}

fn at_most(at: &str, count: usize, what: &str, most: usize) -> Checked {
    if count <= most { Ok(()) } else { Err(value_error(at, format!("{count} {what}: at most {most}"))) }
}

/// Checks the children of a composite that has its own order.
fn ordered(at: &str, children: usize) -> Checked {
    at_most(at, children, "children are too many for an order", MAX_ORDERED_CHILDREN)
}

impl<'a> Checker<'a> {
    fn run(&mut self) -> Checked {
        let s = self.scenario;
        word("name", &s.name)?;
        at_most("", s.keys.iter().count(), "keys are too many", MAX_KEYS)?;
        for (name, key) in s.keys.iter() {
            let field = name.scope.field();
            // The keys of an instance have its name before theirs.
            let parts = if s.written.is_some() { name.name.split('.').collect() } else { vec![&*name.name] };
            let plain = |it: &str| it.strip_prefix(SLOT).filter(|_| s.written.is_some()).map(str::to_owned);
            parts.into_iter().try_for_each(|it| key_name(field, plain(it).as_deref().unwrap_or(it)))?;
            length_of(field, &name.name)?;
            declaration(&format!("{field}.{}", name.name), &s.keys, key)?;
        }
        for name in s.events.iter().flat_map(|it| it.keys()) {
            name_of("events", name)?;
        }
        at_most("events", s.events.as_ref().map_or(0, |it| it.len()), "events are too many", MAX_EVENTS)?;
        for (name, script) in &s.conditions {
            if script.results.is_empty() {
                return Err(value_error(format!("conditions.{name}"), "the script is empty"));
            }
            if let Some(every) = script.every
                && every > MAX_EVERY
            {
                let what = format!("{every} seconds are more than {MAX_EVERY}, up to which 32-bit floats are exact");
                return Err(value_error(format!("conditions.{name}.every"), what));
            }
        }
        for (name, script) in &s.actions {
            if script.results.is_empty() {
                return Err(value_error(format!("actions.{name}.result"), "the script is empty"));
            }
        }
        self.tree("tree", &s.tree)?;
        for (i, op) in s.ops.iter().enumerate() {
            let at = format!("ops[{i}]");
            if op.before == 0 {
                return Err(value_error(format!("{at}.before"), format!("there is no tick {}", op.before)));
            }
            self.call(&at, &op.call)?;
            self.in_order(i, op)?;
            self.one_way_to_tick(i, op)?;
            self.saved(i, op)?;
        }
        Ok(())
    }

    /// A version of the tree, and the interrupts before it.
    fn tree(&mut self, at: &str, tree: &'a Node) -> Checked {
        self.ids.clear();
        self.conditions.clear();
        self.actions.clear();
        self.tokens = tokens::of(tree, &self.scenario.interrupts);
        self.node(at, tree)?;
        for (i, interrupt) in self.scenario.interrupts.iter().enumerate() {
            let at = format!("interrupts[{i}]");
            self.test(&at, &interrupt.test)?;
            self.node(&format!("{at}.run"), &interrupt.run)?;
        }
        Ok(())
    }

    fn call(&mut self, at: &str, call: &'a Call) -> Checked {
        match call {
            Call::Enable
            | Call::Disable
            | Call::Restart
            | Call::Pause
            | Call::Unpause
            | Call::Budget { agents: _ }
            | Call::Panic
            | Call::Save
            | Call::Restore { tree: None } => Ok(()),
            Call::Restore { tree: Some(tree) } => self.tree(&format!("{at}.tree"), tree),
            Call::Replace { tree, keeps: _ } => self.tree(&format!("{at}.tree"), tree),
            Call::Fill { slot, word: to, of } => {
                if *of == Whose::Group && !self.scenario.squad {
                    return Err(value_error(format!("{at}.of"), "the agent is in no group"));
                }
                word(&format!("{at}.slot"), slot)?;
                word(&format!("{at}.word"), to)
            }
            Call::Set { key, .. } if key.contains(SLOT) => {
                Err(value_error(format!("{at}.key"), "the key of a slot is written by `fill`"))
            }
            Call::Rate { frames } if *frames > MAX_RATE => {
                let what =
                    format!("every {frames}th frame is no rate: the rarest is every {MAX_RATE}th, and 0 is never");
                Err(value_error(format!("{at}.frames"), what))
            }
            Call::Rate { frames: _ } => Ok(()),
            Call::Set { key, value } => {
                let key = self.key(&format!("{at}.key"), key)?;
                let at = format!("{at}.value");
                same_type(&at, key.default.value_type(), value.value_type())?;
                is_finite(&at, value)?;
                one_of_its_words(&at, key, value)
            }
            Call::Event { event, payload } => {
                word(&format!("{at}.event"), event)?;
                let at = format!("{at}.payload");
                payload.as_ref().map_or(Ok(()), |payload| {
                    is_finite(&at, payload)?;
                    if let Value::Symbol(name) = payload { self::word(&at, name) } else { Ok(()) }
                })
            }
        }
    }

    /// A key, which must be declared.
    fn key(&self, at: &str, path: &str) -> Result<&'a Key, ScenarioError> {
        match self.scenario.keys.find(path) {
            Some((_, key)) => Ok(key),
            None => Err(error(at, Problem::NoKey(path.to_owned()))),
        }
    }

    /// The payload that an event is declared with, if events are declared; then it must be one of
    /// them.
    fn event(&self, at: &str, name: &str) -> Result<Option<Option<ValueType>>, ScenarioError> {
        name_of(at, name)?;
        match &self.scenario.events {
            None => Ok(None),
            Some(events) => match events.get(name) {
                Some(payload) => Ok(Some(*payload)),
                None => Err(value_error(at, format!("`events` has no `{name}`"))),
            },
        }
    }

    fn expr(&self, at: &str, text: &str) -> Result<ValueType, ScenarioError> {
        self.parsed(at, text, Expr::parse(text, &self.scenario.keys))
    }

    fn parsed(&self, at: &str, text: &str, parsed: Result<Expr, ExprError>) -> Result<ValueType, ScenarioError> {
        match parsed {
            Ok(expr) => Ok(expr.value_type()),
            Err(e) => Err(error(at, Problem::Expr { expr: text.to_owned(), what: e.to_string() })),
        }
    }

    fn truth(&self, at: &str, text: &str) -> Checked {
        same_type(at, ValueType::Bool, self.expr(at, text)?)
    }

    fn number(&self, at: &str, text: &str) -> Checked {
        let is = self.expr(at, text)?;
        if is.counts() { Ok(()) } else { Err(error(at, Problem::Type { must: "a number", is: is.name() })) }
    }

    fn seconds(&self, at: &str, field: &str, seconds: &Amount<i32>) -> Checked {
        let at = format!("{at}.{field}");
        match seconds {
            Amount::Expr(expr) => self.number(&at, expr),
            Amount::Literal(seconds) if f64::from(*seconds) <= MAX_SECONDS => Ok(()),
            Amount::Literal(seconds) => {
                Err(value_error(at, format!("{seconds} seconds are too long: at most {MAX_SECONDS}")))
            }
        }
    }

    fn jittered(&self, at: &str, field: &str, it: &Jittered) -> Checked {
        self.seconds(at, field, &it.ticks)?;
        it.check(at)
    }

    fn count(&self, at: &str, field: &str, count: &Amount<u32>) -> Checked {
        let at = format!("{at}.{field}");
        count.expr().map_or(Ok(()), |expr| same_type(&at, ValueType::Int, self.expr(&at, expr)?))
    }

    fn test(&mut self, at: &str, test: &'a Test) -> Checked {
        match test {
            Test::Expr(text) => self.truth(&format!("{at}.expr"), text),
            Test::When(name) => {
                self.script(&format!("{at}.when"), name)?;
                if self.scenario.conditions[name].results.contains(&Status::Running) {
                    let what = format!("the script `{name}` has an R, but a guard's test is true or false");
                    return Err(value_error(format!("{at}.when"), what));
                }
                Ok(())
            }
        }
    }

    fn script(&mut self, at: &str, name: &'a str) -> Checked {
        if !self.scenario.conditions.contains_key(name) {
            return Err(error(at, Problem::NoScript(name.to_owned())));
        }
        Ok(())
    }

    fn node(&mut self, at: &str, node: &'a Node) -> Checked {
        if let Some(name) = &node.name {
            name_of(&format!("{at}.name"), name)?;
        }
        if let Some(id) = &node.id {
            let at = format!("{at}.id");
            name_of(&at, id)?;
            if !self.ids.insert(id) {
                return Err(value_error(at, format!("another node has the id `{id}`")));
            }
        }
        self.locals(at, node)?;
        match &node.shape {
            Shape::Composite { kind, abort: _, services, children } => {
                if children.is_empty() {
                    let node = kind.type_name().to_owned();
                    return Err(error(at, Problem::Children { node, must: "at least one child", found: 0 }));
                }
                self.composite(at, kind, children.len())?;
                for (i, Service { name, interval }) in services.iter().enumerate() {
                    let at = format!("{at}.services[{i}]");
                    word(&format!("{at}.name"), name)?;
                    self.jittered(&at, "interval", interval)?;
                }
                for (i, child) in children.iter().enumerate() {
                    self.node(&format!("{at}.children[{i}]"), child)?;
                }
                Ok(())
            }
            Shape::Decorator { kind, children } => {
                self.decorator(at, kind)?;
                self.node(&format!("{at}.children[0]"), &children[0])?;
                for (i, leaf) in children[1..].iter().enumerate() {
                    let at = format!("{at}.do[{i}]");
                    if !is_instant(leaf) {
                        return Err(value_error(at, format!("a {} is not done at once", leaf.type_name())));
                    }
                    self.node(&at, leaf)?;
                }
                Ok(())
            }
            Shape::Leaf(kind) => self.leaf(at, node.name.as_deref(), kind),
        }
    }

    fn composite(&self, at: &str, kind: &CompositeKind, children: usize) -> Checked {
        let length = |at: String, found: usize| {
            if found == children { Ok(()) } else { Err(error(at, Problem::Length { found, children })) }
        };
        match kind {
            CompositeKind::Sequence
            | CompositeKind::Selector
            | CompositeKind::ReactiveSequence
            | CompositeKind::ReactiveSelector
            | CompositeKind::RandomChoice { weights: None } => Ok(()),
            CompositeKind::RandomSequence { weights: None } | CompositeKind::RandomSelector { weights: None } => {
                ordered(at, children)
            }
            CompositeKind::Parallel { success, failure } => {
                for (name, policy) in [("success", success), ("failure", failure)] {
                    if let Policy::AtLeast(n) = policy
                        && !(1..=children).contains(&usize::try_from(*n).unwrap_or(usize::MAX))
                    {
                        let what = format!("{n} is impossible with {children} children");
                        return Err(value_error(format!("{at}.{name}"), what));
                    }
                }
                Ok(())
            }
            CompositeKind::RandomSequence { weights: Some(weights) }
            | CompositeKind::RandomSelector { weights: Some(weights) }
            | CompositeKind::RandomChoice { weights: Some(weights) } => {
                length(format!("{at}.weights"), weights.len())?;
                if !matches!(kind, CompositeKind::RandomChoice { .. }) {
                    ordered(at, children)?;
                }
                match weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                    None if !weights.iter().sum::<f64>().is_finite() => {
                        Err(value_error(format!("{at}.weights"), "they add up to more than a number can hold"))
                    }
                    None => Ok(()),
                    Some(i) => Err(value_error(format!("{at}.weights[{i}]"), "a weight is finite and not negative")),
                }
            }
            CompositeKind::UtilitySelector { scores, reevaluate, inertia } => {
                if !(0.0..=f64::from(f32::MAX)).contains(inertia) || (*inertia != 0.0 && !reevaluate) {
                    return Err(value_error(format!("{at}.inertia"), "a float of at least 0, beside `reevaluate`"));
                }
                length(format!("{at}.scores"), scores.len())?;
                ordered(at, children)?;
                for (i, score) in scores.iter().enumerate() {
                    self.number(&format!("{at}.scores[{i}]"), score)?;
                }
                Ok(())
            }
            CompositeKind::Switch { on, cases, default, latch: _ } => self.switch(at, on, cases, children, *default),
        }
    }

    fn decorator(&mut self, at: &str, kind: &'a DecoratorKind) -> Checked {
        match kind {
            DecoratorKind::Inverter
            | DecoratorKind::Finally { .. }
            | DecoratorKind::ReturnSuccess
            | DecoratorKind::ReturnFailure
            | DecoratorKind::UntilSuccess { count: None }
            | DecoratorKind::UntilFailure { count: None }
            | DecoratorKind::Repeater { count: None, end_on_failure: _ } => Ok(()),
            DecoratorKind::Limit { count, exhausted: Outcome::Success | Outcome::Failure } => {
                self.count(at, "count", count)
            }
            DecoratorKind::Repeater { count: Some(Amount::Literal(0)), end_on_failure: _ } => {
                let what = "a count of 0 makes no sense here: use at least 1, or `forever`";
                Err(value_error(format!("{at}.count"), what))
            }
            DecoratorKind::UntilSuccess { count: Some(Amount::Literal(0)) }
            | DecoratorKind::UntilFailure { count: Some(Amount::Literal(0)) } => {
                let what = "a count of 0 makes no sense here: use at least 1, or none";
                Err(value_error(format!("{at}.count"), what))
            }
            DecoratorKind::Repeater { count: Some(count), end_on_failure: _ }
            | DecoratorKind::UntilSuccess { count: Some(count) }
            | DecoratorKind::UntilFailure { count: Some(count) } => self.count(at, "count", count),
            DecoratorKind::Timeout { ticks, result: Outcome::Success | Outcome::Failure } => {
                self.seconds(at, "ticks", ticks)
            }
            DecoratorKind::Cooldown { time: it, after: None | Some(Outcome::Success | Outcome::Failure) }
            | DecoratorKind::Delay(it) => self.jittered(at, "ticks", it),
            DecoratorKind::Guard { test, result: Outcome::Success | Outcome::Failure } => self.test(at, test),
            DecoratorKind::Token(it) => self.token(at, it),
            DecoratorKind::Probability { p: Amount::Expr(expr) } => self.number(&format!("{at}.p"), expr),
            DecoratorKind::Probability { p: Amount::Literal(p) } => {
                if (0.0..=1.0).contains(p) {
                    Ok(())
                } else {
                    Err(value_error(format!("{at}.p"), format!("{p:?} is not between 0 and 1")))
                }
            }
        }
    }

    fn leaf(&mut self, at: &str, name: Option<&'a str>, kind: &LeafKind) -> Checked {
        match kind {
            LeafKind::Action => {
                let name = name.ok_or_else(|| error(at, Problem::Missing("name")))?;
                let new = self.actions.insert(name) || self.scenario.written.is_some();
                if new { Ok(()) } else { Err(error(format!("{at}.name"), Problem::SameName(name.to_owned()))) }
            }
            LeafKind::Condition => {
                let name = name.ok_or_else(|| error(at, Problem::Missing("name")))?;
                self.script(&format!("{at}.name"), name)?;
                let new = self.conditions.insert(name) || self.scenario.written.is_some();
                if new { Ok(()) } else { Err(error(format!("{at}.name"), Problem::SameName(name.to_owned()))) }
            }
            LeafKind::Check { expr } | LeafKind::WaitUntil { expr } => self.truth(&format!("{at}.expr"), expr),
            LeafKind::Free { token } => self.free(at, token),
            LeafKind::OnEvent { event, into } | LeafKind::WaitFor { event, into } => {
                let declared = self.event(&format!("{at}.event"), event)?;
                let Some(key) = into else { return Ok(()) };
                let at = format!("{at}.into");
                let key = self.key(&at, key)?;
                match declared {
                    Some(payload) => comes_with(&at, payload, Some(key.default.value_type())),
                    None => Ok(()),
                }
            }
            LeafKind::Set { key, expr } => {
                let declared = self.key(&format!("{at}.key"), key)?;
                let at = format!("{at}.expr");
                let is = self.parsed(&at, expr, Expr::parse_for(expr, &self.scenario.keys, declared))?;
                same_type(&at, declared.default.value_type(), is)
            }
            LeafKind::Roll { key, from, to } => self.roll(at, key, from, to),
            LeafKind::Log { text } => word(&format!("{at}.text"), text),
            LeafKind::Emit { event, payload, to_group: _ } => {
                let declared = self.event(&format!("{at}.event"), event)?;
                let at = format!("{at}.expr");
                let found = payload.as_ref().map(|text| self.expr(&at, text)).transpose()?;
                match (declared, found) {
                    // It becomes a float.
                    (Some(Some(ValueType::Float)), Some(ValueType::Int | ValueType::Time)) | (None, _) => Ok(()),
                    (Some(declared), found) => comes_with(&at, declared, found),
                }
            }
            LeafKind::Wait(it) => self.jittered(at, "ticks", it),
            LeafKind::WaitTicks { ticks } => self.count(at, "ticks", ticks),
            LeafKind::Succeed | LeafKind::Fail | LeafKind::Idle => Ok(()),
            LeafKind::Subtree(it) => Err(value_error(format!("{at}.file"), format!("`files` has no `{}`", it.file))),
            LeafKind::Slot(_) => Err(value_error(format!("{at}.files"), "the scenario has no `files`")),
            LeafKind::Hole(..) => Err(value_error(format!("{at}.hole"), "only files have holes")),
        }
    }
}

/// Whether a node can be in the `do` of a finally.
fn is_instant(node: &Node) -> bool {
    matches!(
        node.shape,
        Shape::Leaf(
            LeafKind::Action
                | LeafKind::Set { .. }
                | LeafKind::Roll { .. }
                | LeafKind::Log { .. }
                | LeafKind::Emit { .. }
                | LeafKind::Succeed
                | LeafKind::Fail
        )
    )
}

fn same_type(at: &str, must: ValueType, is: ValueType) -> Checked {
    if must == is { Ok(()) } else { Err(error(at, Problem::Type { must: must.name(), is: is.name() })) }
}
