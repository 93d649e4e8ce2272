//! [`Role`]: where a leaf stands.

/// What a leaf is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Node,
    /// It runs beside a composite. It can be disabled, and has no other field of nodes.
    Service,
    /// It is asked by another node, and has no fields but its parameters.
    Test,
}
