//! Replacements in a text, all of which name places in the original text.

use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct Patch {
    edits: Vec<(Range<usize>, String)>,
    /// The edit, and the byte in its new text where the node to select next begins.
    focus: Option<(usize, usize)>,
}

impl Patch {
    pub(super) fn replace(&mut self, at: Range<usize>, text: impl Into<String>) {
        self.edits.push((at, text.into()));
    }

    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// The node to select next begins at or after this byte of the last new text.
    pub(super) fn focus(&mut self, byte: usize) {
        self.focus = self.edits.len().checked_sub(1).map(|it| (it, byte));
    }

    /// The new text, and the byte from which the node to select next begins. Insertions at one
    /// place keep their order.
    pub(super) fn apply(self, text: &str) -> (String, Option<usize>) {
        let mut order: Vec<usize> = (0..self.edits.len()).collect();
        order.sort_by_key(|it| (self.edits[*it].0.start, self.edits[*it].0.end));
        let (mut out, mut at, mut focus) = (String::with_capacity(text.len()), 0, None);
        for it in order {
            let (range, new) = &self.edits[it];
            // Of two that overlap the first counts; ours never overlap.
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
