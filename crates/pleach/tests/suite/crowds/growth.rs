//! Chunks have only the room that their agents need: they grow when agents come, and return memory
//! when agents leave.

use crate::support;

use crate::dice::Dice;
use allocation_counter::measure;
use pleach_core::limits::MAX_NODES;
use pleach_core::nodes::{action_of, check, idle, parallel, selector, sequence, wait_ticks};
use pleach_core::{Action, AgentId, Context, Event, Forest, Key, Spawn, Status, Tree, TreeId};
use support::{Cx, Game, World, counting, tree};

/// Remembers in its state how often it was updated, and writes that to a key.
struct Counter(Key<i64>);

impl Action<Game> for Counter {
    type State = i64;
    fn update(&self, updates: &mut i64, cx: &mut Context<'_, '_, Game>) -> Status {
        *updates += 1;
        let (count, key) = (*updates, self.0);
        cx.set(key, count);
        Status::Running
    }
}

/// A tree whose agents have a value of every kind in their columns.
fn member() -> (Tree<Game>, Key<i64>, Key<[f32; 3]>, Key<bool>) {
    let mut builder = Tree::<Game>::builder("member");
    let (count, place) = (builder.key("count", 0_i64), builder.key("place", [0.0_f32; 3]));
    let flag = builder.key("flag", false);
    let flagged = sequence([check("flag"), wait_ticks(1)]).aborts(pleach_core::nodes::Abort::LOWER_PRIORITY);
    let tree = builder.build(selector([flagged, action_of(Counter(count))])).unwrap();
    (tree, count, place, flag)
}

#[expect(clippy::cast_precision_loss, reason = "there are few")]
fn place(number: usize) -> [f32; 3] {
    [number as f32, 0.5, -(number as f32)]
}

#[test]
fn a_forest_grows_to_a_hundred_thousand_and_back_and_its_memory_returns() {
    let (tree, count, at, _) = member();
    let (mut world, mut forest, mut tree_id) = (World::default(), Forest::<Game>::new(3), None);
    let mut agents: Vec<(AgentId, usize)> = Vec::with_capacity(100_000);
    let spawn = |forest: &mut Forest<Game>, tree: TreeId, number: usize, world: &mut World| {
        let agent = forest.spawn(world, tree).unwrap();
        forest.keys_mut(agent).unwrap().set(at, place(number));
        (agent, number)
    };
    let one = measure(|| {
        let tree = forest.add_tree(tree).unwrap();
        tree_id = Some(tree);
        agents.push(spawn(&mut forest, tree, 0, &mut world));
        forest.tick(&mut world, 0.1).unwrap();
    });
    let tree = tree_id.unwrap();
    assert!(one.bytes_current < 2_600, "{one:?}");
    let check = |forest: &Forest<Game>, agents: &[(AgentId, usize)], ticks: i64| {
        for &(agent, number) in agents {
            assert_eq!(forest.keys(agent).unwrap().get(at), place(number));
            let born = if number == 0 { 1 } else { 0 };
            assert_eq!(forest.keys(agent).unwrap().get(count), ticks + born, "{number}");
        }
    };
    let full = measure(|| {
        for number in 1..100_000 {
            agents.push(spawn(&mut forest, tree, number, &mut world));
        }
    });
    forest.tick(&mut world, 0.1).unwrap();
    check(&forest, &agents, 1);
    let mut dice = Dice(5);
    let less = measure(|| {
        while agents.len() > 1 {
            let (agent, _) = agents.swap_remove(1 + dice.below(agents.len() - 1));
            forest.agent_mut(agent).unwrap().despawn(&mut world);
            if agents.len().is_multiple_of(10_000) {
                check(&forest, &agents[..100], 1);
            }
        }
    });
    forest.tick(&mut world, 0.1).unwrap();
    check(&forest, &agents, 2);
    // The rest is the slot of each agent: ids are never reused.
    let kept = full.bytes_current + less.bytes_current;
    assert!(kept * 10 < full.bytes_current, "{kept} of {}", full.bytes_current);
    // And again, now that there are used slots.
    for number in 1..3_000 {
        agents.push(spawn(&mut forest, tree, number, &mut world));
    }
    for &(agent, number) in &agents[1..] {
        let keys = forest.keys(agent).unwrap();
        assert_eq!((keys.get(at), keys.get(count)), (place(number), 0));
    }
}

#[test]
fn agents_that_are_spawned_in_a_tick_grow_their_chunk_and_change_nobody() {
    let mut builder = Tree::<Game>::builder("cell");
    let (key, born) = (builder.key("number", 0_i64), builder.key("born", false));
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let own: std::sync::Arc<std::sync::OnceLock<TreeId>> = std::sync::Arc::default();
    let known = std::sync::Arc::clone(&own);
    let split = pleach_core::nodes::action(move |cx: &mut Cx<'_, '_>| {
        cx.set(born, true);
        cx.host.count += 1;
        let number = cx.get(key);
        cx.set(key, number + 1);
        if let Some(&tree) = known.get() {
            cx.spawn(tree, Spawn::default());
        }
        Status::Running
    });
    let tree = forest.add_tree(builder.build(split).unwrap()).unwrap();
    own.set(tree).unwrap();
    forest.spawn(&mut world, tree).unwrap();
    for generation in 0..12 {
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1 << generation);
        let mut numbers: Vec<i64> =
            forest.population(tree).unwrap().column(key).unwrap().flat_map(|it| it.1.to_vec()).collect();
        let expected: Vec<i64> =
            forest.population(tree).unwrap().agents().map(|it| forest.keys(it).unwrap().get(key)).collect();
        assert_eq!(numbers, expected);
        assert_eq!(numbers.len(), 2 << generation);
        numbers.sort_unstable();
        // Half of them have just been spawned, a quarter the tick before, and so on.
        for age in 0..=generation {
            let alive = numbers.iter().filter(|&&it| it == age).count();
            assert_eq!(alive, 1 << (generation - age), "generation {generation}, age {age}");
        }
    }
}

#[test]
fn a_tree_of_all_nodes_costs_its_only_agent_little() {
    let leaf = |_| counting(Status::Success);
    let stateless = tree(sequence((1..MAX_NODES).map(leaf)));
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let id = forest.add_tree(stateless).unwrap();
    let memory = measure(|| {
        forest.spawn(&mut world, id).unwrap();
    });
    assert!(memory.bytes_current < 2_000 && memory.count_current < 24, "{memory:?}");
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, MAX_NODES as u64 - 1);

    // With a state in each leaf, the states are the only cost.
    let mut builder = Tree::<Game>::builder("counters");
    let count = builder.key("count", 0_i64);
    let stateful = builder.build(parallel((1..MAX_NODES).map(|_| action_of(Counter(count))))).unwrap();
    let id = forest.add_tree(stateful).unwrap();
    let states = 8 * MAX_NODES as i64;
    let memory = measure(|| {
        forest.spawn(&mut world, id).unwrap();
    });
    // Beside them it has a stack per leaf.
    assert!((states..states + 4 * MAX_NODES as i64).contains(&memory.bytes_current), "{memory:?}");
    assert!(memory.count_current < 24, "{memory:?}");
}

#[test]
fn trees_come_and_go_in_their_order_and_leave_nothing_behind() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let idle = std::sync::Arc::new(tree(idle()));
    let add = |forest: &mut Forest<Game>, world: &mut World| {
        let id = forest.add_tree(std::sync::Arc::clone(&idle)).unwrap();
        (id, forest.spawn(world, id).unwrap())
    };
    let (mut model, mut dice) = (Vec::new(), Dice(1));
    let mut play = |steps: usize, most: usize| {
        for _ in 0..steps {
            if model.len() < most && dice.below(5) > 1 {
                model.push(add(&mut forest, &mut world));
            } else if !model.is_empty() {
                let (id, agent) = model.remove(dice.below(model.len()));
                forest.remove_tree(&mut world, id).unwrap();
                assert!(!forest.contains(agent) && forest.tree(id).is_err());
            }
            let ids: Vec<TreeId> = model.iter().map(|it| it.0).collect();
            assert!(forest.trees().eq(ids), "the order of adding");
        }
        assert_eq!(forest.len(), model.len());
        let report = forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(report.ticked + report.asleep, model.len() as u64);
    };
    play(600, 200);
    let memory = measure(|| {
        for _ in 0..20 {
            play(300, 100);
        }
    });
    assert!(memory.bytes_current < 64 * 1024, "{memory:?}");
}

#[test]
fn ten_thousand_trees_that_are_removed_leave_little_more_than_their_ids() {
    let idle = std::sync::Arc::new(tree(idle()));
    // The trees that stay: none, the first ones, and a few that were added last.
    for stay in [0..0, 0..10, 9_990..10_000] {
        let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
        let mut trees = Vec::with_capacity(10_000);
        let full = measure(|| {
            for _ in 0..10_000 {
                let id = forest.add_tree(std::sync::Arc::clone(&idle)).unwrap();
                trees.push((id, forest.spawn(&mut world, id).unwrap()));
            }
        });
        let mut order: Vec<usize> = (0..10_000).filter(|it| !stay.contains(it)).collect();
        let mut dice = Dice(7);
        let less = measure(|| {
            while !order.is_empty() {
                let number = order.swap_remove(dice.below(order.len()));
                forest.remove_tree(&mut world, trees[number].0).unwrap();
            }
        });
        // Ids are never reused: the slot of each tree and agent stays.
        let kept = full.bytes_current + less.bytes_current;
        // Trees that came last also hold the places of those before them.
        let most = if stay.start == 0 { 300_000 } else { full.bytes_current / 2 };
        assert!(kept < most, "{kept} of {}", full.bytes_current);
        let ids: Vec<TreeId> = trees[stay.clone()].iter().map(|it| it.0).collect();
        assert!(forest.trees().eq(ids));
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, stay.len() as u64);
        for (number, &(id, agent)) in trees.iter().enumerate() {
            assert_eq!(
                (forest.tree(id).is_ok(), forest.contains(agent)),
                (stay.contains(&number), stay.contains(&number))
            );
        }
    }
}

#[test]
fn chunks_behind_the_last_agent_go() {
    let (tree, count, _, _) = member();
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let tree = forest.add_tree(tree).unwrap();
    let agents: Vec<AgentId> = (0..5_000).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    let chunks = |forest: &Forest<Game>| forest.population(tree).unwrap().column(count).unwrap().count();
    assert_eq!(chunks(&forest), 5);
    // From the front: chunks without agents stay where they are, as there are agents after them.
    for &agent in &agents[..2_048] {
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    assert_eq!((chunks(&forest), forest.tick(&mut world, 0.1).unwrap().ticked), (5, 2_952));
    for &agent in &agents[2_048..] {
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    assert_eq!(chunks(&forest), 1);
    let again: Vec<AgentId> = (0..1_030).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    assert!(forest.population(tree).unwrap().agents().eq(again) && chunks(&forest) == 2);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1_030);
}

#[test]
fn an_inbox_gives_the_room_of_many_letters_back_when_few_come() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let tree = forest.add_tree(tree(counting(Status::Running))).unwrap();
    let agents: Vec<AgentId> = (0..1_000).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    for few in [0, 3] {
        let burst = measure(|| {
            for _ in 0..8 {
                forest.broadcast(Event::new("all")).unwrap();
            }
        });
        let quiet = measure(|| {
            for _ in 0..2_500 {
                agents[..few].iter().for_each(|&it| forest.agent_mut(it).unwrap().send(Event::new("one")).unwrap());
                forest.tick(&mut world, 0.1).unwrap();
            }
        });
        let kept = burst.bytes_current + quiet.bytes_current;
        assert!(burst.bytes_current > 300_000 && kept < 2_500, "{few}: {kept} of {}", burst.bytes_current);
    }
}

#[test]
fn an_inbox_of_one_agent_gives_room_back_too() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let tree = forest.add_tree(tree(counting(Status::Running))).unwrap();
    forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    let burst = measure(|| (0..8_000).for_each(|_| forest.broadcast(Event::new("all")).unwrap()));
    forest.tick(&mut world, 0.1).unwrap();
    let quiet = measure(|| (0..200).for_each(|_| _ = forest.tick(&mut world, 0.1).unwrap()));
    let (sent, back) = (burst.bytes_current, -quiet.bytes_current);
    assert!(sent > 300_000 && back >= sent - 1_000, "{back} of {sent}");
}
