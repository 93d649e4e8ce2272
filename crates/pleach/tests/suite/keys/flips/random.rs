//! Random conditions over keys of all types, and random writes: an agent woken only by writes that
//! matter always does the same as one that is asked in every tick.

use super::{WORDS, keys, watching};
use crate::dice::Dice;
use crate::support::{Game, World};

use pleach_core::nodes::{guard, idle, selector, switch};
use pleach_core::{Brain, Entity, Forest, Symbol, TreeId, Value};

/// Numbers close to each other, and special float values.
const FLOATS: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    1.5,
    -1.5,
    2.0,
    10.0,
    1e9,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    16_777_216.0,
    16_777_218.0,
    f32::MIN_POSITIVE,
];
const INTS: [i64; 12] = [0, 1, -1, 2, 3, 10, i64::MAX, i64::MIN, i64::MAX - 1, 16_777_216, 16_777_217, 16_777_219];

fn pick<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.below(of.len())]
}

/// A side of a comparison of numbers: mostly a key or a constant.
fn number(dice: &mut Dice) -> String {
    match dice.below(14) {
        0..5 => pick(dice, &["x", "y"]).into(),
        5..8 => pick(dice, &["n", "m"]).into(),
        8..10 => pick(dice, &["0", "1", "2", "10", "-1", "16777217", "9223372036854775807"]).into(),
        10..12 => pick(dice, &["0.0", "-0.0", "1.5", "1e9", "sqrt(-1)", "1 / 0.0", "16777216.0"]).into(),
        12 => format!("if({}, {}, {})", test(dice, 1), number(dice), number(dice)),
        _ => format!("{}({} + {})", pick(dice, &["", "-", "abs"]), number(dice), number(dice)),
    }
}

fn compared(dice: &mut Dice) -> String {
    let (cmp, same) = (pick(dice, &["<", "<=", ">", ">=", "==", "!="]), pick(dice, &["==", "!="]));
    match dice.below(10) {
        0..6 => format!("{} {cmp} {}", number(dice), number(dice)),
        6 | 7 => {
            let (key, with) = (pick(dice, &["mood", "other"]), pick(dice, &["alert", "angry", "other", "mood"]));
            if dice.below(2) == 0 { format!("{key} {same} {with}") } else { format!("{with} {same} {key}") }
        }
        8 => format!("who {same} none"),
        _ => format!("at {same} vec2(1, {})", pick(dice, &["x", "2", "n"])),
    }
}

fn test(dice: &mut Dice, depth: usize) -> String {
    match dice.below(if depth == 0 { 5 } else { 10 }) {
        0..4 => compared(dice),
        4 => pick(dice, &["on", "true", "not on"]).into(),
        5 | 6 => format!("({} && {})", test(dice, depth - 1), test(dice, depth - 1)),
        7 => format!("({} or {})", test(dice, depth - 1), test(dice, depth - 1)),
        8 => format!("!({})", test(dice, depth - 1)),
        _ => format!("if({}, {}, {})", test(dice, depth - 1), test(dice, depth - 1), test(dice, depth - 1)),
    }
}

/// A key and a value for it.
fn write(dice: &mut Dice) -> (&'static str, Value) {
    match dice.below(11) {
        0..3 => (pick(dice, &["x", "y"]), Value::Float(pick(dice, &FLOATS))),
        3..6 => (pick(dice, &["n", "m"]), Value::Int(pick(dice, &INTS))),
        6 => ("on", Value::Bool(dice.below(2) == 0)),
        7 => ("at", Value::Vec2([1.0, pick(dice, &FLOATS)])),
        8 => ("who", Value::Entity(pick(dice, &[Entity::NONE, Entity::from_bits(1), Entity::from_bits(u64::MAX)]))),
        _ => (pick(dice, &["mood", "other"]), Value::Symbol(Symbol::new(pick(dice, &WORDS)))),
    }
}

/// Writes a number as a sensor that rewrites the whole column.
fn write_column(forest: &mut Forest<Game>, tree: TreeId, key: &str, value: Value) -> bool {
    let named = forest.tree(tree).unwrap();
    match value {
        Value::Float(it) => {
            let key = named.key::<f32>(key).unwrap();
            forest.population_mut(tree).unwrap().update_column(key, |_, _| it).unwrap();
        }
        Value::Int(it) => {
            let key = named.key::<i64>(key).unwrap();
            forest.population_mut(tree).unwrap().update_column(key, |_, _| it).unwrap();
        }
        _ => return false,
    }
    true
}

#[test]
fn an_agent_that_sleeps_through_a_write_would_have_done_nothing() {
    let (mut woken, mut slept, mut changed) = (0_u64, 0_u64, 0_u64);
    for seed in 0..1_500 {
        let mut dice = Dice(seed);
        let source = test(&mut dice, 3);
        let root = || match seed % 4 {
            0 => selector([guard(source.as_str(), idle()), idle()]),
            1 => switch(source.as_str(), [(true, idle()), (false, idle())]),
            _ => watching(&source),
        };
        let mut world = World::default();
        let mut forests = [false, true].map(|every_tick| {
            let mut forest = Forest::new(0);
            forest.configure(|it| it.reevaluate_every_tick = every_tick);
            let tree = forest.add_tree(keys().build(root()).unwrap()).unwrap();
            let agent = forest.spawn(&mut world, tree).unwrap();
            (forest, tree, agent)
        });
        let mut brain = Brain::new(&mut world, keys().build(root()).unwrap(), 0);
        let mut last = None;
        for step in 0..40 {
            let (key, value) = write(&mut dice);
            let by_column = dice.below(3) == 0;
            let mut running = Vec::new();
            for (forest, tree, agent) in &mut forests {
                if step > 0 && !(by_column && write_column(forest, *tree, key, value)) {
                    forest.keys_mut(*agent).unwrap().set_value(key, value).unwrap();
                }
            }
            if step > 0 {
                brain.keys_mut().set_value(key, value).unwrap();
            }
            // Several writes may come before a tick.
            if dice.below(3) == 0 {
                continue;
            }
            for (forest, _, agent) in &mut forests {
                let report = forest.tick(&mut world, 0.1).unwrap();
                if !forest.configure(|it| it.reevaluate_every_tick) {
                    woken += report.ticked;
                    slept += report.asleep;
                }
                running.push(forest.agent(*agent).unwrap().current().collect::<Vec<_>>());
            }
            brain.tick(&mut world, 0.1).unwrap();
            running.push(brain.current().collect());
            assert_eq!(running[0], running[1], "seed {seed}, step {step}: `{source}`, behind {key} = {value:?}");
            assert_eq!(running[2], running[1], "seed {seed}, step {step}, a brain: `{source}`");
            changed += u64::from(last.as_ref().is_some_and(|it| *it != running[0]));
            last = Some(running.swap_remove(0));
        }
    }
    // All of it happens.
    assert!(slept > 20_000 && woken > 5_000 && changed > 1_000, "{slept} {woken} {changed}");
}
