//! A text that is being edited: what all operations read, and their steps.

use std::ops::Range;

use pleach::asset::Manifest;

use super::nodes::{Node, nodes};
use super::patch::Patch;
use super::units::{Seat, comments, item, seat, unit};
use super::{EditError, refused};
use crate::doc::Doc;
use crate::fields::{Field, Role, fields, positional};
use crate::syntax::{At, Shape};

pub(super) struct Change<'d, 'g> {
    pub(super) manifest: &'g Manifest,
    pub(super) doc: &'d Doc<'g>,
    pub(super) nodes: Vec<Node>,
    pub(super) patch: Patch,
}

impl<'d, 'g> Change<'d, 'g> {
    pub(super) fn new(manifest: &'g Manifest, doc: &'d Doc<'g>) -> Self {
        Change { manifest, doc, nodes: nodes(doc), patch: Patch::default() }
    }

    pub(super) fn node(&self, number: usize) -> Result<At, EditError> {
        match self.nodes.get(number) {
            Some(it) => Ok(it.at),
            None => refused(format!("there is no node {number} here: the file has changed, so choose the node again")),
        }
    }

    /// The node, unless it is the file itself.
    pub(super) fn inner(&self, number: usize) -> Result<At, EditError> {
        let at = self.node(number)?;
        match self.doc.role(at) {
            Role::File => refused("this is the file itself: choose a node in it"),
            _ => Ok(at),
        }
    }

    /// The seat of a node's unit.
    pub(super) fn seat(&self, at: At) -> Result<Seat, EditError> {
        seat(self.doc, unit(self.doc, at)).map_or_else(|| refused("this is the file itself: choose a node in it"), Ok)
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'d str {
        self.doc.text.get(range).unwrap_or_default()
    }

    pub(super) fn span(&self, at: At) -> Range<usize> {
        self.doc.syntax.get(at).span.clone()
    }

    pub(super) fn written(&self, at: At) -> &'d str {
        self.text(self.span(at))
    }

    pub(super) fn shape(&self, at: At) -> Shape {
        self.doc.syntax.get(at).shape
    }

    pub(super) fn fields(&self, at: At) -> Vec<Field<'g>> {
        fields(self.manifest, self.doc.role(at), self.doc.word(at))
    }

    /// The value of a field, and its item index: its name may be left out.
    pub(super) fn held(&self, of: At, name: &str) -> Option<(usize, At)> {
        let items = &self.doc.syntax.get(of).items;
        if let Some(at) = items.iter().position(|it| it.key.is_some_and(|key| self.doc.word(key) == name)) {
            return Some((at, items[at].value?));
        }
        let is_unnamed = items.iter().all(|it| it.key.is_none());
        let known = positional(self.manifest, self.doc.role(of), self.doc.word(of));
        let at = known.iter().position(|it| it.name == name).filter(|_| is_unnamed)?;
        Some((at, items.get(at)?.value?))
    }

    /// Adds the omitted names of fields.
    fn name_fields(&mut self, of: At, but: Option<usize>) -> Result<(), EditError> {
        let items = &self.doc.syntax.get(of).items;
        if items.iter().any(|it| it.key.is_some()) {
            return Ok(());
        }
        let known = positional(self.manifest, self.doc.role(of), self.doc.word(of));
        for (at, value) in
            items.iter().enumerate().filter(|it| Some(it.0) != but).filter_map(|it| Some((it.0, it.1.value?)))
        {
            let Some(field) = known.get(at) else {
                let name = self.doc.word(of);
                return refused(format!("`{name}` takes no {}th value without a name: name its fields first", at + 1));
            };
            let start = self.span(value).start;
            self.patch.insert(start, format!("{}: ", field.name));
        }
        Ok(())
    }

    /// The same for all of them.
    pub(super) fn name_all(&mut self, of: At) -> Result<(), EditError> {
        self.name_fields(of, None)
    }

    /// Adds a missing field, at its usual place. `lead` holds comments, each on its line. The text
    /// to select next begins at that offset in `text`.
    pub(super) fn add_field(
        &mut self,
        of: At,
        name: &str,
        text: &str,
        lead: &str,
        focus: Option<usize>,
    ) -> Result<(), EditError> {
        let value = self.doc.syntax.get(of);
        let body = format!("{name}: {text}");
        let focus = focus.map(|it| it + name.len() + 2);
        if value.shape == Shape::Word {
            let open = if lead.is_empty() { "(" } else { "(\n" };
            self.patch.insert(value.span.end, format!("{open}{lead}{body})"));
            if let Some(it) = focus {
                self.patch.focus(open.len() + lead.len() + it);
            }
            return Ok(());
        }
        let order = self.order(of);
        let rank = |name: &str| order.iter().position(|it| *it == name);
        let known = positional(self.manifest, self.doc.role(of), self.doc.word(of));
        let mut index = value.items.len();
        for (at, item) in value.items.iter().enumerate().rev() {
            let other = item.key.map(|it| self.doc.word(it)).or(known.get(at).map(|it| it.name));
            if other.and_then(rank).zip(rank(name)).is_some_and(|(other, own)| other > own) {
                index = at;
            }
        }
        self.put(of, index, &Piece { lead, body: &body, trail: "", focus }, None);
        self.name_fields(of, None)
    }

    /// The names of fields in the order in which they are usually written: those of every node
    /// first, and those with children last.
    fn order(&self, of: At) -> Vec<&'g str> {
        let all = self.fields(of);
        let common = all.iter().filter(|it| it.is_common);
        let mut order: Vec<&str> = common.map(|it| it.name).collect();
        // `name` comes first; the abort type follows the fields that identify the node.
        order.sort_by_key(|it| match *it {
            "name" => 0,
            "id" => 1,
            "note" => 2,
            "disabled" => 3,
            _ => 4,
        });
        order.extend(all.iter().filter(|it| !it.is_common).map(|it| it.name));
        order
    }

    /// Puts an item into brackets, before the item of that index. The same change cuts the item
    /// `gone`.
    pub(super) fn put(&mut self, within: At, index: usize, piece: &Piece<'_>, gone: Option<usize>) {
        let value = self.doc.syntax.get(within);
        let start = value.inside.clone().map_or(value.span.end, |it| it.start);
        let count = value.items.len();
        let at = match count {
            0 => start,
            _ if index < count => item(self.doc, within, index).lead,
            _ => {
                let last = item(self.doc, within, count - 1);
                if last.comma.is_none() && gone != Some(count - 1) {
                    self.patch.insert(last.body.end, ",");
                }
                last.end
            }
        };
        let (before, after) = (self.text(0..at), self.text(at..self.doc.text.len()));
        let begins_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
        let ends_line = after.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        let begin = if (index > 0 || !piece.lead.is_empty()) && !begins_line { "\n" } else { "" };
        let trail = if piece.trail.is_empty() { String::new() } else { format!(" {}", piece.trail) };
        // A comment that follows is not this item's.
        let has_comment = after.trim_start_matches([' ', '\t']).starts_with('/');
        let end = match (piece.trail.is_empty() && !has_comment, ends_line) {
            (_, true) => "",
            (true, false) => " ",
            (false, false) => "\n",
        };
        let Piece { lead, body, focus, .. } = piece;
        self.patch.insert(at, format!("{begin}{lead}{body},{trail}{end}"));
        if let Some(it) = focus {
            self.patch.focus(begin.len() + lead.len() + it);
        }
    }

    /// Cuts an item with its comma, and its comments unless they stay.
    pub(super) fn cut(&mut self, seat: Seat, comments_stay: bool) -> Result<(), EditError> {
        let Seat { within, item: number } = seat;
        let value = self.doc.syntax.get(within);
        let it = item(self.doc, within, number);
        let is_last = number + 1 == value.items.len();
        if value.shape == Shape::Call && !is_last {
            self.name_fields(within, Some(number))?;
        }
        if comments_stay {
            let inner = comments(self.doc, it.body.clone());
            let kept: String = inner.into_iter().map(|it| format!("{}\n", self.text(it))).collect();
            self.patch.replace(it.body, kept);
            if let Some(comma) = it.comma {
                self.patch.replace(comma, "");
            }
            return Ok(());
        }
        let inside = value.inside.clone().unwrap_or_default();
        let stays = comments(self.doc, inside).iter().any(|other| other.start < it.lead || other.end > it.end);
        if value.items.len() == 1
            && value.shape == Shape::Call
            && !stays
            && let Some(name) = &value.name
            && matches!(self.doc.role(within), Role::Node(_))
        {
            self.patch.replace(name.end..value.span.end, "");
            return Ok(());
        }
        let mut range = it.lead..it.end;
        let before = self.text(0..range.start).trim_end_matches([' ', '\t']);
        let after = self.text(range.end..self.doc.text.len());
        let line_end = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
        if after[line_end..].starts_with('\n') {
            if before.ends_with('\n') {
                // Removes the line, so that it does not stay blank.
                range.start = before
                    .trim_end_matches(['\n', '\r'])
                    .len()
                    .max(before.len() - if before.ends_with("\r\n") { 2 } else { 1 });
            } else if number == 0 {
                range.end += after.len() - after.trim_start().len();
            }
        }
        self.patch.replace(range, "");
        Ok(())
    }
}

/// An item that is put into brackets.
pub(super) struct Piece<'t> {
    /// The comments above it, each with the end of its line.
    pub(super) lead: &'t str,
    pub(super) body: &'t str,
    /// The comments after it on its line.
    pub(super) trail: &'t str,
    /// Where the text to select next begins in the body.
    pub(super) focus: Option<usize>,
}
