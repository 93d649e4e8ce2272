//! The entries of a recording: one table, of which the writer, the reader, the documentation and
//! the tests are made.

use pleach_expr::{Symbol, Value};

use super::wire::Wire;
use crate::NodeId;

/// Makes everything of one list, so that nothing can lack an entry. A row has a code of four bits,
/// a name, and fields in the order in which they are written.
macro_rules! manifest {
    ($($(#[doc = $doc:literal])+ $code:literal $entry:ident$(($($field:ident: $wire:ty),+))?;)*) => {
        /// What came from outside.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum Input {
            $($(#[doc = $doc])+ $entry$(($($wire),+))?,)*
        }

        impl Input {
            pub(super) fn code(&self) -> u8 {
                match self {
                    $(Input::$entry { .. } => $code,)*
                }
            }

            /// Writes the fields.
            pub(super) fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $(Input::$entry$(($($field),+))? => {
                        $($($field.put(to);)+)?
                    })*
                }
            }

            /// Reads the fields of the entry with this code.
            pub(super) fn take(code: u8, from: &mut &[u8]) -> Option<Input> {
                Some(match code {
                    $($code => Input::$entry$(($(<$wire>::take(from)?),+))?,)*
                    _ => return None,
                })
            }
        }

        /// The table as data.
        #[cfg(test)]
        pub(super) const MANIFEST: &[Row] = &[$(Row {
            code: $code,
            entry: stringify!($entry),
            fields: &[$($(concat!(stringify!($field), ": ", stringify!($wire))),+)?],
            doc: concat!($($doc),+),
        }),*];
    };
}

#[cfg(test)]
pub(super) struct Row {
    pub(super) code: u8,
    pub(super) entry: &'static str,
    pub(super) fields: &'static [&'static str],
    pub(super) doc: &'static str,
}

manifest! {
    /// A node answers success. SEMANTICS 13.1 says which nodes' answers are inputs.
    0 Success(node: NodeId);
    /// A node answers failure.
    1 Failure(node: NodeId);
    /// A node answers running.
    2 Running(node: NodeId);
    /// An expression is about to read a key whose value differs from the last one for the agent.
    /// `key` is the key's place among those of the expression.
    3 Key(expr: u32, key: u32, value: Value);
    /// Leaves have drawn this many numbers from the agent's random stream since the runtime last
    /// did.
    4 Drawn(count: u32);
    /// The agent receives an event without a value.
    5 Event(name: Symbol);
    /// The agent receives an event with a value.
    6 EventWith(name: Symbol, value: Value);
    /// A leaf of the agent panicked.
    7 Panic;
    /// The agent as a whole before the frame: it is new, or something other than its turn changed
    /// it.
    8 State(state: Vec<u8>);
    /// The agent was removed.
    9 Gone;
    /// This many agents, starting with this one, were due and had no turn.
    10 Missed(agents: u32);
    /// The next entry counts its agent from number 0.
    11 Rewind;
    /// Where agents are after the frame, starting with this one: a check of each, or 0 if it is not
    /// checked.
    12 Stood(checks: Vec<u8>);
    /// The agent receives the event of the last entry that has one, equal bit for bit. The reader
    /// returns that event.
    13 SameEvent;
    /// What a key holds after the frame, for people: no decision depends on it.
    14 Noted(key: u32, value: Value);
    /// The keys of this many agents, starting with this one, hold after the frame what was last
    /// noted.
    15 Looked(agents: u32);
}
