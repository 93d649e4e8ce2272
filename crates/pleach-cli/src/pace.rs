//! How many frames a run has, and how long each is.

use crate::args::RunArgs;
use crate::failure::Failure;

/// The most frames of one run: the time of each is stored.
const MAX_FRAMES: u32 = 20_000_000;

/// How many frames, and how long each is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) frames: u32,
    pub(crate) dt: f32,
    pub(crate) hz: u32,
}

impl Pace {
    /// # Errors
    /// More than [`MAX_FRAMES`].
    pub(crate) fn of(args: &RunArgs) -> Result<Pace, Failure> {
        let frames = (args.seconds * f64::from(args.hz)).round().max(1.0);
        if frames > f64::from(MAX_FRAMES) {
            return Err(Failure::Usage(format!(
                "{} s at {} Hz make {frames} frames, but the limit is {MAX_FRAMES}: run it for a shorter time",
                args.seconds, args.hz
            )));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, as has just been asked")]
        let frames = frames as u32;
        #[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is what is wanted")]
        let dt = (1.0 / f64::from(args.hz)) as f32;
        Ok(Pace { frames, dt, hz: args.hz })
    }

    /// The time at the end of a frame, in seconds. Frames are counted from 1.
    pub(crate) fn seconds(self, frame: u32) -> f64 {
        f64::from(frame) / f64::from(self.hz)
    }
}
