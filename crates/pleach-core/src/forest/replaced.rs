//! How a tree is to be replaced, and the result (SEMANTICS 8.10, 10).

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;

use super::heirs::owned;
use crate::blackboard::{KeyDecl, Schema, Scope};
use crate::machine::carry::Carry;
use crate::{Host, NodeId, Tree, text};

use crate::tree::pairs::Cut;
pub use crate::tree::pairs::RestartCause;

/// A tree that replaces another one, and what happens to running nodes: see
/// [`Forest::replace_tree`](crate::Forest::replace_tree). A tree alone keeps them running.
pub struct Replace<H: Host> {
    pub(crate) tree: Arc<Tree<H>>,
    pub(crate) keeps: bool,
}

impl<H: Host> Replace<H> {
    /// With this tree: what runs carries on, as far as the new tree still has it (SEMANTICS 10).
    pub fn keep(tree: impl Into<Arc<Tree<H>>>) -> Self {
        Replace { tree: tree.into(), keeps: true }
    }

    /// With this tree: everything running ends, and all agents start from the beginning (SEMANTICS
    /// 8.10).
    pub fn restart(tree: impl Into<Arc<Tree<H>>>) -> Self {
        Replace { tree: tree.into(), keeps: false }
    }

    /// What is known before anything changes. Asks leaves, which is host code and may panic.
    pub(crate) fn carry(&self, old: &Tree<H>) -> Option<Carry> {
        self.keeps.then(|| Carry::new(old, &self.tree))
    }
}

impl<H: Host> From<Tree<H>> for Replace<H> {
    fn from(tree: Tree<H>) -> Self {
        Replace::keep(tree)
    }
}

impl<H: Host> From<Arc<Tree<H>>> for Replace<H> {
    fn from(tree: Arc<Tree<H>>) -> Self {
        Replace::keep(tree)
    }
}

impl<H: Host> fmt::Debug for Replace<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replace").field("tree", &self.tree).field("keeps", &self.keeps).finish()
    }
}

/// What happened to the agents of a tree that was replaced. Prints as a line for each fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplaceReport {
    /// The name of the new tree.
    pub tree: String,
    /// Agents that are not off, in which nothing ended.
    pub agents_kept: u64,
    /// Agents in which something ended, and starts again.
    pub agents_restarted: u64,
    /// Active nodes that carry on, in all agents.
    pub nodes_kept: u64,
    /// What ended, and why. The most frequent comes first.
    pub restarts: Vec<Restarted>,
    /// The keys that have changed, in the order of the new tree; removed ones come last.
    pub keys: Vec<KeyChange>,
}

/// A node that ended with everything below it, and is started again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restarted {
    /// Its [path](crate::NodeRef::path) in the old tree.
    pub path: String,
    /// The path of the node that does not carry on: this one, or one below it.
    pub because_of: String,
    /// Why that one does not carry on.
    pub cause: RestartCause,
    /// In how many agents.
    pub agents: u64,
}

/// A key that the new tree declares differently from the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyChange {
    /// Its name.
    pub name: String,
    /// Its scope.
    pub scope: Scope,
    /// What differs.
    pub what: WhatChanged,
}

/// What differs between a key of an old tree and that of a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhatChanged {
    /// The old tree has no such key.
    Added,
    /// The new tree has no such key.
    Removed,
    /// Its type. All values are the new default.
    Type,
    /// Its words. A value that is not one of the new words becomes the new default.
    Words,
    /// Its default. Values equal to the old one become the new one.
    Default,
}

impl fmt::Display for ReplaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReplaceReport { tree, agents_kept, agents_restarted, nodes_kept, restarts, keys } = self;
        write!(
            f,
            "{}: {} kept running, {agents_restarted} restarted; {} kept",
            text::plain(tree),
            count(*agents_kept, "agent"),
            count(*nodes_kept, "node")
        )?;
        restarts.iter().try_for_each(|it| write!(f, "\n{it}"))?;
        keys.iter().try_for_each(|it| write!(f, "\n{it}"))
    }
}

impl fmt::Display for Restarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Restarted { path, because_of, cause, agents } = self;
        let path = text::plain(path);
        write!(f, "{path} restarts in {}: {cause}", count(*agents, "agent"))?;
        if *because_of == self.path { Ok(()) } else { write!(f, " ({})", text::plain(because_of)) }
    }
}

impl fmt::Display for RestartCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RestartCause::Changed => "a node that ran has no match in the same place",
            RestartCause::Branches => "a parallel has different branches",
            RestartCause::Children => "a composite that orders its children has different ones",
            RestartCause::Count => "a node gained or lost its count",
            RestartCause::Token => "a node is about another token",
            RestartCause::Asked => "the new leaf asks for it",
            RestartCause::Restart => "the call asked for it",
        })
    }
}

impl fmt::Display for KeyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeyChange { name, scope, what } = self;
        let what = match what {
            WhatChanged::Added => "is new",
            WhatChanged::Removed => "is gone",
            WhatChanged::Type => "has a different type",
            WhatChanged::Words => "has different words",
            WhatChanged::Default => "has a different default",
        };
        write!(f, "the {scope} key `{}` {what}", text::plain(name))
    }
}

/// Counts what happens to agents.
#[derive(Default)]
pub(crate) struct ReplaceTally {
    report: ReplaceReport,
    restarts: IndexMap<(NodeId, NodeId, RestartCause), u64>,
    /// How many agents start from the beginning, as the call says. Counted apart, as it is all of
    /// them.
    anew: u64,
}

impl ReplaceTally {
    /// An enabled agent has been cut from its old tree.
    pub(crate) fn parted(&mut self, cuts: &[Cut]) {
        if cuts.is_empty() {
            self.report.agents_kept += 1;
        } else {
            self.report.agents_restarted += 1;
        }
        for cut in cuts {
            *self.restarts.entry((cut.at, cut.node, cut.cause)).or_default() += 1;
        }
    }

    /// An enabled agent starts from the beginning, as the call says.
    pub(crate) fn restarted(&mut self) {
        self.anew += 1;
    }

    /// This many nodes carry on.
    pub(crate) fn kept(&mut self, nodes: u64) {
        self.report.nodes_kept += nodes;
    }

    /// Everything in words, for two loaded trees.
    pub(crate) fn of_trees<H: Host>(self, old: &Tree<H>, new: &Tree<H>) -> ReplaceReport {
        let path = |node| old.node(node).map_or_else(String::new, |it| it.path());
        self.finish(path, changes(old, new), new.name())
    }

    /// Everything in words. `path` gives the path of a node of the old tree.
    pub(crate) fn finish(self, path: impl Fn(NodeId) -> String, keys: Vec<KeyChange>, name: &str) -> ReplaceReport {
        let ReplaceTally { mut report, mut restarts, anew } = self;
        if anew > 0 {
            report.agents_restarted += anew;
            restarts.insert((NodeId::ROOT, NodeId::ROOT, RestartCause::Restart), anew);
        }
        restarts.sort_by(|a, one, b, other| other.cmp(one).then((a.0, a.1).cmp(&(b.0, b.1))));
        let restarted =
            |((at, node, cause), agents)| Restarted { path: path(at), because_of: path(node), cause, agents };
        report.restarts = restarts.into_iter().map(restarted).collect();
        report.keys = keys;
        report.tree = name.into();
        report
    }
}

/// The keys that differ.
pub(super) fn changes<H: Host>(old: &Tree<H>, new: &Tree<H>) -> Vec<KeyChange> {
    let mut known: IndexMap<_, Option<&KeyDecl>> = old.schema.keys().map(|it| (owned(old, it), Some(it))).collect();
    let of = |it: &KeyDecl, what| KeyChange { name: it.name().into(), scope: it.scope(), what };
    let mut changes = Vec::new();
    for key in Schema::keys(&new.schema) {
        let what = match known.get_mut(&owned(new, key)).and_then(Option::take) {
            None => WhatChanged::Added,
            Some(was) if was.ty() != key.ty() => WhatChanged::Type,
            Some(was) if was.symbols() != key.symbols() => WhatChanged::Words,
            Some(was) if !same(was, key) => WhatChanged::Default,
            Some(_) => continue,
        };
        changes.push(of(key, what));
    }
    changes.extend(known.into_values().flatten().map(|it| of(it, WhatChanged::Removed)));
    changes
}

/// Whether two keys of one type have the same default. NaN equals itself here.
fn same(one: &KeyDecl, other: &KeyDecl) -> bool {
    format!("{:?}", one.default()) == format!("{:?}", other.default())
}

/// `1 agent`, `2 agents`.
pub(super) fn count(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
