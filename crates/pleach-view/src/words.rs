//! Values and counts as people read them.

use pleach::Value;
use pleach::schema::{KeyDecl, Schema};

/// A value of a blackboard. `schema` knows the words of symbols.
#[must_use]
pub fn value(schema: &Schema, value: Value) -> String {
    match value {
        Value::Float(it) => float(it),
        Value::Vec2([x, y]) => format!("({}, {})", float(x), float(y)),
        Value::Vec3([x, y, z]) => format!("({}, {}, {})", float(x), float(y), float(z)),
        Value::Time(it) => format!("{} s", trimmed(&format!("{:.3}", it.as_secs_f64()))),
        Value::Bool(_) | Value::Int(_) | Value::Entity(_) | Value::Symbol(_) => schema.describe(value),
    }
}

/// A number with at most three decimal places.
fn float(it: f32) -> String {
    trimmed(&format!("{it:.3}"))
}

/// Without trailing zeros.
fn trimmed(text: &str) -> String {
    if !text.contains('.') {
        return text.into();
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Whose a key is: `agent`, `group`, `global`, or its node's as `n4`.
#[must_use]
pub fn owner(key: &KeyDecl) -> String {
    key.node().map_or_else(|| key.scope().to_string(), |it| it.to_string())
}

/// `1 tree`, `2 trees`.
#[must_use]
pub fn plural(count: usize, word: &str) -> String {
    format!("{} {word}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short() {
        let schema = Schema::default();
        let short = |it: Value| value(&schema, it);
        assert_eq!(short(Value::Float(0.1)), "0.1");
        assert_eq!(short(Value::Float(-0.0001)), "0");
        assert_eq!(short(Value::Float(100.0)), "100");
        assert_eq!(short(Value::Float(f32::NAN)), "NaN");
        assert_eq!(short(Value::Vec2([1.5, 2.0])), "(1.5, 2)");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 12_345, 1_234_567].map(grouped), ["0", "999", "1,000", "12,345", "1,234,567"]);
        assert_eq!((plural(1, "tree"), plural(2, "tree")), ("1 tree".into(), "2 trees".into()));
    }
}
