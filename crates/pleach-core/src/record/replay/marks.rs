//! Goes to any frame of a recording.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::ReplayError;
use super::{Replay, empty_forest};
use crate::clock::Span;
use crate::forest::Snapshot;
use crate::inputs::replayer::{Given, Known};
use crate::{AgentId, Host, TreeId};

/// How many marks there are at most.
const MOST: usize = 16;

/// Frames to which a replay can go back. When there are too many, every other one is dropped and
/// their distance doubles, as in the recordings of Box2D.
pub(super) struct Marks<H: Host> {
    marks: Vec<Mark<H>>,
    /// How many frames lie between two of them.
    distance: u64,
}

impl<H: Host> Default for Marks<H> {
    fn default() -> Self {
        Marks { marks: Vec::new(), distance: 64 }
    }
}

struct Mark<H: Host> {
    snapshot: Snapshot<H>,
    at: usize,
    played: u64,
    step: Span,
    trees: Vec<Option<TreeId>>,
    numbers: BTreeMap<u32, Option<AgentId>>,
    agents: FxHashMap<AgentId, Known>,
    misses: bool,
    came: Vec<AgentId>,
    given: Vec<(AgentId, Given)>,
    diverged: usize,
}

impl<H: Host> Replay<H> {
    /// Goes to the state after `frames` frames, or after the last one if there are fewer. It plays
    /// the frames in between, from the beginning if the goal is earlier. On the way it keeps up to
    /// 16 snapshots of the agents, and starts from one of them the next time, except for snapshots
    /// older than a tree that was added since.
    ///
    /// # Errors
    /// As [`step`](Replay::step), if a frame on the way cannot be read.
    pub fn seek(&mut self, frames: u64, cx: &mut H::Cx<'_>) -> Result<(), ReplayError> {
        let is_better = |mark: &&Mark<H>| mark.played <= frames && (mark.played > self.played || frames < self.played);
        let mark = self.marks.marks.iter().rfind(is_better);
        if let Some(mark) = mark
            && self.forest.rollback(&mark.snapshot).is_ok()
        {
            (self.at, self.played, self.step) = (mark.at, mark.played, mark.step);
            self.trees.iter_mut().zip(&mark.trees).for_each(|(tree, id)| tree.id = *id);
            self.numbers.clone_from(&mark.numbers);
            self.came.clone_from(&mark.came);
            Self::replayer(&mut self.inputs).given.clone_from(&mark.given);
            self.diverged = mark.diverged;
            let replayer = Self::replayer(&mut self.inputs);
            replayer.agents.clone_from(&mark.agents);
            replayer.misses = mark.misses;
        } else if frames < self.played {
            self.begin();
        }
        while self.played < frames && self.step(cx)? {
            self.mark();
        }
        Ok(())
    }

    /// Starts from the beginning, without agents.
    pub(super) fn clear(&mut self) {
        self.forest = empty_forest(self.forest.seed());
        self.trees.iter_mut().for_each(|it| it.id = None);
        self.numbers.values_mut().for_each(|it| *it = None);
        // They belong to the previous forest.
        self.marks = Marks::default();
        Self::replayer(&mut self.inputs).agents.clear();
    }

    /// Goes before the first frame.
    pub(super) fn begin(&mut self) {
        self.clear();
        self.numbers.clear();
        (self.at, self.played) = (0, 0);
        self.came.clear();
        Self::replayer(&mut self.inputs).given.clear();
        self.diverged = 0;
    }

    /// Where the last mark before a place is: 0 if there is none.
    pub(super) fn mark_before(&self, frames: u64) -> u64 {
        let before = self.marks.marks.iter().rfind(|it| it.played < frames);
        before.map_or(0, |it| it.played)
    }

    pub(super) fn mark(&mut self) {
        // The first one spares the first frame, which adds all agents.
        let is_due = |last: &Mark<H>| self.played >= last.played.saturating_add(self.marks.distance);
        if self.marks.marks.last().is_some_and(|it| !is_due(it)) {
            return;
        }
        if self.marks.marks.len() == MOST {
            let mut keep = false;
            self.marks.marks.retain(|_| {
                keep = !keep;
                keep
            });
            self.marks.distance *= 2;
            return;
        }
        let snapshot = self.forest.snapshot_without_leaves();
        let replayer = Self::replayer(&mut self.inputs);
        self.marks.marks.push(Mark {
            snapshot,
            at: self.at,
            played: self.played,
            step: self.step,
            trees: self.trees.iter().map(|it| it.id).collect(),
            numbers: self.numbers.clone(),
            agents: replayer.agents.clone(),
            misses: replayer.misses,
            came: self.came.clone(),
            given: replayer.given.clone(),
            diverged: self.diverged,
        });
    }
}
