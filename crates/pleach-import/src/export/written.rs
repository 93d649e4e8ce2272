//! Nodes as they are written, with the names of their fields.

use pleach::asset::Manifest;
use pleach::tools::kinds::{Arity, FieldShape, NodeField, NodeKind};
use pleach::tools::ron::{Arguments, Datum, Document, Shape};
use pleach::tools::{INCLUDES, file_stem};

/// A node.
#[derive(Debug)]
pub(super) struct Written<'d> {
    pub(super) kind: &'d str,
    pub(super) fields: Vec<(String, &'d Datum)>,
    pub(super) at: usize,
}

impl<'d> Written<'d> {
    /// Something that may be a node: a name, with or without parentheses.
    pub(super) fn of(datum: &'d Datum, manifest: &Manifest) -> Option<Written<'d>> {
        let Shape::Call(Some(name), arguments) = &datum.shape else { return None };
        let fields = match arguments {
            Arguments::None => Vec::new(),
            Arguments::Named(fields) => fields.iter().map(|it| (it.0.text.clone(), &it.1)).collect(),
            Arguments::Tuple(items) => positional(&name.text, manifest).into_iter().zip(items).collect(),
        };
        Some(Written { kind: &name.text, fields, at: datum.span.start })
    }

    pub(super) fn get(&self, field: &str) -> Option<&'d Datum> {
        self.fields.iter().find(|it| it.0 == field).map(|it| it.1)
    }

    pub(super) fn text(&self, field: &str) -> Option<&'d str> {
        self.get(field).and_then(text)
    }

    /// A word or a number, as it is written.
    pub(super) fn word(&self, field: &str) -> Option<&'d str> {
        match &self.get(field)?.shape {
            Shape::Call(Some(word), Arguments::None) => Some(&word.text),
            Shape::Literal(it) => Some(it),
            _ => None,
        }
    }
}

pub(super) fn text(datum: &Datum) -> Option<&str> {
    match &datum.shape {
        Shape::Text(it) => Some(it),
        _ => None,
    }
}

pub(super) fn items(datum: &Datum) -> &[Datum] {
    match &datum.shape {
        Shape::List(items) => items,
        _ => &[],
    }
}

pub(super) fn entries(datum: &Datum) -> &[(Datum, Datum)] {
    match &datum.shape {
        Shape::Map(entries) => entries,
        _ => &[],
    }
}

/// The fields of `Tree(..)`.
pub(super) fn tree(document: &Document) -> Vec<(&str, &Datum)> {
    match &document.root().shape {
        Shape::Call(Some(name), Arguments::Named(fields)) if name.text == "Tree" => {
            fields.iter().map(|it| (&*it.0.text, &it.1)).collect()
        }
        _ => Vec::new(),
    }
}

pub(super) fn tree_name(file: &str, document: &Document) -> String {
    let name = tree(document).into_iter().find(|it| it.0 == "name").and_then(|it| text(it.1));
    name.unwrap_or(file_stem(file)).to_owned()
}

/// The fields whose names can be left out.
fn positional(kind: &str, manifest: &Manifest) -> Vec<String> {
    if let Some(include) = INCLUDES.iter().find(|it| it.name == kind) {
        return include.fields.iter().map(|it| it.name.to_owned()).collect();
    }
    let Some(kind) = NodeKind::from_name(kind).filter(|it| it.is_built_in()) else {
        let parameters = manifest.leaf(kind).and_then(|it| it.parameters.as_ref());
        return parameters.into_iter().flatten().map(|it| it.name.clone()).collect();
    };
    let fields = kind.fields();
    let own = match kind.arity() {
        Arity::Composite => {
            let is_child = |it: &NodeField| matches!(it.shape, FieldShape::Node | FieldShape::Cases);
            fields.iter().rposition(is_child).map_or(0, |it| it + 1)
        }
        Arity::Decorator => usize::from(kind == NodeKind::Repeat || fields.first().is_some_and(NodeField::is_required)),
        Arity::Leaf => fields.len(),
    };
    fields.iter().take(own).chain(kind.child_fields()).map(|it| it.name.to_owned()).collect()
}
