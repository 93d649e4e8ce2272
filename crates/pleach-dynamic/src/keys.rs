//! Keys of a type that is known at run time only: found, read and written by value.

use pleach_asset::{AnyKey, key_of_type, with_key};
use pleach_core::schema::Schema;
use pleach_core::{AgentContext, BlackboardType, Key, Value, error::AccessError};

/// A key of a tree by its name, as expressions outside nodes name it: `plan`, `group.plan`.
///
/// # Errors
/// If the tree has no such key.
pub fn any_key(schema: &Schema, name: &str) -> Result<AnyKey, AccessError> {
    Ok(key_of_type!(schema.decl(schema.find(name)?).ty(), schema.key(name)?))
}

/// What a key of the context's agent holds, or `None` if it is of another tree.
#[must_use]
pub fn read(agent: &AgentContext<'_>, key: AnyKey) -> Option<Value> {
    fn of<T: BlackboardType>(agent: &AgentContext<'_>, key: Key<T>) -> Option<Value> {
        agent.try_get(key).map(T::into_value)
    }
    with_key!(key, it => of(agent, it))
}

/// Writes a key of the context's agent, and returns whether that changed it. The value must have
/// exactly the key's type: `None` if it has not.
///
/// # Errors
/// If the key is of another tree, or the value is a symbol that is not one of its words.
pub fn write(agent: &mut AgentContext<'_>, key: AnyKey, value: Value) -> Option<Result<bool, AccessError>> {
    fn of<T: BlackboardType>(
        agent: &mut AgentContext<'_>,
        key: Key<T>,
        value: Value,
    ) -> Option<Result<bool, AccessError>> {
        Some(agent.try_set(key, T::from_value(value)?))
    }
    with_key!(key, it => of(agent, it, value))
}
