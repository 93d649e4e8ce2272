//! `pleach check`: every error of every tree, and what is probably a mistake.

use std::io::{self, Write};

use pleach::asset::Severity;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::paint::{BAD, DOUBTFUL, GOOD, RESET};
use crate::paths::shown;
use crate::words::plural;

pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let found = files::expand_all(&args.paths)?;
    let registry = pleach_arena::registry();
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
    for path in found {
        files += usize::from(path.is_ok());
        let read = path.and_then(|path| Ok((shown(&path), files::read(&path)?)));
        let report = match read {
            Ok((name, source)) => {
                let checked = pleach::check_str(&name, &source, &registry);
                let refused = checked.is_err();
                let report = checked.map_or_else(|report| report, |(_, report)| report);
                let doubtful = report.diagnostics().iter().filter(|it| it.severity() == Severity::Warning).count();
                let wrong = report.diagnostics().len() - doubtful;
                // Of a file with errors, only errors are counted without being listed.
                let [more_wrong, more_doubtful] = if refused { [report.more(), 0] } else { [0, report.more()] };
                errors += wrong + more_wrong;
                warnings += doubtful + more_doubtful;
                report
            }
            Err(failure) => {
                errors += 1;
                say(format_args!("{BAD}error:{RESET} {failure}\n\n"))?;
                continue;
            }
        };
        if !report.is_empty() {
            say(format_args!("{}\n\n", report.styled()))?;
        }
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
