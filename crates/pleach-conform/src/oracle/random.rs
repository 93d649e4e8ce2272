//! The agent's random stream.

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
#[derive(Clone)]
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// From 0, included, to 1, excluded: the upper 53 bits.
    pub(super) fn unit(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let bits = (self.next() >> 11) as f64;
        bits / (1_u64 << 53) as f64
    }

    /// The children of a random composite in the order in which they are tried; a weight for each.
    pub(super) fn order(&mut self, weights: &[f64]) -> Vec<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        // From the reference implementation, seed 1234567.
        let mut random = SplitMix64(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], first);
    }

    #[test]
    fn orders() {
        let mut random = SplitMix64(0);
        assert_eq!(random.order(&[1.0]), [0]);
        assert_eq!(random.0, 0, "the only one is not drawn");
        assert_eq!(random.order(&[0.0, 0.0, 0.0]), [0, 1, 2]);
        assert_eq!(random.0, 0, "without weight there is no draw");
        for _ in 0..100 {
            assert_eq!(random.order(&[0.0, 1.0, 0.0]), [1, 0, 2]);
        }
    }
}
