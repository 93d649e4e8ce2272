//! Leaves without state.

use std::any::Any;

use super::many::{Answers, Batch, StatesOfLeaf, ask_batch, update_all, update_batch};
use super::{Known, Wrapper};
use crate::bits::Bits;
use crate::host::Observes;
use crate::row::Row;
use crate::{Context, End, Host, Status};

/// A leaf without state; hides its interface.
pub(crate) struct StatelessLeaf<H: Host>(pub(super) Box<dyn Stateless<H>>);

/// A leaf without state. Each call is about the context's agent.
pub(super) trait Stateless<H: Host>: Send + Sync {
    fn type_name(&self) -> &'static str;
    fn inner(&self) -> &dyn Any;
    fn can_resume(&self, before: &dyn Any) -> bool;
    fn observes(&self) -> Observes;
    fn awake(&self, cx: &mut Context<'_, '_, H>);
    #[cfg(feature = "save")]
    fn restored(&self, cx: &mut Context<'_, '_, H>);
    fn start(&self, cx: &mut Context<'_, '_, H>);
    fn update(&self, cx: &mut Context<'_, '_, H>) -> Status;
    /// See [`update_all`].
    fn update_all(&self, end: Row, cx: &mut Context<'_, '_, H>) -> Status;
    /// See [`update_batch`].
    fn update_batch(&self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status>;
    /// See [`ask_batch`].
    fn ask_batch(&self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers;
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End);
    fn pause(&self, cx: &mut Context<'_, '_, H>, paused: bool);
}

impl<H: Host, L: Known<H> + Wrapper> Stateless<H> for L {
    fn type_name(&self) -> &'static str {
        <L as Known<H>>::type_name()
    }
    fn inner(&self) -> &dyn Any {
        Known::inner(self)
    }
    fn can_resume(&self, before: &dyn Any) -> bool {
        Known::can_resume(self, before)
    }
    fn observes(&self) -> Observes {
        Known::observes(self)
    }
    fn awake(&self, cx: &mut Context<'_, '_, H>) {
        Known::awake(self, &mut L::State::default(), cx);
    }
    #[cfg(feature = "save")]
    fn restored(&self, cx: &mut Context<'_, '_, H>) {
        Known::restored(self, &mut L::State::default(), cx);
    }
    fn start(&self, cx: &mut Context<'_, '_, H>) {
        Known::start(self, &mut L::State::default(), cx);
    }
    fn update(&self, cx: &mut Context<'_, '_, H>) -> Status {
        Known::update(self, &mut L::State::default(), cx)
    }
    fn update_all(&self, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        update_all(self, Nothing::new(), end, cx)
    }
    fn update_batch(&self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
        update_batch(self, Nothing::new(), batch, cx)
    }
    fn ask_batch(&self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        ask_batch(self, Nothing::new(), batch, cx)
    }
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End) {
        Known::end(self, &mut L::State::default(), cx, end);
    }
    fn pause(&self, cx: &mut Context<'_, '_, H>, paused: bool) {
        Known::pause(self, &mut L::State::default(), cx, paused);
    }
}

/// The states of a leaf that remembers nothing: each is made when it is lent, as making one is host
/// code, which may panic.
struct Nothing<S>(Option<S>);

impl<S> Nothing<S> {
    #[inline(always)]
    fn new() -> Self {
        Nothing(None)
    }
}

impl<S: Default> StatesOfLeaf<S> for Nothing<S> {
    #[inline(always)]
    fn of(&mut self, _: Row) -> &mut S {
        self.0.insert(S::default())
    }
}
