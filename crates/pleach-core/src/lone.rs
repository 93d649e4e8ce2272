//! An agent that is in no chunk: what leaves see of it, in one piece. A call of its leaves borrows
//! the piece, and finds what a leaf asks for when it asks.

use std::slice;

use crate::blackboard::Schema;
use crate::blackboard::board::{BoardRows, BoardView, Changes, Heir};
use crate::blackboard::columns::Columns;
use crate::blackboard::layout::Layout;
use crate::keys::rows::{KeyRows, foreign};
use crate::life::Life;
use crate::row::Row;
use crate::{AgentId, BlackboardType, Key};

/// What leaves see of an agent that is in no chunk.
pub(crate) struct LoneAgent {
    pub(crate) id: AgentId,
    pub(crate) life: Life,
    pub(crate) columns: Columns,
    /// The observers that read a changed key, of a tree with one word of observers or none. Other
    /// trees keep them with their run state.
    pub(crate) dirty: u64,
    /// One bit, as in a set of agents.
    pub(crate) dirty_agents: u64,
}

/// The same in parts, as a row of columns.
pub(crate) struct LoneParts<'a> {
    pub(crate) ids: &'a [AgentId],
    pub(crate) lives: &'a mut [Life],
    pub(crate) columns: &'a mut Columns,
}

impl LoneAgent {
    pub(crate) fn new(id: AgentId, life: Life, columns: Columns) -> Self {
        LoneAgent { id, life, columns, dirty: 0, dirty_agents: 0 }
    }

    /// Its parts, and which of its keys have changed.
    #[inline(always)]
    pub(crate) fn lend(&mut self) -> (LoneParts<'_>, Changes<'_>) {
        let LoneAgent { id, life, columns, dirty, dirty_agents } = self;
        let (ids, lives) = (slice::from_ref(id), slice::from_mut(life));
        let changes = Changes { dirty: slice::from_mut(dirty), agents: slice::from_mut(dirty_agents) };
        (LoneParts { ids, lives, columns }, changes)
    }

    /// Takes over the keys of another tree.
    pub(crate) fn inherit(&mut self, layout: &Layout, heirs: &[Heir<'_>]) {
        let old = std::mem::replace(&mut self.columns, layout.cells_of_one());
        self.columns.inherit_one(layout, &old, heirs);
    }

    /// It has come to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty(&mut self) {
        self.dirty_agents = u64::from(self.dirty != 0);
    }
}

/// Such an agent during a call, where its tree declares no shared keys.
pub(crate) struct LoneView<'a> {
    pub(crate) agent: &'a mut LoneAgent,
    pub(crate) schema: &'a Schema,
    pub(crate) layout: &'a Layout,
}

impl LoneView<'_> {
    /// Its keys, to read.
    #[inline]
    fn board(&self) -> BoardView<'_> {
        BoardView::of_one(self.layout, &self.agent.columns)
    }

    /// As [`KeyRows::get`]. Never a part of its caller: a leaf that is called for a crowd stays
    /// short.
    #[inline(never)]
    #[track_caller]
    pub(crate) fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        match self.board().get(Row::FIRST, key) {
            Ok(value) => value,
            Err(_) => self.get_other(key),
        }
    }

    /// As [`KeyRows::set`], and apart for the same reason.
    #[inline(never)]
    #[track_caller]
    pub(crate) fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        self.rows().set(Row::FIRST, key, value)
    }

    /// As [`KeyRows::try_get`].
    #[inline]
    pub(crate) fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        self.board().get(Row::FIRST, key).ok().or_else(|| self.other_value(key))
    }

    /// One call, so that the way to the agent's own keys keeps nothing for it.
    #[inline(never)]
    #[track_caller]
    fn get_other<V: BlackboardType>(&self, key: Key<V>) -> V {
        match self.other_value(key) {
            Some(value) => value,
            None => foreign(self.schema, key),
        }
    }

    /// What a key holds that has another place than in the tree in which the typed key was looked
    /// up.
    #[inline(never)]
    fn other_value<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        let place = self.schema.own(key)?.place();
        V::from_value(self.board().value(Row::FIRST, place))
    }

    /// Its keys, to read and to write, as those of a row.
    #[inline]
    pub(crate) fn rows(&mut self) -> KeyRows<'_> {
        let (LoneParts { columns, .. }, changes) = self.agent.lend();
        let board = BoardRows::of_one(self.layout, columns, changes);
        KeyRows { schema: self.schema, board, shared: None }
    }
}
