//! Replays under trees that equal the recorded ones except for the code of their leaves.

use std::fmt;
use std::sync::Arc;

use pleach_expr::text::plain;

use super::{RecordedTree, Replay, ReplayError};
use crate::forest::save::Writer;
use crate::save::model::{Owner, SavedKey, SavedNode, SavedTree};
use crate::{Host, NodeId, Tree, Value};

impl fmt::Debug for RecordedTree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&str> = self.files.iter().map(|it| &*it.0).collect();
        f.debug_struct("RecordedTree").field("name", &self.name).field("files", &files).finish_non_exhaustive()
    }
}

impl RecordedTree<'_> {
    /// Whether it is this tree: with the same name, nodes, parameters and keys.
    #[must_use]
    pub fn is<H: Host>(&self, tree: &Tree<H>) -> bool {
        self.name == tree.name() && self.fingerprint == tree.fingerprint()
    }

    /// The kinds of its leaves that are conditions, each once.
    #[must_use]
    pub fn conditions(&self) -> Vec<&str> {
        let is_condition = |it: &&SavedNode| it.built_in.as_deref() == Some("Condition");
        let mut kinds: Vec<&str> = self.saved.nodes.iter().filter(is_condition).map(|it| &*it.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Why a tree cannot stand in for the recorded one in [`Replay::open_with`]: the first node or
    /// key that differs. `None` if it can.
    #[must_use]
    pub fn difference<H: Host>(&self, tree: &Tree<H>) -> Option<String> {
        difference(self.saved, &outline(tree))
    }
}

impl<H: Host> Replay<H> {
    /// Opens a recording with trees that have the recorded nodes and keys: of the same kinds and
    /// names, at the same places. Leaves may have other code, so a tool replays without the game.
    /// For trees with other nodes or parameters open it like this, and then call
    /// [`edited`](Replay::edited).
    ///
    /// # Errors
    /// As [`open`](Replay::open). A tree with other nodes or keys is
    /// [`ReplayError::OtherNodes`], with the first difference.
    pub fn open_with(
        bytes: &[u8],
        mut tree: impl FnMut(&RecordedTree<'_>) -> Option<Arc<Tree<H>>>,
    ) -> Result<Self, ReplayError> {
        Self::open_if(bytes, &mut tree, alike)
    }
}

/// Accepts trees with the recorded nodes and keys.
pub(super) fn alike<H: Host>(recorded: &RecordedTree<'_>, made: &Tree<H>) -> Result<Option<SavedTree>, ReplayError> {
    let here = outline(made);
    match difference(recorded.saved, &here) {
        // Agents name their keys by their places in the recorded tree.
        None => Ok(Some(SavedTree { keys: recorded.saved.keys.clone(), ..here })),
        Some(what) => Err(ReplayError::OtherNodes { tree: recorded.name.to_owned(), what }),
    }
}

fn outline<H: Host>(tree: &Tree<H>) -> SavedTree {
    Writer::of_inputs(tree).tree(0, Vec::new(), Vec::new())
}

/// The first node or key in which two trees differ.
fn difference(recorded: &SavedTree, here: &SavedTree) -> Option<String> {
    let line = |at: usize, it: &SavedNode| {
        let id = NodeId::new(at).map(|it| it.to_string()).unwrap_or_default();
        let name = it.name.as_deref().map(|it| format!(" \"{}\"", plain(it))).unwrap_or_default();
        format!("{id} {}{name}", plain(&it.kind))
    };
    for at in 0..recorded.nodes.len().max(here.nodes.len()) {
        let what = match (recorded.nodes.get(at), here.nodes.get(at)) {
            (Some(was), Some(is)) => match node_differs(was, is) {
                None => continue,
                Some("") => format!("{} was recorded, but here it is {}", line(at, was), line(at, is)),
                Some(how) => format!("{} {how}", line(at, was)),
            },
            (Some(was), None) => format!("{} was recorded, but does not exist here", line(at, was)),
            (None, Some(is)) => format!("{} did not exist when it was recorded", line(at, is)),
            (None, None) => break,
        };
        return Some(what);
    }
    for was in &recorded.keys {
        let name = plain(&was.name);
        let ty = |it: &SavedKey| Value::from(it.default).ty();
        match here.keys.iter().find(|it| is_same_key(was, it)) {
            None => return Some(format!("the key `{name}` was recorded, but does not exist here")),
            Some(is) if ty(was) != ty(is) => {
                return Some(format!("the key `{name}` was of type {}, but here it is of type {}", ty(was), ty(is)));
            }
            Some(_) => {}
        }
    }
    let is_new = |it: &&SavedKey| !recorded.keys.iter().any(|was| is_same_key(was, it));
    here.keys.iter().find(is_new).map(|it| format!("the key `{}` did not exist when it was recorded", plain(&it.name)))
}

/// How a node differs, in words; `None` if it is another node.
fn node_differs(was: &SavedNode, is: &SavedNode) -> Option<&'static str> {
    fn text(it: &SavedNode) -> (&str, Option<&str>, Option<&str>) {
        (&it.kind, it.built_in.as_deref(), it.name.as_deref())
    }
    if text(was) != text(is) {
        Some("")
    } else if was.parent != is.parent {
        Some("has a different parent here")
    } else if was.id != is.id {
        Some("has a different id here")
    } else if was.counted != is.counted {
        Some("counts its rounds in only one of the two")
    } else if was.services.len() != is.services.len() {
        Some("has a different number of services here")
    } else if was.leaf.is_some() != is.leaf.is_some() {
        Some("calls a leaf in only one of the two")
    } else {
        None
    }
}

fn is_same_key(one: &SavedKey, other: &SavedKey) -> bool {
    let owner = |it: &SavedKey| match &it.node {
        None => (0, String::new()),
        Some(Owner::Id(it)) => (1, it.clone()),
        Some(Owner::Path(it)) => (2, it.clone()),
    };
    one.name == other.name && owner(one) == owner(other)
}
