//! The report about an agent, now or at a past moment: why it does what it does, its tree with the
//! active path, scores, what it watches, what it remembers, its keys.

pub(crate) mod why;

use pleach::draw::{Drawing, Role, State};
use pleach::expr::KeyIndex;
use pleach::inspect::AgentView;
use pleach::schema::{KeyDecl, Scope};
use pleach::{Entity, NodeId, NodeRef, Outcome, Tree};
use pleach_arena::Arena;
use pleach_view::model::{KeyText, Line, MomentView, NodeNote};
use pleach_view::{living, words};

use crate::history::Moment;
use crate::interruption::Interruption;
use crate::timeline::{Before, Began};

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    Plain,
    /// Less important text.
    Faint,
    /// The kind of a node.
    Kind,
    /// A name given by an author.
    Name,
    /// A value that is not the default, or a number.
    Value,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// An abort.
    Abort,
}

/// A piece of text.
pub type Piece = (Tone, String);

/// What happens to a node's line where room is scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It stays.
    Shown,
    /// It stays, and this many nodes below it are hidden, as it is not active.
    Over(usize),
    /// It is hidden.
    Hidden,
}

/// A line of the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The title of a part.
    Heading(&'static str),
    /// A node of the tree.
    Node {
        /// The node.
        node: NodeId,
        /// Whether it is active.
        state: State,
        /// Its line, with the lines that lead to it.
        text: Vec<Piece>,
        /// What happens to it where room is scarce.
        fold: Fold,
    },
    /// The score of a child of a utility selector.
    Score {
        /// The child.
        label: String,
        /// Its score, with three decimal places.
        score: String,
        /// How long its bar is, from 0 to 1.
        bar: f32,
        /// Whether it runs.
        runs: bool,
    },
    /// Other text. It is wrapped if it is too long.
    Text(Vec<Piece>),
}

/// What the panel is about.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The agent, as it is or was.
    pub view: &'a AgentView<Arena>,
    /// When that was, if it is in the past.
    pub past: Option<Past<'a>>,
    /// The moment, in seconds of the forest.
    pub time: f64,
    /// Since when and why its branch runs.
    pub began: Option<Began>,
    /// What was ended from outside right before that branch, if that led to it.
    pub cause: Option<Abort<'a>>,
    /// What was last ended from outside after that, up to that moment.
    pub last: Option<Abort<'a>>,
    /// The nodes that the last edit of the files has changed.
    pub edited: &'a [NodeId],
}

/// Something that was ended from outside.
#[derive(Clone, Copy, Debug)]
pub struct Abort<'a> {
    /// What, and by what.
    pub it: Interruption,
    /// The tree as it was at that time.
    pub tree: &'a Tree<Arena>,
    /// The moments before and after that, if they are known.
    pub around: Option<(&'a Moment, &'a Moment)>,
}

/// A past moment.
#[derive(Debug)]
pub struct Past<'a> {
    /// How many seconds ago it was.
    pub ago: f64,
    /// The agent as it is now.
    pub now: &'a AgentView<Arena>,
    /// Whether it comes from the recording of this agent alone. That lacks the shared keys that no
    /// expression reads, and the places that others hold.
    pub is_replayed: bool,
}

/// The whole report about an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The agent's name.
    pub title: String,
    /// The agent's state.
    pub subtitle: Vec<Piece>,
    /// The lines.
    pub rows: Vec<Row>,
}

/// What the world knows about the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its name for people: `guard 17`.
    pub name: String,
    /// What it does, in one word.
    pub behaviour: String,
    /// From 0 to 1, if it is known.
    pub health: Option<f32>,
}

impl Panel {
    /// Describes an agent at a moment. `name_of` names an entity, by the name of the key that holds
    /// it.
    #[must_use]
    pub fn of(shown: &Shown<'_>, about: &About, name_of: impl Fn(&str, Entity) -> Option<String>) -> Self {
        let Shown { view, past, .. } = shown;
        let mut rows = why_it_runs(shown, &name_of);
        section(&mut rows, "tree", tree_rows(view, shown.edited));
        let moment = living(view, shown.time);
        section(&mut rows, "scores", moment.nodes.iter().filter_map(|it| score(view, it)).collect());
        let questions = moment.explain.iter().filter_map(|it| question(view, &moment, it)).collect();
        let title = match past {
            None => "watches: a change aborts what runs",
            Some(_) => "watched then",
        };
        section(&mut rows, title, questions);
        section(&mut rows, "last abort within this branch", last_abort(shown, &name_of));
        let is_replayed = past.as_ref().is_some_and(|it| it.is_replayed);
        let is_known = |it: &&NodeNote| !(is_replayed && it.word == "places");
        let notes = moment.notes().into_iter().filter(is_known).filter_map(|it| note(view, &moment, it));
        section(&mut rows, "remembers", notes.collect());
        let title = if past.is_some() { "blackboard then" } else { "blackboard" };
        section(&mut rows, title, blackboard(view, &moment, past.as_ref(), &name_of));
        let mut subtitle = vec![(Tone::Name, about.behaviour.clone())];
        subtitle.extend(about.health.map(|it| (Tone::Plain, format!("  {:.0} % health", f64::from(it) * 100.0))));
        subtitle.push((Tone::Faint, format!("  {}", phase(&moment.phase))));
        if let Some(Past { ago, .. }) = past {
            subtitle.insert(0, (Tone::Abort, format!("{ago:.1} s ago  ")));
        }
        Panel { title: about.name.clone(), subtitle, rows }
    }
}

/// All of it as text, one line each: active nodes have a mark.
impl std::fmt::Display for Panel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pieces = |text: &[Piece]| text.iter().map(|it| &*it.1).collect::<String>();
        writeln!(f, "{}: {}", self.title, pieces(&self.subtitle))?;
        for row in &self.rows {
            match row {
                Row::Heading(text) => writeln!(f, "{text}")?,
                Row::Node { state, text, .. } => {
                    let mark = if *state == State::Idle { "  " } else { "> " };
                    writeln!(f, "  {mark}{}", pieces(text))?;
                }
                Row::Score { label, score, runs, .. } => {
                    writeln!(f, "  {}{label} {score}", if *runs { "> " } else { "  " })?;
                }
                Row::Text(text) => writeln!(f, "  {}", pieces(text))?,
            }
        }
        Ok(())
    }
}

/// What a phase means.
fn phase(it: &str) -> &str {
    match it {
        "active" => "active: gets turns, costs time",
        "asleep" => "asleep: waits, costs nothing",
        other => other,
    }
}

fn section(rows: &mut Vec<Row>, title: &'static str, part: Vec<Row>) {
    if !part.is_empty() {
        rows.push(Row::Heading(title));
        rows.extend(part);
    }
}

/// A node's line without its number.
fn short(line: &str) -> String {
    let number = line.strip_prefix('n').and_then(|it| it.split_once(' '));
    let number = number.filter(|(digits, _)| digits.bytes().all(|it| it.is_ascii_digit()));
    number.map_or(line, |(_, rest)| rest).into()
}

fn tree_rows(view: &AgentView<Arena>, edited: &[NodeId]) -> Vec<Row> {
    let lines = Drawing::of_agent(view).text().lines;
    let nothing = view.stacks.is_empty();
    // Active nodes stay unfolded, and so does the path to an edit.
    let open = |node: NodeId| view.is_active(node) || edited.iter().any(|it| view.tree.contains(node, *it));
    let fold = |node: NodeId| {
        let Some(it) = view.tree.node(node) else { return Fold::Shown };
        let below = it.subtree().len() - 1;
        match it.parent() {
            _ if nothing || open(node) => Fold::Shown,
            Some(parent) if !open(parent.id()) => Fold::Hidden,
            _ if below > 0 => Fold::Over(below),
            _ => Fold::Shown,
        }
    };
    let row = |line: pleach::draw::Line| {
        let text = line.spans.into_iter().filter_map(|(role, text)| {
            let tone = match role {
                Role::Marker | Role::Monitor | Role::Border | Role::Instance => return None,
                Role::Branch | Role::Note | Role::Hidden | Role::Counts | Role::Place => Tone::Faint,
                Role::Kind => Tone::Kind,
                Role::Name => Tone::Name,
                Role::Detail => Tone::Plain,
                Role::Abort | Role::Services => Tone::Faint,
                Role::LastAbort => return Some((Tone::Abort, "  < last abort".into())),
            };
            Some((tone, text))
        });
        let mut text: Vec<Piece> = text.collect();
        if edited.contains(&line.node) {
            text.push((Tone::Value, "  < edited".into()));
        }
        Row::Node { node: line.node, state: line.state, text, fold: fold(line.node) }
    };
    lines.into_iter().map(row).collect()
}

fn word(it: Outcome) -> &'static str {
    match it {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
    }
}

fn outcome(it: Outcome) -> Piece {
    (if it == Outcome::Success { Tone::Good } else { Tone::Bad }, word(it).into())
}

/// The node with this index.
fn node(view: &AgentView<Arena>, index: usize) -> Option<NodeRef<'_, Arena>> {
    view.tree.node(NodeId::new(index)?)
}

/// The start of a line about a node.
fn begin(it: NodeRef<'_, Arena>) -> Vec<Piece> {
    vec![(Tone::Plain, short(&it.to_string())), (Tone::Faint, "  ".into())]
}

/// A line of an explanation, if it is about a condition, a guard or a value that selects a child.
fn question(view: &AgentView<Arena>, moment: &MomentView, it: &Line) -> Option<Row> {
    let asked = node(view, it.node?)?;
    let mut text = begin(asked);
    let faint = |text: &str| (Tone::Faint, text.to_owned());
    let result = |it: bool| if it { Outcome::Success } else { Outcome::Failure };
    match &*it.word {
        "watches" | "recalls" => {
            let known = moment.conditions.iter().find(|known| Some(known.node) == it.node)?;
            let stored = result(known.stored);
            match known.now.map(result).filter(|now| known.watched && *now != stored) {
                Some(now) => text.extend([outcome(stored), (Tone::Abort, " > ".into()), outcome(now)]),
                None if known.watched => text.push(faint(word(stored))),
                None => text.push(faint(&format!("was {}", word(stored)))),
            }
        }
        "needs" => text.push(faint("must hold")),
        "awaits" => text.push(faint("awaited")),
        "selects" => text.push(faint("selects")),
        "reruns" => text.push(faint("asked in every tick")),
        "requires" => text.push(faint("required")),
        _ => return None,
    }
    Some(Row::Text(text))
}

/// What a node remembers, except for a score.
fn note(view: &AgentView<Arena>, moment: &MomentView, it: &NodeNote) -> Option<Row> {
    let of = node(view, it.node).filter(|_| it.word != "score")?;
    let amount = moment.amount(it, 1, |it| Some(short(&node(view, it)?.to_string())));
    let left = if it.word == "left" { " left" } else { "" };
    Some(Row::Text([begin(of), vec![(Tone::Value, amount + left)]].concat()))
}

/// The score of a child of a utility selector.
fn score(view: &AgentView<Arena>, it: &NodeNote) -> Option<Row> {
    let child = node(view, it.node).filter(|_| it.word == "score")?;
    #[expect(clippy::cast_possible_truncation, reason = "the length of a bar")]
    let bar = it.share.unwrap_or(0.0) as f32;
    Some(Row::Score { label: child.label().into(), score: it.text.clone(), bar, runs: view.is_active(child.id()) })
}

/// Since when and why the branch runs: `hunt for 0.4 s: fight failed`.
fn why_it_runs(shown: &Shown<'_>, name_of: &NameOf<'_>) -> Vec<Row> {
    let Some(began) = &shown.began else { return Vec::new() };
    let seconds = (shown.time - began.at).max(0.0);
    let least = if began.is_known { "" } else { "at least " };
    let mut text = vec![(Tone::Name, began.branch.clone()), (Tone::Faint, format!(" for {least}{seconds:.1} s"))];
    let why = match (&began.before, shown.cause) {
        (Some(Before::Ended(branch, how)), _) => {
            let ended = if *how == Outcome::Success { (Tone::Good, " succeeded") } else { (Tone::Bad, " failed") };
            vec![(Tone::Plain, branch.clone()), (ended.0, ended.1.into())]
        }
        (Some(Before::Aborted(_)), Some(abort)) => why::pieces(&abort, name_of),
        _ => Vec::new(),
    };
    if !why.is_empty() {
        text.push((Tone::Faint, ": ".into()));
    }
    text.extend(why);
    vec![Row::Text(text)]
}

fn last_abort(shown: &Shown<'_>, name_of: &NameOf<'_>) -> Vec<Row> {
    let Some(abort) = &shown.last else { return Vec::new() };
    // A past moment counts from itself, and `ago` counts from now.
    let word = if shown.past.is_some() { "s earlier" } else { "s ago" };
    let mut text = vec![(Tone::Abort, format!("{:.1} {word}  ", (shown.time - abort.it.time).max(0.0)))];
    text.extend(why::pieces(abort, name_of));
    vec![Row::Text(text)]
}

/// The name of an entity, by the name of the key that holds it.
pub(crate) type NameOf<'a> = dyn Fn(&str, Entity) -> Option<String> + 'a;

/// The value of a key for people.
fn value_text(schema: &pleach::schema::Schema, key: &KeyDecl, value: pleach::Value, name_of: &NameOf<'_>) -> String {
    named(key, value, name_of).unwrap_or_else(|| words::value(schema, value))
}

/// The name of an entity.
fn named(key: &KeyDecl, value: pleach::Value, name_of: &NameOf<'_>) -> Option<String> {
    if let pleach::Value::Entity(it) = value { name_of(key.name(), it) } else { None }
}

/// The keys; those of a past moment with their current values, if these differ.
fn blackboard(view: &AgentView<Arena>, moment: &MomentView, past: Option<&Past<'_>>, name_of: &NameOf<'_>) -> Vec<Row> {
    let width = view.keys.iter().map(|it| it.0.name().chars().count()).max().unwrap_or(0);
    let text = |key: &KeyDecl, value| value_text(view.tree.schema(), key, value, name_of);
    let is_shared = |key: &KeyDecl| matches!(key.scope(), Scope::Group | Scope::Global);
    let is_known = |at, key: &KeyDecl| !is_shared(key) || KeyIndex::new(at).is_some_and(|it| view.tree.reads(it));
    let row = |((key, value), held): (&(KeyDecl, pleach::Value), &KeyText)| {
        let name = (Tone::Plain, format!("{:width$}  ", key.name()));
        if past.is_some_and(|it| it.is_replayed) && !is_known(held.key, key) {
            return Row::Text(vec![name, (Tone::Faint, "not recorded: no expression reads it".into())]);
        }
        let shown = named(key, *value, name_of).unwrap_or_else(|| held.text.clone());
        let tone = if *value == key.default() { Tone::Faint } else { Tone::Value };
        let same = |it: &&(KeyDecl, pleach::Value)| (it.0.name(), it.0.scope()) == (key.name(), key.scope());
        let later = past.and_then(|it| it.now.keys.iter().find(same)).map(|it| text(key, it.1));
        let later = later.filter(|it| *it != shown);
        let mut pieces = vec![name, (tone, shown)];
        if let Some(later) = later {
            pieces.push((Tone::Abort, format!("  now {later}")));
        }
        Row::Text(pieces)
    };
    view.keys.iter().zip(&moment.keys).map(row).collect()
}

/// Cuts text into lines of at most `columns` columns, between words if possible. Lines after the
/// first begin with two spaces.
#[must_use]
pub fn wrapped(pieces: &[Piece], columns: usize) -> Vec<Vec<Piece>> {
    let columns = columns.max(8);
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut used = 0;
    for (tone, text) in pieces {
        for word in text.split_inclusive(' ') {
            let mut word: String = word.into();
            loop {
                let length = word.chars().count();
                if used + word.trim_end().chars().count() <= columns {
                    if used + length > columns {
                        // The blank behind the last word has no room, and needs none.
                        word.truncate(word.trim_end().len());
                    }
                    used += length;
                    push(&mut lines, *tone, word);
                    break;
                }
                if used > 2 {
                    lines.push(vec![(Tone::Faint, "  ".into())]);
                    used = 2;
                    continue;
                }
                // A word longer than a line.
                let rest: String = word.chars().skip(columns - used).collect();
                word.truncate(word.char_indices().nth(columns - used).map_or(word.len(), |it| it.0));
                push(&mut lines, *tone, word);
                lines.push(vec![(Tone::Faint, "  ".into())]);
                used = 2;
                word = rest;
            }
        }
    }
    lines
}

fn push(lines: &mut [Vec<Piece>], tone: Tone, text: String) {
    if let Some(line) = lines.last_mut() {
        match line.last_mut() {
            Some((last, before)) if *last == tone => before.push_str(&text),
            _ => line.push((tone, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_wrapped_between_words() {
        let text = [(Tone::Plain, "one two three".into()), (Tone::Bad, " fourfourfourfour five".into())];
        let lines: Vec<String> =
            wrapped(&text, 10).iter().map(|it| it.iter().map(|it| &*it.1).collect::<String>()).collect();
        assert!(lines.iter().all(|it| it.chars().count() <= 10), "{lines:?}");
        let all: String = lines.concat().split_whitespace().collect();
        assert_eq!(all, "onetwothreefourfourfourfourfive");
        // A word that ends with the line: the blank behind it is not written.
        let full = wrapped(&[(Tone::Plain, "one two three".into())], 7 + 1);
        assert_eq!(full[0], [(Tone::Plain, "one two ".into())]);
        assert_eq!(wrapped(&[(Tone::Plain, "12345678 9".into())], 8)[0], [(Tone::Plain, "12345678".into())]);
        assert_eq!(wrapped(&[], 10), [Vec::new()]);
        assert!(!wrapped(&text, 0).is_empty());
    }

    #[test]
    fn numbers_of_nodes_are_left_out() {
        assert_eq!(short("n12 Check(health <= 0)"), "Check(health <= 0)");
        assert_eq!(short("nothing here"), "nothing here");
    }
}
