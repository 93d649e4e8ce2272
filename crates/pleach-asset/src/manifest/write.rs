//! From a manifest to RON, always in the same form.

use std::fmt::Write;

use pleach_core::schema::{Access, KeyNeed, NeededWords, Scope};

use super::{MANIFEST_VERSION, Manifest};
use crate::info::{LeafInfo, LeafKind, ParameterInfo, Presence, ValueType};
use crate::written::quote;

pub(super) fn manifest(it: &Manifest) -> String {
    let Manifest { any_event, events, leaves, keys } = it;
    let mut out = format!("Manifest(\n    version: {MANIFEST_VERSION},\n    any_event: {any_event},\n    events: [");
    for (name, payload) in events {
        let payload = payload.map_or("None".into(), |it| format!("Some({it})"));
        let _ = write!(out, "\n        (name: {}, payload: {payload}),", quote(name));
    }
    out.push_str(if events.is_empty() { "],\n    leaves: [" } else { "\n    ],\n    leaves: [" });
    for it in leaves {
        leaf(&mut out, it);
    }
    out.push_str(if leaves.is_empty() { "],\n" } else { "\n    ],\n" });
    if !keys.is_empty() {
        out.push_str("    keys: [");
        keys.iter().for_each(|(tree, it)| key(&mut out, tree.as_deref(), it));
        out.push_str("\n    ],\n");
    }
    out.push_str(")\n");
    out
}

fn key(out: &mut String, tree: Option<&str>, it: &KeyNeed) {
    let scope = match it.scope {
        Scope::Node => "Node",
        Scope::Agent => "Agent",
        Scope::Group => "Group",
        Scope::Global => "Global",
    };
    let words = match &it.words {
        NeededWords::Any => String::new(),
        NeededWords::AtLeast(all) | NeededWords::Exactly(all) => quoted(all),
    };
    let tree = tree.map_or("None".into(), |it| format!("Some({})", quote(it)));
    let (name, doc) = (quote(&it.name), quote(&it.doc));
    let (ty, optional, access) = (it.ty, it.optional, access(it.access));
    let _ = write!(
        out,
        "\n        (tree: {tree}, name: {name}, scope: {scope}, type: {ty}, words: [{words}], optional: {optional}, \
         access: {access}, doc: {doc}),"
    );
}

fn access(it: Option<Access>) -> &'static str {
    match it {
        None => "None",
        Some(Access::Read) => "Some(Read)",
        Some(Access::Write) => "Some(Write)",
        Some(Access::ReadWrite) => "Some(ReadWrite)",
    }
}

fn leaf(out: &mut String, it: &LeafInfo) {
    let LeafInfo { name, kind, doc, parameters } = it;
    let kind = match kind {
        LeafKind::Action => "Action",
        LeafKind::Condition => "Condition",
        LeafKind::Unknown => "Unknown",
    };
    let (name, doc) = (quote(name), quote(doc));
    let _ = write!(out, "\n        (\n            name: {name},\n            kind: {kind},\n            doc: {doc},");
    out.push_str("\n            parameters: ");
    match parameters {
        None => out.push_str("Unknown,"),
        Some(it) if it.is_empty() => out.push_str("Known([]),"),
        Some(all) => {
            out.push_str("Known([");
            all.iter().for_each(|it| parameter(out, it));
            out.push_str("\n            ]),");
        }
    }
    out.push_str("\n        ),");
}

fn parameter(out: &mut String, it: &ParameterInfo) {
    let ParameterInfo { name, ty, presence, access, doc } = it;
    let presence = match presence {
        Presence::Required => "Required".into(),
        Presence::Optional => "Optional".into(),
        Presence::Default(it) => format!("Default({})", quote(it)),
        Presence::Unknown => "Unknown".into(),
    };
    let access = self::access(*access);
    let (name, ty, doc) = (quote(name), value_type(ty), quote(doc));
    let _ = write!(
        out,
        "\n                (name: {name}, type: {ty}, presence: {presence}, access: {access}, doc: {doc}),"
    );
}

fn value_type(it: &ValueType) -> String {
    match it {
        ValueType::Unknown => "Unknown".into(),
        ValueType::Bool => "Bool".into(),
        ValueType::Int => "Int".into(),
        ValueType::Float => "Float".into(),
        ValueType::Char => "Char".into(),
        ValueType::Text => "Text".into(),
        ValueType::Word => "Word".into(),
        ValueType::OneOf(words) => format!("OneOf([{}])", quoted(words)),
        ValueType::Variant(names) => format!("Variant([{}])", quoted(names)),
        ValueType::Event => "Event".into(),
        ValueType::Key(ty) => format!("Key({ty})"),
        ValueType::FloatExpr => "FloatExpr".into(),
        ValueType::Option(it) => format!("Option({})", value_type(it)),
        ValueType::List(it) => format!("List({})", value_type(it)),
        ValueType::Array(it, count) => format!("Array({}, {count})", value_type(it)),
    }
}

fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|it| quote(it)).collect();
    words.join(", ")
}
