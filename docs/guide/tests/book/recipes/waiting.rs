//! `cookbook-waiting.md`.

use pleach::{Event, Value};

use super::life::Life;

#[test]
fn a_hiker_looks_around_until_he_is_there() {
    let mut life = Life::of("hiker.ron");
    life.ticks(31);
    assert!(life.is_active("walk") && life.is_active("look around"), "both at once");
    life.ticks(40);
    let story = life.story();
    assert_eq!(
        story.iter().filter(|it| it.starts_with("to the")).collect::<Vec<_>>(),
        ["to the bridge", "to the village"]
    );
    assert!(story.iter().filter(|it| *it == "look left").count() >= 3);
    assert!(story.last().unwrap().starts_with("look") && story.last().unwrap().ends_with(": cut short"), "he is there");
    assert_eq!(life.now(), "(between runs, last: success)");
}

#[test]
fn a_doorman_holds_the_door_for_five_seconds() {
    let mut life = Life::of("doorman.ron");
    life.ticks(50);
    assert_eq!(life.story(), ["watch the guest", "hold the door"]);
    life.ticks(1);
    assert_eq!(life.story(), ["watch the guest: cut short", "hold the door: cut short", "shake the head"]);

    let mut life = Life::of("doorman.ron");
    life.ticks(20);
    life.set("passed", true);
    life.ticks(40);
    assert_eq!(life.story(), ["watch the guest", "hold the door", "hold the door: cut short", "nod", "stand"]);
}

#[test]
fn a_burglar_tries_three_times_with_pauses() {
    // A second for each try, and two pauses of two seconds.
    let mut life = Life::of("burglar.ron");
    life.ticks(68);
    assert_eq!(life.story(), ["turn the dial"; 3]);
    life.ticks(5);
    assert_eq!(life.story(), ["leave"], "without a pause after the last try");
    life.ticks(50);
    assert_eq!(life.story(), ["turn the dial"]);
    life.ticks(60);
    assert_eq!(life.story(), ["turn the dial"; 2], "the next time he has three tries again");

    let mut life = Life::of("burglar.ron");
    life.ticks(25);
    life.set("open", true);
    life.ticks(20);
    assert_eq!(life.story(), ["turn the dial", "turn the dial", "take the gold"], "no third try");
}

#[test]
fn a_sleeper_sleeps_until_the_next_noon() {
    for (first, hours) in [(22, 14), (3, 9), (13, 23), (12, 24)] {
        let mut life = Life::of("sleeper.ron");
        life.set("hour", first);
        life.ticks(1);
        for passed in 1..hours {
            life.set("hour", (first + passed) % 24);
            life.ticks(2);
            assert!(life.now().starts_with("sleep"), "{first} + {passed}: {}", life.now());
            assert_eq!(life.ticked, 0, "nothing is asked between two hours");
        }
        life.set("hour", 12);
        life.ticks(1);
        assert_eq!(life.now(), "get up", "{first}");
    }
}

#[test]
fn a_clerk_takes_no_answer_to_another_question() {
    let mut life = Life::of("clerk.ron");
    life.send(Event::new("reply").with(1_i64));
    life.ticks(5);
    assert!(life.emitted.iter().all(|it| it.is("question")) && life.emitted.len() == 1);
    assert_eq!((life.now().as_str(), life.value("answer")), ("wait", Value::Int(0)), "that came before the question");
    assert_eq!(life.ticked, 0, "he sleeps while he waits");
    life.send(Event::new("reply").with(42_i64));
    life.ticks(1);
    assert_eq!((life.now().as_str(), life.value("answer")), ("write it down", Value::Int(42)));
}

#[test]
fn a_clerk_waits_two_seconds() {
    let mut life = Life::of("clerk.ron");
    life.ticks(20);
    assert_eq!(life.now(), "wait");
    life.ticks(1);
    assert_eq!(life.story(), ["wait", "wait: cut short", "shrug"]);
    life.send(Event::new("reply").with(42_i64));
    life.ticks(5);
    assert_eq!(life.value("answer"), Value::Int(0), "too late");
}

#[test]
fn a_duelist_has_three_strikes_in_each_fight() {
    let mut life = Life::of("duelist.ron");
    life.set("foe", true);
    life.ticks(25);
    assert_eq!(life.story(), ["strike", "strike", "strike", "catch breath"]);
    for (ticks, strikes) in [(3, 1), (8, 2), (25, 3)] {
        life.set("foe", false);
        life.ticks(1);
        life.set("foe", true);
        life.ticks(ticks);
        assert_eq!(life.story().iter().filter(|it| *it == "strike").count(), strikes);
    }
}
