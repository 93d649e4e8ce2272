//! The first page of a run: what pleach costs, compared with the others, and how that grows. All
//! figures come from the rows; only the text is written by hand.

use pleach_benches::Workload;
use pleach_benches::guard::Guards;
use pleach_benches::pleach::{BRAIN, DEFAULT_THREADS, DefaultWay, PLEACH, Way};
use pleach_benches::sleep::Sleep;

use crate::machine::Machine;
use crate::show::grouped;

use super::chart::CROWDS_FILE;
use super::goals::Goals;
use super::row::Rows;
use super::table::short;

const FOREST: &str = DefaultWay::NAME;
const BONSAI: [&str; 2] = ["bonsai-race", "bonsai-reactive"];

/// What agents do in a frame, in words that need no other page.
const FRAMES: [(&str, Workload); 6] = [
    ("wait, asleep (S4-still)", Workload::Sleep(Sleep::Still)),
    ("wait; 1.7 % wake per frame (S4)", Workload::Sleep(Sleep::Napping)),
    ("patrol and watch three conditions over keys (S1-observed)", Workload::Guards(Guards::Observed)),
    ("the same over data of the game, asked in every tick (S1-polled)", Workload::Guards(Guards::Polled)),
    ("the same with events; 2.3 % change branch per frame (S2)", Workload::Guards(Guards::Churn)),
    ("end and start again 29 nodes in every tick (S3)", Workload::Walk),
];

/// The page, in Markdown.
pub(super) fn page(machine: &Machine, goals: &Goals, rows: &Rows) -> String {
    let (met, judged) = goals.met();
    let growth = rows.ns(Workload::Guards(Guards::Observed), FOREST, 1_000_000);
    let growth = growth.zip(rows.ns(Workload::Guards(Guards::Observed), FOREST, 1_000)).map(|(many, few)| many / few);
    format!(
        "\
# What pleach costs

{machine}.

All figures here come from one run of `cargo run --profile race -p xtask -- bench`. Read ratios: machines differ.
[method.md](method.md) says how the race measures and lists all goals and charts, [figures.csv](figures.csv) has every
figure, [counts.md](counts.md) counts instructions, and [log.md](log.md) says what was tried.

## What does it cost me?

Milliseconds per frame on one thread, with the leaves. Agents of a forest in its default mode do the following:

| agents | 1 000 | 10 000 | 100 000 | 1 000 000 | bytes per agent |
|---|---:|---:|---:|---:|---:|
{frames}
Bytes are those of one agent of 100 000, with keys, states of leaves and the game's own data for it. No tick allocates.

| once | |
|---|---|
{once}
## Beside what else?

Nanoseconds per agent and tick, and how many times as long others take for the same work: a machine written by hand for
this one tree, a tree of boxes per agent, and two other libraries ([who they are](method.md#the-implementations)).

| workload, agents | pleach | by hand | boxes | bonsai-bt, its better form | behavior-tree-lite |
|---|---:|---:|---:|---:|---:|
{beside}
With one agent, pleach is a `Brain`; otherwise it is a forest.

## How does it grow?

![From one agent to a million]({CROWDS_FILE})

{growth}A second thread makes 100 000 agents {threads} x as fast (S1-observed).
Few agents, each of its own tree, are faster as brains; from about a hundred, a forest is faster.

## What is not met

{met} of {judged} goals are met. [log.md](log.md#what-bounds-what-is-not-met) says what bounds the others.

| | goal | measured |
|---|---|---|
{unmet}",
        frames = FRAMES.iter().map(|&(what, workload)| frame(rows, what, workload)).collect::<String>(),
        once = once(rows),
        beside = FRAMES[2..].iter().map(|&(_, workload)| beside(rows, workload)).collect::<String>(),
        growth = growth.map_or_else(String::new, |it| {
            format!("An agent of S1-observed takes {} x as long among a million as among a thousand.\n", short(it))
        }),
        threads = cell(threads(rows)),
        unmet = goals.unmet(),
    )
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), short)
}

fn frame(rows: &Rows, what: &str, workload: Workload) -> String {
    let ms = [1_000, 10_000, 100_000, 1_000_000]
        .map(|size| cell(rows.ns(workload, FOREST, size).map(|it| it * f64::from(size) * 1e-6)));
    let bytes = cell(rows.find(workload, FOREST, 100_000).and_then(|it| it.bytes_per_agent));
    format!("| {what} | {} | {bytes} |\n", ms.join(" | "))
}

/// What a game pays occasionally.
fn once(rows: &Rows) -> String {
    let ns = |workload, name, size| rows.ns(workload, name, size);
    let ms = |workload, name, size: u32| ns(workload, name, size).map(|it| it * f64::from(size) * 1e-6);
    let lines = [
        ("load a tree of 10 000 nodes from RON", ms(Workload::Load, PLEACH, 10_000), "ms"),
        ("the same, baked", ms(Workload::Load, "pleach-baked", 10_000), "ms"),
        ("spawn an agent", ns(Workload::Spawn, PLEACH, 100_000), "ns"),
        ("despawn an agent", ns(Workload::Despawn, PLEACH, 100_000), "ns"),
        ("reload the tree of 100 000 agents, which go on", ms(Workload::Keep, PLEACH, 100_000), "ms"),
        ("snapshot 1 000 agents, to roll back", ms(Workload::Snapshot, PLEACH, 1_000), "ms"),
        ("save 100 000 agents", ms(Workload::Save, PLEACH, 100_000), "ms"),
        ("restore them", ms(Workload::Save, "pleach-restore", 100_000), "ms"),
    ];
    lines.map(|(what, value, unit)| format!("| {what} | {} {unit} |\n", cell(value))).concat()
}

fn beside(rows: &Rows, workload: Workload) -> String {
    let line = |(size, ours): (u32, &str)| {
        let times = |other| rows.ratio(workload, other, ours, size);
        let bonsai = BONSAI.iter().filter_map(|&it| times(it)).reduce(f64::min);
        let others = [times("hand"), times("naive"), bonsai, times("behavior-tree-lite")];
        let others = others.map(|it| it.map_or_else(|| "-".into(), |it| short(it) + " x")).join(" | ");
        format!("| {workload}, {} | {} ns | {others} |\n", grouped(size), cell(rows.ns(workload, ours, size)))
    };
    [(1, BRAIN), (10_000, FOREST)].map(line).concat()
}

/// How many times as fast two threads are as the faster way with one.
fn threads(rows: &Rows) -> Option<f64> {
    let [tick, one, two] = DEFAULT_THREADS;
    let on = |name| rows.ns(Workload::Threads(Guards::Observed), name, 100_000);
    Some(on(tick)?.min(on(one)?) / on(two)?)
}

#[cfg(test)]
mod tests {
    use pleach_benches::pleach::guard_footprint;

    use super::super::goals::Guard;
    use super::super::row::row;
    use super::*;

    #[test]
    fn the_page_answers_three_questions() {
        let mut rows = Rows::default();
        for (name, ns) in [(FOREST, 61.25), ("naive", 122.5), ("bonsai-race", 245.0), ("bonsai-reactive", 490.0)] {
            rows.push(row(Workload::Walk, name, 10_000, ns));
        }
        rows.push(row(Workload::Load, PLEACH, 10_000, 1_500.0));
        let goals = Goals::of(&rows, Guard { takes: guard_footprint(), saved: None });
        let text = page(&Machine::here(), &goals, &rows);
        for part in [
            "\n| end and start again 29 nodes in every tick (S3) | - | 0.61 | - | - | - |\n",
            "\n| load a tree of 10 000 nodes from RON | 15.0 ms |\n",
            "\n| S3, 10 000 | 61.2 ns | - | 2.00 x | 4.00 x | - |\n",
            "![From one agent to a million](crowds.svg)",
            "\n8 of 9 goals are met.",
            "| measured |\n|---|---|---|\n| S6, 10 000 nodes from RON to tree | <= 10 ms | 15.0 |\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
        assert!(text.lines().count() < 70, "two screens:\n{text}");
    }
}
