//! `cookbook-places.md`.

use pleach::{Entity, Value};

use super::life::Life;

#[test]
fn a_patroller_goes_to_each_waypoint_in_turn() {
    let mut life = Life::of("patroller.ron");
    let mut visited = Vec::new();
    for _ in 0..200 {
        life.ticks(1);
        if life.story().contains(&"look around".to_owned()) {
            visited.push(life.value("waypoint"));
        }
    }
    assert_eq!(visited, [0, 1, 2, 3, 0, 1].map(Value::Int));
}

#[test]
fn a_courier_goes_to_each_house_once() {
    let mut life = Life::of("courier.ron");
    life.ticks(20);
    life.set("at_home", false);
    life.ticks(13);
    assert_eq!(
        life.story(),
        ["walk to the house", "hand it over", "walk to the house", "walk to the house"],
        "one is out"
    );
    life.set("threat", true);
    life.ticks(3);
    life.set("threat", false);
    life.ticks(3);
    assert_eq!(life.story(), ["walk to the house: cut short", "lie low", "lie low: cut short", "walk to the house"]);
    assert_eq!(life.value("letter"), Value::Int(2), "the third one, not the first");
    life.ticks(20);
    assert_eq!(life.story(), ["fetch new letters"]);
    life.set("letters", 1);
    life.ticks(60);
    let story = life.story();
    assert_eq!(story, ["walk to the house", "fetch new letters", "walk to the house"], "a round of one");
}

#[test]
fn a_cat_does_not_try_again_at_once() {
    let mut life = Life::of("cat.ron");
    let (mouse, bird) = (Entity::from_index(1), Entity::from_index(2));
    life.set("target", mouse);
    life.ticks(60);
    assert_eq!(life.story(), ["pounce", "look for another"], "one leap at the mouse");
    life.set("target", bird);
    life.set("caught", true);
    life.ticks(12);
    assert_eq!(life.story(), ["look for another: cut short", "pounce", "eat"], "a bird is another matter");
    let mut life = Life::of("cat.ron");
    life.set("target", mouse);
    life.ticks(5);
    life.set("target", Entity::NONE);
    life.ticks(5);
    assert_eq!(life.story(), ["pounce"], "a leap is not broken off");
}

#[test]
fn a_cat_forgets() {
    let mut life = Life::of("cat.ron");
    life.set("target", Entity::from_index(1));
    life.ticks(115);
    assert_eq!(life.story(), ["pounce", "look for another", "pounce"]);
}

#[test]
fn a_thief_takes_the_first_way_that_is_open() {
    let none: [&str; 0] = [];
    for (keys, way) in [
        (&none[..], &["walk to the door", "climb through the window"][..]),
        (&["has_key"], &["walk to the door", "unlock", "go through"]),
        (&["strong"], &["walk to the door", "kick it in", "go through"]),
        (&["strong", "has_key"], &["walk to the door", "unlock", "go through"]),
    ] {
        let mut life = Life::of("thief.ron");
        for key in keys {
            life.set(key, true);
        }
        life.ticks(60);
        assert_eq!(life.story(), [way, &["steal"]].concat());
    }
    let mut life = Life::of("thief.ron");
    life.set("locked", false);
    life.ticks(20);
    assert_eq!(life.story(), ["walk to the door", "go through", "steal"]);
}

#[test]
fn a_ranger_changes_at_nightfall() {
    let mut life = Life::squad("ranger.ron", 2);
    life.ticks(45);
    assert_eq!(life.story()[4..], ["walk to the waypoint", "walk to the waypoint"]);
    life.set("night", true);
    life.ticks(1);
    for who in 0..2 {
        assert_eq!(life.now_of(who), "walk to the fire", "all of them, at once");
    }
    life.ticks(500);
    assert_eq!(life.now(), "keep the fire");
    assert_eq!(life.value("patroller.waypoint"), Value::Int(1));
    life.set("night", false);
    life.ticks(1);
    assert_eq!(life.now(), "walk to the waypoint", "he heads for the waypoint that he did not reach");
    assert_eq!(life.value("patroller.waypoint"), Value::Int(1));
}
