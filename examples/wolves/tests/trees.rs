//! The tests of the trees: `wolf.test.ron` and `sheep.test.ron`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let registry = pleach_wolves::leaves::registry().expect("the leaves have good names");
    pleach_cli::Program::new("wolves", registry).test(["wolf.test.ron", "sheep.test.ron"])
}
