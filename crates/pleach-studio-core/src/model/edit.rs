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
        /// What was seen of it: while it is the same, it is not told again.
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
        /// The node beside which, or in which.
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
        /// What is typed behind it.
        after: String,
    },
    /// Changes a file: an `EditView`.
    Do {
        /// The file.
        file: String,
        /// What was seen of the file: `FileView::seen`.
        seen: u64,
        /// The change.
        change: Change,
    },
    /// Takes the last change back: an `EditView`.
    Undo,
    /// Makes the change again that was taken back last: an `EditView`.
    Redo,
    /// Writes all changed files to the disk: an `EditView`.
    Save,
    /// Ends a conflict: an `EditView`.
    Settle {
        /// The file.
        file: String,
        /// Whether the text of the page stays, and not that of the disk.
        mine: bool,
    },
    /// What differs between the text of the page and that of the disk: a list of `LineView`.
    Difference {
        /// The file.
        file: String,
    },
    /// What becomes of the tests of a file, and what they do in its nodes: a `TestsView`.
    Tests {
        /// The file.
        file: String,
    },
    /// What an agent of the recording would have done under the trees as they are edited: a
    /// `WhatIfView`.
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
    /// A field holds something else; without a value it goes.
    Set {
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// What is typed.
        value: Option<String>,
    },
    /// A new node.
    Insert {
        /// The node beside which, or in which.
        node: usize,
        /// Where.
        side: Side,
        /// The new node, as a file has it.
        text: String,
    },
    /// A node goes elsewhere.
    Move {
        /// The node.
        node: usize,
        /// The node beside which, or in which.
        to: usize,
        /// Where.
        side: Side,
    },
    /// A node goes, with all below it.
    Delete {
        /// The node.
        node: usize,
    },
    /// A node gets a new one around it.
    Wrap {
        /// The node.
        node: usize,
        /// The kind of the new one.
        kind: String,
    },
    /// The children of a node take its place.
    Unwrap {
        /// The node.
        node: usize,
    },
    /// A copy of a node stands behind it.
    Duplicate {
        /// The node.
        node: usize,
    },
    /// A node is of another kind.
    Become {
        /// The node.
        node: usize,
        /// The kind.
        kind: String,
    },
    /// A node becomes a template, and a use of it stands in its place.
    Template {
        /// The node.
        node: usize,
        /// The name of the template.
        name: String,
    },
    /// A node becomes a file, and a subtree stands in its place.
    Extract {
        /// The node.
        node: usize,
        /// The path of the file, below the directory that is edited.
        path: String,
    },
    /// What the field of a node names gets another name, in all files.
    Rename {
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// The other name.
        name: String,
    },
    /// A part of the text is another one. Places count in UTF-16 units, as in a browser.
    Text {
        /// Where the part begins.
        from: usize,
        /// Where it ends.
        to: usize,
        /// What stands there then.
        text: String,
    },
}

/// Where something goes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Side {
    /// Before a node.
    Before,
    /// Behind it.
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
    /// What the next undo takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// What the next redo makes again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo: Option<String>,
    /// The file that is shown: the one that was asked for, or that has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<FileView>,
    /// The node of it to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// What a reader has to know: files that could not be saved, say.
    pub notes: Vec<String>,
}

/// A file in the list of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct FileRow {
    /// Its path below the directory.
    pub name: String,
    /// How it stands to the disk.
    pub state: FileState,
    /// How many errors it has.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
}

/// How the text of a file stands to the disk.
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
    /// It has gone from the disk.
    Deleted,
    /// It cannot be read, so it is not edited.
    Closed,
}

/// A file that is edited.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct FileView {
    /// Its path below the directory.
    pub name: String,
    /// How it stands to the disk.
    pub state: FileState,
    /// Names this text of the file: a change says which one was seen.
    pub seen: u64,
    /// Its text.
    pub text: String,
    /// Its nodes, as far as it can be read. The first is the file itself.
    pub tree: TreeView,
    /// The first and the last line of each node, from 1.
    pub lines: Vec<(usize, usize)>,
    /// The nodes that are left out of the tree by themselves.
    pub off: Vec<usize>,
    /// What is wrong with it.
    pub problems: Vec<ProblemView>,
}

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct ProblemView {
    /// The node at which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// The field of that node, if it stands there.
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
    /// What can be written.
    pub what: String,
    /// What it says.
    pub doc: String,
    /// What holds if it is not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether it has to be written.
    pub required: bool,
    /// Whether nodes of all kinds have it.
    pub common: bool,
    /// The words that can be written, if they are fixed.
    pub words: Vec<String>,
    /// Whether it holds a name that other places have, too.
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
    /// Where what it replaces begins in what is typed, in UTF-16 units.
    pub from: usize,
    /// Where that ends.
    pub to: usize,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct LineView {
    /// `+` of the text of the page, `-` of the disk, or a space.
    pub sign: String,
    /// The line.
    pub text: String,
}

/// What an agent would have done under edited trees.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct WhatIfView {
    /// The trees under which it is played: the edited one for each recorded one that has one.
    pub trees: Vec<TreeView>,
    /// What it would have done.
    pub track: TrackView,
    /// The first frame in which it does something else, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// Where it first does something else, and why, in a sentence.
    pub text: String,
}

/// How often a node started, succeeded, failed and was aborted.
pub type Counted = [u64; 4];

/// What became of the tests of a file that is edited, and of those of trees that include it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct TestsView {
    /// The file.
    pub file: String,
    /// The text of the file that they were played with: `FileView::seen`.
    pub seen: u64,
    /// The cases, those of one test file together.
    pub cases: Vec<CaseView>,
    /// How many cases were not played, as they need the world of the game.
    pub left_out: usize,
    /// Of each node of the file how often it started, succeeded, failed and was aborted; nothing if
    /// it is in no tree that was played.
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
    /// Whether all was as expected.
    pub passed: bool,
    /// What was not, with the tree and the trace.
    pub text: String,
}
