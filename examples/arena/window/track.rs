//! Draws the time line of the chosen agent.

use macroquad::math::vec2;
use macroquad::shapes::{draw_line, draw_rectangle, draw_triangle};
use pleach::inspect::AgentView;
use pleach_arena::Arena;
use pleach_example_arena::layout::{Layout, Rect};
use pleach_example_arena::panel::{Tone, wrapped};
use pleach_example_arena::sim::Sim;
use pleach_example_arena::timeline::{Ended, SPAN};

use crate::hud::frame;
use crate::palette::{self, alpha};
use crate::text::Pen;

/// How many rows of leaves are shown.
pub(crate) const ROWS: usize = 8;
/// How many characters their names may have.
const NAMES: usize = 18;

/// Where the bars are.
fn bars(pen: &Pen, layout: &Layout) -> Rect {
    let it = layout.timeline;
    let left = (NAMES + 1) as f32 * pen.advance(layout.text) + 12.0;
    let y = it.y + 6.0 + layout.line;
    Rect { x: it.x + left, y, w: (it.w - left - 12.0).max(1.0), h: ROWS as f32 * layout.line }
}

/// The time at a place on the line.
pub(crate) fn time_at(pen: &Pen, layout: &Layout, sim: &Sim, x: f32) -> Option<f64> {
    let timeline = sim.timeline()?;
    let bars = bars(pen, layout);
    let part = f64::from(((x - bars.x) / bars.w).clamp(0.0, 1.0));
    let at = timeline.first() + part * SPAN;
    // The right end is now.
    (part < 0.998).then(|| at.max(timeline.since()))
}

pub(crate) fn draw(pen: &Pen, layout: &Layout, sim: &Sim, view: &AgentView<Arena>, scrubbed: Option<f64>) {
    let Some(timeline) = sim.timeline().filter(|_| !layout.timeline.is_empty()) else { return };
    let it = frame(layout.timeline);
    let (size, line, area) = (layout.text, layout.line, bars(pen, layout));
    let on = |time: f64| {
        let part = ((time - timeline.first()) / SPAN).clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
        {
            area.x + area.w * part as f32
        }
    };
    let all = timeline.rows(usize::MAX, |it| it.is_leaf);
    let title = match all.len().saturating_sub(ROWS) {
        0 => "the last minute".to_owned(),
        1 => "+1 more row".to_owned(),
        more => format!("+{more} more rows"),
    };
    let color = if all.len() > ROWS { palette::TEXT } else { palette::FAINT };
    pen.write(&title, it.x + 10.0, it.y + 4.0, size, color);
    for second in (0..=60_u8).step_by(10) {
        let x = on(timeline.now() - f64::from(second));
        draw_line(x, area.y, x, area.y + area.h, 1.0, alpha(palette::EDGE, 0.35));
        let label = if second == 0 { "now".to_owned() } else { format!("-{second}") };
        let w = label.len() as f32 * pen.advance(size);
        pen.write(&label, (x - w / 2.0).min(it.x + it.w - w - 4.0), it.y + 4.0, size, palette::FAINT);
    }
    let since = on(timeline.since());
    if timeline.since() > timeline.first() {
        draw_rectangle(area.x, area.y, since - area.x, area.h, alpha(palette::EDGE, 0.12));
    }
    for (at, number) in timeline.rows(ROWS, |it| it.is_leaf).into_iter().enumerate() {
        let y = area.y + at as f32 * line;
        let Some(row) = timeline.row(number) else { continue };
        // A node that the tree no longer has is grey.
        let color = row.node.map_or(palette::FAINT, |node| {
            let behaviour = sim.behaviour_of_node(node);
            palette::behaviour(behaviour.index(), sim.behaviours().name(behaviour))
        });
        let label: String = row.label.chars().take(NAMES).collect();
        let active = row.node.is_some_and(|it| view.is_active(it));
        pen.write(&label, it.x + 10.0, y, size, if active { palette::TEXT } else { palette::FAINT });
        for bar in timeline.bars().filter(|it| it.row == number) {
            let (from, to) = (on(bar.from), on(bar.to.map_or(timeline.now(), |it| it.0)));
            let width = (to - from).max(1.5);
            draw_rectangle(from, y + 2.0, width, line - 4.0, color);
            if let Some((_, Ended::Itself(pleach::Outcome::Failure))) = bar.to {
                draw_rectangle(to - 2.0, y + 2.0, 2.0, line - 4.0, palette::BAD);
            }
        }
    }
    for it in timeline.interruptions() {
        let x = on(it.time);
        draw_line(x, area.y - 3.0, x, area.y + area.h + 3.0, 2.0, palette::ABORT);
    }
    let legend = [
        (Tone::Abort, "orange line"),
        (Tone::Faint, ": an abort   "),
        (Tone::Bad, "red end"),
        (Tone::Faint, ": it failed   grey bar: no longer in the tree"),
    ];
    let legend = legend.map(|(tone, text)| (tone, text.to_owned()));
    let columns = pen.columns(it.w - 20.0, size);
    let y = area.y + area.h + 2.0;
    pen.pieces(&legend, it.x + 10.0, y, size, columns, 1.0);
    let y = y + line;
    if let Some(at) = scrubbed {
        let x = on(at);
        draw_line(x, area.y - 4.0, x, area.y + area.h + 4.0, 2.0, palette::TEXT);
        draw_triangle(vec2(x - 5.0, area.y - 9.0), vec2(x + 5.0, area.y - 9.0), vec2(x, area.y - 3.0), palette::TEXT);
    }
    let text = sim.under_timeline(view, scrubbed).unwrap_or_default();
    let tone = if scrubbed.is_some() { Tone::Plain } else { Tone::Faint };
    let mut lines = wrapped(&[(tone, text)], columns);
    // There is room for two lines: the second one is cut if it is still too long.
    let rest: Vec<_> = lines.drain(1..).flatten().collect();
    for (at, text) in lines.iter().chain([&rest]).enumerate() {
        pen.pieces(text, it.x + 10.0, y + at as f32 * line, size, columns, 1.0);
    }
}
