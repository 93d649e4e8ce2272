//! The leaves of a tree that have states, and what they remember about agents, by the type of the
//! leaf.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::many::{Answers, Batch, StatesOfLeaf, ask_batch, update_all, update_batch};
use super::{Known, TreeLeaf};
use crate::bits::Bits;
use crate::host::Observes;
use crate::index::narrow;
use crate::row::{Row, fit};
#[cfg(feature = "save")]
use crate::save::packed::{Packed, Unpacking};
use crate::{Context, End, Host, Status};

/// The leaves of a tree that have states, by their type.
pub(crate) struct LeafTypes<H: Host>(Vec<Arc<dyn LeafType<H>>>);

impl<H: Host> Default for LeafTypes<H> {
    fn default() -> Self {
        LeafTypes(Vec::new())
    }
}

/// Leaves of one type, which have states.
trait LeafType<H: Host>: Send + Sync {
    /// Itself, to put a leaf into.
    fn open(&mut self) -> &mut dyn Any;
    /// The type of the leaves.
    fn kind(&self) -> TypeId;
    /// The name of the type of the host's leaves.
    fn type_name(&self) -> &'static str;
    /// Whether their states are copied.
    fn copies(&self) -> bool;
    /// Whether their states are saved.
    #[cfg(feature = "save")]
    fn saves(&self) -> bool;
    fn observes(&self, leaf: usize) -> Observes;
    fn inner(&self, leaf: usize) -> &dyn Any;
    fn can_resume(&self, leaf: usize, before: &dyn Any) -> bool;
    /// The bytes of an agent's states.
    fn bytes(&self) -> usize;
    /// A list of states, without agents.
    fn rows(self: Arc<Self>) -> Box<dyn StateRows<H>>;
}

struct LeavesOf<L>(Vec<L>);

impl<H: Host, L: Known<H>> LeafType<H> for LeavesOf<L> {
    fn open(&mut self) -> &mut dyn Any {
        self
    }
    fn kind(&self) -> TypeId {
        TypeId::of::<L>()
    }
    fn type_name(&self) -> &'static str {
        L::type_name()
    }
    fn copies(&self) -> bool {
        L::KEEP.copies()
    }
    #[cfg(feature = "save")]
    fn saves(&self) -> bool {
        L::KEEP.saving().is_some()
    }
    fn observes(&self, leaf: usize) -> Observes {
        self.0[leaf].observes()
    }
    fn inner(&self, leaf: usize) -> &dyn Any {
        self.0[leaf].inner()
    }
    fn can_resume(&self, leaf: usize, before: &dyn Any) -> bool {
        self.0[leaf].can_resume(before)
    }
    fn bytes(&self) -> usize {
        size_of::<L::State>() * self.0.len()
    }
    fn rows(self: Arc<Self>) -> Box<dyn StateRows<H>> {
        Box::new(StatesOf { leaf_type: self, cells: Vec::new() })
    }
}

impl<H: Host> LeafTypes<H> {
    /// Adds a leaf.
    pub(super) fn add<L: Known<H>>(&mut self, leaf: L) -> TreeLeaf<H> {
        let ty = self.0.iter().position(|it| it.kind() == TypeId::of::<L>()).unwrap_or_else(|| {
            self.0.push(Arc::new(LeavesOf::<L>(Vec::new())));
            self.0.len() - 1
        });
        let open = Arc::get_mut(&mut self.0[ty]).expect("agents come when the tree is built").open();
        let LeavesOf(leaves) = open.downcast_mut::<LeavesOf<L>>().expect("it has leaves of this type");
        leaves.push(leaf);
        TreeLeaf::Stateful(narrow(ty), narrow(leaves.len() - 1))
    }

    /// What a leaf of the tree observes.
    pub(crate) fn observes(&self, leaf: &TreeLeaf<H>) -> Observes {
        match leaf {
            TreeLeaf::Stateless(leaf) => leaf.0.observes(),
            TreeLeaf::Stateful(ty, leaf) => self.0[usize::from(*ty)].observes((*leaf).into()),
        }
    }

    /// The host's leaf.
    pub(crate) fn inner<'a>(&'a self, leaf: &'a TreeLeaf<H>) -> &'a dyn Any {
        match leaf {
            TreeLeaf::Stateless(leaf) => leaf.0.inner(),
            TreeLeaf::Stateful(ty, leaf) => self.0[usize::from(*ty)].inner((*leaf).into()),
        }
    }

    /// The name of the type of a leaf.
    pub(crate) fn type_name(&self, leaf: &TreeLeaf<H>) -> &'static str {
        match leaf {
            TreeLeaf::Stateless(leaf) => leaf.0.type_name(),
            TreeLeaf::Stateful(ty, _) => self.0[usize::from(*ty)].type_name(),
        }
    }

    /// Whether a leaf carries on with what another one began.
    pub(crate) fn can_resume(&self, leaf: &TreeLeaf<H>, before: &dyn Any) -> bool {
        match leaf {
            TreeLeaf::Stateless(leaf) => leaf.0.can_resume(before),
            TreeLeaf::Stateful(ty, leaf) => self.0[usize::from(*ty)].can_resume((*leaf).into(), before),
        }
    }

    /// The type of a leaf of the tree if it remembers something that is not copied.
    pub(crate) fn uncopied(&self, leaf: &TreeLeaf<H>) -> Option<&'static str> {
        match leaf {
            TreeLeaf::Stateless(_) => None,
            TreeLeaf::Stateful(ty, _) => {
                let ty = &self.0[usize::from(*ty)];
                (!ty.copies()).then(|| ty.type_name())
            }
        }
    }

    /// Whether a leaf of the tree remembers something, and then whether that is saved.
    #[cfg(feature = "save")]
    pub(crate) fn saves(&self, leaf: &TreeLeaf<H>) -> Option<bool> {
        match leaf {
            TreeLeaf::Stateless(_) => None,
            TreeLeaf::Stateful(ty, _) => Some(self.0[usize::from(*ty)].saves()),
        }
    }

    /// The bytes of an agent's states.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|it| it.bytes()).sum()
    }

    /// The lists, with the states of this many agents. Making the states is host code, which may
    /// panic.
    pub(crate) fn lists(&self, agents: usize) -> StateLists<H> {
        let filled = |ty: &Arc<dyn LeafType<H>>| {
            let mut list = Arc::clone(ty).rows();
            Row::of_agents(agents).for_each(|it| list.grow(it));
            list
        };
        match &*self.0 {
            [] => StateLists::default(),
            [only] => StateLists::One(filled(only)),
            types => StateLists::Others(Some(Box::new(ManyLists(types.iter().map(filled).collect())))),
        }
    }
}

/// The lists of states of some agents. Most trees have no list, or one.
pub(crate) enum StateLists<H: Host> {
    One(Box<dyn StateRows<H>>),
    /// None, or several behind a single pointer.
    Others(Option<Box<ManyLists<H>>>),
}

pub(crate) struct ManyLists<H: Host>(Vec<Box<dyn StateRows<H>>>);

impl<H: Host> Default for StateLists<H> {
    fn default() -> Self {
        StateLists::Others(None)
    }
}

impl<H: Host> StateLists<H> {
    #[inline]
    pub(crate) fn all(&mut self) -> &mut [Box<dyn StateRows<H>>] {
        match self {
            StateLists::One(list) => std::slice::from_mut(list),
            StateLists::Others(lists) => lists.as_mut().map_or(&mut [], |it| &mut it.0),
        }
    }

    /// Takes over the states of a leaf, for all agents, from the lists of another tree. The leaves
    /// have the same type.
    pub(crate) fn take_over(&mut self, leaf: &TreeLeaf<H>, from: &mut StateLists<H>, other: &TreeLeaf<H>) {
        if let (TreeLeaf::Stateful(ty, leaf), TreeLeaf::Stateful(from_ty, other)) = (leaf, other)
            && let Some(list) = self.all().get_mut(usize::from(*ty))
            && let Some(from) = from.all().get_mut(usize::from(*from_ty))
        {
            list.take_over((*leaf).into(), from.open(), (*other).into());
        }
    }

    /// A copy of the states, if all leaves copy theirs. That is host code.
    pub(crate) fn copy(&self) -> Option<Self> {
        Some(match self {
            StateLists::One(list) => StateLists::One(list.copy()?),
            StateLists::Others(None) => StateLists::Others(None),
            StateLists::Others(Some(lists)) => {
                let lists = lists.0.iter().map(|it| it.copy()).collect::<Option<_>>()?;
                StateLists::Others(Some(Box::new(ManyLists(lists))))
            }
        })
    }

    /// The lists, to read.
    #[cfg(feature = "save")]
    fn lists(&self) -> &[Box<dyn StateRows<H>>] {
        match self {
            StateLists::One(list) => std::slice::from_ref(list),
            StateLists::Others(lists) => lists.as_ref().map_or(&[], |it| &it.0),
        }
    }

    /// Writes what a leaf remembers about an agent. That is host code.
    #[cfg(feature = "save")]
    pub(crate) fn save(&self, leaf: &TreeLeaf<H>, agent: Row, to: &mut Packed) -> Result<(), String> {
        match leaf {
            TreeLeaf::Stateless(_) => Ok(()),
            TreeLeaf::Stateful(ty, leaf) => self.lists()[usize::from(*ty)].save((*leaf).into(), agent, to),
        }
    }

    /// Reads it. That is host code.
    #[cfg(feature = "save")]
    pub(crate) fn load(&mut self, leaf: &TreeLeaf<H>, agent: Row, from: &mut Unpacking<'_>) -> Result<(), String> {
        match leaf {
            TreeLeaf::Stateless(_) => from.skip(),
            TreeLeaf::Stateful(ty, leaf) => self.all()[usize::from(*ty)].load((*leaf).into(), agent, from),
        }
    }

    /// Appends the states of other agents of the same tree.
    #[cfg(feature = "save")]
    pub(crate) fn append(&mut self, mut others: Self) {
        if self.lists().is_empty() {
            *self = others;
            return;
        }
        for (list, other) in self.all().iter_mut().zip(others.all()) {
            list.append(other.open());
        }
    }

    /// Lends them to a machine.
    #[inline(always)]
    pub(crate) fn lend(&mut self) -> LeafStates<'_, H> {
        LeafStates(self)
    }
}

/// The states of the agents of a chunk, borrowed: the lists of its tree.
pub(crate) struct LeafStates<'m, H: Host>(&'m mut StateLists<H>);

impl<H: Host> LeafStates<'_, H> {
    /// The state list of a type. It is found when a leaf with a state is called: most have none.
    #[inline(always)]
    pub(super) fn of(&mut self, ty: usize) -> &mut dyn StateRows<H> {
        match &mut *self.0 {
            StateLists::One(list) => &mut **list,
            StateLists::Others(lists) => &mut *lists.as_mut().expect("the tree's leaves have states").0[ty],
        }
    }
}

/// The states of the leaves of one type: a row per agent, and in each row a state per leaf. A leaf
/// is called with its state for the context's agent.
pub(crate) trait StateRows<H: Host>: Send + Sync {
    /// Itself, to take states from.
    fn open(&mut self) -> &mut dyn Any;
    /// Swaps the states of a leaf with those of a leaf of another list, if they have the same type.
    fn take_over(&mut self, leaf: usize, from: &mut dyn Any, other: usize);
    /// Makes the states of the agent of this row. Drops states beyond it, which a panic left.
    fn grow(&mut self, agent: Row);
    /// Resizes to `room`.
    fn fit(&mut self, room: usize);
    /// Swaps the states of two agents.
    fn swap_out(&mut self, agent: Row, last: Row);
    /// Keeps the states of the first `agents` agents, and drops the rest. Dropping one is host
    /// code, which may panic; it is gone nevertheless.
    fn keep(&mut self, agents: usize);
    /// Appends all states of another list of leaves of the same type.
    #[cfg(feature = "save")]
    fn append(&mut self, from: &mut dyn Any);
    /// Writes the state of an agent, if the leaf saves it.
    #[cfg(feature = "save")]
    fn save(&self, leaf: usize, agent: Row, to: &mut Packed) -> Result<(), String>;
    /// Reads it.
    #[cfg(feature = "save")]
    fn load(&mut self, leaf: usize, agent: Row, from: &mut Unpacking<'_>) -> Result<(), String>;
    /// A copy of the states, if the leaves copy theirs.
    fn copy(&self) -> Option<Box<dyn StateRows<H>>>;
    fn awake(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>);
    #[cfg(feature = "save")]
    fn restored(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>);
    fn start(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>);
    fn update(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>) -> Status;
    fn update_all(&mut self, leaf: usize, end: Row, cx: &mut Context<'_, '_, H>) -> Status;
    fn update_batch(&mut self, leaf: usize, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status>;
    fn ask_batch(&mut self, leaf: usize, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers;
    fn end(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>, paused: bool);
}

struct StatesOf<H: Host, L: Known<H>> {
    leaf_type: Arc<LeavesOf<L>>,
    cells: Vec<L::State>,
}

impl<H: Host, L: Known<H>> StatesOf<H, L> {
    /// States per agent.
    #[inline(always)]
    fn leaves(&self) -> usize {
        self.leaf_type.0.len()
    }

    /// A leaf, and its state for an agent.
    #[inline(always)]
    fn one(&mut self, leaf: usize, agent: Row) -> (&L, &mut L::State) {
        let leaves = &self.leaf_type.0;
        (&leaves[leaf], &mut self.cells[agent.cell(leaves.len()) + leaf])
    }

    /// A leaf, and its states for all agents.
    #[inline(always)]
    fn all(&mut self, leaf: usize) -> (&L, StateColumn<'_, L::State>) {
        let leaves = &self.leaf_type.0;
        (&leaves[leaf], StateColumn { leaves: leaves.len(), leaf, cells: &mut self.cells })
    }
}

impl<H: Host, L: Known<H>> StateRows<H> for StatesOf<H, L> {
    fn open(&mut self) -> &mut dyn Any {
        self
    }
    fn take_over(&mut self, leaf: usize, from: &mut dyn Any, other: usize) {
        let Some(from) = from.downcast_mut::<StatesOf<H, L>>() else { return };
        let (leaves, others) = (self.leaves(), from.leaves());
        let theirs = from.cells.iter_mut().skip(other).step_by(others);
        self.cells.iter_mut().skip(leaf).step_by(leaves).zip(theirs).for_each(|(own, it)| std::mem::swap(own, it));
    }
    fn grow(&mut self, agent: Row) {
        self.cells.truncate(agent.cell(self.leaves()));
        self.cells.resize_with(agent.next().cell(self.leaves()), Default::default);
    }
    fn fit(&mut self, room: usize) {
        let leaves = self.leaves();
        fit(&mut self.cells, room * leaves);
    }
    fn swap_out(&mut self, agent: Row, last: Row) {
        for (cell, other) in agent.cells(self.leaves()).zip(last.cells(self.leaves())) {
            self.cells.swap(cell, other);
        }
    }
    fn keep(&mut self, agents: usize) {
        self.cells.truncate(agents * self.leaves());
    }
    #[cfg(feature = "save")]
    fn append(&mut self, from: &mut dyn Any) {
        if let Some(from) = from.downcast_mut::<StatesOf<H, L>>() {
            self.cells.append(&mut from.cells);
        }
    }
    #[cfg(feature = "save")]
    fn save(&self, leaf: usize, agent: Row, to: &mut Packed) -> Result<(), String> {
        let Some(saving) = L::KEEP.saving() else { return Ok(()) };
        (saving.save)(&self.cells[agent.cell(self.leaves()) + leaf], to)
    }
    #[cfg(feature = "save")]
    fn load(&mut self, leaf: usize, agent: Row, from: &mut Unpacking<'_>) -> Result<(), String> {
        let Some(saving) = L::KEEP.saving() else { return from.skip() };
        *self.one(leaf, agent).1 = (saving.load)(from)?;
        Ok(())
    }
    fn copy(&self) -> Option<Box<dyn StateRows<H>>> {
        let cells = L::KEEP.copy(&self.cells)?;
        Some(Box::new(StatesOf { leaf_type: Arc::clone(&self.leaf_type), cells }))
    }
    fn awake(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>) {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.awake(state, cx);
    }
    #[cfg(feature = "save")]
    fn restored(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>) {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.restored(state, cx);
    }
    fn start(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>) {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.start(state, cx);
    }
    fn update(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>) -> Status {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.update(state, cx)
    }
    fn update_all(&mut self, leaf: usize, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        let (leaf, states) = self.all(leaf);
        update_all(leaf, states, end, cx)
    }
    fn update_batch(&mut self, leaf: usize, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
        let (leaf, states) = self.all(leaf);
        update_batch(leaf, states, batch, cx)
    }
    fn ask_batch(&mut self, leaf: usize, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        let (leaf, states) = self.all(leaf);
        ask_batch(leaf, states, batch, cx)
    }
    fn end(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>, end: End) {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.end(state, cx, end);
    }
    fn pause(&mut self, leaf: usize, cx: &mut Context<'_, '_, H>, paused: bool) {
        let (leaf, state) = self.one(leaf, cx.agent.at);
        leaf.pause(state, cx, paused);
    }
}

/// The states of one leaf; an agent's state is `leaves` apart from the next agent's.
struct StateColumn<'a, S> {
    leaves: usize,
    leaf: usize,
    cells: &'a mut [S],
}

impl<S> StatesOfLeaf<S> for StateColumn<'_, S> {
    #[inline(always)]
    fn of(&mut self, agent: Row) -> &mut S {
        &mut self.cells[agent.cell(self.leaves) + self.leaf]
    }
}
