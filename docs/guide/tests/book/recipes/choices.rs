//! `cookbook-choices.md`.

use pleach::{Event, Value};

use super::life::Life;

fn count(story: &[String], what: &str) -> usize {
    story.iter().filter(|it| *it == what).count()
}

#[test]
fn a_villager_does_what_it_needs_most() {
    let mut life = Life::of("villager.ron");
    life.ticks(75);
    assert_eq!(life.story(), ["eat", "chat", "sleep"], "the largest score first");
    life.set("hunger", 0.5);
    life.ticks(1);
    assert_eq!(life.story(), ["sleep: cut short", "eat"], "hunger wakes");
    life.ticks(90);
    assert_eq!(life.story(), ["sleep", "stand around"]);
    life.set("boredom", 1.0);
    life.ticks(1);
    assert_eq!(life.story(), ["stand around: cut short", "chat"]);
}

#[test]
fn a_mage_casts_one_spell_at_a_time() {
    let mut life = Life::of("mage.ron");
    life.set("mana", 1);
    life.ticks(8400);
    let story = life.story();
    let spells = story.len() / 2;
    assert!(story.chunks_exact(2).all(|it| it[0] != "breathe" && it[1] == "breathe"), "one spell, one breath");
    let (fire, blink, strike) = (count(&story, "fireball"), count(&story, "blink"), count(&story, "strike"));
    assert_eq!(fire + blink + strike, spells);
    assert!(
        strike > fire + blink - spells / 8 && strike < fire + blink + spells / 8,
        "half of them: {strike} of {spells}"
    );
    assert!(fire > spells / 6 && blink > spells / 6, "a quarter each: {fire}, {blink}");
}

#[test]
fn a_mage_without_mana_does_nothing_else_instead() {
    let mut life = Life::of("mage.ron");
    life.ticks(3000);
    let story = life.story();
    assert_eq!(count(&story, "fireball"), 0);
    let breaths = story.windows(2).filter(|it| it[0] == "breathe" && it[1] == "breathe").count();
    assert!(breaths > 20, "a quarter of the rounds has no spell: {breaths}");
}

#[test]
fn a_gambler_throws_each_number_of_a_die() {
    let mut life = Life::of("gambler.ron");
    let mut seen = [0; 6];
    let mut wins = 0;
    for _ in 0..6000 {
        life.ticks(1);
        for what in life.story() {
            let Value::Int(eyes) = life.value("eyes") else { panic!("an int") };
            seen[usize::try_from(eyes - 1).unwrap()] += 1;
            assert_eq!(what == "cheer", eyes >= 5, "{what} with {eyes}");
            wins += i64::from(eyes >= 5);
        }
    }
    assert!(seen.iter().all(|it| *it > 50), "{seen:?}");
    assert_eq!(life.value("wins"), Value::Int(wins));
}

fn first_shot(file: &str) -> (u32, usize) {
    let mut life = Life::of(file);
    life.ticks(1);
    life.set("sees", true);
    let mut ticks = 0;
    while !["hit", "miss"].contains(&life.now().as_str()) {
        life.ticks(1);
        ticks += 1;
    }
    life.ticks(1000);
    let story = life.story();
    assert_eq!(count(&story, "notice"), 1, "it notices once");
    life.set("sees", false);
    life.ticks(1);
    assert_eq!(life.now(), "stand");
    (ticks, 100 * count(&story, "hit") / (count(&story, "hit") + count(&story, "miss")))
}

#[test]
fn a_sniper_is_faster_and_hits_more() {
    let ((recruit, of_recruit), (sniper, of_sniper)) = (first_shot("recruit.ron"), first_shot("sniper.ron"));
    assert_eq!((recruit, sniper), (16, 6), "after 1.5 s and 0.5 s");
    assert!((10..30).contains(&of_recruit) && (60..80).contains(&of_sniper), "{of_recruit} %, {of_sniper} %");
}

#[test]
fn the_game_makes_all_snipers_worse() {
    let mut life = Life::of("sniper.ron");
    life.set("accuracy", 0.0);
    life.set("sees", true);
    life.ticks(1000);
    assert_eq!(count(&life.story(), "hit"), 0);
}

#[test]
fn a_lesson_takes_ten_seconds_and_nothing_interrupts_it() {
    let mut life = Life::of("guide.ron");
    life.set("enemy", true);
    life.ticks(2);
    life.send(Event::new("lesson"));
    life.ticks(1);
    life.set("enemy", false);
    life.ticks(49);
    life.set("enemy", true);
    life.ticks(50);
    let lesson = ["walk to the player", "point at the ladder", "wave"];
    assert_eq!(life.story(), [&["strike", "strike: cut short"][..], &lesson[..]].concat());
    life.ticks(2);
    assert_eq!(life.story(), ["wave: cut short", "strike"], "then it lives its own life again");
    life.set("enemy", false);
    life.ticks(1);
    life.set("enemy", true);
    life.ticks(1);
    assert_eq!(life.story(), ["strike: cut short", "stand", "stand: cut short", "strike"]);
}
