//! Draws the panel of the chosen agent.

use std::borrow::Cow;

use macroquad::math::vec2;
use macroquad::shapes::{draw_rectangle, draw_triangle};
use pleach::draw::State;
use pleach_example_arena::layout::Layout;
use pleach_example_arena::panel::{Fold, Panel, Piece, Row, Tone, wrapped};

use crate::hud::frame;
use crate::palette;
use crate::text::Pen;

/// How many characters the names beside scores may have.
const SCORE_NAMES: usize = 12;

/// A line as it is drawn.
enum Shown<'a> {
    Heading(&'a str),
    Node(State, &'a [Piece], usize),
    Score { label: &'a str, score: &'a str, bar: f32, runs: bool },
    Text(Vec<Piece>),
    Gap,
}

/// The lines of the rows. With `folded`, hides what is below inactive nodes.
fn lines(panel: &Panel, columns: usize, folded: bool) -> Vec<Shown<'_>> {
    let mut lines = Vec::new();
    for row in &panel.rows {
        match row {
            Row::Heading(text) => lines.extend([Shown::Gap, Shown::Heading(text)]),
            Row::Node { fold: Fold::Hidden, .. } if folded => {}
            Row::Node { state, text, fold, .. } => {
                let below = if let (Fold::Over(below), true) = (fold, folded) { *below } else { 0 };
                lines.push(Shown::Node(*state, text, below));
            }
            Row::Score { label, score, bar, runs } => {
                lines.push(Shown::Score { label, score, bar: *bar, runs: *runs });
            }
            Row::Text(text) => lines.extend(wrapped(text, columns.saturating_sub(1)).into_iter().map(Shown::Text)),
        }
    }
    lines
}

/// What the panel drew.
#[derive(Default)]
pub(crate) struct Drawn {
    /// The line from which it was drawn.
    pub(crate) first: usize,
    /// The last line from which it may be drawn.
    pub(crate) last: usize,
    pub(crate) height: f32,
}

/// Draws it from that line on; without one, so that the running node is in its middle. If it does
/// not fit and `whole` is false, inactive branches are folded.
pub(crate) fn draw(pen: &Pen, layout: &Layout, panel: &Panel, scroll: Option<usize>, whole: bool) -> Drawn {
    if layout.panel.is_empty() {
        return Drawn::default();
    }
    let mut it = layout.panel;
    let (size, line, x) = (layout.text, layout.line, it.x + 12.0);
    let columns = pen.columns(it.w - 24.0, size);
    let top = it.y + 12.0 + line * 2.6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen")]
    let room = ((it.y + it.h - 8.0 - top) / line).floor().max(0.0) as usize;
    let mut lines = lines(panel, columns, false);
    if !whole && lines.len() > room {
        lines = self::lines(panel, columns, true);
    }
    let last = lines.len().saturating_sub(room);
    // It is as high as its content.
    it.h = it.h.min(top - it.y + lines.len() as f32 * line + 10.0);
    frame(it);
    pen.write(&panel.title, x, it.y + 8.0, size + 4.0, palette::TEXT);
    pen.pieces(&panel.subtitle, x, it.y + 10.0 + line * 1.3, size, columns, 1.0);
    let runs = lines.iter().position(|it| matches!(it, Shown::Node(State::Top, ..)));
    let first = scroll.unwrap_or_else(|| runs.unwrap_or(0).saturating_sub(room / 2)).min(last);
    for (at, shown) in lines.iter().skip(first).take(room).enumerate() {
        let y = top + at as f32 * line;
        match shown {
            Shown::Gap => {}
            Shown::Heading(text) => {
                draw_rectangle(x, y + line - 2.0, it.w - 24.0, 1.0, palette::EDGE);
                pen.write(text, x, y - 1.0, size, palette::FAINT);
            }
            Shown::Node(state, text, below) => {
                let fade = match state {
                    State::Idle => 0.55,
                    State::Active | State::Top => 1.0,
                };
                if *state != State::Idle {
                    let strong = if *state == State::Top { 0.34 } else { 0.13 };
                    draw_rectangle(it.x + 3.0, y - 1.0, it.w - 6.0, line, palette::alpha(palette::GOOD, strong));
                }
                if *state == State::Top {
                    let (left, middle) = (it.x + 5.0, y + line / 2.0 - 1.0);
                    draw_triangle(
                        vec2(left, middle - 4.0),
                        vec2(left, middle + 4.0),
                        vec2(left + 6.0, middle),
                        palette::GOOD,
                    );
                }
                let mut text = Cow::Borrowed(*text);
                if *below > 0 {
                    text.to_mut().push((Tone::Faint, format!("  +{below}")));
                }
                pen.pieces(&text, x + 3.0, y, size, columns.saturating_sub(1), fade);
            }
            Shown::Score { label, score, bar, runs } => {
                let advance = pen.advance(size);
                let label: String = label.chars().take(SCORE_NAMES).collect();
                let color = if *runs { palette::GOOD } else { palette::FAINT };
                pen.write(&label, x + 3.0, y, size, if *runs { palette::TEXT } else { palette::FAINT });
                pen.write(score, x + 3.0 + SCORE_NAMES as f32 * advance, y, size, palette::ACCENT);
                let left = x + 3.0 + (SCORE_NAMES as f32 + 6.0) * advance;
                let w = (it.x + it.w - 16.0 - left).max(0.0);
                draw_rectangle(left, y + 3.0, w, line - 7.0, palette::alpha(palette::EDGE, 0.18));
                draw_rectangle(left, y + 3.0, w * bar.clamp(0.0, 1.0), line - 7.0, palette::alpha(color, 0.85));
            }
            Shown::Text(text) => pen.pieces(text, x + 3.0, y, size, columns.saturating_sub(1), 1.0),
        }
    }
    if last > 0 {
        // A scroll bar.
        let (all, height) = (lines.len() as f32, it.y + it.h - 8.0 - top);
        let bar = (room as f32 / all * height).max(12.0);
        let y = top + (height - bar) * first as f32 / last as f32;
        draw_rectangle(it.x + it.w - 6.0, y, 3.0, bar, palette::EDGE);
    }
    if first < last {
        let more = lines.len() - first - room;
        let more = format!("{more} more line{}", if more == 1 { "" } else { "s" });
        let w = more.len() as f32 * pen.advance(size) + 12.0;
        let (x, y) = (it.x + it.w - w - 10.0, it.y + it.h - line - 4.0);
        draw_rectangle(x, y, w, line, palette::BOX);
        pen.pieces(&[(Tone::Faint, more)], x + 6.0, y, size, columns, 1.0);
    }
    Drawn { first, last, height: it.h }
}
