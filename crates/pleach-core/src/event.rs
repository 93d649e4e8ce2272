//! Events: something that happened, with an optional payload, delivered to an agent once.

use crate::ids::Ticket;
use crate::{AgentId, BlackboardType, Symbol, Value};

/// Something that happened outside of an agent's tree.
///
/// The agent's conditions and actions see an event during the whole of the agent's next tick, and
/// in no other (SEMANTICS 8.20). They see several events in the order in which these were sent.
///
/// ```
/// # use pleach_core as pleach;
/// use pleach::Event;
/// let noise = Event::new("noise").with([3.0_f32, 4.0]);
/// assert_eq!(noise.payload::<[f32; 2]>(), Some([3.0, 4.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    name: Symbol,
    payload: Option<Value>,
}

impl Event {
    /// An event without payload.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        Event { name: Symbol::new(name), payload: None }
    }

    pub(crate) const fn of(name: Symbol, payload: Option<Value>) -> Self {
        Event { name, payload }
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

    /// The payload, of whatever type.
    #[must_use]
    pub const fn value(&self) -> Option<Value> {
        self.payload
    }
}

/// Events of one agent, in the order in which they were sent. Without any it is eight bytes, as
/// each brain has two.
#[derive(Debug, Default)]
pub(crate) struct Events(Option<Box<List>>);

#[derive(Debug, Default)]
struct List {
    events: Vec<Event>,
    spawned: Vec<(Ticket, AgentId)>,
}

/// What an agent is told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum News {
    Event(Event),
    /// What was spawned for a ticket of the agent.
    Spawned(Ticket, AgentId),
}

impl Events {
    pub(crate) fn push(&mut self, news: News) {
        let list = self.0.get_or_insert_default();
        match news {
            News::Event(event) => list.events.push(event),
            News::Spawned(ticket, agent) => list.spawned.push((ticket, agent)),
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

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// Throws them away, and keeps room for as many.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if let Some(List { events, spawned }) = self.0.as_deref_mut() {
            events.clear();
            spawned.clear();
        }
    }
}
