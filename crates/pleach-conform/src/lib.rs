//! Conformance: the scenarios of `trees/conformance` as a model, an oracle that says what each must
//! print, and a generator of any number of further ones.
//!
//! The oracle is the semantics once more, in the plainest words that run: it shares no code with
//! the interpreter, so that a trace on which both agree has two witnesses.

pub mod compare;
mod crowd;
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
