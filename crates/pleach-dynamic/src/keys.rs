//! Keys of a type that is known at run time only: found, read and written by value.

use pleach_asset::AnyKey;
use pleach_core::schema::Schema;
use pleach_core::{AgentContext, BlackboardType, Key, Type, Value, error::AccessError};

/// A key of a tree by its name, as expressions outside nodes name it: `plan`, `group.plan`.
///
/// # Errors
/// If the tree has no such key.
pub fn any_key(schema: &Schema, name: &str) -> Result<AnyKey, AccessError> {
    Ok(match schema.decl(schema.find(name)?).ty() {
        Type::Bool => AnyKey::Bool(schema.key(name)?),
        Type::Int => AnyKey::Int(schema.key(name)?),
        Type::Float => AnyKey::Float(schema.key(name)?),
        Type::Vec2 => AnyKey::Vec2(schema.key(name)?),
        Type::Vec3 => AnyKey::Vec3(schema.key(name)?),
        Type::Entity => AnyKey::Entity(schema.key(name)?),
        Type::Time => AnyKey::Time(schema.key(name)?),
        Type::Symbol => AnyKey::Symbol(schema.key(name)?),
    })
}

/// What a key of the context's agent holds, or `None` if it is of another tree.
#[must_use]
pub fn read(agent: &AgentContext<'_>, key: AnyKey) -> Option<Value> {
    fn of<T: BlackboardType>(agent: &AgentContext<'_>, key: Key<T>) -> Option<Value> {
        agent.try_get(key).map(T::into_value)
    }
    match key {
        AnyKey::Bool(it) => of(agent, it),
        AnyKey::Int(it) => of(agent, it),
        AnyKey::Float(it) => of(agent, it),
        AnyKey::Vec2(it) => of(agent, it),
        AnyKey::Vec3(it) => of(agent, it),
        AnyKey::Entity(it) => of(agent, it),
        AnyKey::Time(it) => of(agent, it),
        AnyKey::Symbol(it) => of(agent, it),
    }
}

/// Writes a key of the context's agent, and tells whether that changed it. The value must have
/// exactly the key's type: `None` if it has not.
///
/// # Errors
/// If the key is of another tree, or the value is a symbol that is not one of its words.
pub fn write(agent: &mut AgentContext<'_>, key: AnyKey, value: Value) -> Option<Result<bool, AccessError>> {
    Some(match (key, value) {
        (AnyKey::Bool(key), Value::Bool(it)) => agent.try_set(key, it),
        (AnyKey::Int(key), Value::Int(it)) => agent.try_set(key, it),
        (AnyKey::Float(key), Value::Float(it)) => agent.try_set(key, it),
        (AnyKey::Vec2(key), Value::Vec2(it)) => agent.try_set(key, it),
        (AnyKey::Vec3(key), Value::Vec3(it)) => agent.try_set(key, it),
        (AnyKey::Entity(key), Value::Entity(it)) => agent.try_set(key, it),
        (AnyKey::Time(key), Value::Time(it)) => agent.try_set(key, it),
        (AnyKey::Symbol(key), Value::Symbol(it)) => agent.try_set(key, it),
        _ => return None,
    })
}
