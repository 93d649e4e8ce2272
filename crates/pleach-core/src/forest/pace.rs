//! Level of detail: agents that are ticked more rarely than every frame.

use super::chunk::CHUNK;
use crate::bits::Bits;
use crate::clock::Nanos;
use crate::limits::MAX_RATE;

/// How often an agent is ticked. Its own time goes on in any case, so that nothing is late by more than the frames left
/// out; [`Context::dt`](crate::Context::dt) is the time since its last tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate(u8);

/// A rate that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "every {0}th frame is no rate: it must be 1 to {MAX_RATE}, and an agent that is never ticked has `Rate::NEVER`"
)]
pub struct RateError(pub u32);

impl Rate {
    /// In every frame.
    pub const EVERY_FRAME: Rate = Rate(1);
    /// In none. Time passes, events wait, nothing is asked.
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

    /// From one tick to the next; `None` if there is none.
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

/// The rates of a chunk's agents; only chunks that had a rate set have one of these.
#[derive(Debug, Default)]
pub(super) struct Pace {
    pub(super) rates: Vec<Rate>,
    /// Each agent's own time at its last tick.
    pub(super) ticked: Vec<Nanos>,
    /// The agents of each rate but the first.
    masks: Vec<(Rate, Bits)>,
}

impl Pace {
    /// For agents that were ticked at these times of their own.
    pub(super) fn new(ticked: Vec<Nanos>) -> Self {
        Pace { rates: vec![Rate::EVERY_FRAME; ticked.len()], ticked, masks: Vec::new() }
    }

    pub(super) fn push(&mut self) {
        self.rates.push(Rate::EVERY_FRAME);
        self.ticked.push(0);
    }

    pub(super) fn swap_remove(&mut self, at: usize) {
        let last = self.rates.len() - 1;
        self.set(at, self.rates[last]);
        self.set(last, Rate::EVERY_FRAME);
        self.rates.pop();
        self.ticked.swap_remove(at);
    }

    pub(super) fn set(&mut self, at: usize, rate: Rate) {
        let (word, bit) = (at / 64, 1 << (at % 64));
        if let Some((_, mask)) = self.masks.iter_mut().find(|it| it.0 == self.rates[at]) {
            mask[word] &= !bit;
        }
        self.rates[at] = rate;
        if rate != Rate::EVERY_FRAME {
            let known = self.masks.iter().position(|it| it.0 == rate);
            let index = known.unwrap_or_else(|| {
                self.masks.push((rate, [0; CHUNK / 64]));
                self.masks.len() - 1
            });
            self.masks[index].1[word] |= bit;
        }
    }

    /// Those whose turn it is in a frame. Agents of one rate take turns by their places, so that each frame does its share.
    pub(super) fn turn(&self, frame: u64) -> Bits {
        let mut turn = [u64::MAX; CHUNK / 64];
        for (rate, mask) in &self.masks {
            let pattern = pattern(*rate, frame);
            for ((turn, mask), pattern) in turn.iter_mut().zip(mask).zip(&pattern) {
                *turn &= !mask | pattern;
            }
        }
        turn
    }
}

/// Every n-th place, another one in each of n frames.
fn pattern(rate: Rate, frame: u64) -> Bits {
    let mut bits = [0; CHUNK / 64];
    if let Some(step) = rate.frames() {
        let first = usize::try_from(frame % u64::from(step)).expect("a rate is small");
        for at in (first..CHUNK).step_by(step as usize) {
            bits[at / 64] |= 1 << (at % 64);
        }
    }
    bits
}

/// When the last frames were.
#[derive(Debug)]
pub(super) struct Frames {
    /// How many there have been.
    pub(super) count: u64,
    times: [Nanos; MAX_RATE as usize + 1],
}

impl Frames {
    pub(super) fn new() -> Self {
        Frames { count: 0, times: [0; MAX_RATE as usize + 1] }
    }

    /// A frame begins.
    pub(super) fn begin(&mut self, now: Nanos) {
        self.count += 1;
        self.times[Self::place(self.count)] = now;
    }

    /// The forest's time of a frame so many before this one; 0 before the first.
    pub(super) fn ago(&self, frames: u32) -> Nanos {
        self.count.checked_sub(frames.into()).map_or(0, |it| self.times[Self::place(it)])
    }

    fn place(frame: u64) -> usize {
        usize::try_from(frame % (u64::from(MAX_RATE) + 1)).expect("MAX_RATE is small")
    }
}

/// Rates by distance, for [`Forest::update_rates`](crate::Forest::update_rates): the nearer, the more often. Hysteresis
/// keeps agents at a border from going to and fro.
///
/// ```
/// use pleach_core::{Bands, Rate};
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
    /// Up to which distance, and the rate; the last one has no end.
    bands: Vec<(f32, Rate)>,
    hysteresis: f32,
}

/// Bands that are none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BandsError {
    /// A border is NaN, negative, or not behind the one before it.
    #[error("the border at {0} m is not behind the one before it")]
    Border(f32),
    /// The hysteresis is NaN, infinite or negative.
    #[error("a hysteresis of {0} m: it must be a finite distance, 0 or more")]
    Hysteresis(f32),
}

impl Bands {
    /// The bands from near to far, each with the distance at which it ends; the rate beyond them; and by how much an agent
    /// must be past a border to change its rate to the slower one.
    ///
    /// # Errors
    /// If the borders do not rise, or the hysteresis is no distance.
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

    /// The rate at a distance, of an agent that has this rate now. Nearer is faster at once, farther slower only behind the
    /// border by the hysteresis. At a distance that is NaN nothing changes.
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
