//! `pleach test`: the cases of test files, each a tree that is played and what is expected of it.

mod cases;
mod file;
mod golden;
mod plan;
mod play;
mod read;
mod trace;

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pleach::tools::ron::Problem;
use pleach::{Host, Registry};

use crate::args::TestArgs;
use crate::failure::Failure;
use crate::files;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG};
use crate::progress::bar_of;
use crate::words::plural;
use cases::{Ended, Known, Tests};
pub(crate) use cases::{InThatWorld, NoWorld, Place};
use file::TestFile;
use play::seconds;

/// Runs the cases of all test files that the paths stand for.
///
/// # Errors
/// A path does not exist, or a case did not pass. What is wrong has then been printed.
pub(crate) fn test<H: Host, P: Place<H>>(
    own: &Registry<H>,
    place: &P,
    game: &str,
    args: &TestArgs,
) -> Result<(), Failure> {
    let known = Known::new(own, game, args.leaves.as_deref())?;
    let found = files::tests_in(&args.paths)?;
    let mut out = Output::default();
    let mut tests = Tests::default();
    for path in found {
        let read = path.and_then(|path| Ok((files::name(&path), files::read(&path)?)));
        match read {
            Ok((name, text)) => match read::read(&name, &text) {
                Ok(file) => tests.files.push(file),
                Err(report) => {
                    tests.broken += 1;
                    out.say(format_args!("{}\n\n", report.styled()))?;
                }
            },
            Err(failure) => {
                tests.broken += 1;
                out.say(format_args!("{BAD}error:{RESET} {failure}\n\n"))?;
            }
        }
    }
    tests.select(args.filter.as_deref());
    tests.refuse_shared_goldens();
    let ended = run_all(&tests, args.jobs, |at| tests.run(at, &known, place, args.bless));
    report(&tests, ended, &mut out, args)
}

/// Runs all cases on so many threads. Returns how they ended, in their order.
fn run_all(tests: &Tests, jobs: Option<u32>, run: impl Fn(usize) -> Ended + Sync) -> Vec<Ended> {
    let count = tests.selected.len();
    let jobs = jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), |it| it as usize);
    let next = AtomicUsize::new(0);
    let bar = bar_of(count as u64, "cases");
    let mut ended: Vec<Option<Ended>> = (0..count).map(|_| None).collect();
    thread::scope(|scope| {
        let (done, results) = mpsc::channel();
        for _ in 0..jobs.clamp(1, count.max(1)) {
            let (done, next, run) = (done.clone(), &next, &run);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    // The receiver lives as long as the threads.
                    if at >= count || done.send((at, run(at))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        for (at, it) in results {
            ended[at] = Some(it);
            bar.inc(1);
        }
    });
    bar.finish_and_clear();
    ended.into_iter().map(|it| it.unwrap_or_else(|| Ended::Stopped("the case was not run".into()))).collect()
}

/// Prints how the cases ended, file by file.
fn report(tests: &Tests, ended: Vec<Ended>, out: &mut Output, args: &TestArgs) -> Result<(), Failure> {
    let (mut passed, mut failed) = (0, 0);
    let mut told_trees = Vec::new();
    let mut ended = ended.into_iter().zip(&tests.selected).peekable();
    while let Some(file) = ended.peek().map(|it| it.1.file) {
        let test_file = &tests.files[file];
        out.say(format_args!("{STRONG}{}{RESET}\n", pleach::tools::text::plain(&test_file.name)))?;
        let mut problems: Vec<Problem> = Vec::new();
        let (mut cases, mut of_file) = (0, Vec::new());
        while let Some((it, at)) = ended.next_if(|it| it.1.file == file) {
            let case = &test_file.cases[at.case];
            let name = pleach::tools::text::plain(&case.name.it);
            cases += 1;
            if let Ended::Passed { note, .. } = &it {
                passed += 1;
                let note = note.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
                out.say(format_args!("  {GOOD}ok{RESET}      {name}{FAINT}{note}{RESET}\n"))?;
                continue;
            }
            failed += 1;
            out.say(format_args!("  {BAD}FAILED{RESET}  {name}\n"))?;
            match it {
                Ended::Passed { .. } => {}
                Ended::Failed(it, _) => out.say(format_args!("{}", failure(test_file, &it)))?,
                Ended::Broken { own, shared } => {
                    for it in own {
                        if !problems.contains(&it) {
                            problems.push(it);
                        }
                    }
                    of_file.push(shared);
                }
                Ended::Tree(failure) if !told_trees.contains(&failure) => {
                    out.say(format_args!("{failure}\n"))?;
                    told_trees.push(failure);
                }
                Ended::Tree(_) => out.say(format_args!("          {FAINT}its tree has the problems above{RESET}\n"))?,
                Ended::Stopped(why) => out.say(format_args!("          {why}\n"))?,
            }
        }
        // What the file says for all cases is wrong if it is wrong in all of them.
        if of_file.len() == cases
            && let Some((first, others)) = of_file.split_first()
        {
            problems.extend(first.iter().filter(|it| others.iter().all(|other| other.contains(it))).cloned());
        }
        if !problems.is_empty() {
            out.say(format_args!("\n{}\n", test_file.document.report(problems).styled()))?;
        }
    }
    let broken = match tests.broken {
        0 => String::new(),
        it => format!(", {} not read", plural(it, "file")),
    };
    let filtered = match tests.left_out {
        0 => String::new(),
        it => format!(", {it} filtered out"),
    };
    let is_good = failed == 0 && tests.broken == 0;
    let colour = if is_good { GOOD } else { BAD };
    out.say(format_args!("{colour}{passed} passed, {failed} failed{broken}{filtered}{RESET}\n"))?;
    if passed + failed == 0 && tests.broken == 0 && args.filter.is_some() {
        return Err(Failure::Usage("no case has this text in its file or name: see --filter".into()));
    }
    if is_good { Ok(()) } else { Err(Failure::Problems) }
}

/// What is not as expected, with the tree and the trace.
fn failure(file: &TestFile, failed: &play::Failed) -> String {
    let mut text = String::new();
    for it in &failed.misses {
        let (line, column) = file.document.place(it.span.start);
        let at = format!("{}:{line}:{column}", pleach::tools::text::plain(&file.name));
        text.push_str(&format!("    {at}: {BAD}{}{RESET}\n", it.message));
    }
    text.push_str(&format!("    {FAINT}at tick {}, {} s:{RESET}\n", failed.tick, seconds(failed.time)));
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
