//! Places: a position of the protocol is a line and a count of UTF-16 units, ours is a byte.

use std::ops::Range;

use serde_json::{Value, json};

/// Where the lines of a text begin. Long lines also have marks inside.
#[derive(Debug)]
pub(crate) struct Lines {
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    byte: usize,
    line: usize,
    /// The UTF-16 units of the line before it.
    units: usize,
}

/// The fewest bytes between marks in one line.
const STEP: usize = 1_024;

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        // A byte order mark is not part of the text that an editor shows.
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut last = Mark { byte: start, line: 0, units: 0 };
        let mut marks = vec![last];
        for (number, line) in text.split('\n').enumerate() {
            let start = if number == 0 { 0 } else { last.byte + 1 };
            let mut here = if number == 0 { last } else { Mark { byte: start, line: number, units: 0 } };
            if number > 0 {
                marks.push(here);
            }
            while line.len() - (here.byte - start) > STEP {
                let byte = floor(text, here.byte + STEP);
                here = Mark { byte, units: here.units + units(&text[here.byte..byte]), ..here };
                marks.push(here);
            }
            last = Mark { byte: start + line.len(), ..here };
        }
        Lines { marks }
    }

    /// The position of a byte.
    pub(crate) fn position(&self, text: &str, at: usize) -> Value {
        let (line, character) = self.line_and_units(text, at);
        json!({ "line": line, "character": character })
    }

    pub(crate) fn range(&self, text: &str, span: &Range<usize>) -> Value {
        json!({ "start": self.position(text, span.start), "end": self.position(text, span.end) })
    }

    /// The line of a byte, from 0, and the UTF-16 units before it in that line.
    pub(crate) fn line_and_units(&self, text: &str, at: usize) -> (usize, usize) {
        let at = floor(text, at).max(self.marks[0].byte);
        let mark = self.marks[self.marks.partition_point(|it| it.byte <= at) - 1];
        (mark.line, mark.units + units(&text[mark.byte..at]))
    }

    /// The byte at a position; a position past the end gives the end of the line or text.
    pub(crate) fn byte(&self, text: &str, position: &Value) -> Option<usize> {
        let number = |field: &str| usize::try_from(position.get(field)?.as_u64()?).ok();
        let (line, character) = (number("line")?, number("character")?);
        let behind = self.marks.partition_point(|it| (it.line, it.units) <= (line, character));
        let mark = *self.marks.get(behind.checked_sub(1)?)?;
        if mark.line < line {
            return Some(text.len());
        }
        let mut left = character - mark.units;
        let mut here = mark.byte;
        for it in text[mark.byte..].chars() {
            let is_end = it == '\n' || text[here..].starts_with("\r\n");
            if is_end || left < it.len_utf16() {
                break;
            }
            left -= it.len_utf16();
            here += it.len_utf8();
        }
        Some(here)
    }
}

/// How many UTF-16 units a text takes.
pub(crate) fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16() {
        let text = "é😀x\r\n\"ü\"";
        let lines = Lines::of(text);
        let there_and_back = |at: usize, line: u64, character: u64| {
            let position = json!({ "line": line, "character": character });
            assert_eq!(lines.position(text, at), position);
            assert_eq!(lines.byte(text, &position), Some(at));
        };
        there_and_back(0, 0, 0);
        there_and_back(2, 0, 1);
        there_and_back(6, 0, 3);
        there_and_back(9, 1, 0);
        there_and_back(12, 1, 2);
    }

    #[test]
    fn long_lines_have_marks() {
        let text = format!("\n{}x\n", "é😀".repeat(2_000));
        let lines = Lines::of(&text);
        assert_eq!(lines.line_and_units(&text, text.len() - 2), (1, 6_000));
        assert_eq!(lines.byte(&text, &json!({ "line": 1, "character": 6_000 })), Some(text.len() - 2));
        assert_eq!(lines.line_and_units(&text, text.len()), (2, 0));
        assert_eq!(lines.byte(&text, &json!({ "line": 1, "character": 3_001 })), Some(1 + 6 * 1_000 + 2));
    }

    #[test]
    fn a_byte_order_mark_is_no_unit() {
        let text = "\u{feff}ab\nc";
        let lines = Lines::of(text);
        assert_eq!([0, 3, 4, 6].map(|it| lines.line_and_units(text, it)), [(0, 0), (0, 0), (0, 1), (1, 0)]);
        assert_eq!(lines.byte(text, &json!({ "line": 0, "character": 0 })), Some(3));
        assert_eq!(lines.byte(text, &json!({ "line": 1, "character": 1 })), Some(7));
        assert_eq!(Lines::of("\u{feff}").line_and_units("\u{feff}", 0), (0, 0));
    }

    #[test]
    fn positions_outside_are_moved_in() {
        let text = "ab\n";
        let lines = Lines::of(text);
        let byte = |line: u64, character: u64| lines.byte(text, &json!({ "line": line, "character": character }));
        assert_eq!((byte(0, 99), byte(1, 5), byte(7, 0)), (Some(2), Some(3), Some(3)));
        assert_eq!(lines.byte(text, &json!({ "line": -1, "character": 0 })), None);
        assert_eq!(Lines::of("😀").byte("😀", &json!({ "line": 0, "character": 1 })), Some(0));
    }
}
