//! `--watch`: checks again whenever a file changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::args::CheckArgs;
use crate::ctrl_c::CtrlC;
use crate::failure::{self, Failure};
use crate::files;
use crate::paint::{FAINT, RESET};

/// How often the files are checked for changes.
const EVERY: Duration = Duration::from_millis(100);

/// What shows that a file has changed.
type Stamps = Vec<(PathBuf, Option<(SystemTime, u64)>)>;

/// The outcome of one check: the files that it read, and whether they are correct.
type Checked = Result<(BTreeSet<PathBuf>, Result<(), Failure>), Failure>;

/// Checks until Ctrl-C is pressed. Only appends to what the terminal shows.
pub(super) fn watch(args: &CheckArgs, mut check: impl FnMut() -> Checked) -> Result<(), Failure> {
    let ctrl_c = CtrlC::listen();
    let mut read = BTreeSet::new();
    loop {
        // A change during the check is noticed after it.
        let before = stamps(args, &read);
        match check() {
            Ok((files, _)) => read = files,
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            // A path that never existed is misspelt.
            Err(failure @ Failure::Usage(_)) if read.is_empty() => return Err(failure),
            // A file or directory that is named may come back.
            Err(failure) => failure.tell(),
        }
        failure::say(format_args!("{FAINT}watching; Ctrl-C ends{RESET}"));
        // Files that are new to this check count as they are now, the others as they were.
        let last: Stamps = stamps(args, &read)
            .into_iter()
            .map(|it| before.iter().find(|was| was.0 == it.0).cloned().unwrap_or(it))
            .collect();
        loop {
            if ctrl_c.pressed() {
                return Err(Failure::EndedEarly);
            }
            std::thread::sleep(EVERY);
            if stamps(args, &read) != last {
                // Editors write in several steps.
                std::thread::sleep(EVERY);
                break;
            }
        }
    }
}

/// The files that exist now and those that were read, each with its stamp.
fn stamps(args: &CheckArgs, read: &BTreeSet<PathBuf>) -> Stamps {
    let named = args.paths.iter().flat_map(|it| files::expand_all(std::slice::from_ref(it)).unwrap_or_default());
    let mut all: BTreeSet<PathBuf> = named.flatten().collect();
    all.extend(read.iter().cloned());
    let stamp = |path: &PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    all.into_iter().map(|it| (it.clone(), stamp(&it))).collect()
}
