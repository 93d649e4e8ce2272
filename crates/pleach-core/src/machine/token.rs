//! Tokens (SEMANTICS 8.36): asking for a place, holding it, giving it back, and waiting.

use super::Machine;
use crate::GroupId;
use crate::blackboard::shared::Cell;
use crate::blackboard::tokens::Deed;
use crate::blackboard::view::NO_KEYS;
use crate::clock::Moment;
use crate::host::access::AgentRows;
use crate::index::{MemoryOffset, TokenId};
use crate::trace::Tracer;
use crate::tree::record::Op;
use crate::{Host, NodeId};

/// In node memory, the group for a place that all agents of the forest share.
const FOREST: u64 = u64::MAX;

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Asks for a place, and returns whether the agent has got it.
    pub(super) fn ask(&mut self, id: NodeId, token: TokenId, slot: MemoryOffset) -> bool {
        let decl = &self.tree.tokens[token.index()];
        self.scratch.asked |= 1 << token.index();
        let (at, agent) = (self.cx.agent.at, self.cx.agent.agent());
        let group = self.cx.agent.group().unwrap_or_default();
        let (cell, gets, waits) = {
            let shared = self.cx.agent.access.shared().expect(NO_KEYS);
            let cell = shared.token(at, decl.scope, decl.key);
            (cell, shared.gives_place(cell, agent, decl.terms.count), shared.is_waiting(cell, agent))
        };
        let gets = self.answered_bool(id, gets);
        if gets {
            let held = if decl.terms.global { FOREST } else { group.to_bits() };
            self.put_held(slot, held);
            self.note_deed(token, cell, Deed::Take(decl.terms.count));
        } else {
            self.scratch.refused |= 1 << token.index();
            if !waits {
                self.note_deed(token, cell, Deed::Wait(decl.terms.count));
            }
        }
        gets
    }

    /// Whether the agent would get a place.
    pub(super) fn is_free(&self, token: TokenId) -> bool {
        let decl = &self.tree.tokens[token.index()];
        let agent = &self.cx.agent;
        let shared = agent.access.shared().expect(NO_KEYS);
        let cell = shared.token(agent.at, decl.scope, decl.key);
        shared.gives_place(cell, agent.agent(), decl.terms.count)
    }

    /// A Token ends: gives back what it holds.
    pub(super) fn give_back(&mut self, token: TokenId, slot: MemoryOffset) {
        let held = self.held(slot);
        if held == 0 {
            return;
        }
        self.put_held(slot, 0);
        let decl = &self.tree.tokens[token.index()];
        let group = if held == FOREST { GroupId::default() } else { GroupId::from_bits(held) };
        let shared = self.cx.agent.access.shared().expect(NO_KEYS);
        let cell = shared.token_of(group, decl.scope, decl.key);
        self.note_deed(token, cell, Deed::GiveBack(decl.terms.span()));
    }

    /// A tick is over: the agent stops waiting for tokens that it has not asked for. One that waits
    /// is ticked again.
    pub(super) fn end_asking(&mut self) {
        let (asked, refused) = (self.scratch.asked, self.scratch.refused);
        (self.scratch.asked, self.scratch.refused) = (0, 0);
        if refused != 0 {
            self.wake = Moment::START;
        }
        self.stop_waiting_but(asked);
    }

    /// The agent no longer waits for any token.
    #[cold]
    pub(crate) fn stop_waiting(&mut self) {
        (self.scratch.asked, self.scratch.refused) = (0, 0);
        self.stop_waiting_but(0);
    }

    fn stop_waiting_but(&mut self, asked: u64) {
        let (at, agent) = (self.cx.agent.at, self.cx.agent.agent());
        for index in 0..self.tree.tokens.len() {
            if asked >> index & 1 != 0 {
                continue;
            }
            let decl = &self.tree.tokens[index];
            let shared = self.cx.agent.access.shared().expect(NO_KEYS);
            let cell = shared.token(at, decl.scope, decl.key);
            if shared.is_waiting(cell, agent) {
                self.note_deed(TokenId::new(index), cell, Deed::Stop);
            }
        }
    }

    /// A leaf of the agent panicked: no `end` gives its places back, and it stops waiting.
    #[cold]
    pub(crate) fn lose_tokens(&mut self) {
        let tree = self.tree;
        for &node in tree.tokens.iter().flat_map(|it| &it.nodes) {
            if let Op::Token { token, slot } = tree.rec(node).op {
                self.give_back(token, slot);
            }
        }
        self.stop_waiting();
    }

    fn note_deed(&mut self, token: TokenId, cell: Cell, deed: Deed) {
        if T::REPLAYS {
            // What others do with their places is recorded as the places that each agent got.
            return;
        }
        let decl = &self.tree.tokens[token.index()];
        let watch = self.tree.layout.watch_of_shared(decl.scope, decl.key);
        let (at, agent, now) = (self.cx.agent.at, self.cx.agent.agent(), self.cx.agent.call.now);
        let AgentRows { changes, shared, .. } = self.cx.agent.access.rows_mut();
        shared.as_mut().expect(NO_KEYS).note_deed(changes, watch, (cell, agent, at), deed, now);
    }

    /// The group in which a Token holds a place, as a number; 0 if it holds none.
    fn held(&self, slot: MemoryOffset) -> u64 {
        let memory = self.columns.memory(self.cx.agent.at);
        u64::from(memory[slot.index()]) | u64::from(memory[slot.next().index()]) << 32
    }

    fn put_held(&mut self, slot: MemoryOffset, group: u64) {
        let at = self.cx.agent.at;
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        let low = group as u32;
        *self.columns.word(at, slot) = low;
        *self.columns.word(at, slot.next()) = (group >> 32) as u32;
    }
}

/// Whether all agents share the place that a Token holds according to these words, and else its
/// group.
#[cfg(feature = "save")]
pub(crate) fn of_words([low, high]: [u32; 2]) -> (bool, Option<GroupId>) {
    let held = u64::from(low) | u64::from(high) << 32;
    (held == FOREST, (held != FOREST).then(|| GroupId::from_bits(held)))
}
