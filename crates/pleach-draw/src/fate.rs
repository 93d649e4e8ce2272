//! What became of a node from one version of its tree to the next.

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Same,
    Added,
    Removed,
    Moved,
    Changed,
}

/// What became of a node, and what differs in words.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) fate: Fate,
    pub(crate) lines: Vec<String>,
}
