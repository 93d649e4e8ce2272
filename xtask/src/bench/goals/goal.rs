//! One goal: what is measured, its bound, and the result.

use std::fmt;

use pleach_benches::Workload;

use crate::show::grouped;

use super::super::table::short;

/// One line of the goals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goal {
    pub(super) what: &'static str,
    pub(super) bound: Bound,
    /// What the numbers count.
    pub(super) unit: &'static str,
    /// In the default mode, by which it is judged.
    pub(super) measured: Measured,
    /// In the other mode; `None` if modes do not affect the goal.
    pub(super) other: Option<Measured>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    AtMost(f64),
    Below(f64),
    AtLeast(f64),
}

/// The worst value that a goal covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Measured {
    /// With the place where it was found, if the goal covers several.
    Value(f64, Option<Place>),
    /// This run left it out.
    NotInThisRun,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// If the goal covers several.
    pub(super) workload: Option<Workload>,
    pub(super) size: u32,
}

pub(super) fn only(value: Option<f64>) -> Measured {
    value.map_or(Measured::NotInThisRun, |it| Measured::Value(it, None))
}

/// The value at the size at which it is highest, among those that were measured.
pub(super) fn highest(sizes: &[u32], value: impl Fn(u32) -> Option<f64>) -> Measured {
    highest_of(sizes.iter().map(|&size| (value(size), Place { workload: None, size })))
}

/// The highest value of all workloads and sizes that were measured.
pub(super) fn worst(workloads: &[Workload], sizes: &[u32], value: impl Fn(Workload, u32) -> Option<f64>) -> Measured {
    let places = workloads.iter().flat_map(|&workload| sizes.iter().map(move |&size| (workload, size)));
    highest_of(places.map(|(workload, size)| (value(workload, size), Place { workload: Some(workload), size })))
}

fn highest_of(values: impl Iterator<Item = (Option<f64>, Place)>) -> Measured {
    let measured = values.filter_map(|(value, place)| Some((value?, place)));
    let highest = measured.max_by(|a, b| a.0.total_cmp(&b.0));
    highest.map_or(Measured::NotInThisRun, |(value, place)| Measured::Value(value, Some(place)))
}

pub(super) fn lowest(sizes: &[u32], value: impl Fn(u32) -> Option<f64>) -> Measured {
    match highest(sizes, |it| value(it).map(|it| -it)) {
        Measured::Value(value, place) => Measured::Value(-value, place),
        none => none,
    }
}

impl Goal {
    pub(super) fn goal(&self) -> String {
        let (sign, value) = match self.bound {
            Bound::AtMost(value) => ("<=", value),
            Bound::Below(value) => ("<", value),
            Bound::AtLeast(value) => (">=", value),
        };
        let value = if value.fract() == 0.0 { grouped(value) } else { format!("{value:.1}") };
        format!("{sign} {value} {}", self.unit)
    }

    pub(super) fn is_met(&self) -> Option<bool> {
        let Measured::Value(value, _) = self.measured else { return None };
        Some(match self.bound {
            Bound::AtMost(bound) => value <= bound,
            Bound::Below(bound) => value < bound,
            Bound::AtLeast(bound) => value >= bound,
        })
    }

    pub(super) fn verdict(&self) -> &'static str {
        match self.is_met() {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "-",
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value, Some(Place { workload: Some(workload), size })) => {
                write!(f, "{} in {workload} at {}", short(*value), grouped(*size))
            }
            Self::Value(value, Some(Place { workload: None, size })) => {
                write!(f, "{} at {}", short(*value), grouped(*size))
            }
            Self::Value(value, None) => f.write_str(&short(*value)),
            Self::NotInThisRun => f.write_str("not in this run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach_benches::guard::Guards;

    use super::*;

    const OBSERVED: Workload = Workload::Guards(Guards::Observed);
    const CHURN: Workload = Workload::Guards(Guards::Churn);

    fn goal(bound: Bound, measured: Measured) -> Goal {
        Goal { what: "S9", bound, unit: "x hand", measured, other: None }
    }

    fn at(value: f64, size: u32) -> Measured {
        Measured::Value(value, Some(Place { workload: None, size }))
    }

    #[test]
    fn bounds_are_where_they_should_be() {
        let is_met = |bound, value| goal(bound, Measured::Value(value, None)).is_met();
        assert_eq!(is_met(Bound::AtMost(3.0), 3.0), Some(true));
        assert_eq!(is_met(Bound::AtMost(3.0), 3.001), Some(false));
        assert_eq!(is_met(Bound::AtMost(0.0), 1e-9), Some(false), "hardly any allocation is one");
        assert_eq!(is_met(Bound::Below(2.5), 2.5), Some(false));
        assert_eq!(is_met(Bound::AtLeast(8.0), 8.0), Some(true));
        assert_eq!(is_met(Bound::AtLeast(8.0), 7.9), Some(false));
        assert_eq!(goal(Bound::AtLeast(8.0), Measured::NotInThisRun).is_met(), None);
    }

    #[test]
    fn the_worst_size_counts() {
        let value = |size: u32| (size != 10).then(|| f64::from(size) - 50.0);
        assert_eq!(highest(&[1, 10, 100], value), at(50.0, 100));
        assert_eq!(lowest(&[1, 10, 100], value), at(-49.0, 1));
        assert_eq!(highest(&[10], value), Measured::NotInThisRun);
        assert_eq!(lowest(&[10], value), Measured::NotInThisRun);
        let value = |workload, size: u32| (workload == CHURN || size == 1).then(|| f64::from(size));
        let found = worst(&[OBSERVED, CHURN], &[1, 10], value);
        assert_eq!(found.to_string(), "10.0 in S2 at 10");
        assert_eq!(worst(&[OBSERVED], &[10], value), Measured::NotInThisRun);
    }
}
