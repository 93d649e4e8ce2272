//! What an export kept about a tree: `<Metadata pleach="Tree(..)" file="guard/fight.ron"/>` in the
//! model of the tree.

use std::collections::BTreeSet;

use pleach::tools::ron::{Arguments, Datum, Document, Shape};

use crate::item::Kept;
use crate::keys::Kind;
use crate::xml::Element;

/// The attribute.
pub(crate) const NAME: &str = "pleach";

/// What is kept in a model of a tree, if an export wrote it.
///
/// # Errors
/// It is not RON.
pub(super) fn read(model: &Element) -> Option<Result<Kept, String>> {
    let metadata = model.children.iter().filter(|it| it.name == "MetadataFields").flat_map(|it| &it.children);
    let (text, file) = metadata.filter_map(|it| Some((it.value(NAME)?, it.value("file")))).next()?;
    let wrong = |why: &str| Some(Err(format!("`{NAME}` {why}: what an export kept of the tree is left out")));
    let Ok(document) = Document::read("kept", text, "`Tree(version: 1, ..)`") else {
        return wrong("is not RON, or nested too deep");
    };
    let Shape::Call(Some(tree), Arguments::Named(fields)) = &document.root().shape else {
        return wrong("is not `Tree(version: 1, ..)`");
    };
    let version = fields.iter().find(|it| it.0.text == "version").map(|it| document.text(&it.1.span));
    if tree.text != "Tree" || version != Some("1") {
        return wrong("is not `Tree(version: 1, ..)`");
    }
    let mut kept = Kept { file: file.filter(|it| is_safe(it)).map(Into::into), ..Kept::default() };
    kept.is_moved = file.is_some() && kept.file.is_none();
    let mut seen = BTreeSet::new();
    for (name, value) in fields {
        if !seen.insert(&name.text) {
            return wrong(&format!("has `{}` twice", name.text));
        }
        let is_map = matches!(value.shape, Shape::Map(_));
        if matches!(&*name.text, "ports" | "blackboard" | "locals" | "group" | "global") && !is_map {
            return wrong(&format!("has no map for `{}`", name.text));
        }
        let written = |it: &Datum| document.text(&it.span).to_owned();
        let entries = match &value.shape {
            Shape::Map(entries) => &entries[..],
            _ => &[],
        };
        let named = || entries.iter().filter_map(|it| Some((text_of(&it.0)?.to_owned(), &it.1)));
        match &*name.text {
            "name" => kept.name = text_of(value).map(Into::into),
            "version" | "note" | "root" => continue,
            "ports" => kept.ports = named().map(|it| (it.0, written(it.1))).collect(),
            "blackboard" => kept.blackboard = named().map(|it| (it.0, written(it.1))).collect(),
            other => kept.fields.push((other.into(), written(value))),
        }
        match &*name.text {
            "ports" | "blackboard" | "locals" | "group" | "global" => {
                kept.keys.extend(named().map(|it| (it.0, known(it.1))));
            }
            "templates" => kept.templates = named().map(|it| it.0).collect(),
            "templates_from" => {
                if let Shape::List(items) = &value.shape {
                    kept.templates_from = items.iter().filter_map(text_of).map(Into::into).collect();
                }
            }
            _ => {}
        }
    }
    Some(Ok(kept))
}

/// Whether it names a file of trees below the output directory.
fn is_safe(file: &str) -> bool {
    let is_part = |it: &str| {
        let is_plain = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
        !it.is_empty() && !it.starts_with('.') && it.chars().all(is_plain)
    };
    // Windows looks only at the part before the first dot.
    let is_device = |it: &str| {
        let stem = it.split('.').next().unwrap_or_default().to_lowercase();
        matches!(&*stem, "con" | "prn" | "aux" | "nul")
            || stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt"))
    };
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    file.len() <= 200
        && file.split('/').all(|it| is_part(it) && !is_device(it))
        && name.strip_suffix(".ron").is_some_and(|it| !it.contains('.'))
        && !folders.contains('.')
}

fn text_of(datum: &Datum) -> Option<&str> {
    match &datum.shape {
        Shape::Text(it) => Some(it),
        _ => None,
    }
}

/// The type and words of a key from its declaration: `Float(1.0)`, `In(Symbol(["a", "b"]), "a")`.
fn known(declared: &Datum) -> (Kind, Vec<String>) {
    let Shape::Call(Some(name), arguments) = &declared.shape else { return (Kind::Unknown, Vec::new()) };
    let items = match arguments {
        Arguments::Tuple(items) => &items[..],
        _ => &[],
    };
    let mut words = items.iter().filter_map(|it| match &it.shape {
        Shape::List(words) => Some(words.iter().filter_map(text_of).map(Into::into).collect()),
        _ => None,
    });
    match &*name.text {
        "In" | "Out" | "InOut" => items.first().map_or((Kind::Unknown, Vec::new()), known),
        "Bool" => (Kind::Bool, Vec::new()),
        "Int" => (Kind::Int, Vec::new()),
        "Float" => (Kind::Float, Vec::new()),
        "Symbol" => (Kind::Word, words.next_back().unwrap_or_default()),
        "Vec2" => (Kind::Vec2, Vec::new()),
        "Vec3" => (Kind::Vec3, Vec::new()),
        // The type that an import uses for an unknown key.
        "Entity" => (Kind::Unknown, Vec::new()),
        _ => (Kind::Object, Vec::new()),
    }
}
