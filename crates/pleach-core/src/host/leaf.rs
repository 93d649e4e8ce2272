//! Host leaves behind one object-safe interface. A tree holds a [`Leaf`], which all its agents
//! share. What leaves remember of agents is apart from them, in [`StateRows`]: by the type of the
//! states, one list for all leaves of a tree whose states are of that type. Leaves without state
//! have none.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::sync::Arc;

use crate::bits::{Bits, pop};
use crate::host::{Callbacks, Observes};
use crate::index::narrow;
use crate::row::{Row, fit};
use crate::{Action, Condition, Context, End, Host, Status};

/// A leaf in a tree. Each call is about the context's agent, and gets where the states of this leaf
/// are among those of the tree's agents.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    /// The same leaf once more.
    fn share(&self) -> Box<dyn Leaf<H>>;
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    fn is_condition(&self) -> bool;
    /// What it remembers of each agent, if anything.
    fn state(&self) -> Option<StateType>;
    fn awake(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>);
    fn start(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>);
    fn update(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the context's agent and those behind it, before `end`, as long as the leaf gives
    /// Running and wants no sleep. The context's agent is then the last one that was updated, and
    /// its status is returned.
    fn update_all(
        &self,
        states: &mut LeafStates<'_>,
        place: StatePlace,
        end: Row,
        cx: &mut Context<'_, '_, H>,
    ) -> Status;
    /// Updates the agents that are to do, until the leaf wants to sleep for one of them. That agent
    /// is then the context's, and its status is returned.
    fn update_batch(
        &self,
        states: &mut LeafStates<'_>,
        place: StatePlace,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status>;
    /// Asks this leaf for all agents of the batch.
    fn ask_batch(
        &self,
        states: &mut LeafStates<'_>,
        place: StatePlace,
        batch: &Bits,
        cx: &mut Context<'_, '_, H>,
    ) -> Answers;
    fn end(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>, paused: bool);
}

/// A type of states.
#[derive(Clone, Copy)]
pub(crate) struct StateType {
    id: TypeId,
    /// The bytes of one state.
    bytes: usize,
    /// Makes a list for so many leaves, without agents.
    make: fn(usize) -> Box<dyn StateRows>,
}

impl StateType {
    fn of<S: Default + Send + Sync + 'static>() -> Option<Self> {
        let make = |leaves| -> Box<dyn StateRows> { Box::new(StatesOf::<S> { leaves, cells: Vec::new() }) };
        let id = TypeId::of::<S>();
        (id != TypeId::of::<()>()).then_some(StateType { id, bytes: size_of::<S>(), make })
    }
}

/// Where the states of a leaf are: in which list, and the how manieth of an agent's states there.
/// Means nothing for a leaf without state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatePlace {
    list: u16,
    column: u16,
}

/// The lists of states that the agents of a tree need.
#[derive(Default)]
pub(crate) struct StateTypes {
    /// Each type of states, with how many leaves have it.
    types: Vec<(StateType, usize)>,
}

impl StateTypes {
    /// Adds a leaf.
    pub(crate) fn add(&mut self, state: Option<StateType>) -> StatePlace {
        let Some(state) = state else { return StatePlace::default() };
        let list = self.types.iter().position(|it| it.0.id == state.id).unwrap_or_else(|| {
            self.types.push((state, 0));
            self.types.len() - 1
        });
        let leaves = &mut self.types[list].1;
        *leaves += 1;
        StatePlace { list: narrow(list), column: narrow(*leaves - 1) }
    }

    /// The bytes of an agent's states.
    pub(crate) fn bytes(&self) -> usize {
        self.types.iter().map(|(state, leaves)| state.bytes * leaves).sum()
    }

    /// The lists, with the states of so many agents. Making the states is host code, which may
    /// panic.
    pub(crate) fn lists(&self, agents: usize) -> StateLists {
        let filled = |&(state, leaves): &(StateType, usize)| {
            let mut list = (state.make)(leaves);
            Row::of_agents(agents).for_each(|it| list.grow(it));
            list
        };
        match &*self.types {
            [] => StateLists::None,
            [only] => StateLists::One(filled(only)),
            types => StateLists::Many(types.iter().map(filled).collect()),
        }
    }
}

/// The lists of states of some agents. Most trees have no list, or one.
#[derive(Default)]
pub(crate) enum StateLists {
    #[default]
    None,
    One(Box<dyn StateRows>),
    Many(Vec<Box<dyn StateRows>>),
}

impl StateLists {
    #[inline]
    pub(crate) fn all(&mut self) -> &mut [Box<dyn StateRows>] {
        match self {
            StateLists::None => &mut [],
            StateLists::One(list) => std::slice::from_mut(list),
            StateLists::Many(lists) => lists,
        }
    }

    /// Lends them to a machine.
    #[inline]
    pub(crate) fn lend(&mut self) -> LeafStates<'_> {
        LeafStates(self.all())
    }
}

/// The states of the agents of a chunk, borrowed: the lists of its tree.
pub(crate) struct LeafStates<'m>(&'m mut [Box<dyn StateRows>]);

/// States of one type: a row per agent, and in each row a state per leaf.
pub(crate) trait StateRows: Any + Send + Sync {
    /// Makes the states of the agent of this row. States beyond it, which a panic left, are
    /// dropped.
    fn grow(&mut self, agent: Row);
    /// Changes for how many agents there is room.
    fn fit(&mut self, room: usize);
    /// Removes the states of one of so many agents; those of the last take their place. States
    /// beyond `agents`, which a panic left, are dropped.
    fn swap_remove(&mut self, agent: Row, agents: usize);
}

struct StatesOf<S> {
    /// States per agent.
    leaves: usize,
    cells: Vec<S>,
}

impl<S: Default + Send + Sync + 'static> StateRows for StatesOf<S> {
    fn grow(&mut self, agent: Row) {
        self.cells.truncate(agent.cell(self.leaves));
        self.cells.resize_with(agent.next().cell(self.leaves), Default::default);
    }
    fn fit(&mut self, room: usize) {
        fit(&mut self.cells, room * self.leaves);
    }
    fn swap_remove(&mut self, agent: Row, agents: usize) {
        self.cells.truncate(agents * self.leaves);
        for cell in agent.cells(self.leaves).rev() {
            self.cells.swap_remove(cell);
        }
    }
}

/// The states of one leaf, those of an agent `leaves` apart from the next agent's.
struct StateColumn<'a, S> {
    leaves: usize,
    column: usize,
    cells: &'a mut [S],
}

impl<'a, S: Send + Sync + 'static> StateColumn<'a, S> {
    /// If `S` is `()`, which the compiler knows, all agents share one state.
    #[inline(always)]
    fn new(states: &'a mut LeafStates<'_>, place: StatePlace, none: &'a mut [(); 1]) -> Self {
        if let Some(cells) = (none as &mut dyn Any).downcast_mut::<[S; 1]>() {
            return StateColumn { leaves: 0, column: 0, cells };
        }
        let list: &mut dyn Any = &mut *states.0[usize::from(place.list)];
        let StatesOf { leaves, cells } = list.downcast_mut::<StatesOf<S>>().expect("the list is of the leaf's tree");
        StateColumn { leaves: *leaves, column: place.column.into(), cells }
    }

    #[inline(always)]
    fn of(&mut self, agent: Row) -> &mut S {
        &mut self.cells[agent.cell(self.leaves) + self.column]
    }
}

/// A leaf of a tree, and where its states are.
pub(crate) struct TreeLeaf<H: Host> {
    pub(crate) leaf: Box<dyn Leaf<H>>,
    pub(crate) place: StatePlace,
}

impl<H: Host> TreeLeaf<H> {
    pub(crate) fn awake(&self, states: &mut LeafStates<'_>, cx: &mut Context<'_, '_, H>) {
        self.leaf.awake(states, self.place, cx);
    }
    #[inline(always)]
    pub(crate) fn start(&self, states: &mut LeafStates<'_>, cx: &mut Context<'_, '_, H>) {
        self.leaf.start(states, self.place, cx);
    }
    #[inline(always)]
    pub(crate) fn update(&self, states: &mut LeafStates<'_>, cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf.update(states, self.place, cx)
    }
    #[inline(always)]
    pub(crate) fn update_all(&self, states: &mut LeafStates<'_>, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf.update_all(states, self.place, end, cx)
    }
    #[inline(always)]
    pub(crate) fn update_batch(
        &self,
        states: &mut LeafStates<'_>,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status> {
        self.leaf.update_batch(states, self.place, batch, cx)
    }
    #[inline(always)]
    pub(crate) fn ask_batch(&self, states: &mut LeafStates<'_>, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        self.leaf.ask_batch(states, self.place, batch, cx)
    }
    #[inline(always)]
    pub(crate) fn end(&self, states: &mut LeafStates<'_>, cx: &mut Context<'_, '_, H>, end: End) {
        self.leaf.end(states, self.place, cx, end);
    }
    pub(crate) fn pause(&self, states: &mut LeafStates<'_>, cx: &mut Context<'_, '_, H>, paused: bool) {
        self.leaf.pause(states, self.place, cx, paused);
    }
}

/// Agents of a chunk that a leaf updates in one go. After a panic every agent is still in one of
/// the three sets, except the one whose update panicked.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) to_do: Bits,
    pub(crate) succeeded: Bits,
    pub(crate) failed: Bits,
}

impl Batch {
    fn part(&mut self, word: usize) -> BatchWord<'_> {
        BatchWord { to_do: self.to_do[word], succeeded: 0, failed: 0, batch: self, word }
    }
}

/// A word of a batch, in registers while it is in work. Dropping it, also in a panic, writes it
/// back.
struct BatchWord<'g> {
    to_do: u64,
    succeeded: u64,
    failed: u64,
    batch: &'g mut Batch,
    word: usize,
}

impl Drop for BatchWord<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.batch.to_do[self.word] = self.to_do;
        self.batch.succeeded[self.word] |= self.succeeded;
        self.batch.failed[self.word] |= self.failed;
    }
}

/// The answers of a condition for many agents.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The agents with success.
    pub(crate) yes: Bits,
    /// The agents with neither success nor failure.
    pub(crate) neither: Bits,
}

/// Two wrappers instead of one blanket implementation, because one type may be both an action and a
/// condition.
macro_rules! leaf {
    ($wrapper:ident, $trait:ident, $condition:expr, |$it:ident| $observes:expr) => {
        pub(crate) struct $wrapper<L>(pub(crate) Arc<L>);

        impl<H: Host, L: $trait<H>> Leaf<H> for $wrapper<L> {
            fn share(&self) -> Box<dyn Leaf<H>> {
                Box::new($wrapper(Arc::clone(&self.0)))
            }
            fn callbacks(&self) -> Callbacks {
                L::CALLBACKS
            }
            fn observes(&self) -> Observes {
                let $it = &self.0;
                $observes
            }
            fn is_condition(&self) -> bool {
                $condition
            }
            fn state(&self) -> Option<StateType> {
                StateType::of::<L::State>()
            }
            fn awake(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>) {
                self.0.awake(StateColumn::new(states, place, &mut [()]).of(cx.agent.at), cx);
            }
            fn start(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>) {
                self.0.start(StateColumn::new(states, place, &mut [()]).of(cx.agent.at), cx);
            }
            fn update(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>) -> Status {
                self.0.update(StateColumn::new(states, place, &mut [()]).of(cx.agent.at), cx)
            }
            fn update_all(
                &self,
                states: &mut LeafStates<'_>,
                place: StatePlace,
                end: Row,
                cx: &mut Context<'_, '_, H>,
            ) -> Status {
                let mut none = [()];
                let mut states = StateColumn::new(states, place, &mut none);
                loop {
                    cx.agent.sleep = None;
                    let status = self.0.update(states.of(cx.agent.at), cx);
                    let next = cx.agent.at.next();
                    if status != Status::Running || cx.agent.sleep.is_some() || next >= end {
                        return status;
                    }
                    cx.agent.at = next;
                }
            }
            fn update_batch(
                &self,
                states: &mut LeafStates<'_>,
                place: StatePlace,
                batch: &mut Batch,
                cx: &mut Context<'_, '_, H>,
            ) -> Option<Status> {
                let mut none = [()];
                let mut states = StateColumn::new(states, place, &mut none);
                for word in 0..batch.to_do.len() {
                    let mut part = batch.part(word);
                    while let Some(agent) = pop(word, &mut part.to_do) {
                        cx.agent.at = agent;
                        let status = self.0.update(states.of(agent), cx);
                        match status {
                            // Mostly so, which the processor guesses.
                            Status::Running => {}
                            Status::Success => part.succeeded |= agent.bit(),
                            Status::Failure => part.failed |= agent.bit(),
                        }
                        if cx.agent.sleep.is_some() {
                            return Some(status);
                        }
                    }
                }
                None
            }
            fn ask_batch(
                &self,
                states: &mut LeafStates<'_>,
                place: StatePlace,
                batch: &Bits,
                cx: &mut Context<'_, '_, H>,
            ) -> Answers {
                let mut none = [()];
                let mut states = StateColumn::new(states, place, &mut none);
                let mut answers = Answers::default();
                for (word, &(mut to_ask)) in batch.iter().enumerate() {
                    let (mut yes, mut neither) = (0, 0);
                    while let Some(agent) = pop(word, &mut to_ask) {
                        cx.agent.at = agent;
                        let status = self.0.update(states.of(agent), cx);
                        yes |= u64::from(status == Status::Success) << agent.place();
                        neither |= u64::from(status == Status::Running) << agent.place();
                    }
                    (answers.yes[word], answers.neither[word]) = (yes, neither);
                }
                answers
            }
            fn end(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>, end: End) {
                self.0.end(StateColumn::new(states, place, &mut [()]).of(cx.agent.at), cx, end);
            }
            fn pause(&self, states: &mut LeafStates<'_>, place: StatePlace, cx: &mut Context<'_, '_, H>, paused: bool) {
                self.0.pause(StateColumn::new(states, place, &mut [()]).of(cx.agent.at), cx, paused);
            }
        }
    };
}

leaf!(ActionLeaf, Action, false, |_it| Observes::Everything);
leaf!(ConditionLeaf, Condition, true, |it| it.observes());

/// A closure as an action.
pub(crate) struct ActionFn<H, F>(pub(crate) F, pub(crate) PhantomData<fn() -> H>);

impl<H: Host, F> Action<H> for ActionFn<H, F>
where
    F: Fn(&mut Context<'_, '_, H>) -> Status + Send + Sync + 'static,
{
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    #[inline(always)]
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        (self.0)(cx)
    }
}

/// A closure as a condition, with what it observes.
pub(crate) struct ConditionFn<H, F>(pub(crate) F, pub(crate) Observes, pub(crate) PhantomData<fn() -> H>);

impl<H: Host, F> Condition<H> for ConditionFn<H, F>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    fn observes(&self) -> Observes {
        self.1.clone()
    }
    #[inline(always)]
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        Status::from_bool((self.0)(cx))
    }
}
