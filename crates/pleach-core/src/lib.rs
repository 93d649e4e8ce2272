//! Skeleton.
mod value;
pub use value::{BlackboardType, Entity, Symbol, Type, Value};
