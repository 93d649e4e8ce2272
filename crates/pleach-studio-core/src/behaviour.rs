//! What an agent does, in one word.

use pleach::tools::text::plain;
use pleach::{Host, NodeRef};

/// The behaviour to which a node that runs belongs: the nearest named node at or above it, the root
/// aside. Without a named node it is the node itself. Costs the depth of the node.
#[must_use]
pub fn behaviour<H: Host>(node: NodeRef<'_, H>) -> String {
    let above = std::iter::successors(Some(node), |it| it.parent());
    let named = above.filter(|it| it.parent().is_some()).find_map(NodeRef::name);
    let text = match (named, node.detail()) {
        (Some(name), _) => name.to_string(),
        (None, "") => node.kind().to_string(),
        (None, detail) => format!("{} {detail}", node.kind()),
    };
    plain(&text).into()
}
