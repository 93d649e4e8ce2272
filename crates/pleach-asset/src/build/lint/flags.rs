//! Flags that stay set when what they stand for is ended from outside.

use pleach_core::{
    Host, NodeRef,
    expr::KeyIndex,
    kinds::{ChildOrder, NodeKind},
    nodes::Policy,
};

use super::copies::{Lint, Warning};
use super::flow::Flow;
use super::uses::{Set, Uses};
use super::watch::Watched;
use super::{Written, warning};
use crate::asset::Param;
use crate::build::assemble::Params;
use crate::finding::Finding;

/// Keys that a sequence sets, and sets back to their default behind something that takes time and
/// can be ended from outside. Nobody else writes them.
pub(super) fn lint<'a, H: Host>(
    written: &Written<'a, H>,
    flow: &Flow,
    watched: &Watched<'a, H>,
    uses: &Uses<'a>,
    warnings: &mut Vec<Warning>,
) {
    let flags = Flags { written, flow, watched, uses };
    for (at, reset) in uses.sets.iter().enumerate() {
        let Some(node) = written.tree.node(reset.node).filter(|it| flow.is_reachable(*it)) else { continue };
        let finding = flags.stays_set(&uses.sets[..at], reset, node);
        warnings.extend(finding.map(|it| Warning { lint: Lint::FlagStaysSet, node: node.id(), finding: it }));
    }
}

struct Flags<'a, 'w, H: Host> {
    written: &'w Written<'a, H>,
    flow: &'w Flow,
    watched: &'w Watched<'a, H>,
    uses: &'w Uses<'a>,
}

impl<'a, H: Host> Flags<'a, '_, H> {
    fn stays_set(&self, before: &[Set], reset: &Set, node: NodeRef<'a, H>) -> Option<Finding> {
        let Flags { written, flow, uses, watched: _ } = *self;
        let key = reset.key;
        let sequence = node.parent().filter(|it| it.node_kind() == NodeKind::Sequence)?;
        let decl = written.tree.schema().decl(key);
        if reset.value != Some(decl.default()) || uses.is_given(key) {
            return None;
        }
        let parent = |it| written.tree.node(it).and_then(NodeRef::parent);
        // Who else writes it may well set it back. A copy of the sequence does no more than it.
        let place = |it: NodeRef<'_, H>| written.at(it).map(|(file, span)| (file, span.start));
        if !uses.writers(key).iter().all(|it| parent(*it).and_then(place) == place(sequence)) {
            return None;
        }
        let is_child = |it| parent(it).is_some_and(|it| it.id() == sequence.id());
        let set = before.iter().rfind(|it| it.key == key && it.value != reset.value && is_child(it.node))?;
        let between = sequence.children().filter(|it| it.id() > set.node && it.id() < node.id());
        let lasting = between.filter(|it| flow.ends(*it).lasts).find(|it| flow.is_reachable(*it))?;
        let ends = self.ended_by(key, lasting)?;
        let Some(Param::Text(name)) = written.value(node, "key") else { return None };
        let message =
            format!("`{name}` stays set if what runs before this `Set` is ended from outside: nothing sets it back");
        let help = format!(
            "set `{name}` back at the start of what takes over, or set it in the `start` of a leaf and back in its `end`, \
             which is called however the leaf ends"
        );
        let finding = warning(written.at(node)?, message).help(help);
        Some(match written.at(ends) {
            Some(at) => finding.also_at(at, "may end it"),
            None => finding,
        })
    }

    /// What may end a running node from outside, whatever the key says: who reads the key looks
    /// after it.
    fn ended_by(&self, key: KeyIndex, running: NodeRef<'a, H>) -> Option<NodeRef<'a, H>> {
        let Flags { written, flow, uses, watched } = *self;
        let reads = |it: NodeRef<'a, H>| uses.reads(it.id()).is_some_and(|it| it.keys.contains(&key));
        for &(condition, ref watchers) in watched {
            let aborts = watchers.iter().any(|it| {
                let contains = |of: NodeRef<'_, H>| written.tree.contains(of.id(), running.id());
                let is_before = it.at.node_kind().order() == Some(ChildOrder::Found) || it.child.id() < running.id();
                contains(it.at) && !contains(it.child) && is_before
            });
            if aborts && !reads(condition) {
                return Some(condition);
            }
        }
        let mut child = running;
        while let Some(parent) = child.parent() {
            let own = || written.built_in(parent).and_then(|it| it.node().built_in()).map(Params);
            let before = || parent.children().take_while(|it| it.id() < child.id());
            let ends = match parent.node_kind() {
                NodeKind::Guard => !reads(parent) && uses.reads(parent.id()).is_none_or(|it| !it.is_constant()),
                NodeKind::Timeout => true,
                NodeKind::ReactiveSequence | NodeKind::ReactiveSelector => {
                    before().next().is_some() && !before().flat_map(NodeRef::subtree).any(reads)
                }
                NodeKind::UtilitySelector => {
                    written.value(parent, "reevaluate") == Some(&Param::Bool(true))
                        && parent.children().len() > 1
                        && !written.selects(parent).keys.contains(&key)
                }
                // Whoever fills a slot sees to the rest.
                NodeKind::Switch => {
                    let selects = written.selects(parent);
                    !selects.is_constant() && !selects.keys.contains(&key)
                }
                NodeKind::Parallel => own().is_some_and(|it| {
                    let mut others = parent.children().filter(|it| it.id() != child.id());
                    let (success, failure) = (it.policy("success", Policy::All), it.policy("failure", Policy::Any));
                    others.any(|it| {
                        (success == Policy::Any && flow.ends(it).succeeds)
                            || (failure == Policy::Any && flow.ends(it).fails)
                    })
                }),
                _ => false,
            };
            if ends {
                return Some(parent);
            }
            child = parent;
        }
        None
    }
}
