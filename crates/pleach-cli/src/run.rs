//! `pleach run`: plays a tree in the world of the program, and prints what it costs and what its
//! agents do.

mod acts;
mod behaviours;
mod counted;
mod json;
mod listen;
mod stop;
mod table;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Instant;

use pleach::{Registry, TickReport, Tree};
use pleach_draw::Drawing;

use crate::args::{Format, RunArgs};
use crate::coverage::{self, Coverage};
use crate::failure::Failure;
use crate::pace::Pace;
use crate::play::{add, begin};
use crate::progress::bar;
use crate::reload::{Reload, Start};
use crate::session::{Session, Tape};
use crate::times::Times;
use crate::world::World;
use crate::{agents, memory, trace, watch, words};
use acts::{Acted, Acts};
use behaviours::Behaviours;
use counted::Counted;
use table::RunTable;

/// How many samples of what the agents are doing are taken in a run, at most.
const SAMPLES: u32 = 200;

pub(crate) fn run<W: World>(registry: &Registry<W::Host>, args: &RunArgs) -> Result<(), Failure> {
    let pace = Pace::of(args)?;
    for (option, agent) in [("--trace", args.trace), ("--watch", args.watch), ("--explain", args.explain)] {
        if let Some(agent) = agent.filter(|it| *it >= args.agents) {
            return Err(Failure::Usage(format!(
                "there is no agent {agent} for {option}: the {} agents are numbered 0 to {}",
                args.agents,
                args.agents - 1
            )));
        }
    }
    coverage::refuse_trees(&args.coverage, Some(&args.file))?;
    let Start { tree, described, texts, reload } = Reload::load(registry, W::NAME, args)?;
    let keys_every = match args.record {
        Some(_) => args.record_keys.every(args.hz),
        // A user who steps through a game wants to see what just changed.
        None => 1,
    };
    let is_recorded = args.record.is_some() || args.listen.is_some();
    let tape = || Tape::new(args.record.as_deref(), &args.file, texts, registry, keys_every);
    let tape = is_recorded.then(tape).transpose()?;
    let tree = Arc::new(tree);
    let counted = described.map(|it| Counted::new(&tree, Some(&it)));
    memory::refuse_too_large::<W>(&tree, args.agents, 1)?;
    let acts = Acts::of(args, pace, &tree)?;
    let world: W = begin(&args.file, Arc::clone(&tree), args.agents, args.seed)?;
    let (mut game, mut session) = (Acted::new(world, acts), Session::new(pace, reload, tape)?);
    let shows_one = args.trace.or(args.watch).or(args.explain).is_some();
    // A recording does not depend on what is shown.
    if shows_one || is_recorded || stop::is_wanted(args) {
        agents::label(&mut game);
    }
    let play = || match (args.trace, args.watch, args.explain) {
        _ if args.listen.is_some() => listen::listen(&mut game, args, &mut session),
        (Some(agent), ..) => trace::trace(&mut game, agent as usize, &mut session),
        (None, Some(agent), _) => watch::watch(&mut game, agent as usize, &mut session),
        (None, None, Some(agent)) => explain(&mut game, agent as usize, &mut session),
        (None, None, None) if stop::is_wanted(args) => stop::stop(&mut game, args, &mut session),
        (None, None, None) => measure(&mut game, args, (tree, counted), &mut session),
    };
    // A recording must have what a leaf did before it panicked.
    let played = catch_unwind(AssertUnwindSafe(play));
    let signal = session.ctrl_c.exit_code();
    let recorded = session.end();
    match played {
        Ok(Ok(())) => recorded,
        Ok(Err(failure)) => {
            recorded.unwrap_or_else(|it| it.tell());
            Err(match (failure, signal) {
                (Failure::EndedEarly, Some(code)) => Failure::Signal(code),
                (failure, _) => failure,
            })
        }
        Err(panic) => {
            recorded.unwrap_or_else(|it| it.tell());
            resume_unwind(panic)
        }
    }
}

/// Plays the run, then says why an agent does what it does.
fn explain<W: World>(game: &mut W, agent: usize, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    let pace = session.pace;
    let bar = bar(pace.frames.into());
    let mut ended_early = false;
    for at in 1..=pace.frames {
        session.wait(at);
        if let Some(news) = session.look(game, None) {
            bar.suspend(|| {
                news.tell_warnings();
                writeln!(anstream::stdout().lock(), "{}", news.text())
            })?;
        }
        session.frame(game, None)?;
        bar.set_position(at.into());
        ended_early = session.ctrl_c.pressed();
        if ended_early {
            break;
        }
    }
    bar.finish_and_clear();
    let id = game.agents()[agent];
    let explained =
        game.forest().agent(id).map(|it| it.explain()).map_err(|error| Failure::Failed(error.to_string()))?;
    writeln!(anstream::stdout().lock(), "{explained}")?;
    if ended_early { Err(Failure::EndedEarly) } else { Ok(()) }
}

/// Plays the run and prints its table.
fn measure<W: World>(
    game: &mut W,
    args: &RunArgs,
    (mut tree, mut counted): (Arc<Tree<W::Host>>, Option<Counted>),
    session: &mut Session<'_, W::Host>,
) -> Result<(), Failure> {
    let pace = session.pace;
    let mut behaviours = Behaviours::of(&tree);
    let every = (pace.frames / SAMPLES).max(1);
    let (mut trees, mut frames) = (Times::default(), Times::default());
    let (mut sum, mut events) = (TickReport::default(), 0);
    let bar = bar(pace.frames.into());
    let began = Instant::now();
    for at in 1..=pace.frames {
        session.wait(at);
        if let Some(news) = session.look(game, counted.as_mut().map(Counted::witness)) {
            // A program reads a single object from standard output.
            bar.suspend(|| {
                news.tell_warnings();
                match args.format {
                    Format::Text => writeln!(anstream::stdout().lock(), "{}", news.text()),
                    Format::Json => writeln!(anstream::stderr().lock(), "{}", news.text()),
                }
            })?;
            if let Some(new) = news.tree {
                behaviours.go_on(&new);
                // A file that changes again in the meantime is handled later.
                let described = counted.is_some().then(|| session.describe()?.ok()).flatten();
                counted = counted.map(|it| it.go_on(&tree, &new, described.as_ref()));
                tree = new;
            }
        }
        let before = Instant::now();
        let (report, tick) = session.frame(game, counted.as_mut().map(Counted::witness))?;
        trees.add(tick);
        frames.add(before.elapsed());
        add(&mut sum, report.tick);
        events += report.events;
        if at % every == 0 {
            behaviours.sample(game);
        }
        bar.set_position(at.into());
        if session.ctrl_c.pressed() {
            break;
        }
    }
    bar.finish_and_clear();
    let wall = began.elapsed();
    let ran = frames.len();
    let (shares, sampled) = (behaviours.shares(), behaviours.at_a_time(game.agents().len()));
    let columns = words::columns();
    let table = RunTable { args, tree: &tree, pace, ran, wall, trees, frames, sum, events, shares, sampled, columns };
    let covered = counted.map(|it| it.coverage(&args.file));
    let told = covered.as_ref().filter(|_| args.coverage.coverage);
    match args.format {
        Format::Text => {
            write!(anstream::stdout().lock(), "{table}")?;
            if let Some(it) = told {
                let drawing = Drawing::of(&*tree);
                let counts = coverage::head(it) + &coverage::table(&tree, &drawing, &it.nodes);
                write!(anstream::stdout().lock(), "\n{counts}")?;
            }
        }
        Format::Json => writeln!(anstream::stdout().lock(), "{:#}", json::json(&table, told))?,
    }
    if let Some(it) = covered {
        Coverage::new(vec![it]).write(&args.coverage)?;
    }
    if ran < pace.frames { Err(Failure::EndedEarly) } else { Ok(()) }
}
