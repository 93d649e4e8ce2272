//! A guard for trees without memory: their composites begin again with their first child in every
//! tick, and their leaves are not notified when they are aborted. So the host stores what is
//! running, and the leaves depend on that.
//!
//! With this, such trees do exactly what the workload requires. But then the leaves, not the
//! library, do the work of LowerPriority, of a sequence's memory and of an action's start.

use crate::guard::{ATTACK_LIMIT, Body, Counts, FLEE_LIMIT, NOISE_LIMIT, WAIT_LIMIT};

/// A leaf of the guard tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Condition.
    IsLow,
    /// Action.
    Flee,
    /// Condition.
    Sees,
    /// Condition.
    IsFar,
    /// Action.
    Approach,
    /// Action.
    Attack,
    /// Condition.
    Hears,
    /// Action.
    MoveToNoise,
    /// Action.
    Wait,
    /// Action.
    Patrol,
}

/// What a leaf answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Not done.
    Running,
    /// Done, or true.
    Success,
    /// False.
    Failure,
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Self::Success } else { Self::Failure }
    }
}

/// A guard that knows which of its actions is running.
#[derive(Debug)]
pub struct Recall {
    /// Its data.
    pub body: Body,
    running: Option<Leaf>,
    /// The updates of the running action.
    count: u32,
}

impl Recall {
    /// A guard that has not started anything.
    #[must_use]
    pub fn new(body: Body) -> Self {
        Self { body, running: None, count: 0 }
    }

    /// Runs a leaf.
    #[inline]
    pub fn run(&mut self, leaf: Leaf) -> Answer {
        use Leaf::{Approach, Attack, Flee, Hears, IsFar, IsLow, MoveToNoise, Patrol, Sees, Wait};
        match leaf {
            // LowerPriority: a running branch does not evaluate its own condition.
            IsLow => (self.running == Some(Flee) || self.body.is_low()).into(),
            Sees => (matches!(self.running, Some(Approach | Attack)) || self.body.sees).into(),
            IsFar => (self.running == Some(Approach) || self.running != Some(Attack) && self.body.is_far()).into(),
            Hears => (matches!(self.running, Some(MoveToNoise | Wait)) || self.body.noise).into(),
            Flee => self.lasting(Flee, FLEE_LIMIT, |it| &mut it.flee),
            Attack => self.lasting(Attack, ATTACK_LIMIT, |it| &mut it.attack),
            // A sequence without memory runs this leaf again in every tick.
            MoveToNoise if self.running == Some(Wait) => Answer::Success,
            MoveToNoise => self.lasting(MoveToNoise, NOISE_LIMIT, |it| &mut it.noise),
            Wait => self.lasting(Wait, WAIT_LIMIT, |it| &mut it.wait),
            Approach => {
                let arrived = self.body.approach();
                self.running = (!arrived).then_some(Approach);
                if arrived { Answer::Success } else { Answer::Running }
            }
            Patrol => {
                self.running = Some(Patrol);
                self.body.patrol();
                Answer::Running
            }
        }
    }

    #[inline]
    fn lasting(&mut self, leaf: Leaf, limit: u32, done: impl FnOnce(&mut Counts) -> &mut u32) -> Answer {
        if self.running != Some(leaf) {
            (self.running, self.count) = (Some(leaf), 0);
        }
        if self.count == limit {
            self.running = None;
            *done(&mut self.body.counts) += 1;
            return Answer::Success;
        }
        self.count += 1;
        Answer::Running
    }
}
