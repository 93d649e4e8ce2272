//! Many agents: in turns, within budgets, asleep, in groups and on threads they do what each would
//! do alone.

mod batched;
mod pace;
mod parallel;
mod sleep;
mod turns;
mod turns_model;
