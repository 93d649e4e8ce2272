//! How a call reaches what leaves see of its agents.

use crate::AgentId;
use crate::blackboard::Schema;
use crate::keys::rows::KeyRows;
use crate::life::Life;
use crate::lone::LoneView;
use crate::row::Row;
use crate::turns::Turns;

/// How a call reaches what leaves see of its agents.
pub(crate) enum Access<'a> {
    /// In columns. So it is in every call that makes a machine.
    Rows(AgentRows<'a>),
    /// In one piece, on the short way of a brain: to write down where each part lies would take as
    /// long as many a leaf.
    Lone(LoneView<'a>),
}

/// What leaves see of agents that lie in columns.
pub(crate) struct AgentRows<'a> {
    pub(crate) ids: &'a [AgentId],
    pub(crate) keys: KeyRows<'a>,
    pub(crate) lives: &'a mut [Life],
    /// When each agent had its last turn, unless all of them had it in the frame before.
    pub(crate) turns: Option<&'a mut Turns>,
}

impl<'a> Access<'a> {
    /// The columns, for a machine.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &AgentRows<'a> {
        match self {
            Access::Rows(rows) => rows,
            Access::Lone(_) => no_rows(),
        }
    }

    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut AgentRows<'a> {
        match self {
            Access::Rows(rows) => rows,
            Access::Lone(_) => no_rows(),
        }
    }

    /// The agents of the call.
    #[inline]
    pub(crate) fn ids(&self) -> &[AgentId] {
        match self {
            Access::Rows(rows) => rows.ids,
            Access::Lone(lone) => std::slice::from_ref(&lone.agent.id),
        }
    }

    pub(crate) fn schema(&self) -> &'a Schema {
        match self {
            Access::Rows(rows) => rows.keys.schema,
            Access::Lone(lone) => lone.schema,
        }
    }

    #[inline]
    pub(crate) fn life(&self, at: Row) -> &Life {
        match self {
            Access::Rows(rows) => &rows.lives[at.index()],
            Access::Lone(lone) => &lone.agent.life,
        }
    }

    #[inline]
    pub(crate) fn life_mut(&mut self, at: Row) -> &mut Life {
        match self {
            Access::Rows(rows) => &mut rows.lives[at.index()],
            Access::Lone(lone) => &mut lone.agent.life,
        }
    }

    /// See [`AgentRows::turns`].
    #[inline]
    pub(crate) fn turns(&self) -> Option<&Turns> {
        match self {
            Access::Rows(rows) => rows.turns.as_deref(),
            Access::Lone(_) => None,
        }
    }

    /// The observers that read a changed key, of the only agent of the call.
    #[inline]
    pub(crate) fn lone_dirty(&self) -> u64 {
        match self {
            Access::Rows(rows) => rows.keys.board.dirty_rows()[Row::FIRST.index()],
            Access::Lone(lone) => lone.agent.dirty,
        }
    }
}

#[cold]
#[inline(never)]
fn no_rows() -> ! {
    unreachable!("a machine works on columns")
}
