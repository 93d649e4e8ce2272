//! What the mouse does.

use macroquad::input::{
    MouseButton, is_mouse_button_down, is_mouse_button_pressed, is_mouse_button_released, mouse_position, mouse_wheel,
};
use pleach_example_arena::sim::Scene;

use super::{App, Follows, Held};
use crate::{story, track};

/// How many pixels the mouse has to move before a click is a drag.
const DRAG: f32 = 5.0;

impl App {
    pub(super) fn read_mouse(&mut self) {
        let (x, y) = mouse_position();
        let (old, at) = (self.mouse, [x, y]);
        self.mouse = at;
        let mut layout = self.layout;
        layout.panel.h = layout.panel.h.min(self.panel_height);
        let covered = layout.covers(at) || self.help && self.layout.help.holds(at);
        let place = self.camera.to_world(at);
        let reach = (9.0 / self.camera.scale).max(0.8);
        self.below = if covered { None } else { self.sim.pick(place, reach) };
        let wheel = mouse_wheel().1;
        if wheel != 0.0 {
            if layout.panel.holds(at) {
                let by = 3;
                let first = self.scroll.unwrap_or(0);
                let first = if wheel > 0.0 { first.saturating_sub(by) } else { first + by };
                self.scroll = Some(first.min(self.most_scroll));
            } else {
                self.camera.zoom(1.15_f32.powf(wheel.clamp(-3.0, 3.0)), at);
            }
        }
        if is_mouse_button_pressed(MouseButton::Left) {
            self.held = if self.layout.timeline.holds(at) {
                Held::Timeline
            } else if covered {
                Held::Nothing
            } else {
                Held::Click(at)
            };
        }
        if is_mouse_button_down(MouseButton::Middle) {
            self.drag(old, at);
        }
        match self.held {
            Held::Click(from) if (at[0] - from[0]).hypot(at[1] - from[1]) > DRAG => {
                self.held = Held::Map;
                self.drag(from, at);
            }
            Held::Map => self.drag(old, at),
            Held::Timeline => self.scrubbed = track::time_at(&self.pen, &self.layout, &self.sim, x),
            Held::Nothing | Held::Click(_) => {}
        }
        if is_mouse_button_released(MouseButton::Left) {
            if let Held::Click(_) = self.held {
                self.click(place);
            }
            self.held = Held::Nothing;
        }
        if is_mouse_button_pressed(MouseButton::Right) && !covered {
            self.right_click(place);
        }
    }

    /// In a heist it throws a coin; elsewhere it hurts.
    fn right_click(&mut self, place: [f32; 2]) {
        if self.sim.scene() == Scene::Heist {
            if self.sim.noise(place) {
                self.learned.threw = true;
            } else if !story::is_over(&self.sim) {
                self.say("You have no coin left", false);
            }
        } else if let Some(actor) = self.below
            && self.sim.hurt(actor)
        {
            let name = self.sim.name_of(actor).unwrap_or_default();
            self.say(format!("You hurt {name}"), false);
        }
    }

    fn drag(&mut self, from: [f32; 2], to: [f32; 2]) {
        self.camera.drag([to[0] - from[0], to[1] - from[1]]);
        self.follows = Follows::Nobody;
    }

    fn click(&mut self, place: [f32; 2]) {
        let agent = self.below.and_then(|it| self.sim.game().cast.agent_of(it));
        if agent.is_some() {
            self.choose(agent);
        } else if self.sim.scene() == Scene::Heist {
            (self.goes, self.follows) = (Some(place), Follows::User);
        } else if self.below.is_none() && self.sim.noise(place) {
            self.say("A noise: guards within 10 m look after it", false);
        }
    }
}
