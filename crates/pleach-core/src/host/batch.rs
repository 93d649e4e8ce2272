//! Leaves that answer for many agents in one call, for hosts in which calls are expensive.

use crate::bits::{Bits, pop};
use crate::clock::Moment;
use crate::host::leaf::Sleepers;
use crate::keys::rows::AgentKeys;
use crate::row::{CHUNK, Row};
use crate::{AgentId, BlackboardType, Context, End, Entity, Host, Key, Status, Type, error::AccessError};

/// A leaf without state that updates all agents of a batch in one call: for hosts in which a call
/// costs more than the work of a leaf, such as other languages.
///
/// [`batch_action`](crate::nodes::batch_action) and
/// [`batch_condition`](crate::nodes::batch_condition) make nodes of it. Where the runtime has no
/// batch ([`Settings::batched`](crate::Settings::batched) says when it has one), it is called with
/// a batch of one agent. What an agent's tree does never depends on the size of the batch, as long
/// as the leaf answers for each agent as if it were alone, in their order.
///
/// A panic belongs to the agent whose context was lent last. The other agents of the call are
/// treated as if the leaf had not answered for them.
pub trait BatchLeaf<H: Host>: Send + Sync + 'static {
    /// Whether to call [`start`](BatchLeaf::start). `false` saves a call.
    fn starts(&self) -> bool {
        false
    }

    /// Whether to call [`end`](BatchLeaf::end).
    fn ends(&self) -> bool {
        false
    }

    /// An activation of an agent begins; an update follows in the same tick.
    fn start(&self, cx: &mut Context<'_, '_, H>) {
        let _ = cx;
    }

    /// Does the work of one tick for all agents of the batch, or answers for all of them. An agent
    /// without an [answer](BatchContext::answer) gets [`Status::Running`] from an action and
    /// [`Status::Failure`] from a condition.
    fn update(&self, batch: &mut BatchContext<'_, '_, '_, H>);

    /// An activation of an agent is over. Called exactly once for every `start`.
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End) {
        let _ = (cx, end);
    }
}

/// The place of an agent of a batch in its chunk, in 16 bits.
type Place = u16;

/// The agents of a batch, in buffers as large as a batch can be.
pub(crate) struct Members {
    places: [Place; CHUNK],
    statuses: [Status; CHUNK],
    count: usize,
}

impl Members {
    /// No agents; each that is added gets this status.
    pub(crate) fn none(status: Status) -> Self {
        Members { places: [0; CHUNK], statuses: [status; CHUNK], count: 0 }
    }

    /// Adds the agents of a set.
    pub(crate) fn add(&mut self, agents: &Bits) {
        for (word, &(mut left)) in agents.iter().enumerate() {
            while let Some(at) = pop(word, &mut left) {
                self.places[self.count] = at.number();
                self.count += 1;
            }
        }
    }

    /// The first of some agents: until the context of another one is lent, a panic belongs to it.
    pub(crate) fn first(&self) -> Row {
        Row::numbered(self.places[0])
    }

    /// Each agent with its status.
    #[inline]
    pub(crate) fn answered(&self) -> impl Iterator<Item = (Row, Status)> {
        self.places[..self.count].iter().zip(&self.statuses).map(|(&place, &status)| (Row::numbered(place), status))
    }

    pub(crate) fn lend<'b, 'a, 'h, H: Host>(
        &'b mut self,
        cx: &'b mut Context<'a, 'h, H>,
        sleepers: &'b mut Sleepers,
    ) -> BatchContext<'b, 'a, 'h, H> {
        let count = self.count;
        BatchContext { cx, places: &self.places[..count], statuses: &mut self.statuses[..count], sleepers }
    }
}

/// One call's view of the game and of the agents of a batch, by their numbers from 0 on.
pub struct BatchContext<'b, 'a, 'h, H: Host> {
    cx: &'b mut Context<'a, 'h, H>,
    places: &'b [Place],
    statuses: &'b mut [Status],
    sleepers: &'b mut Sleepers,
}

impl<H: Host> std::fmt::Debug for BatchContext<'_, '_, '_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchContext").field("node", &self.cx.node()).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<'b, 'a, 'h, H: Host> BatchContext<'b, 'a, 'h, H> {
    /// A batch of the context's agent alone.
    pub(crate) fn one(
        cx: &'b mut Context<'a, 'h, H>,
        place: &'b Place,
        status: &'b mut Status,
        sleepers: &'b mut Sleepers,
    ) -> Self {
        let (places, statuses) = (std::slice::from_ref(place), std::slice::from_mut(status));
        BatchContext { cx, places, statuses, sleepers }
    }

    /// How many agents it has: at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no batch is empty")]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The host's own context, as it was lent to the call.
    #[must_use]
    pub fn host(&mut self) -> &mut H::Cx<'h> {
        self.cx.host
    }

    /// The ids of the agents.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = AgentId> {
        let ids = self.cx.agent.ids;
        self.places.iter().map(move |&it| ids[usize::from(it)])
    }

    /// Which of the game's entities each agent is: see [`Context::entity`].
    pub fn entities(&self) -> impl ExactSizeIterator<Item = Entity> {
        let ties = self.cx.agent.ties;
        self.places.iter().map(move |&it| ties.map_or(Entity::NONE, |ties| ties.entity(Row::numbered(it))))
    }

    /// The context of an agent.
    ///
    /// # Panics
    /// If the batch has no such agent.
    #[inline]
    #[track_caller]
    pub fn at(&mut self, agent: usize) -> &mut Context<'a, 'h, H> {
        let at = Row::numbered(self.places[agent]);
        self.keep_sleep();
        self.cx.agent.at = at;
        self.cx
    }

    /// Reads a key of all agents, in their order: cheaper than through their contexts. `false` if
    /// the key belongs to another tree.
    pub fn read<T: BlackboardType>(&self, key: Key<T>, mut each: impl FnMut(usize, T)) -> bool {
        let agent = &self.cx.agent;
        let column = agent.cells.column(key).ok();
        for (number, &place) in self.places.iter().enumerate() {
            let value = match column {
                Some(column) => T::load(column[usize::from(place)]),
                None => AgentKeys::try_get(agent, Row::numbered(place), key),
            };
            let Some(value) = value else { return false };
            each(number, value);
        }
        true
    }

    /// Writes a key of all agents, in their order: cheaper than through their contexts.
    ///
    /// # Errors
    /// If the key belongs to another tree, or a value is a symbol that is not one of the key's
    /// words. The earlier agents have been written then.
    pub fn write<T: BlackboardType>(
        &mut self,
        key: Key<T>,
        mut each: impl FnMut(usize) -> T,
    ) -> Result<(), AccessError> {
        let agent = &mut self.cx.agent;
        if T::TYPE != Type::Symbol
            && let Some(column) = agent.cells.unwatched(key)
        {
            for (number, &place) in self.places.iter().enumerate() {
                column[usize::from(place)] = each(number).store();
            }
            return Ok(());
        }
        for (number, &place) in self.places.iter().enumerate() {
            AgentKeys::try_set(agent, Row::numbered(place), key, each(number))?;
        }
        Ok(())
    }

    /// The leaf's answer for an agent.
    ///
    /// # Panics
    /// If the batch has no such agent.
    #[inline]
    #[track_caller]
    pub fn answer(&mut self, agent: usize, status: Status) {
        self.statuses[agent] = status;
    }

    /// The answers so far, one for each agent.
    #[must_use]
    pub fn answers(&mut self) -> &mut [Status] {
        self.statuses
    }

    /// Notes until when the agent whose context was lent last wants to sleep.
    fn keep_sleep(&mut self) {
        let until = std::mem::replace(&mut self.cx.agent.sleep, Moment::START);
        if until > Moment::START {
            self.sleepers.put(self.cx.agent.at, until);
        }
    }

    /// The call is over.
    pub(crate) fn close(mut self) {
        self.keep_sleep();
    }
}
