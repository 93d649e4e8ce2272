//! What all three drawings are made from: the shape of a tree without its host type. So the code of
//! the drawings is compiled only once.

use pleach_core::{
    Host, NodeId, NodeRef, Tree,
    inspect::AgentView,
    kinds::{NodeClass, NodeKind},
    nodes::Abort,
};

use crate::highlight::Highlight;

/// Where children are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Below their parent, the first at the left, as in most editors.
    #[default]
    Down,
    /// At the right of their parent, the first on top: better for trees with many long texts.
    Right,
}

/// One node of a drawing.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) node: NodeId,
    /// As it is written.
    pub(crate) kind: &'a str,
    pub(crate) node_kind: NodeKind,
    pub(crate) name: Option<&'a str>,
    pub(crate) id: Option<&'a str>,
    pub(crate) note: Option<&'a str>,
    pub(crate) detail: &'a str,
    pub(crate) abort: Abort,
    pub(crate) services: usize,
    pub(crate) parent: Option<NodeId>,
    pub(crate) depth: usize,
    /// Whether no sibling comes after it.
    pub(crate) last: bool,
}

/// A tree that is about to be drawn. Making one costs a pass over the nodes.
#[derive(Debug)]
pub struct Drawing<'a> {
    pub(crate) name: &'a str,
    /// In pre-order, as in the tree: by [`NodeId::index`].
    pub(crate) marks: Vec<Mark<'a>>,
    pub(crate) highlight: Highlight,
    pub(crate) direction: Direction,
}

impl<'a> Drawing<'a> {
    /// The drawing of a tree, without an agent.
    #[must_use]
    pub fn of<H: Host>(tree: &'a Tree<H>) -> Self {
        let mut marks: Vec<Mark<'a>> = Vec::with_capacity(tree.len());
        for node in tree.nodes() {
            let composite = node.node_kind().class() == NodeClass::Composite;
            marks.push(Mark {
                node: node.id(),
                kind: node.kind(),
                node_kind: node.node_kind(),
                name: node.name(),
                id: node.id_text(),
                note: node.note(),
                detail: node.detail(),
                abort: node.abort(),
                services: if composite { node.services() } else { 0 },
                parent: node.parent().map(NodeRef::id),
                depth: node.depth(),
                last: true,
            });
        }
        // In pre-order the last child of a parent is the one that comes last.
        let mut seen = vec![false; marks.len()];
        for at in (0..marks.len()).rev() {
            if let Some(parent) = marks[at].parent {
                marks[at].last = !std::mem::replace(&mut seen[parent.index()], true);
            }
        }
        Drawing { name: tree.name(), marks, highlight: Highlight::default(), direction: Direction::default() }
    }

    /// The drawing of an agent's tree, with what the agent is doing.
    #[must_use]
    pub fn of_agent<H: Host>(view: &'a AgentView<H>) -> Self {
        Drawing::of(&view.tree).highlight(Highlight::of(view))
    }

    /// Shows what an agent of this tree is doing. With its view at hand,
    /// [`of_agent`](Drawing::of_agent) is shorter.
    #[must_use]
    pub fn highlight(self, highlight: Highlight) -> Self {
        Drawing { highlight, ..self }
    }

    /// Where children are drawn, in Graphviz and SVG.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Drawing { direction, ..self }
    }
}

impl Mark<'_> {
    /// What stands first in a box: the name, or else the kind.
    pub(crate) fn label(&self) -> &str {
        self.name.unwrap_or(self.kind)
    }

    pub(crate) fn class(&self) -> NodeClass {
        self.node_kind.class()
    }
}

/// The abort type in words, if there is one.
pub(crate) fn abort_words(abort: Abort) -> Option<&'static str> {
    // `Abort` is a set of two bits. A match on its constants needs a last arm all the same.
    match abort {
        Abort::SELF => Some("self"),
        Abort::LOWER_PRIORITY => Some("lower priority"),
        Abort::BOTH => Some("both"),
        _ => None,
    }
}
