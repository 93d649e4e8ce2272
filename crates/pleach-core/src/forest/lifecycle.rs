//! How agents are added and removed: spawn, enable, pause, disable, despawn, and the requests of
//! leaves for these.

use std::sync::Arc;

use super::chunk::Chunk;
use super::error::{AddTreeError, SpawnError};
use super::lives::Lives;
use super::panics::Panics;
use super::parts::ForestParts;
use super::parts::Shape;
use super::population::Population;
use super::trees::Place;
use super::{AgentId, Forest, TreeId};
use crate::event::{News, SendError};
use crate::ids::StaleError;
use crate::life::Flags;
use crate::request::{Asker, Request, Requester};
use crate::request::{Completion, Spawn};
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Entity, Event, Host, Reason, Tree, rng};

/// Removes an agent when it is dropped, whether the agent's last callbacks returned or panicked.
struct Leaving<'a, H: Host, T: Tracer> {
    forest: Traced<'a, Forest<H>, T>,
    agent: AgentId,
}

impl<H: Host, T: Tracer> Drop for Leaving<'_, H, T> {
    fn drop(&mut self) {
        self.forest.remove_agent(self.agent);
    }
}

impl<H: Host> Forest<H> {
    /// Reports to the host an event that is refused, and its sender. Returns whether it was not
    /// sent.
    fn tell(
        &self,
        cx: &mut H::Cx<'_>,
        agent: AgentId,
        (from, node): Requester,
        event: Event,
        sent: Result<(), SendError>,
    ) -> bool {
        let Err(mut error) = sent else { return false };
        if let SendError::Refused { .. } = error {
            if let Some(&place) = self.places.get(from) {
                error = self.trees.find(place).0.shape.tree.sent(error, from, node);
            }
            H::on_refused(cx, agent, event, &error);
        }
        true
    }

    /// Adds a tree. Costs nothing per node: the tree is shared.
    ///
    /// # Errors
    /// If a group or global key has another type, default or words than in a tree of the forest
    /// (SEMANTICS 8.9), or an event another payload (SEMANTICS 8.27).
    pub fn add_tree(&mut self, tree: impl Into<Arc<Tree<H>>>) -> Result<TreeId, AddTreeError> {
        let tree = tree.into();
        self.agree(&[(None, &tree)])?;
        let map = self.shared.admit(&tree.schema, &tree.layout);
        self.events.admit(tree.schema.known_events());
        self.scratch.fit(&tree);
        Ok(self.trees.insert(Population::new(tree, map)))
    }

    /// Despawns all agents of a tree, in their order, and removes it, with the group and global
    /// keys that no other tree declares.
    ///
    /// # Errors
    /// If it does not exist.
    ///
    /// # Panics
    /// If a leaf does: agents after its own still exist then, and so does the tree.
    pub fn remove_tree(&mut self, cx: &mut H::Cx<'_>, tree: TreeId) -> Result<(), StaleError> {
        self.traced(&mut NoTracer).remove_tree(cx, tree)
    }

    /// Adds an agent, enabled. Nothing runs in it before the next tick, but the `awake` of its
    /// leaves is called.
    ///
    /// # Errors
    /// If the tree does not exist, or the forest is full.
    ///
    /// # Panics
    /// If an `awake` does, or making a leaf's state. No agent is added then.
    pub fn spawn(&mut self, cx: &mut H::Cx<'_>, tree: TreeId) -> Result<AgentId, SpawnError> {
        self.traced(&mut NoTracer).spawn(cx, tree)
    }

    /// As [`spawn`](Forest::spawn), with options.
    ///
    /// # Errors
    /// If the tree or the group does not exist, or the forest is full.
    ///
    /// # Panics
    /// As [`spawn`](Forest::spawn).
    pub fn spawn_with(&mut self, cx: &mut H::Cx<'_>, tree: TreeId, spawn: Spawn) -> Result<AgentId, SpawnError> {
        self.traced(&mut NoTracer).spawn_with(cx, tree, spawn)
    }

    /// The `awake`s of agents of this tree have been called, and made the requests from `from` on.
    pub(super) fn note_origins(&mut self, tree: TreeId, asker: Asker, from: usize) {
        self.origins.note(tree, asker, &mut self.call.requests, from);
    }

    /// Removes an agent without a callback. What its leaves remember is dropped last: that is host
    /// code, which may panic.
    pub(crate) fn remove_agent(&mut self, agent: AgentId) {
        let Some(place) = self.places.remove(agent) else { return };
        let (shape, chunk) = self.trees.find_mut(place);
        let group = chunk.extras.ties().and_then(|it| it.group(place.row()));
        chunk.swap_remove(&shape.tree, place.row(), self.frame);
        if let Some(&moved) = chunk.ids().get(place.row().index()) {
            self.places[moved] = place;
        }
        if let Some(group) = group {
            self.leave(group);
        }
        let (shape, chunk) = self.trees.find_mut(place);
        let mut panics = Panics::default();
        panics.catch(|| chunk.drop_removed(&shape.tree));
        panics.catch(|| self.trees.made_room(place));
        if std::thread::panicking() {
            // A callback's panic is on its way; a second one would end the program.
            std::mem::forget(panics);
        } else {
            panics.go_on();
        }
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::remove_tree`].
    ///
    /// # Errors
    /// If the tree does not exist.
    ///
    /// # Panics
    /// If a leaf panics. The agents after its own still exist then, and so does the tree.
    pub fn remove_tree(&mut self, cx: &mut H::Cx<'_>, tree: TreeId) -> Result<(), StaleError> {
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        let mut agents = population.chunks.iter().flat_map(|it| it.ids().iter().copied());
        // Most trees have no more than one.
        let (first, others) = (agents.next(), agents.collect::<Vec<AgentId>>());
        for agent in first.into_iter().chain(others) {
            self.despawn_now(cx, agent)?;
        }
        let forest = &mut *self.it;
        if let Some(gone) = forest.trees.remove(tree, &mut forest.cursor) {
            forest.shared.release(&gone.shape.tree.schema);
            forest.events.release(gone.shape.tree.schema.known_events());
        }
        self.carry_out(cx);
        Ok(())
    }

    /// As [`Forest::spawn`].
    ///
    /// # Errors
    /// If the tree does not exist, or the forest is full.
    ///
    /// # Panics
    /// If an `awake` panics, or if making a leaf's state does. No agent is added then.
    pub fn spawn(&mut self, cx: &mut H::Cx<'_>, tree: TreeId) -> Result<AgentId, SpawnError> {
        self.spawn_with(cx, tree, Spawn::default())
    }

    /// As [`Forest::spawn_with`].
    ///
    /// # Errors
    /// If the tree or the group does not exist, or the forest is full.
    ///
    /// # Panics
    /// If an `awake` panics, or if making a leaf's state does. No agent is added then.
    pub fn spawn_with(&mut self, cx: &mut H::Cx<'_>, tree: TreeId, spawn: Spawn) -> Result<AgentId, SpawnError> {
        let agent = self.spawn_now(cx, tree, spawn, Asker::Callback)?;
        self.carry_out(cx);
        Ok(agent)
    }

    fn spawn_now(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        spawn: Spawn,
        asker: Asker,
    ) -> Result<AgentId, SpawnError> {
        let forest = &mut *self.it;
        if let Some(group) = spawn.group
            && !forest.shared.has_group(group)
        {
            return Err(StaleError::Group(group).into());
        }
        if forest.places.len() >= forest.most {
            return Err(SpawnError::Full);
        }
        if !forest.trees.make_room(tree) {
            return Err(SpawnError::Full);
        }
        let (shape, chunk) = forest.trees.room(tree).ok_or(StaleError::Tree(tree))?;
        // This is host code, which may panic, so it runs before anything else knows about the
        // agent.
        chunk.prepare(&shape.tree);
        let grouped = shape.grouped;
        let rng = spawn.seed.map_or_else(|| rng::stream(forest.seed, forest.spawned), rng::exact);
        forest.spawned += 1;
        let at = chunk.end();
        let id = forest.places.insert(Place::new(chunk.number, at));
        if forest.paced {
            chunk.turns(forest.frame, forest.call.now);
        }
        chunk.push(&shape.tree, id, rng, forest.frame);
        if spawn.entity != Entity::NONE {
            chunk.put_entity(at, spawn.entity);
        }
        if spawn.completion == Completion::Stop {
            chunk.flags[at.index()] |= Flags::STOPS;
        }
        if grouped || spawn.group.is_some() {
            forest.enter(id, spawn.group)?;
        }
        if spawn.enabled {
            let mut newborn = Leaving { forest: self.reborrow(), agent: id };
            newborn.forest.enable_now(cx, id, asker)?;
            // The agent stays.
            std::mem::forget(newborn);
        }
        Ok(id)
    }

    /// Pauses or resumes an agent.
    pub(super) fn pause_now(&mut self, cx: &mut H::Cx<'_>, agent: AgentId, paused: bool) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, parts| chunk.pause(shape, cx, parts, at, paused))
    }

    /// Carries out requests in the order in which they were made. Their effects can make more
    /// requests; those are carried out after them (SEMANTICS 8.8).
    #[inline]
    pub(super) fn carry_out(&mut self, cx: &mut H::Cx<'_>) {
        if !self.call.requests.is_empty() {
            self.carry_out_all(cx);
        }
    }

    #[inline(never)]
    fn carry_out_all(&mut self, cx: &mut H::Cx<'_>) {
        self.call.requests.note();
        // Each request is taken out before it is carried out. If a leaf panics in it, the next call
        // continues after it.
        while let Some(request) = self.call.requests.pop_front() {
            // An error means that the agent is gone by now, or that there is no room left. The docs
            // of the requests say what happens then.
            let _refused = match request {
                Request::Send(agent, event, from) => {
                    let sent = self.it.agent_mut(agent).map_err(SendError::from).and_then(|mut it| it.send(event));
                    self.it.tell(cx, agent, from, event, sent)
                }
                Request::SendToGroup(group, event, from) => {
                    let sent = self.send_to_others(group, Some(from.0), event);
                    self.it.tell(cx, from.0, from, event, sent)
                }
                Request::Disable(agent) => self.disable_now(cx, agent).is_err(),
                Request::Restart(agent) => self.restart_now(cx, agent).is_err(),
                Request::Despawn(agent) => self.despawn_now(cx, agent).is_err(),
                Request::Spawn(tree, spawn, asker, (by, ticket)) => match self.spawn_now(cx, tree, spawn, asker) {
                    Ok(agent) => {
                        let asker = self.chunk_mut(by);
                        asker.map(|(chunk, at)| chunk.hand(at, News::Spawned(ticket, agent))).is_err()
                    }
                    Err(_) => true,
                },
            };
        }
        self.origins.clear();
    }

    pub(super) fn enable_now(&mut self, cx: &mut H::Cx<'_>, agent: AgentId, asker: Asker) -> Result<(), StaleError> {
        let (from, mut panics) = (self.call.requests.len(), Panics::default());
        self.with_chunk(agent, |chunk, shape, at, parts| {
            panics.catch(|| chunk.enable(shape, cx, parts, at));
        })?;
        let tree = self.trees.of(self.places[agent]);
        self.note_origins(tree, asker, from);
        panics.go_on();
        Ok(())
    }

    pub(super) fn disable_now(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, parts| {
            chunk.clear_mail(at);
            chunk.disable(shape, cx, parts, at, Reason::Stopped);
        })
    }

    pub(super) fn restart_now(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, parts| chunk.disable(shape, cx, parts, at, Reason::Stopped))?;
        self.enable_now(cx, agent, Asker::Callback)
    }

    pub(super) fn despawn_now(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        if !self.places.contains_key(agent) {
            return Err(StaleError::Agent(agent));
        }
        let mut leaving = Leaving { forest: self.reborrow(), agent };
        leaving.forest.with_chunk(agent, |chunk, shape, at, parts| {
            chunk.disable(shape, cx, parts, at, Reason::Despawned);
        })
    }

    /// Runs a lifecycle call on an agent's chunk.
    fn with_chunk<R>(
        &mut self,
        agent: AgentId,
        call: impl FnOnce(&mut Chunk<H>, &Shape<H>, Row, &mut ForestParts<'_, T>) -> R,
    ) -> Result<R, StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (mut parts, trees) = self.parts_between();
        let (shape, chunk) = trees.find_mut(place);
        Ok(call(chunk, shape, place.row(), &mut parts))
    }
}

#[cfg(test)]
mod tests;
