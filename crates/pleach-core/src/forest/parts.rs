//! What calls of agents have in common, whether the agents are in a chunk or a brain: what they
//! share, what they see of the rest, and a machine over their columns.

use std::sync::Arc;

use crate::blackboard::board::BoardRows;
use crate::blackboard::shared::{SharedMap, SharedView};
use crate::clock::Moment;
use crate::host::context::Agent;
use crate::host::leaf::states::LeafStates;
use crate::ids::{AgentId, GroupId};
use crate::life::Life;
use crate::machine::Machine;
use crate::machine::scratch::Scratch;
use crate::machine::simple::WatchSets;
use crate::machine::state::RunColumns;
use crate::request::Requests;
use crate::row::Row;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Context, Event, Host, NodeId, Tree};

/// What the agents of a chunk see of the rest of the forest during a call.
pub(crate) struct ForestParts<'a, T: Tracer> {
    pub(crate) shared: SharedView<'a>,
    pub(crate) requests: &'a mut Requests,
    pub(crate) scratch: &'a mut Scratch,
    /// The events of the agent that is being ticked.
    pub(crate) opened: &'a mut Vec<Event>,
    pub(crate) tracer: &'a mut T,
    /// The number of this frame.
    pub(crate) frame: u64,
    /// The forest's time, and its time in the frame before.
    pub(crate) now: Moment,
    pub(crate) before: Moment,
    pub(crate) every_tick: bool,
    pub(crate) sleep: bool,
    pub(crate) batched: bool,
}

impl<'a, T: Tracer> ForestParts<'a, T> {
    /// The same with another tracer.
    pub(crate) fn with<'b, U: Tracer>(&'b mut self, tracer: &'b mut U) -> ForestParts<'b, U> {
        ForestParts {
            shared: self.shared.reborrow(),
            requests: self.requests,
            scratch: self.scratch,
            opened: self.opened,
            tracer,
            frame: self.frame,
            now: self.now,
            before: self.before,
            every_tick: self.every_tick,
            sleep: self.sleep,
            batched: self.batched,
        }
    }

    /// What leaves see, and what only a machine does.
    #[inline(always)]
    pub(crate) fn split(&mut self) -> (ForestView<'_>, &mut Scratch, &mut T) {
        let ForestParts { shared, requests, opened, scratch, tracer, now, before, .. } = self;
        (ForestView { shared: shared.reborrow(), requests, opened, now: *now, before: *before }, scratch, tracer)
    }
}

/// What leaves see of the forest.
pub(crate) struct ForestView<'a> {
    pub(crate) shared: SharedView<'a>,
    pub(crate) requests: &'a mut Requests,
    pub(crate) opened: &'a mut Vec<Event>,
    pub(crate) now: Moment,
    pub(crate) before: Moment,
}

/// What all agents of a tree share.
pub(crate) struct Shape<H: Host> {
    pub(crate) tree: Arc<Tree<H>>,
    pub(crate) map: SharedMap,
    /// Whether its agents have groups: the tree has group keys, or a tree that it replaced had
    /// some.
    pub(crate) grouped: bool,
}

impl<H: Host> Shape<H> {
    pub(crate) fn new(tree: Arc<Tree<H>>, map: SharedMap) -> Self {
        let grouped = tree.schema.columns()[1] > 0;
        Shape { tree, map, grouped }
    }
}

/// The columns of some agents that leaves see.
pub(crate) struct AgentColumns<'m> {
    pub(crate) ids: &'m [AgentId],
    pub(crate) lives: &'m mut [Life],
    pub(crate) groups: &'m [GroupId],
    pub(crate) board: BoardRows<'m>,
}

/// What the leaves of an agent see.
#[inline(always)]
pub(crate) fn context<'m, 'h, H: Host>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    view: ForestView<'m>,
    columns: AgentColumns<'m>,
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Context<'m, 'h, H> {
    let AgentColumns { ids, lives, groups, board } = columns;
    let agent = Agent {
        at,
        ids,
        lives,
        forest_now: view.now,
        before: view.before,
        turns,
        node: NodeId::ROOT,
        schema: &shape.tree.schema,
        board,
        shared: view.shared,
        map: &shape.map,
        groups,
        events: view.opened,
        requests: view.requests,
        sleep: None,
    };
    Context { host, agent }
}

/// A machine set to one agent. Beside what leaves see it works on the run state of agents and on
/// the states of leaves.
#[inline(always)]
pub(crate) fn machine<'m, 'h, H: Host, T: Tracer>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    parts: &'m mut ForestParts<'_, T>,
    columns: AgentColumns<'m>,
    (run, states): (RunColumns<'m>, LeafStates<'m, H>),
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Machine<'m, 'h, H, T> {
    let (tree, every_tick) = (&*shape.tree, parts.every_tick);
    let (view, scratch, tracer) = parts.split();
    Machine {
        tree,
        records: &tree.records,
        columns: run,
        leaves: &tree.leaves,
        states,
        cx: context(shape, host, view, columns, turns, at),
        scratch,
        tracer,
        every_tick,
        watch: WatchSets::new(tree.simple, every_tick),
        wake: Moment::END,
        last_abort: None,
        aborts: 0,
    }
}
