//! When a list gives back the room that a flood took: not at once, as the next flood may come, but
//! after some frames in which it needed little of that room.

/// A list never gives back room for so few.
pub(crate) const KEPT: usize = 32;
/// The list gives back room after so many frames, one after the other.
pub(crate) const QUIET: u32 = 120;

/// How much of its room a list needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slack {
    /// The most that the list held in this frame.
    most: usize,
    /// For how many frames it needed little of its room.
    quiet: u32,
}

impl Slack {
    /// The list holds so many.
    pub(crate) fn note(&mut self, count: usize) {
        self.most = self.most.max(count);
    }

    /// A frame begins. Tells whether the list is to give back its room for so many.
    pub(crate) fn begin_frame(&mut self, room: usize) -> bool {
        let little = room > KEPT && self.most <= room / 4;
        self.quiet = if little { self.quiet.saturating_add(1) } else { 0 };
        self.most = 0;
        self.quiet > QUIET
    }
}
