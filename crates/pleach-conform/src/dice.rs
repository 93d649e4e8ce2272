//! Random choices from a seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From 0 to `n`, excluded. `n` is small, so the bias of the remainder does not matter.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n64 = u64::try_from(n).expect("usize is at most 64 bits");
        usize::try_from(self.bits() % n64).expect("less than n")
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + u32::try_from(self.bits() % u64::from(high - low + 1)).expect("less than a u32")
    }

    /// As [`Dice::between`], signed.
    pub(crate) fn seconds(&mut self, low: i32, high: i32) -> i32 {
        low + i32::try_from(self.between(0, low.abs_diff(high))).expect("small")
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }

    /// A random index with these odds, not all of which are 0.
    pub(crate) fn weighted(&mut self, odds: &[usize]) -> usize {
        let mut x = self.below(odds.iter().sum());
        for (i, &n) in odds.iter().enumerate() {
            if x < n {
                return i;
            }
            x -= n;
        }
        odds.len() - 1
    }
}
