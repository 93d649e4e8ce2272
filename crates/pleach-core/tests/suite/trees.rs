//! Trees: which are refused, how large they may be, and that ticking them allocates nothing.

mod alike;
mod allocations;
mod amounts;
mod builder;
mod deferred;
mod large;
mod options;
mod switch;
