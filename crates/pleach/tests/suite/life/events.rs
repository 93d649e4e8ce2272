//! Events: delivered once, in order, in the agent's next tick (SEMANTICS 8.20).

use crate::support;

use pleach_core::nodes::{action, condition, emit, idle, on_event, selector, sequence};
use pleach_core::{AgentId, Event, Forest, Status, Tree, error::StaleError, nodes::Abort};
use support::{Cx, Game, World, alone, always, tree};

/// An agent that logs every event it sees.
fn ear() -> pleach_core::nodes::Node<Game> {
    action(|cx: &mut Cx<'_, '_>| {
        let seen: Vec<_> = cx.events().map(|it| format!("{:?}", it.value())).collect();
        cx.host.log.extend(seen);
        Status::Running
    })
}

#[test]
fn in_order_once_and_in_the_next_tick() {
    let mut world = World::default();
    let (mut forest, agent) = alone(ear(), &mut world);
    for number in 0..3_i64 {
        forest.agent_mut(agent).unwrap().send(Event::new("n").with(number)).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Int(0))", "Some(Int(1))", "Some(Int(2))"]);
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.take().is_empty());
}

#[test]
fn letters_thrown_away_do_not_disturb_the_order_of_others() {
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree(ear())).unwrap();
    let [one, other] = [0, 1].map(|_| forest.spawn(&mut world, id).unwrap());
    for number in 0..3_i64 {
        forest.agent_mut(one).unwrap().send(Event::new("n").with(number)).unwrap();
    }
    forest.agent_mut(other).unwrap().send(Event::new("n").with(3_i64)).unwrap();
    forest.agent_mut(one).unwrap().disable(&mut world);
    forest.agent_mut(other).unwrap().send(Event::new("n").with(4_i64)).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Int(3))", "Some(Int(4))"]);
}

#[test]
fn all_nodes_see_an_event_in_the_whole_tick() {
    let mut world = World::default();
    let hears = || condition(|cx: &mut Cx<'_, '_>| cx.event("e").is_some_and(|it| it.payload() == Some(2.5_f32)));
    let root = sequence([hears(), hears(), on_event("e"), on_event("e"), always("heard", Status::Success)]);
    let (mut forest, agent) = alone(root, &mut world);
    world.take();
    forest.agent_mut(agent).unwrap().send(Event::new("e").with(2.5_f32)).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take().len(), 3);
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.take().is_empty());
}

#[test]
fn payloads_have_types() {
    let event = Event::new("e").with(2_i64);
    assert_eq!((event.payload::<i64>(), event.payload::<f32>()), (Some(2), None));
    assert_eq!(Event::new("e").payload::<i64>(), None);
    assert!(event.is("e") && !event.is("f"));
}

#[test]
fn on_event_stores_the_first_payload_of_the_right_type() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("test");
    let place = builder.key("place", [0.0_f32; 2]);
    let id = forest.add_tree(builder.build(on_event("noise").into_key("place")).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("other").with([9.0_f32, 9.0])).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("noise").with([1.0_f32, 2.0])).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("noise").with([3.0_f32, 4.0])).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ended, 1);
    assert_eq!(forest.keys(agent).unwrap().get(place), [1.0, 2.0]);
    // Without a payload, or with one of another type, OnEvent is Success and the key stays.
    for event in [Event::new("noise"), Event::new("noise").with(true)] {
        forest.agent_mut(agent).unwrap().send(event).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(pleach_core::Outcome::Success));
        assert_eq!(forest.keys(agent).unwrap().get(place), [1.0, 2.0]);
    }
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(pleach_core::Outcome::Failure));
}

#[test]
fn an_event_aborts_through_a_monitor() {
    let mut world = World::default();
    let root =
        selector([sequence([on_event("alarm"), always("run", Status::Running)]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let (mut forest, agent) = alone(root, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("alarm")).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
    assert!(world.log.contains(&"run update".to_owned()));
}

#[test]
fn mail_waits_for_paused_agents_and_those_that_are_off_hear_nothing() {
    let mut world = World::default();
    let (mut forest, agent) = alone(ear(), &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    forest.agent_mut(agent).unwrap().send(Event::new("e").with(1_i64)).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.take().is_empty());
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Int(1))"]);
    forest.agent_mut(agent).unwrap().send(Event::new("e").with(1_i64)).unwrap();
    forest.agent_mut(agent).unwrap().disable(&mut world);
    forest.broadcast(Event::new("e").with(2_i64)).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.agent_mut(agent).unwrap().send(Event::new("e").with(3_i64)).unwrap();
    assert!(world.take().is_empty());
    forest.tick(&mut world, 0.1).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Int(3))"]);
    forest.agent_mut(agent).unwrap().send(Event::new("e").with(4_i64)).unwrap();
    forest.agent_mut(agent).unwrap().restart(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Int(4))"]);
}

#[test]
fn broadcast_reaches_every_agent_of_every_tree() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    for _ in 0..3 {
        let id = forest.add_tree(tree(ear())).unwrap();
        for _ in 0..600 {
            forest.spawn(&mut world, id).unwrap();
        }
    }
    forest.broadcast(Event::new("e")).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.log.len(), 1800);
}

#[test]
fn a_leaf_sends_to_itself_and_to_others_for_the_next_tick() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest
        .add_tree(tree(action(|cx: &mut Cx<'_, '_>| {
            let heard = cx.events().count();
            cx.host.log.push(format!("{heard}"));
            let me = cx.agent();
            cx.send(me, Event::new("e"));
            Status::Running
        })))
        .unwrap();
    forest.spawn(&mut world, id).unwrap();
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.log, ["0", "1", "1"]);
}

#[test]
fn events_for_agents_that_are_gone_reach_no_other_agent() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(tree(ear())).unwrap();
    let agents: Vec<_> = (0..3).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    for (number, &agent) in (0_i64..).zip(&agents) {
        forest.agent_mut(agent).unwrap().send(Event::new("e").with(number)).unwrap();
    }
    // The last agent moves into the first one's place, with its mail.
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    assert_eq!(forest.agent_mut(agents[0]).map(drop), Err(StaleError::Agent(agents[0])));
    assert!(
        forest.agent_mut(AgentId::default()).map_err(Into::into).and_then(|mut it| it.send(Event::new("e"))).is_err()
    );
    let new = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(new).unwrap().send(Event::new("e").with(9_i64)).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.log, ["Some(Int(2))", "Some(Int(1))", "Some(Int(9))"]);
}

#[test]
fn the_host_hears_emit_at_once() {
    let mut world = World::default();
    let root = sequence([emit("a").payload("1 + 1"), emit("b"), always("leaf", Status::Success)]);
    let (mut forest, _) = alone(root, &mut world);
    world.take();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.log[..3], ["emit Some(Int(2))", "emit None", "leaf start"]);
}
