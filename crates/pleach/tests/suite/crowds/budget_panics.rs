//! Every ticked agent uses up budget, even one whose leaf panics, with and without batches and
//! tracers (SEMANTICS 8.4, 8.6, 8.11).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pleach_core::nodes::{action, idle, wait};
use pleach_core::{
    AgentId, Budget, Entity, Forest, Phase, Spawn, Status,
    nodes::Node,
    trace::{NoTracer, Recorder, Traced, Tracer},
};
use support::{Cx, Game, World, tree};

/// Logs the number of its agent. The agent whose number is the world's count panics; from 1 000 on
/// all do.
fn numbered() -> Node<Game> {
    action(|cx: &mut Cx<'_, '_>| {
        cx.host.log.push(cx.entity().to_bits().to_string());
        if cx.host.count >= 1000 || cx.host.count == cx.entity().to_bits() {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        Status::Running
    })
}

/// Numbered agents, from 1 on, that have had one tick.
fn forest(agents: u64, batched: bool, world: &mut World) -> (Forest<Game>, Vec<AgentId>) {
    let mut forest = Forest::new(0);
    forest.configure(|it| it.batched = batched);
    let id = forest.add_tree(tree(numbered())).unwrap();
    let spawn = |number| Spawn { entity: Entity::from_bits(number), ..Spawn::default() };
    let agents = (1..=agents).map(|it| forest.spawn_with(world, id, spawn(it)).unwrap()).collect();
    forest.tick(world, 0.1).unwrap();
    world.take();
    (forest, agents)
}

/// Which agents were ticked in a call with this budget.
fn ticked<T: Tracer>(forest: &mut Traced<'_, Forest<Game>, T>, world: &mut World, budget: Budget<'_>) -> Vec<u64> {
    let _ = catch_unwind(AssertUnwindSafe(|| forest.tick_within(world, 0.1, budget).unwrap()));
    world.take().iter().map(|it| it.parse().unwrap()).collect()
}

fn calls<T: Tracer>(agents: u64, batched: bool, panics: u64, budget: u64, tracer: &mut T) -> [Vec<u64>; 3] {
    let mut world = World::default();
    let (mut forest, _) = forest(agents, batched, &mut world);
    let mut forest = forest.traced(tracer);
    [panics, 0, 0].map(|count| {
        world.count = count;
        ticked(&mut forest, &mut world, Budget::Agents(budget))
    })
}

#[test]
fn a_budget_of_one_agent_ticks_one_agent_where_every_leaf_panics() {
    for batched in [true, false] {
        for (wanted, traced) in [(0, false), (0, true), (1, true)] {
            let told = if traced {
                let mut recorder = if wanted == 0 { Recorder::of([]) } else { Recorder::all() };
                calls(1000, batched, 1000, 1, &mut recorder)
            } else {
                calls(1000, batched, 1000, 1, &mut NoTracer)
            };
            assert_eq!(told, [vec![1], vec![2], vec![3]], "{batched} {wanted} {traced}");
        }
    }
}

#[test]
fn an_agent_that_panics_costs_a_budget_as_much_as_any_other_traced_or_not() {
    for agents in [15, 100] {
        for (panics, budget) in [(1, 2), (2, 2), (2, 3), (1, 1), (3, 5)] {
            let plain = calls(agents, true, panics, budget, &mut NoTracer);
            // With batches, the agents of the chunk that the budget allows still have their turns.
            let all: Vec<u64> = plain.iter().flatten().copied().collect();
            let order: Vec<u64> = (0..budget * 3).map(|it| it % agents + 1).collect();
            assert_eq!(all, order, "{agents} {panics} {budget}");
            assert!(plain.iter().all(|it| it.len() as u64 == budget), "{plain:?}");
            assert_eq!(calls(agents, true, panics, budget, &mut Recorder::all()), plain);
            assert_eq!(calls(agents, true, panics, budget, &mut Recorder::of([])), plain);
            // Without, the call ends with the agent that panics.
            let [first, second, _] = calls(agents, false, panics, budget, &mut NoTracer);
            assert_eq!(first, (1..=panics).collect::<Vec<_>>());
            assert_eq!(second[0], panics + 1);
            assert_eq!(calls(agents, false, panics, budget, &mut Recorder::all())[..2], [first, second]);
        }
    }
}

#[test]
fn agents_that_are_off_paused_or_asleep_cost_a_budget_nothing_beside_one_that_panics() {
    for batched in [true, false] {
        for traced in [false, true] {
            let mut world = World::default();
            let (mut forest, agents) = forest(60, batched, &mut world);
            for at in 0..20 {
                forest.agent_mut(agents[3 * at]).unwrap().pause(&mut world);
                forest.agent_mut(agents[3 * at + 1]).unwrap().disable(&mut world);
            }
            world.count = 3;
            let mut recorder = if traced { Recorder::all() } else { Recorder::of([]) };
            let mut forest = forest.traced(&mut recorder);
            let first = ticked(&mut forest, &mut world, Budget::Agents(5));
            let second = ticked(&mut forest, &mut world, Budget::Agents(5));
            let expected = if batched {
                [vec![3, 6, 9, 12, 15], vec![18, 21, 24, 27, 30]]
            } else {
                [vec![3], vec![6, 9, 12, 15, 18]]
            };
            assert_eq!([first, second], expected, "{batched} {traced}");
        }
    }
}

#[test]
fn a_budget_in_microseconds_is_spent_on_an_agent_that_panics() {
    for batched in [true, false] {
        let mut world = World { count: 1000, ..World::default() };
        let mut forest = Forest::<Game>::new(0);
        forest.configure(|it| it.batched = batched);
        let id = forest.add_tree(tree(numbered())).unwrap();
        for number in 1..=300 {
            forest.spawn_with(&mut world, id, Spawn { entity: Entity::from_bits(number), ..Spawn::default() }).unwrap();
        }
        let mut nobody = NoTracer;
        let mut forest = forest.traced(&mut nobody);
        // The clock is looked at once for each 64 agents; the first look finds the budget spent.
        let mut now = 0;
        let mut clock = || {
            now += 10;
            now
        };
        let told = ticked(&mut forest, &mut world, Budget::Micros(5, &mut clock));
        assert_eq!(told.len(), if batched { 64 } else { 1 }, "{batched}");
    }
}

#[test]
fn the_next_budget_begins_behind_the_last_agent_that_a_panicking_call_came_to() {
    // Agents 1 to 100 are in chunks of 40: (1..=40), (41..=80), (81..=100).
    for (batched, plain, begins) in [(true, true, 41), (false, true, 6), (true, false, 21), (false, false, 6)] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        forest.configure(|it| (it.batched, it.chunk_size) = (batched, 40));
        let id = forest.add_tree(tree(numbered())).unwrap();
        for number in 1..=100 {
            forest.spawn_with(&mut world, id, Spawn { entity: Entity::from_bits(number), ..Spawn::default() }).unwrap();
        }
        let mut nobody = NoTracer;
        let mut forest = forest.traced(&mut nobody);
        forest.tick(&mut world, 0.1).unwrap();
        world.take();
        world.count = 5;
        if plain {
            assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
            world.take();
        } else {
            ticked(&mut forest, &mut world, Budget::Agents(20));
        }
        world.count = 0;
        assert_eq!(ticked(&mut forest, &mut world, Budget::Agents(1)), [begins], "{batched} {plain}");
    }
}

#[test]
fn a_sleeper_that_is_looked_at_costs_a_budget_nothing() {
    // A sleeper of more than 31 seconds is looked at once in between.
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let sleepers = forest.add_tree(tree(wait(1000.0))).unwrap();
    let idlers = forest.add_tree(tree(idle())).unwrap();
    let id = forest.add_tree(tree(numbered())).unwrap();
    let asleep: Vec<_> = (0..20).map(|_| forest.spawn(&mut world, sleepers).unwrap()).collect();
    forest.spawn(&mut world, idlers).unwrap();
    for number in 1..=20 {
        forest.spawn_with(&mut world, id, Spawn { entity: Entity::from_bits(number), ..Spawn::default() }).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    assert!(asleep.iter().all(|it| forest.agent(*it).unwrap().phase() == Phase::Asleep));
    for frame in 0..4 {
        let dt = 32.0;
        let report = forest.tick_within(&mut world, dt, Budget::Agents(5)).unwrap();
        assert_eq!((report.ticked, report.asleep), (5, 21), "{frame}");
        let told: Vec<u64> = world.take().iter().map(|it| it.parse().unwrap()).collect();
        assert_eq!(told, (5 * frame + 1..=5 * frame + 5).collect::<Vec<_>>());
    }
}
