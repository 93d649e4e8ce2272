//! The fast tick of a brain, or of an agent whose chunk has few. Most ticks ask the polled
//! conditions that the agent watches, find no change, and update the action on top. Others begin
//! the root, and run leaves that need nothing but their update. All of this needs what leaves see
//! of the agent, but no machine. A machine finishes any other tick.

use super::super::leaves::{Follower, first_leaf, follower, streak};
use super::Simple;
use super::pass::{Watched, first_different};
use crate::clock::Moment;
use crate::host::leaf::states::LeafStates;
use crate::index::{LeafId, NodeId, ObserverId};
use crate::life::{Flags, root_ended};
use crate::observer_bits::ObserverWord;
use crate::trace::Tracer;
use crate::tree::record::Hooks;
use crate::tree::watch::WatchSets;
use crate::{Context, Host, Outcome, Status, Tree};

/// A prepared fast tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastTick {
    at: Top,
    /// The observers that its pass asks.
    watched: Watched,
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
    /// The tick is done, with nothing to note: the action keeps running, or the agent sleeps on.
    Done,
    /// Nothing is done.
    #[default]
    NotStarted,
    /// The pass reached this observer, which a machine has to handle.
    AtObserver(ObserverId),
    /// The tick is done: this leaf runs.
    Running(NodeId),
    /// The tick is done: the root ended.
    RootEnded(Outcome),
    /// This leaf has an outcome. Its `end`, and what follows it, are still to come.
    LeafEnded(NodeId, Outcome),
    /// This leaf runs, and has to be updated again at the agent's `wake`.
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
            return Some(FastTick { at, watched: Watched { polled: 0, keyed: 0, statuses: 0 } });
        }
        let ObserverWord { monitors, statuses, dirty } = word();
        let watched = record.mask & (monitors | watch.always);
        if watched & dirty & watch.keyed != 0 {
            return None;
        }
        let polled = watched & watch.without_mail(statuses);
        Some(FastTick { at, watched: Watched { polled, keyed: watched & watch.keyed, statuses } })
    }

    /// The action that the agent is at.
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
        if self.watched.polled != 0 {
            if let Some(observer) = first_different(tree, states, cx, self.watched, |_, _, _| {}) {
                return Progress::AtObserver(observer);
            }
            (cx.agent.node, cx.agent.sleep) = (self.at.node, Moment::START);
        }
        self.at.go(tree, states, cx)
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

    /// A separate function, as most actions keep running.
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

/// Begins the root of the context's agent, if its first leaf is bare. A separate function, as most
/// agents continue an action.
#[inline(never)]
pub(crate) fn begin<H: Host>(tree: &Tree<H>, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Progress {
    first_leaf(tree).map_or(Progress::NotStarted, |first| run_bare(tree, states, cx, first))
}

/// The data of an agent that had a fast tick.
pub(crate) trait Place {
    /// Its flags; and how its root ended last, as flags.
    fn flags_and_last(&mut self) -> (&mut Flags, &mut Flags);
    /// This leaf is on top now; or nothing, as the root ended, and the agent has no monitors.
    fn put_top(&mut self, top: NodeId);
}

/// Notes a fast tick that is done, in which the agent reached another leaf or its root ended.
/// Returns how far any other tick got. A separate function, as the action of most agents keeps
/// running.
#[inline(never)]
pub(crate) fn note(mut place: impl Place, progress: Progress) -> Progress {
    let (flags, last) = place.flags_and_last();
    let top = match progress {
        Progress::Running(leaf) => {
            *flags -= Flags::FRESH;
            leaf
        }
        // A machine notes an agent that stops.
        Progress::RootEnded(outcome) if !flags.contains(Flags::STOPS) => {
            root_ended(flags, last, outcome);
            NodeId::NONE
        }
        progress => return progress,
    };
    place.put_top(top);
    Progress::Done
}

/// Updates bare leaves of the context's agent, from this one on, as far as they go.
#[inline(always)]
fn run_bare<H: Host>(
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
        let progress = behind(cx, at, status);
        let Progress::LeafEnded(_, outcome) = progress else { return progress };
        match follower(&tree.records, at, outcome) {
            Some(Follower::Leaf(next)) => at = next,
            Some(Follower::End(of_root)) => return Progress::RootEnded(of_root),
            None => return progress,
        }
    }
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
