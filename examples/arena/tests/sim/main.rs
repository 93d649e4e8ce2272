//! The simulation without its window.

mod common;
mod heist;
mod past;
mod whole;
