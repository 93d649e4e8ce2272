//! Saves of one agent, and of a squad.

use pleach_core::error::RestoreError;
use pleach_core::{AgentId, Forest, Phase, Save};

use crate::support::{Game, World};
use crate::{guard, lived, new_forest, through_postcard};

#[test]
fn an_agent_leaves_and_comes_back_under_its_id() {
    let (mut forest, mut world, squad, agents) = lived();
    let before = forest.agent(agents[2]).unwrap().explain().to_string();
    let save = through_postcard(&forest.save_agents([agents[2], agents[2]]).unwrap());
    assert_eq!((save.len(), save.is_whole()), (1, false));
    forest.agent_mut(agents[2]).unwrap().despawn(&mut world);
    world.take();
    forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 8_i64).unwrap();
    let report = forest.restore(&mut world, &save).unwrap();
    assert_eq!((report.agents, world.take().len()), (1, 1), "one leaf is restored, no `awake`, no `end`");
    assert_eq!(forest.agent(agents[2]).unwrap().explain().to_string(), before);
    // The group exists, so it keeps its values.
    assert_eq!(forest.group(squad).unwrap().keys().value("plan").unwrap(), 8_i64.into());
    let members = forest.group(squad).unwrap().members().to_vec();
    assert_eq!((members.len(), members.last()), (6, Some(&agents[2])));
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agents[2]).unwrap().despawn(&mut world);
    assert_eq!(forest.group(squad).unwrap().members().len(), 5);
}

#[test]
fn a_squad_comes_back_with_its_group() {
    let (mut forest, mut world, squad, agents) = lived();
    let members = forest.group(squad).unwrap().members().to_vec();
    let save = through_postcard(&forest.save_agents(members.iter().copied()).unwrap());
    for &agent in &members {
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    forest.group_mut(squad).unwrap().remove();
    forest.restore(&mut world, &save).unwrap();
    let group = forest.group(squad).unwrap();
    assert_eq!((group.members(), group.keys().value("plan").unwrap()), (&*members, 7_i64.into()));
    assert_eq!(forest.agent(agents[4]).unwrap().phase(), Phase::Paused);
    for _ in 0..20 {
        forest.tick(&mut world, 0.1).unwrap();
    }
}

/// A new forest of the same seed, which is younger than the agents.
#[test]
fn agents_may_be_older_than_their_forest() {
    let (old, _, _, agents) = lived();
    let save = old.save_agents([agents[0], agents[3]]).unwrap();
    let (mut forest, mut world) = (Forest::<Game>::new(3), World::default());
    forest.add_tree(guard()).unwrap();
    forest.restore(&mut world, &save).unwrap();
    assert_eq!(forest.time(), 0.0);
    let waits = |forest: &Forest<Game>| forest.agent(agents[0]).unwrap().explain().to_string();
    assert_eq!(waits(&forest), waits(&old));
    for _ in 0..30 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    // Paused and on again, so that its own time is turned over twice.
    forest.agent_mut(agents[0]).unwrap().pause(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agents[0]).unwrap().unpause(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    let new: Vec<AgentId> = {
        let tree = forest.trees().next().unwrap();
        (0..20).map(|_| forest.spawn(&mut world, tree).unwrap()).collect()
    };
    assert!(new.iter().all(|it| ![agents[0], agents[3]].contains(it)));
}

#[test]
fn ids_that_are_here_or_were_given_again_are_refused() {
    let (mut forest, mut world, _, agents) = lived();
    let save = forest.save_agents([agents[0], agents[1]]).unwrap();
    let error = forest.restore(&mut world, &save).unwrap_err();
    assert_eq!(error, RestoreError::Here(vec![agents[0], agents[1]]));
    let text = error.to_string();
    assert!(text.starts_with("agents of the save are already here, or their ids have been reused: AgentId("), "{text}");
    forest.agent_mut(agents[1]).unwrap().despawn(&mut world);
    assert_eq!(forest.restore(&mut world, &save).unwrap_err(), RestoreError::Here(vec![agents[0]]));
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    // Another agent takes the slot, and goes again: an id that it had must not come back either.
    let tree = forest.trees().next().unwrap();
    let other = forest.spawn(&mut world, tree).unwrap();
    assert_eq!(forest.restore(&mut world, &save).unwrap_err(), RestoreError::Here(vec![agents[0]]));
    forest.agent_mut(other).unwrap().despawn(&mut world);
    assert_eq!(forest.restore(&mut world, &save).unwrap_err(), RestoreError::Here(vec![agents[0]]));
    assert_eq!(forest.len(), 4, "nothing came");
    let save = forest.save_agents([agents[2]]).unwrap();
    let (mut other, mut world) = (new_forest(), World::default());
    let error = other.restore(&mut world, &save).unwrap_err();
    assert_eq!(error, RestoreError::Seed { save: 3, here: 99 });
    assert_eq!(
        error.to_string(),
        "the save is of some agents of a forest with the seed 3, but this one has the seed 99: their ids would not be valid here"
    );
}

#[test]
fn a_group_whose_id_was_given_again_is_refused() {
    let (mut forest, mut world, squad, agents) = lived();
    let save: Save = forest.save_agents(agents.clone()).unwrap();
    for &agent in &agents {
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    forest.group_mut(squad).unwrap().remove();
    for _ in 0..8 {
        let group = forest.new_group();
        forest.group_mut(group).unwrap().remove();
        let (one, two) = (forest.new_group(), forest.new_group());
        forest.group_mut(one).unwrap().remove();
        forest.group_mut(two).unwrap().remove();
    }
    assert_eq!(forest.restore(&mut world, &save).unwrap_err(), RestoreError::Groups);
    assert_eq!(forest.len(), 0);
}
