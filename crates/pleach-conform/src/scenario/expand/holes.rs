//! Puts given nodes in place of holes, as section 9.6 of `SEMANTICS.md` says.

use std::rc::Rc;

use pleach_core::limits::MAX_NODES;

use super::{Expanded, Expander, Frame, Place};
use crate::scenario::Node;
use crate::scenario::check::value_error;
use crate::scenario::files::{File, Subtree, Takes};

impl<'a> Expander<'a> {
    /// Some nodes of a list.
    pub(super) fn all(
        &mut self,
        nodes: &'a [Node],
        frame: &Rc<Frame<'a>>,
        place: &Place,
        level: usize,
    ) -> Expanded<Vec<Node>> {
        let mut all = Vec::new();
        for node in nodes {
            all.extend(self.some(node, frame, place, level)?);
        }
        if all.is_empty() && !nodes.is_empty() {
            return Err(value_error(frame.at(), "all holes of a node are given nothing, and it has no other child"));
        }
        Ok(all)
    }

    /// What replaces a node: for a hole the given nodes, which see what is visible where they are
    /// written, but are placed here.
    pub(super) fn some(
        &mut self,
        node: &'a Node,
        frame: &Rc<Frame<'a>>,
        place: &Place,
        level: usize,
    ) -> Expanded<Vec<Node>> {
        let Some((name, takes)) = node.hole() else { return Ok(vec![self.node(node, frame, place, level)?]) };
        let Some(hole) = frame.holes.and_then(|it| it.get(name)).filter(|it| it.takes == takes) else {
            let many = if takes == Takes::One { "one node" } else { "many nodes" };
            return Err(value_error(frame.at(), format!("there is no hole `{name}` for {many}")));
        };
        self.filled += 1;
        if self.filled > MAX_NODES {
            return Err(value_error(frame.at(), format!("more than {MAX_NODES} holes")));
        }
        let given = frame.user.as_ref().and_then(|(user, around)| Some((user.given_for(name)?.1, around)));
        let (nodes, frame) = match (given, &hole.default) {
            (Some(given), _) => given,
            (None, Some(default)) => (&**default, frame),
            (None, None) => return Err(value_error(frame.at(), format!("the hole `{name}` is given nothing"))),
        };
        let mut some = Vec::new();
        for node in nodes {
            some.extend(self.some(node, frame, place, level)?);
        }
        Ok(some)
    }
}

/// Checks that the holes of a file are given what they take.
pub(super) fn are_given(file: &File, name: &str, user: Option<&Subtree>, at: &str) -> Expanded<()> {
    for it in user.iter().flat_map(|it| &it.fillings) {
        if file.holes.get(&it.hole).is_none_or(|hole| hole.takes != it.takes) {
            let many = if it.takes == Takes::One { "one node" } else { "many nodes" };
            return Err(value_error(at, format!("the file `{name}` has no hole `{}` for {many}", it.hole)));
        }
    }
    let is_given = |hole: &str| user.is_some_and(|it| it.given_for(hole).is_some());
    match file.holes.iter().find(|(hole, it)| it.default.is_none() && !is_given(hole)) {
        Some((hole, _)) => Err(value_error(at, format!("the hole `{hole}` of the file `{name}` is given nothing"))),
        None => Ok(()),
    }
}
