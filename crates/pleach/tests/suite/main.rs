//! What the runtime promises, by subject. All tests are one program: the interpreter is compiled
//! again for the host of each test program, which takes longer than all of these tests.

mod crowds;
#[path = "../../../pleach-core/tests/lives/dice.rs"]
mod dice;
mod kept;
mod keys;
mod life;
mod replaced;
#[path = "../support/lib.rs"]
mod support;
mod trees;
