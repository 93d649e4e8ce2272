//! Which keys `run --record` notes.

use clap::ValueEnum;

/// Which keys a recording has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordedKeys {
    /// What expressions read, which is all that a replay decides by
    Read,
    /// All keys too, four times a second of the game
    Sampled,
    /// All keys too, in every frame
    All,
}

impl RecordedKeys {
    /// Every how many frames keys are noted; 0 is never.
    pub(crate) fn every(self, hz: u32) -> u32 {
        match self {
            RecordedKeys::Read => 0,
            RecordedKeys::Sampled => (hz / 4).max(1),
            RecordedKeys::All => 1,
        }
    }
}
