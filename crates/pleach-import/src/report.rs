//! What happened to each node.

use std::fmt;

use crate::place::{Place, Text, Walk};

/// What happened to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does the same here.
    Exact,
    /// It is written with other nodes, or differs in a detail: this one.
    Rewritten(String),
    /// It loads, but does nothing of its own until the user writes it. Says what to write.
    Stub(String),
    /// It, or a part of it, cannot be expressed here. Says which part.
    Lost(String),
}

impl Fate {
    fn word(&self) -> &'static str {
        match self {
            Fate::Exact => "exact",
            Fate::Rewritten(_) => "rewritten",
            Fate::Stub(_) => "stub",
            Fate::Lost(_) => "lost",
        }
    }

    /// What it says about the node; nothing for an exact one.
    #[must_use]
    pub fn sentence(&self) -> &str {
        match self {
            Fate::Exact => "",
            Fate::Rewritten(it) | Fate::Stub(it) | Fate::Lost(it) => it,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Fate::Exact => 0,
            Fate::Rewritten(_) => 1,
            Fate::Stub(_) => 2,
            Fate::Lost(_) => 3,
        }
    }

    /// Both fates of one node: the worse one, with both sentences.
    pub(crate) fn and(self, other: Fate) -> Fate {
        let (worse, better) = if other.rank() > self.rank() { (other, self) } else { (self, other) };
        let sentence = match (worse.sentence(), better.sentence()) {
            (a, b) if b.is_empty() || a.split("; ").any(|it| it == b) => a.to_owned(),
            (a, b) => format!("{a}; {b}"),
        };
        match worse {
            Fate::Exact => Fate::Exact,
            Fate::Rewritten(_) => Fate::Rewritten(sentence),
            Fate::Stub(_) => Fate::Stub(sentence),
            Fate::Lost(_) => Fate::Lost(sentence),
        }
    }
}

/// What a line of the report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A node, by its name, and what happened to it.
    Node(String, Fate),
    /// Something that the user must decide.
    Question(String),
    /// Something that was accepted although it is not right.
    Warning(String),
    /// Something that could not be read: its file is left out.
    Error(String),
}

/// A line of the report, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The file, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What it says.
    pub what: Line,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        match &self.what {
            Line::Node(name, Fate::Exact) => write!(f, "exact: {name}"),
            Line::Node(name, fate) => write!(f, "{}: {name}: {}", fate.word(), fate.sentence()),
            Line::Question(it) => write!(f, "question: {it}"),
            Line::Warning(it) => write!(f, "warning: {it}"),
            Line::Error(it) => write!(f, "error: {it}"),
        }
    }
}

/// What happened to everything, in the order of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Its lines.
    pub entries: Vec<Entry>,
}

/// How many nodes have each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes that do the same.
    pub exact: usize,
    /// Nodes that are written with others, or differ.
    pub rewritten: usize,
    /// Nodes that the user must write.
    pub stubs: usize,
    /// Nodes that cannot be expressed here.
    pub lost: usize,
    /// Files, or parts of them, that could not be read.
    pub errors: usize,
}

impl Line {
    /// The line on one line of text, cut to what a person reads.
    fn bounded(self) -> Line {
        const MOST: usize = 600;
        let bounded = |text: String| {
            let cut = text.char_indices().nth(MOST).map_or(text.len(), |it| it.0);
            let end = if cut < text.len() { ".." } else { "" };
            let line = text[..cut].chars().map(|it| if it.is_control() { ' ' } else { it });
            line.chain(end.chars()).collect()
        };
        match self {
            Line::Node(name, Fate::Exact) => Line::Node(bounded(name), Fate::Exact),
            Line::Node(name, Fate::Rewritten(it)) => Line::Node(bounded(name), Fate::Rewritten(bounded(it))),
            Line::Node(name, Fate::Stub(it)) => Line::Node(bounded(name), Fate::Stub(bounded(it))),
            Line::Node(name, Fate::Lost(it)) => Line::Node(bounded(name), Fate::Lost(bounded(it))),
            Line::Question(it) => Line::Question(bounded(it)),
            Line::Warning(it) => Line::Warning(bounded(it)),
            Line::Error(it) => Line::Error(bounded(it)),
        }
    }
}

/// A part of a file for a message: one line, not too long.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = line.char_indices().nth(MOST).map(|it| it.0);
    cut.map_or(line.clone(), |end| format!("{}..", &line[..end]))
}

impl Report {
    /// How many nodes have each fate.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for entry in &self.entries {
            match &entry.what {
                Line::Node(_, Fate::Exact) => counts.exact += 1,
                Line::Node(_, Fate::Rewritten(_)) => counts.rewritten += 1,
                Line::Node(_, Fate::Stub(_)) => counts.stubs += 1,
                Line::Node(_, Fate::Lost(_)) => counts.lost += 1,
                Line::Error(_) => counts.errors += 1,
                Line::Question(_) | Line::Warning(_) => {}
            }
        }
        counts
    }
}

/// A report that grows.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<(Place, Line)>);

impl Notes {
    pub(crate) fn add(&mut self, at: Place, what: Line) {
        self.0.push((at, what));
    }

    /// The output for a place is refused: a node there is lost.
    pub(crate) fn refused(&mut self, at: Place, why: String) {
        for (_, line) in self.0.iter_mut().filter(|it| it.0 == at) {
            if let Line::Node(_, fate) = line {
                *fate = fate.clone().and(Fate::Lost("what is written for it does not load".into()));
            }
        }
        self.add(at, Line::Error(why));
    }

    pub(crate) fn extend(&mut self, other: Notes) {
        self.0.extend(other.0);
    }

    /// In the order of places. Repeated lines about one place are dropped.
    pub(crate) fn report(mut self, texts: &[Text]) -> Report {
        self.0.sort_by_key(|it| it.0);
        self.0.dedup();
        let mut walk = Walk::default();
        let entry = |(place, what): (Place, Line)| {
            let (name, text) = texts.get(place.file).map_or(("", ""), |it| (&it.name, &it.text));
            let (line, column) = walk.to(place, text);
            Entry { file: name.into(), line, column, what: what.bounded() }
        };
        Report { entries: self.0.into_iter().map(entry).collect() }
    }
}
