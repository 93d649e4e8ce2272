//! Random crowds that are meddled with while they live, in groups or not: each agent does the same,
//! call by call, and so does the forest.

use crate::support;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pleach_core::{
    Abort, Action, AgentId, Budget, Completion, Context, End, Event, Forest, Host, HostLeaf, Key, Node, Outcome, Phase,
    Rate, Scope, Spawn, Status, TickReport, Tree, TreeId, action, check, condition, condition_every, condition_over,
    delay, guard, idle, inverter, on_event, parallel, repeat, selector, sequence, set, timeout, until_failure,
    until_success, utility_selector, wait, wait_until,
};
use support::Dice;

struct Town;

/// A callback: whose, of which node, which, when, and the time since the last tick.
type Line = (AgentId, usize, char, f64, f32);

#[derive(Clone, Default)]
struct World {
    log: Vec<Line>,
    mood: usize,
    all: Arc<Vec<AgentId>>,
    /// Leaves despawn agents: those behind then stand in another order.
    despawns: bool,
}

impl Host for Town {
    type Cx<'a> = World;
}

type Cx<'a, 'h> = Context<'a, 'h, Town>;

#[derive(Clone, Copy)]
struct Keys {
    alarm: Key<bool>,
    level: Key<i64>,
    /// Whether there are conditions that are asked every so often. When they are goes by ids, which
    /// depend on the order in which leaves despawn agents.
    rare: bool,
}

fn note(what: char, cx: &mut Cx<'_, '_>) {
    let line = (cx.agent(), cx.node().index(), what, cx.time(), cx.dt());
    cx.host.log.push(line);
}

/// Does something that nobody else sees in this tick.
fn meddle_with_oneself(keys: Keys, cx: &mut Cx<'_, '_>) {
    let lot = cx.random();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let place = (lot * 1e6) as usize;
    match place % 200 {
        0..10 => drop(cx.set(keys.alarm, place % 400 < 200)),
        10..30 => drop(cx.set(keys.level, (cx.get(keys.level) + 1) % 5)),
        30..33 => cx.send(cx.agent(), Event::new("hey")),
        33 => cx.stop(),
        34 => cx.restart(),
        35 if cx.host.despawns => cx.despawn(cx.agent()),
        37..41 => cx.sleep(0.2),
        41..43 => cx.clear(),
        _ => {}
    }
}

fn work(keys: Keys, steady: f64) -> impl Fn(&mut Cx<'_, '_>) -> Status + Send + Sync + 'static {
    move |cx| {
        note(if cx.events().next().is_some() { 'v' } else { 'u' }, cx);
        meddle_with_oneself(keys, cx);
        match cx.random() {
            lot if lot < steady => Status::Running,
            lot if lot < (1.0 + steady) / 2.0 => Status::Success,
            _ => Status::Failure,
        }
    }
}

struct Hooked<F>(F);

impl<F: Fn(&mut Cx<'_, '_>) -> Status + Send + Sync + 'static> Action<Town> for Hooked<F> {
    type State = u32;
    fn awake(&self, _: &mut u32, cx: &mut Cx<'_, '_>) {
        note('a', cx);
    }
    fn start(&self, _: &mut u32, cx: &mut Cx<'_, '_>) {
        note('s', cx);
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        *count += 1;
        if count.is_multiple_of(4) {
            cx.sleep(0.3);
        }
        (self.0)(cx)
    }
    fn end(&self, _: &mut u32, cx: &mut Cx<'_, '_>, end: End) {
        note(if matches!(end, End::Aborted(_)) { 'x' } else { 'd' }, cx);
    }
    fn pause(&self, _: &mut u32, cx: &mut Cx<'_, '_>, paused: bool) {
        note(if paused { 'p' } else { 'g' }, cx);
    }
}

/// A condition that also does things when it is asked, or runs.
struct Asker(Keys);

impl pleach_core::Condition<Town> for Asker {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        note('?', cx);
        meddle_with_oneself(self.0, cx);
        match cx.random() {
            ..0.02 => Status::Running,
            ..0.1 => Status::Success,
            _ => Status::Failure,
        }
    }
    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        note('S', cx);
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        note('D', cx);
    }
}

fn ask(dice: &mut Dice, keys: Keys) -> Node<Town> {
    match dice.below(10) {
        0 => check("alarm"),
        1 => check("level > 2 || alarm"),
        2 => check("global.storm > 3"),
        3 => on_event("hey", None),
        4 | 5 => condition_over([keys.alarm.index(), keys.level.index()], move |cx| {
            note('?', cx);
            cx.get(keys.alarm) || cx.get(keys.level) % 2 == 0
        })
        .into(),
        6 => HostLeaf::condition(Asker(keys)).into(),
        7 if keys.rare => condition_every([0.123_45, 0.777_77][dice.below(2)], move |cx: &mut Cx<'_, '_>| {
            note('r', cx);
            cx.host.mood % 3 == 1
        })
        .into(),
        _ => condition(move |cx| {
            note('?', cx);
            cx.host.mood % (3 + cx.node().index()) == 1
        })
        .into(),
    }
}

fn act(dice: &mut Dice, keys: Keys) -> Node<Town> {
    match dice.below(12) {
        0..=3 => action(work(keys, 0.9)).into(),
        4 => HostLeaf::action(Hooked(work(keys, 0.7))).into(),
        5 => sequence((0..3).map(|it| action(work(keys, f64::from(it) * 0.3)).into())),
        6 => sequence((0..70).map(|_| inverter(inverter(action(work(keys, 0.05)).into())))),
        7 => wait([0.333_33, 35.555_55][dice.below(2)]),
        8 => idle(),
        9 => wait_until("level == 4 || alarm"),
        10 => sequence([set("level", "(level + 1) % 5"), action(work(keys, 0.5)).into()]),
        _ => selector([action(work(keys, 0.0)).into(), action(work(keys, 0.8)).into()]),
    }
}

fn node(dice: &mut Dice, keys: Keys, depth: usize, lanes: bool) -> Node<Town> {
    if depth == 0 {
        return act(dice, keys);
    }
    let abort = [Abort::SELF, Abort::LOWER_PRIORITY, Abort::SELF | Abort::LOWER_PRIORITY][dice.below(3)];
    let sub = |dice: &mut Dice| node(dice, keys, depth - 1, lanes);
    match dice.below(16) {
        0..=5 => selector([sequence([ask(dice, keys), sub(dice)]).aborts(abort), sub(dice), sub(dice)]),
        6 => selector([
            sequence([ask(dice, keys), sub(dice)]).aborts(abort),
            sequence([inverter(ask(dice, keys)), sub(dice)]).aborts(abort),
            sequence([ask(dice, keys), sub(dice)]).aborts(abort),
            action(work(keys, 0.95)).into(),
        ]),
        7 => sequence([sub(dice), ask(dice, keys), sub(dice)]).aborts(abort),
        8 => guard("level != 3", sub(dice)),
        9 => timeout(0.888_88, Outcome::Success, sub(dice)),
        10 => delay(0.222_22, sub(dice)),
        11 if lanes => parallel([sub(dice), sub(dice)]),
        12 if lanes => utility_selector(dice.below(2) == 0, [("level", sub(dice)), ("2", sub(dice))]),
        11 => repeat(3, sub(dice)),
        12 => sequence([sub(dice), sub(dice)]).with_service(0.234_56, action(work(keys, 0.5))),
        13 => until_success(sub(dice)),
        14 => until_failure(sub(dice)),
        _ => selector([until_failure(ask(dice, keys)), sub(dice)]).aborts(abort),
    }
}

fn build(dice: &mut Dice, rare: bool) -> (Tree<Town>, Keys) {
    let mut builder = Tree::<Town>::builder("life");
    builder.key_in(Scope::Global, "storm", 0_i64);
    let keys = Keys { alarm: builder.key("alarm", false), level: builder.key("level", 0_i64), rare };
    let (depth, lanes) = (dice.below(4), dice.below(4) == 0);
    let root = node(dice, keys, depth, lanes);
    (builder.build(root).expect("a valid tree"), keys)
}

/// What is seen of a life: callbacks agent by agent, and what was asked of the forest.
struct Seen {
    log: Vec<(usize, usize, char, f64, f32)>,
    facts: Vec<String>,
    reports: Vec<TickReport>,
}

fn phase(forest: &Forest<Town>, it: AgentId) -> Option<Phase> {
    forest.phase(it).ok()
}

fn live(seed: u64, frames: usize, grouped: bool, threads: bool) -> Seen {
    let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::<Town>::new(seed));
    let mut toggle = Dice(seed);
    let (mut reports, mut trees): (Vec<TickReport>, Vec<(TreeId, Keys)>) = (Vec::new(), Vec::new());
    let paced = dice.below(2) == 0;
    for count in [200, 60, 20] {
        let (tree, keys) = build(&mut dice, paced);
        let tree = forest.add_tree(tree).unwrap();
        trees.push((tree, keys));
        for _ in 0..count {
            let off = dice.below(20) == 0;
            let id = forest.spawn_with(&mut world, tree, Spawn { off, ..Spawn::default() }).unwrap();
            Arc::make_mut(&mut world.all).push(id);
        }
    }
    world.despawns = !paced;
    let restless = dice.below(3) == 0;
    let (mut slept, mut logged) = (Vec::<AgentId>::new(), 0);
    for frame in 0..frames {
        if grouped {
            forest.set_batched(toggle.below(4) > 0);
        }
        let quiet = frame % 8 > 4;
        for _ in 0..if quiet { 0 } else { 20 } {
            let it = world.all[dice.below(world.all.len())];
            let (tree, _) = trees[dice.below(3)];
            let w = &mut world;
            // Whoever is gone is gone in all runs.
            let _ = match dice.below(if paced { 17 } else { 15 }) {
                0 => forest.spawn(w, tree).map(|it| Arc::make_mut(&mut w.all).push(it)).is_ok(),
                1 => forest.despawn(w, it).is_ok(),
                2 => forest.disable(w, it).is_ok(),
                3 | 4 => forest.enable(w, it).is_ok(),
                5 => forest.pause(w, it).is_ok(),
                6 | 7 => forest.unpause(w, it).is_ok(),
                8 => forest.restart(w, it).is_ok(),
                9 => forest.send(it, Event::new("hey")).is_ok(),
                10 => forest.set_completion(it, [Completion::Stop, Completion::Restart][dice.below(2)]).is_ok(),
                11 => forest.set_value(it, "alarm", dice.below(2) == 0).is_ok(),
                12 => forest.set_value(it, "level", 3_i64).is_ok(),
                13 => forest.clear(it).is_ok(),
                14 => forest.set_global("storm", i64::try_from(dice.below(7)).unwrap()).is_ok(),
                _ => forest
                    .set_rate(it, [Rate::EVERY_FRAME, Rate::every(3).unwrap(), Rate::NEVER][dice.below(3)])
                    .is_ok(),
            };
        }
        let index = dice.below(3);
        let (tree, keys) = trees[index];
        match dice.below(30) {
            _ if quiet => {}
            0 => forest.broadcast(Event::new("hey")),
            1..=3 => {
                let from = i64::try_from(dice.below(5)).unwrap();
                let rule = |_, old| if old == from { (old + 1) % 5 } else { old };
                forest.update_column(tree, keys.level, rule).unwrap();
            }
            4 => forest
                .update_agents(tree, |it| {
                    let level = it.get(keys.level);
                    it.set(keys.alarm, level == 2);
                })
                .unwrap(),
            5 if restless => forest.set_reevaluate_every_tick(dice.below(3) == 0),
            6 if restless => forest.set_sleep(dice.below(2) == 0),
            7 => {
                let (new, keys) = build(&mut dice, paced);
                forest.replace_tree(&mut world, tree, new).unwrap();
                trees[index].1 = keys;
            }
            _ => {}
        }
        world.mood = dice.below(1000);
        let dt = [0.0, 0.1, 0.05, 0.05, 0.05, 0.001, 40.0][dice.below(if frame % 16 == 0 { 7 } else { 6 })];
        let dt = if quiet { 0.0 } else { dt };
        // Who slept before the last frame as well, called nothing in it, and was sent nothing, has
        // been looked at.
        let sleeper =
            |it: AgentId| phase(&forest, it) == Some(Phase::Asleep) && forest.inspect(it).unwrap().mail.is_empty();
        let now: Vec<AgentId> = world.all.iter().copied().filter(|&it| sleeper(it)).collect();
        let called: HashSet<_> = world.log[logged..].iter().map(|it| it.0).collect();
        logged = world.log.len();
        let left_alone = now.iter().filter(|it| slept.contains(it) && !called.contains(it)).count() as u64;
        let ready = |it: &&AgentId| matches!(phase(&forest, **it), Some(Phase::Active | Phase::Asleep));
        let ready = world.all.iter().filter(ready).count() as u64;
        slept = now;
        let report = match dice.below(4) {
            0 if paced => forest.tick_within(&mut world, dt, Budget::Agents(u64::MAX)).unwrap(),
            #[cfg(feature = "rayon")]
            0 | 1 if threads => {
                let from = World { log: Vec::new(), ..world.clone() };
                forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)).unwrap()
            }
            _ => forest.tick(&mut world, dt).unwrap(),
        };
        let _ = threads;
        if frame % 8 > 5 && !paced {
            assert!(
                report.ticked + left_alone <= ready,
                "seed {seed}, frame {frame}: {report:?}, {left_alone} of {ready}"
            );
        }
        reports.push(report);
    }
    let mut facts = Vec::new();
    for &it in &*world.all {
        let Some(phase) = phase(&forest, it) else { continue };
        let view = forest.inspect(it).unwrap();
        let keys: Vec<_> = view.keys.iter().map(|it| it.1).collect();
        facts.push(format!(
            "{phase:?} {keys:?} {:?} {:?} {:?} {:?}",
            view.stacks, view.monitors, view.last_abort, view.last_outcome
        ));
    }
    // By the number of their spawning: ids are given anew.
    let numbers: HashMap<_, _> = world.all.iter().enumerate().map(|(number, &it)| (it, number)).collect();
    let mut log: Vec<_> = world.log.iter().map(|it| (numbers[&it.0], it.1, it.2, it.3, it.4)).collect();
    log.sort_by_key(|it| it.0);
    Seen { log, facts, reports }
}

fn same<L: PartialEq + std::fmt::Debug>(seed: u64, one: &[L], other: &[L]) {
    let end = one.len().max(other.len());
    if let Some(at) = (0..end).find(|&at| one.get(at) != other.get(at)) {
        panic!("seed {seed}: {at} of {end} is {:?}, not {:?}", other.get(at), one.get(at));
    }
}

fn seeds(it: std::ops::Range<u64>) -> std::ops::Range<u64> {
    std::env::var("SEEDS").map_or(it, |all| 0..all.parse().unwrap())
}

#[test]
fn agents_in_groups_live_as_they_would_alone_whatever_is_done_to_them() {
    for seed in seeds(0..40) {
        let plain = live(seed, 48, false, false);
        for threads in [false, true] {
            let other = live(seed, 48, true, threads);
            same(seed, &plain.log, &other.log);
            same(seed, &plain.reports, &other.reports);
            same(seed, &plain.facts, &other.facts);
        }
    }
}
