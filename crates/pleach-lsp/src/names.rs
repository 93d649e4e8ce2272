//! The names of a file: where each is, and which declaration it refers to.

use std::ops::Range;

use pleach::tools::{RESERVED, SCOPES, functions};

use crate::doc::{Doc, Form};
use crate::fields::{Role, Sort};
use crate::syntax::{At, Shape};

/// A name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) sort: Sort,
    pub(crate) span: Range<usize>,
    /// The value that it is, or is part of.
    pub(crate) at: At,
    pub(crate) is_declared: bool,
    /// The scope before its dot, for a key in an expression.
    pub(crate) scope: Option<&'static str>,
}

/// A key as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: At,
    /// Its type and default.
    pub(crate) value: Option<At>,
    pub(crate) scope: &'static str,
    /// What a reader calls it: `blackboard key`, `port`, ..
    pub(crate) what: &'static str,
}

/// A word of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExprWord {
    pub(crate) span: Range<usize>,
    pub(crate) kind: ExprKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExprKind {
    /// A key, or a word of one; with the scope before its dot.
    Name(Option<&'static str>),
    Scope,
    Function,
    /// `and`, `or`, `not`, `true`, `none`, `time`, `now`.
    Keyword,
    Number,
    Operator,
    /// `x` of a vector.
    Component,
}

/// The words of expressions that are not names, and those that mean a value if no key has the name.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    RESERVED.into_iter().chain(["none", "time", "now"])
}

/// The words of an expression that begins at `start` in its file.
pub(crate) fn expr_words(text: &str, start: usize) -> Vec<ExprWord> {
    let mut words: Vec<ExprWord> = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((from, first)) = rest.next() {
        let is_name = |it: char| it == '_' || it.is_alphanumeric();
        if first.is_whitespace() || first == '\\' {
            continue;
        }
        let mut end = from + first.len_utf8();
        let is_number = first.is_ascii_digit();
        if is_name(first) {
            while let Some((at, it)) = rest.next_if(|it| is_name(it.1) || (is_number && it.1 == '.')) {
                end = at + it.len_utf8();
            }
        }
        let word = &text[from..end];
        let before = words.last().map(|it| (it.kind, &text[it.span.start - start..it.span.end - start]));
        let behind_dot = before.is_some_and(|it| it.1 == ".");
        let next = text[end..].trim_start().chars().next();
        let kind = match first {
            _ if is_number => ExprKind::Number,
            _ if !is_name(first) => ExprKind::Operator,
            _ if behind_dot => {
                let scope = words.iter().rev().nth(1).filter(|it| it.kind == ExprKind::Scope);
                let scope = scope.map(|it| &text[it.span.start - start..it.span.end - start]);
                let scope = scope.and_then(|it| SCOPES.into_iter().find(|known| *known == it));
                scope.map_or(ExprKind::Component, |it| ExprKind::Name(Some(it)))
            }
            _ if next == Some('(') && functions().any(|it| it.name == word) => ExprKind::Function,
            _ if next == Some('.') && SCOPES.contains(&word) => ExprKind::Scope,
            _ if keywords().any(|it| it == word) => ExprKind::Keyword,
            _ => ExprKind::Name(None),
        };
        words.push(ExprWord { span: start + from..start + end, kind });
    }
    words
}

/// Every name of a file that is declared somewhere, in the order of the file.
pub(crate) fn names(doc: &Doc<'_>) -> Vec<Name> {
    let mut names = Vec::new();
    for (at, role) in doc.all() {
        let span = doc.syntax.word_span(&doc.text, at);
        let is_text = doc.syntax.get(at).shape == Shape::Text;
        match role {
            Role::Declares(sort) if is_text => {
                names.push(Name { sort, span, at, is_declared: true, scope: None });
            }
            Role::Names(sort) if is_text && sort != Sort::SlotWord => {
                names.push(Name { sort, span, at, is_declared: false, scope: None });
            }
            Role::Expr if is_text => {
                for word in expr_words(&doc.text[span.clone()], span.start) {
                    let ExprKind::Name(scope) = word.kind else { continue };
                    names.push(Name { sort: Sort::Key, span: word.span, at, is_declared: false, scope });
                }
            }
            _ => {}
        }
    }
    names
}

/// The name at a place.
pub(crate) fn name_at(doc: &Doc<'_>, byte: usize) -> Option<Name> {
    names(doc).into_iter().find(|it| it.span.start <= byte && byte <= it.span.end)
}

/// All keys visible at a value, the nearest first.
pub(crate) fn keys_at(doc: &Doc<'_>, at: At) -> Vec<Key> {
    let mut keys = Vec::new();
    for around in doc.syntax.chain(at) {
        match doc.role(around) {
            Role::Node(_) => {
                declared(doc, around, "blackboard", "node", "key of a node", &mut keys);
                declared(doc, around, "locals", "node", "local of a node", &mut keys);
            }
            Role::Template => {
                declared(doc, around, "locals", "node", "local of a template", &mut keys);
                declared(doc, around, "ports", "agent", "port of a template", &mut keys);
            }
            Role::File => file_keys(doc, &mut keys),
            _ => {}
        }
    }
    keys
}

/// All keys of the file itself.
pub(crate) fn file_keys(doc: &Doc<'_>, keys: &mut Vec<Key>) {
    let Some(root) = doc.syntax.root().filter(|_| doc.form() == Form::Tree) else { return };
    declared(doc, root, "locals", "node", "local", keys);
    declared(doc, root, "ports", "agent", "port", keys);
    declared(doc, root, "blackboard", "agent", "key of the agent", keys);
    declared(doc, root, "group", "group", "key of the group", keys);
    declared(doc, root, "global", "global", "key of all agents", keys);
}

fn declared(doc: &Doc<'_>, of: At, field: &str, scope: &'static str, what: &'static str, keys: &mut Vec<Key>) {
    let Some(map) = doc.field(of, field) else { return };
    for item in &doc.syntax.get(map).items {
        let Some(name) = item.key.or(item.value).filter(|it| doc.syntax.get(*it).shape == Shape::Text) else {
            continue;
        };
        keys.push(Key { name, value: item.value.filter(|_| item.key.is_some()), scope, what });
    }
}

/// The key of that name that is visible at a value.
pub(crate) fn key_at(doc: &Doc<'_>, at: At, name: &str, scope: Option<&str>) -> Option<Key> {
    let fits = |it: &Key| doc.word(it.name) == name && scope.is_none_or(|scope| it.scope == scope);
    keys_at(doc, at).into_iter().find(fits)
}

/// The entries of a map of the file: its events, its templates, ..
pub(crate) fn entries(doc: &Doc<'_>, of: At, field: &str) -> Vec<(At, Option<At>)> {
    let Some(map) = doc.field(of, field) else { return Vec::new() };
    let items = doc.syntax.get(map).items.iter();
    items.filter_map(|it| Some((it.key.or(it.value)?, it.value.filter(|_| it.key.is_some())))).collect()
}

/// The words of such a symbol declaration: `Symbol("a", ["a", "b"])`, `In(Symbol(["a"]))`.
pub(crate) fn symbol_words(doc: &Doc<'_>, declared: At) -> Vec<At> {
    let mut found = Vec::new();
    let mut waiting = vec![declared];
    while let Some(at) = waiting.pop() {
        let value = doc.syntax.get(at);
        let values = || value.items.iter().filter_map(|it| it.value);
        match value.shape {
            Shape::Call => waiting.extend(values()),
            Shape::List => found.extend(values()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_words() {
        let text = "min(a, group.b) < 1.5 and mode == idle or v.x > é_1";
        let told: Vec<(&str, ExprKind)> =
            expr_words(text, 10).into_iter().map(|it| (&text[it.span.start - 10..it.span.end - 10], it.kind)).collect();
        let of = |kind: fn(&ExprKind) -> bool| -> Vec<&str> {
            told.iter().filter(|it| kind(&it.1)).map(|it| it.0).collect()
        };
        assert_eq!(of(|it| matches!(it, ExprKind::Name(None))), ["a", "mode", "idle", "v", "é_1"]);
        assert_eq!(of(|it| *it == ExprKind::Name(Some("group"))), ["b"]);
        assert_eq!(of(|it| *it == ExprKind::Function), ["min"]);
        assert_eq!(of(|it| *it == ExprKind::Keyword), ["and", "or"]);
        assert_eq!(of(|it| *it == ExprKind::Number), ["1.5"]);
        assert_eq!(of(|it| *it == ExprKind::Component), ["x"]);
    }
}
