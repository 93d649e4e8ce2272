//! Section 3: start, visit and end, and what every node does when it is visited or a child ends.

use std::panic::resume_unwind;
use std::rc::Rc;

use super::node::{AgentNode, Kind, State};
use super::told::told;
use super::{Agent, Event, LeafPanic, Monitor};
use crate::happening::{End, Happening, Reason};
use crate::scenario::{ActionScript, CompositeKind, DecoratorKind, Ending, LeafKind, Outcome, Status, Test, Value};

/// Whether a decorator may run its child now.
enum Gate {
    Open,
    Wait,
    Shut(Outcome),
}

fn truth(holds: bool) -> Outcome {
    if holds { Outcome::Success } else { Outcome::Failure }
}

impl Agent<'_> {
    pub(super) fn start(&mut self, n: &Rc<AgentNode>) {
        for name in &n.locals {
            let (_, key) = self.setup.scenario.keys.find(name).expect("it was checked");
            self.write(name, key.default.clone());
        }
        let parent = n.parent();
        match &parent {
            Some(parent) if !parent.is_parallel() => {
                let stack = self.stacks.iter_mut().find(|s| Rc::ptr_eq(&s.nodes[s.nodes.len() - 1], parent));
                stack.expect("a child starts while its parent is on top").nodes.push(n.clone());
            }
            _ => {
                self.push_stack(vec![n.clone()]);
            }
        }
        self.monitors.retain(|m| !n.contains(&m.condition));
        let order = self.order(n);
        {
            let mut state = n.state();
            *state = State {
                active: true,
                starts: state.starts + 1,
                started: self.time,
                order,
                child_ended: state.child_ended,
                child_starts: state.child_starts,
                ..State::default()
            };
        }
        if let Some(parent) = parent {
            parent.state().child_starts += 1;
        }
        self.happens(Happening::Start(n.index));
        let (seconds, count) = self.begins(n);
        n.state().seconds = seconds;
        n.state().count = count;
        for service in 0..n.services.len() {
            n.state().served.push((self.time, 0.0));
            self.serve(n, service);
        }
    }

    /// What a node counts from its start: seconds, and updates, rounds or attempts.
    fn begins(&mut self, n: &AgentNode) -> (f64, u32) {
        match &n.kind {
            Kind::Leaf(LeafKind::Wait(it)) | Kind::Decorator(DecoratorKind::Delay(it)) => {
                (self.jittered_seconds(n, it), 0)
            }
            Kind::Decorator(DecoratorKind::Timeout { ticks, result: _ }) => (self.seconds(n, ticks), 0),
            Kind::Leaf(LeafKind::WaitTicks { ticks: count })
            | Kind::Decorator(
                DecoratorKind::Repeater { count: Some(count), end_on_failure: _ }
                | DecoratorKind::UntilSuccess { count: Some(count) }
                | DecoratorKind::UntilFailure { count: Some(count) },
            ) => (0.0, self.count(n, count)),
            Kind::Leaf(_) | Kind::Decorator(_) | Kind::Composite(_) => (0.0, 0),
        }
    }

    /// A service runs, and then its next interval begins.
    pub(super) fn serve(&mut self, n: &AgentNode, service: usize) {
        self.happens(Happening::Service(n.index, service));
        let interval = self.jittered(&n.services[service].interval, n.intervals[service].as_ref());
        n.state().served[service] = (self.time, interval);
    }

    /// The order in which a node tries its children.
    fn order(&mut self, n: &AgentNode) -> Vec<usize> {
        let children = 0..n.children.len();
        match &n.kind {
            Kind::Composite(CompositeKind::RandomSequence { weights } | CompositeKind::RandomSelector { weights }) => {
                self.random.order(&weights.clone().unwrap_or_else(|| vec![1.0; n.children.len()]))
            }
            Kind::Composite(CompositeKind::RandomChoice { weights }) => {
                vec![self.random.choice(&weights.clone().unwrap_or_else(|| vec![1.0; n.children.len()]))]
            }
            Kind::Composite(CompositeKind::UtilitySelector { .. }) => self.by_score(n, children.collect()),
            Kind::Composite(CompositeKind::Switch { cases, default, .. }) => {
                self.case(n, cases, *default).into_iter().collect()
            }
            Kind::Composite(
                CompositeKind::Sequence
                | CompositeKind::Selector
                | CompositeKind::Parallel { .. }
                | CompositeKind::ReactiveSequence
                | CompositeKind::ReactiveSelector,
            )
            | Kind::Decorator(_)
            | Kind::Leaf(_) => children.collect(),
        }
    }

    /// These children of a utility selector, best first, ties in child order.
    pub(super) fn by_score(&self, n: &AgentNode, mut children: Vec<usize>) -> Vec<usize> {
        children.sort_by(|&a, &b| {
            let (a_score, b_score) = (self.score(n, a), self.score(n, b));
            b_score.partial_cmp(&a_score).expect("a score is a number").then(a.cmp(&b))
        });
        children
    }

    /// The result, if it is not Running; then the node has ended with it.
    pub(super) fn visit(&mut self, n: &Rc<AgentNode>) -> Option<Outcome> {
        let result = match &n.kind {
            Kind::Leaf(_) => {
                let status = self.update(n);
                self.happens(Happening::Update(n.index, status));
                match status {
                    Status::Success => Some(Outcome::Success),
                    Status::Failure => Some(Outcome::Failure),
                    Status::Running => None,
                }
            }
            Kind::Composite(CompositeKind::Parallel { .. }) => self.visit_parallel(n),
            Kind::Composite(
                CompositeKind::Sequence
                | CompositeKind::Selector
                | CompositeKind::ReactiveSequence
                | CompositeKind::ReactiveSelector
                | CompositeKind::RandomSequence { .. }
                | CompositeKind::RandomSelector { .. }
                | CompositeKind::UtilitySelector { .. },
            ) => self.visit_composite(n),
            Kind::Composite(CompositeKind::Switch { .. } | CompositeKind::RandomChoice { .. }) => self.visit_one(n),
            Kind::Decorator(kind) => self.visit_decorator(n, kind),
        };
        if let Some(outcome) = result {
            self.end(n, outcome);
        }
        result
    }

    fn visit_composite(&mut self, n: &Rc<AgentNode>) -> Option<Outcome> {
        loop {
            let verdict = n.state().verdict;
            if verdict.is_some() {
                return verdict;
            }
            let cursor = n.state().cursor;
            let child = n.child_at(cursor);
            self.start(&child);
            self.visit(&child)?;
        }
    }

    /// Visits a composite that runs only one of its children.
    fn visit_one(&mut self, n: &Rc<AgentNode>) -> Option<Outcome> {
        let (verdict, selected) = {
            let state = n.state();
            (state.verdict, state.order.first().copied())
        };
        if verdict.is_some() {
            return verdict;
        }
        let Some(selected) = selected else { return Some(Outcome::Failure) };
        let child = n.children[selected].clone();
        self.start(&child);
        self.visit(&child)?;
        n.state().verdict
    }

    fn visit_parallel(&mut self, n: &Rc<AgentNode>) -> Option<Outcome> {
        loop {
            let next = {
                let mut state = n.state();
                if state.verdict.is_some() {
                    return state.verdict;
                }
                state.again.sort_unstable();
                if !state.again.is_empty() {
                    state.again.remove(0)
                } else if state.cursor == n.children.len() {
                    return None;
                } else {
                    state.cursor += 1;
                    state.cursor - 1
                }
            };
            let child = n.child_at(next);
            self.start(&child);
            self.visit(&child);
        }
    }

    fn visit_decorator(&mut self, n: &Rc<AgentNode>, kind: &DecoratorKind) -> Option<Outcome> {
        let verdict = n.state().verdict;
        if verdict.is_some() {
            return verdict;
        }
        if n.state().again.pop().is_some() {
            // A Limit does not count it as a new start.
            n.state().child_starts -= 1;
            let child = n.children[0].clone();
            self.start(&child);
            self.visit(&child)?;
            return n.state().verdict;
        }
        match self.gate(n, kind) {
            Gate::Wait => None,
            Gate::Shut(outcome) => Some(outcome),
            Gate::Open => {
                let child = n.children[0].clone();
                self.start(&child);
                self.visit(&child)?;
                n.state().verdict
            }
        }
    }

    fn gate(&mut self, n: &AgentNode, kind: &DecoratorKind) -> Gate {
        let (passed, seconds, count) = {
            let state = n.state();
            (self.since(state.started), state.seconds, state.count)
        };
        match kind {
            DecoratorKind::Guard { test: _, result } if !self.check(n) => Gate::Shut(*result),
            DecoratorKind::Timeout { ticks: _, result } if seconds <= 0.0 => Gate::Shut(*result),
            DecoratorKind::Cooldown { .. }
                if n.state().child_ended.is_some_and(|(ended, cools)| self.since(ended) < cools) =>
            {
                Gate::Shut(Outcome::Failure)
            }
            DecoratorKind::Limit { count, exhausted } if n.state().child_starts >= self.count(n, count) => {
                Gate::Shut(*exhausted)
            }
            DecoratorKind::Delay(_) if passed < seconds => Gate::Wait,
            DecoratorKind::Probability { p } if self.random.unit() >= self.probability(n, p) => {
                Gate::Shut(Outcome::Failure)
            }
            DecoratorKind::Token(it) if !self.ask(n, it) => Gate::Shut(Outcome::Failure),
            DecoratorKind::Repeater { count: Some(_), end_on_failure: _ } if count == 0 => Gate::Shut(Outcome::Success),
            DecoratorKind::UntilSuccess { count: Some(_) } if count == 0 => Gate::Shut(Outcome::Failure),
            DecoratorKind::UntilFailure { count: Some(_) } if count == 0 => Gate::Shut(Outcome::Success),
            DecoratorKind::Guard { .. }
            | DecoratorKind::Timeout { .. }
            | DecoratorKind::Cooldown { .. }
            | DecoratorKind::Limit { .. }
            | DecoratorKind::Delay(_)
            | DecoratorKind::Probability { .. }
            | DecoratorKind::Token(_)
            | DecoratorKind::Inverter
            | DecoratorKind::ReturnSuccess
            | DecoratorKind::ReturnFailure
            | DecoratorKind::UntilSuccess { .. }
            | DecoratorKind::UntilFailure { .. }
            | DecoratorKind::Repeater { .. }
            | DecoratorKind::Finally { .. } => Gate::Open,
        }
    }

    /// Checks a guard.
    pub(super) fn check(&mut self, n: &AgentNode) -> bool {
        let Kind::Decorator(DecoratorKind::Guard { test, .. }) = &n.kind else { panic!("{} is no guard", n.name) };
        let holds = match test {
            Test::When(name) => self.setup.scenario.conditions[name].at(self.tick) == Status::Success,
            Test::Expr(_) => n.exprs[0].is_true(&self.keys, self.clock()),
        };
        self.happens(Happening::Check(n.index, holds));
        holds
    }

    /// Updates a leaf.
    pub(super) fn update(&mut self, n: &AgentNode) -> Status {
        let Kind::Leaf(kind) = &n.kind else { panic!("{} is no leaf", n.name) };
        if self.bomb && matches!(kind, LeafKind::Action) {
            resume_unwind(Box::new(LeafPanic));
        }
        n.state().counter += u32::from(!n.is_condition());
        let (starts, updates, waits) = {
            let state = n.state();
            (state.starts, state.counter, self.since(state.started) < state.seconds)
        };
        let unless = |running: bool| if running { Status::Running } else { Status::Success };
        match kind {
            LeafKind::Action => match self.setup.scenario.actions.get(&n.name) {
                Some(script) => script.at(starts, updates),
                None => ActionScript::default().at(starts, updates),
            },
            LeafKind::Condition => self.setup.scenario.conditions[&n.name].at(self.tick),
            LeafKind::Check { .. } => truth(n.exprs[0].is_true(&self.keys, self.clock())).into(),
            LeafKind::OnEvent { event, into } => truth(self.on_event(event, into.as_deref())).into(),
            LeafKind::Free { token } => truth(self.is_free(token)).into(),
            LeafKind::Wait(_) => unless(waits),
            LeafKind::WaitTicks { ticks: _ } => unless(updates <= n.state().count),
            LeafKind::WaitUntil { .. } => unless(!n.exprs[0].is_true(&self.keys, self.clock())),
            LeafKind::WaitFor { event, into } => unless(updates == 1 || !self.on_event(event, into.as_deref())),
            LeafKind::Set { key, .. } => {
                let value = n.exprs[0].eval(&self.keys, self.clock());
                self.write(key, value);
                Status::Success
            }
            LeafKind::Roll { key, .. } => {
                let drawn = self.roll(n, key);
                self.write(key, drawn);
                Status::Success
            }
            LeafKind::Log { text: _ } => {
                self.happens(Happening::Log(n.index));
                Status::Success
            }
            // The host gets the event, or the other members of the group do when the tick is over.
            // The agent itself does not see it.
            LeafKind::Emit { event, payload: _, to_group } => {
                let payload = n.exprs.first().map(|e| {
                    let value = e.eval(&self.keys, self.clock());
                    self.setup.as_declared(event, value)
                });
                self.happens(Happening::Emit(n.index, payload.as_ref().map(Value::to_string)));
                if *to_group {
                    self.told.push(Event { name: event.clone(), payload });
                }
                Status::Success
            }
            LeafKind::Succeed => Status::Success,
            LeafKind::Fail => Status::Failure,
            LeafKind::Idle => Status::Running,
            LeafKind::Subtree(_) | LeafKind::Slot(_) | LeafKind::Hole(..) => {
                unreachable!("the tree that is run has none")
            }
        }
    }

    /// Whether the event is visible; the payload of the first goes into the key, if it can be the
    /// key's.
    fn on_event(&mut self, name: &str, into: Option<&str>) -> bool {
        let Some(event) = self.events.iter().find(|e| e.name == name) else { return false };
        if let (Some(key), Some(payload)) = (into, event.payload.clone()) {
            self.write(key, payload);
        }
        true
    }

    fn end(&mut self, n: &Rc<AgentNode>, outcome: Outcome) {
        self.last_calls(n, Ending::Itself(outcome));
        self.leave(n, Some(outcome));
        if let Some(parent) = n.parent() {
            told(&parent, outcome);
        }
        for child in &n.children {
            if child.is_active() {
                self.end_from_outside(child, Reason::Decided);
            }
        }
        let watched = n.composite().is_some_and(|c| c.abort != crate::scenario::Abort::None);
        if n.is_condition() && watched {
            self.monitors.push(Monitor { condition: n.clone(), status: outcome });
        }
        if n.parent().is_none() {
            self.last_outcome = Some(outcome);
        }
        self.happens(Happening::End(n.index, End::Itself(outcome)));
    }

    /// The active nodes of the subtree, deepest first, the children of a parallel in their order.
    pub(super) fn end_from_outside(&mut self, n: &Rc<AgentNode>, reason: Reason) {
        for child in &n.children {
            if child.is_active() {
                self.end_from_outside(child, reason);
            }
        }
        self.last_calls(n, Ending::Aborted);
        self.leave(n, None);
        self.happens(Happening::End(n.index, End::Aborted(reason)));
    }

    /// What a finally does right before it ends this way (8.34).
    fn last_calls(&mut self, n: &Rc<AgentNode>, how: Ending) {
        let Kind::Decorator(DecoratorKind::Finally { on }) = &n.kind else { return };
        let restoring = self.cools.is_some();
        if restoring || *on != Ending::Any && *on != how {
            return;
        }
        for leaf in &n.children[1..] {
            self.start(leaf);
            let status = self.update(leaf);
            self.happens(Happening::Update(leaf.index, status));
            let outcome = match status {
                Status::Success => Some(Outcome::Success),
                Status::Failure => Some(Outcome::Failure),
                Status::Running => None,
            };
            self.leave(leaf, outcome);
            self.happens(Happening::End(leaf.index, outcome.map_or(End::Aborted(Reason::NotInstant), End::Itself)));
        }
    }

    /// Takes a node off its stack. With an outcome it ends by itself.
    fn leave(&mut self, n: &Rc<AgentNode>, outcome: Option<Outcome>) {
        let at = self.stacks.iter().position(|s| Rc::ptr_eq(&s.nodes[s.nodes.len() - 1], n));
        let at = at.expect("only the top of a stack ends");
        self.stacks[at].nodes.pop();
        if self.stacks[at].nodes.is_empty() {
            self.stacks.remove(at);
        }
        n.state().active = false;
        self.give_back(n);
        let Some(parent) = n.parent() else { return };
        let Kind::Decorator(DecoratorKind::Cooldown { time, after }) = &parent.kind else { return };
        if let Some(left) = self.cools.as_mut() {
            left.push(parent.index);
        } else if after.is_none() || *after == outcome {
            let cools = self.jittered_seconds(&parent, time);
            parent.state().child_ended = Some((self.time, cools));
        }
    }
}
