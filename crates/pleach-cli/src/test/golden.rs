//! Golden files: the whole trace of a case as it was when somebody read it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pleach::tools::ron::Problem;
use pleach::tools::text::plain;
use similar::{ChangeTag, TextDiff};

use super::cases::beside;
use super::file::{At, Case, TestFile};
use super::play::{Failed, Miss};
use crate::paint::{BAD, FAINT, GOOD, RESET};
use crate::paths::{canonical, directory_of, shown};

/// How golden files begin: nothing else is written over.
const FIRST: &str = "# pleach trace";

/// The golden file of a case.
#[derive(Debug)]
pub(crate) struct Golden {
    path: PathBuf,
    /// That of its test file.
    directory: PathBuf,
    at: At<String>,
    /// Its first line.
    head: String,
}

/// Where a golden file lies.
pub(crate) fn path(file: &str, name: &str) -> PathBuf {
    beside(file, name)
}

/// The same for all ways to one file, as far as its directory is there.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(parent), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_path_buf(),
    }
}

impl Golden {
    /// # Errors
    /// The name is that of a tree.
    pub(crate) fn new(file: &TestFile, case: &Case, at: &At<String>) -> Result<Self, Problem> {
        let path = path(&file.name, &at.it);
        if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("ron")) {
            let help = format!("write `\"{}\"`", Path::new(&at.it).with_extension("trace").display());
            return Err(Problem::new(&at.span, "a golden file cannot have the name of a tree").help(help));
        }
        let directory = directory_of(Path::new(&file.name)).to_path_buf();
        Ok(Golden { path, directory, at: at.clone(), head: format!("{FIRST} of: {}", plain(&case.name.it)) })
    }

    /// Compares a trace with the file, or writes it there with `bless`. Returns what is to be said.
    ///
    /// # Errors
    /// They differ, or the file cannot be read or written.
    pub(crate) fn judge(&self, trace: &str, bless: bool, ticks: u32) -> Result<Option<String>, Box<Failed>> {
        let failed = |message: String, scene: String| {
            let misses = vec![Miss { span: self.at.span.clone(), message }];
            Box::new(Failed { misses, tick: ticks, time: 0.0, scene })
        };
        let shown = shown(&self.path);
        let new = format!("{}\n{trace}", self.head);
        let old = match fs::read_to_string(&self.path) {
            Ok(old) if !old.starts_with(FIRST) => {
                let message = format!("`{shown}` is not a golden file: its first line is not `{FIRST} ..`");
                return Err(failed(message, String::new()));
            }
            Ok(old) => Some(old.replace("\r\n", "\n")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(format!("cannot read `{shown}`: {error}"), String::new())),
        };
        if old.as_deref() == Some(&*new) {
            return Ok(None);
        }
        if bless {
            self.refuse_outside().map_err(|it| failed(it, String::new()))?;
            return match fs::write(&self.path, new) {
                Ok(()) => Ok(Some(format!("wrote {shown}"))),
                Err(error) => Err(failed(format!("cannot write `{shown}`: {error}"), String::new())),
            };
        }
        Err(match old {
            None => failed(
                format!(
                    "there is no golden file `{shown}` yet: write it with `--bless`, or in `cargo test` with `PLEACH_BLESS=1`"
                ),
                String::new(),
            ),
            Some(old) => {
                let message = format!(
                    "the trace is not that of `{shown}`: if the new one is right, write it with `--bless`, or in `cargo test` with `PLEACH_BLESS=1`"
                );
                failed(message, diff(&old, &new))
            }
        })
    }
}

impl Golden {
    /// # Errors
    /// It would be written outside of the directory of its test file, perhaps by a link.
    fn refuse_outside(&self) -> Result<(), String> {
        let target = match fs::canonicalize(&self.path) {
            Ok(it) => it,
            // What is behind a link that leads nowhere would be made.
            Err(_) if self.path.is_symlink() => fs::read_link(&self.path).unwrap_or_default(),
            Err(_) => resolved(&self.path),
        };
        let directory = canonical(&self.directory);
        // In a directory that is not there nothing can be written.
        if target.starts_with(&directory) || !directory_of(&target).is_dir() && !self.path.is_symlink() {
            return Ok(());
        }
        let [path, target, directory] = [&self.path, &target, &directory].map(|it| shown(it));
        Err(format!("`{path}` is not written: `{target}` is outside of `{directory}`, the directory of its test file"))
    }
}

/// The lines that differ, each with some around it.
fn diff(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut text = format!("{BAD}- golden file{RESET}\n{GOOD}+ now{RESET}\n");
    for (at, group) in diff.grouped_ops(3).iter().enumerate() {
        if at > 0 {
            text.push_str(&format!("{FAINT}...{RESET}\n"));
        }
        for change in group.iter().flat_map(|it| diff.iter_changes(it)) {
            let line = plain(change.value().trim_end_matches('\n')).into_owned();
            text.push_str(&match change.tag() {
                ChangeTag::Delete => format!("{BAD}-{line}{RESET}\n"),
                ChangeTag::Insert => format!("{GOOD}+{line}{RESET}\n"),
                ChangeTag::Equal => format!(" {line}\n"),
            });
        }
    }
    text
}
