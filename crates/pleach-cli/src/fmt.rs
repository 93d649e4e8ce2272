//! `pleach fmt`: trees in one style.

use std::path::Path;

use pleach::asset::format_str;

use crate::args::FmtArgs;
use crate::failure::Failure;
use crate::files;
use crate::out::Out;
use crate::paint::{RESET, STRONG};
use crate::paths::{is_stdin, shown};
use crate::rewrite::{diff, replace};
use crate::words::plural;

pub(crate) fn fmt(args: &FmtArgs) -> Result<(), Failure> {
    let mut out = Out::new();
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

/// Formats a file. Returns whether that changes it.
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

/// Reports what has changed, or would change.
fn tell(path: &Path, before: &str, after: &str, args: &FmtArgs, out: &mut Out) -> Result<(), Failure> {
    if before == after {
        return Ok(());
    }
    if args.diff {
        return out.say(format_args!("{}", diff(path, "formatted", before, after)));
    }
    let what = if args.check { "not formatted" } else { "formatted" };
    out.say(format_args!("{STRONG}{what}:{RESET} {}\n", shown(path)))
}
