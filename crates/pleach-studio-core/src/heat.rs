//! What all agents did in the nodes of a tree.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach::trace::TraceEvent;
use pleach::{AgentId, Outcome};

use crate::error::AskError;
use crate::finder::Finder;
use crate::model::HeatView;
use crate::notes::Notes;

const STARTED: usize = 0;
const SUCCEEDED: usize = 1;
const FAILED: usize = 2;
const ABORTED: usize = 3;

impl Finder {
    /// Counts what all agents did in the nodes of a tree, until `stop` is set. Costs a replay of
    /// all agents.
    ///
    /// # Errors
    /// There is no such tree.
    pub fn heat(&self, tree: usize, stop: &AtomicBool) -> Result<HeatView, AskError> {
        let recorded = &*self.0;
        let of = recorded.trees.get(tree).ok_or(AskError::NoTree { tree, trees: recorded.trees.len() })?;
        let mut nodes = vec![[0; 4]; of.len()];
        let mut agents: BTreeSet<AgentId> = BTreeSet::new();
        let (mut replay, mut notes) = (recorded.replay()?, Notes::default());
        while !stop.load(Ordering::Relaxed)
            && replay.played() < recorded.timeline.frames()
            && replay.step_traced(&mut (), &mut notes)?
        {
            for (id, event) in notes.0.drain(..) {
                let (node, what) = match event {
                    TraceEvent::Start(node) => (node, STARTED),
                    TraceEvent::End(node, Outcome::Success) => (node, SUCCEEDED),
                    TraceEvent::End(node, Outcome::Failure) => (node, FAILED),
                    TraceEvent::Aborted(node, _) => (node, ABORTED),
                    _ => continue,
                };
                if replay.forest().agent(id).is_ok_and(|it| Arc::ptr_eq(it.tree(), of)) {
                    agents.insert(id);
                    nodes[node.index()][what] += 1;
                }
            }
        }
        Ok(HeatView { tree, agents: agents.len(), last: replay.frame(), nodes })
    }
}
