//! Which bracket is not closed, as the indentation says: what a parser finds wrong may be far
//! behind.

use super::{Kind, Token, token};
use crate::code::Code;
use crate::finding::Finding;
use crate::span::{self, Span};
use crate::suggest::{Advice, Edit};

/// A bracket that is open.
struct Open {
    token: Token,
    closing: char,
    /// How far its line is indented.
    indent: usize,
    /// Whether the first line in it is indented further; not known before there is one.
    is_indented: Option<bool>,
}

/// The first bracket of a source that ends before a line which is indented no further than its own,
/// without being closed. `None` if brackets do not match for another reason, or if the indentation
/// says nothing.
pub(super) fn unclosed(source: &str) -> Option<Finding> {
    let mut open: Vec<Open> = Vec::new();
    let start = span::start(source);
    let (mut end, mut indent) = (start, 0);
    loop {
        let next = token(source, end);
        // Only what stands between two tokens is searched: a line may be long.
        let gap = &source[end..next.start()];
        let white = gap.rfind('\n').map(|it| &gap[it + 1..]).or_else(|| (end == start).then_some(gap));
        let white = white.filter(|it| it.bytes().all(|it| matches!(it, b' ' | b'\t')));
        let before = Span::new(end.saturating_sub(1), end);
        end = next.end();
        if let Some(white) = white {
            indent = white.len();
            let is_closing = matches!(next.kind, Kind::Sign(')' | ']' | '}'));
            if next.kind == Kind::End {
                return None;
            }
            for it in open.iter_mut().rev().take_while(|it| it.is_indented.is_none()) {
                it.is_indented = Some(indent > it.indent);
            }
            if let Some(top) = open.last()
                && top.is_indented == Some(true)
                && (indent < top.indent || indent == top.indent && !is_closing)
            {
                return Some(finding(source, top, before));
            }
        }
        match next.kind {
            Kind::End | Kind::Unclosed => return None,
            Kind::Sign(sign @ ('(' | '[' | '{')) => {
                let closing = match sign {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                open.push(Open { token: next, closing, indent, is_indented: None });
            }
            Kind::Sign(sign @ (')' | ']' | '}')) => {
                let top = open.pop()?;
                if top.closing != sign {
                    // This one closes the next, which was opened on the same line.
                    let is_next = open.last().is_some_and(|it| it.closing == sign && it.indent == top.indent);
                    let is_lost = is_next && top.is_indented == Some(true) && top.indent == indent;
                    return is_lost.then(|| finding(source, &top, before));
                }
            }
            _ => {}
        }
    }
}

fn finding(source: &str, open: &Open, before: Span) -> Finding {
    let Open { token, closing, .. } = open;
    let message = format!("this `{}` is never closed", token.text(source));
    let finding = Finding::new(Code::Bracket, token.span, message).also(before, "by the indentation it ends here");
    let insert = Edit::At(vec![(Span::new(before.end(), before.end()), format!("{closing},"))]);
    finding.help(Advice::from(format!("write `{closing}` there")).edit(insert))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line that is blamed, and the one where the bracket should be closed.
    fn blamed(source: &str) -> Option<(usize, usize)> {
        let line = |it: usize| source[..it].matches('\n').count() + 1;
        let it = unclosed(source)?;
        Some((line(it.span.start()), line(it.also?.0.start())))
    }

    #[test]
    fn lost_brackets_are_found_where_the_indentation_says() {
        let whole = "Tree(\n    root: Selector(children: [\n        Sequence(\n            children: [\n                \
                     Wait(1.0),\n            ],\n        ),\n        Idle,\n    ]),\n)\n";
        assert_eq!(blamed(whole), None);
        for (lost, expected) in [("            ],\n", (4, 5)), ("        ),\n", (3, 6)), ("    ]),\n", (2, 8))] {
            assert_eq!(blamed(&whole.replacen(lost, "", 1)), Some(expected), "without {lost:?}");
        }
        assert_eq!(blamed(&whole.replacen("    ]),", "    ),", 1)), Some((2, 8)));
        assert_eq!(blamed(&whole.replacen("    ]),", "    ],", 1)), Some((2, 9)));
    }

    #[test]
    fn other_mistakes_are_not_of_the_indentation() {
        for source in ["(\n[1,\n2\n)", "[(1, 2]", "(\n    1,\n]\n", "(\n    a: \"\n)", ")", "", "[\n  1\n", "[\n"] {
            assert_eq!(blamed(source), None, "{source:?}");
        }
    }
}
