//! Development tasks: `cargo xtask --help`, or `cargo run -p xtask -- --help`.

mod bench;
#[cfg(feature = "checks")]
mod checks;
mod counts;
mod machine;
mod output;
mod select;
mod show;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development tasks of pleach.
#[derive(Parser)]
#[command(name = "xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    #[cfg(feature = "checks")]
    #[command(flatten)]
    Check(checks::Check),
    /// Races pleach against other implementations, and writes down how it went.
    ///
    /// Of each workload and size all implementations take turns, after each has shown that it does
    /// the right thing. Prints a table with the ratios and the goals. Exit code 1 if an
    /// implementation does something else than it should, 2 if the results cannot be written.
    Bench(bench::BenchArgs),
    /// Counts the instructions of the race, which are the same on a busy machine, and writes them
    /// down.
    ///
    /// Needs valgrind. With `--check` exit code 1 if a count is more than 3 % above the page; 2 if
    /// nothing could be counted, or the page cannot be read or written.
    Counts(counts::CountsArgs),
}

fn main() -> ExitCode {
    match Args::parse().task {
        #[cfg(feature = "checks")]
        Task::Check(check) => check.run(),
        Task::Bench(args) => bench::bench(&args),
        Task::Counts(args) => counts::counts(&args),
    }
}
