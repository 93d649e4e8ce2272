//! Draws what does not move: the floor, routes, walls; and carrots, noises, fields of view.

use macroquad::models::{Mesh, Vertex, draw_mesh};
use macroquad::shapes::{draw_circle, draw_line, draw_poly_lines, draw_rectangle};
use macroquad::window::clear_background;
use pleach_arena::{ActorId, CAMP_SIDE, Kind, Point, Sound, Wall, World};
use pleach_example_arena::camera::Camera;
use pleach_example_arena::cone;
use pleach_example_arena::sim::{Scene, Sim};

use crate::estate;
use crate::palette::{self, Light, alpha};

/// The side of a tile of the floor, in metres.
const TILE: f32 = 8.0;
/// The pixels per metre from which details are drawn.
const DETAIL: f32 = 4.0;
/// The most cones that are drawn.
const CONES: usize = 600;

/// The floor with its tiles and the borders of the camps.
pub(crate) fn floor(sim: &Sim, camera: &Camera, light: &Light) {
    let world = sim.world();
    let side = world.map().side();
    let floor = if sim.scene() == Scene::Heist { estate::street(light) } else { light.floor };
    let seen = camera.area();
    // One layer less: with a CPU renderer, each costs a few milliseconds.
    if (0..2).all(|axis| seen.min[axis] >= 0.0 && seen.max[axis] <= side[axis]) {
        clear_background(floor);
    } else {
        clear_background(palette::rgb(0x0B0E16));
        let (low, high) = (camera.to_screen([0.0, 0.0]), camera.to_screen(side));
        draw_rectangle(low[0], low[1], high[0] - low[0], high[1] - low[1], floor);
    }
    if sim.scene() == Scene::Heist {
        estate::town(world, camera, light);
        return;
    }
    let area = camera.area();
    let first = |v: f32, step: f32| (v.max(0.0) / step).floor() * step;
    if camera.scale >= DETAIL {
        let mut y = first(area.min[1], TILE);
        while y < area.max[1].min(side[1]) {
            // Every other tile is a little lighter.
            let odd = (y / TILE) % 2.0;
            let mut x = first(area.min[0], TILE * 2.0) + odd * TILE;
            while x < area.max[0].min(side[0]) {
                let at = camera.to_screen([x, y]);
                let to = camera.to_screen([(x + TILE).min(side[0]), (y + TILE).min(side[1])]);
                draw_rectangle(at[0], at[1], to[0] - at[0], to[1] - at[1], light.tile);
                x += TILE * 2.0;
            }
            y += TILE;
        }
    }
    tufts(camera, light, [0.0; 2], side);
    for axis in 0..2 {
        let mut v = first(area.min[axis], CAMP_SIDE);
        while v <= area.max[axis].min(side[axis]) {
            let ends = if axis == 0 { [[v, 0.0], [v, side[1]]] } else { [[0.0, v], [side[0], v]] };
            let [a, b] = ends.map(|it| camera.to_screen(it));
            draw_line(a[0], a[1], b[0], b[1], 1.0, light.line);
            v += CAMP_SIDE;
        }
    }
}

/// Tufts of grass between two corners, always at the same places.
pub(crate) fn tufts(camera: &Camera, light: &Light, low: Point, high: Point) {
    if camera.scale < 8.0 {
        return;
    }
    let area = camera.area();
    let dark = alpha(palette::mix(light.floor, palette::rgb(0x1D2618), 0.45), 0.55);
    let pale = alpha(palette::mix(light.tile, palette::rgb(0xC9D69A), 0.30), 0.5);
    let size = camera.scale * 0.16;
    let mut y = (area.min[1].max(low[1]) / 2.0).ceil() * 2.0;
    while y < area.max[1].min(high[1]) {
        let mut x = (area.min[0].max(low[0]) / 2.0).ceil() * 2.0;
        while x < area.max[0].min(high[0]) {
            // Digits of a number that varies wildly with the place.
            let jump = ((x * 12.989_8 + y * 78.233).sin() * 43_758.547).fract().abs();
            if jump < 0.32 {
                let at = camera.to_screen([x + jump * 6.0, y + (jump * 97.0).fract() * 2.0]);
                let color = if jump < 0.2 { dark } else { pale };
                for lean in [-0.7, 0.0, 0.7] {
                    draw_line(at[0], at[1], at[0] + lean * size, at[1] - size * 1.6, 1.2, color);
                }
            }
            x += 2.0;
        }
        y += 2.0;
    }
}

/// The routes of the camps on the screen, faintly, and that of the chosen actor clearly.
pub(crate) fn routes(sim: &Sim, camera: &Camera, light: &Light) {
    let world = sim.world();
    if let Some((route, _)) = sim.chosen_actor().and_then(|it| world.route_of(it))
        && let Some(points) = world.map().route(route)
    {
        let color = alpha(palette::ACCENT, 0.55);
        let next = points.iter().cycle().skip(1);
        for (a, b) in points.iter().zip(next) {
            dashes(camera.to_screen(*a), camera.to_screen(*b), color);
        }
        for point in points {
            let at = camera.to_screen(*point);
            draw_circle(at[0], at[1], 3.0, color);
        }
    }
    if camera.scale < 6.0 || sim.scene() == Scene::Heist {
        return;
    }
    let area = camera.area();
    let color = alpha(palette::mix(palette::rgb(0xF2E9D0), palette::rgb(0x9FB4E6), light.night), 0.10);
    let mut drawn = Vec::new();
    let (middle, reach) = area.circle();
    world.bodies(middle, reach, |actor| {
        let Some((route, _)) = world.route_of(actor) else { return };
        if drawn.contains(&route) {
            return;
        }
        drawn.push(route);
        let points = world.map().route(route).unwrap_or_default();
        for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
            let (a, b) = (camera.to_screen(*a), camera.to_screen(*b));
            draw_line(a[0], a[1], b[0], b[1], 1.5, color);
        }
    });
}

fn dashes(a: Point, b: Point, color: macroquad::color::Color) {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy);
    if !(length > 1.0 && length < 20_000.0) {
        return;
    }
    let mut at = 0.0;
    while at < length {
        let end = (at + 7.0).min(length);
        let on = |v: f32| (a[0] + dx * v / length, a[1] + dy * v / length);
        let ((x, y), (u, v)) = (on(at), on(end));
        draw_line(x, y, u, v, 2.0, color);
        at += 13.0;
    }
}

/// What guards and fighters on the screen see, cut by walls.
pub(crate) fn cones(sim: &Sim, camera: &Camera, light: &Light, walls: &[Wall], seen: &[ActorId]) {
    let world = sim.world();
    let chosen = sim.chosen_actor();
    let others = camera.scale >= 6.0;
    let sees = |it: &&ActorId| {
        (others || Some(**it) == chosen) && world.is_alive(**it) && sim.game().cast.agent_of(**it).is_some()
    };
    let seen: Vec<ActorId> = seen.iter().filter(sees).copied().take(CONES).collect();
    // Where many look at one place, it would be white.
    let strength = (14.0 / seen.len().max(1) as f32).sqrt().clamp(0.4, 1.0);
    let light = Light { cone: alpha(light.cone, light.cone.a * strength), ..*light };
    seen.iter().for_each(|it| one(sim, camera, &light, walls, *it));
}

fn one(sim: &Sim, camera: &Camera, light: &Light, walls: &[Wall], actor: ActorId) {
    let world = sim.world();
    let cast = &sim.game().cast;
    let (Some(eye), Some(facing)) = (world.position(actor), world.facing(actor)) else { return };
    let Some(sight) = cast.agent_of(actor).and_then(|it| cast.sight(it)) else { return };
    if matches!(world.kind(actor), Some(Kind::Rabbit | Kind::Civilian)) || sim.is_asleep(actor) {
        return;
    }
    let sight = sight.in_light_of(world.daytime());
    let reach = sight.range;
    let near = |it: &&Wall| (0..2).all(|axis| it.min[axis] <= eye[axis] + reach && it.max[axis] >= eye[axis] - reach);
    let near: Vec<Wall> = walls.iter().filter(near).copied().collect();
    let chosen = sim.chosen_actor() == Some(actor);
    let color = match sim.sign(actor) {
        _ if chosen => alpha(palette::ACCENT, 0.30),
        Some((tone, _)) if sim.scene() == Scene::Heist => alpha(palette::tone(tone), light.cone.a * 1.6),
        _ => light.cone,
    };
    let rim = alpha(color, color.a * 0.15);
    let vertex = |at: Point, color| {
        let at = camera.to_screen(at);
        Vertex::new(at[0], at[1], 0.0, 0.0, 0.0, color)
    };
    let mut vertices = vec![vertex(eye, color)];
    vertices.extend(cone::outline(eye, facing, &sight, &near).map(|it| vertex(it, rim)));
    let fan = 1..u16::try_from(cone::RAYS).unwrap_or(1);
    let indices = fan.flat_map(|it| [0, it, it + 1]).collect();
    draw_mesh(&Mesh { vertices, indices, texture: None });
}

/// The carrots on the screen.
pub(crate) fn carrots(world: &World, camera: &Camera) {
    if camera.scale < DETAIL {
        return;
    }
    let area = camera.area();
    let size = (camera.scale * 0.22).max(1.5);
    for (_, place) in world.carrots().filter(|it| area.holds(it.1, 1.0)) {
        let at = camera.to_screen(place);
        draw_circle(at[0], at[1] - size, size * 0.6, palette::rgb(0x54B435));
        draw_circle(at[0], at[1], size, palette::CARROT);
    }
}

/// The noises, as rings that grow and fade.
pub(crate) fn noises(world: &World, camera: &Camera) {
    let area = camera.area();
    for noise in world.noises().iter().filter(|it| area.holds(it.at, it.radius)) {
        #[expect(clippy::cast_possible_truncation, reason = "some seconds")]
        let age = (world.time() - noise.made) as f32;
        let at = camera.to_screen(noise.at);
        let part = (age / 0.9).clamp(0.0, 1.0);
        let fade = (1.0 - age / 3.0).clamp(0.0, 1.0);
        let color = match noise.sound {
            Sound::Noise => palette::rgb(0xFFF3C4),
            Sound::Clash => palette::rgb(0xFF9F43),
            Sound::Scream => palette::rgb(0xFF6B6B),
            Sound::Bell => palette::rgb(0xFFD166),
        };
        for (ring, strength) in [(1.0, 0.55), (0.66, 0.35), (0.33, 0.2)] {
            let radius = noise.radius * part * ring * camera.scale;
            if radius > 1.0 {
                draw_poly_lines(at[0], at[1], 72, radius, 0.0, 1.5, alpha(color, strength * fade));
            }
        }
    }
}
