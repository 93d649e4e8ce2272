//! Columns: values of one key, a fixed number of bytes apart.

use std::ffi::c_void;
use std::marker::PhantomData;

use pleach_core::{BlackboardType, Entity, Symbol, Time};

use crate::error::Failure;

/// A type of key, and what C has for it.
pub(crate) trait CType: BlackboardType {
    /// All bits are valid values of it.
    type C: Copy;
    fn to_c(self) -> Self::C;
    fn from_c(it: Self::C) -> Self;
}

macro_rules! c_types {
    ($($rust:ty as $c:ty: $to:expr, $from:expr;)*) => {$(
        impl CType for $rust {
            type C = $c;
            #[inline]
            fn to_c(self) -> $c {
                let to: fn($rust) -> $c = $to;
                to(self)
            }
            #[inline]
            fn from_c(it: $c) -> Self {
                let from: fn($c) -> $rust = $from;
                from(it)
            }
        }
    )*};
}

c_types! {
    bool as u8: u8::from, |it| it != 0;
    i64 as i64: |it| it, |it| it;
    f32 as f32: |it| it, |it| it;
    [f32; 2] as [f32; 2]: |it| it, |it| it;
    [f32; 3] as [f32; 3]: |it| it, |it| it;
    Entity as u64: Entity::to_bits, Entity::from_bits;
    Symbol as u64: Symbol::to_bits, Symbol::from_bits;
    Time as u64: Time::as_nanos, Time::from_nanos;
}

/// Values of one key, `stride` bytes apart.
pub(crate) struct Column<T: CType> {
    at: *mut u8,
    stride: usize,
    of: PhantomData<T>,
}

impl<T: CType> Column<T> {
    /// A column of `count` values. A stride of 0 means side by side.
    ///
    /// # Safety
    /// `count` values can be read there, or written if the column is written, as long as it is used
    /// with indices below `count`.
    pub(crate) unsafe fn new(at: *mut c_void, stride: usize, count: usize) -> Result<Self, Failure> {
        let size = size_of::<T::C>();
        let stride = if stride == 0 { size } else { stride };
        if at.is_null() && count > 0 {
            return Err(Failure::argument("the column is null"));
        }
        if stride < size || stride.checked_mul(count).is_none_or(|it| it > isize::MAX.unsigned_abs()) {
            return Err(Failure::argument(format!(
                "the values of the column are {stride} bytes apart, and each of {count} has {size}"
            )));
        }
        Ok(Column { at: at.cast(), stride, of: PhantomData })
    }

    #[inline]
    pub(crate) fn put(&self, index: usize, value: T) {
        // SAFETY: the caller of `new` promised that the value is there; it need not be aligned.
        unsafe { self.at.add(index * self.stride).cast::<T::C>().write_unaligned(value.to_c()) };
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> T {
        // SAFETY: as above; all bits are valid.
        T::from_c(unsafe { self.at.add(index * self.stride).cast::<T::C>().read_unaligned() })
    }
}
