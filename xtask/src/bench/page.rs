//! The page that shows a run: goals, charts and tables. All figures come from the rows; only the
//! text is written by hand.

use std::fmt::Write;

use pleach_benches::Workload;

use crate::machine::Machine;

use super::chart::{BYTES_FILE, CROWDS_FILE, file_of, has_chart};
use super::goals::Goals;
use super::measure::{PARTS, Pace};
use super::row::Rows;
use super::table::markdown;

/// The page, in Markdown.
pub(super) fn page(machine: &Machine, pace: &Pace, goals: &Goals, rows: &Rows, workloads: &[Workload]) -> String {
    let mut text = format!(
        "\
# The race

{machine}.

Written by `cargo run --profile race -p xtask -- bench`, all of it in one run: one thread unless said otherwise, fat LTO, one
codegen unit. For each workload and size all implementations are alive at once. They take {rounds} turns of some {turn} ms each
(one frame, if that takes longer), in changing order. A turn is measured in processor time, with warm caches if the crowd fits
in them, and the median turn counts. Read ratios, not nanoseconds: machines differ. Before an implementation is timed it has
played the workload and reached exactly the totals that all must reach. An allocator counts allocations. It costs an
implementation that allocates in a tick some nanoseconds per allocation, which is some per cent of its time.

Threads are measured by the clock on the wall, in the same turns. A turn is cut into {parts} parts, and the fastest part
counts: other programs only make parts longer. Only the tick is timed. The events of S2 come from the game, on one thread.

## Goals

{goals}
With several sizes or workloads, the worst one counts. \"x hand\" is how many times as long as the hand-written machine takes.

## The implementations

- **hand**: an enum, one counter, tables of limits and a dirty flag, written by hand for one tree that never changes. The
  lower bound. **hand-match** is a machine with a `match` and a counter per action, as most people would write it first; in
  a mixed crowd nobody can guess which arm comes next.
- **naive**: a `Box<dyn Node>` per node, a tree per agent, aborts by evaluating every branch left of the running one. The
  boxes of an agent lie together, as far as an allocator lets them.
- **pleach-in-order**, **pleach-batched**: forests of this library. The first ticks agents in their order, the second those
  together that stand on the same action (`Settings::batched`). The default of a forest is marked. **pleach-polled** is
  pleach-batched with every watched condition evaluated in every tick. **pleach** is what modes make no difference to.
- **pleach-brain**: agents outside of forests, a `pleach::Brain` each, in a `Vec`, with their data beside them. A game of some
  dozen agents may use it in place of a forest.
- **pleach-baked**: the same trees, loaded from bytes in place of RON.
- **one-tree-in-order**, **one-tree-batched**: forests of one tree, beside those of 1 000.
- **in-order-threads-1**, **batched-threads-2** and so on: `Forest::tick_parallel` on a pool of one and of two threads, woken
  for every tick. These guards count what they have done on their blackboards, also with `Forest::tick` in the same tables.
- **bonsai-race**: bonsai-bt. A branch that may be aborted races against a leaf that watches for the abort.
- **bonsai-reactive**: bonsai-bt with `memory(false)`. The leaves keep what is running.
- **behavior-tree-lite**: its reactive nodes, and leaves that use its callback. It has no abort: the leaves keep what is
  running, as above.

In S1-polled the conditions of all read data of the game, but on threads, where they read keys. In S3
actions of two types stand in turns.

`benches/src` holds each of them, with a file per kind of workload. [log.md](log.md) says what was tried, and what failed.
",
        rounds = pace.rounds,
        turn = pace.turn.as_millis(),
        parts = PARTS,
        goals = goals.markdown(),
    );
    let mut add = |part: String| text.push_str(&part);
    add(format!(
        "\n![From one agent to a million]({CROWDS_FILE})\n\n\
         A game of few agents has the choice between a brain each and a forest: the last goals of the table say how far\n\
         below the others the lower of both lines is where it comes nearest to them, and where the line of forests is not.\n\n\
         ![Bytes per agent]({BYTES_FILE})\n\n"
    ));
    add("\
## Figures

ns/tick: nanoseconds per agent and tick (S6: per node, or per agent that is spawned, despawned or gets a tree). B/agent: bytes on the heap per agent,
with the agent's own data (S6-load: per node, with the text or the bytes). allocs: allocations per agent and tick.
"
    .into());
    for &workload in workloads {
        let mut part = format!("\n### {workload}\n\n{}\n\n", sentence(workload.about()));
        if has_chart(rows, workload) {
            write!(part, "![{workload}]({})\n\n", file_of(workload)).expect("a string takes all");
        }
        part += &markdown(rows, workload);
        add(part);
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
    fn the_page_has_goals_charts_and_tables() {
        let mut rows = Rows::default();
        for agents in [1_000, 1_000_000] {
            rows.push(row(Workload::Walk, DefaultWay::NAME, agents, 61.25));
        }
        let goals = Goals::of(&rows, Guard { takes: guard_footprint(), saved: None });
        let text = page(&Machine::here(), &Pace::FULL, &goals, &rows, &[Workload::Walk, Workload::Spawn]);
        for part in [
            "| S3, 1 000 agents | <= 1.3 x naive |",
            "take 15 turns of some 20 ms each",
            "cut into 10 parts, and the fastest part",
            "\n### S3\n\n29 nodes visited per tick, ended and started again in every tick.\n\n![S3](s3.svg)\n\n| agents |",
            &format!("| 1 000 000 | {} (default) | 61.2 |", DefaultWay::NAME),
            "![From one agent to a million](crowds.svg)",
            "\n### S6-spawn\n\nAdding agents of the guard tree.\n\n| agents |",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
    }
}
