//! How a call accesses what leaves see of its agents besides their keys.

use crate::bits;
use crate::blackboard::Scope;
use crate::blackboard::changes::Changes;
use crate::blackboard::view::SharedRows;
use crate::index::ObserverId;
use crate::life::Life;
use crate::lone::LoneAgent;
use crate::observer_bits::ObserverBits;
use crate::row::Row;
use crate::turns::Turns;

/// How a call accesses what leaves see of its agents besides their keys.
pub(crate) enum Access<'a> {
    /// In columns, as in every call that makes a machine.
    Rows(AgentRows<'a>),
    /// In the columns of a chunk, each of which is found when a leaf asks, in a fast tick:
    /// collecting all of them would take as long as many leaves do.
    Few(FewRows<'a>),
    /// In one piece, in a fast tick of a brain whose tree declares no shared keys.
    Lone(&'a mut LoneAgent),
}

/// What leaves see of agents that lie in columns.
pub(crate) struct AgentRows<'a> {
    pub(crate) lives: &'a mut [Life],
    /// Which of their keys have changed.
    pub(crate) changes: Changes<'a>,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'a>>,
    /// When each agent had its last turn, unless all of them had it in the frame before.
    pub(crate) turns: Option<&'a mut Turns>,
}

/// What leaves see of agents whose columns are found when a leaf asks.
pub(crate) struct FewRows<'a> {
    pub(crate) lives: &'a mut Box<[Life]>,
    /// Which of their keys have changed, and the other data about their observers.
    pub(crate) bits: &'a mut ObserverBits,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'a>>,
}

impl<'a> Access<'a> {
    /// The columns, for a machine.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &AgentRows<'a> {
        match self {
            Access::Rows(rows) => rows,
            Access::Few(_) | Access::Lone(_) => no_rows(),
        }
    }

    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut AgentRows<'a> {
        match self {
            Access::Rows(rows) => rows,
            Access::Few(_) | Access::Lone(_) => no_rows(),
        }
    }

    #[inline]
    pub(crate) fn life(&self, at: Row) -> &Life {
        match self {
            Access::Rows(rows) => &rows.lives[at.index()],
            Access::Few(few) => &few.lives[at.index()],
            Access::Lone(lone) => &lone.life,
        }
    }

    #[inline]
    pub(crate) fn life_mut(&mut self, at: Row) -> &mut Life {
        match self {
            Access::Rows(rows) => &mut rows.lives[at.index()],
            Access::Few(few) => &mut few.lives[at.index()],
            Access::Lone(lone) => &mut lone.life,
        }
    }

    /// See [`AgentRows::turns`].
    #[inline]
    pub(crate) fn turns(&self) -> Option<&Turns> {
        match self {
            Access::Rows(rows) => rows.turns.as_deref(),
            Access::Few(_) | Access::Lone(_) => None,
        }
    }

    /// Which keys have changed.
    #[inline]
    pub(crate) fn changes(&mut self) -> Changes<'_> {
        match self {
            Access::Rows(rows) => Changes::new(rows.changes.dirty, rows.changes.agents),
            Access::Few(few) => few.bits.changes(),
            Access::Lone(lone) => lone.lend().1,
        }
    }

    /// An agent has changed a shared key that these observers read.
    pub(crate) fn mark_shared(&mut self, watch: &[u64], scope: Scope, at: Row) {
        match self {
            Access::Rows(AgentRows { changes, shared: Some(shared), .. }) => shared.mark(changes, watch, scope, at),
            Access::Few(FewRows { bits, shared: Some(shared), .. }) => {
                shared.mark(&mut bits.changes(), watch, scope, at);
            }
            Access::Rows(_) | Access::Few(_) | Access::Lone(_) => {}
        }
    }

    pub(crate) fn shared(&self) -> Option<&SharedRows<'a>> {
        match self {
            Access::Rows(rows) => rows.shared.as_ref(),
            Access::Few(few) => few.shared.as_ref(),
            Access::Lone(_) => None,
        }
    }

    pub(crate) fn shared_mut(&mut self) -> Option<&mut SharedRows<'a>> {
        match self {
            Access::Rows(rows) => rows.shared.as_mut(),
            Access::Few(few) => few.shared.as_mut(),
            Access::Lone(_) => None,
        }
    }

    /// Whether an agent may have a changed key to look at.
    #[inline]
    pub(crate) fn is_marked(&self, at: Row) -> bool {
        match self {
            Access::Rows(rows) => bits::has(rows.changes.agents, at),
            Access::Few(few) => few.bits.first_dirty() & at.bit() != 0,
            Access::Lone(lone) => lone.dirty_agents != 0,
        }
    }

    /// The observers of an agent that read a changed key, for a tree with one word of them.
    #[inline]
    pub(crate) fn dirty(&self, at: Row) -> u64 {
        match self {
            Access::Rows(rows) => rows.changes.dirty[at.index()],
            Access::Few(few) => few.bits.dirty_word(at),
            Access::Lone(lone) => lone.dirty,
        }
    }

    /// An observer of an agent is about to be asked, in a tree with one word of them.
    #[inline]
    pub(crate) fn clear_dirty(&mut self, at: Row, observer: ObserverId) {
        match self {
            Access::Rows(rows) => rows.changes.clear(1, at, observer),
            Access::Few(few) => few.bits.changes().clear(1, at, observer),
            Access::Lone(lone) => lone.dirty &= !observer.bit(),
        }
    }

    /// The columns that are found when a leaf asks, in a fast tick.
    #[inline(always)]
    pub(crate) fn few(&mut self) -> &mut FewRows<'a> {
        match self {
            Access::Few(few) => few,
            Access::Rows(_) | Access::Lone(_) => no_rows(),
        }
    }
}

#[cold]
#[inline(never)]
fn no_rows() -> ! {
    unreachable!("these agents are lent in another way")
}
