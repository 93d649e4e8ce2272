//! A second form for the conditions that are common in trees: simple tests of one key each, joined
//! by `&&`, `||`, `!` and `if`. Each test says where to go if it holds, and where if it does not,
//! so no stack is needed.

use super::code::{Cmp, Instruction};
use super::{KeyIndex, Read};
use crate::value::Value;

/// One test and what follows it: a later step, or the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    test: KeyTest,
    yes: u16,
    no: u16,
}

/// Both verdicts are past the end of any list of steps.
const HOLDS: u16 = u16::MAX;
const FAILS: u16 = u16::MAX - 1;

#[derive(Clone, Copy, Debug, PartialEq)]
enum KeyTest {
    Bool(KeyIndex),
    Float(KeyIndex, Cmp, f32),
    Int(KeyIndex, Cmp, i64),
    /// Equal to a bool, an entity or a symbol.
    Is(KeyIndex, Value),
}

/// Whether the condition holds.
#[inline]
pub(super) fn holds(steps: &[Step], read: &mut impl Read) -> bool {
    let mut at = 0;
    while let Some(step) = steps.get(usize::from(at)) {
        let held = match step.test {
            KeyTest::Bool(key) => read.bool(key),
            KeyTest::Float(key, cmp, than) => cmp.holds(read.float(key), than),
            KeyTest::Int(key, cmp, than) => cmp.holds(read.int(key), than),
            KeyTest::Is(key, value) => read.value(key) == value,
        };
        at = if held { step.yes } else { step.no };
    }
    at == HOLDS
}

/// A test, while what follows it is not known.
#[derive(Debug)]
pub(super) struct Test {
    /// Where in the code it begins and ends.
    start: usize,
    end: usize,
    test: KeyTest,
    negated: bool,
}

/// The same condition as steps, if it consists of simple tests only. `code` gives a bool. `found`
/// is for use on the way.
pub(super) fn steps(code: &[Instruction], found: &mut Vec<Test>) -> Option<Vec<Step>> {
    found.clear();
    let mut at = 0;
    while at < code.len() {
        if let Some((test, negated, len)) = test(&code[at..]) {
            found.push(Test { start: at, end: at + len, test, negated });
            at += len;
        } else {
            match code[at] {
                Instruction::Not
                | Instruction::Skip(_)
                | Instruction::SkipIfFalse(_)
                | Instruction::And(_)
                | Instruction::Or(_)
                | Instruction::Push(Value::Bool(_)) => {}
                _ => return None,
            }
            at += 1;
        }
    }
    if found.is_empty() || found.len() >= usize::from(FAILS) {
        return None;
    }
    // A constant stands before the first test only if emission failed to fold it. Then the general
    // machine runs the code.
    if found[0].start != 0 {
        return None;
    }
    let mut steps = Vec::with_capacity(found.len());
    for &Test { start: _, end, test, negated } in &*found {
        let yes = follow(code, found, end, !negated)?;
        steps.push(Step { test, yes, no: follow(code, found, end, negated)? });
    }
    Some(steps)
}

/// A simple test at the beginning of `code`, whether it is negated, and its length in instructions.
fn test(code: &[Instruction]) -> Option<(KeyTest, bool, usize)> {
    Some(match *code {
        [Instruction::Load(key, _), Instruction::Push(Value::Float(than)), Instruction::CompareFloat(cmp), ..] => {
            (KeyTest::Float(key, cmp, than), false, 3)
        }
        [Instruction::Push(Value::Float(than)), Instruction::Load(key, _), Instruction::CompareFloat(cmp), ..] => {
            (KeyTest::Float(key, cmp.flipped(), than), false, 3)
        }
        [Instruction::Load(key, _), Instruction::Push(Value::Int(than)), Instruction::CompareInt(cmp), ..] => {
            (KeyTest::Int(key, cmp, than), false, 3)
        }
        [Instruction::Push(Value::Int(than)), Instruction::Load(key, _), Instruction::CompareInt(cmp), ..] => {
            (KeyTest::Int(key, cmp.flipped(), than), false, 3)
        }
        [
            Instruction::Load(key, _),
            Instruction::Push(value),
            equal @ (Instruction::Equal(_) | Instruction::NotEqual(_)),
            ..,
        ]
        | [
            Instruction::Push(value),
            Instruction::Load(key, _),
            equal @ (Instruction::Equal(_) | Instruction::NotEqual(_)),
            ..,
        ] => match value {
            Value::Bool(_) | Value::Entity(_) | Value::Symbol(_) => {
                (KeyTest::Is(key, value), matches!(equal, Instruction::NotEqual(_)), 3)
            }
            // Two vectors may be equal while their bits differ.
            Value::Int(_) | Value::Float(_) | Value::Vec2(_) | Value::Vec3(_) => return None,
        },
        // Not an operand of anything longer: `steps` gives up at instructions that could take it,
        // in code that gives a bool.
        [Instruction::Load(key, _), ..] => (KeyTest::Bool(key), false, 1),
        _ => return None,
    })
}

/// Where the code leads from `at` on, with `value` on top: to a step, or to the end with a verdict.
fn follow(code: &[Instruction], found: &[Test], mut at: usize, mut value: bool) -> Option<u16> {
    // Whether `value` is on the stack, or was popped and the next value is to come.
    let mut there = true;
    while let Some(op) = code.get(at) {
        if !there && let Ok(step) = found.binary_search_by_key(&at, |it| it.start) {
            return u16::try_from(step).ok();
        }
        at += 1;
        match (*op, there) {
            (Instruction::Push(Value::Bool(constant)), false) => (value, there) = (constant, true),
            (Instruction::Not, true) => value = !value,
            (Instruction::Skip(by), true) => at += by,
            (Instruction::And(by), true) if !value => at += by,
            (Instruction::Or(by), true) if value => at += by,
            (Instruction::And(_) | Instruction::Or(_), true) => there = false,
            (Instruction::SkipIfFalse(by), true) => {
                at += if value { 0 } else { by };
                there = false;
            }
            _ => return None,
        }
    }
    there.then_some(if value { HOLDS } else { FAILS })
}
