//! The interpreter: a stack machine over the records of a tree and the columns of a chunk. It
//! implements SEMANTICS 3 to 7.
//!
//! This file has the tick and the lifecycle. [`run`] visits nodes, [`leaves`] goes from leaf to
//! leaf, [`simple`] is the fast path. [`parallel`] has the branches of parallels, [`leaf`] the
//! leaves, [`amounts`] spans and counts when they begin, [`ends`] everything that is aborted,
//! [`pass`] the reevaluation pass, [`reactive`] the composites that rerun their children, [`order`]
//! those that order their children, [`switch`] the one that selects among them, [`token`] those
//! that ask for a place, [`notes`] the turn of an agent, [`state`] the state of each agent,
//! [`scratch`] what only a tick needs.
//!
//! Nothing here recurses, allocates, or fails.

mod amounts;
pub(crate) mod carry;
mod ends;
pub(crate) mod inputs;
mod leaf;
pub(crate) mod leaves;
pub(crate) mod notes;
mod order;
mod parallel;
mod pass;
mod reactive;
mod run;
pub(crate) mod scratch;
pub(crate) mod simple;
pub(crate) mod state;
mod switch;
pub(crate) mod token;

use std::sync::Arc;

use crate::clock::Moment;
use crate::host::Callbacks;
use crate::host::context::AgentContext;
use crate::host::leaf::TreeLeaf;
use crate::host::leaf::states::LeafStates;
use crate::index::{MemoryOffset, StackId};
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{Op, Record};
use crate::tree::watch::WatchSets;
use crate::{Context, Host, NodeId, Outcome, Reason, Tree};
use scratch::Scratch;
use state::RunColumns;

/// One chunk's agents, ready to be ticked one after the other.
pub(crate) struct Machine<'m, 'h, H: Host, T: Tracer> {
    pub(crate) tree: &'m Tree<H>,
    pub(crate) records: &'m [Record],
    pub(crate) columns: RunColumns<'m>,
    pub(crate) leaves: &'m [TreeLeaf<H>],
    pub(crate) states: LeafStates<'m, H>,
    pub(crate) cx: Context<'m, 'h, H>,
    pub(crate) scratch: &'m mut Scratch,
    pub(crate) tracer: &'m mut T,
    /// What the fast path needs to know about the tree.
    pub(crate) watch: WatchSets,
    /// The earliest moment at which the agent has something to do, as far as the current tick
    /// knows.
    pub(crate) wake: Moment,
    /// Whether something was started that a reactive composite cannot leave out (SEMANTICS 8.37).
    pub(crate) loud: bool,
    /// How many conditional aborts there were, over all agents.
    pub(crate) aborts: u32,
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    #[inline]
    fn trace(&mut self, event: TraceEvent) {
        trace(self.tracer, self.tree, &self.cx.agent, event);
    }

    /// One tick (SEMANTICS 4). Returns how the root ended, if it ended.
    #[inline]
    pub(crate) fn tick(&mut self, fresh: bool) -> Option<Outcome> {
        if let Some(mut simple) = self.simple() {
            return simple.tick(fresh);
        }
        self.wake = Moment::NEVER;
        self.trace(TraceEvent::Tick);
        let ended = if self.tree.bottoms.len() == 1 { self.tick_one_stack(fresh) } else { self.tick_stacks(fresh) };
        if ended.is_some() {
            self.columns.clear_all_monitors(self.cx.agent.at);
        }
        if !self.tree.tokens.is_empty() {
            self.end_asking();
        }
        self.trace(TraceEvent::TickEnd);
        ended
    }

    #[inline]
    fn tick_one_stack(&mut self, fresh: bool) -> Option<Outcome> {
        if fresh {
            return self.run_root();
        }
        let agent = self.cx.agent.at;
        if let Some(from) = self.tree.resume {
            self.load_resume(from);
        }
        if self.tree.observers.words > 0 {
            self.pass();
        }
        let ended = if self.scratch.stack(StackId::FIRST).done {
            None
        } else {
            self.run(self.columns.top(agent, StackId::FIRST), NodeId::ROOT)
        };
        if let Some(from) = self.tree.resume {
            self.save_resume(from);
        }
        self.scratch.reset(self.tree.bottoms.len());
        ended
    }

    fn tick_stacks(&mut self, fresh: bool) -> Option<Outcome> {
        let at = self.cx.agent.at;
        if fresh {
            // All other stacks are empty, and the root's has nothing to reevaluate.
            return self.run_root();
        }
        if let Some(from) = self.tree.resume {
            self.load_resume(from);
        }
        for stack in self.tree.bottoms.ids() {
            self.scratch.stack(stack).old = self.columns.top(at, stack) != NodeId::NONE;
        }
        if self.tree.observers.words > 0 {
            self.pass();
        }
        let mut ended = None;
        for stack in self.tree.bottoms.ids() {
            let bottom = self.tree.bottoms[stack];
            let top = self.columns.top(at, stack);
            if !self.scratch.stack(stack).old
                || self.scratch.stack(stack).done
                || top == NodeId::NONE
                || self.is_decided(bottom)
            {
                continue;
            }
            if let Some(outcome) = self.run(top, bottom) {
                match self.tree.rec(bottom).parent.some() {
                    Some(parallel) => self.tell_parallel(parallel, outcome),
                    None => ended = Some(outcome),
                }
            }
        }
        if let Some(from) = self.tree.resume {
            self.save_resume(from);
        }
        self.scratch.reset(self.tree.bottoms.len());
        ended
    }

    /// Whether a parallel above this bottom has a verdict.
    fn is_decided(&self, bottom: NodeId) -> bool {
        let mut at = bottom;
        while let Some(parallel) = self.tree.rec(at).parent.some() {
            if self.verdict_of(parallel).is_some() {
                return true;
            }
            at = self.tree.bottoms[self.tree.rec(parallel).stack];
        }
        false
    }

    fn load_resume(&mut self, from: MemoryOffset) {
        let at = self.cx.agent.at;
        for stack in self.tree.bottoms.ids() {
            if let Some(resume) = self.columns.node(at, from.of_stack(stack)) {
                self.scratch.stack(stack).resume = resume;
            }
        }
    }

    fn save_resume(&mut self, from: MemoryOffset) {
        let at = self.cx.agent.at;
        for stack in self.tree.bottoms.ids() {
            // A branch that was to be started is dropped if its parallel has ended.
            let live = self.columns.top(at, stack) != NodeId::NONE;
            let resume = self.scratch.stack(stack).resume.some().filter(|_| live);
            if resume.is_some() {
                // The stack carries on in the next tick, even if the other stacks wait.
                self.wake = Moment::START;
            }
            self.columns.put_node(at, from.of_stack(stack), resume);
        }
    }

    /// Ends everything that is active, from outside.
    pub(crate) fn stop(&mut self, reason: Reason) {
        let at = self.cx.agent.at;
        if self.columns.top(at, self.root_stack()) != NodeId::NONE {
            self.end_subtree(NodeId::ROOT, reason);
        }
        if !self.tree.tokens.is_empty() {
            self.stop_waiting();
        }
        self.columns.clear_all_monitors(at);
    }

    /// Tells every active leaf that the agent pauses or resumes, in pre-order.
    pub(crate) fn pause(&mut self, paused: bool) {
        if paused && !self.tree.tokens.is_empty() {
            self.stop_waiting();
        }
        let at = self.cx.agent.at;
        // Goes from the first top to the last: one step if there is one stack, and never more steps
        // than nodes. The order of the stacks themselves is not pre-order.
        let tops = || self.columns.tops(at).iter().copied().filter(|&it| it != NodeId::NONE);
        let Some((first, last)) = tops().min().zip(tops().max()) else { return };
        for index in first.index()..=last.index() {
            let top = NodeId::new(index).expect("T1");
            let record = self.tree.rec(top);
            if !record.is_leaf() || self.columns.top(at, record.stack) != top {
                continue;
            }
            if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = self.tree.rec(top).op
                && calls.contains(Callbacks::LIFECYCLE)
                && !T::REPLAYS
            {
                self.cx.agent.node = top;
                self.leaves[leaf.index()].pause(&mut self.states, &mut self.cx, paused);
            }
            self.trace(if paused { TraceEvent::Pause(top) } else { TraceEvent::Unpause(top) });
        }
    }

    fn root_stack(&self) -> StackId {
        self.tree.rec(NodeId::ROOT).stack
    }
}

/// Reports an event of an agent to a tracer, if it wants the agent.
#[inline]
fn trace<H: Host, T: Tracer>(tracer: &mut T, tree: &Tree<H>, agent: &AgentContext<'_>, event: TraceEvent) {
    if T::ENABLED && tracer.wants(agent.agent()) {
        tracer.record_named(|| Arc::clone(tree.trace_names()), agent.agent(), event);
    }
}
