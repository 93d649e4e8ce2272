//! Removed nodes, and nodes that their children replace.

use super::change::{Change, Piece};
use super::units::{Seat, comments_beside, entry_of, item, unit};
use super::{EditError, refused};
use crate::fields::{Items, Role, Stands};
use crate::syntax::{At, Shape};

impl Change<'_, '_> {
    pub(super) fn delete(&mut self, node: usize) -> Result<(), EditError> {
        let at = self.inner(node)?;
        let seat = self.seat(at)?;
        self.cut(seat, false)?;
        // The node that takes its place, or else the one before.
        self.patch.focus(0);
        Ok(())
    }

    /// The children of a node: those of its one field that holds nodes.
    fn children(&self, at: At) -> Result<Vec<At>, EditError> {
        let mut held = Vec::new();
        for field in self.fields(at) {
            let Some((_, value)) = self.held(at, field.name) else { continue };
            let items = || self.doc.syntax.get(value).items.iter().filter_map(|it| it.value);
            match field.role {
                Role::Node(Stands::Any) => held.push(value),
                Role::ListOf(Items::Nodes(Stands::Any) | Items::Entries(_)) | Role::MapOf(_)
                    if super::nodes::holds_nodes(self.doc, value) =>
                {
                    held.extend(items());
                }
                _ => {}
            }
        }
        match held.is_empty() {
            true => refused(format!("`{}` has no children to put in its place: delete it", self.doc.word(at))),
            false => Ok(held),
        }
    }

    pub(super) fn unwrap(&mut self, node: usize) -> Result<(), EditError> {
        let at = self.inner(node)?;
        if !matches!(self.doc.role(at), Role::Node(Stands::Any)) {
            return refused("only nodes of the tree can be unwrapped");
        }
        let children = self.children(at)?;
        let span = self.span(at);
        let seat = self.seat(at)?;
        let own = unit(self.doc, at);
        let is_list = own == at && self.shape(seat.within) == Shape::List;
        if let [child] = children[..] {
            let inner = self.of_entry(child);
            let kept = self.span(inner);
            let lost = comments_beside(self.doc, span.clone(), std::slice::from_ref(&kept));
            let text = self.text(kept);
            // Comments go above it, even if that breaks the brackets.
            let begin = if lost.is_empty() { "" } else { "\n" };
            self.patch.replace(span, format!("{begin}{lost}{text}"));
            self.patch.focus(begin.len() + lost.len());
            return Ok(());
        }
        if !is_list {
            return refused(format!(
                "`{}` has {} children, and only one node can stand in its place: move the others out first",
                self.doc.word(at),
                children.len()
            ));
        }
        let mut kept = Vec::new();
        let mut pieces = Vec::new();
        for child in children {
            let outer = unit(self.doc, child);
            let of = super::units::seat(self.doc, outer).map(|it| item(self.doc, it.within, it.item));
            let Some(of) = of else { continue };
            let inner = self.span(self.of_entry(child));
            let lead = self.text(of.lead..of.body.start);
            let beside = comments_beside(self.doc, of.body.clone(), std::slice::from_ref(&inner));
            let trail = comments_beside(self.doc, of.body.end..of.end, &[]);
            let begin = if lead.is_empty() && beside.is_empty() && pieces.is_empty() { "" } else { "\n" };
            let trail = if trail.is_empty() { trail } else { format!(" {}", trail.trim_end()) };
            pieces.push(format!("{begin}{lead}{beside}{},{trail}", self.text(inner)));
            kept.push(of.lead..of.end);
        }
        let lost = comments_beside(self.doc, span.clone(), &kept);
        let own = item(self.doc, seat.within, seat.item);
        let all = pieces.concat();
        // The comma after the node becomes that of its last child.
        let comma = own.comma.clone().unwrap_or(own.body.end..own.body.end);
        let between = self.text(own.body.end..comma.start).to_owned();
        let begin = if lost.is_empty() { "" } else { "\n" };
        self.patch.replace(own.body.start..comma.end, format!("{begin}{lost}{all}{between}"));
        self.patch.focus(begin.len() + lost.len());
        Ok(())
    }

    /// The node of an entry, or the node itself.
    pub(super) fn of_entry(&self, at: At) -> At {
        match entry_of(self.doc, at) {
            Some(_) => self.held(at, "child").map_or(at, |it| it.1),
            None => at,
        }
    }

    pub(super) fn duplicate(&mut self, node: usize) -> Result<(), EditError> {
        let at = self.inner(node)?;
        let Seat { within, item: number } = self.seat(at)?;
        if self.shape(within) != Shape::List {
            return refused("only one node can stand here: wrap it in a composite first");
        }
        let copy = self.taken(at)?;
        let body = self.without_ids(unit(self.doc, at));
        let piece = Piece { lead: &copy.lead, body: &body, trail: &copy.trail, focus: Some(0) };
        self.put(within, number + 1, &piece, None);
        Ok(())
    }

    /// The text of a value without the ids of its nodes, which must be unique.
    fn without_ids(&self, of: At) -> String {
        let span = self.span(of);
        let mut copy = Change::new(self.manifest, self.doc);
        for node in &self.nodes {
            if self.span(node.at).start < span.start || self.span(node.at).end > span.end {
                continue;
            }
            if let Some((item, _)) = self.held(node.at, "id") {
                let at = super::units::item(self.doc, node.at, item);
                copy.patch.replace(at.body.clone(), "");
                copy.patch.replace(at.comma.unwrap_or(at.body.end..at.body.end), "");
            }
        }
        let behind = self.doc.text.len() - span.end;
        let (text, _) = copy.patch.apply(&self.doc.text);
        text[span.start..text.len() - behind].to_owned()
    }
}
