//! Conformance: the model of the scenarios in `trees/conformance`, an oracle that says what each
//! scenario must print, and a generator of random scenarios.
//!
//! The oracle is a second implementation of SEMANTICS.md, as simple as possible. It shares no code
//! with the interpreter, so a trace on which both agree is right twice over.

pub mod compare;
pub mod crowd;
mod dice;
pub mod expr;
pub mod generator;
mod happening;
mod keys;
pub mod oracle;
pub mod runner;
pub mod scenario;
mod stack;
pub mod suite;

pub use scenario::{Scenario, ScenarioError};
