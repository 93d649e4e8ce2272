//! Measuring: all implementations of a workload and size are alive at once and take turns, so that
//! a busy machine is busy for all of them.

use std::fmt;
use std::time::{Duration, Instant};

use allocation_counter::{measure, opt_out};
use pleach_benches::{Entry, Racer, Workload, Wrong, entries};

use super::progress::Progress;
use super::row::{Row, Rows};
use super::statistics::{lowest, median, rounded};

/// The most that one crowd may allocate.
const MOST_BYTES: f64 = 4e9;
/// Allocations are counted over at least this many agent ticks.
const COUNTED_TICKS: u32 = 10_000;

/// How many parts a wall-clock turn has. The fastest part of all counts: other programs that want a
/// core can only make a part longer, and they disturb short parts less often.
pub(super) const PARTS: u32 = 10;

/// How thoroughly to measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// How often each implementation has its turn.
    pub(super) rounds: u32,
    /// How long a turn is, except for crowds whose frame takes longer.
    pub(super) turn: Duration,
    /// The longest time for one implementation of one workload and size.
    patience: Duration,
    sizes: fn(u32) -> bool,
}

impl Pace {
    /// Takes a few minutes.
    pub(super) const FULL: Self =
        Self { rounds: 15, turn: Duration::from_millis(20), patience: Duration::from_secs(60), sizes: |_| true };

    /// Takes less than three minutes.
    pub(super) const QUICK: Self = Self {
        rounds: 9,
        turn: Duration::from_millis(5),
        patience: Duration::from_secs(20),
        sizes: |it| matches!(it, 1 | 10 | 50 | 1_000 | 10_000 | 100_000),
    };

    fn sizes(&self, workload: Workload) -> impl Iterator<Item = u32> {
        workload.sizes().iter().copied().filter(|&it| (self.sizes)(it))
    }

    /// How many steps [`workload`] reports.
    pub(super) fn steps(&self, workloads: &[Workload]) -> u64 {
        workloads
            .iter()
            .map(|&it| {
                let crowds = self.sizes(it).map(|size| entries_of(it, size).count() as u64).sum::<u64>();
                entries(it).count() as u64 + crowds * (1 + u64::from(self.rounds))
            })
            .sum()
    }

    /// Why a crowd is not made, judging by the next smaller one.
    fn refuses(&self, workload: Workload, size: u32, smaller: Option<&Row>) -> Option<Refusal> {
        let smaller = smaller?;
        if smaller.skipped.is_some() {
            return Some(Refusal::Before);
        }
        let bytes = smaller.bytes_per_agent.unwrap_or(0.0) * f64::from(size);
        // Small crowds share their fixed costs among few agents.
        if smaller.agents >= 100 && bytes > MOST_BYTES {
            return Some(Refusal::Bytes(bytes));
        }
        let frames = f64::from(workload.settling() + self.rounds + 2);
        let seconds = smaller.ns_per_agent_tick? * 1e-9 * f64::from(size) * frames;
        (smaller.agents >= 100 && seconds > self.patience.as_secs_f64()).then_some(Refusal::Seconds(seconds))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Refusal {
    Bytes(f64),
    Seconds(f64),
    Before,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "it would take {:.1} GB", bytes / 1e9),
            Self::Seconds(seconds) => write!(f, "it would take {seconds:.0} s"),
            Self::Before => f.write_str("a smaller crowd was too much already"),
        }
    }
}

/// An implementation that is being measured.
struct Contestant {
    row: Row,
    racer: Box<dyn Racer>,
    /// Of a part of a turn.
    frames: u32,
    /// Of a turn.
    parts: u32,
    samples: Vec<f64>,
}

/// Measures a workload at all sizes.
///
/// # Errors
/// An implementation does not do what the workload requires.
pub(super) fn workload(workload: Workload, pace: &Pace, progress: &Progress, rows: &mut Rows) -> Result<(), Wrong> {
    for entry in entries(workload) {
        progress.step(|| format!("{workload}: does {} do the right thing?", entry.name));
        entry.check(workload)?;
    }
    let mut smaller: Vec<Row> = Vec::new();
    for size in pace.sizes(workload) {
        progress.size(workload, size);
        let mut contestants = Vec::new();
        let mut measured = Vec::new();
        for entry in entries_of(workload, size) {
            progress.step(|| format!("{workload}: {size} of {}", entry.name));
            let before = smaller.iter().find(|it| it.implementation == entry.name);
            match pace.refuses(workload, size, before) {
                None => contestants.push(Contestant::new(entry, workload, size, pace.turn)),
                Some(refusal) => {
                    progress.skip(pace.rounds.into());
                    measured.push(Row { skipped: Some(refusal.to_string()), ..nothing(entry, workload, size) });
                }
            }
        }
        for round in 0..pace.rounds as usize {
            for turn in 0..contestants.len() {
                // So that none always comes after the same one.
                let at = (turn + round) % contestants.len();
                progress.step(|| format!("{workload}: {size} of {}", contestants[at].row.implementation));
                contestants[at].take_turn();
            }
        }
        measured.extend(contestants.into_iter().map(Contestant::finish));
        // In the order in which they are reported.
        for entry in entries_of(workload, size) {
            let row = measured.iter().find(|it| it.implementation == entry.name);
            rows.push(row.expect("everyone was measured or refused").clone());
        }
        smaller = measured;
    }
    Ok(())
}

/// The implementations measured at a size.
fn entries_of(workload: Workload, size: u32) -> impl Iterator<Item = &'static Entry> {
    entries(workload).filter(move |it| it.takes(size))
}

/// A row in which nothing was measured.
fn nothing(entry: &Entry, workload: Workload, size: u32) -> Row {
    Row {
        workload: workload.name(),
        implementation: entry.name,
        agents: size,
        ns_per_agent_tick: None,
        bytes_per_agent: None,
        allocs_per_tick: None,
        skipped: None,
    }
}

impl Contestant {
    /// Makes it, lets it settle, counts its allocations, and computes how many frames a turn has.
    fn new(entry: &Entry, workload: Workload, size: u32, turn: Duration) -> Self {
        let mut made = None;
        let built = measure(|| {
            let mut racer = entry.make(workload, size).expect("it is an entry of this workload");
            racer.play(workload.settling());
            made = Some(racer);
        });
        let mut racer = made.expect("it has just been made");
        let mut row = nothing(entry, workload, size);
        // Allocations of other threads are not visible here.
        let seen = !workload.is_by_the_wall();
        // The other data of S5 does not belong to the agents, nor does the arena of S6-reload, and
        // agents must be spawned before they are despawned.
        if seen
            && !matches!(
                workload,
                Workload::Mixed
                    | Workload::Despawn
                    | Workload::Reload
                    | Workload::Keep
                    | Workload::Snapshot
                    | Workload::Save
            )
        {
            row.bytes_per_agent = Some(rounded(built.bytes_current as f64 / f64::from(size)));
        }
        if seen && workload != Workload::Despawn {
            let frames = if workload.settling() == 0 { 1 } else { COUNTED_TICKS.div_ceil(size) };
            let ticked = measure(|| {
                racer.play(frames);
            });
            row.allocs_per_tick = Some(rounded(ticked.count_total as f64 / (f64::from(frames) * f64::from(size))));
        }
        let parts = if workload.is_by_the_wall() { PARTS } else { 1 };
        let frames = frames_of(turn / parts, |frames| timed(racer.as_mut(), frames));
        Self { row, racer, frames, parts, samples: Vec::new() }
    }

    fn take_turn(&mut self) {
        let ticks = f64::from(self.frames) * f64::from(self.row.agents);
        // Counting costs a rival some nanoseconds per allocation; this is the nearest thing to
        // turning it off.
        opt_out(|| {
            // The others used the caches before. If a frame fills the turn, the crowd is too large
            // for them anyway.
            if self.frames > 1 {
                self.racer.play(1);
            }
            for _ in 0..self.parts {
                let took = self.racer.play(self.frames);
                self.samples.push(took.as_secs_f64() * 1e9 / ticks);
            }
        });
    }

    fn finish(self) -> Row {
        let ns = if self.parts > 1 { lowest(&self.samples) } else { median(&self.samples) };
        Row { ns_per_agent_tick: ns.map(rounded), ..self.row }
    }
}

/// How long playing takes in wall-clock time, including what happens between frames.
fn timed(racer: &mut dyn Racer, frames: u32) -> Duration {
    let began = Instant::now();
    opt_out(|| {
        racer.play(frames);
    });
    began.elapsed()
}

/// How many frames fill a turn, at least one.
fn frames_of(turn: Duration, mut play: impl FnMut(u32) -> Duration) -> u32 {
    let mut frames = 1_u32;
    loop {
        let took = play(frames);
        if took * 4 >= turn || frames >= u32::MAX / 8 {
            let fit = f64::from(frames) * turn.as_secs_f64() / took.as_secs_f64().max(1e-9);
            // Bounded by the line above, unless the clock stands still.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            return (fit.round() as u32).max(1);
        }
        frames *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::row;
    use super::*;

    #[test]
    fn turns_are_as_long_as_they_should_be() {
        let per_frame = |micros: u64| move |frames: u32| Duration::from_micros(micros) * frames;
        assert_eq!(frames_of(Duration::from_millis(5), per_frame(10)), 500);
        assert_eq!(frames_of(Duration::from_millis(5), per_frame(5_000)), 1);
        assert_eq!(frames_of(Duration::from_millis(5), per_frame(50_000)), 1, "a frame is not divided");
        assert!(frames_of(Duration::from_millis(5), |_| Duration::ZERO) > 1_000_000, "and this ends");
    }

    #[test]
    fn what_would_take_too_much_is_refused() {
        let refuses = |row: &Row, size| Pace::FULL.refuses(Workload::Walk, size, Some(row));
        let mut small = row(Workload::Walk, "bonsai-race", 100_000, 100.0);
        small.bytes_per_agent = Some(3_000.0);
        assert_eq!(refuses(&small, 1_000_000), None);
        small.bytes_per_agent = Some(4_500.0);
        assert_eq!(refuses(&small, 1_000_000).unwrap().to_string(), "it would take 4.5 GB");
        small.bytes_per_agent = Some(3_000.0);
        small.ns_per_agent_tick = Some(1e4);
        assert_eq!(refuses(&small, 1_000_000).unwrap().to_string(), "it would take 190 s");
        small.agents = 1;
        assert_eq!(refuses(&small, 1_000_000), None, "a single agent tells nothing");
        small.skipped = Some("it would take 190 s".into());
        assert_eq!(refuses(&small, 1_000_000), Some(Refusal::Before));
        assert_eq!(Pace::FULL.refuses(Workload::Walk, 1_000_000, None), None);
    }

    #[test]
    fn a_workload_is_measured_and_every_step_is_reported() {
        let pace = Pace { rounds: 2, turn: Duration::from_micros(10), sizes: |it| it <= 100, ..Pace::QUICK };
        let (mut rows, progress) = (Rows::default(), Progress::silent());
        workload(Workload::Walk, &pace, &progress, &mut rows).unwrap();
        assert_eq!(progress.steps(), pace.steps(&[Workload::Walk]));
        let names: Vec<_> = entries(Workload::Walk).map(|it| it.name).collect();
        let measured: Vec<_> = rows.of(Workload::Walk).map(|it| (it.agents, it.implementation)).collect();
        let expected: Vec<_> =
            [1, 10, 50, 100].iter().flat_map(|&size| names.iter().map(move |&it| (size, it))).collect();
        assert_eq!(measured, expected);
        for row in rows.of(Workload::Walk) {
            assert!(row.ns_per_agent_tick.unwrap() > 0.0 && row.bytes_per_agent.unwrap() > 0.0, "{row:?}");
            assert_eq!(row.allocs_per_tick.unwrap() > 0.0, row.implementation.starts_with("bonsai"), "{row:?}");
        }
    }
}
