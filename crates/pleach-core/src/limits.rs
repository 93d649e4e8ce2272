//! Every limit of the runtime, by name. Going past a limit is an error at load, never a surprise
//! during a tick.

pub use pleach_expr::limits::{MAX_EXPR_DEPTH, MAX_EXPR_SOURCE, MAX_EXPR_VALUES, MAX_NAME};

/// The most nodes that one tree can have.
pub const MAX_NODES: usize = 65_535;
/// The deepest nesting of nodes; the root has depth 1.
pub const MAX_DEPTH: usize = 256;
/// The most blackboard keys that one tree can declare, all scopes together.
pub const MAX_KEYS: usize = 4_096;
/// The most words that one symbol key can declare.
pub const MAX_WORDS: usize = 4_096;
/// The most events that one tree can declare.
pub const MAX_EVENTS: usize = 4_096;
/// The most tokens for which one tree can have Token nodes.
pub const MAX_TOKENS: usize = 64;
/// The most instances that one tree can have.
pub const MAX_INSTANCES: usize = 16_384;
/// How deep instances can stand inside each other.
pub const MAX_INSTANCE_DEPTH: usize = 64;
/// The longest duration that an asset can state, in seconds (about 31 years).
pub const MAX_SECONDS: f64 = 1e9;
/// The longest `dt` of one tick, in seconds (about 11 days).
pub const MAX_DT: f32 = 1e6;
/// The most children of a composite with an order of its own (random, utility). Starting one costs
/// the square of this number.
pub const MAX_ORDERED_CHILDREN: usize = 1_024;
/// The most problems of one tree or asset that are described; the rest are only counted. Their
/// texts alone could take more memory than a machine has.
pub const MAX_PROBLEMS: usize = 1_000;
/// The most problems that get a suggestion, and that a report draws.
pub const MAX_DRAWN_PROBLEMS: usize = 50;
/// The most agents that one forest can hold.
pub const MAX_AGENTS: usize = 1 << 28;
/// The slowest rate at which agents can be ticked: once in this many frames.
pub const MAX_RATE: u32 = 255;
