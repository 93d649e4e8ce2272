//! Rewrites files of users: whole or not at all, and never over a change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::failure::Failure;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG};
use crate::paths::shown;

/// How long to search for the shortest diff. After that any will do.
const SEARCH: Duration = Duration::from_secs(1);

/// A unified diff, in colours; `what` is what was done to the file.
pub(crate) fn diff(path: &Path, what: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure().timeout(SEARCH).diff_lines(before, after);
    let shown = shown(path);
    let mut out = format!("{STRONG}--- {shown}\n+++ {shown} ({what}){RESET}\n");
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        out += &format!("{FAINT}{}{RESET}\n", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", Some(BAD)),
                ChangeTag::Insert => ("+", Some(GOOD)),
                ChangeTag::Equal => (" ", None),
            };
            let text = change.value();
            let (text, end) = match text.strip_suffix('\n') {
                Some(it) => (it, ""),
                None => (text, "\n\\ No newline at end of file"),
            };
            out += &match style {
                Some(style) => format!("{style}{sign}{text}{RESET}{end}\n"),
                None => format!("{sign}{text}{end}\n"),
            };
        }
    }
    out
}

/// Replaces a file whole or not at all, if it has not changed since it was read.
pub(crate) fn replace(path: &Path, before: &str, after: &str) -> Result<(), Failure> {
    let failed = |why| Failure::Failed(format!("`{}` stays as it is: {why}", shown(path)));
    pleach_studio_core::rewrite::replace(path, before, after).map_err(failed)
}

/// Writes a file whole or not at all, replacing an existing one: if interrupted, the old one stays.
/// Makes its directory.
pub(crate) fn put(target: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |what: &str, path: &Path, error: io::Error| {
        Failure::Failed(format!("cannot {what} `{}`: {error}", shown(path)))
    };
    if let Some(directory) = target.parent() {
        fs::create_dir_all(directory).map_err(|it| failed("make the directory", directory, it))?;
    }
    // Never someone else's: an existing file is not opened.
    let extension = target.extension().unwrap_or_default().to_string_lossy();
    let new = target.with_extension(format!("{extension}-{}", std::process::id()));
    let mut file = File::create_new(&new).map_err(|it| failed("write", &new, it))?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&new, target));
    written.map_err(|error| {
        _ = fs::remove_file(&new);
        failed("write", target, error)
    })
}
