//! Sections 11.2 and 11.3: an agent as it was when it was saved, under the same tree or another
//! version of it.

use std::rc::Rc;

use super::node::{AgentNode, Kind, State};
use super::random::SplitMix64;
use super::replace::{Matches, all};
use super::{Agent, Event, Monitor, Phase, Places, Stack, StackId};
use crate::happening::{Happening, NodeIndex};
use crate::scenario::{DecoratorKind, LeafKind, Outcome, Test, Values};

/// What a save holds of an agent. Nodes are in pre-order, and are named by their indices.
#[derive(Clone)]
pub(crate) struct Saved {
    version: usize,
    phase: Phase,
    nodes: Vec<State>,
    stacks: Vec<(StackId, Vec<NodeIndex>)>,
    stacks_made: u32,
    monitors: Vec<(NodeIndex, Outcome)>,
    keys: Values,
    places: [Places; 2],
    sent: Vec<Event>,
    /// Events that its mate has but has not looked at.
    told: Vec<Event>,
    random: SplitMix64,
    time: u64,
    now: u64,
    turned: u64,
    last_outcome: Option<Outcome>,
}

/// Whether a node has a leaf of the host: it is one, or evaluates one.
fn has_leaf(node: &AgentNode) -> bool {
    matches!(
        node.kind,
        Kind::Leaf(LeafKind::Action | LeafKind::Condition)
            | Kind::Decorator(DecoratorKind::Guard { test: Test::When(_), .. })
    )
}

impl Agent<'_> {
    /// Everything that section 11.1 names.
    pub(crate) fn save(&self) -> Saved {
        let stack = |it: &Stack| (it.id, it.nodes.iter().map(|it| it.index).collect());
        Saved {
            version: self.version,
            phase: self.phase,
            nodes: all(&self.root).iter().map(|it| it.state().clone()).collect(),
            stacks: self.stacks.iter().map(stack).collect(),
            stacks_made: self.stacks_made,
            monitors: self.monitors.iter().map(|it| (it.condition.index, it.status)).collect(),
            keys: self.keys.clone(),
            places: self.places.clone(),
            sent: self.sent.clone(),
            told: self.told.clone(),
            random: self.random.clone(),
            time: self.time,
            now: self.now,
            turned: self.turned,
            last_outcome: self.last_outcome,
        }
    }

    /// Restores its keys, the shared ones only for an agent that has them to itself.
    pub(crate) fn restore_keys(&mut self, saved: &Saved) {
        self.keys.clone_from(&saved.keys);
        self.places.clone_from(&saved.places);
    }

    /// Restores everything but its keys, under this version of the tree. A node that does not go
    /// on has no `end`; leaves that were active are notified.
    pub(crate) fn restore(&mut self, saved: &Saved, version: usize) {
        let old = AgentNode::tree(&self.setup.plans[saved.version]);
        let nodes = all(&old);
        for (node, state) in nodes.iter().zip(&saved.nodes) {
            *node.state() = state.clone();
        }
        let node = |it: &NodeIndex| Rc::clone(&nodes[it.0]);
        let stack =
            |(id, nodes): &(StackId, Vec<NodeIndex>)| Stack { id: *id, nodes: nodes.iter().map(node).collect() };
        self.stacks = saved.stacks.iter().map(stack).collect();
        self.stacks_made = saved.stacks_made;
        self.monitors = saved.monitors.iter().map(|it| Monitor { condition: node(&it.0), status: it.1 }).collect();
        self.root = old.clone();
        (self.phase, self.version) = (saved.phase, saved.version);
        self.sent.clone_from(&saved.sent);
        self.told.clone_from(&saved.told);
        self.random = saved.random.clone();
        (self.time, self.turned, self.last_outcome) = (saved.time, saved.turned, saved.last_outcome);
        // The whole forest is restored.
        self.now = saved.now;
        if version != saved.version {
            let before = self.happened.len();
            self.cools = Some(Vec::new());
            self.replace(version, true);
            self.happened.truncate(before);
            self.rest_as_now();
            // They begin with the time that the new tree says.
            let matches = Matches::of(&old, &self.root);
            for ended in self.cools.take().unwrap_or_default() {
                let Some(new) = matches.to(&node(&ended)) else { continue };
                let Kind::Decorator(DecoratorKind::Cooldown { time, after: None }) = &new.kind else { continue };
                let cools = self.jittered_seconds(&new, time);
                new.state().child_ended = Some((self.time, cools));
            }
        }
        if matches!(self.phase, Phase::On | Phase::Paused) {
            let matches = Matches::of(&old, &self.root);
            let was_there = |new: &Rc<AgentNode>| {
                nodes.iter().any(|it| has_leaf(it) && matches.to(it).is_some_and(|it| it.index == new.index))
            };
            let told: Vec<_> = all(&self.root).into_iter().filter(|it| has_leaf(it) && was_there(it)).collect();
            self.happened.extend(told.iter().map(|it| Happening::Restored(it.index)));
        }
    }
}
