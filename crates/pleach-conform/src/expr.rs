//! The expressions of scenarios. They are read into a tree of boxes, typed while they are read, and
//! evaluated by recursion.
//!
//! An int with an int stays an int and wraps; division and remainder by zero give 0. An int that
//! meets a float becomes one; floats are 32 bits throughout. `min` and `max` of floats are spelled
//! out, because the standard library leaves open which of 0.0 and -0.0 it returns, and a division
//! by it shows the difference: a NaN loses, and of two equal values the first is taken. Vectors are
//! lists of floats; operations apply to each component.

mod parse;
mod time;
mod words;

use thiserror::Error;

pub use time::Clock;

use crate::keys::{Key, KeyName, Keys, SLOT, Value, ValueType, Values};

/// The words of the language, which cannot be names. `time` and `now` can: a key of that name takes
/// precedence.
pub const RESERVED: [&str; 22] = [
    "true", "false", "not", "and", "or", "none", "min", "max", "abs", "sign", "clamp", "floor", "sqrt", "vec2", "vec3",
    "length", "distance", "if", "node", "agent", "group", "global",
];

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
    Key(KeyName),
    /// A name that is not a key, with its place in the text. Beside a symbol key it is one of the
    /// key's words.
    Word(String, usize),
    /// The test, and the two branches.
    If(Box<[Part; 3]>),
    /// An int or a time where a float is wanted.
    Widened(Box<Part>),
    Not(Box<Part>),
    Negate(Box<Part>),
    /// The agent's own time.
    Time,
    /// The forest's time.
    Now,
    Abs(Box<Part>),
    Sign(Box<Part>),
    Floor(Box<Part>),
    Sqrt(Box<Part>),
    /// The value, the low bound and the high one.
    Clamp(Box<[Part; 3]>),
    Length(Box<Part>),
    Vector(Vec<Part>),
    Component(Box<Part>, usize),
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
    /// Reads an expression over these keys.
    ///
    /// # Errors
    /// The first part that cannot be read, is not declared, or has the wrong type.
    pub fn parse(text: &str, keys: &Keys) -> Result<Expr, ExprError> {
        let (part, value_type) = parse::whole(text, keys, None)?;
        Ok(Expr { part, value_type })
    }

    /// As [`Expr::parse`], for a switch, which alone can name the key of a slot.
    ///
    /// # Errors
    /// As [`Expr::parse`].
    pub fn parse_on(text: &str, keys: &Keys) -> Result<Expr, ExprError> {
        match keys.find(text).filter(|_| text.contains(SLOT)) {
            Some((name, key)) => Ok(Expr { part: Part::Key(name.clone()), value_type: key.default.value_type() }),
            None => Expr::parse(text, keys),
        }
    }

    /// As [`Expr::parse`], for a value of this key: if that is a symbol, the expression can be one
    /// of its words.
    ///
    /// # Errors
    /// As [`Expr::parse`].
    pub fn parse_for(text: &str, keys: &Keys, target: &Key) -> Result<Expr, ExprError> {
        let (part, value_type) = parse::whole(text, keys, Some(target))?;
        Ok(Expr { part, value_type })
    }

    /// The type of its value.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// The keys that it reads, including those that a constant makes unreachable.
    #[must_use]
    pub fn keys(&self) -> Vec<&KeyName> {
        self.part.keys()
    }

    /// Its value at these times.
    ///
    /// # Panics
    /// When a key is missing or has changed its type since [`Expr::parse`].
    #[must_use]
    pub fn eval(&self, keys: &Values, clock: Clock) -> Value {
        self.part.eval(&Now { keys, clock })
    }

    /// Its value as a truth.
    ///
    /// # Panics
    /// When it is not a bool.
    #[must_use]
    pub fn is_true(&self, keys: &Values, clock: Clock) -> bool {
        match self.eval(keys, clock) {
            Value::Bool(b) => b,
            other => panic!("a truth was asked of {other}, which checking should have refused"),
        }
    }

    /// Its value as a score.
    ///
    /// # Panics
    /// When it is not a number.
    #[must_use]
    pub fn score(&self, keys: &Values, clock: Clock) -> f32 {
        float(self.eval(keys, clock))
    }
}

/// What an expression reads.
struct Now<'a> {
    keys: &'a Values,
    clock: Clock,
}

/// A whole float as an int: the nearest one, and 0 for a NaN.
fn whole(x: f32) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "`as` gives the nearest int, and 0 of a NaN")]
    let n = x as i64;
    n
}

/// An int becomes the nearest float, and a time its seconds.
pub(crate) fn float(value: Value) -> f32 {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is meant")]
        Value::Int(n) => n as f32,
        Value::Float(x) => x,
        Value::Time(it) => time::seconds(0, it),
        other => panic!("a number was asked of {other}, which checking should have refused"),
    }
}

/// The floats of a vector.
fn floats(value: &Value) -> Option<&[f32]> {
    match value {
        Value::Vec2(v) => Some(v),
        Value::Vec3(v) => Some(v),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Entity(_) | Value::Symbol(_) | Value::Time(_) => None,
    }
}

fn vector(floats: impl IntoIterator<Item = f32>) -> Value {
    match *floats.into_iter().collect::<Vec<f32>>() {
        [x, y] => Value::Vec2([x, y]),
        [x, y, z] => Value::Vec3([x, y, z]),
        ref other => panic!("{} floats make no vector, which checking should have refused", other.len()),
    }
}

impl Part {
    /// The key that it is, or the keys among which it chooses.
    fn chosen_keys(&self) -> Vec<&KeyName> {
        match self {
            Part::Key(key) => vec![key],
            Part::If(parts) => parts[1..].iter().flat_map(Part::chosen_keys).collect(),
            _ => Vec::new(),
        }
    }

    fn keys(&self) -> Vec<&KeyName> {
        match self {
            Part::Key(key) => vec![key],
            Part::Literal(_) | Part::Word(..) | Part::Time | Part::Now => Vec::new(),
            Part::Not(a)
            | Part::Negate(a)
            | Part::Abs(a)
            | Part::Sign(a)
            | Part::Floor(a)
            | Part::Sqrt(a)
            | Part::Length(a)
            | Part::Component(a, _)
            | Part::Widened(a) => a.keys(),
            Part::Clamp(parts) | Part::If(parts) => parts.iter().flat_map(Part::keys).collect(),
            Part::Vector(parts) => parts.iter().flat_map(Part::keys).collect(),
            Part::Binary(_, a, b) => [a.keys(), b.keys()].concat(),
        }
    }

    fn eval(&self, now: &Now) -> Value {
        match self {
            Part::If(parts) => match parts[0].eval(now) {
                Value::Bool(true) => parts[1].eval(now),
                Value::Bool(false) => parts[2].eval(now),
                other => panic!("if({other}, ..), which checking should have refused"),
            },
            Part::Widened(a) => Value::Float(float(a.eval(now))),
            Part::Literal(value) => value.clone(),
            Part::Key(key) => now.keys[key].clone(),
            Part::Time => Value::Time(now.clock.time),
            Part::Now => Value::Time(now.clock.now),
            Part::Word(word, _) => panic!("{word} is no value, which checking should have refused"),
            Part::Not(a) => match a.eval(now) {
                Value::Bool(b) => Value::Bool(!b),
                other => panic!("!{other}, which checking should have refused"),
            },
            Part::Negate(a) => match a.eval(now) {
                Value::Int(n) => Value::Int(n.wrapping_neg()),
                other => match floats(&other) {
                    Some(v) => vector(v.iter().map(|x| -x)),
                    None => Value::Float(-float(other)),
                },
            },
            Part::Abs(a) => match a.eval(now) {
                Value::Int(n) => Value::Int(n.wrapping_abs()),
                other => Value::Float(float(other).abs()),
            },
            Part::Sign(a) => match a.eval(now) {
                Value::Int(n) => Value::Int(n.signum()),
                other => Value::Float(match float(other) {
                    x if x > 0.0 => 1.0,
                    x if x < 0.0 => -1.0,
                    zero_or_nan => zero_or_nan,
                }),
            },
            Part::Floor(a) => Value::Int(whole(float(a.eval(now)).floor())),
            Part::Sqrt(a) => Value::Float(float(a.eval(now)).sqrt()),
            Part::Clamp(parts) => match parts.each_ref().map(|part| part.eval(now)) {
                [Value::Int(x), Value::Int(low), Value::Int(high)] => {
                    let raised = if x < low { low } else { x };
                    Value::Int(if raised > high { high } else { raised })
                }
                [Value::Time(x), Value::Time(low), Value::Time(high)] => Value::Time(x.max(low).min(high)),
                others => {
                    let [x, low, high] = others.map(float);
                    let raised = if x < low { low } else { x };
                    Value::Float(if raised > high { high } else { raised })
                }
            },
            Part::Length(a) => {
                let a = a.eval(now);
                let v = floats(&a).unwrap_or_else(|| panic!("{a} has no length, which checking should have refused"));
                Value::Float(v.iter().fold(0.0, |sum, x| sum + x * x).sqrt())
            }
            Part::Vector(parts) => vector(parts.iter().map(|part| float(part.eval(now)))),
            Part::Component(a, at) => {
                let a = a.eval(now);
                let v = floats(&a).unwrap_or_else(|| panic!("{a} has no parts, which checking should have refused"));
                Value::Float(v[*at])
            }
            Part::Binary(op, a, b) => op.eval(a.eval(now), b.eval(now)),
        }
    }
}

impl Binary {
    fn eval(self, a: Value, b: Value) -> Value {
        match (floats(&a), floats(&b)) {
            (Some(a), Some(b)) => return self.of_vectors(a, b),
            (Some(v), None) => {
                let by = float(b);
                return vector(v.iter().map(|&x| float(self.of_floats(x, by))));
            }
            (None, Some(v)) => {
                let a = float(a);
                return vector(v.iter().map(|&x| float(self.of_floats(a, x))));
            }
            (None, None) => {}
        }
        if matches!(a, Value::Time(_)) || matches!(b, Value::Time(_)) {
            return self.of_times(a, b);
        }
        match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => self.of_bools(a, b),
            (Value::Int(a), Value::Int(b)) => self.of_ints(a, b),
            (Value::Entity(a), Value::Entity(b)) => self.of_bools(a == b, true),
            (Value::Symbol(a), Value::Symbol(b)) => self.of_bools(a == b, true),
            (a, b) => self.of_floats(float(a), float(b)),
        }
    }

    #[expect(clippy::float_cmp, reason = "this is the language's own ==")]
    fn of_vectors(self, a: &[f32], b: &[f32]) -> Value {
        match self {
            Binary::Equal => Value::Bool(a.iter().zip(b).all(|(a, b)| a == b)),
            Binary::NotEqual => Value::Bool(a.iter().zip(b).any(|(a, b)| a != b)),
            other => vector(a.iter().zip(b).map(|(&a, &b)| float(other.of_floats(a, b)))),
        }
    }

    /// At least one of them is a time.
    fn of_times(self, a: Value, b: Value) -> Value {
        let (x, y) = (time::nanos(&a), time::nanos(&b));
        let compare = |holds: fn(i128, i128) -> bool| Value::Bool(x.zip(y).is_some_and(|(x, y)| holds(x, y)));
        match (self, &a, &b) {
            (Binary::Less, ..) => compare(|x, y| x < y),
            (Binary::LessEqual, ..) => compare(|x, y| x <= y),
            (Binary::Greater, ..) => compare(|x, y| x > y),
            (Binary::GreaterEqual, ..) => compare(|x, y| x >= y),
            (Binary::Equal, ..) => compare(|x, y| x == y),
            (Binary::NotEqual, ..) => Value::Bool(x.zip(y).is_none_or(|(x, y)| x != y)),
            (Binary::Min, Value::Time(a), Value::Time(b)) => Value::Time(*a.min(b)),
            (Binary::Max, Value::Time(a), Value::Time(b)) => Value::Time(*a.max(b)),
            (Binary::Subtract, Value::Time(a), Value::Time(b)) => Value::Float(time::seconds(*b, *a)),
            (Binary::Subtract, Value::Time(a), _) => {
                Value::Time(time::in_range(i128::from(*a) - y.unwrap_or_default()))
            }
            (Binary::Add, Value::Int(_) | Value::Float(_), _) | (Binary::Add, _, Value::Int(_) | Value::Float(_)) => {
                Value::Time(time::in_range(x.unwrap_or_default() + y.unwrap_or_default()))
            }
            _ => self.of_floats(float(a), float(b)),
        }
    }

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
