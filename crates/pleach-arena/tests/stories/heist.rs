//! A heist: its rules, and how guards, the boss and townspeople play against a thief.

use std::f32::consts::{PI, TAU};

use crate::common::distance;
use pleach::{AgentId, Forest, Library};
use pleach_arena::{ActorId, Estate, Gait, Game, Kinds, Offer, Point, Progress, Sight, Sound, Stage, World, registry};

const DT: f32 = 0.1;

/// The estate with all its people.
fn heist() -> Game {
    let (mut library, mut forest) =
        (Library::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees")).unwrap(), Forest::new(7));
    let world = World::estate(&Estate { seed: 7, crowd: 60 }).unwrap();
    let files = [
        ("heist/sentinel.ron", Kinds::GUARD),
        ("heist/warden.ron", Kinds::BOSS),
        ("heist/townsman.ron", Kinds::CIVILIAN),
        ("rabbit.ron", Kinds::RABBIT),
    ];
    let casts: Vec<_> = files
        .map(|(file, kinds)| {
            let tree = library.add_tree(file, &registry(), &mut forest).unwrap_or_else(|report| panic!("{report}"));
            (tree, world.actors_of(kinds).collect::<Vec<_>>())
        })
        .into();
    let casts: Vec<_> = casts.iter().map(|it| (it.0, &it.1[..])).collect();
    Game::with_forest_of(forest, world, &casts).unwrap()
}

fn thief(game: &Game) -> ActorId {
    game.world.heist().unwrap().thief()
}

fn at(game: &Game) -> Point {
    game.world.position(thief(game)).unwrap()
}

/// Goes to a place within a number of seconds. Returns whether it got there.
fn go(game: &mut Game, to: Point, gait: Gait, seconds: f32) -> bool {
    let mut left = seconds;
    while left > 0.0 {
        if game.world.thief_goes(to, gait, DT) == Progress::Arrived {
            return true;
        }
        game.frame(DT).unwrap();
        left -= DT;
    }
    false
}

fn wait(game: &mut Game, seconds: f32) {
    let mut left = seconds;
    while left > DT / 2.0 {
        game.frame(DT).unwrap();
        left -= DT;
    }
}

/// The agents of some kinds whose node of that name is running.
fn busy(game: &Game, kinds: Kinds, name: &str) -> Vec<AgentId> {
    let agents = game.world.actors_of(kinds).filter_map(|it| game.cast.agent_of(it));
    agents
        .filter(|agent| {
            let view = game.forest.agent(*agent).unwrap();
            view.tree().find(name).any(|node| view.is_active(node.id()))
        })
        .collect()
}

/// An estate with the thief alone, to try the rules.
fn alone() -> World {
    let mut world = World::estate(&Estate { seed: 7, crowd: 30 }).unwrap();
    let others: Vec<_> = world.actors_of(!Kinds::PLAYER).collect();
    others.into_iter().for_each(|it| world.despawn(it).unwrap());
    world
}

fn walk(world: &mut World, to: Point) {
    for _ in 0..900 {
        if world.thief_goes(to, Gait::Run, DT) == Progress::Arrived {
            return;
        }
        world.step(DT).unwrap();
    }
    panic!("{to:?} cannot be reached: the thief is at {:?}", world.position(world.heist().unwrap().thief()));
}

#[test]
fn the_treasure_is_taken_and_carried_out() {
    let mut world = alone();
    let plan = world.heist().unwrap().plan().clone();
    assert_eq!((world.offer(), world.heist().unwrap().stage()), (None, Stage::GetIn));
    walk(&mut world, [plan.lock[0], plan.lock[1] + 1.2]);
    assert_eq!(world.offer(), Some(Offer::Pick));
    let frames = (0..100).take_while(|_| world.thief_acts(DT) == Some(Offer::Pick)).count();
    assert_eq!((frames, world.heist().unwrap().lock()), (15, None), "a second and a half");
    walk(&mut world, plan.treasure);
    assert_eq!((world.thief_acts(DT), world.heist().unwrap().stage()), (Some(Offer::Take(0)), Stage::GetOut));
    assert!(world.noises().iter().any(|it| it.radius > 50.0), "the bell rings");
    walk(&mut world, plan.pieces[0]);
    world.thief_acts(DT);
    walk(&mut world, plan.exit);
    assert_eq!((world.offer(), world.thief_acts(DT)), (Some(Offer::Leave), Some(Offer::Leave)));
    let (now, heist) = (world.time(), world.heist().unwrap());
    let score = heist.score(now);
    assert_eq!((heist.stage(), score.loot, score.unseen, score.falls), (Stage::Won, 1_200, 500, 0));
    assert!(score.quick > 500 && score.total() == score.loot + score.unseen + score.quick, "{score:?}");
    let seconds = heist.seconds(now);
    assert_eq!(heist.seconds(now + 99.0), seconds, "the time stands still");
    assert_eq!(world.thief_goes([1.0, 1.0], Gait::Run, DT), Progress::Blocked, "and so does the thief");
}

#[test]
fn the_third_fall_ends_it() {
    let mut world = alone();
    let thief = world.heist().unwrap().thief();
    let piece = world.heist().unwrap().plan().pieces[3];
    for left in [2, 1, 0] {
        walk(&mut world, piece);
        world.thief_acts(DT);
        assert!(world.heist().unwrap().loot().iter().any(|it| it.taken));
        world.set_hp(thief, 0.0).unwrap();
        world.step(DT).unwrap();
        let heist = world.heist().unwrap();
        assert!(heist.loot().iter().all(|it| !it.taken), "it is put back");
        assert_eq!((heist.lives(), heist.is_over()), (left, left == 0));
        (0..40).for_each(|_| world.step(DT).unwrap());
        assert!(distance(world.position(thief).unwrap(), heist_exit(&world)) < 0.1, "it starts again outside");
    }
    assert_eq!(
        (world.heist().unwrap().stage(), world.offer(), world.throw_coin([1.0, 1.0])),
        (Stage::Lost, None, None)
    );
}

fn heist_exit(world: &World) -> Point {
    world.heist().unwrap().plan().exit
}

#[test]
fn a_hidden_thief_is_not_seen() {
    let mut game = heist();
    let me = thief(&game);
    let guard = game.world.actors_of(Kinds::GUARD).next().unwrap();
    // Beside the house: no wall is between it and the places north of it.
    let hide = game.world.heist().unwrap().plan().hides[12];
    let [before, far] = [4.0, 22.0].map(|it| [hide[0], hide[1] - it]);
    assert!(game.world.line_of_sight(before, hide));
    let seen_from = |game: &mut Game, at: Point| {
        game.world.place(guard, at).unwrap();
        game.world.face(guard, hide).unwrap();
        game.frame(0.01).unwrap();
        let notices = busy(game, Kinds::GUARD, "notice").contains(&game.cast.agent_of(guard).unwrap());
        let sees = game.world.can_see(guard, me, &Sight::SENTINEL);
        assert_eq!((notices, game.world.heist().unwrap().is_seen()), (sees, sees));
        sees
    };
    game.world.place(me, hide).unwrap();
    assert!(!seen_from(&mut game, far) && game.world.is_hidden(me));
    assert!(!seen_from(&mut game, before) && game.world.is_hidden(me), "4 m away: not in there");
    assert!(seen_from(&mut game, [hide[0], hide[1] - 1.2]), "but close up");
    assert!(!seen_from(&mut game, before) && game.world.is_hidden(me));
    game.world.place(me, [hide[0], hide[1] - 1.2]).unwrap();
    game.frame(0.01).unwrap();
    assert!(seen_from(&mut game, before) && !game.world.is_hidden(me), "in the open it is seen");
    game.world.place(me, hide).unwrap();
    game.frame(0.01).unwrap();
    assert!(seen_from(&mut game, before) && !game.world.is_hidden(me), "and on the way in");
    assert!(!seen_from(&mut game, far) && game.world.is_hidden(me));
    // A runner is not hidden.
    game.world.thief_goes([hide[0] + 0.3, hide[1]], Gait::Run, 0.01);
    assert!(!seen_from(&mut game, far) && !game.world.is_hidden(me));
}

#[test]
fn a_coin_lures_a_guard() {
    let mut game = heist();
    wait(&mut game, 1.0);
    let guard = game.world.actors_of(Kinds::GUARD).next().unwrap();
    let from = game.world.position(guard).unwrap();
    let me = thief(&game);
    let corner = game.world.heist().unwrap().plan().corners[0];
    game.world.place(me, [from[0] + 1.0, corner[1] + 36.8]).unwrap();
    let coins = game.world.heist().unwrap().coins();
    let fell = game.world.throw_coin([from[0] + 6.0, from[1] - 2.0]).unwrap();
    assert_eq!(game.world.heist().unwrap().coins(), coins - 1);
    game.frame(DT).unwrap();
    game.frame(DT).unwrap();
    assert!(!busy(&game, Kinds::GUARD, "investigate").is_empty());
    let came = (0..80).any(|_| {
        game.frame(DT).unwrap();
        game.world.actors_of(Kinds::GUARD).any(|it| distance(game.world.position(it).unwrap(), fell) < 1.2)
    });
    assert!(came, "a guard looks where it fell");
}

/// The thief in the open garden, and six guards on one side of it who see it. Returns its place.
fn outnumbered(game: &mut Game) -> Point {
    let (me, corner) = (thief(game), game.world.heist().unwrap().plan().corners[0]);
    let open = [corner[0] + 20.0, corner[1] + 31.0];
    game.world.place(me, open).unwrap();
    let guards: Vec<_> = game.world.actors_of(Kinds::GUARD).take(6).collect();
    for (nth, guard) in guards.into_iter().enumerate() {
        game.world.place(guard, [open[0] + nth as f32 * 1.5 - 4.0, open[1] - 3.0]).unwrap();
        game.world.face(guard, open).unwrap();
    }
    open
}

#[test]
fn two_strike_and_the_others_circle() {
    let mut game = heist();
    outnumbered(&mut game);
    let (me, guards) = (thief(&game), game.world.actors_of(Kinds::GUARD).collect::<Vec<_>>());
    wait(&mut game, 0.3);
    assert!(!busy(&game, Kinds::GUARD, "notice").is_empty(), "they wonder first");
    assert!(busy(&game, Kinds::GUARD, "fight").is_empty());
    let (mut most, mut circled, mut blows) = (0, 0, 0);
    for _ in 0..60 {
        game.frame(DT).unwrap();
        most = most.max(busy(&game, Kinds::GUARD, "strike").len());
        blows += game.world.heist().unwrap().blows().len();
        circled = circled.max(busy(&game, Kinds::GUARD, "circle").len());
        let places: Vec<_> = guards.iter().map(|it| game.world.position(*it).unwrap()).collect();
        for (nth, a) in places.iter().enumerate() {
            let near = places.iter().skip(nth + 1).map(|b| distance(*a, *b)).fold(f32::INFINITY, f32::min);
            assert!(near > 0.55, "bodies keep apart: {near}");
        }
    }
    assert_eq!(most, 2);
    assert!(circled >= 2, "{circled}");
    assert!(game.world.hp(me) < Some(100.0), "and it hurts: {:?}", game.world.hp(me));
    assert!(blows > 0, "and is seen");
}

#[test]
fn who_circles_goes_round_the_thief_at_a_distance() {
    let mut game = heist();
    let middle = outnumbered(&mut game);
    let guards: Vec<_> = game.world.actors_of(Kinds::GUARD).take(6).collect();
    let angle = |game: &Game, guard| {
        let at = game.world.position(guard).unwrap();
        (at[1] - middle[1]).atan2(at[0] - middle[0])
    };
    // How far each went round while circling, for how long, and the widest gap between two.
    let (mut turns, mut seconds, mut widest) = ([0.0_f32; 6], [0.0_f32; 6], Vec::new());
    for _ in 0..60 {
        let before: Vec<_> = guards.iter().map(|it| angle(&game, *it)).collect();
        game.frame(DT).unwrap();
        let circling = busy(&game, Kinds::GUARD, "circle");
        for (nth, guard) in guards.iter().enumerate() {
            if !circling.contains(&game.cast.agent_of(*guard).unwrap()) {
                continue;
            }
            turns[nth] += (angle(&game, *guard) - before[nth] + PI).rem_euclid(TAU) - PI;
            seconds[nth] += DT;
            let far = distance(game.world.position(*guard).unwrap(), middle);
            // The first second leads there; then bodies that pass each other give way.
            assert!(seconds[nth] < 1.0 || (2.5..4.5).contains(&far), "{guard:?} is {far} m away");
        }
        let mut angles: Vec<_> = guards.iter().map(|it| angle(&game, *it)).collect();
        angles.sort_by(f32::total_cmp);
        let next = angles.iter().skip(1).copied().chain([angles[0] + TAU]);
        widest.push(angles.iter().zip(next).map(|it| it.1 - it.0).fold(0.0, f32::max));
    }
    let round: Vec<_> = (0..6).filter(|it| seconds[*it] > 4.0).map(|it| turns[it]).collect();
    assert!(round.len() >= 3 && round.iter().all(|it| it.abs() > PI), "half a round at least: {turns:?}");
    assert!(round.iter().any(|it| *it > 0.0) && round.iter().any(|it| *it < 0.0), "both ways: {turns:?}");
    assert!(widest[0] > PI && widest.iter().any(|it| *it < PI), "it is surrounded: {widest:?}");
}

#[test]
fn a_guard_calls_its_squad_through_walls() {
    let mut game = heist();
    let (me, corner) = (thief(&game), game.world.heist().unwrap().plan().corners[0]);
    let on = |x: f32, y: f32| [corner[0] + x, corner[1] + y];
    let guards: Vec<_> = game.world.actors_of(Kinds::GUARD).collect();
    // The first three walk in the garden, the next three in the hall.
    let (caller, mate, stranger) = (guards[0], guards[1], guards[3]);
    let (open, hall) = (on(20.0, 31.0), on(50.0, 20.0));
    game.world.place(me, open).unwrap();
    for (guard, at) in [(caller, on(20.0, 27.0)), (mate, hall), (stranger, on(50.0, 22.0))] {
        game.world.place(guard, at).unwrap();
        game.world.face(guard, open).unwrap();
    }
    assert!(game.world.can_see(caller, me, &Sight::SENTINEL));
    assert!(!game.world.line_of_sight(hall, open), "the house is between them");
    let helps = |game: &Game, guard| busy(game, Kinds::GUARD, "help").contains(&game.cast.agent_of(guard).unwrap());
    wait(&mut game, 0.5);
    assert!(!helps(&game, mate), "no guard has called yet");
    // Blows and screams do not carry as far as the mate, so it has heard the call.
    let called = (0..10).any(|_| {
        game.frame(DT).unwrap();
        let loud = game.world.noises().iter().filter(|it| it.sound.event() == "alarm");
        assert!(loud.clone().all(|it| distance(it.at, hall) > it.radius), "{:?}", loud.collect::<Vec<_>>());
        helps(&game, mate)
    });
    assert!(called && !helps(&game, stranger), "only the squad comes");
    let came = (0..120).any(|_| {
        game.world.set_hp(me, 100.0).unwrap();
        game.frame(DT).unwrap();
        distance(game.world.position(mate).unwrap(), open) < 9.0
    });
    assert!(came, "it runs where the thief is");
}

#[test]
fn guards_search_different_places() {
    let mut game = heist();
    let (me, corner) = (thief(&game), game.world.heist().unwrap().plan().corners[0]);
    let open = [corner[0] + 20.0, corner[1] + 31.0];
    game.world.place(me, open).unwrap();
    let guards: Vec<_> = game.world.actors_of(Kinds::GUARD).take(4).collect();
    for (nth, guard) in guards.iter().enumerate() {
        game.world.place(*guard, [open[0] + nth as f32 * 1.5 - 4.0, open[1] - 5.0]).unwrap();
        game.world.face(*guard, open).unwrap();
    }
    wait(&mut game, 1.2);
    game.world.set_hp(me, 100.0).unwrap();
    game.world.place(me, [corner[0] + 11.0, corner[1] + 39.5]).unwrap();
    wait(&mut game, 5.0);
    assert!(busy(&game, Kinds::GUARD, "search").len() >= 3);
    wait(&mut game, 4.0);
    let places: Vec<_> = guards.iter().map(|it| game.world.position(*it).unwrap()).collect();
    let far = |a: Point| places.iter().map(|b| distance(a, *b)).fold(0.0, f32::max);
    assert!(places.iter().any(|it| far(*it) > 8.0), "they spread: {places:?}");
    wait(&mut game, 45.0);
    assert!(busy(&game, Kinds::GUARD, "patrol").len() >= 6, "and give up");
}

#[test]
fn panic_spreads_through_a_crowd() {
    let mut game = heist();
    wait(&mut game, 0.5);
    assert!(busy(&game, Kinds::CIVILIAN, "panic").is_empty());
    let someone = game.world.actors_of(Kinds::CIVILIAN).next().unwrap();
    let place = game.world.position(someone).unwrap();
    game.world.make_sound(Sound::Scream, place, 4.0, None).unwrap();
    game.frame(DT).unwrap();
    game.frame(DT).unwrap();
    let first = busy(&game, Kinds::CIVILIAN, "panic").len();
    let mut most = first;
    for _ in 0..40 {
        game.frame(DT).unwrap();
        most = most.max(busy(&game, Kinds::CIVILIAN, "panic").len());
    }
    assert!(first >= 1 && most > first, "{first} then {most}");
    assert!(distance(game.world.position(someone).unwrap(), place) > 5.0, "it runs");
    wait(&mut game, 25.0);
    assert!(busy(&game, Kinds::CIVILIAN, "panic").is_empty(), "and calms down");
}

#[test]
fn the_boss_has_three_phases() {
    let mut game = heist();
    let boss = game.world.actors_of(Kinds::BOSS).next().unwrap();
    let (me, plan) = (thief(&game), game.world.heist().unwrap().plan().clone());
    wait(&mut game, 1.0);
    game.world.place(me, [plan.treasure[0] - 3.0, plan.treasure[1] + 2.0]).unwrap();
    let fights = |game: &mut Game, hp: f32, name: &str| {
        game.world.set_hp(boss, hp).unwrap();
        let (mut seen, mut calls) = (false, Vec::new());
        for _ in 0..60 {
            game.world.set_hp(me, 100.0).unwrap();
            let (at, heard) = (game.world.position(me).unwrap(), game.world.next_noise());
            game.world.face(boss, at).unwrap();
            game.frame(DT).unwrap();
            seen |= !busy(game, Kinds::BOSS, name).is_empty();
            let own = game.world.noises_since(heard).iter().filter(|it| it.source == Some(boss));
            calls.extend(own.filter(|it| it.sound != Sound::Clash).map(|it| (it.sound, it.radius)));
        }
        assert!(seen, "{name}");
        calls
    };
    assert_eq!(fights(&mut game, 300.0, "duel"), [], "it fights in silence");
    let calls = fights(&mut game, 180.0, "brawl");
    assert_eq!(calls.first(), Some(&(Sound::Bell, 30.0)), "it calls everybody once");
    assert!(calls.len() >= 3 && calls[1..].iter().all(|it| *it == (Sound::Noise, 10.0)), "and growls: {calls:?}");
    let calls = fights(&mut game, 80.0, "rampage");
    assert!(calls.len() >= 2 && calls.iter().all(|it| *it == (Sound::Bell, 40.0)), "it rings: {calls:?}");
    let calls = fights(&mut game, 200.0, "rampage");
    assert!(calls.iter().all(|it| *it == (Sound::Bell, 40.0)), "a phase never comes back: {calls:?}");
    game.world.set_hp(boss, 0.0).unwrap();
    game.frame(DT).unwrap();
    assert!(!busy(&game, Kinds::BOSS, "dead").is_empty());
}

#[test]
fn at_night_the_boss_sleeps_and_people_go_home_until_the_bell_rings() {
    let mut game = heist();
    wait(&mut game, 130.0);
    assert_eq!(game.world.daytime(), pleach_arena::Daytime::Night);
    assert_eq!(busy(&game, Kinds::BOSS, "sleep").len(), 1);
    let home = busy(&game, Kinds::CIVILIAN, "go home").len();
    assert_eq!(home, game.world.actors_of(Kinds::CIVILIAN).count());
    let treasure = game.world.heist().unwrap().plan().treasure;
    game.world.make_sound(Sound::Bell, treasure, 60.0, None).unwrap();
    wait(&mut game, 0.5);
    assert!(busy(&game, Kinds::BOSS, "sleep").is_empty() && !busy(&game, Kinds::BOSS, "help").is_empty());
    assert!(busy(&game, Kinds::GUARD, "help").len() >= 4, "who hears it comes");
}

#[test]
fn a_heist_can_be_repeated() {
    let (mut a, mut b) = (heist(), heist());
    let goal = a.world.heist().unwrap().plan().pieces[0];
    for _ in 0..3 {
        for game in [&mut a, &mut b] {
            go(game, goal, Gait::Walk, 8.0);
            game.world.thief_strikes();
            let to = at(game);
            game.world.throw_coin([to[0] + 4.0, to[1]]);
        }
        assert_eq!(a.world.digest(), b.world.digest());
    }
    let mut copy = a.world.clone();
    copy.throw_coin([0.0, 0.0]);
    copy.thief_acts(DT);
    copy.step(DT).unwrap();
    a.world.step(DT).unwrap();
    assert_ne!(copy.digest(), a.world.digest());
}

/// Gets in and out by the west door, where few guards walk. Returns whether it got away.
fn careful(mut game: Game, gait: Gait) -> bool {
    let plan = game.world.heist().unwrap().plan().clone();
    let on = |x: f32, y: f32| [plan.corners[0][0] + x, plan.corners[0][1] + y];
    let way = [on(1.5, 36.0), on(1.5, 19.8), on(10.0, 19.8), on(17.0, 14.0), on(28.0, 12.8)];
    for _ in 0..3 {
        let door = [plan.lock[0], plan.lock[1] + 1.2];
        let there = way.iter().chain([&door]).all(|to| go(&mut game, *to, gait, 90.0));
        while there && game.world.thief_acts(DT) == Some(Offer::Pick) {
            game.frame(DT).unwrap();
        }
        let taken = there && go(&mut game, plan.treasure, gait, 10.0);
        game.world.thief_acts(DT);
        if taken {
            // The bell rings: from now on it runs.
            for to in way.iter().rev().chain([&plan.exit]) {
                go(&mut game, *to, Gait::Run, 40.0);
            }
            game.world.thief_acts(DT);
        }
        if game.world.heist().unwrap().is_over() {
            break;
        }
        wait(&mut game, 20.0);
    }
    game.world.heist().unwrap().stage() == Stage::Won
}

#[test]
fn a_careful_thief_gets_away_at_night() {
    let mut game = heist();
    wait(&mut game, 95.0);
    assert!(careful(game, Gait::Walk));
}
