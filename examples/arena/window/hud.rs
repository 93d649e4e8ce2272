//! Draws the status, the legend, hints and the report about files.

use macroquad::shapes::{draw_circle, draw_rectangle, draw_rectangle_lines};
use pleach_arena::{DAY, NIGHT};
use pleach_example_arena::layout::{Layout, Rect};
use pleach_example_arena::pace::Pace;
use pleach_example_arena::panel::{Tone, wrapped};
use pleach_example_arena::sim::Sim;

use crate::actors::Counts;
use crate::palette;
use crate::text::Pen;

/// What is measured, as a mean of the last frames, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measures {
    pub(crate) frame: f64,
    pub(crate) perceive: f64,
    pub(crate) think: f64,
    pub(crate) world: f64,
    pub(crate) draw: f64,
    /// Agents ticked, asleep, and aborts, per step.
    pub(crate) ticked: f64,
    pub(crate) asleep: f64,
    pub(crate) aborts: f64,
    pub(crate) steps: u32,
    /// One in so many agents looks around in a step.
    pub(crate) shares: f64,
    /// In which part of the steps the budget was spent.
    pub(crate) held: f64,
    /// How many seconds have passed in the world.
    pub(crate) passed: f64,
}

impl Measures {
    /// Moves the means a little towards what this frame took.
    pub(crate) fn blend(&mut self, new: &Measures) {
        let part = 0.08;
        let blend = |old: &mut f64, new: f64| *old += (new - *old) * part;
        blend(&mut self.frame, new.frame);
        blend(&mut self.draw, new.draw);
        blend(&mut self.passed, new.passed);
        if new.steps > 0 {
            blend(&mut self.perceive, new.perceive);
            blend(&mut self.think, new.think);
            blend(&mut self.world, new.world);
            blend(&mut self.ticked, new.ticked);
            blend(&mut self.asleep, new.asleep);
            blend(&mut self.aborts, new.aborts);
            blend(&mut self.shares, new.shares);
            blend(&mut self.held, new.held);
        }
    }
}

/// What the status has to know beside the simulation.
pub(crate) struct Status<'a> {
    pub(crate) measures: &'a Measures,
    pub(crate) pace: &'a Pace,
    /// The budget of the agents in milliseconds, if there is one.
    pub(crate) budget: Option<f64>,
}

/// How many lines the status has.
pub(crate) const STATUS_LINES: usize = 10;

/// A box with an edge.
pub(crate) fn frame(it: Rect) -> Rect {
    draw_rectangle(it.x, it.y, it.w, it.h, palette::BOX);
    draw_rectangle_lines(it.x, it.y, it.w, it.h, 2.0, palette::EDGE);
    it
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let chars = digits.chars().enumerate();
    chars.flat_map(|(at, it)| comma(at).then_some(',').into_iter().chain([it])).collect()
}

pub(crate) fn status(pen: &Pen, layout: &Layout, sim: &Sim, status: &Status<'_>) {
    if layout.status.is_empty() {
        return;
    }
    let it = frame(layout.status);
    let Measures { frame, perceive, think, world, draw, ticked, asleep, aborts, passed, shares, held, .. } =
        *status.measures;
    let world_time = sim.world().time();
    let hour = world_time % (DAY + NIGHT);
    let (part, left) = if hour < DAY { ("day", DAY - hour) } else { ("night", DAY + NIGHT - hour) };
    let speed = status.pace.speed();
    // What the world really does of what was asked for.
    let real = passed * 1e3 / frame.max(0.1);
    let pace = match status.pace.paused {
        true => "paused".to_owned(),
        false if real < speed * 0.85 => format!("x{speed}, does x{real:.2}"),
        false => format!("x{speed}"),
    };
    let agents = sim.game().forest.len() as u64;
    // What is left of the frame: the graphics card, and the wait for the screen.
    let show = (frame - perceive - think - world - draw).max(0.0);
    // Which part of those that are awake had its turn.
    let turns = ticked / (agents as f64 - asleep).max(1.0);
    let held = status.budget.is_some() && (held > 0.3 || turns < 0.9 && !status.pace.paused);
    let turns = match status.budget {
        None => "no budget: B sets one".to_owned(),
        Some(budget) if turns < 0.5 && held => {
            format!("budget {budget:.0} ms: turns 1 in {:.0}", (1.0 / turns.max(0.001)).ceil())
        }
        Some(budget) if turns < 0.99 && !status.pace.paused => {
            format!("budget {budget:.0} ms: {:.0} % in time", turns * 100.0)
        }
        Some(budget) => format!("budget {budget:.0} ms: all in time"),
    };
    let share = if shares > 1.4 { format!("  1 in {shares:.0}") } else { String::new() };
    let lines = [
        (format!("{} agents", grouped(agents)), palette::ACCENT),
        (format!("{part}, {left:.0} s left"), palette::TEXT),
        (format!("speed {pace}"), palette::TEXT),
        (format!("{:3.0} fps   {frame:.1} ms", 1000.0 / frame.max(0.1)), palette::TEXT),
        (format!("see   {perceive:5.1} ms{share}"), palette::FAINT),
        (format!("think {think:5.1} ms  {aborts:.1} aborts"), if held { palette::ABORT } else { palette::GOOD }),
        (format!("world {world:5.1} ms  draw {draw:.1}"), palette::FAINT),
        (format!("show  {show:5.1} ms"), palette::FAINT),
        (format!("{ticked:.0} run, {asleep:.0} sleep"), palette::FAINT),
        (turns, if held { palette::ABORT } else { palette::FAINT }),
    ];
    let columns = pen.columns(it.w - 20.0, layout.text);
    for (at, (text, color)) in lines.iter().enumerate() {
        let text: String = text.chars().take(columns).collect();
        pen.write(&text, it.x + 10.0, it.y + 10.0 + at as f32 * layout.line, layout.text, *color);
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
    let rows = rows.chain([
        (palette::USER, "you".to_owned(), String::new()),
        (palette::PLAYER, "other players".to_owned(), String::new()),
    ]);
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
    let text: String = text.chars().take(columns).collect();
    let w = text.chars().count() as f32 * pen.advance(layout.text) + 20.0;
    let at = Rect { x: layout.hint.x + (layout.hint.w - w) / 2.0, w, ..layout.hint };
    draw_rectangle(at.x, at.y, at.w, at.h, palette::alpha(palette::BOX, 0.75));
    pen.write(&text, at.x + 10.0, at.y + 10.0, layout.text, color);
}

/// What is wrong with the files.
pub(crate) fn report(pen: &Pen, layout: &Layout, trouble: &[String]) {
    if layout.report.is_empty() || trouble.is_empty() {
        return;
    }
    let columns = pen.columns(layout.report.w - 24.0, layout.text);
    let mut lines = vec![vec![(Tone::Bad, "The trees cannot be taken over; the old ones go on.".to_owned())]];
    for problem in trouble {
        for (at, part) in problem.split("; ").enumerate() {
            let tone = if at == 0 { Tone::Plain } else { Tone::Faint };
            lines.extend(wrapped(&[(tone, part.to_owned())], columns));
        }
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
