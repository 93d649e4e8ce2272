//! An agent outside any chunk: what leaves see of it besides its keys, in one piece. A call of its
//! leaves borrows the piece, and finds what a leaf asks for when it asks.

use std::slice;

use crate::blackboard::changes::Changes;
use crate::life::Life;

/// What leaves see of an agent outside any chunk, besides its keys.
#[derive(Clone)]
pub(crate) struct LoneAgent {
    pub(crate) life: Life,
    /// The observers that read a changed key, for a tree with at most one word of observers. Other
    /// trees keep them with their run state.
    pub(crate) dirty: u64,
    /// One bit, as in a set of agents.
    pub(crate) dirty_agents: u64,
}

impl LoneAgent {
    pub(crate) fn new(life: Life) -> Self {
        LoneAgent { life, dirty: 0, dirty_agents: 0 }
    }

    /// Its parts, as a row of columns.
    #[inline(always)]
    pub(crate) fn lend(&mut self) -> (&mut [Life], Changes<'_>) {
        let LoneAgent { life, dirty, dirty_agents } = self;
        let changes = Changes::new(slice::from_mut(dirty), slice::from_mut(dirty_agents));
        (slice::from_mut(life), changes)
    }

    /// It has moved to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty(&mut self) {
        self.dirty_agents = u64::from(self.dirty != 0);
    }
}
