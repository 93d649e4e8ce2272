//! From text to values with spans.
//!
//! The `ron` crate reports no positions, loses the names of variants when it does not know the
//! type, and recurses into brackets. With its dependencies it is also a fifth of what a small game
//! compiles. So it only words errors, in `token`, about single tokens that are wrong. Tests compare
//! what is read here with what `ron` reads.

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
pub(crate) use reader::{A_TREE, read, read_tree};
pub(crate) use value::{Args, Data, Fields, HostCall, List, Value, Values};
