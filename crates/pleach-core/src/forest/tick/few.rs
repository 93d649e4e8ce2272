//! The tick of a chunk with few agents: a fast tick each, up to the first that it cannot finish; a
//! machine does the rest. Most games have a few agents of each of many trees.

use super::super::TickReport;
use super::super::chunk::Chunk;
use super::super::parts::{ForestParts, Shape, groups};
use super::{Begun, Due, Tally, Ticking, Ways};
use crate::bits::{Bits, within};
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::host::access::{Access, FewRows};
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, Life, is_asleep, is_fresh, is_plain, is_plain_sleeper};
use crate::machine::simple::batch::{self, Store};
use crate::machine::simple::fast_tick::{self, FastTick, Progress};
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Context, Host, NodeId, Tree};

/// Agents of a chunk that are few: too few for batches.
pub(super) const FEW: usize = batch::LEAST as usize - 1;

impl<H: Host> Chunk<H> {
    /// Gives the agents of a chunk a turn, of which there are few, in their order. All of them are
    /// due. Returns where it ended.
    #[inline(always)]
    pub(super) fn tick_few<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> Row {
        let end = self.end();
        if is_plain_sleeper(self.flags[0]) && self.all_sleep_on(parts.call.now) {
            tally.report.asleep += self.len() as u64;
            return end;
        }
        let Chunk { ids, flags, lives, extras, run, board, states, .. } = self;
        if let Some(inbox) = extras.inbox_mut() {
            inbox.sort();
        }
        let (mut at, mut progress) = (Row::FIRST, Progress::NotStarted);
        let Tally { report, panics, .. } = tally;
        let panicked = panics.catch(|| {
            let tree = &*shape.tree;
            let ties = extras.ties();
            let shared = SharedRows::of(&mut parts.shared, &shape.map, end.index(), || groups(ties));
            let cells = board.cells(&tree.layout, run.room());
            let (tops, bits) = run.tops_and_bits();
            let access = Access::Few(FewRows { lives, bits, shared });
            let (schema, call, node) = (&tree.schema, &mut *parts.call, NodeId::ROOT);
            let agent = AgentContext { at, ids, ties, schema, cells, access, node, call, sleep: Moment::START };
            let cx = &mut Context { host, agent };
            progress = go(tree, tops, flags, &mut states.lend(), report, cx, (&mut at, end));
        });
        if at == end {
            return end;
        }
        self.tick_few_rest(shape, host, parts, tally, at, Begun { progress, panicked })
    }

    /// Whether all agents sleep on.
    #[inline(never)]
    fn all_sleep_on(&self, now: Moment) -> bool {
        let marks = self.run.bits().first_dirty();
        self.rows().all(|at| sleeps_on(self.flags[at.index()], &self.lives, marks, now, at))
    }

    /// Finishes the frame from the first agent that the fast tick could not finish. A function of
    /// its own, so that the fast tick has the registers.
    #[inline(never)]
    fn tick_few_rest<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        from: Row,
        begun: Begun,
    ) -> Row {
        let range = from..self.end();
        let (marks, now) = (self.run.bits().first_dirty(), parts.call.now);
        let (mut ready, mut woken) = (Bits::default(), 0);
        for (at, &flags) in Row::all().zip(self.flags()).skip(from.index()) {
            let (asleep, sleeps_on) = (is_asleep(flags), sleeps_on(flags, &self.lives, marks, now, at));
            ready[0] |= u64::from(!sleeps_on) << at.place();
            woken |= u64::from(asleep && !sleeps_on) << at.place();
            tally.report.asleep += u64::from(asleep);
        }
        // When the agents are many, ticks look at those that have woken.
        self.run.bits_mut().awake_mut()[0] |= woken;
        let mut due = Due::of(shape, ready, || std::array::from_fn(|word| within(word, &range)));
        let end = self.tick_begun(shape, host, parts, tally, &mut due, range.clone(), Ways::Order, begun);
        self.note_turns(parts, tally, range.start..end)
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
            // The one before may have written a key that this one watches.
            marks = cx.agent.access.few().bits.first_dirty();
        }
        let own = flags[at.index()];
        let mut progress = Progress::NotStarted;
        'ticked: {
            if is_plain(own) {
                let (node, marked) = (tops[at.index()], marks & at.bit() != 0);
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
            } else if sleeps_on(own, cx.agent.access.few().lives, marks, cx.agent.call.now, *at) {
                report.asleep += 1;
                *at = at.next();
                continue 'agents;
            } else if !own.contains(Flags::ENABLED) || own.contains(Flags::PAUSED) {
                cx.agent.access.few().bits.look_away(*at);
                *at = at.next();
                continue 'agents;
            } else if is_fresh(own) {
                progress = begin(tree, states, cx);
            } else {
                return progress;
            }
            progress = note((&mut tops[at.index()], flags), report, cx, progress);
            if progress != Progress::Done {
                return progress;
            }
        }
        report.ticked += 1;
        *at = at.next();
    }
    Progress::NotStarted
}

/// Whether an agent is asleep, and has nothing to wake for: no deadline that has come, no mail and
/// no changed key.
#[inline(always)]
fn sleeps_on(flags: Flags, lives: &[Life], marks: u64, now: Moment, at: Row) -> bool {
    is_plain_sleeper(flags) && marks & at.bit() == 0 && now < lives[at.index()].wakes()
}

/// Begins the root of an agent, if its first leaf is bare. A function of its own,
/// as most agents go on with an action.
#[inline(never)]
fn begin<H: Host>(tree: &Tree<H>, states: &mut LeafStates<'_, H>, cx: &mut Context<'_, '_, H>) -> Progress {
    fast_tick::first(tree).map_or(Progress::NotStarted, |first| fast_tick::run_bare(tree, states, cx, first))
}

/// Notes a finished tick in which the agent came to another leaf, or its root ended. A function of
/// its own, as the action of most agents goes on running.
#[inline(never)]
fn note<H: Host>(
    (top, flags): (&mut NodeId, &mut [Flags]),
    report: &mut TickReport,
    cx: &mut Context<'_, '_, H>,
    progress: Progress,
) -> Progress {
    let at = cx.agent.at;
    let own = flags[at.index()];
    let bits = &mut *cx.agent.access.few().bits;
    match progress {
        Progress::Running(leaf) => {
            flags[at.index()] -= Flags::FRESH;
            *top = leaf;
        }
        // An agent that stops is no longer due.
        Progress::RootEnded(outcome) if !own.contains(Flags::STOPS) => {
            flags[at.index()] |= Flags::ENDED | Flags::FRESH;
            flags[bits.room() + at.index()] = Flags::of_end(outcome);
            *top = NodeId::NONE;
            bits.clear_monitors(at);
            report.ended += 1;
        }
        progress => return progress,
    }
    bits.refresh_dirty_agent(at);
    Progress::Done
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// The rest of the fast tick of the machine's agent.
    pub(super) fn tick_rest(&mut self, progress: Progress) {
        let Ticking { machine, notes, .. } = self;
        let ended = machine.simple().and_then(|mut it| it.tick_from(progress));
        notes.store(machine, ended);
    }
}
