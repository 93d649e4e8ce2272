//! What a recording notes of a forest's agents beside their inputs: as what they stand when a
//! recorder first sees them, or sees that they were changed from outside.

use pleach_expr::Value;
use pleach_expr::expr::KeyIndex;
use serde::{Deserialize, Serialize};

use super::chunk::Chunk;
use super::parts::{ForestParts, Shape, groups};
use super::save::Writer;
use super::{AgentId, Forest};
use crate::blackboard::Scope;
use crate::blackboard::view::SharedRows;
use crate::clock::{Moment, Span};
use crate::ids::salted::Salt;
use crate::inputs::facts::TreeInputs;
use crate::inputs::recorder::ChunkView;
use crate::inputs::{Inputs, Mode};
use crate::keys::rows::{AgentKeys, KeyRows};
use crate::machine::inputs::facts_of;
use crate::row::Row;
use crate::save::model::{SavedAgent, SavedTree, SavedTurn, SavedValue};
use crate::trace::{Traced, Tracer};
use crate::tree::record::Op;
use crate::{Host, NodeId, Status, Tree};

/// A tree of a recording.
#[derive(Serialize, Deserialize)]
pub(crate) struct Outlined {
    pub(crate) fingerprint: u64,
    pub(crate) tree: SavedTree,
}

/// A value as bytes.
pub(crate) fn packed(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("numbers, texts and lists can be written to memory")
}

/// The answers that an agent's conditions and guards gave last, as far as they may be asked again
/// before the agent comes to them: by its monitors, and by what is active.
pub(crate) fn first_answers<H: Host>(tree: &Tree<H>, agent: &SavedAgent) -> Vec<(NodeId, Status)> {
    let mut answers: Vec<_> = agent.monitors.iter().map(|it| (it.0, Status::from_bool(it.1))).collect();
    for &top in &agent.tops {
        // A leaf on top went on running.
        answers.push((top, Status::Running));
        let mut node = top;
        while let Some(active) = node.some() {
            let record = tree.rec(active);
            if let Op::Guard { .. } = record.op {
                answers.push((active, Status::Success));
            }
            node = record.parent;
        }
    }
    answers
}

fn facts<H: Host>(inputs: &mut Inputs, tree: &std::sync::Arc<Tree<H>>) -> (u32, std::sync::Arc<TreeInputs>) {
    inputs.facts(tree, || {
        let outline =
            Outlined { fingerprint: tree.fingerprint(), tree: Writer::of_inputs(tree).tree(0, Vec::new(), Vec::new()) };
        let mut facts = facts_of(tree);
        facts.outline = packed(&outline);
        facts
    })
}

impl<H: Host> Chunk<H> {
    /// It is about to be ticked in this frame.
    pub(super) fn begin_inputs<T: Tracer>(&mut self, shape: &Shape<H>, parts: &mut ForestParts<'_, T>) {
        let Some(inputs) = parts.tracer.inputs() else { return };
        let tree = &shape.tree;
        let (number, facts) = facts(inputs, tree);
        let recorder = match &mut inputs.mode {
            Mode::Record(it) => it,
            Mode::RecordChunk(_) => return,
            Mode::Replay(it) => return it.begin_chunk(facts),
        };
        if recorder.has_begun(self.number) {
            return;
        }
        // The frame has begun, but for the agents.
        let (frame, before) = (parts.frame - 1, parts.call.before);
        let mut turns = self.extras.turns().cloned();
        turns.iter_mut().for_each(|it| it.begin(frame));
        let view = ChunkView {
            number: self.number,
            facts: &facts,
            ids: self.ids(),
            tops: self.run.tops_of(self.len()),
            flags: &self.flags[..self.len()],
            rates: self.extras.turns().map_or(&[], |it| &it.rates()[..self.len()]),
            due: turns.as_ref().map(|it| *it.due()).unwrap_or_default(),
        };
        let changed = recorder.begin_chunk(&view);
        let seed = recorder.seed;
        let Some(recorder) = recorder.chunk().filter(|_| !changed.is_empty()) else { return };
        let (writer, salt) = (Writer::of_inputs(tree), Salt::of(seed));
        let agent = |row: Row| {
            let agent = writer.agent(&self.living(tree, row, before)).expect("no leaf writes a state");
            let turn = turns.as_ref().map(|it| it.saved(row, before));
            let turn = turn.map(|(rate, passed, due)| SavedTurn { rate, passed, due });
            SavedAgent { id: salt.plain(self.ids[row.index()]), turn, ..agent }
        };
        let saved: Vec<SavedAgent> = changed.iter().map(|row| agent(*row)).collect();
        let (agents, room) = (self.len(), self.room());
        let Chunk { lives, extras, run, board, .. } = self;
        let (_, changes, _) = run.lend();
        let (_, ties, _) = extras.lend();
        let board = board.rows(&tree.layout, room, changes);
        let shared = SharedRows::of(&mut parts.shared, &shape.map, agents, || groups(ties));
        let keys = KeyRows { schema: &tree.schema, board, shared };
        for (row, agent) in changed.into_iter().zip(saved) {
            let values: Vec<Value> = facts.keys.iter().map(|key| keys.read(row, *key)).collect();
            let is_shared = |key: KeyIndex| matches!(tree.schema.decl(key).scope(), Scope::Group | Scope::Global);
            let shared = (0_u16..).zip(&facts.keys).zip(&values).filter(|it| is_shared(*it.0.1));
            let shared: Vec<(u16, SavedValue)> = shared.map(|((place, _), value)| (place, (*value).into())).collect();
            let answers = first_answers(tree, &agent);
            let state = packed(&(number, row.index(), agent, shared, recorder.keeps(row)));
            recorder.state(row, state, values.into_iter(), &answers, &lives[row.index()].rng);
        }
    }

    /// A frame is over.
    fn end_inputs<T: Tracer>(&mut self, shape: &Shape<H>, parts: &mut ForestParts<'_, T>) {
        self.begin_inputs(shape, parts);
        let Some(Inputs { mode: Mode::Record(recorder), .. }) = parts.tracer.inputs() else { return };
        let Some(recorder) = recorder.chunk() else { return };
        let mut turns = self.extras.turns().cloned();
        turns.iter_mut().for_each(|it| it.begin(parts.frame));
        recorder.end(self.run.tops_of(self.len()), &self.flags[..self.len()], turns.as_ref().map(|it| it.due()));
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// A frame has begun, that takes so long.
    pub(super) fn begin_inputs(&mut self, step: Span) {
        let forest = &*self.it;
        let (seed, frame, before) = (forest.seed, forest.frame, forest.call.before);
        if let Some(Inputs { mode: Mode::Record(recorder), .. }) = self.tracer.inputs() {
            recorder.begin_frame(seed, frame, before, step);
        }
    }

    /// A frame is over.
    pub(super) fn end_inputs(&mut self) {
        if !matches!(self.tracer.inputs(), Some(Inputs { mode: Mode::Record(_), .. })) {
            return;
        }
        let (mut parts, trees) = self.parts();
        trees.for_each(|population| {
            for chunk in population.chunks.iter_mut().filter(|it| !it.is_empty()) {
                chunk.end_inputs(&population.shape, &mut parts);
            }
        });
        let forest = &*self.it;
        if let Some(Inputs { mode: Mode::Record(recorder), .. }) = self.tracer.inputs() {
            recorder.end_all(|it: AgentId| forest.contains(it), forest.len());
            recorder.end_frame(forest.call.now);
        }
    }
}

impl<H: Host> Forest<H> {
    /// Forgets which agents there were, so that each can come again.
    pub(crate) fn forget_agents(&mut self) {
        self.places.forget();
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn frame(&self) -> u64 {
        self.frame
    }

    /// Its time.
    pub(crate) fn moment(&self) -> Moment {
        self.call.now
    }

    /// An empty forest in which this frame comes next, at this time.
    pub(crate) fn empty_at(&mut self, frame: u64, before: Moment) {
        self.frame = frame - 1;
        (self.call.now, self.call.before) = (before, before);
    }
}
