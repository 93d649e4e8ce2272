//! Reads scripts. Anything that pleach cannot express is an error, in a sentence.

use super::{Assignment, Expr};
use crate::report::shortened;

/// The deepest nesting of brackets and prefixes.
const MAX_DEPTH: usize = 32;
/// The longest script, in bytes: as long as an expression of pleach can be.
const MAX_SCRIPT: usize = 4096;

/// The most tokens: pleach's expressions have a similar limit.
const MAX_TOKENS: usize = 256;

/// Binary operators, from the loosest to the tightest.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<", "<=", ">", ">="], &["+", "-", ".."], &["*", "/", "%"]];
/// Operators without a counterpart.
const BITWISE: [&str; 4] = ["&", "|", "^", "~"];
const SIGNS: [&str; 30] = [
    ":=", "+=", "-=", "*=", "/=", "&&", "||", "==", "!=", "<=", ">=", "..", "=", "<", ">", "+", "-", "*", "/", "%",
    "!", "?", ":", "(", ")", "&", "|", "^", "~", ",",
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Sign(&'static str),
    Number(String, bool),
    Text(String),
    Name(String),
}

/// Reads an expression.
pub(crate) fn condition(script: &str) -> Result<Expr, String> {
    let mut reader = Reader { tokens: tokens(script.trim().trim_end_matches(';'))?, at: 0, depth: 0 };
    if reader.assigned().is_some() {
        return Err("it assigns where a condition stands".into());
    }
    let expr = reader.ternary()?;
    reader.end()?;
    Ok(expr)
}

/// Reads statements: each with its assignment, or why it cannot be expressed.
pub(crate) fn statements(script: &str) -> Vec<(&str, Result<Assignment, String>)> {
    match parts(script) {
        none if none.is_empty() => vec![(script, Err("it is empty".into()))],
        all => all.into_iter().map(|it| (it, statement(it))).collect(),
    }
}

fn statement(statement: &str) -> Result<Assignment, String> {
    let mut reader = Reader { tokens: tokens(statement)?, at: 0, depth: 0 };
    let (key, operator) = reader.assigned().ok_or("it is not an assignment")?;
    let value = reader.ternary()?;
    reader.end()?;
    let own = || Box::new(Expr::Name(key.clone()));
    let value = match operator {
        "+=" => Expr::Binary("+", own(), Box::new(value)),
        "-=" => Expr::Binary("-", own(), Box::new(value)),
        "*=" => Expr::Binary("*", own(), Box::new(value)),
        "/=" => Expr::Binary("/", own(), Box::new(value)),
        _ => value,
    };
    Ok(Assignment { key, value })
}

/// The statements of a script. A `;` in a text does not end one.
fn parts(script: &str) -> Vec<&str> {
    let (mut all, mut from, mut quote) = (Vec::new(), 0, None);
    for (at, char) in script.char_indices() {
        match char {
            '\'' | '"' if quote.is_none() => quote = Some(char),
            it if Some(it) == quote => quote = None,
            ';' | '\n' if quote.is_none() => {
                all.push(&script[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(&script[from..]);
    all.retain(|it| !it.trim().is_empty());
    all
}

fn tokens(script: &str) -> Result<Vec<Token>, String> {
    if script.len() > MAX_SCRIPT {
        return Err(format!("it has more than {MAX_SCRIPT} bytes"));
    }
    let (mut all, mut rest) = (Vec::new(), script.trim_start());
    while let Some(first) = rest.chars().next() {
        if all.len() == MAX_TOKENS {
            return Err(format!("it has more than {MAX_TOKENS} parts"));
        }
        let length = if first == '\'' || first == '"' {
            let length = rest[1..].find(first).ok_or("a text has no end")? + 2;
            all.push(Token::Text(rest[1..length - 1].into()));
            length
        } else if first.is_ascii_digit() {
            let length = number(rest);
            let text = &rest[..length];
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let is_whole = hex.is_some() || text.bytes().all(|it| it.is_ascii_digit());
            let text = match hex.map(|it| i64::from_str_radix(it, 16)) {
                Some(Ok(it)) => it.to_string(),
                Some(Err(_)) => return Err(format!("`{text}` is not a number")),
                None => text.to_owned(),
            };
            let is_number = if is_whole { text.parse::<i64>().is_ok() } else { text.parse().is_ok_and(f64::is_finite) };
            if !is_number {
                return Err(format!("`{}` is not a number, or too large for one", shortened(&text)));
            }
            all.push(Token::Number(text, is_whole));
            length
        } else if first.is_alphabetic() || first == '_' || first == '@' {
            let goes_on = |it: char| it.is_alphanumeric() || it == '_';
            let length = rest[1..].find(|it| !goes_on(it)).map_or(rest.len(), |it| it + 1);
            let length = if first.is_ascii() { length } else { rest.find(|it| !goes_on(it)).unwrap_or(rest.len()) };
            all.push(match &rest[..length] {
                "and" => Token::Sign("&&"),
                "or" => Token::Sign("||"),
                name => Token::Name(name.into()),
            });
            length
        } else {
            let sign = SIGNS.iter().find(|it| rest.starts_with(**it));
            let sign = sign.ok_or_else(|| format!("`{first}` has no meaning in a script"))?;
            if BITWISE.contains(sign) {
                return Err(format!("pleach has no bitwise operator `{sign}`"));
            }
            all.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(all)
}

/// How many bytes a number has.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    if text.starts_with("0x") || text.starts_with("0X") {
        return 2 + bytes[2..].iter().take_while(|it| it.is_ascii_hexdigit()).count();
    }
    let digits =
        |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|it| it.is_ascii_digit()).count();
    let mut length = digits(0);
    // `1..'a'` concatenates texts.
    if bytes.get(length) == Some(&b'.') && bytes.get(length + 1) != Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let power = digits(length + 1 + sign);
        if power > 0 {
            length += 1 + sign + power;
        }
    }
    length
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader {
    /// The key and the operator of an assignment, if one begins here.
    fn assigned(&mut self) -> Option<(String, &'static str)> {
        let (Some(Token::Name(key)), Some(Token::Sign(sign))) = (self.tokens.first(), self.tokens.get(1)) else {
            return None;
        };
        if !matches!(*sign, ":=" | "=" | "+=" | "-=" | "*=" | "/=") {
            return None;
        }
        self.at = 2;
        Some((key.clone(), sign))
    }

    fn take(&mut self, signs: &[&str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(it)) if signs.contains(it) => {
                self.at += 1;
                Some(it)
            }
            _ => None,
        }
    }

    fn end(&self) -> Result<(), String> {
        if self.at == self.tokens.len() { Ok(()) } else { Err("it does not end where an expression does".into()) }
    }

    fn ternary(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deep".into());
        }
        let test = self.binary(0)?;
        let expr = if self.take(&["?"]).is_some() {
            let yes = self.ternary()?;
            self.take(&[":"]).ok_or("`?` lacks its `:`")?;
            let no = self.ternary()?;
            Expr::If(Box::new(test), Box::new(yes), Box::new(no))
        } else {
            test
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn binary(&mut self, level: usize) -> Result<Expr, String> {
        let Some(signs) = LEVELS.get(level) else { return self.prefix() };
        let mut left = self.binary(level + 1)?;
        let is_comparison = level == 2 || level == 3;
        let mut chain: Option<(Expr, Expr)> = None;
        while let Some(sign) = self.take(signs) {
            if sign == ".." {
                return Err("pleach does not put texts together (`..`)".into());
            }
            let right = self.binary(level + 1)?;
            let this = |left: Expr| Expr::Binary(sign, Box::new(left), Box::new(right.clone()));
            // `a < b < c` is `a < b && b < c`.
            let next = match chain.take() {
                Some((before, middle)) if is_comparison => before.and(this(middle)),
                _ => this(left),
            };
            chain = Some((next.clone(), right));
            left = next;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deep".into());
        }
        let expr = match self.take(&["!", "-", "+"]) {
            Some("!") => self.prefix()?.not(),
            Some("-") => Expr::Minus(Box::new(self.prefix()?)),
            Some(_) => self.prefix()?,
            None => self.operand()?,
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn operand(&mut self) -> Result<Expr, String> {
        if self.take(&["("]).is_some() {
            let inner = self.ternary()?;
            self.take(&[")"]).ok_or("a `(` has no `)`")?;
            return Ok(inner);
        }
        let token = self.tokens.get(self.at).cloned().ok_or("it ends too early")?;
        self.at += 1;
        Ok(match token {
            Token::Number(text, is_whole) => Expr::Number(text, is_whole),
            Token::Text(text) => Expr::Text(text),
            Token::Name(name) => match &*name {
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                // Written by pleach: its `if` is `?:`, and its `not` is `!`.
                "if" if self.take(&["("]).is_some() => {
                    let test = self.ternary()?;
                    self.take(&[","]).ok_or("`if` lacks a `,`")?;
                    let yes = self.ternary()?;
                    self.take(&[","]).ok_or("`if` lacks a `,`")?;
                    let no = self.ternary()?;
                    self.take(&[")"]).ok_or("a `(` has no `)`")?;
                    Expr::If(Box::new(test), Box::new(yes), Box::new(no))
                }
                "not" => self.prefix()?.not(),
                _ => Expr::Name(name),
            },
            Token::Sign(sign) => return Err(format!("`{sign}` stands where a value is expected")),
        })
    }
}
