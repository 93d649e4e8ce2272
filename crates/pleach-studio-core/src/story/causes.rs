//! Why nodes ended others, in words.

use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::tools::kinds::NodeKind;
use pleach::tools::text::plain;
use pleach::trace::TraceEvent;
use pleach::{Event, NodeId, Reason, Symbol, Tree};

use crate::model::MarkKind;
use crate::stage::Stage;

/// The events of a frame that people look for.
#[derive(Default)]
pub(super) struct Causes {
    /// Each with the node that caused it.
    pub(super) marks: Vec<(MarkKind, Option<usize>, String)>,
}

impl Causes {
    /// `view` is the agent after the frame.
    pub(super) fn of(view: &AgentView<Stage>, events: &[TraceEvent]) -> Causes {
        let mut causes = Causes::default();
        // Ends caused by a node come from the leaves up, one event after the other. These are the
        // topmost ones.
        let mut ended: Vec<(NodeId, Reason)> = Vec::new();
        let last = events.iter().rposition(|it| matches!(it, TraceEvent::Abort { .. }));
        for (at, event) in events.iter().enumerate() {
            match *event {
                TraceEvent::Aborted(node, reason) => {
                    ended.retain(|it| !view.tree.contains(node, it.0));
                    ended.push((node, reason));
                    continue;
                }
                TraceEvent::Abort { scope, by } => {
                    let node = std::mem::take(&mut ended).last().map(|it| it.0);
                    causes.aborted(view, (scope, by, node), Some(at) == last);
                }
                TraceEvent::Emit(node, event) => {
                    let text = format!("{} emitted {}", name(view, node), self::event(&view.tree, &event));
                    causes.marks.push((MarkKind::Emit, Some(node.index()), text));
                }
                _ => {}
            }
            ended.drain(..).for_each(|(node, why)| causes.ended(view, node, why));
        }
        ended.drain(..).for_each(|(node, why)| causes.ended(view, node, why));
        causes
    }

    /// A conditional abort. For the last one of a frame the agent knows more.
    fn aborted(&mut self, view: &AgentView<Stage>, at: (NodeId, NodeId, Option<NodeId>), is_last: bool) {
        let (scope, by, ended) = at;
        let known = view.last_abort.filter(|it| is_last && it.by == by);
        let was = known.map(|it| format!(", which was {},", it.was)).unwrap_or_default();
        let ended = known.map(|it| it.ended).or(ended).map(|it| format!(": {} ended", name(view, it)));
        let explanation = view.explain();
        let question = explanation.questions.iter().find(|it| it.node == by);
        let keys: Vec<String> = question.into_iter().flat_map(|it| &it.keys).map(ToString::to_string).collect();
        let keys = if keys.is_empty() { String::new() } else { format!(" ({})", keys.join(", ")) };
        let text = format!(
            "{}{was} changed{keys}{}, {} went on",
            name(view, by),
            ended.unwrap_or_default(),
            name(view, scope)
        );
        self.marks.push((MarkKind::Abort, Some(by.index()), text));
    }

    /// A node was ended from outside, and no condition changed.
    fn ended(&mut self, view: &AgentView<Stage>, node: NodeId, reason: Reason) {
        let parent = view.tree.node(node).and_then(|it| it.parent());
        let text = match (reason, parent) {
            (Reason::Abort, Some(parent)) => {
                let why = match parent.node_kind() {
                    NodeKind::Timeout => "its time is over",
                    NodeKind::Guard => "its condition no longer holds",
                    NodeKind::UtilitySelector => "another child has a higher score",
                    NodeKind::ReactiveSelector | NodeKind::ReactiveSequence => "an earlier child answered differently",
                    _ => "it goes on elsewhere",
                };
                format!("{parent} ended {}: {why}", name(view, node))
            }
            (Reason::Switched, Some(parent)) => {
                format!("{parent} ended {}: its value selects another child", name(view, node))
            }
            (Reason::Decided, Some(parent)) => format!("{parent} ended {}: it is decided", name(view, node)),
            (reason, _) => format!("{} ended: {reason}", name(view, node)),
        };
        self.marks.push((MarkKind::Abort, parent.map(|it| it.id().index()), text));
    }
}

fn name(view: &AgentView<Stage>, node: NodeId) -> String {
    view.tree.node(node).map_or_else(|| node.to_string(), |it| it.to_string())
}

/// An event in words: `noise (3.5, 4)`.
pub(super) fn event(tree: &Arc<Tree<Stage>>, event: &Event) -> String {
    let schema = tree.schema();
    let declared = schema.events().map(|it| it.name()).find(|it| Symbol::new(it) == event.name());
    // A tree that declares no events names those that its nodes wait for.
    let awaited = || {
        let details = tree.nodes().map(|it| it.detail());
        details.map(|it| it.split([',', ' ']).next().unwrap_or_default()).find(|it| Symbol::new(it) == event.name())
    };
    let name = declared.or_else(awaited).map(|it| format!("`{}`", plain(it)));
    let name = name.unwrap_or_else(|| "an event that the tree does not name".to_owned());
    match event.value() {
        Some(value) => format!("{name} {}", pleach_view::words::value(schema, value)),
        None => name,
    }
}
