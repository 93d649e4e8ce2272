//! `pleach fmt`: trees in one style.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pleach::asset::format_str;
use similar::{ChangeTag, TextDiff};

use crate::args::FmtArgs;
use crate::failure::Failure;
use crate::files;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG};
use crate::paths::{is_stdin, shown};
use crate::words::plural;

/// How long the shortest diff is looked for. After that any will do.
const SEARCH: Duration = Duration::from_secs(1);

pub(crate) fn fmt(args: &FmtArgs) -> Result<(), Failure> {
    let mut out = Out { reader: true };
    if args.paths.iter().any(|it| is_stdin(it)) {
        if args.paths.len() > 1 {
            return Err(Failure::Usage("`-` formats standard input to standard output: give it alone".into()));
        }
        return input(args, &mut out);
    }
    let (mut formatted, mut unchanged, mut failed) = (0, 0, 0);
    for found in files::trees_and_tests(&args.paths)? {
        match found.and_then(|path| file(&path, args, &mut out)) {
            Ok(true) => formatted += 1,
            Ok(false) => unchanged += 1,
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            Err(failure) => {
                failure.tell();
                failed += 1;
            }
        }
    }
    if !args.diff || args.check {
        let what = if args.check || args.diff { "not formatted" } else { "formatted" };
        let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        out.say(format_args!("{} {what}, {unchanged} unchanged{failures}\n", plural(formatted, "file")))?;
    }
    if failed > 0 || args.check && formatted > 0 { Err(Failure::Problems) } else { Ok(()) }
}

/// Formats standard input.
fn input(args: &FmtArgs, out: &mut Out) -> Result<(), Failure> {
    let path = Path::new("-");
    let before = files::read(path)?;
    let after = format_str(&shown(path), &before).map_err(|it| files::told(&it))?;
    let is_changed = before != after;
    if !args.check && !args.diff {
        return out.raw(&after);
    }
    tell(path, &before, &after, args, out)?;
    if args.check && is_changed { Err(Failure::Problems) } else { Ok(()) }
}

/// Formats a file. Gives whether that changes it.
fn file(path: &Path, args: &FmtArgs, out: &mut Out) -> Result<bool, Failure> {
    let before = files::read(path)?;
    let after = format_str(&shown(path), &before).map_err(|it| files::told(&it))?;
    if before == after {
        return Ok(false);
    }
    if !args.check && !args.diff {
        replace(path, &before, &after)?;
    }
    tell(path, &before, &after, args, out)?;
    Ok(true)
}

/// Says what has changed, or would.
fn tell(path: &Path, before: &str, after: &str, args: &FmtArgs, out: &mut Out) -> Result<(), Failure> {
    if before == after {
        return Ok(());
    }
    if args.diff {
        return diff(path, before, after, out);
    }
    let what = if args.check { "not formatted" } else { "formatted" };
    out.say(format_args!("{STRONG}{what}:{RESET} {}\n", shown(path)))
}

/// Prints a unified diff.
fn diff(path: &Path, before: &str, after: &str, out: &mut Out) -> Result<(), Failure> {
    let diff = TextDiff::configure().timeout(SEARCH).diff_lines(before, after);
    let shown = shown(path);
    out.say(format_args!("{STRONG}--- {shown}\n+++ {shown} (formatted){RESET}\n"))?;
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        out.say(format_args!("{FAINT}{}{RESET}\n", hunk.header()))?;
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
            match style {
                Some(style) => out.say(format_args!("{style}{sign}{text}{RESET}{end}\n"))?,
                None => out.say(format_args!("{sign}{text}{end}\n"))?,
            }
        }
    }
    Ok(())
}

/// Replaces a file whole or not at all, if it still is as it was read.
fn replace(path: &Path, before: &str, after: &str) -> Result<(), Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::Failed(format!("`{}` stays as it is: {why}", shown(path)));
    // A link stays, and what it leads to is written.
    let target = fs::canonicalize(path).map_err(|it| failed(&it))?;
    let permissions = fs::metadata(&target).map_err(|it| failed(&it))?.permissions();
    if permissions.readonly() {
        return Err(failed(&"it is read-only"));
    }
    let new = beside(&target);
    // Nobody else's: one that is there is not opened.
    let mut file = File::create_new(&new).map_err(|it| failed(&it))?;
    let written = (|| {
        file.write_all(after.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        if fs::read(&target)? != before.as_bytes() {
            return Err(io::Error::other("it has changed since it was read; format it again"));
        }
        fs::rename(&new, &target)
    })();
    written.map_err(|error| {
        // The one that is there stays, whatever becomes of this.
        _ = fs::remove_file(&new);
        failed(&error)
    })
}

/// The name of a hidden file beside one.
fn beside(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".fmt-{}", std::process::id()));
    target.with_file_name(name)
}

/// Standard output, whose reader may close it: files are formatted all the same.
struct Out {
    reader: bool,
}

impl Out {
    fn say(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
        self.done(|| anstream::stdout().lock().write_fmt(text))
    }

    /// A text as it is, with whatever is in it.
    fn raw(&mut self, text: &str) -> Result<(), Failure> {
        self.done(|| io::stdout().lock().write_all(text.as_bytes()))
    }

    fn done(&mut self, write: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
        if !self.reader {
            return Ok(());
        }
        match write() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader = false;
                Ok(())
            }
            done => Ok(done?),
        }
    }
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
        fs::remove_dir_all(&folder).unwrap();
    }
}
