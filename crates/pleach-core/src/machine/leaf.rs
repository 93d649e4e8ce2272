//! Starts, updates and ends leaves (SEMANTICS 8.18 to 8.21, 8.28, 8.33).

use pleach_expr::expr::KeyIndex;

use super::Machine;
use crate::clock::Moment;
use crate::host::Callbacks;
use crate::index::{ExprId, ObserverId};
use crate::trace::{TraceEvent, Tracer};
use crate::tree::kind::Receiver;
use crate::tree::record::{Hooks, Op, Record, parent};
use crate::{Event, Host, NodeId, Outcome, Status, Symbol};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Resets the memory of a leaf, and calls its `start`.
    #[inline(always)]
    pub(super) fn start_leaf(&mut self, id: NodeId, record: &Record) {
        if record.hooks.contains(Hooks::START) {
            self.start_leaf_hooked(id, record);
        }
    }

    fn start_leaf_hooked(&mut self, id: NodeId, record: &Record) {
        if record.resets {
            return self.start_leaf_with_locals(id, record);
        }
        self.start_own(id, record);
    }

    #[cold]
    fn start_leaf_with_locals(&mut self, id: NodeId, record: &Record) {
        self.reset_keys(id);
        self.start_own(id, record);
    }

    #[inline(always)]
    fn start_own(&mut self, id: NodeId, record: &Record) {
        let agent = self.cx.agent.at;
        // No other leaf has anything to do at its start, nor a hook for it.
        if let Op::Wait { seconds, slot } = record.op {
            let deadline = self.deadline(seconds);
            self.columns.put_moment(agent, slot, deadline);
        } else if let Op::WaitTicks { ticks, slot } = record.op {
            *self.columns.word(agent, slot) = self.count(ticks);
        } else if let Op::WaitFor { slot, .. } = record.op {
            *self.columns.word(agent, slot) = 0;
        } else if let Op::Action { leaf, .. } | Op::Condition { leaf, .. } = record.op
            && !T::REPLAYS
        {
            self.cx.agent.node = id;
            self.leaves[leaf.index()].start(&mut self.states, &mut self.cx);
        }
    }

    /// Updates a leaf.
    #[inline]
    pub(super) fn update_leaf(&mut self, id: NodeId, record: &Record) -> Status {
        if record.hooks.contains(Hooks::HOST) {
            return self.update_host(record.leaf, id);
        }
        self.update_other(id, record)
    }

    /// Updates a leaf in the general way; also a condition in the pass.
    pub(super) fn update_other(&mut self, id: NodeId, record: &Record) -> Status {
        let agent = self.cx.agent.at;
        if record.monitor != ObserverId::NONE {
            // From here on the keys that it reads count as unchanged.
            self.cx.agent.clear_dirty(agent, record.monitor);
        }
        match record.op {
            Op::Action { leaf, .. } | Op::Condition { leaf, .. } => self.update_host(leaf, id),
            Op::Check { expr } => {
                let holds = self.expr(expr).eval_bool(&self.cx.agent);
                Status::from_bool(self.computed(id, holds))
            }
            Op::OnEvent { event, into } => {
                let heard = self.hear(event, into);
                // In the next tick it no longer is.
                self.loud |= heard;
                Status::from_bool(heard)
            }
            Op::Free { token } => {
                let free = self.is_free(token);
                Status::from_bool(self.answered_bool(id, free))
            }
            // Events visible in the tick of its start, in which it is updated once, are older.
            Op::WaitFor { event, into, slot } => {
                let is_later = std::mem::replace(self.columns.word(agent, slot), 1) != 0;
                if is_later && self.hear(event, into) { Status::Success } else { Status::Running }
            }
            Op::Wait { slot, .. } => {
                if self.cx.agent.moment() >= self.columns.moment(agent, slot) {
                    Status::Success
                } else {
                    Status::Running
                }
            }
            Op::WaitTicks { slot, .. } => {
                let left = self.columns.word(agent, slot);
                if *left == 0 {
                    Status::Success
                } else {
                    *left -= 1;
                    Status::Running
                }
            }
            Op::WaitUntil { expr } => {
                self.cx.agent.clear_dirty(agent, record.observers.from);
                if self.expr(expr).eval_bool(&self.cx.agent) { Status::Success } else { Status::Running }
            }
            Op::Set { key, expr } => {
                let value = self.expr(expr).eval(&self.cx.agent);
                self.cx.agent.put_value(key, value);
                Status::Success
            }
            Op::Roll { key, from, to } => {
                let drawn = self.roll(from, to);
                self.cx.agent.put_value(key, drawn);
                Status::Success
            }
            Op::Log { text } => {
                if !T::REPLAYS {
                    H::on_log(self.cx.host, self.cx.agent.agent(), id, &self.tree.texts[text.index()]);
                }
                Status::Success
            }
            Op::Emit { event, payload, to } => {
                let payload = payload.map(|it| self.expr(it).eval(&self.cx.agent));
                let event = Event::of(event, payload);
                self.trace(TraceEvent::Emit(id, event));
                match to {
                    // The game has received it, and its recipients are recorded.
                    _ if T::REPLAYS => {}
                    Receiver::Host => self.cx.hand_over(event),
                    Receiver::Group => self.cx.agent.tell_group(id, event),
                }
                Status::Success
            }
            Op::Succeed => Status::Success,
            Op::Idle => Status::Running,
            Op::Fail => Status::Failure,
            parent!() => unreachable!("`walk` updates leaves, and the pass asks conditions"),
        }
    }

    /// Whether an event of this name is visible. The payload of the first one goes into the key.
    fn hear(&mut self, event: Symbol, into: Option<KeyIndex>) -> bool {
        let found = self.cx.events().find(|it| it.name() == event).copied();
        if let (Some(key), Some(value)) = (into, found.and_then(|it| it.value())) {
            self.cx.agent.put_value(key, value);
        }
        found.is_some()
    }

    /// A leaf ended by itself: sets its monitor, and calls its `end`.
    #[inline(always)]
    pub(super) fn end_leaf(&mut self, id: NodeId, record: &Record, outcome: Outcome) {
        if record.hooks.contains(Hooks::END) {
            self.end_leaf_hooked(id, record, outcome);
        }
    }

    fn end_leaf_hooked(&mut self, id: NodeId, record: &Record, outcome: Outcome) {
        if record.monitor != ObserverId::NONE {
            self.columns.set_monitor(self.cx.agent.at, record.monitor, outcome);
        }
        if let Some(leaf) = Self::calls(record, Callbacks::END)
            && !T::REPLAYS
        {
            self.cx.agent.node = id;
            self.leaves[leaf].end(&mut self.states, &mut self.cx, outcome.into());
        }
    }

    /// The latest moment at which a node that returned Running has something to do again.
    #[inline]
    pub(super) fn wake_of(&mut self, record: &Record) -> Moment {
        let agent = self.cx.agent.at;
        if record.hooks.contains(Hooks::HOST) {
            return self.cx.agent.sleep;
        }
        if let Op::Condition { .. } = record.op {
            self.cx.agent.sleep
        } else if let Op::Wait { slot, .. } | Op::Delay { slot, .. } = record.op {
            self.columns.moment(agent, slot)
        } else if let Op::WaitUntil { expr } = record.op {
            self.wake_of_expr(record, expr)
        } else if let Op::Idle | Op::WaitFor { .. } | Op::Parallel { .. } = record.op {
            // Events end any sleep. A parallel's branches have stacks, and wake-ups, of their own.
            Moment::NEVER
        } else {
            // The very next tick updates it, or runs its child again.
            Moment::START
        }
    }

    /// The same for a WaitUntil.
    #[inline(never)]
    fn wake_of_expr(&self, record: &Record, expr: ExprId) -> Moment {
        let (observer, observers) = (record.observers.from, &self.tree.observers);
        if observer.is_in(&observers.polled) && !observer.is_in(&observers.timed) {
            return Moment::START;
        }
        // Its keys wake it: they are keys of the agent.
        self.turn_of(expr).unwrap_or(Moment::NEVER)
    }
}
