//! How a call reaches what leaves see of its agents beside their keys.

use crate::AgentId;
use crate::blackboard::board::Changes;
use crate::blackboard::view::SharedRows;
use crate::life::Life;
use crate::lone::LoneAgent;
use crate::row::Row;
use crate::turns::Turns;

/// How a call reaches what leaves see of its agents beside their keys.
pub(crate) enum Access<'a> {
    /// In columns. So it is in every call that makes a machine.
    Rows(AgentRows<'a>),
    /// In one piece, on the short way of a brain whose tree declares no shared keys: to write down
    /// where each part lies would take as long as many a leaf.
    Lone(&'a mut LoneAgent),
}

/// What leaves see of agents that lie in columns.
pub(crate) struct AgentRows<'a> {
    pub(crate) ids: &'a [AgentId],
    pub(crate) lives: &'a mut [Life],
    /// Which of their keys have changed.
    pub(crate) changes: Changes<'a>,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'a>>,
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
            Access::Lone(lone) => std::slice::from_ref(&lone.id),
        }
    }

    #[inline]
    pub(crate) fn life(&self, at: Row) -> &Life {
        match self {
            Access::Rows(rows) => &rows.lives[at.index()],
            Access::Lone(lone) => &lone.life,
        }
    }

    #[inline]
    pub(crate) fn life_mut(&mut self, at: Row) -> &mut Life {
        match self {
            Access::Rows(rows) => &mut rows.lives[at.index()],
            Access::Lone(lone) => &mut lone.life,
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

    /// A key of an agent that these observers read has changed.
    #[inline]
    pub(crate) fn mark(&mut self, watch: &[u64], at: Row) {
        match self {
            Access::Rows(rows) => rows.changes.mark(watch, at),
            Access::Lone(lone) => lone.lend().2.mark(watch, at),
        }
    }

    pub(crate) fn shared(&self) -> Option<&SharedRows<'a>> {
        match self {
            Access::Rows(rows) => rows.shared.as_ref(),
            Access::Lone(_) => None,
        }
    }

    pub(crate) fn shared_mut(&mut self) -> Option<&mut SharedRows<'a>> {
        match self {
            Access::Rows(rows) => rows.shared.as_mut(),
            Access::Lone(_) => None,
        }
    }

    /// The observers that read a changed key, of the only agent of the call.
    #[inline]
    pub(crate) fn lone_dirty(&self) -> u64 {
        match self {
            Access::Rows(rows) => rows.changes.dirty[Row::FIRST.index()],
            Access::Lone(lone) => lone.dirty,
        }
    }
}

#[cold]
#[inline(never)]
fn no_rows() -> ! {
    unreachable!("a machine works on columns")
}
