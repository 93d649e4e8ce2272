//! What the user does in the world.

use pleach_arena::{ActorId, Gait, Offer, Point, Progress};

use super::{Scene, Sim};

const WALK: f32 = 3.0;
const RUN: f32 = 6.0;
/// How far the steps of a runner are heard, in metres, and how often they make a noise, in seconds.
const STEPS_CARRY: f32 = 8.0;
const STEP_EVERY: f64 = 0.7;
/// How far the noise of a click is heard.
const NOISE_CARRIES: f32 = 10.0;
/// How many points a blow of the user takes.
const BLOW: f32 = 25.0;

impl Sim {
    /// The actor of the user.
    #[must_use]
    pub fn user(&self) -> ActorId {
        self.user
    }

    /// Where the user is.
    #[must_use]
    pub fn user_at(&self) -> Point {
        self.world().position(self.user).unwrap_or_default()
    }

    /// Walks the user for `dt` seconds. Steps of a runner are heard. A direction of any length; the
    /// dead do not walk.
    pub fn walk(&mut self, direction: Point, gait: Gait, dt: f32) {
        if self.scene == Scene::Heist {
            self.game.world.thief_walks(direction, gait, dt);
            return;
        }
        let length = direction[0].hypot(direction[1]);
        if !(length.is_finite() && length > 1e-3 && dt > 0.0) {
            return;
        }
        let runs = gait == Gait::Run;
        let (speed, at) = (if runs { RUN } else { WALK }, self.user_at());
        let far = speed * dt;
        let to = [at[0] + direction[0] / length * far, at[1] + direction[1] / length * far];
        // A user who cannot go there stands still.
        let gone = self.game.world.move_towards(self.user, to, 0.0, speed, dt);
        let time = self.game.world.time();
        if runs && gone.is_ok() && self.game.world.is_alive(self.user) && time >= self.steps_at {
            self.steps_at = time + STEP_EVERY;
            // With too many noises in the world no one hears one more.
            let _ = self.game.world.make_noise(at, STEPS_CARRY, Some(self.user));
        }
    }

    /// Lets the thief of a heist go to a place for `dt` seconds. Returns whether it is still on its
    /// way.
    pub fn go(&mut self, to: Point, gait: Gait, dt: f32) -> bool {
        self.game.world.thief_goes(to, gait, dt) == Progress::Moving
    }

    /// Does what the thief of a heist can do where it is. Returns what that was.
    pub fn act(&mut self, dt: f32) -> Option<Offer> {
        self.game.world.thief_acts(dt)
    }

    /// Strikes as the thief of a heist. Returns whether it hit.
    pub fn strike(&mut self) -> bool {
        self.game.world.thief_strikes()
    }

    /// Makes a noise at a place; in a heist, by throwing a coin. Returns whether it did.
    pub fn noise(&mut self, at: Point) -> bool {
        if self.scene == Scene::Heist {
            return self.game.world.throw_coin(at).is_some();
        }
        let side = self.world().map().side();
        let on = (0..2).all(|axis| at[axis] >= 0.0 && at[axis] <= side[axis]);
        on && self.game.world.make_noise(at, NOISE_CARRIES, None).is_ok()
    }

    /// Hurts an actor. Returns whether it exists and was alive.
    pub fn hurt(&mut self, actor: ActorId) -> bool {
        let hp = self.game.world.hp(actor).filter(|hp| *hp > 0.0);
        hp.is_some_and(|hp| self.game.world.set_hp(actor, (hp - BLOW).max(0.0)).is_ok())
    }
}
