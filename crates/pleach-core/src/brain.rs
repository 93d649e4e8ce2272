//! One agent, for hosts that keep it inside a struct of their own. [`row`] is its state, [`keys`]
//! its blackboard, [`tick`] its tick.

mod keys;
mod row;
mod tick;

use std::sync::Arc;

use crate::blackboard::shared::{Shared, SharedMap, SharedView};
use crate::clock::{DtError, Moment, Step};
use crate::forest::lives::Lives;
use crate::forest::parts::{ForestParts, Shape};
use crate::forest::{AgentView, Explanation, Footprint, Panics, Phase, Seen, heirs};
use crate::ids::salted::Salt;
use crate::life::Flags;
use crate::machine::scratch::Scratch;
use crate::machine::simple::short::Led;
use crate::request::{Request, Requests};
use crate::row::Row;
use crate::trace::{NoTracer, Tracer};
use crate::{AgentId, Completion, Event, Host, NodeId, Outcome, Reason, SendError, Spawn, Tree, rng};
use row::LoneRow;

/// One agent with its own tree, clock and blackboard. It is for a few agents that live inside other
/// structs. A crowd is faster in one [`Forest`](crate::Forest).
///
/// It does what the only agent of a forest does, and takes a few hundred bytes. Group and global
/// keys belong to this brain alone. A brain is one agent and knows no other: what a leaf requests
/// for another agent, or of another tree ([`Context::spawn`](crate::Context::spawn)), is refused as
/// if that were gone. If a leaf despawns the agent, the brain is [`Phase::Off`] for good, and calls
/// that would change the agent do nothing.
pub struct Brain<H: Host, T: Tracer = NoTracer> {
    shape: Shape<H>,
    row: LoneRow<H>,
    now: Moment,
    step: Step,
    requests: Requests,
    /// What few brains need.
    rest: Option<Box<Rest>>,
    gone: bool,
    every_tick: bool,
    sleep: bool,
    tracer: T,
}

/// What a brain needs for a tree with shared keys, or for one whose ticks need scratch.
struct Rest {
    shared: Shared,
    scratch: Scratch,
}

impl Rest {
    fn new(id: AgentId) -> Box<Self> {
        Box::new(Rest { shared: Shared::new(Salt::of_first(id)), scratch: Scratch::default() })
    }
}

impl<H: Host, T: Tracer> std::fmt::Debug for Brain<H, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Brain")
            .field("agent", &self.row.id)
            .field("tree", &self.shape.tree)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}

impl<H: Host> Brain<H> {
    /// A brain that runs `tree`, enabled. `seed` decides its random stream.
    ///
    /// # Panics
    /// If an `awake` does, or the making of a leaf's state.
    #[must_use]
    pub fn new(cx: &mut H::Cx<'_>, tree: impl Into<Arc<Tree<H>>>, seed: u64) -> Self {
        Brain::with_tracer(cx, tree, seed, Completion::Restart, NoTracer)
    }
}

impl<H: Host, T: Tracer> Brain<H, T> {
    /// A brain with choices.
    ///
    /// # Panics
    /// As [`new`](Brain::new).
    #[must_use]
    pub fn with_tracer(
        cx: &mut H::Cx<'_>,
        tree: impl Into<Arc<Tree<H>>>,
        seed: u64,
        completion: Completion,
        tracer: T,
    ) -> Self {
        Brain::spawned_with(cx, tree, seed, Spawn { completion, ..Spawn::default() }, tracer)
    }

    /// A brain with all choices that an agent has. It is the only agent of its group, whatever
    /// group is chosen. `seed` decides its id, and its random stream if that has no seed of its
    /// own.
    ///
    /// # Panics
    /// As [`new`](Brain::new).
    #[must_use]
    pub fn spawned_with(cx: &mut H::Cx<'_>, tree: impl Into<Arc<Tree<H>>>, seed: u64, spawn: Spawn, tracer: T) -> Self {
        let tree = tree.into();
        let rng = spawn.seed.map_or_else(|| rng::stream(seed, 0), rng::exact);
        let row = LoneRow::new(&tree, Salt::of(seed).first(), rng);
        let mut brain = Brain {
            shape: Shape::new(tree, SharedMap::default()),
            row,
            now: Moment::START,
            step: Step::default(),
            requests: Requests::default(),
            rest: None,
            gone: false,
            every_tick: false,
            sleep: true,
            tracer,
        };
        brain.make_rest();
        if spawn.completion == Completion::Stop {
            brain.row.flags |= Flags::STOPS;
        }
        if !spawn.off {
            brain.enable(cx);
        }
        brain
    }

    /// Makes what the tree needs of the rest.
    fn make_rest(&mut self) {
        let tree = Arc::clone(&self.shape.tree);
        let [_, group, global] = tree.schema.columns();
        if group + global > 0 && self.rest.is_none() {
            self.shape.map = self.rest().shared.admit(&tree.schema).expect("no other tree has keys");
        }
        if self.shape.grouped && self.row.group.is_none() {
            self.row.group = Some(self.rest().shared.new_group());
        }
        if T::ENABLED || !tree.light {
            self.rest().scratch.fit(&tree);
        }
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_with(|| Rest::new(self.row.id))
    }

    /// Lets `dt` seconds pass and ticks the agent. Then carries out what its leaves requested.
    /// Returns how its root ended, if it ended in this tick and no request despawned the agent.
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or too long: nothing happens then.
    ///
    /// # Panics
    /// If a leaf does: the agent is then [`Phase::Panicked`], with nothing active, and no `end` is
    /// called.
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<Option<Outcome>, DtError> {
        let before = self.now;
        self.now = before + self.step.of(dt)?;
        let ended = match self.tick_short(cx, before) {
            Some(Led::Through) => None,
            led => self.tick_row(cx, before, led),
        };
        self.carry_out(cx);
        Ok(ended.filter(|_| !self.gone))
    }

    /// The agent's row, its tree, and what it sees of the rest in a call. In a call that is no
    /// tick, `before` is now.
    fn parts<'a>(
        &'a mut self,
        before: Moment,
        scratch: &'a mut Scratch,
        opened: &'a mut Vec<Event>,
    ) -> (&'a mut LoneRow<H>, &'a Shape<H>, ForestParts<'a, T>) {
        let (shared, scratch) = match &mut self.rest {
            None => (SharedView::None, scratch),
            Some(rest) => (SharedView::Own(&mut rest.shared), &mut rest.scratch),
        };
        let parts = ForestParts {
            shared,
            requests: &mut self.requests,
            scratch,
            opened,
            tracer: &mut self.tracer,
            frame: 0,
            now: self.now,
            before,
            every_tick: self.every_tick,
            sleep: self.sleep,
            batched: false,
        };
        (&mut self.row, &self.shape, parts)
    }

    /// Makes a call about the agent, if it is still here.
    fn with_row(&mut self, call: impl FnOnce(&mut LoneRow<H>, &Shape<H>, &mut ForestParts<'_, T>)) {
        if !self.gone {
            let (mut scratch, mut opened) = (Scratch::default(), Vec::new());
            let (row, shape, mut parts) = self.parts(self.now, &mut scratch, &mut opened);
            call(row, shape, &mut parts);
        }
    }

    /// Carries out requests in the order in which they were made (SEMANTICS 8.8). Those for others
    /// are dropped: a brain knows no other agent and no tree.
    #[inline]
    fn carry_out(&mut self, cx: &mut H::Cx<'_>) {
        if !self.requests.is_empty() {
            self.carry_out_all(cx);
        }
    }

    fn carry_out_all(&mut self, cx: &mut H::Cx<'_>) {
        let own = self.row.id;
        while let Some(request) = self.requests.pop_front() {
            match request {
                Request::Send(agent, event) if agent == own => {
                    if let Err(error) = self.send(event) {
                        H::on_refused(cx, own, event, &error);
                    }
                }
                Request::Disable(agent) if agent == own => self.disable_now(cx),
                Request::Restart(agent) if agent == own => self.restart_now(cx),
                Request::Despawn(agent) if agent == own => self.despawn_now(cx),
                Request::Send(..)
                | Request::Disable(_)
                | Request::Restart(_)
                | Request::Despawn(_)
                | Request::Spawn(..) => {}
            }
        }
    }

    fn enable_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| row.enable(shape, cx, parts, Row::FIRST));
    }

    fn disable_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| {
            Lives::<H>::clear_mail(row, Row::FIRST);
            row.disable(shape, cx, parts, Row::FIRST, Reason::Stopped);
        });
    }

    fn restart_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| row.disable(shape, cx, parts, Row::FIRST, Reason::Stopped));
        self.enable_now(cx);
    }

    fn despawn_now(&mut self, cx: &mut H::Cx<'_>) {
        let mut panics = Panics::default();
        self.with_row(|row, shape, parts| {
            panics.catch(|| row.disable(shape, cx, parts, Row::FIRST, Reason::Despawned));
        });
        self.gone = true;
        // This is host code as well.
        let states = std::mem::take(&mut self.row.states);
        panics.catch(|| drop(states));
        panics.go_on();
    }

    /// Enables it, if it is off: from scratch, with its blackboard as it is.
    ///
    /// # Panics
    /// If an `awake` does: the agent is [`Phase::Panicked`] then.
    pub fn enable(&mut self, cx: &mut H::Cx<'_>) {
        self.enable_now(cx);
        self.carry_out(cx);
    }

    /// Ends all that is active. The agent stays off until it is enabled. Events that wait for it
    /// are thrown away.
    ///
    /// # Panics
    /// If an `end` does: as in [`enable`](Brain::enable).
    pub fn disable(&mut self, cx: &mut H::Cx<'_>) {
        self.disable_now(cx);
        self.carry_out(cx);
    }

    /// Disables and enables it, but events go on waiting.
    ///
    /// # Panics
    /// If an `end` or `awake` does: as in [`enable`](Brain::enable).
    pub fn restart(&mut self, cx: &mut H::Cx<'_>) {
        self.restart_now(cx);
        self.carry_out(cx);
    }

    /// Pauses it (`true`) or lets it go on (`false`).
    ///
    /// # Panics
    /// If a `pause` does: as in [`enable`](Brain::enable).
    pub fn set_paused(&mut self, cx: &mut H::Cx<'_>, paused: bool) {
        self.with_row(|row, shape, parts| row.pause(shape, cx, parts, Row::FIRST, paused));
        self.carry_out(cx);
    }

    /// Ends all that is active with [`Reason::Despawned`]. The agent is off for good. A brain that
    /// is dropped calls no `end`.
    ///
    /// # Panics
    /// If an `end` does. The agent is gone all the same.
    pub fn despawn(&mut self, cx: &mut H::Cx<'_>) {
        self.despawn_now(cx);
        self.carry_out(cx);
    }

    /// Gives it another tree, such as a new version after a file was changed: see
    /// [`Forest::replace_tree`](crate::Forest::replace_tree). Values of group and global keys stay,
    /// as do those of other keys, where the new tree has a key of the same name, scope and type.
    ///
    /// # Panics
    /// If an `end` or `awake` does: the agent is [`Phase::Panicked`] then, under the new tree. Also
    /// if the making of a leaf's state does; nothing has changed then.
    pub fn replace_tree(&mut self, cx: &mut H::Cx<'_>, new: impl Into<Arc<Tree<H>>>) {
        if self.gone {
            return;
        }
        let new = new.into();
        // This is host code, which may panic, so it comes before anything changes.
        let states = new.stateful.lists(1);
        let mut panics = Panics::default();
        self.with_row(|row, shape, parts| {
            panics.catch(|| row.suspend(shape, cx, parts, Row::FIRST));
        });
        let old_states = self.row.refit(&new, states, &heirs(&self.shape.tree, &new));
        if let Some(rest) = &mut self.rest {
            self.shape.map = rest.shared.readmit(&self.shape.tree.schema, &new.schema);
        }
        self.shape.grouped |= new.schema.columns()[1] > 0;
        let old_tree = std::mem::replace(&mut self.shape.tree, new);
        self.make_rest();
        // This is host code as well.
        panics.catch(|| drop((old_states, old_tree)));
        self.with_row(|row, shape, parts| {
            panics.catch(|| row.resume(shape, cx, parts, Row::FIRST));
        });
        panics.go_on();
        self.carry_out(cx);
    }

    /// Sends it an event, for its next tick. If it is off, it hears nothing.
    ///
    /// # Errors
    /// If its tree does not know the event, or not with this payload (SEMANTICS 8.25).
    pub fn send(&mut self, event: Event) -> Result<(), SendError> {
        self.shape.tree.hears(&event)?;
        if !self.gone {
            Lives::<H>::deliver(&mut self.row, Row::FIRST, event);
        }
        Ok(())
    }

    /// Changes what it does when its root has ended.
    pub fn set_completion(&mut self, completion: Completion) {
        self.row.flags.set(Flags::STOPS, completion == Completion::Stop);
    }

    /// Whether every watched condition is evaluated in every tick: see
    /// [`Forest::set_reevaluate_every_tick`](crate::Forest::set_reevaluate_every_tick). Off at
    /// first.
    pub fn set_reevaluate_every_tick(&mut self, on: bool) {
        self.every_tick = on;
        Lives::<H>::wake(&mut self.row, Row::FIRST);
    }

    /// Whether it is left alone until a certain time if it has nothing to do before: see
    /// [`Forest::set_sleep`](crate::Forest::set_sleep). On at first.
    pub fn set_sleep(&mut self, on: bool) {
        self.sleep = on;
        Lives::<H>::wake(&mut self.row, Row::FIRST);
    }

    /// The agent's id, as its leaves see it.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.row.id
    }

    /// Its tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree<H>> {
        &self.shape.tree
    }

    /// The tracer.
    pub fn tracer_mut(&mut self) -> &mut T {
        &mut self.tracer
    }

    /// What it is doing, in one word.
    #[must_use]
    pub fn phase(&self) -> Phase {
        if self.gone { Phase::Off } else { Phase::of(self.row.flags) }
    }

    /// How its root ended last, if it ever did.
    #[must_use]
    pub fn last_outcome(&self) -> Option<Outcome> {
        self.row.ended().filter(|_| !self.gone)
    }

    /// The seconds that have passed for this brain. The agent's own time, which stands still while
    /// it is paused or off, is in [`inspect`](Brain::inspect).
    #[must_use]
    pub fn time(&self) -> f64 {
        self.now.seconds()
    }

    /// Everything about the agent; `None` if a leaf despawned it.
    #[must_use]
    pub fn inspect(&self) -> Option<AgentView<H>> {
        if self.gone {
            return None;
        }
        let LoneRow { id, life, run, flags, .. } = &self.row;
        let seen = Seen {
            agent: *id,
            flags: *flags,
            life,
            now: self.now,
            last_outcome: self.row.ended(),
            tops: run.tops(),
            monitors: run.monitors(),
            statuses: run.statuses(),
        };
        Some(seen.view(&self.shape.tree, |decl| self.read(decl), self.row.waiting().to_vec()))
    }

    /// Why the agent does what it does, to be printed: see [`AgentView::explain`]. `None` if a leaf
    /// despawned it.
    #[must_use]
    pub fn explain(&self) -> Option<Explanation> {
        self.inspect().map(|it| it.explain())
    }

    /// The top of its first run stack: the cheapest answer to "what is it doing?". `None` if
    /// nothing is active.
    #[must_use]
    pub fn current(&self) -> Option<NodeId> {
        let stack = self.shape.tree.rec(NodeId::ROOT).stack;
        let top = self.row.run.tops()[stack.index()].some();
        // What a panic left on the stack is not active.
        top.filter(|_| !self.gone && !self.row.flags.contains(Flags::PANICKED))
    }

    /// The bytes that the agent takes in a forest, by what they are for. A brain takes some more:
    /// what a forest has once for all.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.shape.tree.footprint()
    }
}
