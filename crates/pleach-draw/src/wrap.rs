//! Breaks texts into lines between words.

/// Longer texts end with `…`, to keep a picture readable.
const MOST_LINES: usize = 40;

/// The lines of a text. `room` is the width of the first line and that of the others, `width` that
/// of a character. The first line is empty if nothing fits there; a word that is wider than a line
/// is broken.
pub(crate) fn wrap(text: &str, room: (f64, f64), width: &dyn Fn(char) -> f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0.0;
    let space = width(' ');
    for word in words(text, &|it| it.chars().map(width).sum::<f64>() <= room.1) {
        let wide: f64 = word.chars().map(width).sum();
        let limit = |lines: &[String]| if lines.len() == 1 { room.0 } else { room.1 };
        let before = if lines.last().is_some_and(|it| !it.is_empty()) { space } else { 0.0 };
        if used + before + wide <= limit(&lines) {
            push(&mut lines, if before > 0.0 { " " } else { "" }, word);
            used += before + wide;
            continue;
        }
        if before > 0.0 || lines.len() == 1 && room.0 < room.1 {
            lines.push(String::new());
            used = 0.0;
        }
        for it in word.chars() {
            // Each line takes at least one character, however narrow it is.
            if used + width(it) > limit(&lines) && used > 0.0 {
                lines.push(String::new());
                used = 0.0;
            }
            push(&mut lines, "", it.encode_utf8(&mut [0; 4]));
            used += width(it);
        }
    }
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && last.chars().map(width).sum::<f64>() + width('…') > room.1 {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// The words of a text. The name of a field stays with its value if they fit into a line.
fn words<'t>(text: &'t str, fits: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let mut all: Vec<std::ops::Range<usize>> = Vec::new();
    let mut end = 0;
    for word in text.split_whitespace() {
        let start = end + text[end..].find(word).unwrap_or(0);
        end = start + word.len();
        match all.last_mut().filter(|it| text[it.start..it.end].ends_with(':') && fits(&text[it.start..end])) {
            Some(last) => last.end = end,
            None => all.push(start..end),
        }
    }
    all.into_iter().map(|it| &text[it]).collect()
}

fn push(lines: &mut [String], before: &str, text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(before);
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, first: f64, rest: f64) -> Vec<String> {
        wrap(text, (first, rest), &|_| 1.0)
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(lines("target: \"enemy\", range: 2.5", 16.0, 16.0), ["target: \"enemy\",", "range: 2.5"]);
        assert_eq!(lines("a: 1, bc: 2", 8.0, 8.0), ["a: 1,", "bc: 2"]);
        assert_eq!(lines("ab cd", 1.0, 5.0), ["", "ab cd"]);
        assert_eq!(lines("", 5.0, 5.0), [""]);
    }

    #[test]
    fn long_words_are_broken_and_long_texts_end() {
        assert_eq!(lines("a bcdefgh", 4.0, 4.0), ["a", "bcde", "fgh"]);
        assert_eq!(lines("abcdef gh", 2.0, 3.0), ["", "abc", "def", "gh"]);
        let long = lines(&"word ".repeat(99), 4.0, 4.0);
        assert_eq!((long.len(), &*long[39]), (40, "wor…"));
        assert_eq!(lines("ab", 0.0, 0.0), ["a", "b"]);
    }
}
