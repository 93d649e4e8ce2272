//! Step 2 of a tick, the reevaluation pass: sections 5 and 7.

use std::rc::Rc;

use super::node::{AgentNode, Kind};
use super::told::deciding;
use super::{Agent, StackId};
use crate::happening::{Happening, Reason};
use crate::scenario::{Abort, CompositeKind, DecoratorKind, LeafKind, Outcome, Status, Test};

/// Nanoseconds in a second.
const NANOS: u128 = 1_000_000_000;

/// Something that the pass may evaluate or do, if its activation is still the same.
pub(super) struct Observer {
    node: Rc<AgentNode>,
    /// How often the node had been started when the tick began.
    starts: u32,
    work: Work,
}

enum Work {
    Monitor,
    Services,
    /// What the node itself does in the pass.
    Own,
}

impl Agent<'_> {
    /// The observers of the pass, in pre-order.
    pub(super) fn observers(&self) -> Vec<Observer> {
        fn collect(agent: &Agent<'_>, node: &Rc<AgentNode>, observers: &mut Vec<Observer>) {
            let mut observer =
                |work| observers.push(Observer { node: node.clone(), starts: node.state().starts, work });
            if agent.monitors.iter().any(|m| Rc::ptr_eq(&m.condition, node)) {
                observer(Work::Monitor);
            }
            if node.is_active() {
                observer(Work::Services);
                observer(Work::Own);
            }
            for child in &node.children {
                collect(agent, child, observers);
            }
        }
        let mut observers = Vec::new();
        collect(self, &self.root, &mut observers);
        observers
    }

    /// The ids of the stacks that have been visited: step 3 skips them.
    pub(super) fn pass(&mut self, observers: &[Observer]) -> Vec<StackId> {
        let mut visited = Vec::new();
        for Observer { node, starts, work } in observers {
            if node.state().starts != *starts {
                continue;
            }
            match work {
                Work::Monitor => self.monitor(node),
                Work::Services if node.is_active() => self.services(node),
                Work::Own if node.is_active() => visited.extend(self.own_work(node)),
                Work::Services | Work::Own => {}
            }
        }
        visited
    }

    fn monitor(&mut self, c: &Rc<AgentNode>) {
        let Some(stored) = self.monitors.iter().find(|m| Rc::ptr_eq(&m.condition, c)).map(|m| m.status) else { return };
        let Some(a) = c.ancestors().into_iter().find(|a| a.is_composite() && a.is_active()) else { return };
        if !watched_at(c, &a) || a.is_parallel() || a.runs_one() {
            return;
        }
        let Some(x) = a.running_child().filter(|x| !x.contains(c)) else { return };
        if !self.asks(c) {
            return;
        }
        let status = self.update(c);
        self.happens(Happening::Recheck(c.index, status));
        if status == Status::from(stored) {
            return;
        }
        self.end_from_outside(&x, Reason::Abort);
        let k = a.position_of(c);
        {
            let mut state = a.state();
            state.cursor = k;
            state.verdict = None;
        }
        for position in k..a.children.len() {
            let child = a.child_at(position);
            self.monitors.retain(|m| !child.contains(&m.condition));
        }
        self.happens(Happening::Abort { scope: a.index, by: c.index });
    }

    /// Whether this pass evaluates the host condition of this node or guard (8.5). Everything else
    /// is evaluated in every pass.
    fn asks(&self, n: &AgentNode) -> bool {
        let script = match &n.kind {
            Kind::Leaf(LeafKind::Condition) => &self.setup.scenario.conditions[&n.name],
            Kind::Decorator(DecoratorKind::Guard { test: Test::When(name), .. }) => {
                &self.setup.scenario.conditions[name]
            }
            Kind::Leaf(_) | Kind::Decorator(_) | Kind::Composite(_) => return true,
        };
        let Some(every) = script.every.and_then(|it| u128::try_from(it).ok()).filter(|&it| it > 0) else { return true };
        let i = every * NANOS;
        let phase = ((u128::from(self.slot) * 0x9e37_79b9) % (1 << 32)) * i / (1 << 32);
        // How many boundaries lie at or before a time.
        let boundaries = |time: u64| (u128::from(time) * NANOS + phase) / i;
        boundaries(self.time) > boundaries(self.turned)
    }

    fn services(&mut self, n: &AgentNode) {
        for i in 0..n.services.len() {
            let (last, interval) = n.state().served[i];
            if self.since(last) >= interval {
                self.serve(n, i);
            }
        }
    }

    /// The id of the stack that has been visited, if one has.
    fn own_work(&mut self, n: &Rc<AgentNode>) -> Option<StackId> {
        let child = n.running_child()?;
        match &n.kind {
            Kind::Decorator(DecoratorKind::Guard { test: _, result }) => {
                if self.asks(n) && !self.check(n) {
                    self.decide(n, &child, *result);
                }
                None
            }
            Kind::Decorator(DecoratorKind::Timeout { ticks: _, result }) => {
                let seconds = n.state().seconds;
                let passed = self.since(n.state().started);
                if passed >= seconds {
                    self.decide(n, &child, *result);
                }
                None
            }
            Kind::Composite(kind @ (CompositeKind::ReactiveSequence | CompositeKind::ReactiveSelector)) => {
                self.rerun(n, &child, deciding(kind))
            }
            Kind::Composite(CompositeKind::UtilitySelector { scores: _, reevaluate: true, inertia }) => {
                self.reevaluate(n, &child, *inertia);
                None
            }
            Kind::Composite(CompositeKind::Switch { on: _, cases, default, latch: false }) => {
                let selected = self.case(n, cases, *default);
                self.select_again(n, &child, selected);
                None
            }
            Kind::Composite(
                CompositeKind::Sequence
                | CompositeKind::Selector
                | CompositeKind::Parallel { .. }
                | CompositeKind::RandomSequence { .. }
                | CompositeKind::RandomSelector { .. }
                | CompositeKind::RandomChoice { .. }
                | CompositeKind::UtilitySelector { reevaluate: false, .. }
                | CompositeKind::Switch { latch: true, .. },
            )
            | Kind::Decorator(
                DecoratorKind::Inverter
                | DecoratorKind::ReturnSuccess
                | DecoratorKind::ReturnFailure
                | DecoratorKind::UntilSuccess { .. }
                | DecoratorKind::UntilFailure { .. }
                | DecoratorKind::Repeater { .. }
                | DecoratorKind::Cooldown { .. }
                | DecoratorKind::Limit { .. }
                | DecoratorKind::Delay(_)
                | DecoratorKind::Probability { .. }
                | DecoratorKind::Token(_)
                | DecoratorKind::Finally { .. },
            )
            | Kind::Leaf(_) => None,
        }
    }

    fn decide(&mut self, n: &AgentNode, child: &Rc<AgentNode>, verdict: Outcome) {
        self.end_from_outside(child, Reason::Abort);
        n.state().verdict = Some(verdict);
    }

    /// Runs the children left of the running one again. If one of them is running afterwards, the
    /// stack has been visited.
    fn rerun(&mut self, n: &Rc<AgentNode>, child: &Rc<AgentNode>, deciding: Outcome) -> Option<StackId> {
        let at = self.stacks.iter().position(|s| s.nodes.iter().any(|on| Rc::ptr_eq(on, n))).expect("n is active");
        let id = self.stacks[at].id;
        // The nodes above n get their own stack, so that n is the top while its other children run.
        let height = self.stacks[at].nodes.iter().position(|on| Rc::ptr_eq(on, n)).expect("n is on it") + 1;
        let above = self.stacks[at].nodes.split_off(height);
        let aside = self.push_stack(above);

        n.state().rerunning = true;
        let running = n.state().cursor;
        for position in 0..running {
            let left = n.child_at(position);
            self.start(&left);
            match self.visit(&left) {
                None => {
                    n.state().rerunning = false;
                    n.state().cursor = position;
                    self.end_from_outside(child, Reason::Abort);
                    return Some(id);
                }
                Some(outcome) if outcome == deciding => {
                    n.state().rerunning = false;
                    self.decide(n, child, outcome);
                    return None;
                }
                Some(_) => {}
            }
        }
        n.state().rerunning = false;
        let aside = self.stacks.iter().position(|s| s.id == aside).expect("the child still runs");
        let above = self.stacks.remove(aside).nodes;
        self.stacks.iter_mut().find(|s| s.id == id).expect("n is active").nodes.extend(above);
        None
    }

    /// Computes the scores of the running child and of the children after it again.
    #[expect(clippy::cast_possible_truncation, reason = "scores are 32-bit floats")]
    fn reevaluate(&mut self, n: &Rc<AgentNode>, child: &Rc<AgentNode>, inertia: f64) {
        let (cursor, order) = {
            let state = n.state();
            (state.cursor, state.order.clone())
        };
        let enough = self.score(n, order[cursor]) + inertia as f32;
        if order[cursor + 1..].iter().any(|&c| self.score(n, c) > enough) {
            let behind = self.by_score(n, order[cursor..].to_vec());
            self.end_from_outside(child, Reason::Abort);
            n.state().order.splice(cursor.., behind);
            self.happens(Happening::Switch(n.index));
        }
    }

    /// A switch with this running child has evaluated its value again.
    fn select_again(&mut self, n: &AgentNode, child: &Rc<AgentNode>, selected: Option<usize>) {
        if selected.is_some_and(|it| Rc::ptr_eq(&n.children[it], child)) {
            return;
        }
        self.end_from_outside(child, Reason::Switched);
        if selected.is_some() {
            n.state().order = selected.into_iter().collect();
            self.happens(Happening::Switch(n.index));
        } else {
            n.state().verdict = Some(Outcome::Failure);
        }
    }
}

/// Whether `c` is watched at `a`, an ancestor and composite.
pub(super) fn watched_at(c: &AgentNode, a: &AgentNode) -> bool {
    let is_self = |n: &AgentNode| matches!(n.abort, Abort::Own | Abort::Both);
    let is_lower_priority = |n: &AgentNode| matches!(n.abort, Abort::LowerPriority | Abort::Both);
    let composites = c.ancestors().into_iter().filter(|n| n.is_composite());
    let below_a: Vec<Rc<AgentNode>> = composites.take_while(|n| n.index != a.index).collect();
    let by_self = below_a.iter().all(|n| is_self(n)) && is_self(a);
    let by_lower_priority = !below_a.is_empty() && below_a.iter().all(|n| is_lower_priority(n));
    by_self || by_lower_priority
}
