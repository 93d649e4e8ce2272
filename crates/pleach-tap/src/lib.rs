//! Lets `pleach studio` watch and steer a running game: [`Tap`] is the game's side, [`studio`] the
//! other one.
//!
//! What the studio gets is the game's own [`Recording`](pleach_core::record::Recording), piece by
//! piece: there is no second log, and what was seen live can be seen again from a file.

mod carry_out;
mod held;
mod link;
mod places;
pub mod studio;
mod tap;
mod wire;

pub use tap::{Tap, same_token};
