//! What keys do.

use std::io::Write as _;
use std::path::Path;

use macroquad::input::{KeyCode, get_char_pressed, is_key_down, is_key_pressed};
use macroquad::window::set_fullscreen;
use pleach_arena::Gait;
use pleach_example_arena::pace::STEP;
use pleach_example_arena::sim::Scene;
use pleach_example_arena::studio::{self, Studio};

use super::{App, Follows, RECORDINGS};
use crate::story;

/// How long a key that asks to be pressed again waits for that, in seconds.
const AGAIN: f64 = 3.0;

impl App {
    /// How fast the user goes now.
    fn gait() -> Gait {
        let down = |keys: [KeyCode; 2]| keys.into_iter().any(is_key_down);
        if down([KeyCode::LeftShift, KeyCode::RightShift]) {
            Gait::Run
        } else if down([KeyCode::LeftControl, KeyCode::RightControl]) {
            Gait::Sneak
        } else {
            Gait::Walk
        }
    }

    /// Lets the user act for a step of the world: walk, and what E does.
    pub(super) fn act(&mut self) {
        let down = |keys: [KeyCode; 2]| f32::from(u8::from(keys.into_iter().any(is_key_down)));
        let x = down([KeyCode::D, KeyCode::Right]) - down([KeyCode::A, KeyCode::Left]);
        let y = down([KeyCode::S, KeyCode::Down]) - down([KeyCode::W, KeyCode::Up]);
        let (gait, from) = (Self::gait(), self.sim.user_at());
        if x != 0.0 || y != 0.0 {
            (self.follows, self.goes) = (Follows::User, None);
            self.sim.walk([x, y], gait, STEP);
        } else if let Some(to) = self.goes {
            self.goes = self.sim.go(to, gait, STEP).then_some(to);
        }
        if is_key_down(KeyCode::E) {
            self.sim.act(STEP);
        }
        let at = self.sim.user_at();
        let far = (at[0] - from[0]).hypot(at[1] - from[1]);
        self.learned.walked += far;
        self.learned.sneaked |= gait == Gait::Sneak && far > 0.0;
        self.learned.hid |= self.sim.world().is_hidden(self.sim.user());
    }

    pub(super) fn read_keys(&mut self) {
        while let Some(it) = get_char_pressed() {
            match it {
                '.' => self.pace.single(),
                '[' => self.pace.slower(),
                ']' => self.pace.faster(),
                '+' | '=' => self.other_crowd(true),
                '-' => self.other_crowd(false),
                _ => {}
            }
        }
        if is_key_pressed(KeyCode::Enter) && story::is_over(&self.sim) {
            self.restart(self.sim.crowd());
        }
        if is_key_pressed(KeyCode::Q) && self.sim.scene() == Scene::Heist && !self.pace.paused {
            self.sim.strike();
        }
        if is_key_pressed(KeyCode::F2) {
            self.costs = !self.costs;
        }
        if is_key_pressed(KeyCode::Escape) {
            if self.help {
                self.help = false;
            } else if self.scrubbed.is_some() {
                self.scrubbed = None;
            } else if self.sim.chosen().is_some() {
                self.choose(None);
            } else if self.leaves_until >= self.clock() {
                self.quit = true;
            } else {
                self.leaves_until = self.clock() + AGAIN;
                self.say("Press Esc once more to leave", false);
            }
        }
        if is_key_pressed(KeyCode::F1) || is_key_pressed(KeyCode::H) {
            self.help = !self.help;
        }
        if is_key_pressed(KeyCode::Space) {
            self.pace.paused = !self.pace.paused;
        }
        if is_key_pressed(KeyCode::C) {
            self.follows = Follows::User;
        }
        if is_key_pressed(KeyCode::F) && self.sim.chosen().is_some() {
            self.follows = Follows::Agent;
        }
        if is_key_pressed(KeyCode::V) {
            self.cones = !self.cones;
        }
        if is_key_pressed(KeyCode::B) {
            self.budget = !self.budget;
        }
        if is_key_pressed(KeyCode::R) {
            self.new_world(self.sim.crowd(), 'R');
        }
        if is_key_pressed(KeyCode::T) {
            (self.whole, self.scroll) = (!self.whole, self.whole.then_some(0));
        }
        if is_key_pressed(KeyCode::P) {
            self.print();
        }
        if is_key_pressed(KeyCode::F5) {
            self.open_studio();
        }
        if is_key_pressed(KeyCode::F9) {
            self.save();
        }
        if is_key_pressed(KeyCode::F11) {
            self.full = !self.full;
            set_fullscreen(self.full);
        }
        let keys = [KeyCode::Key1, KeyCode::Key2, KeyCode::Key3, KeyCode::Key4];
        let role = keys.into_iter().position(is_key_pressed);
        if let Some(role) = role.or(is_key_pressed(KeyCode::Tab).then_some(0)) {
            match self.sim.nearest(role, self.sim.user_at()) {
                None => self.say(format!("There is no {} near you", self.sim.scene().roles()[role].name), false),
                near => {
                    self.choose(near);
                    self.follows = Follows::Agent;
                }
            }
        }
    }

    /// Opens the studio on this game.
    fn open_studio(&mut self) {
        if self.studio.as_mut().is_some_and(Studio::runs) {
            self.say("The studio is open: its address is in the terminal", false);
            return;
        }
        if let Err(why) = self.sim.listen() {
            self.say(format!("Cannot listen for the studio: {why}"), true);
            return;
        }
        match Studio::open(self.sim.folder()) {
            Ok(studio) => {
                self.studio = Some(studio);
                self.say("The studio opens in the browser; its address is in the terminal", false);
            }
            Err(why) => self.say(format!("{why}. Type: {}", studio::command(self.sim.folder())), true),
        }
    }

    /// Writes what the panel shows to the terminal, from where it can be copied.
    fn print(&mut self) {
        let panel = self.sim.view().and_then(|view| self.sim.panel(&view, self.scrubbed));
        match panel {
            // A lost terminal is not a reason to quit.
            Some(panel) => match writeln!(std::io::stdout(), "{panel}") {
                Ok(()) => self.say("Written to the terminal", false),
                Err(why) => self.say(format!("Cannot write to the terminal: {why}"), true),
            },
            None => self.say("Look into an agent first: click it", false),
        }
    }

    /// Writes the last minute to a file.
    fn save(&mut self) {
        match self.sim.save(Path::new(RECORDINGS)) {
            Ok(file) => self.say(format!("The last minute is in {}: pleach replay {0}", file.display()), false),
            Err(why) => self.say(format!("Cannot write the last minute: {why}"), true),
        }
    }

    /// A held key repeats, and making a world takes a while.
    fn other_crowd(&mut self, larger: bool) {
        let (now, crowd) = (self.clock(), self.sim.other_crowd(larger));
        if now - self.crowd_at <= 0.5 {
            return;
        }
        self.crowd_at = now;
        if crowd == self.sim.crowd() {
            self.say("There is no other crowd", false);
        } else {
            self.new_world(crowd, if larger { '+' } else { '-' });
        }
    }

    /// In a heist, the first press of a key only asks.
    fn new_world(&mut self, crowd: u32, key: char) {
        let now = self.clock();
        let is_played = self.sim.scene() == Scene::Heist && !story::is_over(&self.sim);
        let asked = self.asked.take().filter(|(asked, until)| *asked == (crowd, key) && *until >= now);
        if is_played && asked.is_none() {
            self.asked = Some(((crowd, key), now + AGAIN));
            self.say(format!("Press {key} again for a new heist with {crowd} agents"), false);
        } else {
            self.restart(crowd);
        }
    }

    fn restart(&mut self, crowd: u32) {
        match self.sim.restart(crowd) {
            Ok(()) => {
                self.camera.centre = self.user_view();
                (self.follows, self.scrubbed, self.scroll, self.goes) = (Follows::User, None, Some(0), None);
                let whom = if self.sim.scene() == Scene::Heist { "agents" } else { "guards" };
                self.say(format!("A new world with {crowd} {whom}"), false);
            }
            Err(why) => self.say(why.to_string().lines().next().unwrap_or_default(), true),
        }
    }

    pub(super) fn choose(&mut self, agent: Option<pleach::AgentId>) {
        // The hint says how to choose an agent.
        self.hint.2 = f64::NEG_INFINITY;
        if let Err(why) = self.sim.choose(agent) {
            self.say(format!("Its record begins now: {why}"), true);
        }
        (self.scroll, self.scrubbed) = (Some(0), None);
    }
}
