//! The two versions that are compared: where their files come from, and which are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pleach::Library;
use pleach::asset::{Directory, Source, SourceError, Stamp};

use super::git::Repository;
use crate::args::DiffArgs;
use crate::failure::Failure;
use crate::files::{self, Disk};
use crate::paths::{is_stdin, shown};

/// Files of one version.
pub(super) struct Side {
    pub(super) library: Library<Box<dyn Source>>,
    /// The trees that are compared: their names, by the names that both sides share.
    pub(super) trees: BTreeMap<String, String>,
    /// Whether the trees were found, not named: those that are parts of others are then left out.
    pub(super) is_found: bool,
}

impl Side {
    fn new(source: impl Source + 'static, trees: BTreeMap<String, String>, is_found: bool) -> Side {
        Side { library: Library::new(Box::new(source)), trees, is_found }
    }
}

/// The old version and the new one.
pub(super) fn sides(args: &DiffArgs) -> Result<[Side; 2], Failure> {
    match (&args.git, &args.paths[..]) {
        (Some(revisions), []) => of_git(revisions, Path::new(".")),
        (Some(revisions), [path]) => of_git(revisions, path),
        (Some(_), _) => Err(Failure::Usage("--git compares one path with itself: name one path, or none".into())),
        (None, [old, new]) => {
            if old.is_dir() != new.is_dir() {
                let (directory, file) = if old.is_dir() { (old, new) } else { (new, old) };
                let (directory, file) = (shown(directory), shown(file));
                return Err(Failure::Usage(format!(
                    "`{directory}` is a directory and `{file}` is not: name two files or two directories"
                )));
            }
            if is_stdin(old) && is_stdin(new) {
                return Err(Failure::Usage("standard input cannot be both versions: name a file for one".into()));
            }
            if old.is_dir() { Ok([directory(old)?, directory(new)?]) } else { Ok([file(old)?, file(new)?]) }
        }
        (None, _) => Err(Failure::Usage("name two files or two directories, or a revision with --git".into())),
    }
}

fn file(path: &Path) -> Result<Side, Failure> {
    let name = files::name(path);
    let disk = Disk::new([(name.clone(), files::read(path)?)])?;
    Ok(Side::new(disk, [(String::new(), name)].into(), false))
}

fn directory(path: &Path) -> Result<Side, Failure> {
    let source = open(path)?;
    let mut trees = BTreeMap::new();
    // A side without trees is a version from before there were any.
    for name in source.names() {
        let name =
            name.map_err(|(name, why)| Failure::Usage(format!("cannot read `{}`: {why}", source.shown(&name))))?;
        trees.insert(name.clone(), name);
    }
    Ok(Side::new(source, trees, true))
}

fn open(path: &Path) -> Result<Directory, Failure> {
    Directory::open(path).map_err(|error| Failure::Usage(error.to_string()))
}

fn of_git(revisions: &str, path: &Path) -> Result<[Side; 2], Failure> {
    let (old, new) = match revisions.split_once("..") {
        Some((_, new)) if new.starts_with('.') => {
            return Err(Failure::Usage(format!("`{revisions}`: write two dots between two revisions, not three")));
        }
        Some((old, new)) => (old, Some(if new.is_empty() { "HEAD" } else { new })),
        None => (revisions, None),
    };
    if is_stdin(path) {
        return Err(Failure::Usage("standard input has no revisions: name a file or a directory".into()));
    }
    let repository = Repository::of(path)?;
    let below = below(&repository, path)?;
    let revision = |it: &str| -> Result<Side, Failure> {
        let files = repository.files(it, &below)?;
        let trees = files.keys().filter(|it| is_below(it, &below) && !is_hidden(it, &below));
        let trees = trees.map(|it| (it.clone(), it.clone())).collect();
        Ok(Side::new(Named { prefix: format!("{it}:"), files }, trees, path.is_dir()))
    };
    let old = revision(old)?;
    let new = match new {
        Some(new) => revision(new)?,
        None if path.is_dir() || path.is_file() => {
            let source = open(&repository.top)?.links_may_leave(true);
            let trees: BTreeSet<String> = match path.is_dir() {
                true => repository.on_disk(&below)?,
                false => [below.clone()].into(),
            };
            let trees = trees.into_iter().filter(|it| !is_hidden(it, &below)).map(|it| (it.clone(), it)).collect();
            Side::new(Named { prefix: String::new(), files: source }, trees, path.is_dir())
        }
        // It was removed.
        None => Side::new(BTreeMap::<String, Vec<u8>>::new(), BTreeMap::new(), false),
    };
    if old.trees.is_empty() && new.trees.is_empty() {
        return Err(Failure::Usage(format!("there is no tree `{}` in either version", shown(path))));
    }
    Ok([old, new])
}

/// A path relative to the top of its repository.
fn below(repository: &Repository, path: &Path) -> Result<String, Failure> {
    let real = |it: &Path| it.canonicalize().map_err(|error| Failure::Usage(format!("`{}`: {error}", shown(it))));
    // A file that was removed has no real path, but its directory has.
    let full: PathBuf = match (path.exists(), path.parent(), path.file_name()) {
        (false, Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            real(parent)?.join(name)
        }
        _ => real(path)?,
    };
    let top = real(&repository.top)?;
    let below = full
        .strip_prefix(&top)
        .map_err(|_| Failure::Usage(format!("`{}` leads out of the repository `{}`", shown(path), shown(&top))))?;
    Ok(files::name(below))
}

fn is_below(name: &str, directory: &str) -> bool {
    directory.is_empty() || name == directory || name.strip_prefix(directory).is_some_and(|it| it.starts_with('/'))
}

/// Whether a file is hidden, or a directory around it below this one, as `.github/x.ron`.
fn is_hidden(name: &str, directory: &str) -> bool {
    name != directory && name[directory.len()..].split('/').any(|it| it.starts_with('.'))
}

/// Files of a repository, which messages name as `git` does.
struct Named<S> {
    /// The revision with a colon; empty for the files as they are.
    prefix: String,
    files: S,
}

impl<S: Source> Source for Named<S> {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        self.files.read(name)
    }

    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.files.names()
    }

    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        self.files.stamp(name)
    }

    fn shown(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}
