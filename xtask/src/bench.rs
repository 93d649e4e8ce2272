//! `xtask bench`: the race. Measures all implementations in turns, prints a table, and writes rows,
//! charts and a page.

mod chart;
mod goals;
mod measure;
mod method;
mod page;
mod progress;
mod row;
mod statistics;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pleach_benches::pleach::{guard_footprint, saved_bytes};
use pleach_benches::{Workload, Wrong};
use thiserror::Error;

use crate::machine::Machine;
use crate::output::{self, OutputError};
use crate::select::Selection;

use goals::{Goals, Guard};
use measure::Pace;
use progress::Progress;
use row::Rows;
use table::Table;

/// Where the charts and the page of a full run go.
const DOCS: &str = "docs/benchmarks";

/// What to measure, and where to put it.
#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Fewer sizes and rounds, done within three minutes.
    #[arg(long)]
    quick: bool,
    /// Writes the rows to this file, as CSV.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Measures this workload only; may be given several times. `S1` is every workload whose name
    /// begins with it.
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<Selection>,
    /// Writes the pages, the charts and the figures into this folder: by default into
    /// `docs/benchmarks`, but nowhere if the run is quick or leaves workloads out.
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
}

impl BenchArgs {
    fn workloads(&self) -> Vec<Workload> {
        Workload::ALL
            .into_iter()
            .filter(|it| self.workloads.is_empty() || self.workloads.iter().any(|selection| selection.has(*it)))
            .collect()
    }

    fn docs(&self) -> Option<PathBuf> {
        let whole = !self.quick && self.workloads.is_empty();
        self.docs.clone().or_else(|| whole.then(|| DOCS.into()))
    }
}

#[derive(Debug, Error)]
enum BenchError {
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Wrong(#[from] Wrong),
    #[error("cannot draw: {0}")]
    Chart(#[from] chart::ChartError),
}

/// Runs the race. Exit code 1 if an implementation does not do what it should, 2 if the results
/// cannot be written.
pub(crate) fn bench(args: &BenchArgs) -> ExitCode {
    match try_bench(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(if let BenchError::Wrong(_) = error { 1 } else { 2 })
        }
    }
}

fn try_bench(args: &BenchArgs) -> Result<(), BenchError> {
    if cfg!(debug_assertions) {
        eprintln!("this is a debug build: the figures mean nothing; use `cargo run --profile race -p xtask -- bench`");
    }
    // Before minutes are spent.
    let docs = args.docs();
    args.out.as_deref().map(output::check_file).transpose()?;
    docs.as_deref().map(output::check_folder).transpose()?;

    // Before the results change files of the commit.
    let machine = Machine::here();

    let workloads = args.workloads();
    let pace = if args.quick { Pace::QUICK } else { Pace::FULL };
    let progress = Progress::new(pace.steps(&workloads));
    let mut rows = Rows::default();
    for &workload in &workloads {
        measure::workload(workload, &pace, &progress, &mut rows)?;
    }
    progress.finish();

    let saved = workloads.contains(&Workload::Save).then(|| saved_bytes(100_000));
    let goals = Goals::of(&rows, Guard { takes: guard_footprint(), saved });
    print!("{}", Table { rows: &rows, workloads: &workloads });
    print!("{goals}");
    if let Some(path) = &args.out {
        output::write(path, &rows.to_csv())?;
    }
    if let Some(folder) = &docs {
        for chart in chart::charts(&rows, &workloads)? {
            output::write(&folder.join(chart.file), &chart.svg)?;
        }
        output::write(&folder.join("figures.csv"), &rows.to_csv())?;
        output::write(&folder.join("method.md"), &method::method(&pace, &goals, &rows, &workloads))?;
        output::write(&folder.join("README.md"), &page::page(&machine, &goals, &rows))?;
    }
    Ok(())
}
