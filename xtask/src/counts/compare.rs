//! Compares the current counts with the page.

use std::fmt;

use pleach_benches::Workload;

use crate::show::{grouped, shown, size_of};

use super::COMMAND;
use super::page::{Figure, Page, counted};

/// How far a count may be from the page: a page rounds, and a compiler that places code differently
/// changes some counts.
const TOLERANCE: f64 = 0.03;

/// How the counts differ.
pub(super) struct Comparison {
    /// The sources of the page's figures and of the current ones, if they differ.
    sources: Option<[String; 2]>,
    compared: usize,
    /// Figures with the page's count.
    risen: Vec<(Figure, f64)>,
    fallen: Vec<(Figure, f64)>,
    /// What the page lacks.
    missing: Vec<Figure>,
    /// What only the page has.
    stale: Vec<Figure>,
}

impl Comparison {
    /// Compares the counts of these workloads.
    pub(super) fn new(before: &Page, now: &Page, workloads: &[Workload]) -> Self {
        let sources = (before.source != now.source).then(|| [before.source.clone(), now.source.clone()]);
        let lacks = |page: &Page, it: &Figure| page.count(it.workload, &it.name, it.agents).is_none();
        let only = |page: &Page, other: &Page| -> Vec<Figure> {
            let counted = page.figures.iter().filter(|it| workloads.contains(&it.workload));
            counted.filter(|it| lacks(other, it)).cloned().collect()
        };
        let both = now.figures.iter().filter_map(|it| Some((it, before.count(it.workload, &it.name, it.agents)?)));
        let beyond = |beyond: fn(f64, f64) -> bool| {
            both.clone().filter(|&(it, old)| beyond(it.count, old)).map(|(it, old)| (it.clone(), old)).collect()
        };
        Self {
            sources,
            compared: both.clone().count(),
            risen: beyond(|now, old| now > old * (1.0 + TOLERANCE)),
            fallen: beyond(|now, old| now < old * (1.0 - TOLERANCE)),
            missing: only(now, before),
            stale: only(before, now),
        }
    }

    /// Whether no count is too high, and the page has the rows that it should have.
    pub(super) fn holds(&self) -> bool {
        self.risen.is_empty() && self.missing.is_empty() && self.stale.is_empty()
    }
}

fn place(it: &Figure) -> String {
    format!("{}, {} {}, {}", it.workload, grouped(it.agents), size_of(it.workload), shown(&it.name))
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sources, compared, risen, fallen, missing, stale } = self;
        for (figures, what) in [(risen, "above"), (fallen, "below")] {
            for (figure, old) in figures {
                let percent = (figure.count / old - 1.0) * 100.0;
                let (old, new) = (counted(*old), counted(figure.count));
                writeln!(f, "{}: {old} on the page, {new} now ({percent:+.1} %)", place(figure))?;
            }
            if !figures.is_empty() {
                writeln!(f, "{} of {compared} counts are more than 3 % {what} the page", figures.len())?;
            }
        }
        missing.iter().try_for_each(|it| writeln!(f, "{}: the page lacks it", place(it)))?;
        stale.iter().try_for_each(|it| writeln!(f, "{}: only the page has it", place(it)))?;
        let differ = !self.holds() || !fallen.is_empty();
        if let Some([before, now]) = sources.as_ref().filter(|_| differ) {
            writeln!(f, "the page was counted with {before}; this is {now}, which may be why")?;
        }
        if !risen.is_empty() {
            writeln!(f, "mend what costs more; if the rise is wanted, `{COMMAND}` writes the page anew")
        } else if differ {
            writeln!(f, "`{COMMAND}` writes the page anew")
        } else {
            writeln!(f, "{compared} counts are within 3 % of the page")
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach_benches::pleach::{DefaultWay, Way};

    use super::*;

    fn page(counts: &[(u32, f64)]) -> Page {
        let figure =
            |&(agents, count)| Figure { workload: Workload::Walk, name: DefaultWay::NAME.into(), agents, count };
        Page { source: "rustc 1".into(), figures: counts.iter().map(figure).collect() }
    }

    fn compare(before: &Page, now: &Page) -> (bool, String) {
        let comparison = Comparison::new(before, now, &[Workload::Walk]);
        (comparison.holds(), comparison.to_string())
    }

    #[test]
    fn within_the_tolerance_nothing_is_said() {
        let before = page(&[(1, 100.0), (10, 2.0)]);
        let (holds, text) = compare(&before, &page(&[(1, 102.9), (10, 1.95)]));
        assert!(holds);
        assert_eq!(text, "2 counts are within 3 % of the page\n");
        let elsewhere = Page { source: "rustc 2".into(), ..page(&[(1, 100.0), (10, 2.0)]) };
        assert_eq!(compare(&before, &elsewhere).1, text, "another compiler alone is no news");
    }

    #[test]
    fn what_rises_fails_and_is_told_with_both_numbers() {
        let before = page(&[(1, 100.0), (1_000, 1_234.0)]);
        let (holds, text) = compare(&before, &page(&[(1, 100.0), (1_000, 1_300.0)]));
        assert!(!holds);
        let place = format!("S3, 1 000 agents, {} (default)", DefaultWay::NAME);
        assert!(text.starts_with(&format!("{place}: 1 234 on the page, 1 300 now (+5.3 %)\n")), "{text}");
        assert!(text.contains("1 of 2 counts are more than 3 % above the page"), "{text}");
        assert!(text.contains("if the rise is wanted, `cargo run --profile race -p xtask -- counts`"), "{text}");
        assert!(!text.contains("which may be why"), "{text}");
        let elsewhere = Page { source: "rustc 2".into(), ..page(&[(1, 104.0), (1_000, 1_234.0)]) };
        let (holds, text) = compare(&before, &elsewhere);
        assert!(!holds && text.contains("counted with rustc 1; this is rustc 2, which may be why"), "{text}");
        assert!(!compare(&page(&[(1, 0.0)]), &page(&[(1, 1.0)])).0, "from nothing to something is a rise");
    }

    #[test]
    fn what_falls_is_told_and_does_not_fail() {
        let (holds, text) = compare(&page(&[(1, 100.0)]), &page(&[(1, 90.0)]));
        assert!(holds && text.contains("100.0 on the page, 90.0 now (-10.0 %)"), "{text}");
        assert!(text.contains("1 of 1 counts are more than 3 % below the page"), "{text}");
        assert!(text.ends_with("writes the page anew\n") && !text.contains("mend"), "{text}");
    }

    #[test]
    fn a_page_with_other_rows_fails_with_all_that_differs() {
        let (holds, text) = compare(&page(&[(1, 100.0), (7, 1.0)]), &page(&[(1, 200.0), (10, 2.0)]));
        assert!(!holds);
        for part in ["S3, 1 agents", "S3, 10 agents", "the page lacks it", "S3, 7 agents", "only the page has it"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let before = page(&[(1, 100.0), (7, 1.0)]);
        let nothing = Comparison::new(&before, &page(&[]), &[Workload::Mixed]);
        assert!(nothing.holds(), "what was not asked for is not compared");
    }
}
