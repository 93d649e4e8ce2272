//! Host leaves behind one object-safe interface. A tree holds a [`Leaf`]. A chunk holds a
//! [`LeafColumn`]: the leaf with the states of the chunk's agents, so that an update is one
//! indirect call.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::bits::{Bits, pop};
use crate::host::{Callbacks, Observes};
use crate::row::Row;
use crate::{Action, Condition, Context, End, Host, Status};

/// A leaf in a tree.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    /// The leaf with the states of so many agents. Making these is host code, which may panic.
    fn column(self: Arc<Self>, agents: usize) -> Box<dyn LeafColumn<H>>;
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    fn is_condition(&self) -> bool;
    fn state_bytes(&self) -> usize;
}

/// A leaf in a chunk.
pub(crate) trait LeafColumn<H: Host>: Send + Sync {
    /// Makes the state of the agent of this row. States beyond it, which a panic left, are
    /// dropped.
    fn grow(&mut self, agent: Row);
    /// Removes the state of one of so many agents; the last state takes its place. States beyond
    /// `agents`, which a panic left, are dropped.
    fn swap_remove(&mut self, agent: Row, agents: usize);
    fn awake(&mut self, agent: Row, cx: &mut Context<'_, '_, H>);
    fn start(&mut self, agent: Row, cx: &mut Context<'_, '_, H>);
    fn update(&mut self, agent: Row, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the context's agent and those behind it, before `end`, as long as the leaf gives
    /// Running and wants no sleep. The context's agent is then the last one that was updated, and
    /// its status is returned.
    fn update_all(&mut self, end: Row, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the agents that are to do, until the leaf wants to sleep for one of them. That agent
    /// is then the context's, and its status is returned.
    fn update_batch(&mut self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status>;
    /// Asks this leaf for all agents of the batch.
    fn ask_batch(&mut self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers;
    fn end(&mut self, agent: Row, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&mut self, agent: Row, cx: &mut Context<'_, '_, H>, paused: bool);
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

struct LeafStates<L, S> {
    leaf: Arc<L>,
    states: Vec<S>,
}

/// Two wrappers instead of one blanket implementation, because one type may be both an action and a
/// condition.
macro_rules! leaf {
    ($wrapper:ident, $trait:ident, $condition:expr, |$it:ident| $observes:expr) => {
        pub(crate) struct $wrapper<L>(pub(crate) L);

        impl<H: Host, L: $trait<H>> Leaf<H> for $wrapper<L> {
            fn column(self: Arc<Self>, agents: usize) -> Box<dyn LeafColumn<H>> {
                let mut states = Vec::new();
                states.resize_with(agents, Default::default);
                Box::new(LeafStates::<Self, L::State> { leaf: self, states })
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
            fn state_bytes(&self) -> usize {
                size_of::<L::State>()
            }
        }

        impl<H: Host, L: $trait<H>> LeafColumn<H> for LeafStates<$wrapper<L>, L::State> {
            fn grow(&mut self, agent: Row) {
                self.states.truncate(agent.index());
                self.states.push(Default::default());
            }
            fn swap_remove(&mut self, agent: Row, agents: usize) {
                self.states.truncate(agents);
                self.states.swap_remove(agent.index());
            }
            fn awake(&mut self, agent: Row, cx: &mut Context<'_, '_, H>) {
                self.leaf.0.awake(&mut self.states[agent.index()], cx);
            }
            fn start(&mut self, agent: Row, cx: &mut Context<'_, '_, H>) {
                self.leaf.0.start(&mut self.states[agent.index()], cx);
            }
            fn update(&mut self, agent: Row, cx: &mut Context<'_, '_, H>) -> Status {
                self.leaf.0.update(&mut self.states[agent.index()], cx)
            }
            fn update_all(&mut self, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
                loop {
                    cx.agent.sleep = None;
                    let status = self.leaf.0.update(&mut self.states[cx.agent.at.index()], cx);
                    let next = cx.agent.at.next();
                    if status != Status::Running || cx.agent.sleep.is_some() || next >= end {
                        return status;
                    }
                    cx.agent.at = next;
                }
            }
            fn update_batch(&mut self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
                for word in 0..batch.to_do.len() {
                    let mut part = batch.part(word);
                    while let Some(agent) = pop(word, &mut part.to_do) {
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent.index()], cx);
                        part.succeeded |= u64::from(status == Status::Success) << agent.place();
                        part.failed |= u64::from(status == Status::Failure) << agent.place();
                        if cx.agent.sleep.is_some() {
                            return Some(status);
                        }
                    }
                }
                None
            }
            fn ask_batch(&mut self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
                let mut answers = Answers::default();
                for (word, &(mut to_ask)) in batch.iter().enumerate() {
                    let (mut yes, mut neither) = (0, 0);
                    while let Some(agent) = pop(word, &mut to_ask) {
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent.index()], cx);
                        yes |= u64::from(status == Status::Success) << agent.place();
                        neither |= u64::from(status == Status::Running) << agent.place();
                    }
                    (answers.yes[word], answers.neither[word]) = (yes, neither);
                }
                answers
            }
            fn end(&mut self, agent: Row, cx: &mut Context<'_, '_, H>, end: End) {
                self.leaf.0.end(&mut self.states[agent.index()], cx, end);
            }
            fn pause(&mut self, agent: Row, cx: &mut Context<'_, '_, H>, paused: bool) {
                self.leaf.0.pause(&mut self.states[agent.index()], cx, paused);
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
