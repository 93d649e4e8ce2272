//! Counting: this program plays a workload below callgrind, which writes a file after each crowd.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, fs, process, thread};

use pleach_benches::Workload;
use pleach_benches::stopwatch::COUNTED;
use thiserror::Error;

use super::page::Figure;
use super::plan::{PLAYED, parts};

/// Why nothing was counted.
#[derive(Debug, Error)]
pub(super) enum ValgrindError {
    #[error("there is no `valgrind` to count with; install it: `apt-get install valgrind`")]
    Missing,
    #[error("valgrind cannot be run: {0}")]
    Io(#[from] io::Error),
    #[error("valgrind failed at {workload}:\n{message}")]
    Failed { workload: Workload, message: String },
    #[error(
        "of {workload} valgrind counted {found} crowds instead of {expected}; does a function still match {COUNTED} \
         and {PLAYED}?"
    )]
    Lost { workload: Workload, found: usize, expected: usize },
}

/// The program.
pub(super) struct Valgrind {
    version: String,
}

impl Valgrind {
    /// Asks for its version.
    pub(super) fn find() -> Result<Self, ValgrindError> {
        let output = Command::new("valgrind").arg("--version").output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ValgrindError::Missing,
            _ => ValgrindError::Io(error),
        })?;
        Ok(Self { version: String::from_utf8_lossy(&output.stdout).trim().to_owned() })
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Counts all crowds of these workloads, on all cores, each workload in its own process: so a
    /// count depends neither on the number of cores nor on what else is counted.
    pub(super) fn count(&self, workloads: &[Workload]) -> Result<Vec<Figure>, ValgrindError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let left = Mutex::new(workloads.iter());
        let next = || left.lock().expect("no thread panics here").next();
        let work = || {
            let mut done = Vec::new();
            while let Some(&workload) = next() {
                done.push((workload, count(workload)?));
                eprintln!("{workload}: counted");
            }
            Ok::<_, ValgrindError>(done)
        };
        let done = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|it| it.join().expect("it does not panic")).collect::<Result<Vec<_>, _>>()
        })?;
        let mut done = done.concat();
        done.sort_by_key(|it| workloads.iter().position(|workload| *workload == it.0));
        Ok(done.into_iter().flat_map(|it| it.1).collect())
    }
}

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn count(workload: Workload) -> Result<Vec<Figure>, ValgrindError> {
    let folder = Folder(env::temp_dir().join(format!("pleach-counts-{}-{workload}", process::id())));
    fs::create_dir_all(&folder.0)?;
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--callgrind-out-file=crowds"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={PLAYED}")])
        .arg(env::current_exe()?)
        .args(["counts", "--play", workload.name()])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(ValgrindError::Failed { workload, message });
    }
    // The first file of each crowd covers how it settled.
    let files: Vec<_> = (1..).map_while(|at| total(&folder.0.join(format!("crowds.{at}")))).collect();
    let crowds: Vec<_> = parts(workload).collect();
    let counted = files.chunks(2).filter(|it| it.len() == 2 && it[1] > 0.0).count();
    if files.len() != crowds.len() * 2 || counted != crowds.len() {
        return Err(ValgrindError::Lost { workload, found: counted, expected: crowds.len() });
    }
    let figure = |(part, files): (&super::plan::Part, &[f64])| {
        let ticks = f64::from(part.agents) * f64::from(part.frames);
        Figure { workload, name: part.entry.name.into(), agents: part.agents, count: files[1] / ticks }
    };
    Ok(crowds.iter().zip(files.chunks(2)).map(figure).collect())
}

/// The sum in a file of callgrind.
fn total(file: &Path) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|it| it.strip_prefix("totals: ")?.trim().parse().ok())
}
