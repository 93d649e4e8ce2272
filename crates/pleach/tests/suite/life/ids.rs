//! Ids: stale ones are errors, and a long random life of a forest agrees with a plain model of it.

use crate::support;

use std::collections::HashMap;

use crate::dice::Dice;
use pleach_core::nodes::action;
use pleach_core::{
    AgentId, Event, Forest, GroupId, Key, Phase, Spawn, Status, Tree, TreeId,
    error::{SpawnError, StaleError},
    trace::Recorder,
};
use support::{Cx, Game, World, alone, counting, tree};

#[test]
fn every_call_refuses_a_stale_agent() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("t");
    let key = builder.key("key", 0_i64);
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(builder.build(counting(Status::Running)).unwrap()).unwrap();
    let gone = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(gone).unwrap().despawn(&mut world);
    // The new agent has the old one's place, but the old one's id stays stale.
    let here = forest.spawn(&mut world, id).unwrap();
    for agent in [gone, AgentId::default()] {
        let stale = Err(StaleError::Agent(agent));
        assert!(!forest.contains(agent));
        assert_eq!(forest.agent(agent).map(drop), stale);
        assert_eq!(forest.agent_mut(agent).map(drop), stale);
        assert_eq!(forest.traced(&mut Recorder::all()).agent_mut(agent).map(drop), stale);
        assert_eq!(forest.keys(agent).map(drop), stale);
        assert_eq!(forest.keys_mut(agent).map(drop), stale);
    }
    assert_eq!((forest.keys(here).unwrap().get(key), forest.len()), (0, 1));
}

#[test]
fn stale_trees_and_groups_are_errors() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let nowhere = TreeId::default();
    assert_eq!(forest.spawn(&mut world, nowhere), Err(SpawnError::Stale(StaleError::Tree(nowhere))));
    let stale = Err(StaleError::Tree(nowhere));
    assert_eq!(forest.tree(nowhere).map(drop), stale);
    assert_eq!(forest.population(nowhere).map(drop), stale);
    assert_eq!(forest.population_mut(nowhere).map(drop), stale);
    assert_eq!(forest.remove_tree(&mut world, nowhere), stale);
    let id = forest.add_tree(tree(counting(Status::Running))).unwrap();
    let group = GroupId::default();
    let spawn = Spawn { group: Some(group), ..Spawn::default() };
    assert_eq!(forest.spawn_with(&mut world, id, spawn), Err(SpawnError::Stale(StaleError::Group(group))));
    assert_eq!(forest.group(group).map(drop), Err(StaleError::Group(group)));
    assert_eq!(forest.group_mut(group).map(drop), Err(StaleError::Group(group)));
    assert_eq!(forest.len(), 0);
}

#[test]
fn an_id_that_another_forest_never_had_is_refused() {
    let mut world = World::default();
    let (mut other, _) = alone(counting(Status::Running), &mut world);
    let id = other.trees().next().unwrap();
    let foreign = other.spawn(&mut world, id).unwrap();
    let (mut forest, _) = alone(counting(Status::Running), &mut world);
    assert_eq!(forest.agent_mut(foreign).map(|it| it.despawn(&mut world)), Err(StaleError::Agent(foreign)));
}

#[test]
fn many_lives_in_one_place_have_as_many_ids() {
    let mut world = World::default();
    let (mut forest, first) = alone(counting(Status::Running), &mut world);
    let id = forest.trees().next().unwrap();
    let mut seen = std::collections::HashSet::from([first]);
    let mut last = first;
    for _ in 0..20_000 {
        forest.agent_mut(last).unwrap().despawn(&mut world);
        last = forest.spawn(&mut world, id).unwrap();
        assert!(seen.insert(last));
    }
    assert!(!forest.contains(first));
}

/// What the model knows about an agent.
#[derive(Debug)]
struct Model {
    tree: usize,
    value: i64,
    state: u64,
    mail: Vec<i64>,
    heard: i64,
    phase: Phase,
    sum: u64,
}

/// The result depends on the order of the events.
fn hear(all: i64, event: i64) -> i64 {
    (all * 3 + event) % 1_000_003
}

/// A leaf with a state: counts its updates, and adds up the events that it gets.
struct Counter(Key<i64>);

impl pleach_core::Action<Game> for Counter {
    type State = u64;
    fn awake(&self, state: &mut u64, _: &mut Cx<'_, '_>) {
        *state = 0;
    }
    fn update(&self, state: &mut u64, cx: &mut Cx<'_, '_>) -> Status {
        *state += 1;
        let heard: i64 = cx.events().filter_map(Event::payload::<i64>).fold(cx.get(self.0), hear);
        cx.set(self.0, heard);
        cx.host.log.push(format!("{:?} {state}", cx.agent()));
        Status::Running
    }
}

#[test]
fn a_long_random_life_agrees_with_a_plain_model() {
    let mut dice = Dice(7);
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(7);
    let mut trees = Vec::new();
    for _ in 0..3 {
        let mut builder = Tree::<Game>::builder("t");
        let value = builder.key("value", 0_i64);
        let heard = builder.key("heard", 0_i64);
        let root = pleach_core::nodes::parallel([
            pleach_core::nodes::action_of(Counter(heard)),
            action(|_: &mut Cx<'_, '_>| Status::Running),
        ]);
        trees.push((forest.add_tree(builder.build(root).unwrap()).unwrap(), value, heard));
    }
    let mut model: HashMap<AgentId, Model> = HashMap::new();
    let mut order: Vec<AgentId> = Vec::new();
    let mut gone: Vec<AgentId> = Vec::new();
    for step in 0..12_000_i64 {
        // The forest grows at first, then its size goes up and down. A few thousand agents are two
        // chunks per tree.
        let spawns = if step < 8000 { 12 } else { 3 };
        let agent = (!order.is_empty()).then(|| order[dice.below(order.len())]);
        match (dice.below(20), agent) {
            (roll, agent) if roll < spawns || agent.is_none() => {
                let tree = dice.below(3);
                let agent = forest.spawn(&mut world, trees[tree].0).unwrap();
                let fresh =
                    Model { tree, value: 0, state: 0, mail: Vec::new(), heard: 0, phase: Phase::Active, sum: 0 };
                assert!(model.insert(agent, fresh).is_none());
                order.push(agent);
            }
            (7..=9, Some(agent)) => {
                forest.agent_mut(agent).unwrap().despawn(&mut world);
                model.remove(&agent);
                order.retain(|&it| it != agent);
                gone.push(agent);
            }
            (10..=12, Some(agent)) => {
                let it = model.get_mut(&agent).unwrap();
                assert_eq!(forest.keys_mut(agent).unwrap().set(trees[it.tree].1, step), it.value != step);
                it.value = step;
            }
            (13..=15, Some(agent)) => {
                forest.agent_mut(agent).unwrap().send(Event::new("e").with(step)).unwrap();
                let it = model.get_mut(&agent).unwrap();
                if it.phase != Phase::Off {
                    it.mail.push(step);
                }
            }
            (16, Some(agent)) => {
                forest.agent_mut(agent).unwrap().pause(&mut world);
                let it = model.get_mut(&agent).unwrap();
                it.phase = if it.phase == Phase::Off { Phase::Off } else { Phase::Paused };
            }
            (17, Some(agent)) => {
                forest.agent_mut(agent).unwrap().unpause(&mut world);
                let it = model.get_mut(&agent).unwrap();
                it.phase = if it.phase == Phase::Off { Phase::Off } else { Phase::Active };
            }
            (18, Some(agent)) => {
                forest.agent_mut(agent).unwrap().disable(&mut world);
                let it = model.get_mut(&agent).unwrap();
                it.phase = Phase::Off;
                it.mail.clear();
            }
            (_, Some(agent)) => {
                forest.agent_mut(agent).unwrap().restart(&mut world);
                let it = model.get_mut(&agent).unwrap();
                (it.phase, it.state) = (Phase::Active, 0);
            }
            (_, None) => unreachable!("the first arm takes it"),
        }
        if step % 20 == 0 {
            world.take();
            let report = forest.tick(&mut world, 0.01).unwrap();
            let mut expected = Vec::new();
            for (agent, it) in model.iter_mut().filter(|it| it.1.phase == Phase::Active) {
                it.state += 1;
                it.sum += 1;
                it.heard = it.mail.drain(..).fold(it.heard, hear);
                expected.push(format!("{agent:?} {}", it.state));
            }
            assert_eq!(report.ticked, expected.len() as u64);
            let mut log = world.take();
            log.sort();
            expected.sort();
            assert_eq!(log, expected, "{step}");
        }
        if step % 500 == 0 {
            assert_eq!(forest.len(), model.len());
            assert!(gone.iter().all(|&it| !forest.contains(it)));
            for (index, &(tree, value, heard)) in trees.iter().enumerate() {
                let own: Vec<_> = forest.population(tree).unwrap().agents().collect();
                assert_eq!(own.len(), model.values().filter(|it| it.tree == index).count());
                assert_eq!(forest.population(tree).unwrap().len(), own.len());
                for agent in own {
                    let it = &model[&agent];
                    assert_eq!(forest.keys(agent).unwrap().get(value), it.value);
                    assert_eq!(forest.keys(agent).unwrap().get(heard), it.heard);
                    assert_eq!(forest.agent(agent).unwrap().phase(), it.phase);
                    // Two leaves under a parallel: three stacks once the agent has run, none
                    // before.
                    let stacks = forest.agent(agent).unwrap().inspect().stacks.len();
                    let runs = it.phase != Phase::Off && it.state > 0;
                    assert_eq!(stacks, if runs { 3 } else { 0 });
                }
            }
        }
    }
    assert!(model.len() > 300 && model.values().map(|it| it.sum).sum::<u64>() > 10_000);
}

#[test]
fn ids_of_a_forest_with_another_seed_are_foreign() {
    let mut world = World::default();
    let make = |world: &mut World, seed| {
        let mut forest = Forest::<Game>::new(seed);
        let tree = forest.add_tree(Tree::builder("idle").build(pleach_core::nodes::idle()).unwrap()).unwrap();
        let group = forest.new_group();
        let agent = forest.spawn(world, tree).unwrap();
        (forest, tree, group, agent)
    };
    let (mut here, tree, group, agent) = make(&mut world, 1);
    let (_, foreign_tree, foreign_group, foreign) = make(&mut world, 2);

    assert_eq!(here.agent_mut(foreign).map(|it| it.despawn(&mut world)), Err(StaleError::Agent(foreign)));
    assert_eq!(here.agent(foreign).map(|it| it.phase()), Err(StaleError::Agent(foreign)));
    assert!(!here.contains(foreign));
    assert_eq!(here.population(foreign_tree).map(|it| it.len()), Err(StaleError::Tree(foreign_tree)));
    assert_eq!(here.group_mut(foreign_group).map(|it| it.remove()), Err(StaleError::Group(foreign_group)));
    assert_eq!(
        here.agent_mut(agent).and_then(|mut it| it.join(Some(foreign_group))),
        Err(StaleError::Group(foreign_group))
    );

    assert_eq!(here.population(tree).unwrap().len(), 1);
    here.group_mut(group).unwrap().remove();
    here.agent_mut(agent).unwrap().despawn(&mut world);
}

#[test]
fn two_thousand_brains_have_two_thousand_ids() {
    let mut world = World::default();
    let tree = std::sync::Arc::new(tree(counting(Status::Running)));
    let brains: Vec<_> = (0..2000)
        .chain([4_181, 5_778])
        .map(|seed| pleach_core::Brain::new(&mut world, std::sync::Arc::clone(&tree), seed))
        .collect();
    let ids: std::collections::HashSet<_> = brains.iter().map(pleach_core::Brain::agent).collect();
    assert_eq!(ids.len(), 2002);
}

#[test]
fn the_id_of_every_agent_that_had_a_place_before_stays_stale() {
    let mut world = World::default();
    let (mut forest, _) = alone(counting(Status::Running), &mut world);
    let id = forest.trees().next().unwrap();
    let mut gone = Vec::new();
    for _ in 0..5_000 {
        let agent = forest.spawn(&mut world, id).unwrap();
        forest.agent_mut(agent).unwrap().despawn(&mut world);
        gone.push(agent);
    }
    let last = forest.spawn(&mut world, id).unwrap();
    assert!(gone.iter().all(|&it| !forest.contains(it) && it != last));
    assert_eq!((forest.len(), forest.tick(&mut world, 0.1).unwrap().ticked), (2, 2));
}
