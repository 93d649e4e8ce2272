//! The fast path: the ticks of simple trees.
//!
//! A tree is simple if it has one run stack and at most 64 observers, none of which starts nodes or
//! is asked every so often: see [`SimpleTree`], which is worked out at load. Nearly every tree is.
//! What its machine may assume:
//! - the top of the only stack says where an agent is; agent `i`'s is entry `i` of the column;
//! - an agent's monitors, their statuses and its dirty observers are one word each, entry `i` of
//!   their columns;
//! - the observers that could do something are `record.mask` of the top, cut down to those that are
//!   set, and to those that are polled or dirty;
//! - no stack has to go on where a pass of an earlier tick left it.
//!
//! Only [`Machine::simple`] gives a [`Simple`], and all that assumes these things is a method of it:
//! the general machine cannot call it. [`tick`] is a tick of one agent, [`pass`] its reevaluation
//! pass, [`running`] agents next to each other whose actions go on running, [`batch`] agents that
//! stand on the same action wherever they are, [`words`] the columns.
//!
//! What an agent does is the same as on the general path, to the line of the trace. With a tracer
//! nothing is skipped, and the conformance runner compares the traces of both with those without.

pub(crate) mod batch;
mod pass;
pub(crate) mod running;
mod tick;
mod words;

use super::Machine;
use crate::host::Host;
use crate::trace::Tracer;
use crate::tree::SimpleTree;

/// A machine of a simple tree.
pub(crate) struct Simple<'a, 'm, 'h, H: Host, T: Tracer> {
    machine: &'a mut Machine<'m, 'h, H, T>,
}

/// What the fast path needs of its tree, copied to where the machine is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    simple: bool,
    /// The observers that are no monitors.
    always: u64,
    /// The observers that are asked in every tick, whether or not a key changed.
    polled: u64,
}

impl Words {
    /// `every_tick`: every observer is asked in every tick.
    pub(crate) fn new(tree: Option<SimpleTree>, every_tick: bool) -> Self {
        match tree {
            Some(SimpleTree { always, polled }) => {
                Words { simple: true, always, polled: if every_tick { u64::MAX } else { polled } }
            }
            None => Words { simple: false, always: 0, polled: 0 },
        }
    }
}

impl<'m, 'h, H: Host, T: Tracer> Machine<'m, 'h, H, T> {
    /// The fast path, if its tree is simple.
    #[inline(always)]
    pub(crate) fn simple(&mut self) -> Option<Simple<'_, 'm, 'h, H, T>> {
        if self.words.simple { Some(Simple { machine: self }) } else { None }
    }
}

impl<'m, 'h, H: Host, T: Tracer> Simple<'_, 'm, 'h, H, T> {
    /// The machine, for what is the same on both paths.
    pub(crate) fn machine(&mut self) -> &mut Machine<'m, 'h, H, T> {
        self.machine
    }
}
