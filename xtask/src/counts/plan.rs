//! What is counted: which implementations play what, with how many agents, for how many frames.

use std::hint::black_box;

use pleach_benches::sleep::Sleep;
use pleach_benches::workload::Quiet;
use pleach_benches::{Entry, Racer, Workload, entries};

/// One crowd.
pub(super) struct Part {
    pub(super) entry: &'static Entry,
    pub(super) agents: u32,
    /// How many frames are counted, after the crowd has settled.
    pub(super) frames: u32,
}

/// Every crowd of a workload, in the order in which they play.
pub(super) fn parts(workload: Workload) -> impl Iterator<Item = Part> {
    let of_size = move |agents| {
        let counted = entries(workload).filter(move |it| it.takes(agents) && !is_library(it.name));
        counted.map(move |entry| Part { entry, agents, frames: frames(workload, agents) })
    };
    sizes(workload).iter().copied().flat_map(of_size)
}

/// Whether it is another library, whose counts say no more about pleach than its times.
fn is_library(name: &str) -> bool {
    name.starts_with("bonsai") || name == "behavior-tree-lite"
}

fn sizes(workload: Workload) -> &'static [u32] {
    match workload {
        Workload::Guards(_) | Workload::Walk | Workload::Sleep(_) => &[1, 10, 100, 1_000, 10_000],
        Workload::Events(_) => &[1_000],
        Workload::Sensors(_) => &[10_000],
        Workload::Quiet(Quiet::Token) => &[1_000, 10_000, 100_000],
        Workload::Quiet(_) => &[1_000, 10_000],
        Workload::Trees => &[1_000, 3_000, 10_000],
        Workload::Load => &[10, 1_000, 10_000],
        Workload::Mixed | Workload::Spawn | Workload::Despawn | Workload::Reload => &[10_000],
        // Below valgrind threads take turns.
        Workload::Threads(_) | Workload::Squads(_) => &[],
        // S6-reload includes its cost.
        Workload::Keep => &[],
        // Their goals are ratios of times.
        Workload::Snapshot | Workload::Save => &[],
    }
}

/// Just enough frames for each agent to do everything it does: valgrind makes all of it fifty times
/// as slow.
fn frames(workload: Workload, agents: u32) -> u32 {
    let many = (20_000 / agents).max(4);
    match workload {
        Workload::Load | Workload::Spawn | Workload::Despawn | Workload::Reload | Workload::Keep => 1,
        Workload::Snapshot | Workload::Save => 1,
        Workload::Mixed => 4,
        // So that each agent wakes equally often.
        Workload::Sleep(_) => many.div_ceil(Sleep::ROUND) * Sleep::ROUND,
        _ => many,
    }
}

/// Plays all crowds of a workload.
pub(super) fn play(workload: Workload) {
    for Part { entry, agents, frames } in parts(workload) {
        let mut racer = entry.make(workload, agents).expect("it is an entry of this workload");
        played(racer.as_mut(), workload.settling());
        played(racer.as_mut(), frames);
    }
}

/// The function after which callgrind writes its counts, as a pattern of callgrind: twice for each
/// crowd.
pub(super) const PLAYED: &str = "*xtask*counts*plan*played*";

#[inline(never)]
fn played(racer: &mut dyn Racer, frames: u32) {
    black_box(racer.play(frames));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workload_is_counted_but_threads_and_what_is_kept() {
        for workload in Workload::ALL {
            let names: Vec<&str> = parts(workload).map(|it| it.entry.name).collect();
            let left_out =
                workload.is_by_the_wall() || matches!(workload, Workload::Keep | Workload::Snapshot | Workload::Save);
            assert_eq!(names.is_empty(), left_out, "{workload}");
            assert!(!names.iter().any(|it| it.starts_with("bonsai")), "{names:?}");
            for part in parts(workload) {
                assert!(part.frames > 0 && part.entry.takes(part.agents), "{workload}: {}", part.agents);
            }
        }
    }

    #[test]
    fn sleepers_wake_equally_often() {
        for part in parts(Workload::Sleep(Sleep::Napping)) {
            assert_eq!(part.frames % Sleep::ROUND, 0, "{}", part.agents);
        }
    }
}
