//! Which agents have a turn in which frame: SEMANTICS 8.2, 8.4 and 8.6, from their text alone.

/// The default number of places in a chunk.
pub const CHUNK: usize = 1_024;

/// The agents of all trees, in their chunks, and which of them are due. The caller identifies
/// agents by an `A`.
#[derive(Clone, Debug)]
pub struct Turns<A> {
    /// How many places a chunk has.
    room: usize,
    /// The chunks of each tree, with the agents at their places.
    pub trees: Vec<Vec<Vec<Standing<A>>>>,
    /// The number of the last frame.
    frame: u64,
    /// The agent at which the last call with a budget stopped, or any call with a panic.
    stopped: Option<A>,
}

/// The number of a tree, in the order in which trees were added.
#[derive(Clone, Copy, Debug)]
pub struct TreeNumber(pub usize);

/// An agent at its place in a chunk.
#[derive(Clone, Debug)]
pub struct Standing<A> {
    /// The agent.
    pub agent: A,
    /// 0: never.
    rate: u32,
    due: bool,
}

/// The result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The agent was ticked. This costs.
    Ticked,
    /// The agent was not ticked: it is paused or off.
    Free,
    /// One of its leaves panicked.
    Panicked,
}

impl<A> Turns<A> {
    /// No trees, and chunks of this many places.
    #[must_use]
    pub fn in_chunks_of(room: usize) -> Self {
        Turns { room, trees: Vec::new(), frame: 0, stopped: None }
    }
}

impl<A> Default for Turns<A> {
    fn default() -> Self {
        Turns::in_chunks_of(CHUNK)
    }
}

impl<A: Copy + PartialEq> Turns<A> {
    /// Adds a tree after the others.
    pub fn tree(&mut self) -> TreeNumber {
        self.trees.push(Vec::new());
        TreeNumber(self.trees.len() - 1)
    }

    /// The agents of a tree, in their order.
    pub fn of(&self, tree: TreeNumber) -> impl Iterator<Item = A> {
        self.trees[tree.0].iter().flatten().map(|it| it.agent)
    }

    /// Adds an agent at the end of the first chunk with room.
    pub fn spawn(&mut self, tree: TreeNumber, agent: A) {
        let chunks = &mut self.trees[tree.0];
        if chunks.iter().all(|chunk| chunk.len() == self.room) {
            chunks.push(Vec::new());
        }
        let chunk = chunks.iter_mut().find(|chunk| chunk.len() < self.room).expect("there is one now");
        chunk.push(Standing { agent, rate: 1, due: false });
    }

    /// Removes an agent. The last of its chunk takes its place.
    pub fn despawn(&mut self, agent: A) {
        for chunk in self.trees.iter_mut().flatten() {
            if let Some(place) = chunk.iter().position(|it| it.agent == agent) {
                chunk.swap_remove(place);
            }
        }
    }

    /// Whether SEMANTICS leaves open where the next call with a budget begins if this agent is
    /// despawned: the last call stopped at it, or at the agent that takes its place.
    #[must_use]
    pub fn would_blur(&self, agent: A) -> bool {
        let chunk = self.trees.iter().flatten().find(|chunk| chunk.iter().any(|it| it.agent == agent));
        let last = chunk.and_then(|chunk| chunk.last()).map(|it| it.agent);
        self.stopped.is_some() && (self.stopped == Some(agent) || self.stopped == last)
    }

    /// Sets the rate of an agent. If it is due it stays due, unless the rate is 0.
    pub fn set_rate(&mut self, agent: A, rate: u32) {
        for it in self.trees.iter_mut().flatten().flatten().filter(|it| it.agent == agent) {
            it.rate = rate;
            it.due &= rate != 0;
        }
    }

    fn begin_frame(&mut self) {
        self.frame += 1;
        for chunk in self.trees.iter_mut().flatten() {
            for (place, it) in (0_u64..).zip(chunk) {
                it.due |= it.rate != 0 && self.frame % u64::from(it.rate) == place % u64::from(it.rate);
            }
        }
    }

    /// Plays one frame in which chunks are ticked side by side (8.7): calls `turn` for the agents
    /// that are due, with the number of their chunk. A panic ends the turns of its chunk.
    pub fn frame_on_threads(&mut self, mut turn: impl FnMut(usize, A) -> Turn) {
        self.begin_frame();
        let mut panicked = None;
        for (number, chunk) in self.trees.iter_mut().flatten().enumerate() {
            for Standing { agent, due, .. } in chunk {
                if std::mem::take(due) && turn(number, *agent) == Turn::Panicked {
                    panicked = panicked.or(Some(*agent));
                    break;
                }
            }
        }
        self.stopped = panicked.or(self.stopped);
    }

    /// Plays one frame: calls `turn` for the agents that are due, in order, within the budget if
    /// there is one.
    pub fn frame(&mut self, budget: Option<u64>, mut turn: impl FnMut(A) -> Turn) {
        self.begin_frame();
        let mut order: Vec<&mut Standing<A>> = self.trees.iter_mut().flatten().flatten().collect();
        if budget.is_some()
            && let Some(stopped) = order.iter().position(|it| Some(it.agent) == self.stopped)
        {
            order.rotate_left(stopped + 1);
        }
        let mut left = budget;
        for Standing { agent, due, .. } in order {
            if left == Some(0) {
                return;
            }
            if !std::mem::take(due) {
                continue;
            }
            match turn(*agent) {
                Turn::Free => {}
                Turn::Ticked => {
                    left = left.map(|it| it - 1);
                    if left == Some(0) {
                        self.stopped = Some(*agent);
                    }
                }
                Turn::Panicked => {
                    self.stopped = Some(*agent);
                    return;
                }
            }
        }
    }
}
