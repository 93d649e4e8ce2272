//! The reevaluation pass (SEMANTICS 4, step 2, 5, and 8.12): over the observers that could do
//! something, in pre-order.

use pleach_expr::runtime::{next_turn, turns_once};

use super::Machine;
use crate::clock::{Moment, Span};
use crate::index::{ExprId, NodeId, ObserverId, Observers, StackId};
use crate::row::Row;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{GuardTest, Op, Record};
use crate::{Host, Outcome, Reason, Status};

/// Up to this many stacks, the masks of all tops are joined. With more, each observer is looked at
/// separately.
const FEW_STACKS: usize = 8;

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    #[inline]
    pub(super) fn pass(&mut self) {
        self.note_periodic();
        if let Some(first) = self.candidate(ObserverId::default(), false) {
            self.pass_from(first);
        }
    }

    /// Notes which observers that are asked at intervals are due in this tick (SEMANTICS 8.5).
    fn note_periodic(&mut self) {
        if self.tree.observers.periodic.is_empty() {
            return;
        }
        self.scratch.lists_mut().periodic[..self.tree.observers.words].fill(0);
        let (id, now) = (self.cx.agent.agent(), self.cx.agent.moment());
        let before = now.before(self.cx.agent.span());
        for it in self.tree.observers.periodic.iter().filter(|it| it.next(id, before) <= now) {
            self.scratch.lists_mut().periodic[it.observer.word()] |= it.observer.bit();
        }
    }

    fn pass_from(&mut self, first: ObserverId) {
        self.scratch.lists_mut().restarted[..self.tree.observers.words].fill(0);
        let mut next = Some(first);
        while let Some(observer) = next {
            self.act_on(observer, false);
            // Looks again, as aborts and re-runs change which observers could do something.
            next = self.candidate(observer.next(), true);
        }
    }

    /// The first observer from `from` on that was there when the tick began, is still there, and
    /// could do something now.
    #[inline]
    fn candidate(&self, from: ObserverId, begun: bool) -> Option<ObserverId> {
        let table = &self.tree.observers;
        let dirty = self.cx.agent.dirty(self.cx.agent.at);
        let statuses = self.columns.statuses(self.cx.agent.at);
        // Without mail, a condition that asks for an event fails: nothing new, if it failed before.
        // A trace shows each recheck nevertheless.
        let no_mail = !T::ENABLED && !self.cx.agent.call.opened.has_events();
        self.candidate_of(from, begun, |word| {
            let known = if no_mail { table.events[word] & !statuses[word] } else { 0 };
            let asked = if self.asks_all() { u64::MAX } else { table.polled[word] & !known | dirty[word] };
            if table.periodic.is_empty() {
                asked
            } else {
                asked & !table.rare[word] | self.scratch.lists().periodic[word]
            }
        })
    }

    /// The same, where `due` returns the observers of a word to ask.
    #[inline]
    fn candidate_of(&self, from: ObserverId, begun: bool, due: impl Fn(usize) -> u64) -> Option<ObserverId> {
        let table = &self.tree.observers;
        let agent = self.cx.agent.at;
        let set = self.columns.monitors(agent);
        let mut word = from.word();
        while word < table.words {
            let mut bits = (set[word] | table.always[word]) & due(word);
            if begun {
                bits &= !self.scratch.lists().restarted[word] & Observers { from, to: ObserverId::NONE }.bits(word);
            }
            if bits != 0 && table.has_masks() && self.tree.bottoms.len() <= FEW_STACKS {
                let tops = self.columns.tops(agent).iter().filter(|&&top| top != NodeId::NONE);
                bits &= if table.words == 1 {
                    tops.fold(0, |all, &top| all | self.tree.rec(top).mask)
                } else {
                    tops.fold(0, |all, &top| all | table.mask(top).map_or(0, |mask| mask[word]))
                };
                if bits != 0 {
                    return Some(ObserverId::lowest(word, bits));
                }
            }
            while bits != 0 {
                let observer = ObserverId::lowest(word, bits);
                if self.could_act(table.nodes[observer.index()]) {
                    return Some(observer);
                }
                bits &= bits - 1;
            }
            word += 1;
        }
        None
    }

    /// Whether the next tick would find a changed key that the agent waits for.
    pub(crate) fn is_due(&mut self, agent: Row) -> bool {
        self.cx.agent.at = agent;
        let dirty = self.cx.agent.dirty(agent);
        let waits = |&top: &NodeId| {
            top != NodeId::NONE
                && matches!(self.tree.rec(top).op, Op::WaitUntil { .. })
                && self.tree.rec(top).observers.from.is_in(dirty)
        };
        // Leaves out the polled observers: a sleeper's have nothing to do before it wakes.
        self.candidate_of(ObserverId::default(), false, |word| dirty[word]).is_some()
            || self.columns.tops(agent).iter().any(waits)
    }

    /// When the pass has something to do that neither a key nor an event announces.
    /// [`Moment::START`] if that can be at any time.
    pub(crate) fn next_due(&self) -> Moment {
        if self.cx.agent.call.every_tick {
            return Moment::START;
        }
        let table = &self.tree.observers;
        let (id, now) = (self.cx.agent.agent(), self.cx.agent.moment());
        let mut next = table.periodic.iter().map(|it| it.next(id, now)).min().unwrap_or(Moment::NEVER);
        for word in 0..table.words {
            let mut bits = self.asked(word);
            if bits & !table.timed[word] != 0 {
                return Moment::START;
            }
            while bits != 0 {
                next = next.min(self.moment_of(table.nodes[ObserverId::lowest(word, bits).index()]));
                bits &= bits - 1;
            }
        }
        next
    }

    /// The polled observers of a word that would be asked where the agent is, if it has no mail.
    #[inline]
    fn asked(&self, word: usize) -> u64 {
        let (table, agent) = (&self.tree.observers, self.cx.agent.at);
        let no_event = table.events[word] & !self.columns.statuses(agent)[word];
        let bits = table.polled[word] & !no_event & (self.columns.monitors(agent)[word] | table.always[word]);
        if bits == 0 {
            return 0;
        }
        if table.has_masks() {
            let tops = self.columns.tops(agent).iter().filter(|&&top| top != NodeId::NONE);
            return bits & tops.fold(0, |all, &top| all | table.mask(top).map_or(0, |it| it[word]));
        }
        let could_act = |it: &ObserverId| self.could_act(table.nodes[it.index()]);
        (0..64)
            .filter(|it| bits & 1 << it != 0)
            .map(|it| ObserverId::lowest(word, 1 << it))
            .filter(could_act)
            .fold(0, |all, it| all | it.bit())
    }

    /// When a timeout, a reactive composite, a service or an expression that turns once has
    /// something to do.
    fn moment_of(&self, id: NodeId) -> Moment {
        let agent = self.cx.agent.at;
        let record = self.tree.rec(id);
        let own = match record.op {
            Op::Timeout { slot, .. } => Some(self.columns.moment(agent, slot)),
            Op::Check { expr } if self.has_turned(record, expr) => Some(Moment::START),
            Op::Check { expr }
            | Op::Guard { when: GuardTest::Expr(expr), .. }
            | Op::Switch { on: expr, latch: false, .. } => self.turn_of(expr),
            _ => self.quiet_until(id),
        };
        let first = self.tree.services.partition_point(|it| it.node < id);
        let services = self.tree.services[first..].iter().take_while(|it| it.node == id);
        services.map(|it| self.columns.moment(agent, it.slot)).chain(own).min().unwrap_or(Moment::NEVER)
    }

    /// Whether a Check has turned since it was asked, before it was watched.
    fn has_turned(&self, record: &Record, expr: ExprId) -> bool {
        let holds = self.tree.expr(expr).eval_bool(&self.cx.agent);
        record.monitor != ObserverId::NONE && holds != self.columns.status(self.cx.agent.at, record.monitor)
    }

    /// A moment no later than that at which an expression that turns once turns without a key
    /// changing. `None` for any other, and for one that no longer turns.
    pub(super) fn turn_of(&self, expr: ExprId) -> Option<Moment> {
        let expr = self.tree.expr(expr);
        let turn = turns_once(expr).then(|| next_turn(expr, &self.cx.agent))?;
        turn.map(|it| self.cx.agent.moment() + Span(it))
    }

    /// What a mask would say, for trees without masks.
    fn could_act(&self, id: NodeId) -> bool {
        let record = self.tree.rec(id);
        if record.monitor == ObserverId::NONE {
            let top = self.columns.top(self.cx.agent.at, record.stack);
            top != NodeId::NONE && self.tree.contains(id, top) && (top != id || record.serves)
        } else {
            self.tree.scope(id, self.columns.tops(self.cx.agent.at)).is_some()
        }
    }

    /// What the pass does at an observer that may have something to do: reevaluates it, or rechecks
    /// a condition, and aborts if its status differs from the stored one. `differs`: it has been
    /// asked, and differs.
    #[inline(always)]
    pub(super) fn act_on(&mut self, observer: ObserverId, differs: bool) {
        let id = self.tree.observers.nodes[observer.index()];
        let record = self.tree.rec(id);
        self.note_observer(Some(id));
        if record.monitor == ObserverId::NONE {
            self.reevaluate(id, record);
        } else if differs || self.recheck(id, record) {
            self.abort(id);
        }
        self.note_observer(None);
    }

    /// Asks a watched condition, and returns whether its status differs from the stored one.
    #[inline(always)]
    fn recheck(&mut self, id: NodeId, record: &Record) -> bool {
        let status = self.update_other(id, record);
        self.trace(TraceEvent::Recheck(id, status));
        status != Status::from_bool(self.columns.status(self.cx.agent.at, record.monitor))
    }

    /// Reevaluates an observer that is not a monitor: first its services, then its own work
    /// (SEMANTICS 8.12).
    fn reevaluate(&mut self, id: NodeId, record: &Record) {
        if record.serves {
            self.serve(id, false);
        }
        let stack = record.stack;
        let agent = self.cx.agent.at;
        let top = self.columns.top(agent, stack);
        if top == id {
            return;
        }
        let verdict = match record.op {
            Op::Guard { when, result } => (!self.test(id, when)).then_some(result),
            Op::Timeout { result, slot, .. } => {
                (self.cx.agent.moment() >= self.columns.moment(agent, slot)).then_some(result)
            }
            Op::ReactiveSequence { slot } => {
                self.react(id, stack, slot, Outcome::Failure);
                None
            }
            Op::ReactiveSelector { slot } => {
                self.react(id, stack, slot, Outcome::Success);
                None
            }
            Op::UtilitySelector { scores, reevaluate: true, inertia, order } => {
                let running = self.tree.child_towards(id, top);
                if self.better_child(id, running, scores, inertia, order) {
                    self.end_subtree(running, Reason::Abort);
                    let tried = self.tried(order);
                    self.scratch.stack(stack).resume = self.ordered(id, order, tried);
                    self.trace(TraceEvent::Switch(id));
                }
                None
            }
            Op::Switch { on, cases, latch: false, slot } => {
                self.reselect(id, top, on, cases, slot);
                None
            }
            // Its services have been served, and it has nothing else to do here.
            _ => None,
        };
        if let Some(verdict) = verdict {
            self.decide(id, stack, verdict);
        }
    }

    /// Ends the child of a decorator from outside, and gives the decorator its verdict.
    fn decide(&mut self, id: NodeId, stack: StackId, verdict: Outcome) {
        self.end_subtree(id.next(), Reason::Abort);
        self.scratch.stack(stack).verdict = Some(verdict);
    }

    /// Runs the services of a composite (SEMANTICS 8.16): all of them when it starts, the due ones
    /// in the pass.
    pub(super) fn serve(&mut self, id: NodeId, starting: bool) {
        let agent = self.cx.agent.at;
        let first = self.tree.services.partition_point(|it| it.node < id);
        for index in first..self.tree.services.len() {
            let service = self.tree.services[index];
            if service.node != id {
                break;
            }
            let now = self.cx.agent.moment();
            if starting || now >= self.columns.moment(agent, service.slot) {
                self.cx.agent.node = id;
                if !T::REPLAYS {
                    self.leaves[service.leaf.index()].update(&mut self.states, &mut self.cx);
                }
                let next = self.deadline(service.interval);
                self.columns.put_moment(agent, service.slot, next);
                self.trace(TraceEvent::Service(id, service.index));
            }
        }
    }
}
