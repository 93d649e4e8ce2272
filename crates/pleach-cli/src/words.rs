//! Values, numbers and nodes as people read them.

use std::io::IsTerminal;

use crossterm::terminal;
use pleach::schema::KeyUse;
use pleach::tools::text::plain;
pub(crate) use pleach_studio_core::named::not_found;
pub(crate) use pleach_view::words::{grouped, plural, value};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::paint::{FAINT, RESET};

/// How many columns a line of standard output may take.
pub(crate) fn columns() -> usize {
    let size = std::io::stdout().is_terminal().then(|| terminal::size().ok()).flatten();
    // A terminal that does not know its size says 0.
    size.map(|it| usize::from(it.0)).filter(|it| *it > 0).unwrap_or(usize::MAX)
}

/// The text in lines of at most `columns` columns. A longer word gets a line of its own.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// How many columns the widest of these takes.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// The text, padded with spaces to this many columns.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(text.width()))
}

/// The text in at most this many columns: an ellipsis replaces what does not fit.
pub(crate) fn cropped(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.into();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |it: &char| {
        let width = it.width().unwrap_or(0);
        let fits = width <= left;
        left = if fits { left - width } else { 0 };
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// About three significant digits.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 || v == 0.0 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

/// `1.50 KiB`.
pub(crate) fn bytes(count: f64) -> String {
    match count {
        v if v >= 1024.0 * 1024.0 * 1024.0 => format!("{} GiB", short(v / 1024.0 / 1024.0 / 1024.0)),
        v if v >= 1024.0 * 1024.0 => format!("{} MiB", short(v / 1024.0 / 1024.0)),
        v if v >= 1024.0 => format!("{} KiB", short(v / 1024.0)),
        v => format!("{v} B"),
    }
}

/// The first sentence of a text, in one line.
pub(crate) fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> = doc.trim().lines().map(str::trim).take_while(|it| !it.is_empty()).collect();
    let text = paragraph.join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_owned(),
        None => text,
    }
}

/// What the game does with a key, to follow the key in its line: `  written by the game: How far
/// away the enemy is.`
pub(crate) fn of_game(key: &KeyUse<'_>) -> String {
    let doc = first_sentence(key.doc);
    let doc = if doc.is_empty() { String::new() } else { format!(": {}", plain(&doc)) };
    format!("  {FAINT}{key}{doc}{RESET}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 0.01, 12.34].map(short), ["0.00", "0.0100", "12.3"]);
        assert_eq!([12.0, 2048.0, 3e9].map(bytes), ["12 B", "2.00 KiB", "2.79 GiB"]);
    }

    #[test]
    fn lines_are_wrapped_at_words() {
        let text = "one two 木木 four";
        assert_eq!(wrapped(text, usize::MAX), [text]);
        assert_eq!(wrapped(text, 12), ["one two 木木", "four"]);
        assert_eq!(wrapped(text, 11), ["one two", "木木 four"]);
        assert_eq!(wrapped(text, 1), ["one", "two", "木木", "four"]);
    }

    #[test]
    fn wide_characters_count_as_the_columns_that_they_take() {
        assert_eq!((widest(["ab", "木木", "здор"]), widest([])), (4, 0));
        assert_eq!(
            (padded("木", 4), padded("abc", 4), padded("abcde", 4)),
            ("木  ".into(), "abc ".into(), "abcde".into())
        );
        assert_eq!(["木木木", "abcdef", "a木木b"].map(|it| cropped(it, 5)), ["木木…", "abcd…", "a木…"]);
        assert_eq!(
            (cropped("木木", 4), cropped("木木", 3), cropped("木木", 1)),
            ("木木".into(), "木…".into(), "…".into())
        );
    }
}
