//! `pleach check`: every error of every tree, and what is probably a mistake.

mod fix;
mod formats;
mod text;
mod watch;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pleach::asset::Severity;
use pleach::{Host, Library, Registry, Report};

use crate::args::{CheckArgs, CheckFormat};
use crate::failure::Failure;
use crate::files::{self, Disk};
use crate::leaves;
use crate::out::Out;
use crate::paths::{canonical, is_stdin, same_file, shown};
use crate::unknown::{self, Leaves};
use fix::{Planned, Texts};

/// What was found in all files.
struct Outcome {
    /// The named files in order: their names, and where they are.
    files: Vec<(String, PathBuf)>,
    /// Why others could not be read, each with the number of files before it.
    failures: Vec<(usize, Failure)>,
    /// What is wrong, file by file.
    reports: Vec<Report>,
    /// How many files there are, including those that could not be read.
    count: usize,
    /// How many errors and warnings there are.
    errors: usize,
    warnings: usize,
    /// What to do about leaves that are not known here.
    help: Option<String>,
    /// All files that were read, including those that others include.
    read: BTreeSet<PathBuf>,
}

pub(crate) fn check<H: Host>(own: &Registry<H>, game: &str, args: &CheckArgs) -> Result<(), Failure> {
    let has_stdin = args.paths.iter().chain(&args.leaves).any(|it| is_stdin(it));
    if has_stdin && (args.watch || args.fix && !args.diff) {
        let option = if args.watch { "--watch" } else { "--fix" };
        return Err(Failure::Usage(format!("`{option}` works on files, and `-` is standard input: name a file")));
    }
    if args.watch && args.format != CheckFormat::Text {
        return Err(Failure::Usage("`--watch` prints text for people: leave out `--format`".into()));
    }
    let mut out = Out::new();
    if args.watch {
        return watch::watch(args, || once(own, game, args, &mut out));
    }
    once(own, game, args, &mut out).map(|it| it.1)?
}

/// Checks once, fixes what it can if asked to, and prints the problems. Returns the files that were
/// read, and whether they are correct.
fn once<H: Host>(
    own: &Registry<H>,
    game: &str,
    args: &CheckArgs,
    out: &mut Out,
) -> Result<(BTreeSet<PathBuf>, Result<(), Failure>), Failure> {
    match &args.leaves {
        Some(file) => with(&leaves::registry(file, args.paths.iter().map(|it| &**it))?, game, args, out),
        None => with(own, game, args, out),
    }
}

/// The same with these leaves.
fn with<H: Host>(
    registry: &Registry<H>,
    game: &str,
    args: &CheckArgs,
    out: &mut Out,
) -> Result<(BTreeSet<PathBuf>, Result<(), Failure>), Failure> {
    let find = |instead: &Texts| find(registry, game, args, instead);
    let mut outcome = find(&Texts::new())?;
    let mut failed = false;
    if args.diff {
        let mut planned = Planned::default();
        // The first outcome is for the files as they are.
        let mut is_mended = planned.add(&outcome);
        for _ in 1..fix::MOST_ROUNDS {
            is_mended = is_mended && planned.add(&find(&planned.texts)?);
        }
        planned.show(args, out)?;
    } else if args.fix {
        // Fixed files may show more problems.
        for _ in 0..fix::MOST_ROUNDS {
            let done = fix::fix(&outcome, args, out)?;
            failed |= done.failed;
            if done.fixed == 0 {
                break;
            }
            outcome = find(&Texts::new())?;
            // A file that cannot be written is reported once.
            if failed {
                break;
            }
        }
    }
    match args.format {
        CheckFormat::Text => text::print(&outcome, args, out)?,
        CheckFormat::Json => out.raw(&formats::json(&outcome))?,
        CheckFormat::Github => out.raw(&formats::github(&outcome))?,
        CheckFormat::Sarif => out.raw(&formats::sarif(&outcome))?,
    }
    let is_refused = failed || outcome.is_refused(args);
    Ok((outcome.read, if is_refused { Err(Failure::Problems) } else { Ok(()) }))
}

impl Outcome {
    fn is_refused(&self, args: &CheckArgs) -> bool {
        self.errors > 0 || (args.deny_warnings && self.warnings > 0)
    }
}

/// Checks all files, with some texts `instead` of theirs.
fn find<H: Host>(registry: &Registry<H>, game: &str, args: &CheckArgs, instead: &Texts) -> Result<Outcome, Failure> {
    let mut found = files::expand_all(&args.paths)?;
    // The manifest may lie beside the trees.
    if let Some(leaves) = &args.leaves {
        found.retain(|it| !it.as_ref().is_ok_and(|it| same_file(it, leaves)));
    }
    let mut disk = Disk::of(&args.paths)?;
    let (mut names, mut files, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut count_of_files = 0;
    for path in found {
        count_of_files += usize::from(path.is_ok());
        let mut add = |path: &Path| match instead.get(&canonical(path)) {
            Some(text) => Ok(disk.put(path, text.clone())),
            None => disk.add(path),
        };
        match path.and_then(|path| Ok((add(&path)?, path))) {
            Ok((name, path)) => {
                files.push((shown(Path::new(&name)), path));
                names.push(name);
            }
            Err(failure) => failures.push((files.len(), failure)),
        }
    }
    // Trees that the program knows are expected among its own alone; those of a manifest always. A
    // file that cannot be read may be one of them.
    let is_known = |it: &String| {
        let stem = Path::new(it).file_stem().and_then(|it| it.to_str());
        registry.key_needs().any(|(tree, _)| tree.is_some() && tree == stem)
    };
    let is_expected = args.leaves.is_some() || names.iter().any(is_known);
    let is_whole = disk.has_library() && is_expected && failures.is_empty();
    let library = Library::new(disk);
    let report = if is_whole { library.check_all(registry) } else { library.check_files(&names, registry) };
    let more = report.more();
    let help = unknown::help([&report], Leaves::new(args.leaves.as_deref(), game));
    let mut read: BTreeSet<PathBuf> = files.iter().map(|it| it.1.clone()).chain(args.leaves.clone()).collect();
    read.extend(library.source().included());
    let reports = report.split();
    let count = |severity| reports.iter().flat_map(Report::diagnostics).filter(|it| it.severity() == severity).count();
    let (mut errors, mut warnings) = (count(Severity::Error), count(Severity::Warning));
    // For files with errors, only errors are counted but not listed.
    *(if errors > 0 { &mut errors } else { &mut warnings }) += more;
    errors += failures.len();
    let count = count_of_files;
    Ok(Outcome { files, count, failures, reports, errors, warnings, help, read })
}
