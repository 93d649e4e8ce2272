//! The expression language of pleach's behaviour trees: values and their types, names, and the
//! expressions that compute with them ([`expr`]).
//!
//! The caller that compiles an expression resolves its names, and the one that evaluates it
//! supplies its keys: this crate knows neither trees nor blackboards.

pub mod expr;
pub mod known;
pub mod limits;
pub mod names;
#[cfg(feature = "serde")]
mod serial;
pub mod text;
mod time;
mod value;

pub use time::{NoTime, Time};
pub use value::{Entity, Symbol, Type, Value};

pub mod runtime {
    //! What a runtime needs of names, values and expressions, and games do not.

    pub use crate::expr::code::Cmp;
    pub use crate::expr::compared::{Comparison, With, as_key, readings};
    pub use crate::expr::compiler::{Compiler, asks, eval_on, most_values, of_key};
    pub use crate::expr::lex::{SLOT, TOKEN, is_key_name};
    pub use crate::expr::turning::{next_turn, turns_once};
    #[cfg(feature = "serde")]
    pub use crate::serial::find_words_by;
    pub use crate::time::{nanoseconds, whole};
    pub use crate::value::{hash_of, of_hash, same_float, same_floats};
}
