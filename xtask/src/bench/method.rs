//! The page after the first one: how the race measures, who takes part, all goals, all charts.

use std::fmt::Write;

use pleach_benches::{Workload, absent};

use crate::show::size_of;

use super::chart::{BYTES_FILE, file_of, has_chart};
use super::goals::Goals;
use super::measure::{PARTS, Pace};
use super::row::Rows;

/// The page, in Markdown.
pub(super) fn method(pace: &Pace, goals: &Goals, rows: &Rows, workloads: &[Workload]) -> String {
    let mut text = format!(
        "\
# How the race measures

`cargo run --profile race -p xtask -- bench` writes this page, [the first page](README.md), the charts and
[figures.csv](figures.csv), all from one run. It uses one thread unless a workload says otherwise, fat LTO and one
codegen unit. For each workload and size all implementations are alive at once. They take {rounds} turns of about {turn} ms
(one frame, if that takes longer), in changing order. A turn is measured in processor time, with warm caches if the crowd
fits in them, and the median turn counts. Before an implementation is timed it plays the workload and must reach the
totals that all must reach. An allocator counts allocations. It costs an implementation that allocates in a tick a few
nanoseconds per allocation, which is a few per cent of its time.

Threads are measured by wall clock, in the same turns. A turn is cut into {parts} parts, and the fastest part counts: other
programs only make parts longer. Only the tick is timed. The events of S2 come from the game, on one thread.

## Goals

{goals}
If a goal names several sizes or workloads, the worst one counts. \"x hand\" is how many times as long as the
hand-written machine takes.

## The implementations

- **hand**: an enum, one counter, tables of limits and a dirty flag, written by hand for one tree that never changes. It is
  the lower bound. **hand-match** is a machine with a `match` and a counter per action, as most people would write it
  first; in a mixed crowd the processor cannot predict which arm comes next.
- **naive**: a `Box<dyn Node>` per node and a tree per agent. It aborts by evaluating every branch left of the running one.
  The boxes of an agent lie together, as far as an allocator lets them.
- **pleach-in-order**, **pleach-batched**: forests of this library. The first ticks agents in their order, the second
  together those that stand on the same action (`Settings::batched`). Tables mark the default. **pleach-polled** is
  pleach-batched with every watched condition evaluated in every tick. **pleach** stands where modes make no difference.
- **pleach-brain**: a `pleach::Brain` per agent, in a `Vec`, with its data beside it. A game of a few dozen agents can use
  brains in place of a forest.
- **pleach-baked**: the same trees, loaded from bytes in place of RON.
- **one-tree-in-order**, **one-tree-batched**: forests of one tree, beside those of 1 000.
- **in-order-threads-1**, **batched-threads-2** and so on: `Forest::tick_parallel` on a pool of one and of two threads, which
  are woken for every tick. These guards count their work on their blackboards, also with `Forest::tick` in the same rows.
- **bonsai-race**: bonsai-bt. A branch that can be aborted races against a leaf that watches for the abort.
- **bonsai-reactive**: bonsai-bt with `memory(false)`. The leaves remember what is running.
- **behavior-tree-lite**: its reactive nodes, and leaves that use its callback. It has no abort: the leaves remember what is
  running, as above.

In S1-polled all conditions read data of the game; on threads they read keys. In S3 actions of two types alternate.

`benches/src` holds each implementation, with a file per kind of workload. [log.md](log.md) says what was tried and what
failed. [counts.md](counts.md) has instructions per agent and tick, which do not depend on how busy a machine is.

## The workloads

[figures.csv](figures.csv) has a line per workload, implementation and number of agents. `ns`: nanoseconds per agent and
tick (S6: per node, or per agent that is spawned, despawned or gets a tree). `bytes`: bytes on the heap per agent, with the
agent's own data (S6-load: per node, with the text or the bytes). `allocations`: per agent and tick. `skipped`: why a
line has no figures.

![Bytes per agent]({BYTES_FILE})
",
        rounds = pace.rounds,
        turn = pace.turn.as_millis(),
        parts = PARTS,
        goals = goals.markdown(),
    );
    let mut add = |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes everything");
    for &workload in workloads {
        add(format_args!("\n### {workload}\n\n{} Sizes count {}.\n", sentence(workload.about()), size_of(workload)));
        for (name, why) in absent(workload) {
            add(format_args!("\nNot here: {name} ({why}).\n"));
        }
        if has_chart(rows, workload) {
            add(format_args!("\n![{workload}]({})\n", file_of(workload)));
        }
    }
    text
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use pleach_benches::pleach::{DefaultWay, Way, guard_footprint};

    use super::super::goals::Guard;
    use super::super::row::row;
    use super::*;

    #[test]
    fn the_page_has_goals_and_charts() {
        let mut rows = Rows::default();
        for agents in [1_000, 1_000_000] {
            rows.push(row(Workload::Walk, DefaultWay::NAME, agents, 61.25));
        }
        let goals = Goals::of(&rows, Guard { takes: guard_footprint(), saved: None });
        let text = method(&Pace::FULL, &goals, &rows, &[Workload::Walk, Workload::Mixed]);
        for part in [
            "| S3, 1 000 agents | <= 1.3 x naive |",
            "take 15 turns of about 20 ms",
            "cut into 10 parts, and the fastest part",
            "\n### S3\n\n29 nodes visited per tick, ended and started again in every tick. Sizes count agents.\n\n![S3](s3.svg)\n",
            "\nNot here: all others (the trees are assets of pleach).\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }
}
