//! In test files: nodes and leaves of the tree that a case plays.

use std::collections::BTreeSet;

use pleach::asset::LeafKind;

use super::List;
use super::insert::Kind;
use crate::doc::Doc;
use crate::fields::{Role, built_in, include};
use crate::syntax::Shape;

impl<'g> List<'_, 'g> {
    /// What nodes are called: their names, and the leaves, whose names lead to the nodes that call
    /// them.
    pub(super) fn node_names(&mut self) {
        self.names_of_nodes();
        self.names_of_leaves();
    }

    /// The leaves of the game, and then the nodes, which may call one.
    pub(super) fn leaf_names(&mut self) {
        self.names_of_leaves();
        self.names_of_nodes();
    }

    fn names_of_nodes(&mut self) {
        let mut names = BTreeSet::new();
        for doc in self.played() {
            let nodes = doc.all().filter(|it| matches!(it.1, Role::Node(_)));
            let named = nodes.filter_map(|it| doc.field(it.0, "name"));
            names.extend(named.map(|it| doc.word(it).to_owned()).filter(|it| !it.is_empty()));
        }
        self.push_names(names, Kind::Node);
    }

    fn names_of_leaves(&mut self) {
        let mut names = BTreeSet::new();
        for doc in self.played() {
            for (at, _) in doc.all().filter(|it| matches!(it.1, Role::Node(_))) {
                let is_node = matches!(doc.syntax.get(at).shape, Shape::Call | Shape::Word);
                let name = doc.word(at);
                if is_node && !name.is_empty() && built_in(name).is_none() && include(name).is_none() {
                    names.insert(name.to_owned());
                }
            }
        }
        self.push_names(names, Kind::Leaf);
    }

    /// What the leaf answers: a condition `true` or `false`, if it is known to be one.
    pub(super) fn answers(&mut self) {
        // In a list, the leaf is the owner of the list.
        let of_list = || {
            let list = self.cursor.around?;
            let map = self.doc.syntax.get(list).parent?;
            self.doc.syntax.get(map).items.iter().find(|it| it.value == Some(list))?.key
        };
        let leaf = self.cursor.key.or_else(of_list).and_then(|it| self.workspace.manifest.leaf(self.doc.word(it)));
        match leaf.map(|it| it.kind) {
            Some(LeafKind::Condition) => self.words(&["true", "false"]),
            Some(LeafKind::Action) => self.words(&["Success", "Failure", "Running"]),
            _ => self.words(crate::test_fields::ANSWERS),
        }
    }

    fn push_names(&mut self, names: BTreeSet<String>, kind: Kind) {
        for it in names {
            let in_map = self.cursor.around.is_some_and(|it| self.doc.syntax.get(it).shape == Shape::Map);
            let text = self.text(&it, kind);
            let insert = if in_map && self.cursor.key.is_none() { self.with_colon(&text) } else { text };
            self.push(insert);
        }
    }

    /// The tree that is played here, and the files that it includes.
    fn played(&self) -> Vec<&Doc<'g>> {
        let here = self.cursor.touched.or(self.cursor.around);
        let mut docs: Vec<&Doc<'g>> = here.and_then(|it| self.workspace.tested(self.doc, it)).into_iter().collect();
        let mut at = 0;
        while let Some(doc) = docs.get(at) {
            for name in self.workspace.included(&doc.name) {
                docs.extend(self.workspace.get(name).filter(|it| docs.iter().all(|other| other.name != it.name)));
            }
            at += 1;
        }
        docs
    }
}
