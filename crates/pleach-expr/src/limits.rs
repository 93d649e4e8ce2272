//! Every limit of names and expressions, by name. Going past a limit is an error at load.

/// The longest name of a node, key, event or leaf, in bytes.
pub const MAX_NAME: usize = 256;
/// The longest expression, in bytes.
pub const MAX_EXPR_SOURCE: usize = 4_096;
/// How deeply parentheses, calls and prefixes of an expression may be nested.
pub const MAX_EXPR_DEPTH: usize = 256;
/// How many values an expression may hold at once while it is evaluated. Every literal and every
/// key adds one. So this and [`MAX_EXPR_DEPTH`] allow every expression with at most 256 literals,
/// keys, operators, functions and parentheses.
pub const MAX_EXPR_VALUES: usize = 256;
