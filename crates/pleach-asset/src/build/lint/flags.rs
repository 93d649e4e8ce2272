//! Flags that stay set when what they stand for is ended from outside.

use std::collections::HashMap;

use pleach_core::{
    Host, NodeId, NodeRef,
    expr::KeyIndex,
    kinds::{ChildOrder, NodeKind},
    nodes::Policy,
};

use super::copies::Warning;
use super::flow::Flow;
use super::uses::{Set, Uses};
use super::watch::Watched;
use super::{Written, warning};
use crate::asset::Param;
use crate::build::assemble::Params;
use crate::code::Code;
use crate::finding::{FileAt, Finding};

/// Keys that a sequence sets, and sets back to their default after something that takes time and
/// can be ended from outside. No other node writes them.
pub(super) fn lint<'a, H: Host>(
    written: &Written<'a, H>,
    flow: &Flow,
    watched: &Watched<'a, H>,
    uses: &Uses<'a>,
    warnings: &mut Vec<Warning>,
) {
    let flags = Flags { written, flow, watched, uses };
    let sets: HashMap<NodeId, &Set> = uses.sets.iter().map(|it| (it.node, it)).collect();
    let mut places = HashMap::new();
    for sequence in written.tree.nodes().filter(|it| it.node_kind() == NodeKind::Sequence && flow.is_reachable(*it)) {
        // For each key the last child that sets it, and the children that take time.
        let (mut set, mut lasting) = (HashMap::new(), Vec::new());
        for child in sequence.children().filter(|it| flow.is_reachable(*it)) {
            match sets.get(&child.id()) {
                Some(it) if it.value == Some(written.tree.schema().decl(it.key).default()) => {
                    let Some(from) = set.remove(&it.key) else { continue };
                    let after = lasting.partition_point(|it: &NodeRef<'a, H>| it.id() < from);
                    let Some(&running) = lasting.get(after) else { continue };
                    let place = *places.entry(it.key).or_insert_with(|| flags.place_of_writers(it.key));
                    if place.is_some_and(|it| Some(it) == flags.place(sequence)) && !uses.is_given(it.key) {
                        let finding = flags.stays_set(it.key, running, child);
                        warnings.extend(finding.map(|it| Warning { node: child.id(), finding: it }));
                    }
                }
                Some(it) => _ = set.insert(it.key, child.id()),
                None if flow.ends(child).lasts => lasting.push(child),
                None => {}
            }
        }
    }
}

struct Flags<'a, 'w, H: Host> {
    written: &'w Written<'a, H>,
    flow: &'w Flow,
    watched: &'w Watched<'a, H>,
    uses: &'w Uses<'a>,
}

impl<'a, H: Host> Flags<'a, '_, H> {
    /// Where a node is written. Its copies have the same place.
    fn place(&self, node: NodeRef<'_, H>) -> Option<(FileAt, u32)> {
        self.written.at(node).map(|(file, span)| (file, span.start))
    }

    /// The place of the only node whose children write a key. Another writer may well set it back.
    fn place_of_writers(&self, key: KeyIndex) -> Option<(FileAt, u32)> {
        let parent = |it: &NodeId| self.place(self.written.tree.node(*it)?.parent()?);
        let mut places = self.uses.writers(key).iter().map(parent);
        let first = places.next()?;
        if places.all(|it| it == first) { first } else { None }
    }

    /// `running` runs before the node sets the key back.
    fn stays_set(&self, key: KeyIndex, running: NodeRef<'a, H>, node: NodeRef<'a, H>) -> Option<Finding> {
        let written = self.written;
        let ends = self.ended_by(key, running)?;
        let (Some(Param::Text(name)), Some(Param::Text(to))) = (written.value(node, "key"), written.value(node, "to"))
        else {
            return None;
        };
        let message =
            format!("`{name}` stays set if the branch is interrupted before this `Set`: nothing else resets it");
        let help = format!(
            "put the branch into a `Finally`, which resets `{name}` however the branch ends: \
             `Finally(do: [Set(key: \"{name}\", to: \"{to}\")], child: ..)`"
        );
        let finding = warning(Code::FlagStaysSet, written.at(node)?, message).help(help);
        Some(match written.at(ends) {
            Some(at) => finding.also_at(at, "may end it"),
            None => finding,
        })
    }

    /// What may end a running node from outside. A condition that reads the key is assumed to take
    /// care of it.
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
                // The game fills slots, and can reset the key when it does.
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
