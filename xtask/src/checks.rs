//! What has to hold before a change lands: scenarios, rules, documents, licences. The race needs
//! none of it, and is compiled without it where time matters.

mod api;
mod licences;
mod nodes;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use pleach_conform::{compare, suite};

#[derive(Subcommand)]
pub(crate) enum Check {
    /// Writes the public items of each published crate to `docs/api`, a line each.
    ///
    /// With `--check` it says which are gone and which are new: exit code 1 if there are any. Exit
    /// code 2 if the crates cannot be documented, or the files not be read or written.
    Api(api::ApiArgs),
    /// Runs every `*.json` scenario of a folder against the interpreter: with one agent, and in
    /// crowds.
    ///
    /// Shows the first difference of each failure, says how many agents of crowds were compared,
    /// and closes with `N passed, N failed`. Exit code 1 on a failure, 2 if the folder cannot be
    /// read or holds no scenario.
    Conformance {
        /// The folder.
        #[arg(default_value = "trees/conformance")]
        dir: PathBuf,
    },
    /// Compares the interpreter with the oracle over random scenarios: with one agent, and in
    /// crowds.
    ///
    /// Says how many agents of crowds were compared, and closes with `N passed, N failed`. Exit
    /// code 1 if a scenario fails; it is printed whole.
    Fuzz {
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// How many seeds.
        #[arg(long, default_value_t = 100_000)]
        count: u64,
    },
    /// Checks that what the published crates bring along may be used by any game.
    ///
    /// Goes by the licences that manifests name, with all features. Exit code 1 if one is not
    /// allowed, 2 if cargo cannot say.
    Licences,
    /// Writes the documents that list the kinds of nodes: `docs/nodes.md`, and the table in the
    /// documentation of the crate `pleach`.
    ///
    /// Exit code 2 if they cannot be written; with `--check` 1 if they are not up to date.
    Nodes(nodes::NodesArgs),
    /// Checks the rules of the house that no compiler checks.
    ///
    /// Prints the arrows between crates and between the modules of each crate, users first, the
    /// counts of public items, and every place where a rule is broken. Exit code 1 if there is one,
    /// 2 if the workspace cannot be read.
    Tidy(tidy::TidyArgs),
}

impl Check {
    pub(crate) fn run(self) -> ExitCode {
        match self {
            Check::Api(args) => api::api(&args),
            Check::Conformance { dir } => conformance(&dir),
            Check::Fuzz { seed, count } => fuzz(seed, count),
            Check::Licences => licences::licences(),
            Check::Nodes(args) => nodes::nodes(&args),
            Check::Tidy(args) => tidy::tidy(&args),
        }
    }
}

fn conformance(dir: &std::path::Path) -> ExitCode {
    let files = match suite::files(dir) {
        Ok(files) if files.is_empty() => {
            eprintln!("{}: there is no scenario (`*.json`) in this folder", dir.display());
            return ExitCode::from(2);
        }
        Ok(files) => files,
        Err(error) => {
            eprintln!("{}: {error}", dir.display());
            return ExitCode::from(2);
        }
    };
    let (mut failed, mut agents) = (0, 0);
    for file in &files {
        // A scenario that makes the interpreter panic has failed; the others still have their turn.
        let result = std::panic::catch_unwind(|| suite::check_file(file));
        let failure = match result {
            Ok(Ok(compared)) => {
                agents += compared;
                continue;
            }
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => "the interpreter panicked, see above".into(),
        };
        failed += 1;
        println!("{}: {failure}\n", file.display());
    }
    println!("{agents} agents in crowds compared");
    println!("{} passed, {failed} failed", files.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}

fn fuzz(seed: u64, count: u64) -> ExitCode {
    let (mut passed, mut failed, mut agents) = (0_u64, 0_u64, 0);
    for seed in seed..seed.saturating_add(count) {
        // A scenario that makes the interpreter panic has failed; the others still have their turn.
        match std::panic::catch_unwind(|| compare::check_seed(seed)) {
            Ok(Ok(compared)) => {
                passed += 1;
                agents += compared;
            }
            Ok(Err(difference)) => {
                failed += 1;
                println!("seed {seed}: {difference}\n");
            }
            Err(_) => {
                failed += 1;
                println!("seed {seed}: the interpreter panicked, see above\n\n{}", compare::scenario(seed).to_json());
            }
        }
        if (passed + failed).is_multiple_of(100_000) {
            eprintln!("{} of {count}", passed + failed);
        }
    }
    println!("{agents} agents in crowds compared");
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}
