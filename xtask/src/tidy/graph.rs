//! The top-level modules of a crate, in an order in which arrows point down.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Finding;

/// Where a module names another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) path: String,
    pub(super) line: usize,
    /// The path that is named there.
    pub(super) name: String,
}

/// Who uses whom. Without a cycle there is an order of the modules in which each uses only modules
/// behind it, so that no arrow is upward. With cycles the order is one with few upward arrows.
pub(super) struct Graph {
    /// The user before the used.
    order: Vec<String>,
    arrows: BTreeMap<(String, String), Vec<Site>>,
}

pub(super) struct Counts {
    pub(super) modules: usize,
    pub(super) arrows: usize,
    pub(super) upward: usize,
}

impl Graph {
    pub(super) fn new(modules: BTreeSet<String>, arrows: BTreeMap<(String, String), Vec<Site>>) -> Self {
        Self { order: downward(modules, &arrows), arrows }
    }

    pub(super) fn counts(&self) -> Counts {
        Counts { modules: self.order.len(), arrows: self.arrows.len(), upward: self.upward().count() }
    }

    fn upward(&self) -> impl Iterator<Item = (&(String, String), &Vec<Site>)> {
        let place = |name| self.order.iter().position(|it| it == name);
        self.arrows.iter().filter(move |((from, to), _)| place(from) > place(to))
    }

    /// Each place from which an arrow points upward.
    pub(super) fn findings(&self, package: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for ((from, to), sites) in self.upward() {
            for site in sites {
                let what = format!("`{from}` uses `{}`, but `{to}` of {package} needs `{from}` itself", site.name);
                let help = "move what both need to a module below both";
                findings.push(Finding::new(&site.path, site.line, what, help));
            }
        }
        findings
    }
}

/// Users first. Where only cycles are left, the module goes first that uses the most and is used the
/// least, counted in places.
fn downward(modules: BTreeSet<String>, arrows: &BTreeMap<(String, String), Vec<Site>>) -> Vec<String> {
    let (mut left, mut top, mut bottom) = (modules, Vec::new(), Vec::new());
    while !left.is_empty() {
        let weights = |name: &str| {
            let (mut uses, mut used) = (0, 0);
            for ((from, to), sites) in arrows.iter().filter(|((from, to), _)| left.contains(from) && left.contains(to))
            {
                uses += if from == name { sites.len() } else { 0 };
                used += if to == name { sites.len() } else { 0 };
            }
            (uses, used)
        };
        let free = left.iter().find(|it| weights(it).1 == 0);
        let sink = || left.iter().find(|it| weights(it).0 == 0);
        let (next, is_sink) = match free {
            Some(free) => (free.clone(), false),
            None => match sink() {
                Some(sink) => (sink.clone(), true),
                None => {
                    let most = left.iter().min_by_key(|it| {
                        let (uses, used) = weights(it);
                        std::cmp::Reverse(uses.cast_signed() - used.cast_signed())
                    });
                    (most.expect("some are left").clone(), false)
                }
            },
        };
        left.remove(&next);
        if is_sink { bottom.push(next) } else { top.push(next) }
    }
    top.extend(bottom.into_iter().rev());
    top
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |name: &String| self.order.iter().position(|it| it == name);
        for module in &self.order {
            let targets = self.arrows.keys().filter(|it| it.0 == *module).map(|it| &it.1);
            let mut targets: Vec<_> = targets.map(|it| (place(it), it)).collect();
            targets.sort();
            write!(f, "    {module}")?;
            for (index, (at, target)) in targets.iter().enumerate() {
                let mark = if *at < place(module) { " (upward)" } else { "" };
                write!(f, "{}{target}{mark}", if index == 0 { " → " } else { ", " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
