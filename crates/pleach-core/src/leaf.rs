//! Host leaves behind one object-safe face: [`Leaf`] is what a tree holds of a leaf, [`LeafColumn`] what a chunk holds of
//! it, with the states of its agents, so that an update is one indirect call.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::forest::Bits;
use crate::host::{Callbacks, Observes};
use crate::{Action, Condition, Context, End, Host, Status};

/// A leaf in a tree.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    fn column(self: Arc<Self>) -> Box<dyn LeafColumn<H>>;
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    fn is_condition(&self) -> bool;
    fn state_bytes(&self) -> usize;
}

/// A leaf in a chunk. `agent` is the agent's index in the chunk.
pub(crate) trait LeafColumn<H: Host>: Send + Sync {
    /// Makes the state of the agent at this index. Whatever a panic left beyond it is dropped.
    fn grow(&mut self, agent: usize);
    /// Removes a state of so many; the last one takes its place. Whatever a panic left beyond them is dropped.
    fn swap_remove(&mut self, agent: usize, agents: usize);
    fn awake(&mut self, agent: usize, cx: &mut Context<'_, '_, H>);
    fn start(&mut self, agent: usize, cx: &mut Context<'_, '_, H>);
    fn update(&mut self, agent: usize, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the context's agent and those behind it, before `end`, until one of them says anything but that it is
    /// running and wants no sleep. That one is then the context's agent.
    fn update_all(&mut self, end: usize, cx: &mut Context<'_, '_, H>) -> Status;
    /// Updates the agents that are to do, until one of them wants to sleep: that one is then the context's agent, and
    /// this is what it said.
    fn update_group(&mut self, group: &mut Group, cx: &mut Context<'_, '_, H>) -> Option<Status>;
    /// Asks agents, of whose words the bit of an item tells whether they succeeded before: those that say otherwise.
    fn ask_group(&mut self, group: &Bits, item: u32, said: &[u64], cx: &mut Context<'_, '_, H>) -> Bits;
    fn end(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&mut self, agent: usize, cx: &mut Context<'_, '_, H>, paused: bool);
}

/// Agents of a chunk whom a leaf updates in one go. If it panics, everybody is still in one of the three, but the agent
/// whose leaf it was.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) to_do: Bits,
    pub(crate) succeeded: Bits,
    pub(crate) failed: Bits,
}

struct Column<L, S> {
    leaf: Arc<L>,
    states: Vec<S>,
}

/// Two wrappers instead of one blanket implementation, because one type may be both an action and a condition.
macro_rules! leaf {
    ($wrapper:ident, $trait:ident, $condition:expr, |$it:ident| $observes:expr) => {
        pub(crate) struct $wrapper<L>(pub(crate) L);

        impl<H: Host, L: $trait<H>> Leaf<H> for $wrapper<L> {
            fn column(self: Arc<Self>) -> Box<dyn LeafColumn<H>> {
                Box::new(Column::<Self, L::State> { leaf: self, states: Vec::new() })
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
            fn update_group(&mut self, group: &mut Group, cx: &mut Context<'_, '_, H>) -> Option<Status> {
                let Group { to_do, succeeded, failed } = group;
                for (word, to_do) in to_do.iter_mut().enumerate() {
                    while *to_do != 0 {
                        let bit = to_do.trailing_zeros();
                        *to_do &= *to_do - 1;
                        let agent = word * 64 + bit as usize;
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent], cx);
                        succeeded[word] |= u64::from(status == Status::Success) << bit;
                        failed[word] |= u64::from(status == Status::Failure) << bit;
                        if cx.agent.sleep.is_some() {
                            return Some(status);
                        }
                    }
                }
                None
            }
            fn ask_group(&mut self, group: &Bits, item: u32, said: &[u64], cx: &mut Context<'_, '_, H>) -> Bits {
                let mut others = Bits::default();
                for (word, &(mut to_do)) in group.iter().enumerate() {
                    while to_do != 0 {
                        let bit = to_do.trailing_zeros();
                        to_do &= to_do - 1;
                        let agent = word * 64 + bit as usize;
                        cx.agent.at = agent;
                        let status = self.leaf.0.update(&mut self.states[agent], cx);
                        others[word] |= u64::from(status as u64 != said[agent] >> item & 1) << bit;
                    }
                }
                others
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
