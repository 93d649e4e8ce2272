//! The fast ticks of a chunk with few agents: one each, up to the first that such a tick cannot
//! finish. Most games have a few agents of each of many trees.

use super::super::TickReport;
use super::super::chunk::Chunk;
use super::super::parts::{ForestParts, Shape, groups};
use super::{FrameProgress, Tally};
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::host::access::{Access, FewRows};
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, is_fresh, is_plain, is_plain_sleeper, sleeps_on};
use crate::machine::simple::batch;
use crate::machine::simple::fast_tick::{self, FastTick, Place, Progress};
use crate::observer_bits::ObserverBits;
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Context, Host, NodeId, Tree};

/// Agents of a chunk that are few: too few for batches.
pub(super) const FEW: usize = batch::LEAST as usize - 1;

impl<H: Host> Chunk<H> {
    /// Gives a few agents a turn, in their order. All of them are due. Returns how far that got.
    #[inline(always)]
    pub(super) fn tick_few<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> FrameProgress {
        let end = self.end();
        if is_plain_sleeper(self.flags[0]) && self.all_sleep_on(parts.call.now) {
            tally.report.asleep += self.len() as u64;
            return FrameProgress { from: end, ..FrameProgress::default() };
        }
        let Chunk { ids, flags, lives, extras, run, board, states, .. } = self;
        let mut begun = FrameProgress::default();
        let Tally { report, panics, .. } = tally;
        let asleep = report.asleep;
        begun.panicked = panics.catch(|| {
            let tree = &*shape.tree;
            let (at, ties) = (begun.from, extras.ties());
            let shared = SharedRows::of(&mut parts.shared, &shape.map, end.index(), || groups(ties));
            let cells = board.cells(&tree.layout, run.room());
            let (tops, bits) = run.tops_and_bits();
            let access = Access::Few(FewRows { lives, bits, shared });
            let (schema, call, node) = (&tree.schema, &mut *parts.call, NodeId::ROOT);
            let agent = AgentContext { at, ids, ties, schema, cells, access, node, call, sleep: Moment::START };
            let cx = &mut Context { host, agent };
            begun.progress = go(tree, tops, flags, &mut states.lend(), report, cx, (&mut begun.from, end));
        });
        if begun.from < end {
            // The rest of the frame counts all sleepers.
            report.asleep = asleep;
        } else if let Some(inbox) = extras.inbox_mut() {
            inbox.sort();
        }
        begun
    }

    /// Whether all agents sleep on.
    #[inline(never)]
    fn all_sleep_on(&self, now: Moment) -> bool {
        let marks = self.run.bits().first_dirty();
        let sleeps_on =
            |at: Row| sleeps_on(self.flags[at.index()], &self.lives[at.index()], marks & at.bit() != 0, now);
        self.rows().all(sleeps_on)
    }
}

/// Gives each agent its fast tick. Stops at the first agent whose tick that does not finish, and
/// returns how far it got.
#[inline(always)]
fn go<H: Host>(
    tree: &Tree<H>,
    tops: &mut [NodeId],
    flags: &mut [Flags],
    states: &mut LeafStates<'_, H>,
    report: &mut TickReport,
    cx: &mut Context<'_, '_, H>,
    (at, end): (&mut Row, Row),
) -> Progress {
    let watch = tree.watch(cx.agent.call.every_tick);
    let shares = tree.layout.watches_shared();
    let mut marks = cx.agent.access.few().bits.first_dirty();
    'agents: while *at < end {
        cx.agent.at = *at;
        if shares {
            // The previous agent may have written a key that this one watches.
            marks = cx.agent.access.few().bits.first_dirty();
        }
        let (own, marked) = (flags[at.index()], marks & at.bit() != 0);
        let mut progress = Progress::NotStarted;
        'ticked: {
            if is_plain(own) {
                let node = tops[at.index()];
                let word = || cx.agent.access.few().bits.word(*at);
                if let Some(fast) = FastTick::of(tree, watch, node, marked, word) {
                    if marked {
                        cx.agent.access.few().bits.clear_dirty_agent(*at);
                    }
                    (cx.agent.node, cx.agent.sleep) = (node, Moment::START);
                    progress = fast.go(tree, states, cx);
                    if progress == Progress::Done {
                        break 'ticked;
                    }
                }
            } else if sleeps_on(own, cx.agent.access.life(*at), marked, cx.agent.call.now) {
                report.asleep += 1;
                *at = at.next();
                continue 'agents;
            } else if !own.contains(Flags::ENABLED) || own.contains(Flags::PAUSED) {
                cx.agent.access.few().bits.look_away(*at);
                *at = at.next();
                continue 'agents;
            } else if is_fresh(own) {
                progress = fast_tick::begin(tree, states, cx);
            } else {
                return progress;
            }
            let bits = &mut *cx.agent.access.few().bits;
            progress = fast_tick::note(FewPlace { at: *at, tops, flags, bits, report }, progress);
            if progress != Progress::Done {
                return progress;
            }
        }
        report.ticked += 1;
        *at = at.next();
    }
    Progress::NotStarted
}

/// Where one of few agents lies.
struct FewPlace<'a> {
    at: Row,
    tops: &'a mut [NodeId],
    flags: &'a mut [Flags],
    bits: &'a mut ObserverBits,
    report: &'a mut TickReport,
}

impl Place for FewPlace<'_> {
    fn flags_and_last(&mut self) -> (&mut Flags, &mut Flags) {
        let (flags, last) = self.flags.split_at_mut(self.bits.room());
        (&mut flags[self.at.index()], &mut last[self.at.index()])
    }

    fn put_top(&mut self, top: NodeId) {
        self.tops[self.at.index()] = top;
        if top == NodeId::NONE {
            self.bits.clear_monitors(self.at);
            self.report.ended += 1;
        }
        self.bits.refresh_dirty_agent(self.at);
    }
}
