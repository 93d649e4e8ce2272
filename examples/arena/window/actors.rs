//! Draws who moves: guards, fighters, rabbits, players, and what they say.

use macroquad::color::Color;
use macroquad::math::vec2;
use macroquad::shapes::{
    draw_circle, draw_circle_lines, draw_ellipse, draw_line, draw_poly, draw_rectangle, draw_triangle,
};
use pleach_arena::{ActorId, Kind, Point, Said};
use pleach_example_arena::behaviour::Behaviour;
use pleach_example_arena::camera::Camera;
use pleach_example_arena::sim::Sim;

use crate::palette::{self, Light, alpha, mix};
use crate::text::Pen;

/// The number of the veterans among the roles.
const VETERAN: usize = 2;
/// How long what somebody says is shown, in seconds.
const SPEECH: f64 = 2.5;

/// The actors on the screen, in the order in which they are drawn.
pub(crate) fn seen(sim: &Sim, camera: &Camera) -> Vec<ActorId> {
    let area = camera.area();
    let (middle, reach) = area.circle();
    let world = sim.world();
    let mut seen = Vec::new();
    world.bodies(middle, reach + 1.0, |actor| {
        if world.position(actor).is_some_and(|it| area.holds(it, 1.0)) {
            seen.push(actor);
        }
    });
    // The dead lie below those who stand, and the order is the same in every frame.
    seen.sort_by_cached_key(|it| (world.is_alive(*it), *it));
    seen
}

/// How many of those on the screen do what.
pub(crate) type Counts = Vec<(Behaviour, usize)>;

/// Draws them. Returns what they do.
pub(crate) fn draw(sim: &Sim, camera: &Camera, light: &Light, seen: &[ActorId]) -> Counts {
    let names = sim.behaviours().names();
    let colors: Vec<Color> = names.iter().enumerate().map(|(at, name)| palette::behaviour(at, name)).collect();
    let mut counts = vec![0; names.len()];
    for &actor in seen {
        let behaviour = sim.behaviour(actor);
        if let Some(behaviour) = behaviour {
            counts[behaviour.index()] += 1;
        }
        let color = match behaviour {
            Some(it) => colors[it.index()],
            None if actor == sim.user() => palette::USER,
            None => palette::PLAYER,
        };
        one(sim, camera, light, actor, color);
    }
    let number = |it| Behaviour(u8::try_from(it).unwrap_or(0));
    counts.into_iter().enumerate().filter(|it| it.1 > 0).map(|(at, count)| (number(at), count)).collect()
}

fn one(sim: &Sim, camera: &Camera, light: &Light, actor: ActorId, color: Color) {
    let world = sim.world();
    let (Some(place), Some(kind)) = (world.position(actor), world.kind(actor)) else { return };
    let at = camera.to_screen(place);
    let scale = camera.scale;
    let is_user = actor == sim.user();
    if scale < 3.0 && !is_user {
        let size = (scale * 1.1).clamp(1.5, 4.0);
        draw_rectangle(at[0] - size / 2.0, at[1] - size / 2.0, size, size, color);
        return;
    }
    let radius = world.radius(actor).unwrap_or(0.4) * scale * 1.35;
    let radius = match kind {
        _ if is_user => radius.max(4.0),
        Kind::Rabbit => radius * 1.5,
        _ => radius,
    };
    let facing = world.facing(actor).unwrap_or([1.0, 0.0]);
    if !world.is_alive(actor) {
        fallen(at, radius, color);
        return;
    }
    if scale < 8.0 && !is_user {
        arrow(at, facing, radius * 1.4, color);
        return;
    }
    draw_ellipse(at[0] + radius * 0.25, at[1] + radius * 0.45, radius, radius * 0.8, 0.0, light.shadow);
    let dark = mix(color, Color::new(0.0, 0.0, 0.0, 1.0), 0.55);
    match kind {
        Kind::Guard | Kind::Dummy | Kind::Civilian | Kind::Boss => {
            nose(at, facing, radius, dark);
            draw_circle(at[0], at[1], radius, dark);
            draw_circle(at[0], at[1], radius * 0.80, color);
        }
        Kind::Fighter => {
            let turn = facing[1].atan2(facing[0]).to_degrees();
            nose(at, facing, radius, dark);
            draw_poly(at[0], at[1], 4, radius * 1.2, turn, dark);
            draw_poly(at[0], at[1], 4, radius * 0.9, turn, color);
            if sim.game().cast.agent_of(actor).and_then(|it| sim.role_of(it)) == Some(VETERAN) {
                draw_poly(at[0], at[1], 4, radius * 0.45, turn, dark);
            }
        }
        Kind::Rabbit => {
            let turn = facing[1].atan2(facing[0]);
            for side in [-0.5_f32, 0.5] {
                let (sin, cos) = (turn + side).sin_cos();
                let ear = [at[0] + cos * radius * 1.3, at[1] + sin * radius * 1.3];
                draw_ellipse(ear[0], ear[1], radius * 0.75, radius * 0.3, turn.to_degrees(), dark);
            }
            draw_ellipse(at[0], at[1], radius * 1.25, radius * 0.95, turn.to_degrees(), dark);
            draw_ellipse(at[0], at[1], radius * 1.0, radius * 0.72, turn.to_degrees(), color);
        }
        Kind::Player => {
            if is_user {
                draw_circle_lines(at[0], at[1], radius * 1.9, 2.0, alpha(palette::USER, 0.9));
            }
            nose(at, facing, radius, palette::TEXT);
            draw_circle(at[0], at[1], radius, palette::TEXT);
            draw_circle(at[0], at[1], radius * 0.76, color);
        }
    }
    let health = world.health(actor).unwrap_or(1.0);
    if health < 0.999 {
        let (w, y) = (radius * 2.4, at[1] - radius * 1.9);
        draw_rectangle(at[0] - w / 2.0 - 1.0, y - 1.0, w + 2.0, 5.0, alpha(palette::BOX, 0.8));
        let color = mix(palette::BAD, palette::GOOD, health);
        draw_rectangle(at[0] - w / 2.0, y, w * health, 3.0, color);
    }
}

fn fallen(at: Point, radius: f32, color: Color) {
    let dim = alpha(color, 0.8);
    draw_ellipse(at[0], at[1], radius * 1.3, radius * 0.55, 30.0, dim);
    draw_ellipse(at[0], at[1], radius * 1.3, radius * 0.55, -30.0, dim);
}

fn arrow(at: Point, facing: Point, size: f32, color: Color) {
    let size = size.max(3.0);
    let (fx, fy) = (facing[0] * size, facing[1] * size);
    draw_triangle(
        vec2(at[0] + fx, at[1] + fy),
        vec2(at[0] - fx * 0.7 - fy * 0.7, at[1] - fy * 0.7 + fx * 0.7),
        vec2(at[0] - fx * 0.7 + fy * 0.7, at[1] - fy * 0.7 - fx * 0.7),
        color,
    );
}

fn nose(at: Point, facing: Point, radius: f32, color: Color) {
    let (fx, fy) = (facing[0] * radius, facing[1] * radius);
    draw_triangle(
        vec2(at[0] + fx * 1.55, at[1] + fy * 1.55),
        vec2(at[0] + fx * 0.5 - fy * 0.75, at[1] + fy * 0.5 + fx * 0.75),
        vec2(at[0] + fx * 0.5 + fy * 0.75, at[1] + fy * 0.5 - fx * 0.75),
        color,
    );
}

/// The mark around the agent that is looked at, and below the mouse.
pub(crate) fn marks(sim: &Sim, camera: &Camera, below: Option<ActorId>) {
    for (actor, color, wide) in [(below, palette::TEXT, 1.5), (sim.chosen_actor(), palette::ACCENT, 2.5)] {
        let Some(actor) = actor else { continue };
        let Some(at) = sim.world().position(actor).map(|it| camera.to_screen(it)) else { continue };
        let radius = (sim.world().radius(actor).unwrap_or(0.4) * camera.scale * 2.3).max(8.0);
        draw_circle_lines(at[0], at[1], radius, wide, color);
    }
}

/// Where the agent that is looked at was at that time, and its way since, if it was looked at then.
pub(crate) fn ghost(sim: &Sim, camera: &Camera, time: f64) {
    let (Some(history), Some(at)) = (sim.history(), sim.was_at(time)) else { return };
    let way = history.moments().filter(|it| it.time >= time).step_by(6).filter_map(|it| Some(it.actor?.at));
    let way: Vec<Point> = way.chain(sim.chosen_actor().and_then(|it| sim.world().position(it))).collect();
    for pair in way.windows(2) {
        let (a, b) = (camera.to_screen(pair[0]), camera.to_screen(pair[1]));
        draw_line(a[0], a[1], b[0], b[1], 2.0, alpha(palette::TEXT, 0.5));
    }
    let (at, radius) = (camera.to_screen(at), (camera.scale * 0.55).max(4.0));
    draw_circle(at[0], at[1], radius, alpha(palette::TEXT, 0.45));
    draw_circle_lines(at[0], at[1], radius, 2.0, palette::TEXT);
}

/// What agents on the screen have said lately.
pub(crate) fn speech(sim: &Sim, camera: &Camera, pen: &Pen, size: f32) {
    if camera.scale < 8.0 {
        return;
    }
    let (world, area) = (sim.world(), camera.area());
    for entry in sim.game().journal.entries().filter(|it| world.time() - it.time < SPEECH) {
        let Said::Logged(_, text) = &entry.said else { continue };
        let place = sim.game().cast.actor_of(entry.agent).and_then(|it| world.position(it));
        let Some(place) = place.filter(|it| area.holds(*it, 0.0)) else { continue };
        let at = camera.to_screen(place);
        let w = text.chars().count() as f32 * pen.advance(size) + 12.0;
        let (x, y) = (at[0] - w / 2.0, at[1] - camera.scale * 1.3 - size * 1.5);
        draw_rectangle(x, y, w, size * 1.5, alpha(palette::TEXT, 0.92));
        pen.write(text, x + 6.0, y + size * 0.2, size, palette::rgb(0x1B202E));
    }
}
