//! Checks tokens: in a version of the tree all of one name are alike, and every name that a node
//! asks for exists.

use std::collections::BTreeMap;

use super::{Checked, Checker, keys::key_name, value_error};
use crate::scenario::{DecoratorKind, Interrupt, Node, Shape, Token};

/// The first token of each name in a version of the tree.
pub(super) fn of<'a>(tree: &'a Node, interrupts: &'a [Interrupt]) -> BTreeMap<&'a str, &'a Token> {
    fn add<'a>(node: &'a Node, all: &mut BTreeMap<&'a str, &'a Token>) {
        if let Shape::Decorator { kind: DecoratorKind::Token(token), .. } = &node.shape {
            all.entry(&token.token).or_insert(token);
        }
        node.children().iter().for_each(|it| add(it, all));
    }
    let mut all = BTreeMap::new();
    add(tree, &mut all);
    interrupts.iter().for_each(|it| add(&it.run, &mut all));
    all
}

impl Checker<'_> {
    pub(super) fn token(&self, at: &str, token: &Token) -> Checked {
        let name = format!("{at}.token");
        key_name(&name, &token.token)?;
        if token.count == 0 {
            return Err(value_error(format!("{at}.count"), "there is at least one place"));
        }
        if self.tokens.get(&*token.token).is_some_and(|it| *it != token) {
            return Err(value_error(at.to_owned(), "another token of this name differs"));
        }
        Ok(())
    }

    pub(super) fn free(&self, at: &str, token: &str) -> Checked {
        if self.tokens.contains_key(token) {
            return Ok(());
        }
        Err(value_error(format!("{at}.token"), format!("there is no token {token:?}")))
    }
}
