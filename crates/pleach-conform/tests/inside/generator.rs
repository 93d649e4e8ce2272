//! Random scenarios: valid, always the same, and of all kinds.

use std::collections::BTreeMap;

use pleach_conform::generator::scenario;
use pleach_conform::scenario::{Node, Scope};
use pleach_conform::{Scenario, oracle};

fn kinds(node: &Node, found: &mut BTreeMap<&'static str, usize>) {
    *found.entry(node.type_name()).or_default() += 1;
    node.children().iter().for_each(|c| kinds(c, found));
}

#[test]
fn same_seed_same_scenario() {
    for seed in 0..200 {
        assert_eq!(scenario(seed, 20), scenario(seed, 20));
        assert_ne!(scenario(seed, 20).tree, scenario(seed + 1, 20).tree);
    }
}

#[test]
fn valid_and_read_back_equal() {
    for seed in 0..2_000 {
        let made = scenario(seed, 1 + usize::try_from(seed % 60).expect("small"));
        let text = made.to_json();
        let read = Scenario::from_json(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(made, read, "seed {seed}");
    }
}

#[test]
fn deep_trees_stay_readable() {
    for seed in 0..50 {
        let made = scenario(seed, 1_500);
        assert_eq!(Scenario::from_json(&made.to_json()).expect("valid"), made, "seed {seed}");
    }
}

#[test]
fn tokens_stand_beside_files_and_holes() {
    let (mut beside, mut in_files, mut filled) = (0, 0, 0);
    for seed in 0..2_000 {
        let made = scenario(seed, 25);
        let has_tokens = |node: &Node| {
            let mut found = BTreeMap::new();
            kinds(node, &mut found);
            found.contains_key("token")
        };
        let files = made.written.as_ref().map(|it| it.files.clone()).unwrap_or_default();
        let files_have = files.values().any(|it| has_tokens(&it.root()));
        let holes = files.values().any(|it| !it.holes.is_empty());
        beside += u32::from(has_tokens(&made.root()) && !files.is_empty());
        in_files += u32::from(files_have);
        filled += u32::from(files_have && holes);
    }
    assert!(beside > 50 && in_files > 50 && filled > 20, "{beside} {in_files} {filled}");
}

#[test]
fn everything_happens() {
    let mut found = BTreeMap::new();
    let mut words = BTreeMap::new();
    let mut keys = BTreeMap::new();
    let mut every = 0;
    for seed in 0..2_000 {
        let made = scenario(seed, 25);
        every += made.conditions.values().filter(|it| it.every.is_some()).count();
        kinds(&made.root(), &mut found);
        for (name, key) in made.keys.iter() {
            *keys.entry((name.scope, key.default.value_type().name())).or_insert(0) += 1;
        }
        for line in oracle::trace(&made) {
            *words.entry(line.split(' ').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
    }
    assert_eq!(found.len(), 40, "{found:?}");
    assert!(found.values().all(|&n| n >= 100), "{found:?}");
    let all = [
        "abort", "budget", "check", "disable", "emit", "enable", "end", "event", "fill", "heard", "log", "panic",
        "pause", "rate", "recheck", "refused", "replace", "restart", "restore", "restored", "save", "service", "set",
        "stacks", "start", "switch", "tick", "unpause", "update",
    ];
    assert_eq!(words.keys().collect::<Vec<_>>(), all);
    assert!(words.values().all(|&n| n >= 30), "{words:?}");
    assert!(words["abort"] >= 900, "{words:?}");
    assert!(every >= 900, "{every}");
    let types = |scope| keys.keys().filter(|(s, _)| *s == scope).map(|(_, t)| *t).collect::<Vec<_>>();
    let of_the_agent = ["bool", "entity", "float", "int", "symbol", "time", "vec2", "vec3"];
    assert_eq!(types(Scope::Agent), of_the_agent);
    assert_eq!(types(Scope::Group), ["bool", "entity", "float", "int", "symbol", "time", "vec2"]);
    assert_eq!(types(Scope::Global), ["bool", "int", "symbol", "time", "vec3"]);
    assert!(keys.values().all(|&n| n >= 100), "{keys:?}");
}
