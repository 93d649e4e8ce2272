//! Draws bodies: a figure from above and a little from the front, facing where it goes.

use macroquad::color::Color;
use macroquad::math::vec2;
use macroquad::shapes::{draw_circle, draw_ellipse, draw_line, draw_poly, draw_triangle};
use pleach_arena::{ActorId, Point, ToEntity};

use crate::palette::{self, mix, rgb};

const SKIN: Color = rgb(0xE8C39E);
const CLOTHES: [u32; 6] = [0xA9B7C6, 0xC6B59B, 0x9FB59A, 0xBFA3B5, 0xD0C7AE, 0x93A5B8];

/// A body on the screen.
pub(crate) struct Body {
    pub(crate) at: Point,
    pub(crate) radius: f32,
    pub(crate) facing: Point,
    pub(crate) color: Color,
    pub(crate) strikes: bool,
    /// World time, for what swings.
    pub(crate) seconds: f64,
}

impl Body {
    fn dark(&self) -> Color {
        mix(self.color, Color::new(0.0, 0.0, 0.0, 1.0), 0.55)
    }

    /// A point, by its distances ahead, to the right and up, in radii.
    fn on(&self, ahead: f32, right: f32, up: f32) -> Point {
        let (r, [fx, fy]) = (self.radius, self.facing);
        [self.at[0] + (fx * ahead - fy * right) * r, self.at[1] + (fy * ahead + fx * right) * r * 0.85 - up * r]
    }

    fn disk(&self, on: Point, size: f32, color: Color) {
        draw_circle(on[0], on[1], self.radius * size, color);
    }

    /// The coat, with an edge.
    fn coat(&self, wide: f32) {
        let (r, [x, y]) = (self.radius, self.at);
        draw_ellipse(x, y, r * wide, r * wide * 0.9, 0.0, self.dark());
        draw_ellipse(x, y - r * 0.08, r * (wide - 0.18), r * (wide - 0.22) * 0.9, 0.0, self.color);
    }

    /// The head, and its cover.
    fn head(&self, cover: Color, size: f32) {
        let face = self.on(0.22, 0.0, 0.55);
        self.disk(self.on(0.0, 0.0, 0.62), size, cover);
        self.disk(face, size * 0.72, SKIN);
        let (a, b) = (self.on(0.55, -0.16, 0.55), self.on(0.55, 0.16, 0.55));
        [a, b].into_iter().for_each(|it| self.disk(it, 0.09, rgb(0x1B1B22)));
        let top = self.on(-0.12, 0.0, 0.85);
        self.disk(top, size * 0.8, cover);
    }

    /// A blade, which swings when it strikes.
    fn blade(&self, long: f32) {
        #[expect(clippy::cast_possible_truncation, reason = "a phase")]
        let swing = if self.strikes { (self.seconds * 9.0).sin() as f32 * 0.9 } else { 0.5 };
        let (hand, tip) = (self.on(0.5, 0.75, 0.2), self.on(0.5 + long, 0.75 - swing, 0.2));
        draw_line(hand[0], hand[1], tip[0], tip[1], (self.radius * 0.2).max(1.5), rgb(0xDDE3EC));
    }
}

/// The clothes of a civilian.
pub(crate) fn clothes(actor: ActorId) -> Color {
    let number = usize::try_from(actor.to_entity().to_bits() & 0xFFFF).unwrap_or(0);
    rgb(CLOTHES[number % CLOTHES.len()])
}

/// A guard: with a helmet and a blade.
pub(crate) fn guard(body: &Body) {
    nose(body);
    body.coat(1.05);
    body.blade(1.0);
    body.head(rgb(0x8793A6), 0.5);
}

/// A civilian: bare-headed or with a hat.
pub(crate) fn civilian(body: &Body) {
    body.coat(0.95);
    body.head(rgb(0x6B4B36), 0.46);
}

/// The boss: broad, with a crown.
pub(crate) fn boss(body: &Body) {
    nose(body);
    body.coat(1.2);
    body.blade(1.5);
    body.head(rgb(0x3D2B52), 0.45);
    let gold = rgb(0xFFD166);
    for at in [-0.3_f32, 0.0, 0.3] {
        let (x, y, r) = (body.at[0] + at * body.radius, body.at[1] - body.radius * 1.05, body.radius);
        draw_triangle(vec2(x - r * 0.16, y), vec2(x + r * 0.16, y), vec2(x, y - r * 0.42), gold);
    }
}

/// The user, or another player: in a hood.
pub(crate) fn thief(body: &Body) {
    nose(&Body { color: palette::TEXT, ..*body });
    body.coat(1.0);
    body.head(mix(body.color, rgb(0x10202E), 0.55), 0.52);
}

/// A fighter: square; a veteran has a core.
pub(crate) fn fighter(body: &Body, veteran: bool) {
    let ([x, y], r, dark) = (body.at, body.radius, body.dark());
    let turn = body.facing[1].atan2(body.facing[0]).to_degrees();
    nose(body);
    draw_poly(x, y, 4, r * 1.2, turn, dark);
    draw_poly(x, y, 4, r * 0.9, turn, body.color);
    if veteran {
        draw_poly(x, y, 4, r * 0.45, turn, dark);
    }
}

/// A rabbit.
pub(crate) fn rabbit(body: &Body) {
    let ([x, y], r, dark) = (body.at, body.radius, body.dark());
    let turn = body.facing[1].atan2(body.facing[0]);
    for side in [-0.5_f32, 0.5] {
        let (sin, cos) = (turn + side).sin_cos();
        draw_ellipse(x + cos * r * 1.3, y + sin * r * 1.3, r * 0.75, r * 0.3, turn.to_degrees(), dark);
    }
    draw_ellipse(x, y, r * 1.25, r * 0.95, turn.to_degrees(), dark);
    draw_ellipse(x, y, r, r * 0.72, turn.to_degrees(), body.color);
}

fn nose(body: &Body) {
    let ([x, y], r) = (body.at, body.radius);
    let (fx, fy) = (body.facing[0] * r, body.facing[1] * r);
    draw_triangle(
        vec2(x + fx * 1.55, y + fy * 1.55),
        vec2(x + fx * 0.5 - fy * 0.75, y + fy * 0.5 + fx * 0.75),
        vec2(x + fx * 0.5 + fy * 0.75, y + fy * 0.5 - fx * 0.75),
        body.dark(),
    );
}
