//! Checks keys: their names, their defaults and their words.

use pleach_core::limits::MAX_WORDS;

use super::{Checked, at_most, length_of, value_error};
use crate::expr::RESERVED;
use crate::keys::SLOT;
use crate::scenario::{Key, Keys, Value};

pub(super) fn is_finite(at: &str, value: &Value) -> Checked {
    if value.is_finite() { Ok(()) } else { Err(value_error(at, "it is not finite")) }
}

pub(super) fn one_of_its_words(at: &str, key: &Key, value: &Value) -> Checked {
    if key.takes(value) { Ok(()) } else { Err(value_error(at, format!("`{value}` is none of the key's words"))) }
}

pub(super) fn declaration(at: &str, keys: &Keys, key: &Key) -> Checked {
    is_finite(at, &key.default)?;
    if matches!(key.default, Value::Symbol(_)) && key.words.is_empty() {
        return Err(value_error(at, "a symbol is declared with its words"));
    }
    at_most(&format!("{at}.words"), key.words.len(), "words are too many", MAX_WORDS)?;
    for word in &key.words {
        key_name(&format!("{at}.words"), word)?;
        // No expression has the words of a slot.
        if keys.find(word).is_some() && !at.contains(SLOT) {
            return Err(value_error(format!("{at}.words"), format!("`{word}` is a key as well")));
        }
    }
    one_of_its_words(&format!("{at}.symbol"), key, &key.default)
}

/// Expressions must be able to name it.
pub(crate) fn key_name(at: &str, name: &str) -> Checked {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') && !RESERVED.contains(&name) {
        return length_of(at, name);
    }
    let what = "letters, digits and _, no digit first, no word of the language";
    Err(value_error(at, format!("`{name}` cannot be a name: {what}")))
}
