//! The row of a brain: what a chunk stores about an agent, for one agent and mostly without a heap.

use std::slice;
use std::sync::Arc;

use crate::bits;
use crate::blackboard::board::{BoardRows, Heir};
use crate::blackboard::changes::Changes;
use crate::blackboard::columns::Columns;
use crate::blackboard::layout::Layout;
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::event::{Mail, News};
use crate::forest::lives::Lives;
use crate::forest::parts::{AgentColumns, ForestParts, Shape, groups, machine};
#[cfg(feature = "save")]
use crate::forest::restore::Bring;
use crate::host::call::Call;
use crate::host::leaf::states::{LeafStates, StateLists};
use crate::ids::{AgentId, GroupId};
use crate::life::{Flags, LastAbort, Life};
use crate::lone::LoneAgent;
use crate::machine::Machine;
use crate::machine::carry::{Carry, Cuts};
use crate::machine::notes::{Counted, Notes};
use crate::machine::scratch::Scratch;
use crate::machine::simple::fast_tick::{FastTick, Place};
use crate::machine::state::{RunColumns, RunState};
use crate::rng::Stream;
use crate::row::Row;
#[cfg(feature = "save")]
use crate::save::model::SavedWait;
use crate::ties::Ties;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Entity, Event, Host, NodeId, Outcome, Tree};
/// What is stored about a brain's agent.
pub(super) struct LoneRow<H: Host> {
    pub(super) id: AgentId,
    pub(super) agent: LoneAgent,
    pub(super) columns: Columns,
    pub(super) run: LoneRun,
    pub(super) states: StateLists<H>,
    pub(super) extras: Option<Box<Extras>>,
    pub(super) flags: Flags,
    /// How the root ended last, as flags; holds where `ENDED` is set.
    pub(super) last: Flags,
    /// Despawned: the agent is off for good.
    pub(super) gone: bool,
}

/// Rarely used parts; made when first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    /// Its entity. Its group, if its tree has group keys, or a tree that it replaced had some.
    ties: Ties,
    /// The events that wait for its next tick.
    mail: Mail,
}

/// The run state of a brain's agent.
#[derive(Clone)]
pub(super) enum LoneRun {
    /// For a tree with one run stack, and at most one word of observers. What has changed for the
    /// observers is stored with the agent's keys.
    One(OneStack),
    /// For any other tree, with what has changed.
    Many(Box<RunState>),
}

#[derive(Clone)]
pub(super) struct OneStack {
    pub(super) monitors: u64,
    pub(super) statuses: u64,
    memory: Box<[u32]>,
    pub(super) top: NodeId,
    /// The next fast tick, if prepared: valid until this, or a key that matters, changes.
    pub(super) next: Option<FastTick>,
}

impl OneStack {
    #[inline]
    fn lend<H: Host>(&mut self, tree: &Tree<H>) -> RunColumns<'_> {
        let OneStack { monitors, statuses, memory, top, next } = self;
        *next = None;
        RunColumns::of_one(tree, top, monitors, statuses, memory)
    }

    /// Puts this leaf, or nothing, on top.
    fn put_top(&mut self, top: NodeId) {
        (self.top, self.next) = (top, None);
        if top == NodeId::NONE {
            self.monitors = 0;
        }
    }
}

impl LoneRun {
    pub(super) fn new<H: Host>(tree: &Tree<H>) -> Self {
        let words = tree.observers.words;
        if tree.bottoms.len() == 1 && words <= 1 {
            let memory = vec![0; tree.memory].into();
            let top = NodeId::NONE;
            return LoneRun::One(OneStack { monitors: 0, statuses: 0, memory, top, next: None });
        }
        let mut run = RunState::new(tree);
        run.fit(0, 1);
        LoneRun::Many(Box::new(run))
    }

    /// The run state, and which keys have changed: the agent's `marks`, if it has them.
    #[inline]
    fn lend<'m, H: Host>(&'m mut self, tree: &Tree<H>, marks: Changes<'m>) -> (RunColumns<'m>, Changes<'m>) {
        match self {
            LoneRun::One(one) => (one.lend(tree), marks),
            LoneRun::Many(run) => {
                let (run, changes, _) = run.lend();
                (run, changes)
            }
        }
    }

    pub(super) fn tops(&self) -> &[NodeId] {
        match self {
            LoneRun::One(one) => std::slice::from_ref(&one.top),
            LoneRun::Many(run) => run.tops(Row::FIRST),
        }
    }

    pub(super) fn monitors(&self) -> &[u64] {
        match self {
            LoneRun::One(one) => std::slice::from_ref(&one.monitors),
            LoneRun::Many(run) => run.monitors(Row::FIRST),
        }
    }

    pub(super) fn memory(&self) -> &[u32] {
        match self {
            LoneRun::One(one) => &one.memory,
            LoneRun::Many(run) => run.memory(Row::FIRST),
        }
    }

    pub(super) fn statuses(&self) -> &[u64] {
        match self {
            LoneRun::One(one) => std::slice::from_ref(&one.statuses),
            LoneRun::Many(run) => run.statuses(Row::FIRST),
        }
    }
}

impl<H: Host> LoneRow<H> {
    /// An agent that is off. Makes the states of its leaves, which is host code and may panic.
    pub(super) fn new(tree: &Tree<H>, id: AgentId, rng: Stream) -> Self {
        LoneRow::with_states(tree, id, rng, tree.stateful.lists(1))
    }

    /// The same, with these states.
    pub(super) fn with_states(tree: &Tree<H>, id: AgentId, rng: Stream, states: StateLists<H>) -> Self {
        LoneRow {
            id,
            agent: LoneAgent::new(Life::new(rng)),
            columns: tree.layout.cells_of_one(),
            run: LoneRun::new(tree),
            states,
            extras: None,
            flags: Flags::empty(),
            last: Flags::empty(),
            gone: false,
        }
    }

    /// A copy of the agent, with these states.
    pub(super) fn copy(&self, states: StateLists<H>) -> Self {
        let LoneRow { id, agent, columns, run, extras, flags, last, gone, states: _ } = self;
        LoneRow {
            id: *id,
            agent: agent.clone(),
            columns: columns.clone(),
            run: run.clone(),
            states,
            extras: extras.clone(),
            flags: *flags,
            last: *last,
            gone: *gone,
        }
    }

    /// Remakes everything that depends on the tree. Returns the old states. The agent is not
    /// active.
    pub(super) fn refit(&mut self, tree: &Tree<H>, states: StateLists<H>, heirs: &[Heir<'_>]) -> StateLists<H> {
        // The last abort names nodes of the old tree.
        self.agent.life.last_abort = LastAbort::NONE;
        drop(self.take_run(tree));
        self.inherit(&tree.layout, heirs);
        std::mem::replace(&mut self.states, states)
    }

    /// Takes over the keys of another tree.
    fn inherit(&mut self, layout: &Layout, heirs: &[Heir<'_>]) {
        let old = std::mem::replace(&mut self.columns, layout.cells_of_one());
        self.columns.inherit_one(layout, &old, heirs);
    }

    /// Takes the run state, and what has changed; those of another tree replace them.
    fn take_run(&mut self, new: &Tree<H>) -> LoneRun {
        (self.agent.dirty, self.agent.dirty_agents) = (0, 0);
        std::mem::replace(&mut self.run, LoneRun::new(new))
    }

    /// The same with what carries on. Everything else has ended. The states are not changed.
    /// Returns how many nodes are active.
    pub(super) fn carry(&mut self, carry: &Carry, trees: [&Tree<H>; 2], heirs: &[Heir<'_>], parted: &Cuts) -> u64 {
        let [old, new] = trees;
        self.agent.life.last_abort = carry.last_abort(self.agent.life.last_abort);
        let mut run = self.take_run(new);
        let mut nodes = 0;
        if self.flags.contains(Flags::ENABLED) {
            let (from, _) = run.lend(old, Changes::new(&mut [], &mut []));
            let (mut to, changes) = self.run.lend(new, self.agent.lend().1);
            nodes = carry.carry(trees, &from, &mut to, Row::FIRST);
            if carry.ask_all(changes.dirty, Row::FIRST) {
                bits::add(changes.agents, Row::FIRST);
            }
        }
        for to in parted.starts.iter().filter_map(|it| carry.pairs.to(*it)) {
            self.extras.get_or_insert_default().mail.push(News::Start(to));
            self.flags |= Flags::MAIL;
        }
        self.inherit(&new.layout, heirs);
        nodes
    }

    /// Takes out the nodes to start again.
    pub(super) fn take_starts(&mut self) -> Vec<NodeId> {
        self.extras.as_mut().map_or_else(Vec::new, |it| it.mail.take_starts())
    }

    /// The agent with its ties and keys.
    pub(super) fn ids_and_keys<'m>(
        &'m mut self,
        tree: &'m Tree<H>,
    ) -> (&'m [AgentId], Option<&'m Ties>, BoardRows<'m>) {
        let (ids, (_, marks)) = (slice::from_ref(&self.id), self.agent.lend());
        let changes = match &mut self.run {
            LoneRun::One(_) => marks,
            LoneRun::Many(run) => run.lend().1,
        };
        (ids, ties(&self.extras), BoardRows::of_one(&tree.layout, &mut self.columns, changes))
    }

    /// Whether an observer may have a changed key to look at.
    #[inline]
    pub(super) fn is_dirty(&self) -> bool {
        match &self.run {
            LoneRun::One(_) => self.agent.dirty_agents != 0,
            LoneRun::Many(run) => run.bits().first_dirty() != 0,
        }
    }

    /// The prepared fast tick is no longer valid.
    pub(super) fn forget_fast_tick(&mut self) {
        if let LoneRun::One(one) = &mut self.run {
            one.next = None;
        }
    }

    pub(super) fn ended(&self) -> Option<Outcome> {
        self.flags.contains(Flags::ENDED).then(|| self.last.end())
    }

    /// The events that wait for its next tick.
    pub(super) fn waiting(&self) -> &[Event] {
        self.extras.as_ref().map_or(&[], |it| it.mail.all())
    }

    /// What waits for it, in the form of a save.
    #[cfg(feature = "save")]
    pub(super) fn saved_mail(&self, plain: impl Fn(AgentId) -> u64) -> Vec<crate::save::model::SavedNews> {
        self.extras.as_ref().map_or_else(Vec::new, |it| it.mail.saved(plain))
    }

    /// What it waits for.
    #[cfg(feature = "save")]
    pub(super) fn saved_wait(&self, tree: &Tree<H>) -> SavedWait {
        let dirty = match &self.run {
            LoneRun::One(_) => slice::from_ref(&self.agent.dirty),
            LoneRun::Many(run) => run.bits().dirty(Row::FIRST),
        };
        let wake = self.flags.contains(Flags::ASLEEP).then_some(self.agent.life.wake);
        SavedWait { changed: self.is_dirty(), ..SavedWait::of(wake, dirty, (self.run.tops(), self.run.memory()), tree) }
    }

    /// Makes a restored agent wait for what it waited for, asleep if agents may sleep.
    #[cfg(feature = "save")]
    pub(super) fn wait_on(&mut self, wait: &SavedWait, tree: &Tree<H>, sleeps: bool) {
        let (_, marks) = self.agent.lend();
        let (mut columns, changes) = self.run.lend(tree, marks);
        wait.put_dirty(changes, &mut columns, Row::FIRST, tree);
        if let Some(wake) = wait.wake.filter(|_| sleeps) {
            self.agent.life.wake = wake;
            self.flags |= Flags::ASLEEP;
        }
    }

    /// The nodes to start again.
    #[cfg(feature = "save")]
    pub(super) fn starts(&self) -> &[NodeId] {
        self.extras.as_ref().map_or(&[], |it| it.mail.starts())
    }

    /// Its group, if it ever needed one.
    pub(super) fn group(&self) -> Option<GroupId> {
        ties(&self.extras)?.group(Row::FIRST).map(|it| it.0)
    }

    pub(super) fn entity(&self) -> Entity {
        ties(&self.extras).map_or(Entity::NONE, |it| it.entity(Row::FIRST))
    }

    pub(super) fn label(&self) -> Option<&Arc<str>> {
        ties(&self.extras)?.label(Row::FIRST)
    }

    pub(super) fn put_label(&mut self, label: Arc<str>) {
        self.extras.get_or_insert_default().ties.put_label(Row::FIRST, label, 1);
    }

    pub(super) fn put_entity(&mut self, entity: Entity) {
        self.extras.get_or_insert_default().ties.put_entity(Row::FIRST, entity, 1);
    }

    pub(super) fn put_group(&mut self, group: GroupId) {
        self.extras.get_or_insert_default().ties.put_group(Row::FIRST, group, 0, 1);
    }
}

impl<H: Host> LoneRow<H> {
    /// A machine over the row, and what ticks note about the agent beside it. They are made in one
    /// go wherever they are used: making them is most of a small tick.
    #[inline(always)]
    pub(super) fn ticking<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
    ) -> (Machine<'m, 'h, H, T>, LoneNotes<'m>) {
        let LoneRow { id, agent, columns, run, states, extras, flags, last, .. } = self;
        let ForestParts { shared, call, scratch, tracer, .. } = parts;
        let (tree, states) = (&shape.tree, states.lend());
        let (ids, (lives, changes)) = (slice::from_ref(&*id), agent.lend());
        let (ties, mail) = extras.as_deref_mut().map(|it| (&it.ties, &mut it.mail)).unzip();
        let shared = SharedRows::of(shared, &shape.map, 1, || groups(ties));
        let rest = (&mut **scratch, &mut **tracer);
        let notes = LoneNotes { flags, last, mail, sleeps: call.sleep };
        let machine = match run {
            LoneRun::One(one) => {
                let board = BoardRows::of_one(&tree.layout, columns, changes);
                let columns = AgentColumns { ids, lives, board, shared, ties };
                machine(shape, host, call, rest, columns, (one.lend(tree), states), None, Row::FIRST)
            }
            LoneRun::Many(run) => {
                let (run, changes, _) = run.lend();
                let board = BoardRows::of_one(&tree.layout, columns, changes);
                let columns = AgentColumns { ids, lives, board, shared, ties };
                machine_of_many(shape, host, call, rest, columns, (run, states))
            }
        };
        (machine, notes)
    }
}

/// What a tick reads and writes about a brain's agent beside the machine.
pub(super) struct LoneNotes<'m> {
    flags: &'m mut Flags,
    last: &'m mut Flags,
    mail: Option<&'m mut Mail>,
    sleeps: bool,
}

/// No forest asks which agents to look at, or how many there were.
impl Notes for LoneNotes<'_> {
    #[inline(always)]
    fn flags_and_last(&mut self, _: Row) -> (&mut Flags, &mut Flags) {
        (self.flags, self.last)
    }
    fn may_sleep(&self) -> bool {
        self.sleeps
    }
    fn look_away(&mut self, _: Row, _: Option<Moment>, _: Moment) {}
    fn open(&mut self, _: Row, opened: &mut Mail) {
        if let Some(mail) = &mut self.mail {
            std::mem::swap(*mail, opened);
        }
    }
    fn count(&mut self, _: Counted, _: u32) {}
}

impl<H: Host> Place for &mut LoneRow<H> {
    fn flags_and_last(&mut self) -> (&mut Flags, &mut Flags) {
        (&mut self.flags, &mut self.last)
    }
    fn put_top(&mut self, top: NodeId) {
        if let LoneRun::One(one) = &mut self.run {
            one.put_top(top);
            self.agent.refresh_dirty();
        }
    }
}

/// A machine over the row of a tree with several run stacks or words of observers. A separate
/// function, so that the likely case is not built in the shape of this one.
#[inline(never)]
fn machine_of_many<'m, 'h, H: Host, T: Tracer>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    call: &'m mut Call,
    rest: (&'m mut Scratch, &'m mut T),
    columns: AgentColumns<'m>,
    states: (RunColumns<'m>, LeafStates<'m, H>),
) -> Machine<'m, 'h, H, T> {
    machine(shape, host, call, rest, columns, states, None, Row::FIRST)
}

impl<H: Host> LoneRow<H> {
    /// Something has changed for these observers.
    pub(super) fn mark_observers(&mut self, watch: &[u64]) {
        match &mut self.run {
            LoneRun::One(_) => self.agent.lend().1.mark(watch, Row::FIRST),
            LoneRun::Many(run) => run.bits_mut().changes().mark(watch, Row::FIRST),
        }
    }
}

/// The entity and the group of the only agent, if it has any.
#[inline]
pub(super) fn ties(extras: &Option<Box<Extras>>) -> Option<&Ties> {
    extras.as_ref().map(|it| &it.ties)
}

impl<H: Host> Lives<H> for LoneRow<H> {
    fn flags(&mut self, _: Row) -> &mut Flags {
        &mut self.flags
    }
    fn life(&mut self, _: Row) -> &mut Life {
        &mut self.agent.life
    }
    fn turns_kept(&mut self) -> Option<&mut Turns> {
        None
    }
    fn mark(&mut self, _: Row) {}
    fn wipe(&mut self, row: Row) {
        match &mut self.run {
            LoneRun::One(one) => {
                one.put_top(NodeId::NONE);
                one.memory.fill(0);
            }
            LoneRun::Many(run) => run.wipe(row),
        }
    }
    fn refresh_dirty(&mut self, row: Row) {
        match &mut self.run {
            LoneRun::One(_) => self.agent.refresh_dirty(),
            LoneRun::Many(run) => run.bits_mut().refresh_dirty_agent(row),
        }
    }
    fn put_mail(&mut self, _: Row, news: News) {
        self.extras.get_or_insert_default().mail.push(news);
    }
    fn forget_mail(&mut self, _: Row) {
        if let Some(extras) = &mut self.extras {
            extras.mail = Mail::default();
        }
    }
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        _: Row,
    ) -> Machine<'m, 'h, H, T> {
        self.ticking(shape, host, parts).0
    }
}

#[cfg(feature = "save")]
impl<H: Host> Bring<H> for LoneRow<H> {
    fn put_last(&mut self, _: Row, last: Outcome) {
        self.last = Flags::of_end(last);
    }
    fn bring_entity(&mut self, _: Row, entity: Entity) {
        self.put_entity(entity);
    }
    fn rows<'m>(&'m mut self, tree: &'m Tree<H>) -> BoardRows<'m> {
        self.ids_and_keys(tree).2
    }
    fn run_columns<'m>(&'m mut self, tree: &'m Tree<H>) -> (RunColumns<'m>, Changes<'m>) {
        self.run.lend(tree, self.agent.lend().1)
    }
}
