//! The minimal tree: composites that begin with their first child in every visit, and what its
//! author overlooked.

use crate::common::Story;
use pleach::{
    NodeId,
    trace::{Recorder, TraceEvent},
};
use pleach_arena::{ActorId, ActorSpec, Map, World};

fn story() -> (Story, ActorId) {
    let mut map = Map::open([60.0, 60.0]).unwrap();
    let route = map.add_route(&[[40.0, 10.0], [10.0, 10.0]]).unwrap();
    let mut world = World::new(map, 1);
    let guard = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::guard([10.0, 10.0]) }).unwrap();
    let player = world.spawn(&ActorSpec::player([50.0, 50.0])).unwrap();
    (Story::of(crate::common::tree("minimal.ron"), world, &[guard], Recorder::all()), player)
}

/// The labels of the nodes that started in the last frame.
fn started(story: &mut Story) -> Vec<String> {
    let events = story.recorder.take();
    let tree = story.game.forest.tree(story.game.tree()).unwrap();
    let label = |id: NodeId| tree.node(id).unwrap().label().to_owned();
    let start = |event| if let TraceEvent::Start(id) = event { Some(label(id)) } else { None };
    events.into_iter().filter_map(|it| start(it.event)).collect()
}

#[test]
fn composites_begin_with_their_first_child_in_every_visit() {
    let (mut story, player) = story();
    story.frame();
    assert_eq!(started(&mut story), ["minimal", "watch", "SeesPlayer", "patrol"]);
    story.frame();
    assert_eq!(started(&mut story), ["watch", "SeesPlayer"], "asked again; the patrol goes on");

    let at = story.at(story.actor);
    story.game.world.place(player, [at[0] + 5.0, at[1]]).unwrap();
    story.frame();
    assert_eq!(started(&mut story), ["watch", "SeesPlayer", "Play", "Wait"]);
    assert_eq!(story.path(), ["minimal", "watch", "Wait"], "which node is running can be seen");
    story.frame();
    assert_eq!(started(&mut story), ["SeesPlayer", "Play"], "every tick; the wait goes on");
    let shout = story.until("it shouts", |game| game.journal.entries().len() > 0);
    assert!((shout - 0.9).abs() < 0.11, "{shout}");
    assert_eq!(story.logs(), ["Halt!"]);
    story.play(2.2);
    assert_eq!(story.logs().len(), 2, "about once a second");

    story.game.world.place(player, [50.0, 50.0]).unwrap();
    story.frame();
    assert!(story.does("patrol"), "what waited is ended as soon as the condition fails");
}

#[test]
fn reset_begins_from_scratch() {
    let (mut story, player) = story();
    story.game.world.place(player, [15.0, 10.0]).unwrap();
    story.play(0.9);
    assert!(story.does("watch") && story.logs().is_empty());
    let agent = story.agent;
    story.game.with_forest(|forest, cx| forest.agent_mut(agent).map(|it| it.restart(cx))).unwrap();
    assert!(story.path().is_empty(), "nothing runs before the next tick");
    story.play(0.9);
    assert!(story.logs().is_empty(), "the wait began anew");
    story.play(0.3);
    assert_eq!(story.logs(), ["Halt!"]);
}
