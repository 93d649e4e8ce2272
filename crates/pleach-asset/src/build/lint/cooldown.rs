//! Branches that nothing re-enters when their cooldown ends.

use pleach_core::{
    Host, NodeRef,
    kinds::{ChildOrder, NodeKind},
    nodes::Abort,
};

use super::copies::Warning;
use super::flow::{Flow, is_sequence};
use super::watch::Watch;
use super::{Written, warning};
use crate::code::Code;
use crate::finding::Finding;

/// Cooldowns whose failure leads out of a branch that conditions watch, to something that never
/// ends: the conditions still hold when the cooldown is over, so no change of them aborts it.
pub(super) fn lint<H: Host>(written: &Written<'_, H>, flow: &Flow, watch: &Watch, warnings: &mut Vec<Warning>) {
    let cools = |it: &NodeRef<'_, H>| it.node_kind() == NodeKind::Cooldown && flow.cools(written, *it);
    for node in written.tree.nodes().filter(|it| cools(it) && flow.is_reachable(*it)) {
        let finding = left_for_ever(written, flow, watch, node);
        warnings.extend(finding.map(|it| Warning { node: node.id(), finding: it }));
    }
}

fn left_for_ever<'a, H: Host>(
    written: &Written<'a, H>,
    flow: &Flow,
    watch: &Watch,
    cooldown: NodeRef<'a, H>,
) -> Option<Finding> {
    let [at, branch, endless] = leads_to(flow, cooldown)?;
    let starts_again =
        |it: NodeRef<'_, H>| it.node_kind() == NodeKind::Timeout || it.node_kind().order() == Some(ChildOrder::Found);
    let ends_it = |it: NodeRef<'_, H>| it.node_kind() == NodeKind::Parallel && !flow.never_ends(it);
    if std::iter::successors(Some(at), |it| it.parent()).any(|it| starts_again(it) || ends_it(it)) {
        return None;
    }
    let mut before = branch.subtree().filter(|it| it.is_condition() && it.id() < cooldown.id()).peekable();
    before.peek()?;
    let mut watched = None;
    for condition in before {
        // An event can come again.
        if condition.node_kind() == NodeKind::OnEvent {
            return None;
        }
        let watchers = watch.watchers(condition, NodeRef::abort);
        let aborts = watchers.iter().any(|it| it.at.id() == at.id() && it.by.contains(Abort::LOWER_PRIORITY));
        watched = watched.or(aborts.then_some(condition));
    }
    let (condition, kind) = (watched?, endless.kind());
    let message = format!(
        "when this cooldown ends, nothing re-enters its branch: the `{kind}` after it never ends, and the \
         end of a cooldown aborts nothing"
    );
    let help = format!(
        "while the `{}` holds, no change ends the `{kind}`: give the branch something to do during the cooldown, as in \
         `Repeat(forever: true, child: Selector([Cooldown(..), Wait(0.5)]))`, or let the `{kind}` end",
        condition.kind()
    );
    let finding = warning(Code::LostCooldown, written.at(cooldown)?, message).help(help);
    Some(match written.as_child(endless) {
        Some(at) => finding.also_at(at, "never ends"),
        None => finding,
    })
}

/// Where a node's failure leads: a composite, its child that fails because of it, and the child
/// after that one, if it never ends.
fn leads_to<'a, H: Host>(flow: &Flow, node: NodeRef<'a, H>) -> Option<[NodeRef<'a, H>; 3]> {
    let mut child = node;
    while let Some(parent) = child.parent() {
        match parent.node_kind() {
            NodeKind::Selector => {
                for behind in parent.children().skip_while(|it| it.id() <= child.id()) {
                    if flow.never_ends(behind) {
                        return Some([parent, child, behind]);
                    }
                    if !flow.ends(behind).fails {
                        return None;
                    }
                }
            }
            kind if is_sequence(kind) => {}
            NodeKind::RandomChoice
            | NodeKind::Switch
            | NodeKind::Guard
            | NodeKind::Timeout
            | NodeKind::Limit
            | NodeKind::Delay
            | NodeKind::Probability
            | NodeKind::Token
            | NodeKind::Cooldown
            | NodeKind::Finally
            | NodeKind::UntilFailure => {}
            // They start it again, run something else beside it, or fail anyway.
            _ => return None,
        }
        child = parent;
    }
    None
}
