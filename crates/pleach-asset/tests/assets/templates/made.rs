//! Nodes as they are written in a file, with names where a file has names, and a random generator.

use pleach_core::{Symbol, Type, Value};

use crate::common::Rng;

/// Random choices from a seed.
pub(crate) struct Dice(Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Rng(seed.wrapping_mul(0xd129_0d3f_2a6f_1f35)))
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }

    /// Another value of the same type.
    pub(crate) fn value_like(&mut self, of: Value) -> Value {
        let small = i64::try_from(self.below(5)).expect("small");
        match of.ty() {
            Type::Bool => Value::Bool(small > 2),
            Type::Int => Value::Int(small),
            Type::Float => Value::Float([0.0, 0.5, 1.0, 2.5, -1.0][self.below(5)]),
            Type::Symbol => Value::Symbol(Symbol::new(self.pick(&WORDS))),
            _ => of,
        }
    }
}

/// The words of all symbols.
pub(crate) const WORDS: [&str; 3] = ["calm", "wary", "wild"];

/// The types of keys and ports here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Bool,
    Int,
    Float,
    Word,
}

impl Of {
    pub(crate) const ALL: [Of; 4] = [Of::Bool, Of::Int, Of::Float, Of::Word];
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    /// The name of a key or a port.
    Name(String),
}

pub(crate) type Text = Vec<Piece>;

/// A field of a node.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    /// As it stands.
    Plain(String),
    /// An expression.
    Expr(Text),
    /// The name of a key.
    Key(String),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) kind: &'static str,
    pub(crate) id: Option<String>,
    pub(crate) fields: Vec<(&'static str, Field)>,
    /// A key of the node, and its default.
    pub(crate) key: Option<(String, usize)>,
    pub(crate) children: Children,
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Children {
    #[default]
    None,
    One(Box<Node>),
    Many(Vec<Node>),
    /// Those of a switch, by words, and the default.
    Cases(Vec<(&'static str, Node)>, Option<Box<Node>>),
    /// A template of the file stands here.
    Use(Instance),
    /// Another file does.
    Subtree(Instance),
    /// What is given for the hole of the template.
    Hole,
}

/// What replaces a node.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The template or the file.
    pub(crate) of: String,
    /// `None`: as the template is called.
    pub(crate) name: Option<String>,
    pub(crate) with: Vec<(String, Given)>,
    /// What its hole is given.
    pub(crate) given: Option<Box<Node>>,
}

/// What a port stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Key(String),
    Literal(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) of: Of,
    /// `In`, `Out` or `InOut`.
    pub(crate) direction: &'static str,
    /// Its default, if it is given nothing.
    pub(crate) default: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) ports: Vec<Port>,
    /// In how many places its hole stands; 0: it has none.
    pub(crate) places: usize,
    pub(crate) root: Node,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) ports: Vec<Port>,
    /// A template uses those before it.
    pub(crate) templates: Vec<Template>,
    pub(crate) interrupt: Option<(Text, Node)>,
    pub(crate) root: Node,
}

impl Node {
    /// The node itself and everything below it.
    pub(crate) fn all(&self) -> Vec<&Node> {
        let mut all = vec![self];
        match &self.children {
            Children::None | Children::Subtree(_) | Children::Hole => {}
            Children::Use(it) => all.extend(it.given.iter().flat_map(|it| it.all())),
            Children::One(child) => all.extend(child.all()),
            Children::Many(children) => all.extend(children.iter().flat_map(Node::all)),
            Children::Cases(cases, default) => {
                all.extend(cases.iter().flat_map(|it| it.1.all()));
                all.extend(default.iter().flat_map(|it| it.all()));
            }
        }
        all
    }
}
