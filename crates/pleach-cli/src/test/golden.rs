//! Golden files: the whole trace of a case, as someone once approved it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pleach::tools::ron::Problem;
use pleach::tools::text::plain;
use pleach_studio_core::rewrite::create;
use similar::{ChangeTag, TextDiff};

use super::cases::beside;
use super::file::{At, Case, TestFile};
use super::play::{Failed, Miss};
use crate::files::MARK;
use crate::paint::{BAD, FAINT, GOOD, RESET};
use crate::paths::{canonical, directory_of, shown};
use crate::rewrite;

/// How golden files begin: no other file is overwritten.
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

/// The path of a golden file.
pub(crate) fn path(file: &str, name: &str) -> PathBuf {
    beside(file, name)
}

/// The same for all paths to one file, links included, if the file or its directory exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    if let Ok(it) = fs::canonicalize(path) {
        return it;
    }
    // Writing through a dangling link would create its target.
    let target = fs::read_link(path).map(|it| directory_of(path).join(it));
    let path = target.as_deref().unwrap_or(path);
    match (fs::canonicalize(directory_of(path)), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_path_buf(),
    }
}

/// The case whose trace a golden file holds.
fn owner(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix(FIRST)?.strip_prefix(" of: ").map(str::trim_end)
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

    /// Compares a trace with the file, or writes it there with `bless`. Returns a note to print.
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
        let written = match fs::read_to_string(&self.path) {
            Ok(it) => Some(it),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(format!("cannot read `{shown}`: {error}"), String::new())),
        };
        let old = written.as_deref().map(|it| it.strip_prefix(MARK).unwrap_or(it).replace("\r\n", "\n"));
        if let Some(old) = old.as_deref().filter(|it| !it.starts_with(&format!("{}\n", self.head))) {
            return Err(failed(
                match owner(old) {
                    Some(other) => format!(
                        "`{shown}` is the golden file of another case, `{}`: give this case a file of its own; or remove that \
                         file, if the case was renamed",
                        plain(other)
                    ),
                    None => format!("`{shown}` is not a golden file: its first line is not `{FIRST} of: ..`"),
                },
                String::new(),
            ));
        }
        if old.as_deref() == Some(&*new) {
            return Ok(None);
        }
        if bless {
            let target = self.target().map_err(|it| failed(it, String::new()))?;
            let done = match &written {
                Some(before) => rewrite::replace(&self.path, before, &new).map_err(|it| it.to_string()),
                None => create(&target, &new).map_err(|it| format!("cannot write `{shown}`: {it}")),
            };
            return done.map(|()| Some(format!("wrote {shown}"))).map_err(|it| failed(it, String::new()));
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
    /// The file to write.
    ///
    /// # Errors
    /// It is outside of the directory of its test file, perhaps by a link.
    fn target(&self) -> Result<PathBuf, String> {
        let target = resolved(&self.path);
        let directory = canonical(&self.directory);
        // Nothing can be written in a directory that does not exist.
        if target.starts_with(&directory) || !directory_of(&target).is_dir() && !self.path.is_symlink() {
            return Ok(target);
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
