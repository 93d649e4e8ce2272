//! Tracers that are lent for some calls, and what a recorder keeps.

use pleach_core::nodes::{check, idle, on_event, selector, sequence};
use pleach_core::{
    AgentId, Brain, Completion, Entity, Event, Forest, Rate, Reason, Tree,
    handles::AgentMut,
    nodes::Abort,
    trace::{Recorder, TraceEntry, TraceEvent, TraceKinds},
};

use crate::support::{Game, World};

fn guard() -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("alarm", false);
    let root = selector([
        sequence([check("alarm"), idle()]).aborts(Abort::BOTH),
        sequence([on_event("noise"), idle()]).aborts(Abort::LOWER_PRIORITY),
        idle(),
    ]);
    builder.build(root).unwrap()
}

/// A forest with `count` guards, after a tick without a tracer.
fn guards(count: usize) -> (Forest<Game>, World, Vec<AgentId>) {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(guard()).unwrap();
    let agents = (0..count).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    forest.tick(&mut world, 0.5).unwrap();
    (forest, world, agents)
}

#[test]
fn any_forest_can_be_looked_at_for_a_frame() {
    let (mut forest, mut world, agents) = guards(3);
    let mut recorder = Recorder::of([agents[2], agents[0]]);
    for &agent in &agents {
        forest.keys_mut(agent).unwrap().set_value("alarm", true).unwrap();
    }
    forest.traced(&mut recorder).tick(&mut world, 0.25).unwrap();
    let traced = recorder.take();
    assert!(traced.iter().all(|it| (it.frame, it.time) == (2, 0.75) && it.agent != agents[1]));
    let aborts: Vec<AgentId> =
        traced.iter().filter(|it| matches!(it.event, TraceEvent::Abort { .. })).map(|it| it.agent).collect();
    assert_eq!(aborts, [agents[0], agents[2]]);
    assert_eq!(traced[0].to_string(), format!("2 0.750 s {:?} Tick", agents[0]));

    // Events in between are not seen, and nothing is left of the tracer.
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(recorder.take(), []);
    forest.traced(&mut recorder).agent_mut(agents[0]).unwrap().despawn(&mut world);
    let TraceEntry { frame, time, agent, event } = recorder.take()[0];
    assert_eq!((frame, time, agent), (3, 1.0, agents[0]));
    assert!(matches!(event, TraceEvent::Aborted(..)), "{event:?}");
    // Methods that run no leaves are the forest's own.
    let mut traced = forest.traced(&mut recorder);
    traced.agent_mut(agents[1]).unwrap().send(Event::new("noise")).unwrap();
    assert_eq!((traced.len(), traced.tracer().lost()), (2, 0));
}

#[test]
fn the_handle_of_a_traced_forest_traces_each_call_that_runs_leaves() {
    type Call = fn(AgentMut<'_, Game, &mut Recorder>, &mut World);
    let (mut forest, mut world, agents) = guards(2);
    let mut recorder = Recorder::all();
    let id = |index| pleach_core::NodeId::new(index).unwrap();
    let ends = |why| [7, 0].map(|it| TraceEvent::Aborted(id(it), why)).to_vec();
    let calls: [(Call, Vec<TraceEvent>); 5] = [
        (|it, cx| it.pause(cx), vec![TraceEvent::Pause(id(7))]),
        (|it, cx| it.unpause(cx), vec![TraceEvent::Unpause(id(7))]),
        (|it, cx| it.disable(cx), ends(Reason::Stopped)),
        (|it, cx| it.enable(cx), vec![]),
        (|it, cx| it.restart(cx), vec![]),
    ];
    for (call, expected) in calls {
        call(forest.traced(&mut recorder).agent_mut(agents[1]).unwrap(), &mut world);
        assert_eq!(recorder.take().iter().map(|it| it.event).collect::<Vec<_>>(), expected);
    }
    forest.tick(&mut world, 0.25).unwrap();
    // A call that runs no leaf leaves the handle as it is, for the next call.
    let mut traced = forest.traced(&mut recorder);
    let mut handle = traced.agent_mut(agents[1]).unwrap();
    handle.keys_mut().set_value("alarm", true).unwrap();
    handle.send(Event::new("noise")).unwrap();
    handle.set_entity(Entity::from_bits(7));
    assert_eq!(handle.as_ref().entity(), Entity::from_bits(7));
    handle.set_rate(Rate::NEVER);
    handle.set_completion(Completion::Stop);
    handle.join(None).unwrap();
    handle.restart(&mut world);
    assert_eq!(recorder.take().iter().map(|it| it.event).collect::<Vec<_>>(), ends(Reason::Stopped));
    let agent = forest.agent(agents[1]).unwrap();
    assert_eq!((agent.entity(), agent.rate(), agent.group()), (Entity::from_bits(7), Rate::NEVER, None));
    assert_eq!(agent.keys().value("alarm"), Ok(true.into()));
}

#[test]
fn a_brain_can_be_looked_at_too() {
    let mut world = World::default();
    let mut brain = Brain::<Game>::new(&mut world, guard(), 3);
    let mut recorder = Recorder::all().only(TraceKinds::STARTS | TraceKinds::PAUSES);
    brain.tick(&mut world, 0.5).unwrap();
    brain.keys_mut().set_value("alarm", true).unwrap();
    brain.traced(&mut recorder).tick(&mut world, 0.5).unwrap();
    brain.traced(&mut recorder).pause(&mut world);
    let seen: Vec<_> = recorder.take().iter().map(|it| (it.frame, it.time, it.event)).collect();
    let id = |index| pleach_core::NodeId::new(index).unwrap();
    let events = [1, 2, 3].map(|it| TraceEvent::Start(id(it))).into_iter().chain([TraceEvent::Pause(id(3))]);
    assert_eq!(seen, events.map(|it| (2, 1.0, it)).collect::<Vec<_>>());
}

#[test]
fn a_recorder_keeps_the_latest_in_a_ring() {
    let (mut forest, mut world, _) = guards(2);
    let mut recorder = Recorder::all().only(TraceKinds::TICKS).latest(3);
    for _ in 0..4 {
        forest.configure(|it| it.sleep = false);
        forest.traced(&mut recorder).tick(&mut world, 0.5).unwrap();
    }
    let frames: Vec<u64> = recorder.entries().map(|it| it.frame).collect();
    assert_eq!((frames, recorder.lost()), (vec![5, 5, 5], 13));
    // A smaller ring keeps the latest of them.
    let mut smaller = recorder.clone().latest(1);
    assert_eq!((smaller.entries().len(), smaller.lost()), (1, 15));
    assert_eq!(smaller.take()[0], *recorder.entries().last().unwrap());
    assert_eq!(smaller.take(), []);
}

#[test]
fn a_ring_without_room_keeps_nothing_and_counts() {
    let (mut forest, mut world, _) = guards(1);
    let mut recorder = Recorder::all().latest(0);
    forest.traced(&mut recorder).tick(&mut world, 0.5).unwrap();
    forest.configure(|it| it.sleep = false);
    forest.traced(&mut recorder).tick(&mut world, 0.5).unwrap();
    assert_eq!(recorder.entries().len(), 0);
    assert!(recorder.lost() >= 2);
    let mut nobody = Recorder::of([]).only(TraceKinds::NONE);
    forest.traced(&mut nobody).tick(&mut world, 0.5).unwrap();
    assert_eq!((nobody.entries().len(), nobody.lost()), (0, 0));
}
