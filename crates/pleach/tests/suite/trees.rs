//! Trees: which are refused, how large they may be, what their leaves remember, and that ticking
//! them allocates nothing.

mod alike;
mod allocations;
mod amounts;
mod builder;
mod choices;
mod deferred;
mod finally;
mod large;
mod locals;
mod options;
mod rolls;
mod states;
mod switch;
