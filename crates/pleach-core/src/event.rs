//! Events: something that happened, with an optional payload, delivered to an agent once.

use std::fmt;

#[cfg(feature = "save")]
use pleach_expr::runtime::hash_of;

use crate::blackboard::{EventError, EventName};
use crate::ids::{StaleError, Ticket};
use crate::slack::{KEPT, Slack};
use crate::{AgentId, BlackboardType, NodeId, Symbol, Value, schema::Schema};

/// Something that happened outside of an agent's tree.
///
/// The agent's conditions and actions see an event throughout the agent's next tick, and in no
/// other (SEMANTICS 8.20). They see several events in the order in which these were sent.
///
/// ```
/// # use pleach_core as pleach;
/// use pleach::Event;
/// let noise = Event::new("noise").with([3.0_f32, 4.0]);
/// assert_eq!(noise.payload::<[f32; 2]>(), Some([3.0, 4.0]));
/// ```
///
/// What a tree or its host declares about an event binds its senders: see
/// [`TreeBuilder::event`](crate::TreeBuilder::event).
#[derive(Clone, Copy)]
pub struct Event {
    name: Symbol,
    /// The name for people; empty if it is not known.
    text: &'static str,
    payload: Option<Value>,
}

/// Events with the same name and payload are equal, however their names were given.
impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.payload == other.payload
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Event");
        if self.text.is_empty() {
            debug.field("name", &self.name)
        } else {
            debug.field("name", &self.text)
        };
        debug.field("payload", &self.payload).finish()
    }
}

impl Event {
    /// An event without payload.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Event { name: Symbol::new(name), text: name, payload: None }
    }

    /// An event without payload, with a name that is known only at run time, such as a `&str`
    /// parameter of a leaf: `Event::named(Symbol::new(name))`. Errors show its hash.
    #[must_use]
    pub const fn named(name: Symbol) -> Self {
        Event::of(name, None)
    }

    pub(crate) const fn of(name: Symbol, payload: Option<Value>) -> Self {
        Event { name, text: "", payload }
    }

    /// Whether a tree with that schema knows it, with this payload.
    #[inline]
    pub(crate) fn check(&self, schema: &Schema) -> Result<(), EventError> {
        schema.known_events().check(self.name, self.text, self.payload.map(|it| it.ty()))
    }

    /// Whether a tree with that schema knows it; an error if it does, with another payload.
    #[inline]
    pub(crate) fn is_known(&self, schema: &Schema) -> Result<bool, EventError> {
        schema.known_events().knows(self.name, self.payload.map(|it| it.ty()))
    }

    /// The error that none of these trees knows it.
    #[cold]
    pub(crate) fn unknown<'a>(&self, schemas: impl Iterator<Item = &'a Schema> + Clone) -> EventError {
        crate::blackboard::events::unknown(self.name, self.text, schemas.flat_map(|it| it.known_events().iter()))
    }

    /// The same event with a payload.
    #[must_use]
    pub fn with(self, payload: impl Into<Value>) -> Self {
        Event { payload: Some(payload.into()), ..self }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> Symbol {
        self.name
    }

    /// Whether it has this name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == Symbol::new(name)
    }

    /// The payload, if there is one of that type.
    #[must_use]
    pub fn payload<T: BlackboardType>(&self) -> Option<T> {
        self.payload.and_then(T::from_value)
    }

    /// The payload, of any type.
    #[must_use]
    pub const fn value(&self) -> Option<Value> {
        self.payload
    }
}

impl EventName {
    /// Whether an event has this name.
    #[must_use]
    pub fn is_of(self, event: &Event) -> bool {
        event.name() == self.symbol()
    }
}

/// An event of that name, without payload.
impl From<EventName> for Event {
    fn from(it: EventName) -> Event {
        Event::named(it.symbol())
    }
}

/// What one agent receives in a tick: its events, in the order in which they were sent, and what
/// was spawned for it. Empty it takes eight bytes, as each brain has two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail(Option<Box<List>>);

#[derive(Clone, Debug, Default)]
struct List {
    events: Vec<Event>,
    spawned: Vec<(Ticket, AgentId)>,
    starts: Vec<NodeId>,
    slack: Slack,
}

/// A piece of news for an agent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News {
    Event(Event),
    /// What was spawned for a ticket of the agent.
    Spawned(Ticket, AgentId),
    /// A node that ended when the agent's tree was replaced, and has to be started again.
    Start(NodeId),
}

impl Mail {
    pub(crate) fn push(&mut self, news: News) {
        let list = self.0.get_or_insert_default();
        match news {
            News::Event(event) => list.events.push(event),
            News::Spawned(ticket, agent) => list.spawned.push((ticket, agent)),
            News::Start(node) => list.starts.push(node),
        }
    }

    /// The agent that was spawned for a ticket.
    #[inline]
    pub(crate) fn spawned(&self, ticket: Ticket) -> Option<AgentId> {
        let spawned = self.0.as_ref().map_or(&[][..], |it| &it.spawned);
        spawned.iter().find(|it| it.0 == ticket).map(|it| it.1)
    }

    #[inline]
    pub(crate) fn all(&self) -> &[Event] {
        self.0.as_ref().map_or(&[], |it| &it.events)
    }

    /// Everything it holds except the nodes to start, as it is saved.
    #[cfg(feature = "save")]
    pub(crate) fn saved(&self, plain: impl Fn(AgentId) -> u64) -> Vec<crate::save::model::SavedNews> {
        use crate::save::model::SavedNews;
        let Some(List { events, spawned, .. }) = self.0.as_deref() else { return Vec::new() };
        let event = |it: &Event| SavedNews::Event(hash_of(it.name()), it.value().map(Into::into));
        let spawned = spawned.iter().map(|it| SavedNews::Spawned(it.0.0, plain(it.1)));
        events.iter().map(event).chain(spawned).collect()
    }

    /// The nodes to start again.
    pub(crate) fn starts(&self) -> &[NodeId] {
        self.0.as_ref().map_or(&[], |it| &it.starts)
    }

    /// Takes out the nodes to start again.
    pub(crate) fn take_starts(&mut self) -> Vec<NodeId> {
        self.0.as_mut().map_or_else(Vec::new, |it| std::mem::take(&mut it.starts))
    }

    /// Whether there is an event.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.all().is_empty()
    }

    /// Throws them away, and keeps room for as many.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if let Some(List { events, spawned, starts, slack }) = self.0.as_deref_mut() {
            slack.note(events.len());
            events.clear();
            spawned.clear();
            starts.clear();
        }
    }

    /// A frame begins, before any mail is opened: gives back room that a flood took. Giving back
    /// all of it allocates nothing.
    pub(crate) fn begin_frame(&mut self) {
        if let Some(List { events, slack, .. }) = self.0.as_deref_mut()
            && slack.begin_frame(events.capacity())
        {
            *events = Vec::new();
        }
    }

    /// The same at once, where a later flood does not come within a tick.
    pub(crate) fn give_back(&mut self) {
        if let Some(List { events, .. }) = self.0.as_deref_mut()
            && events.is_empty()
            && events.capacity() > KEPT
        {
            *events = Vec::new();
        }
    }
}

/// An event that cannot be sent. No agent receives it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// The agent or the group does not exist.
    Stale(StaleError),
    /// The agent's tree does not know the event, or not with this payload. For a group: no member's
    /// tree knows it, nor that of the agent whose leaf sent it; or one declares another payload.
    Refused {
        /// The name of the tree: for an event that a leaf sent to a group, the sender's.
        tree: String,
        /// What is wrong.
        error: EventError,
        /// Who sent it, if it was a node of an agent that is still here.
        sender: Option<Box<EventSender>>,
    },
}

/// The node that sent an event. Displays as ``n2 Shout of AgentId(1v4097), of the tree `guard`,``.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventSender {
    /// The agent.
    pub agent: AgentId,
    /// The name of its tree.
    pub tree: String,
    /// The node in it; for a service the composite.
    pub node: NodeId,
    /// The node as traces name it, with its index and what it does.
    pub what: String,
}

impl fmt::Display for EventSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}, of the tree `{}`,", self.what, self.agent, self.tree)
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendError::Stale(it) => it.fmt(f),
            SendError::Refused { tree, error, sender: _ } => write!(f, "in the tree `{tree}`: {error}"),
        }
    }
}

impl fmt::Debug for SendError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SendError {}

impl From<StaleError> for SendError {
    fn from(it: StaleError) -> Self {
        SendError::Stale(it)
    }
}
