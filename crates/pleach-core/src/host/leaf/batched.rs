//! Leaves that are called once for all agents of a batch.

use std::any::Any;
use std::mem::take;

use super::many::{Answers, Batch, Sleepers};
use super::stateless::Stateless;
use super::states::LeafTypes;
use super::{Leaf, StatelessLeaf, TreeLeaf};
use crate::bits::{Bits, add, is_empty};
use crate::clock::Moment;
use crate::host::batch::{BatchContext, BatchLeaf, Members};
use crate::host::{Callbacks, Observes};
use crate::row::Row;
use crate::{Context, End, Host, Status};

/// A leaf that is called once for all agents of a batch.
pub(crate) struct BatchedLeaf<L> {
    pub(crate) leaf: L,
    pub(crate) is_condition: bool,
    pub(crate) observes: Observes,
}

impl<L> BatchedLeaf<L> {
    /// The status for an agent without an answer from the leaf.
    fn unanswered(&self) -> Status {
        if self.is_condition { Status::Failure } else { Status::Running }
    }
}

impl<H: Host, L: BatchLeaf<H>> Leaf<H> for BatchedLeaf<L> {
    fn callbacks(&self) -> Callbacks {
        let mut callbacks = Callbacks::empty();
        callbacks.set(Callbacks::START, self.leaf.starts());
        callbacks.set(Callbacks::END, self.leaf.ends());
        callbacks
    }
    fn observes(&self) -> Observes {
        self.observes.clone()
    }
    fn observe(&mut self, what: Observes) {
        self.observes = what;
    }
    fn is_condition(&self) -> bool {
        self.is_condition
    }
    fn place(self: Box<Self>, _: &mut LeafTypes<H>) -> TreeLeaf<H> {
        TreeLeaf::Stateless(StatelessLeaf(self))
    }
}

impl<H: Host, L: BatchLeaf<H>> Stateless<H> for BatchedLeaf<L> {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<L>()
    }
    fn inner(&self) -> &dyn Any {
        &self.leaf
    }
    fn can_resume(&self, before: &dyn Any) -> bool {
        before.is::<L>()
    }
    fn observes(&self) -> Observes {
        self.observes.clone()
    }
    fn awake(&self, _: &mut Context<'_, '_, H>) {}
    #[cfg(feature = "save")]
    fn restored(&self, _: &mut Context<'_, '_, H>) {}
    fn start(&self, cx: &mut Context<'_, '_, H>) {
        self.leaf.start(cx);
    }
    fn update(&self, cx: &mut Context<'_, '_, H>) -> Status {
        let (place, mut status) = (cx.agent.at.number(), self.unanswered());
        // For a single agent the context itself holds until when it sleeps. A leaf that lends it
        // twice may have set that before.
        let mut sleepers = Sleepers::default();
        self.leaf.update(&mut BatchContext::one(cx, &place, &mut status, &mut sleepers));
        if let Some((_, until)) = sleepers.next()
            && cx.agent.sleep == Moment::START
        {
            cx.agent.sleep = until;
        }
        status
    }
    fn update_all(&self, end: Row, cx: &mut Context<'_, '_, H>) -> Status {
        // In this order each agent's tick ends before the next one's begins.
        loop {
            cx.agent.sleep = Moment::START;
            let status = Stateless::update(self, cx);
            let next = cx.agent.at.next();
            if status != Status::Running || cx.agent.sleep > Moment::START || next >= end {
                return status;
            }
            cx.agent.at = next;
        }
    }
    fn update_batch(&self, batch: &mut Batch, cx: &mut Context<'_, '_, H>) -> Option<Status> {
        if !is_empty(&batch.to_do) {
            let mut members = Members::none(self.unanswered());
            members.add(&take(&mut batch.to_do));
            cx.agent.at = members.first();
            batch.sleepers.clear();
            let mut call = members.lend(cx, &mut batch.sleepers);
            self.leaf.update(&mut call);
            call.close();
            batch.sleepers.close();
            for (at, status) in members.answered() {
                match status {
                    Status::Running => {}
                    Status::Success => add(&mut batch.succeeded, at),
                    Status::Failure => add(&mut batch.failed, at),
                }
            }
        }
        let (at, until) = batch.sleepers.next()?;
        let status = batch.answer(at);
        (cx.agent.at, cx.agent.sleep) = (at, until);
        Some(status)
    }
    fn ask_batch(&self, batch: &Bits, cx: &mut Context<'_, '_, H>) -> Answers {
        let mut answers = Answers::default();
        if is_empty(batch) {
            return answers;
        }
        let mut members = Members::none(self.unanswered());
        members.add(batch);
        cx.agent.at = members.first();
        // A question puts no agent to sleep.
        let mut sleepers = Sleepers::default();
        self.leaf.update(&mut members.lend(cx, &mut sleepers));
        cx.agent.sleep = Moment::START;
        for (at, status) in members.answered() {
            match status {
                Status::Failure => {}
                Status::Success => add(&mut answers.yes, at),
                Status::Running => add(&mut answers.neither, at),
            }
        }
        answers
    }
    fn end(&self, cx: &mut Context<'_, '_, H>, end: End) {
        self.leaf.end(cx, end);
    }
    fn pause(&self, _: &mut Context<'_, '_, H>, _: bool) {}
}
