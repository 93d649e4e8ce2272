//! What a recording notes about a brain (SEMANTICS 13): the same as for a forest in which its agent
//! is alone.

use std::slice;

use super::Brain;
use crate::forest::Panics;
use crate::forest::record::{Noted, facts, note_states};
use crate::forest::save::Writer;
use crate::ids::salted::Salt;
use crate::inputs::chunk::ChunkView;
use crate::inputs::{Inputs, Mode};
use crate::machine::simple::fast_tick::Progress;
use crate::row::Row;
use crate::save::model::SavedAgent;
use crate::trace::{Traced, Tracer};
use crate::{AgentId, Host, Outcome};

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// The general tick, with what a recording notes before and after it.
    #[inline(never)]
    pub(super) fn tick_recorded(&mut self, cx: &mut H::Cx<'_>, progress: Progress) -> Option<Outcome> {
        self.begin_inputs();
        let (mut panics, mut ended) = (Panics::default(), None);
        panics.catch(|| ended = self.tick_row(cx, progress));
        self.end_inputs();
        panics.go_on();
        ended
    }

    fn begin_inputs(&mut self) {
        let brain = &*self.it;
        let Some(inputs) = self.tracer.inputs() else { return };
        let (tree, salt) = (&brain.shape.tree, Salt::of_first(brain.row.id));
        let (number, facts) = facts(inputs, tree);
        let Mode::Record(recorder) = &mut inputs.mode else { return };
        let (before, now) = (brain.call.before, brain.call.now);
        recorder.begin_frame((salt.seed(), brain.brought.into()), brain.frame, before, now - before);
        if brain.row.gone {
            return;
        }
        let changed = recorder.begin_chunk(&ChunkView {
            number: 0,
            facts: &facts,
            ids: slice::from_ref(&brain.row.id),
            moved: true,
            tops: brain.row.run.tops(),
            flags: slice::from_ref(&brain.row.flags),
            memory: brain.row.run.memory(),
            rates: &[],
            labels: &[brain.row.label().cloned()],
            due: Default::default(),
        });
        let Some(recorder) = recorder.chunk() else { return };
        let renewed: Vec<Row> = recorder.take_renewed().filter(|_| changed.is_empty()).collect();
        if changed.is_empty() && renewed.is_empty() {
            return;
        }
        let agent = Writer::of_inputs(tree).agent(&brain.living(before)).expect("no leaf writes a state");
        let saved = vec![SavedAgent { id: salt.plain(brain.row.id), ..agent }];
        let (noted, keys) = (Noted { changed, renewed, saved }, brain.keys());
        let key = |_, key| keys.read(tree.schema.decl(key));
        note_states(recorder, (&**tree, number, &facts), noted, before, key, |_| &brain.row.agent.life.rng);
    }

    fn end_inputs(&mut self) {
        let brain = &*self.it;
        let Some(Inputs { mode: Mode::Record(recorder), .. }) = self.tracer.inputs() else { return };
        let row = &brain.row;
        if let Some(chunk) = recorder.chunk() {
            chunk.end(row.run.tops(), slice::from_ref(&row.flags), row.run.memory(), None);
            let keys = brain.keys();
            chunk.end_keys(|_, it| keys.read(brain.shape.tree.schema.decl(it)));
        }
        recorder.end_all(|it: AgentId| it == row.id && !row.gone, usize::from(!row.gone));
        recorder.end_frame(brain.call.now);
    }
}
