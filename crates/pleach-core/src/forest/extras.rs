//! Rarely used parts of chunks: turns, ties and mail. They are behind one pointer, as many trees
//! have a single agent, whose chunk should cost little more than its contents.

use super::mail::Inbox;
use crate::row::Row;
use crate::ties::Ties;
use crate::turns::Turns;

/// Rarely used parts of a chunk; made when first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras(Option<Box<Kept>>);

#[derive(Clone, Debug, Default)]
struct Kept {
    /// Set if some agent had no turn in some frame (SEMANTICS 8.2).
    turns: Option<Box<Turns>>,
    ties: Ties,
    inbox: Inbox,
}

impl Extras {
    #[inline]
    pub(super) fn turns(&self) -> Option<&Turns> {
        self.0.as_ref()?.turns.as_deref()
    }

    #[inline]
    pub(super) fn turns_mut(&mut self) -> Option<&mut Turns> {
        self.0.as_mut()?.turns.as_deref_mut()
    }

    /// The turns, which are made if there are none.
    pub(super) fn keep_turns(&mut self, make: impl FnOnce() -> Turns) -> &mut Turns {
        self.0.get_or_insert_default().turns.get_or_insert_with(|| Box::new(make()))
    }

    /// The entities and groups of the agents, if any agent has one.
    #[inline]
    pub(super) fn ties(&self) -> Option<&Ties> {
        self.0.as_ref().map(|it| &it.ties)
    }

    /// The same, made if there are none.
    pub(super) fn ties_mut(&mut self) -> &mut Ties {
        &mut self.0.get_or_insert_default().ties
    }

    /// What waits for the agents, if anything ever did.
    pub(super) fn inbox(&self) -> Option<&Inbox> {
        self.0.as_ref().map(|it| &it.inbox)
    }

    #[inline]
    pub(super) fn inbox_mut(&mut self) -> Option<&mut Inbox> {
        self.0.as_mut().map(|it| &mut it.inbox)
    }

    /// The inbox, which is made if nothing ever waited.
    pub(super) fn make_inbox(&mut self) -> &mut Inbox {
        &mut self.0.get_or_insert_default().inbox
    }

    /// All of them, for a tick.
    #[inline]
    pub(super) fn lend(&mut self) -> (Option<&mut Turns>, Option<&Ties>, Option<&mut Inbox>) {
        match self.0.as_deref_mut() {
            Some(Kept { turns, ties, inbox }) => (turns.as_deref_mut(), Some(ties), Some(inbox)),
            None => (None, None, None),
        }
    }

    /// Resizes to `room`. With a room of 0 it holds nothing.
    pub(super) fn fit(&mut self, room: usize) {
        if room == 0 {
            self.0 = None;
        } else if let Some(kept) = &mut self.0 {
            kept.ties.fit(room);
        }
    }

    /// Adds an agent after this frame.
    pub(super) fn push(&mut self, frame: u64) {
        if let Some(kept) = &mut self.0 {
            kept.ties.push();
            if let Some(turns) = &mut kept.turns {
                turns.push(frame);
            }
        }
    }

    /// Removes an agent after this frame; the last agent takes its place.
    pub(super) fn swap_remove(&mut self, row: Row, last: Row, frame: u64) {
        let Some(Kept { turns, ties, inbox }) = self.0.as_deref_mut() else { return };
        if let Some(turns) = turns {
            turns.swap_remove(row, frame);
        }
        ties.swap_remove(row);
        inbox.forget(row);
        inbox.readdress(last, row);
    }
}
