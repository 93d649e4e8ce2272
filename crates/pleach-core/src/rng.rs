//! Random numbers: each agent has a stream of its own (SEMANTICS 8.13), SplitMix64 (Steele, Lea,
//! Flood, 2014). It takes eight bytes and is the same everywhere.

use std::convert::Infallible;
use std::ops::Range;

use rand_core::{Rng, TryRng};
use rand_xoshiro::SplitMix64;

/// An agent's own random stream: [`Context::rng`](crate::Context::rng). The crate `rand` draws from
/// it, as from any other `Rng`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub struct Stream(SplitMix64);

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(to)
    }
}

/// Uniform in [0, 1), from the upper 53 bits of one draw.
pub(crate) fn unit(rng: &mut Stream) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact in an f64")]
    let bits = (rng.next_u64() >> 11) as f64;
    bits * (1.0 / (1_u64 << 53) as f64)
}

/// Uniform in a range, excluding its end.
pub(crate) fn within(rng: &mut Stream, range: Range<f32>) -> f32 {
    let (start, end) = (f64::from(range.start), f64::from(range.end));
    #[expect(clippy::cast_possible_truncation, reason = "it lies between two `f32`s")]
    let drawn = (start + (end - start) * unit(rng)) as f32;
    // It may have been rounded up to the end.
    if drawn < range.end { drawn } else { range.end.next_down().max(range.start) }
}

/// Uniform from `from` to `to`, which is not less; both are included (SEMANTICS 8.28). Takes one
/// draw, and another one whenever the last would favour some numbers (Lemire, 2019).
pub(crate) fn whole(rng: &mut Stream, from: i64, to: i64) -> i64 {
    let n = u128::from(from.abs_diff(to)) + 1;
    loop {
        let product = u128::from(rng.next_u64()) * n;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let (high, low) = ((product >> 64) as u64, u128::from(product as u64));
        // The remainder is less than `n`, so it is rarely needed.
        if low >= n || low >= (1 << 64) % n {
            return from.wrapping_add_unsigned(high);
        }
    }
}

/// The stream of the n-th agent of a forest. The seeds are mixed, because streams of neighbouring
/// seeds would overlap after few draws.
pub(crate) fn stream(forest: u64, spawned: u64) -> Stream {
    use rand_core::SeedableRng;
    let mut mixer = SplitMix64::seed_from_u64(forest ^ spawned.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32));
    Stream(SplitMix64::seed_from_u64(mixer.next_u64()))
}

/// The stream that begins with exactly this state.
pub(crate) fn exact(seed: u64) -> Stream {
    use rand_core::SeedableRng;
    Stream(SplitMix64::from_seed(seed.to_le_bytes()))
}
