//! The functions that make nodes, one per kind, for trees written in Rust. Each returns a [`Node`].
//! Its methods set further options: `random_selector(..).weights([2.0, 1.0])`.
//! [`Tree::builder`](crate::Tree::builder) makes a tree of them, and reports every problem.

pub use pleach_core::nodes::{
    Abort, Bound, Case, Count, Ending, Node, Number, Policy, action, action_of, batch_action, batch_condition, check,
    condition, condition_of, cooldown, deferred, delay, emit, fail, finally, force_failure, force_success, free, guard,
    idle, inverter, limit, log, on_event, parallel, probability, random_choice, random_selector, random_sequence,
    reactive_selector, reactive_sequence, repeat, repeat_forever, roll, selector, sequence, set, succeed, switch,
    timeout, token, until_failure, until_success, utility_selector, wait, wait_for, wait_ticks, wait_until,
};
