//! `pleach run`: agents of a tree in the arena, and what they cost.

mod behaviours;
mod table;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pleach::{NoTracer, TickReport, Tracer, Tree};
use pleach_arena::{Arena, FrameError, FrameReport, Game};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::times::Times;
use crate::{files, memory, trace, watch, words};
use behaviours::Behaviours;
use table::Table;

/// The most frames of one run: the time that each took is kept.
const MAX_FRAMES: u32 = 20_000_000;
/// How often the agents are asked what they are doing, at most, in the whole run.
const SAMPLES: u32 = 200;

/// How many frames, and how long each is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) frames: u32,
    pub(crate) dt: f32,
    pub(crate) hz: u32,
}

impl Pace {
    fn of(args: &RunArgs) -> Result<Pace, Failure> {
        let frames = (args.seconds * f64::from(args.hz)).round().max(1.0);
        if frames > f64::from(MAX_FRAMES) {
            return Err(Failure::Usage(format!(
                "{} s at {} Hz are {frames} frames, the most is {MAX_FRAMES}: run it for a shorter time",
                args.seconds, args.hz
            )));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range, as has just been asked")]
        let frames = frames as u32;
        #[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is what is wanted")]
        let dt = (1.0 / f64::from(args.hz)) as f32;
        Ok(Pace { frames, dt, hz: args.hz })
    }

    /// The time at the end of a frame, counted from 1.
    pub(crate) fn seconds(self, frame: u32) -> f64 {
        f64::from(frame) / f64::from(self.hz)
    }
}

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let pace = Pace::of(args)?;
    for (option, agent) in [("--trace", args.trace), ("--watch", args.watch), ("--explain", args.explain)] {
        if let Some(agent) = agent.filter(|it| *it >= args.agents) {
            return Err(Failure::Usage(format!(
                "there is no agent {agent} for {option}: {} agents are counted from 0 to {}",
                args.agents,
                args.agents - 1
            )));
        }
    }
    let tree = Arc::new(files::load(&args.file)?);
    memory::refuse_too_large(&tree, args.agents, 1)?;
    match (args.trace, args.watch, args.explain) {
        (Some(agent), ..) => trace::trace(&mut of(args, tree, trace::tracer())?, agent as usize, pace, &interrupts()),
        (None, Some(agent), _) => watch::watch(&mut of(args, tree, NoTracer)?, agent as usize, pace, &interrupts()),
        (None, None, Some(agent)) => explain(&mut of(args, tree, NoTracer)?, agent as usize, pace, &interrupts()),
        (None, None, None) => measure(args, tree, pace),
    }
}

/// The run, and at its end why an agent does what it does.
fn explain(game: &mut Game<NoTracer>, agent: usize, pace: Pace, interrupted: &AtomicBool) -> Result<(), Failure> {
    let bar = bar(pace.frames.into());
    let mut stopped = false;
    for at in 1..=pace.frames {
        frame(game, pace.dt)?;
        bar.set_position(at.into());
        stopped = interrupted.load(Ordering::Relaxed);
        if stopped {
            break;
        }
    }
    bar.finish_and_clear();
    let explained = game.forest.explain(game.agents()[agent]).map_err(|error| Failure::Failed(error.to_string()))?;
    writeln!(anstream::stdout().lock(), "{explained}")?;
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

/// A game as the arguments want it.
fn of<T: Tracer>(args: &RunArgs, tree: Arc<Tree<Arena>>, tracer: T) -> Result<Game<T>, Failure> {
    begin(&args.file, tree, args.agents, args.seed, tracer)
}

/// A game with so many agents of the file's tree.
pub(crate) fn begin<T: Tracer>(
    file: &Path,
    tree: Arc<Tree<Arena>>,
    agents: u32,
    seed: u64,
    tracer: T,
) -> Result<Game<T>, Failure> {
    let game = Game::new(tree, agents as usize, seed, tracer);
    game.map_err(|error| Failure::Failed(format!("cannot play `{}` in the arena: {error}", files::shown(file))))
}

/// Lets a frame pass.
pub(crate) fn frame<T: Tracer>(game: &mut Game<T>, dt: f32) -> Result<FrameReport, Failure> {
    Ok(timed(game, dt)?.0)
}

/// Lets a frame pass; what it did, and how long the agents' tick took of it.
pub(crate) fn timed<T: Tracer>(game: &mut Game<T>, dt: f32) -> Result<(FrameReport, Duration), Failure> {
    let mut pass = || {
        let heard = game.perceive()?;
        let thinking = Instant::now();
        let report = game.think(dt)?;
        let thought = thinking.elapsed();
        game.world.step(dt)?;
        Ok((FrameReport { events: heard + report.events, ..report }, thought))
    };
    pass().map_err(|error: FrameError| Failure::Failed(format!("the arena stopped: {error}")))
}

/// Becomes true with the first Ctrl-C; the second ends the program at once.
pub(crate) fn interrupts() -> Arc<AtomicBool> {
    let pressed = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&pressed);
    // Without a handler Ctrl-C just ends the program, which is not worth an error.
    let _unhandled = ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    pressed
}

/// The run with its table.
fn measure(args: &RunArgs, tree: Arc<Tree<Arena>>, pace: Pace) -> Result<(), Failure> {
    let interrupted = interrupts();
    let mut game = of(args, Arc::clone(&tree), NoTracer)?;
    let mut behaviours = Behaviours::of(&tree);
    let every = (pace.frames / SAMPLES).max(1);
    let (mut trees, mut frames) = (Times::default(), Times::default());
    let (mut sum, mut events) = (TickReport::default(), 0);
    let bar = bar(pace.frames.into());
    let began = Instant::now();
    for at in 1..=pace.frames {
        let before = Instant::now();
        let (report, thought) = timed(&mut game, pace.dt)?;
        trees.add(thought);
        frames.add(before.elapsed());
        add(&mut sum, report.tick);
        events += report.events;
        if at % every == 0 {
            behaviours.sample(&game);
        }
        bar.set_position(at.into());
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    bar.finish_and_clear();
    let wall = began.elapsed();
    let ran = frames.len();
    let (shares, asked) = (behaviours.shares(), behaviours.at_a_time(game.agents().len()));
    let columns = words::columns();
    let table = Table { args, tree: &tree, pace, ran, wall, trees, frames, sum, events, shares, asked, columns };
    write!(anstream::stdout().lock(), "{table}")?;
    if ran < pace.frames { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Adds up what ticks did.
pub(crate) fn add(sum: &mut TickReport, tick: TickReport) {
    let TickReport { ticked, asleep, ended, aborts } = tick;
    sum.ticked += ticked;
    sum.asleep += asleep;
    sum.ended += ended;
    sum.aborts += aborts;
}

/// On a terminal only; indicatif draws it on standard error, twenty times per second.
pub(crate) fn bar(frames: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len} frames, {eta} left");
    let bar = ProgressBar::new(frames).with_style(style.expect("the template is right"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
