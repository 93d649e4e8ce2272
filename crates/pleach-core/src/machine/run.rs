//! Starting, visiting and ending nodes (SEMANTICS 3). One loop goes down and up a stack, and over
//! to the stacks of a parallel's children and back.

use super::Machine;
use crate::clock::Span;
use crate::host::Callbacks;
use crate::index::{MemoryOffset, NodeId, StackId};
use crate::trace::{TraceEvent, Tracer};
use crate::tree::amount::{NodeCount, NodeSpan};
use crate::tree::record::{Cools, GuardTest, Op, Record, leaf};
use crate::{Host, Outcome, Status};

/// What a visit of a parent without a running child leads to.
enum First {
    Child(NodeId),
    Running,
    Ended(Outcome),
}

/// What follows when a parent hears that a child ended.
enum ParentStep {
    Child(NodeId),
    /// A repeating decorator starts its child once more.
    Again,
    Ended(Outcome),
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Starts the root and runs it.
    #[inline]
    pub(super) fn run_root(&mut self) -> Option<Outcome> {
        let at = self.start_root();
        self.walk(at, NodeId::ROOT, NodeId::ROOT, true)
    }

    /// Visits `top`, repeatedly, until it returns Running (`None`) or `bottom`, the bottom of its
    /// stack, has ended.
    #[inline]
    pub(super) fn run(&mut self, top: NodeId, bottom: NodeId) -> Option<Outcome> {
        self.walk(top, bottom, top, true)
    }

    /// Starts `child` of a reactive composite and runs it, but not its parent.
    pub(super) fn rerun(&mut self, child: NodeId) -> Option<Outcome> {
        let above = self.tree.rec(child).parent;
        self.start(child);
        self.walk(child, child, above, false)
    }

    /// The loop. `at` is the top of its stack. The loop stops when `stop` ends.
    ///
    /// `old` separates what was there before this visit from what it started. A repeating decorator
    /// at or below `old` may run its child once more, as the child that just ended was not started
    /// in this visit: nodes above `old` on the path have lower indices, and nodes that were started
    /// since have not been passed.
    ///
    /// `ahead` allows the loop to follow continuations. Only if `stop` is the bottom of its stack:
    /// a continuation stops at no other node.
    pub(super) fn walk(&mut self, at: NodeId, stop: NodeId, old: NodeId, ahead: bool) -> Option<Outcome> {
        self.walk_from(at, None, stop, old, ahead)
    }

    /// [`walk`](Machine::walk). If there is an `ended`, `at` has been updated already and ended
    /// like that.
    pub(super) fn walk_from(
        &mut self,
        mut at: NodeId,
        mut ended: Option<Outcome>,
        stop: NodeId,
        mut old: NodeId,
        ahead: bool,
    ) -> Option<Outcome> {
        let (tree, records) = (self.tree, self.records);
        let agent = self.cx.agent.at;
        let home = tree.rec(at).stack;
        'visit: loop {
            let record = &records[at.index()];
            let stack = record.stack;
            let mut outcome = if let Some(outcome) = ended.take() {
                outcome
            } else if record.is_leaf() {
                let ended;
                (at, ended) = if ahead { self.run_leaves(at, &mut old) } else { (at, self.run_leaf(at)) };
                match ended {
                    None => match self.yielded(at, stack, home) {
                        Some(parallel) => {
                            at = parallel;
                            continue 'visit;
                        }
                        None => return None,
                    },
                    Some(outcome) if at == NodeId::NONE => {
                        self.columns.put_top(agent, stack, NodeId::NONE);
                        if record.stack == home {
                            return Some(outcome);
                        }
                        let parallel = tree.rec(tree.bottoms[stack]).parent;
                        self.tell_parallel(parallel, outcome);
                        at = parallel;
                        continue 'visit;
                    }
                    Some(outcome) => outcome,
                }
            } else {
                match self.visit_parent(at, record, stack) {
                    First::Child(child) => {
                        self.start(child);
                        at = child;
                        continue 'visit;
                    }
                    First::Running => match self.yielded(at, stack, home) {
                        Some(parallel) => {
                            at = parallel;
                            continue 'visit;
                        }
                        None => return None,
                    },
                    First::Ended(outcome) => outcome,
                }
            };
            // `at` ended by itself: tells its parent, which tells its own if it ends as well, and
            // so on.
            loop {
                let record = tree.rec(at);
                self.finish(at, record, outcome);
                if at == stop {
                    return Some(outcome);
                }
                let parent = record.parent;
                if record.bottom {
                    self.tell_parallel(parent, outcome);
                    at = parent;
                    continue 'visit;
                }
                let was_old = old > parent;
                old = old.min(parent);
                match self.told(parent, at, outcome) {
                    ParentStep::Child(child) => {
                        self.start(child);
                        at = child;
                        continue 'visit;
                    }
                    ParentStep::Again if was_old => {
                        self.start(parent.next());
                        at = parent.next();
                        continue 'visit;
                    }
                    ParentStep::Again => match self.yielded(parent, record.stack, home) {
                        Some(parallel) => {
                            at = parallel;
                            continue 'visit;
                        }
                        None => return None,
                    },
                    ParentStep::Ended(verdict) => {
                        outcome = verdict;
                        at = parent;
                    }
                }
            }
        }
    }

    /// *visit(n)* of a parent that has no running child.
    fn visit_parent(&mut self, id: NodeId, record: &Record, stack: StackId) -> First {
        if let Op::Parallel { slot, .. } = record.op {
            return match self.verdict_of(id) {
                Some(verdict) => First::Ended(verdict),
                None => self.next_branch(id, slot).map_or(First::Running, First::Child),
            };
        }
        if let Some(verdict) = self.scratch.stack(stack).verdict.take() {
            return First::Ended(verdict);
        }
        if let Some(child) = std::mem::replace(&mut self.scratch.stack(stack).resume, NodeId::NONE).some() {
            return First::Child(child);
        }
        self.first(id, record)
    }

    /// A stack returned Running, with `top` on it. Returns the parallel to continue with, if this
    /// walk began the stack.
    #[inline]
    fn yielded(&mut self, top: NodeId, stack: StackId, home: StackId) -> Option<NodeId> {
        self.columns.put_top(self.cx.agent.at, stack, top);
        let record = self.tree.rec(top);
        self.wake = self.wake.min(self.wake_of(record));
        if record.stack == home { None } else { Some(self.tree.rec(self.tree.bottoms[stack]).parent) }
    }

    /// *start(n)* of SEMANTICS 3.
    pub(super) fn start(&mut self, id: NodeId) {
        let record = self.tree.rec(id);
        let agent = self.cx.agent.at;
        if record.resets && !record.is_leaf() {
            self.reset_keys(id);
        }
        self.loud |= record.loud;
        self.columns.put_top(agent, record.stack, id);
        self.columns.clear_monitors(agent, record.observers);
        self.trace(TraceEvent::Start(id));
        if record.is_leaf() {
            self.start_leaf(id, record);
            return;
        }
        match record.op {
            Op::Parallel { slot, .. } => {
                if self.scratch.branches {
                    self.forget_branches(record.stacks);
                }
                *self.columns.word(agent, slot) = 0;
                *self.columns.word(agent, slot.next()) = 0;
            }
            Op::Repeat { count: NodeCount::Fixed(0), .. } => {}
            Op::Repeat { count, slot, .. } | Op::Attempts { count, slot, .. } => {
                *self.columns.word(agent, slot) = self.count(count);
            }
            Op::Timeout { seconds, slot, .. } | Op::Delay { seconds, slot } => {
                let deadline = self.deadline(seconds);
                self.columns.put_moment(agent, slot, deadline);
            }
            Op::RandomSequence { weights, order } | Op::RandomSelector { weights, order } => {
                self.draw_order(id, weights, order);
            }
            Op::RandomChoice { weights, slot } => self.draw_child(id, weights, slot),
            Op::UtilitySelector { scores, order, .. } => self.score_order(id, scores, order),
            Op::Switch { on, cases, latch, slot } => {
                let selected = self.select(id, on, cases, latch);
                self.put_selected(slot, selected);
            }
            Op::ReactiveSequence { slot: Some(slot) } | Op::ReactiveSelector { slot: Some(slot) } => {
                *self.columns.word(agent, slot) = 0;
            }
            Op::ReactiveSequence { slot: None } | Op::ReactiveSelector { slot: None } => {}
            Op::Sequence
            | Op::Selector
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure
            | Op::Guard { .. }
            | Op::Cooldown { .. }
            | Op::Limit { .. }
            | Op::Probability { .. }
            | Op::Token { .. }
            | Op::Finally { .. } => {}
            // They were started above.
            leaf!() => {}
        }
        if record.serves {
            self.serve(id, true);
        }
    }

    /// Resets the keys of a node's `locals` to their defaults, before the rest of its start
    /// (SEMANTICS 8.35).
    #[cold]
    pub(super) fn reset_keys(&mut self, id: NodeId) {
        let tree = self.tree;
        let first = tree.resets.partition_point(|it| it.0 < id);
        for &(_, key) in tree.resets[first..].iter().take_while(|it| it.0 == id) {
            self.cx.agent.put_value(key, tree.schema.decl(key).default());
        }
    }

    /// *end(n, outcome)* of a node that ends by itself, except that its parent is not yet told.
    #[inline(always)]
    pub(super) fn finish(&mut self, id: NodeId, record: &Record, outcome: Outcome) {
        let agent = self.cx.agent.at;
        match record.cools {
            Cools::No => {}
            Cools::After(it) if it != outcome => {}
            Cools::End | Cools::After(_) => self.cool(record.parent),
        }
        if record.is_parallel() {
            self.end_stacks(record.stacks, crate::Reason::Decided);
        }
        let above = if record.bottom { NodeId::NONE } else { record.parent };
        self.columns.put_top(agent, record.stack, above);
        if record.is_leaf() {
            self.end_leaf(id, record, outcome);
        }
        self.trace(TraceEvent::End(id, outcome));
    }

    /// A Cooldown begins to cool. Cleared memory means that there is nothing to wait for.
    pub(super) fn cool(&mut self, cooldown: NodeId) {
        if let Op::Cooldown { seconds, slot } = self.tree.rec(cooldown).op {
            let deadline = self.deadline(seconds);
            self.columns.put_moment(self.cx.agent.at, slot, deadline);
        }
    }

    fn first(&mut self, id: NodeId, record: &Record) -> First {
        let agent = self.cx.agent.at;
        let now = self.cx.agent.moment();
        let child = First::Child(id.next());
        match record.op {
            Op::RandomSequence { order, .. } | Op::RandomSelector { order, .. } | Op::UtilitySelector { order, .. } => {
                First::Child(self.ordered(id, order, 0))
            }
            Op::RandomChoice { slot, .. } | Op::Switch { slot, .. } => {
                self.selected(slot).map_or(First::Ended(Outcome::Failure), First::Child)
            }
            Op::Guard { when, result } => {
                if self.test(id, when) {
                    child
                } else {
                    First::Ended(result)
                }
            }
            Op::Timeout { seconds: NodeSpan::Fixed(Span::ZERO), result, .. } => First::Ended(result),
            // Its first visit comes right after its start.
            Op::Timeout { seconds: NodeSpan::Found(_), result, slot } if now >= self.columns.moment(agent, slot) => {
                First::Ended(result)
            }
            Op::Cooldown { slot, .. } => {
                if now < self.columns.moment(agent, slot) {
                    First::Ended(Outcome::Failure)
                } else {
                    self.loud = true;
                    child
                }
            }
            Op::Limit { count, exhausted, slot } => {
                let count = self.count(count);
                let started = self.columns.word(agent, slot);
                if *started >= count {
                    First::Ended(exhausted)
                } else {
                    *started += 1;
                    self.loud = true;
                    child
                }
            }
            Op::Delay { slot, .. } => {
                if now >= self.columns.moment(agent, slot) {
                    child
                } else {
                    First::Running
                }
            }
            // The only draw of this activation (SEMANTICS 8.17).
            Op::Probability { p } => {
                let p = self.chance(p);
                if self.random() < p { child } else { First::Ended(Outcome::Failure) }
            }
            Op::Token { token, slot } => {
                if self.ask(id, token, slot) {
                    child
                } else {
                    First::Ended(Outcome::Failure)
                }
            }
            Op::Repeat { count: NodeCount::Expr(_), slot, .. } if *self.columns.word(agent, slot) == 0 => {
                First::Ended(Outcome::Success)
            }
            Op::Attempts { until, slot, .. } if *self.columns.word(agent, slot) == 0 => First::Ended(until.inverted()),
            // Their first child is the next node in pre-order.
            Op::Sequence
            | Op::Selector
            | Op::ReactiveSequence { .. }
            | Op::ReactiveSelector { .. }
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure
            | Op::Attempts { .. }
            | Op::Repeat { .. }
            | Op::Timeout { .. }
            | Op::Finally { .. } => child,
            Op::Parallel { .. } | leaf!() => {
                unreachable!("`walk` visits leaves and parallels in other ways")
            }
        }
    }

    fn told(&mut self, parent: NodeId, child: NodeId, outcome: Outcome) -> ParentStep {
        let record = self.tree.rec(parent);
        let next = |decided: bool| {
            let sibling = self.tree.rec(child).end;
            if decided || sibling == record.end { ParentStep::Ended(outcome) } else { ParentStep::Child(sibling) }
        };
        match record.op {
            Op::Sequence | Op::ReactiveSequence { .. } => next(outcome == Outcome::Failure),
            Op::Selector | Op::ReactiveSelector { .. } => next(outcome == Outcome::Success),
            Op::RandomSequence { order, .. } => self.told_ordered(parent, child, order, outcome, Outcome::Failure),
            Op::RandomSelector { order, .. } | Op::UtilitySelector { order, .. } => {
                self.told_ordered(parent, child, order, outcome, Outcome::Success)
            }
            Op::Inverter => ParentStep::Ended(outcome.inverted()),
            Op::ForceSuccess => ParentStep::Ended(Outcome::Success),
            Op::ForceFailure => ParentStep::Ended(Outcome::Failure),
            Op::UntilSuccess if outcome == Outcome::Failure => ParentStep::Again,
            Op::UntilFailure if outcome == Outcome::Success => ParentStep::Again,
            Op::Repeat { end_on_failure: true, .. } if outcome == Outcome::Failure => ParentStep::Ended(outcome),
            Op::Repeat { count: NodeCount::Fixed(0), .. } => ParentStep::Again,
            Op::Attempts { until, .. } if outcome == until => ParentStep::Ended(outcome),
            Op::Repeat { slot, .. } | Op::Attempts { slot, .. } => {
                let left = self.columns.word(self.cx.agent.at, slot);
                *left = left.saturating_sub(1);
                if *left == 0 { ParentStep::Ended(outcome) } else { ParentStep::Again }
            }
            Op::Finally { on } => {
                self.call_last(parent, on, Some(outcome));
                ParentStep::Ended(outcome)
            }
            Op::Token { token, slot } => {
                self.give_back(token, slot);
                ParentStep::Ended(outcome)
            }
            Op::UntilSuccess
            | Op::UntilFailure
            | Op::RandomChoice { .. }
            | Op::Switch { .. }
            | Op::Guard { .. }
            | Op::Timeout { .. }
            | Op::Cooldown { .. }
            | Op::Limit { .. }
            | Op::Delay { .. }
            | Op::Probability { .. } => ParentStep::Ended(outcome),
            Op::Parallel { .. } | leaf!() => {
                unreachable!("T2: leaves have no children, and parallels are told by their branches")
            }
        }
    }

    fn told_ordered(
        &mut self,
        parent: NodeId,
        child: NodeId,
        order: MemoryOffset,
        outcome: Outcome,
        decisive: Outcome,
    ) -> ParentStep {
        let place = self.place_of(parent, order, child);
        self.put_tried(order, place + 1);
        if outcome == decisive || place + 1 == self.tree.children.of(parent).len() {
            ParentStep::Ended(outcome)
        } else {
            ParentStep::Child(self.ordered(parent, order, place + 1))
        }
    }

    /// Asks a guard's `when`.
    pub(super) fn test(&mut self, id: NodeId, when: GuardTest) -> bool {
        // This comes before the call, so that a condition that writes a key it reads is asked
        // again.
        let observer = self.tree.rec(id).observers.from;
        let agent = self.cx.agent.at;
        self.cx.agent.clear_dirty(agent, observer);
        let holds = match when {
            GuardTest::Expr(expr) => {
                let holds = self.expr(expr).eval_bool(&self.cx.agent);
                self.computed(id, holds)
            }
            GuardTest::Leaf(leaf) => self.ask_host(leaf, id) == Status::Success,
        };
        self.trace(TraceEvent::Check(id, holds));
        holds
    }

    /// The host leaf of the record's node, if it has this callback.
    pub(super) fn calls(record: &Record, callback: Callbacks) -> Option<usize> {
        if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = record.op
            && calls.contains(callback)
        {
            Some(leaf.index())
        } else {
            None
        }
    }
}
