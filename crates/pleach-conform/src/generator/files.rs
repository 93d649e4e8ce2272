//! Random files, and their uses: as subtrees and in slots.

use std::collections::{BTreeMap, BTreeSet};

use super::Maker;
use super::data::Data;
use super::holes::Open;
use crate::scenario::{Direction, File, Given, LeafKind, Node, Shape, Slot, Subtree, Takes, ValueType};

/// Larger trees test nothing new.
const MOST: usize = 24;

/// The files made so far. Later ones, and the scenario, can include each of them.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) files: BTreeMap<String, Made>,
    /// The number of instances and slots, as each has its own name.
    pub(super) names: usize,
    /// The holes of the file being made.
    pub(super) open: Vec<Open>,
    /// Whether the nodes being made are given to a file: they are in its instance, beside the files
    /// in it.
    pub(super) in_given: bool,
    /// The files that have an instance of their own name where nodes are being made.
    nameless: BTreeSet<String>,
}

pub(super) struct Made {
    pub(super) file: File,
    /// The number of its nodes, with those of included files.
    size: usize,
    /// The number of places of each of its holes.
    pub(super) places: BTreeMap<String, usize>,
}

impl Shelf {
    pub(super) fn files(&self) -> BTreeMap<String, File> {
        self.files.iter().map(|(name, it)| (name.clone(), it.file.clone())).collect()
    }

    fn size(&self, node: &Node) -> usize {
        let of = |file: &String| self.files[file].size;
        let filled = |it: &Subtree| {
            let places = &self.files[&it.file].places;
            let given = it.fillings.iter().map(|filling| {
                let (_, nodes) = it.given_for(&filling.hole).expect("it is filled");
                (places[&filling.hole] - 1) * nodes.iter().map(|it| self.size(it)).sum::<usize>()
            });
            given.sum::<usize>()
        };
        let here = match (node.subtree(), node.slot()) {
            // Given nodes are counted once, with the children.
            (Some(it), _) => of(&it.file) + filled(it),
            (_, Some(it)) => 1 + it.files.iter().map(of).sum::<usize>(),
            _ => 1,
        };
        here + node.children().iter().map(|it| self.size(it)).sum::<usize>()
    }
}

impl Maker {
    /// Makes some files for a tree of about this many nodes.
    pub(super) fn fill_shelf(&mut self, nodes: usize) {
        for number in 0..self.dice.pick(&[1, 2, 2, 3, 4]) {
            let made = self.file(nodes);
            if made.size <= MOST {
                self.shelf.files.insert(format!("f{number}"), made);
            }
        }
    }

    fn file(&mut self, nodes: usize) -> Made {
        // A file without keys can come and go with a version of the tree.
        let with_data = self.flavour.data && self.dice.chance(75);
        let data_everywhere = std::mem::replace(&mut self.flavour.data, with_data);
        let (data, ports) =
            if with_data { Data::of_file(&mut self.dice, &self.data) } else { (Data::default(), BTreeMap::new()) };
        let data_of_host = std::mem::replace(&mut self.data, data);
        let mut events = self.events.clone();
        if let Some(known) = &mut events {
            // Only a key can provide a word as a payload.
            known.retain(|_, it| self.dice.chance(75) && (with_data || *it != Some(ValueType::Symbol)));
        }
        let heard = self.flavour.events;
        self.flavour.events &= events.as_ref().is_none_or(|it| !it.is_empty());
        let events_of_host = std::mem::replace(&mut self.events, events);
        let nameless = std::mem::take(&mut self.shelf.nameless);
        self.shelf.open = self.open_holes();

        let budget = 1 + self.dice.below((nodes / 3).clamp(2, 8));
        let mut tree = match self.dice.weighted(&[15, 30, 55]) {
            0 => self.condition(),
            1 if budget >= 3 => self.dependent(budget, 4),
            _ => self.node(budget, 4),
        };
        tree = self.place_holes(tree);
        self.give_locals(&mut tree, &ports);
        if self.flavour.edits {
            self.give_ids(&mut tree, &mut 0);
        }
        let interrupts = if self.flavour.timers && self.dice.chance(15) { self.interrupts(2) } else { Vec::new() };

        let open = std::mem::take(&mut self.shelf.open);
        let (holes, places) = self.closed_holes(open);
        self.shelf.nameless = nameless;
        let events = std::mem::replace(&mut self.events, events_of_host).unwrap_or_default();
        (self.flavour.events, self.flavour.data) = (heard, data_everywhere);
        let data = std::mem::replace(&mut self.data, data_of_host);
        let keys = data.without(&ports);
        let file = File { ports, keys, events, holes, tree, interrupts };
        let size = self.shelf.size(&file.root());
        Made { file, size, places }
    }

    /// A subtree or a slot, if some file can be used here.
    pub(super) fn instance_or_slot(&mut self) -> Option<Node> {
        if self.dice.chance(if self.shelf.open.is_empty() { 0 } else { 50 })
            && let Some(hole) = self.hole(Takes::One, 1)
        {
            return Some(hole);
        }
        if self.shelf.files.is_empty() {
            return None;
        }
        if self.dice.chance(40) { self.slot() } else { self.subtree() }
    }

    /// Gives the ports of an instance something else, if that is possible here.
    pub(super) fn give_anew(&mut self, it: &mut Subtree) {
        if let Some(with) = self.with(std::slice::from_ref(&it.file)) {
            it.with = with;
        }
    }

    fn subtree(&mut self) -> Option<Node> {
        let file = self.pick_file();
        let with = self.with(std::slice::from_ref(&file))?;
        let nameless = !self.shelf.in_given && self.dice.chance(30) && self.shelf.nameless.insert(file.clone());
        let name = if nameless { None } else { self.name("s") };
        let mut subtree = Subtree { file, with, fillings: Vec::new(), nodes: Vec::new() };
        self.fill_holes(&mut subtree);
        Some(Node { name, id: None, locals: Vec::new(), shape: Shape::Leaf(LeafKind::Subtree(subtree)) })
    }

    fn slot(&mut self) -> Option<Node> {
        let mut files: Vec<String> = (0..self.dice.pick(&[1, 2, 2, 3])).map(|_| self.pick_file()).collect();
        files.retain(|it| self.shelf.files[it].file.holes.values().all(|it| it.default.is_some()));
        files.sort();
        files.dedup();
        if self.dice.chance(50) {
            files.reverse();
        }
        let with = loop {
            match self.with(&files) {
                Some(with) => break with,
                None => drop(files.pop()),
            }
        };
        if files.is_empty() {
            return None;
        }
        let initial = if self.dice.chance(65) { Some(self.dice.pick(&files)) } else { None };
        let name = self.name("w");
        Some(Node {
            name,
            id: None,
            locals: Vec::new(),
            shape: Shape::Leaf(LeafKind::Slot(Slot { files, initial, with })),
        })
    }

    fn pick_file(&mut self) -> String {
        let names: Vec<&String> = self.shelf.files.keys().collect();
        self.dice.pick(&names).clone()
    }

    fn name(&mut self, of: &str) -> Option<String> {
        self.shelf.names += 1;
        Some(format!("{of}{}", self.shelf.names))
    }

    /// Values for the ports of all these files, if that is possible here.
    fn with(&mut self, files: &[String]) -> Option<BTreeMap<String, Given>> {
        let files: Vec<&File> = files.iter().map(|it| &self.shelf.files[it].file).collect();
        let names: BTreeSet<&String> = files.iter().flat_map(|it| it.ports.keys()).collect();
        let mut with = BTreeMap::new();
        for name in names {
            let ports: Vec<_> = files.iter().filter_map(|it| it.ports.get(name)).collect();
            let is_needed = ports.iter().any(|it| it.needed || it.direction != Direction::In);
            let alike = ports.iter().all(|it| it.key.words == ports[0].key.words);
            if ports.len() < files.len() || !alike {
                if is_needed {
                    return None;
                }
                continue;
            }
            if !is_needed && self.dice.chance(25) {
                continue;
            }
            let strictest = ports.iter().find(|it| it.direction != Direction::In).unwrap_or(&ports[0]);
            let needs_key = files.iter().all(|it| it.needs_key(name));
            with.insert(name.clone(), self.data.given(&mut self.dice, strictest, needs_key)?);
        }
        Some(with)
    }
}
