//! The walk as nested code.

use std::hint::black_box;

use crate::crowd::{Crowd, Totals};
use crate::walk::{self, LENGTH, Walk};

/// A crowd of hand-written walkers: the counter of each.
#[derive(Debug)]
pub struct HandWalkers(Vec<u32>);

impl Crowd for HandWalkers {
    type Scene = Walk;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, _: Walk) -> Self {
        Self((0..agents).map(|_| 0).collect())
    }

    fn frame(&mut self, _: u32) {
        for walker in &mut self.0 {
            walk(walker);
        }
    }

    fn totals(&self) -> Totals {
        walk::totals(self.0.iter().copied())
    }
}

/// The walk tree. Its outer three nodes pass on the inner selector's status.
#[inline]
fn walk(walked: &mut u32) -> bool {
    let sequence = (0..LENGTH).all(|_| action(walked));
    !sequence || action(walked)
}

/// The host's action. Its result is hidden from the compiler, as in the other implementations:
/// otherwise the compiler would fold 21 additions into one, which it cannot do with real actions.
/// It is inlined, as in code written by hand. Without inlining it costs three times as much.
#[inline]
fn action(walked: &mut u32) -> bool {
    *walked = walked.wrapping_add(1);
    black_box(true)
}
