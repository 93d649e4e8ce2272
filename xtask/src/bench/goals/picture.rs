//! The goals of crowds of all sizes: which lines pleach's must be below in the chart from one agent
//! to a million.

use pleach_benches::Workload;
use pleach_benches::pleach::BRAIN;
use pleach_benches::sleep::Sleep;

use super::super::row::Rows;
use super::goal::{Bound, Goal, Measured, worst};
use super::{BONSAI, CHURN, Mode, OBSERVED, POLLED};

const WORKLOADS: [Workload; 5] = [OBSERVED, POLLED, CHURN, Workload::Walk, Workload::Sleep(Sleep::Napping)];
const SIZES: [u32; 8] = [1, 10, 50, 100, 1_000, 10_000, 100_000, 1_000_000];

/// The goals of crowds of all sizes, for games that choose between brains and a forest, and for
/// those with all agents in a forest.
pub(super) fn picture(rows: &Rows, mode: Mode) -> Vec<Goal> {
    let against = |pleach: &[&'static str], rivals: &[&'static str]| -> Measured {
        worst(&WORKLOADS, &SIZES, |workload, size| {
            // Without the forest's row nothing is judged: brains are not measured at all sizes.
            rows.ns(workload, mode.forest, size)?;
            let best =
                |names: &[&'static str]| names.iter().filter_map(|it| rows.ns(workload, it, size)).reduce(f64::min);
            Some(best(pleach)? / best(rivals)?)
        })
    };
    let goal = |what, unit, measured| Goal { what, bound: Bound::Below(1.0), unit, measured, other: Some(measured) };
    let (either, forest) = ([mode.forest, BRAIN], [mode.forest]);
    vec![
        goal("S1 to S4, 1 to 1 000 000 agents, brains or a forest", "x naive", against(&either, &["naive"])),
        goal("the same, in a forest", "x naive", against(&forest, &["naive"])),
        goal("the same, brains or a forest", "x the better form of bonsai-bt", against(&either, &BONSAI)),
        goal("the same, in a forest", "x the better form of bonsai-bt", against(&forest, &BONSAI)),
    ]
}

#[cfg(test)]
mod tests {
    use pleach_benches::pleach::{DefaultWay, Way};

    use super::super::super::row::row;
    use super::super::DEFAULT;
    use super::*;

    #[test]
    fn the_better_of_brains_and_a_forest_counts_where_both_were_measured() {
        let mut rows = Rows::default();
        let judged = |rows: &Rows| picture(rows, DEFAULT).iter().map(|it| it.measured.to_string()).collect::<Vec<_>>();
        assert_eq!(judged(&rows), ["not in this run"; 4]);
        for (size, forest, brain, naive, bonsai) in
            [(1, 30.0, Some(10.0), 20.0, [40.0, 25.0]), (1_000_000, 9.0, None, 10.0, [36.0, 90.0])]
        {
            rows.push(row(CHURN, DefaultWay::NAME, size, forest));
            rows.push(row(CHURN, "naive", size, naive));
            for (name, ns) in BONSAI.into_iter().zip(bonsai) {
                rows.push(row(CHURN, name, size, ns));
            }
            if let Some(ns) = brain {
                rows.push(row(CHURN, BRAIN, size, ns));
            }
        }
        assert_eq!(judged(&rows), ["0.90 in S2 at 1 000 000", "1.50 in S2 at 1", "0.40 in S2 at 1", "1.20 in S2 at 1"]);
        // A brain alone says nothing about the picture.
        rows.push(row(OBSERVED, BRAIN, 1, 50.0));
        rows.push(row(OBSERVED, "naive", 1, 10.0));
        assert_eq!(judged(&rows)[0], "0.90 in S2 at 1 000 000");
    }
}
