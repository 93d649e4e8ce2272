//! The fields of a node, to be read and set.

use pleach::asset::{Manifest, ValueType};
use pleach::tools::kinds::NodeKind;

use super::change::{Change, Piece};
use super::nodes::holds_nodes;
use super::units::{Seat, comments, entry_of, seat, unit};
use super::values::{quoted, spelled, typed};
use super::{EditError, refused};
use crate::doc::Doc;
use crate::fields::{Field, Items, Need, Role, Sort};
use crate::syntax::At;

/// A field that a node has or can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldText {
    /// Its name.
    pub name: String,
    /// Its value, as a person types it; `None` if it is not written.
    pub value: Option<String>,
    /// What can be written, in words.
    pub what: String,
    /// What it means.
    pub doc: String,
    /// Its default, if known.
    pub default: Option<String>,
    /// Whether it has to be written.
    pub is_required: bool,
    /// Whether nodes of all kinds have it.
    pub is_common: bool,
    /// The words that can be written, if they are fixed.
    pub words: Vec<String>,
    /// Whether it holds a name that is used elsewhere, too: of a key, an event, a template.
    pub is_name: bool,
    /// The bytes of the text that its value takes.
    pub span: Option<std::ops::Range<usize>>,
}

/// The fields of a node, except those that hold nodes. Empty if there is no such node.
#[must_use]
pub fn fields(manifest: &Manifest, name: &str, text: &str, node: usize) -> Vec<FieldText> {
    of_doc(manifest, &Doc::new(manifest, name, text), node)
}

pub(crate) fn of_doc<'g>(manifest: &'g Manifest, doc: &Doc<'g>, node: usize) -> Vec<FieldText> {
    let change = Change::new(manifest, doc);
    change.node(node).map(|it| change.told(it)).unwrap_or_default()
}

/// The text with a field's typed value, which may be incomplete, and the byte at which the value
/// begins.
pub(crate) fn with_value(
    manifest: &Manifest,
    name: &str,
    text: &str,
    (node, field): (usize, &str),
    before: &str,
    after: &str,
) -> Option<(String, usize)> {
    /// Stands for the typed text.
    const MARK: &str = "pleach_typed_here";
    let doc = Doc::new(manifest, name, text);
    let mut change = Change::new(manifest, &doc);
    let at = change.node(node).ok()?;
    let known = change.fields(at);
    let around = change.around(at);
    let role = around.iter().map(|it| &it.0).chain(&known).find(|it| it.name == field)?.role;
    // Where an expression or a number is possible, typed letters begin an expression.
    let is_text = matches!(role, Role::Number) && !before.trim().is_empty();
    let is_text = is_text || spelled(manifest, role, "pleach_typed").starts_with('"');
    let is_quoted = before.trim_start().starts_with('"');
    let mark = if is_text && !is_quoted { format!("\"{MARK}\"") } else { MARK.to_owned() };
    match around.iter().find(|it| it.0.name == field).map_or_else(|| change.held(at, field).map(|it| it.1), |it| it.1) {
        Some(held) => change.patch.replace(change.span(held), mark),
        None => change.add_field(at, field, &mark, "", None).ok()?,
    }
    let (text, _) = change.patch.apply(text);
    let start = text.find(MARK)?;
    Some((text.replacen(MARK, &format!("{before}{after}"), 1), start))
}

impl<'g> Change<'_, 'g> {
    fn told(&self, at: At) -> Vec<FieldText> {
        let mut all: Vec<FieldText> = self.around(at).into_iter().map(|(field, held)| self.one(&field, held)).collect();
        let known = self.fields(at);
        let is_shown = |it: &&Field<'_>| match self.held(at, it.name) {
            Some((_, value)) => !holds_nodes(self.doc, value),
            None => !matches!(it.role, Role::ListOf(it) if it != Items::Files) && !is_node(it.role),
        };
        all.extend(known.iter().filter(is_shown).map(|it| self.one(it, self.held(at, it.name).map(|it| it.1))));
        // Unknown fields that are written, so that they can be seen and removed.
        for item in &self.doc.syntax.get(at).items {
            let Some(key) = item.key.filter(|key| known.iter().all(|it| it.name != self.doc.word(*key))) else {
                continue;
            };
            let unknown = Field {
                name: self.doc.word(key),
                what: crate::fields::What::Words("a value"),
                doc: "",
                need: Need::Optional,
                role: Role::Unknown,
                is_common: false,
            };
            all.push(self.one(&unknown, item.value));
        }
        all
    }

    fn one(&self, field: &Field<'_>, held: Option<At>) -> FieldText {
        let words = match field.role {
            Role::Words(words) => words.iter().map(|it| (*it).to_owned()).collect(),
            Role::Parameter(ValueType::OneOf(words) | ValueType::Variant(words)) => words.clone(),
            _ => Vec::new(),
        };
        let value = held.map(|it| typed(field.role, self.shape(it), self.written(it), self.doc.word(it)));
        FieldText {
            name: field.name.to_owned(),
            value,
            what: field.what.to_string(),
            doc: field.doc.to_owned(),
            default: match field.need {
                Need::Default(it) => Some(it.to_owned()),
                _ => None,
            },
            is_required: field.need == Need::Required,
            is_common: field.is_common,
            words,
            is_name: held.is_some_and(|it| matches!(self.doc.role(it), Role::Names(it) if it != Sort::File)),
            span: held.map(|it| self.span(it)),
        }
    }

    /// The fields around a node: its score, its weight, the value of its case.
    fn around(&self, at: At) -> Vec<(Field<'g>, Option<At>)> {
        let outer = unit(self.doc, at);
        let Some(seat) = seat(self.doc, outer) else { return Vec::new() };
        let of_entry = |kind: NodeKind| crate::fields::fields(self.manifest, Role::Entry(kind), "").into_iter().next();
        match (self.doc.role(seat.within), entry_of(self.doc, outer)) {
            (_, Some(kind)) => {
                let value = |it: &Field<'_>| self.held(outer, it.name).map(|it| it.1);
                of_entry(kind).into_iter().map(|it| (it, value(&it))).collect()
            }
            (Role::ListOf(Items::Entries(kind)), None) => of_entry(kind).into_iter().map(|it| (it, None)).collect(),
            (Role::MapOf(crate::fields::Entries::Switch), None) => {
                vec![(CASE, self.doc.syntax.get(seat.within).items[seat.item].key)]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn set(&mut self, node: usize, name: &str, value: Option<&str>) -> Result<(), EditError> {
        let at = self.node(node)?;
        let value = value.filter(|it| !it.trim().is_empty());
        let around = self.around(at).into_iter().find(|it| it.0.name == name);
        if let Some((field, held)) = around {
            return self.set_around(at, &field, held, value);
        }
        let known = self.fields(at);
        let field = known.iter().find(|it| it.name == name);
        let held = self.held(at, name);
        match (value, held) {
            (Some(value), Some((_, held))) => {
                let role = field.map_or(Role::Unknown, |it| it.role);
                let text = self.checked(name, &spelled(self.manifest, role, value))?;
                self.patch.replace(self.span(held), text);
            }
            (Some(value), None) => {
                let Some(field) = field else {
                    let of = self.doc.word(at);
                    return refused(format!("`{of}` has no field `{}`", pleach::tools::text::plain(name)));
                };
                let text = self.checked(name, &spelled(self.manifest, field.role, value))?;
                self.add_field(at, name, &text, "", None)?;
            }
            (None, Some((item, _))) => {
                let value = self.doc.syntax.get(at);
                let inside = value.inside.clone().unwrap_or_default();
                let is_alone = value.items.len() == 1 && comments(self.doc, inside).is_empty();
                self.cut(Seat { within: at, item }, !is_alone)?;
            }
            (None, None) => {}
        }
        // Nothing before it that has nodes has changed.
        self.patch.insert(self.span(at).start, "");
        self.patch.focus(0);
        Ok(())
    }

    fn set_around(
        &mut self,
        at: At,
        field: &Field<'_>,
        held: Option<At>,
        value: Option<&str>,
    ) -> Result<(), EditError> {
        let outer = unit(self.doc, at);
        match (held, value) {
            (Some(held), Some(value)) => {
                let is_case = field.role == Role::CaseValue;
                let is_word = !matches!(value.trim(), "true" | "false") && value.trim().parse::<i64>().is_err();
                let text = match is_case {
                    true if is_word && !value.trim().starts_with('"') => quoted(value.trim()),
                    true => value.trim().to_owned(),
                    false => spelled(self.manifest, field.role, value),
                };
                let text = self.checked(field.name, &text)?;
                self.patch.replace(self.span(held), text);
            }
            (None, Some(value)) => {
                let text = self.checked(field.name, &spelled(self.manifest, field.role, value))?;
                if outer == at {
                    let span = self.span(at);
                    self.patch.insert(span.start, format!("({}: {text}, child: ", field.name));
                    self.patch.insert(span.end, ")");
                } else {
                    self.put(
                        outer,
                        0,
                        &Piece { lead: "", body: &format!("{}: {text}", field.name), trail: "", focus: None },
                        None,
                    );
                }
            }
            (_, None) if field.need == Need::Required => {
                return refused(format!("`{}` has to be there", field.name));
            }
            (Some(held), None) => {
                let seat = seat(self.doc, held);
                if let Some(seat) = seat {
                    self.cut(seat, true)?;
                }
            }
            (None, None) => {}
        }
        self.patch.insert(self.span(at).start, "");
        self.patch.focus(0);
        Ok(())
    }

    /// A value that is valid RON.
    fn checked(&self, name: &str, value: &str) -> Result<String, EditError> {
        let wrapped = format!("({value}\n)");
        let syntax = crate::syntax::Syntax::of(&wrapped);
        let items = syntax.root().map(|it| syntax.get(it).items.len());
        match (pleach::asset::format_str(name, &wrapped), items) {
            (Ok(_), Some(1)) if syntax.root().is_some_and(|it| syntax.get(it).items[0].key.is_none()) => {
                Ok(value.to_owned())
            }
            (Err(report), _) => {
                let why = report.diagnostics().first().map(|it| it.message().to_owned()).unwrap_or_default();
                refused(format!("`{name}`: {why}"))
            }
            _ => refused(format!("`{name}`: `{}` is not one value", pleach::tools::text::plain(value))),
        }
    }
}

fn is_node(role: Role<'_>) -> bool {
    use crate::fields::{Entries, Stands};
    match role {
        Role::Node(it) => it != Stands::Test,
        Role::MapOf(it) => matches!(it, Entries::Switch | Entries::Fillings | Entries::Templates),
        _ => false,
    }
}

const CASE: Field<'static> = Field {
    name: "case",
    what: crate::fields::What::Words("a word, a whole number, `true` or `false`"),
    doc: "The value for which this child runs.",
    need: Need::Required,
    role: Role::CaseValue,
    is_common: false,
};
