//! An agent after a frame.

use serde::Serialize;
#[cfg(feature = "ts")]
use ts_rs::TS;

/// An agent after a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS), ts(optional_fields))]
pub struct MomentView {
    /// Its number.
    pub agent: u32,
    /// What the game calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The frame.
    pub frame: u64,
    /// The time of the game after it.
    pub seconds: f64,
    /// Its tree, as an index into the trees of the overview.
    pub tree: usize,
    /// What it is doing, in a word: `active`, `paused`, `off`, `panicked`.
    pub phase: String,
    /// The nodes that run.
    pub running: Vec<usize>,
    /// All active nodes: these and those above them.
    pub active: Vec<usize>,
    /// What nodes remember.
    pub nodes: Vec<NodeNote>,
    /// The conditions that have a stored answer.
    pub conditions: Vec<ConditionView>,
    /// Why the agent does what it does.
    pub explain: Vec<Line>,
    /// The last conditional abort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_abort: Option<LastAbort>,
    /// What its keys hold, as expressions last read them.
    pub keys: Vec<KeyText>,
}

/// Something that happened within a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS), ts(optional_fields))]
pub struct StepView {
    /// The node that it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// What happened, as in a trace.
    pub text: String,
    /// The nodes that run after it.
    pub running: Vec<usize>,
    /// All active nodes after it: these and those above them.
    pub active: Vec<usize>,
}

/// What a node remembers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS), ts(optional_fields))]
pub struct NodeNote {
    /// The node.
    pub node: usize,
    /// What it is: `left` of a wait, a cooldown, a limit; `score`; `places` of a token; `order` of
    /// children.
    pub word: String,
    /// Its amount, without a remaining time: `until` gives that.
    pub text: String,
    /// The time of the game at which the remaining time ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// For a score: its ratio to the highest score among its siblings, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// A condition with a stored answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS))]
pub struct ConditionView {
    /// The condition.
    pub node: usize,
    /// Its answer when it last ran.
    pub stored: bool,
    /// Its answer now; `null` if only the game knows.
    pub now: Option<bool>,
    /// Whether a change could end something now.
    pub watched: bool,
}

impl MomentView {
    /// What nodes remember, by their nodes. An order of children that have scores is left out: the
    /// scores give it.
    #[must_use]
    pub fn notes(&self) -> Vec<&NodeNote> {
        let has_score = |node: &usize| self.nodes.iter().any(|it| it.node == *node && it.word == "score");
        let mut notes: Vec<&NodeNote> = self.nodes.iter().filter(|it| !it.order().any(|it| has_score(&it))).collect();
        notes.sort_by_key(|it| it.node);
        notes
    }

    /// The amount of a note now, as text for a drawing that has no numbers of nodes: `name` names a
    /// child in an order. `places` are the decimal places of the time that is left.
    pub fn amount(&self, note: &NodeNote, places: usize, name: impl Fn(usize) -> Option<String>) -> String {
        let children: Vec<String> = note.order().filter_map(name).collect();
        let text = if children.is_empty() { &note.text } else { &children.join(", ") };
        let left = note.until.map(|it| format!("{:.places$} s", (it - self.seconds).max(0.0)));
        [text, left.as_deref().unwrap_or_default()].join(" ").trim().to_owned()
    }
}

impl NodeNote {
    /// The children of an `order`, the first to run first. Nothing for another note.
    fn order(&self) -> impl Iterator<Item = usize> {
        let numbers = if self.word == "order" { &*self.text } else { "" };
        numbers.split(", ").filter_map(|it| it.strip_prefix('n')?.parse().ok())
    }
}

/// A line of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS), ts(optional_fields))]
pub struct Line {
    /// What it is about: `does`, `watches`, `left`, `aborted`, `passed`, `requires`, and others.
    pub word: String,
    /// The statement. Nodes are named as in `n9 Check(sees_enemy)`.
    pub text: String,
    /// The node that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// The time of the game at which the remaining time ends. The text does not include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// The last conditional abort.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS), ts(optional_fields))]
pub struct LastAbort {
    /// The frame in which it happened, if that is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// When it happened, in seconds of the agent's own time.
    pub time: f64,
    /// Its cause, in words, without its time.
    pub text: String,
    /// The condition that changed.
    pub node: usize,
}

/// What a key holds, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS))]
pub struct KeyText {
    /// The key, as an index into the keys of the tree.
    pub key: usize,
    /// Its value.
    pub text: String,
}

/// Why an agent does not run a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(TS))]
pub struct WhyNotView {
    /// Its number.
    pub agent: u32,
    /// The frame.
    pub frame: u64,
    /// The node.
    pub node: usize,
    /// Whether the node is active: then nothing prevents it.
    pub active: bool,
    /// What prevents it, from the root down.
    pub lines: Vec<Line>,
}
