//! Random numbers for tests: always the same ones, unless the environment sets a seed.

/// Numbers that look random.
pub(crate) struct Dice(u64);

impl Dice {
    /// A sequence of numbers for each seed.
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A whole number from 0 to below this one.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((it ^ (it >> 31)) % sides.max(1) as u64).expect("below a usize")
    }

    /// One of some things.
    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

/// The seeds of `count` cases from 0 on. `PLEACH_SEED` sets another first seed, `PLEACH_COUNT`
/// another count.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    let number = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |it| it.parse().unwrap_or_else(|_| panic!("{name} is a number: {it}")))
    };
    let first = number("PLEACH_SEED", 0);
    first..first + number("PLEACH_COUNT", count)
}
