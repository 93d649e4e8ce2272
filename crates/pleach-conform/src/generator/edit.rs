//! Other versions of a random tree: edits as people make them.

use std::collections::BTreeMap;

use super::Maker;
use super::finally::ENDINGS;
use crate::scenario::{
    Abort, Amount, CompositeKind, DecoratorKind, LeafKind, Node, Outcome, Policy, Port, Shape, Test,
};

/// How many nodes a tree has.
fn count(node: &Node) -> usize {
    1 + node.children().iter().map(count).sum::<usize>()
}

/// The node of this index in pre-order.
fn at<'a>(node: &'a mut Node, index: &mut usize) -> Option<&'a mut Node> {
    if *index == 0 {
        return Some(node);
    }
    *index -= 1;
    match &mut node.shape {
        Shape::Composite { children, .. } | Shape::Decorator { children, .. } => {
            children.iter_mut().find_map(|it| at(it, index))
        }
        Shape::Leaf(_) => None,
    }
}

/// Whether the node that [`at`] finds is a leaf in the `do` of a finally; `None` if it finds none.
fn is_in_do(node: &Node, index: &mut usize) -> Option<bool> {
    if *index == 0 {
        return Some(false);
    }
    *index -= 1;
    let (Shape::Composite { children, .. } | Shape::Decorator { children, .. }) = &node.shape else { return None };
    let is_finally = matches!(node.shape, Shape::Decorator { .. });
    children.iter().enumerate().find_map(|(place, it)| {
        let found = is_in_do(it, index)?;
        Some(found || is_finally && place > 0)
    })
}

/// Removes a child, with what belongs to it.
fn remove(kind: &mut CompositeKind, children: &mut Vec<Node>, place: usize) -> Node {
    match kind {
        CompositeKind::RandomSequence { weights: Some(list) }
        | CompositeKind::RandomSelector { weights: Some(list) }
        | CompositeKind::RandomChoice { weights: Some(list) } => {
            list.remove(place);
        }
        CompositeKind::UtilitySelector { scores, .. } => {
            scores.remove(place);
        }
        CompositeKind::Switch { cases, default, .. } if place == cases.len() => {
            (*default, _) = (false, cases.len());
        }
        CompositeKind::Switch { cases, .. } => {
            cases.remove(place);
        }
        CompositeKind::Parallel { success, failure } => {
            for policy in [success, failure] {
                if let Policy::AtLeast(least) = policy {
                    *least = (*least).min(u32::try_from(children.len() - 1).unwrap_or(1)).max(1);
                }
            }
        }
        _ => {}
    }
    children.remove(place)
}

/// Whether a child can be removed.
fn can_lose(kind: &CompositeKind, children: &[Node], place: usize) -> bool {
    children.len() > 1 && !matches!(kind, CompositeKind::Switch { cases, .. } if cases.len() == 1 && place == 0)
}

fn insert(kind: &mut CompositeKind, children: &mut Vec<Node>, place: usize, node: Node) {
    match kind {
        CompositeKind::RandomSequence { weights: Some(list) }
        | CompositeKind::RandomSelector { weights: Some(list) }
        | CompositeKind::RandomChoice { weights: Some(list) } => {
            list.insert(place, 1.0);
        }
        CompositeKind::UtilitySelector { scores, .. } => scores.insert(place, "1".to_owned()),
        // A switch would need a value for it.
        CompositeKind::Switch { .. } => return,
        _ => {}
    }
    children.insert(place, node);
}

impl Maker {
    /// Gives some nodes ids, so that they are matched wherever they are.
    pub(super) fn give_ids(&mut self, node: &mut Node, next: &mut u32) {
        if self.dice.chance(15) {
            *next += 1;
            node.id = Some(format!("n{next}"));
        }
        match &mut node.shape {
            Shape::Composite { children, .. } | Shape::Decorator { children, .. } => {
                children.iter_mut().for_each(|it| self.give_ids(it, next));
            }
            Shape::Leaf(_) => {}
        }
    }

    /// Lets some nodes reset keys that are not ports when they start.
    pub(super) fn give_locals(&mut self, node: &mut Node, ports: &BTreeMap<String, Port>) {
        let starts = !matches!(node.shape, Shape::Leaf(LeafKind::Subtree(_) | LeafKind::Slot(_) | LeafKind::Hole(..)));
        if starts && self.flavour.data && self.dice.chance(8) {
            node.locals.extend(self.data.local(&mut self.dice, ports));
        }
        if let Shape::Composite { children, .. } | Shape::Decorator { children, .. } = &mut node.shape {
            children.iter_mut().for_each(|it| self.give_locals(it, ports));
        }
    }

    /// Another version of a tree, or the same one again.
    pub(super) fn edited(&mut self, tree: &Node) -> Node {
        let mut tree = tree.clone();
        let edits = self.dice.pick(&[0, 0, 1, 1, 1, 2, 3]);
        for _ in 0..edits {
            let nodes = count(&tree);
            let mut index = self.dice.below(nodes);
            match self.dice.weighted(&[30, 12, 14, 10, 8, 10, 8, 8]) {
                0 => self.tune(at(&mut tree, &mut index)),
                1 => self.lose(at(&mut tree, &mut index)),
                2 => self.gain(at(&mut tree, &mut index)),
                3 => self.reorder(at(&mut tree, &mut index)),
                4 => self.wrap(&mut tree, index),
                5 => self.turn_over(at(&mut tree, &mut index)),
                6 => self.rename(at(&mut tree, &mut index)),
                _ => self.move_away(&mut tree, index),
            }
        }
        tree
    }

    /// Another parameter.
    fn tune(&mut self, node: Option<&mut Node>) {
        let Some(node) = node else { return };
        if !node.locals.is_empty() && self.dice.chance(50) {
            node.locals.clear();
            return;
        }
        let seconds = i32::try_from(self.dice.below(5)).unwrap_or(1);
        match &mut node.shape {
            Shape::Leaf(LeafKind::Subtree(it)) => self.give_anew(it),
            Shape::Decorator { kind: DecoratorKind::Cooldown { after, .. }, .. } if self.dice.chance(50) => {
                *after = self.dice.pick(&[None, Some(Outcome::Success), Some(Outcome::Failure)]);
            }
            Shape::Leaf(LeafKind::Wait(it))
            | Shape::Decorator { kind: DecoratorKind::Cooldown { time: it, .. } | DecoratorKind::Delay(it), .. } => {
                it.ticks = Amount::Literal(seconds);
                it.jitter = 0.0;
            }
            Shape::Decorator { kind: DecoratorKind::Timeout { ticks, .. }, .. } => *ticks = Amount::Literal(seconds),
            Shape::Leaf(LeafKind::WaitTicks { ticks }) => *ticks = Amount::Literal(self.dice.between(0, 4)),
            Shape::Decorator { kind: DecoratorKind::Limit { count, .. }, .. } => {
                *count = Amount::Literal(self.dice.between(0, 4));
            }
            Shape::Decorator {
                kind:
                    DecoratorKind::Repeater { count, .. }
                    | DecoratorKind::UntilSuccess { count }
                    | DecoratorKind::UntilFailure { count },
                ..
            } => {
                *count = self.dice.chance(60).then(|| Amount::Literal(self.dice.between(1, 4)));
            }
            Shape::Decorator { kind: DecoratorKind::Token(it), .. } => *it = self.token(),
            Shape::Leaf(LeafKind::Free { token }) => *token = self.token().token,
            Shape::Leaf(LeafKind::Check { expr } | LeafKind::WaitUntil { expr }) => *expr = format!("!({expr})"),
            Shape::Decorator { kind: DecoratorKind::Guard { result, .. }, .. } if self.dice.chance(50) => {
                *result = self.dice.pick(&[Outcome::Success, Outcome::Failure]);
            }
            Shape::Decorator { kind: DecoratorKind::Guard { test: Test::Expr(expr), .. }, .. } => {
                *expr = format!("!({expr})");
            }
            Shape::Decorator { kind: DecoratorKind::Finally { on }, children } => match self.dice.below(3) {
                0 => *on = self.dice.pick(&ENDINGS),
                1 => children[1..].reverse(),
                _ => children.truncate(2),
            },
            Shape::Composite { kind: CompositeKind::Parallel { success, failure }, .. } => {
                *success = self.dice.pick(&[Policy::All, Policy::Any, Policy::AtLeast(1)]);
                *failure = self.dice.pick(&[Policy::All, Policy::Any, Policy::AtLeast(1)]);
            }
            Shape::Composite { kind: CompositeKind::Switch { latch: it, .. }, .. } => *it = !*it,
            Shape::Composite { kind: CompositeKind::UtilitySelector { reevaluate, inertia, .. }, .. } => {
                (*reevaluate, *inertia) = (!*reevaluate, if *reevaluate { 0.0 } else { 0.5 });
            }
            Shape::Composite { abort, .. } => {
                *abort = self.dice.pick(&[Abort::None, Abort::Own, Abort::LowerPriority, Abort::Both, Abort::Both]);
            }
            Shape::Decorator { .. } | Shape::Leaf(_) => {}
        }
    }

    fn lose(&mut self, node: Option<&mut Node>) {
        if let Some(Node { shape: Shape::Composite { kind, children, .. }, .. }) = node {
            let place = self.dice.below(children.len());
            if can_lose(kind, children, place) {
                remove(kind, children, place);
            }
        }
    }

    fn gain(&mut self, node: Option<&mut Node>) {
        let instance = if self.dice.chance(40) { self.instance_or_slot() } else { None };
        let new = instance.unwrap_or_else(|| if self.dice.chance(50) { self.long_action() } else { self.leaf() });
        if let Some(Node { shape: Shape::Composite { kind, children, .. }, .. }) = node {
            let place = self.dice.below(children.len() + 1);
            insert(kind, children, place, new);
        }
    }

    fn reorder(&mut self, node: Option<&mut Node>) {
        if let Some(Node { shape: Shape::Composite { children, .. }, .. }) = node {
            let (one, other) = (self.dice.below(children.len()), self.dice.below(children.len()));
            children.swap(one, other);
        }
    }

    /// A decorator around a node.
    fn wrap(&mut self, tree: &mut Node, mut index: usize) {
        let kind =
            self.dice.pick(&[DecoratorKind::Inverter, DecoratorKind::ReturnSuccess, DecoratorKind::ReturnFailure]);
        if is_in_do(tree, &mut index.clone()) == Some(true) {
            return;
        }
        if let Some(node) = at(tree, &mut index) {
            let child = node.clone();
            *node = Node {
                name: None,
                id: None,
                locals: Vec::new(),
                shape: Shape::Decorator { kind, children: vec![child] },
            };
        }
    }

    /// Another kind.
    fn turn_over(&mut self, node: Option<&mut Node>) {
        if let Some(Node { shape: Shape::Composite { kind, .. }, .. }) = node {
            *kind = match kind {
                CompositeKind::Sequence => CompositeKind::Selector,
                CompositeKind::Selector => CompositeKind::Sequence,
                CompositeKind::ReactiveSequence => CompositeKind::Sequence,
                CompositeKind::ReactiveSelector => CompositeKind::Selector,
                _ => return,
            };
        }
    }

    /// Another name, or none. Those of actions and conditions select their scripts.
    fn rename(&mut self, node: Option<&mut Node>) {
        match node {
            None | Some(Node { shape: Shape::Leaf(LeafKind::Action | LeafKind::Condition), .. }) => {}
            Some(node) => node.name = self.dice.chance(70).then(|| self.dice.pick(&["p", "q"]).to_owned()),
        }
    }

    /// A child of a composite goes to another one, not below itself.
    fn move_away(&mut self, tree: &mut Node, mut index: usize) {
        let taken = match at(tree, &mut index) {
            Some(Node { shape: Shape::Composite { kind, children, .. }, .. }) => {
                let place = self.dice.below(children.len());
                if !can_lose(kind, children, place) {
                    return;
                }
                remove(kind, children, place)
            }
            _ => return,
        };
        let mut to = self.dice.below(count(tree));
        if let Some(Node { shape: Shape::Composite { kind, children, .. }, .. }) = at(tree, &mut to) {
            let place = self.dice.below(children.len() + 1);
            insert(kind, children, place, taken);
        }
    }
}
