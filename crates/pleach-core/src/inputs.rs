//! Inputs: everything that agents get from outside the runtime. These are the answers of the host's
//! leaves, the keys that expressions read, numbers drawn, events, and changes between ticks.
//! Everything else follows from them, so agents can be recorded by them and replayed without the
//! game (SEMANTICS 13).
//!
//! The machine asks for each input in one place, and there a tracer may note it ([`recorder`]) or
//! supply it ([`replayer`]). [`log`] is how inputs are written, [`facts`] what both know about a
//! tree. The game's own calls are not noted: a key that the game writes is noted when an expression
//! reads it, and an agent that it changes otherwise, as it is in its next turn.

mod asked;
pub(crate) mod chunk;
pub(crate) mod edit;
pub(crate) mod facts;
pub(crate) mod log;
pub(crate) mod recorder;
pub(crate) mod replayer;
pub(crate) mod ring;

use std::any::Any;
use std::sync::Arc;

use pleach_expr::Value;
use pleach_expr::expr::KeyIndex;

use crate::bits::Bits;
use crate::event::Event;
use crate::index::ExprId;
use crate::rng::Stream;
use crate::row::Row;
use crate::{AgentId, NodeId, Status};
use chunk::ChunkRecorder;
use facts::TreeInputs;
use recorder::InputRecorder;
use replayer::Replayer;

/// The keys of the agent that takes an input.
pub(crate) trait KeyAccess {
    fn value(&self, key: KeyIndex) -> Value;
    fn put(&mut self, key: KeyIndex, value: Value);
}

/// The agent that takes an input: its id, and its row in its chunk.
pub(crate) type Taker = (AgentId, Row);

/// Notes inputs, or supplies them.
#[derive(Debug)]
pub struct Inputs {
    pub(crate) mode: Mode,
    pub(crate) trees: Vec<Arc<TreeInputs>>,
    pub(crate) forced: Vec<Forced>,
}

/// A leaf of the host that returns this status, for an agent that has this version of its tree.
#[derive(Clone, Debug)]
pub(crate) struct Forced {
    pub(crate) agent: AgentId,
    pub(crate) node: NodeId,
    pub(crate) tree: Arc<TreeInputs>,
    pub(crate) status: Status,
}

#[derive(Debug)]
pub(crate) enum Mode {
    Record(InputRecorder),
    /// Notes those of a chunk, while other chunks are ticked on other threads.
    RecordChunk(Box<ChunkRecorder>),
    Replay(Replayer),
}

/// Whether two values are the same, bit for bit.
pub(crate) fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Vec2(a), Value::Vec2(b)) => a.map(f32::to_bits) == b.map(f32::to_bits),
        (Value::Vec3(a), Value::Vec3(b)) => a.map(f32::to_bits) == b.map(f32::to_bits),
        _ => a == b,
    }
}

impl Inputs {
    pub(crate) fn new(mode: Mode) -> Self {
        Inputs { mode, trees: Vec::new(), forced: Vec::new() }
    }

    /// The facts about a tree, and its number in the recording.
    pub(crate) fn facts<T: Any + Send + Sync>(
        &mut self,
        tree: &Arc<T>,
        make: impl FnOnce() -> TreeInputs,
    ) -> (u32, Arc<TreeInputs>) {
        let at = self.trees.iter().position(|it| it.are_of(tree)).unwrap_or_else(|| {
            self.trees.push(Arc::new(make()));
            self.trees.len() - 1
        });
        (u32::try_from(at).expect("memory ends before 2^32 trees"), Arc::clone(&self.trees[at]))
    }

    /// The chunk whose inputs are noted.
    fn recorder(&mut self) -> Option<&mut ChunkRecorder> {
        match &mut self.mode {
            Mode::Record(it) => it.chunk(),
            Mode::RecordChunk(it) => Some(it),
            Mode::Replay(_) => None,
        }
    }

    fn replayer(&mut self) -> Option<&mut Replayer> {
        match &mut self.mode {
            Mode::Replay(it) => Some(it),
            _ => None,
        }
    }

    /// From here on, questions are for this observer, or outside of the pass.
    pub(crate) fn set_observer(&mut self, observer: Option<NodeId>) {
        match &mut self.mode {
            Mode::Replay(it) => it.asked.set_observer(observer),
            _ => {
                if let Some(it) = self.recorder() {
                    it.asked.set_observer(observer);
                }
            }
        }
    }

    /// What a leaf of the host returns without being asked, if it is forced.
    pub(crate) fn forced<T>(&self, agent: AgentId, node: NodeId, tree: &T) -> Option<Status> {
        let is_it = |it: &&Forced| (it.agent, it.node) == (agent, node) && it.tree.is_of(tree);
        self.forced.iter().find(is_it).map(|it| it.status)
    }

    /// A leaf of the host answered at a node, if it was asked. Returns its answer.
    pub(crate) fn answer(&mut self, taker: Taker, node: NodeId, status: Status) -> Status {
        if let Some(it) = self.replayer() {
            return it.answer(taker, node);
        }
        if let Some(it) = self.recorder() {
            it.answered(taker, node, status);
        }
        status
    }

    /// The runtime computed an answer from keys. A replay may ask when the recorded agent did not,
    /// as no write mattered to it (SEMANTICS 8.3): then the last answer stands. An edited tree
    /// decides for itself.
    pub(crate) fn computed(&mut self, taker: Taker, node: NodeId, status: Status) -> Status {
        if self.replayer().is_some_and(|it| it.edit(taker.0).is_some()) {
            return status;
        }
        self.answer(taker, node, status)
    }

    /// A condition of the host answered in the pass for these agents.
    pub(crate) fn answers(&mut self, node: NodeId, asked: &Bits, yes: &Bits, neither: &Bits) {
        if let Some(it) = self.recorder() {
            it.answered_all(node, asked, yes, neither);
        }
    }

    /// A leaf was updated for these agents, and ended with success, and with failure, for some.
    pub(crate) fn updates(&mut self, node: NodeId, updated: &Bits, succeeded: &Bits, failed: &Bits) {
        if let Some(it) = self.recorder() {
            it.updated_all(node, updated, succeeded, failed);
        }
    }

    /// An expression is about to be evaluated.
    pub(crate) fn read(&mut self, taker: Taker, keys: &mut impl KeyAccess, expr: ExprId) {
        if let Some(it) = self.replayer() {
            it.read(taker, keys, expr);
        } else if let Some(it) = self.recorder() {
            it.read(taker, keys, expr);
        }
    }

    /// The runtime is about to draw.
    pub(crate) fn draws(&mut self, taker: Taker, stream: &mut Stream) {
        if let Some(it) = self.replayer() {
            it.draws(taker, stream);
        } else if let Some(it) = self.recorder() {
            it.draws(taker, stream);
        }
    }

    /// The runtime has drawn.
    pub(crate) fn drew(&mut self, (_, row): Taker, stream: &Stream) {
        if let Some(it) = self.recorder() {
            it.drew(row, stream);
        }
    }

    /// An agent receives these events. A replay returns the events that were recorded.
    pub(crate) fn told(&mut self, (agent, row): Taker, events: &[Event]) -> Vec<Event> {
        if let Some(it) = self.replayer() {
            return it.told(agent);
        }
        if let Some(it) = self.recorder() {
            it.told(row, events);
        }
        Vec::new()
    }

    /// A leaf of an agent panicked.
    pub(crate) fn panicked(&mut self, row: Row) {
        if let Some(it) = self.recorder() {
            it.panicked(row);
        }
    }

    /// Whether an agent has no turn in this frame of a replay, though it is due.
    pub(crate) fn misses(&mut self, agent: AgentId) -> bool {
        self.replayer().is_some_and(|it| it.misses(agent))
    }

    /// The inputs of a chunk that is ticked on another thread.
    pub(crate) fn lend(&mut self, chunk: u32) -> Option<Inputs> {
        let Mode::Record(recorder) = &mut self.mode else { return None };
        let chunk = recorder.chunk_mut(chunk)?;
        let mode = Mode::RecordChunk(Box::new(std::mem::take(chunk)));
        Some(Inputs { forced: self.forced.clone(), ..Inputs::new(mode) })
    }

    pub(crate) fn take_back(&mut self, chunk: u32, lent: Inputs) {
        if let (Mode::Record(recorder), Mode::RecordChunk(it)) = (&mut self.mode, lent.mode)
            && let Some(chunk) = recorder.chunk_mut(chunk)
        {
            *chunk = *it;
        }
    }
}
