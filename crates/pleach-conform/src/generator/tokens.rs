//! Random tokens. All of one name in a version of the tree and its files are alike, and no node
//! asks for a missing one.

use std::collections::BTreeSet;

use super::Maker;
use crate::dice::Dice;
use crate::scenario::{DecoratorKind, LeafKind, Node, Shape, Token};

/// Calls `f` with each node.
fn each(node: &mut Node, f: &mut impl FnMut(&mut Node)) {
    f(node);
    match &mut node.shape {
        Shape::Composite { children, .. } | Shape::Decorator { children, .. } => {
            children.iter_mut().for_each(|it| each(it, f));
        }
        Shape::Leaf(_) => {}
    }
}

/// The tokens of a scenario, as the latest version of the tree has them.
pub(super) fn roll(dice: &mut Dice) -> Vec<Token> {
    let count = dice.between(1, 3);
    let token = |number| Token {
        token: format!("t{number}"),
        count: dice.pick(&[1, 1, 1, 2, 3]),
        rest: dice.pick(&[0, 0, 0, 1, 2, 5]),
        global: dice.chance(25),
    };
    (1..=count).map(token).collect()
}

/// Ensures that no node asks for a token that the tree lacks.
pub(super) fn settle(tree: &mut Node) {
    let mut known = BTreeSet::new();
    each(tree, &mut |node| {
        if let Shape::Decorator { kind: DecoratorKind::Token(token), .. } = &node.shape {
            known.insert(token.token.clone());
        }
    });
    each(tree, &mut |node| {
        if matches!(&node.shape, Shape::Leaf(LeafKind::Free { token }) if !known.contains(token)) {
            node.shape = Shape::Leaf(LeafKind::Fail);
        }
    });
}

/// Removes everything about tokens from an interrupt, which is the same in all versions.
pub(super) fn remove(run: &mut Node) {
    each(run, &mut |node| match &mut node.shape {
        Shape::Decorator { kind: kind @ DecoratorKind::Token(_), .. } => *kind = DecoratorKind::Inverter,
        Shape::Leaf(kind @ LeafKind::Free { .. }) => *kind = LeafKind::Fail,
        _ => {}
    });
}

impl Maker {
    pub(super) fn token(&mut self) -> Token {
        self.dice.pick(&self.tokens)
    }

    /// Changes the number of places, or the rest, of one token in the whole tree. Files stay
    /// unchanged.
    pub(super) fn retune(&mut self, tree: &mut Node) {
        if self.tokens.is_empty() || self.flavour.files || !self.dice.chance(30) {
            return;
        }
        let at = self.dice.below(self.tokens.len());
        let (count, rest) = (self.dice.between(1, 3), self.dice.pick(&[0, 1, 3]));
        (self.tokens[at].count, self.tokens[at].rest) = (count, rest);
        let new = self.tokens[at].clone();
        each(tree, &mut |node| {
            if let Shape::Decorator { kind: DecoratorKind::Token(token), .. } = &mut node.shape
                && token.token == new.token
            {
                token.clone_from(&new);
            }
        });
    }
}
