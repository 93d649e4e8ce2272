//! How much time passes in the world per frame of the screen: pause, single steps, speed.

/// The length of a step of the world, in seconds.
pub const STEP: f32 = 1.0 / 60.0;
/// The most steps in a frame. Time owed beyond that is lost, so that a slow machine shows a slow
/// world instead of ever fewer frames.
const MOST: u32 = 8;
/// The speeds that can be chosen.
pub const SPEEDS: [f64; 7] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// The pace of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Whether the world is paused.
    pub paused: bool,
    speed: usize,
    owed: f64,
    singles: u32,
    /// Whether each frame counts as the time of one step, and the clock does not matter: for runs
    /// that can be repeated.
    pub fixed: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { paused: false, speed: 3, owed: 0.0, singles: 0, fixed: false }
    }
}

impl Pace {
    /// How fast time passes: 1 is real time.
    #[must_use]
    pub fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// Chooses the next speed.
    pub fn faster(&mut self) {
        self.speed = (self.speed + 1).min(SPEEDS.len() - 1);
    }

    /// Chooses the previous speed.
    pub fn slower(&mut self) {
        self.speed = self.speed.saturating_sub(1);
    }

    /// Asks for one step, and pauses.
    pub fn single(&mut self) {
        self.paused = true;
        self.singles = (self.singles + 1).min(MOST);
    }

    /// Forgets the owed time, because the machine is too slow for it.
    pub fn forgive(&mut self) {
        self.owed = 0.0;
    }

    /// How many steps the world does in a frame, if `seconds` have passed since the last one.
    pub fn steps(&mut self, seconds: f64) -> u32 {
        let singles = std::mem::take(&mut self.singles);
        if self.paused {
            self.owed = 0.0;
            return singles;
        }
        self.owed += if self.fixed { f64::from(STEP) } else { seconds.clamp(0.0, 0.25) } * self.speed();
        let mut steps = 0;
        // A frame of a 60 Hz screen is sometimes a little shorter than a step.
        while self.owed >= f64::from(STEP) * 0.98 && steps < MOST {
            self.owed -= f64::from(STEP);
            steps += 1;
        }
        if steps == MOST {
            self.owed = 0.0;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_as_it_should() {
        let mut pace = Pace::default();
        assert_eq!((0..60).map(|_| pace.steps(1.0 / 60.0)).sum::<u32>(), 60);
        assert_eq!((0..30).map(|_| pace.steps(1.0 / 30.0)).sum::<u32>(), 60);
        pace.faster();
        assert_eq!((0..60).map(|_| pace.steps(1.0 / 60.0)).sum::<u32>(), 120);
        (0..9).for_each(|_| pace.slower());
        assert_eq!(pace.speed(), 0.125);
        assert!((7..=8).contains(&(0..60).map(|_| pace.steps(1.0 / 60.0)).sum::<u32>()));
    }

    #[test]
    fn a_pause_has_single_steps() {
        let mut pace = Pace { paused: true, ..Pace::default() };
        assert_eq!(pace.steps(1.0), 0);
        pace.single();
        assert_eq!((pace.steps(0.1), pace.steps(0.1)), (1, 0));
        pace.paused = false;
        pace.single();
        assert!(pace.paused);
    }

    #[test]
    fn no_time_is_lost_for_ever_or_made_up_at_once() {
        let mut pace = Pace::default();
        assert_eq!(pace.steps(1e9), MOST);
        assert_eq!(pace.steps(0.0), 0);
        assert_eq!(pace.steps(f64::NAN.max(0.0)), 0);
        pace.fixed = true;
        assert_eq!((pace.steps(0.0), pace.steps(99.0)), (1, 1));
    }
}
