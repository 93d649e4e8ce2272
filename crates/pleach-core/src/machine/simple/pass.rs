//! The reevaluation pass over a simple tree, whose observers are in one word. Usually nothing has
//! changed: then each condition of the host costs one call.
//!
//! A tracer hears of each recheck, even of those whose answer is known.

use super::super::{Machine, trace};
use super::Simple;
use super::columns::dirty_word;
use crate::host::context::AgentContext;
use crate::host::leaf::TreeLeaf;
use crate::host::leaf::states::LeafStates;
use crate::index::{LeafId, ObserverId};
use crate::row::Row;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::observers::Ask;
use crate::tree::record::Record;
use crate::{Context, Host, NodeId, Status, Tree};

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// The observers that are set and could act while this node is on top of the agent's stack.
    #[inline]
    pub(super) fn watched(&self, top: &Record, agent: Row) -> u64 {
        top.mask & (self.machine.columns.monitor_word(agent) | self.machine.watch.always)
    }

    /// The observers that are set and read a changed key. Asks the tree first, not the node on top,
    /// as this branch is the same for all agents.
    #[inline]
    pub(super) fn changed(&self, agent: Row) -> u64 {
        if self.machine.tree.observers.words == 0 {
            return 0;
        }
        dirty_word(self.machine.cx.agent.changes(), agent)
            & (self.machine.columns.monitor_word(agent) | self.machine.watch.always)
    }

    /// The polled observers that may have a new answer, for an agent without mail.
    #[inline(always)]
    pub(super) fn polled_without_mail(&self, agent: Row) -> u64 {
        self.machine.watch.without_mail(self.machine.columns.status_word(agent))
    }

    /// The pass of the machine's agent. Returns whether it left the agent unchanged.
    #[inline(always)]
    pub(super) fn pass(&mut self) -> bool {
        let top = &self.machine.records[self.machine.columns.only_top(self.machine.cx.agent.at).index()];
        if top.mask == 0 {
            return true;
        }
        match self.first_different(top, u64::MAX) {
            None => true,
            Some(observer) => {
                self.pass_from(observer);
                false
            }
        }
    }

    /// The rest of the pass, starting with this observer.
    #[inline(never)]
    pub(super) fn pass_from(&mut self, observer: ObserverId) {
        let mut next = Some(observer);
        while let Some(observer) = next {
            // A condition of the host has been asked already, and its status differs.
            let differs = self.machine.tree.observers.asks[observer.index() % 64].leaf != LeafId::NONE;
            self.machine.act_on(observer, differs);
            next = self.next_different(observer);
        }
    }

    /// The rest of the pass, after this observer.
    pub(super) fn pass_behind(&mut self, observer: ObserverId) {
        if let Some(next) = self.next_different(observer) {
            self.pass_from(next);
        }
    }

    /// The next observer after this one that the general pass has to handle.
    fn next_different(&mut self, observer: ObserverId) -> Option<ObserverId> {
        let top = &self.machine.records[self.machine.columns.only_top(self.machine.cx.agent.at).index()];
        self.first_different(top, observer.behind())
    }

    /// Asks the observers in `ahead`: see [`first_different`].
    #[inline(always)]
    fn first_different(&mut self, top: &Record, ahead: u64) -> Option<ObserverId> {
        let agent = self.machine.cx.agent.at;
        let watched = self.watched(top, agent) & ahead;
        let no_mail = !T::ENABLED && !self.machine.cx.agent.call.opened.has_events();
        let polled = if no_mail { self.polled_without_mail(agent) } else { self.machine.watch.polled };
        let keyed = watched & self.machine.watch.keyed;
        let statuses = self.machine.columns.status_word(agent);
        let watched = Watched { polled: watched & polled, keyed, statuses };
        let Machine { tree, states, cx, tracer, .. } = &mut *self.machine;
        first_different(tree, states, cx, watched, |agent, node, status| {
            if T::INPUTS
                && let Some(inputs) = tracer.inputs()
            {
                inputs.set_observer(Some(node));
                inputs.answer((agent.agent(), agent.at), node, status);
                inputs.set_observer(None);
            }
            trace(*tracer, tree, agent, TraceEvent::Recheck(node, status));
        })
    }
}

/// The observers that the pass looks at where the agent is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    /// Those that are asked whether or not a key changed.
    pub(super) polled: u64,
    /// Those for which it is known whether a key that they read has changed.
    pub(super) keyed: u64,
    /// Those whose monitors stored success.
    pub(super) statuses: u64,
}

/// Asks the conditions of the host that the context's agent watches: those that are polled, and
/// those that read a changed key. Returns the first observer that is anything else, or whose status
/// differs from the stored one. `told` hears of each answer.
#[inline(always)]
pub(super) fn first_different<H: Host>(
    tree: &Tree<H>,
    states: &mut LeafStates<'_, H>,
    cx: &mut Context<'_, '_, H>,
    watched: Watched,
    mut told: impl FnMut(&AgentContext<'_>, NodeId, Status),
) -> Option<ObserverId> {
    if watched.keyed != 0 {
        return first_different_keyed(tree, states, cx, watched, told);
    }
    // All of them are polled, and have no changed keys to clear.
    let (asks, leaves) = (&*tree.observers.asks, &*tree.leaves);
    let mut due = watched.polled;
    while due != 0 {
        let observer = ObserverId::lowest(0, due);
        due &= due - 1;
        let success = watched.statuses & observer.bit() != 0;
        if !still_says(asks[observer.index() % 64], leaves, states, cx, success, &mut told) {
            return Some(observer);
        }
    }
    None
}

/// The same where keys matter. A separate function, as they rarely do.
#[inline(never)]
fn first_different_keyed<H: Host>(
    tree: &Tree<H>,
    states: &mut LeafStates<'_, H>,
    cx: &mut Context<'_, '_, H>,
    Watched { polled, keyed, statuses }: Watched,
    mut told: impl FnMut(&AgentContext<'_>, NodeId, Status),
) -> Option<ObserverId> {
    let (asks, leaves, at) = (&*tree.observers.asks, &*tree.leaves, cx.agent.at);
    let mut dirty = cx.agent.access.dirty(at);
    let mut due = polled | keyed & dirty;
    while due != 0 {
        let observer = ObserverId::lowest(0, due);
        if dirty & observer.bit() != 0 {
            // This comes before the call, so that a condition that writes a key it reads is asked
            // again.
            cx.agent.access.clear_dirty(at, observer);
        }
        let success = statuses & observer.bit() != 0;
        if !still_says(asks[observer.index() % 64], leaves, states, cx, success, &mut told) {
            return Some(observer);
        }
        due &= due - 1;
        if cx.agent.access.is_marked(at) {
            // The condition may have written keys.
            dirty = cx.agent.access.dirty(at);
            due = (polled | keyed & dirty) & observer.behind();
        }
    }
    None
}

/// Whether the observer is a condition of the host and still has this status.
#[inline(always)]
fn still_says<H: Host>(
    Ask { node, leaf }: Ask,
    leaves: &[TreeLeaf<H>],
    states: &mut LeafStates<'_, H>,
    cx: &mut Context<'_, '_, H>,
    success: bool,
    told: &mut impl FnMut(&AgentContext<'_>, NodeId, Status),
) -> bool {
    // Only a condition of the host has a leaf.
    let Some(leaf) = leaves.get(leaf.index()) else { return false };
    cx.agent.node = node;
    let status = leaf.update(states, cx);
    told(&cx.agent, node, status);
    status == Status::from_bool(success)
}
