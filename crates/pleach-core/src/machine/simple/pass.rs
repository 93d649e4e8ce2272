//! The reevaluation pass over a simple tree, whose observers are in one word. Mostly nothing has
//! changed: then each condition of the host costs one call.
//!
//! A tracer is told of each recheck, also of those whose answer is known.

use super::Simple;
use super::columns::{clear_dirty, dirty_word};
use crate::index::{LeafId, ObserverId};
use crate::row::Row;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::observers::Ask;
use crate::tree::record::Record;
use crate::{Host, Status};

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

    /// The pass of the machine's agent. Tells whether it left the agent as it was.
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

    /// The rest of the pass, from this observer on.
    #[inline(never)]
    pub(super) fn pass_from(&mut self, observer: ObserverId) {
        let mut next = Some(observer);
        while let Some(observer) = next {
            let machine = &mut *self.machine;
            let Ask { node, leaf } = machine.tree.observers.asks[observer.index() % 64];
            let record = &machine.records[node.index()];
            if leaf != LeafId::NONE {
                // It has been asked already, and its status differs.
                machine.abort(node);
            } else if record.monitor == ObserverId::NONE {
                machine.reevaluate(node, record);
            } else {
                machine.recheck(node, record);
            }
            next = self.next_different(observer);
        }
    }

    /// The rest of the pass, behind this observer.
    pub(super) fn pass_behind(&mut self, observer: ObserverId) {
        if let Some(next) = self.next_different(observer) {
            self.pass_from(next);
        }
    }

    /// The next observer behind this one that the general pass has to handle.
    fn next_different(&mut self, observer: ObserverId) -> Option<ObserverId> {
        let top = &self.machine.records[self.machine.columns.only_top(self.machine.cx.agent.at).index()];
        self.first_different(top, observer.behind()).filter(|_| top.mask != 0)
    }

    /// Asks the observers in `ahead` that are conditions of the host. Returns the first observer
    /// that is anything else, or whose status differs from the stored one.
    #[inline(always)]
    fn first_different(&mut self, top: &Record, ahead: u64) -> Option<ObserverId> {
        let agent = self.machine.cx.agent.at;
        let watched = self.watched(top, agent) & ahead;
        let stored = self.machine.columns.status_word(agent);
        let no_mail = !T::ENABLED && !self.machine.cx.agent.call.opened.has_events();
        let polled = if no_mail { self.polled_without_mail(agent) } else { self.machine.watch.polled };
        if watched & self.machine.watch.keyed == 0 {
            // All of them are polled, and have no changed keys to clear.
            let asks = &*self.machine.tree.observers.asks;
            let mut bits = watched & polled;
            while bits != 0 {
                let observer = ObserverId::lowest(0, bits);
                bits &= bits - 1;
                if !self.still_says(asks[observer.index() % 64], stored & observer.bit() != 0) {
                    return Some(observer);
                }
            }
            return None;
        }
        let mut bits = watched & (polled | dirty_word(self.machine.cx.agent.changes(), agent));
        while bits != 0 {
            let observer = ObserverId::lowest(0, bits);
            // This comes before the call, so that a condition that writes a key it reads is asked
            // again.
            clear_dirty(self.machine.cx.agent.changes_mut(), agent, observer);
            if !self.still_says(self.machine.tree.observers.asks[observer.index() % 64], stored & observer.bit() != 0) {
                return Some(observer);
            }
            // The condition may have written keys.
            let dirty = dirty_word(self.machine.cx.agent.changes(), agent);
            bits = watched & (polled | dirty) & observer.behind();
        }
        None
    }

    /// Whether the observer is a condition of the host and has this status still.
    #[inline(always)]
    fn still_says(&mut self, ask: Ask, success: bool) -> bool {
        let machine = &mut *self.machine;
        // What is no condition of the host has no leaf.
        let Some(leaf) = machine.leaves.get(ask.leaf.index()) else { return false };
        machine.cx.agent.node = ask.node;
        let status = leaf.update(&mut machine.states, &mut machine.cx);
        machine.trace(TraceEvent::Recheck(ask.node, status));
        status == Status::from_bool(success)
    }
}
