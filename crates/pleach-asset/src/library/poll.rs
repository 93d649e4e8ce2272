//! What has changed in a library: [`Changes`].

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use pleach_core::{Host, Tree, schema::KeyNeed};

use super::copies::Copies;
use super::{Followed, Library, Made, make};
use crate::Registry;
use crate::report::Report;
use crate::source::Source;

/// What has changed in a library since it was looked at: see [`Library::poll`].
#[must_use = "what has changed is told once"]
#[non_exhaustive]
pub struct Changes<H: Host> {
    /// The names of the files that have changed, are new, or are gone.
    pub files: Vec<String>,
    /// The trees that they are part of, each by the name that it was loaded by. Any number of
    /// brains can take one.
    pub trees: Vec<(String, Arc<Tree<H>>)>,
    /// The names of loaded trees that cannot be made now.
    pub broken: Vec<String>,
    /// The problems of these, each once.
    pub report: Option<Report>,
}

impl<H: Host> Changes<H> {
    /// Whether nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl<H: Host> Default for Changes<H> {
    fn default() -> Self {
        Changes { files: Vec::new(), trees: Vec::new(), broken: Vec::new(), report: None }
    }
}

impl<H: Host> fmt::Debug for Changes<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Changes { files, trees, broken, report } = self;
        let trees: Vec<&String> = trees.iter().map(|it| &it.0).collect();
        let mut debug = f.debug_struct("Changes");
        debug.field("files", files).field("trees", &trees).field("broken", broken).field("report", report).finish()
    }
}

impl<S: Source> Library<S> {
    /// Looks for changes since the trees were [loaded](Library::load), or since the last call: in
    /// their own files and in those that they include, directly or not. Makes the trees again that
    /// such a file is part of.
    ///
    /// A file counts as changed if its bytes differ, if it is gone, or if it was missing and exists
    /// now. The problems of a tree are reported when one of its files has changed, and not again
    /// until one changes again; the tree loaded before stays as it was. A half-written file is
    /// reported as such, and gives its tree once it is complete. What
    /// [`add_tree`](Library::add_tree) loaded is left to [`reload`](Library::reload).
    ///
    /// It uses no thread and no clock. Files whose [stamp](Source::stamp) is unchanged are not
    /// read; for a directory that means a look at the metadata of each file. A file that was read
    /// because of a new stamp is read once more in the next call, in case it changed twice between
    /// two ticks of the disk's clock.
    ///
    /// If a forest refuses one of several new trees (because another tree declares a shared key
    /// differently), keep it, and add it together with the next ones.
    ///
    /// A brain that takes its tree from here goes on as an agent of a forest does after a reload
    /// (SEMANTICS 10). It refuses a version that lacks a key which the game has
    /// [bound](pleach_core::Brain::bind): print that, and the old tree keeps running. A library
    /// knows the keys of brains only from [`Registry::keys`]; with it, such a version is broken,
    /// and the report shows the place in the file. A board
    /// [follows](pleach_core::SharedBoard::follow) a new version when the brains have accepted it,
    /// not before.
    ///
    /// ```
    /// # mod pleach {
    /// #     pub use pleach_asset::{Library, Registry};
    /// #     pub use pleach_core::{Brain, Host, Key, KeySet, SharedBoard, schema};
    /// # }
    /// use std::collections::BTreeMap;
    /// use std::sync::Arc;
    /// use pleach::{Brain, Host, Library, Registry, SharedBoard};
    /// # use pleach::{Key, KeySet, schema::{KeyFinder, Scope}};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # struct GuardKeys { alarm: Key<bool> }
    /// # impl KeySet for GuardKeys {
    /// #     fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
    /// #         Some(GuardKeys { alarm: keys.key("alarm", Scope::Group, None, "")? })
    /// #     }
    /// # }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::<Game>::new();
    /// // Games mostly write `Library::open("trees")?`.
    /// const GUARD: &str = r#"Tree(
    ///     version: 1,
    ///     group: { "alarm": Bool(false) },
    ///     root: Sequence([Subtree("rest.ron"), Idle]),
    /// )"#;
    /// let mut library = Library::new(BTreeMap::from([
    ///     ("guard.ron", GUARD),
    ///     ("rest.ron", "Tree(version: 1, root: Wait(3.0))"),
    /// ]));
    /// let tree = Arc::new(library.load("guard.ron", &registry)?);
    /// let mut squad = SharedBoard::of_group(&tree);
    /// let mut guards = [7, 8].map(|seed| Brain::new(&mut (), Arc::clone(&tree), seed));
    /// let mut keys = Vec::new();
    /// for guard in &mut guards {
    ///     keys.push(guard.bind::<GuardKeys>()?);
    /// }
    ///
    /// // Now and then:
    /// library.source_mut().insert("rest.ron", "Tree(version: 1, root: Wait(2.0");
    /// let changes = library.poll(&registry);
    /// # assert_eq!(&*changes.broken, ["guard.ron"]);
    /// # assert!(changes.trees.is_empty() && changes.report.is_some());
    /// # library.source_mut().insert("rest.ron", "Tree(version: 1, root: Wait(2.0))");
    /// # let changes = library.poll(&registry);
    /// # assert_eq!(changes.trees.len(), 1);
    /// for (file, tree) in &changes.trees {
    ///     // In a game: the brains whose tree came from this file.
    ///     assert_eq!(file, "guard.ron");
    ///     for guard in &mut guards {
    ///         match guard.replace_tree(&mut (), Arc::clone(tree)) {
    ///             Ok(report) => {
    ///                 squad.follow(tree);
    ///                 println!("{report}");
    ///             }
    ///             // The guard and the squad keep the old tree.
    ///             Err(refused) => eprintln!("{refused}"),
    ///         }
    ///     }
    /// }
    /// if let Some(report) = changes.report {
    ///     eprintln!("{report}");
    /// }
    /// for (guard, keys) in guards.iter_mut().zip(keys) {
    ///     guard.sharing(&mut squad)?.tick(&mut (), 0.1)?;
    ///     assert!(!squad.keys().get(keys.alarm));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn poll<H: Host>(&mut self, registry: &Registry<H>) -> Changes<H> {
        let Polled { files, made } = self.look(registry, |it| it.tie.is_none(), |_| Vec::new());
        let mut changes = Changes { files, ..Changes::default() };
        let mut reports = Vec::new();
        for (at, tree) in made {
            let name = self.followed[at].name.clone();
            match tree {
                Ok(tree) => changes.trees.push((name, Arc::new(tree))),
                Err(report) => {
                    changes.broken.push(name);
                    reports.push(report);
                }
            }
        }
        changes.report = Report::merged(&self.source.shown(""), reports);
        changes
    }

    /// Stops [`poll`](Library::poll) from reporting the tree of this file. Returns whether it did.
    pub fn forget(&mut self, name: &str) -> bool {
        let before = self.followed.len();
        self.followed.retain(|it| it.name != name || it.tie.is_some());
        self.forget_others();
        self.followed.len() < before
    }

    /// Looks for changes in the trees that `which` selects, and makes them again, with the keys
    /// that each must have.
    pub(super) fn look<H: Host>(
        &mut self,
        registry: &Registry<H>,
        which: impl Fn(&Followed) -> bool,
        needs: impl Fn(&Followed) -> Vec<KeyNeed>,
    ) -> Polled<H> {
        let Library { source, known, followed } = self;
        let mut copies = Copies::new(&*source, Some(known));
        let mut files = IndexSet::new();
        let mut waiting = Vec::new();
        for (at, it) in followed.iter().enumerate().filter(|it| which(it.1)) {
            // A refused tree may be right together with what has changed now.
            let mut again = it.refused;
            for (name, content) in &it.files {
                if copies.content(name) != *content {
                    again = true;
                    files.insert(name.clone());
                }
            }
            if again {
                waiting.push(at);
            }
        }
        let mut made = Vec::new();
        if !files.is_empty() {
            for at in waiting {
                let it = &mut followed[at];
                let registry = registry.with_needs(&needs(it));
                let Made { tree, files } = make(&mut copies, &it.name, &registry);
                (it.files, it.refused) = (files, false);
                made.push((at, tree));
            }
            self.forget_others();
        }
        Polled { files: files.into_iter().collect(), made }
    }

    /// Forgets files that are no longer part of any tree.
    pub(super) fn forget_others(&mut self) {
        let names: HashSet<&str> = self.followed.iter().flat_map(|it| &it.files).map(|it| &*it.0).collect();
        self.known.retain(&names);
    }
}

/// What a look at a library found.
pub(super) struct Polled<H: Host> {
    /// The names of files that have changed.
    pub(super) files: Vec<String>,
    /// The trees that were made again, by their index among those that are followed.
    pub(super) made: Vec<(usize, Result<Tree<H>, Report>)>,
}
