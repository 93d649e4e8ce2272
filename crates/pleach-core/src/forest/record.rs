//! What a recording notes of a forest's agents beside their inputs: as what they stand when a
//! recorder first sees them, or sees that they were changed from outside.

use serde::Serialize;

use super::chunk::Chunk;
use super::parts::{ForestParts, Shape, groups};
use super::save::Writer;
use super::{AgentId, Forest};
use crate::blackboard::view::SharedRows;
use crate::clock::{Moment, Span};
use crate::ids::salted::Salt;
use crate::inputs::facts::TreeInputs;
use crate::inputs::recorder::ChunkView;
use crate::inputs::{Inputs, Mode};
use crate::keys::rows::{AgentKeys, KeyRows};
use crate::machine::inputs::{facts_of, first_value};
use crate::record::Outlined;
use crate::save::model::{SavedAgent, SavedTurn};
use crate::trace::{Traced, Tracer};
use crate::{Host, Tree};

/// A value as bytes.
pub(crate) fn packed(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("numbers, texts and lists can be written to memory")
}

fn facts<H: Host>(inputs: &mut Inputs, tree: &std::sync::Arc<Tree<H>>) -> (u32, std::sync::Arc<TreeInputs>) {
    inputs.facts(tree, || {
        let outline = Outlined { fingerprint: tree.fingerprint(), tree: Writer::of_inputs(tree).tree(0, Vec::new(), Vec::new()) };
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
        let view = ChunkView {
            number: self.number,
            facts: &facts,
            ids: self.ids(),
            tops: self.run.tops_of(self.len()),
            flags: &self.flags[..self.len()],
            rates: self.extras.turns().map_or(&[], |it| &it.rates()[..self.len()]),
        };
        let changed = recorder.begin_chunk(&view);
        let seed = recorder.seed;
        let Some(recorder) = recorder.chunk().filter(|_| !changed.is_empty()) else { return };
        let (writer, salt) = (Writer::of_inputs(tree), Salt::of(seed));
        // The frame has begun, but for the agents.
        let (frame, before) = (parts.frame - 1, parts.call.before);
        let mut turns = self.extras.turns().cloned();
        turns.iter_mut().for_each(|it| it.begin(frame));
        let state = |row| {
            let agent = writer.agent(&self.living(tree, row, before)).expect("no leaf writes a state");
            let turn = turns.as_ref().map(|it| it.saved(row, before));
            let turn = turn.map(|(rate, passed, due)| SavedTurn { rate, passed, due });
            packed(&(number, row.index(), SavedAgent { id: salt.plain(self.ids[row.index()]), turn, ..agent }))
        };
        let states: Vec<Vec<u8>> = changed.iter().map(|row| state(*row)).collect();
        let (agents, room) = (self.len(), self.room());
        let Chunk { lives, extras, run, board, .. } = self;
        let (_, changes, _) = run.lend();
        let (_, ties, _) = extras.lend();
        let board = board.rows(&tree.layout, room, changes);
        let shared = SharedRows::of(&mut parts.shared, &shape.map, agents, || groups(ties));
        let keys = KeyRows { schema: &tree.schema, board, shared };
        for (row, state) in changed.into_iter().zip(states) {
            let values = facts.keys.iter().map(|it| first_value(&tree.schema, *it, |_| keys.read(row, *it)));
            recorder.state(row, state, values, &lives[row.index()].rng);
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
