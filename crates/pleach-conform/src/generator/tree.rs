//! Random trees, and the scripts of their leaves.

use super::Maker;
use crate::scenario::{
    Abort, ActionScript, Amount, CompositeKind, ConditionScript, DecoratorKind, Jittered, LeafKind, Node, Outcome,
    Policy, Service, Shape, Status, Takes, Test,
};

/// Below this depth no more parents are made. Deeper trees test nothing new.
const MAX_DEPTH: usize = 24;

pub(super) fn leaf(kind: LeafKind) -> Node {
    Node { name: None, id: None, locals: Vec::new(), shape: Shape::Leaf(kind) }
}

fn decorated(kind: DecoratorKind, child: Node) -> Node {
    Node { name: None, id: None, locals: Vec::new(), shape: Shape::Decorator { kind, children: vec![child] } }
}

impl Maker {
    /// A tree that ends early leaves the other ticks empty, so most are repeated.
    pub(super) fn root(&mut self, budget: usize) -> Node {
        if budget >= 3 && self.dice.chance(70) {
            let kind = DecoratorKind::Repeater { count: None, end_on_failure: false };
            decorated(kind, self.branching(budget - 1, 1))
        } else if budget >= 2 {
            self.branching(budget, 0)
        } else {
            self.leaf()
        }
    }

    pub(super) fn node(&mut self, budget: usize, depth: usize) -> Node {
        if budget <= 1 {
            return self.leaf();
        }
        if self.dice.chance(20)
            && let Some(node) = self.instance_or_slot()
        {
            return node;
        }
        if depth < MAX_DEPTH && self.flavour.finally && self.dice.chance(12) {
            return self.finally(budget, depth);
        }
        if depth < MAX_DEPTH && self.dice.chance(if budget == 2 { 70 } else { 25 }) {
            let kind = self.decorator();
            return decorated(kind, self.node(budget - 1, depth + 1));
        }
        self.branching(budget, depth)
    }

    fn branching(&mut self, budget: usize, depth: usize) -> Node {
        if budget >= 4 && depth + 3 < MAX_DEPTH && self.flavour.aborts && self.dice.chance(50) {
            return self.priorities(budget, depth);
        }
        self.composite(budget, depth)
    }

    /// The usual place of conditional aborts: a selector of sequences, each of which begins with
    /// its condition, and a last child that can always run.
    fn priorities(&mut self, budget: usize, depth: usize) -> Node {
        let left = budget - 2;
        let count = (left / 2).min(1 + self.dice.below(3));
        let mut children = Vec::new();
        for share in self.shares(left, count) {
            children.push(if share < 2 { self.condition() } else { self.dependent(share, depth + 1) });
        }
        let other = if self.dice.chance(25) { self.instance_or_slot() } else { None };
        let switching = self.flavour.switches && self.dice.chance(60);
        children.push(other.unwrap_or_else(|| if switching { self.switch_of_actions() } else { self.long_action() }));
        let odds = [60, if self.flavour.reactive { 15 } else { 0 }, if self.flavour.utility { 40 } else { 0 }];
        let kind = match self.dice.weighted(&odds) {
            0 => CompositeKind::Selector,
            1 => CompositeKind::ReactiveSelector,
            _ => self.utility(children.len()),
        };
        let abort = self.abort();
        let services = self.services();
        Node { name: None, id: None, locals: Vec::new(), shape: Shape::Composite { kind, abort, services, children } }
    }

    /// A sequence that begins with a condition, or with a composite that has one below it.
    pub(super) fn dependent(&mut self, budget: usize, depth: usize) -> Node {
        let mut left = budget - 1;
        let mut children = Vec::new();
        if left >= 4 && depth < MAX_DEPTH && self.dice.chance(40) {
            let share = 2 + self.dice.below(left - 3);
            children.push(self.dependent(share, depth + 1));
            left -= share;
        } else {
            let other = if self.dice.chance(25) { self.instance_or_slot() } else { None };
            children.push(other.unwrap_or_else(|| self.condition()));
            left -= 1;
        }
        if left >= 2 && self.dice.chance(50) {
            children.push(self.node(left, depth + 1));
        } else {
            for _ in 1..left {
                children.push(self.leaf());
            }
            children.push(self.long_action());
        }
        let odds = [70, 20, if self.flavour.reactive { 10 } else { 0 }, if self.flavour.switches { 25 } else { 0 }];
        let kind = match self.dice.weighted(&odds) {
            0 => CompositeKind::Sequence,
            1 => CompositeKind::Selector,
            2 => CompositeKind::ReactiveSequence,
            _ => self.switch(children.len()),
        };
        let abort = self.dice.pick(&[Abort::Own, Abort::LowerPriority, Abort::Both, Abort::Both]);
        let services = self.services();
        Node { name: None, id: None, locals: Vec::new(), shape: Shape::Composite { kind, abort, services, children } }
    }

    fn composite(&mut self, budget: usize, depth: usize) -> Node {
        let flat = depth >= MAX_DEPTH;
        let left = budget - 1;
        let count = if flat { left } else { left.min(self.dice.pick(&[1, 2, 2, 2, 3, 3, 3, 4])) };
        let shares = self.shares(left, count);
        let kind = self.composite_kind(count);
        // Monitors need a sequence that begins with a condition. A selector needs a child that
        // fails.
        let conditions_first = match kind {
            CompositeKind::Sequence | CompositeKind::ReactiveSequence | CompositeKind::RandomSequence { .. } => 65,
            CompositeKind::Selector
            | CompositeKind::ReactiveSelector
            | CompositeKind::RandomSelector { .. }
            | CompositeKind::UtilitySelector { .. } => 25,
            CompositeKind::Parallel { .. } | CompositeKind::RandomChoice { .. } | CompositeKind::Switch { .. } => 10,
        };
        // A child that ends at once cannot be aborted.
        let long = matches!(
            kind,
            CompositeKind::UtilitySelector { .. }
                | CompositeKind::Parallel { .. }
                | CompositeKind::RandomChoice { .. }
                | CompositeKind::Switch { .. }
        );
        let mut children = Vec::new();
        for (i, &share) in shares.iter().enumerate() {
            let first = i == 0 && count > 1 && self.dice.chance(conditions_first);
            if flat || (first && share <= 1) {
                children.push(if first { self.condition() } else { self.leaf() });
            } else if first && share == 2 {
                let wrap = self.dice.pick(&[DecoratorKind::Inverter, DecoratorKind::ReturnSuccess]);
                children.push(decorated(wrap, self.condition()));
            } else if share == 1 && long && self.dice.chance(60) {
                children.push(self.long_action());
            } else {
                children.push(self.node(share, depth + 1));
            }
        }
        if let CompositeKind::Sequence | CompositeKind::Selector | CompositeKind::Parallel { .. } = kind
            && !self.shelf.open.is_empty()
            && self.dice.chance(40)
        {
            let place = self.dice.below(children.len() + 1);
            self.hole(Takes::Many, 1).into_iter().for_each(|it| children.insert(place, it));
        }
        let name = self.dice.chance(10).then(|| format!("p{depth}"));
        let abort = self.abort();
        let services = self.services();
        Node { name, id: None, locals: Vec::new(), shape: Shape::Composite { kind, abort, services, children } }
    }

    /// Distributes `left` nodes among `count` children, at least one each.
    fn shares(&mut self, left: usize, count: usize) -> Vec<usize> {
        let mut shares = vec![1; count];
        for _ in count..left {
            let i = self.dice.below(count);
            shares[i] += 1;
        }
        shares
    }

    fn composite_kind(&mut self, children: usize) -> CompositeKind {
        let flavour = &self.flavour;
        let odds = [
            34,
            34,
            if flavour.parallels { 16 } else { 0 },
            if flavour.reactive { 10 } else { 0 },
            if flavour.reactive { 10 } else { 0 },
            if flavour.random { 8 } else { 0 },
            if flavour.random { 8 } else { 0 },
            if flavour.utility { 24 } else { 0 },
            if flavour.switches { 40 } else { 0 },
            if flavour.random { 8 } else { 0 },
        ];
        match self.dice.weighted(&odds) {
            0 => CompositeKind::Sequence,
            1 => CompositeKind::Selector,
            2 => {
                let (success, failure) = if self.dice.chance(50) {
                    (Policy::All, Policy::Any)
                } else {
                    (self.policy(children), self.policy(children))
                };
                CompositeKind::Parallel { success, failure }
            }
            3 => CompositeKind::ReactiveSequence,
            4 => CompositeKind::ReactiveSelector,
            5 => CompositeKind::RandomSequence { weights: self.weights(children) },
            6 => CompositeKind::RandomSelector { weights: self.weights(children) },
            7 => self.utility(children),
            8 => self.switch(children),
            _ => CompositeKind::RandomChoice { weights: self.weights(children) },
        }
    }

    /// A switch that is likely to be running when its value changes.
    fn switch_of_actions(&mut self) -> Node {
        let children: Vec<Node> = (0..2 + self.dice.below(2)).map(|_| self.long_action()).collect();
        let kind = self.switch(children.len());
        let (abort, services) = (self.abort(), self.services());
        Node { name: None, id: None, locals: Vec::new(), shape: Shape::Composite { kind, abort, services, children } }
    }

    /// A switch; its value mostly is that of a key, which something writes.
    fn switch(&mut self, children: usize) -> CompositeKind {
        let (on, values) = self.data.switched(&mut self.dice);
        let default = children > 1 && self.dice.chance(50);
        // There are few bools and words: more children need another value.
        let cases = children - usize::from(default);
        let (on, mut values) =
            if values.len() < cases { self.data.counted(&mut self.dice, cases) } else { (on, values) };
        for at in (1..values.len()).rev() {
            let with = self.dice.below(at + 1);
            values.swap(at, with);
        }
        values.truncate(cases);
        CompositeKind::Switch { on, cases: values, default, latch: self.dice.chance(20) }
    }

    fn utility(&mut self, children: usize) -> CompositeKind {
        let scores = (0..children).map(|_| self.data.score(&mut self.dice)).collect();
        let reevaluate = self.dice.chance(85);
        let inertia = if reevaluate { self.dice.pick(&[0.0, 0.0, 0.1, 0.5, 1.0]) } else { 0.0 };
        CompositeKind::UtilitySelector { scores, reevaluate, inertia }
    }

    fn policy(&mut self, children: usize) -> Policy {
        match self.dice.below(3) {
            0 => Policy::All,
            1 => Policy::Any,
            _ => Policy::AtLeast(u32::try_from(1 + self.dice.below(children)).unwrap_or(1)),
        }
    }

    fn weights(&mut self, children: usize) -> Option<Vec<f64>> {
        let weights = [0.0, 0.5, 1.0, 1.0, 2.0, 7.0];
        self.dice.chance(50).then(|| (0..children).map(|_| self.dice.pick(&weights)).collect())
    }

    pub(super) fn abort(&mut self) -> Abort {
        let odds = if self.flavour.aborts { [20, 20, 30, 30] } else { [85, 5, 5, 5] };
        [Abort::None, Abort::Own, Abort::LowerPriority, Abort::Both][self.dice.weighted(&odds)]
    }

    fn services(&mut self) -> Vec<Service> {
        if !self.flavour.services || !self.dice.chance(30) {
            return Vec::new();
        }
        let count = 1 + self.dice.below(2);
        (0..count).map(|i| Service { name: format!("s{i}"), interval: self.jittered(-1, 4) }).collect()
    }

    pub(super) fn emit(&mut self) -> Node {
        let event = self.event();
        let payload = match self.payload_of(&event) {
            Some(declared) => declared.map(|it| self.data.payload_of(&mut self.dice, it)),
            None => {
                let with = self.flavour.data && self.dice.chance(60);
                with.then(|| self.data.payload(&mut self.dice))
            }
        };
        let to_group = self.dice.chance(50);
        leaf(LeafKind::Emit { event, payload, to_group })
    }

    fn decorator(&mut self) -> DecoratorKind {
        let timers = if self.flavour.timers { 5 } else { 0 };
        let odds = [
            12,
            6,
            6,
            8,
            8,
            18,
            timers * 2,
            timers,
            timers,
            timers,
            timers,
            if self.flavour.probability { 9 } else { 0 },
            if self.flavour.tokens { 40 } else { 0 },
        ];
        match self.dice.weighted(&odds) {
            0 => DecoratorKind::Inverter,
            1 => DecoratorKind::ReturnSuccess,
            2 => DecoratorKind::ReturnFailure,
            3 => DecoratorKind::UntilSuccess { count: self.attempts() },
            4 => DecoratorKind::UntilFailure { count: self.attempts() },
            5 => DecoratorKind::Repeater {
                count: if self.dice.chance(50) { None } else { Some(self.count(1, 4)) },
                end_on_failure: self.dice.chance(25),
            },
            6 => DecoratorKind::Guard { test: self.test(), result: self.outcome(50) },
            7 => DecoratorKind::Timeout { ticks: self.seconds(0, 5), result: self.outcome(30) },
            8 => DecoratorKind::Cooldown { time: self.jittered(0, 4), after: self.after() },
            9 => DecoratorKind::Limit { count: self.count(0, 3), exhausted: self.outcome(30) },
            10 => DecoratorKind::Delay(self.jittered(0, 3)),
            11 => DecoratorKind::Probability { p: self.probability() },
            _ => DecoratorKind::Token(self.token()),
        }
    }

    /// Whether a number is an expression.
    fn expresses(&mut self) -> bool {
        self.flavour.data && self.dice.chance(40)
    }

    fn seconds(&mut self, low: i32, high: i32) -> Amount<i32> {
        if self.expresses() {
            Amount::Expr(self.data.score(&mut self.dice))
        } else {
            Amount::Literal(self.dice.seconds(low, high))
        }
    }

    fn jittered(&mut self, low: i32, high: i32) -> Jittered {
        let ticks = self.seconds(low, high);
        let most = match ticks {
            Amount::Literal(ticks) => f64::from(ticks.max(0)),
            Amount::Expr(_) => 9.0,
        };
        let jitter: f64 = if self.dice.chance(30) { self.dice.pick(&[0.5, 1.0, 1.5, 2.0, 3.75]) } else { 0.0 };
        Jittered { ticks, jitter: jitter.min(most) }
    }

    fn count(&mut self, low: u32, high: u32) -> Amount<u32> {
        if self.expresses() {
            Amount::Expr(self.data.count(&mut self.dice))
        } else {
            Amount::Literal(self.dice.between(low, high))
        }
    }

    fn probability(&mut self) -> Amount<f64> {
        if self.expresses() {
            Amount::Expr(self.data.score(&mut self.dice))
        } else {
            Amount::Literal(self.dice.pick(&[0.0, 0.25, 0.5, 0.5, 0.75, 1.0]))
        }
    }

    fn attempts(&mut self) -> Option<Amount<u32>> {
        self.dice.chance(40).then(|| self.count(1, 4))
    }

    fn after(&mut self) -> Option<Outcome> {
        self.dice.chance(70).then(|| self.outcome(50))
    }

    fn outcome(&mut self, successes: usize) -> Outcome {
        if self.dice.chance(successes) { Outcome::Success } else { Outcome::Failure }
    }

    pub(super) fn test(&mut self) -> Test {
        if self.flavour.data && self.dice.chance(50) {
            return Test::Expr(self.data.truth(&mut self.dice));
        }
        self.guards += 1;
        let name = format!("g{}", self.guards);
        let script = self.condition_script(70, 0);
        self.conditions.insert(name.clone(), script);
        Test::When(name)
    }

    pub(super) fn condition(&mut self) -> Node {
        let odds = [
            60,
            if self.flavour.data { 30 } else { 0 },
            if self.flavour.events { 20 } else { 0 },
            if self.flavour.tokens && !self.flavour.files { 40 } else { 0 },
        ];
        match self.dice.weighted(&odds) {
            0 => {
                let name = format!("c{}", self.conditions.len() - self.guards + 1);
                let running = if self.dice.chance(20) { 15 } else { 0 };
                let script = self.condition_script(60, running);
                self.conditions.insert(name.clone(), script);
                Node { name: Some(name), id: None, locals: Vec::new(), shape: Shape::Leaf(LeafKind::Condition) }
            }
            1 => leaf(LeafKind::Check { expr: self.data.truth(&mut self.dice) }),
            3 => leaf(LeafKind::Free { token: self.token().token }),
            _ => {
                let (event, into) = self.heard();
                leaf(LeafKind::OnEvent { event, into })
            }
        }
    }

    /// An event, and perhaps a key for its payload.
    fn heard(&mut self) -> (String, Option<String>) {
        let event = self.event();
        let into = self.flavour.data && self.dice.chance(50);
        let into = into.then(|| match self.payload_of(&event) {
            None => Some(self.data.receiver(&mut self.dice)),
            Some(payload) => self.data.receiver_of(&mut self.dice, payload?),
        });
        (event, into.flatten())
    }

    pub(super) fn leaf(&mut self) -> Node {
        if self.dice.chance(20)
            && let Some(node) = self.instance_or_slot()
        {
            return node;
        }
        let (timers, data) = (if self.flavour.timers { 4 } else { 0 }, if self.flavour.data { 6 } else { 0 });
        let events = if self.flavour.events { 6 } else { 0 };
        match self.dice.weighted(&[32, 44, timers, timers, data / 2, data * 2, 1, events, 2, 2, 2, data, events]) {
            0 => self.condition(),
            1 => self.action(),
            2 => leaf(LeafKind::Wait(self.jittered(0, 3))),
            3 => leaf(LeafKind::WaitTicks { ticks: self.count(0, 3) }),
            4 => leaf(LeafKind::WaitUntil { expr: self.data.truth(&mut self.dice) }),
            5 => {
                let (key, expr) = self.data.assignment(&mut self.dice);
                leaf(LeafKind::Set { key, expr })
            }
            6 => leaf(LeafKind::Log { text: self.dice.pick(&["here", "a longer text"]).to_owned() }),
            7 => self.emit(),
            8 => leaf(LeafKind::Succeed),
            9 => leaf(LeafKind::Fail),
            10 => leaf(LeafKind::Idle),
            12 => {
                let (event, into) = self.heard();
                leaf(LeafKind::WaitFor { event, into })
            }
            _ => match self.data.rolled(&mut self.dice) {
                Some((key, from, to)) => leaf(LeafKind::Roll { key, from, to }),
                None => leaf(LeafKind::Idle),
            },
        }
    }

    fn action(&mut self) -> Node {
        let ticks = self.dice.pick(&[0, 1, 1, 1, 2, 2, 3, 3, 4]);
        self.action_of(ticks)
    }

    /// A leaf that is likely to be running when something changes.
    pub(super) fn long_action(&mut self) -> Node {
        let ticks = self.dice.pick(&[0, 2, 3, 3, 4]);
        self.action_of(ticks)
    }

    pub(super) fn action_of(&mut self, ticks: u32) -> Node {
        let name = format!("a{}", self.actions.len() + 1);
        let successes = self.dice.pick(&[50, 70, 90]);
        let results = (0..self.dice.between(1, 3)).map(|_| self.outcome(successes)).collect();
        self.actions.insert(name.clone(), ActionScript { ticks, results });
        Node { name: Some(name), id: None, locals: Vec::new(), shape: Shape::Leaf(LeafKind::Action) }
    }

    /// A script that keeps its value for some ticks and then flips.
    fn condition_script(&mut self, successes: usize, running: usize) -> ConditionScript {
        let mut holds = self.dice.chance(successes);
        let flips = self.dice.pick(&[10, 30, 30, 50]);
        let length = self.dice.between(1, self.ticks);
        let mut results = Vec::new();
        for _ in 0..length {
            let settled = if holds { Status::Success } else { Status::Failure };
            results.push(if self.dice.chance(running) { Status::Running } else { settled });
            holds ^= self.dice.chance(flips);
        }
        let every = self.flavour.pace && self.dice.chance(50);
        let every = every.then(|| self.dice.pick(&[-1, 0, 1, 2, 2, 3, 3, 4, 5, 7]));
        ConditionScript { results, every }
    }
}
