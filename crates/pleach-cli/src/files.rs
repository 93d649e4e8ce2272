//! Finding and reading trees.

mod found;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use clap::builder::styling::Style;
use pleach::asset::{Described, Diagnostic, Directory, Severity, Source, SourceError, Stamp};
use pleach::tools::text::plain;
use pleach::{Host, Library, Registry, Report, Tree};

use crate::failure::{Failure, say};
use crate::paint::{DOUBTFUL, Parts, RESET, STRONG, painted};
use crate::paths::{is_file, is_stdin, shown};
use crate::unknown::{self, Leaves};
use crate::words::plural;
use found::refuse_output;
pub(crate) use found::{Found, expand_all, found_in, is_tree, tests_in, trees_among, trees_and_tests};

/// The loader accepts no tree with more bytes than this. A larger file is not read to its end.
const MOST_BYTES: u64 = 32 << 20;
/// The byte order mark that some Windows editors write at the start of a text.
pub(crate) const MARK: &str = "\u{feff}";

/// The tree of a file, with the library that says when the tree's files have changed.
///
/// # Errors
/// The file cannot be read, standard output goes into it, or the tree has problems, which have then
/// been printed. Standard input is read only once.
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

/// Prints what is wrong with a tree, and only once what to do about leaves of another game.
pub(crate) fn told_of_tree(report: &Report, leaves: Leaves<'_>) -> Failure {
    let failure = told(report);
    if let Some(help) = unknown::help([report], leaves) {
        say(format_args!("\n{STRONG}help:{RESET} {help}"));
    }
    failure
}

/// A line that says how many warnings `check` has; `None` if there are none.
pub(crate) fn warnings(checked: &Report, path: &Path, leaves: Option<&Path>) -> Option<Parts> {
    let is_warning = |it: &&Diagnostic| it.severity() == Severity::Warning;
    let (all, warnings) = (checked.diagnostics(), checked.diagnostics().iter().filter(is_warning).count());
    // Unlisted diagnostics are errors if there is an error, otherwise warnings.
    let warnings = if all.len() == warnings { warnings + checked.more() } else { warnings };
    let quoted = |path: &Path| match shown(path) {
        it if it.contains(' ') => format!("\"{it}\""),
        it => it,
    };
    let leaves = leaves.map(|it| format!("--leaves {} ", quoted(it))).unwrap_or_default();
    let command = format!(" `pleach check {leaves}{}`", if is_stdin(path) { "-".into() } else { quoted(path) });
    (warnings > 0).then(|| vec![(DOUBTFUL, format!("{}:", plural(warnings, "warning"))), (Style::new(), command)])
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

    /// One of these texts, or a file. Included files that are not among the texts are read from the
    /// disk.
    ///
    /// # Errors
    /// As [`read`](TreeFile::read).
    pub(crate) fn among(texts: &BTreeMap<String, String>, path: &Path) -> Result<Self, Failure> {
        let name = name(path);
        if texts.contains_key(&name) { TreeFile::of(&name, texts) } else { TreeFile::read(path) }
    }

    /// One of these texts of files, by their names. Other included files are read from the disk.
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

    /// Prints on standard error how many warnings `check` has about the tree. The leaves are those
    /// of the manifest, or of the program.
    pub(crate) fn tell_warnings<H: Host>(&self, registry: &Registry<H>, leaves: Option<&Path>) {
        let checked = self.library.check_files(std::slice::from_ref(&self.name), registry);
        if let Some(line) = warnings(&checked, Path::new(&self.name), leaves) {
            say(painted(&line));
        }
    }

    pub(crate) fn load<H: Host>(&mut self, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        self.library.load(&self.name, registry)
    }
}

/// Files by their paths as they were typed. Those named on the command line have been read; files
/// that they include are read on demand.
#[derive(Debug)]
pub(crate) struct Disk {
    read: BTreeMap<String, String>,
    /// Directories that were named. A game opens one as a library, which no link may leave.
    libraries: Vec<(PathBuf, Directory)>,
    /// For a tree that is named by itself it is unknown which directory the game opens, so its
    /// links may lead anywhere: the user of the program can read all of these files anyway.
    rest: Directory,
    /// The files that other files include, with their bytes if they could be read.
    included: RefCell<BTreeMap<PathBuf, Option<Vec<u8>>>>,
}

impl Disk {
    /// With these files, which have been read.
    pub(crate) fn new(read: impl IntoIterator<Item = (String, String)>) -> Result<Self, Failure> {
        let rest = open(".")?.links_may_leave(true);
        let included = RefCell::default();
        Ok(Disk { read: read.into_iter().collect(), libraries: Vec::new(), rest, included })
    }

    /// For the files of these paths, none of which has been read.
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

    /// Uses a text as that of a file, and returns its name.
    pub(crate) fn put(&mut self, path: &Path, text: String) -> String {
        let name = name(path);
        self.read.insert(name.clone(), text);
        name
    }

    /// The files that others include and that were not named, whether or not they could be read.
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

    /// The directory that a file is read from, and its name there.
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

    fn near(&self, name: &str) -> Vec<String> {
        let (library, below) = self.place(name);
        let above = name.strip_suffix(below).unwrap_or_default();
        library.near(below).into_iter().map(|it| format!("{above}{it}")).collect()
    }

    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        let (library, below) = self.place(name);
        self.read.get(name).map_or_else(|| library.stamp(below), |text| Ok(Stamp::of(text)))
    }

    fn shown(&self, name: &str) -> String {
        match self.libraries.first() {
            Some((library, _)) if name.is_empty() => shown(library),
            _ => shown(Path::new(name)),
        }
    }
}

/// The name of a file that others include: its path without `.` and with `/` on every system, so
/// that it has one name by any route.
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

/// The text of a file. Pipes and devices are not opened: reading them can take for ever.
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

/// The same without a byte order mark, for texts that are not RON.
pub(crate) fn read_unmarked(path: &Path) -> Result<String, Failure> {
    let mut text = read(path)?;
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    Ok(text)
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
    if bytes.starts_with(b"pleach") {
        return Ok(Err(Failure::Failed(format!("{shown} is a baked tree or a recording: name the text of a tree"))));
    }
    Ok(String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Failed(format!("{shown} is not UTF-8 text: invalid byte at offset {at}"))
    }))
}
