//! The Rust types that keys can have, and where their values are kept.

use std::fmt;

use super::board::{Column, Columns};
use crate::value::{Entity, Symbol, Type, Value, same_float, same_floats};

/// Where values of a type are kept; in a private module, so that nobody else can implement
/// [`BlackboardType`].
pub(crate) mod stored {
    use super::super::board::{Column, Columns};

    pub trait Stored: Sized {
        fn of(columns: &Columns) -> &[Column<Self>];
        fn of_mut(columns: &mut Columns) -> &mut [Column<Self>];
    }
}

/// The Rust types that a blackboard key can have: `bool`, `i64`, `f32`, `[f32; 2]`, `[f32; 3]`,
/// [`Entity`] and [`Symbol`].
///
/// # Floats that are no numbers
///
/// The default of a key is finite; after that a key holds whatever float is written to it,
/// infinities and NaNs included. Expressions compare as IEEE 754 does: with a NaN `<`, `<=`, `>`,
/// `>=` and `==` are false, and `!=` is true. For the question whether a write changed a key, all
/// NaNs are the same, and `0.0` and `-0.0` are two values. So a sensor that writes NaN in every
/// tick changes its key once, and wakes and aborts nothing after that.
pub trait BlackboardType: stored::Stored + Copy + fmt::Debug + Send + Sync + 'static {
    /// The blackboard's name for this type.
    const TYPE: Type;
    /// Wraps it.
    fn into_value(self) -> Value;
    /// Unwraps it, if it is of this type.
    fn from_value(value: Value) -> Option<Self>;
    /// Whether two values are the same, so that writing one over the other is no change; floats by
    /// their bits, but all NaNs are the same.
    fn same(self, other: Self) -> bool;
}

macro_rules! blackboard_type {
    ($rust:ty, $variant:ident, $columns:ident, |$a:ident, $b:ident| $same:expr) => {
        impl stored::Stored for $rust {
            #[inline]
            fn of(columns: &Columns) -> &[Column<Self>] {
                &columns.$columns
            }
            #[inline]
            fn of_mut(columns: &mut Columns) -> &mut [Column<Self>] {
                &mut columns.$columns
            }
        }
        impl BlackboardType for $rust {
            const TYPE: Type = Type::$variant;
            #[inline]
            fn into_value(self) -> Value {
                Value::$variant(self)
            }
            #[inline]
            fn from_value(value: Value) -> Option<Self> {
                if let Value::$variant(it) = value { Some(it) } else { None }
            }
            #[inline]
            fn same(self, other: Self) -> bool {
                let ($a, $b) = (self, other);
                $same
            }
        }
    };
}

blackboard_type!(bool, Bool, bools, |a, b| a == b);
blackboard_type!(i64, Int, ints, |a, b| a == b);
blackboard_type!(f32, Float, floats, |a, b| same_float(a, b));
blackboard_type!([f32; 2], Vec2, vec2s, |a, b| same_floats(a, b));
blackboard_type!([f32; 3], Vec3, vec3s, |a, b| same_floats(a, b));
blackboard_type!(Entity, Entity, entities, |a, b| a == b);
blackboard_type!(Symbol, Symbol, symbols, |a, b| a == b);
