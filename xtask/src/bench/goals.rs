//! What pleach must reach, and whether it does: the goals, judged by the rows of one run.

mod goal;
mod picture;
mod small;

use std::fmt;

use pleach_benches::Workload;
use pleach_benches::guard::Guards;
use pleach_benches::pleach::{DEFAULT_THREADS, DefaultWay, Footprint, ONE_TREE, OTHER_THREADS, OtherWay, PLEACH, Way};
use pleach_benches::sleep::Sleep;
use pleach_benches::squad::Squads;
use pleach_benches::workload::Sensors;

use goal::{Bound, Goal, highest, lowest, only};
use picture::picture;
use small::small;

use super::row::Rows;

const OBSERVED: Workload = Workload::Guards(Guards::Observed);
const POLLED: Workload = Workload::Guards(Guards::Polled);
const CHURN: Workload = Workload::Guards(Guards::Churn);
/// The guards that are ticked on several threads.
const THREADS: [(&str, Workload); 3] = [
    ("S1 observed, 100 000 agents on two threads", Workload::Threads(Guards::Observed)),
    ("S1 polled, 100 000 agents on two threads", Workload::Threads(Guards::Polled)),
    ("S2, 100 000 agents on two threads, without the events", Workload::Threads(Guards::Churn)),
];
const SQUADS: [(&str, Workload); 2] = [
    ("four shared keys written per tick, 20 480 agents, each a squad of its own", Workload::Squads(Squads::Alone)),
    ("four shared keys written per tick, 20 480 agents, eight in a squad", Workload::Squads(Squads::OfEight)),
];
/// Floats whose writes affect no check, and the same call without a change.
const SENSORS: [(&str, [Sensors; 2]); 2] = [
    ("100 000 sleepers, a float of each changed by `update_column`", [Sensors::Column, Sensors::SameColumn]),
    ("100 000 sleepers, a float of each changed by `update_agents`", [Sensors::Agents, Sensors::SameAgents]),
];
const BONSAI: [&str; 2] = ["bonsai-race", "bonsai-reactive"];
/// A frame at 60 Hz, in milliseconds.
const FRAME_MS: f64 = 1_000.0 / 60.0;

/// The rows of one way to tick.
#[derive(Clone, Copy, Debug)]
struct Mode {
    forest: &'static str,
    threads: [&'static str; 3],
    one_tree: &'static str,
}

const DEFAULT: Mode = Mode { forest: DefaultWay::NAME, threads: DEFAULT_THREADS, one_tree: ONE_TREE[0] };
const OTHER: Mode = Mode { forest: OtherWay::NAME, threads: OTHER_THREADS, one_tree: ONE_TREE[1] };

/// The memory of a guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) takes: Footprint,
    /// Its bytes in a save, if saves were measured.
    pub(super) saved: Option<f64>,
}

/// All of them, in the order of PERFORMANCE, and then those of small crowds and of crowds of all
/// sizes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goals(Vec<Goal>);

impl Goals {
    pub(super) fn of(rows: &Rows, guard: Guard) -> Self {
        let mut goals = Self::of_mode(rows, guard, DEFAULT);
        for (goal, other) in goals.iter_mut().zip(Self::of_mode(rows, guard, OTHER)) {
            goal.other = goal.other.and(Some(other.measured));
        }
        Self(goals)
    }

    /// The goals as if forests always ticked in this mode.
    fn of_mode(rows: &Rows, guard: Guard, mode: Mode) -> Vec<Goal> {
        use Bound::{AtLeast, AtMost, Below};
        let pleach = mode.forest;
        let against = |workload, rival: &'static str| move |size| rows.ratio(workload, pleach, rival, size);
        let ms = |workload, name, size| rows.ns(workload, name, size).map(|it| it * f64::from(size) * 1e-6);
        // Both forms, so that the better one is compared.
        let bonsai = |size| {
            let [race, reactive] = BONSAI.map(|it| rows.ratio(OBSERVED, it, pleach, size));
            Some(race?.min(reactive?))
        };
        let growth = [OBSERVED, POLLED, CHURN, Workload::Walk]
            .map(|workload| Some(rows.ns(workload, pleach, 1_000_000)? / rows.ns(workload, pleach, 1_000)?));
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
        let goal = |what, bound, unit, measured| Goal { what, bound, unit, measured, other: Some(measured) };
        // Of something that is the same in all modes.
        let fixed = |what, bound, unit, measured| Goal { what, bound, unit, measured, other: None };
        const BIG: [u32; 2] = [10_000, 100_000];
        const MANY: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
        // As the allocator counts it: with the look-up of ids, and with unused capacity.
        let spawned = rows.find(Workload::Spawn, PLEACH, 100_000).and_then(|it| it.bytes_per_agent);
        let kept = spawned.map(|it| it - bytes(guard.takes.blackboard + guard.takes.leaves));
        let [tick, one, two] = mode.threads;
        let [observed, polled, churn] = THREADS.map(|(what, workload)| {
            let on = |name| rows.ns(workload, name, 100_000);
            // Whichever way is the faster one with a single thread, or slow threads would look
            // good.
            let ratio = || Some(on(tick)?.min(on(one)?) / on(two)?);
            goal(what, AtLeast(1.7), "x as fast as on one", only(ratio()))
        });
        let [alone, of_eight] = SQUADS.map(|(what, workload)| {
            let [tick, one, _] = DEFAULT_THREADS;
            fixed(what, AtMost(1.5), "x tick, on one thread", only(rows.ratio(workload, one, tick, 20_480)))
        });
        let [column, agents] = SENSORS.map(|(what, sensors)| {
            let [written, same] = sensors.map(|it| rows.ns(Workload::Sensors(it), pleach, 100_000));
            goal(what, AtMost(2.0), "x the same without a change", only(written.zip(same).map(|(it, same)| it / same)))
        });
        let copied = |name| only(rows.ratio(Workload::Snapshot, name, "copy", 1_000));
        let mut goals = vec![
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
                only(rows.ratio(OBSERVED, "naive", pleach, 100_000)),
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
            goal(
                "S2, 1 000 to 100 000 agents, by a `match`",
                AtMost(1.5),
                "x hand-match",
                highest(&MANY[..3], against(CHURN, "hand-match")),
            ),
            goal("S2, 1 000 to 100 000 agents", AtMost(2.0), "x hand", highest(&MANY[..3], against(CHURN, "hand"))),
            goal("S3, 1 000 agents", AtMost(1.3), "x naive", only(against(Workload::Walk, "naive")(1_000))),
            goal("S3, 100 000 agents", AtMost(0.7), "x naive", only(against(Workload::Walk, "naive")(100_000))),
            goal(
                "S3, 1 000 to 1 000 000 agents",
                AtMost(0.7),
                "x naive",
                highest(&MANY, against(Workload::Walk, "naive")),
            ),
            goal(
                "S4, 1 000 000 agents",
                AtMost(1.0),
                "ms per frame",
                only(ms(Workload::Sleep(Sleep::Napping), pleach, 1_000_000)),
            ),
            goal(
                "S4, an agent that stays asleep, of 1 000 000",
                AtMost(0.5),
                "ns",
                only(rows.ns(Workload::Sleep(Sleep::Still), pleach, 1_000_000)),
            ),
            goal(
                "S1 observed, 1 000 000 agents: half of a frame at 60 Hz",
                AtMost(FRAME_MS / 2.0),
                "ms per frame",
                only(ms(OBSERVED, pleach, 1_000_000)),
            ),
            fixed("guard tree, hot memory of an agent", AtMost(32.0), "bytes", only(Some(bytes(guard.takes.hot)))),
            fixed(
                "guard tree, all memory of an agent of 100 000 but blackboard and leaf state",
                AtMost(96.0),
                "bytes",
                only(kept),
            ),
            fixed("S1 to S5, all sizes", AtMost(0.0), "allocations per tick", only(allocations)),
            fixed(
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
            column,
            agents,
            goal("S1 to S3, from 1 000 to 1 000 000 agents", Below(2.5), "x per agent and tick", only(growth)),
            fixed("S6, 10 000 nodes from RON to tree", AtMost(50.0), "ms", only(ms(Workload::Load, PLEACH, 10_000))),
            fixed(
                "S6, reloading a tree of 100 000 agents",
                AtMost(50.0),
                "ms",
                only(ms(Workload::Reload, PLEACH, 100_000)),
            ),
            fixed("S6, the same with agents that go on", AtMost(50.0), "ms", only(ms(Workload::Keep, PLEACH, 100_000))),
            fixed("S6, a snapshot of 1 000 guards", AtMost(3.0), "x a copy of as many bytes", copied(PLEACH)),
            fixed("S6, going back to it", AtMost(3.0), "x a copy of as many bytes", copied("pleach-rollback")),
            fixed(
                "S6, saving 100 000 guards in a binary format",
                AtMost(1_000.0),
                "ms",
                only(ms(Workload::Save, PLEACH, 100_000)),
            ),
            fixed("S6, restoring them", AtMost(1_000.0), "ms", only(ms(Workload::Save, "pleach-restore", 100_000))),
            fixed("S6, a guard in that save", AtMost(300.0), "bytes", only(guard.saved)),
        ];
        goals.extend(small(rows, mode));
        goals.extend(picture(rows, mode));
        goals
    }

    /// A Markdown table, each goal beside what was measured, and before it a line about the modes.
    pub(super) fn markdown(&self) -> String {
        let lines = self.0.iter().map(|it| {
            let other = it.other.map(|it| it.to_string()).unwrap_or_default();
            format!("| {} | {} | {} | {other} | {} |\n", it.what, it.goal(), it.measured, it.verdict())
        });
        let (default, other) = (way::<DefaultWay>(), way::<OtherWay>());
        format!(
            "Goals are judged in the default mode of a forest: {default}. The next column has the same goal in the other\n\
             mode ({other}). It is empty where modes make no difference. [log.md](log.md#what-bounds-what-is-not-met)\n\
             says what bounds the goals that are not met.\n\n\
             | | goal | {} (default) | {} | |\n|---|---|---|---|---|\n{}",
            DEFAULT.forest,
            OTHER.forest,
            lines.collect::<String>()
        )
    }

    /// The goals that are not met, as rows of a Markdown table.
    pub(super) fn unmet(&self) -> String {
        let unmet = self.0.iter().filter(|it| it.is_met() == Some(false));
        unmet.map(|it| format!("| {} | {} | {} |\n", it.what, it.goal(), it.measured)).collect()
    }

    /// How many goals are met, and how many were judged.
    pub(super) fn met(&self) -> (usize, usize) {
        let judged: Vec<bool> = self.0.iter().filter_map(Goal::is_met).collect();
        (judged.iter().filter(|&&it| it).count(), judged.len())
    }
}

/// A way to tick, in words.
fn way<R: Way>() -> &'static str {
    if R::BATCHED {
        "agents that stand on the same action are ticked together"
    } else {
        "agents are ticked in their order"
    }
}

/// Bytes of the allocator and the footprint, few enough for an `f64` to be exact.
fn bytes(count: usize) -> f64 {
    count as f64
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "goals are judged in the default mode, {}: {}", DEFAULT.forest, way::<DefaultWay>())?;
        let width = self.0.iter().map(|it| it.what.len()).max().unwrap_or(0);
        for goal in &self.0 {
            let verdict = goal.verdict().trim_matches('*');
            write!(f, "{verdict:<8} {:<width$}  {}: {}", goal.what, goal.goal(), goal.measured)?;
            match goal.other {
                Some(other) => writeln!(f, " ({}: {other})", OTHER.forest)?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::row;
    use pleach_benches::pleach::BRAIN;

    use super::goal::{Measured, Place};
    use super::*;

    const GUARD: Guard =
        Guard { takes: Footprint { hot: 28, cold: 40, blackboard: 16, leaves: 16 }, saved: Some(200.0) };

    fn at(value: f64, size: u32) -> Measured {
        Measured::Value(value, Some(Place { workload: None, size }))
    }

    /// The other mode is shown, and does not count.
    #[test]
    fn the_default_mode_is_judged() {
        let mut rows = Rows::default();
        for (name, ns) in [("hand", 4.0), (DefaultWay::NAME, 10.0), (OtherWay::NAME, 14.0), (BRAIN, 8.0)] {
            rows.push(row(CHURN, name, 50, ns));
        }
        let goals = Goals::of(&rows, GUARD);
        let fifty = goals.0.iter().find(|it| it.what == "S2, 50 agents").unwrap();
        assert_eq!((fifty.measured, fifty.verdict()), (Measured::Value(2.5, None), "met"));
        assert_eq!(fifty.other, Some(Measured::Value(3.5, None)));
        let text = goals.markdown();
        let default = way::<DefaultWay>();
        assert!(text.starts_with(&format!("Goals are judged in the default mode of a forest: {default}. ")), "{text}");
        let heads = format!("| | goal | {} (default) | {} | |\n", DefaultWay::NAME, OtherWay::NAME);
        assert!(text.contains(&heads), "{text}");
        assert!(text.contains("| S2, 50 agents | <= 3 x hand | 2.50 | 3.50 | met |\n"), "{text}");
        let line = format!("<= 3 x hand: 2.50 ({}: 3.50)\n", OtherWay::NAME);
        assert!(goals.to_string().contains(&line), "{goals}");
    }

    #[test]
    fn small_crowds_are_judged_by_their_worst_workload() {
        let mut rows = Rows::default();
        for (workload, ns) in [(OBSERVED, 12.0), (CHURN, 40.0)] {
            rows.push(row(workload, "naive", 1, 20.0));
            rows.push(row(workload, BRAIN, 1, ns));
        }
        let spawned = row(Workload::Spawn, BRAIN, 10_000, 250.0);
        rows.push(super::super::row::Row { bytes_per_agent: Some(401.0), allocs_per_tick: Some(4.0), ..spawned });
        rows.push(row(Workload::Trees, DefaultWay::NAME, 1_000, 30.0));
        rows.push(row(Workload::Trees, ONE_TREE[0], 1_000, 20.0));
        rows.push(row(Workload::Load, PLEACH, 10_000, 900.0));
        let goals = Goals::of(&rows, GUARD).0;
        let found = |what: &str| {
            goals.iter().filter(|it| it.what.contains(what)).map(|it| it.measured.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("a brain, S1 to S3"), ["2.00 in S2 at 1"]);
        assert_eq!(found("forests of 1"), ["not in this run"]);
        assert_eq!(found("a brain of the guard tree"), ["401"]);
        assert_eq!(found("the same, spawned"), ["4.00", "250"]);
        assert_eq!(found("1 000 trees"), ["64.5", "1.50"]);
        assert_eq!(found("10 000 nodes"), ["9.00", "9.00", "0"]);
    }

    #[test]
    fn goals_are_judged_by_rows() {
        let mut rows = Rows::default();
        for (size, hand, pleach) in [(10_000, 1.0, 2.5), (100_000, 2.0, 7.0)] {
            rows.push(row(OBSERVED, "hand", size, hand));
            rows.push(row(OBSERVED, "naive", size, 60.0));
            rows.push(row(OBSERVED, DefaultWay::NAME, size, pleach));
            rows.push(row(OBSERVED, "bonsai-race", size, 600.0));
        }
        let goals = Goals::of(&rows, GUARD).0;
        assert_eq!(goals[0].measured, at(3.5, 100_000));
        assert_eq!(goals[0].verdict(), "**not met**");
        assert_eq!((goals[1].verdict(), goals[1].measured), ("met", Measured::Value(60.0 / 7.0, None)));
        assert_eq!(goals[2].measured, Measured::NotInThisRun, "the other form of bonsai-bt could be the better one");
        rows.push(row(OBSERVED, "bonsai-reactive", 100_000, 300.0));
        assert_eq!(Goals::of(&rows, GUARD).0[2].measured, at(300.0 / 7.0, 100_000));
        for (name, ns) in DEFAULT_THREADS.into_iter().zip([18.0, 22.0, 10.0]) {
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
        assert!(text.contains("| guard tree, hot memory of an agent | <= 32 bytes | 28.0 |  | met |\n"), "{text}");
        assert!(text.contains("| <= 2 x hand | not in this run | not in this run | - |\n"), "{text}");
        assert!(
            text.contains("two threads | >= 1.7 x as fast as on one | not in this run | not in this run | - |\n"),
            "{text}"
        );
    }
}
