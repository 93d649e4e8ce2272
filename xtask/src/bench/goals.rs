//! What pleach must reach, and whether it does: the goals, judged by the rows of one run.

use std::fmt;

use pleach_benches::Workload;
use pleach_benches::guard::Guards;
use pleach_benches::pleach::{Footprint, Observed, Way};
use pleach_benches::sleep::Sleep;
use pleach_benches::squad::Squads;

use super::row::Rows;
use super::table::{grouped, short};

const OBSERVED: Workload = Workload::Guards(Guards::Observed);
const POLLED: Workload = Workload::Guards(Guards::Polled);
const CHURN: Workload = Workload::Guards(Guards::Churn);
/// The guards whose ticks threads share.
const THREADS: [(&str, Workload); 3] = [
    ("S1 observed, 100 000 agents on two threads", Workload::Threads(Guards::Observed)),
    ("S1 polled, 100 000 agents on two threads", Workload::Threads(Guards::Polled)),
    ("S2, 100 000 agents on two threads, without the events", Workload::Threads(Guards::Churn)),
];
const SQUADS: [(&str, Workload); 2] = [
    ("four shared keys written per tick, 20 480 agents, each a squad of its own", Workload::Squads(Squads::Alone)),
    ("four shared keys written per tick, 20 480 agents, eight in a squad", Workload::Squads(Squads::OfEight)),
];
const PLEACH: &str = Observed::NAME;
const BONSAI: [&str; 2] = ["bonsai-race", "bonsai-reactive"];
/// A frame at 60 Hz, in milliseconds.
const FRAME_MS: f64 = 1_000.0 / 60.0;

/// One line of the goals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goal {
    what: &'static str,
    bound: Bound,
    /// What the numbers count.
    unit: &'static str,
    measured: Measured,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtMost(f64),
    Below(f64),
    AtLeast(f64),
}

/// The worst of what a goal speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measured {
    /// With the size at which it was found, if the goal speaks of several.
    Value(f64, Option<u32>),
    /// This run left it out.
    NotInThisRun,
}

/// All of them, in the order of PERFORMANCE.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goals(Vec<Goal>);

impl Goals {
    pub(super) fn of(rows: &Rows, guard: Footprint) -> Self {
        use Bound::{AtLeast, AtMost, Below};
        let against = |workload, rival: &'static str| move |size| rows.ratio(workload, PLEACH, rival, size);
        let ms = |workload, size| rows.ns(workload, PLEACH, size).map(|it| it * f64::from(size) * 1e-6);
        // Both forms, or it would be no comparison with the better one.
        let bonsai = |size| {
            let [race, reactive] = BONSAI.map(|it| rows.ratio(OBSERVED, it, PLEACH, size));
            Some(race?.min(reactive?))
        };
        let growth = [OBSERVED, POLLED, CHURN, Workload::Walk]
            .map(|workload| Some(rows.ns(workload, PLEACH, 1_000_000)? / rows.ns(workload, PLEACH, 1_000)?));
        let growth = growth.into_iter().collect::<Option<Vec<_>>>().map(|it| it.into_iter().fold(0.0, f64::max));
        let allocations = [OBSERVED, POLLED, CHURN, Workload::Walk, Workload::Sleep(Sleep::Napping), Workload::Mixed]
            .map(|workload| {
                rows.of(workload)
                    .filter(|it| it.implementation.starts_with(PLEACH))
                    .filter_map(|it| it.allocs_per_tick)
                    .reduce(f64::max)
            });
        let allocations =
            allocations.into_iter().collect::<Option<Vec<_>>>().map(|it| it.into_iter().fold(0.0, f64::max));
        let goal = |what, bound, unit, measured| Goal { what, bound, unit, measured };
        const BIG: [u32; 2] = [10_000, 100_000];
        const MANY: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
        // As the allocator counts it: with the look-up of ids, and with room that is not used.
        let spawned = rows.find(Workload::Spawn, PLEACH, 100_000).and_then(|it| it.bytes_per_agent);
        let kept = spawned.map(|it| it - bytes(guard.blackboard + guard.leaves));
        let [observed, polled, churn] = THREADS.map(|(what, workload)| {
            let on = |name| rows.ns(workload, name, 100_000);
            // Whichever way is the faster one with a single thread, or slow threads would look
            // good.
            let ratio = || Some(on(PLEACH)?.min(on("pleach-threads-1")?) / on("pleach-threads-2")?);
            goal(what, AtLeast(1.7), "x as fast as on one", only(ratio()))
        });
        let [alone, of_eight] = SQUADS.map(|(what, workload)| {
            goal(
                what,
                AtMost(1.5),
                "x tick, on one thread",
                only(rows.ratio(workload, "pleach-threads-1", PLEACH, 20_480)),
            )
        });
        Self(vec![
            goal(
                "S1 observed, 10 000 to 100 000 agents",
                AtMost(3.0),
                "x hand",
                highest(&BIG, against(OBSERVED, "hand")),
            ),
            goal(
                "S1 observed, 100 000 agents",
                AtLeast(8.0),
                "x as fast as naive",
                only(rows.ratio(OBSERVED, "naive", PLEACH, 100_000)),
            ),
            goal(
                "S1 observed, 10 000 to 100 000 agents",
                AtLeast(50.0),
                "x as fast as the better form of bonsai-bt",
                lowest(&BIG, bonsai),
            ),
            goal(
                "S1 polled, 1 000 to 1 000 000 agents",
                AtMost(8.0),
                "x hand",
                highest(&MANY, against(POLLED, "hand")),
            ),
            goal(
                "S1 polled, 1 000 to 1 000 000 agents",
                Below(1.0),
                "x naive",
                highest(&MANY, against(POLLED, "naive")),
            ),
            goal("S2, 1 000 to 100 000 agents", AtMost(1.5), "x hand", highest(&MANY[..3], against(CHURN, "hand"))),
            goal("S3, 1 000 agents", AtMost(1.3), "x naive", only(against(Workload::Walk, "naive")(1_000))),
            goal("S3, 100 000 agents", AtMost(0.7), "x naive", only(against(Workload::Walk, "naive")(100_000))),
            goal(
                "S4, 1 000 000 agents",
                AtMost(1.0),
                "ms per frame",
                only(ms(Workload::Sleep(Sleep::Napping), 1_000_000)),
            ),
            goal(
                "S4, an agent that stays asleep, of 1 000 000",
                AtMost(0.5),
                "ns",
                only(rows.ns(Workload::Sleep(Sleep::Still), PLEACH, 1_000_000)),
            ),
            goal(
                "S1 observed, 1 000 000 agents: half of a frame at 60 Hz",
                AtMost(FRAME_MS / 2.0),
                "ms per frame",
                only(ms(OBSERVED, 1_000_000)),
            ),
            goal("guard tree, hot memory of an agent", AtMost(32.0), "bytes", only(Some(bytes(guard.hot)))),
            goal(
                "guard tree, all memory of an agent of 100 000 but blackboard and leaf state",
                AtMost(96.0),
                "bytes",
                only(kept),
            ),
            goal("S1 to S5, all sizes", AtMost(0.0), "allocations per tick", only(allocations)),
            goal(
                "S6, spawning 100 000 agents",
                AtMost(200.0),
                "ns per agent",
                only(rows.ns(Workload::Spawn, PLEACH, 100_000)),
            ),
            observed,
            polled,
            churn,
            alone,
            of_eight,
            goal("S1 to S3, from 1 000 to 1 000 000 agents", Below(2.5), "x per agent and tick", only(growth)),
            goal("S6, 10 000 nodes from RON to tree", AtMost(50.0), "ms", only(ms(Workload::Load, 10_000))),
            goal("S6, reloading a tree of 100 000 agents", AtMost(50.0), "ms", only(ms(Workload::Reload, 100_000))),
        ])
    }

    /// A Markdown table, each goal beside what was measured.
    pub(super) fn markdown(&self) -> String {
        // What was tried for a goal that is not met, and what bounds it, is written down by people.
        let verdict = |it: &Goal| match it.is_met() {
            Some(false) => "[**not met**](log.md#what-bounds-what-is-not-met)",
            _ => it.verdict(),
        };
        let lines =
            self.0.iter().map(|it| format!("| {} | {} | {} | {} |\n", it.what, it.goal(), it.measured, verdict(it)));
        format!("| | goal | measured | |\n|---|---|---|---|\n{}", lines.collect::<String>())
    }
}

/// The allocator and the footprint count bytes; there are not so many that an `f64` could not hold
/// them.
fn bytes(count: usize) -> f64 {
    count as f64
}

fn only(value: Option<f64>) -> Measured {
    value.map_or(Measured::NotInThisRun, |it| Measured::Value(it, None))
}

/// The value at the size at which it is highest, among those that were measured.
fn highest(sizes: &[u32], value: impl Fn(u32) -> Option<f64>) -> Measured {
    let values = sizes.iter().filter_map(|&it| Some((value(it)?, it)));
    let highest = values.max_by(|a, b| a.0.total_cmp(&b.0));
    highest.map_or(Measured::NotInThisRun, |(value, size)| Measured::Value(value, Some(size)))
}

fn lowest(sizes: &[u32], value: impl Fn(u32) -> Option<f64>) -> Measured {
    match highest(sizes, |it| value(it).map(|it| -it)) {
        Measured::Value(value, size) => Measured::Value(-value, size),
        none => none,
    }
}

impl Goal {
    fn goal(&self) -> String {
        let (sign, value) = match self.bound {
            Bound::AtMost(value) => ("<=", value),
            Bound::Below(value) => ("<", value),
            Bound::AtLeast(value) => (">=", value),
        };
        let value = if value.fract() == 0.0 { grouped(value) } else { format!("{value:.1}") };
        format!("{sign} {value} {}", self.unit)
    }

    fn is_met(&self) -> Option<bool> {
        let Measured::Value(value, _) = self.measured else { return None };
        Some(match self.bound {
            Bound::AtMost(bound) => value <= bound,
            Bound::Below(bound) => value < bound,
            Bound::AtLeast(bound) => value >= bound,
        })
    }

    fn verdict(&self) -> &'static str {
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
            Self::Value(value, Some(size)) => write!(f, "{} at {}", short(*value), grouped(*size)),
            Self::Value(value, None) => f.write_str(&short(*value)),
            Self::NotInThisRun => f.write_str("not in this run"),
        }
    }
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|it| it.what.len()).max().unwrap_or(0);
        for goal in &self.0 {
            let verdict = goal.verdict().trim_matches('*');
            writeln!(f, "{verdict:<8} {:<width$}  {}: {}", goal.what, goal.goal(), goal.measured)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::row;
    use super::*;

    const GUARD: Footprint = Footprint { hot: 28, cold: 40, blackboard: 16, leaves: 16 };

    fn goal(bound: Bound, measured: Measured) -> Goal {
        Goal { what: "S9", bound, unit: "x hand", measured }
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
        assert_eq!(highest(&[1, 10, 100], value), Measured::Value(50.0, Some(100)));
        assert_eq!(lowest(&[1, 10, 100], value), Measured::Value(-49.0, Some(1)));
        assert_eq!(highest(&[10], value), Measured::NotInThisRun);
        assert_eq!(lowest(&[10], value), Measured::NotInThisRun);
    }

    #[test]
    fn goals_are_judged_by_rows() {
        let mut rows = Rows::default();
        for (size, hand, pleach) in [(10_000, 1.0, 2.5), (100_000, 2.0, 7.0)] {
            rows.push(row(OBSERVED, "hand", size, hand));
            rows.push(row(OBSERVED, "naive", size, 60.0));
            rows.push(row(OBSERVED, "pleach", size, pleach));
            rows.push(row(OBSERVED, "bonsai-race", size, 600.0));
        }
        let goals = Goals::of(&rows, GUARD).0;
        assert_eq!(goals[0].measured, Measured::Value(3.5, Some(100_000)));
        assert_eq!(goals[0].verdict(), "**not met**");
        assert_eq!((goals[1].verdict(), goals[1].measured), ("met", Measured::Value(60.0 / 7.0, None)));
        assert_eq!(goals[2].measured, Measured::NotInThisRun, "the other form of bonsai-bt could be the better one");
        rows.push(row(OBSERVED, "bonsai-reactive", 100_000, 300.0));
        assert_eq!(Goals::of(&rows, GUARD).0[2].measured, Measured::Value(300.0 / 7.0, Some(100_000)));
        for (name, ns) in [("pleach", 18.0), ("pleach-threads-1", 22.0), ("pleach-threads-2", 10.0)] {
            rows.push(row(Workload::Threads(Guards::Churn), name, 100_000, ns));
        }
        let goals = Goals::of(&rows, GUARD).0;
        let threads: Vec<_> = goals.iter().filter(|it| it.what.contains("threads")).map(|it| it.measured).collect();
        assert_eq!(threads, [Measured::NotInThisRun, Measured::NotInThisRun, Measured::Value(1.8, None)]);
        rows.push(row(Workload::Reload, PLEACH, 100_000, 400.0));
        let goals = Goals::of(&rows, GUARD).0;
        let reloaded = goals.iter().find(|it| it.what.contains("reloading")).map(|it| it.measured);
        assert_eq!(reloaded, Some(Measured::Value(40.0, None)));
        let mut spawned = row(Workload::Spawn, PLEACH, 100_000, 150.0);
        spawned.bytes_per_agent = Some(120.0);
        rows.push(spawned);
        let goals = Goals::of(&rows, GUARD).0;
        let kept = goals.iter().find(|it| it.what.contains("but blackboard")).map(|it| it.measured);
        assert_eq!(kept, Some(Measured::Value(88.0, None)), "what the keys and leaves take is not counted");
        let text = Goals::of(&Rows::default(), GUARD).markdown();
        assert!(text.contains("| guard tree, hot memory of an agent | <= 32 bytes | 28.0 | met |\n"), "{text}");
        assert!(text.contains("| <= 1.5 x hand | not in this run | - |\n"), "{text}");
        assert!(text.contains("two threads | >= 1.7 x as fast as on one | not in this run | - |\n"), "{text}");
    }
}
