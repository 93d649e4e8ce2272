//! Initial values of keys: a script that runs once, before the root.

use pleach::tools::ron::{Arguments, Datum, Document, Shape};

use super::btcpp::new;
use super::written::{entries, text};
use crate::btcpp::BEGIN;
use crate::report::{Fate, Line};
use crate::ron;
use crate::xml::Element;

/// A root after the script for these keys. Keys that no script can set are reported.
pub(super) fn around(
    root: Element,
    blackboard: &Datum,
    document: &Document,
    note: &mut dyn FnMut(usize, Line),
) -> Element {
    let mut code = Vec::new();
    for (key, declared) in entries(blackboard) {
        let Some(name) = text(key) else { continue };
        match value(declared, document) {
            Some(value) if value.is_empty() => {}
            Some(value) => code.push(format!("{name} := {value}")),
            None => {
                let why = "scripts have no value of this type: the game has to set it there".to_owned();
                note(key.span.start, Line::Node(format!("key `{name}`"), Fate::Lost(why)));
            }
        }
    }
    if code.is_empty() {
        return root;
    }
    let mut once = new("RunOnce");
    once.children.push(new("Script").with("code", code.join("; ")));
    let mut sequence = new("Sequence").with("name", BEGIN);
    sequence.children.extend([once, root]);
    sequence
}

/// The first value of a key, as a script. An entity needs no script: its first value is none, which
/// is a key without a value there.
fn value(declared: &Datum, document: &Document) -> Option<String> {
    let Shape::Call(Some(ty), Arguments::Tuple(values)) = &declared.shape else { return None };
    let first = values.first()?;
    let digits = document.text(&first.span).replace('_', "");
    match &*ty.text {
        "Bool" => Some(digits),
        "Int" => digits.parse::<i64>().ok().map(|it| it.to_string()),
        "Float" => digits.parse::<f64>().ok().filter(|it| it.is_finite()).map(|_| ron::float(&digits)),
        "Symbol" => text(first).map(|it| format!("'{it}'")),
        "Entity" => Some(String::new()),
        _ => None,
    }
}
