//! Draws a frame: the ground, what lies and stands on it, and the texts.

use pleach_example_arena::measure::THINK;
use pleach_example_arena::status::Status;

use super::{App, HINT};
use crate::palette::{self, Light};
use crate::{actors, estate, ground, help, hud, inspect, standing, story, track, walls};

impl App {
    pub(super) fn draw(&mut self) {
        let (sim, camera, layout, pen) = (&self.sim, &self.camera, &self.layout, &self.pen);
        let world = sim.world();
        let light = Light::at(world.time());
        let walls = walls::seen(world, &camera.area());
        let seen = actors::seen(sim, camera);
        ground::floor(sim, camera, &light);
        estate::ground(world, camera, &light);
        ground::routes(sim, camera, &light);
        walls::shadows(&walls, camera, &light);
        if self.cones {
            let boxes: Vec<_> = walls.iter().map(|it| it.wall).collect();
            ground::cones(sim, camera, &light, &boxes, &seen);
        }
        ground::carrots(world, camera);
        estate::things(world, camera, &light);
        standing::draw(sim, camera, &light, &walls, &seen, &actors::colors(sim));
        self.counts = actors::counts(sim, &seen);
        ground::noises(world, camera);
        if let Some(at) = self.scrubbed {
            actors::ghost(sim, camera, at);
        }
        actors::blows(sim, camera, pen);
        actors::marks(sim, camera, self.below);
        actors::signs(sim, camera, pen, &seen);
        actors::speech(sim, camera, pen, layout.text);
        story::goal(sim, camera, layout);
        story::prompt(pen, layout, sim, camera);
        story::wounds(sim, camera);

        let budget = (self.budget && !self.pace.fixed).then_some(THINK as f64 / 1e3);
        story::objective(pen, layout, sim, &self.learned);
        hud::status(pen, layout, sim, &Status { measures: &self.measures, pace: &self.pace, budget });
        hud::legend(pen, layout, sim, &self.counts);
        if let Some(view) = sim.view() {
            if let Some(panel) = sim.panel(&view, self.scrubbed) {
                let drawn = inspect::draw(pen, layout, &panel, self.scroll, self.whole);
                (self.most_scroll, self.panel_height) = (drawn.last, drawn.height);
                self.scroll = Some(drawn.first);
            }
            track::draw(pen, layout, sim, &view, self.scrubbed);
        }
        let (text, bad, since) = &self.hint;
        let color = if *bad { palette::BAD } else { palette::TEXT };
        if self.help {
            // The help says more.
        } else if self.clock() - since < HINT {
            hud::hint(pen, layout, text, color);
        } else if self.pace.paused {
            hud::hint(pen, layout, "paused: Space goes on, . is one step", palette::ACCENT);
        }
        hud::report(pen, layout, sim.trouble());
        story::ending(pen, layout, sim, camera);
        if self.help {
            help::draw(pen, layout, camera.screen, sim.scene());
        }
    }
}
