//! What belongs together: an item of brackets with its comma and its comments.

use std::ops::Range;

use pleach::tools::kinds::NodeKind;
use pleach::tools::ron::{TokenKind, tokens};

use crate::doc::Doc;
use crate::fields::Role;
use crate::syntax::At;

/// The seat of a value: its brackets, and its index among their items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) within: At,
    pub(super) item: usize,
}

pub(super) fn seat(doc: &Doc<'_>, at: At) -> Option<Seat> {
    let within = doc.syntax.get(at).parent?;
    let item = doc.syntax.get(within).items.iter().position(|it| it.value == Some(at))?;
    Some(Seat { within, item })
}

/// What moves with a node: the `(score: .., child: ..)` around it, or the node itself.
pub(super) fn unit(doc: &Doc<'_>, at: At) -> At {
    let outer = doc.syntax.get(at).parent.filter(|it| matches!(doc.role(*it), Role::Entry(_)));
    outer.unwrap_or(at)
}

/// The kind of composite whose entry a value is.
pub(super) fn entry_of(doc: &Doc<'_>, at: At) -> Option<NodeKind> {
    match doc.role(at) {
        Role::Entry(it) => Some(it),
        _ => None,
    }
}

/// An item of brackets, as byte offsets in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Where the comments above it begin.
    pub(super) lead: usize,
    /// Its key, if it has one, and its value.
    pub(super) body: Range<usize>,
    /// The comma after it, if there is one.
    pub(super) comma: Option<Range<usize>>,
    /// Where the comments after it on its line end; its comma comes before that.
    pub(super) end: usize,
}

/// The item of brackets, which must exist.
pub(super) fn item(doc: &Doc<'_>, within: At, number: usize) -> Item {
    let value = doc.syntax.get(within);
    let inside = value.inside.clone().unwrap_or(value.span.clone());
    let body = body(doc, within, number);
    let before = match number.checked_sub(1) {
        Some(it) => split(doc, self::body(doc, within, it).end..body.start).1,
        None => split(doc, inside.start..body.start).1,
    };
    let next = if number + 1 < value.items.len() { self::body(doc, within, number + 1).start } else { inside.end };
    let (comma, end) = split(doc, body.end..next);
    Item { lead: lead(doc, before..body.start), body, comma, end }
}

/// The key and the value of an item.
fn body(doc: &Doc<'_>, within: At, number: usize) -> Range<usize> {
    let item = &doc.syntax.get(within).items[number];
    let value = item.value.map(|it| doc.syntax.get(it).span.clone());
    let key = item.key.map(|it| doc.syntax.get(it).span.clone());
    let colon = item.colon.unwrap_or_default();
    match (key, value) {
        (Some(key), Some(value)) => key.start..value.end,
        (Some(key), None) => key.start..colon.max(key.end),
        (None, Some(value)) => value,
        (None, None) => colon..colon,
    }
}

/// Splits the gap between two items: the comma, and the end of the part that belongs to the first.
/// That is the last comment on the line of the comma, if the line ends after it.
fn split(doc: &Doc<'_>, gap: Range<usize>) -> (Option<Range<usize>>, usize) {
    let text = &doc.text[gap.clone()];
    let of_gap = |it: Range<usize>| gap.start + it.start..gap.start + it.end;
    let mut comma = None;
    let mut end = gap.start;
    let mut last = gap.start;
    let mut is_line = true;
    let all: Vec<_> = tokens(text).map(|(kind, span)| (kind, of_gap(span))).collect();
    for (at, (kind, span)) in all.iter().enumerate() {
        match kind {
            TokenKind::Sign(',') if comma.is_none() => {
                (comma, end, last, is_line) = (Some(span.clone()), span.end, span.end, true);
            }
            TokenKind::Comment => {
                // One before the comma belongs to the item.
                let has_comma = comma.is_some() || !all[at..].iter().any(|it| it.0 == TokenKind::Sign(','));
                is_line &= !doc.text[last..span.start].contains('\n');
                last = span.end;
                let next = all.get(at + 1).map_or(gap.end, |it| it.1.start);
                let ends_line = doc.text[span.end..next].contains('\n') || doc.text[span.clone()].starts_with("//");
                if has_comma && is_line && ends_line {
                    end = span.end;
                }
            }
            _ => {}
        }
    }
    (comma, end)
}

/// Where the comments above an item begin, with no blank line between.
fn lead(doc: &Doc<'_>, gap: Range<usize>) -> usize {
    let comments = comments(doc, gap.clone());
    let mut lead = gap.end;
    for comment in comments.into_iter().rev() {
        let between = &doc.text[comment.end..lead];
        if between.matches('\n').count() > 1 {
            break;
        }
        lead = comment.start;
    }
    lead
}

/// The comments in a range of the text.
pub(super) fn comments(doc: &Doc<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let all = doc.syntax.comments();
    let from = all.partition_point(|it| it.start < range.start);
    all[from..].iter().take_while(|it| it.end <= range.end).cloned().collect()
}

/// The comments in a range of the text that are not in any kept range, each on a line.
pub(super) fn comments_beside(doc: &Doc<'_>, range: Range<usize>, kept: &[Range<usize>]) -> String {
    let is_lost = |it: &Range<usize>| !kept.iter().any(|kept| kept.start <= it.start && it.end <= kept.end);
    comments(doc, range).into_iter().filter(is_lost).map(|it| format!("{}\n", &doc.text[it])).collect()
}
