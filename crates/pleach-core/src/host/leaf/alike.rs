//! Leaves of one type behind each other, in one list: `HasItem("rope"), HasItem("hook")`. A streak
//! of them is one call, and the compiler makes their updates a part of its loop.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::states::StateColumn;
use super::{Answers, Batch, LeafOf, StatelessLeaf, TreeLeaf};
use crate::bits::Bits;
use crate::clock::Moment;
use crate::host::{Keep, Observes};
use crate::row::Row;
use crate::{Context, End, Host, NodeId, Status};

/// Leaves of one type, whose states are of this type.
pub(super) trait AlikeLeaves<H: Host, S>: Send + Sync {
    fn one(&self, place: usize) -> &dyn LeafOf<H, S>;
    /// How many there are from a place on.
    fn behind(&self, place: usize) -> usize;
    /// Updates leaves of the context's agent, from the context's node on, which is that of the leaf
    /// at this place: up to the first that does not succeed, and at most so many. Returns the last
    /// that was updated, and its status.
    fn update_streak(&self, place: usize, most: usize, state: &mut S, cx: &mut Context<'_, '_, H>) -> (NodeId, Status);
}

/// Leaves of this type.
struct AlikeOf<L>(Box<[L]>);

impl<H: Host, S, L: LeafOf<H, S>> AlikeLeaves<H, S> for AlikeOf<L> {
    fn one(&self, place: usize) -> &dyn LeafOf<H, S> {
        &self.0[place]
    }
    fn behind(&self, place: usize) -> usize {
        self.0.len() - place
    }
    fn update_streak(&self, place: usize, most: usize, state: &mut S, cx: &mut Context<'_, '_, H>) -> (NodeId, Status) {
        let mut at = cx.agent.node;
        for leaf in &self.0[place..][..most - 1] {
            cx.agent.node = at;
            cx.agent.sleep = Moment::START;
            let status = leaf.update(state, cx);
            if status != Status::Success {
                return (at, status);
            }
            at = at.next();
        }
        cx.agent.node = at;
        cx.agent.sleep = Moment::START;
        (at, self.0[place + most - 1].update(state, cx))
    }
}

/// Puts a leaf and those behind it, which are of its type, into one list.
pub(super) fn gather<H: Host, S, L: LeafOf<H, S> + 'static>(
    first: L,
    behind: Vec<Box<dyn LeafOf<H, S>>>,
) -> Arc<dyn AlikeLeaves<H, S>> {
    let behind = behind.into_iter().map(|it| *it.into_any().downcast::<L>().expect("it is of the first one's type"));
    Arc::new(AlikeOf(std::iter::once(first).chain(behind).collect()))
}

impl<H: Host> TreeLeaf<H> {
    /// Puts those of the first leaves that have no state and are of one type into one list, if they
    /// are several. Returns how many.
    pub(crate) fn gather(leaves: &mut [TreeLeaf<H>]) -> usize {
        let kind = |it: &TreeLeaf<H>| match it {
            TreeLeaf::Stateless(leaf) => Some(leaf.0.kind()),
            TreeLeaf::Stateful(..) => None,
        };
        let Some(first) = leaves.first().and_then(kind) else { return 0 };
        let count = leaves.iter().take_while(|it| kind(it) == Some(first)).count();
        if count > 1 {
            let take = |it: &mut TreeLeaf<H>| match std::mem::replace(it, TreeLeaf::Stateful(0, 0)) {
                TreeLeaf::Stateless(leaf) => Some(leaf.0),
                TreeLeaf::Stateful(..) => None,
            };
            let mut alike = leaves[..count].iter_mut().filter_map(take);
            let first = alike.next().expect("they are several");
            let all = first.gather(alike.collect());
            for (place, leaf) in leaves[..count].iter_mut().enumerate() {
                *leaf = TreeLeaf::Stateless(StatelessLeaf(Box::new(OneOf { all: Arc::clone(&all), place })));
            }
        }
        count
    }

    /// If this leaf is in a list with others: updates it and those behind it there, as
    /// [`AlikeLeaves::update_streak`] does. Returns also how many it would have updated at most.
    #[inline]
    pub(crate) fn update_alike(&self, most: usize, cx: &mut Context<'_, '_, H>) -> Option<(usize, (NodeId, Status))> {
        let TreeLeaf::Stateless(leaf) = self else { return None };
        let (all, place) = leaf.0.alike()?;
        let most = most.min(all.behind(place));
        Some((most, all.update_streak(place, most, &mut (), cx)))
    }
}

/// A leaf in a list, as a leaf of its own.
struct OneOf<H: Host> {
    all: Arc<dyn AlikeLeaves<H, ()>>,
    place: usize,
}

impl<H: Host> OneOf<H> {
    fn leaf(&self) -> &dyn LeafOf<H, ()> {
        self.all.one(self.place)
    }
}

impl<H: Host> LeafOf<H, ()> for OneOf<H> {
    fn inner(&self) -> &dyn Any {
        self.leaf().inner()
    }
    fn kind(&self) -> TypeId {
        TypeId::of::<Self>()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
    fn gather(self: Box<Self>, behind: Vec<Box<dyn LeafOf<H, ()>>>) -> Arc<dyn AlikeLeaves<H, ()>> {
        gather(*self, behind)
    }
    fn alike(&self) -> Option<(&dyn AlikeLeaves<H, ()>, usize)> {
        Some((&*self.all, self.place))
    }
    fn goes_on(&self, before: &dyn Any) -> bool {
        self.leaf().goes_on(before)
    }
    fn type_name(&self) -> &'static str {
        self.leaf().type_name()
    }
    fn keep(&self) -> Keep<()> {
        self.leaf().keep()
    }
    fn observes(&self) -> Observes {
        self.leaf().observes()
    }
    fn awake(&self, state: &mut (), cx: &mut Context<'_, '_, H>) {
        self.leaf().awake(state, cx);
    }
    #[cfg(feature = "save")]
    fn restored(&self, state: &mut (), cx: &mut Context<'_, '_, H>) {
        self.leaf().restored(state, cx);
    }
    fn start(&self, state: &mut (), cx: &mut Context<'_, '_, H>) {
        self.leaf().start(state, cx);
    }
    fn update(&self, state: &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf().update(state, cx)
    }
    fn update_all(&self, states: StateColumn<'_, ()>, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf().update_all(states, end, cx)
    }
    fn update_batch(
        &self,
        states: StateColumn<'_, ()>,
        batch: &mut Batch,
        cx: &mut Context<'_, '_, H>,
    ) -> Option<Status> {
        self.leaf().update_batch(states, batch, cx)
    }
    fn ask_batch(&self, states: StateColumn<'_, ()>, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        self.leaf().ask_batch(states, batch, cx)
    }
    fn end(&self, state: &mut (), cx: &mut Context<'_, '_, H>, end: End) {
        self.leaf().end(state, cx, end);
    }
    fn pause(&self, state: &mut (), cx: &mut Context<'_, '_, H>, paused: bool) {
        self.leaf().pause(state, cx, paused);
    }
}
