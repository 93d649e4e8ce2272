//! The program `pleach` over the arena: a small world, with guards, fighters and rabbits.

use std::process::ExitCode;

use pleach_arena::Game;
use pleach_cli::Program;

/// What can be seen in the arena.
const RUN_EXAMPLES: &str = "\
Examples:
  pleach run trees/guard.ron --agents 10000 --seconds 30 --seed 7
      What it costs, and what the guards spend their time on
  pleach run trees/guard.ron --agents 100 --seconds 360
      A day and a night: after 240 seconds the guards walk a different patrol and see less far
  pleach run trees/guard.ron --agents 50 --seed 4 --watch 17
      Watch a guard that soon gets into a fight: space pauses, n steps, f folds, the arrows scroll
  pleach run trees/guard.ron --agents 50 --seed 4 --seconds 8 --explain 17
      Why it does what it does after eight seconds
  pleach run trees/guard.ron --agents 50 --seed 4 --seconds 3 --trace 17
      Everything that happens to it, tick by tick; the same seed gives the same trace
  pleach run trees/guard.ron --agents 50 --seed 4 --watch 17 | less
      A drawing for every change of its active path
  pleach run trees/guard.ron --agents 10000 --seconds 600 --reload
      Edit its files while it runs: the guards carry on under the new tree
  pleach run trees/guard.ron --agents 100 --seconds 360 --coverage
      Which nodes no guard ever started; --coverage-json FILE keeps it for `show --coverage`
  pleach run trees/guard.ron --agents 50 --seed 4 --record guard.rec
      Keep the run for `pleach replay guard.rec`, which shows any guard at any time
";

fn main() -> ExitCode {
    Program::new("pleach", pleach_arena::registry())
        .version(env!("CARGO_PKG_VERSION"))
        .about(
            "Runs, measures, checks and draws behaviour trees.\n\nIts leaves are those of the arena, a small world in which it \
             runs trees. A game has its own `pleach`, with its own leaves and world, in a few lines over the library \
             `pleach-cli`; without one, `--leaves` checks and draws its trees",
        )
        .examples("run", RUN_EXAMPLES)
        .trees(pleach_arena::TREES)
        .main_in::<Game>()
}
