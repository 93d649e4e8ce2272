//! The tick of one agent of a simple tree.

use super::super::leaves::Stop;
use super::Simple;
use crate::clock::Moment;
use crate::index::NodeId;
use crate::trace::Tracer;
use crate::{Host, Outcome, Status};

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// One tick (SEMANTICS 4). Returns how the root ended, if it ended. As [`Machine::tick`],
    /// without what such trees cannot have, and without the first and the last line of its trace.
    ///
    /// [`Machine::tick`]: super::Machine::tick
    #[inline(never)]
    pub(crate) fn tick(&mut self, fresh: bool) -> Option<Outcome> {
        if !fresh {
            self.pass();
            return self.tick_after_pass();
        }
        self.machine.wake = Moment::NEVER;
        let at = self.machine.start_root();
        self.run_from(at, NodeId::ROOT)
    }

    /// The rest of a tick after its pass.
    pub(crate) fn tick_after_pass(&mut self) -> Option<Outcome> {
        self.machine.wake = Moment::NEVER;
        let top = self.machine.columns.only_top(self.machine.cx.agent.at);
        self.run_from(top, top)
    }

    pub(super) fn run_from(&mut self, top: NodeId, mut old: NodeId) -> Option<Outcome> {
        let machine = &mut *self.machine;
        if !machine.records[top.index()].is_leaf() {
            let ended = machine.walk(top, NodeId::ROOT, old, true);
            return self.root_ended(ended);
        }
        let stop = machine.run_leaves(top, &mut old);
        self.finish_leaves(stop, old)
    }

    /// The rest of a tick after the pass and the first update.
    #[inline]
    pub(crate) fn tick_after_update(&mut self, status: Status) -> Option<Outcome> {
        let leaf = self.machine.columns.only_top(self.machine.cx.agent.at);
        self.after_update(leaf, leaf, status)
    }

    /// The same, for an agent that may have reached this leaf in this tick: its stack does not yet
    /// show it.
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
                self.machine.wake = self.machine.cx.agent.sleep;
                None
            }
            Status::Success => self.after_end(leaf, old, Outcome::Success),
            Status::Failure => self.after_end(leaf, old, Outcome::Failure),
        }
    }

    /// The rest of a tick after a leaf that was updated ended.
    #[inline(never)]
    fn after_end(&mut self, leaf: NodeId, mut old: NodeId, outcome: Outcome) -> Option<Outcome> {
        let machine = &mut *self.machine;
        machine.wake = Moment::NEVER;
        let stop = match machine.follow(leaf, &machine.records[leaf.index()], outcome, &mut old) {
            Ok(next) => {
                machine.start_leaf(next, &machine.records[next.index()]);
                machine.run_leaves(next, &mut old)
            }
            Err(stop) => stop,
        };
        self.finish_leaves(stop, old)
    }

    /// The rest of a tick after a run of leaves stopped.
    pub(super) fn finish_leaves(&mut self, (at, ended): Stop, old: NodeId) -> Option<Outcome> {
        let machine = &mut *self.machine;
        let agent = machine.cx.agent.at;
        let ended = match ended {
            None => {
                machine.columns.put_only_top(agent, at);
                machine.wake = machine.wake_of(&machine.records[at.index()]);
                return None;
            }
            Some(_) if at == NodeId::NONE => {
                machine.columns.put_only_top(agent, NodeId::NONE);
                ended
            }
            Some(_) => machine.walk_from(at, ended, NodeId::ROOT, old, true),
        };
        self.root_ended(ended)
    }

    fn root_ended(&mut self, ended: Option<Outcome>) -> Option<Outcome> {
        if ended.is_some() {
            self.machine.columns.clear_monitor_word(self.machine.cx.agent.at);
        }
        ended
    }
}
