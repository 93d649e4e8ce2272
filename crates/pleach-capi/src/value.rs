//! Values, their types, keys, events and ids, as C has them.

use pleach_asset::{AnyKey, key_of_type, with_key};
use pleach_core::{AgentId, Completion, Entity, Event, GroupId, Key, NodeId, Spawn, Symbol, Time, TreeId, Type, Value};

use crate::error::Failure;
use crate::input::{self, Described};

/// The type of a value, or of a key: one of PLEACH_TYPE_*.
pub type pleach_type = i32;
/// No type: an event without payload.
pub const PLEACH_TYPE_NONE: pleach_type = 0;
/// uint8_t: 0 or 1.
pub const PLEACH_TYPE_BOOL: pleach_type = 1;
/// int64_t.
pub const PLEACH_TYPE_INT: pleach_type = 2;
/// float.
pub const PLEACH_TYPE_FLOAT: pleach_type = 3;
/// float[2].
pub const PLEACH_TYPE_VEC2: pleach_type = 4;
/// float[3].
pub const PLEACH_TYPE_VEC3: pleach_type = 5;
/// uint64_t: the game's own name for one of its objects; 0 is none.
pub const PLEACH_TYPE_ENTITY: pleach_type = 6;
/// uint64_t: a word, as pleach_symbol() gives it.
pub const PLEACH_TYPE_SYMBOL: pleach_type = 7;
/// uint64_t: nanoseconds of the forest's time.
pub const PLEACH_TYPE_TIME: pleach_type = 8;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident => $id:ident;)*) => {$(
        impl $name {
            #[inline]
            pub(crate) fn of(id: $id) -> Self {
                $name { id: id.to_bits() }
            }
            #[inline]
            pub(crate) fn get(self) -> $id {
                $id::from_bits(self.id)
            }
        }
    )*};
}

/// An agent of a forest. The id of a despawned agent stays stale for ever.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pleach_agent {
    /// Never 0 for an agent.
    pub id: u64,
}

/// A tree in a forest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pleach_tree_id {
    /// Never 0 for a tree.
    pub id: u64,
}

/// A squad: agents with common keys. Id 0 is no squad.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pleach_group {
    /// Never 0 for a group.
    pub id: u64,
}

ids! {
    /// An agent.
    pleach_agent => AgentId;
    /// A tree.
    pleach_tree_id => TreeId;
    /// A group.
    pleach_group => GroupId;
}

impl pleach_group {
    /// The group, if it is one.
    pub(crate) fn some(self) -> Option<GroupId> {
        (self.id != 0).then(|| self.get())
    }
}

/// The call that a callback belongs to. It ends when the callback returns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_call {
    /// Which call it is.
    pub id: u64,
}

/// A key of a tree that was looked up by its name: pleach_tree_key(). It serves every tree that has
/// a key of that name, scope and type.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pleach_key {
    /// Where it is.
    pub id: u64,
    /// Its type.
    pub r#type: pleach_type,
    /// 0.
    pub reserved: u32,
}

impl pleach_key {
    pub(crate) fn of(key: AnyKey) -> Self {
        let id = with_key!(key, it => it.to_bits());
        pleach_key { id, r#type: type_of(key.ty()), reserved: 0 }
    }

    #[inline]
    pub(crate) fn any(self) -> Result<AnyKey, Failure> {
        let none = || Failure::argument("the key is none: look it up with pleach_tree_key()");
        let ty = type_from(self.r#type).ok().flatten().ok_or_else(none)?;
        Ok(key_of_type!(ty, Key::from_bits(self.id)))
    }
}

pub(crate) fn type_of(it: Type) -> pleach_type {
    match it {
        Type::Bool => PLEACH_TYPE_BOOL,
        Type::Int => PLEACH_TYPE_INT,
        Type::Float => PLEACH_TYPE_FLOAT,
        Type::Vec2 => PLEACH_TYPE_VEC2,
        Type::Vec3 => PLEACH_TYPE_VEC3,
        Type::Entity => PLEACH_TYPE_ENTITY,
        Type::Symbol => PLEACH_TYPE_SYMBOL,
        Type::Time => PLEACH_TYPE_TIME,
    }
}

/// The type of a constant; `None` of PLEACH_TYPE_NONE.
pub(crate) fn type_from(it: pleach_type) -> Result<Option<Type>, Failure> {
    Ok(Some(match it {
        PLEACH_TYPE_NONE => return Ok(None),
        PLEACH_TYPE_BOOL => Type::Bool,
        PLEACH_TYPE_INT => Type::Int,
        PLEACH_TYPE_FLOAT => Type::Float,
        PLEACH_TYPE_VEC2 => Type::Vec2,
        PLEACH_TYPE_VEC3 => Type::Vec3,
        PLEACH_TYPE_ENTITY => Type::Entity,
        PLEACH_TYPE_SYMBOL => Type::Symbol,
        PLEACH_TYPE_TIME => Type::Time,
        other => return Err(Failure::argument(format!("{other} is not a pleach_type"))),
    }))
}

/// What a pleach_value holds: the member of its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub union pleach_value_data {
    /// Of PLEACH_TYPE_BOOL: 0 is false, anything else is true.
    pub boolean: u8,
    /// Of PLEACH_TYPE_INT.
    pub integer: i64,
    /// Of PLEACH_TYPE_FLOAT.
    pub number: f32,
    /// Of PLEACH_TYPE_VEC2.
    pub vec2: [f32; 2],
    /// Of PLEACH_TYPE_VEC3.
    pub vec3: [f32; 3],
    /// Of PLEACH_TYPE_ENTITY, PLEACH_TYPE_SYMBOL and PLEACH_TYPE_TIME.
    pub bits: u64,
}

/// A value of any type. pleach_bool(), pleach_int(), pleach_float() and so on make one.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct pleach_value {
    /// Which member of `as` holds it; PLEACH_TYPE_NONE if none does.
    pub r#type: pleach_type,
    /// The value.
    pub r#as: pleach_value_data,
}

impl std::fmt::Debug for pleach_value_data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("pleach_value_data").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for pleach_value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("pleach_value").field("type", &self.r#type).finish_non_exhaustive()
    }
}

impl pleach_value {
    /// No value.
    pub(crate) const NONE: pleach_value =
        pleach_value { r#type: PLEACH_TYPE_NONE, r#as: pleach_value_data { vec3: [0.0; 3] } };

    pub(crate) fn of(value: Value) -> Self {
        let mut it = pleach_value { r#type: type_of(value.ty()), ..pleach_value::NONE };
        match value {
            Value::Bool(value) => it.r#as.boolean = value.into(),
            Value::Int(value) => it.r#as.integer = value,
            Value::Float(value) => it.r#as.number = value,
            Value::Vec2(value) => it.r#as.vec2 = value,
            Value::Vec3(value) => it.r#as.vec3 = value,
            Value::Entity(value) => it.r#as.bits = value.to_bits(),
            Value::Symbol(value) => it.r#as.bits = value.to_bits(),
            Value::Time(value) => it.r#as.bits = value.as_nanos(),
        }
        it
    }

    /// The value, or `None` of PLEACH_TYPE_NONE.
    pub(crate) fn get(self) -> Result<Option<Value>, Failure> {
        let Some(ty) = type_from(self.r#type)? else { return Ok(None) };
        // SAFETY: all bits are valid for each member, and the caller says which one it has written.
        Ok(Some(unsafe {
            match ty {
                Type::Bool => Value::Bool(self.r#as.boolean != 0),
                Type::Int => Value::Int(self.r#as.integer),
                Type::Float => Value::Float(self.r#as.number),
                Type::Vec2 => Value::Vec2(self.r#as.vec2),
                Type::Vec3 => Value::Vec3(self.r#as.vec3),
                Type::Entity => Value::Entity(Entity::from_bits(self.r#as.bits)),
                Type::Symbol => Value::Symbol(Symbol::from_bits(self.r#as.bits)),
                Type::Time => Value::Time(Time::from_nanos(self.r#as.bits)),
            }
        }))
    }

    /// The value, which there has to be.
    pub(crate) fn some(self) -> Result<Value, Failure> {
        self.get()?.ok_or_else(|| Failure::argument("the value is of type PLEACH_TYPE_NONE"))
    }

    /// An event of this name with this payload.
    pub(crate) fn event(self, name: Symbol) -> Result<Event, Failure> {
        let event = Event::named(name);
        Ok(self.get()?.map_or(event, |it| event.with(it)))
    }
}

/// The symbol of a word: the value of symbol keys, and the name of an event for callbacks. Equal
/// words give equal symbols on every machine. For null, or for a text that is not UTF-8, it is 0.
///
/// # Safety
/// `word` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_symbol(word: *const std::ffi::c_char) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { input::text(word, "word") }.map_or(0, |it| Symbol::new(it).to_bits())
}

/// How an agent is spawned. A zeroed struct with its size spawns an agent without entity and group,
/// which is enabled at once and restarts when its root has ended.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_spawn_desc {
    /// sizeof(pleach_spawn_desc).
    pub struct_size: usize,
    /// Which of the game's objects it is; 0 for none.
    pub entity: u64,
    /// Its squad, or id 0.
    pub group: pleach_group,
    /// The state of its random stream, if `has_seed` is not 0.
    pub seed: u64,
    /// Whether it has a seed of its own.
    pub has_seed: u8,
    /// Whether it stays off until pleach_enable().
    pub disabled: u8,
    /// Whether it stops when its root has ended, instead of restarting in its next tick.
    pub stops: u8,
    /// 0.
    pub reserved: [u8; 5],
}

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_spawn_desc {
    const NAME: &'static str = "pleach_spawn_desc";
}

/// A node as C has it.
pub(crate) fn number(node: NodeId) -> u32 {
    u32::try_from(node.index()).unwrap_or(u32::MAX)
}

/// What an agent does when its root has ended, by whether it stops then.
pub(crate) fn completion(stops: u8) -> Completion {
    if stops == 0 { Completion::Restart } else { Completion::Stop }
}

impl pleach_spawn_desc {
    pub(crate) fn spawn(self) -> Spawn {
        Spawn {
            completion: completion(self.stops),
            entity: Entity::from_bits(self.entity),
            group: self.group.some(),
            seed: (self.has_seed != 0).then_some(self.seed),
            enabled: self.disabled == 0,
        }
    }
}
