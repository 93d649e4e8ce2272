//! The test files beside the shipped trees.

use std::process::ExitCode;

fn main() -> ExitCode {
    pleach_cli::Program::new("pleach", pleach_arena::registry()).test_in::<pleach_arena::Game>(["../../trees"])
}
