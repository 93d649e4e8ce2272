//! The calls of a brain that run leaves, with a tracer or without.

use std::sync::Arc;

use super::Brain;
use super::row::LoneRow;
use crate::blackboard::view::SharedView;
use crate::clock::DtError;
use crate::forest::lives::Lives;
use crate::forest::parts::{ForestParts, Shape};
use crate::forest::replaced::ReplaceTally;
use crate::forest::{Panics, Replace, ReplaceReport, heirs};
use crate::life::Flags;
use crate::machine::carry::Cuts;
use crate::machine::scratch::Scratch;
use crate::machine::simple::fast_tick::{Progress, note};
use crate::request::Request;
use crate::row::Row;
use crate::trace::{Traced, Tracer};
use crate::{Host, Outcome, Reason, error::KeysError};

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// As [`Brain::tick`].
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or above [`MAX_DT`](crate::limits::MAX_DT). Nothing
    /// happens then.
    ///
    /// # Panics
    /// If a leaf panics. The agent is then [`Panicked`](crate::Phase::Panicked).
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<Option<Outcome>, DtError> {
        let dt = self.step.of(dt)?;
        self.call.pass(dt);
        self.call.requests.begin_frame();
        self.frame += 1;
        let progress = if T::ENABLED || T::INPUTS { Progress::NotStarted } else { self.it.fast_tick(cx) };
        if progress == Progress::Done {
            self.carry_out(cx);
            return Ok(None);
        }
        Ok(self.tick_behind(cx, progress))
    }

    /// The rest of a tick after the fast tick. Returns how the root ended, if it did.
    #[inline(never)]
    fn tick_behind(&mut self, cx: &mut H::Cx<'_>, progress: Progress) -> Option<Outcome> {
        let ended = match (note(&mut self.row, progress), progress) {
            (Progress::Done, Progress::RootEnded(outcome)) => Some(outcome),
            (Progress::Done, _) => {
                // Prepared here, the next tick saves a jump that the processor mispredicts.
                self.prepare_fast_tick();
                None
            }
            #[cfg(feature = "save")]
            (progress, _) if T::INPUTS => self.tick_recorded(cx, progress),
            (progress, _) => self.tick_row(cx, progress),
        };
        self.carry_out(cx);
        ended.filter(|_| !self.row.gone)
    }

    /// The agent's row, its tree, and what it sees of the rest in a tick.
    pub(super) fn parts<'a>(
        &'a mut self,
        scratch: &'a mut Scratch,
    ) -> (&'a mut LoneRow<H>, &'a Shape<H>, ForestParts<'a, T>) {
        let (brain, tracer) = (&mut *self.it, &mut *self.tracer);
        if T::ENABLED {
            tracer.frame(brain.frame, brain.call.now.seconds());
            let tree = Arc::clone(&brain.shape.tree);
            brain.rest().scratch.fit(&tree);
        }
        let (shared, scratch) = match &mut brain.rest {
            None => (SharedView::None, scratch),
            Some(rest) => (SharedView::Own(&mut rest.shared), &mut rest.scratch),
        };
        let parts = ForestParts { shared, call: &mut brain.call, scratch, tracer, frame: 0 };
        (&mut brain.row, &brain.shape, parts)
    }

    /// Makes a call about the agent that is not a tick, if the agent still exists.
    pub(super) fn with_row(&mut self, call: impl FnOnce(&mut LoneRow<H>, &Shape<H>, &mut ForestParts<'_, T>)) {
        if !self.row.gone {
            self.call.before = self.call.now;
            // A tick that panicked may have left some.
            self.call.opened.clear();
            let mut scratch = Scratch::default();
            let (row, shape, mut parts) = self.parts(&mut scratch);
            call(row, shape, &mut parts);
        }
    }

    /// Carries out requests in the order in which they were made (SEMANTICS 8.8). Those for others
    /// are dropped: a brain knows no other agent and no tree.
    #[inline]
    pub(super) fn carry_out(&mut self, cx: &mut H::Cx<'_>) {
        if !self.call.requests.is_empty() {
            self.carry_out_all(cx);
        }
    }

    #[inline(never)]
    fn carry_out_all(&mut self, cx: &mut H::Cx<'_>) {
        let own = self.row.id;
        self.call.requests.note();
        while let Some(request) = self.call.requests.pop_front() {
            match request {
                Request::Send(agent, event, (_, node)) if agent == own => {
                    if let Err(error) = self.send(event) {
                        let error = self.shape.tree.sent(error, own, node);
                        H::on_refused(cx, own, event, &error);
                    }
                }
                Request::Disable(agent) if agent == own => self.disable_now(cx),
                Request::Restart(agent) if agent == own => self.restart_now(cx),
                Request::Despawn(agent) if agent == own => self.despawn_now(cx),
                Request::Send(..)
                | Request::SendToGroup(..)
                | Request::Disable(_)
                | Request::Restart(_)
                | Request::Despawn(_)
                | Request::Spawn(..) => {}
            }
        }
    }

    fn enable_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| row.enable(shape, cx, parts, Row::FIRST));
    }

    fn disable_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| {
            Lives::<H>::clear_mail(row, Row::FIRST);
            row.disable(shape, cx, parts, Row::FIRST, Reason::Stopped);
        });
    }

    fn restart_now(&mut self, cx: &mut H::Cx<'_>) {
        self.with_row(|row, shape, parts| row.disable(shape, cx, parts, Row::FIRST, Reason::Stopped));
        self.enable_now(cx);
    }

    fn despawn_now(&mut self, cx: &mut H::Cx<'_>) {
        let mut panics = Panics::default();
        self.with_row(|row, shape, parts| {
            panics.catch(|| row.disable(shape, cx, parts, Row::FIRST, Reason::Despawned));
        });
        self.row.gone = true;
        // This is host code as well.
        let states = std::mem::take(&mut self.row.states);
        panics.catch(|| drop(states));
        panics.go_on();
    }

    /// As [`Brain::enable`].
    ///
    /// # Panics
    /// If an `awake` panics.
    pub fn enable(&mut self, cx: &mut H::Cx<'_>) {
        self.enable_now(cx);
        self.carry_out(cx);
    }

    /// As [`Brain::disable`].
    ///
    /// # Panics
    /// If an `end` panics.
    pub fn disable(&mut self, cx: &mut H::Cx<'_>) {
        self.disable_now(cx);
        self.carry_out(cx);
    }

    /// As [`Brain::restart`].
    ///
    /// # Panics
    /// If an `end` or `awake` panics.
    pub fn restart(&mut self, cx: &mut H::Cx<'_>) {
        self.restart_now(cx);
        self.carry_out(cx);
    }

    /// As [`Brain::pause`].
    ///
    /// # Panics
    /// If a `pause` panics.
    pub fn pause(&mut self, cx: &mut H::Cx<'_>) {
        self.set_paused(cx, true);
    }

    /// As [`Brain::unpause`].
    ///
    /// # Panics
    /// If a `pause` panics.
    pub fn unpause(&mut self, cx: &mut H::Cx<'_>) {
        self.set_paused(cx, false);
    }

    fn set_paused(&mut self, cx: &mut H::Cx<'_>, paused: bool) {
        self.with_row(|row, shape, parts| row.pause(shape, cx, parts, Row::FIRST, paused));
        self.carry_out(cx);
    }

    /// As [`Brain::despawn`].
    ///
    /// # Panics
    /// If an `end` panics. The agent is still gone.
    pub fn despawn(&mut self, cx: &mut H::Cx<'_>) {
        self.despawn_now(cx);
        self.carry_out(cx);
    }

    /// As [`Brain::replace_tree`].
    ///
    /// # Errors
    /// If the new tree lacks a key that the game relies on ([`bind`](Brain::bind)). Nothing changes
    /// then.
    ///
    /// # Panics
    /// If an `end` or `awake` panics. Also if creating a leaf's state panics; nothing changes then.
    pub fn replace_tree(&mut self, cx: &mut H::Cx<'_>, new: impl Into<Replace<H>>) -> Result<ReplaceReport, KeysError> {
        let new = new.into();
        new.tree.schema.meets(self.key_needs(), new.tree.name())?;
        // This is host code, which may panic, so it comes before anything changes.
        let carry = new.carry(&self.shape.tree);
        let Replace { tree: new, .. } = new;
        let mut states = new.stateful.lists(usize::from(!self.row.gone));
        let mut panics = Panics::default();
        let (mut tally, mut parted) = (ReplaceTally::default(), Cuts::default());
        self.with_row(|row, shape, parts| {
            let on = row.flags.contains(Flags::ENABLED);
            match &carry {
                None => {
                    panics.catch(|| row.suspend(shape, cx, parts, Row::FIRST));
                    if on {
                        tally.restarted();
                    }
                }
                Some(carry) => {
                    parted.starts = row.take_starts();
                    if !panics.catch(|| row.part(shape, cx, parts, Row::FIRST, carry, &mut parted)) && on {
                        tally.parted(&parted.cuts);
                    }
                }
            }
        });
        let brain = &mut *self.it;
        new.schema.follows(&brain.shape.tree.schema, new.name());
        let heirs = heirs(&brain.shape.tree, &new);
        let old_states = match &carry {
            None => brain.row.refit(&new, states, &heirs),
            Some(carry) => {
                let trees = [&*brain.shape.tree, &*new];
                carry.carry_states(trees, &mut brain.row.states, &mut states);
                tally.kept(brain.row.carry(carry, trees, &heirs, &parted));
                std::mem::replace(&mut brain.row.states, states)
            }
        };
        drop(heirs);
        if let Some(rest) = &mut brain.rest {
            let maps = rest.shared.readmit([&brain.shape.tree.schema], [(&new.schema, &new.layout)]);
            brain.shape.map = maps.into_iter().next().unwrap_or_default();
        }
        let report = tally.of_trees(&brain.shape.tree, &new);
        self.shape.grouped = new.schema.columns()[1] > 0;
        let leaves = carry.map(|it| it.new_leaves(&new));
        let old_tree = std::mem::replace(&mut self.shape.tree, new);
        self.make_rest();
        // This is host code as well.
        panics.catch(|| drop((old_states, old_tree)));
        self.with_row(|row, shape, parts| {
            panics.catch(|| match &leaves {
                None => row.resume(shape, cx, parts, Row::FIRST),
                Some(leaves) if leaves.is_empty() => {}
                Some(leaves) => row.awake_new(shape, cx, parts, Row::FIRST, leaves),
            });
        });
        panics.go_on();
        self.carry_out(cx);
        Ok(report)
    }
}
