//! What all agents did in the nodes of a tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::record::Replay;
use pleach::trace::TraceEvent;
use pleach::{AgentId, Outcome, Tree};

use crate::error::AskError;
use crate::finder::{Finder, Recorded};
use crate::model::HeatView;
use crate::notes::Notes;
use crate::stage::Stage;

const STARTED: usize = 0;
const SUCCEEDED: usize = 1;
const FAILED: usize = 2;
const ABORTED: usize = 3;

/// Counts what all agents did in the nodes of a tree, part by part: it goes on where it stopped,
/// also when the recording has grown.
pub struct Counter {
    of: Arc<Tree<Stage>>,
    replay: Replay<Stage>,
    /// The recording that it counts. Its first piece says whether it is the same, and how many
    /// pieces and trees the replay has.
    recorded: Arc<Recorded>,
    agents: BTreeSet<AgentId>,
    view: HeatView,
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counter").field("tree", &self.view.tree).field("last", &self.view.last).finish_non_exhaustive()
    }
}

impl Counter {
    /// Whether it counts in this tree of this recording.
    #[must_use]
    pub fn is_of(&self, finder: &Finder, tree: usize) -> bool {
        self.view.tree == tree && Arc::ptr_eq(&self.recorded.pieces[0], &finder.0.pieces[0])
    }

    /// Counts on, up to the end of what is recorded now or until `stop`, which is asked after each
    /// frame.
    ///
    /// # Errors
    /// The recording cannot be played.
    pub fn count(&mut self, finder: &Finder, stop: impl Fn() -> bool) -> Result<&HeatView, AskError> {
        // A finder may be older than the one before.
        if let Some(pieces) = finder.0.pieces.get(self.recorded.pieces.len()..) {
            let mut trees = finder.0.trees[self.recorded.trees.len()..].iter().map(Arc::clone);
            pieces.iter().try_for_each(|it| self.replay.extend(it, |_| trees.next()))?;
            self.recorded = Arc::clone(&finder.0);
        }
        let (replay, mut notes) = (&mut self.replay, Notes::default());
        while replay.played() < self.recorded.timeline.frames() && replay.step_traced(&mut (), &mut notes)? {
            for (id, event) in notes.0.drain(..) {
                let (node, what) = match event {
                    TraceEvent::Start(node) => (node, STARTED),
                    TraceEvent::End(node, Outcome::Success) => (node, SUCCEEDED),
                    TraceEvent::End(node, Outcome::Failure) => (node, FAILED),
                    TraceEvent::Aborted(node, _) => (node, ABORTED),
                    _ => continue,
                };
                if replay.forest().agent(id).is_ok_and(|it| Arc::ptr_eq(it.tree(), &self.of)) {
                    self.agents.insert(id);
                    self.view.nodes[node.index()][what] += 1;
                }
            }
            if stop() {
                break;
            }
        }
        (self.view.agents, self.view.last) = (self.agents.len(), replay.frame());
        Ok(&self.view)
    }
}

impl Finder {
    /// Counts what all agents did in the nodes of a tree: see [`Counter::count`].
    ///
    /// # Errors
    /// The recording has no tree of this number, or cannot be opened.
    pub fn counter(&self, tree: usize) -> Result<Counter, AskError> {
        let recorded = &self.0;
        let of = recorded.trees.get(tree).ok_or(AskError::NoTree { tree, trees: recorded.trees.len() })?;
        let view = HeatView { tree, agents: 0, last: 0, nodes: vec![[0; 4]; of.len()] };
        let (of, replay) = (Arc::clone(of), recorded.replay()?);
        Ok(Counter { of, replay, recorded: Arc::clone(recorded), agents: BTreeSet::new(), view })
    }

    /// What all agents did in the nodes of a tree, over the whole recording. Costs a replay of all
    /// agents.
    ///
    /// # Errors
    /// The recording has no tree of this number.
    pub fn heat(&self, tree: usize) -> Result<HeatView, AskError> {
        Ok(self.counter(tree)?.count(self, || false)?.clone())
    }
}
