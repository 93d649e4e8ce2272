//! Guards by day and at night: at dusk the game fills the slot of their patrol with another round,
//! at dawn with the first one again.

use std::collections::BTreeMap;

use crate::common::{Story, distance, tree};
use pleach::{Library, trace::Recorder};
use pleach_arena::{ActorId, ActorSpec, Cursor, DAY, Daytime, Map, NIGHT, World, registry};

const ROUTE: [[f32; 2]; 3] = [[10.0, 10.0], [30.0, 10.0], [30.0, 30.0]];

/// A guard that looks along its route, and a player far away.
fn world() -> (World, ActorId, ActorId) {
    let mut map = Map::open([80.0, 80.0]).unwrap();
    let route = map.add_route(&ROUTE).unwrap();
    let mut world = World::new(map, 1);
    let guard = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::guard(ROUTE[0]) }).unwrap();
    let player = world.spawn(&ActorSpec { respawn: None, ..ActorSpec::player([75.0, 75.0]) }).unwrap();
    (world, guard, player)
}

fn cursor(story: &Story) -> Cursor {
    story.game.world.route_of(story.actor).unwrap().1
}

/// How far the guard walks in a second, from the middle of a stretch of its route.
fn pace(story: &mut Story) -> f32 {
    story.game.world.place(story.actor, [20.0, 10.0]).unwrap();
    story.play(1.0);
    distance(story.at(story.actor), [20.0, 10.0])
}

/// Plays until it is night or day.
fn until(story: &mut Story, daytime: Daytime) {
    while story.game.world.daytime() != daytime {
        story.frame();
    }
}

#[test]
fn at_dusk_it_walks_another_round_and_at_dawn_the_first_again() {
    let (world, guard, _) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.play(3.0);
    assert!((pace(&mut story) - 1.5).abs() < 0.01);
    for _ in 0..2 {
        let mut back = false;
        while story.game.world.daytime() == Daytime::Day {
            assert_eq!(story.frame().tick.aborts, 0);
            back |= cursor(&story).back;
            assert_eq!(story.path(), ["guard", "patrol", "patrol by day"]);
        }
        assert!(!back, "from the last waypoint to the first");

        story.frame();
        assert_eq!(story.path(), ["guard", "patrol", "patrol by night"], "in the first frame of the night");
        story.until("it walks", |game| game.world.velocity(guard) != Some([0.0; 2]));
        assert!((pace(&mut story) - 1.0).abs() < 0.01, "slower");
        while story.game.world.daytime() == Daytime::Night {
            story.frame();
            back |= cursor(&story).back;
        }
        assert!(back, "the way that it came");

        story.frame();
        assert_eq!(story.path(), ["guard", "patrol", "patrol by day"], "in the first frame of the day");
        story.until("it is round", |game| game.world.position(guard) == Some(ROUTE[0]));
        story.until("it walks", |game| game.world.velocity(guard) != Some([0.0; 2]));
    }
    assert!((story.game.world.time() - 2.0 * (DAY + NIGHT)).abs() < 120.0);
}

#[test]
fn at_night_it_sees_less_far() {
    let (world, guard, player) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    let sees = |story: &mut Story, far: f32| {
        story.game.world.place(guard, [10.0, 50.0]).unwrap();
        story.game.world.place(player, [10.0 + far, 50.0]).unwrap();
        story.game.world.face(guard, [20.0, 50.0]).unwrap();
        story.frame();
        let sees = story.does("fight");
        story.game.world.place(player, [75.0, 75.0]).unwrap();
        story.frame();
        assert!(!story.does("fight"));
        sees
    };
    assert!([14.9, 9.1, 8.9].map(|far| sees(&mut story, far)) == [true; 3] && !sees(&mut story, 15.1));
    until(&mut story, Daytime::Night);
    assert_eq!([14.9, 9.1, 8.9].map(|far| sees(&mut story, far)), [false, false, true]);
    until(&mut story, Daytime::Day);
    assert_eq!([15.1, 14.9, 9.1].map(|far| sees(&mut story, far)), [false, true, true]);
}

/// Anything more urgent than the patrol continues at dusk.
#[test]
fn dusk_ends_no_fight() {
    let (world, guard, player) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.play(DAY - 1.0);
    let at = story.at(guard);
    story.game.world.place(player, [at[0] + 2.0, at[1]]).unwrap();
    story.game.world.face(guard, [at[0] + 2.0, at[1]]).unwrap();
    story.play(0.5);
    assert!(story.does("fight") && story.game.world.daytime() == Daytime::Day);
    for _ in 0..20 {
        assert_eq!(story.frame().tick.aborts, 0);
        assert!(story.does("fight"));
    }
    assert_eq!(story.game.world.daytime(), Daytime::Night);
    story.game.world.place(player, [75.0, 75.0]).unwrap();
    story.play(0.2);
    assert_eq!(story.path(), ["guard", "patrol", "patrol by night"]);
}

/// A tree that fills a slot of that name with something else keeps it, and one without plays on.
#[test]
fn the_patrols_of_other_trees_are_left_alone() {
    let mut own = Library::new(BTreeMap::from([
        ("own.ron", r#"Tree(version: 1, root: Slot(name: "patrol", trees: ["stand.ron"], initial: "stand"))"#),
        ("stand.ron", r#"Tree(version: 1, root: Idle(name: "stand"))"#),
    ]));
    let own = own.load("own.ron", &registry()).unwrap_or_else(|report| panic!("{report}"));
    for tree in [own.into(), tree("minimal.ron")] {
        let (world, guard, _) = world();
        let mut story = Story::of(tree, world, &[guard], Recorder::of([]));
        story.frame();
        let path = story.path();
        until(&mut story, Daytime::Night);
        assert_eq!((story.frame().tick.aborts, story.path()), (0, path));
    }
}
