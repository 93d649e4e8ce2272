//! The top-level modules of a crate, ordered so that arrows point down.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Finding;

/// A place where a module names another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) path: String,
    pub(super) line: usize,
    /// The path named there.
    pub(super) name: String,
}

/// Which module uses which. Without a cycle there is an order of the modules in which each uses
/// only modules after it, so no arrow points up. With cycles the order has few upward arrows.
pub(super) struct Graph {
    /// The user before the used.
    order: Vec<String>,
    arrows: Arrows,
    facades: Vec<Facade>,
}

/// An upward arrow that may stay, and why.
pub(super) type Facade = (&'static str, &'static str, &'static str);

pub(super) struct Counts {
    pub(super) modules: usize,
    pub(super) arrows: usize,
    pub(super) upward: usize,
}

impl Graph {
    pub(super) fn new(modules: BTreeSet<String>, arrows: Arrows, facades: Vec<Facade>) -> Self {
        Self { order: downward(modules, &arrows), arrows, facades }
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
        let all: BTreeSet<String> = self.order.iter().cloned().collect();
        let mut findings = Vec::new();
        for ((from, to), sites) in self.upward() {
            let way = chain(to, from, &self.arrows, &all).unwrap_or_default().join(" → ");
            for site in sites {
                let what = format!("`{from}` of {package} uses `{}`, which points upward: {way}", site.name);
                findings.push(Finding::new(&site.path, site.line, what, "move what both need to a module below both"));
            }
        }
        findings
    }
}

type Arrows = BTreeMap<(String, String), Vec<Site>>;

/// Users first. From a cycle with nothing else above it, the module that uses the most and is used
/// the least, counted in places, goes first; so an upward arrow is always part of a cycle.
fn downward(modules: BTreeSet<String>, arrows: &Arrows) -> Vec<String> {
    let (mut left, mut order) = (modules, Vec::new());
    while !left.is_empty() {
        let is_top =
            |name: &str| left.iter().all(|it| !reaches(it, name, arrows, &left) || reaches(name, it, arrows, &left));
        let surplus = |name: &str| {
            let inside = arrows.iter().filter(|((from, to), _)| left.contains(from) && left.contains(to));
            let weight = |((from, to), sites): (&(String, String), &Vec<Site>)| {
                let places = sites.len().cast_signed();
                if from == name { places } else { -places * isize::from(to == name) }
            };
            inside.map(weight).sum::<isize>()
        };
        let top = left.iter().filter(|it| is_top(it)).min_by_key(|it| std::cmp::Reverse(surplus(it)));
        let top = top.expect("one of those that are left has none above it, or only its own cycle").clone();
        left.remove(&top);
        order.push(top);
    }
    order
}

/// Whether arrows lead from one module to another through modules of this set.
fn reaches(from: &str, to: &str, arrows: &Arrows, within: &BTreeSet<String>) -> bool {
    chain(from, to, arrows, within).is_some()
}

/// The modules on a shortest way along arrows, both ends included.
fn chain<'a>(from: &'a str, to: &str, arrows: &'a Arrows, within: &BTreeSet<String>) -> Option<Vec<&'a str>> {
    let mut ways = vec![vec![from]];
    let mut seen = BTreeSet::from([from]);
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let end = *way.last().expect("it has a beginning");
            if end == to {
                return Some(way);
            }
            for (_, next) in arrows.keys().filter(|it| it.0 == end && within.contains(&it.1)) {
                if seen.insert(next) {
                    longer.push([way.as_slice(), &[next]].concat());
                }
            }
        }
        ways = longer;
    }
    None
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
        for (from, to, reason) in &self.facades {
            writeln!(f, "    but {from} → {to}: {reason}")?;
        }
        Ok(())
    }
}
