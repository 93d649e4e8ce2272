//! Replacements in a text, all of which name places of the text as it was.

use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct Patch {
    edits: Vec<(Range<usize>, String)>,
    /// The edit, and the byte of its new text, at which the node stands that is then looked at.
    focus: Option<(usize, usize)>,
}

impl Patch {
    pub(super) fn replace(&mut self, at: Range<usize>, text: impl Into<String>) {
        self.edits.push((at, text.into()));
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// The node that begins so far in the last new text, or behind it, is then looked at.
    pub(super) fn focus(&mut self, byte: usize) {
        self.focus = self.edits.len().checked_sub(1).map(|it| (it, byte));
    }

    /// The new text, and the byte from which on the node stands that is then looked at. What is
    /// inserted at a place comes in the order in which it was given.
    pub(super) fn apply(self, text: &str) -> (String, Option<usize>) {
        let mut order: Vec<usize> = (0..self.edits.len()).collect();
        order.sort_by_key(|it| (self.edits[*it].0.start, self.edits[*it].0.end));
        let (mut out, mut at, mut focus) = (String::with_capacity(text.len()), 0, None);
        for it in order {
            let (range, new) = &self.edits[it];
            // Of two that overlap the first counts: none of ours do.
            out.push_str(text.get(at..range.start).unwrap_or_default());
            if let Some((_, byte)) = self.focus.filter(|of| of.0 == it) {
                focus = Some(out.len() + byte);
            }
            out.push_str(new);
            at = at.max(range.end);
        }
        out.push_str(text.get(at..).unwrap_or_default());
        (out, focus)
    }
}
