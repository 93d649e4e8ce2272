//! `pleach test`: the cases of test files, each a tree to play and its expectations.

mod add;
mod cases;
mod check;
mod covered;
mod file;
#[cfg(test)]
mod fuzz;
mod golden;
mod junit;
mod plan;
mod play;
mod read;
#[cfg(feature = "studio")]
mod tested;
mod trace;
mod trials;
mod write;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use pleach::tools::ron::Problem;
use pleach::tools::text::plain;
use pleach::{Host, Registry};

use crate::args::TestArgs;
use crate::failure::Failure;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG};
use crate::paths::shown;
use crate::progress::bar_of;
use crate::words::plural;
use crate::{coverage, files, output};
pub(crate) use add::Cases;
use cases::{Case, CaseAt, Ended, Tests};
pub(crate) use cases::{InThatWorld, Known, NoWorld, Place};
pub(crate) use check::problems;
use file::TestFile;
pub(crate) use play::seconds;
#[cfg(feature = "studio")]
pub(crate) use tested::tested;
pub(crate) use trials::run as run_trials;
pub(crate) use write::{CaseText, StepText};

/// Runs the cases of all test files of the paths.
///
/// # Errors
/// A path does not exist, or a case did not pass. The failures have then been printed.
pub(crate) fn test<H: Host, P: Place<H>>(
    own: &Registry<H>,
    place: &P,
    game: &str,
    args: &TestArgs,
) -> Result<(), Failure> {
    let known = Known::new(own, game, args.leaves.as_deref())?;
    if let Some(path) = &args.junit {
        output::refuse_trees(path, None, "xml")?;
    }
    coverage::refuse_trees(&args.coverage, None)?;
    let mut out = Output::default();
    let mut tests = read_all(&args.paths)?;
    for (_, why) in &tests.broken {
        out.say(format_args!("{why}\n\n"))?;
    }
    tests.select(args.filter.as_deref());
    if tests.selected.is_empty() && tests.broken.is_empty() {
        let none = "no case has this text in its file or name: see the names without --filter";
        return Err(Failure::Usage(none.into()));
    }
    tests.refuse_shared_goldens();
    let cases = run_all(&tests, args.jobs, |at| tests.run(at, &known, place, args.bless));
    tell(&tests, &cases, &mut out)?;
    if let Some(path) = &args.junit {
        junit::write(path, &tests, &cases, |it| told(&tests, it))?;
    }
    let is_covered = covered::report(&cases, &known, args, &mut |text| out.say(format_args!("{text}")))?;
    let is_good = is_covered && tests.broken.is_empty() && cases.iter().all(|it| it.ended.is_passed());
    if is_good { Ok(()) } else { Err(Failure::Problems) }
}

/// Reads all test files of the paths.
///
/// # Errors
/// A path does not exist, or has no tests.
fn read_all(paths: &[PathBuf]) -> Result<Tests, Failure> {
    let mut tests = Tests::default();
    for path in files::tests_in(paths)? {
        let shown = path.as_ref().map_or_else(|_| String::new(), |it| shown(it));
        let read = path.and_then(|path| Ok((files::name(&path), files::read(&path)?)));
        let why = match read {
            Ok((name, text)) => match read::read(&name, &text) {
                Ok(file) => {
                    tests.files.push(file);
                    continue;
                }
                Err(report) => report.styled(),
            },
            Err(failure) => format!("{BAD}error:{RESET} {failure}"),
        };
        tests.broken.push((shown, why));
    }
    Ok(tests)
}

/// Runs all cases on `jobs` threads. Returns them in their order.
fn run_all(tests: &Tests, jobs: Option<u32>, run: impl Fn(CaseAt) -> Ended + Sync) -> Vec<Case> {
    let count = tests.selected.len();
    let jobs = jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |it| it as usize);
    let next = AtomicUsize::new(0);
    let bar = bar_of(count as u64, "cases");
    let mut cases = Vec::with_capacity(count);
    thread::scope(|scope| {
        let (done, results) = mpsc::channel();
        for _ in 0..jobs.clamp(1, count.max(1)) {
            let (done, next, run) = (done.clone(), &next, &run);
            scope.spawn(move || {
                while let Some(&at) = tests.selected.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begin = Instant::now();
                    let ended = run(at);
                    // The receiver lives as long as the threads.
                    if done.send(Case { at, ended, took: begin.elapsed() }).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        for it in results {
            cases.push(it);
            bar.inc(1);
        }
    });
    bar.finish_and_clear();
    cases.sort_by_key(|it| it.at);
    cases
}

/// Prints how the cases ended, file by file.
fn tell(tests: &Tests, cases: &[Case], out: &mut Output) -> Result<(), Failure> {
    let mut told_trees = Vec::new();
    for cases in cases.chunk_by(|one, other| one.at.file == other.at.file) {
        let file = &tests.files[cases[0].at.file];
        out.say(format_args!("{STRONG}{}{RESET}\n", plain(&file.name)))?;
        let mut problems: Vec<Problem> = Vec::new();
        for it in cases {
            let name = plain(&file.cases[it.at.case].name.it);
            if let Ended::Passed { note, .. } = &it.ended {
                let note = note.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
                out.say(format_args!("  {GOOD}ok{RESET}      {name}{FAINT}{note}{RESET}\n"))?;
                continue;
            }
            out.say(format_args!("  {BAD}FAILED{RESET}  {name}\n"))?;
            match &it.ended {
                Ended::Passed { .. } => {}
                Ended::Failed(..) | Ended::Stopped(_) => out.say(format_args!("{}", told(tests, it)))?,
                // Several cases can have the same problem, and the same tree.
                Ended::Broken(wrong) => {
                    for it in wrong.iter().filter(|it| !problems.contains(it)).cloned().collect::<Vec<_>>() {
                        problems.push(it);
                    }
                }
                Ended::Tree(why) if !told_trees.contains(&why) => {
                    out.say(format_args!("{}", told(tests, it)))?;
                    told_trees.push(why);
                }
                Ended::Tree(_) => out.say(format_args!("    {FAINT}its tree has the problems above{RESET}\n"))?,
            }
        }
        if !problems.is_empty() {
            out.say(format_args!("\n{}\n\n", file.document.report(problems).styled()))?;
        }
    }
    let passed = cases.iter().filter(|it| it.ended.is_passed()).count();
    let failed = cases.len() - passed;
    let mut more = String::new();
    if !tests.broken.is_empty() {
        more.push_str(&format!(", {} not read", plural(tests.broken.len(), "file")));
    }
    if tests.left_out > 0 {
        more.push_str(&format!(", {} filtered out", tests.left_out));
    }
    let colour = if failed == 0 && tests.broken.is_empty() { GOOD } else { BAD };
    out.say(format_args!("{colour}{passed} passed, {failed} failed{more}{RESET}\n"))
}

/// Why a case did not pass.
fn told(tests: &Tests, case: &Case) -> String {
    let file = &tests.files[case.at.file];
    match &case.ended {
        Ended::Passed { .. } => String::new(),
        Ended::Failed(it, _) => failure(file, it),
        Ended::Broken(wrong) => file.document.report(wrong.clone()).styled(),
        Ended::Tree(why) => format!("{why}\n"),
        Ended::Stopped(why) => {
            let (line, column) = file.document.place(file.cases[case.at.case].name.span.start);
            format!("    {}:{line}:{column}: {BAD}{why}{RESET}\n", plain(&file.name))
        }
    }
}

/// The unmet expectations, with the tree and the trace.
fn failure(file: &TestFile, failed: &play::Failed) -> String {
    let mut text = String::new();
    for it in &failed.misses {
        let (line, column) = file.document.place(it.span.start);
        let at = format!("{}:{line}:{column}", plain(&file.name));
        text.push_str(&format!("    {at}: {BAD}{}{RESET}\n", it.message));
    }
    if failed.time > 0.0 {
        text.push_str(&format!("    {FAINT}at tick {}, {} s:{RESET}\n", failed.tick, seconds(failed.time)));
    }
    for line in failed.scene.lines() {
        text.push_str(&if line.is_empty() { "\n".into() } else { format!("      {line}\n") });
    }
    text.push('\n');
    text
}

/// Standard output. Its reader may close it (`pleach test … | head`): the exit code stays the same.
#[derive(Default)]
struct Output {
    is_closed: bool,
}

impl Output {
    fn say(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
        match anstream::stdout().lock().write_fmt(text) {
            _ if self.is_closed => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            done => Ok(done?),
        }
    }
}
