//! The same life of a random forest, run in every way that the runtime has to be fast: all must
//! give the same callbacks with the same keys, in the same order; in groups, in the same order per
//! agent.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use pleach_core::{
    Abort, Action, AgentId, Budget, Callbacks, Completion, Context, End, Event, Forest, Host, HostLeaf, Key, Node,
    Outcome, Phase, Rate, Scope, Spawn, Status, TickReport, TraceEvent, Tracer, Tree, TreeId, action, check, condition,
    condition_every, condition_over, cooldown, delay, emit, force_success, guard, idle, inverter, on_event, parallel,
    probability, random_selector, reactive_selector, repeat, selector, sequence, set, timeout, until_failure,
    until_success, utility_selector, wait, wait_ticks, wait_until,
};
use support::Dice;

struct Town;

type Cx<'a, 'h> = Context<'a, 'h, Town>;

/// A callback: whose, of which node, which, when, and the time since the last tick.
type Line = (AgentId, usize, char, f64, f32);

#[derive(Clone, Default)]
struct World {
    log: Vec<Line>,
    /// Decides what polled conditions say.
    mood: usize,
    /// Everybody who was ever spawned.
    all: Arc<Vec<AgentId>>,
    /// Nobody does what others could see in the same tick, or in the order of agents.
    discreet: bool,
}

impl Host for Town {
    type Cx<'a> = World;
    fn on_emit(cx: &mut World, agent: AgentId, _: Event) {
        cx.log.push((agent, 0, 'e', 0.0, 0.0));
    }
}

fn note(what: char, cx: &mut Cx<'_, '_>) {
    let line = (cx.agent(), cx.node().index(), what, cx.time(), cx.dt());
    cx.host.log.push(line);
}

#[derive(Clone, Copy)]
struct Keys {
    alarm: Key<bool>,
    level: Key<i64>,
    spare: Key<i64>,
    storm: Option<Key<i64>>,
}

/// Writes keys, requests things, panics when it is told to; what it says is drawn by lot.
fn work(keys: Keys, steady: f64) -> impl Fn(&mut Cx<'_, '_>) -> Status + Send + Sync + 'static {
    move |cx| {
        note('u', cx);
        let heard: Vec<_> = cx.events().filter_map(Event::payload::<f32>).collect();
        let agent = cx.agent();
        cx.host.log.extend(heard.into_iter().map(|it| (agent, 0, 'v', 0.0, it)));
        if cx.event("boom").is_some() {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        let (lot, other) = (cx.random(), cx.node().index() * 37);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        match (cx.random() * 1000.0) as usize {
            0..50 => drop(cx.set(keys.alarm, lot < 0.5)),
            50..150 => drop(cx.set(keys.level, (cx.get(keys.level) + 1) % 5)),
            150..200 => drop(cx.set(keys.spare, cx.get(keys.spare) + 1)),
            200..220 => drop(keys.storm.map(|it| cx.set(it, (cx.get(it) + 1) % 7))),
            980..994 => {
                cx.send(cx.host.all[other % cx.host.all.len()], Event::new("hey"));
                cx.send(cx.agent(), Event::new("ho"));
            }
            994..996 => cx.stop(),
            996..998 => cx.restart(),
            998.. if !cx.host.discreet => cx.despawn(cx.agent()),
            _ => {}
        }
        match lot {
            _ if lot < steady => Status::Running,
            _ if lot < (1.0 + steady) / 2.0 => Status::Success,
            _ => Status::Failure,
        }
    }
}

/// Has every callback.
struct Hooked<F>(F);

impl<F: Fn(&mut Cx<'_, '_>) -> Status + Send + Sync + 'static> Action<Town> for Hooked<F> {
    type State = ();
    fn awake(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        note('a', cx);
    }
    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        note('s', cx);
    }
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        self.0(cx)
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, end: End) {
        note(if matches!(end, End::Aborted(_)) { 'x' } else { 'd' }, cx);
    }
    fn pause(&self, (): &mut (), cx: &mut Cx<'_, '_>, paused: bool) {
        note(if paused { 'p' } else { 'g' }, cx);
    }
}

/// Sleeps for so long, and says nothing when it is woken before.
struct Nap(f64, Status);

impl Action<Town> for Nap {
    type State = f64;
    const CALLBACKS: Callbacks = Callbacks::START.union(Callbacks::END);
    fn start(&self, until: &mut f64, cx: &mut Cx<'_, '_>) {
        *until = cx.time() + self.0;
    }
    #[expect(clippy::cast_possible_truncation)]
    fn update(&self, until: &mut f64, cx: &mut Cx<'_, '_>) -> Status {
        if cx.time() < *until {
            cx.sleep((*until - cx.time()) as f32);
            return Status::Running;
        }
        *until = cx.time() + self.0;
        note('n', cx);
        self.1
    }
    fn end(&self, _: &mut f64, cx: &mut Cx<'_, '_>, _: End) {
        note('d', cx);
    }
}

/// A condition, observed, polled, asked every so often, or an expression.
fn ask(dice: &mut Dice, keys: Keys) -> Node<Town> {
    match dice.below(10) {
        0 => check("alarm"),
        1 => check("level > 2 || alarm"),
        2 if keys.storm.is_some() => check("global.storm > 3"),
        2 | 3 => on_event("hey", None),
        4..=6 => condition_over([keys.alarm.index(), keys.level.index()], move |cx| {
            note('?', cx);
            cx.get(keys.alarm) || cx.get(keys.level) % 2 == 0
        })
        .into(),
        7 => condition(move |cx| {
            note('?', cx);
            cx.host.mood % (3 + cx.node().index()) == 1
        })
        .into(),
        _ => rarely(dice).into(),
    }
}

/// A condition that is asked every so often, and notes when.
fn rarely(dice: &mut Dice) -> HostLeaf<Town> {
    condition_every([0.123_45, 0.444_44, 1.234_56][dice.below(3)], move |cx: &mut Cx<'_, '_>| {
        note('r', cx);
        !cx.host.mood.is_multiple_of(2 + cx.node().index() % 3)
    })
}

fn act(dice: &mut Dice, keys: Keys) -> Node<Town> {
    match dice.below(14) {
        0..=2 => action(work(keys, 0.8)).into(),
        3 | 4 => HostLeaf::action(Hooked(work(keys, 0.7))).into(),
        5 => sequence([action(work(keys, 0.0)).into(), action(work(keys, 0.1)).into(), action(work(keys, 0.9)).into()]),
        6 => HostLeaf::action(Nap(0.333_33, Status::Success)).into(),
        7 => HostLeaf::action(Nap(0.123_45, Status::Running)).into(),
        8 => wait([0.333_33, 0.777_77, 35.555_55][dice.below(3)]),
        9 => idle(),
        10 => wait_ticks(2),
        11 => wait_until("level == 4 || alarm"),
        12 => sequence([set("level", "(level + 1) % 5"), emit("e", None), action(work(keys, 0.5)).into()]),
        _ => probability(0.7, action(work(keys, 0.7)).into()),
    }
}

fn node(dice: &mut Dice, keys: Keys, depth: usize, lanes: bool) -> Node<Town> {
    if depth == 0 {
        return act(dice, keys);
    }
    let abort = [Abort::SELF, Abort::LOWER_PRIORITY, Abort::SELF | Abort::LOWER_PRIORITY][dice.below(3)];
    let sub = |dice: &mut Dice| node(dice, keys, depth - 1, lanes);
    match dice.below(18) {
        0..=5 => {
            let first = sequence([ask(dice, keys), sub(dice)]).aborts(abort);
            selector([first, sub(dice), sub(dice)])
        }
        6 => sequence([sub(dice), ask(dice, keys), sub(dice)]).aborts(abort),
        7 => guard("level != 3", sub(dice)),
        8 if dice.below(2) == 0 => guard(rarely(dice), sub(dice)),
        8 => guard(condition(|cx: &mut Cx<'_, '_>| !cx.host.mood.is_multiple_of(9)), sub(dice)),
        9 => timeout(0.888_88, Outcome::Success, sub(dice)),
        10 => delay(0.222_22, sub(dice)),
        11 if lanes => parallel([sub(dice), sub(dice)]),
        12 if lanes => reactive_selector([sequence([ask(dice, keys), sub(dice)]), sub(dice)]),
        13 if lanes => utility_selector(dice.below(2) == 0, [("level", sub(dice)), ("2", sub(dice))]),
        14 if lanes => sequence([sub(dice), sub(dice)]).with_service(0.234_56, action(work(keys, 0.5))),
        11 => repeat(3, sub(dice)),
        12 => cooldown(0.444_44, sub(dice)),
        13 => random_selector(None, [sub(dice), sub(dice)]),
        14 => until_success(sub(dice)),
        15 => until_failure(sub(dice)),
        _ => sequence([force_success(sub(dice)), inverter(sub(dice)), sub(dice)]),
    }
}

/// Every third agent, or nobody.
struct Some3rd(bool);

impl Tracer for Some3rd {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        self.0 && slotmap::Key::data(&agent).as_ffi().is_multiple_of(3)
    }
    fn record(&mut self, agent: AgentId, _: TraceEvent) {
        assert!(self.wants(agent));
    }
}

/// What is seen of a life: callbacks, and in between what was asked of the forest.
#[derive(Default)]
struct Seen {
    log: Vec<Line>,
    facts: Vec<String>,
    reports: Vec<TickReport>,
}

/// How agents live.
#[derive(Clone, Copy, PartialEq)]
enum Life {
    /// With shared keys, and panics.
    Wild,
    Quiet,
    /// Quiet, and so that no agent sees what another does in the same tick.
    Discreet,
}

/// Mostly slow ones; `None` is never.
const RATES: [Option<u32>; 5] = [Some(1), Some(2), Some(3), Some(7), None];

/// One life.
fn live<T: Tracer>(
    seed: u64,
    life: Life,
    mut forest: Forest<Town, T>,
    mut tick: impl FnMut(&mut Forest<Town, T>, &mut World, f32, usize) -> TickReport,
) -> Seen {
    let wild = life == Life::Wild;
    // In half of the lives agents have turns in some frames only.
    let paced = seed % 2 == 1;
    let (mut dice, mut world, mut seen) = (Dice(seed), World::default(), Seen::default());
    world.discreet = life == Life::Discreet;
    let mut trees: Vec<(TreeId, Keys)> = Vec::new();
    for number in 0..4 {
        let mut builder = Tree::<Town>::builder("life");
        let storm = wild.then(|| builder.key_in(Scope::Global, "storm", 0_i64));
        let (alarm, level) = (builder.key("alarm", false), builder.key("level", 0_i64));
        let keys = Keys { alarm, level, spare: builder.key("spare", 0_i64), storm };
        let depth = 1 + dice.below(3);
        let root = node(&mut dice, keys, depth, number % 2 == 1);
        let tree = forest.add_tree(builder.build(root).expect("a valid tree")).unwrap();
        trees.push((tree, keys));
        for _ in 0..[1100, 90, 70, 20][number] {
            let off = dice.below(20) == 0;
            let id = forest.spawn_with(&mut world, tree, Spawn { off, ..Spawn::default() }).unwrap();
            Arc::make_mut(&mut world.all).push(id);
        }
    }
    for frame in 0..50 {
        for _ in 0..30 {
            let it = world.all[dice.below(world.all.len())];
            let tree = trees[dice.below(4)];
            let w = &mut world;
            // Whoever is gone is gone in all runs.
            let _ = match dice.below(if paced { 17 } else { 13 }) {
                0 => forest.spawn(w, tree.0).map(|it| Arc::make_mut(&mut w.all).push(it)).is_ok(),
                1 => forest.despawn(w, it).is_ok(),
                2 => forest.disable(w, it).is_ok(),
                3 | 4 => forest.enable(w, it).is_ok(),
                5 => forest.pause(w, it).is_ok(),
                6 | 7 => forest.unpause(w, it).is_ok(),
                8 => forest.restart(w, it).is_ok(),
                9 => [0.25, 0.5, 0.75]
                    .map(|it| Event::new(["hey", "ho"][dice.below(2)]).with(it))
                    .into_iter()
                    .all(|event| forest.send(it, event).is_ok()),
                10 => forest.set_completion(it, [Completion::Stop, Completion::Restart][dice.below(2)]).is_ok(),
                11 => forest.set_value(it, "alarm", dice.below(2) == 0).is_ok(),
                12 => forest.set_value(it, ["level", "spare"][dice.below(2)], 3_i64).is_ok(),
                _ => {
                    forest.set_rate(it, RATES[dice.below(5)].map_or(Rate::NEVER, |it| Rate::every(it).unwrap())).is_ok()
                }
            };
        }
        match dice.below(12) {
            0 => forest.broadcast(Event::new("hey")),
            1 => {
                let (tree, keys) = trees[dice.below(4)];
                let by = 2 + dice.below(50);
                let rule = |_, old| if dice.below(by) == 0 { (old + 1) % 5 } else { old };
                forest.update_column(tree, keys.level, rule).unwrap();
            }
            2 if wild => forest.send(world.all[dice.below(world.all.len())], Event::new("boom")).unwrap_or(()),
            3 if wild => forest.set_global("storm", 4_i64).map(drop).unwrap(),
            _ => {}
        }
        world.mood = dice.below(1000);
        let dt = [0.0, 0.1, 0.05, 0.05, 0.05, 0.001, 40.0][dice.below(if frame % 16 == 0 { 7 } else { 6 })];
        if let Ok(report) = catch_unwind(AssertUnwindSafe(|| tick(&mut forest, &mut world, dt, frame))) {
            seen.reports.push(report);
        }
    }
    for &it in &*world.all {
        let Ok(phase) = forest.phase(it) else { continue };
        let phase = if phase == Phase::Asleep { Phase::Active } else { phase };
        let keys = ["alarm", "level", "spare"].map(|name| forest.value(it, name).unwrap());
        seen.facts.push(format!("{it:?} {phase:?} {keys:?} {:?}", forest.last_outcome(it)));
    }
    seen.log = world.log;
    seen
}

fn plainly<T: Tracer>(forest: &mut Forest<Town, T>, world: &mut World, dt: f32, _: usize) -> TickReport {
    forest.tick(world, dt).unwrap()
}

/// Within a budget that is spent before all have had their turns.
fn frugally<T: Tracer>(forest: &mut Forest<Town, T>, world: &mut World, dt: f32, frame: usize) -> TickReport {
    let budget = [0, 17, 300, 900, u64::MAX][frame * 7 % 5];
    forest.tick_within(world, dt, Budget::Agents(budget)).unwrap()
}

/// The first difference, in words.
fn same(what: &str, seed: u64, one: &Seen, other: &Seen, conditions: bool) {
    let lines = |it: &Seen| it.log.iter().copied().filter(|it| conditions || it.2 != '?').collect::<Vec<_>>();
    let (one_log, other_log) = (lines(one), lines(other));
    if let Some(at) = (0..one_log.len().max(other_log.len())).find(|&at| one_log.get(at) != other_log.get(at)) {
        panic!("{what}, seed {seed}: callback {at} is {:?}, not {:?}", other_log.get(at), one_log.get(at));
    }
    assert_eq!(one.facts, other.facts, "{what}, seed {seed}");
}

#[cfg(feature = "rayon")]
fn on_threads(forest: &mut Forest<Town>, world: &mut World, dt: f32) -> TickReport {
    let from = World { log: Vec::new(), ..world.clone() };
    forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)).unwrap()
}

fn seeds() -> std::ops::Range<u64> {
    std::env::var("SEEDS").map_or(0..6, |all| 0..all.parse().unwrap())
}

#[test]
fn a_wild_life_is_the_same_without_sleep_with_every_condition_asked_and_with_tracers() {
    for seed in seeds() {
        let plain = live(seed, Life::Wild, Forest::new(seed), plainly);
        let mut forest = Forest::new(seed);
        forest.set_sleep(false);
        same("without sleep", seed, &plain, &live(seed, Life::Wild, forest, plainly), true);
        let mut forest = Forest::new(seed);
        forest.set_reevaluate_every_tick(true);
        same("every tick", seed, &plain, &live(seed, Life::Wild, forest, plainly), false);
        for third in [false, true] {
            let traced = live(seed, Life::Wild, Forest::with_tracer(seed, Some3rd(third)), plainly);
            same("traced", seed, &plain, &traced, true);
            assert_eq!(plain.reports, traced.reports, "{seed}");
        }
    }
}

#[test]
fn a_frugal_life_is_the_same_with_tracers_and_with_every_condition_asked() {
    for seed in seeds() {
        let plain = live(seed, Life::Wild, Forest::new(seed), frugally);
        let traced = live(seed, Life::Wild, Forest::with_tracer(seed, Some3rd(true)), frugally);
        same("traced", seed, &plain, &traced, true);
        assert_eq!(plain.reports, traced.reports, "{seed}");
        let restless = || {
            let mut forest = Forest::<Town>::new(seed);
            forest.set_sleep(false);
            forest
        };
        let plain = live(seed, Life::Wild, restless(), frugally);
        let mut forest = restless();
        forest.set_reevaluate_every_tick(true);
        same("every tick", seed, &plain, &live(seed, Life::Wild, forest, frugally), false);
    }
}

#[test]
fn a_quiet_life_is_the_same_within_a_budget_for_all_and_on_threads() {
    for seed in seeds() {
        let plain = live(seed, Life::Quiet, Forest::new(seed), plainly);
        let within = live(seed, Life::Quiet, Forest::<Town>::new(seed), |forest, world, dt, frame| {
            let budget = Budget::Agents(u64::MAX);
            if frame % 3 == 0 { forest.tick(world, dt) } else { forest.tick_within(world, dt, budget) }.unwrap()
        });
        same("within", seed, &plain, &within, true);
        assert_eq!(plain.reports, within.reports, "{seed}");
        #[cfg(feature = "rayon")]
        {
            let threads = live(seed, Life::Quiet, Forest::<Town>::new(seed), |forest, world, dt, _| {
                on_threads(forest, world, dt)
            });
            same("threads", seed, &plain, &threads, true);
            assert_eq!(plain.reports, threads.reports, "{seed}");
        }
    }
}

/// Agent by agent, each one's callbacks in their order.
fn by_agent(mut seen: Seen) -> Seen {
    seen.log.sort_by_key(|it| it.0);
    seen
}

#[test]
fn a_discreet_life_is_the_same_for_each_agent_in_groups() {
    for seed in seeds() {
        let life = |forest| by_agent(live(seed, Life::Discreet, forest, plainly));
        let grouped = || {
            let mut forest = Forest::<Town>::new(seed);
            forest.set_batched(true);
            forest
        };
        let plain = life(Forest::new(seed));
        let together = life(grouped());
        same("grouped", seed, &plain, &together, true);
        assert_eq!(plain.reports, together.reports, "{seed}");
        let mut forest = grouped();
        forest.set_sleep(false);
        same("grouped without sleep", seed, &plain, &life(forest), true);
        let mut forest = grouped();
        forest.set_reevaluate_every_tick(true);
        same("grouped every tick", seed, &plain, &life(forest), false);
        let within = by_agent(live(seed, Life::Discreet, grouped(), |forest, world, dt, _| {
            forest.tick_within(world, dt, Budget::Agents(u64::MAX)).unwrap()
        }));
        same("grouped within", seed, &plain, &within, true);
        #[cfg(feature = "rayon")]
        {
            let threads = live(seed, Life::Discreet, grouped(), |forest, world, dt, _| on_threads(forest, world, dt));
            same("grouped on threads", seed, &plain, &by_agent(threads), true);
        }
    }
}
