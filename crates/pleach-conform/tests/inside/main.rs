//! Unit tests of the crate, one module per subject. They are outside it because it is compiled with
//! optimisation: tests inside would compile it a second time.

mod build;
mod crowd;
mod expr;
mod files;
mod generator;
mod order;
mod random;
mod threads;
mod turns;
mod twin;
