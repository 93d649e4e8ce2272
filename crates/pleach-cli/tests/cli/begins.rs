//! Cases of `pleach test` that begin with a save, or change the length of ticks.

use crate::tests::{DOG, cases, wrong};
use crate::{Place, pleach};

#[test]
fn ticks_of_a_case_may_change_their_length() {
    let (code, out) =
        cases("test_dt", r#""it waits": (dt: 1.0, steps: [(tick: 2, dt: 0.25), (tick: 6, expect: "now == 3")])"#);
    assert_eq!(code, 0, "{out}");
    let out = wrong("test_dt_at", r#""a": (steps: [(at: 1.0, running: "roam", dt: 0.2), (tick: 9, dt: 0.0)])"#);
    assert!(out.contains("`at` means a time, and a step of the case changes `dt`"), "{out}");
    assert!(out.contains("a tick takes more than 0 and at most "), "{out}");
}

#[test]
fn a_case_does_not_begin_with_any_save() {
    let begin = |test: &str, fields: &str| {
        wrong(test, &format!("\"a\": (begin: \"a.save\"{fields}, steps: [(tick: 1, running: \"roam\")])"))
    };
    let out = begin("test_begin_none", "");
    assert!(out.contains("there is no file `") && out.contains("a.save`"), "{out}");
    let out = begin("test_begin_others", ", others: 2, seed: 4");
    assert!(out.contains("a case that begins with a save has its one agent: leave out `others`"), "{out}");
    let out = begin("test_begin_world", ", world: true");
    assert!(out.contains("a case that begins with a save is not played in a world"), "{out}");
    let place = Place::new("test_begin_damaged");
    place.file("dog.ron", DOG);
    place.file("a.save", "[1, 2]");
    let tests = place.file(
        "dog.test.ron",
        r#"Tests(version: 1, tree: "dog.ron", cases: {"a": (begin: "a.save", steps: [(tick: 1, running: "roam")])})"#,
    );
    let (code, out, _) = pleach(&["test", &tests]);
    assert!(code == 1 && out.contains("a.save` is not a save: "), "{out}");
}
