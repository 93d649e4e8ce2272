//! `xtask api`: the public surface of the published crates, a line for each item. A change of it
//! shows in the change that is reviewed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{fs, io};

use clap::Args;
use public_api::Builder;
use thiserror::Error;

const FOLDER: &str = "docs/api";
const COMMAND: &str = "cargo run -p xtask -- api";

#[derive(Args)]
pub(crate) struct ApiArgs {
    /// Compare with the files instead of writing them.
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Error)]
enum ApiError {
    #[error("{0} cannot be run: {1}")]
    Run(&'static str, io::Error),
    #[error("`{0}` failed: {1}")]
    Failed(&'static str, String),
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error("the documentation of {0}: {1}")]
    Documentation(String, public_api::Error),
}

pub(crate) fn api(args: &ApiArgs) -> ExitCode {
    match surfaces().and_then(|it| if args.check { check(&it) } else { write(&it) }) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// The published crates, and the lines of each.
fn surfaces() -> Result<Vec<(String, String)>, ApiError> {
    let published = run(".ci/publish", Command::new(".ci/publish").arg("--list"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // As the step "docs" of CI does it, so that nothing is compiled again. Only a compiler with its
    // unstable options switched on writes documentation as data.
    run(
        "cargo doc",
        Command::new(cargo)
            .args(["doc", "--quiet", "--workspace", "--no-deps", "--lib", "--locked"])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTDOCFLAGS", "-Zunstable-options --output-format json --cap-lints allow"),
    )?;
    published.lines().map(|name| Ok((name.to_owned(), surface(name)?))).collect()
}

fn run(what: &'static str, command: &mut Command) -> Result<String, ApiError> {
    let output = command.output().map_err(|error| ApiError::Run(what, error))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(ApiError::Failed(what, String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn surface(name: &str) -> Result<String, ApiError> {
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let documentation = format!("{target}/doc/{}.json", name.replace('-', "_"));
    let api = Builder::from_rustdoc_json(documentation)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .build()
        .map_err(|error| ApiError::Documentation(name.to_owned(), error))?;
    Ok(api.items().map(|it| format!("{it}\n")).collect())
}

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}.txt")
}

fn write(surfaces: &[(String, String)]) -> Result<bool, ApiError> {
    fs::create_dir_all(FOLDER).map_err(|error| ApiError::File(FOLDER.to_owned(), error))?;
    for (name, text) in surfaces {
        let path = path(name);
        fs::write(&path, text).map_err(|error| ApiError::File(path, error))?;
    }
    Ok(true)
}

fn check(surfaces: &[(String, String)]) -> Result<bool, ApiError> {
    let mut same = true;
    for (name, text) in surfaces {
        let path = path(name);
        let known = match Path::new(&path).exists() {
            true => fs::read_to_string(&path).map_err(|error| ApiError::File(path.clone(), error))?,
            false => String::new(),
        };
        let changes = changes(&known, text);
        if !changes.is_empty() {
            same = false;
            println!("{path}\n{changes}");
        }
    }
    if !same {
        println!(
            "`{COMMAND}` writes the files again. A line that is gone or changed is a breaking change: CONTRIBUTING, \"Versions\""
        );
    }
    Ok(same)
}

/// The lines that are gone, and those that are new.
fn changes(known: &str, text: &str) -> String {
    let [before, after] = [known, text].map(|it| it.lines().collect::<BTreeSet<_>>());
    let gone = before.difference(&after).map(|it| format!("- {it}\n"));
    let new = after.difference(&before).map(|it| format!("+ {it}\n"));
    gone.chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_is_new_is_named() {
        assert_eq!(changes("a\nb\n", "b\nc\n"), "- a\n+ c\n");
        assert_eq!(changes("a\n", "a\n"), "");
    }
}
