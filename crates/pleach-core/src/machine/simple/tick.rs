//! The tick of one agent of a simple tree.

use super::super::chain::Chain;
use super::Simple;
use crate::clock::Moment;
use crate::index::NodeId;
use crate::trace::Tracer;
use crate::tree::record::Then;
use crate::{Host, Outcome, Status};

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// One tick (SEMANTICS 4): how the root ended, if it did. As [`Machine::tick`], without what
    /// such trees cannot have, and without the first and the last line of its trace.
    ///
    /// [`Machine::tick`]: super::Machine::tick
    #[inline(never)]
    pub(crate) fn tick(&mut self, fresh: bool) -> Option<Outcome> {
        if !fresh {
            self.pass();
            return self.tick_after_pass();
        }
        let machine = &mut *self.machine;
        machine.wake = Moment::END;
        let top = match machine.tree.entry {
            Then::Leaf { to, .. } if !T::ENABLED => {
                machine.start_leaf(to, &machine.records[to.index()]);
                to
            }
            Then::Leaf { .. } | Then::Next | Then::Done(_) | Then::Climb => {
                machine.start(NodeId::ROOT);
                NodeId::ROOT
            }
        };
        self.run_from(top, NodeId::ROOT)
    }

    /// What is left of a tick after its pass.
    pub(crate) fn tick_after_pass(&mut self) -> Option<Outcome> {
        self.machine.wake = Moment::END;
        let top = self.machine.columns.only_top(self.machine.cx.agent.at);
        self.run_from(top, top)
    }

    fn run_from(&mut self, top: NodeId, old: NodeId) -> Option<Outcome> {
        let machine = &mut *self.machine;
        if !machine.records[top.index()].is_leaf() {
            let ended = machine.walk(top, NodeId::ROOT, old, true);
            return self.root_ended(ended);
        }
        let (at, chain) = machine.chain(top);
        self.finish_chain(at, chain, old)
    }

    /// What is left of a tick after the pass and the first update.
    #[inline]
    pub(crate) fn tick_after_update(&mut self, status: Status) -> Option<Outcome> {
        let leaf = self.machine.columns.only_top(self.machine.cx.agent.at);
        self.after_update(leaf, leaf, status)
    }

    /// The same, of an agent that may have come to this leaf in this tick: its stack does not say
    /// so yet.
    pub(super) fn tick_after_update_of(&mut self, leaf: NodeId, status: Status) -> Option<Outcome> {
        let agent = self.machine.cx.agent.at;
        let old = self.machine.columns.only_top(agent).some().unwrap_or(NodeId::ROOT);
        self.machine.columns.put_only_top(agent, leaf);
        self.after_update(leaf, old, status)
    }

    #[inline]
    fn after_update(&mut self, leaf: NodeId, old: NodeId, status: Status) -> Option<Outcome> {
        match status {
            Status::Running => {
                self.machine.wake = self.machine.cx.agent.sleep.take().unwrap_or(Moment::START);
                None
            }
            Status::Success => self.after_end(leaf, old, Outcome::Success),
            Status::Failure => self.after_end(leaf, old, Outcome::Failure),
        }
    }

    /// A leaf that was updated ended.
    #[inline(never)]
    fn after_end(&mut self, leaf: NodeId, old: NodeId, outcome: Outcome) -> Option<Outcome> {
        let machine = &mut *self.machine;
        machine.wake = Moment::END;
        let (at, chain) = match machine.follow(leaf, &machine.records[leaf.index()], outcome) {
            Ok(next) => machine.chain(next),
            Err(chain) => (leaf, chain),
        };
        self.finish_chain(at, chain, old)
    }

    /// A chain of leaves stopped.
    fn finish_chain(&mut self, at: NodeId, chain: Chain, old: NodeId) -> Option<Outcome> {
        let machine = &mut *self.machine;
        let agent = machine.cx.agent.at;
        let ended = match chain {
            Chain::Running => {
                machine.columns.put_only_top(agent, at);
                machine.wake = machine.wake_of(&machine.records[at.index()]);
                return None;
            }
            Chain::Done(outcome) => {
                machine.columns.put_only_top(agent, NodeId::NONE);
                Some(outcome)
            }
            Chain::Climb(outcome) => machine.walk_from(at, Some(outcome), NodeId::ROOT, old, true),
        };
        self.root_ended(ended)
    }

    fn root_ended(&mut self, ended: Option<Outcome>) -> Option<Outcome> {
        if ended.is_some() {
            self.machine.columns.clear_all_monitors(self.machine.cx.agent.at);
        }
        ended
    }
}
