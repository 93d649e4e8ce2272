//! Warnings: what is legal but probably a mistake.

mod aborts;
mod cooldown;
mod copies;
mod counters;
mod flags;
mod flow;
mod gates;
pub(super) mod keys;
mod missing;
mod stamps;
mod uses;
mod values;
mod watch;

use pleach_core::{Host, NodeId, NodeRef, Tree};

use super::files::Files;
use super::place::{Origin, Place};
use crate::asset::Subtree;
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::span::Span;
use copies::Warning;
pub(super) use copies::Warnings;
use flow::Flow;
use uses::Uses;
use watch::Watch;

/// All warnings about a tree's nodes, unordered; and the nodes that do not count for a code.
fn warnings<H: Host>(written: &Written<'_, H>, flow: &Flow) -> (Vec<Warning>, Vec<(Code, NodeId)>) {
    let (mut warnings, mut uncounted) = (Vec::new(), Vec::new());
    flow.unreachable(written, &mut warnings);
    let watch = Watch::of(written, flow);
    aborts::lint(written, flow, &watch, &mut warnings);
    cooldown::lint(written, flow, &watch, &mut warnings);
    let (watched, uses) = (watch.all(written, flow), Uses::of(written));
    missing::lint(written, flow, &watched, &uses, &mut warnings, &mut uncounted);
    gates::lint(written, flow, &watched, &mut warnings);
    flags::lint(written, flow, &watched, &uses, &mut warnings);
    counters::lint(written, flow, &uses, &mut warnings);
    values::lint(written, flow, &uses, &mut warnings);
    stamps::lint(written, flow, &mut warnings);
    (warnings, uncounted)
}

/// A tree, and the text of its nodes in the files.
struct Written<'a, H: Host> {
    files: &'a Files<'a>,
    tree: &'a Tree<H>,
    places: &'a [Origin<'a>],
}

impl<'a, H: Host> Written<'a, H> {
    fn origin(&self, node: NodeRef<'_, H>) -> Option<&Origin<'a>> {
        node.origin().and_then(|it| self.places.get(it as usize))
    }

    /// The node as the file has it, if it is a built-in.
    fn built_in(&self, node: NodeRef<'_, H>) -> Option<Subtree<'a>> {
        match self.origin(node)?.place {
            Place::Node(it) => Some(it).filter(|it| it.built_in().is_some()),
            Place::Interrupt(_) | Place::Whole | Place::Include(..) => None,
        }
    }

    /// Its file.
    fn file(&self, node: NodeRef<'_, H>) -> FileAt {
        self.origin(node).map_or(0, |it| it.file)
    }

    /// Its name in its file.
    fn at(&self, node: NodeRef<'_, H>) -> Option<(FileAt, Span)> {
        self.origin(node)?.at()
    }

    /// Where it stands as a child of its parent: for an instance, the node that includes it.
    fn as_child(&self, node: NodeRef<'_, H>) -> Option<(FileAt, Span)> {
        let Some(instance) = node.begins().next() else { return self.at(node) };
        let Origin { file, place, .. } = *self.places.get(instance.origin()? as usize)?;
        match place {
            Place::Include(it, _) => Some((file, it.kind.span)),
            Place::Node(_) | Place::Interrupt(_) | Place::Whole => None,
        }
    }
}

fn warning(code: Code, (file, span): (FileAt, Span), message: String) -> Finding {
    Finding::new(code, span, message).in_file(file)
}
