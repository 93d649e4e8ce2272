//! The rabbit: carrots within two metres before the patrol, at a speed from the blackboard.

use crate::common::{Story, close, distance};
use pleach_arena::{ActorId, ActorSpec, Map, World};

fn world() -> (World, ActorId) {
    let mut map = Map::open([60.0, 60.0]).unwrap();
    let route = map.add_route(&[[40.0, 10.0], [10.0, 10.0]]).unwrap();
    let mut world = World::new(map, 1);
    let rabbit = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::rabbit([10.0, 10.0]) }).unwrap();
    (world, rabbit)
}

#[test]
fn it_patrols_at_the_speed_on_its_blackboard() {
    let (world, rabbit) = world();
    let mut story = Story::new("rabbit.ron", world, &[rabbit]);
    story.play(1.0);
    assert!(close(story.at(rabbit), [13.0, 10.0]), "{:?}", story.at(rabbit));
    let tree = story.game.forest.tree(story.game.tree()).unwrap();
    let speed = tree.key("speed").unwrap();
    story.game.forest.keys_mut(story.agent).unwrap().set(speed, 6.0_f32);
    story.play(1.0);
    assert!(close(story.at(rabbit), [19.0, 10.0]), "{:?}", story.at(rabbit));
}

#[test]
fn it_leaves_its_way_for_a_carrot_within_two_metres() {
    let (mut world, rabbit) = world();
    world.plant_carrot([20.0, 11.5], 0.0).unwrap();
    world.plant_carrot([30.0, 13.0], 0.0).unwrap();
    let mut story = Story::new("rabbit.ron", world, &[rabbit]);
    story.until("it sees the carrot", |game| crate::common::does(game, game.agents()[0], "feed"));
    let seen_from = distance(story.at(rabbit), [20.0, 11.5]);
    assert!((1.6..=2.0).contains(&seen_from), "{seen_from}");
    story.until("it eats", |game| game.world.meals(rabbit) == Some(1));
    assert_eq!(story.game.world.carrots().count(), 1);
    story.frame();
    assert!(story.does("patrol"));
    story.until("it is at the end of its way", |game| game.world.position(rabbit) == Some([40.0, 10.0]));
    assert_eq!(story.game.world.meals(rabbit), Some(1), "the other one was out of range");
}

#[test]
fn a_carrot_that_another_eats_is_forgotten() {
    let (mut world, rabbit) = world();
    let carrot = world.plant_carrot([11.9, 10.0], 0.0).unwrap();
    let other = world.spawn(&ActorSpec::rabbit([11.9, 10.3])).unwrap();
    let mut story = Story::new("rabbit.ron", world, &[rabbit]);
    story.frame();
    assert!(story.does("feed"));
    story.game.world.eat(other, carrot).unwrap();
    story.frame();
    assert!(story.does("patrol"));
    assert_eq!(story.game.world.meals(rabbit), Some(0));
}

#[test]
fn a_nearer_carrot_changes_its_mind() {
    let (mut world, rabbit) = world();
    world.plant_carrot([10.0, 11.9], 0.0).unwrap();
    let mut story = Story::new("rabbit.ron", world, &[rabbit]);
    story.frame();
    assert!(story.does("feed") && story.at(rabbit)[1] > 10.2);
    story.game.world.plant_carrot([10.8, 10.3], 0.0).unwrap();
    story.until("it eats", |game| game.world.meals(rabbit) == Some(1));
    assert!(story.at(rabbit)[0] > 10.2, "the nearer one: {:?}", story.at(rabbit));
}
