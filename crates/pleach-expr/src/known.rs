//! Lists of existing names, for a name that is like none of them. `None` if there are none.

use std::collections::HashSet;

use crate::names::Help;

/// This was probably meant.
#[must_use]
pub fn meant(name: &str) -> Help {
    Help::Meant(name.into())
}

/// Which keys there are.
pub fn keys<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    some(names, Help::Keys)
}

/// Which words there are.
pub fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    some(words, Help::Words)
}

/// Which slots there are.
pub fn slots<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    some(names, Help::Slots)
}

/// Which trees a slot can hold.
pub fn trees<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    some(names, Help::Trees)
}

/// Which nodes have names.
pub fn nodes<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    some(names, Help::Nodes)
}

/// Which events there are, or that there are none.
pub fn events<'a>(names: impl IntoIterator<Item = &'a str>) -> Help {
    let (events, more) = first(names);
    Help::Events(events, more)
}

fn some<'a>(names: impl IntoIterator<Item = &'a str>, help: fn(Vec<String>, usize) -> Help) -> Option<Help> {
    let (names, more) = first(names);
    (!names.is_empty()).then(|| help(names, more))
}

/// The first names, each once, and how many more there are.
fn first<'a>(names: impl IntoIterator<Item = &'a str>) -> (Vec<String>, usize) {
    const SHOWN: usize = 8;
    let mut seen = HashSet::new();
    let mut names: Vec<&str> = names.into_iter().filter(|it| seen.insert(*it)).collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    (names.into_iter().map(Into::into).collect(), more)
}
