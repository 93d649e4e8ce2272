//! Random crowds in groups in which leaves panic: each agent does what it would do in a forest of
//! its own, or misses a tick as a whole.

use crate::support;

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use pleach_core::{
    Abort, Action, AgentId, Budget, Completion, Context, End, Event, Forest, Host, HostLeaf, Key, Node, Outcome, Phase,
    Rate, Reason, Spawn, Status, Tree, action, check, condition, condition_over, delay, guard, idle, inverter,
    on_event, parallel, repeat, selector, sequence, timeout, until_success, wait,
};
use support::Dice;

struct Town;

/// A callback: whose, of which node, which, when, and the time since the last tick.
type Line = (usize, usize, char, f64, f32);

#[derive(Default)]
struct World {
    log: Vec<Line>,
    mood: usize,
    /// Decides who panics in this frame; with 0 nobody does.
    danger: u64,
    /// Who has panicked.
    panicked: Vec<usize>,
    numbers: Arc<HashMap<AgentId, usize>>,
    /// In a forest of its own an agent has another id.
    alone: Option<usize>,
}

impl Host for Town {
    type Cx<'a> = World;
}

type Cx<'a, 'h> = Context<'a, 'h, Town>;

fn note(what: char, cx: &mut Cx<'_, '_>) {
    let me = cx.host.alone.unwrap_or_else(|| cx.host.numbers[&cx.agent()]);
    let line = (me, cx.node().index(), what, cx.time(), cx.dt());
    cx.host.log.push(line);
    if cx.host.danger > 0 && "usdx?".contains(what) {
        let site = (me as u64) << 32 | (cx.node().index() as u64) << 8 | u64::from(what as u32);
        if Dice(site ^ cx.host.danger << 20).below(50) == 0 {
            cx.host.panicked.push(me);
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
    }
}

struct Work {
    level: Key<i64>,
    steady: f64,
    hooked: bool,
}

impl Action<Town> for Work {
    type State = ();
    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        if self.hooked {
            note('s', cx);
        }
    }
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        note('u', cx);
        match (cx.random() * 50.0).floor() {
            ..5.0 => drop(cx.set(self.level, (cx.get(self.level) + 1) % 5)),
            ..6.0 => cx.restart(),
            ..7.0 => cx.stop(),
            ..8.0 => cx.send(cx.agent(), Event::new("hey")),
            ..10.0 => cx.sleep(0.2),
            _ => {}
        }
        match cx.random() {
            lot if lot < self.steady => Status::Running,
            lot if lot < (1.0 + self.steady) / 2.0 => Status::Success,
            _ => Status::Failure,
        }
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, end: End) {
        if self.hooked {
            // What is requested is carried out later in the crowd than it is alone.
            note(
                match end {
                    End::Aborted(Reason::Stopped) => 'X',
                    End::Aborted(_) => 'x',
                    _ => 'd',
                },
                cx,
            );
        }
    }
}

struct Plain(Work);

impl Action<Town> for Plain {
    type State = ();
    const CALLBACKS: pleach_core::Callbacks = pleach_core::Callbacks::empty();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        self.0.update(&mut (), cx)
    }
}

fn act(dice: &mut Dice, level: Key<i64>) -> Node<Town> {
    let plain = |steady| HostLeaf::action(Plain(Work { level, steady, hooked: false })).into();
    match dice.below(6) {
        0 | 1 => plain(0.9),
        2 => HostLeaf::action(Work { level, steady: 0.8, hooked: true }).into(),
        3 => sequence([plain(0.0), plain(0.3), plain(0.8)]),
        4 => selector([plain(0.3), plain(0.1), HostLeaf::action(Work { level, steady: 0.5, hooked: true }).into()]),
        _ => sequence((0..70).map(|_| inverter(inverter(plain(0.1))))),
    }
}

fn ask(dice: &mut Dice, level: Key<i64>) -> Node<Town> {
    match dice.below(5) {
        0 => check("level > 2"),
        1 => on_event("hey", None),
        2 => condition_over([level.index()], move |cx| {
            note('?', cx);
            cx.get(level) % 2 == 0
        })
        .into(),
        _ => condition(move |cx: &mut Cx<'_, '_>| {
            note('?', cx);
            cx.host.mood % (3 + cx.node().index()) == 1
        })
        .into(),
    }
}

/// With `quiet` also nodes of which nobody hears anything.
fn node(dice: &mut Dice, level: Key<i64>, depth: usize, quiet: bool) -> Node<Town> {
    if depth == 0 {
        return act(dice, level);
    }
    let abort = [Abort::SELF, Abort::LOWER_PRIORITY, Abort::SELF | Abort::LOWER_PRIORITY][dice.below(3)];
    let sub = |dice: &mut Dice| node(dice, level, depth - 1, quiet);
    match dice.below(if quiet { 10 } else { 6 }) {
        0 => sequence([sub(dice), sub(dice)]),
        1 => selector([sub(dice), sub(dice)]),
        2 => repeat(3, sub(dice)),
        3 => until_success(sub(dice)),
        4 | 5 => selector([
            sequence([ask(dice, level), sub(dice)]).aborts(abort),
            sequence([ask(dice, level), sub(dice)]).aborts(abort),
            sub(dice),
        ]),
        6 => guard("level != 3", sub(dice)),
        7 => timeout(0.888_88, Outcome::Success, sub(dice)),
        8 => [delay(0.222_22, sub(dice)), wait(0.25), idle()].into_iter().nth(dice.below(3)).expect("one of three"),
        _ => parallel([sub(dice), sub(dice)]),
    }
}

fn build(dice: &mut Dice) -> Tree<Town> {
    let mut builder = Tree::<Town>::builder("life");
    let level = builder.key("level", 0_i64);
    let (depth, quiet) = (dice.below(4), dice.below(2) == 0);
    let root = node(dice, level, depth, quiet);
    // In every tick every agent says something.
    let heard = action(|cx: &mut Cx<'_, '_>| {
        note('k', cx);
        Status::Running
    });
    let asked = condition(|cx: &mut Cx<'_, '_>| {
        note('?', cx);
        false
    });
    let root = if quiet {
        selector([sequence([asked.into(), heard.into()]).aborts(Abort::LOWER_PRIORITY), root])
    } else {
        root
    };
    builder.build(root).expect("a valid tree")
}

/// Ticks, and says whether that panicked. Then what was requested is carried out, also if so.
fn tick(forest: &mut Forest<Town>, world: &mut World, dt: f32, mood: usize, danger: u64, stray: AgentId) -> bool {
    (world.mood, world.danger) = (mood, danger);
    let panicked =
        catch_unwind(AssertUnwindSafe(|| forest.tick_within(world, dt, Budget::Agents(u64::MAX)).unwrap())).is_err();
    world.danger = 0;
    forest.enable(world, stray).unwrap();
    panicked
}

fn meddle(forest: &mut Forest<Town>, world: &mut World, it: AgentId, (what, how): (usize, usize)) {
    match what {
        0 => forest.disable(world, it).unwrap(),
        1..=3 => forest.enable(world, it).unwrap(),
        4 => forest.pause(world, it).unwrap(),
        5 | 6 => forest.unpause(world, it).unwrap(),
        7 => forest.restart(world, it).unwrap(),
        8 => forest.send(it, Event::new("hey")).unwrap(),
        9 => forest.set_completion(it, [Completion::Stop, Completion::Restart][how % 2]).unwrap(),
        _ => drop(forest.set_value(it, "level", i64::try_from(how % 5).unwrap()).unwrap()),
    }
}

fn live(seed: u64) -> usize {
    let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::<Town>::new(seed));
    forest.set_batched(true);
    let (mut crowd, mut solos, mut panics) = (Vec::new(), Vec::new(), 0);
    let stray = |forest: &mut Forest<Town>| {
        let tree = forest.add_tree(Tree::builder("stray").build(idle()).unwrap()).unwrap();
        forest.spawn(&mut World::default(), tree).unwrap()
    };
    let crowd_stray = stray(&mut forest);
    for count in [80, 50] {
        let tree = Arc::new(build(&mut dice));
        let id = forest.add_tree(Arc::clone(&tree)).unwrap();
        for _ in 0..count {
            let spawn = Spawn { seed: Some(dice.below(1 << 30) as u64), ..Spawn::default() };
            crowd.push(forest.spawn_with(&mut world, id, spawn).unwrap());
            let (mut alone, mut own) = (Forest::<Town>::new(0), World { alone: Some(solos.len()), ..World::default() });
            let id = alone.add_tree(Arc::clone(&tree)).unwrap();
            let agent = alone.spawn_with(&mut own, id, spawn).unwrap();
            let stray = stray(&mut alone);
            solos.push((alone, own, agent, stray));
        }
    }
    world.numbers = Arc::new(crowd.iter().enumerate().map(|(number, &it)| (it, number)).collect());
    // The row that comes first.
    let mut first = 0;
    for frame in 0..30 {
        for _ in 0..8 {
            let (number, call) = (dice.below(crowd.len()), (dice.below(12), dice.below(10)));
            let (alone, own, agent, _) = &mut solos[number];
            meddle(&mut forest, &mut world, crowd[number], call);
            meddle(alone, own, *agent, call);
        }
        let dt = [0.0, 0.125, 0.0625, 0.0625, 0.25][dice.below(5)];
        let (mood, danger) = (dice.below(1000), if dice.below(2) == 0 { 1 + dice.below(1 << 20) as u64 } else { 0 });
        world.panicked.clear();
        tick(&mut forest, &mut world, dt, mood, danger, crowd_stray);
        // A panic costs the rows behind it their turns, and nobody else; the next call begins
        // behind its row.
        let panicked = |row: &Range<usize>| world.panicked.iter().any(|it| row.contains(it));
        let rows = if first == 0 { [0..80, 80..130] } else { [80..130, 0..80] };
        let missing = if panicked(&rows[0]) { rows[1].clone() } else { 0..0 };
        if let Some(row) = rows.iter().find(|it| panicked(it)) {
            first = if row.start == 0 { 80 } else { 0 };
        }
        for (number, (alone, own, agent, stray)) in solos.iter_mut().enumerate() {
            let misses = missing.contains(&number);
            alone.set_rate(*agent, if misses { Rate::NEVER } else { Rate::EVERY_FRAME }).unwrap();
            panics += usize::from(tick(alone, own, dt, mood, danger, *stray));
            let it = crowd[number];
            assert_eq!(awake(&forest, it), awake(alone, *agent), "seed {seed}, frame {frame}, agent {number}");
        }
    }
    let log = |lines: &[Line], number| -> Vec<Line> {
        lines.iter().copied().filter(|it| it.0 == number && it.2 != '?').collect()
    };
    for (number, (_, own, ..)) in solos.iter().enumerate() {
        assert_eq!(log(&world.log, number), log(&own.log, number), "seed {seed}, agent {number}");
    }
    panics
}

fn awake(forest: &Forest<Town>, it: AgentId) -> (Phase, Vec<Vec<pleach_core::NodeId>>, String) {
    let view = forest.inspect(it).unwrap();
    let phase = if view.phase == Phase::Asleep { Phase::Active } else { view.phase };
    let keys: Vec<_> = view.keys.iter().map(|it| it.1).collect();
    (phase, view.stacks, format!("{keys:?} {} {:?} {:?} {:?}", view.time, view.monitors, view.last_abort, view.mail))
}

fn seeds(it: std::ops::Range<u64>) -> std::ops::Range<u64> {
    std::env::var("SEEDS").map_or(it, |all| 0..all.parse().unwrap())
}

#[test]
fn who_panics_in_a_group_costs_the_others_nothing() {
    let panics: usize = seeds(0..60).map(live).sum();
    assert!(panics > 100, "{panics}");
}
