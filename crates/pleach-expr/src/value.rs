//! The values that a blackboard holds, their types, and the two small identifier types among them.

use std::fmt;

use crate::time::Time;

/// The type of a blackboard key or of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// A 64-bit signed integer.
    Int,
    /// A 32-bit float.
    Float,
    /// Two 32-bit floats.
    Vec2,
    /// Three 32-bit floats.
    Vec3,
    /// 64 bits by which the host names one of its objects.
    Entity,
    /// One word out of a declared set.
    Symbol,
    /// A moment, in whole nanoseconds.
    Time,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Bool => "Bool",
            Type::Int => "Int",
            Type::Float => "Float",
            Type::Vec2 => "Vec2",
            Type::Vec3 => "Vec3",
            Type::Entity => "Entity",
            Type::Symbol => "Symbol",
            Type::Time => "Time",
        })
    }
}

/// The game's own identifier for one of its objects.
///
/// A game that keeps its objects in a list makes entities from their indices
/// ([`from_index`](Entity::from_index), [`index`](Entity::index)). One with other identifiers, such
/// as generational keys or the entities of an ECS, makes them from 64 bits
/// ([`from_bits`](Entity::from_bits), [`to_bits`](Entity::to_bits)). Use one way for all: the bits
/// of an index are not the index.
///
/// ```
/// # use pleach_expr::Entity;
/// let sheep = ["Dolly", "Shaun"];
/// let shaun = Entity::from_index(1);
/// assert_eq!(shaun.index().map(|it| sheep[it]), Some("Shaun"));
/// assert_eq!(Entity::NONE.index(), None);
/// assert_eq!(Entity::from_bits(42).to_bits(), 42);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(u64);

impl Entity {
    /// No object, and the default. Its bits are 0.
    pub const NONE: Entity = Entity(0);

    /// The entity of an index in the game's list. It is never [`NONE`](Entity::NONE). No list is
    /// long enough for two of its indices to share one.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Entity {
        // One more, because 0 is no object.
        Entity((index as u64).saturating_add(1))
    }

    /// The index that [`from_index`](Entity::from_index) was given. `None` for
    /// [`NONE`](Entity::NONE), and for bits that are not an index on this machine.
    #[inline]
    #[must_use]
    pub fn index(self) -> Option<usize> {
        usize::try_from(self.0.checked_sub(1)?).ok()
    }

    /// The entity of these bits; for 0 it is [`NONE`](Entity::NONE).
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Entity {
        Entity(bits)
    }

    /// The bits that [`from_bits`](Entity::from_bits) was given.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

/// A word, identified by the 64-bit FNV-1a hash of its text. So host code can write `const IDLE:
/// Symbol = Symbol::new("idle")`, and trees need not share a table. Two words of one tree with the
/// same hash are a load error.
///
/// An expression can write each word of a key: letters, digits and `_`, not starting with a digit,
/// at most [`MAX_NAME`](crate::limits::MAX_NAME) bytes, none of [`RESERVED`](crate::expr::RESERVED)
/// ([`is_word`](crate::expr::is_word)). Trees that declare other words are refused. So no key has
/// the symbol of any other text, and every write of it is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u64);

impl Symbol {
    /// The symbol of a word. Equal words give equal symbols, in every tree and on every machine. No
    /// key can hold the symbol of a text that is not a valid word.
    #[must_use]
    pub const fn new(word: &str) -> Self {
        // FNV-1a (Fowler, Noll, Vo) is const-evaluable and stays the same for ever. No hashing
        // crate promises both.
        let bytes = word.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            at += 1;
        }
        Symbol(hash)
    }

    /// The symbol of these bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Symbol {
        Symbol(bits)
    }

    /// The symbol as a number: the hash.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({:#018x})", self.0)
    }
}

/// One value of any of the eight types. The types of keys convert into it, and so do `i32`, `u32`,
/// enums with `SymbolEnum`, and a `&str`, which becomes the symbol of that word:
///
/// ```
/// # use pleach_expr::{Symbol, Value};
/// assert_eq!(Value::from(3), Value::Int(3));
/// assert_eq!(Value::from(0.5), Value::Float(0.5));
/// assert_eq!(Value::from("near"), Value::Symbol(Symbol::new("near")));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A [`Type::Bool`].
    Bool(bool),
    /// A [`Type::Int`].
    Int(i64),
    /// A [`Type::Float`].
    Float(f32),
    /// A [`Type::Vec2`].
    Vec2([f32; 2]),
    /// A [`Type::Vec3`].
    Vec3([f32; 3]),
    /// A [`Type::Entity`].
    Entity(Entity),
    /// A [`Type::Symbol`].
    Symbol(Symbol),
    /// A [`Type::Time`].
    Time(Time),
}

impl Value {
    /// The type of this value.
    #[inline]
    #[must_use]
    pub const fn ty(self) -> Type {
        match self {
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Vec2(_) => Type::Vec2,
            Value::Vec3(_) => Type::Vec3,
            Value::Entity(_) => Type::Entity,
            Value::Symbol(_) => Type::Symbol,
            Value::Time(_) => Type::Time,
        }
    }

    /// Whether every float in it is finite; true for the other types.
    #[inline]
    #[must_use]
    pub fn is_finite(self) -> bool {
        match self {
            Value::Float(x) => x.is_finite(),
            Value::Vec2(v) => v.iter().all(|x| x.is_finite()),
            Value::Vec3(v) => v.iter().all(|x| x.is_finite()),
            Value::Bool(_) | Value::Int(_) | Value::Entity(_) | Value::Symbol(_) | Value::Time(_) => true,
        }
    }
}

// Two words: boards and stacks copy values.
const _: () = assert!(size_of::<Value>() == 16);

/// Floats are equal if their bits are equal; any two NaNs are equal as well. This equality decides
/// whether a write changed a key.
impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => same_float(a, b),
            (Value::Vec2(a), Value::Vec2(b)) => same_floats(a, b),
            (Value::Vec3(a), Value::Vec3(b)) => same_floats(a, b),
            (Value::Entity(a), Value::Entity(b)) => a == b,
            (Value::Symbol(a), Value::Symbol(b)) => a == b,
            (Value::Time(a), Value::Time(b)) => a == b,
            _ => false,
        }
    }
}

macro_rules! into_value {
    ($($rust:ty, $variant:ident;)*) => {$(
        impl From<$rust> for Value {
            #[inline]
            fn from(it: $rust) -> Value {
                Value::$variant(it)
            }
        }
    )*};
}

into_value! {
    bool, Bool;
    i64, Int;
    f32, Float;
    [f32; 2], Vec2;
    [f32; 3], Vec3;
    Entity, Entity;
    Symbol, Symbol;
    Time, Time;
}

/// A number in an `Int` key. No `u64` or `usize`, which may not fit, and no `f64`, which a `Float`
/// key would round: the caller has to convert these.
impl From<i32> for Value {
    #[inline]
    fn from(it: i32) -> Value {
        Value::Int(it.into())
    }
}

/// As [`From<i32>`](#impl-From<i32>-for-Value).
impl From<u32> for Value {
    #[inline]
    fn from(it: u32) -> Value {
        Value::Int(it.into())
    }
}

/// The symbol of a word: `set_value("range", "near")`.
impl From<&str> for Value {
    fn from(word: &str) -> Value {
        Value::Symbol(Symbol::new(word))
    }
}

/// The hash of a symbol.
#[inline]
#[must_use]
pub const fn hash_of(symbol: Symbol) -> u64 {
    symbol.0
}

/// The symbol with this hash: one that was saved.
#[inline]
#[must_use]
pub const fn of_hash(hash: u64) -> Symbol {
    Symbol(hash)
}

/// Whether two vectors are the same, float by float as in [`same_float`].
#[inline]
#[must_use]
pub fn same_floats<const N: usize>(a: [f32; N], b: [f32; N]) -> bool {
    a.iter().zip(&b).all(|(&a, &b)| same_float(a, b))
}

/// Whether two floats are the same: by their bits, except that all NaNs are the same. The processor
/// decides which NaN an operation gives, and waking an agent must not depend on that.
#[inline]
#[must_use]
pub fn same_float(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
