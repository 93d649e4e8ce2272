//! Brains beside forests of one: which ones are rolled, and which differences are found.

use std::collections::BTreeSet;

use pleach_conform::crowd::{Prepared, Twins};
use pleach_conform::{Scenario, compare};

#[test]
fn all_kinds_of_twins_are_rolled() {
    let mut kinds = BTreeSet::new();
    for seed in 0..2_000 {
        let Twins { traced, bare, every_tick, sleep, completion, bombs, replaced, .. } =
            Twins::roll(&compare::scenario(seed), seed);
        let completion = format!("{completion:?}");
        kinds.insert((traced, bare, every_tick, sleep, completion, bombs.is_empty(), replaced.is_empty()));
    }
    assert!(kinds.len() > 100, "{}", kinds.len());
}

#[test]
fn a_brain_that_does_something_else_is_found() {
    let scenario = |ticks: u32| {
        let tree = r#"{"type": "sequence", "children": [{"type": "action", "name": "a"}, {"type": "idle"}]}"#;
        let text = format!(
            r#"{{"name": "n", "about": "", "tree": {tree}, "actions": {{"a": {{"ticks": {ticks}}}}}, "ticks": 5}}"#
        );
        Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
    };
    let twins = Twins { bombs: Vec::new(), replaced: Vec::new(), ..Twins::roll(&scenario(2), 0) };
    let (one, other) = (scenario(2), scenario(3));
    let [one, other] = [&one, &other].map(|it| Prepared::new(it).expect("the tree is valid"));
    assert_eq!(twins.check(&one), Ok(()));
    let told = twins.check_with(&one, &other).expect_err("they differ");
    assert!(told.contains("frame 2: ") || told.contains("frame 3: "), "{told}");
}
