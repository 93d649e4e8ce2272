//! Makes foreign texts (names, notes, parameters) safe to print on a line of a terminal or a log.

use std::borrow::Cow;

/// The text with its control characters spelled out, so that no name breaks a line or controls the
/// terminal.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(unprintable) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for it in text.chars() {
        if unprintable(it) {
            out.extend(it.escape_default());
        } else {
            out.push(it);
        }
    }
    out.into()
}

/// Control characters, and those that reorder the text after them.
fn unprintable(it: char) -> bool {
    it.is_control() || matches!(it, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// At most `most` characters; if some are left out, the last is an ellipsis.
#[must_use]
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect::<String>().into(),
    }
}
