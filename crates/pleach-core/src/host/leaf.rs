//! Host leaves behind object-safe interfaces. A tree holds its leaves, which all its agents share.
//! Leaves without state are called as they are. Those with states are listed by their type;
//! what they remember about agents is stored separately, in [`states`], and a call goes to the
//! states, which know the type of the leaf and so call it without a check.

mod batched;
mod many;
mod stateless;
pub(crate) mod states;

use std::any::Any;
use std::marker::PhantomData;

use crate::bits::Bits;
use crate::host::{Callbacks, Keep, Observes};
use crate::row::Row;
use crate::{Action, Condition, Context, End, Host, Status};
pub(crate) use batched::BatchedLeaf;
pub(crate) use many::{Answers, Batch, Sleepers};
pub(crate) use stateless::StatelessLeaf;
use states::{LeafStates, LeafTypes};

/// A leaf on its way into a tree.
pub(crate) trait Leaf<H: Host>: Send + Sync {
    fn callbacks(&self) -> Callbacks;
    fn observes(&self) -> Observes;
    /// Sets what a condition observes, overriding its own answer.
    fn observe(&mut self, what: Observes);
    fn is_condition(&self) -> bool;
    /// Puts it among the leaves of a tree.
    fn place(self: Box<Self>, types: &mut LeafTypes<H>) -> TreeLeaf<H>;
}

/// A leaf whose type is known. Each call is about the context's agent.
trait Known<H: Host>: Send + Sync + 'static {
    /// What it remembers about each agent.
    type State: Default + Send + Sync + 'static;
    const KEEP: Keep<Self::State>;
    /// The name of the type of the host's leaf.
    fn type_name() -> &'static str;
    /// The host's leaf.
    fn inner(&self) -> &dyn Any;
    /// Whether it carries on with what `before` began, if that is a leaf of the same type.
    fn can_resume(&self, before: &dyn Any) -> bool;
    fn observes(&self) -> Observes;
    fn awake(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>);
    #[cfg(feature = "save")]
    fn restored(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>);
    fn start(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>);
    fn update(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) -> Status;
    fn end(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, paused: bool);
}

/// Wraps a leaf of the host. Other crates could implement [`Known`] for their hosts, but not this:
/// so the compiler sees that nothing else without state has the calls of a known leaf.
trait Wrapper {}

/// Whether a state of this type has anything to remember. A zero-sized one that needs no drop is
/// made where it is wanted.
const fn remembers<S>() -> bool {
    size_of::<S>() > 0 || std::mem::needs_drop::<S>()
}

/// A leaf of a tree.
pub(crate) enum TreeLeaf<H: Host> {
    /// A leaf that remembers nothing about agents.
    Stateless(StatelessLeaf<H>),
    /// Its type, an index into [`LeafTypes`], and its place among the leaves of that type.
    Stateful(u16, u16),
}

/// The calls of a leaf, with the states of its tree's agents.
macro_rules! call {
    ($self:expr, $states:expr, $call:ident($($argument:expr),*)) => {
        match $self {
            TreeLeaf::Stateless(leaf) => leaf.0.$call($($argument),*),
            TreeLeaf::Stateful(ty, leaf) => $states.of(usize::from(*ty)).$call((*leaf).into(), $($argument),*),
        }
    };
}

impl<H: Host> TreeLeaf<H> {
    pub(crate) fn awake(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, awake(cx));
    }
    #[cfg(feature = "save")]
    pub(crate) fn restored(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, restored(cx));
    }
    #[inline(always)]
    pub(crate) fn start(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) {
        call!(self, states, start(cx));
    }
    #[inline(always)]
    pub(crate) fn update(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Status {
        match self {
            TreeLeaf::Stateless(leaf) => leaf.0.update(cx),
            TreeLeaf::Stateful(ty, leaf) => {
                seldom();
                states.of(usize::from(*ty)).update(usize::from(*leaf), cx)
            }
        }
    }
    #[inline(always)]
    pub(crate) fn update_all(&self, states: &mut LeafStates<'_, H>, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        call!(self, states, update_all(end, cx))
    }
    #[inline(always)]
    pub(crate) fn update_batch(
        &self,
        states: &mut LeafStates<'_, H>,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status> {
        call!(self, states, update_batch(batch, cx))
    }
    #[inline(always)]
    pub(crate) fn ask_batch(
        &self,
        states: &mut LeafStates<'_, H>,
        batch: &Bits,
        cx: &mut Context<'_, '_, H>,
    ) -> Answers {
        call!(self, states, ask_batch(batch, cx))
    }
    #[inline(always)]
    pub(crate) fn end(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>, end: End) {
        call!(self, states, end(cx, end));
    }
    pub(crate) fn pause(&self, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>, paused: bool) {
        call!(self, states, pause(cx, paused));
    }
}

/// Does nothing, but tells the compiler which branch is unlikely.
#[cold]
#[inline]
fn seldom() {}

/// Two wrappers instead of one blanket implementation, because one type may be both an action and a
/// condition.
macro_rules! leaf {
    ($wrapper:ident($more:ty), $trait:ident, $condition:expr, |$it:ident| $observes:expr, |$what:ident| $observe:expr) => {
        pub(crate) struct $wrapper<L>(pub(crate) L, pub(crate) $more);

        impl<L> Wrapper for $wrapper<L> {}

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
            fn place(self: Box<Self>, types: &mut LeafTypes<H>) -> TreeLeaf<H> {
                // So that no code for states is compiled for a leaf without state.
                if const { remembers::<L::State>() } {
                    types.add(*self)
                } else {
                    TreeLeaf::Stateless(StatelessLeaf(self))
                }
            }
        }

        impl<H: Host, L: $trait<H>> Known<H> for $wrapper<L> {
            type State = L::State;
            const KEEP: Keep<L::State> = L::KEEP;
            fn type_name() -> &'static str {
                std::any::type_name::<L>()
            }
            fn inner(&self) -> &dyn Any {
                &self.0
            }
            fn can_resume(&self, before: &dyn Any) -> bool {
                before.downcast_ref().is_some_and(|it| self.0.can_resume(it))
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
            #[inline]
            fn update(&self, state: &mut L::State, cx: &mut Context<'_, '_, H>) -> Status {
                self.0.update(state, cx)
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

leaf!(ActionLeaf(()), Action, false, |_it| Observes::EveryTick, |_what| ());
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
