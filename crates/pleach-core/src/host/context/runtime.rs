//! What the runtime itself reads and writes through an [`AgentContext`], on behalf of nodes.

use pleach_expr::expr::{KeyIndex, Read};

use super::AgentContext;
use crate::blackboard::board::{CellRows, Written};
use crate::blackboard::changes::Changes;
use crate::blackboard::place::KeyPlace;
use crate::blackboard::types::stored::Stored;
use crate::blackboard::view::SharedRows;
use crate::blackboard::{Schema, Scope};
use crate::clock::{Moment, Span};
use crate::host::access::AgentRows;
use crate::index::ObserverId;
use crate::keys::rows::AgentKeys;
use crate::row::Row;
use crate::{Time, Value};

impl<'a> AgentContext<'a> {
    /// The columns of a machine's agents.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &AgentRows<'a> {
        self.access.rows()
    }

    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut AgentRows<'a> {
        self.access.rows_mut()
    }

    /// Which keys of a machine's agents have changed.
    #[inline(always)]
    pub(crate) fn changes(&self) -> &Changes<'a> {
        &self.rows().changes
    }

    #[inline(always)]
    pub(crate) fn changes_mut(&mut self) -> &mut Changes<'a> {
        &mut self.rows_mut().changes
    }

    /// The observers of an agent that read a changed key.
    #[inline]
    pub(crate) fn dirty(&self, agent: Row) -> &[u64] {
        &self.changes().dirty[agent.cells(self.cells.words())]
    }

    /// An observer is about to be asked.
    #[inline]
    pub(crate) fn clear_dirty(&mut self, agent: Row, observer: ObserverId) {
        let words = self.cells.words();
        self.changes_mut().clear(words, agent, observer);
    }

    /// An agent has moved to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let words = self.cells.words();
        self.changes_mut().refresh_agent(words, agent);
    }

    /// The agent's own time.
    #[inline]
    pub(crate) fn moment(&self) -> Moment {
        self.access.life(self.at).time.now(self.call.now)
    }

    /// The agent's own time since its last turn.
    pub(crate) fn span(&self) -> Span {
        self.call.now.since(self.access.turns().map_or(self.call.before, |it| it.last(self.at)))
    }

    /// Writes a value that a node computed or that came with an event, if the key can hold it.
    /// Returns whether that changed the key's value.
    pub(crate) fn put_value(&mut self, key: KeyIndex, value: Value) -> bool {
        let decl = self.schema.decl(key);
        decl.admits(value) && self.write(self.at, decl, value)
    }

    fn cell<T: Stored>(&self, key: KeyIndex) -> Option<T> {
        let decl = self.schema.decl(key);
        match decl.scope() {
            Scope::Node | Scope::Agent => self.cells.cell(self.at, decl),
            _ => T::from_value(self.read(self.at, key)),
        }
    }
}

impl<'a> AgentKeys<'a> for AgentContext<'a> {
    #[inline(always)]
    fn schema(&self) -> &'a Schema {
        self.schema
    }
    #[inline(always)]
    fn cells(&self) -> &CellRows<'a> {
        &self.cells
    }
    #[inline(always)]
    fn cells_mut(&mut self) -> &mut CellRows<'a> {
        &mut self.cells
    }
    /// A separate function, so that a write to a key without observers stays short.
    #[inline(never)]
    fn mark(&mut self, at: Row, written: Written) {
        self.cells.mark(at, written, &mut self.access.changes());
    }
    #[inline(never)]
    fn mark_shared(&mut self, at: Row, scope: Scope, key: KeyPlace) {
        if let Some(watch) = self.cells.watch_of_shared(scope, key) {
            self.access.mark_shared(watch, scope, at);
        }
    }
    fn shared(&self) -> Option<&SharedRows<'a>> {
        self.access.shared()
    }
    fn shared_mut(&mut self) -> Option<&mut SharedRows<'a>> {
        self.access.shared_mut()
    }
}

/// How a machine's compiled expressions read the blackboard.
impl Read for &AgentContext<'_> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.read(self.at, key)
    }
    fn time(&mut self) -> Time {
        self.moment().time()
    }
    fn now(&mut self) -> Time {
        AgentContext::now(self)
    }
    #[inline]
    fn bool(&mut self, key: KeyIndex) -> bool {
        self.cell(key).unwrap_or_default()
    }
    #[inline]
    fn int(&mut self, key: KeyIndex) -> i64 {
        self.cell(key).unwrap_or_default()
    }
    #[inline]
    fn float(&mut self, key: KeyIndex) -> f32 {
        self.cell(key).unwrap_or_default()
    }
}
