//! How names and numbers are written for people.

use pleach_benches::Workload;
use pleach_benches::pleach::{DefaultWay, Way};

/// An implementation as tables and charts name it: they say which way of ticking is the default.
pub(crate) fn shown(implementation: &str) -> String {
    let mark = if implementation == DefaultWay::NAME { " (default)" } else { "" };
    format!("{implementation}{mark}")
}

/// What the sizes of a workload count.
pub(crate) fn size_of(workload: Workload) -> &'static str {
    if workload == Workload::Load { "nodes" } else { "agents" }
}

/// A whole number with thin groups of three: 1 000 000.
pub(crate) fn grouped(value: impl Into<f64>) -> String {
    let digits = format!("{:.0}", value.into());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
