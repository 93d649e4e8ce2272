//! How large a source may be, and how deep it may be nested.

use pleach_core::limits::MAX_DEPTH;

/// How deep brackets of any kind may be nested. A composite with its list of children takes two
/// levels, a decorator one: enough for the deepest tree, and for the parameters of its innermost
/// node.
pub const MAX_NESTING: usize = 2 * MAX_DEPTH + MAX_PARAMETER_NESTING;

/// How deep brackets may be nested in the parameters of a host's leaf, its own parentheses
/// included. Its type is read by recursion.
pub const MAX_PARAMETER_NESTING: usize = 128;

/// The longest source, in bytes.
pub const MAX_SOURCE: usize = 16 << 20;

/// The most bytes that the parameters of a tree's leaves can take as they are written. Repeated
/// includes count each time, as each leaf has its own parameters.
pub const MAX_PARAMETERS: usize = 64 << 20;
