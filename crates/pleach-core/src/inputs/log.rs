//! The bytes of a recording: one entry after the other, written and read by the same list.
//!
//! An entry begins with a byte: what it is in the lower four bits, then one bit if it was taken for
//! an observer, then how far its agent's number is from that of the entry before: 0 to 5 ahead, or
//! 6 if the distance follows as a separate number, or 7 if that is followed by how often the same
//! was asked before. Then comes the observer. An event that repeats the last one, which is common
//! as many agents hear the same event, has nothing more. Numbers are LEB128 (seven bits to a byte,
//! the lowest first); signed ones are zigzag encoded first.

use pleach_expr::runtime::{hash_of, of_hash};
use pleach_expr::{Entity, Symbol, Time, Value};

use super::same;
use crate::Status;
use crate::event::Event;
use crate::index::{NodeId, narrow};

/// What came from outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A leaf of the host answered: by its node and, of its three answers, success, failure or
    /// running.
    Success(NodeId),
    Failure(NodeId),
    Running(NodeId),
    /// An expression is about to read a key whose value differs from the last one for the agent:
    /// the expression, which of its keys, and the value.
    Key(u32, u32, Value),
    /// Leaves have drawn this many numbers from the agent's random stream since the runtime last
    /// did.
    Drawn(u32),
    /// The agent receives an event.
    Event(Event),
    /// A leaf panicked.
    Panic,
    /// The agent's state before the frame, as bytes: it is new, or was changed from outside.
    State(Vec<u8>),
    /// The agent was removed.
    Gone,
    /// This many agents, from this one on, were due and had no turn.
    Missed(u32),
    /// Where agents are after the frame, from this one on: a [check](check_of) of each.
    Stood(Vec<u8>),
    /// The value of a key after the frame, by its number: for people, as no decision depends on it.
    Noted(u32, Value),
    /// The keys of this many agents, from this one on, hold after the frame what was last noted.
    Looked(u32),
    /// The next entry's agent is counted from number 0 on.
    Rewind,
}

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
        match entry.input {
            Input::Rewind => *self = Before::default(),
            Input::Event(event) => *self = Before { agent: entry.agent, event: Some(event) },
            _ => self.agent = entry.agent,
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

/// Written for an event that repeats the last one.
const SAME_EVENT: u8 = 13;

/// How many agents ahead fit into the first byte.
const AHEAD: i64 = 5;
const FAR: u8 = 6;
const FAR_AND_NTH: u8 = 7;

/// Writes a number.
pub(crate) fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    to.push(number.to_le_bytes()[0]);
}

/// Reads a number.
pub(crate) fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn zigzag(number: i64) -> u64 {
    (number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

fn take_bytes<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

fn take_array<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    take_bytes(from, N)?.try_into().ok()
}

fn put_value(to: &mut Vec<u8>, value: Value) {
    let mut floats = |tag, all: &[f32]| {
        to.push(tag);
        all.iter().for_each(|it| to.extend(it.to_bits().to_le_bytes()));
    };
    match value {
        Value::Bool(false) => to.push(0),
        Value::Bool(true) => to.push(1),
        Value::Float(it) => floats(2, &[it]),
        Value::Vec2(it) => floats(3, &it),
        Value::Vec3(it) => floats(4, &it),
        Value::Int(it) => {
            to.push(5);
            put_number(to, zigzag(it));
        }
        Value::Entity(it) => {
            to.push(6);
            put_number(to, it.to_bits());
        }
        Value::Symbol(it) => {
            to.push(7);
            to.extend(hash_of(it).to_le_bytes());
        }
        Value::Time(it) => {
            to.push(8);
            put_number(to, it.as_nanos());
        }
    }
}

fn take_floats<const N: usize>(from: &mut &[u8]) -> Option<[f32; N]> {
    let mut all = [0.0; N];
    for it in &mut all {
        *it = f32::from_bits(u32::from_le_bytes(take_array(from)?));
    }
    Some(all)
}

fn take_symbol(from: &mut &[u8]) -> Option<Symbol> {
    Some(of_hash(u64::from_le_bytes(take_array(from)?)))
}

fn take_value(from: &mut &[u8]) -> Option<Value> {
    let [tag] = take_array(from)?;
    Some(match tag {
        0 => Value::Bool(false),
        1 => Value::Bool(true),
        2 => Value::Float(take_floats::<1>(from)?[0]),
        3 => Value::Vec2(take_floats(from)?),
        4 => Value::Vec3(take_floats(from)?),
        5 => Value::Int(unzigzag(take_number(from)?)),
        6 => Value::Entity(Entity::from_bits(take_number(from)?)),
        7 => Value::Symbol(take_symbol(from)?),
        8 => Value::Time(Time::from_nanos(take_number(from)?)),
        _ => return None,
    })
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

    fn code(&self, before: &Before) -> u8 {
        match self {
            Input::Success(_) => 0,
            Input::Failure(_) => 1,
            Input::Running(_) => 2,
            Input::Key(..) => 3,
            Input::Drawn(_) => 4,
            Input::Event(event) if before.is_again(event) => SAME_EVENT,
            Input::Event(event) if event.value().is_none() => 5,
            Input::Event(_) => 6,
            Input::Panic => 7,
            Input::State(_) => 8,
            Input::Gone => 9,
            Input::Missed(_) => 10,
            Input::Rewind => 11,
            Input::Stood(_) => 12,
            Input::Noted(..) => 14,
            Input::Looked(_) => 15,
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
        let code = self.input.code(before);
        to.push(code | u8::from(self.observer.is_some()) << 4 | distance << 5);
        if !near {
            put_number(to, zigzag(ahead));
        }
        if self.nth > 0 {
            put_number(to, self.nth.into());
        }
        if let Some(observer) = self.observer {
            put_number(to, observer.index() as u64);
        }
        match &self.input {
            Input::Success(node) | Input::Failure(node) | Input::Running(node) => put_number(to, node.index() as u64),
            Input::Key(expr, key, value) => {
                put_number(to, (*expr).into());
                put_number(to, (*key).into());
                put_value(to, *value);
            }
            Input::Event(_) if code == SAME_EVENT => {}
            Input::Event(event) => {
                to.extend(hash_of(event.name()).to_le_bytes());
                if let Some(value) = event.value() {
                    put_value(to, value);
                }
            }
            Input::State(bytes) | Input::Stood(bytes) => {
                put_number(to, bytes.len() as u64);
                to.extend(bytes);
            }
            Input::Drawn(count) | Input::Missed(count) | Input::Looked(count) => put_number(to, (*count).into()),
            Input::Noted(key, value) => {
                put_number(to, (*key).into());
                put_value(to, *value);
            }
            Input::Panic | Input::Gone | Input::Rewind => {}
        }
        before.pass(self);
    }

    /// Reads one that was written after others; the state of an agent only if it `is_wanted`.
    /// `None` if they are malformed.
    pub(crate) fn take(from: &mut &[u8], before: &mut Before, is_wanted: impl Fn(u32) -> bool) -> Option<Entry> {
        let [first] = take_array(from)?;
        let ahead = match first >> 5 {
            FAR | FAR_AND_NTH => unzigzag(take_number(from)?),
            near => near.into(),
        };
        let nth = if first >> 5 == FAR_AND_NTH { u32::try_from(take_number(from)?).ok()? } else { 0 };
        let agent = u32::try_from(i64::from(before.agent).checked_add(ahead)?).ok()?;
        let node = |from: &mut &[u8]| NodeId::new(usize::try_from(take_number(from)?).ok()?);
        let observer = if first & 0x10 == 0 { None } else { Some(node(from)?) };
        let number = |from: &mut &[u8]| u32::try_from(take_number(from)?).ok();
        let input = match first & 0xf {
            0 => Input::Success(node(from)?),
            1 => Input::Failure(node(from)?),
            2 => Input::Running(node(from)?),
            3 => Input::Key(number(from)?, number(from)?, take_value(from)?),
            4 => Input::Drawn(number(from).filter(|it| *it <= MOST_DRAWS)?),
            5 => Input::Event(Event::of(take_symbol(from)?, None)),
            6 => Input::Event(Event::of(take_symbol(from)?, Some(take_value(from)?))),
            7 => Input::Panic,
            code @ (8 | 12) => {
                let length = usize::try_from(take_number(from)?).ok()?;
                let bytes = take_bytes(from, length)?;
                match code {
                    8 if is_wanted(agent) => Input::State(bytes.to_vec()),
                    8 => Input::State(Vec::new()),
                    _ => Input::Stood(bytes.to_vec()),
                }
            }
            9 => Input::Gone,
            10 => Input::Missed(number(from)?),
            11 => Input::Rewind,
            SAME_EVENT => Input::Event(before.event?),
            14 => Input::Noted(number(from)?, take_value(from)?),
            _ => Input::Looked(number(from)?),
        };
        let entry = Entry { agent, observer, nth, input };
        before.pass(&entry);
        Some(entry)
    }
}
