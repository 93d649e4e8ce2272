//! An open file: its text, its syntax, and the role of each value.

use std::sync::Arc;

use pleach::asset::Manifest;
use serde_json::Value as Json;

use crate::fields::{Role, Sort, Stands, entry_roles, fields, item_role, positional};
use crate::place::Lines;
use crate::syntax::{At, Shape, Syntax};

/// A file with its text in the editor, or on the disk.
#[derive(Debug)]
pub(crate) struct Doc<'g> {
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    pub(crate) lines: Lines,
    pub(crate) syntax: Syntax,
    roles: Vec<Role<'g>>,
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Tree,
    Tests,
    Manifest,
    /// Empty, or an unfinished word: it may become any.
    Begun,
    Foreign,
}

impl<'g> Doc<'g> {
    pub(crate) fn new(manifest: &'g Manifest, name: &str, text: &str) -> Self {
        let syntax = Syntax::of(text);
        let roles = roles(manifest, &syntax, text);
        Doc { name: name.to_owned(), text: text.into(), lines: Lines::of(text), syntax, roles }
    }

    pub(crate) fn form(&self) -> Form {
        let Some(root) = self.syntax.root() else { return Form::Begun };
        let value = self.syntax.get(root);
        match (value.shape, self.word(root)) {
            (Shape::Call, "Tree") => Form::Tree,
            (Shape::Call, "Tests") => Form::Tests,
            (Shape::Call, "Manifest") => Form::Manifest,
            (Shape::Word, _) => Form::Begun,
            _ => Form::Foreign,
        }
    }

    pub(crate) fn role(&self, at: At) -> Role<'g> {
        self.roles[at.index()]
    }

    /// Each value with its role.
    pub(crate) fn all(&self) -> impl Iterator<Item = (At, Role<'g>)> + '_ {
        self.syntax.all().map(|it| it.0).zip(self.roles.iter().copied())
    }

    pub(crate) fn word(&self, at: At) -> &str {
        self.syntax.word(&self.text, at)
    }

    pub(crate) fn range(&self, at: At) -> Json {
        self.lines.range(&self.text, &self.syntax.word_span(&self.text, at))
    }

    pub(crate) fn field(&self, of: At, name: &str) -> Option<At> {
        self.syntax.field(&self.text, of, name)
    }

    /// The value of a field that can be written without its name.
    pub(crate) fn field_or_first(&self, of: At, name: &str) -> Option<At> {
        let first = || self.syntax.get(of).items.first().filter(|it| it.key.is_none())?.value;
        self.field(of, name).or_else(first)
    }

    /// The byte at a position of the protocol.
    pub(crate) fn byte(&self, position: &Json) -> Option<usize> {
        self.lines.byte(&self.text, position)
    }
}

/// The parent of a value comes before it, so one pass finds all.
fn roles<'g>(manifest: &'g Manifest, syntax: &Syntax, text: &str) -> Vec<Role<'g>> {
    let mut roles = vec![Role::Unknown; syntax.all().count()];
    let set = |roles: &mut Vec<Role<'g>>, at: Option<At>, role: Role<'g>| {
        if let Some(it) = at.and_then(|it| roles.get_mut(it.index())) {
            *it = role;
        }
    };
    set(&mut roles, syntax.root(), Role::File);
    for (at, value) in syntax.all() {
        let role = roles[at.index()];
        let name = value.name.clone().and_then(|it| text.get(it)).unwrap_or_default();
        match (role, value.shape) {
            (Role::ListOf(items), Shape::List) => {
                for item in value.items.iter().filter_map(|it| it.value) {
                    let role = item_role(items, syntax.get(item).name.is_none());
                    set(&mut roles, Some(item), role);
                }
            }
            (Role::Node(Stands::Filling), Shape::List) => {
                for item in &value.items {
                    set(&mut roles, item.value, Role::Node(Stands::Any));
                }
            }
            (Role::MapOf(entries), Shape::Map) => {
                let (keys, values) = entry_roles(entries);
                for item in &value.items {
                    set(&mut roles, item.key.or(item.value), keys);
                    set(&mut roles, item.value.filter(|_| item.key.is_some()), values);
                }
            }
            (Role::Events, Shape::Text) => roles[at.index()] = Role::Names(Sort::Event),
            (Role::Events, Shape::List | Shape::Map) => {
                for item in &value.items {
                    set(&mut roles, item.key.or(item.value), Role::Names(Sort::Event));
                }
            }
            // Test files allow several in place of one.
            (Role::Expr | Role::NodeName | Role::Answer | Role::Words(_), Shape::List) => {
                for item in &value.items {
                    set(&mut roles, item.value, role);
                }
            }
            (Role::Node(Stands::Test), Shape::Text) => roles[at.index()] = Role::Expr,
            (Role::Number, Shape::Text) => roles[at.index()] = Role::Expr,
            (Role::Connected, Shape::Text) => roles[at.index()] = Role::Names(Sort::Key),
            (_, Shape::Call) if value.items.iter().any(|it| it.key.is_some()) => {
                let known = fields(manifest, role, name);
                for item in &value.items {
                    let Some(key) = item.key else { continue };
                    set(&mut roles, Some(key), Role::Field);
                    let field = known.iter().find(|it| it.name == syntax.word(text, key));
                    set(&mut roles, item.value, field.map_or(Role::Unknown, |it| it.role));
                }
            }
            (_, Shape::Call) => {
                for (item, field) in value.items.iter().zip(positional(manifest, role, name)) {
                    set(&mut roles, item.value, field.role);
                }
            }
            _ => {}
        }
    }
    roles
}
