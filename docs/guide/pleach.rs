//! The program `pleach` as it is shipped, for the tests of the book to run.

use std::process::ExitCode;

fn main() -> ExitCode {
    pleach_cli::Program::new("pleach", pleach_arena::registry()).main_in::<pleach_arena::Game>()
}
