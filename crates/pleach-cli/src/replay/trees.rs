//! The trees of a recording: made of the files in it, or of others, with leaves that are never
//! called.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use pleach::asset::{CheckOnly, Source};
use pleach::error::BakedError;
use pleach::record::{RecordedTree, Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{Host, Library, Registry, Report, Tree, load_baked};
use pleach_studio_core::model::Place;

use super::recorded::{Contents, Reading, Recorded, tell_source};
use crate::failure::{Failure, say};
use crate::files::{self, Found, TreeFile, told_of_tree};
use crate::paths::shown;
use crate::stage::{Loaded, Stage};
use crate::unknown::Leaves;

/// What a recording is opened with.
pub(super) struct Open<'a, H: Host> {
    pub(super) bytes: &'a [u8],
    /// The leaves of this program, and those of `--leaves`.
    pub(super) own: &'a Registry<H>,
    pub(super) given: Option<&'a Registry<CheckOnly>>,
    pub(super) game: &'a str,
    /// The recording, the edited trees, and the manifest of `--leaves`.
    pub(super) file: &'a Path,
    pub(super) with: Option<&'a Path>,
    pub(super) leaves: Option<&'a Path>,
    /// Whether to find out where nodes are written.
    pub(super) wants_places: bool,
    /// `--with` is an option of another command.
    pub(super) in_studio: bool,
}

impl<H: Host> Open<'_, H> {
    /// For each recorded tree the edited one, if one of these files makes it.
    ///
    /// # Errors
    /// As [`open`](Open::open); what is wrong with the texts is not printed.
    #[cfg(feature = "studio")]
    pub(super) fn edits(
        &self,
        texts: &std::collections::BTreeMap<String, String>,
    ) -> Result<Vec<Option<Arc<Tree<Stage>>>>, Failure> {
        let mut makers = self.makers(None);
        let mut failure = None;
        let replay = Replay::open_with(self.bytes, |recorded| {
            makers.tree(recorded).map_err(|it| failure = failure.take().or(Some(it))).ok()
        });
        let replay = replay.map_err(|it| failure.unwrap_or_else(|| Failure::Failed(it.to_string())))?;
        // A text without the name of a recorded tree makes none.
        let is_named =
            |name: &str, text: &str| replay.trees().any(|it| is_named(name, it.name()) || text.contains(it.name()));
        let named = texts.iter().filter(|it| !it.0.ends_with(".test.ron") && is_named(it.0, it.1));
        let files = named.map(|it| TreeFile::of(it.0, texts)).collect::<Result<_, _>>()?;
        makers.with = Some(With { files, is_directory: false });
        let (made, report) = makers.all_given();
        let fits = makers.fit(made, &replay, "the directory that is edited");
        let wrong = report.as_ref().and_then(|it| it.diagnostics().first());
        match (fits, wrong) {
            (Err(_), Some(it)) => Err(Failure::Failed(format!(
                "the edited trees do not load: {}:{}:{}: {}",
                it.file(),
                it.line(),
                it.column(),
                it.message()
            ))),
            (fits, _) => fits,
        }
    }

    /// Opens the recording. It is played with the files of `--with`: as an edit of its trees,
    /// unless one of them stands in for a tree that it does not have.
    ///
    /// # Errors
    /// It is damaged; a tree cannot be made, or does not fit.
    pub(super) fn open(&self) -> Result<Opened, Failure> {
        let &Open { bytes, file, with, .. } = self;
        let mut makers = self.makers(with.map(With::find).transpose()?);
        let mut failure = None;
        let replay = Replay::open_with(bytes, |recorded| {
            makers.tree(recorded).map_err(|it| failure = failure.take().or(Some(it))).ok()
        });
        let replay = replay.map_err(|error| {
            failure.unwrap_or_else(|| {
                let is_other = matches!(error, ReplayError::OtherNodes { .. });
                let other = with.filter(|_| is_other && makers.stands_in);
                let help = if is_other && other.is_none() {
                    format!(
                        "\n  The version that its agents had is not in the recording: add all files again after each \
                         reload, or give that version with {}",
                        makers.option()
                    )
                } else {
                    String::new()
                };
                Failure::Failed(format!("`{}`: {error}{help}", shown(other.unwrap_or(file))))
            })
        })?;
        let Some(with) = with.filter(|_| !makers.stands_in) else {
            return Ok(Opened { replay, then: None, loaded: makers.loaded, places: makers.places });
        };
        let mut recorded = replay.trees().cloned().collect::<Vec<_>>().into_iter();
        let broken = |error: ReplayError| Failure::Failed(format!("`{}`: {error}", shown(file)));
        let then = Replay::open_with(bytes, |_| recorded.next()).map_err(broken)?;
        let edits = makers.edits(&replay, with)?;
        let mut edits = edits.into_iter();
        let replay = replay.edited(|_| edits.next().flatten()).map_err(broken)?;
        Ok(Opened { replay, then: Some(then), loaded: makers.loaded, places: makers.places })
    }
}

impl<'a, H: Host> Open<'a, H> {
    /// Makes the trees.
    pub(super) fn makers(&self, with: Option<With>) -> Makers<'a> {
        let &Open { own, given, game, file, leaves, wants_places, in_studio, .. } = self;
        let mut own = own.check_only();
        own.allow_any_leaf(true);
        Makers {
            given,
            with,
            own,
            stands_in: false,
            in_studio,
            conditions: Vec::new(),
            file,
            leaves,
            wants_places,
            game,
            files: None,
            seen: 0,
            loaded: Vec::new(),
            places: Vec::new(),
        }
    }
}

/// A recording with its trees, some of which may not be used.
pub(super) struct Opened {
    pub(super) replay: Replay<Stage>,
    /// The same under the recorded trees, if it is played under edited ones.
    pub(super) then: Option<Replay<Stage>>,
    pub(super) loaded: Vec<Loaded>,
    /// Where the nodes of each are written, if requested and known.
    pub(super) places: Vec<Vec<Place>>,
}

/// The files of `--with`.
pub(super) struct With {
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

/// A tree, the files that it is made of, and where its nodes are written.
struct Made {
    loaded: Loaded,
    read: Contents,
    places: Vec<Place>,
    is_baked: bool,
}

/// Why files do not make a tree.
enum Wrong {
    Text(Report),
    Baked(BakedError),
}

/// What trees are made of.
pub(super) struct Makers<'a> {
    given: Option<&'a Registry<CheckOnly>>,
    with: Option<With>,
    own: Registry<CheckOnly>,
    /// A tree of `--with` stands in for a recorded one.
    stands_in: bool,
    in_studio: bool,
    /// The leaves that are conditions.
    conditions: Vec<String>,
    file: &'a Path,
    leaves: Option<&'a Path>,
    wants_places: bool,
    game: &'a str,
    /// The files of the recording, once read, and how many there were.
    files: Option<Recorded>,
    seen: usize,
    /// The trees that were made, and where their nodes are written.
    loaded: Vec<Loaded>,
    places: Vec<Vec<Place>>,
}

impl Makers<'_> {
    /// A tree, and where its nodes are written.
    ///
    /// # Errors
    /// As [`tree`](Makers::tree).
    pub(super) fn make(&mut self, recorded: &RecordedTree<'_>) -> Result<(Loaded, Vec<Place>), Failure> {
        self.conditions.extend(recorded.conditions().into_iter().map(str::to_owned));
        self.load(recorded)
    }

    /// # Errors
    /// No file makes it. What is wrong with the files has then been printed.
    fn tree(&mut self, recorded: &RecordedTree<'_>) -> Result<Arc<Tree<Stage>>, Failure> {
        let (loaded, places) = self.make(recorded)?;
        self.places.push(places);
        let tree = Arc::clone(&loaded.tree);
        self.loaded.push(loaded);
        Ok(tree)
    }

    fn load(&mut self, recorded: &RecordedTree<'_>) -> Result<(Loaded, Vec<Place>), Failure> {
        if self.files.is_none() || self.seen != recorded.files.len() {
            self.files = Some(Recorded::of(recorded.files, self.given.is_some(), self.file)?);
            self.seen = recorded.files.len();
        }
        let (mut all, wrong) = self.recorded(recorded.name);
        let same = all.iter().position(|it| recorded.is(&it.loaded.tree));
        // Stand-ins for the game's leaves do not declare what they observe, so the recorded tree
        // may look different. Versions come in the order of their agents.
        let version_that_fits = |is_baked: bool| {
            let fits = |it: &Made| it.is_baked == is_baked && recorded.difference(&it.loaded.tree).is_none();
            all.iter().enumerate().filter(|it| fits(it.1)).take(recorded.version + 1).last().map(|it| it.0)
        };
        if let Some(at) = same.or_else(|| version_that_fits(false)).or_else(|| version_that_fits(true)) {
            let made = all.swap_remove(at);
            return Ok((made.loaded, made.places));
        }
        let name = plain(recorded.name).into_owned();
        if let Some(loaded) = self.given(recorded)? {
            if self.has_trees() {
                say(format_args!(
                    "no file in `{}` makes its tree `{name}`: it is played with the tree that you gave, and all others as recorded",
                    shown(self.file)
                ));
            }
            self.stands_in = true;
            return Ok((loaded, Vec::new()));
        }
        let option = self.option();
        match (wrong, all.pop()) {
            (Some(Wrong::Text(report)), _) => {
                tell_source(self.file, &format!("give a version of the tree that does with {option}"));
                Err(told_of_tree(&report, Leaves::new(self.leaves, self.game)))
            }
            (Some(Wrong::Baked(error)), _) => Err(Failure::Failed(format!(
                "`{}` has agents of the tree `{name}`, and no file in it makes that tree: {error:#}; name the text of \
                 the tree with {option}",
                shown(self.file)
            ))),
            // Opening says how it differs.
            (None, Some(made)) => Ok((made.loaded, made.places)),
            (None, None) => Err(Failure::Failed(format!(
                "`{}` has agents of the tree `{name}`, and no file of it: name the tree with {option}",
                shown(self.file)
            ))),
        }
    }

    /// The different trees of a name that the files in the recording make: first those of texts.
    /// And what is wrong with the first file that makes none.
    fn recorded(&self, name: &str) -> (Vec<Made>, Option<Wrong>) {
        let (mut all, mut wrong): (Vec<Made>, _) = (Vec::new(), None);
        let Some(files) = &self.files else { return (all, wrong) };
        let of_texts = files.versions.iter().map(|it| self.of_version(it, name));
        for it in of_texts.chain(files.baked.iter().map(|it| self.of_baked(it, name))) {
            match it {
                // Only files of other trees have changed, or the version was there before.
                Ok(Some(it)) if all.iter().any(|before| before.read == it.read) => {}
                Ok(Some(it)) => all.push(it),
                Ok(None) => {}
                // A baked tree that cannot be read may be of any name.
                Err(Wrong::Baked(it)) if wrong.is_none() || is_named(it.file(), name) => wrong = Some(Wrong::Baked(it)),
                Err(it) => wrong = wrong.or(Some(it)),
            }
        }
        (all, wrong)
    }

    /// The option that takes a tree for a recorded one.
    fn option(&self) -> String {
        if self.in_studio { format!("`{} replay --with`", self.game) } else { "--with".to_owned() }
    }

    /// Whether the recording has files of trees.
    fn has_trees(&self) -> bool {
        self.files.as_ref().is_some_and(|it| !it.versions.is_empty() || !it.baked.is_empty())
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

    /// The tree of `--with` for a recorded one. A single file is, under any name.
    fn given(&mut self, recorded: &RecordedTree<'_>) -> Result<Option<Loaded>, Failure> {
        let (mut made, report) = self.all_given();
        if let Some(report) = report {
            return Err(told_of_tree(&report, Leaves::new(self.leaves, self.game)));
        }
        let named = made.iter().position(|it| it.tree.name() == recorded.name);
        let only = self.with.as_ref().is_some_and(|it| !it.is_directory && made.len() == 1).then_some(0);
        Ok(named.or(only).map(|at| made.swap_remove(at)))
    }

    /// For each recorded tree the edited one, if there is one.
    ///
    /// # Errors
    /// No file of `with` makes a tree, or none of them makes a recorded one.
    fn edits(&mut self, replay: &Replay<Stage>, with: &Path) -> Result<Vec<Option<Arc<Tree<Stage>>>>, Failure> {
        let (made, report) = self.all_given();
        if let Some(report) = report {
            return Err(told_of_tree(&report, Leaves::new(self.leaves, self.game)));
        }
        self.fit(made, replay, &format!("`{}`", shown(with)))
    }

    /// The trees that stand for recorded ones. `whose` says in messages who has made them.
    fn fit(
        &mut self,
        made: Vec<Loaded>,
        replay: &Replay<Stage>,
        whose: &str,
    ) -> Result<Vec<Option<Arc<Tree<Stage>>>>, Failure> {
        let mut names: Vec<&str> = replay.trees().map(|it| it.name()).collect();
        names.sort_unstable();
        names.dedup();
        let named = |name: &str| made.iter().find(|it| it.tree.name() == name);
        // The name of a copy may differ from that of the only tree.
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
            "{whose} has {here}, and the agents of the recording have {}: give an edited tree the name of the one that it \
             stands for",
            list(&names)
        )))
    }

    /// The tree of a recording's own files, and the files that it is made of.
    fn of_version(&self, texts: &Contents, tree: &str) -> Result<Option<Made>, Wrong> {
        let anything = anything();
        let mut report = None;
        let (named, others): (Vec<&String>, Vec<&String>) = texts.keys().partition(|it| is_named(it, tree));
        for name in named.iter().chain(&others) {
            for registry in [self.known(), &anything] {
                let mut library = Library::new(Reading { files: texts, read: RefCell::default() });
                match self.stubbed(|it| library.load(name, it), registry) {
                    Ok(it) if it.tree.name() == tree => {
                        let places = match self.wants_places {
                            true => places(&library, name, registry),
                            false => Vec::new(),
                        };
                        let read = library.source().read.take();
                        return Ok(Some(Made { loaded: it, read, places, is_baked: false }));
                    }
                    Ok(_) => break,
                    Err(it) if named.contains(name) => report = report.or(Some(it)),
                    // A part of a tree is none by itself.
                    Err(_) => {}
                }
            }
        }
        report.map_or(Ok(None), |it| Err(Wrong::Text(it)))
    }

    /// A baked tree, if it has this name.
    fn of_baked(&self, (name, bytes): &(String, Vec<u8>), tree: &str) -> Result<Option<Made>, Wrong> {
        let load = |registry: &_| self.stubbed(|it| load_baked(name, bytes, it), registry);
        let loaded = load(self.known()).or_else(|error| load(&anything()).map_err(|_| error)).map_err(Wrong::Baked)?;
        let read = Contents::from([(name.clone(), bytes.clone())]);
        Ok((loaded.tree.name() == tree).then_some(Made { loaded, read, places: Vec::new(), is_baked: true }))
    }

    /// A tree with leaves that are never called.
    fn stubbed<E>(
        &self,
        make: impl FnMut(&Registry<Stage>) -> Result<Tree<Stage>, E>,
        known: &Registry<CheckOnly>,
    ) -> Result<Loaded, E> {
        let conditions: Vec<String> = self.conditions.iter().map(|it| format!("every {it}")).collect();
        Loaded::read(make, known, conditions.iter().map(String::as_str))
    }
}

/// Any leaves and events.
fn anything() -> Registry<CheckOnly> {
    let mut anything = Registry::<CheckOnly>::new();
    anything.allow_any_leaf(true).allow_any_event(true);
    anything
}

/// Where the nodes of a tree are written.
fn places<S: Source>(library: &Library<S>, name: &str, registry: &Registry<CheckOnly>) -> Vec<Place> {
    let Ok(described) = library.describe(name, registry) else { return Vec::new() };
    let place = |node| {
        let it = described.node(node);
        Place { file: it.file.clone(), line: it.line, column: it.column }
    };
    described.tree().nodes().map(|it| place(it.id())).collect()
}

/// Whether a file has the name of a tree.
fn is_named(file: &str, tree: &str) -> bool {
    Path::new(file).file_stem().is_some_and(|it| it == tree)
}
