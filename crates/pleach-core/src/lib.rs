//! Behaviour trees as index arrays: [`Tree`], its interpreter, the blackboard, and the [`Forest`]
//! of agents.
//!
//! This crate does no I/O, and has no clock, thread or randomness of its own: the same seed, inputs
//! and calls produce the same run on every machine. `SEMANTICS.md` says exactly what a tree does;
//! `ARCHITECTURE.md` and `docs/design` say how the machine does it.

#[cfg(feature = "baked")]
mod archive;
mod bits;
mod blackboard;
mod brain;
mod clock;
mod event;
mod forest;
mod host;
mod ids;
mod index;
#[cfg_attr(
    not(all(feature = "save", feature = "rayon")),
    expect(dead_code, reason = "recordings need saves, and threads in part")
)]
mod inputs;
mod keys;
mod life;
pub mod limits;
mod lone;
mod machine;
mod observer_bits;
#[cfg(feature = "save")]
pub mod record;
mod request;
mod rng;
mod row;
#[cfg(feature = "save")]
mod save;
mod slack;
mod status;
mod ties;
pub mod trace;
mod tree;
mod turns;
mod twin;

pub use blackboard::{BlackboardType, EventName, Key, KeySet, SymbolEnum};
pub use brain::{Brain, BrainSnapshot, SharedBoard};
pub use event::Event;
pub use forest::{Budget, Forest, Phase, Replace, Settings, Snapshot, TickReport};
pub use host::context::{AgentContext, Context};
pub use host::{Action, BatchContext, BatchLeaf, Condition, Host, Keep, Observes};
pub use ids::{AgentId, GroupId, Ticket, TreeId};
pub use index::NodeId;
pub use keys::{Keys, KeysMut};
pub use pleach_expr::{Entity, NoTime, Symbol, Time, Type, Value, expr, names, text};
pub use request::{Completion, Spawn};
pub use rng::Stream;
#[cfg(feature = "save")]
pub use save::{Save, brain::BrainSave};
#[doc(hidden)]
pub use status::EveryReason;
pub use status::{End, Outcome, Reason, Status};
pub use tree::{InstanceRef, NodeRef, Tree, TreeBuilder, nodes};
pub use turns::rate::{Bands, Rate};

pub mod error {
    //! What can be wrong with a call, a tree, a key or an event.

    #[cfg(feature = "save")]
    pub use crate::blackboard::BoardError;
    pub use crate::blackboard::{
        AccessError, BindError, Difference, EventConflict, EventError, KeyProblem, KeyProblemKind, KeysError,
        SchemaError, SharedKeyError, TokenConflict, TokenTerms,
    };
    #[cfg(feature = "serde")]
    pub use crate::blackboard::{LookupError, LookupFailure};
    pub use crate::clock::DtError;
    pub use crate::event::{EventSender, SendError};
    pub use crate::forest::{AddTreeError, ReplaceTreeError, RollbackError, SnapshotError, SpawnError, TreeChange};
    #[cfg(feature = "save")]
    pub use crate::forest::{Damage, RestoreError, SaveError};
    pub use crate::ids::StaleError;
    pub use crate::tree::{Field, FindError, LeafError, Problem, ProblemKind, TokenProblem, TreeError};
    pub use crate::turns::rate::{BandsError, RateError};
    pub use pleach_expr::names::Help;
}

pub mod handles {
    //! Handles that a forest lends for an agent, a group, a population and shared keys, and for a
    //! brain that shares keys. Most code names none of them.

    pub use crate::brain::Sharing;
    pub use crate::forest::{AgentMut, AgentRef, GroupMut, GroupRef, PopulationMut, PopulationRef};
    pub use crate::keys::{SharedKeys, SharedKeysMut};
}

pub mod inspect {
    //! What you can see of an agent: everything ([`AgentView`]), why it does what it does
    //! ([`Explanation`]), why it does not do something else ([`WhyNot`]), its memory
    //! ([`Footprint`]), what happened when its tree was replaced ([`ReplaceReport`]), and the words
    //! of a node ([`NodeWords`]).

    #[cfg(feature = "save")]
    pub use crate::forest::RestoreReport;
    pub use crate::forest::{
        AbortView, AgentView, Comparison, Current, Explanation, Footprint, KeyChange, KeyRead, MonitorView, Note,
        Obstacle, Question, QuestionKind, Remaining, ReplaceReport, RestartCause, Restarted, TokenHolder, TokenView,
        WhatChanged, WhyNot, WouldRestart,
    };
    pub use crate::tree::NodeWords;
}

pub mod kinds {
    //! The table of node kinds and their fields, for tools.

    #[doc(hidden)]
    pub use crate::tree::EveryNodeKind;
    pub use crate::tree::{Arity, ChildOrder, FieldDefault, FieldShape, NodeClass, NodeField, NodeKind};
}

pub mod schema {
    //! What a tree declares (its keys and events), and which keys the game relies on.

    pub use crate::blackboard::{
        Access, Default as KeyDefault, EventDecl, KeyDecl, KeyFinder, KeyNeed, KeyUse, NeededWords, NodeKeys, Schema,
        Scope,
    };
    pub use crate::keys::KeyName;
}

/// For code that writes trees as bytes. Not part of the interface.
#[cfg(feature = "baked")]
#[doc(hidden)]
pub mod __baked {
    pub use crate::archive::Archive;
    pub use crate::tree::baked::instance;
}

/// For the code that the attribute `#[leaf]` generates. Not part of the interface.
#[doc(hidden)]
pub mod __leaf {
    pub use crate::blackboard::Needs;
    pub use crate::host::{Callbacks, Cloned, NotCloned, NotSaved, Saved, Saving};
}
