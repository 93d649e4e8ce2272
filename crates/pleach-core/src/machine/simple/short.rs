//! The short way of an agent whose chunk has few, or of a brain. Mostly its tick asks the
//! polled conditions that it watches, finds them as they were, and updates the action that it
//! stands on. Or it begins its root, or the action ends, and leaves follow that need nothing but
//! their update. All that needs what leaves see of the agent, and no machine. One is made if
//! anything else follows.

use super::super::leaves::streak;
use super::Simple;
use crate::clock::Moment;
use crate::host::leaf::states::LeafStates;
use crate::index::{LeafId, NodeId, ObserverId};
use crate::observer_bits::ObserverWord;
use crate::trace::Tracer;
use crate::tree::observers::Ask;
use crate::tree::record::{Hooks, Record, Then};
use crate::tree::watch::WatchSets;
use crate::{Context, Host, Outcome, Status, Tree};

/// A tick by the short way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    at: Top,
    /// The polled observers that may have a new answer.
    asked: u64,
    /// The watched observers of which it is known whether a key that they read has changed.
    keyed: u64,
    /// The statuses of monitors.
    statuses: u64,
}

/// The action on top of the agent's stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top {
    node: NodeId,
    leaf: LeafId,
}

/// How far the short way led.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Led {
    /// The tick is over: the action goes on running.
    Through,
    /// To this observer, which the machine's pass has to handle.
    To(ObserverId),
    /// Behind this observer, which has written keys that others behind it read.
    Behind(ObserverId),
    /// The tick is over: leaf after leaf ended, up to this one, which runs.
    On(NodeId),
    /// The tick is over: leaf after leaf ended, and with the last one the root.
    Over(Outcome),
    /// This leaf gave this status. If it runs, it wants to be updated again at that moment; at the
    /// start of time, if that is the next tick.
    Updated(NodeId, Status, Moment),
}

impl Short {
    /// The short way, if it may lead through the agent's tick. The agent has no mail, and plain
    /// flags. Beside its top this needs its monitors, their statuses, and the observers that read a
    /// changed key.
    #[inline]
    pub(crate) fn of<H: Host>(
        tree: &Tree<H>,
        watch: &WatchSets,
        top: NodeId,
        ObserverWord { monitors, statuses, dirty }: ObserverWord,
    ) -> Option<Self> {
        if !watch.simple {
            return None;
        }
        let record = &tree.records[top.index()];
        let watched = record.mask & (monitors | watch.always);
        if watched & dirty & watch.keyed != 0 || !record.hooks.contains(Hooks::HOST) {
            return None;
        }
        let asked = watched & watch.without_mail(statuses);
        Some(Short { at: Top { node: top, leaf: record.leaf }, asked, keyed: watched & watch.keyed, statuses })
    }

    /// As [`Short::go`], and never a part of its caller.
    #[inline(never)]
    pub(crate) fn go_apart<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Led {
        self.go(tree, states, cx)
    }

    /// Goes this way with the context's agent.
    #[inline(always)]
    pub(crate) fn go<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Led {
        if let Some(led) = self.ask(tree, states, cx) {
            return led;
        }
        match self.at.update(tree, states, cx) {
            None => Led::Through,
            Some(status) => self.at.behind(tree, states, cx, status),
        }
    }

    /// Asks the polled conditions. Tells how far the way led if one of them ends it.
    #[inline(always)]
    fn ask<H: Host>(&self, tree: &Tree<H>, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Option<Led> {
        let (asks, leaves) = (&*tree.observers.asks, &*tree.leaves);
        let (mut asked, statuses) = (self.asked, self.statuses);
        while asked != 0 {
            let observer = ObserverId::lowest(0, asked);
            let Ask { node, leaf } = asks[observer.index() % 64];
            // What is no condition of the host has no leaf.
            let Some(leaf) = leaves.get(leaf.index()) else { return Some(Led::To(observer)) };
            cx.agent.node = node;
            let holds = leaf.update(states, cx);
            if holds != Status::from_bool(statuses & observer.bit() != 0) {
                return Some(Led::To(observer));
            }
            let (at, access) = (cx.agent.at, &cx.agent.access);
            if self.keyed != 0 && access.is_marked(at) && access.dirty(at) & self.keyed & observer.behind() != 0 {
                return Some(Led::Behind(observer));
            }
            asked &= asked - 1;
        }
        None
    }
}

impl Top {
    /// The action that an agent of a simple tree stands on, if it has nothing to reevaluate: no
    /// observer that could act there is polled, or reads a changed key, which the agent's mark
    /// says.
    #[inline(always)]
    pub(crate) fn unwatched<H: Host>(tree: &Tree<H>, watch: &WatchSets, node: NodeId, marked: bool) -> Option<Self> {
        if marked || !watch.simple {
            return None;
        }
        let record = &tree.records[node.index()];
        let on = record.mask & watch.polled == 0 && record.hooks.contains(Hooks::HOST);
        on.then_some(Top { node, leaf: record.leaf })
    }

    /// Updates it. Tells what it says if it does not go on, or wants to sleep.
    #[inline(always)]
    pub(crate) fn update<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status> {
        cx.agent.node = self.node;
        cx.agent.sleep = Moment::START;
        let status = tree.leaves[self.leaf.index()].update(states, cx);
        if status == Status::Running && cx.agent.sleep == Moment::START { None } else { Some(status) }
    }

    /// The rest of the short way, behind an update that said this.
    #[inline(never)]
    pub(crate) fn behind<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
        status: Status,
    ) -> Led {
        match bare_behind(tree, self.node, status, cx.agent.sleep) {
            Ok(leaf) => run_bare(tree, states, cx, leaf),
            Err(led) => led,
        }
    }
}

/// The leaf with which an agent begins its root, if the short way may lead through that tick.
pub(crate) fn first<H: Host>(tree: &Tree<H>) -> Option<NodeId> {
    match tree.entry {
        Then::Leaf { to, .. } if tree.is_simple() && is_bare(&tree.records[to.index()]) => Some(to),
        _ => None,
    }
}

/// Whether a leaf needs no machine to start and to be updated: whether it is *bare*.
#[inline]
fn is_bare(record: &Record) -> bool {
    record.hooks & (Hooks::HOST | Hooks::START) == Hooks::HOST
}

/// Updates bare leaves of the context's agent, from this one on, as far as they go. An agent that
/// begins its root does so with the [`first`].
#[inline(never)]
pub(crate) fn run_bare<H: Host>(
    tree: &Tree<H>,
    states: &mut LeafStates<'_, H>,
    cx: &mut Context<'_, '_, H>,
    mut at: NodeId,
) -> Led {
    loop {
        let record = &tree.records[at.index()];
        let status;
        if record.streak > 0 {
            (at, status) = streak(&tree.leaves, states, cx, at, record);
        } else {
            cx.agent.node = at;
            cx.agent.sleep = Moment::START;
            status = tree.leaves[record.leaf.index()].update(states, cx);
        }
        match bare_behind(tree, at, status, cx.agent.sleep) {
            Ok(leaf) => at = leaf,
            Err(led) => return led,
        }
    }
}

/// The bare leaf that follows a leaf with this status; or how far the short way led.
#[inline]
fn bare_behind<H: Host>(tree: &Tree<H>, at: NodeId, status: Status, sleep: Moment) -> Result<NodeId, Led> {
    let record = &tree.records[at.index()];
    let then = match status.outcome() {
        None if sleep == Moment::START => return Err(Led::On(at)),
        Some(outcome) if !record.hooks.contains(Hooks::END) => record.then[outcome as usize],
        _ => return Err(Led::Updated(at, status, sleep)),
    };
    let to = match then {
        Then::Next => at.next(),
        Then::Leaf { to, clear } if clear.is_empty() => to,
        Then::Done(of_root) => return Err(Led::Over(of_root)),
        _ => return Err(Led::Updated(at, status, sleep)),
    };
    if is_bare(&tree.records[to.index()]) { Ok(to) } else { Err(Led::Updated(at, status, sleep)) }
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// The rest of the tick of an agent that the short way did not lead through it.
    pub(crate) fn tick_from(&mut self, led: Led) -> Option<Outcome> {
        match led {
            Led::Through | Led::On(_) => unreachable!("such ticks are noted without a machine"),
            // The agent stops.
            Led::Over(outcome) => return self.finish_leaves((NodeId::NONE, Some(outcome)), NodeId::ROOT),
            Led::To(observer) => self.pass_from(observer),
            Led::Behind(observer) => self.pass_behind(observer),
            Led::Updated(leaf, status, sleep) => {
                self.machine.cx.agent.sleep = sleep;
                return self.tick_after_update_of(leaf, status);
            }
        }
        self.tick_after_pass()
    }
}
