//! What changed in a tree, as an SVG picture.

use std::collections::BTreeMap;

use pleach::asset::Described;
use pleach::tools::text::plain;
use pleach::{Host, NodeId};
use pleach_draw::{Difference, NodeChange};
use pleach_studio_core::changes::{Change, Node, TreeChanges};

use super::told::name;
use super::{Compared, Outcome};

/// A tree of the old version, of the new one, or of both.
pub(super) fn of<H: Host>(old: Option<&Described<H>>, new: Option<&Described<H>>, compared: &Compared) -> String {
    let difference = match (old, new, &compared.outcome) {
        (Some(old), Some(new), Outcome::Both(changes)) => {
            let differs = differs(changes);
            let declared = changes.declared.iter().map(line);
            let drawn = Difference::of(old.tree(), new.tree(), |it| differs.get(&it).cloned());
            drawn.facts([name(compared)]).facts(declared).facts([format!("reload: {} carried on", changes.kept())])
        }
        (Some(old), ..) => Difference::removed(old.tree()).facts([format!("{} is removed", name(compared))]),
        (None, Some(new), _) => Difference::added(new.tree()).facts([format!("{} is added", name(compared))]),
        (None, None, _) => return String::new(),
    };
    difference.svg()
}

/// The differences of nodes that are in both versions, by the new one.
fn differs(changes: &TreeChanges) -> BTreeMap<NodeId, NodeChange> {
    let differs = |it: &Node| match it {
        Node::Changed { old, new, moved, fields } => {
            let mut lines: Vec<String> = moved.then(|| format!("was {}", plain(&old.path))).into_iter().collect();
            lines.extend(fields.iter().map(line));
            Some((new.node, NodeChange { moved: *moved, lines }))
        }
        Node::Added(..) | Node::Removed { .. } => None,
    };
    changes.nodes.iter().filter_map(differs).collect()
}

fn line(change: &Change) -> String {
    let [what, old, new] = change.in_words();
    format!("{what}: {old} -> {new}")
}
