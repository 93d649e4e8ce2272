//! The leaves for which a script or a test answers, and whether these include all unknown ones.

use std::collections::{BTreeMap, BTreeSet};

use pleach::error::FindError;
use pleach::tools::text::plain;
use pleach::{Host, NodeRef, Tree};
use pleach_studio_core::named::{self, called, paths};

use super::answers::Whom;
use super::values::listed;
use crate::words::not_found;

/// The word before the name of a leaf if a node has the same name.
const EVERY: &str = "every ";

/// The leaves of a tree, each with how often it is called: by nodes, or by services.
pub(crate) type Leaves = BTreeMap<String, usize>;

/// Who is meant by a name: a leaf, or a node that calls one.
///
/// # Errors
/// The name means nothing, or more than one.
pub(crate) fn whom<H: Host>(tree: &Tree<H>, leaves: &Leaves, name: &str) -> Result<Whom, String> {
    if let Some(leaf) = name.strip_prefix(EVERY).map(str::trim_start).filter(|it| leaves.contains_key(*it)) {
        return Ok(Whom::Leaf(leaf.to_owned()));
    }
    let leaf = leaves.get(name);
    // Not only of the kind that the name says.
    let is_named = |it: NodeRef<'_, H>| it.kind() != name || [it.name(), it.id_text()].contains(&Some(name));
    match tree.find_printed(name) {
        Ok(node) => match (called(node), leaf) {
            (None, Some(_)) => Ok(Whom::Leaf(name.to_owned())),
            // Only this node calls the leaf: both mean the same.
            (Some(own), Some(1)) if own == name => Ok(Whom::Leaf(name.to_owned())),
            (Some(_), Some(_)) if !is_named(node) => Ok(Whom::Leaf(name.to_owned())),
            (Some(_), Some(_)) => Err(format!(
                "`{}` names a leaf and the node {}: write `{EVERY}{name}` for the leaf, or `{}` for the node",
                plain(name),
                node.id(),
                node.id()
            )),
            (Some(own), None) => Ok(Whom::Node(node.id(), own.to_owned())),
            (None, None) => Err(format!("{node} is not a leaf of the game: {}", there(tree, leaves, name))),
        },
        // Other nodes of this name are not leaves.
        Err(error @ FindError::Several { nodes: [one, other], .. }) => match leaf {
            Some(_) if !tree.node(one).is_some_and(is_named) => Ok(Whom::Leaf(name.to_owned())),
            Some(_) => Err(format!(
                "`{}` names a leaf and several nodes, {one} and {other} among them: write `{EVERY}{name}` for the leaf, \
                 or `{one}` for a node",
                plain(name)
            )),
            None => Err(named::node(tree, &paths(tree), name).err().unwrap_or_else(|| not_found(&error))),
        },
        Err(FindError::NoSuchNumber { number, last, .. }) if leaf.is_none() => {
            Err(format!("the tree has no node {}: its nodes are n0 to {last}", plain(&number)))
        }
        Err(_) if leaf.is_some() => Ok(Whom::Leaf(name.to_owned())),
        Err(_) => {
            let found = named::find(tree, &paths(tree), name)?;
            if let Some(node) = found.and_then(|it| tree.node(it)) {
                let none = || format!("{node} is not a leaf of the game: {}", there(tree, leaves, name));
                return called(node).map(|it| Whom::Node(node.id(), it.to_owned())).ok_or_else(none);
            }
            Err(format!("the tree has neither a leaf nor a node `{}`: {}", plain(name), there(tree, leaves, name)))
        }
    }
}

/// The leaves and the named nodes that call them, each by an unambiguous name.
fn there<H: Host>(tree: &Tree<H>, leaves: &Leaves, name: &str) -> String {
    let leaves: Vec<&str> = leaves.keys().map(String::as_str).collect();
    let nodes = tree.nodes().filter(|it| called(*it).is_some()).filter_map(|it| Some((it, it.name()?)));
    let nodes: Vec<String> = nodes
        .map(|(node, name)| match tree.find_one(name) {
            Ok(_) => name.to_owned(),
            Err(_) => {
                let full = node.instance().map(|it| format!("{}.{name}", it.full_name()));
                full.filter(|it| tree.find_one(it).is_ok()).unwrap_or_else(|| node.id().to_string())
            }
        })
        .collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let known = || leaves.iter().chain(&nodes).copied();
    if let Some(it) = pleach::tools::names::nearest(name, known()) {
        return format!("did you mean `{}`?", plain(it));
    }
    match (&leaves[..], &nodes[..]) {
        ([], _) => "the tree has no leaf of the game".to_owned(),
        (leaves, []) => format!("the leaves are {}", listed(leaves)),
        (leaves, nodes) => {
            format!("the leaves are {}; named nodes that call one are {}", listed(leaves), listed(nodes))
        }
    }
}

/// The leaves that are neither known nor answered for: by their names, or node by node.
pub(crate) fn unanswered<'l, H: Host>(
    tree: &Tree<H>,
    leaves: &'l Leaves,
    is_known: impl Fn(&str) -> bool,
    answers: &[Whom],
) -> Vec<&'l str> {
    let by_name: BTreeSet<&str> = answers.iter().filter(|it| matches!(it, Whom::Leaf(_))).map(Whom::leaf).collect();
    let by_node = |leaf: &str| {
        let is_answered = |it: &NodeRef<'_, H>| {
            called(*it) == Some(leaf) && answers.iter().any(|whom| matches!(whom, Whom::Node(id, _) if *id == it.id()))
        };
        tree.nodes().filter(is_answered).count()
    };
    let missing = leaves
        .iter()
        .filter(|(leaf, count)| !is_known(leaf) && !by_name.contains(leaf.as_str()) && by_node(leaf) < **count);
    missing.map(|it| it.0.as_str()).collect()
}
