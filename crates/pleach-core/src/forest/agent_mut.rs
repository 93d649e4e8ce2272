//! One agent of a forest, to change.

use std::sync::Arc;

use super::lives::Lives;
use super::trees::Place;
use super::{AgentId, AgentRef, Forest, StaleError};
use crate::error::AccessError;
use crate::event::SendError;
use crate::life::Flags;
use crate::request::Asker;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::turns::rate::Rate;
use crate::{Completion, Entity, Event, GroupId, Host, KeysMut};

/// One agent of a forest, to change. [`Forest::agent_mut`] lends it. A [`Brain`](crate::Brain) has
/// the same names, except those for its group and rate. Calls that run leaves consume the handle:
/// their requests can change any agent.
pub struct AgentMut<'a, H: Host, T: Tracer = NoTracer> {
    forest: &'a mut Forest<H>,
    tracer: T,
    id: AgentId,
    place: Place,
}

const HERE: &str = "an agent that is lent is here";

impl<H: Host> Forest<H> {
    /// An agent, to change.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Phase, Tree, nodes};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let guards = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.agent_mut(guard)?.pause(&mut ());
    /// assert_eq!(forest.agent(guard)?.phase(), Phase::Paused);
    /// forest.agent_mut(guard)?.despawn(&mut ());
    /// assert!(forest.agent(guard).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it does not exist.
    pub fn agent_mut(&mut self, agent: AgentId) -> Result<AgentMut<'_, H>, StaleError> {
        AgentMut::new(self, NoTracer, agent)
    }
}

impl<'a, H: Host, T: Tracer> Traced<'a, Forest<H>, T> {
    /// As [`Forest::agent_mut`].
    ///
    /// # Errors
    /// If the agent does not exist.
    pub fn agent_mut(&mut self, agent: AgentId) -> Result<AgentMut<'_, H, &mut T>, StaleError> {
        AgentMut::new(self.it, self.tracer, agent)
    }
}

impl<'a, H: Host, T: Tracer> AgentMut<'a, H, T> {
    fn new(forest: &'a mut Forest<H>, tracer: T, id: AgentId) -> Result<Self, StaleError> {
        let place = *forest.places.get(id).ok_or(StaleError::Agent(id))?;
        Ok(AgentMut { forest, tracer, id, place })
    }

    /// Runs a lifecycle call, and carries out what leaves request in it.
    fn run(
        mut self,
        cx: &mut H::Cx<'_>,
        call: impl FnOnce(&mut Traced<'_, Forest<H>, T>, &mut H::Cx<'_>, AgentId) -> Result<(), StaleError>,
    ) {
        let mut forest = Traced { it: self.forest, tracer: &mut self.tracer };
        call(&mut forest, cx, self.id).expect(HERE);
        forest.carry_out(cx);
    }

    /// The same agent, to look at.
    #[must_use]
    pub fn as_ref(&self) -> AgentRef<'_, H> {
        self.forest.agent(self.id).expect(HERE)
    }

    /// Its keys, to read and to write: as [`Forest::keys_mut`], which works without this handle.
    pub fn keys_mut(&mut self) -> KeysMut<'_> {
        self.forest.keys_at(self.place)
    }

    /// Fills a slot of its tree with the tree of this name, or with `empty`, and returns whether
    /// that changed it (SEMANTICS 9.4). What runs in the slot is ended in the agent's next tick.
    /// Slots of instances have the names of these before their own: `fight.weapon`.
    ///
    /// # Errors
    /// If its tree has no such slot, or the slot no such tree.
    pub fn fill(&mut self, slot: &str, word: &str) -> Result<bool, AccessError> {
        self.keys_mut().fill(slot, word)
    }

    /// Sends it an event. The event waits for its next tick, however long that takes. An agent that
    /// is off hears nothing (SEMANTICS 8.20).
    ///
    /// Costs up to 80 bytes for as long as it waits. A forest gives back the memory of a flood of
    /// events after about 120 frames that need little of it.
    ///
    /// # Errors
    /// If its tree does not know the event, or not with this payload (SEMANTICS 8.27): an agent
    /// that is off knows no more events than another.
    pub fn send(&mut self, event: Event) -> Result<(), SendError> {
        let (shape, chunk) = self.forest.trees.find_mut(self.place);
        shape.tree.hears(&event)?;
        chunk.deliver(self.place.row(), event);
        Ok(())
    }

    /// Changes how often it is ticked, from the next frame on. Agents of one rate take turns, so
    /// that each frame does its share. After a change, or when it has moved because others were
    /// despawned, an agent can wait for up to twice its rate.
    ///
    /// Costs nine bytes per agent in chunks of 1 024 with such an agent.
    pub fn set_rate(&mut self, rate: Rate) {
        if rate == Rate::NEVER {
            // It has no tick in which it could stop waiting for a token.
            let (_, chunk) = self.forest.trees.find(self.place);
            let group = chunk.extras.ties().and_then(|it| it.group(self.place.row())).map(|it| it.0);
            self.forest.shared.stop_waiting(self.id, group, true);
        }
        let Forest { trees, frame, call, .. } = &mut *self.forest;
        trees.find_mut(self.place).1.set_rate(self.place.row(), rate, *frame, call.now);
    }

    /// Sets the game's entity for it. Costs eight bytes for each agent that shares its chunk.
    pub fn set_entity(&mut self, entity: Entity) {
        self.forest.trees.find_mut(self.place).1.put_entity(self.place.row(), entity);
    }

    /// Sets its label for people: views, explanations and logs then write `guard 3` instead of its
    /// id. Saves do not hold labels, snapshots do. Costs 16 bytes for each agent that shares its
    /// chunk, and the text.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let guards = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.agent_mut(guard)?.set_label("guard 3");
    /// assert_eq!(forest.agent(guard)?.label(), Some("guard 3"));
    /// assert!(forest.agent(guard)?.explain().to_string().starts_with("guard 3 (guard), 0.000 s"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_label(&mut self, label: impl Into<Arc<str>>) {
        self.forest.trees.find_mut(self.place).1.put_label(self.place.row(), label.into());
    }

    /// Changes what it does when its root has ended.
    pub fn set_completion(&mut self, completion: Completion) {
        let chunk = self.forest.trees.find_mut(self.place).1;
        chunk.flags[self.place.row().index()].set(Flags::STOPS, completion == Completion::Stop);
    }

    /// Puts it into a group. `None` takes it out of its group: then it is in a group of its own,
    /// with the defaults, if its tree has group keys, else in none.
    ///
    /// # Errors
    /// If the group does not exist. The group of an agent that joined none cannot be joined.
    pub fn join(&mut self, group: Option<GroupId>) -> Result<(), StaleError> {
        self.forest.put_in_group(self.id, group)
    }

    /// Enables it, if it is off: from scratch, with its blackboard as it is.
    ///
    /// # Panics
    /// If an `awake` does: it is [`Panicked`](crate::Phase::Panicked) then, as after a panic in
    /// [`tick`](Forest::tick).
    pub fn enable(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.enable_now(cx, it, Asker::Callback));
    }

    /// Ends its nodes with [`Reason::Stopped`](crate::Reason::Stopped). It stays off until it is
    /// enabled. Its waiting events are dropped.
    ///
    /// # Panics
    /// If an `end` does: as in [`enable`](AgentMut::enable).
    pub fn disable(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.disable_now(cx, it));
    }

    /// [`disable`](AgentMut::disable) and then [`enable`](AgentMut::enable), but events keep
    /// waiting. A paused agent is no longer paused.
    ///
    /// # Panics
    /// If an `end` or `awake` does: as in [`enable`](AgentMut::enable).
    pub fn restart(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.restart_now(cx, it));
    }

    /// Pauses it: the `pause` of its active leaves is called. It is not ticked, and its own time
    /// stands still. Events wait. Nothing happens to an agent that is off.
    ///
    /// # Panics
    /// If a `pause` does: as in [`enable`](AgentMut::enable).
    pub fn pause(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.pause_now(cx, it, true));
    }

    /// Resumes it after a [`pause`](AgentMut::pause).
    ///
    /// # Panics
    /// As [`pause`](AgentMut::pause).
    pub fn unpause(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.pause_now(cx, it, false));
    }

    /// Ends its nodes with [`Reason::Despawned`](crate::Reason::Despawned) and removes it.
    ///
    /// # Panics
    /// If an `end` does. It is removed nevertheless.
    pub fn despawn(self, cx: &mut H::Cx<'_>) {
        self.run(cx, |forest, cx, it| forest.despawn_now(cx, it));
    }
}

impl<H: Host, T: Tracer> std::fmt::Debug for AgentMut<'_, H, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentMut").field("agent", &self.id).finish_non_exhaustive()
    }
}
