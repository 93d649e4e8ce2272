//! Finding and reading trees.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use pleach::asset::{Described, Directory, Source, SourceError, Stamp};
use pleach::tools::text::plain;
use pleach::{Host, Library, Registry, Report, Tree};

use crate::failure::{Failure, say};
use crate::paint::{RESET, STRONG};
use crate::paths::{is_file, is_stdin, is_stdout, shown};
use crate::unknown::{self, Leaves};

/// No tree that the loader takes has more bytes than this. A larger file is not read to its end.
const MOST_BYTES: u64 = 32 << 20;
/// How many levels of directories are searched. Directories that lie deeper are probably a loop.
const MOST_LEVELS: usize = 64;

/// The tree of a file, with the library that says when the tree's files have changed.
///
/// # Errors
/// The file cannot be read, or standard output goes into it, or the tree has problems: these have
/// then been printed. Standard input is read only once.
pub(crate) fn follow<H: Host>(
    registry: &Registry<H>,
    path: &Path,
    leaves: Leaves<'_>,
) -> Result<(Tree<H>, Library<Disk>), Failure> {
    if is_stdin(path) {
        return Err(Failure::Usage("standard input can only be read once: name a file for --reload".into()));
    }
    refuse_output(path)?;
    // Says what is wrong with the path.
    read(path)?;
    let mut library = Library::new(Disk::new([])?);
    let tree = library.load(&name(path), registry).map_err(|it| told_of_tree(&it, leaves))?;
    Ok((tree, library))
}

/// Prints what is wrong.
pub(crate) fn told(report: &Report) -> Failure {
    say(format_args!("{}", report.styled()));
    Failure::Problems
}

/// Prints what is wrong with a tree, and once what to do about leaves of another game.
pub(crate) fn told_of_tree(report: &Report, leaves: Leaves<'_>) -> Failure {
    let failure = told(report);
    if let Some(help) = unknown::help([report], leaves) {
        say(format_args!("\n{STRONG}help:{RESET} {help}"));
    }
    failure
}

/// A tree's file, which has been read, and those that it includes.
pub(crate) struct TreeFile {
    name: String,
    library: Library<Disk>,
}

impl TreeFile {
    /// # Errors
    /// The file cannot be read, or standard output goes into it.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        refuse_output(path)?;
        let source = read(path)?;
        let name = name(path);
        Ok(TreeFile { library: Library::new(Disk::new([(name.clone(), source)])?), name })
    }

    /// One of these texts, or a file. What they include that is not among the texts is read from
    /// the disk.
    ///
    /// # Errors
    /// As [`read`](TreeFile::read).
    pub(crate) fn among(texts: &BTreeMap<String, String>, path: &Path) -> Result<Self, Failure> {
        let name = name(path);
        if texts.contains_key(&name) { TreeFile::of(&name, texts) } else { TreeFile::read(path) }
    }

    /// One of these texts of files, by their names. What they include else is read from the disk.
    ///
    /// # Errors
    /// The working directory cannot be opened.
    pub(crate) fn of(name: &str, texts: &BTreeMap<String, String>) -> Result<Self, Failure> {
        Ok(TreeFile { library: Library::new(Disk::new(texts.clone())?), name: name.to_owned() })
    }

    /// The tree, and where its nodes are written.
    pub(crate) fn describe<H: Host>(&self, registry: &Registry<H>) -> Result<Described<H>, Report> {
        self.library.describe(&self.name, registry)
    }

    /// The texts of the files that were read, by their names.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.library.source().texts()
    }

    pub(crate) fn load<H: Host>(&mut self, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        self.library.load(&self.name, registry)
    }
}

/// Files by their paths as they were typed. Those that were named on the command line have been
/// read; what they include is read when it is asked for.
#[derive(Debug)]
pub(crate) struct Disk {
    read: BTreeMap<String, String>,
    /// Directories that were named. A game opens one as a library, which no link may leave.
    libraries: Vec<(PathBuf, Directory)>,
    /// Of a tree that is named by itself it is not known which directory the game opens, so its
    /// links may lead anywhere: the user of the program can read all of these files anyway.
    rest: Directory,
    /// What was asked for because another file includes it, with its bytes if it could be read.
    included: RefCell<BTreeMap<PathBuf, Option<Vec<u8>>>>,
}

impl Disk {
    /// With these files, which have been read.
    pub(crate) fn new(read: impl IntoIterator<Item = (String, String)>) -> Result<Self, Failure> {
        let rest = open(".")?.links_may_leave(true);
        let included = RefCell::default();
        Ok(Disk { read: read.into_iter().collect(), libraries: Vec::new(), rest, included })
    }

    /// For files that these paths stand for, none of which has been read.
    pub(crate) fn of(paths: &[PathBuf]) -> Result<Self, Failure> {
        let directories = paths.iter().filter(|it| it.is_dir());
        let libraries = directories.map(|it| Ok((name(it).into(), open(it)?))).collect::<Result<_, Failure>>()?;
        Ok(Disk { libraries, ..Disk::new([])? })
    }

    /// Reads a file, and returns its name.
    ///
    /// # Errors
    /// As [`read`]; or it is a link that leaves its directory.
    pub(crate) fn add(&mut self, path: &Path) -> Result<String, Failure> {
        let name = name(path);
        let (library, below) = self.place(&name);
        if is_file(path)
            && let Err(SourceError::Other(why)) = library.stamp(below)
        {
            return Err(Failure::Failed(format!("cannot read `{}`: {why}", shown(path))));
        }
        self.read.insert(name.clone(), read(path)?);
        Ok(name)
    }

    /// Takes a text for that of a file, and returns its name.
    pub(crate) fn put(&mut self, path: &Path, text: String) -> String {
        let name = name(path);
        self.read.insert(name.clone(), text);
        name
    }

    /// The files that others include, whether they could be read or not, of those that were not
    /// named.
    pub(crate) fn included(&self) -> BTreeSet<PathBuf> {
        self.included.borrow().keys().cloned().collect()
    }

    /// The texts of all files that were read, by their names.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let included = self.included.borrow();
        let text = |(path, bytes): (&PathBuf, &Option<Vec<u8>>)| {
            let text = String::from_utf8(bytes.clone()?).ok()?;
            Some((path.to_string_lossy().into_owned(), text))
        };
        let read = self.read.iter().map(|(name, text)| (name.clone(), text.clone()));
        read.chain(included.iter().filter_map(text)).collect()
    }

    /// Whether a whole directory was named.
    pub(crate) fn has_library(&self) -> bool {
        !self.libraries.is_empty()
    }

    /// The directory that a file is read from, and what it is called there.
    fn place<'n>(&self, name: &'n str) -> (&Directory, &'n str) {
        let is_below = |it: &&str| Path::new(it).components().all(|it| matches!(it, Component::Normal(_)));
        let below = |of: &Path| Path::new(name).strip_prefix(of).ok()?.to_str().filter(is_below);
        let found = self.libraries.iter().find_map(|(of, library)| Some((library, below(of)?)));
        found.unwrap_or((&self.rest, name))
    }
}

fn open(directory: impl Into<PathBuf>) -> Result<Directory, Failure> {
    Directory::open(directory).map_err(|error| Failure::Failed(error.to_string()))
}

impl Source for Disk {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        match self.read.get(name) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => {
                let (library, below) = self.place(name);
                let bytes = library.read(below);
                self.included.borrow_mut().insert(PathBuf::from(name), bytes.as_ref().ok().cloned());
                bytes
            }
        }
    }

    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.read.keys().cloned().map(Ok).collect()
    }

    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        match self.read.get(name) {
            Some(text) => Ok(Stamp::of(text)),
            None => {
                let (library, below) = self.place(name);
                library.stamp(below)
            }
        }
    }

    fn shown(&self, name: &str) -> String {
        match self.libraries.first() {
            Some((library, _)) if name.is_empty() => shown(library),
            _ => shown(Path::new(name)),
        }
    }
}

/// The name of a file for others that it includes: its path without `.`, so that it has one name
/// whichever way leads to it, with `/` on every system.
pub(crate) fn name(path: &Path) -> String {
    let plain: PathBuf = path.components().filter(|it| *it != Component::CurDir).collect();
    // `./-` is a file, and `-` is standard input.
    let path = if is_stdin(&plain) { path } else { &plain }.to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}

/// The bytes of a file. Pipes and devices are not opened, as in [`read`].
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    if is_stdin(path) {
        let mut bytes = Vec::new();
        let refuse = |error| Failure::Usage(format!("cannot read standard input: {error}"));
        io::stdin().lock().read_to_end(&mut bytes).map_err(refuse)?;
        return Ok(bytes);
    }
    let refuse = |error: io::Error| unreadable(path, "file", &error);
    let kind = fs::metadata(path).map_err(refuse)?.file_type();
    if kind.is_dir() {
        return Err(Failure::Usage(format!("`{}` is a directory: name a file", shown(path))));
    }
    if !kind.is_file() {
        return Err(no_file(path, kind));
    }
    fs::read(path).map_err(refuse)
}

/// The text of a file. Pipes and devices are not opened: to read them can take for ever.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if is_stdin(path) {
        let refuse = |error| Failure::Usage(format!("cannot read standard input: {error}"));
        return text(io::stdin().lock(), "standard input").map_err(refuse)?;
    }
    let refuse = |error: io::Error| unreadable(path, "file", &error);
    let kind = fs::metadata(path).map_err(refuse)?.file_type();
    if kind.is_dir() {
        let hint = example_in(path).map(|it| format!(", for example `{}`", shown(&it))).unwrap_or_default();
        return Err(Failure::Usage(format!("`{}` is a directory: name a file{hint}", shown(path))));
    }
    if !kind.is_file() {
        return Err(no_file(path, kind));
    }
    File::open(path).and_then(|it| text(it, &format!("`{}`", shown(path)))).map_err(refuse)?
}

/// A file of a directory that the user may have meant.
fn example_in(directory: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(directory).ok()?.filter_map(|it| Some(it.ok()?.path()));
    files.filter(|it| is_tree(it) && it.is_file()).min()
}

/// Why a path could not be read. `wanted` says what was expected there.
pub(crate) fn unreadable(path: &Path, wanted: &str, error: &io::Error) -> Failure {
    let it = shown(path);
    Failure::Usage(match (error.kind(), fs::read_link(path)) {
        (io::ErrorKind::NotFound, Ok(target)) => {
            format!("`{it}` is a link to `{}`, which does not exist", plain(&target.to_string_lossy()))
        }
        (io::ErrorKind::NotFound, Err(_)) => format!("there is no {wanted} `{it}`"),
        _ => format!("cannot read `{it}`: {error}"),
    })
}

/// Refuses a path that is neither a file nor a directory, and says what it is.
pub(crate) fn no_file(path: &Path, kind: fs::FileType) -> Failure {
    #[cfg(unix)]
    let what = {
        use std::os::unix::fs::FileTypeExt;
        match kind {
            it if it.is_fifo() => "a pipe",
            it if it.is_socket() => "a socket",
            it if it.is_char_device() || it.is_block_device() => "a device",
            _ => "something else",
        }
    };
    #[cfg(not(unix))]
    let what = {
        let _ = kind;
        "something else"
    };
    Failure::Usage(format!("`{}` is {what}, not a file: give `-` to read from standard input", shown(path)))
}

fn text(source: impl Read, shown: &str) -> io::Result<Result<String, Failure>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Ok(Err(Failure::Failed(format!(
            "{shown} is larger than {} MiB, too large for a tree",
            MOST_BYTES >> 20
        ))));
    }
    if pleach::is_baked(&bytes) {
        return Ok(Err(Failure::Failed(format!("{shown} is a baked tree: name the file that it was made from"))));
    }
    Ok(String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Failed(format!("{shown} is not UTF-8 text: invalid byte at offset {at}"))
    }))
}

/// A file, or why a part of a directory could not be searched.
pub(crate) type Found = Result<PathBuf, Failure>;

/// The files that paths stand for, each once. All paths are expanded before any file is read, so
/// that a misspelt path is told first and not after a hundred reports.
///
/// # Errors
/// As [`expand`]. Standard output goes into one of the files.
pub(crate) fn expand_all(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    all_of(paths, expand)
}

/// The trees and the test files that paths stand for, as [`expand_all`] finds trees.
///
/// # Errors
/// As there.
pub(crate) fn trees_and_tests(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    all_of(paths, |path| expand_to(path, |it| is_tree(it) || is_test(it)))
}

/// The test files that paths stand for, as [`expand_all`] finds trees.
///
/// # Errors
/// As there.
pub(crate) fn tests_in(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    if paths.iter().any(|it| is_stdin(it)) {
        return Err(Failure::Usage(
            "tests lie beside their trees, and cannot come from standard input: name a file".into(),
        ));
    }
    let mut found = all_of(paths, |path| match path.is_dir() {
        true => {
            let found = found_in(path, is_test);
            let none =
                || format!("there are no tests in `{}`: no file in it or below ends in `.test.ron`", shown(path));
            if found.is_empty() { Err(Failure::Usage(none())) } else { Ok(found) }
        }
        false => expand(path),
    })?;
    // Twice the same file by different paths would be two cases with one golden file.
    let mut seen = BTreeSet::new();
    found.retain(|it| it.as_ref().map_or(true, |it| fs::canonicalize(it).map_or(true, |it| seen.insert(it))));
    Ok(found)
}

/// The trees in those of the paths that are directories.
///
/// # Errors
/// A part of a directory cannot be searched.
pub(crate) fn trees_among(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    paths.iter().filter(|it| it.is_dir()).flat_map(|it| found_in(it, is_tree)).collect()
}

fn all_of(paths: &[PathBuf], expand: impl Fn(&Path) -> Result<Vec<Found>, Failure>) -> Result<Vec<Found>, Failure> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for path in paths {
        for found in expand(path)? {
            match found {
                Ok(file) if !seen.insert(file.clone()) => {}
                Ok(file) => {
                    refuse_output(&file)?;
                    all.push(Ok(file));
                }
                Err(failure) => all.push(Err(failure)),
            }
        }
    }
    Ok(all)
}

/// # Errors
/// Standard output goes into this file.
fn refuse_output(path: &Path) -> Result<(), Failure> {
    if !is_stdout(path) {
        return Ok(());
    }
    let it = shown(path);
    Err(Failure::Usage(format!(
        "standard output is redirected to `{it}`, which is also an input: redirect it elsewhere"
    )))
}

/// What a path stands for: itself, or every `.ron` file in the directory and below, in the order of
/// their names. What could not be searched stands among them.
///
/// # Errors
/// The path does not exist, is neither a file nor a directory, or has no tree in it.
fn expand(path: &Path) -> Result<Vec<Found>, Failure> {
    expand_to(path, is_tree)
}

/// The same, of the files in a directory those that are `wanted`.
fn expand_to(path: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<Found>, Failure> {
    if is_stdin(path) {
        return Ok(vec![Ok(path.into())]);
    }
    let kind = fs::metadata(path).map_err(|error| unreadable(path, "file or directory", &error))?.file_type();
    if !kind.is_dir() {
        return if kind.is_file() { Ok(vec![Ok(path.into())]) } else { Err(no_file(path, kind)) };
    }
    let found = found_in(path, wanted);
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "there are no trees in `{}`: no file in it or below ends in `.ron`",
            shown(path)
        )));
    }
    Ok(found)
}

/// Whether a path is named as trees are.
fn is_tree(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "ron") && !is_test(path)
}

/// Whether a path is named as test files are.
fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.to_string_lossy().ends_with(".test.ron"))
}

/// Every path below a directory that is `wanted`. Hidden files and directories are skipped, and
/// links to directories are not followed. A path that is no file is found too: the report of its
/// reading names it.
pub(crate) fn found_in(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Found> {
    let mut found: Vec<(PathBuf, Option<Failure>)> = Vec::new();
    let mut waiting = vec![(directory.to_path_buf(), 0)];
    while let Some((directory, level)) = waiting.pop() {
        if level > MOST_LEVELS {
            let it = shown(&directory);
            let deep = format!("`{it}` is not searched: it is more than {MOST_LEVELS} directories deep");
            found.push((directory, Some(Failure::Usage(deep))));
            continue;
        }
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                let failure = unreadable(&directory, "directory", &error);
                found.push((directory, Some(failure)));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.push((directory.clone(), Some(unreadable(&directory, "directory", &error))));
                    continue;
                }
            };
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            match entry.file_type() {
                Ok(it) if it.is_dir() => waiting.push((path, level + 1)),
                Ok(_) if !wanted(&path) => {}
                Ok(_) => found.push((path, None)),
                Err(error) => {
                    let failure = unreadable(&path, "file", &error);
                    found.push((path, Some(failure)));
                }
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(path, failure)| failure.map_or(Ok(path), Err)).collect()
}
