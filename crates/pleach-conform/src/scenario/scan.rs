//! Checks of a text before it is read as JSON. Its depth must be known, as reading recurses. And
//! its whole numbers must fit, as a JSON reader would turn larger ones into floats.

use pleach_core::limits::MAX_DEPTH;

use super::fields::error;
use super::{Problem, ScenarioError};

/// A node and its list of children are two brackets. The rest is for the other fields of an object.
const MAX_BRACKETS: usize = 2 * MAX_DEPTH + 16;

/// How deep the brackets of the text are nested.
pub(super) fn nesting(text: &str) -> Result<usize, ScenarioError> {
    let (mut open, mut deepest) = (0_usize, 0);
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
                if open > MAX_BRACKETS {
                    let what = format!("more than {MAX_BRACKETS} brackets inside each other");
                    return Err(wrong(text, at, format!("{what}, but a tree has at most {MAX_DEPTH} levels")));
                }
                at += 1;
            }
            b']' | b'}' => {
                open = open.saturating_sub(1);
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let part = |it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.' | 'e' | 'E');
                let number = &text[at..];
                let number = &number[..number.find(|it| !part(it)).unwrap_or(number.len())];
                whole(number).map_err(|what| wrong(text, at, what))?;
                at += number.len();
            }
            _ => at += 1,
        }
    }
    Ok(deepest)
}

/// The end of the string that begins at `at`.
fn string_end(text: &str, at: usize) -> usize {
    let mut escaped = false;
    let is_end = |byte: &u8| {
        let end = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        end
    };
    let rest = &text.as_bytes()[at + 1..];
    rest.iter().position(is_end).map_or(text.len(), |it| at + 1 + it + 1)
}

/// Whether a number without point and exponent fits in 64 bits.
fn whole(number: &str) -> Result<(), String> {
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Ok(());
    }
    if number.starts_with('-') && digits.bytes().all(|it| it == b'0') {
        return Err(format!("{number} is no int: write 0, or -0.0 for the float"));
    }
    if number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
        return Err(format!("{number} does not fit into 64 bits: write a point after it for the float"));
    }
    Ok(())
}

fn wrong(text: &str, at: usize, what: String) -> ScenarioError {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    error("", Problem::Value(format!("{what} (line {line}, column {column})")))
}
