//! Files of users that are written again: whole or not at all, and never over a change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::failure::Failure;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG};
use crate::paths::shown;

/// How long the shortest diff is looked for. After that any will do.
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

/// Replaces a file whole or not at all, if it still is as it was read.
pub(crate) fn replace(path: &Path, before: &str, after: &str) -> Result<(), Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Failed(format!("`{}` stays as it is: {why}", shown(path)));
    // A link stays, and what it leads to is written.
    let target = fs::canonicalize(path).map_err(|it| failed(&it))?;
    let permissions = fs::metadata(&target).map_err(|it| failed(&it))?.permissions();
    if permissions.readonly() {
        return Err(failed(&"it is read-only"));
    }
    // What the user may not write is not replaced either.
    File::options().write(true).open(&target).map_err(|it| failed(&it))?;
    if has_other_names(&target).map_err(|it| failed(&it))? {
        return Err(failed(&"it has several names (hard links), of which only one would change"));
    }
    let new = beside(&target);
    // Nobody else's: one that is there is not opened.
    let mut file = File::create_new(&new).map_err(|it| failed(&it))?;
    let written = (|| {
        file.write_all(after.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        if fs::read(&target)? != before.as_bytes() {
            return Err(io::Error::other("it has changed since it was read; try again"));
        }
        fs::rename(&new, &target)
    })();
    written.map_err(|error| {
        // The one that is there stays, whatever becomes of this.
        _ = fs::remove_file(&new);
        failed(&error)
    })
}

/// Whether a file stands in directories more than once.
#[cfg(unix)]
fn has_other_names(target: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata(target)?.nlink() > 1)
}

/// Not known here.
#[cfg(not(unix))]
fn has_other_names(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// The name of a hidden file beside one.
fn beside(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".new-{}", std::process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_not_replaced() {
        let folder = std::env::temp_dir().join(format!("pleach-fmt-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.ron");
        fs::write(&path, "(1 )").unwrap();
        let error = replace(&path, "( 1)", "(1)\n").unwrap_err().to_string();
        assert!(error.contains("it has changed since it was read"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "(1 )");
        replace(&path, "(1 )", "(1)\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "(1)\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            fs::hard_link(&path, folder.join("b.ron")).unwrap();
            let error = replace(&path, "(1)\n", "( 1)").unwrap_err().to_string();
            assert!(error.contains("hard links"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "(1)\n");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
