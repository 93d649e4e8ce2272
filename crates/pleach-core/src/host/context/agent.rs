//! What [`AgentContext`] and [`Context`] have in common: all that a leaf can do without its host.

use std::ops::Range;

use rand_xoshiro::SplitMix64;

use super::{AgentContext, foreign, not_a_word, unheard_of};
use crate::blackboard::Refused;
use crate::clock::{self, Moment, Span};
use crate::request::{Asker, Request};
use crate::{AccessError, AgentId, BlackboardType, Entity, Event, GroupId, Key, NodeId, Spawn, Symbol, Ticket, TreeId};

impl AgentContext<'_> {
    /// See [`Context::agent`](crate::Context::agent).
    #[inline]
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.id()
    }

    /// See [`Context::entity`](crate::Context::entity).
    #[inline]
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.ties.map_or(Entity::NONE, |it| it.entity(self.at))
    }

    /// See [`Context::group`](crate::Context::group).
    #[inline]
    #[must_use]
    pub fn group(&self) -> Option<GroupId> {
        self.ties?.group(self.at).map(|it| it.0)
    }

    /// See [`Context::node`](crate::Context::node).
    #[inline]
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// See [`Context::time`](crate::Context::time).
    #[inline]
    #[must_use]
    pub fn time(&self) -> f64 {
        self.now().seconds()
    }

    /// See [`Context::dt`](crate::Context::dt).
    #[inline]
    #[must_use]
    pub fn dt(&self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "the span came from an `f32`")]
        let dt = self.span().seconds() as f32;
        dt
    }

    /// See [`Context::rng`](crate::Context::rng).
    #[inline]
    pub fn rng(&mut self) -> &mut SplitMix64 {
        &mut self.lives[self.at.index()].rng
    }

    /// See [`Context::random`](crate::Context::random).
    #[inline]
    pub fn random(&mut self) -> f64 {
        crate::rng::unit(self.rng())
    }

    /// See [`Context::random_range`](crate::Context::random_range).
    #[inline]
    pub fn random_range(&mut self, range: Range<f32>) -> f32 {
        crate::rng::within(self.rng(), range)
    }

    /// See [`Context::get`](crate::Context::get).
    #[inline]
    #[must_use]
    pub fn get<T: BlackboardType>(&self, key: Key<T>) -> T {
        self.try_get(key).unwrap_or_else(|| foreign(key))
    }

    /// See [`Context::try_get`](crate::Context::try_get).
    #[inline]
    #[must_use]
    pub fn try_get<T: BlackboardType>(&self, key: Key<T>) -> Option<T> {
        // The tag of a key of the agent's board differs from all others.
        match self.board.get(self.at, key) {
            Ok(value) => Some(value),
            Err(_) => self.shared_value(key),
        }
    }

    /// See [`Context::get_or`](crate::Context::get_or).
    #[inline]
    #[must_use]
    pub fn get_or<T: BlackboardType>(&self, key: Key<T>, otherwise: T) -> T {
        let value = self.get(key);
        match self.default(key) {
            Some(default) if value.same(default) => otherwise,
            Some(_) => value,
            None => foreign(key),
        }
    }

    /// See [`Context::set`](crate::Context::set).
    #[inline]
    pub fn set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> bool {
        match self.write(key, value) {
            Ok(changed) => changed,
            Err(Refused::Foreign) => foreign(key),
            Err(Refused::NotAWord) => not_a_word(self.schema, key, value),
        }
    }

    /// See [`Context::try_set`](crate::Context::try_set).
    #[inline]
    pub fn try_set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> Result<bool, AccessError> {
        self.write(key, value).map_err(|it| AccessError::of(it, self.schema, key))
    }

    /// See [`Context::remove`](crate::Context::remove).
    #[inline]
    pub fn remove<T: BlackboardType>(&mut self, key: Key<T>) -> bool {
        let Some(default) = self.default(key) else { foreign(key) };
        self.put(key, default).unwrap_or_else(|_| foreign(key))
    }

    /// See [`Context::clear`](crate::Context::clear).
    #[inline]
    pub fn clear(&mut self) {
        self.board.clear(self.at);
    }

    /// See [`Context::events`](crate::Context::events).
    #[inline]
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.call.opened.all().iter()
    }

    /// See [`Context::event`](crate::Context::event).
    ///
    /// # Panics
    /// If the agent's tree knows no such event.
    #[inline]
    #[must_use]
    pub fn event(&self, name: &str) -> Option<Event> {
        if let Err(error) = self.schema.known_events().find(Symbol::new(name), name) {
            unheard_of(&error);
        }
        self.events().find(|it| it.is(name)).copied()
    }

    /// See [`Context::send`](crate::Context::send).
    #[inline]
    pub fn send(&mut self, to: AgentId, event: Event) {
        self.call.requests.push_back(Request::Send(to, event));
    }

    /// See [`Context::send_to_group`](crate::Context::send_to_group).
    #[inline]
    pub fn send_to_group(&mut self, group: GroupId, event: Event) {
        self.call.requests.push_back(Request::SendToGroup(group, self.id(), event));
    }

    /// Sends an event to the other members of the agent's group, if it is in one.
    pub(crate) fn tell_group(&mut self, event: Event) {
        if let Some(group) = self.group() {
            self.send_to_group(group, event);
        }
    }

    /// See [`Context::stop`](crate::Context::stop).
    #[inline]
    pub fn stop(&mut self) {
        self.call.requests.push_back(Request::Disable(self.id()));
    }

    /// See [`Context::restart`](crate::Context::restart).
    #[inline]
    pub fn restart(&mut self) {
        self.call.requests.push_back(Request::Restart(self.id()));
    }

    /// See [`Context::despawn`](crate::Context::despawn).
    #[inline]
    pub fn despawn(&mut self, agent: AgentId) {
        self.call.requests.push_back(Request::Despawn(agent));
    }

    /// See [`Context::spawn`](crate::Context::spawn).
    #[inline]
    pub fn spawn(&mut self, tree: TreeId, spawn: Spawn) -> Ticket {
        let ticket = self.call.requests.ticket();
        self.call.requests.push_back(Request::Spawn(tree, spawn, Asker::Callback, (self.id(), ticket)));
        ticket
    }

    /// See [`Context::spawned`](crate::Context::spawned).
    #[inline]
    #[must_use]
    pub fn spawned(&self, ticket: Ticket) -> Option<AgentId> {
        self.call.opened.spawned(ticket)
    }

    /// See [`Context::sleep`](crate::Context::sleep).
    #[inline]
    pub fn sleep(&mut self, seconds: f32) {
        // `min` would make the longest sleep of NaN.
        let seconds = if seconds.is_nan() { 0.0 } else { f64::from(seconds).min(crate::limits::MAX_SECONDS) };
        let span = clock::span(seconds).unwrap_or(Span::ZERO);
        self.sleep = self.now() + span;
    }

    /// See [`Context::sleep_until_change`](crate::Context::sleep_until_change).
    #[inline]
    pub fn sleep_until_change(&mut self) {
        self.sleep = Moment::END;
    }
}
