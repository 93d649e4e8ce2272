//! Many agents: with turns, within budgets, asleep, in batches and on threads, each does what it
//! would do alone.

mod batched;
mod batched_traced;
mod budget_panics;
mod few;
mod growth;
mod pace;
mod parallel;
mod quiet;
mod shared_keys;
mod sleep;
mod tokens;
mod turns;
mod turns_model;
mod woken;
