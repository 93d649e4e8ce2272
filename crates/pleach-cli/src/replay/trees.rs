//! The trees of a recording: made of the files in it, or of others, with leaves that are never
//! called.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pleach::asset::{CheckOnly, Manifest, Source, SourceError};
use pleach::record::{RecordedTree, Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{Host, Library, Registry, Report, Tree};

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::files::{self, Found, TreeFile, told_of_tree};
use crate::paths::shown;
use crate::stage::{Loaded, Stage};
use crate::unknown::Leaves;

/// How the name of a manifest of leaves ends in a recording.
pub(super) const MANIFEST: &str = ".leaves";

/// What a recording is opened with.
pub(super) struct Open<'a, H: Host> {
    pub(super) bytes: &'a [u8],
    /// The leaves of this program, and those of `--leaves`.
    pub(super) own: &'a Registry<H>,
    pub(super) given: Option<&'a Registry<CheckOnly>>,
    pub(super) game: &'a str,
    pub(super) args: &'a ReplayArgs,
}

impl<H: Host> Open<'_, H> {
    /// Opens the recording. It is played under the files of `--with`: if trees are in it, as an
    /// edit of them.
    ///
    /// # Errors
    /// It is damaged; a tree cannot be made, or does not fit.
    pub(super) fn open(&self) -> Result<Opened, Failure> {
        let &Open { bytes, own, given, game, args } = self;
        let with = args.with.as_deref();
        let mut makers = Makers {
            given,
            with: with.map(With::find).transpose()?,
            own: own.check_only(),
            used: BTreeMap::new(),
            conditions: Vec::new(),
            args,
            game,
            files: None,
            loaded: Vec::new(),
        };
        makers.own.allow_any_leaf(true);
        let mut failure = None;
        let replay = Replay::open_with(bytes, |recorded| {
            makers.tree(recorded).map_err(|it| failure = failure.take().or(Some(it))).ok()
        });
        let replay = replay.map_err(|error| {
            failure.unwrap_or_else(|| {
                let other = with.filter(|_| matches!(error, ReplayError::OtherNodes { .. }));
                Failure::Failed(format!("`{}`: {error}", shown(other.unwrap_or(&args.file))))
            })
        })?;
        let Some(with) = with.filter(|_| makers.has_trees()) else {
            return Ok(Opened { replay, then: None, loaded: makers.loaded });
        };
        let mut recorded = replay.trees().cloned().collect::<Vec<_>>().into_iter();
        let broken = |error: ReplayError| Failure::Failed(format!("`{}`: {error}", shown(&args.file)));
        let then = Replay::open_with(bytes, |_| recorded.next()).map_err(broken)?;
        let edits = makers.edits(&replay, with)?;
        let mut edits = edits.into_iter();
        let replay = replay.edited(|_| edits.next().flatten()).map_err(broken)?;
        Ok(Opened { replay, then: Some(then), loaded: makers.loaded })
    }
}

/// A recording with its trees, some of which may not be used.
pub(super) struct Opened {
    pub(super) replay: Replay<Stage>,
    /// The same under the recorded trees, if it is played under edited ones.
    pub(super) then: Option<Replay<Stage>>,
    pub(super) loaded: Vec<Loaded>,
}

/// The files of `--with`.
struct With {
    files: Vec<TreeFile>,
    is_directory: bool,
}

impl With {
    fn find(path: &Path) -> Result<Self, Failure> {
        let is_directory = path.is_dir();
        let found = files::expand_all(&[path.to_path_buf()])?;
        let files = found.into_iter().map(|it: Found| TreeFile::read(&it?));
        Ok(With { files: files.collect::<Result<_, _>>()?, is_directory })
    }
}

/// Texts of files by their names.
type Texts = BTreeMap<String, String>;
/// A tree and the files that it is made of.
type Made = (Loaded, Texts);

/// Texts of which some are read.
struct Reading<'a> {
    texts: &'a Texts,
    read: RefCell<Texts>,
}

impl Source for Reading<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        let bytes = Source::read(self.texts, name)?;
        self.read.borrow_mut().extend(self.texts.get(name).map(|it| (name.to_owned(), it.clone())));
        Ok(bytes)
    }
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.texts.names()
    }
}

/// What trees are made of.
struct Makers<'a> {
    given: Option<&'a Registry<CheckOnly>>,
    with: Option<With>,
    own: Registry<CheckOnly>,
    /// How many trees of a name have been made.
    used: BTreeMap<String, usize>,
    /// The leaves that are conditions.
    conditions: Vec<String>,
    args: &'a ReplayArgs,
    game: &'a str,
    /// The files of the recording, once they have been looked at.
    files: Option<Recorded>,
    /// The trees that were made.
    loaded: Vec<Loaded>,
}

/// The files of a recording.
struct Recorded {
    versions: Vec<Texts>,
    /// The leaves that its manifest describes.
    leaves: Option<Registry<CheckOnly>>,
}

impl Recorded {
    fn of(files: &[(String, String)]) -> Result<Self, Failure> {
        let is_manifest = |name: &str| name.ends_with(MANIFEST);
        let mut leaves = None;
        // Of a name that comes again the last text counts.
        for (name, text) in files.iter().filter(|it| is_manifest(&it.0)) {
            let manifest = Manifest::parse(name, text).map_err(|it| files::told(&it))?;
            let mut registry = manifest.registry().map_err(|it| Failure::Failed(format!("`{}`: {it}", plain(name))))?;
            registry.allow_any_leaf(true);
            leaves = Some(registry);
        }
        let texts = files.iter().filter(|it| !is_manifest(&it.0));
        Ok(Recorded { versions: versions(texts.map(|(name, text)| (name, text))), leaves })
    }
}

/// The files as they were at first, and after each change: a name that comes again begins another
/// version, in which all files that do not come again are as before.
fn versions<'t>(files: impl Iterator<Item = (&'t String, &'t String)>) -> Vec<Texts> {
    let mut versions: Vec<Texts> = Vec::new();
    let mut new: Vec<&str> = Vec::new();
    for (name, text) in files {
        if versions.is_empty() {
            versions.push(Texts::new());
        } else if new.contains(&name.as_str()) {
            versions.push(versions.last().cloned().unwrap_or_default());
            new.clear();
        }
        new.push(name);
        let last = versions.len() - 1;
        versions[last].insert(name.clone(), text.clone());
    }
    versions
}

impl Makers<'_> {
    /// # Errors
    /// No file makes it. What is wrong with the files has then been printed.
    fn tree(&mut self, recorded: &RecordedTree<'_>) -> Result<Arc<Tree<Stage>>, Failure> {
        self.conditions.extend(recorded.conditions().into_iter().map(str::to_owned));
        let loaded = self.load(recorded)?;
        let tree = Arc::clone(&loaded.tree);
        self.loaded.push(loaded);
        Ok(tree)
    }

    fn load(&mut self, recorded: &RecordedTree<'_>) -> Result<Loaded, Failure> {
        if self.files.is_none() {
            self.files = Some(Recorded::of(recorded.files)?);
        }
        if !self.has_trees()
            && let Some(loaded) = self.given(recorded)?
        {
            return Ok(loaded);
        }
        let of_name = self.used.entry(recorded.name.to_owned()).or_default();
        let nth = std::mem::replace(of_name, *of_name + 1);
        let files = self.files.as_ref().expect("they have just been looked at");
        let mut report = None;
        let mut made: Vec<Loaded> = Vec::new();
        let mut made_of = Texts::new();
        for texts in &files.versions {
            match self.of_version(texts, recorded.name) {
                Ok(Some((it, _))) if recorded.is(&it.tree) => return Ok(it),
                // In this version files of other trees have changed, and none of this one.
                Ok(Some((_, read))) if read == made_of => {}
                Ok(Some((it, read))) => {
                    made.push(it);
                    made_of = read;
                }
                Ok(None) => {}
                Err(it) => report = report.or(Some(it)),
            }
        }
        // Leaves that stand in for those of the game do not say what they observe, so a tree may be
        // the recorded one and not look it. Versions come in the order of their agents.
        let fits: Vec<usize> = (0..made.len()).filter(|it| recorded.difference(&made[*it].tree).is_none()).collect();
        let last = made.len().checked_sub(1);
        if let Some(at) = fits.get(nth).or(fits.last()).copied().or(last) {
            return Ok(made.swap_remove(at));
        }
        let name = plain(recorded.name).into_owned();
        Err(match report {
            Some(report) => told_of_tree(&report, Leaves::new(self.args.leaves.as_deref(), self.game)),
            None => Failure::Failed(format!(
                "`{}` has agents of the tree `{name}`, and no file of it: name the tree with --with",
                shown(&self.args.file)
            )),
        })
    }

    /// Whether files of trees are in the recording.
    fn has_trees(&self) -> bool {
        self.files.as_ref().is_some_and(|it| !it.versions.is_empty())
    }

    /// The leaves that are known.
    fn known(&self) -> &Registry<CheckOnly> {
        let recorded = self.files.as_ref().and_then(|it| it.leaves.as_ref());
        self.given.or(recorded).unwrap_or(&self.own)
    }

    /// The trees of the files of `--with`, and what is wrong with the first that makes none.
    fn all_given(&mut self) -> (Vec<Loaded>, Option<Report>) {
        let Some(mut with) = self.with.take() else { return (Vec::new(), None) };
        let (mut made, mut report) = (Vec::new(), None);
        for file in &mut with.files {
            match self.stubbed(|it| file.load(it), self.known()) {
                Ok(it) => made.push(it),
                // A part of a tree is none by itself.
                Err(it) => report = report.or(Some(it)),
            }
        }
        let is_directory = with.is_directory;
        self.with = Some(with);
        (made, report.filter(|_| !is_directory))
    }

    /// The tree of `--with` that is a recorded one.
    fn given(&mut self, recorded: &RecordedTree<'_>) -> Result<Option<Loaded>, Failure> {
        let (made, report) = self.all_given();
        if let Some(report) = report {
            return Err(told_of_tree(&report, Leaves::new(self.args.leaves.as_deref(), self.game)));
        }
        Ok(made.into_iter().find(|it| it.tree.name() == recorded.name))
    }

    /// Of each recorded tree the edited one, if there is one.
    ///
    /// # Errors
    /// No file of `with` makes a tree, or one that was recorded.
    fn edits(&mut self, replay: &Replay<Stage>, with: &Path) -> Result<Vec<Option<Arc<Tree<Stage>>>>, Failure> {
        let (made, report) = self.all_given();
        if let Some(report) = report {
            return Err(told_of_tree(&report, Leaves::new(self.args.leaves.as_deref(), self.game)));
        }
        let mut names: Vec<&str> = replay.trees().map(|it| it.name()).collect();
        names.dedup();
        let named = |name: &str| made.iter().find(|it| it.tree.name() == name);
        // A copy may have another name than the only tree.
        let only = match &made[..] {
            [only] if names.len() == 1 => Some(only),
            _ => None,
        };
        let edits: Vec<Option<Arc<Tree<Stage>>>> =
            replay.trees().map(|it| named(it.name()).or(only).map(|it| Arc::clone(&it.tree))).collect();
        if edits.iter().any(Option::is_some) || names.is_empty() {
            self.loaded.extend(made);
            return Ok(edits);
        }
        let list = |all: &[&str]| all.iter().map(|it| format!("`{}`", plain(it))).collect::<Vec<_>>().join(", ");
        let here: Vec<&str> = made.iter().map(|it| it.tree.name()).collect();
        let here = if here.is_empty() { "no tree".to_owned() } else { list(&here) };
        Err(Failure::Failed(format!(
            "`{}` has {here}, and the agents of the recording have {}: give an edited tree the name of the one that it \
             stands for",
            shown(with),
            list(&names)
        )))
    }

    /// The tree of a recording's own files, and those that it is made of.
    fn of_version(&self, texts: &Texts, tree: &str) -> Result<Option<Made>, Report> {
        let mut anything = Registry::<CheckOnly>::new();
        anything.allow_any_leaf(true).allow_any_event(true);
        let mut report = None;
        let (named, others): (Vec<&String>, Vec<&String>) = texts.keys().partition(|it| is_named(it, tree));
        for name in named.iter().chain(&others) {
            for registry in [self.known(), &anything] {
                let mut library = Library::new(Reading { texts, read: RefCell::default() });
                match self.stubbed(|it| library.load(name, it), registry) {
                    Ok(it) if it.tree.name() == tree => {
                        return Ok(Some((it, library.source().read.take())));
                    }
                    Ok(_) => break,
                    Err(it) if named.contains(name) => report = report.or(Some(it)),
                    // A part of a tree is none by itself.
                    Err(_) => {}
                }
            }
        }
        report.map_or(Ok(None), Err)
    }

    /// A tree with leaves that are never called.
    fn stubbed(
        &self,
        make: impl FnMut(&Registry<Stage>) -> Result<Tree<Stage>, Report>,
        known: &Registry<CheckOnly>,
    ) -> Result<Loaded, Report> {
        let conditions: Vec<String> = self.conditions.iter().map(|it| format!("every {it}")).collect();
        Loaded::read(make, known, conditions.iter().map(String::as_str))
    }
}

/// Whether a file is named like a tree.
fn is_named(file: &str, tree: &str) -> bool {
    Path::new(file).file_stem().is_some_and(|it| it == tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_again_begins_another_version() {
        let files: Vec<(String, String)> =
            [("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"), ("b", "3")].map(|it| (it.0.into(), it.1.into())).into();
        let found = versions(files.iter().map(|(name, text)| (name, text)));
        let texts: Vec<Vec<&str>> = found.iter().map(|it| it.values().map(String::as_str).collect()).collect();
        assert_eq!(texts, [["1", "1"], ["2", "2"], ["2", "3"]]);
        assert!(versions([].into_iter()).is_empty());
    }
}
