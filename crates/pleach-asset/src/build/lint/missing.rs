//! Branches whose conditions nothing evaluates again while a later branch runs.

use std::collections::HashMap;

use pleach_core::{
    Host, NodeId, NodeRef,
    expr::KeyIndex,
    kinds::{ChildOrder, NodeKind},
    nodes::{Abort, Policy},
};

use super::copies::Warning;
use super::flow::{Flow, is_sequence};
use super::uses::{Reads, Uses};
use super::watch::Watched;
use super::{Written, warning};
use crate::asset::Param;
use crate::build::assemble::Params;
use crate::code::Code;
use crate::finding::Finding;

/// Children of a selector that begin with a condition and have no abort type, before one that runs
/// on: when the condition changes, nothing notices. Where the condition is a constant, such as a
/// port, the branch does not count.
pub(super) fn lint<'a, H: Host>(
    written: &Written<'a, H>,
    flow: &Flow,
    watched: &Watched<'a, H>,
    uses: &Uses<'a>,
    warnings: &mut Vec<Warning>,
    uncounted: &mut Vec<(Code, NodeId)>,
) {
    let mut watched_at: HashMap<NodeId, Vec<NodeRef<'a, H>>> = HashMap::new();
    for (condition, watchers) in watched {
        watchers.iter().for_each(|it| watched_at.entry(it.at.id()).or_default().push(*condition));
    }
    let missing = Missing { written, flow, watched_at, uses };
    let is_constant = |it: &NodeRef<'a, H>| missing.asks_first(*it).is_some_and(|it| it.1.is_constant());
    let sequences = written.tree.nodes().filter(|it| is_sequence(it.node_kind()) && flow.is_reachable(*it));
    uncounted.extend(sequences.filter(is_constant).map(|it| (Code::NoAbort, it.id())));
    for selector in written.tree.nodes().filter(|it| it.node_kind() == NodeKind::Selector && flow.is_reachable(*it)) {
        // Those that run on for a condition that asks nothing; for another one it is some of these.
        let lasting: Vec<_> = selector.children().filter(|it| missing.runs_on(*it, &Reads::default())).collect();
        for child in selector.children().filter(|it| flow.is_reachable(*it)) {
            let behind = &lasting[lasting.partition_point(|it| it.id() <= child.id())..];
            let found = missing.in_branch(selector, child, behind);
            warnings.extend(found.map(|(node, finding)| Warning { node: node.id(), finding }));
        }
    }
}

struct Missing<'a, 'w, H: Host> {
    written: &'w Written<'a, H>,
    flow: &'w Flow,
    /// The conditions that can abort something at a composite.
    watched_at: HashMap<NodeId, Vec<NodeRef<'a, H>>>,
    uses: &'w Uses<'a>,
}

impl<'a, H: Host> Missing<'a, '_, H> {
    /// `behind`: the later children that may run on.
    fn in_branch(
        &self,
        selector: NodeRef<'a, H>,
        child: NodeRef<'a, H>,
        behind: &[NodeRef<'a, H>],
    ) -> Option<(NodeRef<'a, H>, Finding)> {
        let branch = branch(child)?;
        // An abort type that is written is meant.
        if self.written.built_in(branch)?.abort.is_some() {
            return None;
        }
        let (condition, asks) = self.asks_first(branch)?;
        let runs_on = *behind.iter().find(|it| self.runs_on(**it, &asks) && self.can_change(&asks, **it))?;
        if self.is_asked_above(selector, &asks) {
            return None;
        }
        let (kind, first) = (branch.kind(), condition.kind());
        let message = format!("nothing re-evaluates the `{first}` while what follows this `{kind}` runs");
        let help = format!(
            "give the `{kind}` `abort: LowerPriority`, so that a change aborts what runs after it, or write \
             `abort: None` if that is meant"
        );
        let finding = warning(Code::NoAbort, self.written.at(branch)?, message).help(help);
        let what = if self.flow.never_ends(runs_on) { "never ends by itself" } else { "may run on" };
        let finding = match self.written.as_child(runs_on) {
            Some(at) => finding.also_at(at, what),
            None => finding,
        };
        Some((branch, finding))
    }

    /// The first of the conditions that a sequence begins with, and what they ask, if it does
    /// something when they hold.
    fn asks_first(&self, branch: NodeRef<'a, H>) -> Option<(NodeRef<'a, H>, Reads<'a>)> {
        let mut asks = Reads::default();
        let mut first = None;
        for child in branch.children() {
            if !child.subtree().all(|it| it.is_condition() || it.children().len() > 0) {
                return Some((first?, asks));
            }
            for it in child.subtree().filter(|it| it.is_condition()) {
                self.uses.reads(it.id()).into_iter().for_each(|it| asks.extend(it));
                first = first.or(Some(it));
            }
        }
        None
    }

    /// Whether the condition can change while something runs. A key that the tree sets itself
    /// changes only where it does.
    fn can_change(&self, asks: &Reads<'a>, running: NodeRef<'a, H>) -> bool {
        let writes = |it: NodeRef<'a, H>, key: KeyIndex| {
            self.uses.writers(key).iter().any(|writer| self.written.tree.contains(it.id(), *writer))
        };
        let beside = |key: KeyIndex| {
            let around = std::iter::successors(Some(running), |it| it.parent());
            around.filter(|it| it.parent().is_some_and(|it| it.node_kind() == NodeKind::Parallel)).any(|own| {
                let all = own.parent().into_iter().flat_map(NodeRef::children);
                all.filter(|it| it.id() != own.id()).any(|it| writes(it, key))
            })
        };
        let changes = |key| !self.uses.is_own(key) || writes(running, key) || beside(key);
        asks.time || !asks.others.is_empty() || asks.keys.iter().any(|it| changes(*it))
    }

    /// Whether a node may run for an unlimited time while the condition changes.
    fn runs_on(&self, node: NodeRef<'a, H>, asks: &Reads<'a>) -> bool {
        if !self.flow.is_reachable(node) || !self.flow.ends(node).lasts {
            return false;
        }
        let any = || node.children().any(|it| self.runs_on(it, asks));
        let asks_too = || node.subtree().any(|it| self.uses.asks(it, asks));
        match node.node_kind() {
            NodeKind::Action | NodeKind::WaitFor | NodeKind::Idle => true,
            NodeKind::WaitUntil => !self.uses.asks(node, asks),
            NodeKind::Guard => !self.uses.asks(node, asks) && any(),
            NodeKind::Timeout => false,
            NodeKind::Repeat if self.written.value(node, "forever") == Some(&Param::Bool(true)) => {
                self.flow.never_ends(node) || !asks_too()
            }
            NodeKind::UntilSuccess | NodeKind::UntilFailure if self.written.value(node, "count").is_none() => {
                !asks_too()
            }
            NodeKind::Parallel => any() && !self.is_decided(node, asks),
            kind if kind.order() == Some(ChildOrder::Reactive) || node.abort().contains(Abort::SELF) => {
                any() && !asks_too()
            }
            _ => any(),
        }
    }

    /// Whether a child of a parallel that ends in time ends the parallel.
    fn is_decided(&self, parallel: NodeRef<'a, H>, asks: &Reads<'a>) -> bool {
        let Some(params) = self.written.built_in(parallel).and_then(|it| it.node().built_in()).map(Params) else {
            return false;
        };
        let by_success = params.policy("success", Policy::All) == Policy::Any;
        let by_failure = params.policy("failure", Policy::Any) == Policy::Any;
        parallel.children().any(|it| {
            let ends = self.flow.ends(it);
            !self.flow.never_ends(it)
                && (by_success || !ends.succeeds)
                && (by_failure || !ends.fails)
                && !self.runs_on(it, asks)
        })
    }

    /// Whether something around a selector ends it in time, or asks the same.
    fn is_asked_above(&self, selector: NodeRef<'a, H>, asks: &Reads<'a>) -> bool {
        let mut child = selector;
        while let Some(parent) = child.parent() {
            let watched = self.watched_at.get(&parent.id()).into_iter().flatten();
            let mut outside = watched.filter(|it| !self.written.tree.contains(child.id(), it.id()));
            let is_asked = match parent.node_kind() {
                NodeKind::Timeout => true,
                NodeKind::Guard => self.uses.asks(parent, asks),
                NodeKind::Parallel => self.is_decided(parent, asks),
                NodeKind::Switch | NodeKind::UtilitySelector => self.written.selects(parent).meets(asks),
                NodeKind::ReactiveSequence | NodeKind::ReactiveSelector => {
                    let before = parent.children().take_while(|it| it.id() < child.id());
                    before.flat_map(NodeRef::subtree).any(|it| self.uses.asks(it, asks))
                }
                _ => false,
            };
            if is_asked || outside.any(|it| self.uses.asks(*it, asks)) {
                return true;
            }
            child = parent;
        }
        false
    }
}

/// The sequence in a child of a selector that may have an abort type.
fn branch<H: Host>(child: NodeRef<'_, H>) -> Option<NodeRef<'_, H>> {
    let mut node = child;
    loop {
        match node.node_kind() {
            NodeKind::Sequence | NodeKind::ReactiveSequence => return Some(node),
            NodeKind::Cooldown
            | NodeKind::Limit
            | NodeKind::Probability
            | NodeKind::Token
            | NodeKind::Timeout
            | NodeKind::Finally => {
                node = node.children().next()?;
            }
            _ => return None,
        }
    }
}
