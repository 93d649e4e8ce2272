//! Values as people type them and as files have them.

use std::fmt::Write as _;

use pleach::asset::{Manifest, ValueType};
use pleach::tools::kinds::NodeKind;
use pleach::tools::ron::{TokenKind, tokens};

use crate::fields::{Field, Need, Role, Sort, Stands, fields};
use crate::syntax::Shape;

/// A value as a file has it: strings get their quotes. Where a number is expected, other text is an
/// expression.
pub(super) fn spelled(manifest: &Manifest, role: Role<'_>, typed: &str) -> String {
    let typed = typed.trim();
    let is_quoted = typed.starts_with('"') || typed.starts_with("r\"") || typed.starts_with("r#");
    let is_bare = is_quoted
        || match role {
            Role::Number => is_number(typed),
            // A condition of the game, or an expression.
            Role::Node(Stands::Test) => {
                let name = typed.split(|it: char| it != '_' && !it.is_alphanumeric()).next().unwrap_or_default();
                manifest.leaf(name).is_some()
            }
            Role::Parameter(ty) => !is_text(ty) || typed.starts_with('['),
            role => !is_string(role),
        };
    if is_bare { typed.to_owned() } else { quoted(typed) }
}

/// A value of a file as it is typed: without quotes, where they are added again.
pub(super) fn typed(role: Role<'_>, shape: Shape, written: &str, inner: &str) -> String {
    let adds = match role {
        Role::Expr => true,
        Role::Parameter(ty) => is_text(ty),
        role => is_string(role),
    };
    // A text that needs an escape keeps its quotes; so does a number that is a string.
    let is_plain = shape == Shape::Text && adds && quoted(inner) == written && !is_number(inner);
    if is_plain { inner.to_owned() } else { written.to_owned() }
}

fn is_string(role: Role<'_>) -> bool {
    matches!(role, Role::Expr | Role::Text | Role::Names(_) | Role::Declares(_) | Role::CaseValue)
}

fn is_text(ty: &ValueType) -> bool {
    match ty {
        ValueType::Text | ValueType::Word | ValueType::OneOf(_) | ValueType::Event | ValueType::Key(_) => true,
        ValueType::Option(it) => is_text(it),
        _ => false,
    }
}

fn is_number(typed: &str) -> bool {
    let mut all = tokens(typed);
    matches!((all.next(), all.next()), (Some((TokenKind::Number, _)), None))
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for it in text.chars() {
        match it {
            '"' | '\\' => out.extend(['\\', it]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            it if it.is_control() => write!(out, "\\u{{{:x}}}", u32::from(it)).unwrap_or_default(),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

/// A value for a required field. `key` is a key that can be named there.
pub(super) fn placeholder(field: &Field<'_>, key: Option<&str>) -> String {
    match field.role {
        Role::Words(words) => words.first().copied().unwrap_or("true").to_owned(),
        Role::Text => quoted(field.name),
        Role::Expr | Role::Node(Stands::Test) => "\"true\"".to_owned(),
        Role::Number if field.name == "count" => "2".to_owned(),
        Role::Number => "1.0".to_owned(),
        Role::Parameter(ty) => of_type(ty),
        Role::Names(Sort::Key) => quoted(key.unwrap_or("key")),
        Role::Names(_) | Role::Declares(_) => quoted(field.name),
        Role::Node(_) => "Idle".to_owned(),
        Role::ListOf(_) => "[]".to_owned(),
        Role::MapOf(_) => "{}".to_owned(),
        _ => "1".to_owned(),
    }
}

fn of_type(ty: &ValueType) -> String {
    match ty {
        ValueType::Bool => "false".to_owned(),
        ValueType::Float => "0.0".to_owned(),
        ValueType::Char => "'a'".to_owned(),
        ValueType::Text | ValueType::Word | ValueType::Event | ValueType::Key(_) => "\"\"".to_owned(),
        ValueType::OneOf(words) => quoted(words.first().map_or("", |it| it)),
        ValueType::Variant(names) => names.first().map_or("", |it| it).to_owned(),
        ValueType::FloatExpr => "0.0".to_owned(),
        ValueType::Option(_) => "None".to_owned(),
        ValueType::List(_) => "[]".to_owned(),
        ValueType::Array(it, count) => format!("({})", vec![of_type(it); *count].join(", ")),
        _ => "0".to_owned(),
    }
}

/// A new node of a kind with its required fields, except children. `key` is a key that can be named
/// there.
pub(crate) fn made(manifest: &Manifest, kind: &str, key: Option<&str>) -> String {
    let all = fields(manifest, Role::Node(Stands::Any), kind);
    let is_child = |it: &Field<'_>| it.name == "child" && matches!(it.role, Role::Node(_));
    let is_repeat = NodeKind::from_name(kind) == Some(NodeKind::Repeat);
    let needed =
        all.iter().filter(|it| !is_child(it) && (it.need == Need::Required || (is_repeat && it.name == "count")));
    let fields: Vec<String> = needed.map(|it| format!("{}: {}", it.name, placeholder(it, key))).collect();
    if fields.is_empty() { kind.to_owned() } else { format!("{kind}({})", fields.join(", ")) }
}
