//! Level of detail: agents that are not ticked in every frame (SEMANTICS 8.2).

use std::fmt;

use crate::limits::MAX_RATE;

/// How often an agent has a turn (SEMANTICS 8.2). The agent's own time runs in any case, so nothing
/// is late by more than the skipped frames. [`Context::dt`](crate::Context::dt) is the time since
/// the agent's last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate(u8);

/// A rate that does not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RateError(pub u32);

impl fmt::Display for RateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RateError(it) = self;
        write!(
            f,
            "every {it}th frame is not a rate: use 1 to {MAX_RATE}, or `Rate::NEVER` for an agent that is never ticked"
        )
    }
}

impl fmt::Debug for RateError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RateError {}

impl Rate {
    /// In every frame.
    pub const EVERY_FRAME: Rate = Rate(1);
    /// In no frame. Time passes, events wait, no condition is asked.
    pub const NEVER: Rate = Rate(0);

    /// In every n-th frame.
    ///
    /// # Errors
    /// If `frames` is 0 or more than [`MAX_RATE`].
    pub fn every(frames: u32) -> Result<Rate, RateError> {
        match u8::try_from(frames) {
            Ok(rate) if rate > 0 && frames <= MAX_RATE => Ok(Rate(rate)),
            _ => Err(RateError(frames)),
        }
    }

    #[cfg(feature = "save")]
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    #[cfg(feature = "save")]
    pub(crate) fn of_number(number: u8) -> Self {
        Rate(number)
    }

    /// The frames from one tick to the next; `None` for [`Rate::NEVER`].
    #[must_use]
    pub fn frames(self) -> Option<u32> {
        (self.0 > 0).then(|| self.0.into())
    }
}

impl Default for Rate {
    fn default() -> Self {
        Rate::EVERY_FRAME
    }
}

/// Rates by distance, for
/// [`PopulationMut::update_rates`](crate::handles::PopulationMut::update_rates): the nearer, the
/// more often. Hysteresis keeps an agent at a border from changing its rate again and again.
///
/// ```
/// # use pleach_core as pleach;
/// use pleach::{Bands, Rate};
/// let every = |frames| Rate::every(frames).unwrap();
/// // In every frame up to 30 m, in every third up to 60 m, in every tenth up to 100 m, beyond that never.
/// let bands = Bands::new([(30.0, every(1)), (60.0, every(3)), (100.0, every(10))], Rate::NEVER, 2.0).unwrap();
/// assert_eq!(bands.rate(29.0, Rate::EVERY_FRAME), every(1));
/// assert_eq!(bands.rate(31.0, Rate::EVERY_FRAME), every(1));
/// assert_eq!(bands.rate(33.0, Rate::EVERY_FRAME), every(3));
/// assert_eq!(bands.rate(31.0, every(3)), every(3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bands {
    /// Each band: the distance at which it ends, and its rate. The last band has no end.
    bands: Vec<(f32, Rate)>,
    hysteresis: f32,
}

/// Impossible bands.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BandsError {
    /// A border is NaN, negative, or not beyond the one before it.
    Border(f32),
    /// The hysteresis is NaN, infinite or negative.
    Hysteresis(f32),
}

impl fmt::Display for BandsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BandsError::Border(it) => write!(f, "the border at {it} m is not farther away than the one before it"),
            BandsError::Hysteresis(it) => {
                write!(f, "the hysteresis is {it} m: it must be a finite distance, 0 or more")
            }
        }
    }
}

impl fmt::Debug for BandsError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BandsError {}

impl Bands {
    /// The bands from near to far, each with the distance at which it ends; then the rate beyond
    /// them; then the hysteresis: by how much an agent must be past a border to change to the
    /// slower rate.
    ///
    /// # Errors
    /// If the borders do not rise, or the hysteresis is not a distance.
    pub fn new(
        bands: impl IntoIterator<Item = (f32, Rate)>,
        beyond: Rate,
        hysteresis: f32,
    ) -> Result<Self, BandsError> {
        if !hysteresis.is_finite() || hysteresis < 0.0 {
            return Err(BandsError::Hysteresis(hysteresis));
        }
        let mut all: Vec<(f32, Rate)> = Vec::new();
        for (border, rate) in bands {
            let before = all.last().map_or(0.0, |it| it.0);
            if border.is_nan() || border < before || (border == before && !all.is_empty()) {
                return Err(BandsError::Border(border));
            }
            all.push((border, rate));
        }
        all.push((f32::INFINITY, beyond));
        Ok(Bands { bands: all, hysteresis })
    }

    /// The rate at a distance, for an agent with the rate `current`. An agent that comes nearer
    /// changes to the faster rate at once. One that moves away changes to the slower rate only when
    /// it is past the border by the hysteresis. If the distance is NaN, nothing changes.
    #[must_use]
    pub fn rate(&self, distance: f32, current: Rate) -> Rate {
        if distance.is_nan() {
            return current;
        }
        let band = |distance: f32| self.bands.partition_point(|it| it.0 < distance).min(self.bands.len() - 1);
        let target = band(distance);
        let rate = match self.bands.iter().position(|it| it.1 == current) {
            Some(own) if target > own => band(distance - self.hysteresis).max(own),
            _ => target,
        };
        self.bands[rate].1
    }
}
