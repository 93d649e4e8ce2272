//! The fast path: the ticks of simple trees.
//!
//! A tree is simple if it has one run stack and at most 64 observers, none of which is below a
//! reactive composite or asked at intervals: see [`WatchSets`], which are computed at load. Nearly
//! every tree is simple. Its machine may assume:
//! - the top of the only stack says where an agent is; that of agent `i` is entry `i` of the
//!   column;
//! - an agent's monitors, their statuses and its dirty observers are one word each, entry `i` of
//!   their columns;
//! - the observers that could do something are those in `record.mask` of the top that are set, and
//!   that are polled or dirty;
//! - no stack has to continue where a pass of an earlier tick left it.
//!
//! Only [`Machine::simple`] and [`Machine::in_batches`] return a [`Simple`], and only for a simple
//! tree. Everything that assumes these things is a method of it: the general machine cannot use a
//! part of the fast path. [`tick`] is the tick of one agent, [`pass`] its reevaluation pass.
//! [`running`] ticks neighbours whose actions keep running. [`wake`] ticks sleepers whose `Wait` is
//! over. [`batch`] ticks agents that are at the same action, wherever they are. [`fast_tick`] is
//! most of a tick of an agent where there are few, without a machine. [`columns`] reads the columns
//! as above.
//!
//! [`WatchSets`]: crate::tree::watch::WatchSets
//!
//! With a tracer agents take the general path, except in batches: there the calls and their order
//! depend on all agents, so it has to be the same code, and that code traces. The conformance
//! runner plays every scenario and every random one both ways, and compares what the host sees: so
//! the two paths check each other, and the oracle checks both.

pub(crate) mod batch;
mod columns;
pub(crate) mod fast_tick;
mod pass;
pub(crate) mod running;
mod tick;
pub(crate) mod wake;

use super::Machine;
use crate::host::Host;
use crate::trace::Tracer;

/// A machine of a simple tree.
pub(crate) struct Simple<'a, 'm, 'h, H: Host, T: Tracer> {
    machine: &'a mut Machine<'m, 'h, H, T>,
}

impl<'m, 'h, H: Host, T: Tracer> Machine<'m, 'h, H, T> {
    /// The fast path, if the machine's tree is simple and it has no tracer.
    #[inline(always)]
    pub(crate) fn simple(&mut self) -> Option<Simple<'_, 'm, 'h, H, T>> {
        if T::ENABLED || T::REPLAYS { None } else { self.in_batches() }
    }

    /// The fast path, if the machine's tree is simple and no leaf is forced: for agents in batches,
    /// which it traces.
    #[inline(always)]
    pub(crate) fn in_batches(&mut self) -> Option<Simple<'_, 'm, 'h, H, T>> {
        if self.watch.simple && !T::REPLAYS && !self.forces() { Some(Simple { machine: self }) } else { None }
    }
}

impl<'m, 'h, H: Host, T: Tracer> Simple<'_, 'm, 'h, H, T> {
    /// The machine, for the work that is the same on both paths.
    pub(crate) fn machine(&mut self) -> &mut Machine<'m, 'h, H, T> {
        self.machine
    }
}
