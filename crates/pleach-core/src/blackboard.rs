//! The blackboard: what is declared ([`Schema`]), how it is named once declared ([`Key`]), and
//! where it lives (an agent's own columns in [`board`], what agents share in [`shared`]).

pub(crate) mod board;
pub(crate) mod changes;
pub(crate) mod columns;
mod error;
pub(crate) mod events;
pub(crate) mod flips;
mod former;
mod key;
pub(crate) mod layout;
pub(crate) mod needs;
pub(crate) mod place;
mod rank;
mod schema;
pub(crate) mod shared;
mod shared_watch;
pub(crate) mod token_decl;
#[cfg(feature = "rayon")]
pub(crate) mod token_writes;
pub(crate) mod tokens;
pub(crate) mod types;
pub(crate) mod view;
#[cfg(feature = "rayon")]
pub(crate) mod writes;

#[cfg(feature = "save")]
pub use error::BoardError;
pub use error::{AccessError, Difference, SchemaError, SharedKeyError};
pub use events::{EventConflict, EventDecl, EventError};
pub use key::{EventName, Key, NodeKeys};
#[cfg(feature = "serde")]
pub use key::{LookupError, LookupFailure};
pub use needs::{
    Access, BindError, KeyFinder, KeyNeed, KeyProblem, KeyProblemKind, KeySet, KeyUse, KeysError, NeededWords,
};
pub use schema::{Default, Direction, KeyDecl, Schema, Scope};
pub(crate) use schema::{FrameId, NodeView, Refused, Sight, describe};
pub use token_decl::{TokenConflict, TokenTerms};
pub use types::{BlackboardType, Needs, SymbolEnum};
