//! What the live view shows: lines, made from what the agent is doing, how the user looks at it,
//! and the size of the terminal. Knows nothing else about terminals.

use std::ops::Range;

use clap::builder::styling::Style;
use pleach::Host;
use pleach::inspect::AgentView;
use pleach_view::model::MomentView;
use unicode_width::UnicodeWidthStr;

use super::{TreeLines, doing, facts};
use crate::paint::{FAINT, Parts};

/// In a terminal that is narrower than this, the running leaf may be indented out of sight.
const NARROW: usize = 40;

/// How the user looks at the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Whether nodes that do not run are folded away. Unset, they are if the tree has more lines
    /// than the screen.
    folded: Option<bool>,
    /// The first line of tree and facts that is shown; the view follows the agent until the user
    /// scrolls.
    first: Option<usize>,
}

/// A change of the view by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Lines(isize),
    Pages(isize),
    Begin,
    End,
    /// Goes back to following the agent.
    Follow,
    /// Folds nodes that do not run, or unfolds them.
    Fold,
}

impl Look {
    /// Whether a tree is folded: unless the user has chosen, it is if it has more lines than the
    /// screen. A heading and the help take two of the rows.
    fn folds(self, nodes: usize, rows: usize) -> bool {
        self.folded.unwrap_or(nodes + 2 > rows)
    }

    /// `shown` is what the user sees.
    pub(super) fn go(&mut self, it: Move, shown: &Shown) {
        let last = shown.of.saturating_sub(shown.body.len());
        let first = self.first.unwrap_or(shown.body.start);
        let page = shown.body.len().saturating_sub(1).max(1);
        let first = match it {
            Move::Lines(by) => first.saturating_add_signed(by),
            Move::Pages(by) => first.saturating_add_signed(by.saturating_mul(page.cast_signed())),
            Move::Begin => 0,
            Move::End => last,
            Move::Follow => return self.first = None,
            Move::Fold => {
                // Lines have other numbers then.
                (self.folded, self.first) = (Some(!shown.is_folded), None);
                return;
            }
        };
        // A view that fits as a whole does not scroll.
        self.first = (last > 0).then_some(first.min(last));
    }
}

/// Everything that can be shown.
#[derive(Clone, Debug)]
struct Page {
    /// Which agent it is, and when.
    heading: Parts,
    /// The result of the last change of the files.
    news: Vec<Parts>,
    /// The nodes that run.
    doing: Parts,
    tree: TreeLines,
    is_folded: bool,
    /// The last abort and the keys.
    facts: Vec<Parts>,
}

/// The lines of a screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) lines: Vec<Parts>,
    /// The last line of the screen.
    pub(super) help: Parts,
    is_folded: bool,
    /// Which lines of tree and facts these are, out of how many. While the view follows the agent
    /// these are the lines of the tree.
    body: Range<usize>,
    of: usize,
}

/// What a screen of this many columns and rows shows of an agent.
pub(super) fn shown<H: Host>(
    heading: Parts,
    news: &[Parts],
    (view, moment): (&AgentView<H>, &MomentView),
    look: Look,
    (columns, rows): (usize, usize),
) -> Shown {
    let is_folded = look.folds(view.tree.len(), rows);
    let (news, tree) = (news.to_vec(), TreeLines::of(view, moment, is_folded));
    let (doing, facts) = (doing(view, moment), facts(view, moment, |_| true));
    let page = Page { heading, news, doing, tree, is_folded, facts };
    page.shown(look, columns, rows)
}

impl Page {
    /// At most as many lines as there are rows, the last of which is for help. The important ones
    /// come first: what the agent is doing, the tree around that, the last abort, the keys.
    fn shown(self, look: Look, columns: usize, rows: usize) -> Shown {
        let rows = rows.saturating_sub(1);
        let Page { heading, mut news, doing, tree: TreeLines { lines: mut tree, top }, is_folded, mut facts } = self;
        let mut lines = Vec::new();
        if columns < NARROW || tree.len() + 3 > rows {
            lines.push(doing);
        }
        lines.push(heading);
        // A small terminal shows that something has changed, and a large one what.
        news.truncate(rows / 4);
        lines.extend(news);
        if look.first.is_some() {
            // At least one row for the line that the user scrolls to.
            lines.truncate(rows.saturating_sub(1));
        }
        let left = rows.saturating_sub(lines.len());
        let of = tree.len() + 1 + facts.len();
        if let Some(first) = look.first.filter(|_| of > left) {
            let first = first.min(of - left);
            tree.push(Parts::new());
            lines.extend(tree.into_iter().chain(facts).skip(first).take(left));
            lines.truncate(rows);
            let body = first..first + left;
            return Shown { lines, help: scrolled_help(&body, of, columns), is_folded, body, of };
        }
        let is_spaced = tree.len() + facts.len() + 2 <= left;
        if is_spaced {
            lines.push(Parts::new());
        }
        // A tall tree leaves a third of the rows to the facts, unless the terminal is very small.
        let rest = if left < 9 || tree.len() + 2 <= left { 0 } else { (left / 3).min(facts.len()) };
        let for_tree = (left - rest).min(tree.len());
        // The lines farthest from the top of the run stack are left out.
        let from = top.saturating_sub(for_tree / 2).min(tree.len() - for_tree);
        lines.extend(tree.drain(from..from + for_tree));
        if is_spaced {
            lines.push(Parts::new());
        }
        let room = rows.saturating_sub(lines.len());
        if facts.len() > room && room > 0 {
            facts.truncate(room - 1);
            facts.push(vec![(FAINT, "…".into())]);
        }
        lines.extend(facts);
        lines.truncate(rows);
        // Everything is shown if it fits without blank lines.
        let body = if of <= left { 0..of } else { from..from + left };
        Shown { lines, help: help(is_folded, columns), is_folded, body, of }
    }
}

/// The longest of the texts that fits, or the last.
fn fitting(texts: [String; 2], columns: usize) -> Parts {
    let [long, short] = texts;
    vec![(FAINT, if long.width() <= columns { long } else { short })]
}

fn help(is_folded: bool, columns: usize) -> Parts {
    let fold = if is_folded { "unfold" } else { "fold" };
    let long = format!("space stop/go  n one frame  ←→ agent  ↑↓ scroll  f {fold}  +- speed  q quit");
    fitting([long, "space n ←→ ↑↓ f +- q".into()], columns)
}

fn scrolled_help(body: &Range<usize>, of: usize, columns: usize) -> Parts {
    let first = body.start + 1;
    let place = if body.end > first { format!("{first}-{}", body.end) } else { first.to_string() };
    let long = format!("lines {place} of {of}  ↑↓ PgUp PgDn Home End scroll  Enter follow  q quit");
    let mut parts = fitting([long, format!("{place}/{of} Enter")], columns);
    parts.iter_mut().for_each(|it| it.0 = Style::new());
    parts
}

#[cfg(test)]
mod tests;
