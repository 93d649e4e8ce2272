//! `cookbook-fights.md`.

use pleach::{Event, Value};

use super::life::Life;

#[test]
fn one_sentry_calls_for_help_once() {
    let mut life = Life::squad("sentry.ron", 4);
    life.ticks(2);
    life.set_of(0, "sees", true);
    life.ticks(2);
    let does: Vec<_> = (0..4).map(|it| life.now_of(it)).collect();
    assert_eq!(does, ["strike", "run there", "run there", "run there"]);
    life.set_of(1, "sees", true);
    life.ticks(1);
    assert_eq!(life.now_of(1), "strike");
    life.ticks(10);
    assert_eq!(life.now_of(2), "run there", "for two seconds");
    life.ticks(15);
    assert_eq!(life.now_of(0), "strike");
    assert_eq!(life.now_of(2), "stand", "the second one that sees it does not call again");
    life.set_of_squad("called", false);
    life.set_of(0, "sees", false);
    life.ticks(1);
    life.set_of(0, "sees", true);
    life.ticks(2);
    assert_eq!(life.now_of(2), "run there", "a new fight, a new call");
}

#[test]
fn one_call_in_each_fight_however_many_see_it() {
    let mut life = Life::squad("sentry.ron", 4);
    let (mut fights, mut calls) = (0, 0);
    for _ in 0..300 {
        for _ in 0..10 {
            for who in 0..4 {
                let sees = life.chance(3);
                life.set_of(who, "sees", sees);
            }
            life.ticks(1);
        }
        let heard = life.story().iter().filter(|it| *it == "call").count();
        assert!(heard <= 1);
        calls += heard;
        // The fight is over.
        for who in 0..4 {
            life.set_of(who, "sees", false);
        }
        life.set_of_squad("called", false);
        life.ticks(1);
        fights += 1;
    }
    assert_eq!(calls, fights);
}

/// Which of the squad attack.
fn attackers(life: &mut Life, size: usize) -> Vec<usize> {
    (0..size).filter(|it| ["close in", "strike"].contains(&&*life.now_of(*it))).collect()
}

#[test]
fn two_raiders_attack_at_a_time_and_each_has_its_turn() {
    let mut life = Life::squad("raider.ron", 5);
    life.ticks(1);
    assert_eq!(life.now_of(0), "stand");
    for who in 0..5 {
        life.set_of(who, "sees", true);
    }
    let mut attacks = [0; 5];
    for _ in 0..300 {
        life.ticks(1);
        let now = attackers(&mut life, 5);
        assert!(now.len() <= 2, "{now:?}");
        now.into_iter().for_each(|it| attacks[it] += 1);
    }
    // Two of five attack, so that each does so for two fifths of the time.
    assert!(attacks.iter().all(|it| (90..=130).contains(it)), "{attacks:?}");
    let first = attackers(&mut life, 5)[0];
    life.set_of(first, "sees", false);
    life.ticks(2);
    assert_eq!(life.now_of(first), "stand");
    assert_eq!(attackers(&mut life, 5).len(), 2, "another one has its place");
}

#[test]
fn a_mob_attacks_by_twos() {
    let mut life = Life::squad("mob.ron", 40);
    life.ticks(1);
    assert_eq!(life.now_of(0), "stand");
    for who in 0..40 {
        life.set_of(who, "sees", true);
    }
    life.ticks(1);
    let mut attacks = [0; 40];
    for _ in 0..100 {
        life.ticks(1);
        let now = attackers(&mut life, 40);
        assert!((1..=2).contains(&now.len()), "{now:?}");
        now.into_iter().for_each(|it| attacks[it] += 1);
    }
    assert!(attacks.iter().sum::<i32>() > 180, "{attacks:?}");
    let first = attackers(&mut life, 40)[0];
    life.set_of(first, "sees", false);
    life.ticks(2);
    assert_eq!(life.now_of(first), "stand");
    assert_eq!(attackers(&mut life, 40).len(), 2, "another one has its place");
}

#[test]
fn one_grenade_in_ten_seconds_whoever_throws_it() {
    let mut life = Life::squad("grenadier.ron", 4);
    for who in 0..4 {
        life.set_of(who, "sees", true);
    }
    let (mut throws, mut last, mut throwing) = (0, None, false);
    for tick in 0..600 {
        life.ticks(1);
        let who: Vec<usize> = (0..4).filter(|it| life.now_of(*it) == "throw a grenade").collect();
        assert!(who.len() <= 1);
        if who.is_empty() && throwing {
            last = Some(tick);
        }
        if !who.is_empty() && !throwing {
            assert!(last.is_none_or(|it| tick - it >= 95), "it rests for ten seconds: {last:?}, {tick}");
            throws += 1;
        }
        throwing = !who.is_empty();
        assert!((0..4).all(|it| life.now_of(it) != "stand"));
    }
    assert!((5..=6).contains(&throws), "{throws}");
}

#[test]
fn a_boss_goes_through_every_phase_once() {
    let mut life = Life::of("boss.ron");
    life.ticks(5);
    life.set("health", 0.1);
    life.ticks(36);
    let story = life.story();
    let start = ["swing the club", "swing the club: cut short", "roar", "break the pillars", "throw rocks"];
    assert_eq!(story[..5], start, "one hit takes him to the last phase, and he roars first");
    life.set("health", 1.0);
    life.ticks(50);
    let story = life.story();
    assert!(story.iter().all(|it| it == "throw rocks"), "healing brings no phase back: {story:?}");
    assert_eq!(life.value("phase"), Value::Int(3));
}

#[test]
fn a_boss_finishes_his_roar() {
    let mut life = Life::of("boss.ron");
    life.ticks(1);
    life.set("health", 0.5);
    life.ticks(5);
    life.set("health", 0.2);
    life.ticks(8);
    assert_eq!(life.story()[2..], ["roar", "break the pillars"]);

    let mut life = Life::of("boss.ron");
    life.set("health", 0.5);
    life.ticks(14);
    assert_eq!(life.story(), ["roar", "leap"]);
    life.set("health", 0.2);
    life.ticks(1);
    assert_eq!(life.story(), ["leap: cut short", "break the pillars"], "a new phase waits for no leap");
}

#[test]
fn a_shooter_ducks_when_he_is_hit() {
    let mut life = Life::of("shooter.ron");
    life.ticks(11);
    while life.now() != "shoot" {
        life.ticks(1);
    }
    assert_eq!(life.story(), ["run to cover", "listen", "peek", "shoot"]);
    life.ticks(7);
    assert_eq!(life.story()[..3], ["shoot", "shoot", "listen"], "three shots");
    while life.now() != "shoot" {
        life.ticks(1);
    }
    life.story();
    life.send(Event::new("hit"));
    life.ticks(20);
    assert_eq!(life.story(), ["shoot: cut short", "stay down"], "for two seconds");
    for _ in 0..3000 {
        if life.chance(30) {
            life.send(Event::new("hit"));
        }
        life.ticks(1);
    }
    let story = life.story();
    let before_shots = story.windows(2).filter(|it| it[1] == "shoot").map(|it| it[0].as_str());
    let mut before: Vec<_> = before_shots.collect();
    before.sort_unstable();
    before.dedup();
    assert_eq!(before, ["peek", "shoot"], "he never shoots from behind the cover");
    let rounds = story.iter().filter(|it| *it == "run to cover").count();
    assert_eq!(rounds, 0, "he stays where he is");
}

#[test]
fn a_squad_moves_when_all_are_ready() {
    let mut life = Life::squad("soldier.ron", 3);
    for (who, way) in [1.0, 2.0, 0.5].into_iter().enumerate() {
        life.set_of(who, "way", way);
    }
    // As an interruption may have left it.
    life.set_of(1, "ready", true);
    let mut advances = Vec::new();
    for tick in 1..=100 {
        let all_ready = (0..3).all(|it| life.value_of(it, "ready") == Value::Bool(true));
        life.set_of_squad("all_ready", all_ready);
        life.ticks(1);
        let is_ready = |it| life.now_of(it) == "wait for the others";
        assert!((0..3).all(|it| life.value_of(it, "ready") == Value::Bool(is_ready(it))), "nobody else counts");
        let story = life.story();
        let who = story.iter().filter(|it| *it == "advance").count();
        if who > 0 {
            advances.push((tick, who));
        }
    }
    assert!(advances.iter().all(|it| it.1 == 3) && advances.len() > 1, "all in the same tick: {advances:?}");
}
