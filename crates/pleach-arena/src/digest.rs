//! Determinism: the seeded random numbers of a world, and the digest that tests compare.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use slotmap::Key;

use crate::geometry::Point;

/// A stream of random numbers from a seed: xoshiro256++ (Blackman and Vigna), which never changes
/// its output.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Xoshiro256PlusPlus);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in `low..high`, or `low` if the range is empty.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        // An `f32` holds 24 bits exactly.
        let unit = (self.0.next_u64() >> 40) as f32 / 16_777_216.0;
        low + (high - low) * unit
    }

    /// Uniform in `0..n`, with a bias of at most `n` in 2^32. 0 for `n` = 0.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        let wide = (self.0.next_u64() >> 32) * u64::from(n);
        u32::try_from(wide >> 32).expect("a product of two 32-bit numbers, shifted")
    }

    /// Uniform in the square of that half-side around a point.
    pub(crate) fn around(&mut self, centre: Point, reach: f32) -> Point {
        [self.between(centre[0] - reach, centre[0] + reach), self.between(centre[1] - reach, centre[1] + reach)]
    }
}

/// A running digest that shows whether two runs differ. It does not resist forgery.
#[derive(Clone, Debug)]
pub(crate) struct Fold(u64);

impl Fold {
    pub(crate) fn new() -> Self {
        Fold(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn word(&mut self, word: u64) {
        // The finaliser of splitmix64 (Steele, Lea, Flood) after each word, so that the order and
        // every bit count.
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    pub(crate) fn id(&mut self, id: impl Key) {
        self.word(id.data().as_ffi());
    }

    pub(crate) fn float(&mut self, value: f32) {
        self.word(u64::from(value.to_bits()));
    }

    pub(crate) fn seconds(&mut self, value: f64) {
        self.word(value.to_bits());
    }

    pub(crate) fn point(&mut self, at: Point) {
        self.word(u64::from(at[0].to_bits()) << 32 | u64::from(at[1].to_bits()));
    }

    /// The state of the dice, as the next numbers they give.
    pub(crate) fn dice(&mut self, dice: &Dice) {
        let mut peek = dice.0.clone();
        for _ in 0..4 {
            self.word(peek.next_u64());
        }
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_stay_in_range_and_repeat() {
        let (mut a, mut b) = (Dice::new(5), Dice::new(5));
        let mut seen = [0; 6];
        for _ in 0..6_000 {
            let x = a.between(-2.0, 3.0);
            assert!((-2.0..3.0).contains(&x));
            assert_eq!(x, b.between(-2.0, 3.0));
            let side = a.below(6);
            assert_eq!(side, b.below(6));
            seen[side as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert_eq!(a.below(0), 0);
    }

    #[test]
    fn a_digest_minds_order() {
        let of = |words: &[u64]| {
            let mut fold = Fold::new();
            words.iter().for_each(|w| fold.word(*w));
            fold.finish()
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
    }
}
