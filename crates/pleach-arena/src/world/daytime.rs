//! Day and night, by the time of the world.

use super::World;
use super::sense::Sight;

/// How long a day is, from dawn to dusk, in seconds. A world begins at dawn.
pub const DAY: f64 = 240.0;
/// How long a night is, from dusk to dawn, in seconds.
pub const NIGHT: f64 = 120.0;

/// The range of sight at night, as a fraction of that by day.
const IN_THE_DARK: f32 = 0.6;

/// Whether there is light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Daytime {
    /// From dawn to dusk: [`DAY`] seconds.
    Day,
    /// From dusk to dawn: [`NIGHT`] seconds.
    Night,
}

impl World {
    /// Whether it is day or night. It follows from [`World::time`] alone.
    #[must_use]
    pub fn daytime(&self) -> Daytime {
        if self.time() % (DAY + NIGHT) < DAY { Daytime::Day } else { Daytime::Night }
    }
}

impl Sight {
    /// The same eyes by day or at night, when they see 60 % as far. Agents are given their sight by
    /// day.
    #[must_use]
    pub fn in_light_of(self, daytime: Daytime) -> Sight {
        match daytime {
            Daytime::Day => self,
            Daytime::Night => Sight { range: self.range * IN_THE_DARK, ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;

    #[test]
    fn a_night_follows_each_day() {
        let mut world = World::new(Map::open([10.0, 10.0]).unwrap(), 1);
        assert_eq!(world.daytime(), Daytime::Day);
        let mut nights = 0;
        for second in 0..1_080 {
            let night = second % 360 >= 240;
            assert_eq!(world.daytime(), if night { Daytime::Night } else { Daytime::Day }, "{second}");
            nights += u32::from(night);
            world.step(1.0).unwrap();
        }
        assert_eq!(nights, 360);
    }

    #[test]
    fn eyes_see_less_far_at_night() {
        assert_eq!(Sight::GUARD.in_light_of(Daytime::Day), Sight::GUARD);
        assert_eq!(Sight::GUARD.in_light_of(Daytime::Night), Sight { range: 9.0, ..Sight::GUARD });
        let all = Sight { range: f32::INFINITY, ..Sight::GUARD };
        assert_eq!(all.in_light_of(Daytime::Night), all);
    }
}
