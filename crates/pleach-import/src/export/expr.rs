//! Expressions of pleach as scripts of BehaviorTree.CPP.

use std::collections::BTreeSet;

use crate::script::{Expr, condition};

/// Names in expressions that are not keys (SEMANTICS 7).
const CONSTANTS: [&str; 3] = ["none", "now", "time"];

/// A script that says the same.
///
/// # Errors
/// The feature that its language lacks.
pub(super) fn script(expr: &str, keys: &BTreeSet<String>) -> Result<String, String> {
    let read = condition(expr).map_err(|_| format!("`{expr}` has no counterpart in its scripts"))?;
    if let Some(name) = beyond(&read, keys) {
        return Err(format!("`{name}` has no counterpart in its scripts"));
    }
    if divides(&read) {
        return Err(format!("`{expr}` divides, and whole numbers have a fraction there"));
    }
    Ok(write(&read, keys, 0))
}

/// A name that is neither a key nor a word.
fn beyond<'e>(expr: &'e Expr, keys: &BTreeSet<String>) -> Option<&'e str> {
    match expr {
        Expr::Name(name) => (CONSTANTS.contains(&&**name) && !keys.contains(name)).then_some(name),
        Expr::Bool(_) | Expr::Number(..) | Expr::Text(_) => None,
        Expr::Not(it) | Expr::Minus(it) => beyond(it, keys),
        Expr::Binary(_, a, b) => beyond(a, keys).or_else(|| beyond(b, keys)),
        Expr::If(test, a, b) => [test, a, b].into_iter().find_map(|it| beyond(it, keys)),
    }
}

/// Whether whole numbers may be divided.
fn divides(expr: &Expr) -> bool {
    let is_fraction = |it: &Expr| matches!(it, Expr::Number(_, false));
    match expr {
        Expr::Bool(_) | Expr::Number(..) | Expr::Text(_) | Expr::Name(_) => false,
        Expr::Not(it) | Expr::Minus(it) => divides(it),
        Expr::Binary(sign, a, b) => *sign == "/" && !is_fraction(a) && !is_fraction(b) || divides(a) || divides(b),
        Expr::If(test, a, b) => divides(test) || divides(a) || divides(b),
    }
}

fn write(expr: &Expr, keys: &BTreeSet<String>, level: u8) -> String {
    let inside = |text: String, own: u8| if own < level { format!("({text})") } else { text };
    match expr {
        Expr::Bool(it) => it.to_string(),
        Expr::Number(text, _) => text.clone(),
        Expr::Text(it) => format!("'{it}'"),
        Expr::Name(name) if keys.contains(name) => name.clone(),
        // The word of a symbol is a text there.
        Expr::Name(word) => format!("'{word}'"),
        Expr::Not(it) => format!("!{}", write(it, keys, 9)),
        Expr::Minus(it) => format!("-{}", write(it, keys, 9)),
        Expr::Binary(sign, a, b) => {
            let own = match *sign {
                "||" => 1,
                "&&" => 2,
                "+" | "-" => 5,
                "*" | "/" | "%" => 6,
                _ => 3,
            };
            inside(format!("{} {sign} {}", write(a, keys, own), write(b, keys, own + 1)), own)
        }
        Expr::If(test, a, b) => {
            format!("({} ? {} : {})", write(test, keys, 1), write(a, keys, 1), write(b, keys, 1))
        }
    }
}
