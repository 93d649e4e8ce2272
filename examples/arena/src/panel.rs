//! What is told of an agent: its tree with the active path, what it watches, what it remembers, its
//! last abort, its keys.

use pleach::draw::{Drawing, Role, State};
use pleach::inspect::{AgentView, Asked, Left, Question};
use pleach::{NodeId, Outcome};
use pleach_arena::{ActorId, Arena, ToEntity};

/// What a piece of text is. It decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    Plain,
    /// What is less important.
    Faint,
    /// The kind of a node.
    Kind,
    /// A name that somebody gave.
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
    },
    /// Other text. It is wrapped if it is too long.
    Text(Vec<Piece>),
}

/// Which nodes are shown as active.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// Those that are.
    Now,
    /// Those that were so many seconds ago, in the order of the tree.
    Ago(f64, Vec<NodeId>),
}

/// All that is told of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Who it is.
    pub title: String,
    /// How it is.
    pub subtitle: Vec<Piece>,
    /// The lines.
    pub rows: Vec<Row>,
}

/// What the world says of the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its name for people: `guard 17`.
    pub name: String,
    /// What it does, in one word.
    pub behaviour: String,
    /// From 0 to 1.
    pub health: f32,
}

impl Panel {
    /// Describes an agent. `name_of` is what an actor is called whose entity a key holds.
    #[must_use]
    pub fn of(
        view: &AgentView<Arena>,
        about: &About,
        when: &When,
        name_of: impl Fn(ActorId) -> Option<String>,
    ) -> Self {
        let mut rows = tree_rows(view, when);
        if let When::Now = when {
            let explanation = view.explain();
            let questions: Vec<Row> = explanation.questions.iter().map(question).collect();
            section(&mut rows, "watches  (when it last ran > now)", questions);
            section(&mut rows, "last abort", last_abort(view));
            let notes = explanation.notes.iter().map(|it| {
                let mut text = vec![(Tone::Plain, short(&it.label)), (Tone::Faint, "  ".into())];
                match &it.left {
                    Left::Seconds(left) => text.push((Tone::Value, format!("{left:.1} s left"))),
                    Left::Count(left) => text.push((Tone::Value, format!("{left} left"))),
                    Left::Order(children) => {
                        for (child, score) in children {
                            text.push((Tone::Plain, format!(" {}", short(child))));
                            text.extend(score.map(|it| (Tone::Value, format!(" {it:.2}"))));
                        }
                    }
                }
                Row::Text(text)
            });
            section(&mut rows, "remembers", notes.collect());
        }
        section(&mut rows, "blackboard", blackboard(view, name_of));
        let mut subtitle = vec![
            (Tone::Name, about.behaviour.clone()),
            (Tone::Faint, format!("  {}  ", view.phase)),
            (Tone::Plain, format!("{:.0} % health", f64::from(about.health) * 100.0)),
            (Tone::Faint, format!("  {:.1} s old", view.time)),
        ];
        if let When::Ago(ago, _) = when {
            subtitle = vec![(Tone::Abort, format!("{ago:.1} s ago")), (Tone::Faint, "  let go to see it now".into())];
        }
        Panel { title: about.name.clone(), subtitle, rows }
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

fn tree_rows(view: &AgentView<Arena>, when: &When) -> Vec<Row> {
    let state = |node: NodeId, now: State| match when {
        When::Now => now,
        When::Ago(_, active) => {
            let Ok(at) = active.binary_search(&node) else { return State::Idle };
            let within = view.tree.node(node).map_or(0, |it| it.subtree().len());
            let below = active.get(at + 1).is_some_and(|it| it.index() < node.index() + within);
            if below { State::Active } else { State::Top }
        }
    };
    let lines = Drawing::of_agent(view).text().lines;
    let row = |line: pleach::draw::Line| {
        let text = line.spans.into_iter().filter_map(|(role, text)| {
            let tone = match role {
                Role::Marker | Role::Monitor | Role::Border | Role::Instance => return None,
                Role::Branch | Role::Note | Role::Hidden => Tone::Faint,
                Role::Kind => Tone::Kind,
                Role::Name => Tone::Name,
                Role::Detail => Tone::Plain,
                Role::Abort | Role::Services => Tone::Faint,
                Role::LastAbort => return Some((Tone::Abort, "  < last abort".into())),
            };
            Some((tone, text))
        });
        Row::Node { node: line.node, state: state(line.node, line.state), text: text.collect() }
    };
    lines.into_iter().map(row).collect()
}

fn outcome(it: Outcome) -> Piece {
    match it {
        Outcome::Success => (Tone::Good, "success".into()),
        Outcome::Failure => (Tone::Bad, "failure".into()),
    }
}

fn question(it: &Question) -> Row {
    let now = match it.now {
        Some(true) => (Tone::Good, "success".into()),
        Some(false) => (Tone::Bad, "failure".into()),
        None if it.asked == Asked::Selects => (Tone::Faint, String::new()),
        None => (Tone::Faint, "?".into()),
    };
    let mut text = vec![(Tone::Plain, short(&it.label)), (Tone::Faint, "  ".into())];
    match it.asked {
        Asked::Watched(was) => text.extend([outcome(was), (Tone::Faint, " > ".into()), now]),
        Asked::Remembered(was) => text.extend([(Tone::Faint, "was ".into()), outcome(was)]),
        Asked::Holds => text.extend([(Tone::Faint, "must hold: ".into()), now]),
        Asked::Awaited => text.extend([(Tone::Faint, "awaited: ".into()), now]),
        Asked::Selects => text.push((Tone::Faint, "selects".into())),
        Asked::Rerun => text.extend([(Tone::Faint, "every tick: ".into()), now]),
        Asked::Required => text.extend([(Tone::Faint, "required: ".into()), now]),
    }
    Row::Text(text)
}

fn last_abort(view: &AgentView<Arena>) -> Vec<Row> {
    let Some(abort) = view.last_abort else { return Vec::new() };
    let line = |node| view.tree.node(node).map_or_else(|| format!("{node:?}"), |it| short(&it.to_string()));
    let ago = (view.time - abort.time).max(0.0);
    vec![
        Row::Text(vec![
            (Tone::Abort, format!("{ago:.1} s ago  ")),
            (Tone::Plain, line(abort.by)),
            (Tone::Faint, " was ".into()),
            outcome(abort.was),
            (Tone::Faint, " and changed".into()),
        ]),
        Row::Text(vec![(Tone::Faint, "it ended ".into()), (Tone::Plain, line(abort.ended))]),
    ]
}

fn blackboard(view: &AgentView<Arena>, name_of: impl Fn(ActorId) -> Option<String>) -> Vec<Row> {
    let width = view.keys.iter().map(|it| it.0.name().chars().count()).max().unwrap_or(0);
    let row = |(key, value): &(pleach::schema::KeyDecl, pleach::Value)| {
        let shown = match *value {
            pleach::Value::Entity(it) => ActorId::from_entity(it).and_then(&name_of),
            pleach::Value::Float(it) => Some(format!("{it:.2}")),
            pleach::Value::Vec2([x, y]) => Some(format!("({x:.1}, {y:.1})")),
            _ => None,
        };
        let shown = shown.unwrap_or_else(|| view.tree.schema().describe(*value));
        let tone = if *value == key.default() { Tone::Faint } else { Tone::Value };
        Row::Text(vec![(Tone::Plain, format!("{:width$}  ", key.name())), (tone, shown)])
    };
    view.keys.iter().map(row).collect()
}

/// Cuts text into lines of at most so many columns, between words if that is possible. Lines after
/// the first begin with two spaces.
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
                    used += length;
                    push(&mut lines, *tone, word);
                    break;
                }
                if used > 2 {
                    lines.push(vec![(Tone::Faint, "  ".into())]);
                    used = 2;
                    continue;
                }
                // A word that is longer than a line.
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
        assert!(lines.iter().all(|it| it.trim_end().chars().count() <= 10), "{lines:?}");
        let all: String = lines.concat().split_whitespace().collect();
        assert_eq!(all, "onetwothreefourfourfourfourfive");
        assert_eq!(wrapped(&[], 10), [Vec::new()]);
        assert!(!wrapped(&text, 0).is_empty());
    }

    #[test]
    fn numbers_of_nodes_are_left_out() {
        assert_eq!(short("n12 Check(health <= 0)"), "Check(health <= 0)");
        assert_eq!(short("nothing here"), "nothing here");
    }
}
