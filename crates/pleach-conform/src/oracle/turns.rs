//! Which agents have a turn in which frame: SEMANTICS 8.2, 8.4 and 8.6, from their text alone.

/// How many places a chunk has, if nobody says.
const CHUNK: usize = 1_024;

/// The agents of all trees, in their chunks, and which of them is due. The caller names agents by
/// an `A`.
#[derive(Clone)]
pub(crate) struct Turns<A> {
    /// How many places a chunk has.
    room: usize,
    /// The chunks of each tree, and in these the agents at their places.
    trees: Vec<Vec<Vec<Standing<A>>>>,
    /// The number of the last frame.
    frame: u64,
    /// The agent at which the last call with a budget stopped, or any call with a panic.
    stopped: Option<A>,
}

/// The number of a tree, in the order in which trees were added.
#[derive(Clone, Copy)]
pub(crate) struct TreeNumber(usize);

#[derive(Clone)]
struct Standing<A> {
    agent: A,
    /// 0: never.
    rate: u32,
    due: bool,
}

/// The result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The agent was ticked. This costs.
    Ticked,
    /// The agent was not ticked: it is paused or off.
    Free,
    /// One of its leaves panicked.
    Panicked,
}

impl<A> Turns<A> {
    /// No tree, and chunks of this many places.
    pub(crate) fn in_chunks_of(room: usize) -> Self {
        Turns { room, trees: Vec::new(), frame: 0, stopped: None }
    }
}

impl<A> Default for Turns<A> {
    fn default() -> Self {
        Turns::in_chunks_of(CHUNK)
    }
}

impl<A: Copy + PartialEq> Turns<A> {
    /// Adds a tree behind the others.
    pub(crate) fn tree(&mut self) -> TreeNumber {
        self.trees.push(Vec::new());
        TreeNumber(self.trees.len() - 1)
    }

    /// Adds an agent at the end of the first chunk with room.
    pub(crate) fn spawn(&mut self, tree: TreeNumber, agent: A) {
        let chunks = &mut self.trees[tree.0];
        if chunks.iter().all(|chunk| chunk.len() == self.room) {
            chunks.push(Vec::new());
        }
        let chunk = chunks.iter_mut().find(|chunk| chunk.len() < self.room).expect("there is one now");
        chunk.push(Standing { agent, rate: 1, due: false });
    }

    /// Removes an agent. The last of its chunk takes its place.
    pub(crate) fn despawn(&mut self, agent: A) {
        for chunk in self.trees.iter_mut().flatten() {
            if let Some(place) = chunk.iter().position(|it| it.agent == agent) {
                chunk.swap_remove(place);
            }
        }
    }

    /// Whether the text leaves open where the next call with a budget begins, if this agent is
    /// despawned: the last call stopped at it, or at the agent that takes its place.
    pub(crate) fn would_blur(&self, agent: A) -> bool {
        let chunk = self.trees.iter().flatten().find(|chunk| chunk.iter().any(|it| it.agent == agent));
        let last = chunk.and_then(|chunk| chunk.last()).map(|it| it.agent);
        self.stopped.is_some() && (self.stopped == Some(agent) || self.stopped == last)
    }

    /// Sets the rate of an agent. If it is due it stays due, unless the rate is 0.
    pub(crate) fn set_rate(&mut self, agent: A, rate: u32) {
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
    pub(crate) fn frame_on_threads(&mut self, mut turn: impl FnMut(usize, A) -> Turn) {
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
    pub(crate) fn frame(&mut self, budget: Option<u64>, mut turn: impl FnMut(A) -> Turn) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// So many agents of one tree, counted from 1.
    fn chunk(agents: usize) -> Turns<usize> {
        let mut turns = Turns::default();
        let tree = turns.tree();
        (1..=agents).for_each(|it| turns.spawn(tree, it));
        turns
    }

    /// The agents that have a turn in the next frame. All of them are ticked.
    fn frame(turns: &mut Turns<usize>, budget: Option<u64>) -> Vec<usize> {
        let mut had = Vec::new();
        turns.frame(budget, |it| {
            had.push(it);
            Turn::Ticked
        });
        had
    }

    #[test]
    fn a_rate_and_a_place_say_when_an_agent_is_due() {
        let mut turns = chunk(4);
        (1..=4).for_each(|it| turns.set_rate(it, 3));
        turns.set_rate(3, 0);
        let had: Vec<_> = (0..4).map(|_| frame(&mut turns, None)).collect();
        assert_eq!(had, [vec![2], vec![], vec![1, 4], vec![2]]);
    }

    #[test]
    fn a_due_agent_stays_due_at_another_rate_and_at_another_place() {
        let mut turns = chunk(4);
        assert!(frame(&mut turns, Some(0)).is_empty());
        turns.set_rate(2, 0);
        (2..=4).for_each(|it| turns.set_rate(it, 255));
        turns.despawn(1);
        // The fourth is at the first place now; the second was never to be ticked for a moment.
        assert_eq!(frame(&mut turns, None), [4, 3]);
        assert!(frame(&mut turns, None).is_empty());
    }

    #[test]
    fn a_new_agent_stands_at_the_end_of_the_first_row_with_room() {
        let mut turns = chunk(2 * CHUNK);
        turns.despawn(7);
        turns.spawn(TreeNumber(0), 9_000);
        turns.spawn(TreeNumber(0), 9_001);
        let places = |it: &Turns<usize>| it.trees[0].iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(places(&turns), [CHUNK, CHUNK, 1]);
        assert_eq!((turns.trees[0][0][6].agent, turns.trees[0][0][CHUNK - 1].agent), (CHUNK, 9_000));
        assert_eq!(turns.trees[0][2][0].agent, 9_001);
    }

    #[test]
    fn a_budget_begins_behind_the_last_agent() {
        let mut turns = chunk(5);
        assert_eq!(frame(&mut turns, Some(2)), [1, 2]);
        assert_eq!(frame(&mut turns, None), [1, 2, 3, 4, 5]);
        assert_eq!(frame(&mut turns, Some(2)), [3, 4]);
        assert_eq!(frame(&mut turns, Some(9)), [5, 1, 2, 3, 4]);
        assert_eq!(frame(&mut turns, Some(2)), [5, 1]);
    }

    #[test]
    fn an_agent_that_is_not_ticked_costs_nothing() {
        let mut turns = chunk(5);
        let mut had = Vec::new();
        turns.frame(Some(2), |it| {
            had.push(it);
            if it == 2 { Turn::Free } else { Turn::Ticked }
        });
        assert_eq!(had, [1, 2, 3]);
        assert_eq!(frame(&mut turns, Some(1)), [4]);
    }

    #[test]
    fn those_behind_a_panic_stay_due_and_the_next_budget_begins_with_them() {
        let mut turns = chunk(4);
        (1..=4).for_each(|it| turns.set_rate(it, 4));
        let at_two = |it| if it == 2 { Turn::Panicked } else { Turn::Ticked };
        turns.frame(Some(0), at_two);
        turns.frame(None, at_two);
        assert_eq!(frame(&mut turns, Some(9)), [3, 4]);
        assert_eq!(frame(&mut turns, None), [1]);
    }
}
