//! The veteran, which weighs its options: by its health, its enemy's distance, its last rest.

use crate::common::Story;
use pleach_arena::{ActorId, ActorSpec, Map, Sight, World};

/// Where the player is not seen.
const FAR: [f32; 2] = [75.0, 75.0];

/// A veteran on a short route, twenty metres from its home, with eyes all around.
fn story() -> (Story, ActorId, ActorId) {
    let mut map = Map::open([80.0, 80.0]).unwrap();
    let route = map.add_route(&[[30.0, 20.0], [30.0, 22.0]]).unwrap();
    let mut world = World::new(map, 1);
    let spec = ActorSpec { route: Some(route), home: [10.0, 20.0], ..ActorSpec::fighter([30.0, 20.0]) };
    let veteran = world.spawn(&spec).unwrap();
    let player = world.spawn(&ActorSpec { respawn: None, max_hp: 1_000.0, ..ActorSpec::player(FAR) }).unwrap();
    let mut story = Story::new("veteran.ron", world, &[veteran]);
    let agent = story.agent;
    assert!(story.game.cast.set_sight(agent, Sight { half_angle_cos: -1.0, ..Sight::GUARD }));
    (story, veteran, player)
}

#[test]
fn it_rests_now_and_then() {
    let (mut story, ..) = story();
    story.frame();
    assert!(story.does("patrol"));
    // 0.3 of patrol is 18 s of a rest that grows by a sixtieth per second.
    let tired = story.until("it rests", |game| crate::common::does(game, game.agents()[0], "rest"));
    assert!((tired - 18.0).abs() < 0.5, "{tired}");
    let fresh = story.until("it patrols again", |game| crate::common::does(game, game.agents()[0], "patrol"));
    assert!((fresh - 8.0).abs() < 0.5, "{fresh}");
}

#[test]
fn it_charges_while_it_is_well_and_retreats_when_it_is_hurt() {
    let (mut story, veteran, player) = story();
    story.game.world.place(player, [34.0, 20.0]).unwrap();
    story.play(0.2);
    assert!(story.does("charge"));
    story.game.world.set_hp(veteran, 40.0).unwrap();
    story.play(0.2);
    assert!(story.does("retreat"), "0.6 x 1.3 is more than 0.4 of a charge");
    story.game.world.place(player, FAR).unwrap();
    story.until("it is well again", |game| game.world.health(veteran) == Some(1.0));
    story.play(0.2);
    assert!(!story.does("retreat"));
    story.game.world.set_hp(veteran, 0.0).unwrap();
    story.play(0.2);
    assert!(story.does("dead"));
}
