//! What was visible of one agent, moment by moment, in the last minute.

use std::collections::VecDeque;

use pleach::inspect::AgentView;
use pleach_arena::{Arena, Point};

use crate::behaviour::Behaviour;
use crate::timeline::SPAN;

/// Everything visible of the agent after one step.
#[derive(Debug)]
pub struct Moment {
    /// When, in seconds of the forest.
    pub time: f64,
    /// Its tree, path, monitors, memory and keys.
    pub view: AgentView<Arena>,
    /// What it did, in one word.
    pub behaviour: Behaviour,
    /// What the world knew of its actor; `None` if the agent was not chosen then, and this comes
    /// from the recording.
    pub actor: Option<Body>,
}

/// What the world knew of an actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its health, from 0 to 1.
    pub health: f32,
    /// Where it was.
    pub at: Point,
}

/// The moments of one agent, oldest first. A step of the world adds one, so there are at most some
/// 3 600. Nothing is kept of other agents.
#[derive(Debug, Default)]
pub struct History {
    moments: VecDeque<Moment>,
}

impl History {
    /// Adds a moment, replacing the last one if that has the same time, and forgets those that are
    /// older than [`SPAN`]. One of these stays: the state when the span began.
    pub fn push(&mut self, moment: Moment) {
        let first = moment.time - SPAN;
        if self.moments.back().is_some_and(|it| it.time >= moment.time - LITTLE) {
            self.moments.pop_back();
        }
        self.moments.push_back(moment);
        while self.moments.get(1).is_some_and(|it| it.time <= first) {
            self.moments.pop_front();
        }
    }

    /// The last moment that is not later than `time`; the oldest if all are later.
    #[must_use]
    pub fn at(&self, time: f64) -> Option<&Moment> {
        let later = self.moments.partition_point(|it| it.time <= time + LITTLE);
        self.moments.get(later.saturating_sub(1))
    }

    /// The moment before a step at that time, and the one after it; `None` if one of them is not
    /// known.
    #[must_use]
    pub fn around(&self, time: f64) -> Option<(&Moment, &Moment)> {
        let first = self.moments.partition_point(|it| it.time < time - LITTLE);
        let after = self.moments.get(first).filter(|it| it.time <= time + LITTLE)?;
        Some((self.moments.get(first.checked_sub(1)?)?, after))
    }

    /// The moments, oldest first.
    pub fn moments(&self) -> impl ExactSizeIterator<Item = &Moment> + DoubleEndedIterator {
        self.moments.iter()
    }
}

/// Two times that differ by less are the same.
const LITTLE: f64 = 1e-6;
