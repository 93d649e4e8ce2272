//! The groups of a forest: its squads.

use super::{AgentId, Forest, StaleError};
use crate::blackboard::shared::Whose;
use crate::error::{AccessError, SchemaError};
use crate::event::SendError;
use crate::keys::{SharedKeys, SharedKeysMut};
use crate::{Event, GroupId, Host};

/// One group of a forest, to look at. [`Forest::group`] lends it.
pub struct GroupRef<'a, H: Host> {
    forest: &'a Forest<H>,
    id: GroupId,
}

/// One group of a forest, to change. [`Forest::group_mut`] lends it.
pub struct GroupMut<'a, H: Host> {
    forest: &'a mut Forest<H>,
    id: GroupId,
}

impl<H: Host> Forest<H> {
    /// Makes a group of agents, such as a squad. It has keys of its own if a tree declares group
    /// keys, and events can be sent to it. Agents [`join`](super::AgentMut::join) it, or are
    /// spawned into it.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Spawn, Tree, nodes};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let guards = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
    /// let squad = forest.new_group();
    /// let guard = forest.spawn_with(&mut (), guards, Spawn { group: Some(squad), ..Spawn::default() })?;
    /// assert_eq!(forest.group(squad)?.members(), [guard]);
    /// assert_eq!(forest.agent(guard)?.group(), Some(squad));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new_group(&mut self) -> GroupId {
        self.shared.new_group_kept()
    }

    /// A group, to look at.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn group(&self, group: GroupId) -> Result<GroupRef<'_, H>, StaleError> {
        self.shared.check_owner(Whose::Group(group))?;
        Ok(GroupRef { forest: self, id: group })
    }

    /// A group, to change.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn group_mut(&mut self, group: GroupId) -> Result<GroupMut<'_, H>, StaleError> {
        self.shared.check_owner(Whose::Group(group))?;
        Ok(GroupMut { forest: self, id: group })
    }
}

impl<'a, H: Host> GroupRef<'a, H> {
    /// Its members, in an order that depends only on the calls. The list borrows the forest: to
    /// change the members, go through a copy, `members().to_vec()`.
    #[must_use]
    pub fn members(&self) -> &'a [AgentId] {
        self.forest.shared.members(self.id).unwrap_or(&[])
    }

    /// Its keys, to read.
    #[must_use]
    pub fn keys(&self) -> SharedKeys<'a> {
        SharedKeys::new(&self.forest.shared, Whose::Group(self.id))
    }
}

impl<H: Host> GroupMut<'_, H> {
    /// The same group, to look at.
    #[must_use]
    pub fn as_ref(&self) -> GroupRef<'_, H> {
        GroupRef { forest: self.forest, id: self.id }
    }

    /// Its keys, to read and to write.
    #[must_use]
    pub fn keys_mut(&mut self) -> SharedKeysMut<'_> {
        SharedKeysMut::new(&mut self.forest.shared, Whose::Group(self.id))
    }

    /// Sends an event to every member that is not off and whose tree knows it: see
    /// [`AgentMut::send`](super::AgentMut::send).
    ///
    /// # Errors
    /// If it has members, and no member's tree knows the event; or one declares it with another
    /// payload (SEMANTICS 8.27). No member receives it then.
    pub fn send(&mut self, event: Event) -> Result<(), SendError> {
        self.forest.send_to_others(self.id, None, event)
    }

    /// Fills a slot of every member whose tree has it: see
    /// [`AgentMut::fill`](super::AgentMut::fill). Returns how many changed.
    ///
    /// # Errors
    /// If it has members, and no member's tree has such a slot, or one has the slot without such a
    /// tree. Nothing is changed then.
    pub fn fill(&mut self, slot: &str, word: &str) -> Result<usize, AccessError> {
        let members: Vec<AgentId> = self.forest.shared.members(self.id).unwrap_or(&[]).to_vec();
        let (mut have, mut lack) = (Vec::new(), None);
        for agent in members {
            match self.forest.keys_mut(agent)?.find_slot(slot, word) {
                Ok(()) => have.push(agent),
                Err(AccessError::Key(error @ SchemaError::UnknownSlot { .. })) => lack = Some(error),
                Err(error) => return Err(error),
            }
        }
        match lack {
            Some(error) if have.is_empty() => return Err(error.into()),
            _ => {}
        }
        let mut changed = 0;
        for agent in have {
            changed += usize::from(self.forest.keys_mut(agent)?.fill(slot, word)?);
        }
        Ok(changed)
    }

    /// Removes it. Each of its members is then in a group of its own, with the defaults, if its
    /// tree has group keys, else in none.
    pub fn remove(self) {
        for agent in self.forest.shared.drop_group(self.id).unwrap_or_default() {
            self.forest.enter(agent, None).expect("members are agents, and no group is joined");
        }
    }
}

impl<H: Host> std::fmt::Debug for GroupRef<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupRef").field("group", &self.id).field("members", &self.members()).finish_non_exhaustive()
    }
}

impl<H: Host> std::fmt::Debug for GroupMut<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupMut").field("group", &self.id).finish_non_exhaustive()
    }
}
