//! The rows as a table for people, in the terminal.

use std::fmt;

use pleach_benches::pleach::{DEFAULT_THREADS, ONE_TREE};
use pleach_benches::{Workload, absent};

use crate::show::{grouped, shown, size_of};

use super::row::{Row, Rows};

/// All rows of some workloads.
pub(super) struct Table<'a> {
    pub(super) rows: &'a Rows,
    pub(super) workloads: &'a [Workload],
}

/// What times are compared with, and the heads of these columns: the floor and boxes, what threads
/// must beat, or a single tree.
fn rivals(workload: Workload) -> [(&'static str, &'static str); 2] {
    match workload {
        Workload::Threads(_) | Workload::Squads(_) => {
            [(DEFAULT_THREADS[0], "x tick"), (DEFAULT_THREADS[1], "x 1 thread")]
        }
        Workload::Trees => [(ONE_TREE[0], "x one tree"), (ONE_TREE[1], "x the other")],
        _ => [("hand", "x hand"), ("naive", "x naive")],
    }
}

/// The heads of a row's cells except the first two: the time, its ratios to the rivals' times, and
/// memory.
fn columns(workload: Workload) -> [&'static str; 5] {
    let [(_, a), (_, b)] = rivals(workload);
    ["ns/tick", a, b, "B/agent", "allocs"]
}

fn cells(rows: &Rows, workload: Workload, row: &Row) -> [String; 5] {
    let [a, b] = rivals(workload).map(|(to, _)| cell(rows.ratio(workload, row.implementation, to, row.agents)));
    [cell(row.ns_per_agent_tick), a, b, cell(row.bytes_per_agent), cell(row.allocs_per_tick)]
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), short)
}

/// Three digits or a little more, and an exact zero only for zero.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        v if v < 0.000_095 => format!("{value:.0e}"),
        v if v < 0.000_95 => format!("{value:.4}"),
        v if v < 0.0995 => format!("{value:.3}"),
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => grouped(value),
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &workload in self.workloads {
            let [ns, hand, naive, bytes, allocs] = columns(workload);
            writeln!(f, "{workload}: {}", workload.about())?;
            let agents = size_of(workload);
            writeln!(f, "{agents:>11}  {:<25} {ns:>8} {hand:>10} {naive:>11} {bytes:>8} {allocs:>8}", "")?;
            let mut size = None;
            for row in self.rows.of(workload) {
                // Each size once: the blocks are easier to see.
                let agents =
                    if size.replace(row.agents) == Some(row.agents) { String::new() } else { grouped(row.agents) };
                write!(f, "{agents:>11}  {:<25} ", shown(row.implementation))?;
                match &row.skipped {
                    Some(why) => writeln!(f, "not measured: {why}")?,
                    None => {
                        let [ns, hand, naive, bytes, allocs] = cells(self.rows, workload, row);
                        writeln!(f, "{ns:>8} {hand:>10} {naive:>11} {bytes:>8} {allocs:>8}")?;
                    }
                }
            }
            for (name, why) in absent(workload) {
                writeln!(f, "{:>11}  {name:<25} does not take part: {why}", "")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pleach_benches::pleach::{DefaultWay, OtherWay, Way};

    use super::super::row::row;
    use super::*;

    fn rows() -> Rows {
        let mut rows = Rows::default();
        rows.push(row(Workload::Walk, "hand", 1_000, 12.0));
        rows.push(row(Workload::Walk, DefaultWay::NAME, 1_000, 1_234.4));
        rows.push(row(Workload::Walk, OtherWay::NAME, 1_000, 1_234.4));
        rows.push(row(Workload::Walk, "hand", 1_000_000, 12.0));
        let skipped = Some("it would take 4.5 GB".into());
        rows.push(Row { skipped, ns_per_agent_tick: None, ..row(Workload::Walk, "lite", 1_000_000, 0.0) });
        rows
    }

    #[test]
    fn numbers_are_short() {
        let numbers =
            [0.0, 0.000_03, 0.000_3, 0.001_24, 0.0999, 0.1, 1.0, 9.994, 9.999, 12.34, 99.96, 123.4, 12_345.6, 1e6];
        let text = numbers.map(short);
        assert_eq!(
            text,
            [
                "0",
                "3e-5",
                "0.0003",
                "0.001",
                "0.10",
                "0.10",
                "1.00",
                "9.99",
                "10.0",
                "12.3",
                "100",
                "123",
                "12 346",
                "1 000 000"
            ]
        );
    }

    #[test]
    fn columns_are_aligned_and_what_is_missing_is_said() {
        let rows = rows();
        let text = Table { rows: &rows, workloads: &[Workload::Walk, Workload::Mixed] }.to_string();
        let [default, other] = [shown(DefaultWay::NAME), shown(OtherWay::NAME)];
        let expected = format!(
            "\
S3: 29 nodes visited per tick, ended and started again in every tick
     agents                             ns/tick     x hand     x naive  B/agent   allocs
      1 000  hand                          12.0       1.00           -     64.5        0
             {default:<25}    1 234        103           -     64.5        0
             {other:<25}    1 234        103           -     64.5        0
  1 000 000  hand                          12.0       1.00           -     64.5        0
             lite                      not measured: it would take 4.5 GB

S5: "
        );
        assert!(default.ends_with(" (default)") && !other.contains("default"), "{default}, {other}");
        assert!(text.starts_with(&expected), "{text}");
        assert!(
            text.contains("             all others                does not take part: the trees are assets"),
            "{text}"
        );
    }
}
