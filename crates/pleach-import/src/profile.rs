//! Profiles: how nodes of another system map to pleach, as RON files that people read and change.

use std::collections::BTreeMap;

use pleach::Report;
use pleach::tools::ron::{Arguments, Datum, Document, Name, Problem, Shape};

use crate::item::Item;

/// How nodes of a format map to pleach: see the book.
#[derive(Debug)]
pub struct Profile {
    nodes: BTreeMap<String, Vec<Entry>>,
    /// Templates as they are written, by their names.
    pub(crate) templates: BTreeMap<String, String>,
}

/// One way to write a node.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Values that the node must have, as they are written.
    conditions: Vec<(String, String)>,
    /// How many children it must have.
    children: Option<usize>,
    /// Where it must be.
    within: Option<Skip>,
    pub(crate) is: Option<Datum>,
    pub(crate) differs: Option<String>,
    pub(crate) lost: Option<String>,
    /// What a skipped child counts as. `None`: as the node itself does at its place.
    pub(crate) skipped: Option<Skip>,
}

/// What a skipped node counts as at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Skip {
    /// In a sequence.
    #[default]
    Success,
    /// In a selector.
    Failure,
    /// In a parallel that counts only successes: it is asked again in the next tick.
    Waits,
}

impl Profile {
    /// A profile that ships with pleach: `nav2`, the nodes of Nav2 over BehaviorTree.CPP.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Profile> {
        let source = match name {
            "nav2" => include_str!("btcpp/nav2.profile.ron"),
            _ => return None,
        };
        Some(Profile::read(name, source).expect("a test reads it"))
    }

    /// Reads a profile. `file` is its name in messages.
    ///
    /// # Errors
    /// It is not RON, or not a profile, with the problem and its place.
    pub fn read(file: &str, source: &str) -> Result<Profile, Report> {
        let document = Document::read(file, source, "`Profile(version: 1, nodes: {..})`")?;
        let mut reader = Reader { document: &document, problems: Vec::new() };
        let profile = reader.profile(document.root());
        match reader.problems {
            problems if problems.is_empty() => Ok(profile),
            problems => Err(document.report(problems)),
        }
    }

    /// How this node is mapped.
    pub(crate) fn entry(&self, item: &Item, within: Skip) -> Option<&Entry> {
        let is_given = |(name, wanted): &(String, String)| match item.text(name) {
            Some(it) => it.trim() == wanted,
            None => wanted.is_empty() && item.get(name).is_none(),
        };
        self.nodes.get(&item.kind)?.iter().find(|it| {
            it.conditions.iter().all(is_given)
                && it.children.is_none_or(|it| it == item.children.len())
                && it.within.is_none_or(|it| it == within)
        })
    }

    /// Whether it reads a value of nodes of this kind.
    pub(crate) fn reads(&self, kind: &str, value: &str) -> bool {
        let names = |entry: &Entry| {
            entry.conditions.iter().any(|it| it.0 == value) || entry.is.as_ref().is_some_and(|it| mentions(it, value))
        };
        self.nodes.get(kind).is_some_and(|it| it.iter().any(names))
    }

    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.nodes.contains_key(kind)
    }

    /// What a skipped child of this node counts as, if the node itself counts as `within`.
    pub(crate) fn skipped(&self, kind: &str, within: Skip) -> Skip {
        self.nodes.get(kind).and_then(|it| it.first()).map_or(Skip::default(), |it| it.skipped(within))
    }
}

impl Entry {
    /// What a skipped child counts as, if the node itself counts as `within`.
    pub(crate) fn skipped(&self, within: Skip) -> Skip {
        self.skipped.unwrap_or(if within == Skip::Failure { Skip::Failure } else { Skip::Success })
    }
}

/// Whether a value of a node is used in its replacement: `Int("x")`.
fn mentions(datum: &Datum, value: &str) -> bool {
    match &datum.shape {
        Shape::Call(_, Arguments::Tuple(items)) => {
            items.iter().any(|it| matches!(&it.shape, Shape::Text(text) if text == value) || mentions(it, value))
        }
        Shape::Call(_, Arguments::Named(fields)) => fields.iter().any(|it| mentions(&it.1, value)),
        Shape::List(items) => items.iter().any(|it| mentions(it, value)),
        Shape::Map(entries) => entries.iter().any(|it| mentions(&it.0, value) || mentions(&it.1, value)),
        Shape::Call(_, Arguments::None) | Shape::Text(_) | Shape::Literal(_) => false,
    }
}

struct Reader<'d> {
    document: &'d Document,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn wrong(&mut self, at: &Datum, message: &str) {
        self.problems.push(Problem::new(&at.span, message));
    }

    fn profile(&mut self, root: &Datum) -> Profile {
        let mut profile = Profile { nodes: BTreeMap::new(), templates: BTreeMap::new() };
        let Shape::Call(Some(Name { text, .. }), Arguments::Named(fields)) = &root.shape else {
            self.wrong(root, "expected `Profile(version: 1, nodes: {..})`");
            return profile;
        };
        if text != "Profile" {
            self.wrong(root, "expected `Profile(version: 1, nodes: {..})`");
        }
        for (name, value) in fields {
            match (&*name.text, &value.shape) {
                ("version", Shape::Literal(it)) if it == "1" => {}
                ("version", _) => self.wrong(value, "the version of profiles is 1"),
                ("nodes", Shape::Map(entries)) => {
                    for (key, value) in entries {
                        let Some(key) = self.text(key) else { continue };
                        let entries = match &value.shape {
                            Shape::List(items) => items.iter().map(|it| self.entry(it)).collect(),
                            _ => vec![self.entry(value)],
                        };
                        if profile.nodes.insert(key, entries).is_some() {
                            self.wrong(value, "this node stands here twice: put its entries into one list");
                        }
                    }
                }
                ("templates", Shape::Map(entries)) => {
                    for (key, value) in entries {
                        let text = self.document.text(&value.span).to_owned();
                        if let Some(key) = self.text(key) {
                            profile.templates.insert(key, text);
                        }
                    }
                }
                ("note", Shape::Text(_)) => {}
                _ => self.problems.push(
                    Problem::new(&name.span, format!("a profile has no `{}` of this form", name.text))
                        .help("it has `version`, `note`, `nodes: {..}` and `templates: {..}`"),
                ),
            }
        }
        profile
    }

    fn text(&mut self, datum: &Datum) -> Option<String> {
        match &datum.shape {
            Shape::Text(it) => Some(it.clone()),
            _ => {
                self.wrong(datum, "expected a string");
                None
            }
        }
    }

    fn entry(&mut self, datum: &Datum) -> Entry {
        let mut entry = Entry {
            conditions: Vec::new(),
            children: None,
            within: None,
            is: None,
            differs: None,
            lost: None,
            skipped: Some(Skip::default()),
        };
        let Shape::Call(None, Arguments::Named(fields)) = &datum.shape else {
            self.wrong(datum, "expected `(is: ..)`");
            return entry;
        };
        for (name, value) in fields {
            match (&*name.text, &value.shape) {
                ("if", Shape::Map(entries)) => {
                    for (key, value) in entries {
                        if let (Some(key), Some(value)) = (self.text(key), self.text(value)) {
                            entry.conditions.push((key, value));
                        }
                    }
                }
                ("children", Shape::Literal(count)) => entry.children = count.parse().ok(),
                ("within", _) => entry.within = self.skip(value),
                ("skipped", Shape::Call(Some(name), Arguments::None)) if name.text == "Within" => entry.skipped = None,
                ("skipped", _) => entry.skipped = self.skip(value),
                ("differs", Shape::Text(it)) => entry.differs = Some(it.clone()),
                ("lost", Shape::Text(it)) => entry.lost = Some(it.clone()),
                ("is", _) => entry.is = Some(value.clone()),
                _ => self
                    .problems
                    .push(Problem::new(&name.span, format!("an entry has no `{}` of this form", name.text)).help(
                    "it has `is`, `if: {..}`, `children`, `within`, `skipped`, `differs: \"..\"` and `lost: \"..\"`",
                )),
            }
        }
        if entry.is.is_none() && entry.lost.is_none() {
            self.wrong(datum, "expected `is: ..`, or `lost: \"..\"`");
        }
        entry
    }

    fn skip(&mut self, datum: &Datum) -> Option<Skip> {
        match &datum.shape {
            Shape::Call(Some(name), Arguments::None) if name.text == "Success" => Some(Skip::Success),
            Shape::Call(Some(name), Arguments::None) if name.text == "Failure" => Some(Skip::Failure),
            _ => {
                self.wrong(datum, "expected `Success` or `Failure`");
                None
            }
        }
    }
}
