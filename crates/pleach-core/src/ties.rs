//! What ties agents to the game and to each other: their entities, their labels and their groups.

use std::sync::Arc;

use pleach_expr::Entity;

use crate::ids::GroupId;
use crate::row::{self, Row};

/// The entities, labels and groups of some agents. A list is empty as long as none of them has any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    groups: Vec<GroupId>,
    /// Where each agent is among the members of its group.
    seats: Vec<u32>,
    entities: Vec<Entity>,
    labels: Vec<Option<Arc<str>>>,
}

/// The label of an agent in a list that may be empty.
pub(crate) fn label_of(labels: &[Option<Arc<str>>], agent: Row) -> Option<&Arc<str>> {
    labels.get(agent.index())?.as_ref()
}

impl Ties {
    pub(crate) fn entity(&self, agent: Row) -> Entity {
        self.entities.get(agent.index()).copied().unwrap_or(Entity::NONE)
    }

    /// Sets the entity of one of `agents` agents.
    pub(crate) fn put_entity(&mut self, agent: Row, entity: Entity, agents: usize) {
        if self.entities.is_empty() {
            self.entities.resize(agents, Entity::NONE);
        }
        self.entities[agent.index()] = entity;
    }

    /// What people call an agent.
    pub(crate) fn label(&self, agent: Row) -> Option<&Arc<str>> {
        label_of(&self.labels, agent)
    }

    /// What people call all agents, or none.
    #[cfg(feature = "save")]
    pub(crate) fn labels(&self) -> &[Option<Arc<str>>] {
        &self.labels
    }

    /// Sets the label of one of `agents` agents.
    pub(crate) fn put_label(&mut self, agent: Row, label: Arc<str>, agents: usize) {
        if self.labels.is_empty() {
            self.labels.resize(agents, None);
        }
        self.labels[agent.index()] = Some(label);
    }

    /// The group of an agent, and its seat among the members.
    pub(crate) fn group(&self, agent: Row) -> Option<(GroupId, u32)> {
        let group = self.groups.get(agent.index()).copied().filter(|&it| it != GroupId::default())?;
        Some((group, self.seats[agent.index()]))
    }

    /// The groups of all agents, or none.
    #[inline]
    pub(crate) fn groups(&self) -> &[GroupId] {
        &self.groups
    }

    /// Puts one of `agents` agents into a group, at this seat, or into none.
    pub(crate) fn put_group(&mut self, agent: Row, group: GroupId, seat: u32, agents: usize) {
        if self.groups.is_empty() {
            self.groups.resize(agents, GroupId::default());
            self.seats.resize(agents, 0);
        }
        (self.groups[agent.index()], self.seats[agent.index()]) = (group, seat);
    }

    /// Adds an agent.
    pub(crate) fn push(&mut self) {
        if !self.groups.is_empty() {
            self.groups.push(GroupId::default());
            self.seats.push(0);
        }
        if !self.entities.is_empty() {
            self.entities.push(Entity::NONE);
        }
        if !self.labels.is_empty() {
            self.labels.push(None);
        }
    }

    /// Removes an agent; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, agent: Row) {
        if !self.groups.is_empty() {
            self.groups.swap_remove(agent.index());
            self.seats.swap_remove(agent.index());
        }
        if !self.entities.is_empty() {
            self.entities.swap_remove(agent.index());
        }
        if !self.labels.is_empty() {
            self.labels.swap_remove(agent.index());
        }
    }

    /// Resizes to `room`.
    pub(crate) fn fit(&mut self, room: usize) {
        if !self.groups.is_empty() {
            row::fit(&mut self.groups, room);
            row::fit(&mut self.seats, room);
        }
        if !self.entities.is_empty() {
            row::fit(&mut self.entities, room);
        }
        if !self.labels.is_empty() {
            row::fit(&mut self.labels, room);
        }
    }
}
