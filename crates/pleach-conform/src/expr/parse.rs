//! Reading an expression: by recursive descent, finding the types on the way up.

use pleach_core::limits::MAX_EXPR_SOURCE;

use super::time::{in_range, nanos};
use super::words::{Typed, settled};
use super::{Binary, ExprError, Part};
use crate::keys::{Key, Keys, Scope, Value, ValueType};
use crate::stack;

/// The most literals, names, operators, functions, components and pairs of brackets: what the core
/// takes in any order, and a bound for the recursion.
const MAX_PARTS: usize = 256;

/// The whole text as one expression, whose value is for `target` if there is one.
pub(super) fn whole(text: &str, keys: &Keys, target: Option<&Key>) -> Result<Typed, ExprError> {
    let nesting = text.bytes().filter(|it| b"(!-".contains(it)).count() + text.matches("not").count();
    let typed = stack::with_room_for(nesting.min(MAX_PARTS), || on_this_stack(text, keys, target))?;
    if text.len() > MAX_EXPR_SOURCE {
        return Err(ExprError { at: MAX_EXPR_SOURCE, what: format!("more than {MAX_EXPR_SOURCE} bytes") });
    }
    Ok(typed)
}

fn on_this_stack(text: &str, keys: &Keys, target: Option<&Key>) -> Result<Typed, ExprError> {
    let mut parser = Parser { text, at: 0, keys, parts: 0 };
    let typed = parser.or()?;
    parser.blanks();
    if parser.at < text.len() {
        return Err(parser.error("expected an operator or the end"));
    }
    match target {
        Some(target) if target.default.value_type() == ValueType::Symbol && typed.0.is_word() => {
            Ok((typed.0.with_words_of(&[target])?, ValueType::Symbol))
        }
        _ => Ok(wanted(settled(typed)?, target.map(|it| it.default.value_type()))),
    }
}

/// Converts a time where a float is wanted, and a literal number where a time is wanted.
fn wanted((part, t): Typed, target: Option<ValueType>) -> Typed {
    match (target, part) {
        (Some(ValueType::Float), part) if t == ValueType::Time => (Part::Widened(Box::new(part)), ValueType::Float),
        (Some(ValueType::Time), Part::Literal(value)) if t.is_number() => {
            let nanos = nanos(&value).expect("no literal is a NaN");
            (Part::Literal(Value::Time(in_range(nanos))), ValueType::Time)
        }
        (_, part) => (part, t),
    }
}

impl Binary {
    /// The type of the result, if the operator takes operands of these types.
    fn typed(self, a: ValueType, b: ValueType) -> Option<ValueType> {
        let bools = a == ValueType::Bool && b == ValueType::Bool;
        let numbers = a.counts() && b.counts();
        let times = [a, b].map(|it| it == ValueType::Time);
        let number = match (self, times) {
            (_, [false, false]) if a == b => a,
            (Binary::Min | Binary::Max, [true, true]) => ValueType::Time,
            (Binary::Subtract, [true, false]) | (Binary::Add, [true, false] | [false, true]) => ValueType::Time,
            _ => ValueType::Float,
        };
        match self {
            Binary::Or | Binary::And => bools.then_some(ValueType::Bool),
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                numbers.then_some(ValueType::Bool)
            }
            Binary::Equal | Binary::NotEqual => (numbers || a == b).then_some(ValueType::Bool),
            Binary::Add | Binary::Subtract if a.is_vector() => (a == b).then_some(a),
            Binary::Multiply | Binary::Divide if a.is_vector() => b.counts().then_some(a),
            Binary::Multiply if b.is_vector() => a.counts().then_some(b),
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Remainder
            | Binary::Min
            | Binary::Max => numbers.then_some(number),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    keys: &'a Keys,
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

    /// Whether a token comes next. One of letters is not the beginning of a name.
    fn is_next(&self, token: &str) -> bool {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let rest = self.rest().strip_prefix(token);
        rest.is_some_and(|rest| !(token.ends_with(is_letter) && rest.starts_with(is_letter)))
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.is_next(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Counts a part that is about to be nested or appended.
    fn count(&mut self) -> Result<(), ExprError> {
        self.parts += 1;
        if self.parts > MAX_PARTS { Err(self.error(format!("more than {MAX_PARTS} parts"))) } else { Ok(()) }
    }

    fn binary(&mut self, at: usize, op: Binary, a: Typed, b: Typed) -> Result<Typed, ExprError> {
        let (a, b) = match op {
            Binary::Equal | Binary::NotEqual => self.exchange_words(a, b)?,
            _ => (a, b),
        };
        let ((a, ta), (b, tb)) = (settled(a)?, settled(b)?);
        let Some(result) = op.typed(ta, tb) else {
            return Err(ExprError { at, what: format!("this cannot be done to {} and {}", ta.name(), tb.name()) });
        };
        Ok((Part::Binary(op, Box::new(a), Box::new(b)), result))
    }

    /// If one is a symbol and the other a word, that is a word of the symbol's keys.
    fn exchange_words(&self, a: Typed, b: Typed) -> Result<(Typed, Typed), ExprError> {
        let is_symbol = |it: &Typed| it.1 == ValueType::Symbol && !it.0.is_word();
        let beside = |symbol: &Typed, word: Typed| {
            let names = symbol.0.chosen_keys();
            let keys: Vec<&Key> =
                self.keys.iter().filter(|(name, _)| names.contains(name)).map(|(_, key)| key).collect();
            Ok((word.0.with_words_of(&keys)?, ValueType::Symbol))
        };
        if is_symbol(&a) && b.0.is_word() {
            let b = beside(&a, b)?;
            Ok((a, b))
        } else if is_symbol(&b) && a.0.is_word() {
            Ok((beside(&b, a)?, b))
        } else {
            Ok((a, b))
        }
    }

    /// `if(test, a, b)`
    fn choice(&mut self, at: usize) -> Result<Typed, ExprError> {
        let [test, a, b] = self.open_arguments()?;
        let (test, t) = settled(test)?;
        if t != ValueType::Bool {
            return Err(ExprError { at, what: format!("if wants a bool, not {}", t.name()) });
        }
        let (a, b) = self.exchange_words(a, b)?;
        if a.0.is_word() && b.0.is_word() {
            return Ok((Part::If(Box::new([test, a.0, b.0])), ValueType::Symbol));
        }
        let ((a, ta), (b, tb)) = (settled(a)?, settled(b)?);
        let (a, b, t) = match (ta, tb) {
            _ if ta == tb => (a, b, ta),
            _ if ta.counts() && tb.counts() => {
                (Part::Widened(Box::new(a)), Part::Widened(Box::new(b)), ValueType::Float)
            }
            _ => return Err(ExprError { at, what: format!("if gives {} or {}", ta.name(), tb.name()) }),
        };
        Ok((Part::If(Box::new([test, a, b])), t))
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
            self.count()?;
            let right = next(self)?;
            left = self.binary(at, op, left, right)?;
        }
    }

    fn or(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("||", Binary::Or), ("or", Binary::Or)], Self::and)
    }

    fn and(&mut self) -> Result<Typed, ExprError> {
        self.chain(&[("&&", Binary::And), ("and", Binary::And)], Self::comparison)
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
        self.count()?;
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
        if self.eat("!") || self.eat("not") {
            match settled(self.unary()?)? {
                (a, ValueType::Bool) => Ok((Part::Not(Box::new(a)), ValueType::Bool)),
                (_, t) => Err(ExprError { at, what: format!("! wants a bool, not {}", t.name()) }),
            }
        } else if self.eat("-") {
            if let Some(int) = self.negative()? {
                return Ok(int);
            }
            let (a, t) = settled(self.unary()?)?;
            if !t.is_vector() {
                self.number(at, "-", t)?;
            }
            Ok((Part::Negate(Box::new(a)), float_of_time(t)))
        } else {
            self.components()
        }
    }

    /// An int right after its sign: the smallest has no opposite.
    fn negative(&mut self) -> Result<Option<Typed>, ExprError> {
        self.blanks();
        let digits = digits(self.rest());
        if digits == 0 || self.rest()[digits..].starts_with('.') {
            return Ok(None);
        }
        self.count()?;
        let magnitude = self.rest()[..digits].parse().ok();
        let int = magnitude.and_then(|it| 0_i64.checked_sub_unsigned(it)).ok_or_else(|| self.too_large())?;
        self.at += digits;
        Ok(Some((Part::Literal(Value::Int(int)), ValueType::Int)))
    }

    /// An atom and its components, if they are selected.
    fn components(&mut self) -> Result<Typed, ExprError> {
        let mut typed = self.atom()?;
        while self.eat(".") {
            self.count()?;
            let (a, t) = settled(typed)?;
            self.blanks();
            let at = self.at;
            let name = self.name();
            let component = match (name.as_str(), t) {
                ("x", ValueType::Vec2 | ValueType::Vec3) => 0,
                ("y", ValueType::Vec2 | ValueType::Vec3) => 1,
                ("z", ValueType::Vec3) => 2,
                _ => return Err(ExprError { at, what: format!("{} has no `{name}`", t.name()) }),
            };
            typed = (Part::Component(Box::new(a), component), ValueType::Float);
        }
        Ok(typed)
    }

    fn number(&self, at: usize, who: &str, t: ValueType) -> Result<(), ExprError> {
        if t.counts() { Ok(()) } else { Err(ExprError { at, what: format!("{who} wants a number, not {}", t.name()) }) }
    }

    fn atom(&mut self) -> Result<Typed, ExprError> {
        if self.eat("(") {
            let inner = self.or()?;
            return if self.eat(")") { Ok(inner) } else { Err(self.error("expected )")) };
        }
        let at = self.at;
        match self.rest().chars().next() {
            Some(c) if c.is_ascii_digit() => self.literal(),
            Some('@') => self.moment(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let word = self.name();
                self.word(at, word)
            }
            _ => Err(self.error("expected a number, a key, true, false, ( or a function")),
        }
    }

    /// As many letters, digits and `_` as there are.
    fn name(&mut self) -> String {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest[..len].to_owned();
        self.at += len;
        name
    }

    /// The name of a key of this scope. The keys of an instance have points in theirs.
    fn full_name(&mut self, scope: &str) -> String {
        let mut name = self.name();
        let (mut found, mut end) = (name.clone(), self.at);
        while let Some(rest) = self.rest().strip_prefix('.') {
            self.at = self.text.len() - rest.len();
            name = format!("{name}.{}", self.name());
            if self.keys.find(&format!("{scope}.{name}")).is_some() {
                (found, end) = (name.clone(), self.at);
            }
        }
        self.at = end;
        found
    }

    /// Digits, and a point and digits for a float.
    fn literal(&mut self) -> Result<Typed, ExprError> {
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
        let (len, value) = value.ok_or_else(|| self.too_large())?;
        self.at += len;
        let value_type = value.value_type();
        Ok((Part::Literal(value), value_type))
    }

    /// `@` and nanoseconds: a time given to a port. Nothing else writes it.
    fn moment(&mut self) -> Result<Typed, ExprError> {
        let digits = digits(&self.rest()[1..]);
        let nanos = self.rest()[1..=digits].parse().ok().filter(|it| i64::try_from(*it).is_ok());
        let nanos: u64 = nanos.ok_or_else(|| self.too_large())?;
        self.at += 1 + digits;
        Ok((Part::Literal(Value::Time(nanos)), ValueType::Time))
    }

    fn too_large(&self) -> ExprError {
        self.error("this number is too large")
    }

    fn word(&mut self, at: usize, word: String) -> Result<Typed, ExprError> {
        match word.as_str() {
            "true" => Ok((Part::Literal(Value::Bool(true)), ValueType::Bool)),
            "false" => Ok((Part::Literal(Value::Bool(false)), ValueType::Bool)),
            "none" => Ok((Part::Literal(Value::Entity(0)), ValueType::Entity)),
            "abs" => {
                let [(a, t)] = self.arguments()?;
                self.number(at, "abs", t)?;
                Ok((Part::Abs(Box::new(a)), float_of_time(t)))
            }
            "sign" => {
                let [(a, t)] = self.arguments()?;
                self.number(at, "sign", t)?;
                Ok((Part::Sign(Box::new(a)), float_of_time(t)))
            }
            "floor" => {
                let [(a, t)] = self.arguments()?;
                self.number(at, "floor", t)?;
                Ok((Part::Floor(Box::new(a)), ValueType::Int))
            }
            "sqrt" => {
                let [(a, t)] = self.arguments()?;
                self.number(at, "sqrt", t)?;
                Ok((Part::Sqrt(Box::new(a)), ValueType::Float))
            }
            "clamp" => {
                let parts = self.arguments::<3>()?;
                for (_, t) in &parts {
                    self.number(at, "clamp", *t)?;
                }
                let all = |of: ValueType| parts.iter().all(|(_, t)| *t == of);
                let t = [ValueType::Int, ValueType::Time].into_iter().find(|it| all(*it)).unwrap_or(ValueType::Float);
                Ok((Part::Clamp(Box::new(parts.map(|(part, _)| part))), t))
            }
            "min" | "max" => {
                let [a, b] = self.arguments()?;
                self.binary(at, if word == "min" { Binary::Min } else { Binary::Max }, a, b)
            }
            "if" => self.choice(at),
            "vec2" => {
                let parts = self.arguments::<2>()?;
                self.vector(at, "vec2", parts, ValueType::Vec2)
            }
            "vec3" => {
                let parts = self.arguments::<3>()?;
                self.vector(at, "vec3", parts, ValueType::Vec3)
            }
            "length" => {
                let [a] = self.arguments()?;
                length(at, "length", a)
            }
            "distance" => {
                let [a, b] = self.arguments()?;
                let between = self.binary(at, Binary::Subtract, a, b)?;
                length(at, "distance", between)
            }
            _ => {
                let is_scope = Scope::ALL.iter().any(|scope| scope.name() == word);
                let path = if is_scope && self.eat(".") {
                    self.blanks();
                    format!("{word}.{}", self.full_name(&word))
                } else {
                    word
                };
                match self.keys.find(&path) {
                    Some((name, key)) => Ok((Part::Key(name.clone()), key.default.value_type())),
                    None => Ok((Part::Word(path, at), ValueType::Symbol)),
                }
            }
        }
    }

    fn vector<const N: usize>(
        &self,
        at: usize,
        who: &str,
        parts: [Typed; N],
        t: ValueType,
    ) -> Result<Typed, ExprError> {
        for (_, t) in &parts {
            self.number(at, who, *t)?;
        }
        Ok((Part::Vector(parts.into_iter().map(|(part, _)| part).collect()), t))
    }

    fn arguments<const N: usize>(&mut self) -> Result<[Typed; N], ExprError> {
        self.each_argument(settled)
    }

    /// Arguments that may be words.
    fn open_arguments<const N: usize>(&mut self) -> Result<[Typed; N], ExprError> {
        self.each_argument(Ok)
    }

    fn each_argument<const N: usize>(
        &mut self,
        read: fn(Typed) -> Result<Typed, ExprError>,
    ) -> Result<[Typed; N], ExprError> {
        let mut arguments = Vec::new();
        for i in 0..N {
            if !self.eat(if i == 0 { "(" } else { "," }) {
                return Err(self.error(format!("expected {N} arguments in parentheses")));
            }
            arguments.push(read(self.or()?)?);
        }
        let Ok(arguments) = <[Typed; N]>::try_from(arguments) else { unreachable!("one for each") };
        if self.eat(")") { Ok(arguments) } else { Err(self.error("expected )")) }
    }
}

/// Arithmetic of a number with a time uses the time's seconds.
fn float_of_time(t: ValueType) -> ValueType {
    if t == ValueType::Time { ValueType::Float } else { t }
}

/// How many digits come first.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn length(at: usize, who: &str, (a, t): Typed) -> Result<Typed, ExprError> {
    if t.is_vector() {
        Ok((Part::Length(Box::new(a)), ValueType::Float))
    } else {
        Err(ExprError { at, what: format!("{who} wants a vector, not {}", t.name()) })
    }
}
