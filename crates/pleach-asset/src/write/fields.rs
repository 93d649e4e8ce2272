//! The written fields of one node, without its children.

use pleach_core::kinds::NodeKind;

use super::{Out, abort_name, beside, case, default, is_of_children, param, with};
use crate::asset::{AssetNode, Body, Interrupt, Sort, Subtree};
use crate::syntax::Args;
use crate::written::{push_value, quote};

/// Fields with their values.
pub(crate) type Fields = Vec<(String, String)>;

/// All fields of a node that are written, except its children and the values beside them.
pub(crate) fn fields(node: &AssetNode<'_>) -> Fields {
    let rest = node.rest();
    let mut all = Fields::new();
    for (field, word) in [("name", &node.name), ("id", &rest.id), ("note", &rest.note)] {
        all.extend(word.map(|it| (field.into(), quote(it.text))));
    }
    match &node.body {
        Body::BuiltIn(own) => {
            let own = own.fields.iter().filter(|it| !is_of_children(it));
            all.extend(own.map(|it| (it.field.name.into(), param(&it.value))));
        }
        Body::Leaf(call) => match call.args() {
            Args::None => {}
            Args::Tuple(values) => all.extend((1..).zip(values).map(|(at, it)| (format!("parameter {at}"), value(it)))),
            Args::Named(fields) => all.extend(fields.map(|(name, it)| (name.text.into(), value(it)))),
        },
        Body::Include(_) => all.extend(of_include(node)),
    }
    all.extend(node.abort.map(|it| ("abort".into(), abort_name(it.0).into())));
    for (field, local) in [("blackboard", false), ("locals", true)] {
        let keys = rest.keys.iter().filter(|it| it.local == local);
        let keys: Vec<_> = keys.map(|it| format!("{}: {}", quote(it.name.text), default(&it.default))).collect();
        all.extend((!keys.is_empty()).then(|| (field.into(), format!("{{ {} }}", keys.join(", ")))));
    }
    for (at, service) in rest.services.iter().enumerate() {
        let jitter = service.jitter.as_ref().map(|it| format!(", jitter: {}", param(&it.value))).unwrap_or_default();
        let mut out = Out { text: String::new(), depth: 0 };
        out.node(service.run.whole());
        let text = format!("(every: {}{jitter}, run: {})", param(&service.every.value), out.text);
        all.push((format!("service {}", at + 1), text));
    }
    all
}

/// The values beside a child, by its index among the enabled ones.
pub(crate) fn of_child(parent: Subtree<'_>, place: usize) -> Option<(String, String)> {
    let own = parent.node().built_in()?;
    if own.kind == NodeKind::Switch {
        let value = parent.enabled_cases().nth(place).map_or_else(|| "default".into(), |it| case(&it.value));
        return Some(("case".into(), value));
    }
    let values: Vec<_> = beside(&own.fields).take(parent.children().count()).collect();
    let text = parent.enabled(&values).nth(place)?.as_ref()?;
    let (field, value) = text.split_once(": ")?;
    Some((field.into(), value.into()))
}

/// The fields about the file or template that replaces the node.
fn of_include(node: &AssetNode<'_>) -> Fields {
    let Some(it) = node.include() else { return Fields::new() };
    let asset = match it.sort {
        Sort::Use => "template",
        Sort::Subtree | Sort::Slot => "asset",
        Sort::Hole(_) => "hole",
    };
    let mut all: Fields = it.asset.iter().map(|it| (asset.into(), quote(it.text))).collect();
    if it.sort == Sort::Slot {
        let trees: Vec<String> = it.trees.iter().map(|it| quote(it.text)).collect();
        all.push(("trees".into(), format!("[{}]", trees.join(", "))));
    }
    all.extend(it.initial.map(|it| ("initial".into(), quote(it.text))));
    let given = |text: String| text.split_once(": ").map(|it| it.1.to_owned()).unwrap_or_default();
    all.extend(it.with.iter().map(|it| (format!("with {}", it.port.text), given(with(it)))));
    all
}

/// The same with its note, which belongs to the instance.
pub(crate) fn of_instance(node: &AssetNode<'_>) -> Fields {
    let mut all = of_include(node);
    let is_slot = node.include().is_some_and(|it| it.sort == Sort::Slot);
    all.extend(node.rest().note.filter(|_| !is_slot).map(|it| ("note".into(), quote(it.text))));
    all
}

/// When an interrupt takes over.
pub(crate) fn when(it: &Interrupt<'_>) -> (String, String) {
    ("when".into(), param(&it.when.value))
}

fn value(it: crate::syntax::Value<'_>) -> String {
    let mut text = String::new();
    push_value(&mut text, it);
    text
}
