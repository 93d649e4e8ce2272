//! Registries with the same leaves for another host: for trees that are checked and drawn but not
//! run, or played without their game.

use std::sync::Arc;

use pleach_core::{Host, nodes::Node};

use super::{Entry, Make, Registry};
use crate::check_only::{self, CheckOnly};

impl<H: Host> Registry<H> {
    /// The same leaves, events and keys for trees that cannot be run. Parameters are read and
    /// refused as by the leaves themselves.
    #[must_use]
    pub fn check_only(&self) -> Registry<CheckOnly> {
        self.stubbed(|_, is_condition| check_only::leaf(is_condition))
    }

    /// The same leaves, events and keys for trees in which a stand-in replaces each leaf: `make`
    /// gets the leaf's name, and whether it is a condition. Parameters are read and refused as by
    /// the leaves themselves. So the decisions of a tree can be played without its game.
    ///
    /// ```
    /// # mod pleach {
    /// #     pub use pleach_asset::{Registry, load_str};
    /// #     pub use pleach_core::{Context, Forest, Host, Status, nodes};
    /// # }
    /// use pleach::{Context, Forest, Host, Registry, Status, load_str, nodes};
    ///
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = u8; // much that is not there
    /// }
    /// struct Paper;
    /// impl Host for Paper {
    ///     type Cx<'a> = Vec<String>;
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut game = Registry::<Game>::new();
    /// game.action_fn("Dig", |_| Status::Running)?;
    /// let paper: Registry<Paper> = game.stubbed(|name, is_condition| {
    ///     let name = name.to_owned();
    ///     if is_condition {
    ///         return nodes::condition(|_| true);
    ///     }
    ///     nodes::action(move |cx: &mut Context<'_, '_, Paper>| {
    ///         cx.host.push(name.clone());
    ///         Status::Success
    ///     })
    /// });
    /// let (mut done, mut forest) = (Vec::new(), Forest::new(7));
    /// let tree = forest.add_tree(load_str("dog.ron", "Tree(version: 1, root: Dig)", &paper)?)?;
    /// forest.spawn(&mut done, tree)?;
    /// forest.tick(&mut done, 0.1)?;
    /// assert_eq!(done, ["Dig"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stubbed<T: Host>(&self, make: impl Fn(&str, bool) -> Node<T> + Send + Sync + 'static) -> Registry<T> {
        let stands = Arc::new(make);
        let other = |ours: &Make<H>| -> Make<T> {
            let (ours, stands) = (Arc::clone(ours), Arc::clone(&stands));
            Arc::new(move |call| {
                let written = call.of;
                let leaf = ours(call)?;
                Some(stands(written.head().text, leaf.is_condition()).described(leaf.detail()))
            })
        };
        self.with_leaves(other)
    }

    /// The same leaves, events and keys, with stand-ins for some leaves: `replace` gets the name of
    /// a leaf and whether it is a condition, and returns its stand-in, if any. It is called for
    /// each use of a leaf, in the order of the files. Parameters are read and refused as by the
    /// leaves themselves. So a test can play a tree in its game, and answer for some leaves.
    #[must_use]
    pub fn replaced(&self, replace: impl Fn(&str, bool) -> Option<Node<H>> + Send + Sync + 'static) -> Registry<H> {
        let stands = Arc::new(replace);
        let other = |ours: &Make<H>| -> Make<H> {
            let (ours, stands) = (Arc::clone(ours), Arc::clone(&stands));
            Arc::new(move |call| {
                let written = call.of;
                let leaf = ours(call)?;
                Some(match stands(written.head().text, leaf.is_condition()) {
                    None => leaf,
                    Some(it) if it.detail().is_empty() => it.described(leaf.detail()),
                    Some(it) => it,
                })
            })
        };
        self.with_leaves(other)
    }

    /// The same registry, with the leaves that `other` makes from these.
    fn with_leaves<T: Host>(&self, other: impl Fn(&Make<H>) -> Make<T>) -> Registry<T> {
        let leaves = self.leaves.iter().map(|(name, it)| {
            (name.clone(), Entry { make: other(&it.make), about: it.about.clone(), is_unsure: it.is_unsure })
        });
        Registry {
            leaves: Arc::new(leaves.collect()),
            others: self.others.as_ref().map(&other),
            events: Arc::clone(&self.events),
            any_event: self.any_event,
            needs: Arc::clone(&self.needs),
        }
    }

    /// Whether a leaf of that name may be an action or a condition, whichever is made here:
    /// warnings that hold for only one of them are left out.
    pub(crate) fn is_unsure(&self, name: &str) -> bool {
        self.leaves.get(name).map_or(self.others.is_some(), |it| it.is_unsure)
    }
}

impl Registry<CheckOnly> {
    /// Whether trees may have leaves that are not registered. They are taken as written, with any
    /// parameters: as conditions where a condition has to stand, as actions elsewhere. Trees that
    /// are only drawn need no more. The default is no.
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
