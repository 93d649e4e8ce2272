//! The built-in nodes as assets write them: which names exist, and which fields need no names.

use pleach_core::kinds::{Arity, FieldShape, NodeField, NodeKind};

/// The built-in with that name. Leaves of the host have other names.
pub(crate) fn built_in(name: &str) -> Option<NodeKind> {
    NodeKind::from_name(name).filter(|it| it.is_built_in())
}

/// The names of all built-ins, and of includes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NodeKind::ALL
        .into_iter()
        .filter(|it| it.is_built_in())
        .map(NodeKind::name)
        .chain(["Subtree", "Use", "Slot", "Node", "Nodes"])
}

/// The fields that can be written without their names, in this order: the first of a decorator or
/// all of a leaf, and what stands below it.
pub(crate) fn positional(kind: NodeKind) -> impl Iterator<Item = &'static str> {
    let own = match kind.arity() {
        // Up to its last child.
        Arity::Composite => {
            let is_child = |it: &NodeField| matches!(it.shape, FieldShape::Node | FieldShape::Cases);
            kind.fields().iter().rposition(is_child).map_or(0, |it| it + 1)
        }
        // An optional one would take the place of the child; that of a Repeat cannot.
        Arity::Decorator => {
            usize::from(kind == NodeKind::Repeat || kind.fields().first().is_some_and(NodeField::is_required))
        }
        Arity::Leaf => kind.fields().len(),
    };
    kind.fields().iter().take(own).chain(kind.child_fields()).map(|it| it.name)
}

/// Whether every node has a field of that name.
pub(crate) fn is_common(field: &str) -> bool {
    NodeKind::COMMON_FIELDS.iter().any(|it| it.name == field)
}

/// Names with another meaning in an asset, which leaves cannot have.
pub(crate) const RESERVED: [&str; 12] =
    ["Tree", "Subtree", "Use", "Slot", "Node", "Nodes", "true", "false", "Some", "None", "inf", "NaN"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_leaves_are_no_built_ins() {
        assert_eq!(built_in("Action"), None);
        assert_eq!(built_in("Condition"), None);
        assert_eq!(names().count(), NodeKind::ALL.len() - 2 + 5);
    }

    fn positional(kind: NodeKind) -> Vec<&'static str> {
        super::positional(kind).collect()
    }

    #[test]
    fn what_can_be_written_without_names() {
        assert_eq!(positional(NodeKind::Sequence), ["children"]);
        assert_eq!(positional(NodeKind::Parallel), ["children"]);
        assert_eq!(positional(NodeKind::Switch), ["on", "cases", "default"]);
        assert_eq!(positional(NodeKind::Inverter), ["child"]);
        assert_eq!(positional(NodeKind::Timeout), ["seconds", "child"]);
        assert_eq!(positional(NodeKind::Repeat), ["count", "child"]);
        assert_eq!(positional(NodeKind::UntilSuccess), ["child"]);
        assert_eq!(positional(NodeKind::Set), ["key", "to"]);
        assert!(positional(NodeKind::Idle).is_empty());
    }
}
