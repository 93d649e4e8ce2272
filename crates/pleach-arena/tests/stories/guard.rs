//! The guard of the chapter: patrols, investigates, warns, fights, flees, dies, and resumes what it
//! was doing.

use crate::common::{Story, close, distance, does, tree};
use pleach::trace::{Recorder, TraceKinds};
use pleach_arena::{ActorId, ActorSpec, Animation, Cursor, Map, RouteId, World};
use pleach_draw::TraceLine;

const ROUTE: [[f32; 2]; 3] = [[10.0, 10.0], [30.0, 10.0], [30.0, 30.0]];
const HOME: [f32; 2] = [5.0, 20.0];

/// A guard at the first waypoint of its route, and a player far away.
fn world() -> (World, ActorId, ActorId) {
    let mut map = Map::open([80.0, 80.0]).unwrap();
    let route = map.add_route(&ROUTE).unwrap();
    let mut world = World::new(map, 1);
    let guard = world.spawn(&ActorSpec { home: HOME, ..on(route, ROUTE[0]) }).unwrap();
    let player = world.spawn(&ActorSpec { respawn: None, ..ActorSpec::player([75.0, 75.0]) }).unwrap();
    (world, guard, player)
}

fn on(route: RouteId, at: [f32; 2]) -> ActorSpec {
    ActorSpec { route: Some(route), ..ActorSpec::guard(at) }
}

fn heads_for(story: &Story) -> u16 {
    let (_, Cursor { at, .. }) = story.game.world.route_of(story.actor).unwrap();
    at
}

#[test]
fn it_patrols_with_a_stop_at_each_waypoint() {
    let (world, guard, _) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.play(2.0);
    assert_eq!((story.at(guard), heads_for(&story)), (ROUTE[0], 0), "two seconds at the first waypoint");
    story.play(4.0);
    assert!(close(story.at(guard), [16.0, 10.0]), "four seconds at 1.5 m/s: {:?}", story.at(guard));
    assert_eq!(story.game.cast.animation(story.agent), Some(Animation::Walk));
    let walk = story.until("it is at the second waypoint", |game| game.world.position(guard) == Some(ROUTE[1]));
    assert!((walk - 9.4).abs() < 0.11, "{walk}");
    let stop = story.until("it walks on", |game| game.world.position(guard) != Some(ROUTE[1]));
    assert!((stop - 2.0).abs() < 0.11, "{stop}");
    story.until("it is round", |game| game.world.position(guard) == Some(ROUTE[0]));
    assert_eq!(story.path(), ["guard", "patrol", "patrol by day"]);
}

#[test]
fn it_looks_after_a_noise_and_takes_its_patrol_up_again() {
    let (world, guard, _) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.play(6.0);
    assert!(close(story.at(guard), [16.0, 10.0]));

    story.game.world.make_noise([16.0, 21.0], 15.0, None).unwrap();
    story.play(0.5);
    assert!(story.does("patrol"), "11 m away, and it hears 10");

    let from = story.at(guard);
    let noise = [from[0], 18.0];
    story.game.world.make_noise(noise, 15.0, None).unwrap();
    let report = story.frame();
    assert_eq!((report.events, report.tick.aborts), (1, 1), "heard, and it left its patrol at once");
    assert!(story.does("investigate"));
    let walk = story.until("it is there", |game| does(game, game.agents()[0], "look around"));
    assert!((walk - 1.9).abs() < 0.11, "7 m at 3.5 m/s, less the first frame: {walk}");
    assert!((distance(story.at(guard), noise) - 1.0).abs() < 0.01, "a metre away is near enough");
    let there = story.at(guard);
    let wait = story.until("it has looked around", |game| !does(game, game.agents()[0], "look around"));
    assert!((wait - 3.0).abs() < 0.11, "{wait}");
    assert_eq!(story.at(guard), there);
    story.frame();
    assert!(story.does("patrol"));
    assert_eq!(heads_for(&story), 1, "the waypoint that it was heading for");
    story.until("it is at the second waypoint", |game| game.world.position(guard) == Some(ROUTE[1]));
}

#[test]
fn a_noise_ends_a_stop_too() {
    let (world, guard, _) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.play(1.0);
    story.game.world.make_noise([10.0, 15.0], 15.0, None).unwrap();
    story.frame();
    assert!(story.does("investigate"));
    story.play(1.5 + 3.0);
    assert_eq!(heads_for(&story), 0, "it did not get to stand there long enough");
    story.until("it stands at the first waypoint again", |game| game.world.position(guard) == Some(ROUTE[0]));
}

#[test]
fn it_warns_its_squad() {
    let (mut world, guard, player) = world();
    // One guard of its route, on the way to the first waypoint, and one nearby that has none.
    let away = [-1.0, 0.0];
    let mate = world.spawn(&on(route(&world, guard), [40.0, 40.0])).unwrap();
    let stranger = world.spawn(&ActorSpec { facing: away, ..ActorSpec::guard([10.0, 25.0]) }).unwrap();
    let mut story = told(world, &[guard, mate, stranger]);
    let [_, mate_agent, stranger_agent] = story.game.agents()[..] else { panic!("three guards") };
    let squad = story.game.forest.agent(story.agent).unwrap().group().unwrap();
    assert_eq!(story.game.forest.group(squad).unwrap().members(), &[story.agent, mate_agent][..]);
    assert_eq!(story.game.forest.agent(stranger_agent).unwrap().group(), None);
    story.play(1.0);
    assert_eq!(calls(&mut story), Vec::<String>::new());

    story.game.world.place(player, [22.0, 10.0]).unwrap();
    let report = story.frame();
    assert_eq!(calls(&mut story), ["emit      n12 fight: Emit(alarm to the group) \"warn\" (22, 10)"]);
    assert_eq!(report.events, 0, "the squad knows of it, and nobody else");
    assert!(story.does("fight") && !does(&story.game, mate_agent, "help"), "an event takes a tick");
    story.frame();
    assert!(does(&story.game, mate_agent, "help") && !does(&story.game, stranger_agent, "help"));
    assert_eq!(story.game.cast.animation(story.agent), Some(Animation::Run));

    let there = distance(story.at(mate), [22.0, 10.0]);
    story.play(0.9);
    assert!(distance(story.at(mate), [22.0, 10.0]) < there - 3.0, "at 4 m/s");
    assert_eq!(story.game.world.facing(stranger), Some(away), "the other has not even turned");
}

fn route(world: &World, guard: ActorId) -> RouteId {
    world.route_of(guard).unwrap().0
}

/// A story in which all emits are recorded.
fn told(world: World, guards: &[ActorId]) -> Story {
    Story::of(tree("guard.ron"), world, guards, Recorder::all().only(TraceKinds::EMITS))
}

/// What the first guard has sent to its squad since the last call.
fn calls(story: &mut Story) -> Vec<String> {
    let tree = story.game.forest.tree(story.game.tree()).unwrap();
    let own = story.recorder.take().into_iter().filter(|it| it.agent == story.agent);
    own.map(|it| TraceLine::of(tree, it.event).to_string()).collect()
}

#[test]
fn it_approaches_and_attacks_every_1_2_seconds() {
    let (world, guard, player) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.game.world.place(player, [22.0, 10.0]).unwrap();
    let approach = story.until("it is within 2 m", |game| game.world.hp(player) < Some(100.0));
    assert!((approach - 2.5).abs() < 0.11, "10 m at 4 m/s: {approach}");
    assert!((distance(story.at(guard), [22.0, 10.0]) - 2.0).abs() < 0.01);
    for blows in 2..=5_u8 {
        let left = 100.0 - 10.0 * f32::from(blows);
        let interval = story.until("the next blow", |game| game.world.hp(player) <= Some(left));
        assert!((interval - 1.2).abs() < 0.11, "{interval}");
    }

    // A player that steps back is followed, and hit again.
    let at = story.at(guard);
    story.game.world.place(player, [at[0] + 6.0, at[1]]).unwrap();
    story.play(0.3);
    assert!(distance(story.at(guard), at) > 0.5 && story.does("fight"));

    // Out of sight, out of mind.
    story.game.world.place(player, [75.0, 75.0]).unwrap();
    let report = story.frame();
    assert!(report.tick.aborts >= 1 && !story.does("fight"));
    assert_eq!(heads_for(&story), 0, "as if nothing had happened");
}

#[test]
fn it_calls_for_help_once_in_ten_seconds() {
    let (mut world, guard, player) = world();
    let mate = world.spawn(&on(route(&world, guard), [10.0, 28.0])).unwrap();
    let mut story = told(world, &[guard, mate]);
    let mut called = 0;
    for sighting in 0..3 {
        story.game.world.place(player, [22.0, 10.0]).unwrap();
        story.game.world.place(guard, ROUTE[0]).unwrap();
        story.game.world.place(mate, [10.0, 28.0]).unwrap();
        story.game.world.face(mate, [0.0, 28.0]).unwrap();
        story.game.world.face(guard, [22.0, 10.0]).unwrap();
        story.frame();
        called += calls(&mut story).len();
        assert!(story.does("fight"), "{sighting}");
        story.game.world.place(player, [75.0, 75.0]).unwrap();
        story.frame();
        assert!(!story.does("fight"));
        story.play(if sighting == 0 { 2.0 } else { 11.0 });
    }
    assert_eq!(called, 2, "not the second time, two seconds after the first");
}

#[test]
fn badly_hurt_it_flees_home_and_recovers() {
    let (world, guard, player) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.game.world.place(player, [14.0, 10.0]).unwrap();
    story.play(1.0);
    assert!(story.does("fight"));
    story.game.world.set_hp(guard, 31.0).unwrap();
    story.frame();
    assert!(story.does("fight"), "31 % will do");
    story.game.world.set_hp(guard, 30.0).unwrap();
    story.frame();
    assert!(story.does("flee") && !story.does("fight"));
    let from = distance(story.at(guard), HOME);
    let run = story.until("it is at home", |game| does(game, game.agents()[0], "recover"));
    assert!((run - f64::from(from) / 5.0).abs() < 0.21, "{from} m at 5 m/s took {run}");
    let rest = story.until("it is well again", |game| !does(game, game.agents()[0], "flee"));
    assert!(rest > 3.0, "10 % a second: {rest}");
    assert!(story.game.world.health(guard) >= Some(0.8));
    story.play(0.2);
    assert!(story.does("patrol") || story.does("fight"));
}

#[test]
fn death_interrupts_everything_and_ends_with_a_new_life() {
    let (world, guard, player) = world();
    let mut story = Story::new("guard.ron", world, &[guard]);
    story.game.world.place(player, [14.0, 10.0]).unwrap();
    story.play(1.0);
    assert!(story.does("fight"));
    story.game.world.set_hp(guard, 0.0).unwrap();
    story.frame();
    assert!(story.does("dead") && !story.does("fight"));
    assert_eq!(story.game.cast.animation(story.agent), Some(Animation::Die));
    let hp = story.game.world.hp(player);
    story.play(5.0);
    assert!(story.does("dead"));
    assert_eq!(story.game.world.hp(player), hp, "the dead do not hit");
    story.game.world.set_hp(guard, 100.0).unwrap();
    story.frame();
    story.frame();
    assert!(!story.does("dead") && story.does("fight"));
}

/// Apart from its blackboard and the state of its leaves, which are the game's own.
#[test]
fn a_guard_takes_less_than_a_hundred_bytes() {
    let footprint = tree("guard.ron").footprint();
    assert!(footprint.hot + footprint.cold <= 96, "{footprint:?}");
}
