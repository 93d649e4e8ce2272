//! Where an expression reads its keys: in a comparison, or elsewhere. A key that only comparisons
//! read can change without a new value of the expression, as long as none of them flips.

use super::code::{Cmp, Instruction};
use super::{Expr, KeyIndex};
use crate::value::{Type, Value};

/// A comparison, as one of the keys in it sees it: `key cmp with`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// How the two are compared, with the key on the left.
    pub cmp: Cmp,
    /// What it is compared with.
    pub with: With,
    /// Whether both sides are compared as floats.
    pub floats: bool,
}

/// The other side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum With {
    /// A constant.
    Value(Value),
    /// Another key.
    Key(KeyIndex),
}

/// Each place where an expression reads a key, in order, with the comparison if the key is a whole
/// side of one whose other side is a constant or another key.
///
/// Everything else in an expression is computed from these places and from `time`. So while one key
/// changes, the value can change only if a comparison of that key flips, or if the key stands
/// outside comparisons. Bools and vectors count as always flipping: every change of a bool flips
/// its test, and few comparisons of vectors stay the same.
#[must_use]
pub fn readings(expr: &Expr) -> Vec<(KeyIndex, Option<Comparison>)> {
    let code = &*expr.code;
    let mut landings: Vec<usize> = code.iter().enumerate().filter_map(|(at, it)| Some(at + 1 + it.skips()?)).collect();
    landings.sort_unstable();
    // Code that is a jump target finds another value on the stack.
    let is_whole = |from: usize, to: usize| {
        let next = landings.partition_point(|&it| it <= from);
        landings.get(next).is_none_or(|&it| it >= to)
    };
    let mut readings = Vec::new();
    let mut at = 0;
    while let Some(op) = code.get(at) {
        match comparison(&code[at..]).filter(|it| is_whole(at, at + it.len)) {
            Some(Found { sides: [a, b], cmp, floats, len }) => {
                let seen = |cmp, with| (a != b).then_some(Comparison { cmp, with, floats });
                if let With::Key(key) = a {
                    readings.push((key, seen(cmp, b)));
                }
                if let With::Key(key) = b {
                    readings.push((key, seen(cmp.flipped(), a)));
                }
                at += len;
            }
            None => {
                readings.extend(op.key().map(|key| (key, None)));
                at += 1;
            }
        }
    }
    readings
}

/// The key whose value the expression is, if it is just that key.
#[must_use]
pub fn as_key(expr: &Expr) -> Option<KeyIndex> {
    if let [Instruction::Load(key, _)] = *expr.code { Some(key) } else { None }
}

/// A comparison at the beginning of some code, and its length in instructions.
struct Found {
    sides: [With; 2],
    cmp: Cmp,
    floats: bool,
    len: usize,
}

fn comparison(code: &[Instruction]) -> Option<Found> {
    let (a, rest) = side(code)?;
    let (b, rest) = side(rest)?;
    let (cmp, floats) = match *rest.first()? {
        Instruction::CompareInt(cmp) => (cmp, false),
        Instruction::CompareFloat(cmp) => (cmp, true),
        Instruction::Equal(Type::Entity | Type::Symbol) => (Cmp::Eq, false),
        Instruction::NotEqual(Type::Entity | Type::Symbol) => (Cmp::Ne, false),
        _ => return None,
    };
    Some(Found { sides: [a, b], cmp, floats, len: code.len() - rest.len() + 1 })
}

/// A side of a comparison at the beginning of some code, and the rest of the code.
fn side(code: &[Instruction]) -> Option<(With, &[Instruction])> {
    match code {
        [Instruction::Load(key, _), Instruction::IntToFloat, rest @ ..] | [Instruction::Load(key, _), rest @ ..] => {
            Some((With::Key(*key), rest))
        }
        [Instruction::Push(value), rest @ ..] => Some((With::Value(*value), rest)),
        _ => None,
    }
}
