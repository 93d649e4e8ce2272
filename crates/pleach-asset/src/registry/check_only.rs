//! Registries for trees that are checked and drawn, but not run.

use std::sync::Arc;

use pleach_core::Host;

use super::{Entry, Make, Registry};
use crate::check_only::{self, CheckOnly};

impl<H: Host> Registry<H> {
    /// The same leaves and events for trees that cannot be run. Parameters are read and refused as
    /// by the leaves themselves.
    #[must_use]
    pub fn check_only(&self) -> Registry<CheckOnly> {
        let leaves = self.leaves.iter().map(|(name, entry)| {
            let make = Arc::clone(&entry.make);
            let make: Make<CheckOnly> = Arc::new(move |call| {
                let leaf = make(call)?;
                Some(check_only::leaf(leaf.is_condition()).described(leaf.detail()))
            });
            (name.clone(), Entry { make, about: entry.about.clone(), is_unsure: entry.is_unsure })
        });
        Registry {
            leaves: Arc::new(leaves.collect()),
            others: None,
            events: Arc::clone(&self.events),
            any_event: self.any_event,
        }
    }

    /// Whether a leaf of that name may be an action or a condition, whichever is made of it here:
    /// what only holds for one of them is not told.
    pub(crate) fn is_unsure(&self, name: &str) -> bool {
        self.leaves.get(name).map_or(self.others.is_some(), |it| it.is_unsure)
    }
}

impl Registry<CheckOnly> {
    /// Whether trees may have leaves that are not registered. They are then taken as they are
    /// written, with any parameters: as conditions where a condition has to stand, as actions
    /// elsewhere. Trees that are only drawn need no more. At first they may not.
    ///
    /// ```
    /// # mod pleach { pub use pleach_asset::{CheckOnly, Registry, load_str}; }
    /// use pleach::{CheckOnly, Registry, load_str};
    ///
    /// let mut registry = Registry::<CheckOnly>::new();
    /// let source = "Tree(version: 1, root: Walk(speed: 1.5))";
    /// assert!(load_str("a.ron", source, &registry).is_err());
    /// let tree = load_str("a.ron", source, registry.allow_any_leaf(true)).unwrap();
    /// assert_eq!(tree.root().to_string(), "n0 Walk(speed: 1.5)");
    /// ```
    pub fn allow_any_leaf(&mut self, on: bool) -> &mut Self {
        let as_written: Make<CheckOnly> = Arc::new(|call| Some(check_only::leaf(call.is_test)));
        self.others = on.then_some(as_written);
        self
    }
}
