//! Ticks agents whose actions keep running. Each costs one look. Neighbours at the same action cost
//! one indirect call in total.

use super::Simple;
use crate::clock::Moment;
use crate::life::{Flags, is_plain};
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::record::Hooks;
use crate::{Host, Status};

/// The number of agents in a block.
const BLOCK: usize = 8;

/// The number of agents in the first, shorter look.
const FIRST: usize = 4;

/// The finished part of the tick of the first agent that has more to do.
pub(crate) enum Done {
    Nothing,
    /// Its pass.
    Pass,
    /// Its pass and its first update, which returned this status.
    Update(Status),
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Ticks agents from `at` on, while their flags are plain, they have an action on top that
    /// keeps running and wants no sleep, and nothing aborts. Returns the row of the first agent
    /// that has more to do, or the row after the last agent; and how much of that tick has been
    /// done.
    #[inline]
    pub(crate) fn tick_running(&mut self, mut at: Row, flags: &[Flags]) -> (Row, Done) {
        let records = self.machine.records;
        while at.index() < flags.len() && is_plain(flags[at.index()]) {
            let top = self.machine.columns.only_top(at);
            let record = &records[top.index()];
            if !record.hooks.contains(Hooks::HOST) {
                break;
            }
            self.machine.cx.agent.at = at;
            let next =
                if record.mask & self.machine.watch.polled != 0 && record.mask & self.polled_without_mail(at) != 0 {
                    if !self.pass() {
                        return (at, Done::Pass);
                    }
                    at.next()
                } else if self.changed(at) & record.mask != 0 {
                    break;
                } else if record.mask & self.machine.watch.shared != 0 {
                    // Its update may change what the next one watches.
                    at.next()
                } else {
                    self.end_of_alike(at, record.mask, flags)
                };
            let machine = &mut *self.machine;
            machine.cx.agent.node = top;
            let leaf = &machine.leaves[record.leaf.index()];
            let status = if next == at.next() {
                machine.cx.agent.sleep = Moment::START;
                leaf.update(&mut machine.states, &mut machine.cx)
            } else {
                leaf.update_all(&mut machine.states, next, &mut machine.cx)
            };
            at = machine.cx.agent.at;
            machine.answered(top, status);
            if status != Status::Running || machine.cx.agent.sleep > Moment::START {
                return (at, Done::Update(status));
            }
            at = at.next();
        }
        (at, Done::Nothing)
    }

    /// The end of the agents from `at` on that have the same node on top and nothing to reevaluate.
    /// Looks at a few agents, and then at blocks, each without a branch. In a mixed crowd the few
    /// are nearly never alike, and the processor's branch prediction is then right.
    #[inline]
    fn end_of_alike(&self, at: Row, mask: u64, flags: &[Flags]) -> Row {
        let tops = self.machine.columns.only_tops();
        let top = tops[at.index()];
        if let Some(few) = tops[at.index()..].first_chunk::<FIRST>()
            && !few.iter().fold(true, |all, &it| all & (it == top))
        {
            return at.next();
        }
        let dirty = &*self.machine.cx.agent.changes().dirty;
        let mut end = at.index();
        while let (Some(flags), Some(tops)) = (flags[end..].first_chunk::<BLOCK>(), tops[end..].first_chunk::<BLOCK>())
        {
            let alike = flags.iter().zip(tops).fold(true, |all, (&flags, &it)| all & is_plain(flags) & (it == top));
            let words = dirty.get(end..end + BLOCK).unwrap_or(&[]);
            if !alike || words.iter().fold(0, |all, word| all | word) & mask != 0 {
                break;
            }
            end += BLOCK;
        }
        let events = mask & self.machine.watch.events;
        if events != 0 && end > at.index() {
            // A condition that asks for an event and succeeded has to be asked again.
            let statuses = &self.machine.columns.status_words()[at.index()..end];
            end = at.index() + statuses.iter().position(|it| it & events != 0).unwrap_or(statuses.len());
        }
        at.plus((end - at.index()).max(1))
    }
}
