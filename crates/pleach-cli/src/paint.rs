//! Colours. They are always written as ANSI codes. `anstream` removes them where the output is not
//! a terminal.

use std::fmt::Write;

use clap::builder::styling::{AnsiColor, Reset, Style};
use pleach_draw::{Line, Role, State};
use unicode_width::UnicodeWidthChar;

pub(crate) const RESET: Reset = Reset;
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const BAR: Style = AnsiColor::Cyan.on_default();
pub(crate) const ABORT: Style = AnsiColor::Magenta.on_default();
pub(crate) const VALUE: Style = AnsiColor::Yellow.on_default();
pub(crate) const REMEMBERED: Style = AnsiColor::Blue.on_default();

/// A line in parts, each with its style.
pub(crate) type Parts = Vec<(Style, String)>;

/// A node's line of a drawing.
pub(crate) fn parts(line: &Line) -> Parts {
    line.spans.iter().map(|(role, text)| (style(*role, line.state), text.clone())).collect()
}

fn style(role: Role, state: State) -> Style {
    match (role, state) {
        (Role::Marker | Role::Kind, State::Active) => AnsiColor::Green.on_default(),
        (Role::Marker | Role::Kind | Role::Detail, State::Top) => GOOD,
        (Role::Name, State::Active | State::Top) => GOOD,
        (Role::Branch | Role::Note | Role::Marker | Role::Hidden | Role::Counts, _) => FAINT,
        (Role::Border | Role::Instance | Role::Place, _) => ABORT,
        (Role::Kind, State::Idle) => Style::new(),
        (Role::Name, State::Idle) => STRONG,
        (Role::Detail, _) => VALUE,
        (Role::Abort, _) => ABORT,
        (Role::Services, _) => AnsiColor::Cyan.on_default(),
        (Role::Monitor, _) => REMEMBERED,
        (Role::LastAbort, _) => ABORT.bold(),
    }
}

/// The parts as one string, with their styles.
pub(crate) fn painted(parts: &[(Style, String)]) -> String {
    let mut out = String::new();
    for (style, text) in parts {
        paint(&mut out, *style, text);
    }
    out
}

/// As [`painted`], cut to at most `columns` columns, and without styles if `plain`.
pub(crate) fn fitted(parts: &[(Style, String)], columns: usize, plain: bool) -> String {
    let mut out = String::new();
    let mut left = columns;
    for (style, text) in parts {
        let mut kept = String::new();
        let mut full = false;
        for it in text.chars() {
            let width = it.width().unwrap_or(0);
            full = width > left;
            if full {
                break;
            }
            left -= width;
            kept.push(it);
        }
        paint(&mut out, if plain { Style::new() } else { *style }, &kept);
        if full {
            break;
        }
    }
    out
}

fn paint(out: &mut String, style: Style, text: &str) {
    if style.is_plain() {
        out.push_str(text);
    } else {
        write!(out, "{style}{text}{RESET}").expect("a string takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_columns() {
        let parts = vec![(STRONG, "ab".to_string()), (Style::new(), "木c".to_string())];
        assert_eq!(fitted(&parts, 9, true), "ab木c");
        assert_eq!(fitted(&parts, 4, true), "ab木");
        assert_eq!(fitted(&parts, 3, true), "ab");
        assert_eq!(fitted(&parts, 0, true), "");
        assert_eq!(fitted(&parts, 1, false), format!("{STRONG}a{RESET}"));
        assert_eq!(painted(&parts), format!("{STRONG}ab{RESET}木c"));
    }
}
