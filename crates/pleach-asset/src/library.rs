//! [`Library`]: trees in files that include each other.

mod copies;
#[cfg(feature = "reports")]
mod describe;
mod poll;
mod reload;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexSet;
use pleach_core::{Host, Tree, TreeId};

#[cfg(feature = "baked")]
use crate::build;
use crate::build::{File, Files, Right, Warn, check_files};
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::report::Report;
use crate::source::{Directory, Source, SourceError};
use crate::span::{Span, narrow};
use crate::{Asset, Registry, path};
use copies::{Content, Copies, Known, ReadFile};
#[cfg(feature = "reports")]
pub use describe::Described;
pub use poll::Changes;
pub use reload::{LoadError, Reload};

/// For how many files that are not there it is said which may be meant.
const MAX_LOOKED_FOR: usize = 8;

/// Trees in files that include each other (SEMANTICS 9.1).
///
/// A library reads its files when it loads a tree, each file once, as it then is on disk. It keeps
/// no file contents, but remembers their versions: [`poll`](Library::poll) says which trees have
/// changed since, and [`reload`](Library::reload) replaces them in a forest.
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
/// let mut library = Library::new(BTreeMap::from([
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
    known: Known,
    followed: Vec<Followed>,
}

/// A tree whose files the library watches.
#[derive(Debug)]
struct Followed {
    /// The name under which it was loaded.
    name: String,
    /// The files it was made from, as they were then. If it is broken, all files it may be made
    /// from.
    files: Vec<(String, Content)>,
    /// Its tree in the forest.
    tie: Option<TreeId>,
    /// Whether the forest has rejected it.
    refused: bool,
}

impl Library<Directory> {
    /// The library of a directory and everything below it.
    ///
    /// # Errors
    /// If the path does not exist or is not a directory.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, SourceError> {
        Directory::open(directory).map(Library::new)
    }
}

impl<S: Source> Library<S> {
    /// The library of these files.
    pub fn new(source: S) -> Self {
        Library { source, known: Known::default(), followed: Vec::new() }
    }

    /// Where the files come from.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Where the files come from, mutably.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The names of the files that the loaded trees are made of, in the order of their names.
    #[must_use]
    pub fn files(&self) -> BTreeSet<&str> {
        self.followed.iter().flat_map(|it| &it.files).map(|it| &*it.0).collect()
    }

    /// Makes the tree of a file with everything it includes. From now on [`poll`](Library::poll)
    /// reports changes to it, even if it is broken now.
    ///
    /// # Errors
    /// All problems of all these files, each once.
    pub fn load<H: Host>(&mut self, name: &str, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        let Made { tree, files } = make(&mut Copies::new(&self.source, Some(&mut self.known)), name, registry);
        // If it was loaded before, the holder of that tree still has to hear of changes
        // since then.
        if !self.followed.iter().any(|it| it.name == name && it.tie.is_none()) {
            self.followed.push(Followed { name: name.to_owned(), files, tie: None, refused: false });
        }
        tree
    }

    /// As [`load`](Library::load), with warnings about probable mistakes: see
    /// [`check_str`](crate::check_str). [`load`](Library::load) and [`reload`](Library::reload)
    /// report only errors: for everything they have loaded see [`warnings`](Library::warnings).
    ///
    /// A file or template included several times gets one warning per mistake, and only if every
    /// place where it can run has the mistake.
    ///
    /// # Errors
    /// As [`load`](Library::load).
    pub fn check<H: Host>(&self, name: &str, registry: &Registry<H>) -> Result<(Tree<H>, Report), Report> {
        one(&mut Copies::new(&self.source, None), name, registry, Warn::OfFiles).0
    }

    /// The warnings about all trees that were loaded, as [`check_files`](Library::check_files)
    /// gives them for their files as they are now: for a game to show after it has loaded its
    /// trees, and after each [`reload`](Library::reload). Reads the files once more.
    pub fn warnings<H: Host>(&self, registry: &Registry<H>) -> Report {
        let names: IndexSet<&String> = self.followed.iter().map(|it| &it.name).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        self.check_these(&names, Vec::new(), registry, Warn::OfFiles).only_warnings()
    }

    /// All errors and warnings of all files of the source, including unreadable ones. Reads each
    /// file once. Reports trees that declare a group or global key, or an event, differently, with
    /// both places: no forest takes both. Warns about keys that the game relies on in trees of a
    /// name that no file has.
    pub fn check_all<H: Host>(&self, registry: &Registry<H>) -> Report {
        let mut names = Vec::new();
        let mut unread = Vec::new();
        for it in self.source.names() {
            match it {
                Ok(name) => names.push(name),
                Err(it) => unread.push(it),
            }
        }
        self.check_these(&names, unread, registry, Warn::OfAll)
    }

    /// As [`check_all`](Library::check_all), for these files and everything they include. There may
    /// be other files, with trees of other names.
    pub fn check_files<H: Host>(&self, names: &[String], registry: &Registry<H>) -> Report {
        self.check_these(names, Vec::new(), registry, Warn::OfFiles)
    }

    /// Makes the tree of a file with everything it includes, and writes it as bytes for
    /// [`load_baked`](crate::load_baked): a game that ships them needs no RON reader. The bytes
    /// hold the leaves' parameters, but not the leaves, so `registry` may be one of
    /// [`Manifest::registry`](crate::Manifest::registry). The same files give the same bytes. You
    /// may have to bake again after a change of pleach's version; the error says so.
    ///
    /// # Errors
    /// As [`load`](Library::load).
    #[cfg(feature = "baked")]
    #[cfg_attr(docsrs, doc(cfg(feature = "baked")))]
    pub fn bake<H: Host>(&self, name: &str, registry: &Registry<H>) -> Result<Vec<u8>, Report> {
        let (mut baked, report) = self.bake_these(&[name.to_owned()], Some(&[0]), registry);
        baked.pop().map(|it| it.1).ok_or(report)
    }

    /// As [`bake`](Library::bake), for each of these files that no other of them includes: its name
    /// and its bytes.
    ///
    /// # Errors
    /// All problems of these files, each once. Nothing is baked then.
    #[cfg(feature = "baked")]
    #[cfg_attr(docsrs, doc(cfg(feature = "baked")))]
    pub fn bake_files<H: Host>(
        &self,
        names: &[String],
        registry: &Registry<H>,
    ) -> Result<Vec<(String, Vec<u8>)>, Report> {
        let (baked, report) = self.bake_these(names, None, registry);
        if report.is_empty() { Ok(baked) } else { Err(report) }
    }

    #[cfg(feature = "baked")]
    fn bake_these<H: Host>(
        &self,
        names: &[String],
        entries: Option<&[FileAt]>,
        registry: &Registry<H>,
    ) -> (Vec<(String, Vec<u8>)>, Report) {
        let mut copies = Copies::new(&self.source, None);
        let read = Read::new(&mut copies, names);
        let about = self.source.shown(if let [name] = names { name } else { "" });
        let mut baked = Vec::new();
        let (_, report) = read.check(&about, entries, registry, Warn::Never, &mut |files, at| {
            let bytes = build::bake(files, at, registry)?;
            baked.push((files.get(at).map(|it| it.name.to_owned()).unwrap_or_default(), bytes));
            Ok(())
        });
        (baked, report)
    }

    fn check_these<H: Host>(
        &self,
        names: &[String],
        unread: Vec<(String, SourceError)>,
        registry: &Registry<H>,
        warn: Warn,
    ) -> Report {
        let mut read = Read::new(&mut Copies::new(&self.source, None), names);
        for (name, why) in unread {
            read.cannot(&self.source, name, &why);
        }
        read.check(&self.source.shown(""), None, registry, warn, &mut |_, _| Ok(())).1
    }
}

/// A tree and the files it is made from.
struct Made<H: Host> {
    tree: Result<Tree<H>, Report>,
    /// The files it is made from; if it is broken, those it may be made from.
    files: Vec<(String, Content)>,
}

fn make<H: Host>(copies: &mut Copies<'_, impl Source>, name: &str, registry: &Registry<H>) -> Made<H> {
    let (tree, read) = one(copies, name, registry, Warn::Never);
    let tree = tree.map(|it| it.0);
    let files: Vec<String> = match &tree {
        Ok(tree) => {
            let included: IndexSet<&str> = tree.instances().filter_map(|it| it.file()).collect();
            let of_tree = |it: &&Arc<ReadFile>| it.name == name || included.contains(it.asset.file());
            let files: IndexSet<String> = read.files.iter().filter(of_tree).flat_map(|it| it.with_lenders()).collect();
            files.into_iter().collect()
        }
        Err(_) => read.tried.into_iter().collect(),
    };
    let content = |name: String| {
        let content = copies.content(&name);
        (name, content)
    };
    Made { tree, files: files.into_iter().map(content).collect() }
}

type Checked<H> = Result<(Tree<H>, Report), Report>;

/// Makes the tree of a file. Also returns what was read for it.
fn one<H: Host>(
    copies: &mut Copies<'_, impl Source>,
    name: &str,
    registry: &Registry<H>,
    warn: Warn,
) -> (Checked<H>, Read) {
    let read = Read::new(copies, &[name.to_owned()]);
    let (trees, report) = read.check(&copies.source().shown(name), Some(&[0]), registry, warn, &mut |_, _| Ok(()));
    match trees.into_iter().next().flatten() {
        Some(tree) => (Ok((tree, report)), read),
        None => (Err(report), read),
    }
}

/// Everything read for some trees.
#[derive(Default)]
struct Read {
    files: Vec<Arc<ReadFile>>,
    /// Why other included files cannot be read.
    unread: HashMap<String, String>,
    /// All files looked up.
    tried: IndexSet<String>,
    /// Files that may be meant by the names of those that are not there.
    near: BTreeSet<String>,
}

impl Read {
    /// Reads these files and everything they may include.
    fn new(copies: &mut Copies<'_, impl Source>, names: &[String]) -> Self {
        let mut read = Read { tried: names.iter().cloned().collect(), ..Read::default() };
        let mut missing = 0;
        let mut waiting: VecDeque<(String, bool)> = names.iter().map(|it| (it.clone(), true)).collect();
        while let Some((name, asked)) = waiting.pop_front() {
            match copies.get(&name) {
                Ok(file) => {
                    for include in file.asset.values.included() {
                        if let Ok(path) = path::resolve(&name, include)
                            && !read.tried.contains(&*path)
                        {
                            read.tried.insert(path.clone().into_owned());
                            waiting.push_back((path.into_owned(), false));
                        }
                    }
                    read.files.push(file);
                }
                Err(why) if asked => read.cannot(copies.source(), name, &why),
                // Reported where it is included.
                Err(SourceError::Missing) => {
                    if missing < MAX_LOOKED_FOR {
                        read.near.extend(copies.source().near(&name));
                    }
                    missing += 1;
                }
                Err(why) => _ = read.unread.insert(name, why.to_string()),
            }
        }
        read
    }

    /// Records a requested file that cannot be read.
    fn cannot(&mut self, source: &impl Source, name: String, why: &SourceError) {
        let shown = source.shown(&name);
        let wrong = Some(Finding::new(Code::NoFile, Span::default(), format!("cannot read `{shown}`: {why}")));
        self.files.push(ReadFile { asset: Asset::empty(&shown), name, wrong }.into());
    }

    fn check<H: Host>(
        &self,
        about: &str,
        entries: Option<&[FileAt]>,
        registry: &Registry<H>,
        warn: Warn,
        right: &mut Right<'_>,
    ) -> (Vec<Option<Tree<H>>>, Report) {
        let mut findings = Findings::of_files();
        let mut list = Vec::with_capacity(self.files.len());
        for (at, file) in self.files.iter().enumerate() {
            let ReadFile { name, asset, wrong } = &**file;
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
        let checked = check_files(
            about,
            Files::of_library(list, &self.unread, &self.near),
            entries,
            registry,
            findings,
            warn,
            right,
        );
        (checked.trees, checked.report)
    }
}
