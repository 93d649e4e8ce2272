//! Instances: parts of a tree that come from another file, or that act like one (SEMANTICS 9.1).
//! [`Instance`] describes one before the tree is made, [`InstanceRef`] looks at one of a tree.
//! Records do not contain them.

use std::fmt;

use super::{NodeRef, Tree};
use crate::blackboard::{Default as KeyDefault, Direction, FrameId, Scope};
use crate::{Host, NodeId, Type};

/// What a port is bound to in an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// A key, by its name as seen by the node that the instance replaces.
    Key(String),
    /// A value. It takes no room in an agent, but no leaf can have it as a key.
    Constant,
    /// A value, as a key that the instance has for itself.
    Own,
}

/// A parameter of an instance: a name for what the tree around it provides.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What the instance does with it.
    pub direction: Direction,
    /// Its type with a symbol's words, and the value if it is bound to one.
    pub default: KeyDefault,
    /// What it is bound to.
    pub binding: Binding,
}

/// Marks a node and everything below it as an instance: see
/// [`NodeList::instance`](super::nodes::NodeList::instance).
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Its name: its keys are `name.key` in the tree.
    pub name: String,
    /// The file that it comes from.
    pub file: Option<String>,
    /// Its id, which stays the same when the tree is edited. The ids of its nodes begin with it.
    pub id: Option<String>,
    /// A note for people.
    pub note: Option<String>,
    /// Its keys: agent keys are its own, group and global keys those of the tree.
    pub keys: Vec<(Scope, String, KeyDefault)>,
    /// Keys of its own that are reset to their defaults whenever its root starts: keys of that
    /// node, which all its nodes see.
    pub locals: Vec<(String, KeyDefault)>,
    /// The events that it declares.
    pub events: Vec<(String, Option<Type>)>,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Whether its nodes see the keys and events of the file around it, too: a template.
    pub sees_file: bool,
    /// Where it was written: returned in every problem with it.
    pub origin: Option<u32>,
}

impl Instance {
    /// An instance of that name, with nothing else.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Instance {
            name: name.into(),
            file: None,
            id: None,
            note: None,
            keys: Vec::new(),
            locals: Vec::new(),
            events: Vec::new(),
            ports: Vec::new(),
            sees_file: false,
            origin: None,
        }
    }
}

/// Where a part of a tree begins whose nodes see other names than those above.
#[derive(Debug)]
pub(crate) enum Border {
    /// An instance.
    Instance(Box<Instance>),
    /// A node that was given to the instance around it, for one of its holes.
    Given,
}

/// An instance of a tree.
#[derive(Debug)]
pub(super) struct InstanceInfo {
    pub(super) root: NodeId,
    /// What the node that it replaces sees.
    pub(super) around: FrameId,
    /// The instance around it, by its place.
    pub(super) parent: Option<u16>,
    pub(super) name: Box<str>,
    /// Its name after those of the instances around it.
    pub(super) full: Box<str>,
    pub(super) file: Option<Box<str>>,
    pub(super) id: Option<Box<str>>,
    pub(super) note: Option<Box<str>>,
    pub(super) origin: Option<u32>,
}

/// An instance of a tree, to look at.
pub struct InstanceRef<'a, H: Host> {
    pub(super) tree: &'a Tree<H>,
    at: usize,
}

impl<H: Host> Clone for InstanceRef<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Host> Copy for InstanceRef<'_, H> {}

impl<H: Host> fmt::Debug for InstanceRef<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}", self.full_name(), self.root().id())
    }
}

impl<'a, H: Host> InstanceRef<'a, H> {
    fn info(self) -> &'a InstanceInfo {
        &self.tree.instances[self.at]
    }
    /// Its place among the instances of the tree.
    #[must_use]
    pub fn index(self) -> usize {
        self.at
    }
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'a str {
        &self.info().name
    }
    /// Its name after those of the instances around it: `squad.fight`. The names of its own keys
    /// begin with it.
    #[must_use]
    pub fn full_name(self) -> &'a str {
        &self.info().full
    }
    /// The file that it comes from.
    #[must_use]
    pub fn file(self) -> Option<&'a str> {
        self.info().file.as_deref()
    }
    /// The stable id given to it, after those of the instances around it.
    #[must_use]
    pub fn id_text(self) -> Option<&'a str> {
        self.info().id.as_deref()
    }
    /// The note given to it.
    #[must_use]
    pub fn note(self) -> Option<&'a str> {
        self.info().note.as_deref()
    }
    /// The origin that it was built with.
    #[must_use]
    pub fn origin(self) -> Option<u32> {
        self.info().origin
    }
    /// Its first node, below which all others are.
    #[must_use]
    pub fn root(self) -> NodeRef<'a, H> {
        NodeRef { tree: self.tree, id: self.info().root }
    }
    /// The instance around it.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        self.info().parent.map(|at| InstanceRef { at: at.into(), ..self })
    }
}

impl<H: Host> Tree<H> {
    /// Its instances, in pre-order of their roots, outer ones first.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = InstanceRef<'_, H>> {
        (0..self.instances.len()).map(|at| InstanceRef { tree: self, at })
    }

    /// The instance of this full name. Looks at all of them.
    #[must_use]
    pub fn find_instance(&self, name: &str) -> Option<InstanceRef<'_, H>> {
        self.instances().find(|it| it.full_name() == name)
    }

    /// What a node sees.
    pub(super) fn frame(&self, id: NodeId) -> FrameId {
        self.frames.get(id.index()).copied().unwrap_or_default()
    }

    /// The innermost instance that holds a node, by its place. The cost grows with the logarithm of
    /// the number of instances, and their depth.
    pub(super) fn instance_at(&self, id: NodeId) -> Option<usize> {
        // The last one that begins before the node, or one around that.
        let mut at = self.instances.partition_point(|it| it.root <= id).checked_sub(1)?;
        while !self.contains(self.instances[at].root, id) {
            at = self.instances[at].parent?.into();
        }
        Some(at)
    }
}

impl<'a, H: Host> NodeRef<'a, H> {
    /// The innermost instance that it is in.
    #[must_use]
    pub fn instance(self) -> Option<InstanceRef<'a, H>> {
        self.tree.instance_at(self.id).map(|at| InstanceRef { tree: self.tree, at })
    }

    /// The instances that begin with it, outer ones first.
    pub fn begins(self) -> impl Iterator<Item = InstanceRef<'a, H>> {
        let first = self.tree.instances.partition_point(|it| it.root < self.id);
        let here = move |at: &usize| self.tree.instances[*at].root == self.id;
        (first..self.tree.instances.len()).take_while(here).map(move |at| InstanceRef { tree: self.tree, at })
    }

    /// Its part of a path: its label, after the names of the instances that begin with it.
    pub(crate) fn step(self) -> String {
        let mut step: String = self.begins().flat_map(|it| [it.name(), ":"]).collect();
        step.push_str(self.label());
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::{Abort, NodeList, check, idle, selector, sequence, set, wait};
    use crate::{Tree, nodes::Node};

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    fn port(name: &str, direction: Direction, default: impl Into<KeyDefault>, binding: Binding) -> Port {
        Port { name: name.into(), direction, default: default.into(), binding }
    }

    /// A part of a tree, once as an instance that names all by ports, and once written out.
    fn trees() -> [Tree<Game>; 2] {
        let part = |names: [&str; 3]| -> Vec<(Node<Game>, usize)> {
            let [weak, pace, count] = names;
            vec![
                (check(&format!("{weak} && {pace} > 2")), 0),
                (set(count, &format!("{count} + 1")), 0),
                (wait(pace), 0),
                (sequence([]).aborts(Abort::BOTH), 3),
            ]
        };
        let tree = |nodes: Vec<(Node<Game>, usize)>, instance: Option<Instance>| {
            let mut builder = Tree::builder("t");
            builder.key("tired", false);
            builder.key("rounds", 0_i64);
            let mut list = NodeList::default();
            nodes.into_iter().for_each(|it| list.push(it.0, it.1));
            instance.into_iter().for_each(|it| list.instance(it));
            list.push(idle(), 0);
            list.push(selector([]), 2);
            builder.build(list.into_node().unwrap()).unwrap()
        };
        let instance = Instance {
            ports: vec![
                port("weak", Direction::In, false, Binding::Key("tired".into())),
                port("pace", Direction::In, 2.5_f32, Binding::Constant),
                port("count", Direction::InOut, 0_i64, Binding::Key("rounds".into())),
            ],
            ..Instance::named("part")
        };
        [tree(part(["weak", "pace", "count"]), Some(instance)), tree(part(["tired", "2.5", "rounds"]), None)]
    }

    #[test]
    fn a_spliced_tree_has_the_records_of_the_tree_written_out() {
        let [spliced, written] = trees();
        assert_eq!(spliced.instances().len(), 1);
        assert_eq!(format!("{:?}", spliced.records), format!("{:?}", written.records));
        assert_eq!(spliced.memory, written.memory);
        assert_eq!(spliced.footprint(), written.footprint());
        assert_eq!(format!("{:?}", spliced.observers), format!("{:?}", written.observers));
        for (a, b) in spliced.exprs.iter().zip(&written.exprs) {
            assert_eq!(a.keys(), b.keys());
        }
    }

    /// What is wrong with a switch over a key of that name, below such instances.
    fn problems(on: &str, instances: Vec<Instance>) -> String {
        let mut list = NodeList::<Game>::default();
        list.push(idle(), 0);
        list.push(crate::nodes::switch(on, [("a", idle())]), 1);
        instances.into_iter().for_each(|it| list.instance(it));
        Tree::builder("t").build(list.into_node().unwrap()).unwrap_err().to_string()
    }

    /// It sees the keys around the instance that it is given to, and belongs to that instance.
    #[test]
    fn a_given_node_sees_what_is_around_its_instance() {
        let own =
            |name: &str| Instance { keys: vec![(Scope::Agent, "n".into(), 7_i64.into())], ..Instance::named(name) };
        let mut list = NodeList::<Game>::default();
        list.push(check("n == 1").with_id("x"), 0);
        list.push(check("n == 1"), 0);
        list.given(2);
        list.push(check("n == 7"), 0);
        list.push(sequence([]), 3);
        // What is given to an inner instance through an outer one steps out twice.
        list.push(check("n == 1"), 0);
        list.given(1);
        list.instance(own("inner"));
        list.given(1);
        list.push(selector([]), 2);
        list.instance(own("outer"));
        let mut builder = Tree::builder("t");
        builder.key("n", 1_i64);
        let tree = builder.build(list.into_node().unwrap()).unwrap();
        let keys: Vec<&str> = tree.nodes().flat_map(NodeRef::reads).map(|it| tree.schema().decl(*it).name()).collect();
        assert_eq!(keys, ["n", "n", "outer.n", "n"]);
        assert_eq!(tree.find_id("outer.x").map(|it| it.path()), Some("outer:Selector/Sequence[0]/Check[0]".into()));
        assert_eq!(tree.nodes().last().unwrap().path(), "outer:Selector/inner:Check[1]");
        // Outside of instances there is nothing to step out of.
        let mut list = NodeList::<Game>::default();
        list.push(check("n == 1"), 0);
        list.given(1);
        let mut builder = Tree::builder("t");
        builder.key("n", 1_i64);
        assert!(builder.build(list.into_node().unwrap()).is_ok());
    }

    #[test]
    fn what_no_file_can_say_is_refused() {
        let slot = port("slot:s", Direction::In, 1_i64, Binding::Constant);
        let said = problems("slot:s", vec![Instance { ports: vec![slot], ..Instance::named("i") }]);
        assert!(said.contains("the case `a` is of type Symbol, but `on` is of type Int"), "{said}");
        let nested = |count: usize| problems("1", vec![Instance::named("i"); count]);
        let deep = "more than 64 instances inside each other";
        assert!(!nested(64).contains(deep) && nested(65).contains(deep));
        let long = "x".repeat(1_000_000);
        let said = problems("1", vec![Instance { id: Some(long.clone()), ..Instance::named(long) }]);
        assert!(said.len() < 3_000 && said.contains("`id`: ") && said.contains("`name`: "), "{said}");
    }

    #[test]
    fn paths_lead_back_to_their_nodes() {
        let [spliced, _] = trees();
        for node in spliced.nodes() {
            assert_eq!(spliced.find_path(&node.path()).map(NodeRef::id), Some(node.id()));
        }
        assert_eq!(spliced.nodes().nth(2).unwrap().path(), "Selector/part:Sequence[0]/Check[0]");
    }
}
