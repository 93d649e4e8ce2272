//! The expressions of scenarios: read into a tree of boxes, typed while they are read, evaluated by recursion.
//!
//! An int with an int stays an int and wraps; division and remainder by zero give 0. An int that meets a float becomes
//! one; floats are 32 bits throughout.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::scenario::{Value, ValueType};

/// Enough for anything that a person writes; what is beyond it must not exhaust the stack of the recursion.
const MAX_PARTS: usize = 256;

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
        let mut parser = Parser { text, at: 0, keys, parts: 0 };
        let (part, value_type) = parser.or()?;
        parser.blanks();
        if parser.at < text.len() {
            Err(parser.error("expected an operator or the end"))
        } else {
            Ok(Expr { part, value_type })
        }
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
            Binary::Min => Value::Float(a.min(b)),
            Binary::Max => Value::Float(a.max(b)),
            Binary::Or | Binary::And => panic!("{self:?} of two floats, which checking should have refused"),
        }
    }

    /// The type of the result, if the operator takes operands of these types.
    fn typed(self, a: ValueType, b: ValueType) -> Option<ValueType> {
        let bools = a == ValueType::Bool && b == ValueType::Bool;
        let numbers = a != ValueType::Bool && b != ValueType::Bool;
        match self {
            Binary::Or | Binary::And => bools.then_some(ValueType::Bool),
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                numbers.then_some(ValueType::Bool)
            }
            Binary::Equal | Binary::NotEqual => (bools || numbers).then_some(ValueType::Bool),
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder
            | Binary::Min
            | Binary::Max => numbers.then_some(if a == b { a } else { ValueType::Float }),
        }
    }
}

type Typed = (Part, ValueType);

struct Parser<'a> {
    text: &'a str,
    at: usize,
    keys: &'a BTreeMap<String, Value>,
    parts: usize,
}

impl Parser<'_> {
    fn error(&self, what: impl Into<String>) -> ExprError {
        ExprError { at: self.at, what: what.into() }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Counts what is about to be nested or appended.
    fn count(&mut self) -> Result<(), ExprError> {
        self.parts += 1;
        if self.parts > MAX_PARTS { Err(self.error(format!("more than {MAX_PARTS} parts"))) } else { Ok(()) }
    }

    fn binary(&mut self, at: usize, op: Binary, (a, ta): Typed, (b, tb): Typed) -> Result<Typed, ExprError> {
        let Some(result) = op.typed(ta, tb) else {
            return Err(ExprError { at, what: format!("this cannot be done to {} and {}", ta.name(), tb.name()) });
        };
        self.count()?;
        Ok((Part::Binary(op, Box::new(a), Box::new(b)), result))
    }

    /// `next (token next)*`, grouping to the left.
    fn chain(
        &mut self,
        tokens: &[(&str, Binary)],
        next: fn(&mut Self) -> Result<Typed, ExprError>,
    ) -> Result<Typed, ExprError> {
        let mut left = next(self)?;
        loop {
            self.blanks();
            let at = self.at;
            let Some(&(_, op)) = tokens.iter().find(|(token, _)| self.eat(token)) else { return Ok(left) };
            let right = next(self)?;
            left = self.binary(at, op, left, right)?;
        }
    }

    fn or(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("||", Binary::Or)], Self::and)
    }

    fn and(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("&&", Binary::And)], Self::comparison)
    }

    fn comparison(&mut self) -> Result<Typed, ExprError> {
        const TOKENS: [(&str, Binary); 6] = [
            ("<=", Binary::LessEqual),
            ("<", Binary::Less),
            (">=", Binary::GreaterEqual),
            (">", Binary::Greater),
            ("==", Binary::Equal),
            ("!=", Binary::NotEqual),
        ];
        let left = self.sum()?;
        self.blanks();
        let at = self.at;
        let Some(&(_, op)) = TOKENS.iter().find(|(token, _)| self.eat(token)) else { return Ok(left) };
        let right = self.sum()?;
        let compared = self.binary(at, op, left, right)?;
        self.blanks();
        if TOKENS.iter().any(|(token, _)| self.rest().starts_with(token)) {
            return Err(self.error("comparisons do not chain: write parentheses"));
        }
        Ok(compared)
    }

    fn sum(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("+", Binary::Add), ("-", Binary::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)], Self::unary)
    }

    fn unary(&mut self) -> Result<Typed, ExprError> {
        self.blanks();
        let at = self.at;
        self.count()?;
        if self.eat("!") {
            match self.unary()? {
                (a, ValueType::Bool) => Ok((Part::Not(Box::new(a)), ValueType::Bool)),
                (_, t) => Err(ExprError { at, what: format!("! wants a bool, not {}", t.name()) }),
            }
        } else if self.eat("-") {
            let (a, t) = self.unary()?;
            self.number(at, "-", t)?;
            Ok((Part::Negate(Box::new(a)), t))
        } else {
            self.atom()
        }
    }

    fn number(&self, at: usize, who: &str, t: ValueType) -> Result<(), ExprError> {
        if t == ValueType::Bool {
            Err(ExprError { at, what: format!("{who} wants a number, not bool") })
        } else {
            Ok(())
        }
    }

    fn atom(&mut self) -> Result<Typed, ExprError> {
        if self.eat("(") {
            let inner = self.or()?;
            return if self.eat(")") { Ok(inner) } else { Err(self.error("expected )")) };
        }
        let at = self.at;
        match self.rest().chars().next() {
            Some(c) if c.is_ascii_digit() => self.literal(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let len =
                    self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest().len());
                let word = self.rest()[..len].to_owned();
                self.at += len;
                self.word(at, word)
            }
            _ => Err(self.error("expected a number, a key, true, false, ( or a function")),
        }
    }

    /// Digits, and a point and digits for a float.
    fn literal(&mut self) -> Result<Typed, ExprError> {
        let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
        let rest = self.rest();
        let whole = digits(rest);
        let fraction = rest[whole..].strip_prefix('.').map(digits);
        let value = match fraction {
            Some(0) => return Err(self.error("a point wants digits after it")),
            Some(n) => {
                let text = &rest[..whole + 1 + n];
                text.parse().ok().filter(|x: &f32| x.is_finite()).map(|x| (text.len(), Value::Float(x)))
            }
            None => rest[..whole].parse().ok().map(|n| (whole, Value::Int(n))),
        };
        let (len, value) = value.ok_or_else(|| self.error("this number is too large"))?;
        self.at += len;
        Ok((Part::Literal(value), value.value_type()))
    }

    fn word(&mut self, at: usize, word: String) -> Result<Typed, ExprError> {
        match word.as_str() {
            "true" => Ok((Part::Literal(Value::Bool(true)), ValueType::Bool)),
            "false" => Ok((Part::Literal(Value::Bool(false)), ValueType::Bool)),
            "abs" => {
                let mut arguments = self.arguments(1)?;
                let (a, t) = arguments.remove(0);
                self.number(at, "abs", t)?;
                Ok((Part::Abs(Box::new(a)), t))
            }
            "min" | "max" => {
                let mut arguments = self.arguments(2)?;
                let (b, a) = (arguments.remove(1), arguments.remove(0));
                self.binary(at, if word == "min" { Binary::Min } else { Binary::Max }, a, b)
            }
            _ => match self.keys.get(&word) {
                Some(value) => Ok((Part::Key(word), value.value_type())),
                None => Err(ExprError { at, what: format!("`keys` has no `{word}`") }),
            },
        }
    }

    fn arguments(&mut self, count: usize) -> Result<Vec<Typed>, ExprError> {
        let mut arguments = Vec::new();
        for i in 0..count {
            if !self.eat(if i == 0 { "(" } else { "," }) {
                return Err(self.error(format!("expected {count} arguments in parentheses")));
            }
            arguments.push(self.or()?);
        }
        if self.eat(")") { Ok(arguments) } else { Err(self.error("expected )")) }
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
