//! How each node can end, whether it can take more than one tick, and which children are never
//! reached.
//!
//! Nothing is assumed about the host's leaves: they may do anything. So what is reported as
//! impossible is impossible.

use pleach_core::{
    Host, NodeRef, Outcome,
    kinds::{ChildOrder, EveryNodeKind, NodeKind},
    nodes::{Case, Count, Number, Policy},
};

use super::copies::Warning;
use super::{Written, warning};
use crate::asset::Subtree;
use crate::build::assemble::Params;
use crate::code::Code;

/// How a running node can end or go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) succeeds: bool,
    pub(super) fails: bool,
    /// It can be Running at the end of a tick.
    pub(super) lasts: bool,
}

impl Ends {
    const ANYHOW: Ends = Ends { succeeds: true, fails: true, lasts: true };

    fn ends(self) -> bool {
        self.succeeds || self.fails
    }
}

/// The flow through a whole tree, by the index of the node.
pub(super) struct Flow {
    ends: Vec<Ends>,
    unreachable: Vec<bool>,
}

impl Flow {
    pub(super) fn of<H: Host>(written: &Written<'_, H>) -> Flow {
        let nodes: Vec<NodeRef<'_, H>> = written.tree.nodes().collect();
        let mut flow = Flow { ends: vec![Ends::ANYHOW; nodes.len()], unreachable: vec![false; nodes.len()] };
        // Children come after their parents.
        for &node in nodes.iter().rev() {
            let ends = flow.node(written, node);
            // A leaf in a `do` is updated once.
            flow.ends[node.id().index()] = Ends { lasts: ends.lasts && !node.is_in_do(), ..ends };
        }
        for &node in &nodes {
            if let Some(blocker) = flow.blocker(node) {
                let from = blocker.id().index() + blocker.subtree().len();
                flow.unreachable[from..node.id().index() + node.subtree().len()].fill(true);
            }
        }
        flow
    }

    pub(super) fn ends<H: Host>(&self, node: NodeRef<'_, H>) -> Ends {
        self.ends[node.id().index()]
    }

    /// Whether it ends only from outside.
    pub(super) fn never_ends<H: Host>(&self, node: NodeRef<'_, H>) -> bool {
        !self.ends(node).ends()
    }

    /// Whether it can be started at all.
    pub(super) fn is_reachable<H: Host>(&self, node: NodeRef<'_, H>) -> bool {
        !self.unreachable[node.id().index()]
    }

    /// Whether its child can end in a way that starts the cooldown.
    pub(super) fn cools<H: Host>(&self, written: &Written<'_, H>, cooldown: NodeRef<'_, H>) -> bool {
        let after = written.built_in(cooldown).and_then(|it| it.node().built_in()).and_then(|it| Params(it).after());
        let child = cooldown.children().next().map_or(Ends::ANYHOW, |it| self.ends(it));
        after.is_none_or(|it| match it {
            Outcome::Success => child.succeeds,
            Outcome::Failure => child.fails,
        })
    }

    /// The first unreachable child of every composite that is itself reached.
    pub(super) fn unreachable<H: Host>(&self, written: &Written<'_, H>, warnings: &mut Vec<Warning>) {
        for node in written.tree.nodes().filter(|it| self.is_reachable(*it)) {
            let Some(blocker) = self.blocker(node) else { continue };
            let next = node.children().skip_while(|it| it.id() <= blocker.id()).find_map(|it| written.as_child(it));
            let (Some(at), Some(before)) = (next, written.as_child(blocker)) else { continue };
            let never = match self.ends(blocker) {
                it if !it.ends() => "never ends",
                it if it.succeeds => "never fails",
                _ => "never succeeds",
            };
            let message = format!("this is never reached: the `{}` before it {never}", blocker.kind());
            let finding = warning(Code::Unreachable, at, message).also_at(before, never);
            warnings.push(Warning { node: node.id(), finding });
        }
    }

    /// The child after which no other is tried, if there are others.
    fn blocker<'a, H: Host>(&self, node: NodeRef<'a, H>) -> Option<NodeRef<'a, H>> {
        let kind = node.node_kind();
        let goes_on = |it: Ends| if is_sequence(kind) { it.succeeds } else { it.fails };
        match kind.order()? {
            ChildOrder::Written | ChildOrder::Reactive => {
                let mut children = node.children();
                let blocker = children.find(|it| !goes_on(self.ends(*it)))?;
                children.next().map(|_| blocker)
            }
            ChildOrder::Found | ChildOrder::Selected | ChildOrder::Together => None,
        }
    }

    fn node<H: Host>(&self, written: &Written<'_, H>, node: NodeRef<'_, H>) -> Ends {
        let params = written.built_in(node).and_then(|it| it.node().built_in()).map(Params);
        // The value of an expression is not known.
        let takes_time = |name| match params.as_ref().map(|it| it.number(name)) {
            Some(Number::Literal(it)) => it > 0.0,
            Some(Number::Expr(_)) => true,
            None => false,
        };
        let count = |name| params.as_ref().map_or(Count::Literal(1), |it| it.count(name));
        let more_than = |it: Count, least: u32| match it {
            Count::Literal(it) => it > least,
            Count::Expr(_) => true,
        };
        // Whether an expression may give no rounds or attempts.
        let none = || matches!(count("count"), Count::Expr(_));
        // Whether there is a last attempt, and one more after the first.
        let attempts = || match params.as_ref().and_then(Params::attempts) {
            Some(count) => (true, more_than(count, 1)),
            None => (false, true),
        };
        let flag = |name| params.as_ref().is_some_and(|it| it.flag(name));
        let or = |outcome: Outcome, it: Ends| match outcome {
            Outcome::Success => Ends { succeeds: true, ..it },
            Outcome::Failure => Ends { fails: true, ..it },
        };
        let outcome = |name| params.as_ref().map_or(Outcome::Failure, |it| it.outcome(name));
        let policy = |name, default| params.as_ref().map_or(default, |it| it.policy(name, default));
        // Of a decorator.
        let child = node.children().next().map_or(Ends::ANYHOW, |it| self.ends(it));
        let leaf = |succeeds, fails, lasts| Ends { succeeds, fails, lasts };
        match node.node_kind().every() {
            EveryNodeKind::Action | EveryNodeKind::Condition => Ends::ANYHOW,
            EveryNodeKind::Sequence | EveryNodeKind::ReactiveSequence => {
                self.in_turn(node, |it| it.succeeds).sequence()
            }
            EveryNodeKind::Selector | EveryNodeKind::ReactiveSelector => self.in_turn(node, |it| it.fails).selector(),
            EveryNodeKind::RandomSequence => self.in_turn(node, |_| true).sequence(),
            EveryNodeKind::RandomSelector | EveryNodeKind::UtilitySelector => self.in_turn(node, |_| true).selector(),
            EveryNodeKind::RandomChoice | EveryNodeKind::Switch => {
                let any = node.children().map(|it| self.ends(it)).fold(leaf(false, false, false), |any, it| Ends {
                    succeeds: any.succeeds || it.succeeds,
                    fails: any.fails || it.fails,
                    lasts: any.lasts || it.lasts,
                });
                // Without a default a Switch may have no case for a value.
                let covers_all = node.node_kind() != NodeKind::Switch || written.built_in(node).is_some_and(covers_all);
                if covers_all { any } else { or(Outcome::Failure, any) }
            }
            EveryNodeKind::Parallel => {
                self.parallel(node, policy("success", Policy::All), policy("failure", Policy::Any))
            }
            EveryNodeKind::Inverter => Ends { succeeds: child.fails, fails: child.succeeds, ..child },
            EveryNodeKind::ForceSuccess => Ends { succeeds: child.ends(), fails: false, ..child },
            EveryNodeKind::ForceFailure => Ends { succeeds: false, fails: child.ends(), ..child },
            EveryNodeKind::UntilSuccess => {
                let (last, again) = attempts();
                Ends { fails: (child.fails && last) || none(), lasts: child.lasts || (child.fails && again), ..child }
            }
            EveryNodeKind::UntilFailure => {
                let (last, again) = attempts();
                let lasts = child.lasts || (child.succeeds && again);
                Ends { succeeds: (child.succeeds && last) || none(), lasts, ..child }
            }
            EveryNodeKind::Repeat if flag("forever") => {
                Ends { succeeds: false, fails: child.fails && flag("end_on_failure"), lasts: true }
            }
            EveryNodeKind::Repeat => {
                // With no rounds it succeeds.
                let lasts = child.lasts || more_than(count("count"), 1);
                Ends { succeeds: child.succeeds || none(), lasts, ..child }
            }
            // The leaves of `do` take no time, and their answers do not count.
            EveryNodeKind::Finally => child,
            EveryNodeKind::Cooldown if !self.cools(written, node) => child,
            EveryNodeKind::Cooldown | EveryNodeKind::Probability | EveryNodeKind::Token => or(Outcome::Failure, child),
            EveryNodeKind::Guard | EveryNodeKind::Timeout => or(outcome("result"), child),
            EveryNodeKind::Limit => or(outcome("exhausted"), child),
            EveryNodeKind::Delay => Ends { lasts: child.lasts || takes_time("seconds"), ..child },
            EveryNodeKind::Wait => leaf(true, false, takes_time("seconds")),
            EveryNodeKind::WaitTicks => leaf(true, false, more_than(count("ticks"), 0)),
            EveryNodeKind::WaitUntil | EveryNodeKind::WaitFor => leaf(true, false, true),
            EveryNodeKind::Check | EveryNodeKind::OnEvent | EveryNodeKind::Free => leaf(true, true, false),
            EveryNodeKind::Set
            | EveryNodeKind::Roll
            | EveryNodeKind::Log
            | EveryNodeKind::Emit
            | EveryNodeKind::Succeed => leaf(true, false, false),
            EveryNodeKind::Fail => leaf(false, true, false),
            EveryNodeKind::Idle => leaf(false, false, true),
        }
    }

    /// The children that are reached if they are tried in turn as long as one `goes_on`.
    fn in_turn<H: Host>(&self, node: NodeRef<'_, H>, goes_on: impl Fn(Ends) -> bool) -> Tried {
        let mut tried =
            Tried { all_succeed: true, all_fail: true, any_succeeds: false, any_fails: false, lasts: false };
        for child in node.children() {
            let ends = self.ends(child);
            tried.all_succeed &= ends.succeeds;
            tried.all_fail &= ends.fails;
            tried.any_succeeds |= ends.succeeds;
            tried.any_fails |= ends.fails;
            tried.lasts |= ends.lasts;
            if !goes_on(ends) {
                break;
            }
        }
        tried
    }

    fn parallel<H: Host>(&self, node: NodeRef<'_, H>, success: Policy, failure: Policy) -> Ends {
        let children: Vec<Ends> = node.children().map(|it| self.ends(it)).collect();
        let met = |policy: Policy, ended: usize| match policy {
            Policy::All => ended == children.len(),
            Policy::Any => ended > 0,
            Policy::AtLeast(count) => ended >= usize::from(count),
        };
        let succeed = children.iter().filter(|it| it.succeeds).count();
        let fail = children.iter().filter(|it| it.fails).count();
        Ends {
            succeeds: met(success, succeed),
            // It fails as well when all have ended and neither policy is met.
            fails: met(failure, fail) || children.iter().all(|it| it.ends()),
            lasts: children.iter().any(|it| it.lasts),
        }
    }
}

/// Whether a switch has a child for every value that needs no look at its keys.
fn covers_all(node: Subtree<'_>) -> bool {
    let has = |wanted: bool| node.enabled_cases().any(|it| it.value == Case::Bool(wanted));
    node.rest().default && node.children().last().is_some_and(|it| !it.disabled) || (has(true) && has(false))
}

/// The possible results of a composite's children that are tried.
struct Tried {
    all_succeed: bool,
    all_fail: bool,
    any_succeeds: bool,
    any_fails: bool,
    lasts: bool,
}

impl Tried {
    fn sequence(self) -> Ends {
        Ends { succeeds: self.all_succeed, fails: self.any_fails, lasts: self.lasts }
    }

    fn selector(self) -> Ends {
        Ends { succeeds: self.any_succeeds, fails: self.all_fail, lasts: self.lasts }
    }
}

/// Whether it goes on to another child after one that succeeds.
pub(super) fn is_sequence(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Sequence | NodeKind::ReactiveSequence | NodeKind::RandomSequence)
}
