//! Where the machine gets inputs that it does not compute (SEMANTICS 13): here they are noted, or
//! supplied.

#[cfg(feature = "save")]
use std::any::Any;
#[cfg(feature = "save")]
use std::sync::Arc;

use pleach_expr::Value;
use pleach_expr::expr::{Expr, KeyIndex};

use super::Machine;
#[cfg(feature = "save")]
use crate::Tree;
#[cfg(feature = "save")]
use crate::blackboard::{KeyDecl, Scope};
use crate::clock::Moment;
use crate::event::News;
use crate::host::context::AgentContext;
use crate::index::{ExprId, LeafId};
#[cfg(feature = "save")]
use crate::inputs::facts::TreeInputs;
use crate::inputs::{KeyAccess, Taker};
use crate::keys::rows::AgentKeys;
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::record::Op;
use crate::{Host, NodeId, Status};

/// What a recording has to know about a tree.
#[cfg(feature = "save")]
pub(crate) fn facts_of<H: Host>(tree: &Arc<Tree<H>>) -> TreeInputs {
    let asks = |op: Op| {
        matches!(op, Op::Condition { .. } | Op::Check { .. } | Op::Guard { .. } | Op::Token { .. } | Op::Free { .. })
    };
    let exprs = tree.exprs.iter().map(|it| it.keys());
    let is_own = |it: &(usize, &KeyDecl)| matches!(it.1.scope(), Scope::Node | Scope::Agent);
    let own_keys = tree.schema.keys().enumerate().filter(is_own).filter_map(|it| KeyIndex::new(it.0)).collect();
    let tree_of = Arc::clone(tree) as Arc<dyn Any + Send + Sync>;
    TreeInputs::new(tree_of, own_keys, exprs, tree.records.iter().map(|it| asks(it.op)))
}

impl KeyAccess for AgentContext<'_> {
    fn value(&self, key: KeyIndex) -> Value {
        self.read(self.at, key)
    }
    fn put(&mut self, key: KeyIndex, value: Value) {
        self.put_value(key, value);
    }
}

impl AgentContext<'_> {
    pub(super) fn taker(&self) -> Taker {
        (self.agent(), self.at)
    }
}

impl<'m, H: Host, T: Tracer> Machine<'m, '_, H, T> {
    /// Updates a leaf of the host, which has not asked for sleep yet.
    #[inline(always)]
    pub(super) fn update_host(&mut self, leaf: LeafId, node: NodeId) -> Status {
        self.cx.agent.sleep = Moment::START;
        let status = self.ask_host(leaf, node);
        if T::REPLAYS && !(T::ENABLED && self.tracer.wants_updates(self.cx.agent.agent())) {
            // Its next answer is an input, and an agent wakes for its inputs. A trace shows its
            // updates.
            self.cx.agent.sleep = Moment::NEVER;
        }
        status
    }

    /// Updates a leaf of the host at a node.
    #[inline(always)]
    pub(super) fn ask_host(&mut self, leaf: LeafId, node: NodeId) -> Status {
        self.cx.agent.node = node;
        if T::REPLAYS {
            return self.answered(node, Status::Running);
        }
        let status = match self.forced(node) {
            Some(status) => status,
            None => self.leaves[leaf.index()].update(&mut self.states, &mut self.cx),
        };
        self.answered(node, status)
    }

    /// The status that a leaf of the host returns without being asked, if a tool forces its result.
    #[inline(always)]
    fn forced(&mut self, node: NodeId) -> Option<Status> {
        if !T::INPUTS {
            return None;
        }
        self.tracer.inputs()?.forced(self.cx.agent.agent(), node, self.tree)
    }

    /// Whether a tool forces the result of any leaf. Only the general machine handles that.
    #[inline(always)]
    pub(super) fn forces(&mut self) -> bool {
        T::INPUTS && self.tracer.inputs().is_some_and(|it| !it.forced.is_empty())
    }

    /// A leaf of the host answered. Returns its answer.
    #[inline(always)]
    pub(super) fn answered(&mut self, node: NodeId, status: Status) -> Status {
        if !T::INPUTS {
            return status;
        }
        // An action that keeps running is expected.
        let expected = status == Status::Running && matches!(self.records[node.index()].op, Op::Action { .. });
        match self.tracer.inputs() {
            Some(inputs) if T::REPLAYS || !expected => inputs.answer(self.cx.agent.taker(), node, status),
            _ => status,
        }
    }

    /// An answer that depends on others, at a node: yes or no.
    #[inline(always)]
    pub(super) fn answered_bool(&mut self, node: NodeId, yes: bool) -> bool {
        if T::INPUTS { self.answered(node, Status::from_bool(yes)) == Status::Success } else { yes }
    }

    /// A condition that is an expression holds or not.
    #[inline(always)]
    pub(super) fn computed(&mut self, node: NodeId, holds: bool) -> bool {
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            return inputs.computed(self.cx.agent.taker(), node, Status::from_bool(holds)) == Status::Success;
        }
        holds
    }

    /// A switch selects another child.
    #[inline(always)]
    pub(super) fn switched(&mut self, node: NodeId) -> bool {
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            return inputs.computed(self.cx.agent.taker(), node, Status::Success) == Status::Success;
        }
        true
    }

    /// An expression is about to be evaluated.
    #[inline(always)]
    pub(super) fn expr(&mut self, expr: ExprId) -> &'m Expr {
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            inputs.read(self.cx.agent.taker(), &mut self.cx.agent, expr);
        }
        self.tree.expr(expr)
    }

    /// Draws from the agent's stream.
    #[inline(always)]
    pub(super) fn drawn<V>(&mut self, draw: impl FnOnce(&mut crate::Stream) -> V) -> V {
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            inputs.draws(self.cx.agent.taker(), self.cx.agent.rng());
        }
        let drawn = draw(self.cx.agent.rng());
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            inputs.drew(self.cx.agent.taker(), self.cx.agent.rng());
        }
        drawn
    }

    /// A random number of at least 0 and less than 1.
    #[inline(always)]
    pub(super) fn random(&mut self) -> f64 {
        self.drawn(crate::rng::unit)
    }

    /// Whether this tick asks all conditions. A replay does not know which ones were asked.
    #[inline(always)]
    pub(super) fn asks_all(&self) -> bool {
        T::REPLAYS || self.cx.agent.call.every_tick
    }

    /// From here on, questions are for this observer, or outside of the pass.
    #[inline(always)]
    pub(super) fn note_observer(&mut self, observer: Option<NodeId>) {
        if T::INPUTS
            && let Some(inputs) = self.tracer.inputs()
        {
            inputs.set_observer(observer);
        }
    }

    /// An agent is about to receive its events.
    #[inline(always)]
    pub(super) fn note_told(&mut self, at: Row) {
        if !T::INPUTS {
            return;
        }
        self.cx.agent.at = at;
        if let Some(inputs) = self.tracer.inputs() {
            let events = inputs.told(self.cx.agent.taker(), self.cx.agent.call.opened.all());
            for event in events {
                self.cx.agent.call.opened.push(News::Event(event));
            }
        }
    }
}
