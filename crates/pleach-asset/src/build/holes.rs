//! The content of the holes of files and templates (SEMANTICS 9.6).

use std::collections::HashMap;
use std::sync::Arc;

use pleach_core::{Context, Host, Status, nodes};

use super::Builder;
use super::place::Place;
use crate::asset::{Filling, HoleEntry, Subtree, Takes};
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::span::Word;
use crate::syntax::Values;

/// A file or a template whose nodes are visited, with what its holes are given.
pub(super) struct Part<'a> {
    holes: &'a [HoleEntry<'a>],
    /// The node that it replaces, and what is visible there; none for the tree's own file.
    user: Option<(Subtree<'a>, Around<'a>)>,
    /// What this node gives for holes.
    given: HashMap<&'a str, (&'a Filling<'a>, Vec<Subtree<'a>>)>,
    /// The holes that have been filled.
    filled: Vec<&'a str>,
    /// Whether it is a template of another file.
    is_of_other: bool,
}

/// Where names are looked up.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    file: FileAt,
    values: &'a Arc<Values>,
    part: usize,
}

impl<'a, H: Host> Builder<'a, H> {
    fn around(&self) -> Around<'a> {
        Around { file: self.file, values: self.values, part: self.part }
    }

    fn go_to(&mut self, Around { file, values, part }: Around<'a>) {
        (self.file, self.values, self.part) = (file, values, part);
    }

    /// Enters the nodes of the tree's own file.
    pub(super) fn begin_part(&mut self, holes: &'a [HoleEntry<'a>], user: Option<(Subtree<'a>, Around<'a>)>) {
        self.part = self.parts.len();
        let given = user.map(|(user, _)| user.given()).unwrap_or_default();
        self.parts.push(Part { holes, user, given, filled: Vec::new(), is_of_other: false });
    }

    /// Enters the nodes of a file or a template that replaces a node.
    pub(super) fn enter(
        &mut self,
        (file, values): (FileAt, &'a Arc<Values>),
        holes: &'a [HoleEntry<'a>],
        user: Subtree<'a>,
    ) -> Around<'a> {
        let around = self.around();
        self.begin_part(holes, Some((user, around)));
        (self.file, self.values, self.level) = (file, values, self.level + 1);
        around
    }

    /// Whether the current nodes are of a template of another file.
    pub(super) fn is_of_other(&self) -> bool {
        self.parts[self.part].is_of_other
    }

    pub(super) fn set_of_other(&mut self, is_of_other: bool) {
        self.parts[self.part].is_of_other = is_of_other;
    }

    /// Leaves them.
    pub(super) fn leave(&mut self, around: Around<'a>) {
        self.parts.truncate(self.part);
        self.level -= 1;
        self.go_to(around);
    }

    /// The id of a node. One that stands in several places gets none, and is reported.
    #[inline(always)]
    pub(super) fn id(&mut self, it: Subtree<'a>) -> Option<&'a str> {
        let id = it.node().rest().id?;
        if self.copies.is_empty() { Some(id.text) } else { self.copied(id) }
    }

    /// A node of this id stands in several places.
    fn copied(&mut self, id: Word<'a>) -> Option<&'a str> {
        let &(file, hole) = self.copies.last()?;
        if self.copied_ids.insert((self.file, id.span.start)) {
            let message = format!("two nodes would have the id `{}`: the hole `{}` occurs twice", id.text, hole.text);
            let finding = Finding::new(Code::DoubledId, id.span, message)
                .in_file(self.file)
                .also_at((file, hole.span), "here again");
            self.making.push(finding.help("remove the id: each of these nodes has a memory of its own"));
        }
        None
    }

    /// What is given for a hole, or else its default. Returns how many nodes that is.
    pub(super) fn hole(&mut self, at: Subtree<'a>, name: Word<'a>, takes: Takes) -> usize {
        let Part { holes, user, given, .. } = &self.parts[self.part];
        let (holes, user) = (*holes, *user);
        let declared = holes.iter().find(|it| it.name.text == name.text && it.takes == Some(takes));
        let given = given.get(name.text).filter(|it| it.0.takes == takes && (takes == Takes::Many || !it.1.is_empty()));
        let given = given.map(|it| it.1.clone()).zip(user.map(|it| it.1));
        let default = declared.and_then(|it| it.default.as_deref());
        let own = self.around();
        let (nodes, around): (Vec<Subtree<'a>>, _) = match (declared, given, default) {
            (Some(_), Some((nodes, around)), _) => (nodes, Some(around)),
            (Some(_), None, Some(default)) if takes == Takes::Many || !default.is_empty() => {
                (default.iter().map(|it| it.whole()).filter(|it| !it.disabled).collect(), None)
            }
            (Some(_), ..) if user.is_none() && self.stands_in => {
                self.stand_in(at);
                return 1;
            }
            // That has been reported.
            _ => {
                self.placeholder(Place::Node(at));
                return 1;
            }
        };
        self.filled += 1;
        if !self.has_nodes_left(at) {
            return 1;
        }
        let is_copy = self.parts[self.part].filled.contains(&name.text);
        if is_copy {
            self.copies.push((self.file, name));
        } else {
            self.parts[self.part].filled.push(name.text);
        }
        around.into_iter().for_each(|it| self.go_to(it));
        let mut count = 0;
        for node in nodes {
            count += self.node(node, 1, None);
        }
        self.go_to(own);
        if is_copy {
            self.copies.pop();
        }
        if around.is_some() {
            self.nodes.given(count);
        }
        count
    }

    /// An unknown leaf, in a hole of a file that is checked by itself.
    fn stand_in(&mut self, at: Subtree<'a>) {
        let origin = self.origin(Place::Node(at));
        let leaf = nodes::action(|_: &mut Context<'_, '_, H>| Status::Success);
        self.nodes.push(leaf.of_kind(at.kind.text).from_origin(origin), 0);
    }

    /// Reports a composite whose holes were all given nothing.
    pub(super) fn nothing_given(&mut self, it: Subtree<'a>) {
        let message = format!("no node is given for the holes of this `{}`, and it has no other child", it.kind.text);
        let mut finding = Finding::new(Code::NoChildren, it.kind.span, message).in_file(self.file);
        if let Some((user, around)) = &self.parts[self.part].user {
            finding = finding.also_at((around.file, user.kind.span), "used here");
        }
        self.making.push(finding);
    }
}
