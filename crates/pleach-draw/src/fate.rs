//! The fate of a node from one version of its tree to the next.

/// The fate of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Same,
    Added,
    Removed,
    Moved,
    Changed,
}

/// The fate of a node, and its differences in words.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) fate: Fate,
    pub(crate) lines: Vec<String>,
}
