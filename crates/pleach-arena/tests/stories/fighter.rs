//! The fighter after Maikire's tree: filters that are asked every tick, eyes that see through walls
//! while it pursues, death before everything else.

use crate::common::{Story, close, distance};
use pleach::Status;
use pleach_arena::{ActorId, ActorSpec, Animation, Cursor, Kinds, Map, Sight, World};

/// A place where the player is not seen.
const FAR: [f32; 2] = [75.0, 75.0];
/// In sight of the fighter, and behind the wall.
const IN_SIGHT: [f32; 2] = [18.0, 25.0];
const HIDDEN: [f32; 2] = [18.0, 20.0];

/// A fighter that looks at a wall 4 m away, with a route along it, and a player out of sight.
fn world() -> (World, ActorId, ActorId) {
    let mut map = Map::open([80.0, 80.0]).unwrap();
    map.add_wall([14.0, 18.0], [15.0, 22.0]).unwrap();
    let route = map.add_route(&[[10.0, 20.0], [10.0, 20.4]]).unwrap();
    let mut world = World::new(map, 1);
    let fighter = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::fighter([10.0, 20.0]) }).unwrap();
    let player = world.spawn(&ActorSpec { respawn: None, ..ActorSpec::player(FAR) }).unwrap();
    (world, fighter, player)
}

/// The same, with eyes all around, so that only walls hide the player.
fn story() -> (Story, ActorId, ActorId) {
    let (world, fighter, player) = world();
    let mut story = Story::new("fighter.ron", world, &[fighter]);
    let agent = story.agent;
    assert!(story.game.cast.set_sight(agent, Sight { half_angle_cos: -1.0, ..Sight::GUARD }));
    (story, fighter, player)
}

#[test]
fn it_patrols_to_and_fro_while_there_is_no_target() {
    let (mut story, fighter, _) = story();
    let mut ends = 0;
    let mut last = None;
    for _ in 0..50 {
        story.frame();
        assert!(story.does("patrol"));
        let (_, Cursor { at, .. }) = story.game.world.route_of(fighter).unwrap();
        ends += u32::from(last.is_some_and(|last| last != at));
        last = Some(at);
    }
    assert!(ends > 5, "{ends}");
}

#[test]
fn a_wall_hides_the_target_until_it_is_being_pursued() {
    let (mut story, fighter, player) = story();
    story.game.world.place(player, HIDDEN).unwrap();
    story.play(1.0);
    assert!(story.does("patrol"), "it does not see through the wall");

    story.game.world.place(player, IN_SIGHT).unwrap();
    story.frame();
    assert!(!story.does("patrol"), "its filter failed, and it stood there for that tick");
    story.frame();
    assert!(story.does("hunt") && !story.does("fight"), "out of range, so it pursues");
    assert!(story.game.cast.sight(story.agent).unwrap().ignore_walls);

    story.game.world.place(player, HIDDEN).unwrap();
    story.play(0.5);
    assert!(story.does("hunt"), "now the wall does not matter");
    assert_eq!(story.game.cast.animation(story.agent), Some(Animation::Run));
    story.until("it has come round the wall and strikes", |game| game.world.hp(player) == Some(90.0));
    assert!(distance(story.at(fighter), HIDDEN) <= 2.5);
    let interval = story.until("the next blow", |game| game.world.hp(player) == Some(80.0));
    assert!((interval - 1.5).abs() < 0.11, "{interval}");

    story.game.world.place(player, FAR).unwrap();
    story.play(0.3);
    assert!(story.does("patrol"));
    assert!(!story.game.cast.sight(story.agent).unwrap().ignore_walls, "its eyes are its own again");
}

#[test]
fn after_ten_seconds_of_pursuit_it_trusts_its_eyes() {
    let (mut story, _, player) = story();
    let tree = story.game.forest.tree(story.game.tree()).unwrap();
    let speed = tree.key("speed").unwrap();
    story.game.forest.keys_mut(story.agent).unwrap().set(speed, 0.0_f32);
    story.game.world.place(player, IN_SIGHT).unwrap();
    story.play(0.3);
    assert!(story.does("hunt"));
    story.game.world.place(player, HIDDEN).unwrap();
    let hunt = story.until("it gives up", |game| !crate::common::does(game, game.agents()[0], "hunt"));
    assert!((hunt - 10.0).abs() < 0.31, "{hunt}");
    story.play(0.2);
    assert!(story.does("patrol"), "the wall hides the target again");
}

#[test]
fn its_war_cry_is_good_for_three_hunts() {
    let (mut story, _, player) = story();
    for hunt in 1..=5 {
        story.game.world.place(player, IN_SIGHT).unwrap();
        story.play(0.3);
        assert!(story.does("hunt"), "{hunt}: an exhausted limiter is a success");
        assert_eq!(story.logs().len(), usize::from(hunt <= 3), "{hunt}");
        story.game.world.place(player, FAR).unwrap();
        story.play(0.3);
        assert!(!story.does("hunt"));
    }
}

#[test]
fn death_interrupts_everything() {
    let (mut story, fighter, player) = story();
    story.game.world.place(player, IN_SIGHT).unwrap();
    story.play(0.5);
    assert!(story.does("hunt"));
    story.game.world.set_hp(fighter, 0.0).unwrap();
    let at = story.at(fighter);
    story.frame();
    assert!(story.does("dead") && !story.does("hunt"), "in the very tick");
    assert!(!story.game.cast.sight(story.agent).unwrap().ignore_walls);
    story.play(30.0);
    assert!(story.does("dead"));
    assert_eq!((story.at(fighter), story.game.cast.animation(story.agent)), (at, Some(Animation::Die)));
    story.game.world.set_hp(fighter, 100.0).unwrap();
    story.frame();
    story.frame();
    assert!(!story.does("dead") && story.does("hunt"));
}

#[test]
fn only_its_prey_is_a_target() {
    let (mut story, fighter, player) = story();
    let dummy = story.game.world.spawn(&ActorSpec::dummy([10.0, 22.0])).unwrap();
    story.game.world.place(player, [10.0, 23.0]).unwrap();
    let agent = story.agent;
    assert!(story.game.cast.set_prey(agent, Kinds::PLAYER));
    story.until("it strikes", |game| game.world.hp(player) < Some(100.0));
    assert_eq!(story.game.world.hp(dummy), Some(100.0), "nearer, and spared");
    assert!(close(story.game.world.facing(fighter).unwrap(), [0.0, 1.0]));
}

#[test]
fn patrol_modes() {
    let source = |mode: &str| {
        format!(
            "Tree(version: 1, name: \"patrol\", root: Selector(children: [\n\
             Sequence(children: [Patrol(speed: 2.0, mode: {mode}), Log(\"over\"), Idle]), Log(\"none\"), Idle]))"
        )
    };
    let logs = |mode: &str| {
        let (world, fighter, _) = world();
        let mut story = Story::of(
            crate::common::parse("patrol.ron", &source(mode)),
            world,
            &[fighter],
            pleach::trace::Recorder::of([]),
        );
        story.play(5.0);
        story.logs()
    };
    assert_eq!(logs("None")[0], "none", "{:?}", Status::Failure);
    assert_eq!(logs("Once"), ["over"]);
    assert!(logs("Loop").is_empty() && logs("RoundTrip").is_empty());
}
