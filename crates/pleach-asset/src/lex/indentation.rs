//! Finds the unclosed bracket by the indentation: a parser may only notice many lines later.

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

/// The first bracket of a source that is still open before a line that is indented no further than
/// its own; or else the first that is opened in a line and not closed in it, if the brackets around
/// it are indented. `None` if brackets do not match for another reason, or if the indentation says
/// nothing.
pub(super) fn unclosed(source: &str) -> Option<Finding> {
    let mut open: Vec<Open> = Vec::new();
    // One that may be lost within its line: how many are open around it, its indent, what to say.
    let mut lost: Option<(usize, usize, Finding)> = None;
    let start = span::start(source);
    let (mut end, mut indent) = (start, 0);
    loop {
        let next = token(source, end);
        // Searches only the gaps between tokens: a line may be long.
        let gap = &source[end..next.start()];
        let white = gap.rfind('\n').map(|it| &gap[it + 1..]).or_else(|| (end == start).then_some(gap));
        let white = white.filter(|it| it.bytes().all(|it| matches!(it, b' ' | b'\t')));
        let before = last_of(source, start, end);
        end = next.end();
        if let Some(white) = white {
            indent = white.len();
            let is_closing = matches!(next.kind, Kind::Sign(')' | ']' | '}'));
            if next.kind == Kind::End {
                return lost.map(|it| it.2);
            }
            // The brackets not known yet were all opened on one line.
            let around = open.iter().rposition(|it| it.is_indented.is_some()).map_or(0, |it| it + 1);
            for it in &mut open[around..] {
                it.is_indented = Some(indent > it.indent);
            }
            if lost.is_none()
                && let Some(first) = open.get(around)
                && first.is_indented == Some(false)
                && open[..around].last().is_some_and(|it| it.is_indented == Some(true))
            {
                lost = Some((around, first.indent, within_line(source, first, before)));
            }
            if lost.as_ref().is_some_and(|it| indent < it.1) {
                return lost.map(|it| it.2);
            }
            if let Some(top) = open.last()
                && top.is_indented == Some(true)
                && (indent < top.indent || indent == top.indent && !is_closing)
            {
                return Some(finding(source, top, before));
            }
        }
        match next.kind {
            Kind::End | Kind::Unclosed => return lost.map(|it| it.2),
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
                    if lost.is_some() {
                        return lost.map(|it| it.2);
                    }
                    // This one closes the next, which was opened on the same line.
                    let is_next = open.last().is_some_and(|it| it.closing == sign && it.indent == top.indent);
                    let is_lost = is_next && top.is_indented == Some(true) && top.indent == indent;
                    return is_lost.then(|| finding(source, &top, before));
                }
                // It was closed after all, in lines that are not indented.
                lost = lost.filter(|it| it.0 < open.len());
            }
            _ => {}
        }
    }
}

fn finding(source: &str, open: &Open, before: Span) -> Finding {
    let closing = open.closing;
    let insert = Edit::At(vec![(Span::new(before.end(), before.end()), format!("{closing},"))]);
    told(source, open, before).help(Advice::from(format!("write `{closing}` there")).edit(insert))
}

/// The same of one that is opened in the line that ends at `before`, with a comma or without.
fn within_line(source: &str, open: &Open, before: Span) -> Finding {
    let Open { token, closing, .. } = open;
    let line = &source[token.end()..before.end()];
    let (at, insert) = match line.strip_suffix(',') {
        Some(inside) => (token.end() + inside.trim_end().len(), closing.to_string()),
        None => (before.end(), format!("{closing},")),
    };
    let last = last_of(source, token.start(), at);
    let advice = Advice::from(format!("write `{closing}` there"));
    // Behind another bracket it may be meant to end before that.
    let is_sure = !line.contains(['(', '[', '{']);
    let advice = if is_sure { advice.edit(Edit::At(vec![(Span::new(at, at), insert)])) } else { advice };
    told(source, open, last).help(advice)
}

/// The last character of what begins and ends there.
pub(super) fn last_of(source: &str, start: usize, end: usize) -> Span {
    Span::new(end - source[start..end].chars().next_back().map_or(0, char::len_utf8), end)
}

fn told(source: &str, open: &Open, end: Span) -> Finding {
    let token = open.token;
    let message = format!("this `{}` is never closed", token.text(source));
    Finding::new(Code::Bracket, token.span, message).also(end, "by the indentation it ends here")
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
    fn one_that_is_lost_within_its_line_is_found_there() {
        let whole = "Tree(\n    events: { \"a\": Vec2 },\n    root: Sequence(\n        children: [\n            Wait(1.0),\n            \
                     Idle,\n        ],\n    ),\n)\n";
        assert_eq!(blamed(whole), None);
        for (right, wrong, expected, fixed) in [
            (" },", ",", (2, 2), "},"),
            ("Wait(1.0)", "Wait(1.0", (5, 5), "Wait(1.0)"),
            ("Vec2 }", "Vec2", (2, 2), "Vec2}"),
        ] {
            let source = whole.replacen(right, wrong, 1);
            assert_eq!(blamed(&source), Some(expected), "{source}");
            let help = unclosed(&source).and_then(|it| it.help).expect("it says what to do");
            let Some(Edit::At(edits)) = help.edit.as_deref() else { panic!("{help:?}") };
            let [(at, text)] = &edits[..] else { panic!("{edits:?}") };
            let mended = format!("{}{text}{}", &source[..at.start()], &source[at.end()..]);
            assert!(mended.contains(fixed), "{mended}");
        }
        // Where in its line it ends is not sure.
        let help = unclosed("Tree(\n    a: [Check(1, Wait(2),\n    b: 3,\n)").and_then(|it| it.help);
        assert!(help.is_some_and(|it| it.edit.is_none()));
        // Lines that are not indented close what they open.
        assert_eq!(blamed("Tree(\n    a: (\n    b: 1,\n    ),\n    c: [\n        1,\n    d: 2,\n)"), Some((5, 6)));
    }

    #[test]
    fn other_mistakes_are_not_of_the_indentation() {
        for source in ["(\n[1,\n2\n)", "[(1, 2]", "(\n    1,\n]\n", "(\n    a: \"\n)", ")", "", "[\n  1\n", "[\n"] {
            assert_eq!(blamed(source), None, "{source:?}");
        }
    }
}
