//! Draws walls with their height: a shadow on the ground, a side towards the viewer, and a top. A
//! house of the town has a roof and windows.

use macroquad::color::Color;
use macroquad::math::vec2;
use macroquad::shapes::{draw_circle, draw_line, draw_rectangle, draw_triangle};
use pleach_arena::{Look, Point, Wall, World};
use pleach_example_arena::camera::{Area, Camera};

use crate::palette::{Light, alpha, mix, rgb};

/// The pixels per metre from which walls have a height.
const DETAIL: f32 = 4.0;
const ROOFS: [u32; 4] = [0xA8573F, 0x6F7F93, 0xB98445, 0x7A6A8A];

/// A wall and what it is made of.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) wall: Wall,
    look: Look,
    number: usize,
}

/// The walls that are on the screen, and a little around.
pub(crate) fn seen(world: &World, area: &Area) -> Vec<Shown> {
    let plan = world.heist().map(|it| it.plan());
    let near = |wall: &Wall| area.touches(wall.min.map(|v| v - 20.0), wall.max.map(|v| v + 20.0));
    let all = world.map().walls().iter().enumerate().filter(|it| near(it.1));
    all.map(|(number, wall)| Shown { wall: *wall, look: plan.map_or(Look::Stone, |it| it.look(number)), number })
        .collect()
}

/// How high a wall is on the screen, in pixels.
fn height(look: Look, scale: f32) -> f32 {
    let metres = match look {
        Look::Stone | Look::Door => 0.85,
        Look::Hedge => 0.55,
        Look::Pillar => 0.9,
        Look::House => 1.7,
    };
    if scale < DETAIL { 0.0 } else { metres * scale }
}

/// The shadows, which lie on the ground below everything that stands.
pub(crate) fn shadows(walls: &[Shown], camera: &Camera, light: &Light) {
    if camera.scale < DETAIL {
        return;
    }
    for it in walls {
        let high = height(it.look, camera.scale) * 0.8;
        let (a, b) = corners(it, camera);
        let color = light.shadow;
        // To the lower right, in one piece.
        quad([a[0], b[1]], [b[0], b[1]], [b[0] + high, b[1] + high * 0.6], [a[0] + high, b[1] + high * 0.6], color);
        quad([b[0], a[1]], [b[0] + high, a[1] + high * 0.6], [b[0] + high, b[1] + high * 0.6], b, color);
    }
}

fn corners(it: &Shown, camera: &Camera) -> (Point, Point) {
    (camera.to_screen(it.wall.min), camera.to_screen(it.wall.max))
}

fn quad(a: Point, b: Point, c: Point, d: Point, color: Color) {
    let [a, b, c, d] = [a, b, c, d].map(|it| vec2(it[0], it[1]));
    draw_triangle(a, b, c, color);
    draw_triangle(a, c, d, color);
}

/// One wall.
pub(crate) fn draw(it: &Shown, camera: &Camera, light: &Light) {
    let (a, b) = corners(it, camera);
    let (w, h) = ((b[0] - a[0]).max(1.0), (b[1] - a[1]).max(1.0));
    let high = height(it.look, camera.scale);
    let of = |day: u32, night: u32| mix(rgb(day), rgb(night), light.night);
    let (top, side) = match it.look {
        Look::Stone => (light.wall, light.wall_side),
        Look::Hedge => (of(0x5B8A48, 0x1F3B34), of(0x3C6233, 0x14292A)),
        Look::Pillar => (of(0xC4BDB0, 0x565C78), of(0x8B8478, 0x343A52)),
        Look::Door => (of(0xE0B04A, 0xB98A34), of(0xA97A28, 0x7A5A22)),
        Look::House => return house(it, a, b, high, light),
    };
    draw_rectangle(a[0], b[1] - high, w, high, side);
    draw_rectangle(a[0], a[1] - high, w, h, top);
    // The edge catches the light.
    draw_line(a[0], b[1] - high, b[0], b[1] - high, 1.0, mix(top, Color::new(1.0, 1.0, 1.0, 1.0), 0.25));
    match it.look {
        Look::Hedge if camera.scale >= 8.0 => leaves(a, b, high, side, camera.scale),
        Look::Pillar => torch(a, b, high, light, camera.scale),
        Look::Door => {
            let middle = [(a[0] + b[0]) / 2.0, b[1] - high * 0.45];
            draw_circle(middle[0], middle[1], camera.scale * 0.28, of(0x6E4E1A, 0x3E2C10));
        }
        _ => {}
    }
}

/// Dots on a hedge, always at the same places.
fn leaves(a: Point, b: Point, high: f32, color: Color, scale: f32) {
    let (w, h) = (b[0] - a[0], b[1] - a[1]);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some dozens")]
    let count = (w * h / (scale * scale) * 1.5).clamp(1.0, 90.0) as u32;
    for nth in 0..count {
        let (x, y) = ((nth as f32 * 0.618_034).fract(), (nth as f32 * 0.754_878).fract());
        draw_circle(a[0] + x * w, a[1] + y * h - high, scale * 0.16, alpha(color, 0.65));
    }
}

/// A flame on a pillar, which is bright at night.
fn torch(a: Point, b: Point, high: f32, light: &Light, scale: f32) {
    let (x, y) = ((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0 - high);
    let size = scale * 0.22;
    draw_circle(x, y, size * 1.5, alpha(rgb(0xFF9F43), 0.25 + 0.35 * light.night));
    draw_circle(x, y, size, rgb(0xFFD166));
}

/// A house: walls with windows and a hipped roof.
fn house(it: &Shown, a: Point, b: Point, high: f32, light: &Light) {
    let (w, h) = (b[0] - a[0], b[1] - a[1]);
    let roof = mix(rgb(ROOFS[it.number % ROOFS.len()]), rgb(0x20263C), light.night * 0.75);
    let shade = |by: f32| mix(roof, Color::new(0.0, 0.0, 0.0, 1.0), by);
    if high <= 0.0 {
        draw_rectangle(a[0], a[1], w.max(1.0), h.max(1.0), roof);
        return;
    }
    let plaster = mix(rgb(0xDCCDB0), rgb(0x3B4260), light.night);
    draw_rectangle(a[0], b[1] - high, w, high, plaster);
    // Some residents are at home at night.
    let step = high * 0.95;
    let mut x = a[0] + step * 0.5;
    let mut nth = it.number;
    while x + step * 0.5 < b[0] {
        let lit = light.night > 0.3 && !nth.is_multiple_of(3);
        let glass = if lit { rgb(0xFFD98A) } else { mix(rgb(0x5B6C80), rgb(0x1A2033), light.night) };
        draw_rectangle(x, b[1] - high * 0.7, step * 0.36, high * 0.4, glass);
        x += step;
        nth += 1;
    }
    let (top, low) = (a[1] - high, b[1] - high);
    let inset = (w.min(h) / 2.0) * 0.8;
    let (ridge_a, ridge_b) = ([a[0] + inset, f32::midpoint(top, low)], [b[0] - inset, f32::midpoint(top, low)]);
    quad([a[0], top], [b[0], top], ridge_b, ridge_a, shade(0.0));
    quad([a[0], low], ridge_a, ridge_b, [b[0], low], shade(0.28));
    quad([a[0], top], ridge_a, [a[0], low], [a[0], low], shade(0.12));
    quad([b[0], top], ridge_b, [b[0], low], [b[0], low], shade(0.20));
    draw_line(ridge_a[0], ridge_a[1], ridge_b[0], ridge_b[1], 2.0, shade(0.4));
}
