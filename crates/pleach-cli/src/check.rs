//! `pleach check`: every error of every tree, and what is probably a mistake.

use std::io::{self, Write};
use std::path::Path;

use pleach::asset::Severity;
use pleach::{Host, Library, Registry, Report};

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files::{self, Disk};
use crate::leaves;
use crate::paint::{BAD, DOUBTFUL, GOOD, RESET, STRONG};
use crate::paths::{same_file, shown};
use crate::unknown::{self, Leaves};
use crate::words::plural;

pub(crate) fn check<H: Host>(own: &Registry<H>, game: &str, args: &CheckArgs) -> Result<(), Failure> {
    match &args.leaves {
        Some(file) => check_with(&leaves::registry(file, args.paths.iter().map(|it| &**it))?, game, args),
        None => check_with(own, game, args),
    }
}

fn check_with<H: Host>(registry: &Registry<H>, game: &str, args: &CheckArgs) -> Result<(), Failure> {
    let mut found = files::expand_all(&args.paths)?;
    // The manifest may lie beside the trees.
    if let Some(leaves) = &args.leaves {
        found.retain(|it| !it.as_ref().is_ok_and(|it| same_file(it, leaves)));
    }
    // The reader of a pipe may close it (`pleach check … | head`). The exit code stays the same.
    let mut reader = true;
    let mut say = |text: std::fmt::Arguments<'_>| match anstream::stdout().lock().write_fmt(text) {
        _ if !reader => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            reader = false;
            Ok(())
        }
        done => done,
    };
    let (mut files, mut errors, mut warnings) = (0, 0, 0);
    let mut disk = Disk::of(&args.paths)?;
    let mut names = Vec::new();
    let mut all = Vec::new();
    for path in found {
        files += usize::from(path.is_ok());
        all.push(path.and_then(|path| {
            let name = disk.add(&path)?;
            let shown = shown(Path::new(&name));
            names.push(name);
            Ok(shown)
        }));
    }
    // Trees that the program knows are expected among its own alone; those of a manifest always. A
    // file that cannot be read may be one of them.
    let is_known = |it: &String| {
        let stem = Path::new(it).file_stem().and_then(|it| it.to_str());
        registry.key_needs().any(|(tree, _)| tree.is_some() && tree == stem)
    };
    let is_expected = args.leaves.is_some() || names.iter().any(is_known);
    let is_whole = disk.has_library() && is_expected && names.len() == all.len();
    let library = Library::new(disk);
    let report = if is_whole { library.check_all(registry) } else { library.check_files(&names, registry) };
    let more = report.more();
    let help = unknown::help([&report], Leaves::new(args.leaves.as_deref(), game));
    let mut reports = report.split();
    for it in reports.iter().flat_map(Report::diagnostics) {
        *(if it.severity() == Severity::Warning { &mut warnings } else { &mut errors }) += 1;
    }
    // Of files with errors, only errors are counted without being listed.
    *(if errors > 0 { &mut errors } else { &mut warnings }) += more;
    for file in all {
        match file {
            Ok(file) => {
                if let Some(at) = reports.iter().position(|it| it.file() == file) {
                    say(format_args!("{}\n\n", reports.remove(at).styled()))?;
                }
            }
            Err(failure) => {
                errors += 1;
                say(format_args!("{BAD}error:{RESET} {failure}\n\n"))?;
            }
        }
    }
    // Of what they include, and of what is in none of them.
    for report in reports {
        say(format_args!("{}\n\n", report.styled()))?;
    }
    if let Some(help) = help {
        say(format_args!("{STRONG}help:{RESET} {help}\n\n"))?;
    }
    let refused = errors > 0 || (args.deny_warnings && warnings > 0);
    let colour = match (refused, warnings) {
        (true, _) => BAD,
        (false, 0) => GOOD,
        (false, _) => DOUBTFUL,
    };
    let [files, errors, warnings] =
        [(files, "file"), (errors, "error"), (warnings, "warning")].map(|(count, word)| plural(count, word));
    say(format_args!("{colour}{files}, {errors}, {warnings}{RESET}\n"))?;
    if refused { Err(Failure::Problems) } else { Ok(()) }
}
