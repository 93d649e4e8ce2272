//! The program `pleach`: runs, measures, checks and draws behaviour trees.

mod args;
mod bench;
mod check;
mod ctrl_c;
mod failure;
mod files;
mod memory;
mod nodes;
mod output;
mod pace;
mod paint;
mod paths;
mod play;
mod progress;
mod reload;
mod run;
mod show;
mod times;
mod trace;
mod watch;
mod words;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    // Wrong arguments end the program here, with exit code 2.
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Run(args) => run::run(args),
        Command::Bench(args) => bench::bench(args),
        Command::Check(args) => check::check(args),
        Command::Show(args) => show::show(args),
        Command::Nodes(args) => nodes::nodes(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}
