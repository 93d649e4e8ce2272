//! Host leaves behind one object-safe face: [`Leaf`] is what a tree holds of a leaf, [`LeafColumn`]
//! what a chunk holds of it, with the states of its agents, so that an update is one indirect call.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::bits::Bits;
use crate::host::{Callbacks, Observes};
use crate::{Action, Condition, Context, End, Host, Status};

/// A leaf in a tree.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    /// With the states of so many agents. Making them is host code, which may panic.
    fn column(self: Arc<Self>, agents: usize) -> Box<dyn LeafColumn<H>>;
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    fn is_condition(&self) -> bool;
    fn state_bytes(&self) -> usize;
}

/// A leaf in a chunk. `agent` is the agent's index in the chunk.
pub(crate) trait LeafColumn<H: Host>: Send + Sync {
    /// Makes the state of the agent at this index. Whatever a panic left beyond it is dropped.
    fn grow(&mut self, agent: usize);
    /// Removes a state of so many; the last one takes its place. Whatever a panic left beyond them
    /// is dropped.
    fn swap_remove(&mut self, agent: usize, agents: usize);
    fn awake(&mut self, agent: usize, cx: &mut Context<'_, '_, H>);
    fn start(&mut self, agent: usize, cx: &mut Context<'_, '_, H>);
    fn update(&mut self, agent: usize, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the context's agent and those behind it, before `end`, until one of them says
    /// anything but that it is running and wants no sleep. That one is then the context's agent.
    fn update_all(&mut self, end: usize, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the agents that are to do, until one of them wants to sleep: that one is then the
    /// context's agent, and this is what it said.
    fn update_batch(&mut self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status>;
    /// Asks agents.
    fn ask_batch(&mut self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers;
    fn end(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, paused: bool);
}

/// Agents of a chunk whom a leaf updates in one go. If it panics, everybody is still in one of the
/// three, but the agent whose leaf it was.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) to_do: Bits,
    pub(crate) succeeded: Bits,
    pub(crate) failed: Bits,
}

impl Batch {
    fn part(&mut self, word: usize) -> Part<'_> {
        Part { to_do: self.to_do[word], succeeded: 0, failed: 0, batch: self, word }
    }
}

/// A word of a batch, in registers while it is in work; a panic finds it written back.
struct Part<'g> {
    to_do: u64,
    succeeded: u64,
    failed: u64,
    batch: &'g mut Batch,
    word: usize,
}

impl Drop for Part<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.batch.to_do[self.word] = self.to_do;
        self.batch.succeeded[self.word] |= self.succeeded;
        self.batch.failed[self.word] |= self.failed;
    }
}

/// Takes the next agent out of a word of a set.
#[inline(always)]
fn next(word: usize, bits: &mut u64) -> Option<usize> {
    let bit = bits.trailing_zeros();
    if *bits == 0 {
        return None;
    }
    *bits &= *bits - 1;
    Some(word * 64 + bit as usize)
}

/// What agents said.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// Those who said success.
    pub(crate) yes: Bits,
    /// Those who said neither success nor failure.
    pub(crate) neither: Bits,
}

struct Column<L, S> {
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
                Box::new(Column::<Self, L::State> { leaf: self, states })
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

        impl<H: Host, L: $trait<H>> LeafColumn<H> for Column<$wrapper<L>, L::State> {
            fn grow(&mut self, agent: usize) {
                self.states.truncate(agent);
                self.states.push(Default::default());
            }
            fn swap_remove(&mut self, agent: usize, agents: usize) {
                self.states.truncate(agents);
                self.states.swap_remove(agent);
            }
            fn awake(&mut self, agent: usize, cx: &mut Context<'_, '_, H>) {
                self.leaf.0.awake(&mut self.states[agent], cx);
            }
            fn start(&mut self, agent: usize, cx: &mut Context<'_, '_, H>) {
                self.leaf.0.start(&mut self.states[agent], cx);
            }
            fn update(&mut self, agent: usize, cx: &mut Context<'_, '_, H>) -> Status {
                self.leaf.0.update(&mut self.states[agent], cx)
            }
            fn update_all(&mut self, end: usize, cx: &mut Context<'_, '_, H>) -> Status {
                loop {
                    cx.agent.sleep = None;
                    let status = self.leaf.0.update(&mut self.states[cx.agent.at], cx);
                    let next = cx.agent.at + 1;
                    if status != Status::Running || cx.agent.sleep.is_some() || next >= end {
                        return status;
                    }
                    cx.agent.at = next;
                }
            }
            fn update_batch(&mut self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
                for word in 0..batch.to_do.len() {
                    let mut part = batch.part(word);
                    while let Some(agent) = next(word, &mut part.to_do) {
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent], cx);
                        part.succeeded |= u64::from(status == Status::Success) << (agent % 64);
                        part.failed |= u64::from(status == Status::Failure) << (agent % 64);
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
                    while let Some(agent) = next(word, &mut to_ask) {
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent], cx);
                        yes |= u64::from(status == Status::Success) << (agent % 64);
                        neither |= u64::from(status == Status::Running) << (agent % 64);
                    }
                    (answers.yes[word], answers.neither[word]) = (yes, neither);
                }
                answers
            }
            fn end(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, end: End) {
                self.leaf.0.end(&mut self.states[agent], cx, end);
            }
            fn pause(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, paused: bool) {
                self.leaf.0.pause(&mut self.states[agent], cx, paused);
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
