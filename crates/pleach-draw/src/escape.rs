//! Escapes texts for XML files and dot files. Names and notes of an asset can hold any text.

use std::fmt::Write;

/// For texts and attributes of XML 1.0. Characters that XML cannot hold are replaced.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // References, as parsers may read these characters in attributes as spaces.
            '\t' | '\n' | '\r' => write!(out, "&#{};", it as u32).expect("a string takes everything"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(it),
        }
    }
    out
}

/// For a double-quoted label of dot. Labels also read XML's entities.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(xml("a<b>&\"c'\u{1}\n"), "a&lt;b&gt;&amp;&quot;c&#39;\u{fffd}&#10;");
        assert_eq!(dot("a \"b\" \\N && &lt;\n\r"), "a \\\"b\\\" \\\\N &amp;&amp; &amp;lt;\\n\u{fffd}");
    }
}
