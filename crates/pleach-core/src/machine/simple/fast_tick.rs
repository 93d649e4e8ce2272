//! The fast tick of a brain, or of an agent whose chunk has few. Most ticks ask the polled
//! conditions that the agent watches, find no change, and update the action on top. Others begin
//! the root, and run leaves that need nothing but their update. All of this needs what leaves see
//! of the agent, but no machine. A machine finishes any other tick.

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

/// A prepared fast tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastTick {
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

/// How far a fast tick got. In few bytes, so that it is returned in a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The tick is done, and nothing is to be noted: the action goes on, or the agent sleeps on.
    Done,
    /// Nothing is done.
    #[default]
    NotStarted,
    /// The pass came to this observer, which a machine has to handle.
    AtObserver(ObserverId),
    /// The pass came past this observer, which has written keys that later ones read.
    BehindObserver(ObserverId),
    /// The tick is done: this leaf runs.
    Running(NodeId),
    /// The tick is done: the root ended.
    RootEnded(Outcome),
    /// This leaf has an outcome. Its `end`, and what follows it, are still to come.
    LeafEnded(NodeId, Outcome),
    /// This leaf runs, and is to be updated again at the agent's `wake`.
    Sleeping(NodeId),
}

impl FastTick {
    /// Prepares a fast tick, if the agent can have one. The agent has no mail, and plain flags.
    /// `marked`: whether a key that it watches may have changed. `word` is called only if the
    /// answer matters.
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
        let record = tree.records.get(top.index()).filter(|it| it.hooks.contains(Hooks::FAST))?;
        let at = Top { node: top, leaf: record.leaf };
        if !marked && record.mask & watch.polled == 0 {
            return Some(FastTick { at, asked: 0, keyed: 0, statuses: 0 });
        }
        let ObserverWord { monitors, statuses, dirty } = word();
        let watched = record.mask & (monitors | watch.always);
        if watched & dirty & watch.keyed != 0 {
            return None;
        }
        Some(FastTick { at, asked: watched & watch.without_mail(statuses), keyed: watched & watch.keyed, statuses })
    }

    /// The action that the agent stands on.
    #[inline(always)]
    pub(crate) fn top(&self) -> NodeId {
        self.at.node
    }

    /// Ticks the context's agent, whose node is its [top](FastTick::top). Returns how far it got.
    #[inline(always)]
    pub(crate) fn go<H: Host>(
        self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Progress {
        if self.asked != 0 {
            let progress = if self.keyed == 0 && self.statuses & self.asked == 0 {
                self.ask::<H, false>(tree, states, cx)
            } else {
                self.ask::<H, true>(tree, states, cx)
            };
            if progress != Progress::Done {
                return progress;
            }
            (cx.agent.node, cx.agent.sleep) = (self.at.node, Moment::START);
        }
        self.at.go(tree, states, cx)
    }

    /// Asks the polled conditions. Done if no condition changed. Usually all of them failed before,
    /// and no observer of keys is watched beside them: then stored statuses and written keys need
    /// no look. `MIXED` if that is not so.
    #[inline(always)]
    fn ask<H: Host, const MIXED: bool>(
        &self,
        tree: &Tree<H>,
        states: &mut LeafStates<'_, H>,
        cx: &mut Context<'_, '_, H>,
    ) -> Progress {
        let (asks, leaves) = (&*tree.observers.asks, &*tree.leaves);
        let (mut asked, statuses) = (self.asked, self.statuses);
        while asked != 0 {
            let observer = ObserverId::lowest(0, asked);
            let Ask { node, leaf } = asks[observer.index() % 64];
            // What is no condition of the host has no leaf.
            let Some(leaf) = leaves.get(leaf.index()) else { return Progress::AtObserver(observer) };
            cx.agent.node = node;
            let holds = leaf.update(states, cx);
            if holds != Status::from_bool(MIXED && statuses & observer.bit() != 0) {
                return Progress::AtObserver(observer);
            }
            let (at, access) = (cx.agent.at, &cx.agent.access);
            if MIXED && access.is_marked(at) && access.dirty(at) & self.keyed & observer.behind() != 0 {
                return Progress::BehindObserver(observer);
            }
            asked &= asked - 1;
        }
        Progress::Done
    }
}

impl Top {
    /// Updates it. Returns how far the tick got.
    #[inline(always)]
    fn go<H: Host>(self, tree: &Tree<H>, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Progress {
        let status = tree.leaves[self.leaf.index()].update(states, cx);
        if status == Status::Running && cx.agent.sleep == Moment::START {
            return Progress::Done;
        }
        self.ends_or_sleeps(cx, status)
    }

    /// A function of its own, as most actions go on.
    #[inline(never)]
    fn ends_or_sleeps<H: Host>(self, cx: &mut Context<'_, '_, H>, status: Status) -> Progress {
        behind(cx, self.node, status)
    }
}

/// How far a tick got whose last update had this status.
#[inline]
fn behind<H: Host>(cx: &mut Context<'_, '_, H>, leaf: NodeId, status: Status) -> Progress {
    match status.outcome() {
        Some(outcome) => Progress::LeafEnded(leaf, outcome),
        None if cx.agent.sleep == Moment::START => Progress::Running(leaf),
        None => {
            cx.agent.access.life_mut(cx.agent.at).wake = cx.agent.sleep;
            Progress::Sleeping(leaf)
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
) -> Progress {
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
            Err(progress) => return progress,
        }
    }
}

/// The bare leaf that follows a leaf with this status; or how far the tick got.
#[inline]
fn bare_behind<H: Host>(
    tree: &Tree<H>,
    cx: &mut Context<'_, '_, H>,
    at: NodeId,
    status: Status,
) -> Result<NodeId, Progress> {
    let record = &tree.records[at.index()];
    let progress = behind(cx, at, status);
    let then = match progress {
        Progress::LeafEnded(_, outcome) if !record.hooks.contains(Hooks::END) => record.then[outcome as usize],
        progress => return Err(progress),
    };
    let to = match then {
        Then::Next => at.next(),
        Then::Leaf { to, clear } if clear.is_empty() => to,
        Then::Done(of_root) => return Err(Progress::RootEnded(of_root)),
        _ => return Err(progress),
    };
    if is_bare(&tree.records[to.index()]) { Ok(to) } else { Err(progress) }
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// The rest of a fast tick that has begun.
    pub(crate) fn tick_from(&mut self, progress: Progress) -> Option<Outcome> {
        match progress {
            Progress::Done | Progress::NotStarted | Progress::Running(_) => {
                unreachable!("such a tick is done, or has not begun")
            }
            // The agent stops.
            Progress::RootEnded(outcome) => return self.finish_leaves((NodeId::NONE, Some(outcome)), NodeId::ROOT),
            Progress::AtObserver(observer) => self.pass_from(observer),
            Progress::BehindObserver(observer) => self.pass_behind(observer),
            Progress::LeafEnded(leaf, outcome) => return self.tick_after_update_of(leaf, outcome.into()),
            Progress::Sleeping(leaf) => {
                let agent = &mut self.machine.cx.agent;
                agent.sleep = agent.access.life(agent.at).wake;
                return self.tick_after_update_of(leaf, Status::Running);
            }
        }
        self.tick_after_pass()
    }
}
