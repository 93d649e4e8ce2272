//! The expressions of scenarios: read into a tree of boxes, typed while they are read, evaluated by recursion.
//!
//! An int with an int stays an int and wraps; division and remainder by zero give 0. An int that meets a float becomes
//! one; floats are 32 bits throughout. `min` and `max` of floats are spelled out, because the standard library leaves open
//! which of 0.0 and -0.0 it returns, and a division by it tells: a NaN loses, and of two equal values the first is taken.

mod parse;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::scenario::{Value, ValueType};

/// An expression whose keys and types have been checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    part: Part,
    value_type: ValueType,
}

/// What is wrong with an expression, and where.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{what} (at character {at})")]
pub struct ExprError {
    /// The offset in the text, in bytes.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(Value),
    Key(String),
    Not(Box<Part>),
    Negate(Box<Part>),
    Abs(Box<Part>),
    Binary(Binary, Box<Part>, Box<Part>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
}

impl Expr {
    /// Reads an expression over the keys whose types `keys` has.
    ///
    /// # Errors
    /// The first thing that cannot be read, is not declared, or has the wrong type.
    pub fn parse(text: &str, keys: &BTreeMap<String, Value>) -> Result<Expr, ExprError> {
        let (part, value_type) = parse::whole(text, keys)?;
        Ok(Expr { part, value_type })
    }

    /// The type of its value.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Its value.
    ///
    /// # Panics
    /// When a key is missing or has changed its type since [`Expr::parse`].
    #[must_use]
    pub fn eval(&self, keys: &BTreeMap<String, Value>) -> Value {
        self.part.eval(keys)
    }

    /// Its value as a truth.
    ///
    /// # Panics
    /// When it is not a bool.
    #[must_use]
    pub fn is_true(&self, keys: &BTreeMap<String, Value>) -> bool {
        match self.eval(keys) {
            Value::Bool(b) => b,
            other => panic!("a truth was asked of {other}, which checking should have refused"),
        }
    }

    /// Its value as a score.
    ///
    /// # Panics
    /// When it is a bool.
    #[must_use]
    pub fn score(&self, keys: &BTreeMap<String, Value>) -> f32 {
        float(self.eval(keys))
    }
}

/// An int becomes the nearest float.
fn float(value: Value) -> f32 {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is meant")]
        Value::Int(n) => n as f32,
        Value::Float(x) => x,
        Value::Bool(b) => panic!("a number was asked of {b}, which checking should have refused"),
    }
}

impl Part {
    fn eval(&self, keys: &BTreeMap<String, Value>) -> Value {
        match self {
            Part::Literal(value) => *value,
            Part::Key(key) => keys[key],
            Part::Not(a) => match a.eval(keys) {
                Value::Bool(b) => Value::Bool(!b),
                other => panic!("!{other}, which checking should have refused"),
            },
            Part::Negate(a) => match a.eval(keys) {
                Value::Int(n) => Value::Int(n.wrapping_neg()),
                other => Value::Float(-float(other)),
            },
            Part::Abs(a) => match a.eval(keys) {
                Value::Int(n) => Value::Int(n.wrapping_abs()),
                other => Value::Float(float(other).abs()),
            },
            Part::Binary(op, a, b) => match (a.eval(keys), b.eval(keys)) {
                (Value::Bool(a), Value::Bool(b)) => op.of_bools(a, b),
                (Value::Int(a), Value::Int(b)) => op.of_ints(a, b),
                (a, b) => op.of_floats(float(a), float(b)),
            },
        }
    }
}

impl Binary {
    fn of_bools(self, a: bool, b: bool) -> Value {
        match self {
            Binary::Or => Value::Bool(a || b),
            Binary::And => Value::Bool(a && b),
            Binary::Equal => Value::Bool(a == b),
            Binary::NotEqual => Value::Bool(a != b),
            other => panic!("{other:?} of two bools, which checking should have refused"),
        }
    }

    fn of_ints(self, a: i64, b: i64) -> Value {
        match self {
            Binary::Less => Value::Bool(a < b),
            Binary::LessEqual => Value::Bool(a <= b),
            Binary::Greater => Value::Bool(a > b),
            Binary::GreaterEqual => Value::Bool(a >= b),
            Binary::Equal => Value::Bool(a == b),
            Binary::NotEqual => Value::Bool(a != b),
            Binary::Add => Value::Int(a.wrapping_add(b)),
            Binary::Subtract => Value::Int(a.wrapping_sub(b)),
            Binary::Multiply => Value::Int(a.wrapping_mul(b)),
            Binary::Divide => Value::Int(if b == 0 { 0 } else { a.wrapping_div(b) }),
            Binary::Remainder => Value::Int(if b == 0 { 0 } else { a.wrapping_rem(b) }),
            Binary::Min => Value::Int(a.min(b)),
            Binary::Max => Value::Int(a.max(b)),
            Binary::Or | Binary::And => panic!("{self:?} of two ints, which checking should have refused"),
        }
    }

    #[expect(clippy::float_cmp, reason = "this is the language's own ==")]
    fn of_floats(self, a: f32, b: f32) -> Value {
        match self {
            Binary::Less => Value::Bool(a < b),
            Binary::LessEqual => Value::Bool(a <= b),
            Binary::Greater => Value::Bool(a > b),
            Binary::GreaterEqual => Value::Bool(a >= b),
            Binary::Equal => Value::Bool(a == b),
            Binary::NotEqual => Value::Bool(a != b),
            Binary::Add => Value::Float(a + b),
            Binary::Subtract => Value::Float(a - b),
            Binary::Multiply => Value::Float(a * b),
            Binary::Divide => Value::Float(a / b),
            Binary::Remainder => Value::Float(a % b),
            Binary::Min => Value::Float(if a.is_nan() || b < a { b } else { a }),
            Binary::Max => Value::Float(if a.is_nan() || b > a { b } else { a }),
            Binary::Or | Binary::And => panic!("{self:?} of two floats, which checking should have refused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> BTreeMap<String, Value> {
        [("hp", Value::Float(0.5)), ("n", Value::Int(7)), ("on", Value::Bool(true))]
            .map(|(k, v)| (k.to_owned(), v))
            .into()
    }

    fn eval(text: &str) -> Value {
        Expr::parse(text, &keys()).unwrap_or_else(|e| panic!("{text}: {e}")).eval(&keys())
    }

    #[test]
    fn values() {
        for (text, value) in [
            ("1 + 2 * 3", Value::Int(7)),
            ("(1 + 2) * 3", Value::Int(9)),
            ("10 - 4 - 3", Value::Int(3)),
            ("-7 / 2", Value::Int(-3)),
            ("-7 % 2", Value::Int(-1)),
            ("7 / 0 + 7 % 0", Value::Int(0)),
            ("9223372036854775807 + 1", Value::Int(i64::MIN)),
            ("n / 2.0", Value::Float(3.5)),
            ("0.1 + 0.2", Value::Float(0.1_f32 + 0.2_f32)),
            ("1.0 / 0", Value::Float(f32::INFINITY)),
            ("min(n, 3)", Value::Int(3)),
            ("max(hp, 3)", Value::Float(3.0)),
            ("1.0 / min(0.0, -0.0)", Value::Float(f32::INFINITY)),
            ("1.0 / min(-0.0, 0.0)", Value::Float(f32::NEG_INFINITY)),
            ("1.0 / max(0.0, -0.0)", Value::Float(f32::INFINITY)),
            ("1.0 / max(-0.0, 0)", Value::Float(f32::NEG_INFINITY)),
            ("min(0.0 / 0.0, 2.0) + min(2.0, 0.0 / 0.0)", Value::Float(4.0)),
            ("max(0.0 / 0.0, 2) + max(2, 0.0 / 0.0)", Value::Float(4.0)),
            ("abs(-n)", Value::Int(7)),
            ("--n", Value::Int(7)),
            ("hp<0.6&&!on||n>=7", Value::Bool(true)),
            ("false && false || true", Value::Bool(true)),
            ("true || false && false", Value::Bool(true)),
            ("on == (n != 7)", Value::Bool(false)),
            ("!on == false", Value::Bool(true)),
            ("n == 7.0", Value::Bool(true)),
            ("0.0 / 0.0 == 0.0 / 0.0", Value::Bool(false)),
        ] {
            assert_eq!(eval(text), value, "{text}");
        }
    }

    #[test]
    fn errors() {
        for (text, at, what) in [
            ("", 0, "expected a number, a key, true, false, ( or a function"),
            ("n <", 3, "expected a number, a key, true, false, ( or a function"),
            ("n n", 2, "expected an operator or the end"),
            ("(n", 2, "expected )"),
            ("m + 1", 0, "`keys` has no `m`"),
            ("n + on", 2, "this cannot be done to int and bool"),
            ("on < on", 3, "this cannot be done to bool and bool"),
            ("n && on", 2, "this cannot be done to int and bool"),
            ("!n", 0, "! wants a bool, not int"),
            ("-on", 0, "- wants a number, not bool"),
            ("1 < n < 3", 6, "comparisons do not chain: write parentheses"),
            ("1. + 2", 0, "a point wants digits after it"),
            ("99999999999999999999", 0, "this number is too large"),
            ("min(n)", 5, "expected 2 arguments in parentheses"),
            ("abs n", 4, "expected 1 arguments in parentheses"),
        ] {
            assert_eq!(Expr::parse(text, &keys()), Err(ExprError { at, what: what.into() }), "{text}");
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(100_000), "abs(".repeat(100_000)] {
            let error = Expr::parse(&deep, &keys()).expect_err("too deep");
            assert_eq!(error.what, "more than 256 parts");
        }
    }
}
