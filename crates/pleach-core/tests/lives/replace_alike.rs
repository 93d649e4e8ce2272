//! Random forests whose trees are replaced while they live. By the same tree: then everybody does
//! what they would have done after a restart. By another one: then everybody does what an agent of
//! that tree would do that was spawned with the same keys, events and random stream.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pleach_core::{
    Abort, Action, AgentId, Completion, Context, End, Event, Forest, Host, HostLeaf, Key, NoTracer, Node, Outcome,
    Phase, Rate, Recorder, Spawn, Status, TraceEvent, Tracer, Tree, TreeId, check, condition, cooldown, delay,
    force_success, guard, idle, inverter, limit, on_event, parallel, probability, random_selector, random_sequence,
    reactive_selector, repeat, selector, sequence, set, timeout, utility_selector, wait, wait_ticks, wait_until,
};
use support::Dice;

struct Town;

/// A callback: whose, of which node, which, when, the time since the last tick, and the state of
/// the random stream.
type Line = (AgentId, usize, char, f64, f32, u64);

#[derive(Default)]
struct World {
    log: Vec<Line>,
    mood: usize,
}

impl Host for Town {
    type Cx<'a> = World;
}

type Cx<'a, 'h> = Context<'a, 'h, Town>;

fn note(what: char, cx: &mut Cx<'_, '_>) {
    // It shows nothing else: the only number there is.
    let state: String = format!("{:?}", cx.rng()).chars().filter(char::is_ascii_digit).collect();
    let state = state.strip_prefix("64").expect("`SplitMix64 { x: .. }`").parse().expect("a number");
    let line = (cx.agent(), cx.node().index(), what, cx.time(), cx.dt(), state);
    cx.host.log.push(line);
}

/// Remembers how often it was updated; writes keys, panics when it is told to; what it says is
/// drawn by lot.
struct Work {
    level: Key<i64>,
    alarm: Key<bool>,
    steady: f64,
}

impl Action<Town> for Work {
    type State = u32;
    fn awake(&self, count: &mut u32, cx: &mut Cx<'_, '_>) {
        // What a restart leaves there.
        *count = 0;
        note('a', cx);
    }
    fn start(&self, _: &mut u32, cx: &mut Cx<'_, '_>) {
        note('s', cx);
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        note('u', cx);
        *count += 1;
        if cx.event("boom").is_some() {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        let lot = cx.random();
        match (cx.random() * 100.0).floor() {
            ..20.0 => drop(cx.set(self.level, (cx.get(self.level) + i64::from(*count)) % 5)),
            ..30.0 => drop(cx.set(self.alarm, lot < 0.5)),
            ..32.0 => cx.restart(),
            ..33.0 => cx.stop(),
            ..36.0 => cx.send(cx.agent(), Event::new("hey")),
            _ => {}
        }
        match lot {
            _ if lot < self.steady => Status::Running,
            _ if lot < (1.0 + self.steady) / 2.0 => Status::Success,
            _ => Status::Failure,
        }
    }
    fn end(&self, _: &mut u32, cx: &mut Cx<'_, '_>, end: End) {
        note(if matches!(end, End::Aborted(_)) { 'x' } else { 'd' }, cx);
    }
    fn pause(&self, _: &mut u32, cx: &mut Cx<'_, '_>, paused: bool) {
        note(if paused { 'p' } else { 'g' }, cx);
    }
}

fn node(dice: &mut Dice, keys: (Key<i64>, Key<bool>), depth: usize) -> Node<Town> {
    let work = |steady| HostLeaf::action(Work { level: keys.0, alarm: keys.1, steady }).into();
    if depth == 0 {
        return match dice.below(12) {
            0..=4 => work(0.7),
            5 => wait([0.25, 0.75, 40.0][dice.below(3)]),
            6 => idle(),
            7 => wait_ticks(2),
            8 => wait_until("level == 4 || alarm"),
            9 => sequence([set("level", "(level + 1) % 5"), set("own", "own + 1"), check("own > 2")])
                .with_key("own", 0_i64),
            10 => probability(0.5, work(0.9)),
            _ => sequence([work(0.0), work(0.9)]),
        };
    }
    let abort = [Abort::SELF, Abort::LOWER_PRIORITY, Abort::SELF | Abort::LOWER_PRIORITY][dice.below(3)];
    let ask = |dice: &mut Dice| match dice.below(4) {
        0 => check("alarm"),
        1 => check("level > 2 || alarm"),
        2 => on_event("hey", None),
        _ => condition(|cx: &mut Cx<'_, '_>| cx.host.mood % (3 + cx.node().index()) == 1).into(),
    };
    let sub = |dice: &mut Dice| node(dice, keys, depth - 1);
    match dice.below(17) {
        0..=4 => selector([sequence([ask(dice), sub(dice)]).aborts(abort), sub(dice), sub(dice)]),
        5 => sequence([sub(dice), ask(dice), sub(dice)]).aborts(abort),
        6 => guard("level != 3", sub(dice)),
        7 => timeout(0.875, Outcome::Success, sub(dice)),
        8 => delay(0.25, sub(dice)),
        9 => parallel([sub(dice), sub(dice)]),
        10 => reactive_selector([sequence([ask(dice), sub(dice)]), sub(dice)]),
        11 => utility_selector(dice.below(2) == 0, [("level", sub(dice)), ("2", sub(dice))]),
        12 => sequence([sub(dice), sub(dice)])
            .with_service(0.25, HostLeaf::action(Work { level: keys.0, alarm: keys.1, steady: 0.5 })),
        13 => random_selector(None, [sub(dice), sub(dice)]),
        14 => random_sequence(Some(vec![1.0, 3.0]), [cooldown(0.5, sub(dice)), limit(3, Outcome::Success, sub(dice))]),
        15 => repeat(3, sub(dice)),
        _ => sequence([force_success(sub(dice)), inverter(sub(dice)), sub(dice)]),
    }
}

/// A tree with a leaf that tells of every awake. Its keys come in a random order, among others.
fn build(dice: &mut Dice) -> Tree<Town> {
    let mut builder = Tree::<Town>::builder("life");
    for number in 0..dice.below(3) {
        builder.key(&format!("pad{number}"), 0_i64);
    }
    let keys = (builder.key("level", 0_i64), builder.key("alarm", false));
    let depth = dice.below(4);
    let first = HostLeaf::action(Work { level: keys.0, alarm: keys.1, steady: 0.0 });
    let root = sequence([force_success(first.into()), node(dice, keys, depth)]);
    builder.build(root).expect("a valid tree")
}

/// Something happens to a forest, to somebody of it, or not.
fn meddle<T: Tracer>(dice: &mut Dice, forest: &mut Forest<Town, T>, world: &mut World, tree: TreeId, wild: bool) {
    let agents: Vec<_> = forest.agents(tree).unwrap().collect();
    let Some(&it) = agents.get(dice.below(agents.len().max(1))) else { return };
    match dice.below(if wild { 14 } else { 9 }) {
        0 => forest.set_value(it, "alarm", dice.below(2) == 0).map(drop).unwrap(),
        1 | 2 => forest.set_value(it, "level", i64::try_from(dice.below(5)).unwrap()).map(drop).unwrap(),
        3 | 4 => forest.send(it, Event::new("hey")).unwrap(),
        5 => forest.pause(world, it).unwrap(),
        6 | 7 => forest.unpause(world, it).unwrap(),
        8 => forest.enable(world, it).unwrap(),
        9 => forest.disable(world, it).unwrap(),
        10 => forest.despawn(world, it).unwrap(),
        11 => forest.set_rate(it, [Rate::EVERY_FRAME, Rate::every(3).unwrap()][dice.below(2)]).unwrap(),
        12 => forest.send(it, Event::new("boom")).unwrap(),
        _ => drop(forest.spawn(world, tree).unwrap()),
    }
}

/// Plays frames, each with some meddling. Times are sums of powers of two, so that differences of
/// them are exact.
fn play<T: Tracer>(
    dice: &mut Dice,
    forest: &mut Forest<Town, T>,
    world: &mut World,
    tree: TreeId,
    frames: usize,
    wild: bool,
) {
    for _ in 0..frames {
        for _ in 0..6 {
            meddle(dice, forest, world, tree, wild);
        }
        world.mood = dice.below(1000);
        let dt = [0.0, 0.125, 0.0625, 0.0625, 0.25, 32.0][dice.below(6)];
        let panicked = catch_unwind(AssertUnwindSafe(|| forest.tick(world, dt).unwrap())).is_err();
        assert!(wild || !panicked);
    }
}

/// What can be seen of the agents from outside.
fn facts<T: Tracer>(forest: &Forest<Town, T>, tree: TreeId) -> Vec<String> {
    let awake = |it| if it == Phase::Asleep { Phase::Active } else { it };
    let fact = |it| {
        let view = forest.inspect(it).unwrap();
        let keys: Vec<_> = view.keys.iter().map(|it| it.1).collect();
        format!("{:?} {:?} {keys:?} {:?} {:?}", awake(view.phase), view.stacks, view.mail, view.last_outcome)
    };
    forest.agents(tree).unwrap().map(fact).collect()
}

fn same<L: PartialEq + std::fmt::Debug>(seed: u64, one: &[L], other: &[L]) {
    let end = one.len().max(other.len());
    if let Some(at) = (0..end).find(|&at| one.get(at) != other.get(at)) {
        panic!("seed {seed}: {at} of {end} is {:?}, not {:?}", other.get(at), one.get(at));
    }
}

#[test]
fn replacing_a_tree_by_itself_is_restarting_all_its_agents() {
    for seed in 0..100 {
        let life = |replace: bool| {
            let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::<Town>::new(seed));
            let shape = dice.below(1 << 30) as u64;
            let tree = forest.add_tree(build(&mut Dice(shape))).unwrap();
            for _ in 0..[3, 40, 700][dice.below(3)] {
                forest.spawn(&mut world, tree).unwrap();
            }
            for _ in 0..3 {
                let frames = dice.below(12);
                play(&mut dice, &mut forest, &mut world, tree, frames, true);
                // What was requested before a panic is carried out by the next call: before all
                // this, in both lives.
                let late = forest.spawn_with(&mut world, tree, Spawn { off: true, ..Spawn::default() }).unwrap();
                forest.despawn(&mut world, late).unwrap();
                // The order of these calls is another one, and what ends says another reason.
                let before = world.log.len();
                if replace {
                    forest.replace_tree(&mut world, tree, build(&mut Dice(shape))).unwrap();
                } else {
                    for agent in forest.agents(tree).unwrap().collect::<Vec<_>>() {
                        let phase = forest.phase(agent).unwrap();
                        if matches!(phase, Phase::Active | Phase::Asleep | Phase::Paused) {
                            forest.restart(&mut world, agent).unwrap();
                        }
                        if phase == Phase::Paused {
                            forest.pause(&mut world, agent).unwrap();
                        }
                    }
                }
                world.log[before..].sort_by_key(|it| (it.2 == 'a', it.0));
            }
            play(&mut dice, &mut forest, &mut world, tree, 12, true);
            (world.log, facts(&forest, tree))
        };
        let (one, other) = (life(false), life(true));
        same(seed, &one.0, &other.0);
        same(seed, &one.1, &other.1);
    }
}

/// What is traced: nothing, or everything.
trait Take: Tracer {
    /// Whether agents are left alone that have nothing to do: writing a key that an agent has not
    /// looked at yet wakes it once, and a trace shows that.
    const SLEEP: bool;
    fn new() -> Self;
    fn taken(&mut self) -> Vec<(AgentId, TraceEvent)>;
}

impl Take for NoTracer {
    const SLEEP: bool = true;
    fn new() -> Self {
        NoTracer
    }
    fn taken(&mut self) -> Vec<(AgentId, TraceEvent)> {
        Vec::new()
    }
}

impl Take for Recorder {
    const SLEEP: bool = false;
    fn new() -> Self {
        Recorder::all()
    }
    fn taken(&mut self) -> Vec<(AgentId, TraceEvent)> {
        self.take()
    }
}

fn after_a_replacement_agents_are_as_new<T: Take>(seed: u64) {
    let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::with_tracer(seed, T::new()));
    let tree = forest.add_tree(build(&mut dice)).unwrap();
    let agents: Vec<_> = (0..[2, 9, 600][dice.below(3)])
        .map(|at| {
            let completion = if at % 4 == 3 { Completion::Stop } else { Completion::Restart };
            forest.spawn_with(&mut world, tree, Spawn { completion, ..Spawn::default() }).unwrap()
        })
        .collect();
    let frames = dice.below(12);
    play(&mut dice, &mut forest, &mut world, tree, frames, false);
    for &it in &agents {
        forest.enable(&mut world, it).unwrap();
    }
    world.log.clear();
    forest.tracer_mut().taken();
    let shape = dice.below(1 << 30) as u64;
    forest.replace_tree(&mut world, tree, build(&mut Dice(shape))).unwrap();
    world.log.retain(|it| it.2 != 'x');
    forest.tracer_mut().taken();
    // An awake tells where the agent's random stream is, and its own time.
    let stream = |it| world.log.iter().find(|line| line.0 == it).expect("all are enabled").5;
    let births: Vec<_> = agents.iter().map(|&it| forest.inspect(it).unwrap().time).collect();

    let (mut new_world, mut new) = (World { mood: world.mood, ..World::default() }, Forest::with_tracer(1, T::new()));
    let new_tree = new.add_tree(build(&mut Dice(shape))).unwrap();
    let twins: Vec<_> = agents
        .iter()
        .enumerate()
        .map(|(at, &it)| {
            let completion = if at % 4 == 3 { Completion::Stop } else { Completion::Restart };
            let spawn = Spawn { completion, seed: Some(stream(it)), off: true, ..Spawn::default() };
            let twin = new.spawn_with(&mut new_world, new_tree, spawn).unwrap();
            let view = forest.inspect(it).unwrap();
            for (key, value) in &view.keys {
                let own = key.node().filter(|_| key.name() == "own");
                match own {
                    Some(node) => new.set_value_at(twin, node, "own", *value),
                    None => new.set_value(twin, key.name(), *value),
                }
                .unwrap();
            }
            new.enable(&mut new_world, twin).unwrap();
            if view.phase == Phase::Paused {
                new.pause(&mut new_world, twin).unwrap();
            }
            for event in view.mail {
                new.send(twin, event).unwrap();
            }
            twin
        })
        .collect();

    forest.set_sleep(T::SLEEP);
    new.set_sleep(T::SLEEP);
    forest.set_reevaluate_every_tick(!T::SLEEP);
    new.set_reevaluate_every_tick(!T::SLEEP);
    let second = dice.below(1 << 30) as u64;
    play(&mut Dice(second), &mut forest, &mut world, tree, 14, false);
    play(&mut Dice(second), &mut new, &mut new_world, new_tree, 14, false);
    let place = |list: &[AgentId], id| list.iter().position(|&it| it == id).expect("it was spawned");
    let old_lines = world.log.iter().map(|it| {
        let at = place(&agents, it.0);
        (at, it.1, it.2, it.3 - births[at], it.4, it.5)
    });
    let old_lines: Vec<_> = old_lines.collect();
    let new_lines: Vec<_> =
        new_world.log.iter().map(|it| (place(&twins, it.0), it.1, it.2, it.3, it.4, it.5)).collect();
    same(seed, &new_lines, &old_lines);
    let traced = |taken: Vec<(AgentId, TraceEvent)>, list: &[AgentId]| -> Vec<_> {
        taken.into_iter().map(|it| format!("{} {:?}", place(list, it.0), it.1)).collect()
    };
    let old_trace = traced(forest.tracer_mut().taken(), &agents);
    same(seed, &traced(new.tracer_mut().taken(), &twins), &old_trace);
    // Not how a root ended under the old tree, which only the one remembers.
    let facts = [facts(&new, new_tree), facts(&forest, tree)];
    let [new_facts, old_facts] =
        facts.map(|it| -> Vec<_> { it.into_iter().map(|it| it.rsplit_once(' ').map(|it| it.0.to_owned())).collect() });
    same(seed, &new_facts, &old_facts);
}

#[test]
fn after_a_replacement_agents_live_as_those_spawned_anew() {
    for seed in 0..100 {
        after_a_replacement_agents_are_as_new::<NoTracer>(seed);
        after_a_replacement_agents_are_as_new::<Recorder>(seed);
    }
}
