//! Random lives of forests, on hosts of their own. Each is lived in several ways, and all must
//! agree. `harness` has what they share; the other files say what is compared with what.

mod alike;
mod batched_alike;
mod batched_panics;
mod brain_alike;
mod crossed;
mod dice;
mod few_alike;
mod harness;
mod replace_alike;
mod threads_alike;
