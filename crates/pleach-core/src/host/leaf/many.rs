//! Calls of one leaf for many agents.

use super::Known;
use crate::bits::{Bits, add, has, pop};
use crate::clock::Moment;
use crate::row::Row;
use crate::{Context, Host, Status};

/// Agents of a chunk that a leaf updates together. After a panic of a leaf that is called agent by
/// agent, every agent is still in one of the three sets, except the one whose update panicked.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) to_do: Bits,
    pub(crate) succeeded: Bits,
    pub(crate) failed: Bits,
    pub(super) sleepers: Sleepers,
}

/// Agents that a leaf has updated in one call, and until when it wants to sleep for each: its last
/// wish for an agent.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    list: Vec<(Row, Moment)>,
    has: Bits,
}

impl Sleepers {
    pub(crate) fn put(&mut self, at: Row, until: Moment) {
        if !has(&self.has, at) {
            add(&mut self.has, at);
            self.list.push((at, until));
        } else if let Some(it) = self.list.iter_mut().rev().find(|it| it.0 == at) {
            it.1 = until;
        }
    }

    /// The call is over: [`next`](Sleepers::next) gives them in the order in which they were put.
    pub(super) fn close(&mut self) {
        self.list.reverse();
        self.has = Bits::default();
    }

    pub(super) fn next(&mut self) -> Option<(Row, Moment)> {
        self.list.pop()
    }

    /// Forgets what a call that panicked has left.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.has = Bits::default();
    }
}

impl Batch {
    /// What a leaf answered for an agent that it has updated.
    pub(super) fn answer(&self, at: Row) -> Status {
        if has(&self.succeeded, at) {
            Status::Success
        } else if has(&self.failed, at) {
            Status::Failure
        } else {
            Status::Running
        }
    }

    fn part(&mut self, word: usize) -> BatchWord<'_> {
        BatchWord { to_do: self.to_do[word], succeeded: 0, failed: 0, batch: self, word }
    }
}

/// A word of a batch, in registers while it is in work. Dropping it, even in a panic, writes it
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

/// The states of one leaf.
pub(super) trait StatesOfLeaf<S> {
    fn of(&mut self, agent: Row) -> &mut S;
}

/// Updates the context's agent and those after it, before `end`, as long as the leaf returns
/// Running and wants no sleep. The context's agent is then the last one that was updated, and its
/// status is returned.
#[inline(always)]
pub(super) fn update_all<H: Host, L: Known<H>>(
    leaf: &L,
    mut states: impl StatesOfLeaf<L::State>,
    end: Row,
    cx: &mut Context<'_, '_, H>,
) -> Status {
    // This tells the compiler that each of these agents has an id.
    let end = end.min(Row::end(cx.agent.ids.len()));
    loop {
        cx.agent.sleep = Moment::START;
        let status = leaf.update(states.of(cx.agent.at), cx);
        let next = cx.agent.at.next();
        if status != Status::Running || cx.agent.sleep > Moment::START || next >= end {
            return status;
        }
        cx.agent.at = next;
    }
}

/// Updates the agents in `to_do`, until the leaf wants to sleep for one of them. That agent is then
/// the context's, and its status is returned.
#[inline(always)]
pub(super) fn update_batch<H: Host, L: Known<H>>(
    leaf: &L,
    mut states: impl StatesOfLeaf<L::State>,
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
            let status = leaf.update(states.of(agent), cx);
            match status {
                // The usual case, which the processor predicts.
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

/// Asks a leaf for all agents of the batch.
#[inline(always)]
pub(super) fn ask_batch<H: Host, L: Known<H>>(
    leaf: &L,
    mut states: impl StatesOfLeaf<L::State>,
    batch: &Bits,
    cx: &mut Context<'_, '_, H>,
) -> Answers {
    let mut answers = Answers::default();
    for (word, &(mut to_ask)) in batch.iter().enumerate() {
        let (mut yes, mut neither) = (0, 0);
        while let Some(agent) = pop(word, &mut to_ask) {
            cx.agent.at = agent;
            let status = leaf.update(states.of(agent), cx);
            yes |= u64::from(status == Status::Success) << agent.place();
            neither |= u64::from(status == Status::Running) << agent.place();
        }
        (answers.yes[word], answers.neither[word]) = (yes, neither);
    }
    answers
}
