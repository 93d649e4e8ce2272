//! `xtask counts`: the instructions of the race, counted by valgrind. Unlike times they are the
//! same on a busy machine, so a page of them can be checked.

mod compare;
mod page;
mod plan;
mod valgrind;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pleach_benches::Workload;
use thiserror::Error;

use crate::machine::Machine;
use crate::output::{self, OutputError};
use crate::select::Selection;

use compare::Comparison;
use page::{Nonsense, Page};
use valgrind::{Valgrind, ValgrindError};

/// What to type: the program of the race.
const COMMAND: &str = "cargo run --profile race -p xtask -- counts";

/// What to count, and where to put it.
#[derive(Args)]
pub(crate) struct CountsArgs {
    /// Writes nothing: exit code 1 if a count is more than 3 % above the page.
    #[arg(long)]
    check: bool,
    /// Counts this workload only, and writes no page; may be given several times. `S1` is every
    /// workload whose name begins with it.
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<Selection>,
    /// The page.
    #[arg(long, value_name = "FILE.md", default_value = "docs/benchmarks/counts.md")]
    page: PathBuf,
    /// Plays the workload of just this name, and counts nothing. This is what valgrind runs.
    #[arg(long, hide = true, value_name = "NAME")]
    play: Option<String>,
}

#[derive(Debug, Error)]
enum CountsError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("{0} is not counted: threads take turns below valgrind")]
    Uncounted(Workload),
    #[error("cannot read `{}`: {source}; `{COMMAND}` writes it", page.display())]
    Unreadable { page: PathBuf, source: std::io::Error },
    #[error("{}:{nonsense}; `{COMMAND}` writes the page anew", page.display())]
    Nonsense { page: PathBuf, nonsense: Nonsense },
    #[error(transparent)]
    Valgrind(#[from] ValgrindError),
    #[error("this build is not optimised, so its counts mean nothing; use `{COMMAND}`")]
    Build,
}

/// Counts. Exit code 1 if a count is too high, 2 if it cannot be done.
pub(crate) fn counts(args: &CountsArgs) -> ExitCode {
    match try_counts(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether no count is too high. What can go wrong is tried before minutes are spent.
fn try_counts(args: &CountsArgs) -> Result<bool, CountsError> {
    if let Some(name) = &args.play {
        Workload::ALL.into_iter().filter(|it| it.name() == name).for_each(plan::play);
        return Ok(true);
    }
    let whole = args.workloads.is_empty();
    let chosen = |it: &Workload| whole || args.workloads.iter().any(|selection| selection.has(*it));
    let chosen: Vec<Workload> = Workload::ALL.into_iter().filter(chosen).collect();
    let workloads: Vec<Workload> = chosen.iter().copied().filter(|&it| plan::parts(it).next().is_some()).collect();
    if workloads.is_empty() {
        return Err(CountsError::Uncounted(chosen[0]));
    }
    let before = args.check.then(|| read(args)).transpose()?;
    if whole && !args.check {
        output::check_file(&args.page)?;
    }
    let valgrind = Valgrind::find()?;
    if cfg!(debug_assertions) {
        return Err(CountsError::Build);
    }

    let source = format!("{}, {}", Machine::here().compiler(), valgrind.version());
    let page = Page { source, figures: valgrind.count(&workloads)? };
    if let Some(before) = &before {
        let comparison = Comparison::new(before, &page, &workloads);
        print!("{comparison}");
        return Ok(comparison.holds());
    }
    print!("{page}");
    if whole {
        output::write(&args.page, &page.to_string())?;
    }
    Ok(true)
}

fn read(args: &CountsArgs) -> Result<Page, CountsError> {
    let page = || args.page.clone();
    let text = fs::read_to_string(&args.page).map_err(|source| CountsError::Unreadable { page: page(), source })?;
    text.parse().map_err(|nonsense| CountsError::Nonsense { page: page(), nonsense })
}
