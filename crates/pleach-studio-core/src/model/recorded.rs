//! What is recorded, and its trees.

use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// Where a page gets its answers from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Kind {
    /// A stretch of one agent, in one file.
    Report,
    /// A whole recording, which a program plays.
    Recording,
    /// The growing recording of a running game.
    Live,
    /// Files of trees, without a recording.
    Trees,
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct Overview {
    /// The name of the recording.
    pub title: String,
    /// Where the answers come from.
    pub kind: Kind,
    /// The first frame.
    pub first: u64,
    /// The last frame.
    pub last: u64,
    /// Frames with their times. Between two of them time runs evenly.
    pub times: Vec<(u64, f64)>,
    /// How many agents have ever existed.
    pub agents: usize,
    /// The trees that were recorded, all versions of them. A report has those of its agent.
    pub trees: Vec<TreeView>,
    /// The agent that a report is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<u32>,
    /// The first frame of a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The last frame of a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// Messages about the recording, one sentence each: that it is damaged, that its first frames
    /// were dropped, that it diverges.
    pub notes: Vec<String>,
    /// Whether files of trees can be edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<bool>,
}

impl Overview {
    /// The overview for files of trees that are edited without a recording.
    #[must_use]
    pub fn of_trees(title: String) -> Self {
        Overview {
            title,
            kind: Kind::Trees,
            first: 0,
            last: 0,
            times: Vec::new(),
            agents: 0,
            trees: Vec::new(),
            agent: None,
            from: None,
            to: None,
            notes: Vec::new(),
            edits: Some(true),
        }
    }
}

/// A tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct TreeView {
    /// Its name.
    pub name: String,
    /// Which of the versions of this name it is, from 1.
    pub version: usize,
    /// Its nodes, in pre-order: the number of a node is its index.
    pub nodes: Vec<NodeView>,
    /// Its keys, in the order of their declaration.
    pub keys: Vec<KeyView>,
    /// The events that its agents know, each with the type of its payload, if it has one.
    pub events: Vec<(String, Option<String>)>,
    /// The width of the picture that the boxes of the nodes make.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Class {
    /// It has one or more children.
    Composite,
    /// It has one child.
    Decorator,
    /// It answers a question.
    Condition,
    /// It does something.
    Action,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct NodeView {
    /// Its number, shown as `n9`.
    pub id: usize,
    /// The number of its parent; the root has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// How many nodes are above it.
    pub depth: usize,
    /// Its kind, as it is written.
    pub kind: String,
    /// What it is.
    pub kind_is: Class,
    /// Whether it is a leaf of the game.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub of_game: bool,
    /// Its line in the outline of the tree, without its number.
    pub label: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its parameters and other fields, its abort type, its services.
    pub detail: Vec<String>,
    /// What its parent says about it: `case calm`, `score hunger`, `weight 3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<String>,
    /// The file or the template that begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The conditions whose change can make this composite end what runs, or run something else.
    pub conditionals: Vec<usize>,
    /// Its box: the left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub w: f64,
    /// The height.
    pub h: f64,
}

/// Where a node is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// A key of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct KeyView {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Whose it is: `agent`, `group`, `global`, or a node's as `n4`.
    pub of: String,
    /// Whether an expression reads it. The value of any other key may be out of date.
    pub recorded: bool,
}
