//! One operation on a text.

use pleach::asset::{Manifest, format_str};

use super::change::Change;
use super::nodes::nodes;
use super::patch::Patch;
use super::{EditError, Operation};
use crate::doc::Doc;

/// A text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The text, formatted.
    pub text: String,
    /// The number of the node to select next.
    pub node: Option<usize>,
}

/// Edits the text of a tree. `name` is the name of its file in messages.
///
/// # Errors
/// The text is not RON; there is no such node; the operation does not fit the node.
pub fn edit(manifest: &Manifest, name: &str, text: &str, operation: &Operation) -> Result<Edited, EditError> {
    formatted(name, text)?;
    let doc = Doc::new(manifest, name, text);
    let mut change = Change::new(manifest, &doc);
    match operation {
        Operation::Set { node, field, value } => change.set(*node, field, value.as_deref())?,
        Operation::Insert { node, side, text } => change.insert(*node, *side, text)?,
        Operation::Move { node, to, side } => change.shift(*node, *to, *side)?,
        Operation::Delete { node } => change.delete(*node)?,
        Operation::Wrap { node, kind } => change.wrap(*node, kind)?,
        Operation::Unwrap { node } => change.unwrap(*node)?,
        Operation::Duplicate { node } => change.duplicate(*node)?,
        Operation::Become { node, kind } => change.become_kind(*node, kind)?,
        Operation::Template { node, name } => change.template(*node, name)?,
    }
    finished(manifest, name, text, change.patch)
}

/// The text after a patch, and the node to select next.
pub(super) fn finished(manifest: &Manifest, name: &str, text: &str, patch: Patch) -> Result<Edited, EditError> {
    let (text, focus) = patch.apply(text);
    let new = Doc::new(manifest, name, &text);
    let all = nodes(&new);
    let last = all.len().checked_sub(1);
    let begins = |it: usize| new.syntax.get(all[it].at).span.start;
    let node = focus.and_then(|focus| (0..all.len()).find(|it| begins(*it) >= focus).or(last));
    Ok(Edited { text: formatted(name, &text)?, node })
}

/// # Errors
/// It is not RON.
pub(super) fn formatted(name: &str, text: &str) -> Result<String, EditError> {
    format_str(name, text).map_err(|report| {
        let first = report.diagnostics().first();
        let told = first.map(|it| format!("line {}, column {}: {}", it.line(), it.column(), it.message()));
        EditError(format!("the text has to be RON first: {}; edit it as text", told.unwrap_or_default()))
    })
}
