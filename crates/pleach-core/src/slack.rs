//! When a list gives back the room that a flood took: not at once, as the next flood may come soon,
//! but after some frames in which it needed little of that room.

/// A list with room for this many or fewer gives none back.
pub(crate) const KEPT: usize = 32;
/// The number of quiet frames in a row after which the list gives back room.
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
    /// Notes how many items the list holds.
    pub(crate) fn note(&mut self, count: usize) {
        self.most = self.most.max(count);
    }

    /// Begins a frame. Returns whether the list, with this room, should give it back.
    pub(crate) fn begin_frame(&mut self, room: usize) -> bool {
        let little = room > KEPT && self.most <= room / 4;
        self.quiet = if little { self.quiet.saturating_add(1) } else { 0 };
        self.most = 0;
        self.quiet > QUIET
    }
}
