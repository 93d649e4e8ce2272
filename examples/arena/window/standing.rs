//! Draws what stands on the ground, from back to front: walls, hiding places, bodies.

use macroquad::color::Color;
use pleach_arena::{ActorId, Heist, Point};
use pleach_example_arena::camera::Camera;
use pleach_example_arena::sim::Sim;

use crate::palette::Light;
use crate::walls::Shown;
use crate::{actors, estate, walls};

enum Thing<'a> {
    Wall(&'a Shown),
    Hide(Point),
    Body(ActorId),
}

/// All of them. `seen` are the actors on the screen, `colors` those of the behaviours.
pub(crate) fn draw(sim: &Sim, camera: &Camera, light: &Light, walls: &[Shown], seen: &[ActorId], colors: &[Color]) {
    let (world, area) = (sim.world(), camera.area());
    let hides = world.heist().map(Heist::plan).into_iter().flat_map(|it| it.hides.iter().copied());
    let hides = hides.filter(|it| area.holds(*it, 2.0)).map(|it| (it[1] + 0.6, Thing::Hide(it)));
    let bodies = seen.iter().filter_map(|it| {
        // The dead lie below those who stand there.
        let back = if world.is_alive(*it) { 0.0 } else { 0.5 };
        Some((world.position(*it)?[1] - back, Thing::Body(*it)))
    });
    let walls = walls.iter().map(|it| (it.wall.max[1], Thing::Wall(it)));
    let mut things: Vec<(f32, Thing<'_>)> = walls.chain(hides).chain(bodies).collect();
    things.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, thing) in things {
        match thing {
            Thing::Wall(wall) => walls::draw(wall, camera, light),
            Thing::Hide(at) => estate::hide(world, camera, light, at),
            Thing::Body(actor) => actors::draw(sim, camera, light, actor, colors),
        }
    }
}
