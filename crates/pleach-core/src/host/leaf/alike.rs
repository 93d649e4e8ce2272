//! Leaves of one type behind each other, in one list: `HasItem("rope"), HasItem("hook")`. A streak
//! of them is one call, and the compiler makes their updates a part of its loop.

use std::any::{Any, TypeId};
use std::sync::Arc;

use super::stateless::{Stateless, StatelessLeaf};
use super::{Answers, Batch, TreeLeaf};
use crate::bits::Bits;
use crate::clock::Moment;
use crate::host::Observes;
use crate::row::Row;
use crate::{Context, End, Host, NodeId, Status};

/// Leaves of one type, without state.
pub(super) trait AlikeLeaves<H: Host>: Send + Sync {
    fn one(&self, place: usize) -> &dyn Stateless<H>;
    /// Updates leaves of the context's agent, from the context's node on, which is that of the leaf
    /// at this place: up to the first that does not succeed. Returns the last that was updated, and
    /// its status.
    fn update_streak(&self, place: usize, cx: &mut Context<'_, '_, H>) -> (NodeId, Status);
}

/// Leaves of this type.
struct AlikeOf<L>(Box<[L]>);

impl<H: Host, L: Stateless<H>> AlikeLeaves<H> for AlikeOf<L> {
    fn one(&self, place: usize) -> &dyn Stateless<H> {
        &self.0[place]
    }
    fn update_streak(&self, place: usize, cx: &mut Context<'_, '_, H>) -> (NodeId, Status) {
        let mut at = cx.agent.node;
        let leaves = &self.0[place..];
        let last = leaves.len() - 1;
        for leaf in &leaves[..last] {
            cx.agent.node = at;
            cx.agent.sleep = Moment::START;
            let status = leaf.update(cx);
            if status != Status::Success {
                return (at, status);
            }
            at = at.next();
        }
        cx.agent.node = at;
        cx.agent.sleep = Moment::START;
        (at, leaves[last].update(cx))
    }
}

/// Puts a leaf and those behind it, which are of its type, into one list.
pub(super) fn gather<H: Host, L: Stateless<H> + 'static>(
    first: L,
    behind: Vec<Box<dyn Stateless<H>>>,
) -> Arc<dyn AlikeLeaves<H>> {
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
    /// [`AlikeLeaves::update_streak`] does.
    #[inline]
    pub(crate) fn update_alike(&self, cx: &mut Context<'_, '_, H>) -> Option<(NodeId, Status)> {
        let TreeLeaf::Stateless(leaf) = self else { return None };
        leaf.0.update_alike(cx)
    }
}

/// A leaf in a list, as a leaf of its own.
struct OneOf<H: Host> {
    all: Arc<dyn AlikeLeaves<H>>,
    place: usize,
}

impl<H: Host> OneOf<H> {
    fn leaf(&self) -> &dyn Stateless<H> {
        self.all.one(self.place)
    }
}

impl<H: Host> Stateless<H> for OneOf<H> {
    fn inner(&self) -> &dyn Any {
        self.leaf().inner()
    }
    fn kind(&self) -> TypeId {
        TypeId::of::<Self>()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
    fn gather(self: Box<Self>, _: Vec<Box<dyn Stateless<H>>>) -> Arc<dyn AlikeLeaves<H>> {
        unreachable!("a leaf is put into one list")
    }
    fn update_alike(&self, cx: &mut Context<'_, '_, H>) -> Option<(NodeId, Status)> {
        Some(self.all.update_streak(self.place, cx))
    }
    fn goes_on(&self, before: &dyn Any) -> bool {
        self.leaf().goes_on(before)
    }
    fn type_name(&self) -> &'static str {
        self.leaf().type_name()
    }
    fn observes(&self) -> Observes {
        self.leaf().observes()
    }
    fn awake(&self, cx: &mut Context<'_, '_, H>) {
        self.leaf().awake(cx);
    }
    #[cfg(feature = "save")]
    fn restored(&self, cx: &mut Context<'_, '_, H>) {
        self.leaf().restored(cx);
    }
    fn start(&self, cx: &mut Context<'_, '_, H>) {
        self.leaf().start(cx);
    }
    fn update(&self, cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf().update(cx)
    }
    fn update_all(&self, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        self.leaf().update_all(end, cx)
    }
    fn update_batch(&self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
        self.leaf().update_batch(batch, cx)
    }
    fn ask_batch(&self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        self.leaf().ask_batch(batch, cx)
    }
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End) {
        self.leaf().end(cx, end);
    }
    fn pause(&self, cx: &mut Context<'_, '_, H>, paused: bool) {
        self.leaf().pause(cx, paused);
    }
}
