//! What few chunks have: turns, groups and mail. It is behind one pointer, as many trees have a
//! single agent, whose chunk should cost little more than what it holds.

use super::mail::Inbox;
use crate::ids::GroupId;
use crate::row::{self, Row};
use crate::turns::Turns;

/// What few chunks have; made when it is needed first.
#[derive(Debug, Default)]
pub(super) struct Extras(Option<Box<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// Set if some agent had no turn in some frame (SEMANTICS 8.2).
    turns: Option<Box<Turns>>,
    /// The groups of the agents; empty if the population has no groups.
    groups: Vec<GroupId>,
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

    /// The turns, which are made if they are not kept.
    pub(super) fn keep_turns(&mut self, make: impl FnOnce() -> Turns) -> &mut Turns {
        self.0.get_or_insert_default().turns.get_or_insert_with(|| Box::new(make()))
    }

    #[inline]
    pub(super) fn groups(&self) -> &[GroupId] {
        self.0.as_ref().map_or(&[], |it| &it.groups)
    }

    pub(super) fn groups_mut(&mut self) -> &mut [GroupId] {
        self.0.as_mut().map_or(&mut [], |it| &mut it.groups)
    }

    /// The group of the next agent.
    pub(super) fn push_group(&mut self, group: GroupId) {
        self.0.get_or_insert_default().groups.push(group);
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
    pub(super) fn lend(&mut self) -> (Option<&mut Turns>, &[GroupId], Option<&mut Inbox>) {
        match self.0.as_deref_mut() {
            Some(Kept { turns, groups, inbox }) => (turns.as_deref_mut(), groups, Some(inbox)),
            None => (None, &[], None),
        }
    }

    /// Changes for how many agents there is room. If there are none, none is held.
    pub(super) fn fit(&mut self, room: usize) {
        if room == 0 {
            self.0 = None;
        } else if let Some(kept) = &mut self.0
            && !kept.groups.is_empty()
        {
            row::fit(&mut kept.groups, room);
        }
    }

    /// Adds an agent after this frame.
    pub(super) fn push(&mut self, group: Option<GroupId>, frame: u64) {
        if let Some(turns) = self.turns_mut() {
            turns.push(frame);
        }
        if let Some(group) = group {
            self.push_group(group);
        }
    }

    /// Removes an agent after this frame; the last agent takes its place.
    pub(super) fn swap_remove(&mut self, row: Row, last: Row, frame: u64) {
        let Some(Kept { turns, groups, inbox }) = self.0.as_deref_mut() else { return };
        if let Some(turns) = turns {
            turns.swap_remove(row, frame);
        }
        if !groups.is_empty() {
            groups.swap_remove(row.index());
        }
        inbox.forget(row);
        inbox.readdress(last, row);
    }
}
