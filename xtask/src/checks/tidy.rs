//! `xtask tidy`: the house rules that no compiler checks. Reports every violation at once.

mod crates;
mod graph;
mod lines;
mod map;
mod modules;
mod nodes;
mod public;
mod source;
mod text;
mod tokens;
mod words;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use thiserror::Error;

use crates::Package;
use graph::Graph;
use source::Source;

/// What to check.
#[derive(Args)]
pub(crate) struct TidyArgs {
    /// The root of the workspace.
    #[arg(default_value = ".")]
    root: PathBuf,
}

/// Something that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// From the root of the workspace, with slashes.
    path: String,
    line: usize,
    what: String,
    help: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into(), help: help.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}; {}", self.path, self.line, self.what, self.help)
    }
}

#[derive(Debug, Error)]
enum TidyError {
    #[error("{}: {error}; give the root of the workspace", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cargo cannot be run: {0}")]
    Cargo(io::Error),
    #[error("{}: cargo knows no workspace here; give its root:\n{said}", root.display())]
    Workspace { root: PathBuf, said: String },
    #[error("cargo describes the workspace in a way that is not understood: {0}")]
    Metadata(#[from] serde_json::Error),
}

/// Checks the workspace. Exit code 1 if a rule is broken, 2 if the workspace cannot be read.
pub(crate) fn tidy(args: &TidyArgs) -> ExitCode {
    match check(&args.root) {
        Ok(findings) => {
            for finding in &findings {
                println!("{finding}");
            }
            println!("{} findings", findings.len());
            ExitCode::from(u8::from(!findings.is_empty()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the arrows between crates and modules and the counts of public items and lines, and
/// returns the findings, by file and line.
fn check(root: &Path) -> Result<Vec<Finding>, TidyError> {
    let packages = crates::packages(root)?;
    let files = source::files(root)?;
    let mut findings = text::check(&files);
    let mut sources: Vec<Source> = Vec::new();
    for file in files.iter().filter(|it| it.path.ends_with(".rs")) {
        match Source::parse(file) {
            Ok(source) => {
                tokens::check(&source, &mut findings);
                words::check_source(file, &source, &mut findings);
                sources.push(source);
            }
            Err(finding) => findings.push(finding),
        }
    }
    for file in files.iter().filter(|it| it.path.ends_with(".md")) {
        words::check_document(file, &mut findings);
    }
    let read = |path: &str| files.iter().find(|it| it.path == path);
    crates::check(&packages, read("ARCHITECTURE.md"), &mut findings);
    nodes::check(read, &mut findings);
    let paths: Vec<&str> = files.iter().map(|it| it.path.as_str()).collect();
    map::check(&packages, &paths, read, &mut findings);

    for Package { name, folder, .. } in &packages {
        let own: Vec<&Source> = sources.iter().filter(|it| it.path.starts_with(&format!("{folder}src/"))).collect();
        let graph = modules::graph(name, &format!("{folder}src/"), &own, &mut findings);
        show(name, &graph, &own);
        findings.extend(graph.findings(name));
    }
    lines::show(&packages, &files);
    findings.sort();
    Ok(findings)
}

fn show(name: &str, graph: &Graph, sources: &[&Source]) {
    let counts = graph.counts();
    println!("{name}: {} modules, {} arrows, {} of them upward", counts.modules, counts.arrows, counts.upward);
    print!("{graph}");
    println!("    public items: {}", public::count(sources));
    if let Some((count, name)) = public::widest(sources).filter(|it| it.0 > 0) {
        println!("    most public methods: {count}, of {name}");
    }
    let names = public::names(sources);
    if names > 0 {
        println!("    names that it hands on: {names}");
    }
    println!();
}
