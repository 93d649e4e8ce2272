//! The bytes of a recording: one entry after the other.
//!
//! An entry begins with a byte: its code in the lower four bits, then one bit if it was taken for
//! an observer, then how far its agent's number is from that of the entry before: 0 to 5 ahead, or
//! 6 if the distance follows as a separate number, or 7 if that is followed by how often the same
//! was asked before. Then comes the observer, then the fields of the [manifest].

mod manifest;
#[cfg(test)]
mod tests;
mod wire;

pub(crate) use self::manifest::Input;
use self::wire::{Wire, take_array, take_bytes};
pub(crate) use self::wire::{put_number, take_number};
use super::same;
use crate::Status;
use crate::event::Event;
use crate::index::{NodeId, narrow};

/// An input of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The agent's number in the recording.
    pub(crate) agent: u32,
    /// The observer for which it was taken, in the reevaluation pass.
    pub(crate) observer: Option<NodeId>,
    /// How often the agent had asked for the same in this tick: for this observer, or outside of
    /// the pass.
    pub(crate) nth: u32,
    pub(crate) input: Input,
}

/// What entries pass on to the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    agent: u32,
    event: Option<Event>,
}

impl Before {
    /// Whether an event repeats the last one, bit for bit.
    fn is_again(&self, event: &Event) -> bool {
        self.event.is_some_and(|it| {
            let values = (it.value(), event.value());
            it.name() == event.name()
                && match values {
                    (Some(a), Some(b)) => same(a, b),
                    _ => values == (None, None),
                }
        })
    }

    /// Where the next entry is counted from, after this one.
    fn pass(&mut self, entry: &Entry) {
        if entry.input == Input::Rewind {
            *self = Before::default();
            return;
        }
        self.agent = entry.agent;
        if let Some(event) = entry.input.event() {
            self.event = Some(event);
        }
    }
}

/// A frame begins with a byte that says what follows it before the entries: the frame's number and
/// start time, if it does not follow the one before; and its duration, if that differs from the one
/// before.
pub(crate) const JUMP: u8 = 1;
pub(crate) const STEP: u8 = 2;
/// The same as `JUMP`, but the frame follows the one before. A recording may begin here, as frames
/// before it may have been dropped.
pub(crate) const PART: u8 = 4;

/// Up to this many draws of leaves are counted. A leaf that draws more between two draws of the
/// runtime, or replaces its stream with another, is not replayed exactly.
pub(crate) const MOST_DRAWS: u32 = 1 << 16;

/// A check of where an agent is: of the tops of its run stacks. Never 0, which means that the agent
/// is not checked.
pub(crate) fn check_of(tops: &[NodeId]) -> u8 {
    // By the golden ratio, as in Fibonacci hashing (Knuth, The Art of Computer Programming 6.4).
    let mix = |all: u32, top: &NodeId| (all.rotate_left(9) ^ u32::from(narrow(top.index()))).wrapping_mul(0x9E37_79B1);
    tops.iter().fold(0, mix).to_be_bytes()[0].max(1)
}

/// How many agents ahead fit into the first byte.
const AHEAD: i64 = 5;
const FAR: u8 = 6;
const FAR_AND_NTH: u8 = 7;

impl From<Event> for Input {
    fn from(event: Event) -> Self {
        match event.value() {
            None => Input::Event(event.name()),
            Some(value) => Input::EventWith(event.name(), value),
        }
    }
}

impl Input {
    /// The node that answered, and what, if it is an answer.
    pub(crate) fn answer(&self) -> Option<(NodeId, Status)> {
        match self {
            Input::Success(node) => Some((*node, Status::Success)),
            Input::Failure(node) => Some((*node, Status::Failure)),
            Input::Running(node) => Some((*node, Status::Running)),
            _ => None,
        }
    }

    /// The event that the agent receives, if it receives one.
    pub(crate) fn event(&self) -> Option<Event> {
        match self {
            Input::Event(name) => Some(Event::of(*name, None)),
            Input::EventWith(name, value) => Some(Event::of(*name, Some(*value))),
            _ => None,
        }
    }
}

impl Entry {
    /// Writes it after others.
    pub(crate) fn put(&self, to: &mut Vec<u8>, before: &mut Before) {
        let ahead = if self.input == Input::Rewind { 0 } else { i64::from(self.agent) - i64::from(before.agent) };
        let near = (0..=AHEAD).contains(&ahead) && self.nth == 0;
        let distance = match near {
            true => ahead.to_le_bytes()[0],
            false if self.nth == 0 => FAR,
            false => FAR_AND_NTH,
        };
        let is_again = self.input.event().is_some_and(|it| before.is_again(&it));
        let input = if is_again { &Input::SameEvent } else { &self.input };
        to.push(input.code() | u8::from(self.observer.is_some()) << 4 | distance << 5);
        if !near {
            ahead.put(to);
        }
        if self.nth > 0 {
            self.nth.put(to);
        }
        if let Some(observer) = self.observer {
            observer.put(to);
        }
        input.put(to);
        before.pass(self);
    }

    /// Reads one that was written after others; the state of an agent only if it `is_wanted`.
    /// `None` if they are malformed.
    pub(crate) fn take(from: &mut &[u8], before: &mut Before, is_wanted: impl Fn(u32) -> bool) -> Option<Entry> {
        let [first] = take_array(from)?;
        let ahead = match first >> 5 {
            FAR | FAR_AND_NTH => i64::take(from)?,
            near => near.into(),
        };
        let nth = if first >> 5 == FAR_AND_NTH { u32::take(from)? } else { 0 };
        let agent = u32::try_from(i64::from(before.agent).checked_add(ahead)?).ok()?;
        let observer = if first & 0x10 == 0 { None } else { Some(NodeId::take(from)?) };
        let input = match first & 0xf {
            code if code == Input::SameEvent.code() => before.event?.into(),
            code if code == Input::State(Vec::new()).code() && !is_wanted(agent) => {
                take_bytes(from)?;
                Input::State(Vec::new())
            }
            code => Input::take(code, from)?,
        };
        if matches!(input, Input::Drawn(count) if count > MOST_DRAWS) {
            return None;
        }
        let entry = Entry { agent, observer, nth, input };
        before.pass(&entry);
        Some(entry)
    }
}
