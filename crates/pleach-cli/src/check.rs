//! `pleach check`: every problem of every tree.

use std::collections::BTreeSet;
use std::io::Write;

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files;
use crate::paint::{BAD, GOOD, RESET};
use crate::words::plural;

pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    // All paths first: a misspelt one should not be found after a hundred reports.
    let mut paths = Vec::new();
    let mut seen = BTreeSet::new();
    for path in &args.paths {
        paths.extend(files::expand(path)?.into_iter().filter(|it| seen.insert(it.clone())));
    }
    let registry = pleach_arena::registry();
    let mut out = anstream::stdout().lock();
    let (mut bad, mut problems) = (0, 0);
    for path in &paths {
        match files::read(path) {
            Ok(source) => match files::parse(path, &source, &registry) {
                Ok(_) => continue,
                Err(report) => {
                    problems += report.diagnostics().len() + report.more();
                    writeln!(out, "{}\n", report.styled())?;
                }
            },
            Err(failure) => {
                problems += 1;
                writeln!(out, "{BAD}error:{RESET} {failure}\n")?;
            }
        }
        bad += 1;
    }
    let trees = plural(paths.len(), "tree");
    if bad == 0 {
        writeln!(out, "{GOOD}{trees} checked, no problems{RESET}")?;
        return Ok(());
    }
    let fine = paths.len() - bad;
    writeln!(out, "{BAD}{trees} checked: {} in {bad}, {fine} fine{RESET}", plural(problems, "problem"))?;
    Err(Failure::Problems)
}
