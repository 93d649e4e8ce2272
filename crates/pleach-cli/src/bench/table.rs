//! The table of the measurements of a tree.

use std::fmt;

use pleach::tools::text::plain;
use pleach::{Host, TickReport, Tree};

use super::measure::{Block, Mode};
use crate::args::BenchArgs;
use crate::paint::{BAD, FAINT, RESET, STRONG};
use crate::words::{bytes, grouped, plural, short};

/// A tree and its measurements, by size of crowd.
#[derive(Debug)]
pub(super) struct BenchTable<'a, H: Host> {
    pub(super) tree: &'a Tree<H>,
    pub(super) args: &'a BenchArgs,
    pub(super) blocks: Vec<Block>,
}

impl<H: Host> fmt::Display for BenchTable<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BenchTable { tree, args, blocks } = self;
        writeln!(
            f,
            "{STRONG}{}{RESET}  {} at 60 Hz, seed {}",
            plain(tree.name()),
            plural(args.frames as usize, "frame"),
            args.seed
        )?;
        for block in blocks.iter().filter(|it| it.frames < args.frames) {
            let agents = plural(block.agents as usize, "agent");
            match block.frames {
                0 => writeln!(f, "{BAD}ended early{RESET}: {agents} not measured")?,
                frames => writeln!(f, "{BAD}ended early{RESET}: {agents} measured for {frames} frames only")?,
            }
        }
        if cfg!(debug_assertions) {
            writeln!(f, "{BAD}a debug build{RESET}: run with --release for meaningful times")?;
        }
        let measured: Vec<&Block> = blocks.iter().filter(|it| it.frames > 0).collect();
        if !measured.is_empty() {
            writeln!(
                f,
                "\n  {FAINT}{:>7}  {:<16}{:>8}{:>8}{:>8}{:>9}{:>9}{:>11}{RESET}",
                "agents", "", "median", "mean", "p99", "ratio", "asleep", "aborts"
            )?;
        }
        for block in &measured {
            block.fmt(f)?;
        }
        let size = tree.footprint();
        writeln!(
            f,
            "\n  {STRONG}{} B{RESET} per agent  {FAINT}{} hot, {} cold, {} blackboard, {} leaves; {} in all{RESET}",
            size.total(),
            size.hot,
            size.cold,
            size.blackboard,
            size.leaves,
            bytes(size.total() as f64 * f64::from(args.agents))
        )?;
        if measured.is_empty() {
            return Ok(());
        }
        let mut turns: Vec<String> = measured.iter().map(|it| grouped(it.ways[0].1.turns() as u64)).collect();
        turns.dedup();
        writeln!(
            f,
            "  {FAINT}times: nanoseconds per agent and tick, of the tree and its leaves, by frame{RESET}\n  \
             {FAINT}ratios: relative to the first row in the same turn; median of {} turns{RESET}\n  \
             {FAINT}unusually busy frames show in means, not in medians{RESET}",
            turns.join(" and ")
        )
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = f64::from(self.agents);
        for (mode, way) in &self.ways {
            let ([median, late, _], mean) = (way.times.digest(), way.times.mean());
            let first = *mode == Mode::AsIs;
            let size = if first { grouped(self.agents.into()) } else { String::new() };
            let ratio = self.ratio(way).filter(|_| !first).map_or(String::new(), |it| format!("x {it:.2}"));
            let TickReport { ticked, asleep, aborts, .. } = way.sum;
            let share = asleep as f64 / (asleep + ticked).max(1) as f64 * 100.0;
            // There are two spaces between columns, even with wide numbers.
            writeln!(
                f,
                "  {size:>7}  {:<16}{STRONG}  {:>6}{RESET}  {:>6}  {:>6}  {ratio:>7}  {:>7}  {:>9}",
                mode.name(),
                short(median / agents),
                short(mean / agents),
                short(late / agents),
                format!("{share:.1} %"),
                grouped(aborts)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::measure::Way;
    use super::*;
    use crate::args::{Cli, Command};

    fn table(frames: [u32; 2]) -> String {
        let tree = Tree::<pleach_arena::Arena>::builder("guard").build(pleach::nodes::idle()).unwrap();
        let Command::Bench(args) = Cli::parse_from(["pleach", "bench", "guard.ron", "-n", "50"]).command else {
            panic!()
        };
        let block = |agents: u32, frames: u32| {
            let ways = if frames == 0 { Vec::new() } else { Mode::ALL.map(|it| (it, Way::default())).into() };
            Block { agents, frames, ways }
        };
        let blocks = vec![block(5, frames[0]), block(50, frames[1])];
        anstream::adapter::strip_str(&BenchTable { tree: &tree, args: &args, blocks }.to_string()).to_string()
    }

    #[test]
    fn what_was_not_measured_has_no_row() {
        let rows = |table: &str| table.lines().filter(|it| it.contains(" % ")).count();
        let whole = table([300, 300]);
        assert!(rows(&whole) == 8 && !whole.contains("ended early"), "{whole}");
        let part = table([300, 45]);
        assert!(part.contains("\nended early: 50 agents measured for 45 frames only\n"), "{part}");
        assert!(rows(&part) == 8 && !part.contains(" 5 agents"), "{part}");
        let half = table([300, 0]);
        assert!(rows(&half) == 4 && half.contains("\nended early: 50 agents not measured\n"), "{half}");
        let nothing = table([0, 0]);
        assert!(rows(&nothing) == 0 && !nothing.contains("median"), "{nothing}");
        assert!(
            nothing.contains("ended early: 5 agents not measured\nended early: 50 agents not measured\n"),
            "{nothing}"
        );
    }
}
