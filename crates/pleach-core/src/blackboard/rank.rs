//! Values as whole numbers, so that comparisons of all types work in the same way.

use pleach_expr::{Entity, Symbol, runtime};

/// The position of a value among those of its type. Of two numbers the greater has the greater
/// rank, and values that compare as equal have the same: 0.0 and -0.0 too. A NaN comes after
/// infinity, and comparisons of floats must check for [`Rank::NAN`].
///
/// Entities and symbols are only compared for equality. Vectors and Times have no rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(pub(super) i64);

impl Rank {
    /// The rank of each NaN.
    pub(super) const NAN: Rank = Rank(i64::MAX);
    /// The rank of all values of a type without ranks.
    pub(super) const NONE: Rank = Rank(0);

    #[inline]
    pub(super) const fn of_bool(value: bool) -> Rank {
        Rank(value as i64)
    }

    #[inline]
    pub(super) const fn of_int(value: i64) -> Rank {
        Rank(value)
    }

    #[inline]
    pub(super) fn of_float(value: f32) -> Rank {
        // The sum turns -0.0 into 0.0. The bits of floats below zero count down.
        let bits = (value + 0.0).to_bits().cast_signed();
        let rank = i64::from(bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed());
        if value.is_nan() { Rank::NAN } else { Rank(rank) }
    }

    /// The float of this rank, which is not that of a NaN. Of the zeros it is 0.0.
    pub(super) fn to_float(self) -> f32 {
        let rank = i32::try_from(self.0).expect("it is the rank of a float");
        f32::from_bits((rank ^ ((rank >> 31).cast_unsigned() >> 1).cast_signed()).cast_unsigned())
    }

    #[inline]
    pub(super) const fn of_entity(value: Entity) -> Rank {
        Rank(value.to_bits().cast_signed())
    }

    #[inline]
    pub(super) const fn of_symbol(value: Symbol) -> Rank {
        Rank(runtime::hash_of(value).cast_signed())
    }

    /// The rank of an int when it is compared as a float.
    pub(super) fn of_int_as_float(self) -> Rank {
        Rank::of_float(self.0 as f32)
    }
}
