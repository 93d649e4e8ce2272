//! Draws what lies on the ground of an estate: the floor of the house, the street, hiding places,
//! loot, the cart; and the light of torches.

use macroquad::color::Color;
use macroquad::models::{Mesh, Vertex, draw_mesh};
use macroquad::shapes::{draw_circle, draw_circle_lines, draw_ellipse, draw_line, draw_rectangle};
use pleach_arena::{Heist, Look, Point, World};
use pleach_example_arena::camera::Camera;

use crate::ground;
use crate::palette::{Light, alpha, mix, rgb};

/// How far a torch lights the floor, in metres.
const TORCH: f32 = 5.5;

/// The colour of the streets.
pub(crate) fn street(light: &Light) -> Color {
    mix(rgb(0x958A78), rgb(0x252A3E), light.night)
}

/// The stones of the streets of the town, and a lawn around each house.
pub(crate) fn town(world: &World, camera: &Camera, light: &Light) {
    let Some(plan) = world.heist().map(Heist::plan) else { return };
    let of = |day: u32, night: u32| mix(rgb(day), rgb(night), light.night);
    let area = camera.area();
    let fill = |low: Point, high: Point, color: Color| {
        let (a, b) = (camera.to_screen(low), camera.to_screen(high));
        draw_rectangle(a[0], a[1], b[0] - a[0], b[1] - a[1], color);
    };
    if camera.scale >= 10.0 {
        cobbles(camera, light, world.map().side());
    }
    let lawn = of(0x667A50, 0x16202C);
    for (number, wall) in world.map().walls().iter().enumerate() {
        let (low, high) = (wall.min.map(|it| it - 1.2), wall.max.map(|it| it + 1.2));
        if plan.look(number) == Look::House && area.touches(low, high) {
            fill(low, high, lawn);
        }
    }
    let [low, high] = plan.corners;
    let (low, high) = ([low[0] + 3.0, low[1] + 2.0], [high[0] - 3.0, high[1] - 6.0]);
    fill(low, high, of(0x5F7A4A, 0x14202A));
    ground::tufts(camera, light, low, high);
}

/// Stones of a street, always at the same places.
fn cobbles(camera: &Camera, light: &Light, side: Point) {
    let area = camera.area();
    let color = alpha(mix(rgb(0x7F7566), rgb(0x1F2435), light.night), 0.7);
    let size = camera.scale * 0.42;
    let mut y = (area.min[1].max(0.0) / 1.5).floor() * 1.5;
    while y < area.max[1].min(side[1]) {
        let mut x = (area.min[0].max(0.0) / 1.5).floor() * 1.5;
        while x < area.max[0].min(side[0]) {
            // Digits of a number that varies wildly with the place.
            let jump = ((x * 12.989_8 + y * 78.233).sin() * 43_758.547).fract().abs();
            if jump < 0.25 {
                let at = camera.to_screen([x + jump * 4.0, y]);
                draw_rectangle(at[0], at[1], size, size * 0.6, color);
            }
            x += 1.5;
        }
        y += 1.5;
    }
}

/// The floors and the street.
pub(crate) fn ground(world: &World, camera: &Camera, light: &Light) {
    let Some(plan) = world.heist().map(Heist::plan) else { return };
    let of = |day: u32, night: u32| mix(rgb(day), rgb(night), light.night);
    let fill = |low: Point, high: Point, color: Color| {
        let (a, b) = (camera.to_screen(low), camera.to_screen(high));
        draw_rectangle(a[0], a[1], b[0] - a[0], b[1] - a[1], color);
    };
    let [_, high] = plan.corners;
    // A path leads to the front door.
    let [floor_low, floor_high] = plan.floor;
    let door = plan.lock[0];
    fill([door - 1.6, floor_high[1]], [door + 1.6, high[1] - 6.0], of(0x8C8A73, 0x222941));
    fill(floor_low, floor_high, of(0x7B5A41, 0x2C2433));
    if camera.scale >= 8.0 {
        let board = alpha(of(0x5F4431, 0x211B29), 0.8);
        let mut y = floor_low[1] + 1.0;
        while y < floor_high[1] {
            let (a, b) = (camera.to_screen([floor_low[0], y]), camera.to_screen([floor_high[0], y]));
            draw_line(a[0], a[1], b[0], b[1], 1.0, board);
            y += 1.0;
        }
    }
    // The vault has a floor of its own.
    let vault = [[plan.lock[0] - 6.0, floor_low[1]], [plan.lock[0] + 6.0, plan.lock[1]]];
    fill(vault[0], vault[1], of(0x4C5A6B, 0x1D2740));
    // By day a torch lights nothing.
    for pillar in world.map().walls().iter().enumerate().filter(|it| plan.look(it.0) == Look::Pillar) {
        if light.night < 0.05 {
            break;
        }
        let wall = pillar.1;
        let middle = [0, 1].map(|axis| f32::midpoint(wall.min[axis], wall.max[axis]));
        glow(camera, middle, TORCH, alpha(rgb(0xFFB454), 0.35 * light.night));
    }
    glow(camera, plan.treasure, 4.5, alpha(rgb(0xFFE08A), 0.28));
}

/// A round light that fades outward.
fn glow(camera: &Camera, at: Point, reach: f32, color: Color) {
    let area = camera.area();
    if !area.holds(at, reach) {
        return;
    }
    let vertex = |at: Point, color| {
        let at = camera.to_screen(at);
        Vertex::new(at[0], at[1], 0.0, 0.0, 0.0, color)
    };
    let mut vertices = vec![vertex(at, color)];
    let rim = alpha(color, 0.0);
    vertices.extend((0..=24_u8).map(|it| {
        let (sin, cos) = (f32::from(it) * std::f32::consts::TAU / 24.0).sin_cos();
        vertex([at[0] + cos * reach, at[1] + sin * reach], rim)
    }));
    draw_mesh(&Mesh { vertices, indices: (1..25).flat_map(|it| [0, it, it + 1]).collect(), texture: None });
}

/// The remaining loot, and the cart.
pub(crate) fn things(world: &World, camera: &Camera, light: &Light) {
    let Some(heist) = world.heist() else { return };
    let of = |day: u32, night: u32| mix(rgb(day), rgb(night), light.night);
    let scale = camera.scale;
    let exit = camera.to_screen(heist.plan().exit);
    draw_circle_lines(exit[0], exit[1], scale * 2.5, 2.0, alpha(rgb(0x4CC9F0), 0.7));
    let (w, h) = (scale * 2.6, scale * 1.2);
    let (x, y) = (exit[0] - w / 2.0, exit[1] + scale * 0.7);
    draw_rectangle(x, y, w, h, of(0x6B4A2B, 0x3A2A24));
    draw_rectangle(x, y - scale * 0.5, w, scale * 0.7, of(0xC8B48A, 0x565068));
    for wheel in [0.2, 0.8] {
        draw_circle(x + w * wheel, y + h, scale * 0.35, of(0x2E2118, 0x15131A));
    }
    #[expect(clippy::cast_possible_truncation, reason = "a phase")]
    let pulse = ((world.time() * 3.0).sin() as f32).abs();
    for loot in heist.loot().iter().filter(|it| !it.taken) {
        let at = camera.to_screen(loot.at);
        draw_rectangle(at[0] - scale * 0.4, at[1] - scale * 0.2, scale * 0.8, scale * 0.6, of(0x8C8478, 0x474C66));
        if loot.is_treasure {
            draw_ellipse(at[0], at[1] - scale * 0.55, scale * 0.42, scale * 0.36, 0.0, rgb(0xFFD166));
            draw_circle(at[0], at[1] - scale * 0.6, scale * 0.14, rgb(0xEF476F));
            draw_circle_lines(at[0], at[1] - scale * 0.3, scale * (0.8 + pulse * 0.3), 2.0, alpha(rgb(0xFFE9A8), 0.8));
        } else {
            draw_rectangle(at[0] - scale * 0.3, at[1] - scale * 0.75, scale * 0.6, scale * 0.6, rgb(0xE0B04A));
            draw_rectangle(at[0] - scale * 0.2, at[1] - scale * 0.65, scale * 0.4, scale * 0.4, rgb(0x3E6C8F));
        }
    }
}

/// A hiding place: a bush in the open, a dark niche in the house. Those who hide show through it.
pub(crate) fn hide(world: &World, camera: &Camera, light: &Light, at: Point) {
    let Some(heist) = world.heist() else { return };
    let of = |day: u32, night: u32| mix(rgb(day), rgb(night), light.night);
    let [low, high] = heist.plan().floor;
    let indoors = (0..2).all(|axis| at[axis] > low[axis] && at[axis] < high[axis]);
    let used = world.is_hidden(heist.thief())
        && world.position(heist.thief()).is_some_and(|it| (it[0] - at[0]).hypot(it[1] - at[1]) < 1.2);
    let (on, scale) = (camera.to_screen(at), camera.scale);
    let solid = if used { 0.45 } else { 0.95 };
    if indoors {
        draw_ellipse(on[0], on[1], scale * 0.95, scale * 0.75, 0.0, alpha(of(0x2A1E18, 0x0F0D16), 0.75));
        draw_rectangle(
            on[0] - scale * 0.8,
            on[1] - scale * 0.1,
            scale * 1.6,
            scale * 0.8,
            alpha(of(0x5B3C2A, 0x2E2230), solid),
        );
        draw_line(on[0], on[1] - scale * 0.1, on[0], on[1] + scale * 0.7, 1.5, alpha(of(0x3A261B, 0x1B1520), solid));
        return;
    }
    for (x, y, size, day, night) in [
        (-0.5, 0.1, 0.65, 0x3F7A3A_u32, 0x18352F_u32),
        (0.5, 0.1, 0.65, 0x3A7136, 0x16302B),
        (0.0, -0.25, 0.8, 0x4E8F45, 0x1E4138),
        (0.1, 0.35, 0.6, 0x5BA04F, 0x244A3F),
    ] {
        draw_circle(on[0] + x * scale, on[1] + y * scale, size * scale, alpha(of(day, night), solid));
    }
}
