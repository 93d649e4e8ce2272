//! What a page asks about files of trees that are edited, and the answers.

use serde::{Deserialize, Serialize};
#[cfg(test)]
use ts_rs::TS;

use super::{TrackView, TreeView};

/// What a page asks about files. Files have their paths below the directory that is edited; nodes
/// have numbers in the order of their file's text.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "edit", rename_all = "snake_case")]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub enum EditQuestion {
    /// All files, as they are on the disk now, and one of them: an `EditView`.
    Files {
        /// The file to show.
        file: Option<String>,
        /// The `FileView::seen` that the page has: an unchanged file is not sent again.
        seen: Option<u64>,
    },
    /// The fields of a node: a list of `FieldView`.
    Fields {
        /// The file.
        file: String,
        /// The node.
        node: usize,
    },
    /// The nodes that can be inserted: a list of `ChoiceView`.
    Kinds {
        /// The file.
        file: String,
        /// The node beside which, or in which, a node is placed.
        node: usize,
    },
    /// What can be written in a field: a list of `ChoiceView`.
    Complete {
        /// The file.
        file: String,
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// What is typed before the cursor.
        before: String,
        /// What is typed after the cursor.
        after: String,
    },
    /// Changes a file: an `EditView`.
    Do {
        /// The file.
        file: String,
        /// The text of the file that the page has: `FileView::seen`.
        seen: u64,
        /// The change.
        change: Change,
    },
    /// Undoes the last change: an `EditView`.
    Undo,
    /// Redoes the change that was undone last: an `EditView`.
    Redo,
    /// Writes all changed files to the disk: an `EditView`.
    Save,
    /// Resolves a conflict: an `EditView`.
    Settle {
        /// The file.
        file: String,
        /// Whether the text of the page is kept, and not that of the disk.
        mine: bool,
    },
    /// What differs between the text of the page and that of the disk: a `DiffView`.
    Difference {
        /// The file.
        file: String,
    },
    /// The results of the tests of a file, and what they do in its nodes: a `TestsView`.
    Tests {
        /// The file.
        file: String,
    },
    /// What an agent of the recording would have done under the edited trees: a `WhatIfView`.
    WhatIf {
        /// Its number.
        agent: u32,
    },
}

/// A change of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub enum Change {
    /// Changes a field; without a value, removes it.
    Set {
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// What is typed.
        value: Option<String>,
    },
    /// Inserts a node.
    Insert {
        /// The node beside which, or in which, a node is placed.
        node: usize,
        /// Where it is placed.
        side: Side,
        /// The new node, as a file has it.
        text: String,
    },
    /// Moves a node.
    Move {
        /// The node.
        node: usize,
        /// The node beside which, or in which, a node is placed.
        to: usize,
        /// Where it is placed.
        side: Side,
    },
    /// Removes a node, with everything below it.
    Delete {
        /// The node.
        node: usize,
    },
    /// Wraps a node in a new one.
    Wrap {
        /// The node.
        node: usize,
        /// The kind of the new one.
        kind: String,
    },
    /// Replaces a node by its children.
    Unwrap {
        /// The node.
        node: usize,
    },
    /// Inserts a copy of a node after it.
    Duplicate {
        /// The node.
        node: usize,
    },
    /// Changes the kind of a node.
    Become {
        /// The node.
        node: usize,
        /// The kind.
        kind: String,
    },
    /// Turns a node into a template, and puts a use of the template in its place.
    Template {
        /// The node.
        node: usize,
        /// The name of the template.
        name: String,
    },
    /// Moves a node to a file of its own, and puts a subtree in its place.
    Extract {
        /// The node.
        node: usize,
        /// The path of the file, below the directory that is edited.
        path: String,
    },
    /// Renames what the field of a node names, in all files.
    Rename {
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// The new name.
        name: String,
    },
    /// Replaces the text with that of the disk.
    Revert,
    /// Replaces a part of the text. Positions count in UTF-16 units, as in a browser.
    Text {
        /// Where the part begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The new text of this part.
        text: String,
    },
}

/// Where a node is placed.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Side {
    /// Before a node.
    Before,
    /// After it.
    After,
    /// Below it, as its last child.
    Into,
}

/// The files that are edited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct EditView {
    /// All files, by their paths.
    pub files: Vec<FileRow>,
    /// The change that the next undo reverts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The change that the next redo repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo: Option<String>,
    /// The file that is shown: the requested one, or the one that has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<FileView>,
    /// The node of the file to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// Messages for the user, such as files that could not be saved.
    pub notes: Vec<String>,
}

/// A file in the list of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct FileRow {
    /// Its path below the directory.
    pub name: String,
    /// How its text compares with that on the disk.
    pub state: FileState,
    /// How many errors it has.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
}

/// How the text of a file compares with that on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum FileState {
    /// It is the same.
    Saved,
    /// It has changed here.
    Unsaved,
    /// It has changed here and on the disk.
    Conflict,
    /// It is no longer on the disk.
    Deleted,
    /// It cannot be read, so it cannot be edited.
    Closed,
}

/// A file that is edited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct FileView {
    /// Its path below the directory.
    pub name: String,
    /// How its text compares with that on the disk.
    pub state: FileState,
    /// Identifies this text of the file: a change names the text that it is based on.
    pub seen: u64,
    /// Its text.
    pub text: String,
    /// Its nodes, as far as it can be read. The first is the file itself.
    pub tree: TreeView,
    /// The first and the last line of each node, from 1.
    pub lines: Vec<(usize, usize)>,
    /// The nodes with `disabled` of their own, which the tree leaves out.
    pub off: Vec<usize>,
    /// Its problems.
    pub problems: Vec<ProblemView>,
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct ProblemView {
    /// The node that has the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// The field of that node, if a field has the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Whether it is an error, not a warning.
    pub error: bool,
    /// Its code.
    pub code: String,
    /// What is wrong, and what to do.
    pub message: String,
}

/// A field that a node has or can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct FieldView {
    /// Its name.
    pub name: String,
    /// What it holds, as a person types it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it accepts.
    pub what: String,
    /// Its description.
    pub doc: String,
    /// Its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether it is required.
    pub required: bool,
    /// Whether nodes of all kinds have it.
    pub common: bool,
    /// The words that it accepts, if they are fixed.
    pub words: Vec<String>,
    /// Whether it holds a name that also occurs in other places.
    pub is_name: bool,
}

/// Something that can be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ChoiceView {
    /// What it is called.
    pub label: String,
    /// What is written.
    pub text: String,
    /// What it is, in short.
    pub detail: String,
    /// What it does.
    pub doc: String,
    /// Where the part of the typed text that it replaces begins, in UTF-16 units.
    pub from: usize,
    /// Where that part ends.
    pub to: usize,
}

/// What differs between the text of a file and that on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct DiffView {
    /// The file.
    pub file: String,
    /// How many of its nodes differ, and how many a reload keeps, in words; if they cannot be
    /// compared, why.
    pub summary: String,
    /// What differs in the declared keys and events, and in the name of the tree.
    pub declared: Vec<ValueChange>,
    /// The nodes that differ, in the order of the text. If there are very many, only the first.
    pub nodes: Vec<NodeChange>,
    /// What a reload would restart, in sentences.
    pub restarts: Vec<String>,
    /// The lines that differ, with some around them.
    pub lines: Vec<LineView>,
}

/// A node that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct NodeChange {
    /// `+` if it was added, `-` if it was removed, `>` if it was moved, `~` if it was changed.
    pub sign: char,
    /// The names of the nodes above it, and its own.
    pub path: String,
    /// What happened to it, to follow the path.
    pub text: String,
    /// Where to look in the shown text: this node, or the parent of a removed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// The fields that differ.
    pub fields: Vec<ValueChange>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ValueChange {
    /// A field, a key, an event.
    pub what: String,
    /// Its value on the disk.
    pub old: String,
    /// Its value in the text of the page.
    pub new: String,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct LineView {
    /// `+` for a line of the page's text, `-` for a line on the disk, or a space.
    pub sign: char,
    /// Its number in the page's text, from 1; for a line on the disk, in that of the disk.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// What an agent would have done under edited trees.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct WhatIfView {
    /// The trees that it is played with: for each recorded tree the edited one, if there is one.
    pub trees: Vec<TreeView>,
    /// What it would have done.
    pub track: TrackView,
    /// The first frame in which it acts differently, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// Where it first acts differently, and why, in a sentence.
    pub text: String,
}

/// How often a node started, succeeded, failed and was aborted.
pub type Counted = [u64; 4];

/// The results of the tests of an edited file, and of those of trees that include it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct TestsView {
    /// The file.
    pub file: String,
    /// The text of the file that they were played with: `FileView::seen`.
    pub seen: u64,
    /// The cases, grouped by test file.
    pub cases: Vec<CaseView>,
    /// How many cases were not played, because they need the world of the game.
    pub left_out: usize,
    /// For each node of the file, how often it started, succeeded, failed and was aborted; nothing
    /// if no played tree has the node.
    pub nodes: Vec<Option<Counted>>,
}

/// A case that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct CaseView {
    /// Its test file.
    pub file: String,
    /// The line on which it begins.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// Which expectations failed, with the tree and the trace.
    pub text: String,
}
