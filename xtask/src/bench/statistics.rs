//! Statistics of samples.

/// The median; for an even number, the mean of the middle two. `None` without samples.
pub(super) fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = if sorted.len().is_multiple_of(2) { sorted[sorted.len() / 2 - 1] } else { upper };
    Some(f64::midpoint(lower, upper))
}

/// The minimum. `None` without samples.
pub(super) fn lowest(samples: &[f64]) -> Option<f64> {
    samples.iter().copied().min_by(f64::total_cmp)
}

/// To five significant digits: no measurement here is better than that.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0), "order does not matter");
        assert_eq!(median(&[4.0, 1.0, 1e9, 2.0]), Some(3.0), "outliers do not matter");
    }

    #[test]
    fn the_lowest_counts_by_the_wall() {
        assert_eq!(lowest(&[]), None);
        assert_eq!(lowest(&[4.0, 1.5, 1e9]), Some(1.5));
    }

    #[test]
    fn rounding() {
        assert_eq!(rounded(123_456.789), 123_460.0);
        assert_eq!(rounded(0.004_123_456), 0.004_123_5);
        assert_eq!(rounded(0.0), 0.0);
    }
}
