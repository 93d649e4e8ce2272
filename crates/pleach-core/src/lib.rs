//! Behaviour trees as index arrays: [`Tree`], its interpreter, the blackboard, and the [`Forest`]
//! of agents.
//!
//! This crate does no I/O, and has no clock, thread or randomness of its own: the same seed, inputs
//! and calls give the same run on every machine. `SEMANTICS.md` says exactly what a tree does;
//! `ARCHITECTURE.md` says how the machine does it.

mod bits;
mod blackboard;
mod brain;
mod clock;
mod event;
pub mod expr;
mod forest;
mod host;
mod ids;
mod index;
mod keys;
mod life;
pub mod limits;
mod machine;
pub mod names;
mod request;
mod rng;
mod row;
mod status;
pub mod text;
mod ties;
mod trace;
mod tree;
mod turns;
mod value;

pub use blackboard::{
    AccessError, BlackboardType, Default as KeyDefault, Difference, EventConflict, EventDecl, EventError, EventName,
    Key, KeyDecl, NodeKeys, Schema, SchemaError, Scope, SharedKeyError, Words,
};
#[cfg(feature = "serde")]
pub use blackboard::{LookupError, Missed};
pub use brain::Brain;
pub use clock::DtError;
pub use event::{Event, SendError};
pub use forest::{
    AbortView, AddTreeError, AgentView, Asked, Budget, Current, Explanation, Footprint, Forest, Left, MonitorView,
    Note, Obstacle, Phase, Question, ReplaceTreeError, SpawnError, TickReport, WhyNot,
};
pub use host::context::{AgentContext, Context};
pub use host::{Action, Condition, Host, Observes};
pub use ids::{AgentId, GroupId, StaleError, Ticket, TreeId};
pub use index::NodeId;
pub use keys::{KeyName, Keys, KeysMut, SharedKeys, SharedKeysMut};
pub use names::Help;
pub use request::{Completion, Spawn};
pub use status::{End, Outcome, Reason, Status};
pub use trace::{NoTracer, Recorder, TraceEntry, TraceEvent, TraceKinds, Traced, Tracer};
pub use tree::{
    Abort, Arity, Case, ChildOrder, Count, Field, FieldDefault, FieldShape, FindError, LeafError, Node, NodeClass,
    NodeField, NodeKind, NodeList, NodeRef, Number, Policy, Problem, ProblemKind, Tree, TreeBuilder, TreeError, nodes,
};
pub use turns::rate::{Bands, BandsError, Rate, RateError};
pub use value::{Entity, Symbol, Type, Value};

/// What the attribute `#[leaf]` writes needs to name. No part of the interface.
#[doc(hidden)]
pub mod __leaf {
    pub use crate::host::Callbacks;
}
