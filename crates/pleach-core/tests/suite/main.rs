//! What the runtime promises, by subject. One program for all of them: the interpreter is compiled
//! for the host of each test program anew, which takes longer than all of these tests.

mod crowds;
mod keys;
mod life;
mod replaced;
#[path = "../support/lib.rs"]
mod support;
mod trees;
