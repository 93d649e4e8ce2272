//! `pleach play`.

use crate::{Place, pleach, refused};

const FARMER: &str = r#"Tree(
    version: 1,
    name: "farmer",
    blackboard: { "wolf": Bool(false), "at": Vec2(0, 0), "mood": Symbol("calm", ["calm", "angry"]) },
    group: { "alarm": Bool(false) },
    events: { "howl": (), "noise": Vec2 },
    root: Selector([
        Sequence(name: "hide", abort: Both, children: [Check("wolf || alarm"), WalkTo(place: "at"), Wait(1.0)]),
        Sequence(abort: LowerPriority, children: [Sees(what: "wolf"), Idle(name: "stare")]),
        Idle(name: "mow"),
    ]),
)"#;

const KNOWN: &str = "answer WalkTo running; answer Sees false";

#[test]
fn a_script_plays_an_agent() {
    let place = Place::new("plays");
    let file = place.file("farmer.ron", FARMER);
    let script = format!("{KNOWN}; quiet; tick; trace; set wolf true; tick; answer WalkTo success; tick 0.25");
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = r#"-- WalkTo answers running
-- Sees answers false
-- wolf = true
-- tick at 0.2 s
recheck   n2 Check(wolf || alarm) -> success
end       n8 Idle "mow" -> ended: aborted
abort     n0 Selector goes on at n2 Check(wolf || alarm)
start     n1 Sequence "hide"
start     n2 Check(wolf || alarm)
update    n2 Check(wolf || alarm) -> success
end       n2 Check(wolf || alarm) -> success
start     n3 WalkTo(place: "at")
update    n3 WalkTo(place: "at") -> running
-- WalkTo answers success
-- tick at 0.45 s
recheck   n2 Check(wolf || alarm) -> success
update    n3 WalkTo(place: "at") -> success
end       n3 WalkTo(place: "at") -> success
start     n4 Wait(1 s)
update    n4 Wait(1 s) -> running
"#;
    assert_eq!(out, expected);
}

#[test]
fn all_steps_do_something() {
    let place = Place::new("plays-steps");
    let file = place.file("farmer.ron", FARMER);
    let script = format!(
        "{KNOWN}; tick 0.5 x 2; set at (3, 4); set mood angry; set alarm true; send howl; send noise 1, 2; quiet; tick; \
         answer Sees true; set alarm false; tick; show; explain; why hide; pause; unpause; restart"
    );
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in [
        "-- tick at 0.5 s\n",
        "-- tick at 1.0 s\n",
        "-- at = (3, 4)\n",
        "-- event noise 1, 2\n",
        "\u{25b6} \u{2502}  \u{2514}\u{2500} Idle \"stare\"",
        "farmer, 1.200 s",
        "why not n1 Sequence \"hide\"?",
        "-- pause\n-- unpause\n-- restart\n",
    ] {
        assert!(out.contains(part), "no {part} in {out}");
    }
}

#[test]
fn a_wrong_script_says_what_to_write() {
    let place = Place::new("plays-wrong");
    let file = place.file("farmer.ron", FARMER);
    for (script, message) in [
        ("", "the script has no steps"),
        ("jump", "`jump` is no step: write tick, set, "),
        ("tick x", "`tick x` is no step: write `tick`"),
        ("tick 1 x 4000000", "100000 are the most"),
        ("tick", "`Sees` is not known here: say in the script what it answers, as in `answer Sees running`"),
    ] {
        refused(&["play", &file, script], 2, message);
    }
    for (step, message) in [
        ("answer Fly success", "the tree has no leaf `Fly`"),
        ("set wolfe true", "the tree has no key `wolfe`: it has `wolf`, `at`, "),
        ("set wolf 3", "`3` is no Bool: write `true` or `false`"),
        ("set at 3", "`3` is no Vec2: write two numbers, as in `(3, 4)`"),
        ("set mood sad", "`set mood sad`: "),
        ("send hwol", "the tree has no event `hwol`: it has `noise`, "),
        ("send noise", "`send noise`: "),
        ("fill hand sword", "`fill hand sword`: "),
        ("why digest", "`why digest`: "),
    ] {
        let (code, _, err) = pleach(&["play", &file, &format!("{KNOWN}; {step}")]);
        assert!(code == 2 && err.contains(message) && !err.contains("panicked"), "{step}: {err}");
    }
    let bad = place.file("bad.ron", "Tree(version: 1, root: Check(\"wolf\"))");
    refused(&["play", &bad, "tick"], 1, "wolf");
}

#[test]
fn a_manifest_says_which_leaves_are_conditions() {
    let place = Place::new("plays-leaves");
    let file = place.file("farmer.ron", FARMER);
    let leaves = r#"Manifest(version: 1, leaves: [(name: "WalkTo", kind: Action), (name: "Sees", kind: Condition)])"#;
    let leaves = place.file("game.leaves", leaves);
    let (code, out, err) = pleach(&["play", &file, "tick; answer Sees success; tick", "--leaves", &leaves]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("recheck   n6 Sees(what: \"wolf\") -> success"), "{out}");
    let less = place.file("less.leaves", r#"Manifest(version: 1, leaves: [(name: "Sees", kind: Condition)])"#);
    refused(&["play", &file, "tick", "--leaves", &less], 1, "unknown node `WalkTo`");
}
