//! Draws the actors: guards, fighters, rabbits, players, and what they say.

use macroquad::color::Color;
use macroquad::math::{Rect, vec2};
use macroquad::shapes::{draw_circle, draw_circle_lines, draw_ellipse, draw_line, draw_rectangle, draw_triangle};
use pleach_arena::{ActorId, Animation, Kind, Point, Said};
use pleach_example_arena::behaviour::Behaviour;
use pleach_example_arena::camera::Camera;
use pleach_example_arena::sim::Sim;

use crate::figure;
use crate::palette::{self, Light, alpha, mix};
use crate::text::Pen;

/// The index of the veterans among the roles.
const VETERAN: usize = 2;
/// How long an utterance is shown, in seconds.
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
    // The dead lie below the standing, and the order is the same in every frame.
    seen.sort_by_cached_key(|it| (world.is_alive(*it), *it));
    seen
}

/// How many of those on the screen have each behaviour.
pub(crate) type Counts = Vec<(Behaviour, usize)>;

/// Counts their behaviours.
pub(crate) fn counts(sim: &Sim, seen: &[ActorId]) -> Counts {
    let mut counts = vec![0; sim.behaviours().names().len()];
    for behaviour in seen.iter().filter_map(|it| sim.behaviour(*it)) {
        counts[behaviour.index()] += 1;
    }
    let number = |it| Behaviour(u8::try_from(it).unwrap_or(0));
    counts.into_iter().enumerate().filter(|it| it.1 > 0).map(|(at, count)| (number(at), count)).collect()
}

/// The colours of all behaviours.
pub(crate) fn colors(sim: &Sim) -> Vec<Color> {
    sim.behaviours().names().iter().enumerate().map(|(at, name)| palette::behaviour(at, name)).collect()
}

/// Draws one, in the colour of its behaviour.
pub(crate) fn draw(sim: &Sim, camera: &Camera, light: &Light, actor: ActorId, colors: &[Color]) {
    let world = sim.world();
    let (Some(place), Some(kind)) = (world.position(actor), world.kind(actor)) else { return };
    let (at, scale) = (camera.to_screen(place), camera.scale);
    let is_user = actor == sim.user();
    let behaviour = sim.behaviour(actor);
    let color = match behaviour {
        Some(it) if kind == Kind::Civilian && sim.behaviours().name(it) == "patrol" => figure::clothes(actor),
        Some(it) => colors[it.index()],
        None if is_user => palette::USER,
        None => palette::PLAYER,
    };
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
    let agent = sim.game().cast.agent_of(actor);
    let body = figure::Body {
        at,
        radius,
        facing,
        color,
        strikes: agent.and_then(|it| sim.game().cast.animation(it)) == Some(Animation::Attack),
        seconds: world.time(),
    };
    match kind {
        Kind::Guard | Kind::Dummy => figure::guard(&body),
        Kind::Civilian => figure::civilian(&body),
        Kind::Boss => figure::boss(&body),
        Kind::Fighter => figure::fighter(&body, agent.and_then(|it| sim.role_of(it)) == Some(VETERAN)),
        Kind::Rabbit => figure::rabbit(&body),
        Kind::Player => {
            if is_user {
                draw_circle_lines(at[0], at[1], radius * 1.9, 2.0, alpha(palette::USER, 0.9));
            }
            figure::thief(&body);
        }
    }
    let health = world.health(actor).unwrap_or(1.0);
    if health < 0.999 {
        let (w, y) = (radius * 2.4, at[1] - radius * 2.2);
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

/// Signs over the heads of those who have noticed something. One that would cover another is left
/// out: in a crowd the colours of bodies show it.
pub(crate) fn signs(sim: &Sim, camera: &Camera, pen: &Pen, seen: &[ActorId]) {
    if camera.scale < 8.0 {
        return;
    }
    let size = (camera.scale * 1.0).clamp(13.0, 26.0);
    let mut drawn: Vec<Rect> = Vec::new();
    for &actor in seen {
        let sign = sim.sign(actor);
        let (Some((tone, text)), Some(place)) = (sign, sim.world().position(actor)) else { continue };
        let at = camera.to_screen(place);
        let w = text.chars().count() as f32 * pen.advance(size);
        let (x, y) = (at[0] - w / 2.0, at[1] - camera.scale * 1.1 - size * 1.2);
        let it = Rect::new(x - 4.0, y, w + 8.0, size * 1.2);
        if drawn.iter().any(|other| other.overlaps(&it)) {
            continue;
        }
        draw_rectangle(it.x, it.y, it.w, it.h, palette::BOX);
        pen.write(text, x, y + size * 0.05, size, palette::tone(tone));
        drawn.push(it);
    }
}

/// The blows of the last moment: where they hit, and how hard.
pub(crate) fn blows(sim: &Sim, camera: &Camera, pen: &Pen) {
    let world = sim.world();
    for blow in world.heist().map(|it| it.blows()).unwrap_or_default() {
        #[expect(clippy::cast_possible_truncation, reason = "less than a second")]
        let age = ((world.time() - blow.made) / 0.6).clamp(0.0, 1.0) as f32;
        let (from, to) = (camera.to_screen(blow.from), camera.to_screen(blow.to));
        let color = alpha(palette::rgb(0xFFF1C9), 1.0 - age);
        if (from[0] - to[0]).hypot(from[1] - to[1]) > camera.scale * 3.2 {
            // Something was thrown.
            let part = (age * 3.0).min(1.0);
            let on = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
            draw_circle(on[0], on[1], camera.scale * 0.3, palette::rgb(0x9A9388));
        }
        for ray in 0..8_u8 {
            let (sin, cos) = (f32::from(ray) * std::f32::consts::FRAC_PI_4).sin_cos();
            let (near, far) = (camera.scale * (0.4 + age * 0.5), camera.scale * (0.7 + age * 0.9));
            draw_line(to[0] + cos * near, to[1] + sin * near, to[0] + cos * far, to[1] + sin * far, 2.0, color);
        }
        let size = (camera.scale * 0.9).clamp(12.0, 22.0);
        let text = format!("-{:.0}", blow.damage);
        let y = to[1] - camera.scale * (1.2 + age * 1.2);
        pen.write(&text, to[0] - pen.advance(size), y, size, alpha(palette::BAD, 1.0 - age * age));
    }
}

/// The mark around the chosen agent, and below the mouse.
pub(crate) fn marks(sim: &Sim, camera: &Camera, below: Option<ActorId>) {
    for (actor, color, wide) in [(below, palette::TEXT, 1.5), (sim.chosen_actor(), palette::ACCENT, 2.5)] {
        let Some(actor) = actor else { continue };
        let Some(at) = sim.world().position(actor).map(|it| camera.to_screen(it)) else { continue };
        let radius = (sim.world().radius(actor).unwrap_or(0.4) * camera.scale * 2.3).max(8.0);
        draw_circle_lines(at[0], at[1], radius, wide, color);
    }
}

/// Where the chosen agent was at that time, and its way since, if it was chosen then.
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
