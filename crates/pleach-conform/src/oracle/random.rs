//! The agent's random stream.

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// From 0, included, to 1, excluded: the upper 53 bits.
    pub fn unit(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let bits = (self.bits() >> 11) as f64;
        bits / (1_u64 << 53) as f64
    }

    /// An int from one to another, both included, all equally likely: a draw that would favour some
    /// of them is repeated.
    pub fn int(&mut self, from: i64, to: i64) -> i64 {
        let n = (i128::from(to) - i128::from(from)).max(0).unsigned_abs() + 1;
        let all = u128::from(u64::MAX) + 1;
        let product = loop {
            let product = u128::from(self.bits()) * n;
            if product % all >= all % n {
                break product;
            }
        };
        let above = i128::try_from(product / all).expect("less than 2^64");
        i64::try_from(i128::from(from) + above).expect("at most the last")
    }

    /// A float from `from`, included, to `to`, excluded.
    pub fn below(&mut self, from: f32, to: f32) -> f32 {
        let usable = |it: f32| if it.is_nan() { 0.0 } else { it.clamp(f32::MIN, f32::MAX) };
        let (from, to) = (usable(from), usable(to));
        let unit = self.unit();
        if to <= from {
            return from;
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is to be rounded")]
        let drawn = (f64::from(from) + (f64::from(to) - f64::from(from)) * unit) as f32;
        if drawn == to { to.next_down() } else { drawn }
    }

    /// The children of a random composite in the order in which they are tried; a weight for each.
    pub fn order(&mut self, weights: &[f64]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..weights.len()).collect();
        let mut order = Vec::new();
        while left.len() > 1 {
            match self.one_of(&left, weights) {
                Some(chosen) => order.push(left.remove(chosen)),
                None => break,
            }
        }
        order.extend(left);
        order
    }

    /// The child that a random choice runs: the first of such an order, without the rest of it.
    pub fn choice(&mut self, weights: &[f64]) -> usize {
        let all: Vec<usize> = (0..weights.len()).collect();
        if all.len() == 1 { 0 } else { self.one_of(&all, weights).unwrap_or(0) }
    }

    /// The place of one of these children, drawn by weight; `None` if no weight is above 0.
    fn one_of(&mut self, left: &[usize], weights: &[f64]) -> Option<usize> {
        let total: f64 = left.iter().map(|&c| weights[c]).sum();
        if total == 0.0 {
            return None;
        }
        let x = self.unit() * total;
        let mut reached = 0.0;
        let first_beyond = left.iter().position(|&c| {
            reached += weights[c];
            reached > x
        });
        first_beyond.or_else(|| left.iter().rposition(|&c| weights[c] > 0.0))
    }
}
