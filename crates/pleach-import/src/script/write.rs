//! Writes scripts as expressions of pleach, which knows types.

use super::Expr;
use crate::keys::{Keys, Kind, Use, key_name};
use crate::place::Place;
use crate::ron;

/// The tree of a script, and its place.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) tree: usize,
    pub(crate) place: Place,
}

/// The type of an expression, as far as it is known.
pub(crate) fn kind_of(expr: &Expr, keys: &Keys, at: At) -> Kind {
    match expr {
        Expr::Bool(_) | Expr::Not(_) => Kind::Bool,
        Expr::Number(_, is_whole) => {
            if *is_whole {
                Kind::Int
            } else {
                Kind::Float
            }
        }
        Expr::Text(_) => Kind::Word,
        Expr::Name(name) if is_constant(name, keys, at) => Kind::Word,
        Expr::Name(name) => keys.kind(at.tree, &key_name(name)),
        Expr::Minus(it) => number(kind_of(it, keys, at)),
        Expr::Binary("/", ..) => Kind::Float,
        Expr::Binary("+" | "-" | "*" | "%", a, b) => number(kind_of(a, keys, at)).max(number(kind_of(b, keys, at))),
        Expr::Binary(..) => Kind::Bool,
        Expr::If(_, a, b) => kind_of(a, keys, at).max(kind_of(b, keys, at)),
    }
}

fn number(kind: Kind) -> Kind {
    if kind == Kind::Float { Kind::Float } else { Kind::Int }
}

/// A name in capitals that nothing writes belongs to an enum of the game.
fn is_constant(name: &str, keys: &Keys, at: At) -> bool {
    let is_capital = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_';
    name.len() > 1 && name.chars().all(is_capital) && !keys.has(at.tree, &key_name(name))
}

/// Writes an expression of this kind.
///
/// # Errors
/// Why it cannot be written, in a sentence.
pub(crate) fn emit(expr: &Expr, want: Kind, keys: &mut Keys, at: At) -> Result<String, String> {
    Writer { keys, at }.wanted(expr, want).map(|it| it.0)
}

/// How tightly a text binds, as [`Expr::Binary`] does from `||` on; an atom binds tightest.
const ATOM: u8 = 9;

fn level(operator: &str) -> u8 {
    match operator {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
        "+" | "-" => 5,
        _ => 6,
    }
}

struct Writer<'k> {
    keys: &'k mut Keys,
    at: At,
}

impl Writer<'_> {
    /// The text, and how tightly it binds.
    fn wanted(&mut self, expr: &Expr, want: Kind) -> Result<(String, u8), String> {
        if let (Expr::Name(name), false) = (expr, self.is_word(expr)) {
            let name = key_name(name);
            let is = self.keys.used(self.at.tree, &name, self.at.place, Use::Read, want);
            return convert((name, ATOM), is, want);
        }
        let is = kind_of(expr, self.keys, self.at);
        let text = match expr {
            Expr::If(test, a, b) => {
                let test = self.wanted(test, Kind::Bool)?.0;
                let (a, b) = (self.wanted(a, want)?.0, self.wanted(b, want)?.0);
                return Ok((format!("if({test}, {a}, {b})"), ATOM));
            }
            Expr::Bool(it) if want.is_number() => return Ok((u8::from(*it).to_string(), ATOM)),
            Expr::Bool(it) => (it.to_string(), ATOM),
            Expr::Number(text, _) => (ron::number(text), ATOM),
            Expr::Text(_) | Expr::Name(_) => return Err("a text can only be compared with a key, or set".into()),
            Expr::Not(it) => {
                let it = self.wanted(it, Kind::Bool)?;
                (format!("not {}", inside(it, ATOM)), ATOM)
            }
            Expr::Minus(it) => {
                let it = self.wanted(it, Kind::Int)?;
                (format!("-{}", inside(it, ATOM)), 7)
            }
            Expr::Binary(sign, a, b) => match *sign {
                "&&" | "||" => self.joined(sign, Kind::Bool, a, b)?,
                "/" if !kind_of(a, self.keys, self.at).max(kind_of(b, self.keys, self.at)).eq(&Kind::Float) => {
                    let (a, b) = (self.wanted(a, Kind::Int)?, self.wanted(b, Kind::Int)?);
                    // There a fraction, here a whole number.
                    (format!("1.0 * {} / {}", inside(a, 6), inside(b, 7)), 6)
                }
                "+" | "-" | "*" | "/" | "%" => self.joined(sign, Kind::Int, a, b)?,
                sign => self.compared(sign, a, b)?,
            },
        };
        convert(text, is, want)
    }

    fn is_word(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Text(_) => true,
            Expr::Name(name) => is_constant(name, self.keys, self.at),
            _ => false,
        }
    }

    fn joined(&mut self, sign: &str, kind: Kind, a: &Expr, b: &Expr) -> Result<(String, u8), String> {
        let level = level(sign);
        let (a, b) = (self.wanted(a, kind)?, self.wanted(b, kind)?);
        Ok((format!("{} {sign} {}", inside(a, level), inside(b, level + 1)), level))
    }

    fn compared(&mut self, sign: &str, a: &Expr, b: &Expr) -> Result<(String, u8), String> {
        for (name, text) in [(a, b), (b, a)] {
            let (Expr::Name(name), true, false) = (name, self.is_word(text), self.is_word(name)) else { continue };
            if let Expr::Name(constant) = text {
                self.keys.constant(self.at.place, constant);
            }
            let (Expr::Text(text) | Expr::Name(text)) = text else { continue };
            if !matches!(sign, "==" | "!=") {
                return Err(format!("`{text}` is a text, and texts have no order here (`{sign}`)"));
            }
            let name = key_name(name);
            let kind = self.keys.used(self.at.tree, &name, self.at.place, Use::Read, Kind::Word);
            if kind != Kind::Word {
                return Err(format!("`{name}` is {}, and compared with the text `{text}`", kind.name()));
            }
            let word = self.keys.word(self.at.tree, &name, self.at.place, text);
            return Ok((format!("{name} {sign} {word}"), level(sign)));
        }
        let (kind_a, kind_b) = (kind_of(a, self.keys, self.at), kind_of(b, self.keys, self.at));
        if let (Expr::Name(a), Expr::Name(b)) = (a, b)
            && matches!(sign, "==" | "!=")
            && matches!(kind_a.max(kind_b), Kind::Word | Kind::Unknown)
        {
            // Equal names are equal in any type; words are compared only if all are known.
            let (a, b) = (key_name(a), key_name(b));
            for name in [&a, &b] {
                self.keys.used(self.at.tree, name, self.at.place, Use::Read, kind_a.max(kind_b));
            }
            return Ok((format!("{a} {sign} {b}"), level(sign)));
        }
        let kind = kind_a.max(kind_b);
        let kind = if kind == Kind::Unknown || matches!(sign, "<" | "<=" | ">" | ">=") { number(kind) } else { kind };
        self.joined(sign, kind, a, b)
    }
}

/// In brackets, where it would otherwise be read another way.
fn inside((text, binds): (String, u8), level: u8) -> String {
    if binds < level { format!("({text})") } else { text }
}

fn convert(text: (String, u8), is: Kind, want: Kind) -> Result<(String, u8), String> {
    match (is, want) {
        (is, want) if is == want || is.is_number() && want.is_number() => Ok(text),
        (_, Kind::Unknown) | (Kind::Unknown, _) => Ok(text),
        (Kind::Bool, want) if want.is_number() => Ok((format!("if({}, 1, 0)", text.0), ATOM)),
        (is, Kind::Bool) if is.is_number() => Ok((format!("{} != 0", inside(text, 4)), level("!="))),
        (Kind::Object, Kind::Bool) => Ok((format!("{} != none", text.0), level("!="))),
        (Kind::Word, _) => {
            Err(format!("`{}` is a text: pleach does not put texts together, or compute with them", text.0))
        }
        (is, want) => Err(format!("`{}` is {}, where {} is needed", text.0, is.name(), want.name())),
    }
}
