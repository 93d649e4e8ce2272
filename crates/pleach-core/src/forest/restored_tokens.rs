//! Tokens in a save: which agents hold places, which places rest, and which agents wait (SEMANTICS
//! 8.36).

use indexmap::IndexSet;

use super::restore::Bring;
use super::saved_tree::Understood;
use super::{AgentId, Forest, Phase};
use crate::blackboard::shared::tokens::SavedHold;
use crate::blackboard::shared::{Owner, Shared};
use crate::ids::GroupId;
use crate::ids::salted::Salt;
use crate::kinds::NodeKind;
use crate::machine::carry::Carry;
use crate::machine::token;
use crate::row::Row;
use crate::save::model::{Body, SavedAgent};
use crate::tree::record::Op;
use crate::{Host, NodeId, Tree};

impl<H: Host> Forest<H> {
    /// Restores places of tokens that agents held, resting places, and waiting agents. Groups with
    /// `known` ids existed before.
    pub(super) fn bring_tokens(&mut self, body: &Body, salt: Salt, holds: &[SavedHold], known: &IndexSet<GroupId>) {
        let (now, whole) = (self.call.now, body.whole.is_some());
        let mut shared = std::mem::replace(&mut self.shared, Shared::new(salt, Owner::Forest));
        shared.bring_holds(holds, now);
        let rests = |group: Option<GroupId>| whole || group.is_some_and(|it| !known.contains(&it));
        let may_wait = |agent: AgentId, group: Option<GroupId>, token: &str| {
            let (population, chunk, row) = self.find(agent).ok()?;
            let on = Phase::of(chunk.flags[row.index()]);
            let own = chunk.extras.ties().and_then(|it| it.group(row)).map(|it| it.0);
            let fits = matches!(on, Phase::Active | Phase::Asleep) && (group.is_none() || group == own);
            population.shape.tree.terms_of(token, group.is_none()).filter(|_| fits).map(|it| it.count)
        };
        shared.bring_tokens(&body.tokens, (salt, now), rests, may_wait);
        self.shared = shared;
    }
}

/// The places of tokens that a restored agent held. A node that does not carry on remembers none.
pub(crate) fn bring_places<H: Host>(
    agents: &mut impl Bring<H>,
    row: Row,
    agent: &SavedAgent,
    (saved, carry, tree): (&Understood<'_>, &Carry, &Tree<H>),
    id: AgentId,
) -> Vec<SavedHold> {
    let mut holds = Vec::new();
    let held = agent.kept.iter().filter(|it| saved.outline.node(it.0).node_kind == NodeKind::Token);
    for (node, words) in held.filter(|it| it.1.iter().any(|&it| it != 0)) {
        let (global, group) = token::of_words([words[0], words[1]]);
        let asks = saved.outline.node(*node).asks.as_deref().unwrap_or_default();
        let name = asks.split_once(' ').map_or(asks, |it| it.1).to_owned();
        let mut goes_on = false;
        if let Some(new) = carry.pairs.to(*node)
            && let Op::Token { token, slot } = tree.rec(new).op
        {
            let decl = &tree.tokens[token.index()];
            let (mut columns, _) = agents.run_columns(tree);
            let top = columns.top(row, tree.rec(new).stack);
            let is_active = top != NodeId::NONE && tree.contains(new, top);
            goes_on = is_active && *decl.name == *name && decl.terms.global == global;
            if !goes_on {
                *columns.word(row, slot) = 0;
                *columns.word(row, slot.next()) = 0;
            }
        }
        let terms = tree.terms_of(&name, global);
        holds.push(SavedHold { agent: id, group, token: name, goes_on, terms });
    }
    holds
}
