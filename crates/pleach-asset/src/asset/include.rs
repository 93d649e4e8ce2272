//! How an asset includes other files, and what it takes when others include it.

use std::collections::HashMap;

use pleach_core::{nodes::Direction, schema::KeyDefault};

use super::{KeyEntry, Nodes, Subtree};
use crate::span::{Span, Word};
use crate::syntax::Value;

/// A port's declaration.
#[derive(Debug, PartialEq)]
pub(crate) struct PortEntry<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) direction: Direction,
    /// Its type with a symbol's words, and its default if it has one.
    pub(crate) default: KeyDefault,
    pub(crate) has_default: bool,
    /// Where each of a symbol's words stands.
    pub(crate) words: Vec<Span>,
}

/// A part that is written elsewhere, once.
#[derive(Debug, PartialEq)]
pub(crate) struct Template<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) note: Option<Word<'a>>,
    pub(crate) ports: Vec<PortEntry<'a>>,
    pub(crate) holes: Vec<HoleEntry<'a>>,
    pub(crate) locals: Vec<KeyEntry<'a>>,
    pub(crate) root: Nodes<'a>,
    /// The whole declaration.
    pub(crate) span: Span,
}

/// A declared hole: a place that the user of the file or the template fills.
#[derive(Debug, PartialEq)]
pub(crate) struct HoleEntry<'a> {
    pub(crate) name: Word<'a>,
    /// How many nodes it takes, if that is known.
    pub(crate) takes: Option<Takes>,
    /// Its default, if it has one: the nodes that stand there if nothing is given.
    pub(crate) default: Option<Vec<Nodes<'a>>>,
}

/// How many nodes a hole takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    One,
    Many,
}

impl Takes {
    /// The node that stands for such a hole.
    pub(crate) const fn written(self) -> &'static str {
        match self {
            Takes::One => "Node",
            Takes::Many => "Nodes",
        }
    }
}

/// What stands in place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Another file.
    Subtree,
    /// A template of this one.
    Use,
    /// One of several files.
    Slot,
    /// A hole: what is given for it.
    Hole(Takes),
}

/// Something written elsewhere in place of a node.
#[derive(Debug, PartialEq)]
pub(crate) struct Include<'a> {
    pub(crate) sort: Sort,
    /// The file, the template or the hole, as it is written.
    pub(crate) asset: Option<Word<'a>>,
    /// A slot's files, and its initial one.
    pub(crate) trees: Vec<Word<'a>>,
    pub(crate) initial: Option<Word<'a>>,
    pub(crate) with: Vec<With<'a>>,
    /// What is given for holes: the children are these nodes, in order.
    pub(crate) fillings: Vec<Filling<'a>>,
    /// Whether some of what it is given is lost.
    pub(crate) lost_with: bool,
    pub(crate) lost_fillings: bool,
}

impl<'a> Include<'a> {
    pub(crate) fn new(sort: Sort) -> Self {
        Include {
            sort,
            asset: None,
            trees: Vec::new(),
            initial: None,
            with: Vec::new(),
            fillings: Vec::new(),
            lost_with: false,
            lost_fillings: false,
        }
    }

    /// The template that it uses.
    pub(crate) fn template(&self) -> Option<Word<'a>> {
        self.asset.filter(|_| self.sort == Sort::Use)
    }

    /// The hole that it stands for.
    pub(crate) fn hole(&self) -> Option<Word<'a>> {
        self.asset.filter(|_| matches!(self.sort, Sort::Hole(_)))
    }

    /// The files that it needs.
    pub(crate) fn files(&self) -> impl Iterator<Item = Word<'a>> {
        let one = self.asset.filter(|_| self.sort == Sort::Subtree);
        one.into_iter().chain(self.trees.iter().copied())
    }
}

/// What is given for a hole.
#[derive(Debug, PartialEq)]
pub(crate) struct Filling<'a> {
    pub(crate) hole: Word<'a>,
    /// A node, or a list.
    pub(crate) takes: Takes,
    /// How many of the node's children belong to it.
    pub(crate) count: usize,
    pub(crate) span: Span,
}

impl<'a> Subtree<'a> {
    /// What it gives for each hole, without disabled nodes.
    pub(crate) fn given(self) -> HashMap<&'a str, (&'a Filling<'a>, Vec<Subtree<'a>>)> {
        let mut children = self.children();
        let mut nodes = |it: &Filling<'_>| children.by_ref().take(it.count).filter(|it| !it.disabled).collect();
        let fillings = self.node().include().map_or(&[][..], |it| &it.fillings);
        fillings.iter().map(|it| (it.hole.text, (it, nodes(it)))).collect()
    }
}

/// What a port is given.
#[derive(Debug, PartialEq)]
pub(crate) struct With<'a> {
    pub(crate) port: Word<'a>,
    pub(crate) value: Given<'a>,
    pub(crate) span: Span,
}

/// A key by its name, or a literal.
#[derive(Debug, PartialEq)]
pub(crate) enum Given<'a> {
    Key(&'a str),
    Literal(Value<'a>),
}
