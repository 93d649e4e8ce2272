//! The goals of one agent, of few agents, and of many trees.

use pleach_benches::Workload;
use pleach_benches::pleach::{BRAIN, PLEACH};

use super::super::row::Rows;
use super::goal::{Bound, Goal, only, worst};
use super::{CHURN, Mode, OBSERVED, POLLED};

/// The workloads that small crowds are judged by.
const SMALL: [Workload; 4] = [OBSERVED, POLLED, CHURN, Workload::Walk];

/// The goals of one agent, of few, and of many trees.
pub(super) fn small(rows: &Rows, mode: Mode) -> Vec<Goal> {
    use Bound::AtMost;
    let goal = |what, bound, unit, measured| Goal { what, bound, unit, measured, other: Some(measured) };
    let fixed = |what, bound, unit, measured| Goal { what, bound, unit, measured, other: None };
    let at_fifty = |workload| only(rows.ratio(workload, mode.forest, "hand", 50));
    let brain = rows.find(Workload::Spawn, BRAIN, 10_000);
    let lone_trees = rows.find(Workload::Trees, mode.forest, 1_000);
    vec![
        fixed(
            "a brain, S1 to S3",
            AtMost(1.2),
            "x naive",
            worst(&SMALL, &[1], |it, size| rows.ratio(it, BRAIN, "naive", size)),
        ),
        goal(
            "forests of 1 and of 10 agents, S1 to S3",
            AtMost(1.2),
            "x naive",
            worst(&SMALL, &[1, 10], |it, size| rows.ratio(it, mode.forest, "naive", size)),
        ),
        fixed(
            "a brain of the guard tree, inline and on the heap",
            AtMost(400.0),
            "bytes",
            only(brain.and_then(|it| it.bytes_per_agent)),
        ),
        fixed(
            "the same, spawned and ticked once",
            AtMost(4.0),
            "allocations",
            only(brain.and_then(|it| it.allocs_per_tick)),
        ),
        fixed("the same, spawned", AtMost(300.0), "ns", only(brain.and_then(|it| it.ns_per_agent_tick))),
        goal("S1 observed, 50 agents", AtMost(3.0), "x hand", at_fifty(OBSERVED)),
        goal("S1 polled, 50 agents", AtMost(3.0), "x hand", at_fifty(POLLED)),
        goal("S2, 50 agents", AtMost(3.0), "x hand", at_fifty(CHURN)),
        goal(
            "1 000 trees of one agent",
            AtMost(500.0),
            "bytes per agent",
            only(lone_trees.and_then(|it| it.bytes_per_agent)),
        ),
        goal(
            "1 000 trees of one agent",
            AtMost(2.0),
            "x as long as 1 000 agents of one tree",
            only(rows.ratio(Workload::Trees, mode.forest, mode.one_tree, 1_000)),
        ),
        fixed(
            "S6, 10 000 nodes from RON to tree",
            AtMost(10.0),
            "ms",
            only(rows.ns(Workload::Load, PLEACH, 10_000).map(|it| it * 1e-2)),
        ),
        fixed(
            "S6, 10 000 nodes from RON to tree",
            AtMost(5.0),
            "allocations per node",
            only(rows.find(Workload::Load, PLEACH, 10_000).and_then(|it| it.allocs_per_tick)),
        ),
    ]
}
