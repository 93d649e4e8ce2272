//! Leaves of the host on their way into a tree, and nodes that are parts of others: guards'
//! conditions, services, and the results of [`deferred`](super::nodes::deferred).

use std::fmt;

use super::kind::NodeClass;
use super::node::{Build, LeafError, Node, Spec};
use super::problem::{Field, ProblemKind};
use crate::blackboard::NodeKeys;
use crate::host::leaf::Leaf;
use crate::{Host, Observes};

/// The function that makes a deferred leaf, called once.
pub(super) type Make<H> = Box<dyn FnOnce(&NodeKeys<'_>) -> Result<Node<H>, LeafError> + Send + Sync>;

/// A host's leaf, made or to be made.
pub(super) enum Source<H: Host> {
    Made(Box<dyn Leaf<H>>),
    Deferred(Make<H>),
}

/// A host's action or condition.
pub(crate) struct HostLeaf<H: Host> {
    pub(super) source: Source<H>,
    /// Its parameters, for people.
    pub(super) detail: Box<str>,
    /// What a condition observes, if its node says so.
    pub(super) observes: Option<Box<Observes>>,
}

impl<H: Host> HostLeaf<H> {
    pub(super) fn new(source: Source<H>) -> Self {
        HostLeaf { source, detail: Box::default(), observes: None }
    }

    /// Whether it is known to be a condition.
    pub(super) fn is_condition(&self) -> bool {
        matches!(&self.source, Source::Made(leaf) if leaf.is_condition())
    }
}

impl<H: Host> fmt::Debug for HostLeaf<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.source {
            Source::Deferred(_) => "Deferred",
            Source::Made(_) if self.is_condition() => "Condition",
            Source::Made(_) => "Action",
        })
    }
}

/// A leaf with its parameters for people, and what it observes according to its node.
pub(super) type NewLeaf<H> = (Box<dyn Leaf<H>>, Box<str>, Option<Box<Observes>>);

/// The problems with settings of a node, and where.
pub(super) type Wrong = Vec<(Option<Field>, ProblemKind)>;

/// A node that is a part of another one.
#[derive(Debug)]
pub(crate) enum Part<H: Host> {
    /// An expression.
    Check(String),
    /// With the name under which its kind was written, if it has one.
    Leaf(HostLeaf<H>, Option<Box<str>>),
}

impl<H: Host> Part<H> {
    /// Takes a node as the part of another one, if it can be one. Problems with it become problems
    /// of the other one.
    pub(super) fn of(node: Node<H>, field: Option<&Field>, wrong: &mut Wrong) -> Option<Self> {
        let Spec { build, children: _, mut kind, name, rest, abort, origin } = node.own;
        let written = build.name();
        let part = match build {
            Build::Check { expr } => Part::Check(expr),
            Build::Host { leaf } => Part::Leaf(leaf, kind.take()),
            _ => {
                wrong.push((field.cloned(), ProblemKind::NotALeaf { kind: written.into() }));
                return None;
            }
        };
        // True for nearly all.
        if kind.is_none() && name.is_none() && rest.is_none() && abort.is_none() && origin.is_none() {
            return Some(part);
        }
        let (mut id, mut note, mut keys, mut services, mut jitter) = (false, false, false, false, false);
        let mut instance = false;
        if let Some(rest) = rest {
            (id, note, jitter) = (rest.id.is_some(), rest.note.is_some(), rest.jitter.is_some());
            (keys, services) = (!rest.keys.is_empty(), !rest.services.is_empty());
            instance = !rest.borders.is_empty();
            wrong.extend(rest.wrong);
        }
        let own = [
            ("kind", kind.is_some()),
            ("name", name.is_some()),
            ("id", id),
            ("note", note),
            ("blackboard", keys),
            ("services", services),
            ("instance", instance),
            ("jitter", jitter),
            ("abort", !abort.is_none()),
            ("origin", origin.is_some()),
        ];
        for (what, _) in own.into_iter().filter(|it| it.1) {
            wrong.push((field.cloned(), ProblemKind::PartOfNode { kind: written.into(), what }));
        }
        Some(part)
    }

    /// Takes the result of `deferred`.
    pub(super) fn deferred(node: Node<H>, field: Option<&Field>, wrong: &mut Wrong) -> Option<NewLeaf<H>> {
        let kind = node.own.build.name();
        match Part::of(node, field, wrong)? {
            Part::Leaf(HostLeaf { source: Source::Made(leaf), detail, observes }, written) => {
                if written.is_some() {
                    wrong.push((field.cloned(), ProblemKind::PartOfNode { kind: kind.into(), what: "kind" }));
                }
                Some((leaf, detail, observes))
            }
            Part::Leaf(..) | Part::Check(_) => {
                wrong.push((field.cloned(), ProblemKind::NotALeaf { kind: kind.into() }));
                None
            }
        }
    }
}

impl<H: Host> Build<H> {
    /// The name of its kind, for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Build::Host { leaf: HostLeaf { source: Source::Deferred(_), .. } } => "what `deferred` makes",
            _ => self.kind().name(),
        }
    }
}

impl<H: Host> Node<H> {
    /// Whether it is a condition. A deferred one is not until it is made.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.own.build.kind().class() == NodeClass::Condition
    }

    /// The text given to [`described`](Node::described), or nothing.
    #[must_use]
    pub fn detail(&self) -> &str {
        match &self.own.build {
            Build::Host { leaf } => &leaf.detail,
            _ => "",
        }
    }
}

/// An expression as a condition: a [`check`](super::nodes::check).
impl<H: Host> From<&str> for Node<H> {
    fn from(expr: &str) -> Self {
        expr.to_owned().into()
    }
}

/// An expression as a condition: a [`check`](super::nodes::check).
impl<H: Host> From<String> for Node<H> {
    fn from(expr: String) -> Self {
        Node::new(Build::Check { expr }, [])
    }
}
