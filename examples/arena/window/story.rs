//! Draws what a heist tells the user: the objective, lives and coins, hints, the end.

use macroquad::color::Color;
use macroquad::math::vec2;
use macroquad::shapes::{draw_circle, draw_circle_lines, draw_rectangle, draw_rectangle_lines, draw_triangle};
use pleach_arena::Heist;
use pleach_example_arena::camera::Camera;
use pleach_example_arena::guide::{self, Learned};
use pleach_example_arena::layout::{Layout, Rect};
use pleach_example_arena::sim::Sim;

use crate::hud::frame;
use crate::palette::{self, alpha};
use crate::text::Pen;

/// How many lines the objective has, with its hint.
pub(crate) const LINES: usize = 3;

/// The goal on the ground, or an arrow to it at the edge of the free part of the screen.
pub(crate) fn goal(sim: &Sim, camera: &Camera, layout: &Layout) {
    let Some(goal) = sim.world().heist().and_then(guide::goal) else { return };
    let at = camera.to_screen(goal);
    #[expect(clippy::cast_possible_truncation, reason = "a phase")]
    let pulse = ((sim.world().time() * 2.5).sin() as f32).abs();
    let free = free(layout, camera);
    let (middle, half) = ([free.x + free.w / 2.0, free.y + free.h / 2.0], [free.w / 2.0 - 30.0, free.h / 2.0 - 30.0]);
    let d = [at[0] - middle[0], at[1] - middle[1]];
    let out = (d[0].abs() / half[0].max(1.0)).max(d[1].abs() / half[1].max(1.0));
    if out <= 1.0 {
        draw_circle_lines(at[0], at[1], camera.scale * (0.9 + pulse * 0.5), 2.5, palette::ACCENT);
        let y = at[1] - camera.scale * (1.5 + pulse * 0.4);
        draw_triangle(vec2(at[0] - 8.0, y - 12.0), vec2(at[0] + 8.0, y - 12.0), vec2(at[0], y), palette::ACCENT);
        return;
    }
    let on = [middle[0] + d[0] / out, middle[1] + d[1] / out];
    let far = d[0].hypot(d[1]).max(1.0);
    let (fx, fy) = (d[0] / far * 16.0, d[1] / far * 16.0);
    draw_circle(on[0], on[1], 20.0, palette::BOX);
    draw_triangle(
        vec2(on[0] + fx, on[1] + fy),
        vec2(on[0] - fx * 0.5 - fy * 0.7, on[1] - fy * 0.5 + fx * 0.7),
        vec2(on[0] - fx * 0.5 + fy * 0.7, on[1] - fy * 0.5 - fx * 0.7),
        palette::ACCENT,
    );
}

/// The area without panels.
fn free(layout: &Layout, camera: &Camera) -> Rect {
    let [w, h] = camera.screen;
    let right = if layout.panel.is_empty() { w } else { layout.panel.x };
    let low = if layout.timeline.is_empty() { h } else { layout.timeline.y };
    let top = layout.objective.y + layout.objective.h;
    Rect { x: 0.0, y: top, w: right, h: (low - top).max(1.0) }
}

/// The objective, the state, and a hint.
pub(crate) fn objective(pen: &Pen, layout: &Layout, sim: &Sim, learned: &Learned) {
    let world = sim.world();
    let Some(heist) = world.heist().filter(|_| !layout.objective.is_empty()) else { return };
    let it = layout.objective;
    let (size, line) = (layout.text, layout.line);
    let large = size + 5.0;
    let columns = pen.columns(it.w - 24.0, size);
    let what = guide::objective(heist);
    let (clock, score) = (guide::clock(heist.seconds(world.time())), heist.score(world.time()).total());
    let status = format!("{clock}   {score} points   coins {}   lives", heist.coins());
    let hint: String = learned.hint(world).unwrap_or_default().chars().take(columns).collect();
    let hearts = 3.0 * size * 1.3;
    let widths = [
        what.chars().count() as f32 * pen.advance(large),
        status.chars().count() as f32 * pen.advance(size) + hearts + 8.0,
        hint.chars().count() as f32 * pen.advance(size),
    ];
    let w = (widths.into_iter().fold(0.0, f32::max) + 32.0).min(it.w);
    let rows = if hint.is_empty() { 2.0 } else { 3.0 };
    let it = Rect { x: it.x + (it.w - w) / 2.0, w, h: rows * line + 22.0, ..it };
    let seen = heist.is_seen();
    frame(it);
    if seen {
        draw_rectangle_lines(it.x, it.y, it.w, it.h, 6.0, palette::BAD);
    }
    let centred = |width: f32| it.x + (it.w - width) / 2.0;
    pen.write(what, centred(widths[0]), it.y + 7.0, large, palette::ACCENT);
    let (x, y) = (centred(widths[1]), it.y + 9.0 + line * 1.15);
    let end = x + pen.write(&status, x, y, size, palette::TEXT) + 8.0;
    for life in 0..3_u8 {
        let color = if life < heist.lives() { palette::BAD } else { alpha(palette::FAINT, 0.5) };
        heart(end + f32::from(life) * size * 1.3 + size * 0.5, y + size * 0.5, size * 0.5, color);
    }
    let color = if seen { palette::BAD } else { palette::FAINT };
    pen.write(&hint, centred(widths[2]), it.y + 9.0 + line * 2.15, size, color);
}

fn heart(x: f32, y: f32, r: f32, color: Color) {
    draw_circle(x - r * 0.5, y - r * 0.25, r * 0.55, color);
    draw_circle(x + r * 0.5, y - r * 0.25, r * 0.55, color);
    draw_triangle(vec2(x - r, y), vec2(x + r, y), vec2(x, y + r * 1.1), color);
}

/// The possible action, over the thief's head; and the lock, while it is picked.
pub(crate) fn prompt(pen: &Pen, layout: &Layout, sim: &Sim, camera: &Camera) {
    let world = sim.world();
    let (Some(heist), Some(text)) = (world.heist(), guide::prompt(world)) else { return };
    let (at, size) = (camera.to_screen(sim.user_at()), layout.text + 2.0);
    let w = text.chars().count() as f32 * pen.advance(size);
    let (x, y) = (at[0] - w / 2.0, at[1] + camera.scale * 1.6);
    draw_rectangle(x - 8.0, y - 4.0, w + 16.0, size * 1.7, palette::BOX);
    pen.write(text, x, y, size, palette::ACCENT);
    if let Some(part) = heist.lock().filter(|it| *it > 0.0) {
        draw_rectangle(x - 8.0, y + size * 1.5, (w + 16.0) * part, 4.0, palette::GOOD);
    }
}

/// The edge of the screen is red while the thief bleeds.
pub(crate) fn wounds(sim: &Sim, camera: &Camera) {
    let world = sim.world();
    let Some(heist) = world.heist() else { return };
    let at = sim.user_at();
    let hit = heist.blows().iter().any(|it| (it.to[0] - at[0]).hypot(it.to[1] - at[1]) < 0.8);
    if hit {
        let [w, h] = camera.screen;
        draw_rectangle_lines(0.0, 0.0, w, h, 18.0, alpha(palette::BAD, 0.55));
    }
}

/// How it ended.
pub(crate) fn ending(pen: &Pen, layout: &Layout, sim: &Sim, camera: &Camera) {
    let Some(lines) = guide::ending(sim.world()) else { return };
    let [w, h] = camera.screen;
    draw_rectangle(0.0, 0.0, w, h, alpha(palette::BOX, 0.55));
    let (size, title) = (layout.text + 2.0, layout.text * 2.0);
    let line = (size * 1.4).round();
    let wide = (40.0 * pen.advance(size) + 40.0).min(w);
    let high = lines.len() as f32 * line + title + 30.0;
    let it = frame(Rect { x: (w - wide) / 2.0, y: ((h - high) / 2.0).max(0.0), w: wide, h: high });
    for (at, (tone, text)) in lines.iter().enumerate() {
        let size = if at == 0 { title } else { size };
        let y = it.y + 14.0 + at as f32 * line + if at == 0 { 0.0 } else { title * 0.7 };
        let w = text.chars().count() as f32 * pen.advance(size);
        pen.write(text, it.x + (it.w - w) / 2.0, y, size, palette::tone(*tone));
    }
}

/// Whether a heist is won or lost.
pub(crate) fn is_over(sim: &Sim) -> bool {
    sim.world().heist().is_some_and(Heist::is_over)
}
