//! Trees whose leaves have a start, an end, both or none, and write what others read whenever they
//! are called.

use std::sync::Arc;

use pleach_core::__leaf::Callbacks;
use pleach_core::nodes::{
    action, action_of, check, condition_of, cooldown, delay, emit, fail, force_failure, force_success, guard, idle,
    inverter, limit, on_event, parallel, probability, random_selector, random_sequence, reactive_selector,
    reactive_sequence, repeat, selector, sequence, set, succeed, switch, timeout, until_failure, until_success,
    utility_selector, wait, wait_ticks, wait_until,
};
use pleach_core::{
    Action, Condition, End, Event, Keep, Observes, Reason, Status, Tree,
    nodes::{Abort, Node},
};

use crate::harness::{self, Cx, Dice, Keys, Town, note};

const BOTH: Abort = Abort::BOTH;

/// A random tree of nodes of up to this depth below its root. With `storm` it has a global key.
pub(super) fn build(dice: &mut Dice, depth: usize, storm: bool) -> Arc<Tree<Town>> {
    let root = |keys| {
        let odds = Odds::of(dice, keys);
        if dice.below(3) == 0 {
            return odds.ladder(dice, depth);
        }
        let mut nodes: Vec<Node<Town>> = (0..2 + dice.below(3)).map(|_| odds.node(dice, depth)).collect();
        nodes.push(odds.leaf(dice));
        if dice.below(3) == 0 { sequence(nodes) } else { selector(nodes) }.aborts(BOTH)
    };
    Arc::new(harness::build(0, storm, root).0)
}

/// How likely each feature of a random tree is.
#[derive(Clone, Copy)]
struct Odds {
    keys: Keys,
    /// How likely a callback does something.
    busy: f64,
    /// How likely a condition runs.
    running: f64,
    /// How likely an action keeps running.
    steady: f64,
    /// How many of 100 inner nodes are decorators.
    decorators: usize,
    /// How many of 100 leaves are built-in.
    built: usize,
    /// Whether there are composites besides sequences and selectors.
    mixed: bool,
}

impl Odds {
    fn of(dice: &mut Dice, keys: Keys) -> Self {
        Self {
            keys,
            busy: [0.0, 0.1, 0.3][dice.below(3)],
            running: [0.0, 0.0, 0.02, 0.1][dice.below(4)],
            steady: [0.9, 0.6, 0.3][dice.below(3)],
            decorators: [0, 0, 15, 40][dice.below(4)],
            built: [0, 0, 15, 40][dice.below(4)],
            mixed: dice.below(4) == 0,
        }
    }

    /// Notes a callback, and does something at random. `count` is what the leaf remembers.
    fn calls(self, what: char, count: u32, cx: &mut Cx<'_, '_>) {
        note(what, cx);
        if cx.random() >= self.busy {
            return;
        }
        let (keys, mut dice) = (self.keys, Dice(cx.random().to_bits()));
        match dice.below(12) {
            0 => drop(cx.set(keys.alarm, true)),
            1 => drop(cx.set(keys.alarm, false)),
            2 | 3 => drop(cx.set(keys.level, (cx.get(keys.level) + i64::from(count)) % 5)),
            4 => drop(cx.set(keys.spare, cx.get(keys.spare) + 1)),
            5 => cx.sleep(0.2),
            6 => cx.sleep(0.05),
            7 => cx.send(cx.agent(), Event::new("hey")),
            8 if dice.below(10) == 0 => cx.restart(),
            9 if dice.below(10) == 0 => cx.stop(),
            10 => drop(keys.storm.map(|it| cx.set(it, 3))),
            _ => {}
        }
    }

    /// An update of an action.
    fn act(self, success: f64, count: u32, cx: &mut Cx<'_, '_>) -> Status {
        self.calls('u', count, cx);
        let goes_on = cx.random() < self.steady;
        if goes_on { Status::Running } else { Status::from(cx.random() < success) }
    }

    /// An end, noted with another letter if it comes from outside.
    fn ends(self, what: char, count: u32, cx: &mut Cx<'_, '_>, end: End) {
        let what = match end {
            End::Aborted(Reason::Abort) => 'x',
            End::Aborted(_) => 'X',
            _ => what,
        };
        self.calls(what, count, cx);
    }

    fn leaf(self, dice: &mut Dice) -> Node<Town> {
        if self.keys.storm.is_some() && dice.below(6) == 0 {
            return match dice.below(3) {
                0 => check("global.storm > 2"),
                1 => check("global.storm % 2 == 0"),
                _ => set("global.storm", "(global.storm + 1) % 6"),
            };
        }
        if dice.below(100) < self.built {
            return match dice.below(10) {
                0 => wait(0.1),
                1 => wait("level * 0.1"),
                2 => wait_ticks(2),
                3 => wait_until("level == 3 || alarm"),
                4 => idle(),
                5 => succeed(),
                6 => fail(),
                7 => set("level", "(level + 1) % 5"),
                8 => emit("e"),
                _ => check("level > 2"),
            };
        }
        if dice.below(2) == 0 { self.condition(dice) } else { self.action(dice) }
    }

    fn condition(self, dice: &mut Dice) -> Node<Town> {
        let ask = [Ask::Polled, Ask::Polled, Ask::Silent, Ask::Alarm, Ask::Level, Ask::Two][dice.below(6)];
        match dice.below(20) {
            0 => check("alarm"),
            1 => check("level > 2 || alarm"),
            2 => check("level % 2 == 0"),
            3 => check("spare % 2 == 0"),
            4 => check("time > 1.5"),
            5 => on_event("hey"),
            6..10 => condition_of(Asker::<0>(self, ask)),
            10..14 => condition_of(Asker::<START>(self, ask)),
            14..17 => condition_of(Asker::<END>(self, ask)),
            _ => condition_of(Asker::<{ START | END }>(self, ask)),
        }
    }

    fn action(self, dice: &mut Dice) -> Node<Town> {
        let success = [0.9, 0.5, 0.2][dice.below(3)];
        match dice.below(5) {
            0 => action_of(Doer::<0>(self, success)),
            1 => action_of(Doer::<START>(self, success)),
            2 => action_of(Doer::<END>(self, success)),
            3 => action_of(Doer::<{ START | END }>(self, success)),
            _ => action(move |cx: &mut Cx<'_, '_>| self.act(success, 1, cx)),
        }
    }

    /// Guarded branches before an action.
    fn ladder(self, dice: &mut Dice, depth: usize) -> Node<Town> {
        let abort = [Abort::LOWER_PRIORITY, BOTH][dice.below(2)];
        let rung = |dice: &mut Dice| sequence([self.condition(dice), self.node(dice, depth - 1)]).aborts(abort);
        let mut nodes: Vec<Node<Town>> = (0..2 + dice.below(4)).map(|_| rung(dice)).collect();
        nodes.push(self.action(dice));
        selector(nodes).aborts(BOTH)
    }

    fn node(self, dice: &mut Dice, depth: usize) -> Node<Town> {
        if depth == 0 || dice.below(5) == 0 {
            return self.leaf(dice);
        }
        if dice.below(100) < self.decorators {
            return self.decorator(dice, depth);
        }
        if dice.below(4) == 0 {
            return self.ladder(dice, depth);
        }
        let mut nodes: Vec<Node<Town>> = (0..=dice.below(4)).map(|_| self.node(dice, depth - 1)).collect();
        let abort = [Abort::NONE, Abort::SELF, Abort::LOWER_PRIORITY, BOTH, BOTH][dice.below(5)];
        if !self.mixed || dice.below(3) > 0 {
            return if dice.below(2) == 0 { sequence(nodes) } else { selector(nodes) }.aborts(abort);
        }
        let node = match dice.below(14) {
            0 => parallel(nodes),
            1 => reactive_selector(nodes),
            2 => reactive_sequence(nodes),
            3..=5 => random_selector(nodes),
            6 | 7 => random_sequence(nodes),
            8 | 9 => {
                let scores = ["level", "spare % 3", "1", "2 - level"];
                utility_selector(scores.into_iter().zip(nodes)).reevaluate()
            }
            10 => switch("alarm", nodes.pop().map(|it| (true, it))).default(wait_ticks(1)),
            lot => {
                let service = action(|cx: &mut Cx<'_, '_>| {
                    note('k', cx);
                    Status::Success
                });
                if lot == 11 { sequence(nodes) } else { selector(nodes) }.with_service(0.1, service)
            }
        };
        node.aborts(abort)
    }

    fn decorator(self, dice: &mut Dice, depth: usize) -> Node<Town> {
        let node = self.node(dice, depth - 1);
        match dice.below(14) {
            0 | 1 => inverter(node),
            2 => inverter(inverter(node)),
            3 => force_success(node),
            4 => force_failure(node),
            5 => until_success(node),
            6 => until_failure(node),
            7 => repeat(3, node),
            8 => cooldown(0.15, node),
            9 => guard("level != 3", node),
            10 => timeout(0.3, node),
            11 => limit(4, node),
            12 => delay(0.1, node),
            _ => probability(0.7, node),
        }
    }
}

const START: u8 = Callbacks::START.bits();
const END: u8 = Callbacks::END.bits();

/// An action with these callbacks, and how likely it succeeds.
struct Doer<const CALLBACKS: u8>(Odds, f64);

impl<const CALLBACKS: u8> Action<Town> for Doer<CALLBACKS> {
    /// How often it was updated since it was started, if it has an end.
    type State = u32;
    const KEEP: Keep<u32> = Keep::cloned();
    const CALLBACKS: Callbacks = Callbacks::from_bits_truncate(CALLBACKS);
    fn start(&self, count: &mut u32, cx: &mut Cx<'_, '_>) {
        self.0.calls('s', *count, cx);
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        *count += 1;
        self.0.act(self.1, *count, cx)
    }
    fn end(&self, count: &mut u32, cx: &mut Cx<'_, '_>, end: End) {
        self.0.ends('d', std::mem::take(count), cx, end);
    }
}

/// What a condition reads: keys, or something that it cannot observe.
#[derive(Clone, Copy)]
enum Ask {
    Polled,
    /// The same for all of them.
    Silent,
    Alarm,
    Level,
    Two,
}

/// A condition with these callbacks.
struct Asker<const CALLBACKS: u8>(Odds, Ask);

impl<const CALLBACKS: u8> Condition<Town> for Asker<CALLBACKS> {
    /// As in [`Doer`].
    type State = u32;
    const KEEP: Keep<u32> = Keep::cloned();
    const CALLBACKS: Callbacks = Callbacks::from_bits_truncate(CALLBACKS);
    fn observes(&self) -> Observes {
        let Keys { alarm, level, .. } = self.0.keys;
        match self.1 {
            Ask::Polled | Ask::Silent => Observes::EveryTick,
            Ask::Alarm => Observes::Keys(vec![alarm.index()]),
            Ask::Level => Observes::Keys(vec![level.index()]),
            Ask::Two => Observes::Keys(vec![alarm.index(), level.index()]),
        }
    }
    fn start(&self, count: &mut u32, cx: &mut Cx<'_, '_>) {
        self.0.calls('S', *count, cx);
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        *count += 1;
        self.0.calls('?', *count, cx);
        if cx.random() < self.0.running {
            return Status::Running;
        }
        let Keys { alarm, level, .. } = self.0.keys;
        Status::from(match self.1 {
            Ask::Polled => cx.host.mood % (3 + cx.node().index() % 6) == 1,
            Ask::Silent => cx.host.mood.is_multiple_of(5),
            Ask::Alarm => cx.get(alarm),
            Ask::Level => cx.get(level) > 2,
            Ask::Two => cx.get(alarm) != (cx.get(level) % 2 == 0),
        })
    }
    fn end(&self, count: &mut u32, cx: &mut Cx<'_, '_>, end: End) {
        self.0.ends('D', std::mem::take(count), cx, end);
    }
}
