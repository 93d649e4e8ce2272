//! Which keys `run --record` records.

use clap::ValueEnum;

/// Which keys a recording has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordedKeys {
    /// Only what expressions read: enough for a replay to repeat every decision
    Read,
    /// Also all keys, four times per second of game time
    Sampled,
    /// Also all keys, in every frame
    All,
}

impl RecordedKeys {
    /// The interval in frames at which all keys are recorded; 0 is never.
    pub(crate) fn every(self, hz: u32) -> u32 {
        match self {
            RecordedKeys::Read => 0,
            RecordedKeys::Sampled => (hz / 4).max(1),
            RecordedKeys::All => 1,
        }
    }
}
