//! Measures crowds of one size that play the same game in several ways. They take turns, so that
//! other work of the machine slows all of them down alike.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pleach::{TickReport, Tree};

use crate::failure::Failure;
use crate::paths::shown;
use crate::play;
use crate::times::{Times, median};
use crate::world::World;

const DT: f32 = 1.0 / 60.0;
/// Frames before the first that is measured. In the first frames every agent starts something.
const SETTLING: u32 = 30;
/// The fewest agent-ticks of a turn. The clock is too coarse for fewer.
const AGENT_TICKS_PER_TURN: u32 = 20;
/// The most frames of a turn.
const MOST_FRAMES_PER_TURN: u32 = 20;
/// The fewest turns of a way, if there are enough frames. The result is their median.
const TURNS: u32 = 15;

/// How a crowd is ticked. Its agents do the same in every way except batches: there they act, and
/// so meet each other, in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    AsIs,
    Batched,
    NoSleep,
    EveryTick,
}

impl Mode {
    pub(super) const ALL: [Mode; 4] = [Mode::AsIs, Mode::Batched, Mode::NoSleep, Mode::EveryTick];

    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::AsIs => "as it is",
            Mode::Batched => "in batches",
            Mode::NoSleep => "without sleep",
            Mode::EveryTick => "asked every tick",
        }
    }
}

/// A crowd that is being measured.
struct Crowd<W> {
    mode: Mode,
    game: W,
    way: Way,
}

/// The measurements of one way.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The time of each frame.
    pub(super) times: Times,
    /// The time of each turn, in nanoseconds.
    turns: Vec<f64>,
    pub(super) sum: TickReport,
}

/// The measurements of one size of crowd.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) agents: u32,
    /// How many frames were measured of each way. After Ctrl-C these are fewer than asked for.
    pub(super) frames: u32,
    /// The ways in the order of [`Mode::ALL`]. Empty if no frame was measured.
    pub(super) ways: Vec<(Mode, Way)>,
}

impl Block {
    /// The time of a way divided by that of the first way: the median over the turns. In a turn all
    /// ways play the same frames one right after the other, so that other work of the machine
    /// changes the median little.
    pub(super) fn ratio(&self, way: &Way) -> Option<f64> {
        let (_, first) = self.ways.first()?;
        let turns = way.turns.iter().zip(&first.turns).filter(|it| *it.1 > 0.0);
        median(turns.map(|(this, first)| this / first).collect())
    }
}

/// What is to be measured.
pub(super) struct Plan<'a, W: World> {
    pub(super) path: &'a Path,
    pub(super) tree: &'a Arc<Tree<W::Host>>,
    pub(super) agents: u32,
    pub(super) frames: u32,
    pub(super) seed: u64,
}

/// How many frames [`measure`](Plan::measure) reports.
pub(super) fn steps(frames: u32) -> u64 {
    u64::from(SETTLING + frames)
}

impl<W: World> Plan<'_, W> {
    /// Lets the crowds play side by side, until the end or until `stop` returns true. A turn that
    /// not all ways have finished does not count. `played` is called with the number of frames
    /// that all ways have played since its last call.
    ///
    /// # Errors The world cannot play the tree, or the crowds do not all do the same.
    pub(super) fn measure(&self, stop: &dyn Fn() -> bool, played: &dyn Fn(u64)) -> Result<Block, Failure> {
        let mut block = Block { agents: self.agents, frames: 0, ways: Vec::new() };
        let mut crowds = Vec::new();
        for mode in Mode::ALL {
            if stop() {
                return Ok(block);
            }
            crowds.push(self.crowd(mode)?);
        }
        for _ in 0..SETTLING {
            for crowd in &mut crowds {
                if stop() {
                    return Ok(block);
                }
                play::timed_frame(&mut crowd.game, DT, None)?;
            }
            played(1);
        }
        let mut round = 0;
        'rounds: while block.frames < self.frames {
            let frames = self.turn().min(self.frames - block.frames);
            let mut turns: Vec<Option<Turn>> = crowds.iter().map(|_| None).collect();
            for at in order(round) {
                if stop() {
                    break 'rounds;
                }
                turns[at] = Some(Turn::take(&mut crowds[at].game, frames)?);
            }
            for (crowd, turn) in crowds.iter_mut().zip(turns.into_iter().flatten()) {
                crowd.way.add(turn);
            }
            block.frames += frames;
            round += 1;
            played(frames.into());
        }
        if block.frames == self.frames {
            self.compare(&crowds)?;
        }
        if block.frames > 0 {
            block.ways = crowds.into_iter().map(|it| (it.mode, it.way)).collect();
        }
        Ok(block)
    }

    fn crowd(&self, mode: Mode) -> Result<Crowd<W>, Failure> {
        let mut game: W = play::begin(self.path, Arc::clone(self.tree), self.agents, self.seed)?;
        match mode {
            Mode::AsIs => {}
            Mode::Batched => game.forest_mut().configure(|it| it.batched = true),
            Mode::NoSleep => game.forest_mut().configure(|it| it.sleep = false),
            Mode::EveryTick => game.forest_mut().configure(|it| it.reevaluate_every_tick = true),
        }
        Ok(Crowd { mode, game, way: Way::default() })
    }

    /// How many frames a turn has. Short turns give all ways the same conditions.
    fn turn(&self) -> u32 {
        let most = (self.frames / TURNS).clamp(1, MOST_FRAMES_PER_TURN);
        (AGENT_TICKS_PER_TURN / self.agents).clamp(1, most)
    }

    fn compare(&self, crowds: &[Crowd<W>]) -> Result<(), Failure> {
        let in_order = crowds.iter().filter(|it| it.mode != Mode::Batched);
        let worlds: Vec<Option<u64>> = in_order.map(|it| it.game.digest()).collect();
        if worlds.iter().all(|it| *it == worlds[0]) {
            return Ok(());
        }
        Err(Failure::Failed(format!(
            "`{}` behaves differently without sleep, or when every condition is evaluated in every tick: this is a bug in \
             pleach, or in a leaf that reads what it does not declare",
            shown(self.path)
        )))
    }
}

/// The order of the ways in a round. No way is always the first, or always after the same other
/// way.
fn order(round: usize) -> [usize; Mode::ALL.len()] {
    let count = Mode::ALL.len();
    std::array::from_fn(|turn| {
        let at = (turn + round / 2) % count;
        if round.is_multiple_of(2) { at } else { count - 1 - at }
    })
}

/// Some frames of one crowd.
struct Turn {
    times: Vec<Duration>,
    sum: TickReport,
}

impl Turn {
    fn take<W: World>(game: &mut W, frames: u32) -> Result<Turn, Failure> {
        let mut turn = Turn { times: Vec::new(), sum: TickReport::default() };
        for _ in 0..frames {
            let (report, thought) = play::timed_frame(game, DT, None)?;
            turn.times.push(thought);
            play::add(&mut turn.sum, report.tick);
        }
        Ok(turn)
    }
}

impl Way {
    fn add(&mut self, turn: Turn) {
        self.turns.push(turn.times.iter().map(|it| it.as_nanos() as f64).sum());
        turn.times.into_iter().for_each(|it| self.times.add(it));
        play::add(&mut self.sum, turn.sum);
    }

    /// How many turns were measured.
    pub(super) fn turns(&self) -> usize {
        self.turns.len()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use pleach::nodes;
    use pleach_arena::Game;

    use super::*;

    fn measured(agents: u32, frames: u32, stop: &dyn Fn() -> bool) -> (Block, u64) {
        let tree = Arc::new(Tree::builder("guard").build(nodes::wait(0.2)).unwrap());
        let plan = Plan::<Game> { path: Path::new("guard.ron"), tree: &tree, agents, frames, seed: 1 };
        let all = Cell::new(0);
        let block = plan.measure(stop, &|frames| all.set(all.get() + frames)).unwrap();
        (block, all.get())
    }

    #[test]
    fn every_frame_is_measured_in_each_way() {
        for (agents, frames, turns) in [(1, 5, 5), (1, 47, 16), (10, 300, 150), (100, 30, 30), (2_000, 4, 4)] {
            let (block, played) = measured(agents, frames, &|| false);
            assert_eq!((block.agents, block.frames, played), (agents, frames, steps(frames)));
            assert!(block.ways.iter().map(|it| it.0).eq(Mode::ALL));
            for (_, way) in &block.ways {
                assert_eq!((way.times.len(), way.turns()), (frames, turns));
                assert_eq!(way.sum.ticked + way.sum.asleep, u64::from(agents * frames));
            }
        }
    }

    /// Measures until `stop` is called for the `last`-th time.
    fn stopped(last: u32) -> Block {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() >= last
        };
        measured(1, 30, &stop).0
    }

    #[test]
    fn after_ctrl_c_there_is_only_what_was_measured() {
        // `stop` is called before each crowd is made, before each of its settling frames, and
        // before each of its turns.
        let before = 4 + 4 * SETTLING;
        for asked in [1, 3, 5, before, before + 1, before + 4] {
            let block = stopped(asked);
            assert_eq!((block.frames, block.ways.len()), (0, 0), "nothing, when asked {asked} times");
        }
        for (asked, turns) in [(5, 1), (8, 1), (9, 2)] {
            let block = stopped(before + asked);
            assert_eq!(block.frames, turns * 2);
            for (_, way) in &block.ways {
                assert_eq!(
                    (way.times.len(), way.turns()),
                    (block.frames, turns as usize),
                    "half a turn does not count"
                );
            }
        }
    }

    #[test]
    fn a_ratio_is_that_of_most_turns() {
        let way = |turns: &[f64]| Way { turns: turns.into(), ..Way::default() };
        let ratio = |first: &[f64], other: &[f64]| {
            let ways = vec![(Mode::AsIs, way(first)), (Mode::NoSleep, way(other))];
            let block = Block { agents: 1, frames: 1, ways };
            block.ratio(&block.ways[1].1)
        };
        // Two turns were disturbed, and then the machine became slower for both ways.
        assert_eq!(ratio(&[10.0, 10.0, 10.0, 900.0, 40.0], &[20.0, 700.0, 20.0, 30.0, 80.0]), Some(2.0));
        assert_eq!(ratio(&[0.0, 1.0, 2.0], &[5.0, 3.0, 2.0]), Some(2.0), "nothing is no measure");
        assert_eq!(ratio(&[0.0], &[5.0]), None);
        assert_eq!(Block { agents: 1, frames: 0, ways: Vec::new() }.ratio(&way(&[])), None);
    }

    #[test]
    fn turns_are_given_fairly() {
        let count = Mode::ALL.len();
        let mut after = vec![0; count * count];
        let mut first = vec![0; count];
        for round in 0..2 * count {
            let order = order(round);
            let mut sorted = order;
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            first[order[0]] += 1;
            order.windows(2).for_each(|it| after[it[0] * count + it[1]] += 1);
        }
        assert_eq!(first, [2; 4]);
        for at in 0..count {
            let before: Vec<usize> = (0..count).filter(|it| after[it * count + at] > 0).collect();
            assert!(before.len() >= 2, "{at} always comes after {before:?}");
        }
    }
}
