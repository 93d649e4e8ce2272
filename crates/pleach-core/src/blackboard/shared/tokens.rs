//! The places of the tokens of groups, and of the forest (SEMANTICS 8.36). The key of a token says
//! where its places are and which observers ask for them; its value has no meaning.

use std::collections::VecDeque;

#[cfg(feature = "save")]
use pleach_expr::runtime::TOKEN;

use super::{Cell, Shared};
#[cfg(feature = "save")]
use crate::blackboard::TokenTerms;
use crate::blackboard::place::SharedPlace;
use crate::blackboard::tokens::{Deed, Places, SeenPlaces};
use crate::blackboard::{KeyDecl, Scope};
use crate::clock::{Moment, Span};
#[cfg(feature = "save")]
use crate::ids::salted::Salt;
use crate::ids::{AgentId, GroupId};
#[cfg(feature = "save")]
use crate::save::model::SavedToken;

/// The places of the tokens of a group, or of the forest, by the keys of the tokens. Only those
/// that were asked for, which are few.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(Vec<(SharedPlace, Places)>);

impl Tokens {
    fn get(&self, at: SharedPlace) -> Option<&Places> {
        self.0.iter().find(|it| it.0 == at).map(|it| &it.1)
    }

    fn get_mut(&mut self, at: SharedPlace) -> Option<&mut Places> {
        self.0.iter_mut().find(|it| it.0 == at).map(|it| &mut it.1)
    }

    fn made(&mut self, at: SharedPlace) -> &mut Places {
        let index = self.0.iter().position(|it| it.0 == at).unwrap_or_else(|| {
            self.0.push((at, Places::with_room()));
            self.0.len() - 1
        });
        &mut self.0[index].1
    }

    fn forget(&mut self, at: SharedPlace) {
        self.0.retain(|it| it.0 != at);
    }
}

/// Places that rest, and until when, in this order.
pub(super) type Rests = VecDeque<(Moment, Cell)>;

impl Shared {
    /// The places of a token, if any agent has asked for one.
    pub(crate) fn places(&self, cell: Cell) -> Option<&Places> {
        match cell {
            Cell::Group(group, at) => self.groups.get(group)?.tokens.get(at),
            Cell::Global(at) => self.global_tokens.get(at),
        }
    }

    fn places_mut(&mut self, cell: Cell) -> Option<&mut Places> {
        match cell {
            Cell::Group(group, at) => self.groups.get_mut(group)?.tokens.get_mut(at),
            Cell::Global(at) => self.global_tokens.get_mut(at),
        }
    }

    /// The same, made if the group exists.
    fn places_made(&mut self, cell: Cell) -> Option<&mut Places> {
        match cell {
            Cell::Group(group, at) => Some(self.groups.get_mut(group)?.tokens.made(at)),
            Cell::Global(at) => Some(self.global_tokens.made(at)),
        }
    }

    /// Applies what an agent did, at a moment. Returns whether others may get another answer.
    pub(crate) fn note_deed(&mut self, cell: Cell, agent: AgentId, deed: Deed, now: Moment) -> bool {
        // Nothing is left of a removed group.
        let Some(places) = self.places_made(cell) else { return false };
        let held = places.holds_one(agent);
        let changed = places.note(agent, deed);
        if let Deed::GiveBack(rest) = deed
            && held
            && rest > Span::ZERO
        {
            self.rest_until(cell, now + rest);
        }
        self.note_answers(cell, changed);
        changed
    }

    fn rest_until(&mut self, cell: Cell, end: Moment) {
        let at = self.rests.partition_point(|it| it.0 <= end);
        self.rests.insert(at, (end, cell));
    }

    /// Agents that ask whether a place is free may get another answer.
    fn note_answers(&mut self, cell: Cell, changed: bool) {
        let (table, at) = match cell {
            Cell::Group(_, at) => (&self.group_table, at),
            Cell::Global(at) => (&self.global_table, at),
        };
        if changed && table.watched[at.index()] {
            self.changed.insert(cell);
        }
    }

    /// Whether a place has rested by now.
    #[inline(always)]
    pub(crate) fn has_rested(&self, now: Moment) -> bool {
        self.rests.front().is_some_and(|it| it.0 <= now)
    }

    /// Frees the places that have rested by now. Reports those for which an answer may have
    /// changed.
    pub(crate) fn end_rests(&mut self, now: Moment, mut tell: impl FnMut(Cell)) {
        while self.has_rested(now)
            && let Some((_, cell)) = self.rests.pop_front()
        {
            if let Some(places) = self.places_mut(cell) {
                places.rested();
                // Whether the answers change also depends on how many places there are. The tree
                // that knows that may not have been asked since a restore.
                self.note_answers(cell, true);
                tell(cell);
            }
        }
    }

    /// An agent no longer waits for any token of its group, nor for one of the forest.
    pub(crate) fn stop_waiting(&mut self, agent: AgentId, group: Option<GroupId>, global: bool) {
        let of_group = group.and_then(|it| Some((it, &self.groups.get(it)?.tokens)));
        let waits = |it: &&(SharedPlace, Places)| it.1.is_waiting(agent);
        let mut cells: Vec<Cell> = Vec::new();
        if let Some((group, tokens)) = of_group {
            cells.extend(tokens.0.iter().filter(waits).map(|it| Cell::Group(group, it.0)));
        }
        if global {
            cells.extend(self.global_tokens.0.iter().filter(waits).map(|it| Cell::Global(it.0)));
        }
        for cell in cells {
            let changed = self.places_mut(cell).is_some_and(|it| it.note(agent, Deed::Stop));
            self.note_answers(cell, changed);
        }
    }

    /// Removes the places of a token that no tree declares any more.
    pub(super) fn forget_token(&mut self, decl: &KeyDecl, at: Option<SharedPlace>) {
        let Some(at) = at.filter(|_| decl.is_token()) else { return };
        if decl.scope() == Scope::Group {
            self.groups.values_mut().for_each(|it| it.tokens.forget(at));
            self.rests.retain(|it| !matches!(it.1, Cell::Group(_, place) if place == at));
        } else {
            self.global_tokens.forget(at);
            self.rests.retain(|it| it.1 != Cell::Global(at));
        }
    }

    /// The places of a token, and how much longer the first resting one rests, to look at.
    pub(crate) fn seen_places(&self, cell: Cell, now: Moment) -> (SeenPlaces, Option<Span>) {
        let seen = self.places(cell).map(Places::seen).unwrap_or_default();
        let rests = self.rests.iter().find(|it| it.1 == cell).map(|it| it.0.since(now));
        (seen, rests)
    }
}

/// What has happened to a place that a saved agent held.
#[cfg(feature = "save")]
pub(crate) struct SavedHold {
    pub(crate) agent: AgentId,
    pub(crate) group: Option<GroupId>,
    pub(crate) token: String,
    /// Its Token carries on. Otherwise it gives the place back.
    pub(crate) goes_on: bool,
    /// What the loaded tree says about the token, if it has it.
    pub(crate) terms: Option<TokenTerms>,
}

#[cfg(feature = "save")]
impl Shared {
    /// The resting places and waiting agents, for the selected agents: of the whole forest, or of
    /// groups with such an agent as a member.
    pub(crate) fn saved_tokens(&self, now: Moment, meant: impl Fn(AgentId) -> bool, whole: bool) -> Vec<SavedToken> {
        let salt = self.groups.salt();
        let groups = self.groups.entries().map(|(id, it)| (Some(salt.key::<GroupId>(id)), &it.tokens));
        let is_meant = |group: GroupId| whole || self.members(group).unwrap_or_default().iter().any(|it| meant(*it));
        let groups = groups.filter(|it| it.0.is_none_or(is_meant));
        let mut saved = Vec::new();
        for (group, tokens) in groups.chain([(None, &self.global_tokens)]) {
            for (at, places) in &tokens.0 {
                let cell = group.map_or(Cell::Global(*at), |it| Cell::Group(it, *at));
                let table = if group.is_some() { &self.group_table } else { &self.global_table };
                let Some((name, _)) = table.keys.iter().find(|it| it.1.place == *at) else { continue };
                let rests = self.rests.iter().filter(|it| it.1 == cell && (whole || group.is_some()));
                let rests: Vec<Span> = rests.map(|it| it.0.since(now)).collect();
                let queue = places.seen().queue.into_iter().filter(|it| meant(*it)).map(|it| salt.plain(it));
                let queue: Vec<u64> = queue.collect();
                if !(rests.is_empty() && queue.is_empty()) {
                    let token = name.strip_prefix(TOKEN).unwrap_or(name).to_owned();
                    saved.push(SavedToken { group: group.map(|it| salt.plain(it)), token, rests, queue });
                }
            }
        }
        saved
    }

    fn cell_of_token(&self, group: Option<GroupId>, token: &str) -> Option<Cell> {
        let table = if group.is_some() { &self.group_table } else { &self.global_table };
        let at = table.keys.get(&*format!("{TOKEN}{token}"))?.place;
        Some(group.map_or(Cell::Global(at), |it| Cell::Group(it, at)))
    }

    /// Returns places that saved agents held to them.
    pub(crate) fn bring_holds(&mut self, holds: &[SavedHold], now: Moment) {
        for hold in holds {
            let Some(cell) = self.cell_of_token(hold.group, &hold.token) else { continue };
            let Some(terms) = hold.terms else { continue };
            let Some(places) = self.places_made(cell) else { continue };
            places.bring_hold(hold.agent, terms.count);
            if !hold.goes_on {
                self.note_deed(cell, hold.agent, Deed::GiveBack(terms.span()), now);
            }
        }
    }

    /// Restores the tokens of a save: resting places where `rests` says so, and waiting agents that
    /// may wait.
    pub(crate) fn bring_tokens(
        &mut self,
        saved: &[SavedToken],
        (salt, now): (Salt, Moment),
        rests: impl Fn(Option<GroupId>) -> bool,
        may_wait: impl Fn(AgentId, Option<GroupId>, &str) -> Option<u32>,
    ) {
        for it in saved {
            let group = it.group.map(|it| salt.key(it));
            let Some(cell) = self.cell_of_token(group, &it.token) else { continue };
            for rest in it.rests.iter().filter(|_| rests(group)) {
                let Some(places) = self.places_made(cell) else { continue };
                places.rest_one();
                self.rest_until(cell, now + *rest);
            }
            for agent in it.queue.iter().map(|it| salt.key(*it)) {
                if let Some(count) = may_wait(agent, group, &it.token) {
                    self.note_deed(cell, agent, Deed::Wait(count), now);
                }
            }
        }
    }
}
