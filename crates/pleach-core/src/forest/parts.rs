//! What every call into an agent borrows, in a chunk or a brain: the shared parts, what it sees of
//! the rest, and a machine over its columns.

use std::sync::Arc;

use crate::blackboard::board::BoardRows;
use crate::blackboard::shared::SharedMap;
use crate::blackboard::view::{SharedRows, SharedView};
use crate::clock::Moment;
use crate::host::access::{Access, AgentRows};
use crate::host::call::Call;
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::ids::{AgentId, GroupId};
use crate::life::Life;
use crate::machine::Machine;
use crate::machine::scratch::Scratch;
use crate::machine::state::RunColumns;
use crate::row::Row;
use crate::ties::Ties;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Context, Host, NodeId, Tree};

/// What the agents of a chunk see of the rest of the forest during a call.
pub(crate) struct ForestParts<'a, T: Tracer> {
    pub(crate) shared: SharedView<'a>,
    pub(crate) call: &'a mut Call,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) tracer: &'a mut T,
    /// The number of this frame.
    pub(crate) frame: u64,
}

impl<'a, T: Tracer> ForestParts<'a, T> {
    /// The same with another tracer.
    pub(crate) fn with<'b, U: Tracer>(&'b mut self, tracer: &'b mut U) -> ForestParts<'b, U> {
        ForestParts {
            shared: self.shared.reborrow(),
            call: self.call,
            scratch: self.scratch,
            tracer,
            frame: self.frame,
        }
    }
}

/// What all agents of a tree share.
pub(crate) struct Shape<H: Host> {
    pub(crate) tree: Arc<Tree<H>>,
    pub(crate) map: SharedMap,
    /// Whether the tree has group keys, so that each of its agents has a group.
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
    pub(crate) board: BoardRows<'m>,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'m>>,
    /// Entities and groups, if an agent has any.
    pub(crate) ties: Option<&'m Ties>,
}

/// The groups of some agents, or none.
#[inline]
pub(crate) fn groups(ties: Option<&Ties>) -> &[GroupId] {
    ties.map_or(&[], Ties::groups)
}

/// What the leaves of an agent see, where agents lie in columns.
#[inline(always)]
pub(crate) fn context<'m, 'h, H: Host>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    call: &'m mut Call,
    columns: AgentColumns<'m>,
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Context<'m, 'h, H> {
    let AgentColumns { ids, lives, board, shared, ties } = columns;
    let (schema, BoardRows { cells, changes }) = (&shape.tree.schema, board);
    let access = Access::Rows(AgentRows { lives, changes, shared, turns });
    let node = NodeId::ROOT;
    Context { host, agent: AgentContext { at, ids, ties, schema, cells, access, node, call, sleep: Moment::START } }
}

/// A machine set to one agent. In addition to what leaves see it works on the run state of agents
/// and on the states of leaves.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one for each thing that a machine borrows")]
pub(crate) fn machine<'m, 'h, H: Host, T: Tracer>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    call: &'m mut Call,
    (scratch, tracer): (&'m mut Scratch, &'m mut T),
    columns: AgentColumns<'m>,
    (run, states): (RunColumns<'m>, LeafStates<'m, H>),
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Machine<'m, 'h, H, T> {
    let (tree, every_tick) = (&*shape.tree, call.every_tick);
    Machine {
        tree,
        records: &tree.records,
        columns: run,
        leaves: &tree.leaves,
        states,
        cx: context(shape, host, call, columns, turns, at),
        scratch,
        tracer,
        watch: *tree.watch(every_tick),
        wake: Moment::NEVER,
        loud: false,
        aborts: 0,
    }
}
