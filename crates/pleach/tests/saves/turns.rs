//! Own times, turns and budgets after a restore (SEMANTICS 8.2, 8.4, 8.6, 11.2).

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{action, idle, log, sequence, wait};
use pleach_core::{AgentId, Budget, Forest, Phase, Rate, Save, Status, Tree};

use crate::support::{Cx, Game, World};
use crate::through_postcard;

/// A leaf that logs whose turn it is, the `dt`, and the agent's own time. Agents are identified by
/// the order of their ids. With a world's count of n, the n-th update panics.
fn clock() -> Tree<Game> {
    let tell = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:?} dt {:.1} at {:.1}", cx.agent(), cx.dt(), cx.time());
        cx.host.log.push(line);
        cx.host.count = cx.host.count.wrapping_sub(1);
        assert!(cx.host.count != 0, "the fuse is burnt");
        Status::Running
    });
    Tree::builder("clock").build(tell.of_kind("Clock")).unwrap()
}

/// A forest of this seed with `agents` agents.
fn clocks(agents: usize) -> (Forest<Game>, World, Vec<AgentId>) {
    let (mut forest, mut world) = (Forest::new(3), World::default());
    let tree = forest.add_tree(clock()).unwrap();
    let agents = (0..agents).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    (forest, world, agents)
}

/// What these agents log about their turns, each by its place in the list.
fn told(world: &mut World, agents: &[AgentId]) -> Vec<String> {
    let name = |line: &String| {
        let at = agents.iter().position(|it| line.starts_with(&format!("{it:?} "))).unwrap();
        format!("{at} {}", line.split_once(' ').unwrap().1)
    };
    world.take().iter().map(name).collect()
}

fn tick(forest: &mut Forest<Game>, world: &mut World) {
    forest.tick(world, 0.1).unwrap();
}

/// The third update of the next tick panics.
fn panics_in_third(forest: &mut Forest<Game>, world: &mut World) {
    world.count = 3;
    let blown = catch_unwind(AssertUnwindSafe(|| tick(forest, world)));
    assert!(blown.is_err());
    world.count = 0;
    world.take();
}

/// Its own time began before the time of the forest did.
#[test]
fn a_sleeper_that_is_older_than_its_forest_joins_a_group_and_wakes_in_time() {
    let nap = || Tree::builder("nap").build(sequence([wait(2.5), log("awake"), idle()])).unwrap();
    let (mut old, mut world) = (Forest::<Game>::new(3), World::default());
    let tree = old.add_tree(nap()).unwrap();
    let agent = old.spawn(&mut world, tree).unwrap();
    (0..20).for_each(|_| tick(&mut old, &mut world));
    let save = old.save_agents([agent]).unwrap();

    let mut forest = Forest::<Game>::new(3);
    forest.add_tree(nap()).unwrap();
    forest.restore(&mut world, &save).unwrap();
    tick(&mut forest, &mut world);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    let squad = forest.new_group();
    forest.agent_mut(agent).unwrap().join(Some(squad)).unwrap();
    // The wait began at 0.1 and ends at 2.6: in exactly the sixth tick here.
    (0..4).for_each(|_| tick(&mut forest, &mut world));
    assert_eq!((world.take(), old.agent(agent).unwrap().phase()), (vec![], Phase::Asleep));
    tick(&mut forest, &mut world);
    assert_eq!(world.take(), ["n2 says awake"]);
}

/// The time since a last turn may have begun before the time of the forest did.
#[test]
fn no_time_since_the_last_turn_is_lost_in_a_younger_forest() {
    for paused in [false, true] {
        let (mut old, mut world, agents) = clocks(1);
        old.agent_mut(agents[0]).unwrap().set_rate(Rate::every(8).unwrap());
        (0..15).for_each(|_| tick(&mut old, &mut world));
        assert_eq!(told(&mut world, &agents), ["0 dt 0.8 at 0.8"]);
        if paused {
            old.agent_mut(agents[0]).unwrap().pause(&mut world);
        }
        let save = through_postcard(&old.save_agents(agents.clone()).unwrap());
        let (mut forest, mut world, _) = clocks(0);
        forest.restore(&mut world, &save).unwrap();
        tick(&mut forest, &mut world);
        if paused {
            forest.agent_mut(agents[0]).unwrap().unpause(&mut world);
        }
        (0..7).for_each(|_| tick(&mut forest, &mut world));
        let passed = if paused { "0 dt 1.4 at 2.2" } else { "0 dt 1.5 at 2.3" };
        assert_eq!(told(&mut world, &agents), [passed]);
    }
}

#[test]
fn a_panicked_agent_that_keeps_turns_has_its_turn_when_it_is_enabled() {
    for whole in [true, false] {
        let (mut old, mut world, agents) = clocks(4);
        old.agent_mut(agents[2]).unwrap().set_rate(Rate::every(2).unwrap());
        tick(&mut old, &mut world);
        panics_in_third(&mut old, &mut world);
        tick(&mut old, &mut world);
        world.take();
        let save = if whole { old.save() } else { old.save_agents(agents.clone()) };
        let save = through_postcard(&save.unwrap());
        let (mut forest, mut other, _) = clocks(0);
        // Whose turn it is depends on the frame.
        (0..if whole { 0 } else { 3 }).for_each(|_| tick(&mut forest, &mut other));
        forest.restore(&mut other, &save).unwrap();
        assert_eq!(forest.agent(agents[2]).unwrap().phase(), Phase::Panicked);
        for (forest, world) in [(&mut old, &mut world), (&mut forest, &mut other)] {
            tick(forest, world);
            assert_eq!(told(world, &agents).len(), 3);
            forest.agent_mut(agents[2]).unwrap().enable(world);
            (0..2).for_each(|_| tick(forest, world));
        }
        let lines = told(&mut other, &agents);
        assert_eq!(lines, told(&mut world, &agents), "whole: {whole}");
        assert_eq!(lines.iter().filter(|it| it.starts_with('2')).count(), 1, "{lines:?}");
    }
}

fn tick_two(forest: &mut Forest<Game>, world: &mut World) {
    forest.tick_within(world, 0.1, Budget::Agents(2)).unwrap();
}

#[test]
fn a_budget_goes_on_behind_the_agent_that_the_save_had_come_to() {
    let (mut old, mut world, agents) = clocks(5);
    tick_two(&mut old, &mut world);
    assert_eq!(told(&mut world, &agents), ["0 dt 0.1 at 0.1", "1 dt 0.1 at 0.1"]);
    let save = through_postcard(&old.save().unwrap());
    let (mut forest, mut other, _) = clocks(0);
    forest.restore(&mut other, &save).unwrap();
    for (forest, world) in [(&mut old, &mut world), (&mut forest, &mut other)] {
        (0..2).for_each(|_| tick_two(forest, world));
        let lines = ["2 dt 0.2 at 0.2", "3 dt 0.2 at 0.2", "4 dt 0.3 at 0.3", "0 dt 0.2 at 0.3"];
        assert_eq!(told(world, &agents), lines);
    }
}

/// Agents that come while others still wait for their turns queue after them, and no agent is left
/// out or has a turn twice.
#[test]
fn agents_that_come_back_while_a_budget_goes_around_take_nobodys_turn() {
    let (mut forest, mut world, agents) = clocks(5);
    tick_two(&mut forest, &mut world);
    let save = through_postcard(&forest.save_agents([agents[1], agents[3]]).unwrap());
    for at in [1, 3] {
        forest.agent_mut(agents[at]).unwrap().despawn(&mut world);
    }
    forest.restore(&mut world, &save).unwrap();
    world.take();
    // The last took the place of the first that went: they stand as 0, 4, 2, 1, 3.
    let mut lines = Vec::new();
    for _ in 0..3 {
        tick_two(&mut forest, &mut world);
        lines.push(told(&mut world, &agents));
    }
    assert_eq!(lines[0], ["2 dt 0.2 at 0.2", "1 dt 0.1 at 0.2"]);
    assert_eq!(lines[1], ["3 dt 0.3 at 0.3", "0 dt 0.2 at 0.3"]);
    assert_eq!(lines[2], ["4 dt 0.4 at 0.4", "2 dt 0.2 at 0.4"]);
}

#[test]
fn an_agent_that_was_due_is_due_where_it_is_restored() {
    let (mut old, mut world, agents) = clocks(1);
    old.agent_mut(agents[0]).unwrap().set_rate(Rate::every(4).unwrap());
    (0..5).for_each(|_| {
        old.tick_within(&mut world, 0.1, Budget::Agents(0)).unwrap();
    });
    assert_eq!(world.take().len(), 0);
    let save = old.save_agents(agents.clone()).unwrap();
    let (mut forest, mut world, _) = clocks(0);
    forest.restore(&mut world, &save).unwrap();
    (0..3).for_each(|_| tick(&mut forest, &mut world));
    assert_eq!(told(&mut world, &agents), ["0 dt 0.6 at 0.6"]);
}

#[test]
fn a_save_right_behind_a_panic_knows_who_had_no_turn() {
    for batched in [true, false] {
        let (mut old, mut world, agents) = clocks(5);
        old.configure(|it| it.batched = batched);
        tick(&mut old, &mut world);
        panics_in_third(&mut old, &mut world);
        let save = old.save().unwrap();
        let (mut forest, mut other, _) = clocks(0);
        forest.configure(|it| it.batched = batched);
        forest.restore(&mut other, &through_postcard(&save)).unwrap();
        let bytes = |it: &Save| postcard::to_stdvec(it).unwrap();
        assert_eq!(bytes(&forest.save().unwrap()), bytes(&save), "batched: {batched}");
        for (forest, world) in [(&mut old, &mut world), (&mut forest, &mut other)] {
            let phases: Vec<Phase> = agents.iter().map(|it| forest.agent(*it).unwrap().phase()).collect();
            assert_eq!(phases.iter().position(|it| *it == Phase::Panicked), Some(2), "{phases:?}");
            tick(forest, world);
            // Without batches those after it had no turn in the frame of the panic.
            let behind = if batched { "4 dt 0.1 at 0.3" } else { "4 dt 0.2 at 0.3" };
            let lines = told(world, &agents);
            assert_eq!((lines.len(), &*lines[0], &*lines[3]), (4, "0 dt 0.1 at 0.3", behind), "{lines:?}");
            forest.agent_mut(agents[2]).unwrap().enable(world);
            tick(forest, world);
            assert_eq!(told(world, &agents)[2], "2 dt 0.1 at 0.4");
        }
    }
}
