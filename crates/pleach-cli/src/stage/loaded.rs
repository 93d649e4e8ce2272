//! A tree on the stage.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach::asset::CheckOnly;
use pleach::{Host, NodeRef, Registry, Report, Tree};

use super::answers::{Answers, LeafCounts, Whom, stub};
use super::{Leaves, Stage, leaves};

/// A tree whose leaves give the answers that are set.
pub(crate) struct Loaded<H: Host = Stage> {
    pub(crate) tree: Arc<Tree<H>>,
    pub(crate) leaves: Leaves,
    pub(crate) answers: Answers,
}

impl Loaded {
    /// `make` makes the tree with leaves. `conditions` are the names of leaves or nodes that answer
    /// `true` or `false`. Unknown leaves would otherwise be actions.
    ///
    /// # Errors
    /// What is wrong with the tree.
    pub(crate) fn read<'a, E>(
        mut make: impl FnMut(&Registry<Stage>) -> Result<Tree<Stage>, E>,
        known: &Registry<CheckOnly>,
        conditions: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, E> {
        let mut load = |conditions: BTreeSet<String>| -> Result<Loaded, E> {
            let (asked, answers) = (LeafCounts::default(), Answers::default());
            let registry = registry(known, conditions, &asked, &answers);
            let tree = make(&registry)?;
            Ok(Loaded { tree: tree.into(), leaves: asked.take(), answers })
        };
        let first = load(BTreeSet::new())?;
        // Which leaf a node calls is only known in the tree.
        let leaf = |name: &str| Some(leaves::whom(&first.tree, &first.leaves, name).ok()?.leaf().to_owned());
        let conditions: BTreeSet<String> = conditions.into_iter().filter_map(leaf).collect();
        if conditions.is_empty() { Ok(first) } else { load(conditions) }
    }
}

impl<H: Host> Loaded<H> {
    /// A tree that is made with the leaves of the game, except those that are stubbed: `stubs` are
    /// the names of leaves, or of nodes that call one, each with whether it is stubbed. The last
    /// one counts.
    ///
    /// # Errors
    /// What is wrong with the tree.
    pub(crate) fn in_world<'a>(
        mut make: impl FnMut(&Registry<H>) -> Result<Tree<H>, Report>,
        own: &Registry<H>,
        stubs: impl IntoIterator<Item = (&'a str, bool)>,
    ) -> Result<Self, Report> {
        let asked = LeafCounts::default();
        // Leaves are made in the same order each time. So a tree whose leaves are described by
        // their numbers shows which node calls the n-th.
        let (counts, next) = (asked.clone(), AtomicUsize::new(0));
        let numbered = own.replaced(move |name, is_condition| {
            counts.count(name);
            let number = next.fetch_add(1, Ordering::Relaxed);
            Some(stub(name, is_condition, &Answers::default()).described(format!("{name}({MARK}{number}{MARK})")))
        });
        let first = make(&numbered)?;
        let leaves = asked.take();
        let number = |node: NodeRef<'_, H>| node.detail().split(MARK).nth(1)?.parse::<usize>().ok();
        let mut numbers: BTreeMap<usize, bool> = BTreeMap::new();
        let mut names: BTreeMap<String, bool> = BTreeMap::new();
        for (name, is_stubbed) in stubs {
            match leaves::whom(&first, &leaves, name) {
                Ok(Whom::Leaf(leaf)) => _ = names.insert(leaf, is_stubbed),
                Ok(Whom::Node(node, _)) => {
                    numbers.extend(first.node(node).and_then(number).map(|it| (it, is_stubbed)));
                }
                // Reported when the names of the case are looked up.
                Err(_) => {}
            }
        }
        let (answers, next) = (Answers::default(), AtomicUsize::new(0));
        let said = answers.clone();
        let registry = own.replaced(move |name, is_condition| {
            let of_node = numbers.get(&next.fetch_add(1, Ordering::Relaxed));
            let is_stubbed = of_node.or_else(|| names.get(name)).copied().unwrap_or_default();
            is_stubbed.then(|| stub(name, is_condition, &said))
        });
        Ok(Loaded { tree: make(&registry)?.into(), leaves, answers })
    }
}

/// Around the number of a leaf. No parameter is written with it.
const MARK: char = '\u{1}';

/// Leaves that give the answers that are set. `conditions` are conditions, even if declared
/// otherwise.
fn registry(
    of: &Registry<CheckOnly>,
    conditions: BTreeSet<String>,
    asked: &LeafCounts,
    answers: &Answers,
) -> Registry<Stage> {
    let (asked, answers) = (asked.clone(), answers.clone());
    of.stubbed(move |name, is_condition| {
        asked.count(name);
        stub(name, is_condition || conditions.contains(name), &answers)
    })
}
