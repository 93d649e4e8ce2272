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

    /// The children of a random composite in the order in which they are tried; a weight for each.
    pub fn order(&mut self, weights: &[f64]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..weights.len()).collect();
        let mut order = Vec::new();
        while left.len() > 1 {
            let total: f64 = left.iter().map(|&c| weights[c]).sum();
            if total == 0.0 {
                break;
            }
            let x = self.unit() * total;
            let mut reached = 0.0;
            let first_beyond = left.iter().position(|&c| {
                reached += weights[c];
                reached > x
            });
            let last_positive = || left.iter().rposition(|&c| weights[c] > 0.0);
            let chosen = first_beyond.or_else(last_positive).expect("the total is not 0");
            order.push(left.remove(chosen));
        }
        order.extend(left);
        order
    }
}
