//! The Rust types that keys can have, and where their values are kept.

use std::fmt;

use super::columns::Columns;
use crate::value::{Entity, Symbol, Type, Value, same_float, same_floats};

/// Where values of a type are kept. The module is private, so that no other crate can implement
/// [`BlackboardType`].
pub(crate) mod stored {
    use super::super::columns::Columns;

    pub trait Stored: Sized {
        /// What stands where no agent's value does.
        const BLANK: Self;
        fn of(columns: &Columns) -> &[Self];
        fn of_mut(columns: &mut Columns) -> &mut [Self];
        /// Where they are kept, to make room.
        fn boxed(columns: &mut Columns) -> &mut Box<[Self]>;
    }
}

/// The Rust types that a blackboard key can have: `bool`, `i64`, `f32`, `[f32; 2]`, `[f32; 3]`,
/// [`Entity`] and [`Symbol`].
///
/// # NaN and infinite floats
///
/// The default of a key is finite. After that a key holds any float that is written to it,
/// infinities and NaNs included. Expressions compare as IEEE 754 does: with a NaN, `<`, `<=`, `>`,
/// `>=` and `==` are false, and `!=` is true. When a write is compared with the key's value, all
/// NaNs are the same, and `0.0` and `-0.0` are two values. So a sensor that writes NaN in every
/// tick changes its key once, and wakes and aborts nothing after that.
pub trait BlackboardType: stored::Stored + Copy + fmt::Debug + Send + Sync + 'static {
    /// The blackboard's name for this type.
    const TYPE: Type;
    /// Wraps it.
    fn into_value(self) -> Value;
    /// Unwraps it, if it is of this type.
    fn from_value(value: Value) -> Option<Self>;
    /// Whether two values are the same, so that writing one over the other changes nothing. Floats
    /// are compared by their bits, but all NaNs are the same.
    fn same(self, other: Self) -> bool;
}

macro_rules! blackboard_type {
    ($rust:ty, $variant:ident, [$($columns:tt)+], $blank:expr, |$a:ident, $b:ident| $same:expr) => {
        impl stored::Stored for $rust {
            const BLANK: Self = $blank;
            #[inline]
            fn of(columns: &Columns) -> &[Self] {
                stored!(columns.$($columns)+)
            }
            #[inline]
            fn of_mut(columns: &mut Columns) -> &mut [Self] {
                stored!(mut columns.$($columns)+)
            }
            fn boxed(columns: &mut Columns) -> &mut Box<[Self]> {
                stored!(boxed columns.$($columns)+)
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

/// The cells of a type: at hand, or with those of other rare types.
macro_rules! stored {
    ($columns:ident.others.$of:ident) => {
        $columns.others.as_ref().map_or(&[], |it| &it.$of)
    };
    (mut $columns:ident.others.$of:ident) => {
        $columns.others.as_mut().map_or(&mut [], |it| &mut it.$of)
    };
    (boxed $columns:ident.others.$of:ident) => {
        &mut $columns.others.get_or_insert_default().$of
    };
    (mut $columns:ident.$of:ident) => {
        &mut $columns.$of
    };
    (boxed $columns:ident.$of:ident) => {
        &mut $columns.$of
    };
    ($columns:ident.$of:ident) => {
        &$columns.$of
    };
}

blackboard_type!(bool, Bool, [bools], false, |a, b| a == b);
blackboard_type!(i64, Int, [ints], 0, |a, b| a == b);
blackboard_type!(f32, Float, [floats], 0.0, |a, b| same_float(a, b));
blackboard_type!([f32; 2], Vec2, [others.vec2s], [0.0; 2], |a, b| same_floats(a, b));
blackboard_type!([f32; 3], Vec3, [others.vec3s], [0.0; 3], |a, b| same_floats(a, b));
blackboard_type!(Entity, Entity, [others.entities], Entity(0), |a, b| a == b);
blackboard_type!(Symbol, Symbol, [others.symbols], Symbol::new(""), |a, b| a == b);
