//! Random forests whose trees are replaced while they live. With the same tree, each agent must do
//! what it would have done after a restart. With another one, each must do what an agent of that
//! tree would do that was spawned with the same keys, events and random stream.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{force_success, sequence};
use pleach_core::{
    AgentId, Completion, Forest, Phase, Replace, Spawn, Tree, TreeId,
    trace::{NoTracer, Recorder, TraceEntry, Traced, Tracer},
};

use crate::harness::{self, Call, Dice, Fact, Line, Mode, Town, World, call, fact, same, seeds};

const MODE: Mode = harness::REPLACED;

/// In half of the lives agents are added and removed, and panic.
const WILD: Mode = harness::REPLACED.calling(&[
    (Call::Alarm, 1),
    (Call::AnyLevel, 2),
    (Call::Send, 2),
    (Call::Pause, 1),
    (Call::Unpause, 2),
    (Call::Enable, 1),
    (Call::Disable, 1),
    (Call::Despawn, 1),
    (Call::Rate, 1),
    (Call::Boom, 1),
    (Call::Spawn, 1),
]);

/// A world that notes the states of random streams.
fn world() -> World {
    World { streams: true, ..World::default() }
}

/// A tree with a leaf that notes every awake. Its keys come in a random order, among others.
fn build(dice: &mut Dice) -> Tree<Town> {
    let (pads, depth) = (dice.below(3), dice.below(4));
    let root = |keys| {
        let first = harness::hooked(&MODE, keys, 0.0);
        sequence([force_success(first), harness::node(dice, &MODE, keys, depth, true, false)])
    };
    harness::build(pads, false, root).0
}

/// Something happens to an agent, if there is one.
fn meddle<T: Tracer>(
    dice: &mut Dice,
    forest: &mut Traced<'_, Forest<Town>, T>,
    world: &mut World,
    tree: TreeId,
    wild: bool,
) {
    let agents: Vec<_> = forest.population(tree).unwrap().agents().collect();
    let Some(&it) = agents.get(dice.below(agents.len().max(1))) else { return };
    let what = if wild { &WILD } else { &MODE }.call(dice, false);
    call(forest, world, it, tree, what);
}

/// Plays frames, each with some interference. Times are sums of powers of two, so that differences
/// of them are exact.
fn play<T: Tracer>(
    dice: &mut Dice,
    forest: &mut Traced<'_, Forest<Town>, T>,
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

/// The observable state of the agents, except for the last abort, which may have been under another
/// tree.
fn facts(forest: &Forest<Town>, tree: TreeId) -> Vec<Fact> {
    let fact = |it| Fact { last_abort: None, ..fact(forest, it).expect("it is there").awake() };
    forest.population(tree).unwrap().agents().map(fact).collect()
}

#[test]
fn replacing_a_tree_by_itself_is_restarting_all_its_agents() {
    for seed in seeds(100) {
        let life = |replace: bool| {
            let (mut dice, mut world, mut forest) = (Dice(seed), world(), Forest::<Town>::new(seed));
            let mut none = NoTracer;
            let mut forest = forest.traced(&mut none);
            // A restart leaves other marks than a new tree does, and thus other batches.
            forest.configure(|it| it.batched = false);
            let shape = dice.below(1 << 30) as u64;
            let tree = forest.add_tree(build(&mut Dice(shape))).unwrap();
            for _ in 0..[3, 40, 700][dice.below(3)] {
                forest.spawn(&mut world, tree).unwrap();
            }
            for _ in 0..3 {
                let frames = dice.below(12);
                play(&mut dice, &mut forest, &mut world, tree, frames, true);
                // Requests made before a panic are carried out by the next call: before all this,
                // in both lives.
                let late = forest.spawn_with(&mut world, tree, Spawn { enabled: false, ..Spawn::default() }).unwrap();
                forest.agent_mut(late).unwrap().despawn(&mut world);
                // These calls are in another order, and the ends have another reason.
                let before = world.log.len();
                if replace {
                    forest.replace_tree(&mut world, tree, Replace::restart(build(&mut Dice(shape)))).unwrap();
                } else {
                    for agent in forest.population(tree).unwrap().agents().collect::<Vec<_>>() {
                        let phase = forest.agent(agent).unwrap().phase();
                        if matches!(phase, Phase::Active | Phase::Asleep | Phase::Paused) {
                            forest.agent_mut(agent).unwrap().restart(&mut world);
                        }
                        if phase == Phase::Paused {
                            forest.agent_mut(agent).unwrap().pause(&mut world);
                        }
                    }
                }
                for it in world.log[before..].iter_mut().filter(|it| it.what == 'X') {
                    it.what = 'x';
                }
                world.log[before..].sort_by_key(|it| (it.what == 'a', it.agent));
            }
            play(&mut dice, &mut forest, &mut world, tree, 12, true);
            (world.log, facts(&forest, tree))
        };
        let (one, other) = (life(false), life(true));
        same("callbacks", seed, &one.0, &other.0);
        same("agents", seed, &one.1, &other.1);
    }
}

/// What is traced: nothing, or everything.
trait Take: Tracer {
    /// Whether agents that have nothing to do are left alone: writing a key that an agent has not
    /// looked at yet wakes it once, and a trace shows that.
    const SLEEP: bool;
    fn new() -> Self;
    fn taken(&mut self) -> Vec<TraceEntry>;
}

impl Take for NoTracer {
    const SLEEP: bool = true;
    fn new() -> Self {
        NoTracer
    }
    fn taken(&mut self) -> Vec<TraceEntry> {
        Vec::new()
    }
}

impl Take for Recorder {
    const SLEEP: bool = false;
    fn new() -> Self {
        Recorder::all()
    }
    fn taken(&mut self) -> Vec<TraceEntry> {
        self.take()
    }
}

/// Agent by agent, each one's in their order: a replacement leaves other marks than a spawn does,
/// and thus other batches.
fn by_place<L>(mut list: Vec<L>, place: impl Fn(&L) -> usize) -> Vec<L> {
    list.sort_by_key(place);
    list
}

fn after_a_replacement_agents_are_as_new<T: Take>(seed: u64) {
    let (mut dice, mut world, mut forest) = (Dice(seed), world(), Forest::new(seed));
    let [mut tracer, mut new_tracer] = [T::new(), T::new()];
    let mut forest = forest.traced(&mut tracer);
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
        forest.agent_mut(it).unwrap().enable(&mut world);
    }
    world.log.clear();
    forest.tracer().taken();
    let shape = dice.below(1 << 30) as u64;
    forest.replace_tree(&mut world, tree, Replace::restart(build(&mut Dice(shape)))).unwrap();
    world.log.retain(|it| !"xX".contains(it.what));
    forest.tracer().taken();
    // An awake notes the state of the agent's random stream, and its own time.
    let stream = |it| world.log.iter().find(|line| line.agent == it).expect("all are enabled").stream;
    let births: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().inspect().time).collect();

    let (mut new_world, mut new) = (World { mood: world.mood, ..self::world() }, Forest::new(1));
    let mut new = new.traced(&mut new_tracer);
    let new_tree = new.add_tree(build(&mut Dice(shape))).unwrap();
    let twins: Vec<_> = agents
        .iter()
        .enumerate()
        .map(|(at, &it)| {
            let completion = if at % 4 == 3 { Completion::Stop } else { Completion::Restart };
            let spawn = Spawn { completion, seed: Some(stream(it)), enabled: false, ..Spawn::default() };
            let twin = new.spawn_with(&mut new_world, new_tree, spawn).unwrap();
            let view = forest.agent(it).unwrap().inspect();
            for (key, value) in &view.keys {
                let mut keys = new.keys_mut(twin).unwrap();
                match key.node().filter(|_| key.name() == "own") {
                    Some(node) => keys.set_value(view.tree.key_index_at(node, "own").unwrap(), *value),
                    None => keys.set_value(key.name(), *value),
                }
                .unwrap();
            }
            new.agent_mut(twin).unwrap().enable(&mut new_world);
            if view.phase == Phase::Paused {
                new.agent_mut(twin).unwrap().pause(&mut new_world);
            }
            for event in view.mail {
                new.agent_mut(twin).unwrap().send(event).unwrap();
            }
            twin
        })
        .collect();

    forest.configure(|it| it.sleep = T::SLEEP);
    new.configure(|it| it.sleep = T::SLEEP);
    forest.configure(|it| it.reevaluate_every_tick = !T::SLEEP);
    new.configure(|it| it.reevaluate_every_tick = !T::SLEEP);
    let second = dice.below(1 << 30) as u64;
    play(&mut Dice(second), &mut forest, &mut world, tree, 14, false);
    play(&mut Dice(second), &mut new, &mut new_world, new_tree, 14, false);
    let place = |list: &[AgentId], id| list.iter().position(|&it| it == id).expect("it was spawned");
    // The times of the twins are those since they were spawned.
    let lines = |log: &[Line], list: &[AgentId], births: &[f64]| -> Vec<_> {
        let line = |it: &Line| {
            let at = place(list, it.agent);
            let birth = births.get(at).copied().filter(|_| it.node > 0 || it.what != 'v').unwrap_or(0.0);
            (at, it.node, it.what, it.time - birth, it.dt, it.stream)
        };
        by_place(log.iter().map(line).collect(), |it| it.0)
    };
    let old_lines = lines(&world.log, &agents, &births);
    same("callbacks", seed, &lines(&new_world.log, &twins, &[]), &old_lines);
    let traced = |taken: Vec<TraceEntry>, list: &[AgentId]| -> Vec<_> {
        by_place(taken.into_iter().map(|it| (place(list, it.agent), format!("{:?}", it.event))).collect(), |it| it.0)
    };
    let old_trace = traced(forest.tracer().taken(), &agents);
    same("trace", seed, &traced(new.tracer().taken(), &twins), &old_trace);
    // Except how a root ended under the old tree, which only the one remembers.
    let [new_facts, old_facts] = [facts(&new, new_tree), facts(&forest, tree)]
        .map(|it| -> Vec<_> { it.into_iter().map(|it| Fact { time: 0.0, last_outcome: None, ..it }).collect() });
    same("agents", seed, &new_facts, &old_facts);
}

#[test]
fn after_a_replacement_agents_live_as_those_spawned_anew() {
    for seed in seeds(100) {
        after_a_replacement_agents_are_as_new::<NoTracer>(seed);
        after_a_replacement_agents_are_as_new::<Recorder>(seed);
    }
}
