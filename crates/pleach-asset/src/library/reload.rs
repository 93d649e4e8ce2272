//! Reloading the trees of a forest: [`Reload`].

use std::fmt;
use std::sync::Arc;

use pleach_core::error::{AddTreeError, ReplaceTreeError};
use pleach_core::inspect::ReplaceReport;
use pleach_core::trace::{NoTracer, Traced, Tracer};
use pleach_core::{Forest, Host, TreeId, text};

use super::copies::Copies;
use super::poll::Polled;
use super::{Followed, Library, Made, make};
use crate::Registry;
use crate::report::Report;
use crate::source::Source;

/// A tree that a library cannot add to a forest.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// Something is wrong with its files.
    Report(Report),
    /// The forest refuses it.
    Refused(AddTreeError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Report(it) => it.fmt(f),
            LoadError::Refused(it) => it.fmt(f),
        }
    }
}

impl fmt::Debug for LoadError {
    /// The text, because `main` prints the error it returns with `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LoadError {}

/// The result of changes to files: see [`Library::reload`]. Prints as some lines for people.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reload {
    /// The names of the files that have changed, are new, or are gone.
    pub files: Vec<String>,
    /// The trees that were replaced.
    pub replaced: Vec<ReplaceReport>,
    /// The names of loaded trees that the forest refuses, and why. They are tried again together
    /// with the next ones.
    pub refused: Vec<(String, ReplaceTreeError)>,
    /// The problems of other trees, each once. They stay as they are.
    pub report: Option<Report>,
}

impl fmt::Display for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let Reload { files, replaced, refused, report } = self;
        let shown: Vec<_> = files.iter().take(SHOWN).map(|it| text::plain(it)).collect();
        write!(f, "{}", shown.join(", "))?;
        match files.len().saturating_sub(SHOWN) {
            0 => f.write_str(" changed")?,
            more => write!(f, " and {more} more changed")?,
        }
        replaced.iter().try_for_each(|it| write!(f, "\n{it}"))?;
        refused.iter().try_for_each(|(name, why)| {
            write!(f, "\n{} was rejected, the old tree keeps running: {why}", text::plain(name))
        })?;
        report.iter().try_for_each(|it| write!(f, "\n{it}"))
    }
}

impl<S: Source> Library<S> {
    /// [Loads](Library::load) a tree into a forest, for [`reload`](Library::reload) to replace when
    /// its files change. A library serves one forest in this way.
    ///
    /// # Errors
    /// As [`load`](Library::load) and [`Forest::add_tree`].
    pub fn add_tree<H: Host>(
        &mut self,
        name: &str,
        registry: &Registry<H>,
        forest: &mut Forest<H>,
    ) -> Result<TreeId, LoadError> {
        let Made { tree, files } = make(&mut Copies::new(&self.source, Some(&mut self.known)), name, registry);
        let tie = forest.add_tree(tree.map_err(LoadError::Report)?).map_err(LoadError::Refused)?;
        self.followed.push(Followed { name: name.to_owned(), files, tie: Some(tie), refused: false });
        Ok(tie)
    }

    /// Gives a forest the new versions of the trees that [`add_tree`](Library::add_tree) added, if
    /// their files have changed. Running nodes go on: see [`Forest::replace_trees`], which this
    /// calls once for all of them. `None` if nothing has changed.
    ///
    /// Files are checked as by [`poll`](Library::poll). A tree that is broken now stays as it is,
    /// and so does one that lacks a key that was bound to it ([`Forest::bind`]): the report says
    /// where in the file it should be. If the forest refuses the new trees together, each is tried
    /// by itself; one that is refused stays as it is, and is tried again when any file changes: so
    /// a shared key that two files declare can be changed in one after the other.
    ///
    /// ```
    /// # mod pleach { pub use pleach_asset::{Library, Registry}; pub use pleach_core::{Forest, Host}; }
    /// use std::collections::BTreeMap;
    /// use pleach::{Forest, Host, Library, Registry};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (registry, mut forest) = (Registry::<Game>::new(), Forest::new(7));
    /// // Games mostly write `Library::open("trees")?`.
    /// let mut library = Library::new(BTreeMap::from([
    ///     ("guard.ron", r#"Tree(version: 1, root: Sequence([Wait(1.0), Subtree("rest.ron")]))"#),
    ///     ("rest.ron", "Tree(version: 1, root: Wait(3.0))"),
    /// ]));
    /// let guards = library.add_tree("guard.ron", &registry, &mut forest)?;
    /// forest.spawn(&mut (), guards)?;
    /// forest.tick(&mut (), 0.5)?;
    ///
    /// library.source_mut().insert("rest.ron", "Tree(version: 1, root: Wait(2.0))");
    /// // In the game loop, some times per second, while the game is made:
    /// if let Some(reload) = library.reload(&registry, &mut forest, &mut ()) {
    ///     eprintln!("{reload}");
    /// #   let expected = "rest.ron changed\nguard: 1 agent kept running, 0 restarted; 2 nodes kept";
    /// #   assert_eq!(reload.to_string(), expected);
    /// }
    /// # assert!(library.reload(&registry, &mut forest, &mut ()).is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// As [`Forest::replace_trees`].
    pub fn reload<H: Host>(
        &mut self,
        registry: &Registry<H>,
        forest: &mut Forest<H>,
        cx: &mut H::Cx<'_>,
    ) -> Option<Reload> {
        self.reload_traced(registry, &mut forest.traced(&mut NoTracer), cx)
    }

    /// As [`reload`](Library::reload), with a tracer, so that a trace shows what ends because of
    /// the new trees. If trees were replaced, give a recording the texts of all
    /// [files](Library::files) again.
    ///
    /// # Panics
    /// As [`reload`](Library::reload).
    pub fn reload_traced<H: Host, T: Tracer>(
        &mut self,
        registry: &Registry<H>,
        forest: &mut Traced<'_, Forest<H>, T>,
        cx: &mut H::Cx<'_>,
    ) -> Option<Reload> {
        // Removed trees are no longer looked for.
        let all = self.followed.len();
        self.followed.retain(|it| it.tie.is_none_or(|tie| forest.tree(tie).is_ok()));
        if self.followed.len() < all {
            self.forget_others();
        }
        let needs =
            |it: &Followed| it.tie.and_then(|tie| Some(forest.key_needs(tie).ok()?.to_vec())).unwrap_or_default();
        let Polled { files, made } = self.look(registry, |it| it.tie.is_some(), needs);
        if files.is_empty() {
            return None;
        }
        let (mut new, mut reports) = (Vec::new(), Vec::new());
        for (at, tree) in made {
            match (tree, self.followed[at].tie) {
                (Ok(tree), Some(tie)) => new.push((at, tie, Arc::new(tree))),
                (Ok(_), None) => {}
                (Err(report), _) => reports.push(report),
            }
        }
        let report = Report::merged(&self.source.shown(""), reports);
        let mut reload = Reload { files, replaced: Vec::new(), refused: Vec::new(), report };
        let all = new.iter().map(|(_, tie, tree)| (*tie, Arc::clone(tree)));
        match forest.replace_trees(cx, all) {
            Ok(replaced) => reload.replaced = replaced,
            Err(_) => {
                for (at, tie, tree) in new {
                    match forest.replace_tree(cx, tie, tree) {
                        Ok(replaced) => reload.replaced.push(replaced),
                        Err(why) => {
                            let it = &mut self.followed[at];
                            it.refused = true;
                            reload.refused.push((it.name.clone(), why));
                        }
                    }
                }
            }
        }
        Some(reload)
    }
}
