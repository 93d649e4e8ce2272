//! Branches that end what runs, and then fail.

use std::collections::{HashMap, HashSet};

use pleach_core::{
    Host, NodeId, NodeRef,
    kinds::NodeKind,
    nodes::{Abort, Number},
};

use super::copies::Warning;
use super::flow::Flow;
use super::watch::Watched;
use super::{Written, warning};
use crate::asset::Param;
use crate::build::assemble::Params;
use crate::code::Code;
use crate::finding::Finding;

/// Gates that are asked after a watched condition: the condition's change ends what runs after the
/// branch, and then the gate may fail. Skips a cooldown with a warning of its own.
pub(super) fn lint<H: Host>(
    written: &Written<'_, H>,
    flow: &Flow,
    watched: &Watched<'_, H>,
    warnings: &mut Vec<Warning>,
) {
    let mut told: HashSet<_> =
        warnings.iter().filter(|it| it.finding.code == Code::LostCooldown).map(|it| it.node).collect();
    // Of each selector the last child that has more to lose.
    let mut last: HashMap<NodeId, Option<NodeId>> = HashMap::new();
    for &(condition, ref watchers) in watched {
        let ends = watchers.iter().find(|it| {
            let loses = || it.at.children().filter(|it| has_more_to_lose(flow, *it)).last().map(NodeRef::id);
            it.by.contains(Abort::LOWER_PRIORITY)
                && it.at.node_kind() == NodeKind::Selector
                && *last.entry(it.at.id()).or_insert_with(loses) > Some(it.child.id())
        });
        let Some(gate) = ends.and_then(|it| gate_after(written, flow, condition, it.child)) else { continue };
        if told.insert(gate.id()) {
            let finding = interrupts_in_vain(written, condition, gate);
            warnings.extend(finding.map(|it| Warning { node: gate.id(), finding: it }));
        }
    }
}

fn interrupts_in_vain<H: Host>(
    written: &Written<'_, H>,
    condition: NodeRef<'_, H>,
    gate: NodeRef<'_, H>,
) -> Option<Finding> {
    let (kind, first) = (gate.kind(), condition.kind());
    let place = if written.tree.contains(gate.id(), condition.id()) { "in it" } else { "before it" };
    let message =
        format!("if this `{kind}` fails, a change of the `{first}` {place} has already aborted what was running");
    let reactive = "use a `ReactiveSelector`, which aborts the running branch only when an earlier one can run";
    let both = [condition, gate].map(|it| match written.value(it, "expr") {
        Some(Param::Text(text)) if it.node_kind() == NodeKind::Check => Some(conjunct(text)),
        _ => None,
    });
    let help = match both {
        [Some(a), Some(b)] => format!("test both in one, as in `Check(\"{a} && {b}\")`, or {reactive}"),
        _ => reactive.to_owned(),
    };
    let finding = warning(Code::GateAfterCondition, written.at(gate)?, message).help(help);
    Some(match written.at(condition) {
        Some(at) => finding.also_at(at, "its change aborts what runs"),
        None => finding,
    })
}

/// A test as a part of a conjunction.
fn conjunct(text: &str) -> String {
    let text = text.trim();
    let is_loose = text.contains("||") || text.split_whitespace().any(|it| it == "or");
    if is_loose { format!("({text})") } else { text.to_owned() }
}

/// Whether anything that has made progress can be running there when it is ended. An `Idle` has
/// made none, nor has a wait that is all there is.
fn has_more_to_lose<H: Host>(flow: &Flow, node: NodeRef<'_, H>) -> bool {
    use NodeKind::{Wait, WaitFor, WaitTicks, WaitUntil};
    let waits = matches!(node.node_kind(), Wait | WaitTicks | WaitUntil | WaitFor);
    let loses = |it: NodeRef<'_, H>| {
        let is_leaf = it.children().len() == 0;
        is_leaf && flow.is_reachable(it) && flow.ends(it).lasts && it.node_kind() != NodeKind::Idle
    };
    !waits && node.subtree().any(loses)
}

/// The first node that may fail at once when the condition's change has moved control to `branch`,
/// before anything in it has started.
fn gate_after<'a, H: Host>(
    written: &Written<'a, H>,
    flow: &Flow,
    condition: NodeRef<'a, H>,
    branch: NodeRef<'a, H>,
) -> Option<NodeRef<'a, H>> {
    // The nodes around the condition come before it.
    let around = std::iter::successors(condition.parent(), |it| it.parent()).take_while(|it| it.id() >= branch.id());
    let is_decorator = |it: &NodeRef<'a, H>| {
        matches!(
            it.node_kind(),
            NodeKind::Guard | NodeKind::Cooldown | NodeKind::Limit | NodeKind::Probability | NodeKind::Token
        )
    };
    if let Some(gate) = around.filter(is_decorator).filter(|it| is_gate(written, flow, *it)).last() {
        return Some(gate);
    }
    let mut child = condition;
    while child.id() != branch.id() {
        let parent = child.parent()?;
        match parent.node_kind() {
            NodeKind::Sequence | NodeKind::ReactiveSequence => {
                for behind in parent.children().skip_while(|it| it.id() <= child.id()) {
                    match begins(written, flow, behind) {
                        Begins::Gate(gate) => return Some(gate),
                        Begins::Passes => {}
                        Begins::Runs => return None,
                    }
                }
            }
            // The condition decides it.
            NodeKind::Selector
            | NodeKind::ReactiveSelector
            | NodeKind::Inverter
            | NodeKind::Timeout
            | NodeKind::Finally => {}
            NodeKind::Guard | NodeKind::Cooldown | NodeKind::Limit | NodeKind::Probability | NodeKind::Token => {}
            _ => return None,
        }
        child = parent;
    }
    None
}

/// How a node can begin.
enum Begins<'a, H: Host> {
    /// This may fail at once.
    Gate(NodeRef<'a, H>),
    /// It succeeds at once.
    Passes,
    /// It does something, or is not known.
    Runs,
}

fn begins<'a, H: Host>(written: &Written<'a, H>, flow: &Flow, node: NodeRef<'a, H>) -> Begins<'a, H> {
    let mut node = node;
    loop {
        let child = node.children().next();
        match (node.node_kind(), child) {
            (NodeKind::Check | NodeKind::OnEvent | NodeKind::Free | NodeKind::Condition, _) => {
                return Begins::Gate(node);
            }
            (
                NodeKind::Guard | NodeKind::Cooldown | NodeKind::Limit | NodeKind::Probability | NodeKind::Token,
                Some(child),
            ) => {
                if is_gate(written, flow, node) {
                    return Begins::Gate(node);
                }
                node = child;
            }
            (NodeKind::Inverter, Some(child)) if child.is_condition() => return Begins::Gate(child),
            (NodeKind::Timeout | NodeKind::Finally, Some(child)) => node = child,
            (NodeKind::Set | NodeKind::Roll | NodeKind::Log | NodeKind::Emit | NodeKind::Succeed, _) => {
                return Begins::Passes;
            }
            (NodeKind::ForceSuccess, Some(child)) if !flow.ends(child).lasts => return Begins::Passes,
            (NodeKind::Sequence | NodeKind::ReactiveSequence, Some(_)) => {
                // One that begins with what passes is looked into no further than that.
                let passes = |it: &NodeRef<'a, H>| {
                    matches!(
                        it.node_kind(),
                        NodeKind::Set | NodeKind::Roll | NodeKind::Log | NodeKind::Emit | NodeKind::Succeed
                    )
                };
                match node.children().find(|it| !passes(it)) {
                    Some(first) => node = first,
                    None => return Begins::Passes,
                }
            }
            // It fails only if nothing in it runs.
            (NodeKind::Selector | NodeKind::ReactiveSelector, Some(_)) => {
                let asks = node.subtree().all(|it| it.is_condition() || it.children().len() > 0);
                return if asks { Begins::Gate(node) } else { Begins::Runs };
            }
            _ => return Begins::Runs,
        }
    }
}

/// Whether a decorator may fail instead of running its child.
fn is_gate<H: Host>(written: &Written<'_, H>, flow: &Flow, node: NodeRef<'_, H>) -> bool {
    let Some(params) = written.built_in(node).and_then(|it| it.node().built_in()).map(Params) else { return true };
    match node.node_kind() {
        NodeKind::Guard => params.outcome("result") == pleach_core::Outcome::Failure,
        NodeKind::Limit => params.outcome("exhausted") == pleach_core::Outcome::Failure,
        NodeKind::Cooldown => params.number("seconds") != Number::Literal(0.0) && flow.cools(written, node),
        NodeKind::Probability => !matches!(params.number("p"), Number::Literal(p) if p >= 1.0),
        _ => true,
    }
}
