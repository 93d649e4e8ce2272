//! Checks scenario files with the interpreter.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::compare;
use crate::runner;
use crate::scenario::{Scenario, ScenarioError};

/// Why a scenario did not pass.
#[derive(Debug)]
pub enum Failure {
    /// It cannot be read or run.
    Unusable(String),
    /// The trace differs.
    Differs(TraceDifference),
}

/// The first line in which two traces differ.
#[derive(Debug, PartialEq, Eq)]
pub struct TraceDifference {
    /// Its number, from 1.
    pub line: usize,
    /// The line that is expected. `None` past the end.
    pub expected: Option<String>,
    /// The line that was printed.
    pub found: Option<String>,
    /// The lines before it.
    pub before: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unusable(why) => f.write_str(why),
            Failure::Differs(it) => it.fmt(f),
        }
    }
}

impl fmt::Display for TraceDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the traces differ in line {}:", self.line)?;
        for line in &self.before {
            writeln!(f, "      {line}")?;
        }
        let end = "(the end of the trace)";
        writeln!(f, "    - {}", self.expected.as_deref().unwrap_or(end))?;
        write!(f, "    + {}", self.found.as_deref().unwrap_or(end))
    }
}

/// The first difference of two traces.
#[must_use]
pub fn difference(expected: &[String], found: &[String]) -> Option<TraceDifference> {
    const ORIENTATION: usize = 3;
    let at = (0..expected.len().max(found.len())).find(|&it| expected.get(it) != found.get(it))?;
    Some(TraceDifference {
        line: at + 1,
        expected: expected.get(at).cloned(),
        found: found.get(at).cloned(),
        before: expected[at.saturating_sub(ORIENTATION)..at].to_vec(),
    })
}

/// The number of crowds that a scenario file is run with.
const CROWDS: u32 = 12;
/// The number of further crowds that are ticked on threads.
const ON_THREADS: u32 = 3;

/// Runs one scenario file: with one agent, whose trace it has, and in crowds. Returns the number of
/// agents in these.
///
/// # Errors
/// The file cannot be read, the interpreter rejects its tree, the trace differs, or an agent of a
/// crowd does something other than the oracle.
pub fn check_file(path: &Path) -> Result<usize, Failure> {
    // The caller names the file.
    let scenario =
        Scenario::load(path).map_err(|it| Failure::Unusable(ScenarioError { file: None, ..it }.to_string()))?;
    let trace = runner::run(&scenario).map_err(|it| Failure::Unusable(it.to_string()))?;
    if let Some(it) = difference(&scenario.trace, &trace) {
        return Err(Failure::Differs(it));
    }
    // Untraced, lazily and in crowds the interpreter takes other paths. The host must see no
    // difference.
    compare::check_recorded(&scenario, CROWDS).map_err(Failure::Unusable)?;
    compare::check(&scenario, CROWDS, ON_THREADS).map_err(Failure::Unusable)
}

/// Every `*.json` of a folder, by name.
///
/// # Errors
/// The folder cannot be read.
pub fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
