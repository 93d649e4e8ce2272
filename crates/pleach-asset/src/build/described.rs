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

/// A node as written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenNode {
    /// The file, as messages name it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Where the instances that begin with it are written, outermost first: file, line, column.
    pub uses: Vec<(String, usize, usize)>,
    /// Every field that is written, with its value as RON, except the children: also the fields
    /// beside the node in its parent (`case`, `score`, `weight`), and what is given to the
    /// instances that begin with it (`fight: with target`).
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
    let (mut fields, mut uses) = (Vec::new(), Vec::new());
    let mut span = Span::new(0, 0);
    let written = |file: FileAt, span: Span| {
        let asset = files.get(file)?.asset;
        let (line, column) = position(&asset.source, span.start().min(asset.source.len()));
        Some((asset.file.to_string(), line, column))
    };
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
            uses.extend(at(instance.origin()).and_then(|origin| written(origin.file, it.kind.span)));
            let own = write::of_instance(it.node()).into_iter();
            fields.extend(own.map(|(field, value)| (format!("{}: {field}", instance.name()), value)));
        }
    }
    let place = origin.and_then(|it| written(it.file, span));
    let (file, line, column) = place.unwrap_or_else(|| (String::new(), 1, 1));
    WrittenNode { file, line, column, uses, fields }
}
