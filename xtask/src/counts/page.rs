//! The page of counts: written for people, and read again for comparison.

use std::fmt;
use std::str::FromStr;

use pleach_benches::Workload;
use pleach_benches::pleach::{DefaultWay, Way};
use pleach_benches::sleep::Sleep;
use thiserror::Error;

use crate::show::{grouped, shown, size_of};

use super::COMMAND;

/// Instructions per agent and tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) workload: Workload,
    /// The implementation.
    pub(super) name: String,
    pub(super) agents: u32,
    pub(super) count: f64,
}

/// All figures, and where they come from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    /// The compiler, what it compiles for, and valgrind.
    pub(super) source: String,
    pub(super) figures: Vec<Figure>,
}

/// A line of the page cannot be read.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{line}: {what}")]
pub(super) struct Nonsense {
    line: usize,
    what: String,
}

/// What the line of the compiler begins with.
const SOURCE: &str = "Counted with ";
/// Ratios to a rival: columns computed from the others.
const RIVALS: [&str; 2] = ["hand", "naive"];
/// Sections computed from two workloads begin with such a line, and are not read.
const DERIVED: &str = "### ";

impl Page {
    /// What it says.
    pub(super) fn count(&self, workload: Workload, name: &str, agents: u32) -> Option<f64> {
        let is = |it: &&Figure| it.workload == workload && it.name == name && it.agents == agents;
        self.figures.iter().find(is).map(|it| it.count)
    }

    fn of(&self, workload: Workload) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |it| it.workload == workload)
    }

    /// A table with a line per size and a column per implementation.
    fn table(&self, workload: Workload, count: impl Fn(&str, u32) -> Option<f64>) -> String {
        let (mut names, mut sizes) = (Vec::new(), Vec::new());
        for figure in self.of(workload) {
            if !names.contains(&figure.name.as_str()) {
                names.push(&figure.name);
            }
            if !sizes.contains(&figure.agents) {
                sizes.push(figure.agents);
            }
        }
        let rivals: Vec<&str> = RIVALS.into_iter().filter(|it| names.contains(it)).collect();
        let mut lines = vec![vec![size_of(workload).to_owned()], Vec::new()];
        lines[0].extend(names.iter().map(|it| shown(it)).chain(rivals.iter().map(|it| format!("x {it}"))));
        for agents in sizes {
            let ratio = |rival: &&str| Some(count(DefaultWay::NAME, agents)? / count(rival, agents)?);
            let counts = names.iter().map(|it| count(it, agents)).chain(rivals.iter().map(ratio));
            let cells = counts.map(|it| it.map_or_else(|| "-".into(), counted));
            lines.push([grouped(agents)].into_iter().chain(cells).collect());
        }
        let width = |at: usize| lines.iter().filter_map(|it| it.get(at)).map(|it| it.chars().count()).max();
        let widths: Vec<usize> = (0..lines[0].len()).map_while(width).collect();
        lines[1] = widths.iter().map(|it| "-".repeat(it - 1) + ":").collect();
        let cell = |(text, width): (&String, &usize)| format!(" {text:>width$} |");
        let line = |it: &Vec<String>| format!("|{}\n", it.iter().zip(&widths).map(cell).collect::<String>());
        lines.iter().map(line).collect()
    }
}

/// A count for people: four digits, or a whole number.
pub(super) fn counted(count: f64) -> String {
    match count {
        it if it < 9.995 => format!("{it:.2}"),
        it if it < 999.95 => format!("{it:.1}"),
        it => grouped(it),
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\
# Instructions

{SOURCE}{}.

`{COMMAND}` writes this page, and with `--check` compares it: a count that is more
than 3 % higher is an error. Valgrind counts the instructions of the workloads of [the race](README.md), without those that
make the crowd and let it settle. A count is the same on a busy machine; another compiler or C library moves it. It is not a
time: an instruction that waits for memory or for a guessed branch takes as long as twenty others.

A figure is the number of instructions per agent and tick, what the game does in its leaves and its events included; of S6 it
is per node that is read, or per agent that is spawned, despawned or gets another tree. The columns:

- **agents**, **nodes**: how many agents the crowd has, or how many nodes the file has.
- **hand**: a state machine written by hand, the lower bound. **hand-match** is one as most people would write it first.
- **naive**: a tree of boxed nodes for each agent.
- **pleach-in-order**: a forest that ticks its agents one after the other.
- **pleach-batched**: a forest that ticks agents on the same action together.
- **pleach-polled**: the same, but every watched condition is evaluated in every tick.
- **pleach-brain**: agents outside of forests, each with a brain of its own.
- **pleach**: what all of these have in common, such as loading.
- **pleach-baked**: trees that are loaded from bytes in place of RON.
- **one-tree-in-order**, **one-tree-batched**: the same agents, but all of one tree.
- **ron**, **serde_json**: other readers, which make no tree of what they read.
- **x hand**, **x naive**: the default forest's count divided by the one of that column. The default is a forest whose settings are
  unchanged.",
            self.source,
        )?;
        for workload in Workload::ALL.into_iter().filter(|it| self.of(*it).next().is_some()) {
            let table = self.table(workload, |name, agents| self.count(workload, name, agents));
            write!(f, "\n## {workload}\n\nHere: {}.\n\n{table}", workload.about())?;
            if workload == Workload::Sleep(Sleep::Napping) {
                let still = Workload::Sleep(Sleep::Still);
                // In a round each agent wakes twice.
                let waker = |name: &str, agents| {
                    let more = self.count(workload, name, agents)? - self.count(still, name, agents)?;
                    Some(more * f64::from(Sleep::ROUND) / 2.0)
                };
                let table = self.table(workload, waker);
                write!(f, "\n{DERIVED}An agent that wakes\n\nWhat S4 costs more than S4-still, per waker.\n\n{table}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Page {
    type Err = Nonsense;

    fn from_str(text: &str) -> Result<Self, Nonsense> {
        let (mut source, mut figures) = (None, Vec::new());
        let (mut workload, mut heads): (_, Option<Vec<&str>>) = (None, None);
        for (line, text) in (1..).zip(text.lines()) {
            let nonsense = |what: String| Nonsense { line, what };
            if let Some(text) = text.strip_prefix(SOURCE) {
                source.get_or_insert(text.trim_end_matches('.').to_owned());
            } else if let Some(name) = text.strip_prefix("## ") {
                let found = Workload::ALL.into_iter().find(|it| it.name() == name);
                workload = Some(found.ok_or_else(|| nonsense(format!("there is no workload `{name}`")))?);
                heads = None;
            } else if text.starts_with(DERIVED) {
                workload = None;
            }
            let (Some(workload), Some(cells)) = (workload, text.strip_prefix('|')) else { continue };
            let cells: Vec<&str> = cells.trim_end_matches('|').split('|').map(str::trim).collect();
            let Some(heads) = &heads else {
                heads = Some(cells);
                continue;
            };
            if cells.iter().all(|it| it.trim_end_matches(':').chars().all(|it| it == '-') && it.len() > 1) {
                continue;
            }
            if cells.len() != heads.len() {
                return Err(nonsense(format!("{} cells instead of {}", cells.len(), heads.len())));
            }
            let number = |cell: &str| {
                let number = cell.replace(' ', "").parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0);
                number.ok_or_else(|| nonsense(format!("`{cell}` is no count")))
            };
            let agents = cells[0].replace(' ', "").parse();
            let agents = agents.map_err(|_| nonsense(format!("`{}` is not a number of agents", cells[0])))?;
            for (head, cell) in heads.iter().zip(&cells).skip(1) {
                if *cell != "-" && !head.starts_with("x ") {
                    let name = head.trim_end_matches(" (default)").to_owned();
                    figures.push(Figure { workload, name, agents, count: number(cell)? });
                }
            }
        }
        match source {
            Some(source) if !figures.is_empty() => Ok(Self { source, figures }),
            Some(_) => Err(Nonsense { line: 1, what: "there is no table of counts".into() }),
            None => Err(Nonsense { line: 1, what: format!("there is no line that begins with `{SOURCE}`") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        let mut figures = Vec::new();
        let mut add = |workload, agents, counts: &[(&str, f64)]| {
            let figure = |&(name, count): &(&str, f64)| Figure { workload, name: name.into(), agents, count };
            figures.extend(counts.iter().map(figure));
        };
        let [napping, still] = [Sleep::Napping, Sleep::Still].map(Workload::Sleep);
        add(Workload::Walk, 1, &[("hand", 10.0), (DefaultWay::NAME, 1_234.0), ("pleach-brain", 5.25)]);
        add(Workload::Walk, 10_000, &[("hand", 10.0), (DefaultWay::NAME, 745.0)]);
        add(napping, 10, &[(DefaultWay::NAME, 23.0)]);
        add(still, 10, &[(DefaultWay::NAME, 2.0)]);
        add(Workload::Load, 10, &[("pleach", 11_000.0)]);
        Page { source: "rustc 1.95.0, linux x86_64, valgrind-3.19.0".into(), figures }
    }

    #[test]
    fn a_page_is_for_people() {
        let text = page().to_string();
        for part in [
            "\nCounted with rustc 1.95.0, linux x86_64, valgrind-3.19.0.\n",
            "\n## S3\n\nHere: 29 nodes visited per tick, ended and started again in every tick.\n\n",
            "| nodes | pleach |\n| ----: | -----: |\n|    10 | 11 000 |\n",
            // 21 instructions more per tick, and 119 ticks for two wakers.
            "per waker.\n\n| agents | pleach-batched (default) |\n| -----: | -----------------------: |\n|     10 |                    1 250 |\n",
        ] {
            assert!(text.contains(part), "{part}\n---\n{text}");
        }
        let lines: Vec<&str> = text.lines().skip_while(|it| *it != "## S3").skip(4).take(4).collect();
        assert_eq!(lines[0], "| agents | hand | pleach-batched (default) | pleach-brain | x hand |");
        assert_eq!(lines[2], "|      1 | 10.0 |                    1 234 |         5.25 |  123.4 |");
        assert_eq!(lines[3], "| 10 000 | 10.0 |                    745.0 |            - |   74.5 |");
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(page().to_string().parse(), Ok(page()));
    }

    #[test]
    fn nonsense_is_told_with_its_line() {
        let text = page().to_string();
        let error = |text: String| text.parse::<Page>().unwrap_err().to_string();
        let line = |part: &str| 1 + text.lines().position(|it| it.contains(part)).unwrap();
        let wrong = |from: &str, to: &str, what: &str| {
            assert_eq!(error(text.replacen(from, to, 1)), format!("{}: {what}", line(from)));
        };
        wrong("745.0", "many", "`many` is no count");
        wrong("745.0", "-745", "`-745` is no count");
        wrong("745.0", "NaN", "`NaN` is no count");
        wrong("| 10 000 |", "| 1e4 |", "`1e4` is not a number of agents");
        wrong("745.0 |", "", "4 cells instead of 5");
        wrong("## S3", "## S33", "there is no workload `S33`");
        assert_eq!(error(text.replace('|', "")), "1: there is no table of counts");
        assert!(error(String::new()).starts_with("1: there is no line that begins with `Counted with "));
    }

    #[test]
    fn counts_have_four_digits() {
        assert_eq!(
            [0.0, 2.254, 9.996, 33.58, 128.34, 999.96].map(counted),
            ["0.00", "2.25", "10.0", "33.6", "128.3", "1 000"]
        );
        assert_eq!(counted(11_300.4), "11 300");
    }
}
