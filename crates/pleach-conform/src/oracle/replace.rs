//! Section 10: another version replaces the tree, and running nodes go on as far as they can.

use std::mem::discriminant;
use std::rc::Rc;

use super::node::{AgentNode, Kind, Plan, State};
use super::{Agent, Monitor, Phase, Stack};
use crate::happening::Reason;
use crate::scenario::{CompositeKind, DecoratorKind, LeafKind, Scenario};

/// Nodes of the old tree with their matches in the new one.
pub(super) struct Matches(Vec<(Rc<AgentNode>, Rc<AgentNode>)>);

impl Plan {
    /// Whether two nodes are of one kind.
    fn is_like(&self, other: &Plan) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Composite(a), Kind::Composite(b)) => discriminant(a) == discriminant(b),
            (Kind::Decorator(a), Kind::Decorator(b)) => discriminant(a) == discriminant(b),
            (Kind::Leaf(a), Kind::Leaf(b)) => discriminant(a) == discriminant(b),
            (Kind::Composite(_) | Kind::Decorator(_) | Kind::Leaf(_), _) => false,
        }
    }
}

/// A tree in pre-order.
pub(super) fn all(root: &Rc<AgentNode>) -> Vec<Rc<AgentNode>> {
    fn add(node: &Rc<AgentNode>, to: &mut Vec<Rc<AgentNode>>) {
        to.push(node.clone());
        node.children.iter().for_each(|it| add(it, to));
    }
    let mut nodes = Vec::new();
    add(root, &mut nodes);
    nodes
}

impl Matches {
    /// Rule 10.1.
    pub(super) fn of(old: &Rc<AgentNode>, new: &Rc<AgentNode>) -> Matches {
        let mut matches = Matches(Vec::new());
        let others = all(new);
        for node in all(old) {
            let same = |it: &&Rc<AgentNode>| node.id.is_some() && node.id == it.id && node.is_like(it);
            if let Some(other) = others.iter().find(same) {
                matches.0.push((node, other.clone()));
            }
        }
        if matches.to(old).is_none() && !matches.is_taken(new) && old.is_like(new) {
            matches.0.push((old.clone(), new.clone()));
        }
        for node in all(old) {
            let Some(other) = matches.to(&node) else { continue };
            for child in &node.children {
                let same = |it: &&Rc<AgentNode>| {
                    !matches.is_taken(it)
                        && child.is_like(it)
                        && child.given_name == it.given_name
                        && child.is_in_do() == it.is_in_do()
                };
                if matches.to(child).is_none()
                    && let Some(them) = other.children.iter().find(same)
                {
                    matches.0.push((child.clone(), them.clone()));
                }
            }
        }
        matches
    }

    pub(super) fn to(&self, old: &AgentNode) -> Option<Rc<AgentNode>> {
        self.0.iter().find(|it| it.0.index == old.index).map(|it| it.1.clone())
    }

    fn is_taken(&self, new: &AgentNode) -> bool {
        self.0.iter().any(|it| it.1.index == new.index)
    }

    /// Whether a node and all nodes above it match, each below the match of its parent.
    fn in_place(&self, old: &AgentNode) -> bool {
        let Some(new) = self.to(old) else { return false };
        match (old.parent(), new.parent()) {
            (None, None) => true,
            (Some(parent), Some(above)) => {
                self.in_place(&parent)
                    && self.to(&parent).is_some_and(|it| it.index == above.index)
                    && old.is_in_do() == new.is_in_do()
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether a node in place cannot go on.
    fn must_restart(&self, old: &AgentNode) -> bool {
        let new = self.to(old).expect("it is in place");
        let theirs: Vec<_> = new.children.iter().map(|it| Some(it.index)).collect();
        let mut ours: Vec<_> = old.children.iter().map(|it| self.to(it).map(|it| it.index)).collect();
        match (&old.kind, &new.kind) {
            (Kind::Composite(CompositeKind::Parallel { .. }), _) => ours != theirs,
            (
                Kind::Composite(
                    CompositeKind::RandomSequence { .. }
                    | CompositeKind::RandomSelector { .. }
                    | CompositeKind::UtilitySelector { .. },
                ),
                _,
            ) => {
                ours.sort();
                ours != theirs
            }
            (
                Kind::Decorator(DecoratorKind::Repeater { count: a, .. }),
                Kind::Decorator(DecoratorKind::Repeater { count: b, .. }),
            )
            | (
                Kind::Decorator(DecoratorKind::UntilSuccess { count: a }),
                Kind::Decorator(DecoratorKind::UntilSuccess { count: b }),
            )
            | (
                Kind::Decorator(DecoratorKind::UntilFailure { count: a }),
                Kind::Decorator(DecoratorKind::UntilFailure { count: b }),
            ) => a.is_some() != b.is_some(),
            (Kind::Decorator(DecoratorKind::Token(a)), Kind::Decorator(DecoratorKind::Token(b))) => {
                (&a.token, a.global) != (&b.token, b.global)
            }
            _ => false,
        }
    }

    /// What restarts, if this node runs or comes next. Rule 10.2.
    fn restarts(&self, old: &Rc<AgentNode>) -> Option<Rc<AgentNode>> {
        let mut path = old.ancestors();
        path.reverse();
        path.push(old.clone());
        for node in path {
            if !self.in_place(&node) {
                let mut at = node;
                loop {
                    match at.parent() {
                        None => return Some(at),
                        Some(parent) if parent.is_parallel() => return Some(at),
                        Some(parent) if parent.is_composite() => return Some(parent),
                        Some(parent) => at = parent,
                    }
                }
            }
            if self.must_restart(&node) {
                return Some(node);
            }
        }
        None
    }
}

/// The child that an active node starts next, if none of its children runs.
fn next_children(node: &AgentNode) -> Vec<Rc<AgentNode>> {
    let state = node.state();
    match &node.kind {
        Kind::Composite(CompositeKind::Parallel { .. }) => {
            state.again.iter().map(|it| node.children[*it].clone()).collect()
        }
        Kind::Composite(_) => {
            let next = state.order.get(state.cursor).map(|it| node.children[*it].clone());
            drop(state);
            next.filter(|_| node.running_child().is_none()).into_iter().collect()
        }
        Kind::Decorator(_) => state.again.iter().map(|it| node.children[*it].clone()).collect(),
        Kind::Leaf(_) => Vec::new(),
    }
}

impl Agent<'_> {
    /// The agent gets this version of the tree.
    pub(crate) fn replace(&mut self, version: usize, keeps: bool) {
        self.version = version;
        let new = AgentNode::tree(&self.setup.plans[version]);
        if keeps {
            self.keep(&new)
        } else {
            self.begin_anew(&new)
        }
        self.forget_tokens();
    }

    fn begin_anew(&mut self, new: &Rc<AgentNode>) {
        if matches!(self.phase, Phase::On | Phase::Paused) {
            let root = self.root.clone();
            if root.is_active() {
                self.end_from_outside(&root, Reason::Replaced);
            }
            self.monitors.clear();
            self.stop_waiting();
        }
        self.root = new.clone();
    }

    fn keep(&mut self, new: &Rc<AgentNode>) {
        let old = self.root.clone();
        let matches = Matches::of(&old, new);
        let active: Vec<_> = all(&old).into_iter().filter(|it| it.is_active()).collect();
        let next: Vec<_> = active.iter().flat_map(|it| next_children(it)).collect();
        let mut restarts: Vec<_> = active.iter().chain(&next).filter_map(|it| matches.restarts(it)).collect();
        restarts.sort_by_key(|it| it.index);
        restarts.dedup_by_key(|it| it.index);
        let mut done: Vec<Rc<AgentNode>> = Vec::new();
        for node in restarts {
            if done.iter().any(|it| it.contains(&node)) {
                continue;
            }
            if node.is_active() {
                self.end_from_outside(&node, Reason::Replaced);
            }
            match node.parent() {
                None => self.monitors.clear(),
                Some(parent) => {
                    let place = parent.children.iter().position(|it| it.index == node.index).expect("its child");
                    let mut state = parent.state();
                    if !parent.is_composite() || parent.is_parallel() {
                        state.again.retain(|it| *it != place);
                        state.again.push(place);
                    }
                }
            }
            done.push(node);
        }
        for (node, other) in &matches.0 {
            let remembered = node.remembered(other, &matches, self.time);
            *other.state() = remembered;
        }
        for stack in &mut self.stacks {
            let to = |it: &Rc<AgentNode>| matches.to(it).expect("what goes on is in place");
            let nodes = stack.nodes.iter().map(to).collect();
            *stack = Stack { id: stack.id, nodes };
        }
        let stays = |it: &Monitor| {
            let condition = matches.to(&it.condition)?;
            let same = matches.in_place(&it.condition)
                && can_be_watched(&it.condition)
                && asks_the_same(&it.condition, &condition, self.setup.scenario);
            same.then_some(Monitor { condition, status: it.status })
        };
        self.monitors = self.monitors.iter().filter_map(stays).collect();
        self.root = new.clone();
    }
}

impl AgentNode {
    /// What the new node remembers of this one.
    fn remembered(&self, new: &AgentNode, matches: &Matches, now: u64) -> State {
        let state = self.state();
        let place = |it: &Rc<AgentNode>| new.children.iter().position(|child| child.index == it.index);
        let to = |child: usize| matches.to(&self.children[child]).and_then(|it| place(&it));
        let order: Vec<Option<usize>> = state.order.iter().map(|it| to(*it)).collect();
        let (order, cursor) = match &self.kind {
            Kind::Composite(
                CompositeKind::RandomSequence { .. }
                | CompositeKind::RandomSelector { .. }
                | CompositeKind::UtilitySelector { .. }
                | CompositeKind::RandomChoice { .. }
                | CompositeKind::Switch { .. },
            ) => (order.into_iter().flatten().collect(), state.cursor),
            Kind::Composite(CompositeKind::Parallel { .. }) => ((0..new.children.len()).collect(), state.cursor),
            // Their position is that of a child, wherever it is now.
            _ => {
                let at = state.order.get(state.cursor).and_then(|it| to(*it));
                ((0..new.children.len()).collect(), at.unwrap_or(0))
            }
        };
        let again = state.again.iter().filter_map(|it| to(*it)).collect();
        // Services have one type, so they match by position. A new one is due.
        let served = (0..new.services.len()).map(|it| state.served.get(it).copied().unwrap_or((now, 0.0))).collect();
        State {
            active: state.active,
            starts: state.starts,
            started: state.started,
            order,
            cursor,
            counter: state.counter,
            seconds: state.seconds,
            count: state.count,
            succeeded: state.succeeded,
            failed: state.failed,
            verdict: state.verdict,
            served,
            rerunning: state.rerunning,
            again,
            holds: state.holds,
            child_ended: state.child_ended,
            child_starts: state.child_starts,
        }
    }
}

/// Whether some composite could ever act on a change of this condition.
fn can_be_watched(condition: &AgentNode) -> bool {
    let places = condition.ancestors().into_iter().filter(|it| it.is_composite());
    places
        .filter(|it| !it.is_parallel() && !it.runs_one() && it.children.len() > 1)
        .any(|it| super::pass::watched_at(condition, &it))
}

/// Whether two matching conditions have the same parameters. The name is one, as it selects a
/// script.
fn asks_the_same(old: &AgentNode, new: &AgentNode, _: &Scenario) -> bool {
    match (&old.kind, &new.kind) {
        (Kind::Leaf(LeafKind::Check { expr: a }), Kind::Leaf(LeafKind::Check { expr: b })) => a == b,
        (Kind::Leaf(a @ LeafKind::OnEvent { .. }), Kind::Leaf(b @ LeafKind::OnEvent { .. })) => a == b,
        (Kind::Leaf(LeafKind::Free { token: a }), Kind::Leaf(LeafKind::Free { token: b })) => {
            a == b && old.shares_with_all(a) == new.shares_with_all(b)
        }
        (Kind::Leaf(LeafKind::Condition), Kind::Leaf(LeafKind::Condition)) => old.name == new.name,
        _ => false,
    }
}
