//! The simulation without its window.

mod common;
mod past;
mod whole;
