//! What a scenario declares: events, and slots with their words.

use super::Setup;
use crate::expr::float;
use crate::scenario::{Call, KeyName, Slot, Value, ValueType};

impl Setup<'_> {
    /// Whether the tree knows an event, with this payload (8.27).
    pub(super) fn knows(&self, event: &str, payload: Option<&Value>) -> bool {
        let Some(events) = &self.scenario.events else { return true };
        events.get(event).is_some_and(|declared| *declared == payload.map(Value::value_type))
    }

    /// The key of a slot, if there is one with this word (9.4).
    pub(super) fn slot(&self, slot: &str, word: &str) -> Option<&KeyName> {
        let (name, key) = self.scenario.keys.find(&Slot::key_of(slot))?;
        key.takes(&Value::Symbol(word.to_owned())).then_some(name)
    }

    /// Whether a call is refused: it does nothing, and returns an error.
    pub(super) fn refuses(&self, call: &Call) -> bool {
        match call {
            Call::Event { event, payload } => !self.knows(event, payload.as_ref()),
            Call::Fill { slot, word, of: _ } => self.slot(slot, word).is_none(),
            _ => false,
        }
    }

    /// What an Emit sends: an int or a time becomes a float if the event is declared with a float.
    pub(super) fn as_declared(&self, event: &str, payload: Value) -> Value {
        let declared = self.scenario.events.as_ref().and_then(|it| it.get(event).copied().flatten());
        match payload {
            Value::Int(_) | Value::Time(_) if declared == Some(ValueType::Float) => Value::Float(float(payload)),
            other => other,
        }
    }
}
