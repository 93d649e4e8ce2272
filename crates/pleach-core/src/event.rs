//! Events: something that happened, with an optional payload, delivered to an agent once.

use crate::{BlackboardType, Symbol, Value};

/// Something that happened outside an agent's tree.
///
/// An event is seen by the agent's conditions and actions during the whole of the next tick in
/// which the agent is ticked, and then never again; several events are seen in the order in which
/// they were sent.
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
