//! Trees for a page.

use std::sync::Arc;

use pleach::expr::KeyIndex;
use pleach::record::Replay;
use pleach::tools::kinds::{NodeClass, NodeKind};
use pleach::tools::text::plain;
use pleach::{Host, NodeRef, Tree, nodes::Abort};
use pleach_draw::{Direction, Drawing, Role};

use crate::model::{Class, KeyView, NodeView, Place, TreeView};
use pleach_view::words::owner;

/// A tree of a recording, the `version`-th of its name. `places` says where its nodes are written,
/// if that is known.
pub(crate) fn view<H: Host>(replay: &Replay<H>, tree: &Arc<Tree<H>>, version: usize, places: &[Place]) -> TreeView {
    let drawing = Drawing::of(tree).direction(Direction::Down);
    let (text, boxes) = (drawing.text(), drawing.boxes());
    let mut conditionals: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
    for node in tree.nodes().filter(|it| it.is_condition()) {
        for (at, _) in node.watched_at(NodeRef::abort) {
            conditionals[at.id().index()].push(node.id().index());
        }
    }
    let mut nodes = Vec::with_capacity(tree.len());
    for ((node, line), at) in tree.nodes().zip(&text.lines).zip(&boxes.nodes) {
        let id = node.id().index();
        let spans = line.spans.iter();
        let is_label =
            |role: Role| matches!(role, Role::Kind | Role::Name | Role::Detail | Role::Abort | Role::Services);
        let label: String = spans.clone().filter(|it| is_label(it.0)).map(|it| &*it.1).collect();
        let part: Vec<&str> = spans.filter(|it| it.0 == Role::Instance).map(|it| inner(&it.1)).collect();
        let words = node.in_words();
        let mut detail: Vec<String> = Vec::new();
        detail.extend((!words.main.is_empty()).then(|| plain(&words.main).into_owned()));
        detail.extend(words.fields.iter().map(|it| plain(it).into_owned()));
        detail.extend(aborts(node.abort()).map(|it| format!("aborts {it}")));
        detail.extend(words.services.iter().map(|it| format!("service {}", plain(it))));
        nodes.push(NodeView {
            id,
            parent: node.parent().map(|it| it.id().index()),
            depth: node.depth() - 1,
            kind: plain(node.kind()).into_owned(),
            kind_is: match node.node_kind().class() {
                NodeClass::Composite => Class::Composite,
                NodeClass::Decorator => Class::Decorator,
                NodeClass::Condition => Class::Condition,
                NodeClass::Action => Class::Action,
            },
            of_game: matches!(node.node_kind(), NodeKind::Action | NodeKind::Condition),
            label,
            name: node.name().map(|it| plain(it).into_owned()),
            detail,
            edge: words.place.as_deref().map(|it| plain(it).into_owned()),
            part: (!part.is_empty()).then(|| part.join(", ")),
            place: places.get(id).cloned(),
            note: node.note().map(|it| plain(it).into_owned()),
            conditionals: std::mem::take(&mut conditionals[id]),
            x: tenth(at.x),
            y: tenth(at.y),
            w: tenth(at.width),
            h: tenth(at.height),
        });
    }
    let keys = tree.schema().keys().enumerate().filter(|it| !it.1.is_token());
    let keys = keys.map(|(at, key)| KeyView {
        name: plain(key.name()).into_owned(),
        kind: key.ty().to_string(),
        of: owner(key),
        recorded: KeyIndex::new(at).is_some_and(|it| replay.records(tree, it)),
    });
    let events = tree.schema().events();
    let events = events.map(|it| (plain(it.name()).into_owned(), it.payload().map(|it| it.to_string())));
    TreeView {
        name: plain(tree.name()).into_owned(),
        version,
        nodes,
        keys: keys.collect(),
        events: events.collect(),
        width: tenth(boxes.width),
        height: tenth(boxes.height),
    }
}

/// A part's name, of `  (fight: fight.ron)`.
fn inner(text: &str) -> &str {
    text.trim().trim_start_matches('(').trim_end_matches(')')
}

fn aborts(abort: Abort) -> Option<&'static str> {
    match abort {
        Abort::SELF => Some("self"),
        Abort::LOWER_PRIORITY => Some("lower priority"),
        Abort::BOTH => Some("both"),
        _ => None,
    }
}

/// To a tenth of a pixel.
fn tenth(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}
