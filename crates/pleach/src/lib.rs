//! Behaviour trees for games: RON trees, exact aborts, thousands of agents, no engine required.
//!
//! This is the crate to depend on. It holds no code of its own: [`pleach_core`] is the runtime, [`pleach_asset`] the RON
//! assets; everything a game needs of both stands here. The README in the repository is the tour, `SEMANTICS.md` says
//! exactly what a tree does.

pub use pleach_asset::{
    Asset, Diagnostic, FloatOrKey, ParamError, Registry, RegistryError, Report, Severity, check_str, load_str,
};
pub use pleach_core::{
    Abort, AbortView, AccessError, Action, AgentId, AgentView, Arity, BlackboardType, Brain, Callbacks, Completion,
    Condition, Context, DtError, End, Entity, Event, Footprint, Forest, GroupId, Host, HostLeaf, Key, KeyDecl,
    KeyDefault, MonitorView, NoTracer, Node, NodeId, NodeRef, Observes, Outcome, Phase, Policy, Problem, ProblemKind,
    Reason, Recorder, Schema, SchemaError, Scope, SharedKeyError, Spawn, SpawnError, StaleError, Status, Symbol,
    TickReport, TraceEvent, Tracer, Tree, TreeBuilder, TreeError, TreeId, Type, Value, When, expr, limits,
};

/// Drawings of trees: text, Graphviz, SVG.
pub use pleach_draw as draw;

/// The functions that make nodes, for trees written in Rust.
pub mod nodes {
    pub use pleach_core::{
        action, check, condition, condition_over, cooldown, delay, emit, fail, force_failure, force_success, guard,
        idle, inverter, leaf, limit, log, on_event, parallel, parallel_with, probability, random_selector,
        random_sequence, reactive_selector, reactive_sequence, repeat, repeat_forever, repeat_until_failure,
        repeat_while_succeeding, selector, sequence, set, succeed, timeout, until_failure, until_success,
        utility_selector, wait, wait_ticks, wait_until,
    };
}

// The examples of the README are compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
