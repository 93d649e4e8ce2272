//! What random lives have in common: a town whose leaves note every callback, the odds of what they
//! do ([`Mode`]), random trees of them, random calls from outside, and the comparison of two lives.

mod calls;
mod compare;
mod leaves;
mod modes;
mod trees;

use std::collections::HashMap;
use std::sync::Arc;

use pleach_core::{AgentId, Context, Event, Host, Key, error::SendError};

pub(crate) use crate::dice::Dice;
pub(crate) use calls::{Call, WEAPONS, call, call_brain, frame_time, spawn};
pub(crate) use compare::{Fact, by_agent, fact, same, seeds};
pub(crate) use leaves::note;
pub(crate) use modes::{BATCHED, CROSSED, DISCREET, Mode, PANICS, REPLACED, SHORT, WILD};
pub(crate) use trees::{build, build_with, hooked, node};

/// The host of all lives.
pub(crate) struct Town;

pub(crate) type Cx<'a, 'h> = Context<'a, 'h, Town>;

/// A callback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) agent: AgentId,
    pub(crate) node: usize,
    /// Which: a letter.
    pub(crate) what: char,
    pub(crate) time: f64,
    /// Since the last tick; for an event, its payload.
    pub(crate) dt: f32,
    /// The state of the agent's random stream, if [`World::streams`] is set.
    pub(crate) stream: u64,
}

/// What leaves see.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) log: Vec<Line>,
    /// Decides what polled conditions answer.
    pub(crate) mood: usize,
    /// Every agent that was ever spawned by a [`Call`].
    pub(crate) all: Arc<Vec<AgentId>>,
    /// Whether leaves may despawn their agents: later ones then have another order.
    pub(crate) despawns: bool,
    /// Whether lines include the states of random streams.
    pub(crate) streams: bool,
    pub(crate) danger: Danger,
}

/// Panics that depend only on the agent, the node, the callback and the frame: an agent panics in
/// the same places in any forest.
#[derive(Clone, Default)]
pub(crate) struct Danger {
    /// Which callbacks panic in this frame; with 0 none does.
    pub(crate) level: u64,
    /// The numbers of those that panicked.
    pub(crate) panicked: Vec<usize>,
    /// The number of each agent in a crowd.
    pub(crate) numbers: Arc<HashMap<AgentId, usize>>,
    /// The number of the agent in a forest of its own.
    pub(crate) alone: Option<usize>,
    /// Callbacks outside of turns panic, too, but not `restored`.
    pub(crate) everywhere: bool,
}

impl Host for Town {
    type Cx<'a> = World;
    fn on_emit(cx: &mut World, agent: AgentId, _: Event) {
        cx.log.push(Line { agent, node: 0, what: 'e', time: 0.0, dt: 0.0, stream: 0 });
    }
    fn on_refused(cx: &mut World, agent: AgentId, _: Event, _: &SendError) {
        cx.log.push(Line { agent, node: 0, what: 'R', time: 0.0, dt: 0.0, stream: 0 });
    }
}

/// The keys of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) alarm: Key<bool>,
    pub(crate) level: Key<i64>,
    pub(crate) spare: Key<i64>,
    /// A global key.
    pub(crate) storm: Option<Key<i64>>,
    /// A key of the agent's group, where there is a global one.
    pub(crate) rank: Option<Key<i64>>,
}
