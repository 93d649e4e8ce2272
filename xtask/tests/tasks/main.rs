//! The tasks as people and scripts meet them: what they print where, and their exit codes.

mod bench;
mod conformance;
mod counts;
mod nodes;
mod tidy;

use std::process::{Command, Output};

fn xtask(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(args).output().expect("the program can be run")
}
