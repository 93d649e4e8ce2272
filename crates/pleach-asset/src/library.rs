//! [`Library`]: trees in files that include each other.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use pleach_core::{Host, Tree};

use crate::build::{File, Files, check_files};
use crate::finding::{FileAt, Finding, Findings};
use crate::report::Report;
use crate::source::{Directory, Source, SourceError};
use crate::span::{Span, narrow};
use crate::{Asset, Registry, path};

/// Trees in files that include each other (SEMANTICS 9.1).
///
/// A library reads its files when a tree is loaded, each once, and keeps nothing: what is on the
/// disk then is what counts, and a load that fails changes nothing.
///
/// ```
/// # mod pleach { pub use pleach_asset::{Library, Registry}; pub use pleach_core::{Host, Status}; }
/// use std::collections::BTreeMap;
/// use pleach::{Host, Library, Registry, Status};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = Registry::<Game>::new();
/// registry.action_fn("Shout", |_| Status::Success)?;
/// // Games mostly write `Library::open("trees")?`.
/// let library = Library::new(BTreeMap::from([
///     ("guard.ron", r#"Tree(version: 1, root: Repeat(forever: true, child: Subtree("alarm.ron", { "pause": 2.0 })))"#),
///     ("alarm.ron", r#"Tree(version: 1, ports: { "pause": In(Float) }, root: Sequence([Shout, Wait("pause")]))"#),
/// ]));
/// let tree = library.load("guard.ron", &registry)?;
/// assert_eq!(tree.len(), 4);
/// assert_eq!(tree.find_path("Repeat/alarm:Sequence[0]/Wait[1]").unwrap().id().index(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Library<S = Directory> {
    source: S,
}

impl Library<Directory> {
    /// The library of a directory and of all below it.
    ///
    /// # Errors
    /// It is not there, or no directory.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, SourceError> {
        Directory::open(directory).map(Library::new)
    }
}

impl<S: Source> Library<S> {
    /// The library of these files.
    pub fn new(source: S) -> Self {
        Library { source }
    }

    /// Where the files come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Makes the tree of a file with all that it includes.
    ///
    /// # Errors
    /// All that is wrong with all these files, each problem once.
    pub fn load<H: Host>(&self, name: &str, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        self.one(name, registry, false).map(|it| it.0)
    }

    /// As [`load`](Library::load), with warnings about what is probably not meant: see
    /// [`check_str`](crate::check_str). What is said of a file that is included several times holds
    /// wherever it is.
    ///
    /// # Errors
    /// As [`load`](Library::load).
    pub fn check<H: Host>(&self, name: &str, registry: &Registry<H>) -> Result<(Tree<H>, Report), Report> {
        self.one(name, registry, true)
    }

    /// What is wrong with all files of the source, those included that could not be read, and what
    /// is probably not meant. Each file is read once.
    pub fn check_all<H: Host>(&self, registry: &Registry<H>) -> Report {
        let mut names = Vec::new();
        let mut unread = Vec::new();
        for it in self.source.names() {
            match it {
                Ok(name) => names.push(name),
                Err(it) => unread.push(it),
            }
        }
        self.check_these(&names, unread, registry)
    }

    /// As [`check_all`](Library::check_all), of these files and of all that they include.
    pub fn check_files<H: Host>(&self, names: &[String], registry: &Registry<H>) -> Report {
        self.check_these(names, Vec::new(), registry)
    }

    fn check_these<H: Host>(
        &self,
        names: &[String],
        unread: Vec<(String, SourceError)>,
        registry: &Registry<H>,
    ) -> Report {
        let mut read = self.read(names);
        for (name, why) in unread {
            read.cannot(&self.source, name, &why);
        }
        read.check(&self.source.shown(""), None, registry, true).1
    }

    fn one<H: Host>(&self, name: &str, registry: &Registry<H>, warn: bool) -> Result<(Tree<H>, Report), Report> {
        let read = self.read(&[name.to_owned()]);
        let (trees, report) = read.check(&self.source.shown(name), Some(&[0]), registry, warn);
        match trees.into_iter().next().flatten() {
            Some(tree) => Ok((tree, report)),
            None => Err(report),
        }
    }

    /// Reads these files, and all that they may include.
    fn read(&self, names: &[String]) -> Read {
        let mut read = Read::default();
        let mut known: HashSet<String> = names.iter().cloned().collect();
        let mut waiting: std::collections::VecDeque<(String, bool)> =
            names.iter().map(|it| (it.clone(), true)).collect();
        while let Some((name, asked)) = waiting.pop_front() {
            match self.source.read(&name) {
                Ok(bytes) => {
                    let shown = self.source.shown(&name);
                    let (asset, wrong) = Asset::read_bytes(&shown, &bytes);
                    for include in asset.values.included() {
                        if let Ok(path) = path::resolve(&name, include)
                            && !known.contains(&*path)
                        {
                            known.insert(path.clone().into_owned());
                            waiting.push_back((path.into_owned(), false));
                        }
                    }
                    read.files.push(ReadFile { name, asset, wrong });
                }
                Err(why) if asked => read.cannot(&self.source, name, &why),
                // Whoever includes it will hear of it.
                Err(SourceError::Missing) => {}
                Err(why) => _ = read.unread.insert(name, why.to_string()),
            }
        }
        read
    }
}

/// A file that was read.
struct ReadFile {
    name: String,
    asset: Asset,
    /// Why it says nothing.
    wrong: Option<Finding>,
}

/// All that was read for one call.
#[derive(Default)]
struct Read {
    files: Vec<ReadFile>,
    /// Why other files that are included cannot be read.
    unread: HashMap<String, String>,
}

impl Read {
    /// Notes a file that was asked for, and cannot be read.
    fn cannot(&mut self, source: &impl Source, name: String, why: &SourceError) {
        let shown = source.shown(&name);
        let wrong = Some(Finding::error(Span::default(), format!("cannot read `{shown}`: {why}")));
        self.files.push(ReadFile { asset: Asset::empty(&shown), name, wrong });
    }

    fn check<H: Host>(
        &self,
        about: &str,
        entries: Option<&[FileAt]>,
        registry: &Registry<H>,
        warn: bool,
    ) -> (Vec<Option<Tree<H>>>, Report) {
        let mut findings = Findings::of_files();
        let mut list = Vec::with_capacity(self.files.len());
        for (at, ReadFile { name, asset, wrong }) in self.files.iter().enumerate() {
            findings.set_file(narrow(at));
            let tree = match wrong {
                Some(wrong) => {
                    findings.push(wrong.clone());
                    None
                }
                None => match asset.tree() {
                    Ok((tree, found)) => {
                        findings.append(found);
                        Some(tree)
                    }
                    Err(found) => {
                        findings.append(found);
                        None
                    }
                },
            };
            list.push(File { name, asset, tree });
        }
        let checked = check_files(about, Files::of_library(list, &self.unread), entries, registry, findings, warn);
        (checked.trees, checked.report)
    }
}
