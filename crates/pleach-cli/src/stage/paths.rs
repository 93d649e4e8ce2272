//! What nodes are called where a number would change with every node before them.

use std::collections::BTreeMap;

use pleach::tools::text::plain;
use pleach::{Host, NodeRef, Tree};

/// The names of all nodes of a tree, in pre-order: `flee` of a node whose name only it has,
/// `fight.strike` of one in an instance, else the way from the nearest such node above it, as in
/// `flee/Wait` or `flee/Check[2]`, the second of its name there. So a node that is added changes
/// the names of others only where these have none of their own.
pub(crate) fn paths<H: Host>(tree: &Tree<H>) -> Vec<String> {
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
