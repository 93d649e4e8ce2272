//! Changes of files.

use std::collections::BTreeMap;

use pleach::tools::text::plain;
use pleach_lsp::edit::{Operation, Side as To};

use super::Editor;
use super::history::{Look, Text};
use crate::error::AskError;
use crate::model::{Change, Side};

fn refused<T>(why: impl Into<String>) -> Result<T, AskError> {
    Err(AskError::Edit(why.into()))
}

impl Editor<'_> {
    /// Changes a file. Returns where to look then.
    pub(super) fn change(&mut self, file: &str, seen: u64, change: &Change) -> Result<Look, AskError> {
        let Some(it) = self.files.get(file) else {
            return refused(format!("there is no file `{}`: look at the list of files again", plain(file)));
        };
        if let Some(why) = &it.closed {
            return refused(format!("`{file}` cannot be edited: {why}"));
        }
        let typed_in = it.replaced.as_ref().filter(|it| it.0 == seen).map(|it| it.1.clone());
        if let (Some(old), Change::Text { from, to, text }) = (typed_in, change) {
            // Text was being typed when the file changed on the disk: both stay, as a conflict.
            let look = self.type_text(file, &old, (*from, *to), text)?;
            if let Some(it) = self.files.get_mut(file) {
                it.theirs = Some(it.base.replace(old));
            }
            return Ok(look);
        }
        if it.seen != seen {
            return refused(format!(
                "`{file}` has changed since it was shown: look at it again, and repeat the change"
            ));
        }
        let text = it.text.clone().unwrap_or_default();
        let to = |it: Side| match it {
            Side::Before => To::Before,
            Side::After => To::After,
            Side::Into => To::Into,
        };
        let (operation, what) = match change.clone() {
            Change::Revert => {
                let Some(old) = it.on_disk().clone() else {
                    return refused(format!("`{file}` is not on the disk, so it cannot be reverted"));
                };
                return Ok(self.replace(format!("reverting `{file}`"), file, old));
            }
            Change::Text { from, to, text: new } => return self.type_text(file, &text, (from, to), &new),
            Change::Rename { node, field, name } => return self.rename(file, node, &field, &name),
            Change::Extract { node, path } => return self.extract(file, node, &path),
            Change::Set { node, field, value } => {
                let what = format!("`{}` of {}", plain(&field), self.called(file, node));
                (Operation::Set { node, field, value }, what)
            }
            Change::Insert { node, side, text } => {
                let kind: String = text.chars().take_while(|it| *it == '_' || it.is_alphanumeric()).collect();
                (Operation::Insert { node, side: to(side), text }, format!("inserting {kind}"))
            }
            Change::Move { node, to: other, side } => {
                let what = format!("moving {}", self.called(file, node));
                (Operation::Move { node, to: other, side: to(side) }, what)
            }
            Change::Delete { node } => (Operation::Delete { node }, format!("deleting {}", self.called(file, node))),
            Change::Wrap { node, kind } => {
                let what = format!("wrapping {} in {}", self.called(file, node), plain(&kind));
                (Operation::Wrap { node, kind }, what)
            }
            Change::Unwrap { node } => (Operation::Unwrap { node }, format!("unwrapping {}", self.called(file, node))),
            Change::Duplicate { node } => {
                (Operation::Duplicate { node }, format!("copying {}", self.called(file, node)))
            }
            Change::Become { node, kind } => {
                let what = format!("making {} {}", self.called(file, node), plain(&kind));
                (Operation::Become { node, kind }, what)
            }
            Change::Template { node, name } => {
                let what = format!("making {} the template `{}`", self.called(file, node), plain(&name));
                (Operation::Template { node, name }, what)
            }
        };
        let edited = self.desk.edit(&self.disk.name(file), &operation).or_else(|it| refused(it.to_string()))?;
        let before = node_of(&operation);
        let looks = [(file.to_owned(), Some(before)), (file.to_owned(), edited.node)];
        self.make(what, BTreeMap::from([(file.to_owned(), Some(edited.text))]), looks);
        Ok((file.to_owned(), edited.node))
    }

    /// The name of a node.
    fn called(&self, file: &str, node: usize) -> String {
        let nodes = self.desk.written(&self.disk.name(file));
        nodes
            .get(node)
            .map_or_else(|| "a node".to_owned(), |it| plain(it.name.as_ref().unwrap_or(&it.kind)).into_owned())
    }

    fn type_text(&mut self, file: &str, text: &str, (from, to): (usize, usize), new: &str) -> Result<Look, AskError> {
        let (Some(start), Some(end)) = (byte(text, from), byte(text, to)) else {
            return refused(format!("`{file}` has no text from {from} to {to}: look at it again"));
        };
        if start > end {
            return refused(format!("there is no text from {from} to {to}"));
        }
        let after = format!("{}{new}{}", &text[..start], &text[end..]);
        Ok(self.replace(format!("typing in `{file}`"), file, after))
    }

    /// Sets the text of a file, as one change.
    fn replace(&mut self, what: String, file: &str, text: String) -> Look {
        let look = (file.to_owned(), None);
        self.make(what, BTreeMap::from([(file.to_owned(), Some(text))]), [look.clone(), look.clone()]);
        look
    }

    fn rename(&mut self, file: &str, node: usize, field: &str, name: &str) -> Result<Look, AskError> {
        let all = self.desk.rename(&self.disk.name(file), node, field, name).or_else(|it| refused(it.to_string()))?;
        let mut texts: BTreeMap<String, Text> = BTreeMap::new();
        for (full, text) in all {
            let Some(file) = self.disk.below(&full).filter(|it| self.files.contains_key(*it)) else {
                return refused(format!(
                    "`{}` has this name, too, and is not among the files that are edited",
                    plain(&full)
                ));
            };
            texts.insert(file.to_owned(), Some(text));
        }
        let look = (file.to_owned(), Some(node));
        self.make(format!("renaming to `{}`", plain(name)), texts, [look.clone(), look.clone()]);
        Ok(look)
    }

    fn extract(&mut self, file: &str, node: usize, path: &str) -> Result<Look, AskError> {
        let cannot = |why: String| AskError::Edit(format!("`{}` cannot be a file: {why}", plain(path)));
        self.disk.admit(path).map_err(cannot)?;
        // Files that are not saved are not on the disk.
        let is_below = |it: &str, above: &str| it.strip_prefix(above).is_some_and(|it| it.starts_with('/'));
        let mut known = self.files.iter().filter(|it| it.1.text.is_some()).map(|it| it.0);
        if let Some(it) = known.find(|it| is_below(path, it) || is_below(it, path)) {
            return Err(cannot(format!("there is a file `{it}`")));
        }
        let is_there = self.files.get(path).is_some_and(|it| it.text.is_some() || it.closed.is_some());
        if is_there || self.disk.read(path).is_ok_and(|it| it.is_some()) {
            return refused(format!("there is a file `{path}` already: choose another name"));
        }
        let what = format!("extracting {} to `{path}`", self.called(file, node));
        let extracted = self.desk.extract(&self.disk.name(file), node, &self.disk.name(path));
        let (edited, new) = extracted.or_else(|it| refused(it.to_string()))?;
        let texts = BTreeMap::from([(file.to_owned(), Some(edited.text)), (path.to_owned(), Some(new))]);
        let look = (file.to_owned(), edited.node);
        self.make(what, texts, [(file.to_owned(), Some(node)), look.clone()]);
        Ok(look)
    }
}

fn node_of(operation: &Operation) -> usize {
    match operation {
        Operation::Set { node, .. }
        | Operation::Insert { node, .. }
        | Operation::Move { node, .. }
        | Operation::Delete { node }
        | Operation::Wrap { node, .. }
        | Operation::Unwrap { node }
        | Operation::Duplicate { node }
        | Operation::Become { node, .. }
        | Operation::Template { node, .. } => *node,
    }
}

/// The byte offset of this many UTF-16 units.
pub(super) fn byte(text: &str, units: usize) -> Option<usize> {
    let mut left = units;
    for (at, it) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        left = left.checked_sub(it.len_utf16())?;
    }
    (left == 0).then_some(text.len())
}
