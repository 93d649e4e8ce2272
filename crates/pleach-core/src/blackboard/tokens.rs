//! The places of a token: which agents hold them, how many rest, and which agents wait (SEMANTICS
//! 8.36).

use std::collections::VecDeque;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::clock::Span;
use crate::ids::AgentId;

type ByAgent<V> = IndexMap<AgentId, V, FxBuildHasher>;

/// What an agent does with the places of a token, with their number as its tree gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It gets a place.
    Take(u32),
    /// It was refused one.
    Wait(u32),
    /// It stops waiting.
    Stop,
    /// It gives a place back, which rests for this span.
    GiveBack(Span),
}

/// The waiting agents, and some that have left. Their numbers ascend.
type Queue = VecDeque<(u64, AgentId)>;

/// How many agents that left may stay in a queue, in addition to as many as still wait.
const LEFT: usize = 32;

/// The places of a token in one group, or in the forest.
///
/// Invariant K1: of the waiting agents, the first `min(free, waiting)` have numbers below `served`,
/// and `promised` is how many these are. They get a place when they ask.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// How many there are, according to the tree of the agent that was here last.
    count: u32,
    /// How many each agent holds.
    held: ByAgent<u32>,
    /// How many are held in total.
    taken: u32,
    resting: u32,
    queue: Queue,
    /// The numbers of the waiting agents.
    numbers: ByAgent<u64>,
    next: u64,
    served: u64,
    promised: usize,
}

impl Clone for Places {
    fn clone(&self) -> Self {
        let mut places = Places::default();
        places.clone_from(self);
        places
    }

    fn clone_from(&mut self, from: &Self) {
        let Places { count, taken, resting, next, served, promised, .. } = *from;
        self.held.clone_from(&from.held);
        self.queue.clone_from(&from.queue);
        self.numbers.clone_from(&from.numbers);
        (self.count, self.taken, self.resting) = (count, taken, resting);
        (self.next, self.served, self.promised) = (next, served, promised);
    }
}

impl Places {
    /// For a token that an agent asks for the first time. A tick in which it gets a place, or is
    /// refused one, then allocates nothing.
    pub(crate) fn with_room() -> Self {
        let mut places = Places::default();
        places.held.reserve(1);
        places.numbers.reserve(1);
        places.queue.reserve(1);
        places
    }

    fn free(&self) -> usize {
        self.count.saturating_sub(self.taken).saturating_sub(self.resting) as usize
    }

    /// Whether an agent would get one of `count` places.
    pub(crate) fn would_give(&self, agent: AgentId, count: u32) -> bool {
        if self.count == count {
            return self.gives(agent);
        }
        let mut places = self.clone();
        places.become_many(count);
        places.gives(agent)
    }

    fn gives(&self, agent: AgentId) -> bool {
        match self.numbers.get(&agent) {
            Some(number) => *number < self.served,
            None => self.free() > self.numbers.len(),
        }
    }

    pub(crate) fn holds_one(&self, agent: AgentId) -> bool {
        self.held.contains_key(&agent)
    }

    pub(crate) fn is_waiting(&self, agent: AgentId) -> bool {
        self.numbers.contains_key(&agent)
    }

    /// Applies what an agent did. Returns whether others may get another answer.
    pub(crate) fn note(&mut self, agent: AgentId, deed: Deed) -> bool {
        // An agent that asked before the first place was taken knew how many there are.
        if let Deed::Take(count) | Deed::Wait(count) = deed {
            self.become_many(count);
        }
        let before = self.answers();
        match deed {
            Deed::Take(_) => {
                self.leave(agent);
                self.hold(agent);
            }
            Deed::Wait(_) => self.wait(agent),
            Deed::Stop => self.leave(agent),
            Deed::GiveBack(rest) => {
                if self.drop_one(agent) && rest > Span::ZERO {
                    self.resting += 1;
                }
            }
        }
        self.settle();
        before != self.answers()
    }

    /// The answers that do not depend on an agent's own place in the queue: whether any agent gets
    /// a place, and the number up to which agents are served.
    fn answers(&self) -> (bool, u64) {
        (self.free() > self.numbers.len(), self.served)
    }

    fn hold(&mut self, agent: AgentId) {
        *self.held.entry(agent).or_default() += 1;
        self.taken += 1;
    }

    fn drop_one(&mut self, agent: AgentId) -> bool {
        let Some(held) = self.held.get_mut(&agent) else { return false };
        *held -= 1;
        if *held == 0 {
            self.held.swap_remove(&agent);
        }
        self.taken -= 1;
        true
    }

    fn wait(&mut self, agent: AgentId) {
        if !self.numbers.contains_key(&agent) {
            self.numbers.insert(agent, self.next);
            self.queue.push_back((self.next, agent));
            self.next += 1;
        }
    }

    fn leave(&mut self, agent: AgentId) {
        let Some(number) = self.numbers.swap_remove(&agent) else { return };
        if number < self.served {
            self.promised -= 1;
        }
        while let Some((number, agent)) = self.queue.front()
            && self.numbers.get(agent) != Some(number)
        {
            self.queue.pop_front();
        }
        if self.queue.len() > 2 * self.numbers.len() + LEFT {
            let numbers = &self.numbers;
            self.queue.retain(|(number, agent)| numbers.get(agent) == Some(number));
        }
    }

    fn become_many(&mut self, count: u32) {
        if self.count != count {
            self.count = count;
            self.settle();
        }
    }

    /// One place has rested.
    pub(crate) fn rested(&mut self) {
        self.resting = self.resting.saturating_sub(1);
        self.settle();
    }

    /// Restores K1. Costs a step per agent that comes to be served or has left, unless the count
    /// has become smaller.
    fn settle(&mut self) {
        let due = self.free().min(self.numbers.len());
        if self.promised > due {
            (self.served, self.promised) = (0, 0);
        }
        if self.promised < due {
            let from = self.queue.partition_point(|it| it.0 < self.served);
            for (number, agent) in self.queue.range(from..) {
                if self.numbers.get(agent) == Some(number) {
                    self.served = number + 1;
                    self.promised += 1;
                    if self.promised == due {
                        break;
                    }
                }
            }
        }
    }

    /// How many there are, how many are held and by which agents, how many rest, and the waiting
    /// agents, in order.
    pub(crate) fn seen(&self) -> SeenPlaces {
        let queue = self.queue.iter().filter(|(number, agent)| self.numbers.get(agent) == Some(number));
        SeenPlaces {
            taken: self.taken,
            resting: self.resting,
            holders: self.held.keys().copied().collect(),
            queue: queue.map(|it| it.1).collect(),
        }
    }

    /// A saved agent comes back with its place, whether there is one or not.
    #[cfg(feature = "save")]
    pub(crate) fn bring_hold(&mut self, agent: AgentId, count: u32) {
        self.count = count;
        self.hold(agent);
        self.settle();
    }

    /// One more place rests.
    #[cfg(feature = "save")]
    pub(crate) fn rest_one(&mut self) {
        self.resting += 1;
        self.settle();
    }
}

/// The places of a token, to look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenPlaces {
    pub(crate) taken: u32,
    pub(crate) resting: u32,
    pub(crate) holders: Vec<AgentId>,
    pub(crate) queue: Vec<AgentId>,
}
