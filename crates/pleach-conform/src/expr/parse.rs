//! Reading an expression: by recursive descent, with the types found on the way up.

use std::collections::BTreeMap;

use super::{Binary, ExprError, Part};
use crate::scenario::{Value, ValueType};

/// Enough for anything that a person writes; what is beyond it must not exhaust the stack of the recursion.
const MAX_PARTS: usize = 256;

type Typed = (Part, ValueType);

/// The whole text as one expression.
pub(super) fn whole(text: &str, keys: &BTreeMap<String, Value>) -> Result<Typed, ExprError> {
    let mut parser = Parser { text, at: 0, keys, parts: 0 };
    let typed = parser.or()?;
    parser.blanks();
    if parser.at < text.len() { Err(parser.error("expected an operator or the end")) } else { Ok(typed) }
}

impl Binary {
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
