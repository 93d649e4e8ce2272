//! `pleach bench`: what trees cost per agent and tick, and what sleep and evaluation on change
//! save.

mod measure;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use pleach::tools::text::plain;
use pleach::{Registry, Tree};

use crate::args::BenchArgs;
use crate::ctrl_c::CtrlC;
use crate::failure::{Failure, say};
use crate::files::TreeFile;
use crate::paint::{BAD, RESET, STRONG};
use crate::unknown::{self, Leaves};
use crate::world::World;
use crate::{files, memory, play, progress};
use measure::{Mode, Plan, steps};
use table::BenchTable;

pub(crate) fn bench<W: World>(registry: &Registry<W::Host>, args: &BenchArgs) -> Result<(), Failure> {
    let trees = load::<W>(registry, args)?;
    for (_, tree) in &trees {
        memory::refuse_too_large::<W>(tree, args.agents, Mode::ALL.len())?;
    }
    let sizes: Vec<u32> = [args.agents / 10, args.agents].into_iter().filter(|it| *it > 0).collect();
    let ctrl_c = CtrlC::listen();
    let stop = || ctrl_c.pressed();
    let bar = progress::bar((trees.len() * sizes.len()) as u64 * steps(args.frames));
    for (at, (path, tree)) in trees.iter().enumerate() {
        let mut blocks = Vec::new();
        for &agents in &sizes {
            let plan = Plan::<W> { path, tree, agents, frames: args.frames, seed: args.seed };
            blocks.push(plan.measure(&stop, &|frames| bar.inc(frames))?);
        }
        let table = BenchTable { tree, args, blocks };
        // The bar must not be drawn over the table.
        bar.suspend(|| {
            let mut out = anstream::stdout().lock();
            if at > 0 {
                writeln!(out)?;
            }
            write!(out, "{table}")
        })?;
        if stop() {
            bar.finish_and_clear();
            let mut out = anstream::stdout().lock();
            for (_, tree) in &trees[at + 1..] {
                writeln!(out, "{BAD}ended early{RESET}: `{}` was not measured", plain(tree.name()))?;
            }
            return Err(Failure::EndedEarly);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A tree and where it came from.
type Loaded<H> = (PathBuf, Arc<Tree<H>>);

/// Loads all trees before any of them is measured.
fn load<W: World>(registry: &Registry<W::Host>, args: &BenchArgs) -> Result<Vec<Loaded<W::Host>>, Failure> {
    let mut trees = Vec::new();
    let mut failed = None;
    let mut reports = Vec::new();
    for path in files::expand_all(&args.paths)? {
        let tree = path.and_then(|path| {
            let tree = TreeFile::read(&path)?.load(registry).map_err(|report| {
                let failure = files::told(&report);
                reports.push(report);
                failure
            })?;
            let tree = Arc::new(tree);
            // One agent is enough to find out whether the world can play the tree.
            play::begin::<W>(&path, Arc::clone(&tree), 1, args.seed)?;
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
    if let Some(help) = unknown::help(&reports, Leaves::OfProgram(W::NAME)) {
        say(format_args!("{STRONG}help:{RESET} {help}"));
    }
    failed.map_or(Ok(trees), Err)
}
