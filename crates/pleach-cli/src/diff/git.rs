//! Files of a revision, read with the program `git`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::files::is_tree;
use crate::paths::is_file;

/// A repository.
pub(super) struct Repository {
    pub(super) top: PathBuf,
}

impl Repository {
    /// The repository that a path is in.
    ///
    /// # Errors
    /// There is no `git`, or no repository.
    pub(super) fn of(path: &Path) -> Result<Repository, Failure> {
        let directory = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let top = run(directory, ["rev-parse", "--show-toplevel"])?;
        let top = String::from_utf8_lossy(&top).trim_end_matches(['\n', '\r']).to_owned();
        Ok(Repository { top: top.into() })
    }

    /// The trees of a revision, and the file `named` even if it has no name of a tree, by their
    /// paths below the top. Links are left out.
    ///
    /// # Errors
    /// There is no such revision.
    pub(super) fn files(&self, revision: &str, named: &str) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
        if revision.is_empty() || revision.starts_with('-') {
            return Err(Failure::Usage(format!("`{revision}` is not a revision of git")));
        }
        let listed = run(&self.top, ["ls-tree", "-r", "-z", "--full-tree", revision])?;
        let is_wanted = |it: &&str| is_tree(Path::new(it)) || *it == named;
        let mut wanted = Vec::new();
        for entry in listed.split(|it| *it == 0) {
            // `100644 blob 1234<tab>path`
            let Some((about, path)) = std::str::from_utf8(entry).ok().and_then(|it| it.split_once('\t')) else {
                continue;
            };
            let mut about = about.split(' ');
            let is_file = about.next().is_some_and(|it| it.starts_with("100"));
            if let Some(object) = about.nth(1).filter(|_| is_file && is_wanted(&path)) {
                wanted.push((path.to_owned(), object.to_owned()));
            }
        }
        let asked: String = wanted.iter().flat_map(|it| [&it.1, "\n"]).collect();
        let told = feed(&self.top, ["cat-file", "--batch"], asked)?;
        let mut rest = &told[..];
        let mut files = BTreeMap::new();
        for (path, _) in wanted {
            // `1234 blob 56`, a line break, the bytes and a line break.
            let text = || -> Option<(&[u8], &[u8])> {
                let end = rest.iter().position(|it| *it == b'\n')?;
                let size: usize = std::str::from_utf8(&rest[..end]).ok()?.rsplit(' ').next()?.parse().ok()?;
                let behind = rest.get(end + 1..)?;
                Some((behind.get(..size)?, behind.get(size + 1..)?))
            };
            let Some((bytes, behind)) = text() else {
                return Err(Failure::Usage(format!("`git` does not give `{path}` of {revision}")));
            };
            files.insert(path, bytes.to_vec());
            rest = behind;
        }
        Ok(files)
    }

    /// The trees on the disk in a directory, by their paths below the top: those that `git` tracks,
    /// and other files that it does not ignore.
    ///
    /// # Errors
    /// `git` fails.
    pub(super) fn on_disk(&self, below: &str) -> Result<BTreeSet<String>, Failure> {
        let fixed = ["--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
        let listed = run(&self.top, fixed.into_iter().chain((!below.is_empty()).then_some(below)))?;
        let names = listed.split(|it| *it == 0).filter_map(|it| std::str::from_utf8(it).ok());
        // `git` still lists a file that was removed.
        let is_there = |it: &&str| is_tree(Path::new(it)) && is_file(&self.top.join(it));
        Ok(names.filter(is_there).map(Into::into).collect())
    }
}

/// The output of `git`.
fn run<A: AsRef<OsStr>>(directory: &Path, args: impl IntoIterator<Item = A>) -> Result<Vec<u8>, Failure> {
    feed(directory, args, String::new())
}

/// The output of `git` for this input.
fn feed<A: AsRef<OsStr>>(
    directory: &Path,
    args: impl IntoIterator<Item = A>,
    input: String,
) -> Result<Vec<u8>, Failure> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = command.spawn().and_then(|mut child| {
        let mut stdin = child.stdin.take();
        // It answers while it reads.
        let feeding = std::thread::spawn(move || stdin.as_mut().map(|it| it.write_all(input.as_bytes())));
        let output = child.wait_with_output();
        // Input that it did not read was not needed.
        _ = feeding.join();
        output
    });
    let output = done.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Usage(
            "there is no program `git`: install it, or compare two files or directories without --git".into(),
        ),
        _ => Failure::Usage(format!("cannot run `git`: {error}")),
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("it says nothing");
    Err(Failure::Usage(format!("`git` fails: {}", pleach::tools::text::plain(said))))
}
