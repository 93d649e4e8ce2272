//! Values that are not what was meant: in expressions, and of keys that a `Switch` looks at.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use pleach_core::{Host, NodeId, NodeRef, Tree, Value, expr::KeyIndex, kinds::NodeKind, nodes::Case};

use super::copies::Warning;
use super::flow::Flow;
use super::uses::Uses;
use super::{Written, warning};
use crate::asset::Param;
use crate::build::place::inside;
use crate::code::Code;
use crate::finding::Finding;

/// How many missing cases are named.
const SHOWN: usize = 8;

pub(super) fn lint<H: Host>(written: &Written<'_, H>, flow: &Flow, uses: &Uses<'_>, warnings: &mut Vec<Warning>) {
    let values = written_values(written.tree, uses);
    for node in written.tree.nodes().filter(|it| flow.is_reachable(*it)) {
        let found = doubts(written, node).into_iter().chain(no_case(written, &values, node));
        warnings.extend(found.map(|finding| Warning { node: node.id(), finding }));
    }
}

/// What the core doubts in the expressions of a node.
fn doubts<H: Host>(written: &Written<'_, H>, node: NodeRef<'_, H>) -> Vec<Finding> {
    let file = written.file(node);
    let source = written.files.get(file).map_or("", |it| &it.asset.source);
    let mut found = Vec::new();
    for it in written.expressions(node) {
        for doubt in node.doubts(it.text, it.expected) {
            let at = inside(source, it.span, Some((doubt.span.start, doubt.span.end)));
            found.push(warning(Code::Doubt, (file, at), doubt.message).help(doubt.help));
        }
    }
    found
}

/// A switch over a key without a child for a value that the tree itself writes, or for a word that
/// the key declares.
fn no_case<H: Host>(
    written: &Written<'_, H>,
    values: &HashMap<KeyIndex, IndexMap<String, NodeId>>,
    node: NodeRef<'_, H>,
) -> Option<Finding> {
    let it = written.built_in(node).filter(|_| node.node_kind() == NodeKind::Switch)?;
    let Some(Param::Text(on)) = written.value(node, "on") else { return None };
    let key = node.key(on.trim())?;
    let has_default = it.rest().default && it.children().last().is_some_and(|it| !it.disabled);
    if has_default || is_tried_first(node) {
        return None;
    }
    let cases: HashSet<String> = it.enabled_cases().map(|it| shown_case(&it.value)).collect();
    let written_to = values.get(&key);
    let mut missing: IndexMap<&str, Option<NodeId>> =
        written_to.into_iter().flatten().map(|it| (&**it.0, Some(*it.1))).collect();
    for word in written.tree.schema().decl(key).words() {
        missing.entry(word).or_insert(None);
    }
    missing.retain(|it, _| !cases.contains(*it));
    let (value, by) = missing.first()?;
    let mut all: Vec<String> = missing.keys().take(SHOWN).map(|it| format!("`{it}`")).collect();
    if missing.len() > SHOWN {
        all.push(format!("{} more", missing.len() - SHOWN));
    }
    let all = all.join(", ");
    let message = format!("this `Switch` fails when `{}` is {all}: it has no case for that, and no default", on.trim());
    let finding =
        warning(Code::NoCase, written.at(node)?, message).help("add the case, or a `default`, which can be `Fail`");
    let writer = by.and_then(|it| written.tree.node(it)).and_then(|it| written.at(it));
    // Of one that is only declared, the word among those of its key.
    let word = || {
        let file = written.file(node);
        let keys = &written.files.get(file)?.tree.as_ref()?.keys;
        let words = &keys.iter().find(|it| it.name.text == on.trim())?.words;
        let at = written.tree.schema().decl(key).words().position(|it| it == *value)?;
        words.get(at).map(|it| (file, *it))
    };
    Some(match (writer, by) {
        (Some(at), _) => finding.also_at(at, format!("writes {value}")),
        (None, None) => match word() {
            Some(at) => finding.also_at(at, "declared here"),
            None => finding,
        },
        (None, Some(_)) => finding,
    })
}

/// The values that the tree writes to each key that a `Switch` can look at, each with the first
/// node that writes it.
fn written_values<H: Host>(tree: &Tree<H>, uses: &Uses<'_>) -> HashMap<KeyIndex, IndexMap<String, NodeId>> {
    let mut values = HashMap::<_, IndexMap<_, _>>::new();
    for set in &uses.sets {
        let Some(value @ (Value::Bool(_) | Value::Int(_) | Value::Symbol(_))) = set.value else { continue };
        let value = tree.schema().describe(value);
        values.entry(set.key).or_default().entry(value).or_insert(set.node);
    }
    values
}

/// Whether something else is tried when it fails: then that is the default.
fn is_tried_first<H: Host>(node: NodeRef<'_, H>) -> bool {
    let mut child = node;
    while let Some(parent) = child.parent() {
        match parent.node_kind() {
            NodeKind::Selector | NodeKind::ReactiveSelector => {
                return parent.children().last().is_some_and(|it| it.id() != child.id());
            }
            NodeKind::ForceSuccess | NodeKind::RandomSelector | NodeKind::UtilitySelector => return true,
            NodeKind::RandomChoice
            | NodeKind::Guard
            | NodeKind::Timeout
            | NodeKind::Cooldown
            | NodeKind::Limit
            | NodeKind::Delay
            | NodeKind::Finally => {}
            _ => return false,
        }
        child = parent;
    }
    false
}

fn shown_case(case: &Case) -> String {
    match case {
        Case::Bool(it) => it.to_string(),
        Case::Int(it) => it.to_string(),
        Case::Word(it) => it.clone(),
    }
}
