//! Texts of other people inside a terminal, an XML file and a dot file. Names and notes are whatever an asset says.

use std::borrow::Cow;
use std::fmt::Write;

/// For a line of text: control characters are spelled out, so that no name breaks a line or talks to the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
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

/// For the text and the attributes of XML 1.0; characters that it cannot hold are replaced.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // As references, because parsers may turn raw ones in attributes into spaces.
            '\t' | '\n' | '\r' => write!(out, "&#{};", it as u32).expect("a string takes everything"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(it),
        }
    }
    out
}

/// For a double-quoted string of dot that is a label: besides `"` and `\`, labels know XML's entities.
pub(crate) fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("\\n"),
            '\0'..='\u{1f}' | '\u{7f}' => out.push('\u{fffd}'),
            _ => out.push(it),
        }
    }
    out
}

/// At most `most` characters, the last of them an ellipsis if some are missing.
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect::<String>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(plain("a\nb\u{1b}[2J\u{202e}ü"), "a\\nb\\u{1b}[2J\\u{202e}ü");
        assert_eq!(xml("a<b>&\"c'\u{1}\n"), "a&lt;b&gt;&amp;&quot;c&#39;\u{fffd}&#10;");
        assert_eq!(dot("a \"b\" \\N && &lt;\n\r"), "a \\\"b\\\" \\\\N &amp;&amp; &amp;lt;\\n\u{fffd}");
    }

    #[test]
    fn long_texts_are_cut_at_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
