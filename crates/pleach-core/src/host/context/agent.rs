//! What [`AgentContext`] and [`Context`] have in common: everything that a leaf can do without its
//! host.

use std::ops::Range;

use super::{AgentContext, unheard_of};
use crate::blackboard::Schema;
use crate::clock::{self, Moment, Span};
use crate::keys::rows::AgentKeys;
use crate::request::{Asker, Request};
use crate::rng::Stream;
use crate::{
    AgentId, BlackboardType, Entity, Event, GroupId, Key, NodeId, Spawn, Symbol, Ticket, Time, TreeId,
    error::AccessError,
};

impl AgentContext<'_> {
    /// See [`Context::agent`](crate::Context::agent).
    #[inline(always)]
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.ids[self.at.index()]
    }

    /// See [`Context::entity`](crate::Context::entity).
    #[inline(always)]
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

    /// The declarations of the agent's tree: for leaves that look up the words of a key, or the
    /// payload of an event, at run time.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.schema
    }

    /// See [`Context::time`](crate::Context::time).
    #[inline]
    #[must_use]
    pub fn time(&self) -> f64 {
        self.moment().seconds()
    }

    /// See [`Context::now`](crate::Context::now).
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        self.call.now.time()
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
    pub fn rng(&mut self) -> &mut Stream {
        &mut self.access.life_mut(self.at).rng
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
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn get<T: BlackboardType>(&self, key: Key<T>) -> T {
        AgentKeys::get(self, self.at, key)
    }

    /// See [`Context::try_get`](crate::Context::try_get).
    #[inline(always)]
    #[must_use]
    pub fn try_get<T: BlackboardType>(&self, key: Key<T>) -> Option<T> {
        AgentKeys::try_get(self, self.at, key)
    }

    /// See [`Context::set`](crate::Context::set).
    #[inline(always)]
    #[track_caller]
    pub fn set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> bool {
        AgentKeys::set(self, self.at, key, value)
    }

    /// See [`Context::try_set`](crate::Context::try_set).
    #[inline]
    pub fn try_set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> Result<bool, AccessError> {
        AgentKeys::try_set(self, self.at, key, value)
    }

    /// See [`Context::reset`](crate::Context::reset).
    #[inline]
    #[track_caller]
    pub fn reset<T: BlackboardType>(&mut self, key: Key<T>) -> bool {
        AgentKeys::reset(self, self.at, key)
    }

    /// See [`Context::try_reset`](crate::Context::try_reset).
    pub fn try_reset<T: BlackboardType>(&mut self, key: Key<T>) -> Result<bool, AccessError> {
        AgentKeys::try_reset(self, self.at, key)
    }

    /// See [`Context::reset_all`](crate::Context::reset_all).
    #[inline]
    pub fn reset_all(&mut self) {
        AgentKeys::reset_all(self, self.at);
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
    #[track_caller]
    pub fn event(&self, name: &str) -> Option<Event> {
        if let Err(error) = self.schema.known_events().find(Symbol::new(name), name) {
            unheard_of(&error);
        }
        self.events().find(|it| it.is(name)).copied()
    }

    /// See [`Context::send`](crate::Context::send).
    #[inline]
    pub fn send(&mut self, to: AgentId, event: Event) {
        self.call.requests.push_back(Request::Send(to, event, (self.agent(), self.node)));
    }

    /// See [`Context::send_to_group`](crate::Context::send_to_group).
    #[inline]
    pub fn send_to_group(&mut self, group: GroupId, event: Event) {
        self.call.requests.push_back(Request::SendToGroup(group, event, (self.agent(), self.node)));
    }

    /// A node sends an event to the other members of the agent's group, if it is in one.
    pub(crate) fn tell_group(&mut self, node: NodeId, event: Event) {
        if let Some(group) = self.group() {
            self.call.requests.push_back(Request::SendToGroup(group, event, (self.agent(), node)));
        }
    }

    /// See [`Context::stop`](crate::Context::stop).
    #[inline]
    pub fn stop(&mut self) {
        self.call.requests.push_back(Request::Disable(self.agent()));
    }

    /// See [`Context::restart`](crate::Context::restart).
    #[inline]
    pub fn restart(&mut self) {
        self.call.requests.push_back(Request::Restart(self.agent()));
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
        self.call.requests.push_back(Request::Spawn(tree, spawn, Asker::Callback, (self.agent(), ticket)));
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
        // `min` would turn NaN into the longest sleep.
        let seconds = if seconds.is_nan() { 0.0 } else { f64::from(seconds).min(crate::limits::MAX_SECONDS) };
        let span = clock::span(seconds).unwrap_or(Span::ZERO);
        self.sleep = self.moment() + span;
    }

    /// See [`Context::sleep_until_change`](crate::Context::sleep_until_change).
    #[inline]
    pub fn sleep_until_change(&mut self) {
        self.sleep = Moment::NEVER;
    }
}
