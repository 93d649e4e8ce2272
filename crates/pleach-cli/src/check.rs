//! `pleach check`: every problem of every tree, and what is probably not meant.

use std::io::Write;

use pleach::Report;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::paint::{BAD, DOUBTFUL, GOOD, RESET};
use crate::words::plural;

pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let paths = files::expand_all(&args.paths)?;
    let registry = pleach_arena::registry();
    let mut out = anstream::stdout().lock();
    let (mut errors, mut warnings) = (0, 0);
    for path in &paths {
        let report = match files::read(path) {
            Ok(source) => match pleach::check_str(&files::shown(path), &source, &registry) {
                Ok((_, report)) => {
                    warnings += found(&report);
                    report
                }
                Err(report) => {
                    errors += found(&report);
                    report
                }
            },
            Err(failure) => {
                errors += 1;
                writeln!(out, "{BAD}error:{RESET} {failure}\n")?;
                continue;
            }
        };
        if !report.is_empty() {
            writeln!(out, "{}\n", report.styled())?;
        }
    }
    let refused = errors > 0 || (args.deny_warnings && warnings > 0);
    let colour = match (refused, warnings) {
        (true, _) => BAD,
        (false, 0) => GOOD,
        (false, _) => DOUBTFUL,
    };
    let [files, errors, warnings] =
        [(paths.len(), "file"), (errors, "error"), (warnings, "warning")].map(|(count, word)| plural(count, word));
    writeln!(out, "{colour}{files}, {errors}, {warnings}{RESET}")?;
    if refused { Err(Failure::Problems) } else { Ok(()) }
}

/// Those that are listed, and those that are only counted.
fn found(report: &Report) -> usize {
    report.diagnostics().len() + report.more()
}
