//! Random holes of files, and the nodes given to them.

use std::collections::BTreeMap;

use super::Maker;
use crate::scenario::{CompositeKind, DecoratorKind, Filling, Hole, LeafKind, Node, Shape, Subtree, Takes};

/// A hole of the file being made.
pub(super) struct Open {
    name: String,
    takes: Takes,
    /// The number of its places.
    places: usize,
}

impl Maker {
    /// Begins with the holes of a file.
    pub(super) fn open_holes(&mut self) -> Vec<Open> {
        let count = if self.dice.chance(60) { self.dice.pick(&[1, 1, 2, 3]) } else { 0 };
        let hole = |maker: &mut Self, number| Open {
            name: format!("h{number}"),
            takes: maker.dice.pick(&[Takes::One, Takes::One, Takes::Many]),
            places: 0,
        };
        (0..count).map(|number| hole(self, number)).collect()
    }

    /// Usually puts the holes without a place after a tree.
    pub(super) fn place_holes(&mut self, tree: Node) -> Node {
        let missing: Vec<Takes> = self.shelf.open.iter().filter(|it| it.places == 0).map(|it| it.takes).collect();
        if missing.is_empty() || self.dice.chance(30) {
            return tree;
        }
        let mut children = vec![tree];
        for takes in missing {
            children.extend(self.hole(takes, 1));
        }
        let kind = self.dice.pick(&[CompositeKind::Sequence, CompositeKind::Selector]);
        let shape = Shape::Composite { kind, abort: self.abort(), services: Vec::new(), children };
        Node { name: None, id: None, locals: Vec::new(), shape }
    }

    /// Ends the holes of a file: those with a place, and the number of their places.
    pub(super) fn closed_holes(&mut self, open: Vec<Open>) -> (BTreeMap<String, Hole>, BTreeMap<String, usize>) {
        let (mut holes, mut places) = (BTreeMap::new(), BTreeMap::new());
        for it in open.into_iter().filter(|it| it.places > 0) {
            let nodes = match it.takes {
                Takes::One => 1,
                Takes::Many => self.dice.below(3),
            };
            let default = self.dice.chance(40).then(|| (0..nodes).map(|_| self.lone_leaf()).collect());
            places.insert(it.name.clone(), it.places);
            holes.insert(it.name, Hole { takes: it.takes, default });
        }
        (holes, places)
    }

    /// A hole of the file being made, at this many more places.
    pub(super) fn hole(&mut self, takes: Takes, places: usize) -> Option<Node> {
        let fitting: Vec<usize> =
            self.shelf.open.iter().enumerate().filter(|it| it.1.takes == takes).map(|it| it.0).collect();
        if fitting.is_empty() {
            return None;
        }
        let hole = &mut self.shelf.open[self.dice.pick(&fitting)];
        hole.places += places;
        Some(Node {
            name: None,
            id: None,
            locals: Vec::new(),
            shape: Shape::Leaf(LeafKind::Hole(hole.name.clone(), takes)),
        })
    }

    /// Gives nodes to the holes of a file.
    pub(super) fn fill_holes(&mut self, of: &mut Subtree) {
        let made = &self.shelf.files[&of.file];
        let holes: Vec<_> = made
            .file
            .holes
            .iter()
            .map(|(name, it)| (name.clone(), it.takes, it.default.is_some(), made.places[name]))
            .collect();
        let around = std::mem::replace(&mut self.shelf.in_given, true);
        for (hole, takes, has_default, places) in holes {
            if has_default && self.dice.chance(50) {
                continue;
            }
            let count = match takes {
                Takes::One => 1,
                Takes::Many => self.dice.pick(&[0, 0, 1, 1, 2, 3]),
            };
            for _ in 0..count {
                let node = self.given_node(takes, places);
                of.nodes.push(node);
            }
            of.fillings.push(Filling { hole, takes, count });
        }
        self.shelf.in_given = around;
    }

    /// A node for this many places. Copies have nothing that must be unique: no instance and no
    /// id.
    fn given_node(&mut self, takes: Takes, places: usize) -> Node {
        let wanted = if self.dice.chance(50) { takes } else { Takes::One };
        if self.dice.chance(45)
            && let Some(hole) = self.hole(wanted, places)
        {
            return hole;
        }
        if places > 1 {
            return self.lone_leaf();
        }
        let budget = 1 + self.dice.below(4);
        let mut node = if self.dice.chance(30) { self.long_action() } else { self.node(budget, 12) };
        if self.flavour.edits && node.hole().is_none() && self.dice.chance(30) {
            self.shelf.names += 1;
            node.id = Some(format!("g{}", self.shelf.names));
        }
        node
    }

    /// A leaf, perhaps below a decorator, without any file in it.
    fn lone_leaf(&mut self) -> Node {
        let leaf = if self.dice.chance(40) { self.condition() } else { self.long_action() };
        if self.dice.chance(70) {
            return leaf;
        }
        let kind = self.dice.pick(&[DecoratorKind::Inverter, DecoratorKind::ReturnSuccess]);
        Node { name: None, id: None, locals: Vec::new(), shape: Shape::Decorator { kind, children: vec![leaf] } }
    }
}
