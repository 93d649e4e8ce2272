//! The Rust types that keys can have, and where their values are kept.

use std::fmt;

use pleach_expr::runtime::{same_float, same_floats};
use pleach_expr::{Entity, Symbol, Time, Type, Value};

use super::columns::Columns;
use super::rank::Rank;

/// Where values of a type are kept. The module is private, so that no other crate can implement
/// [`BlackboardType`].
pub(crate) mod stored {
    use super::super::columns::Columns;
    use super::super::rank::Rank;

    pub trait Stored: super::BlackboardType<Stored = Self> {
        /// The value in cells without an agent.
        const BLANK: Self;
        fn of(columns: &Columns) -> &[Self];
        fn of_mut(columns: &mut Columns) -> &mut [Self];
        /// Where they are kept, to make room.
        fn boxed(columns: &mut Columns) -> &mut Box<[Self]>;
        /// The value's rank, for comparisons.
        fn rank(self) -> Rank;
        /// The value, if it is a float.
        fn float(self) -> Option<f32>;
    }
}

/// The Rust types that a blackboard key can have: `bool`, `i64`, `f32`, `[f32; 2]`, `[f32; 3]`,
/// [`Entity`], [`Symbol`] and [`Time`]; `u32` for keys of type `Int`; and for symbol keys enums
/// with [`SymbolEnum`].
///
/// As a `u32`, an `Int` below zero reads as 0, and one above [`u32::MAX`] as that.
///
/// # NaN and infinite floats
///
/// The default of a key is finite. After that a key holds any float that is written to it,
/// infinities and NaNs included. Expressions compare as IEEE 754 does: with a NaN, `<`, `<=`, `>`,
/// `>=` and `==` are false, and `!=` is true. When a write is compared with the key's value, all
/// NaNs are the same, and `0.0` and `-0.0` are two values. So a sensor that writes NaN in every
/// tick changes its key once, and wakes and aborts nothing after that.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a blackboard key",
    label = "not a key type",
    note = "key types are `bool`, `i64`, `u32`, `f32`, `[f32; 2]`, `[f32; 3]`, `Entity`, `Symbol`, `Time`, and enums that derive `SymbolEnum`"
)]
pub trait BlackboardType: Copy + fmt::Debug + Send + Sync + 'static {
    /// The type it is stored as.
    #[doc(hidden)]
    type Stored: stored::Stored;
    /// The blackboard's name for this type.
    const TYPE: Type;
    /// The words that a key must have, if the type knows them.
    #[doc(hidden)]
    const KEY_WORDS: Option<&'static [&'static str]> = None;
    /// The stored form.
    #[doc(hidden)]
    fn store(self) -> Self::Stored;
    /// The value of a stored form, if it is of this type.
    #[doc(hidden)]
    fn load(stored: Self::Stored) -> Option<Self>;
    /// Wraps it.
    fn into_value(self) -> Value;
    /// Unwraps it, if it is of this type.
    fn from_value(value: Value) -> Option<Self>;
    /// Whether two values are the same, so that writing one over the other changes nothing. Floats
    /// are compared by their bits, but all NaNs are the same.
    fn same(self, other: Self) -> bool;
}

macro_rules! blackboard_type {
    ($rust:ty, $variant:ident, [$($columns:tt)+], $blank:expr, $rank:expr, $float:expr, |$a:ident, $b:ident| $same:expr) => {
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
            #[inline(always)]
            fn rank(self) -> Rank {
                $rank(self)
            }
            #[inline(always)]
            fn float(self) -> Option<f32> {
                $float(self)
            }
        }
        impl BlackboardType for $rust {
            type Stored = Self;
            const TYPE: Type = Type::$variant;
            #[inline(always)]
            fn store(self) -> Self {
                self
            }
            #[inline(always)]
            fn load(stored: Self) -> Option<Self> {
                Some(stored)
            }
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

/// The cells of a type: stored directly, or with those of other rare types.
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

blackboard_type!(bool, Bool, [bools], false, Rank::of_bool, |_| None, |a, b| a == b);
blackboard_type!(i64, Int, [ints], 0, Rank::of_int, |_| None, |a, b| a == b);
blackboard_type!(f32, Float, [floats], 0.0, Rank::of_float, Some, |a, b| same_float(a, b));
blackboard_type!([f32; 2], Vec2, [others.vec2s], [0.0; 2], |_| Rank::NONE, |_| None, |a, b| same_floats(a, b));
blackboard_type!([f32; 3], Vec3, [others.vec3s], [0.0; 3], |_| Rank::NONE, |_| None, |a, b| same_floats(a, b));
blackboard_type!(Entity, Entity, [others.entities], Entity::NONE, Rank::of_entity, |_| None, |a, b| a == b);
blackboard_type!(Symbol, Symbol, [others.symbols], Symbol::new(""), Rank::of_symbol, |_| None, |a, b| a == b);
blackboard_type!(Time, Time, [others.times], Time::ZERO, |_| Rank::NONE, |_| None, |a, b| a == b);

impl BlackboardType for u32 {
    type Stored = i64;
    const TYPE: Type = Type::Int;
    #[inline]
    fn store(self) -> i64 {
        self.into()
    }
    #[inline]
    fn load(stored: i64) -> Option<Self> {
        Some(u32::try_from(stored.max(0)).unwrap_or(u32::MAX))
    }
    fn into_value(self) -> Value {
        Value::Int(self.into())
    }
    fn from_value(value: Value) -> Option<Self> {
        i64::from_value(value).and_then(Self::load)
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
}

/// An enum whose values are the words of a symbol key. `#[derive(SymbolEnum)]` of `pleach`
/// implements it.
///
/// A key has this type if its words are those of the enum, in any order: others are an error when
/// the key is looked up, at load. If [`Forest::replace_tree`](crate::Forest::replace_tree) adds
/// words that the enum lacks, an earlier key counts as one of another tree while it holds such a
/// word.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a blackboard key",
    label = "not a key type",
    note = "key types are `bool`, `i64`, `u32`, `f32`, `[f32; 2]`, `[f32; 3]`, `Entity`, `Symbol`, `Time`, and enums that derive `SymbolEnum`"
)]
pub trait SymbolEnum: Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// All values.
    const ALL: &'static [Self];
    /// Their words, in the same order.
    const WORDS: &'static [&'static str];
    /// The symbols of these.
    const SYMBOLS: &'static [Symbol];
    /// The symbol of this value.
    fn symbol(self) -> Symbol;
    /// The value of a symbol.
    #[must_use]
    fn of(symbol: Symbol) -> Option<Self> {
        Self::SYMBOLS.iter().position(|it| *it == symbol).map(|it| Self::ALL[it])
    }
}

/// Everything an enum derives besides `SymbolEnum`, as one trait: the derived code requires only
/// this, so that the compiler names each missing one once.
#[doc(hidden)]
pub trait Needs: Copy + fmt::Debug + PartialEq {}

impl<T: Copy + fmt::Debug + PartialEq> Needs for T {}

// A type that no key can have gets that message, and not that it lacks words.
#[diagnostic::do_not_recommend]
impl<T: SymbolEnum> BlackboardType for T {
    type Stored = Symbol;
    const TYPE: Type = Type::Symbol;
    const KEY_WORDS: Option<&'static [&'static str]> = Some(<T as SymbolEnum>::WORDS);
    #[inline]
    fn store(self) -> Symbol {
        self.symbol()
    }
    #[inline]
    fn load(stored: Symbol) -> Option<Self> {
        T::of(stored)
    }
    fn into_value(self) -> Value {
        Value::Symbol(self.symbol())
    }
    fn from_value(value: Value) -> Option<Self> {
        Symbol::from_value(value).and_then(T::of)
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
}
