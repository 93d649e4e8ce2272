//! Where each node of a tree is written, and with which fields.

use pleach_core::{Host, NodeRef, Tree};

use super::files::Files;
use super::place::{Origin, Place};
use super::{Alone, with_places};
use crate::Registry;
use crate::finding::{FileAt, Findings};
use crate::report::position;
use crate::span::Span;
use crate::write;

/// A node as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenNode {
    /// The file, as messages name it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Every field that is written, with its value as RON has it, but for the children: also what
    /// stands beside the node in its parent (`case`, `score`, `weight`), and what the instances are
    /// given that begin with it (`fight: with target`).
    pub fields: Vec<(String, String)>,
}

/// A tree with its nodes as they are written.
pub(crate) fn described<H: Host>(
    files: &Files<'_>,
    entry: FileAt,
    registry: &Registry<H>,
) -> Result<(Tree<H>, Vec<WrittenNode>), Findings> {
    let (tree, places) = with_places(files, entry, registry, Findings::of_files(), Alone::Refused)?;
    let written = tree.nodes().map(|it| node(files, &places, it)).collect();
    Ok((tree, written))
}

fn node<H: Host>(files: &Files<'_>, places: &[Origin<'_>], node: NodeRef<'_, H>) -> WrittenNode {
    let at = |origin: Option<u32>| origin.and_then(|it| places.get(it as usize));
    let origin = at(node.origin());
    let mut fields = Vec::new();
    let mut span = Span::new(0, 0);
    match origin.map(|it| it.place) {
        Some(Place::Node(it)) => {
            span = it.kind.span;
            fields.extend(write::fields(it.node()));
        }
        Some(Place::Interrupt(it)) => {
            span = it.when.span;
            fields.push(write::when(it));
        }
        Some(Place::Whole | Place::Include(..)) | None => {}
    }
    if let Some(parent) = node.parent()
        && let Some(Place::Node(of)) = at(parent.origin()).map(|it| it.place)
        && let Some(place) = parent.children().position(|it| it.id() == node.id())
    {
        fields.extend(write::of_child(of, place));
    }
    for instance in node.begins() {
        if let Some(Place::Include(it, _)) = at(instance.origin()).map(|it| it.place) {
            let own = write::of_instance(it.node()).into_iter();
            fields.extend(own.map(|(field, value)| (format!("{}: {field}", instance.name()), value)));
        }
    }
    let asset = origin.and_then(|it| files.get(it.file)).map(|it| it.asset);
    let (line, column) = asset.map_or((1, 1), |it| position(&it.source, span.start().min(it.source.len())));
    WrittenNode { file: asset.map(|it| it.file.to_string()).unwrap_or_default(), line, column, fields }
}
