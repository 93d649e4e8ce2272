//! Replacing a tree by an equal one is invisible (SEMANTICS 10.5): to the oracle, and to the
//! interpreter in all the ways in which it is compared with the oracle.

use pleach_conform::scenario::{Call, Scenario, TimedCall};
use pleach_conform::{compare, oracle, runner};

/// The scenario with its tree replaced by an equal one before these ticks.
fn replaced(scenario: &Scenario, before: impl Fn(u32) -> bool) -> Scenario {
    let mut replaced = scenario.clone();
    // The version at each tick.
    let mut tree = scenario.tree.clone();
    let mut ops = Vec::new();
    // The same as written, if there are files.
    let mut of_files = scenario.written.iter().flat_map(|it| it.trees.clone());
    let mut as_written = of_files.next();
    let mut trees: Vec<_> = as_written.iter().cloned().collect();
    for tick in 1..=scenario.ticks {
        if before(tick) {
            ops.push(TimedCall { before: tick, call: Call::Replace { tree: Box::new(tree.clone()), keeps: true } });
            trees.extend(as_written.clone());
        }
        for op in scenario.ops.iter().filter(|it| it.before == tick) {
            if let Some(new) = op.call.version() {
                tree = new.clone();
                as_written = of_files.next();
                trees.extend(as_written.clone());
            }
            ops.push(op.clone());
        }
    }
    replaced.ops = ops;
    if let Some(written) = &mut replaced.written {
        written.trees = trees;
    }
    replaced
}

fn without_replacements(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|it| it != "replace").collect()
}

#[test]
fn an_equal_tree_is_invisible() {
    let mut running = 0;
    for seed in 0..1_500_u64 {
        let scenario = compare::scenario(seed);
        let often = seed.is_multiple_of(3);
        let with = replaced(&scenario, |tick| often || (seed >> (tick % 7)) & 1 == 1);
        with.check().unwrap_or_else(|it| panic!("seed {seed}: {it}"));
        let expected = without_replacements(oracle::trace(&scenario));
        assert_eq!(without_replacements(oracle::trace(&with)), expected, "seed {seed}\n{}", with.to_json());
        let found = runner::run(&with).unwrap_or_else(|it| panic!("seed {seed}: {it}"));
        assert_eq!(without_replacements(found), expected, "seed {seed}\n{}", with.to_json());
        running += expected.iter().filter(|it| it.ends_with(" R")).count();
        if seed.is_multiple_of(5) {
            // Lazily, asleep, in batches, and with the agents of a crowd.
            compare::check(&with, 1, 0).unwrap_or_else(|it| panic!("seed {seed}: {it}"));
        }
    }
    assert!(running > 5_000, "{running}");
}
