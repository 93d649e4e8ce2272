//! Rule 8.36: places of tokens, the agents that hold them, and those that wait for one.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::node::{AgentNode, Kind};
use super::replace::all;
use super::{Agent, Phase};
use crate::scenario::{DecoratorKind, Token};

/// The places of the tokens of a group, or of the forest, by the names of the tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places(BTreeMap<String, Table>);

/// The places of a token. Agents are known by their slots.
#[derive(Clone, Debug, Default, PartialEq)]
struct Table {
    /// One entry per held place.
    holders: Vec<u32>,
    /// The seconds left for each resting place.
    rests: Vec<u64>,
    /// The agents that wait, in order.
    queue: Vec<u32>,
}

impl Places {
    /// A frame begins.
    pub(crate) fn pass(&mut self, seconds: u64) {
        for table in self.0.values_mut() {
            table.rests.retain(|it| *it > seconds);
            table.rests.iter_mut().for_each(|it| *it -= seconds);
        }
    }
}

impl Table {
    fn would_give(&self, who: u32, count: u32) -> bool {
        let taken = self.holders.len() + self.rests.len();
        let free = usize::try_from(count).expect("a number of places").saturating_sub(taken);
        let before = self.queue.iter().position(|it| *it == who).unwrap_or(self.queue.len());
        free > before
    }
}

impl AgentNode {
    /// Whether all agents share the places of a token, in the tree around this node.
    pub(super) fn shares_with_all(&self, name: &str) -> Option<bool> {
        self.ancestors().pop()?.is_global(name)
    }

    /// The Token of a name in this tree.
    fn token(self: &Rc<AgentNode>, name: &str) -> Option<Token> {
        all(self).iter().find_map(|it| match &it.kind {
            Kind::Decorator(DecoratorKind::Token(it)) if it.token == name => Some(it.clone()),
            _ => None,
        })
    }

    /// Whether the places of a token are those of the forest, if the tree has it.
    pub(super) fn is_global(self: &Rc<AgentNode>, name: &str) -> Option<bool> {
        self.token(name).map(|it| it.global)
    }
}

impl Agent<'_> {
    fn table(&mut self, token: &Token) -> &mut Table {
        self.places[usize::from(token.global)].0.entry(token.token.clone()).or_default()
    }

    /// A Token asks for a place. Returns whether it gets one.
    pub(super) fn ask(&mut self, n: &AgentNode, token: &Token) -> bool {
        self.asked.push(token.token.clone());
        let who = self.slot;
        let table = self.table(token);
        let gets = table.would_give(who, token.count);
        if gets {
            table.queue.retain(|it| *it != who);
            table.holders.push(who);
            n.state().holds = true;
        } else if !table.queue.contains(&who) {
            table.queue.push(who);
        }
        gets
    }

    /// Whether it would get one.
    pub(super) fn is_free(&mut self, name: &str) -> bool {
        let token = self.root.token(name).expect("the scenario was checked");
        let who = self.slot;
        self.table(&token).would_give(who, token.count)
    }

    /// A node has ended or is no longer active, so it gives back its place.
    pub(super) fn give_back(&mut self, n: &AgentNode) {
        let Kind::Decorator(DecoratorKind::Token(token)) = &n.kind else { return };
        if !std::mem::take(&mut n.state().holds) {
            return;
        }
        let (who, restores) = (self.slot, self.cools.is_some());
        let table = self.table(token);
        let Some(at) = table.holders.iter().position(|it| *it == who) else { return };
        table.holders.remove(at);
        if restores {
            self.given_back.push(token.clone());
        } else if token.rest > 0 {
            table.rests.push(token.rest.into());
        }
    }

    /// After a restore, places that were given back rest as long as the new tree says.
    pub(super) fn rest_as_now(&mut self) {
        for lost in std::mem::take(&mut self.given_back) {
            let now = self.root.token(&lost.token).filter(|it| it.global == lost.global && it.rest > 0);
            if let Some(now) = now {
                self.table(&now).rests.push(now.rest.into());
            }
        }
    }

    /// A tick is over. An agent that is off no longer waits.
    pub(super) fn end_asking(&mut self) {
        let asked = std::mem::take(&mut self.asked);
        let (who, off) = (self.slot, self.phase == Phase::Off);
        for (name, table) in self.places.iter_mut().flat_map(|it| &mut it.0) {
            if off || !asked.contains(name) {
                table.queue.retain(|it| *it != who);
            }
        }
    }

    /// It no longer waits for anything.
    pub(super) fn stop_waiting(&mut self) {
        self.asked.clear();
        let who = self.slot;
        self.places.iter_mut().flat_map(|it| it.0.values_mut()).for_each(|it| it.queue.retain(|it| *it != who));
    }

    /// Its rate has changed.
    pub(crate) fn get_rate(&mut self, frames: u32) {
        if frames == 0 {
            self.stop_waiting();
        }
    }

    /// Forgets the places of tokens that the tree lacks.
    pub(super) fn forget_tokens(&mut self) {
        let root = self.root.clone();
        for (places, global) in self.places.iter_mut().zip([false, true]) {
            places.0.retain(|name, _| root.is_global(name) == Some(global));
        }
    }
}
