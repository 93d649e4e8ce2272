//! What the agents of a chunk do with the places of tokens while other chunks are ticked at the
//! same time (SEMANTICS 8.36).

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::place::SharedPlace;
use super::shared::{Cell, Shared};
use super::tokens::{Deed, Places};
use crate::clock::Moment;
use crate::ids::AgentId;

/// The places for which a chunk is the home in this frame.
pub(crate) struct Homes<'a> {
    pub(crate) frame: u64,
    /// The number of the chunk.
    pub(crate) chunk: u32,
    /// The home of the places of each token of the forest, by its key.
    pub(crate) of_forest: &'a [(SharedPlace, u32)],
    /// The number of the chunk that an agent is in.
    pub(crate) chunk_of: &'a (dyn Fn(AgentId) -> Option<u32> + Sync),
}

impl fmt::Debug for Homes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Homes").field("frame", &self.frame).field("chunk", &self.chunk).finish_non_exhaustive()
    }
}

impl Homes<'_> {
    fn has(&self, under: &Shared, cell: Cell) -> bool {
        let group = match cell {
            Cell::Group(group, _) => group,
            Cell::Global(at) => return self.of_forest.contains(&(at, self.chunk)),
        };
        let members = under.members(group).unwrap_or_default();
        let Some(count) = u64::try_from(members.len()).ok().filter(|it| *it > 0) else { return false };
        let member = members[usize::try_from(self.frame % count).expect("less than the members")];
        (self.chunk_of)(member) == Some(self.chunk)
    }
}

/// Deeds with places that cannot be changed yet. It keeps its memory from tick to tick.
#[derive(Debug, Default)]
pub(crate) struct TokenWrites {
    /// All deeds, in order. Those of one agent in a tick are adjacent.
    deeds: Vec<(Cell, AgentId, Deed)>,
    /// The used places whose home is here, and their resulting states.
    homes: IndexSet<Cell, FxBuildHasher>,
    copies: Vec<Places>,
}

impl TokenWrites {
    /// Whether an agent would get one of `count` places.
    pub(super) fn gives_place(
        &self,
        under: &Shared,
        homes: &Homes<'_>,
        cell: Cell,
        agent: AgentId,
        count: u32,
    ) -> bool {
        if let Some(copy) = self.homes.get_index_of(&cell) {
            return self.copies[copy].would_give(agent, count);
        }
        let Some(places) = under.places(cell) else { return count > 0 && homes.has(under, cell) };
        places.would_give(agent, count)
            && (homes.has(under, cell) || places.is_waiting(agent) && self.waits(cell, agent).is_none())
    }

    pub(super) fn is_waiting(&self, under: &Shared, cell: Cell, agent: AgentId) -> bool {
        match self.waits(cell, agent) {
            Some(waits) => waits,
            None => under.places(cell).is_some_and(|it| it.is_waiting(agent)),
        }
    }

    /// Whether an agent's deeds in this tick make it wait, if there are any.
    fn waits(&self, cell: Cell, agent: AgentId) -> Option<bool> {
        let own = self.deeds.iter().rev().take_while(|it| it.1 == agent).filter(|it| it.0 == cell);
        own.filter(|it| !matches!(it.2, Deed::GiveBack(_))).map(|it| matches!(it.2, Deed::Wait(_))).next()
    }

    /// An agent does something. Returns whether others here may get another answer.
    pub(super) fn note(&mut self, under: &Shared, homes: &Homes<'_>, cell: Cell, agent: AgentId, deed: Deed) -> bool {
        self.deeds.push((cell, agent, deed));
        let copy = match self.homes.get_index_of(&cell) {
            Some(copy) => copy,
            None if !homes.has(under, cell) => return false,
            None => {
                let (copy, _) = self.homes.insert_full(cell);
                if copy == self.copies.len() {
                    self.copies.push(Places::default());
                }
                match under.places(cell) {
                    Some(places) => self.copies[copy].clone_from(places),
                    None => self.copies[copy] = Places::default(),
                }
                copy
            }
        };
        self.copies[copy].note(agent, deed)
    }

    /// Applies all of it, and forgets it.
    pub(crate) fn apply(&mut self, under: &mut Shared, now: Moment) {
        for (cell, agent, deed) in self.deeds.drain(..) {
            under.note_deed(cell, agent, deed, now);
        }
        self.homes.clear();
    }
}
