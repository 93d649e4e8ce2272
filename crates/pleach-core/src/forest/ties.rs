//! Which entities agents are, and which groups they are in.

use std::sync::Arc;

use super::chunk::Chunk;
use super::lives::Lives;
use super::{AgentId, Forest};
use crate::event::SendError;
use crate::row::Row;
use crate::{Entity, Event, GroupId, Host, error::StaleError};

impl<H: Host> Forest<H> {
    /// Puts an agent into a group, or takes it out of its own.
    pub(super) fn put_in_group(&mut self, agent: AgentId, group: Option<GroupId>) -> Result<(), StaleError> {
        if let Some(group) = group
            && !self.shared.has_group(group)
        {
            return Err(StaleError::Group(group));
        }
        let (_, chunk, at) = self.find(agent)?;
        if let Some(old) = chunk.extras.ties().and_then(|it| it.group(at)) {
            self.shared.stop_waiting(agent, Some(old.0), false);
            self.leave(old);
        }
        self.enter(agent, group)
    }

    /// Sends an event to the members of a group; from a leaf, to all except its own agent.
    pub(super) fn send_to_others(
        &mut self,
        group: GroupId,
        from: Option<AgentId>,
        event: Event,
    ) -> Result<(), SendError> {
        let members = self.shared.members(group).ok_or(StaleError::Group(group))?;
        let others = || members.iter().filter(|&&it| Some(it) != from);
        let tree_of = |agent: &AgentId| Some(&self.trees.find(*self.places.get(*agent)?).0.shape.tree);
        // An event that all refuse, or refused for its payload, reaches no one. The sender's own
        // tree counts: so whether it may send does not depend on who else is left in the group.
        let sender = from.as_ref().and_then(tree_of);
        // If the sender is gone, what its tree knew is unknown.
        let mut known = from.is_some() && sender.is_none();
        let mut stranger = None;
        for tree in sender.into_iter().chain(others().filter_map(tree_of)) {
            match event.is_known(tree.schema()) {
                Ok(true) => known = true,
                Ok(false) => stranger = stranger.or(Some(tree)),
                Err(error) => return Err(SendError::Refused { tree: tree.name().into(), error, sender: None }),
            }
        }
        // A leaf that is alone in its group hears of its mistake, too.
        if let Some(tree) = stranger.filter(|_| !known) {
            tree.hears(&event)?;
        }
        for &agent in members.iter().filter(|&&it| Some(it) != from) {
            let place = self.places[agent];
            let (shape, chunk) = self.trees.find_mut(place);
            if event.is_known(shape.tree.schema()) == Ok(true) {
                chunk.deliver(place.row(), event);
            }
        }
        Ok(())
    }

    /// Puts an agent that is in no group into this one, or into one of its own if its tree has
    /// group keys.
    pub(super) fn enter(&mut self, agent: AgentId, group: Option<GroupId>) -> Result<(), StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (shape, chunk) = self.trees.find_mut(place);
        let (group, seat) = match group {
            Some(group) => (group, self.shared.join(group, agent)?),
            None if shape.grouped => (self.shared.new_group(agent), 0),
            None => (GroupId::default(), 0),
        };
        if group != GroupId::default() || chunk.extras.ties().is_some() {
            chunk.put_group(place.row(), group, seat);
        }
        // Its group keys are now another group's, and it may be asleep.
        if let Some(watch) = shape.tree.layout.watch_of_group() {
            chunk.run.bits_mut().changes().mark(watch, place.row());
        }
        chunk.wake(place.row());
        Ok(())
    }

    /// An agent has left its group and its seat there. Another member may take that seat.
    pub(super) fn leave(&mut self, (group, seat): (GroupId, u32)) {
        if let Some(moved) = self.shared.leave(group, seat) {
            let place = self.places[moved];
            self.trees.find_mut(place).1.put_group(place.row(), group, seat);
        }
    }
}

impl<H: Host> Chunk<H> {
    pub(super) fn put_entity(&mut self, at: Row, entity: Entity) {
        let agents = self.len();
        self.extras.ties_mut().put_entity(at, entity, agents);
    }

    pub(super) fn put_label(&mut self, at: Row, label: Arc<str>) {
        let agents = self.len();
        self.extras.ties_mut().put_label(at, label, agents);
    }

    pub(super) fn put_group(&mut self, at: Row, group: GroupId, seat: u32) {
        let agents = self.len();
        self.extras.ties_mut().put_group(at, group, seat, agents);
    }

    pub(super) fn entity(&self, at: Row) -> Entity {
        self.extras.ties().map_or(Entity::NONE, |it| it.entity(at))
    }

    pub(super) fn label(&self, at: Row) -> Option<&Arc<str>> {
        self.extras.ties()?.label(at)
    }
}
