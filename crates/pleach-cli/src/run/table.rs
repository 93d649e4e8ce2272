//! The table of a run.

use std::fmt;
use std::time::Duration;

use pleach::tools::text::plain;
use pleach::{Host, TickReport, Tree};

use crate::args::RunArgs;
use crate::pace::Pace;
use crate::paint::{BAD, BAR, FAINT, RESET, STRONG};
use crate::times::Times;
use crate::words::{bytes, cropped, grouped, padded, plural, short, widest, wrapped};

/// How many behaviours are listed. The others are summed up in one line.
const LISTED: usize = 14;
/// The length of a full bar.
const BAR_WIDTH: usize = 24;
/// The time that a game has for a frame, in nanoseconds.
const FRAME_AT_60_HZ: f64 = 1e9 / 60.0;

/// The column in which explanations begin, right of the numbers.
const MARGIN: usize = 36;
/// With fewer columns than this, explanations go below the numbers.
const LEAST_BESIDE: usize = 24;

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct RunTable<'a, H: Host> {
    pub(crate) args: &'a RunArgs,
    pub(crate) tree: &'a Tree<H>,
    pub(crate) pace: Pace,
    /// How many frames were played. After Ctrl-C these are fewer than asked for.
    pub(crate) ran: u32,
    pub(crate) wall: Duration,
    /// The time of the agents' tick in each frame.
    pub(crate) trees: Times,
    /// The time of each frame, with the senses and the world.
    pub(crate) frames: Times,
    pub(crate) sum: TickReport,
    pub(crate) events: u64,
    pub(crate) shares: Vec<(String, f64)>,
    /// How many agents were sampled at a time.
    pub(crate) sampled: usize,
    /// How many columns a line may take.
    pub(crate) columns: usize,
}

impl<H: Host> fmt::Display for RunTable<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunTable { args, tree, pace, ran, wall, trees, frames, sum, events, shares, sampled, columns } = self;
        let (ran, agents) = (*ran, f64::from(args.agents));
        let game = pace.seconds(ran);
        let [tick, late_tick, _] = trees.digest();
        let [frame, late_frame, longest] = frames.digest();
        writeln!(
            f,
            "{STRONG}{}{RESET}  {}, {} at {} Hz, seed {}",
            plain(tree.name()),
            plural(args.agents as usize, "agent"),
            plural(ran as usize, "frame"),
            pace.hz,
            args.seed
        )?;
        if ran < pace.frames {
            writeln!(f, "{BAD}ended early{RESET} after {ran} of {} frames", pace.frames)?;
        }
        if cfg!(debug_assertions) {
            writeln!(f, "{BAD}a debug build{RESET}: run with --release for meaningful times")?;
        }
        if args.coverage.is_wanted() {
            writeln!(f, "{BAD}nodes are counted{RESET}: run without coverage for meaningful times")?;
        }
        writeln!(f)?;
        let row = |f: &mut fmt::Formatter<'_>, what: &str, value: String, more: String| {
            write!(f, "  {FAINT}{what:<20}{RESET}{STRONG}{value:>12}{RESET}")?;
            let beside = columns.saturating_sub(MARGIN);
            if beside < LEAST_BESIDE {
                writeln!(f)?;
                return faint(f, 4, *columns, &more);
            }
            for (at, line) in wrapped(&more, beside).iter().enumerate() {
                let margin = if at == 0 { 2 } else { MARGIN };
                writeln!(f, "{:margin$}{FAINT}{line}{RESET}", "")?;
            }
            Ok(())
        };
        row(
            f,
            "agent-tick",
            format!("{} ns", short(tick / agents)),
            format!("median; p99 {} ns; the trees and their leaves", short(late_tick / agents)),
        )?;
        row(
            f,
            "budget at 60 Hz",
            format!("{} %", short(tick / FRAME_AT_60_HZ * 100.0)),
            format!(
                "of a frame's 16.67 ms: {} ms; p99 {} %",
                short(tick / 1e6),
                short(late_tick / FRAME_AT_60_HZ * 100.0)
            ),
        )?;
        row(
            f,
            "whole frame",
            format!("{} ms", short(frame / 1e6)),
            format!("with senses and world; p99 {} ms, longest {} ms", short(late_frame / 1e6), short(longest / 1e6)),
        )?;
        let speed = game / wall.as_secs_f64().max(1e-9);
        row(
            f,
            "game time",
            format!("{} s", short(game)),
            format!("in {} s: {} x real time", short(wall.as_secs_f64()), short(speed)),
        )?;
        let rate = |count: u64| format!("{} per agent per minute", short(count as f64 / agents / game * 60.0));
        let (aborts, heard, ended) = (rate(sum.aborts), rate(*events), rate(sum.ended));
        row(f, "aborts", grouped(sum.aborts), format!("{aborts}; a condition changed and aborted what ran"))?;
        row(f, "events", grouped(*events), format!("{heard}; between agents and the world"))?;
        row(f, "runs to the end", grouped(sum.ended), format!("{ended}; the root ended and started again"))?;
        let asleep = sum.asleep as f64 / (sum.asleep + sum.ticked).max(1) as f64;
        row(
            f,
            "asleep",
            format!("{:.1} %", asleep * 100.0),
            "of all agent-ticks: the agent waited, and nothing that it watches changed".into(),
        )?;
        let size = tree.footprint();
        row(
            f,
            "memory per agent",
            format!("{} B", size.total()),
            format!(
                "{} hot, {} cold, {} blackboard, {} leaves; {} in all",
                size.hot,
                size.cold,
                size.blackboard,
                size.leaves,
                bytes(size.total() as f64 * agents)
            ),
        )?;
        let part = if *sampled < args.agents as usize {
            format!("; {} of {} sampled at a time", grouped(*sampled as u64), grouped(args.agents.into()))
        } else {
            String::new()
        };
        behaviours(f, shares, &part, *columns)
    }
}

fn behaviours(f: &mut fmt::Formatter<'_>, shares: &[(String, f64)], part: &str, columns: usize) -> fmt::Result {
    if shares.is_empty() {
        return Ok(());
    }
    let heading = "  what they do";
    write!(f, "\n{STRONG}{heading}{RESET}")?;
    let whole = format!("share of the agents, over the whole run{part}");
    if heading.len() + 2 + whole.len() <= columns {
        writeln!(f, "  {FAINT}{whole}{RESET}")?;
    } else {
        writeln!(f)?;
        faint(f, 2, columns, &whole)?;
    }
    faint(
        f,
        2,
        columns,
        "grouped by the nearest named node at or above the running one (except the root), else by the running one",
    )?;
    writeln!(f)?;
    let listed = if shares.len() > LISTED { LISTED - 1 } else { shares.len() };
    let cut = |label: &str| cropped(label, 28);
    let width = widest(shares[..listed].iter().map(|it| cut(&it.0)).collect::<Vec<_>>().iter().map(|it| &**it)).max(8);
    let bar_width = BAR_WIDTH.min(columns.saturating_sub(width + 12));
    let line = |f: &mut fmt::Formatter<'_>, label: &str, share: f64| {
        let bar = bar(share, bar_width);
        // A behaviour that was seen is not shown as 0 %.
        let percent = if share < 0.0005 { "<0.1".into() } else { format!("{:.1}", share * 100.0) };
        let label = padded(label, width);
        writeln!(f, "  {label}  {BAR}{bar:<bar_width$}{RESET} {percent:>5} %")
    };
    for (label, share) in &shares[..listed] {
        line(f, &cut(label), *share)?;
    }
    let rest = &shares[listed..];
    if !rest.is_empty() {
        line(f, &format!("{} more", rest.len()), rest.iter().map(|it| it.1).sum())?;
    }
    Ok(())
}

/// Lines of faint text.
fn faint(f: &mut fmt::Formatter<'_>, margin: usize, columns: usize, text: &str) -> fmt::Result {
    let lines = wrapped(text, columns.saturating_sub(margin));
    lines.iter().try_for_each(|it| writeln!(f, "{:margin$}{FAINT}{it}{RESET}", ""))
}

/// A bar of at most `width` characters, drawn in eighths of a character.
fn bar(share: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (0..=width * 8).rev().find(|it| *it as f64 <= share * (width * 8) as f64 + 0.5).unwrap_or(0);
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_in_a_narrow_terminal() {
        use std::sync::Arc;

        use clap::Parser;
        use unicode_width::UnicodeWidthStr;

        let tree = Arc::new(Tree::<pleach_arena::Arena>::builder("guard").build(pleach::nodes::idle()).unwrap());
        let crate::args::Command::Run(args) = crate::args::Cli::parse_from(["pleach", "run", "guard.ron"]).command
        else {
            panic!()
        };
        let table = |columns: usize| {
            let times = || {
                let mut times = Times::default();
                times.add(Duration::from_millis(3));
                times
            };
            let table = RunTable {
                args: &args,
                tree: &tree,
                pace: Pace { frames: 1, dt: 0.1, hz: 10 },
                ran: 1,
                wall: Duration::from_secs(1),
                trees: times(),
                frames: times(),
                sum: TickReport::default(),
                events: 7,
                shares: vec![("what some of them do".into(), 0.9), ("b".into(), 0.1)],
                sampled: 9,
                columns,
            };
            anstream::adapter::strip_str(&table.to_string()).to_string()
        };
        let widest = |table: &str| table.lines().skip(2).map(UnicodeWidthStr::width).max().unwrap();
        let words = |table: &str| {
            let words = table.split_whitespace().filter(|it| !it.contains(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉']));
            words.map(str::to_string).collect::<Vec<_>>()
        };
        let whole = table(usize::MAX);
        for columns in [100, 80, 60, 59, 40] {
            let narrow = table(columns);
            assert!(widest(&narrow) <= columns, "{narrow}");
            assert_eq!(words(&narrow), words(&whole), "nothing is lost");
        }
        assert_eq!(table(widest(&whole)), whole);
    }

    #[test]
    fn bars_have_their_length() {
        assert_eq!(bar(0.0, 24), "");
        assert_eq!(bar(1.0, 24), "█".repeat(BAR_WIDTH));
        assert_eq!(bar(0.5, 24), "█".repeat(BAR_WIDTH / 2));
        assert_eq!(bar(3.0, 24), "█".repeat(BAR_WIDTH), "no share is longer than the bar");
    }
}
