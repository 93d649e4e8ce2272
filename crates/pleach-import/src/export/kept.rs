//! The parts of a file of trees that XML cannot express. They are kept in the model of the tree, as
//! RON: there they do nothing, and an import reads them.

use pleach::tools::ron::{Datum, Document, Shape};

use super::btcpp::new;
use super::written::{entries, text, tree_name};
use crate::btcpp::KEPT;
use crate::ron::quoted;
use crate::xml::Element;

/// Fields of `Tree(..)` that have no counterpart.
const FIELDS: [&str; 10] =
    ["allow", "blackboard", "ports", "nodes", "locals", "group", "global", "events", "templates", "interrupts"];

/// The fields of a file that are kept, as they are written.
#[derive(Debug)]
pub(super) struct Kept {
    fields: Vec<String>,
    /// Whether it uses a template that the target lacks.
    pub(super) has_template: bool,
}

impl Kept {
    pub(super) fn of(fields: &[(&str, &Datum)], document: &Document, has_template: bool) -> Kept {
        let text = |it: &(&str, &Datum)| format!("{}: {}", it.0, document.text(&it.1.span));
        let is_kept = |it: &&(&str, &Datum)| FIELDS.contains(&it.0) && !(it.0 == "blackboard" && is_said(it.1));
        let mut all: Vec<String> = fields.iter().filter(is_kept).map(text).collect();
        let has_template = has_template || all.iter().any(|it| it.contains("Use("));
        all.extend(fields.iter().find(|it| it.0 == "templates_from" && has_template).map(text));
        Kept { fields: all, has_template }
    }

    /// The model of the tree, with the name of the file, which other files may include.
    pub(super) fn element(mut self, file: &str, id: &str, document: &Document) -> Element {
        self.fields.insert(0, "version: 1".into());
        let name = tree_name(file, document);
        if name != id {
            self.fields.insert(1, format!("name: {}", quoted(&name)));
        }
        let text = format!("Tree({})", self.fields.join(", "));
        let mut fields = new("MetadataFields");
        fields.children.push(new("Metadata").with(KEPT, text).with("file", file));
        let mut model = new("SubTree").with("ID", id);
        model.children.push(fields);
        model
    }
}

/// Whether the script of the first values covers all of these keys: also their types, and their
/// order, as an import sorts keys.
fn is_said(blackboard: &Datum) -> bool {
    let keys = entries(blackboard);
    let is_said = |declared: &Datum| match &declared.shape {
        Shape::Call(Some(ty), _) => matches!(&*ty.text, "Bool" | "Int" | "Float"),
        _ => false,
    };
    keys.iter().all(|it| is_said(&it.1)) && keys.is_sorted_by_key(|it| text(&it.0))
}
