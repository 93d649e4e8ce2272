//! Abort types that do nothing, or not what was meant.

use pleach_core::{
    Host, NodeRef,
    kinds::{Arity, ChildOrder, NodeKind},
    nodes::Abort,
};

use super::copies::Warning;
use super::flow::{Ends, Flow, is_sequence};
use super::watch::{Watch, Watcher};
use super::{Written, warning};
use crate::code::Code;
use crate::finding::Finding;

pub(super) fn lint<H: Host>(written: &Written<'_, H>, flow: &Flow, watch: &Watch, warnings: &mut Vec<Warning>) {
    // In ascending order, so that those of a subtree are a range.
    let conditions = written.tree.nodes().filter(|it| it.is_condition() && flow.is_reachable(*it)).collect();
    let aborts = Aborts { written, flow, watch, conditions };
    for node in written.tree.nodes().filter(|it| flow.is_reachable(*it)) {
        let found = [aborts.never_fires(node), aborts.unwatched_tests(node), aborts.passing_event(node)];
        warnings.extend(found.into_iter().flatten().map(|finding| Warning { node: node.id(), finding }));
    }
}

struct Aborts<'a, H: Host> {
    written: &'a Written<'a, H>,
    flow: &'a Flow,
    watch: &'a Watch,
    conditions: Vec<NodeRef<'a, H>>,
}

impl<'a, H: Host> Aborts<'a, H> {
    fn conditions_below(&self, node: NodeRef<'a, H>) -> &[NodeRef<'a, H>] {
        let end = node.id().index() + node.subtree().len();
        let at = |index| self.conditions.partition_point(|it| it.id().index() < index);
        &self.conditions[at(node.id().index())..at(end)]
    }

    /// An abort type, or a half of `Both`, that can never fire.
    fn never_fires(&self, node: NodeRef<'a, H>) -> Option<Finding> {
        let (_, span) = self.written.built_in(node)?.abort?;
        let unused = node.abort().without(self.watch.used(node));
        let half = if unused.contains(Abort::SELF) { Abort::SELF } else { Abort::LOWER_PRIORITY };
        if unused.is_none() {
            return None;
        }
        let what = if unused == node.abort() { "this abort type" } else { half_name(half) };
        let kind = node.kind();
        let at = (self.written.file(node), span);
        let finding = |why: String| warning(Code::NeverFires, at, format!("{what} never fires: {why}"));
        let below = self.conditions_below(node);
        let Some(&first) = below.first() else {
            let help = "conditions are `Check`, `OnEvent`, `Free` and those of the game; a `Guard` needs no abort type";
            return Some(finding(format!("there is no condition below the `{kind}`")).help(help));
        };
        if half == Abort::LOWER_PRIORITY && node.nearest_composite().is_none() {
            let why = format!("nothing has a lower priority than the topmost `{kind}`");
            let help = "to abort its own children, use `Self`";
            return Some(finding(why).maybe_help((unused == node.abort()).then(|| help.into())));
        }
        let gap = |it: &NodeRef<'a, H>| self.gap(*it, node, half);
        if let (true, Some(gap)) = (below.iter().all(|it| gap(it).is_some()), gap(&first)) {
            let (name, lacking) = (abort_name(half), gap.kind());
            let why = format!("the `{lacking}` between it and its conditions does not have `{name}`");
            let finding = finding(why).help(format!("give the `{lacking}` `{name}` too"));
            return Some(match self.written.at(gap) {
                Some(at) => finding.also_at(at, format!("without `{name}`")),
                None => finding,
            });
        }
        let at = if half == Abort::SELF { node } else { node.nearest_composite()? };
        let place = at.kind();
        Some(match at.node_kind().order()? {
            ChildOrder::Together => finding(format!("the children of a `{place}` do not abort each other")),
            ChildOrder::Selected => finding(format!("the children of a `{place}` are not alternatives to each other")),
            ChildOrder::Reactive => finding(format!("a `{place}` reruns the children before its running child anyway")),
            ChildOrder::Written | ChildOrder::Found if half == Abort::SELF => {
                finding(format!("nothing after the conditions of the `{place}` can still be running"))
            }
            ChildOrder::Written | ChildOrder::Found => {
                finding(format!("nothing after this `{kind}` in the `{place}` can still be running"))
            }
        })
    }

    /// The composite from a condition's own up to `node` that keeps it from being watched at or
    /// through `node`.
    fn gap(&self, condition: NodeRef<'a, H>, node: NodeRef<'a, H>, half: Abort) -> Option<NodeRef<'a, H>> {
        std::iter::successors(condition.nearest_composite(), |it| it.nearest_composite())
            .take_while(|it| it.id() != node.id())
            .find(|it| !it.abort().contains(half))
    }

    /// A composite of nothing but conditions which is not watched, inside one of which the rest is.
    fn unwatched_tests(&self, node: NodeRef<'a, H>) -> Option<Finding> {
        let own = self.written.built_in(node)?;
        let around = node.nearest_composite()?;
        // A written `None` counts as intended.
        if own.built_in()?.kind.order() == Some(ChildOrder::Together)
            || own.abort.is_some_and(|it| it.0.is_none())
            || !asks_only(node)
        {
            return None;
        }
        let passes = self.watch.used(around).without(node.abort());
        // A sequence may well be watched from outside for its first conditions, and ask the rest
        // only then.
        let lacking = if passes.contains(Abort::SELF) {
            Abort::SELF
        } else if passes.contains(Abort::LOWER_PRIORITY) && asks_only(around) {
            Abort::LOWER_PRIORITY
        } else {
            return None;
        };
        let more = |it: NodeRef<'a, H>| if it.id() == node.id() { it.abort() | lacking } else { it.abort() };
        let outside = |it: Vec<Watcher<'a, H>>| it.iter().any(|it| it.at.id() < node.id());
        let is_watched = |it: &NodeRef<'a, H>| outside(self.watch.watchers(*it, NodeRef::abort));
        let would_be = |it: &NodeRef<'a, H>| outside(self.watch.watchers(*it, more));
        let below = self.conditions_below(node);
        if below.iter().any(is_watched) || !below.iter().any(would_be) {
            return None;
        }
        let (kind, name) = (node.kind(), abort_name(node.abort() | lacking));
        let message =
            format!("the conditions of this `{kind}` are never watched, unlike the others of the `{}`", around.kind());
        let help = format!("give it `abort: {name}`, or write `abort: None` if that is meant");
        Some(warning(Code::UnwatchedTests, self.written.at(node)?, message).help(help))
    }

    /// A condition on an event that is watched while what follows from it runs: there it aborts
    /// itself one tick later, because the event is gone.
    fn passing_event(&self, node: NodeRef<'a, H>) -> Option<Finding> {
        if node.node_kind() != NodeKind::OnEvent {
            return None;
        }
        let watchers = self.watch.watchers(node, NodeRef::abort);
        let watcher = watchers.into_iter().find(|it| self.follows(node, it))?;
        let kind = watcher.at.kind();
        let message = format!("the event is gone one tick later, and the `{kind}` then aborts what this started");
        let help =
            "watch an event only from outside its branch: put it directly into a composite with `abort: LowerPriority`";
        let finding = warning(Code::PassingEvent, self.written.at(node)?, message).help(help);
        Some(match self.written.at(watcher.at) {
            Some(at) => finding.also_at(at, "watches it"),
            None => finding,
        })
    }

    /// Whether the composite goes on to another child because the condition was true.
    fn follows(&self, condition: NodeRef<'a, H>, watcher: &Watcher<'a, H>) -> bool {
        let kind = watcher.at.node_kind();
        // The children after a selector's child run because it failed; a reactive composite asks
        // again anyway.
        is_sequence(kind)
            && kind.order() != Some(ChildOrder::Reactive)
            && self.outcome(condition, watcher.child).succeeds
    }

    /// How `above` can end after the condition below it, or itself, has been true.
    fn outcome(&self, condition: NodeRef<'a, H>, above: NodeRef<'a, H>) -> Ends {
        let mut ends = Ends { succeeds: true, fails: false, lasts: false };
        let mut child = condition;
        while let (true, Some(parent)) = (child.id() != above.id(), child.parent()) {
            ends = self.told(parent, child, ends);
            child = parent;
        }
        ends
    }

    /// How a parent can end when this child has ended this way.
    fn told(&self, parent: NodeRef<'a, H>, child: NodeRef<'a, H>, ends: Ends) -> Ends {
        let Ends { succeeds, fails, lasts } = ends;
        let behind = || parent.children().skip_while(|it| it.id() <= child.id()).map(|it| self.flow.ends(it));
        match parent.node_kind() {
            NodeKind::Inverter => Ends { succeeds: fails, fails: succeeds, lasts },
            NodeKind::ForceSuccess => Ends { succeeds: true, fails: false, lasts },
            NodeKind::ForceFailure => Ends { succeeds: false, fails: true, lasts },
            NodeKind::UntilSuccess if self.written.value(parent, "count").is_none() => Ends { fails: false, ..ends },
            NodeKind::UntilFailure if self.written.value(parent, "count").is_none() => Ends { succeeds: false, ..ends },
            NodeKind::Sequence | NodeKind::ReactiveSequence => Ends {
                succeeds: succeeds && behind().all(|it| it.succeeds),
                fails: fails || (succeeds && behind().any(|it| it.fails)),
                lasts,
            },
            NodeKind::Selector | NodeKind::ReactiveSelector => Ends {
                succeeds: succeeds || (fails && behind().any(|it| it.succeeds)),
                fails: fails && behind().all(|it| it.fails),
                lasts,
            },
            NodeKind::RandomChoice | NodeKind::Switch => ends,
            // Other children run before it, after it or beside it.
            it if it.arity() == Arity::Composite => Ends { succeeds: true, fails: true, lasts },
            _ => ends,
        }
    }
}

/// Whether all leaves below a parent are conditions.
fn asks_only<H: Host>(node: NodeRef<'_, H>) -> bool {
    node.arity() == Arity::Composite && node.subtree().all(|it| it.is_condition() || it.arity() != Arity::Leaf)
}

fn abort_name(abort: Abort) -> &'static str {
    match (abort.contains(Abort::SELF), abort.contains(Abort::LOWER_PRIORITY)) {
        (false, false) => "None",
        (true, false) => "Self",
        (false, true) => "LowerPriority",
        (true, true) => "Both",
    }
}

fn half_name(half: Abort) -> &'static str {
    if half == Abort::SELF { "the `Self` of this `Both`" } else { "the `LowerPriority` of this `Both`" }
}
