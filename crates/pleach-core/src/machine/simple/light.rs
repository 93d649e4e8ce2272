//! The short way led further: the agent begins its root, its action ends, or a condition that it
//! watches says something else; and then light leaves follow. These are leaves of the host and
//! checks, also where they are watched, or have a start or an end. All that needs what leaves see
//! of the agent, where it is and its monitors, but no machine.
//!
//! What the short way cannot do it leaves as it is, and tells how far it led: a machine goes on
//! from there. What it does is what the machine would do, in the same order.

use super::super::leaves::streak;
use super::short::{Led, behind};
use crate::clock::Moment;
use crate::host::Callbacks;
use crate::host::leaf::states::LeafStates;
use crate::index::{LeafId, NodeId, ObserverId, Observers};
use crate::life::LastAbort;
use crate::tree::observers::Ask;
use crate::tree::record::{Hooks, Op, Then};
use crate::{Context, End, Host, Outcome, Reason, Status, Tree};

/// Where an agent of a simple tree is, and its monitors.
pub(crate) struct Place<'a> {
    pub(crate) top: &'a mut NodeId,
    pub(crate) monitors: &'a mut u64,
    /// The statuses of monitors.
    pub(crate) statuses: &'a mut u64,
}

/// The context's agent on the short way.
pub(crate) struct Light<'a, 's, 'c, 'h, H: Host> {
    pub(crate) tree: &'a Tree<H>,
    pub(crate) states: &'a mut LeafStates<'s, H>,
    pub(crate) cx: &'a mut Context<'c, 'h, H>,
    pub(crate) place: Place<'a>,
    /// How many conditional aborts there were.
    pub(crate) aborts: u64,
}

impl<H: Host> Light<'_, '_, '_, '_, H> {
    /// Leads on from where the short way ended; if that is nowhere, from the beginning of the tick,
    /// if it may lead through that. `begins` if that tick begins the root.
    #[inline(always)]
    pub(crate) fn lead_on(&mut self, led: Led, begins: bool) -> Led {
        // Tests, the likely ones first: a jump table is an indirect jump, which nobody guesses
        // here.
        if let Led::Ended(leaf, outcome) = led {
            match self.next(leaf, outcome) {
                Ok(leaf) => self.run(leaf),
                Err(led) => led,
            }
        } else if led == Led::Nowhere {
            if begins {
                self.begin()
            } else if self.is_in_action() {
                self.pass(u64::MAX)
            } else {
                led
            }
        } else {
            self.lead_on_at_observer(led)
        }
    }

    /// The same from an observer.
    #[inline(never)]
    fn lead_on_at_observer(&mut self, led: Led) -> Led {
        match led {
            Led::To(observer) if self.ask_of(observer).leaf != LeafId::NONE => self.abort(observer),
            Led::To(observer) => self.pass(observer.bit() | observer.behind()),
            Led::Behind(observer) => self.pass(observer.behind()),
            led => led,
        }
    }

    /// Begins the root.
    fn begin(&mut self) -> Led {
        match self.tree.entry {
            Then::Leaf { to, .. } if self.tree.rec(to).hooks.contains(Hooks::LIGHT) => {
                self.start(to);
                self.run(to)
            }
            _ => Led::Nowhere,
        }
    }

    /// Whether its tree is simple, and a leaf of the host on top that nobody watches.
    fn is_in_action(&self) -> bool {
        self.tree.records.get(self.place.top.index()).is_some_and(|it| it.hooks.contains(Hooks::SHORT))
    }

    fn ask_of(&self, observer: ObserverId) -> Ask {
        self.tree.observers.asks[observer.index() % 64]
    }

    /// The reevaluation pass over the observers in `ahead`, and the rest of the tick.
    fn pass(&mut self, ahead: u64) -> Led {
        let (at, Place { top, monitors, statuses }) = (self.cx.agent.at, &self.place);
        let (top, monitors, statuses) = (**top, **monitors, **statuses);
        let (record, watch) = (&self.tree.records[top.index()], self.tree.watch(self.cx.agent.call.every_tick));
        let watched = record.mask & (monitors | watch.always);
        let mut ahead = watched & ahead;
        while ahead != 0 {
            // A condition may write keys that others behind it read.
            let due = ahead & (watch.without_mail(statuses) | self.cx.agent.access.dirty(at));
            if due == 0 {
                break;
            }
            let observer = ObserverId::lowest(0, due);
            let Some(status) = self.ask(observer) else { return Led::To(observer) };
            if status != Status::from_bool(statuses & observer.bit() != 0) {
                return self.abort(observer);
            }
            ahead &= observer.behind();
        }
        self.run(top)
    }

    /// What a watched condition says, if it is the host's or a check.
    fn ask(&mut self, observer: ObserverId) -> Option<Status> {
        let node = self.ask_of(observer).node;
        let record = &self.tree.records[node.index()];
        record.hooks.contains(Hooks::LIGHT).then(|| self.update(node))
    }

    /// Aborts, as the status of this watched condition has changed, and goes on with the rest of
    /// the tick.
    fn abort(&mut self, observer: ObserverId) -> Led {
        match self.abort_to(observer) {
            Some(leaf) => {
                self.start(leaf);
                self.run(leaf)
            }
            None => Led::To(observer),
        }
    }

    /// The same up to the leaf that runs next. `None` if that takes a machine; then nothing has
    /// changed.
    fn abort_to(&mut self, observer: ObserverId) -> Option<NodeId> {
        let (tree, top) = (self.tree, *self.place.top);
        let by = self.ask_of(observer).node;
        // The lowest common ancestor, and its children towards both.
        let mut child = by;
        let scope = loop {
            let above = tree.rec(child).parent;
            if tree.contains(above, top) {
                break above;
            }
            child = above;
        };
        if scope == top || !is_plain(&tree.rec(scope).op) {
            return None;
        }
        let mut running = top;
        while !tree.rec(running).cools && tree.rec(running).parent != scope {
            running = tree.rec(running).parent;
        }
        if tree.rec(running).cools {
            return None;
        }
        let mut leaf = child;
        while is_plain(&tree.rec(leaf).op) && !tree.rec(leaf).serves {
            leaf = leaf.next();
        }
        let (from, to) = (tree.rec(child).observers.from, tree.rec(scope).observers.to);
        let monitors = *self.place.monitors & !Observers { from, to }.bits(0);
        let watch = tree.watch(self.cx.agent.call.every_tick);
        let goes_on = tree.rec(scope).mask & (monitors | watch.always) & observer.behind() != 0;
        if goes_on || !tree.rec(leaf).hooks.contains(Hooks::LIGHT) {
            return None;
        }
        if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = tree.rec(top).op
            && calls.contains(Callbacks::END)
        {
            self.cx.agent.node = top;
            tree.leaves[leaf.index()].end(self.states, self.cx, End::Aborted(Reason::Abort));
        }
        let was = *self.place.statuses & observer.bit() != 0;
        let (at, now) = (self.cx.agent.at, self.cx.agent.now());
        self.cx.agent.access.life_mut(at).last_abort = LastAbort::new(running, by, was, now);
        self.aborts += 1;
        (*self.place.top, *self.place.monitors) = (scope, monitors);
        Some(leaf)
    }

    /// Updates the leaf on top, which has been started, and the light leaves behind it, as far as
    /// they go.
    #[inline(never)]
    fn run(&mut self, mut at: NodeId) -> Led {
        loop {
            let record = &self.tree.records[at.index()];
            let status;
            if record.streak > 0 {
                (at, status) = streak(&self.tree.leaves, self.states, self.cx, at, record);
            } else {
                status = self.update(at);
            }
            let led = behind(self.cx, at, status);
            let Led::Ended(_, outcome) = led else { return led };
            match self.next(at, outcome) {
                Ok(leaf) => at = leaf,
                Err(led) => return led,
            }
        }
    }

    #[inline(always)]
    fn start(&mut self, at: NodeId) {
        let record = &self.tree.records[at.index()];
        if record.hooks.contains(Hooks::START) {
            self.cx.agent.node = at;
            self.tree.leaves[record.leaf.index()].start(self.states, self.cx);
        }
    }

    #[inline(always)]
    fn update(&mut self, at: NodeId) -> Status {
        let record = &self.tree.records[at.index()];
        if record.monitor != ObserverId::NONE {
            // From here on the keys that it reads count as unchanged.
            self.cx.agent.access.clear_dirty(self.cx.agent.at, record.monitor);
        }
        (self.cx.agent.node, self.cx.agent.sleep) = (at, Moment::START);
        match record.op {
            Op::Check { expr } => Status::from_bool(self.tree.expr(expr).eval_bool(&self.cx.agent)),
            _ => self.tree.leaves[record.leaf.index()].update(self.states, self.cx),
        }
    }

    /// Ends a leaf, and starts the light leaf that follows it; or tells how far the short way led.
    /// If a machine has to go on, the leaf has not ended.
    #[inline(always)]
    fn next(&mut self, at: NodeId, outcome: Outcome) -> Result<NodeId, Led> {
        let record = &self.tree.records[at.index()];
        // Tests, as in `lead_on`.
        let then = record.then[outcome as usize];
        let (to, clear) = if then == Then::Next {
            (at.next(), 0)
        } else if let Then::Leaf { to, clear } = then {
            (to, clear.bits(0))
        } else if let Then::Done(of_root) = then {
            self.end(at, outcome);
            return Err(Led::Over(of_root));
        } else {
            return Err(Led::Ended(at, outcome));
        };
        if !self.tree.records[to.index()].hooks.contains(Hooks::LIGHT) {
            return Err(Led::Ended(at, outcome));
        }
        self.end(at, outcome);
        *self.place.monitors &= !clear;
        self.start(to);
        Ok(to)
    }

    /// A leaf ended by itself: sets its monitor, and calls its `end`.
    #[inline(always)]
    fn end(&mut self, at: NodeId, outcome: Outcome) {
        let record = &self.tree.records[at.index()];
        if !record.hooks.contains(Hooks::END) {
            return;
        }
        if record.monitor != ObserverId::NONE {
            let (bit, Place { monitors, statuses, .. }) = (record.monitor.bit(), &mut self.place);
            **monitors |= bit;
            **statuses = **statuses & !bit | if outcome == Outcome::Success { bit } else { 0 };
        }
        if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = record.op
            && calls.contains(Callbacks::END)
        {
            self.cx.agent.node = at;
            self.tree.leaves[leaf.index()].end(self.states, self.cx, outcome.into());
        }
    }
}

/// Whether it is a composite that has its children in their order, and nothing else to do.
fn is_plain(op: &Op) -> bool {
    matches!(op, Op::Sequence | Op::Selector)
}
