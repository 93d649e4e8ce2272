//! Host leaves behind object-safe interfaces. A tree holds its leaves, which all its agents share.
//! Leaves without state are called as they are. Those with states of one type are in a [`Group`];
//! what they remember of agents is apart from them, in [`StateRows`], which knows the type of the
//! states and so calls the leaf without asking for it.

mod alike;
pub(crate) mod states;

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::sync::Arc;

use crate::bits::{Bits, pop};
use crate::clock::Moment;
use crate::host::{Callbacks, Keep, Observes};
use crate::row::Row;
use crate::{Action, Condition, Context, End, Host, Status};
use alike::AlikeLeaves;
use states::{Groups, LeafStates, StateColumn};

/// A leaf on its way into a tree.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    /// Says what a condition observes, in place of what it says itself.
    fn observe(&mut self, what: Observes);
    fn is_condition(&self) -> bool;
    /// Puts it among the leaves of a tree.
    fn place(self: Box<Self>, groups: &mut Groups<H>) -> TreeLeaf<H>;
}

/// A leaf whose states are of this type. Each call is about the context's agent.
trait LeafOf<H: Host, S>: Send + Sync {
    /// The host's leaf.
    fn inner(&self) -> &dyn Any;
    /// Its own type.
    fn kind(&self) -> TypeId;
    /// Itself, to be taken out.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    /// Puts it into a list with others of its type.
    fn gather(self: Box<Self>, behind: Vec<Box<dyn LeafOf<H, S>>>) -> Arc<dyn AlikeLeaves<H, S>>;
    /// The list that it is in, if it is in one, and its place there.
    fn alike(&self) -> Option<(&dyn AlikeLeaves<H, S>, usize)> {
        None
    }
    /// Whether it goes on with what `before` began, if that is a leaf of the same type.
    fn goes_on(&self, before: &dyn Any) -> bool;
    /// The name of its type.
    fn type_name(&self) -> &'static str;
    fn keep(&self) -> Keep<S>;
    fn observes(&self) -> Observes;
    fn awake(&self, state: &mut S, cx: &mut Context<'_, '_, H>);
    #[cfg(feature = "save")]
    fn restored(&self, state: &mut S, cx: &mut Context<'_, '_, H>);
    fn start(&self, state: &mut S, cx: &mut Context<'_, '_, H>);
    fn update(&self, state: &mut S, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the context's agent and those behind it, before `end`, as long as the leaf gives
    /// Running and wants no sleep. The context's agent is then the last one that was updated, and
    /// its status is returned.
    fn update_all(&self, states: StateColumn<'_, S>, end: Row, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the agents that are to do, until the leaf wants to sleep for one of them. That agent
    /// is then the context's, and its status is returned.
    fn update_batch(
        &self,
        states: StateColumn<'_, S>,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status>;
    /// Asks this leaf for all agents of the batch.
    fn ask_batch(&self, states: StateColumn<'_, S>, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers;
    fn end(&self, state: &mut S, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&self, state: &mut S, cx: &mut Context<'_, '_, H>, paused: bool);
}

/// A leaf of a tree.
pub(crate) enum TreeLeaf<H: Host> {
    /// A leaf that remembers nothing of agents.
    Stateless(StatelessLeaf<H>),
    /// In which group it is, and its place there.
    Stateful(u16, u16),
}

/// A leaf without state; hides its interface.
pub(crate) struct StatelessLeaf<H: Host>(Box<dyn LeafOf<H, ()>>);

/// The calls of a leaf, with the states of its tree's agents.
macro_rules! call {
    ($self:expr, $states:expr, $call:ident($($argument:expr),*), $none:expr) => {
        match $self {
            TreeLeaf::Stateless(leaf) => leaf.0.$call($none, $($argument),*),
            TreeLeaf::Stateful(group, leaf) => $states.of(usize::from(*group)).$call((*leaf).into(), $($argument),*),
        }
    };
}

impl<H: Host> TreeLeaf<H> {
    pub(crate) fn awake(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, awake(cx), &mut ());
    }
    #[cfg(feature = "save")]
    pub(crate) fn restored(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, restored(cx), &mut ());
    }
    #[inline(always)]
    pub(crate) fn start(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, start(cx), &mut ());
    }
    #[inline(always)]
    pub(crate) fn update(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Status {
        match self {
            TreeLeaf::Stateless(leaf) => leaf.0.update(&mut (), cx),
            TreeLeaf::Stateful(group, leaf) => {
                seldom();
                states.of(usize::from(*group)).update(usize::from(*leaf), cx)
            }
        }
    }
    #[inline(always)]
    pub(crate) fn update_all(&self, states: &mut LeafStates<'_, H>, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        call!(self, states, update_all(end, cx), StateColumn::nothing())
    }
    #[inline(always)]
    pub(crate) fn update_batch(
        &self,
        states: &mut LeafStates<'_, H>,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status> {
        call!(self, states, update_batch(batch, cx), StateColumn::nothing())
    }
    #[inline(always)]
    pub(crate) fn ask_batch(
        &self,
        states: &mut LeafStates<'_, H>,
        batch: &Bits,
        cx: &mut Context<'_, '_, H>,
    ) -> Answers {
        call!(self, states, ask_batch(batch, cx), StateColumn::nothing())
    }
    #[inline(always)]
    pub(crate) fn end(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>, end: End) {
        call!(self, states, end(cx, end), &mut ());
    }
    pub(crate) fn pause(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>, paused: bool) {
        call!(self, states, pause(cx, paused), &mut ());
    }
}

/// Does nothing, but tells the compiler which way to make a jump of.
#[cold]
#[inline]
fn seldom() {}

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
    ($wrapper:ident($more:ty), $trait:ident, $condition:expr, |$it:ident| $observes:expr, |$what:ident| $observe:expr) => {
        pub(crate) struct $wrapper<L>(pub(crate) L, pub(crate) $more);

        impl<H: Host, L: $trait<H>> Leaf<H> for $wrapper<L> {
            fn callbacks(&self) -> Callbacks {
                L::CALLBACKS
            }
            fn observes(&self) -> Observes {
                let $it = self;
                $observes
            }
            fn observe(&mut self, $what: Observes) {
                self.1 = $observe;
            }
            fn is_condition(&self) -> bool {
                $condition
            }
            fn place(self: Box<Self>, groups: &mut Groups<H>) -> TreeLeaf<H> {
                groups.add::<L::State>(self)
            }
        }

        impl<H: Host, L: $trait<H>> LeafOf<H, L::State> for $wrapper<L> {
            fn inner(&self) -> &dyn Any {
                &self.0
            }
            fn kind(&self) -> TypeId {
                TypeId::of::<Self>()
            }
            fn into_any(self: Box<Self>) -> Box<dyn Any> {
                self
            }
            fn gather(self: Box<Self>, behind: Vec<Box<dyn LeafOf<H, L::State>>>) -> Arc<dyn AlikeLeaves<H, L::State>> {
                alike::gather(*self, behind)
            }
            fn goes_on(&self, before: &dyn Any) -> bool {
                before.downcast_ref().is_some_and(|it| self.0.goes_on(it))
            }
            fn type_name(&self) -> &'static str {
                std::any::type_name::<L>()
            }
            fn keep(&self) -> Keep<L::State> {
                L::KEEP
            }
            fn observes(&self) -> Observes {
                Leaf::<H>::observes(self)
            }
            fn awake(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>) {
                self.0.awake(state, cx);
            }
            #[cfg(feature = "save")]
            fn restored(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>) {
                self.0.restored(state, cx);
            }
            fn start(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>) {
                self.0.start(state, cx);
            }
            fn update(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>) -> Status {
                self.0.update(state, cx)
            }
            fn update_all(
                &self,
                mut states: StateColumn<'_, L::State>,
                end: Row,
                cx: &mut Context<'_, '_, H>,
            ) -> Status {
                // So the compiler knows that each of these agents has an id.
                let end = end.min(Row::end(cx.agent.ids.len()));
                loop {
                    cx.agent.sleep = Moment::START;
                    let status = self.0.update(states.of(cx.agent.at), cx);
                    let next = cx.agent.at.next();
                    if status != Status::Running || cx.agent.sleep > Moment::START || next >= end {
                        return status;
                    }
                    cx.agent.at = next;
                }
            }
            fn update_batch(
                &self,
                mut states: StateColumn<'_, L::State>,
                batch: &mut Batch,
                cx: &mut Context<'_, '_, H>,
            ) -> Option<Status> {
                for word in 0..batch.to_do.len() {
                    if batch.to_do[word] == 0 {
                        continue;
                    }
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
                        if cx.agent.sleep > Moment::START {
                            return Some(status);
                        }
                    }
                }
                None
            }
            fn ask_batch(
                &self,
                mut states: StateColumn<'_, L::State>,
                batch: &Bits,
                cx: &mut Context<'_, '_, H>,
            ) -> Answers {
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
            fn end(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>, end: End) {
                self.0.end(state, cx, end);
            }
            fn pause(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>, paused: bool) {
                self.0.pause(state, cx, paused);
            }
        }
    };
}

leaf!(ActionLeaf(()), Action, false, |_it| Observes::Everything, |_what| ());
leaf!(ConditionLeaf(Option<Observes>), Condition, true, |it| it.1.clone().unwrap_or_else(|| it.0.observes()), |what| {
    Some(what)
});

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

/// A closure as a condition.
pub(crate) struct ConditionFn<H, F>(pub(crate) F, pub(crate) PhantomData<fn() -> H>);

impl<H: Host, F> Condition<H> for ConditionFn<H, F>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    #[inline(always)]
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        Status::from_bool((self.0)(cx))
    }
}
