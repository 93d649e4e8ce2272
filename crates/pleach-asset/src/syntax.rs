//! From text to values with spans.
//!
//! The `ron` crate hands out no positions, loses the names of variants when it does not know the
//! type, and recurses into whatever is in brackets. With what it needs it also is a fifth of what a
//! small game compiles. So it is only asked for words, in `token`, about single tokens that are
//! wrong. Tests compare all that is read with what it reads.

#[cfg(feature = "baked")]
mod baked;
mod number;
mod quoted;
#[cfg(feature = "text")]
mod reader;
#[cfg(feature = "text")]
mod token;
mod value;

pub(crate) use number::{Number, float32, integer, number};
pub(crate) use quoted::character;
#[cfg(feature = "text")]
pub(crate) use reader::read;
pub(crate) use value::{Args, Data, Fields, HostCall, List, Value, Values};
