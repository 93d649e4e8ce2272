//! The keys of trees that the game relies on, as far as a registry knows them.

use std::sync::Arc;

use pleach_core::schema::{KeyNeed, Scope};
use pleach_core::{Host, KeySet};

use super::{Registry, RegistryError};

/// A key that the game relies on, and the name of the trees that must have it, or `None` for all
/// trees.
#[derive(Clone, Debug)]
pub(super) struct Need {
    tree: Option<Box<str>>,
    key: KeyNeed,
}

impl<H: Host> Registry<H> {
    /// Declares which keys the game relies on in trees of this name, or in all trees if it is
    /// `None`. A tree's name is the `name` in its file, or else the file's name without its
    /// extension. A tree that lacks one of the keys is an error, wherever it comes from: at its
    /// place in the file, and with what was probably meant. So each reload refuses it, and the old
    /// tree keeps running. Manifests hold these keys, so `pleach check` reports the same, and does
    /// not warn of keys that only the game uses.
    ///
    /// Files that other files include are not checked: the keys of a part are its own.
    ///
    /// A registry does not know which trees there are, so neither it nor loading notices a misspelt
    /// name: no tree is then checked for these keys.
    /// [`Library::check_all`](crate::Library::check_all) and `pleach check` of a directory warn of
    /// it. [`Forest::bind`](pleach_core::Forest::bind) requires the keys whatever the tree's name
    /// is, so bind the set as well, and a tree that lacks a key is an error when the game starts.
    ///
    /// ```
    /// # mod pleach { pub use pleach_asset::{Registry, load_str}; pub use pleach_core::{Forest, Host, Key, KeySet, schema}; }
    /// use pleach::{Forest, Host, Key, KeySet, Registry, load_str};
    /// # use pleach::schema::{KeyFinder, Scope};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    ///
    /// // With the feature `macros`: #[derive(Keys)]
    /// struct GuardKeys {
    ///     sees: Key<bool>,
    /// }
    /// # impl KeySet for GuardKeys {
    /// #     fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
    /// #         keys.key("sees", Scope::Agent, None, "").map(|sees| GuardKeys { sees })
    /// #     }
    /// # }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut registry = Registry::<Game>::new();
    /// registry.keys::<GuardKeys>("guard")?;
    /// let load = |key: &str| {
    ///     let file = format!("Tree(version: 1, blackboard: {{ \"{key}\": Bool(false) }}, root: Idle)");
    ///     load_str("guard.ron", &file, &registry)
    /// };
    /// let report = load("seen").unwrap_err().plain();
    /// let expected = "guard.ron:1:18: error[P0309]: the game relies on the agent key `sees` of type Bool, which this tree \
    ///                 does not declare";
    /// assert!(report.starts_with(expected), "{report}");
    ///
    /// let mut forest = Forest::new(7);
    /// let guards = forest.add_tree(load("sees")?)?;
    /// let keys: GuardKeys = forest.bind(guards)?;
    /// # let _ = keys.sees;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The game already relies on one of the keys with another type or other words, or a key
    /// belongs to a node.
    pub fn keys<'a, K: KeySet>(&mut self, tree: impl Into<Option<&'a str>>) -> Result<&mut Self, RegistryError> {
        let tree = tree.into();
        for key in K::needs() {
            self.need(tree, key)?;
        }
        Ok(self)
    }

    /// The same for one key.
    pub(crate) fn need(&mut self, tree: Option<&str>, key: KeyNeed) -> Result<&mut Self, RegistryError> {
        if key.scope == Scope::Node {
            return Err(RegistryError::KeyOfNode { key: key.name });
        }
        // Each tree must have what all trees must have.
        let of_tree = |it: &&Need| tree.is_none() || it.tree.is_none() || it.tree.as_deref() == tree;
        if self.needs.iter().filter(of_tree).any(|it| it.key.differs(&key)) {
            return Err(RegistryError::KeyDiffers { key: key.name });
        }
        Arc::make_mut(&mut self.needs).push(Need { tree: tree.map(Into::into), key });
        Ok(self)
    }

    /// The keys that the game relies on, each with the name of the trees that must have it, or
    /// `None` for all trees, in the order of declaration.
    pub fn key_needs(&self) -> impl Iterator<Item = (Option<&str>, &KeyNeed)> {
        self.needs.iter().map(|it| (it.tree.as_deref(), &it.key))
    }

    /// Those of the trees with this name.
    pub(crate) fn needs_of(&self, tree: &str) -> impl Iterator<Item = &KeyNeed> {
        self.needs.iter().filter(move |it| it.tree.as_deref().is_none_or(|it| it == tree)).map(|it| &it.key)
    }

    /// Whether the game uses a key of a file whose tree has this name: as a key of that tree, or of
    /// a part of another tree, under any instance name.
    pub(crate) fn is_key_of_game(&self, tree: &str, key: &str) -> bool {
        let of_part = |it: &Need| it.key.name.rsplit_once('.').is_some_and(|it| it.1 == key);
        self.needs_of(tree).any(|it| it.name == key) || self.needs.iter().any(of_part)
    }

    /// The same registry for a tree that must have these keys as well.
    pub(crate) fn with_needs(&self, needs: &[KeyNeed]) -> Registry<H> {
        let mut registry = self.share();
        let needs = needs.iter().map(|it| Need { tree: None, key: it.clone() });
        Arc::make_mut(&mut registry.needs).extend(needs);
        registry
    }
}
