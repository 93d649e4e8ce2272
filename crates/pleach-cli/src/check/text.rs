//! The problems, for people.

use pleach::Report;

use super::Outcome;
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{BAD, DOUBTFUL, GOOD, RESET, STRONG};
use crate::words::plural;

pub(super) fn print(outcome: &Outcome, args: &CheckArgs, out: &mut Out) -> Result<(), Failure> {
    let mut reports: Vec<&Report> = outcome.reports.iter().collect();
    let mut failures = outcome.failures.iter().peekable();
    for at in 0..=outcome.files.len() {
        while let Some((_, failure)) = failures.next_if(|it| it.0 == at) {
            out.say(format_args!("{BAD}error:{RESET} {failure}\n\n"))?;
        }
        let Some((file, _)) = outcome.files.get(at) else { break };
        if let Some(at) = reports.iter().position(|it| it.file() == file) {
            out.say(format_args!("{}\n\n", reports.remove(at).styled()))?;
        }
    }
    // Problems of included files, and of no file.
    for report in reports {
        out.say(format_args!("{}\n\n", report.styled()))?;
    }
    if let Some(help) = &outcome.help {
        out.say(format_args!("{STRONG}help:{RESET} {help}\n\n"))?;
    }
    let colour = match (outcome.is_refused(args), outcome.warnings) {
        (true, _) => BAD,
        (false, 0) => GOOD,
        (false, _) => DOUBTFUL,
    };
    let [files, errors, warnings] = [(outcome.count, "file"), (outcome.errors, "error"), (outcome.warnings, "warning")]
        .map(|it| plural(it.0, it.1));
    out.say(format_args!("{colour}{files}, {errors}, {warnings}{RESET}\n"))
}
