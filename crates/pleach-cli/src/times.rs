//! The times of frames, and their mean, median and percentiles.

use std::time::Duration;

/// Durations in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<u64>);

impl Times {
    pub(crate) fn add(&mut self, it: Duration) {
        self.0.push(u64::try_from(it.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.0.len()).expect("one per frame, and frames are bounded")
    }

    /// The mean, or 0 without any time.
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().map(|it| *it as f64).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The median, the 99th percentile and the longest.
    pub(crate) fn digest(&self) -> [f64; 3] {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        [50, 99, 100].map(|it| percentile(&sorted, it))
    }
}

/// The middle value, or the mean of the middle two. `None` if there is no value.
pub(crate) fn median(mut of: Vec<f64>) -> Option<f64> {
    of.sort_unstable_by(f64::total_cmp);
    let half = of.len() / 2;
    let upper = *of.get(half)?;
    Some(if of.len().is_multiple_of(2) { f64::midpoint(of[half - 1], upper) } else { upper })
}

/// The smallest measurement that is not below `percent` per cent of all.
fn percentile(sorted: &[u64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means() {
        assert_eq!(Times::default().mean(), 0.0);
        assert_eq!(Times(vec![1, 2, 6]).mean(), 3.0);
    }

    #[test]
    fn medians() {
        assert_eq!(
            [vec![], vec![3.0], vec![9.0, 1.0], vec![9.0, 1.0, 2.0]].map(median),
            [None, Some(3.0), Some(5.0), Some(2.0)]
        );
    }

    #[test]
    fn percentiles_are_measurements() {
        let all: Vec<u64> = (1..=200).collect();
        assert_eq!([1, 50, 99, 100].map(|it| percentile(&all, it)), [2.0, 100.0, 198.0, 200.0]);
        assert_eq!(percentile(&[7], 50), 7.0);
        assert_eq!(percentile(&[], 50), 0.0);
    }
}
