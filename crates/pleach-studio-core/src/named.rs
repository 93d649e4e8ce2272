//! What nodes are called, and which nodes and expressions a text means.

use std::collections::BTreeMap;

use pleach::error::FindError;
use pleach::expr::Expr;
use pleach::tools::kinds::NodeKind;
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::{Host, NodeId, NodeRef, Tree, Type};

/// The names of all nodes of a tree, in pre-order: `flee` of a node whose name only it has,
/// `fight.strike` of one in an instance, else the way from the nearest such node above it, as in
/// `flee/Wait` or `flee/Check[2]`, the second of its name there. So a node that is added changes
/// the names of others only where these have none of their own.
#[must_use]
pub fn paths<H: Host>(tree: &Tree<H>) -> Vec<String> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    tree.nodes().filter_map(own_name).for_each(|it| *uses.entry(it).or_default() += 1);
    let mut paths: Vec<String> = Vec::with_capacity(tree.len());
    for node in tree.nodes() {
        let name = own_name(node).filter(|it| uses.get(it) == Some(&1));
        let path = name.unwrap_or_else(|| match node.parent() {
            None => plain(node.label()).into_owned(),
            Some(parent) => format!("{}/{}", paths[parent.id().index()], step(parent, node)),
        });
        paths.push(path);
    }
    paths
}

/// Its name behind that of its instance.
fn own_name<H: Host>(node: NodeRef<'_, H>) -> Option<String> {
    let name = plain(node.name()?).into_owned();
    Some(match node.instance() {
        // The first node of an instance is often called like it.
        Some(it) if it.root().id() == node.id() && it.name() == name => it.full_name().to_owned(),
        Some(it) => format!("{}.{name}", it.full_name()),
        None => name,
    })
}

/// The label of a child, and which of its siblings of this label it is, unless it is the first.
fn step<H: Host>(parent: NodeRef<'_, H>, node: NodeRef<'_, H>) -> String {
    let label = plain(node.label());
    let before = parent.children().take_while(|it| it.id() != node.id()).filter(|it| it.label() == node.label());
    match before.count() {
        0 => label.into_owned(),
        before => format!("{label}[{}]", before + 1),
    }
}

/// The leaf of the game that a node calls by itself.
#[must_use]
pub fn called<H: Host>(node: NodeRef<'_, H>) -> Option<&str> {
    match node.node_kind() {
        NodeKind::Action | NodeKind::Condition => Some(node.kind()),
        NodeKind::Guard if node.calls_leaf() => node.detail().split('(').next(),
        _ => None,
    }
}

/// The nodes that a name means: as [`paths`] has it, or as all tools take it; the name of a leaf
/// means all nodes that call it.
///
/// # Errors
/// There is no such node, or there are several.
pub fn nodes<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Result<Vec<NodeId>, String> {
    if let Some(node) = by_path(tree, paths, name) {
        return Ok(vec![node]);
    }
    let of_leaf = || -> Vec<NodeId> { tree.nodes().filter(|it| called(*it) == Some(name)).map(|it| it.id()).collect() };
    match tree.find_printed(name) {
        Ok(node) => Ok(vec![node.id()]),
        Err(FindError::Several { .. }) if !of_leaf().is_empty() && tree.find(name).next().is_none() => Ok(of_leaf()),
        Err(FindError::Several { nodes: [one, other], name, .. }) => {
            let [one, other] = [one, other].map(|it| plain(&paths[it.index()]).into_owned());
            Err(format!("several nodes are called `{}`: write `{one}` or `{other}`", plain(&name)))
        }
        Err(error) => {
            let kinds = tree.nodes().map(|it| it.kind());
            let known = paths.iter().map(String::as_str).chain(kinds);
            Err(match nearest(name, known) {
                Some(near) => format!("the tree has no node `{}`: did you mean `{}`?", plain(name), plain(near)),
                None => not_found(&error),
            })
        }
    }
}

/// The node of a path; the node that it begins with may have any name that means it.
#[must_use]
pub fn by_path<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Option<NodeId> {
    let at = |path: &str| tree.nodes().nth(paths.iter().position(|it| it == path)?).map(NodeRef::id);
    at(name).or_else(|| {
        name.match_indices('/').find_map(|(slash, _)| {
            let first = tree.find_printed(&name[..slash]).ok()?;
            at(&format!("{}{}", paths[first.id().index()], &name[slash..]))
        })
    })
}

/// Why a text means no node, and what to write.
#[must_use]
pub fn not_found(error: &FindError) -> String {
    match error {
        FindError::Several { name, nodes, apart, .. } => {
            let numbers = || nodes.map(|it| it.to_string());
            let [one, other] = apart.clone().unwrap_or_else(numbers);
            format!("several nodes are called `{}`: write `{}` or `{}`", plain(name), plain(&one), plain(&other))
        }
        _ => error.to_string(),
    }
}

/// An expression over the keys that the root sees.
///
/// # Errors
/// It is wrong, or no Bool.
pub fn test<H: Host>(tree: &Tree<H>, text: &str) -> Result<Expr, String> {
    tree.root().expr(text, Some(Type::Bool)).map_err(|it| {
        let all: Vec<String> = it.iter().map(ToString::to_string).collect();
        format!("in `{}`: {}", plain(text), all.join("; "))
    })
}
