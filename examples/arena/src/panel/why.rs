//! Why something was ended from outside, in words, and which keys had changed.

use pleach::inspect::Remaining;
use pleach::schema::Scope;
use pleach::tools::kinds::NodeKind;
use pleach::{NodeId, Tree};
use pleach_arena::Arena;

use super::{Abort, NameOf, Piece, Tone, short, value_text};
use crate::history::Moment;
use crate::interruption::{Cause, Interruption};

/// The moments before and after.
type Around<'a> = Option<(&'a Moment, &'a Moment)>;

/// What was ended, and why, in one line.
pub(crate) fn line(abort: &Abort<'_>, name_of: &NameOf<'_>) -> String {
    pieces(abort, name_of).into_iter().map(|it| it.1).collect()
}

/// The same for the panel.
pub(super) fn pieces(abort: &Abort<'_>, name_of: &NameOf<'_>) -> Vec<Piece> {
    let Abort { it, tree, around } = abort;
    let ended = (Tone::Plain, label(tree, it.ended).to_owned());
    let verb = (Tone::Abort, format!(" {} ", verb(it.cause)));
    [vec![ended, verb], why(tree, it, *around, name_of)].concat()
}

fn verb(cause: Cause) -> &'static str {
    match cause {
        Cause::Condition(_) => "was aborted by",
        Cause::Timeout(_) => "timed out:",
        Cause::Outside(_) => "was ended:",
        _ => "was aborted:",
    }
}

/// What people call a node: its name, else that of the nearest named node above it.
fn label(tree: &Tree<Arena>, node: NodeId) -> &str {
    let mut above = std::iter::successors(tree.node(node), |it| it.parent());
    let named = above.find_map(|it| it.name().filter(|name| *name != tree.name()));
    named.or_else(|| Some(tree.node(node)?.label())).unwrap_or("?")
}

fn words(tree: &Tree<Arena>, node: NodeId) -> String {
    tree.node(node).map_or_else(|| format!("{node:?}"), |it| short(&it.to_string()))
}

fn why(tree: &Tree<Arena>, it: &Interruption, around: Around<'_>, name_of: &NameOf<'_>) -> Vec<Piece> {
    let faint = |text: &str| (Tone::Faint, text.to_owned());
    let node = |node| (Tone::Plain, words(tree, node));
    let changes = |node| changes(tree, node, around, name_of);
    match it.cause {
        Cause::Condition(by) if tree.node(by).is_some_and(|it| it.node_kind() == NodeKind::OnEvent) => {
            vec![node(by), faint(": the event came")]
        }
        Cause::Condition(by) => [vec![node(by)], changes(by)].concat(),
        Cause::Guard(guard) => [vec![node(guard), faint(" no longer holds")], changes(guard)].concat(),
        Cause::Timeout(timeout) => vec![node(timeout), faint(" is over")],
        Cause::Rerun(above) => vec![node(above), faint(" turned to a child that comes first")],
        Cause::Better(above) => {
            better(it, above, around).unwrap_or_else(|| vec![node(above), faint(" turned to a better score")])
        }
        Cause::Switched(above) => [vec![node(above), faint(" selects another child")], changes(above)].concat(),
        Cause::Decided(above) => vec![node(above), faint(" is decided")],
        Cause::Outside(reason) => vec![(Tone::Faint, reason.to_string())],
    }
}

/// The keys that a node reads and that had changed: `: health changed from 0.35 to 0.28`.
fn changes(tree: &Tree<Arena>, node: NodeId, around: Around<'_>, name_of: &NameOf<'_>) -> Vec<Piece> {
    let (Some((before, after)), Some(it)) = (around, tree.node(node)) else { return Vec::new() };
    let explained = before.view.explain();
    // For an expression the runtime knows the keys. A condition of the game has them in its line.
    let read = explained.questions.iter().find(|it| it.node == node).map(|it| &it.keys[..]).unwrap_or_default();
    let reads = |scope: Scope, name: &str| match scope {
        _ if read.is_empty() => has_word(it.detail(), name),
        Scope::Node | Scope::Agent => read.iter().any(|it| it.name == name),
        Scope::Group | Scope::Global => read.iter().any(|it| it.name == format!("{scope}.{name}")),
    };
    let text = |key, value| value_text(tree.schema(), key, value, name_of);
    let mut pieces = Vec::new();
    for ((key, old), (_, new)) in before.view.keys.iter().zip(&after.view.keys) {
        if old != new && reads(key.scope(), key.name()) {
            let join = if pieces.is_empty() { ": " } else { ", " };
            pieces.extend([
                (Tone::Faint, format!("{join}{} changed from ", key.name())),
                (Tone::Value, text(key, *old)),
                (Tone::Faint, " to ".into()),
                (Tone::Value, text(key, *new)),
            ]);
        }
    }
    pieces
}

/// Whether a text has a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|it: char| !(it.is_alphanumeric() || it == '_')).any(|it| it == name)
}

/// The scores of the ended node and its replacement: `retreat 0.623 beats charge 0.410`.
fn better(it: &Interruption, selector: NodeId, around: Around<'_>) -> Option<Vec<Piece>> {
    let view = &around?.1.view;
    let notes = view.explain().notes;
    let order = notes.iter().find_map(|note| match &note.left {
        Remaining::Order(order) if note.node == selector => Some(order),
        _ => None,
    })?;
    let selector = view.tree.node(selector)?;
    let scored = |node: NodeId| {
        let child = selector.children().find(|it| it.id() == node)?;
        let line = child.to_string();
        let score = order.iter().find(|it| it.0 == line)?.1?;
        Some((Tone::Value, format!("{} {score:.3}", child.label())))
    };
    let new = selector.children().map(|it| it.id()).find(|it| view.is_active(*it))?;
    Some(vec![scored(new)?, (Tone::Faint, " beats ".into()), scored(it.ended)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_another() {
        assert!(has_word("target: target, range: 2.5", "target") && has_word("a < b_2", "b_2"));
        assert!(!has_word("target_pos", "target") && !has_word("", "x"));
    }
}
