//! The short way of an agent whose chunk has few, or of a brain. Mostly its tick asks the
//! polled conditions that it watches, finds them as they were, and updates the action that it
//! stands on. Or it begins its root, and leaves follow that need nothing but their update. All
//! that needs what leaves see of the agent, and no machine. A machine does the rest where it ends.

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
struct Top {
    node: NodeId,
    leaf: LeafId,
}

/// How far the short way led. In few bytes, so that it is returned in a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Led {
    /// Through the tick, after which all is as it was: the action goes on, or the agent sleeps on.
    Through,
    /// Nowhere.
    #[default]
    Nowhere,
    /// To this observer, which the machine's pass has to handle.
    To(ObserverId),
    /// Behind this observer, which has written keys that others behind it read.
    Behind(ObserverId),
    /// Through the tick, to this leaf, which runs.
    On(NodeId),
    /// Through the tick, in which the root ended.
    Over(Outcome),
    /// This leaf ended, and its parent has to be told; its own end is still to come.
    Ended(NodeId, Outcome),
    /// This leaf runs, and wants to be updated again when the agent's `wake` says.
    Sleeps(NodeId),
}

impl Short {
    /// The short way, if it may lead through the agent's tick. The agent has no mail, and plain
    /// flags. `marked` is its mark: whether a key that it watches may have changed. What is kept of
    /// its observers is only read if that matters.
    #[inline(always)]
    pub(crate) fn of<H: Host>(
        tree: &Tree<H>,
        watch: &WatchSets,
        top: NodeId,
        marked: bool,
        word: impl FnOnce() -> ObserverWord,
    ) -> Option<Self> {
        // In a tree that is not simple this may be no node, or not the agent's; none of its records
        // has the hook.
        let record = tree.records.get(top.index()).filter(|it| it.hooks.contains(Hooks::SHORT))?;
        let at = Top { node: top, leaf: record.leaf };
        if !marked && record.mask & watch.polled == 0 {
            return Some(Short { at, asked: 0, keyed: 0, statuses: 0 });
        }
        let ObserverWord { monitors, statuses, dirty } = word();
        let watched = record.mask & (monitors | watch.always);
        if watched & dirty & watch.keyed != 0 {
            return None;
        }
        Some(Short { at, asked: watched & watch.without_mail(statuses), keyed: watched & watch.keyed, statuses })
    }

    /// The action that the agent stands on.
    #[inline(always)]
    pub(crate) fn top(&self) -> NodeId {
        self.at.node
    }

    /// Goes this way with the context's agent, from its [top](Short::top). Tells how far it led.
    #[inline(always)]
    pub(crate) fn go<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Led {
        if self.asked != 0 {
            let led = if self.keyed == 0 && self.statuses & self.asked == 0 {
                self.ask::<H, false>(tree, states, cx)
            } else {
                self.ask::<H, true>(tree, states, cx)
            };
            if led != Led::Through {
                return led;
            }
            (cx.agent.node, cx.agent.sleep) = (self.at.node, Moment::START);
        }
        self.at.go(tree, states, cx)
    }

    /// Asks the polled conditions. Leads through if all of them say what they said. Mostly all of
    /// them failed, and nothing that reads keys is watched beside them: then nobody has to look
    /// what each said, and whether it has written a key. `MIXED` if not.
    #[inline(always)]
    fn ask<H: Host, const MIXED: bool>(
        &self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Led {
        let (asks, leaves) = (&*tree.observers.asks, &*tree.leaves);
        let (mut asked, statuses) = (self.asked, self.statuses);
        while asked != 0 {
            let observer = ObserverId::lowest(0, asked);
            let Ask { node, leaf } = asks[observer.index() % 64];
            // What is no condition of the host has no leaf.
            let Some(leaf) = leaves.get(leaf.index()) else { return Led::To(observer) };
            cx.agent.node = node;
            let holds = leaf.update(states, cx);
            if holds != Status::from_bool(MIXED && statuses & observer.bit() != 0) {
                return Led::To(observer);
            }
            let (at, access) = (cx.agent.at, &cx.agent.access);
            if MIXED && access.is_marked(at) && access.dirty(at) & self.keyed & observer.behind() != 0 {
                return Led::Behind(observer);
            }
            asked &= asked - 1;
        }
        Led::Through
    }
}

impl Top {
    /// Updates it. Tells how far that led.
    #[inline(always)]
    fn go<H: Host>(self, tree: &Tree<H>, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Led {
        let status = tree.leaves[self.leaf.index()].update(states, cx);
        if status == Status::Running && cx.agent.sleep == Moment::START {
            return Led::Through;
        }
        self.ends_or_sleeps(cx, status)
    }

    /// A function of its own, as most actions go on.
    #[inline(never)]
    fn ends_or_sleeps<H: Host>(self, cx: &mut Context<'_, '_, H>, status: Status) -> Led {
        behind(cx, self.node, status)
    }
}

/// How far an update that said this led.
#[inline]
fn behind<H: Host>(cx: &mut Context<'_, '_, H>, leaf: NodeId, status: Status) -> Led {
    match status.outcome() {
        Some(outcome) => Led::Ended(leaf, outcome),
        None if cx.agent.sleep == Moment::START => Led::On(leaf),
        None => {
            cx.agent.access.life_mut(cx.agent.at).wake = cx.agent.sleep;
            Led::Sleeps(leaf)
        }
    }
}

/// The leaf with which an agent begins its root, if it is bare.
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
        match bare_behind(tree, cx, at, status) {
            Ok(leaf) => at = leaf,
            Err(led) => return led,
        }
    }
}

/// The bare leaf that follows a leaf with this status; or how far the short way led.
#[inline]
fn bare_behind<H: Host>(
    tree: &Tree<H>,
    cx: &mut Context<'_, '_, H>,
    at: NodeId,
    status: Status,
) -> Result<NodeId, Led> {
    let record = &tree.records[at.index()];
    let led = behind(cx, at, status);
    let then = match led {
        Led::Ended(_, outcome) if !record.hooks.contains(Hooks::END) => record.then[outcome as usize],
        led => return Err(led),
    };
    let to = match then {
        Then::Next => at.next(),
        Then::Leaf { to, clear } if clear.is_empty() => to,
        Then::Done(of_root) => return Err(Led::Over(of_root)),
        _ => return Err(led),
    };
    if is_bare(&tree.records[to.index()]) { Ok(to) } else { Err(led) }
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// The rest of the tick of an agent that the short way did not lead through it. It has led
    /// somewhere.
    pub(crate) fn tick_from(&mut self, led: Led) -> Option<Outcome> {
        match led {
            Led::Through | Led::Nowhere | Led::On(_) => unreachable!("of such ticks nothing is left, or all"),
            // The agent stops.
            Led::Over(outcome) => return self.finish_leaves((NodeId::NONE, Some(outcome)), NodeId::ROOT),
            Led::To(observer) => self.pass_from(observer),
            Led::Behind(observer) => self.pass_behind(observer),
            Led::Ended(leaf, outcome) => return self.tick_after_update_of(leaf, outcome.into()),
            Led::Sleeps(leaf) => {
                let agent = &mut self.machine.cx.agent;
                agent.sleep = agent.access.life(agent.at).wake;
                return self.tick_after_update_of(leaf, Status::Running);
            }
        }
        self.tick_after_pass()
    }
}
