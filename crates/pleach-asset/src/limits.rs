//! How large a source may be, and how deep what stands in it.

use pleach_core::limits::MAX_DEPTH;

/// How deep brackets of any kind may stand inside each other. A composite with its list of children
/// takes two of them, a decorator one: enough for as many nodes inside each other as a tree can
/// have, and for the parameters of the innermost.
pub const MAX_NESTING: usize = 2 * MAX_DEPTH + MAX_PARAMETER_NESTING;

/// How deep brackets may stand inside each other in the parameters of a host's leaf, its own
/// parentheses included. Its type is read by recursion.
pub const MAX_PARAMETER_NESTING: usize = 128;

/// The longest source, in bytes.
pub const MAX_SOURCE: usize = 16 << 20;

/// The most bytes that the parameters of a tree's leaves can take as they are written. What is
/// included again and again counts each time, as each leaf has its own.
pub const MAX_PARAMETERS: usize = 64 << 20;
