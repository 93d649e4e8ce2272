//! `pleach bench`: what trees cost per agent and tick, and what sleep and asking on change save.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;
use pleach::{NoTracer, TickReport, Tree};
use pleach_arena::{Arena, Game};

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::paint::{BAD, FAINT, RESET, STRONG};
use crate::times::Times;
use crate::words::{bytes, grouped, plural, short};
use crate::{files, memory, run};

const DT: f32 = 1.0 / 60.0;
/// Frames before the first that is measured: at first everybody begins something.
const SETTLING: u32 = 30;

/// How a crowd is ticked. It does the same either way, but in groups, where agents get in each other's way in another
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    AsIs,
    Grouped,
    NoSleep,
    EveryTick,
}

impl Mode {
    const ALL: [Mode; 4] = [Mode::AsIs, Mode::Grouped, Mode::NoSleep, Mode::EveryTick];

    fn name(self) -> &'static str {
        match self {
            Mode::AsIs => "as it is",
            Mode::Grouped => "in groups",
            Mode::NoSleep => "without sleep",
            Mode::EveryTick => "asked every tick",
        }
    }
}

/// A crowd and what its frames came to.
struct Crowd {
    mode: Mode,
    game: Game,
    times: Times,
    sum: TickReport,
}

/// The crowds of one size, in the order of [`Mode::ALL`].
struct Block {
    agents: u32,
    crowds: Vec<Crowd>,
}

/// A tree with everything that was measured of it.
struct Table<'a> {
    tree: &'a Tree<Arena>,
    args: &'a BenchArgs,
    blocks: Vec<Block>,
}

pub(crate) fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let trees = load(args)?;
    for (_, tree) in &trees {
        memory::refuse_too_large(tree, args.agents, Mode::ALL.len())?;
    }
    let sizes: Vec<u32> = [args.agents / 10, args.agents].into_iter().filter(|it| *it > 0).collect();
    let interrupted = run::interrupts();
    let steps = (trees.len() * sizes.len()) as u64 * u64::from(SETTLING + args.frames);
    let bar = run::bar(steps);
    for (at, (path, tree)) in trees.iter().enumerate() {
        let mut blocks = Vec::new();
        for &agents in &sizes {
            blocks.push(measure(args, path, tree, agents, &bar, &interrupted)?);
            if interrupted.load(Ordering::Relaxed) {
                break;
            }
        }
        let table = Table { tree, args, blocks };
        // The bar makes room for it.
        bar.suspend(|| {
            let mut out = anstream::stdout().lock();
            if at > 0 {
                writeln!(out)?;
            }
            write!(out, "{table}")
        })?;
        if interrupted.load(Ordering::Relaxed) {
            bar.finish_and_clear();
            return Err(Failure::Interrupted);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A tree and where it came from.
type Loaded = (PathBuf, Arc<Tree<Arena>>);

/// All trees, before any of them is measured.
fn load(args: &BenchArgs) -> Result<Vec<Loaded>, Failure> {
    let mut trees = Vec::new();
    let mut failed = None;
    for path in files::expand_all(&args.paths)? {
        let tree = path.and_then(|path| {
            let tree = Arc::new(files::load(&path)?);
            // One agent finds out whether the arena can play it.
            run::begin(&path, Arc::clone(&tree), 1, args.seed, NoTracer)?;
            Ok((path, tree))
        });
        match tree {
            Ok(tree) => trees.push(tree),
            Err(failure) => {
                failure.tell();
                failed = Some(Failure::Problems);
            }
        }
    }
    failed.map_or(Ok(trees), Err)
}

/// Lets the crowds of one size play side by side: frame by frame, and nobody always comes after the same.
fn measure(
    args: &BenchArgs,
    path: &Path,
    tree: &Arc<Tree<Arena>>,
    agents: u32,
    bar: &ProgressBar,
    interrupted: &AtomicBool,
) -> Result<Block, Failure> {
    let mut crowds = Vec::new();
    for mode in Mode::ALL {
        let mut game = run::begin(path, Arc::clone(tree), agents, args.seed, NoTracer)?;
        match mode {
            Mode::AsIs => {}
            Mode::Grouped => game.forest.set_grouped(true),
            Mode::NoSleep => game.forest.set_sleep(false),
            Mode::EveryTick => game.forest.set_reevaluate_every_tick(true),
        }
        crowds.push(Crowd { mode, game, times: Times::default(), sum: TickReport::default() });
    }
    for frame in 0..SETTLING + args.frames {
        for turn in 0..crowds.len() {
            let at = (turn + frame as usize) % crowds.len();
            let crowd = &mut crowds[at];
            let (report, thought) = run::timed(&mut crowd.game, DT)?;
            if frame >= SETTLING {
                crowd.times.add(thought);
                run::add(&mut crowd.sum, report.tick);
            }
        }
        bar.inc(1);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    let in_order = crowds.iter().filter(|it| it.mode != Mode::Grouped);
    let worlds: Vec<u64> = in_order.map(|it| it.game.world.digest()).collect();
    if worlds.iter().any(|it| *it != worlds[0]) {
        return Err(Failure::Failed(format!(
            "`{}` does something else without sleep, or when it is asked in every tick: that is a bug of pleach, or of a \
             leaf that reads what it does not declare",
            path.display()
        )));
    }
    Ok(Block { agents, crowds })
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { tree, args, blocks } = self;
        writeln!(
            f,
            "{STRONG}{}{RESET}  {} at 60 Hz, seed {}",
            tree.name().escape_debug(),
            plural(args.frames as usize, "frame"),
            args.seed
        )?;
        let measured = blocks.iter().filter_map(|it| it.crowds.first()).map(|it| it.times.len()).min().unwrap_or(0);
        if measured < args.frames {
            writeln!(f, "{BAD}interrupted{RESET} after {measured} of {} frames", args.frames)?;
        }
        if cfg!(debug_assertions) {
            writeln!(f, "{BAD}a debug build{RESET}: for times that count, run it with --release")?;
        }
        writeln!(
            f,
            "\n  {FAINT}{:>9}  {:<18}{:>9}{:>10}{:>10}{:>11}{:>10}{:>12}{RESET}",
            "agents", "", "median", "mean", "p99", "ratio", "asleep", "aborts"
        )?;
        for block in blocks {
            block.fmt(f)?;
        }
        let size = tree.footprint();
        writeln!(
            f,
            "\n  {STRONG}{} B{RESET} per agent  {FAINT}{} hot, {} cold, {} blackboard, {} leaves; {} in all{RESET}",
            size.total(),
            size.hot,
            size.cold,
            size.blackboard,
            size.leaves,
            bytes(size.total() as f64 * f64::from(args.agents))
        )?;
        writeln!(
            f,
            "  {FAINT}times: nanoseconds per agent and tick, of the tree and its leaves, by frame; ratios are of means{RESET}"
        )
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = f64::from(self.agents);
        let base = self.crowds[0].times.mean();
        for crowd in &self.crowds {
            let ([median, late, _], mean) = (crowd.times.digest(), crowd.times.mean());
            let first = crowd.mode == Mode::AsIs;
            let size = if first { grouped(self.agents.into()) } else { String::new() };
            let ratio = if first || base == 0.0 { String::new() } else { format!("x {:.2}", mean / base) };
            let TickReport { ticked, asleep, aborts, .. } = crowd.sum;
            let share = asleep as f64 / (asleep + ticked).max(1) as f64 * 100.0;
            writeln!(
                f,
                "  {size:>9}  {:<18}{STRONG}{:>9}{RESET}{:>10}{:>10}{ratio:>11}{:>10}{:>12}",
                crowd.mode.name(),
                short(median / agents),
                short(mean / agents),
                short(late / agents),
                format!("{share:.1} %"),
                grouped(aborts)
            )?;
        }
        Ok(())
    }
}
