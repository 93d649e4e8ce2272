//! Draws the status, the legend, hints and the report about files.

use macroquad::shapes::{draw_circle, draw_rectangle, draw_rectangle_lines};
use pleach_example_arena::layout::{Layout, Rect};
use pleach_example_arena::panel::{Tone, wrapped};
use pleach_example_arena::sim::{Scene, Sim};
use pleach_example_arena::status::{Mood, Status, grouped};

use crate::actors::Counts;
use crate::palette;
use crate::text::Pen;

/// A box with an edge.
pub(crate) fn frame(it: Rect) -> Rect {
    draw_rectangle(it.x, it.y, it.w, it.h, palette::BOX);
    draw_rectangle_lines(it.x, it.y, it.w, it.h, 2.0, palette::EDGE);
    it
}

pub(crate) fn status(pen: &Pen, layout: &Layout, sim: &Sim, status: &Status<'_>) {
    if layout.status.is_empty() {
        return;
    }
    let it = frame(layout.status);
    let world = sim.world().time();
    let lines = status.lines(sim.game().forest.len() as u64, world);
    let columns = pen.columns(it.w - 20.0, layout.text);
    for (at, (mood, text)) in lines.iter().enumerate() {
        let text: String = text.chars().take(columns).collect();
        let color = match mood {
            Mood::Title => palette::ACCENT,
            Mood::Plain => palette::TEXT,
            Mood::Faint => palette::FAINT,
            Mood::Good => palette::GOOD,
            Mood::Bad => palette::ABORT,
        };
        pen.write(&text, it.x + 10.0, it.y + 10.0 + at as f32 * layout.line, layout.text, color);
    }
}

pub(crate) fn legend(pen: &Pen, layout: &Layout, sim: &Sim, counts: &Counts) {
    if layout.legend.is_empty() {
        return;
    }
    let it = frame(layout.legend);
    let rows = counts.iter().map(|(behaviour, count)| {
        let name = sim.behaviours().name(*behaviour);
        (palette::behaviour(behaviour.index(), name), name.to_owned(), grouped(*count as u64))
    });
    let people = [(palette::USER, "you"), (palette::PLAYER, "other players")];
    // A thief works alone.
    let people = people.into_iter().take(if sim.scene() == Scene::Heist { 1 } else { 2 });
    let rows = rows.chain(people.map(|(color, name)| (color, name.to_owned(), String::new())));
    let columns = pen.columns(it.w - 40.0, layout.text);
    pen.write("on the screen", it.x + 10.0, it.y + 10.0, layout.text, palette::FAINT);
    for (at, (color, name, count)) in rows.enumerate() {
        let y = it.y + 10.0 + (at + 1) as f32 * layout.line;
        if y + layout.line > it.y + it.h {
            return;
        }
        draw_circle(it.x + 17.0, y + layout.text * 0.55, layout.text * 0.36, color);
        let room = columns.saturating_sub(count.len() + 1);
        let name: String = name.chars().take(room).collect();
        pen.write(&name, it.x + 30.0, y, layout.text, palette::TEXT);
        let right = it.x + it.w - 10.0 - count.len() as f32 * pen.advance(layout.text);
        pen.write(&count, right, y, layout.text, palette::FAINT);
    }
}

pub(crate) fn hint(pen: &Pen, layout: &Layout, text: &str, color: macroquad::color::Color) {
    if layout.hint.is_empty() || text.is_empty() {
        return;
    }
    let columns = pen.columns(layout.hint.w - 20.0, layout.text);
    let lines = wrapped(&[(Tone::Plain, text.to_owned())], columns);
    let lines: Vec<String> = lines.iter().map(|it| it.iter().map(|it| &*it.1).collect()).collect();
    let longest = lines.iter().map(|it| it.trim_end().chars().count()).max().unwrap_or(0);
    let w = longest as f32 * pen.advance(layout.text) + 20.0;
    // Lines that are too long move up, away from the time line.
    let more = lines.len().saturating_sub(1) as f32 * layout.line;
    let (x, y) = (layout.hint.x + (layout.hint.w - w) / 2.0, layout.hint.y - more);
    draw_rectangle(x, y, w, layout.hint.h + more, palette::alpha(palette::BOX, 0.75));
    for (at, text) in lines.iter().enumerate() {
        pen.write(text, x + 10.0, y + 10.0 + at as f32 * layout.line, layout.text, color);
    }
}

/// The problems of the files.
pub(crate) fn report(pen: &Pen, layout: &Layout, trouble: &[String]) {
    if layout.report.is_empty() || trouble.is_empty() {
        return;
    }
    let columns = pen.columns(layout.report.w - 24.0, layout.text);
    let mut lines = vec![vec![(Tone::Bad, "Rejected; the old trees keep running.".to_owned())]];
    for problem in trouble {
        let mut parts = problem.lines();
        for (at, part) in parts.next().unwrap_or_default().split("; ").enumerate() {
            let tone = if at == 0 { Tone::Plain } else { Tone::Faint };
            lines.extend(wrapped(&[(tone, part.to_owned())], columns));
        }
        // The caret has to stay below its source line, so they are not wrapped.
        lines.extend(parts.map(|it| vec![(Tone::Value, format!("  {it}"))]));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen")]
    let most = ((layout.report.h - 20.0) / layout.line).floor().max(1.0) as usize;
    if lines.len() > most {
        let more = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(vec![(Tone::Faint, format!("... and {more} more lines"))]);
    }
    let it = Rect { h: lines.len() as f32 * layout.line + 20.0, ..layout.report };
    draw_rectangle(it.x, it.y, it.w, it.h, palette::rgb(0x3A141C));
    draw_rectangle_lines(it.x, it.y, it.w, it.h, 4.0, palette::BAD);
    for (at, line) in lines.iter().enumerate() {
        pen.pieces(line, it.x + 12.0, it.y + 10.0 + at as f32 * layout.line, layout.text, columns, 1.0);
    }
}
