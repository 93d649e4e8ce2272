//! What happened to an agent within a frame.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::record::Replay;
use pleach::trace::TraceEvent;
use pleach::{NodeId, Tree};
use pleach_draw::TraceLine;

use crate::error::AskError;
use crate::model::StepView;
use crate::notes::Notes;
use crate::stage::Stage;

/// The events of the frame after the first `before` ones, which `replay` plays for this agent
/// alone. `after` is the agent after that frame.
///
/// # Errors
/// The frame cannot be played.
pub(super) fn steps(
    replay: &mut Replay<Stage>,
    agent: u32,
    before: u64,
    after: &AgentView<Stage>,
) -> Result<Vec<StepView>, AskError> {
    replay.seek(before, &mut ())?;
    let there = replay.agent(agent).flatten().and_then(|it| replay.inspect(it).ok());
    let there = there.filter(|it| Arc::ptr_eq(&it.tree, &after.tree));
    let mut active: BTreeSet<NodeId> = there.iter().flat_map(|it| it.stacks.iter().flatten()).copied().collect();
    let mut notes = Notes::default();
    replay.step_traced(&mut (), &mut notes)?;
    let mut steps: Vec<StepView> = Vec::new();
    for (_, event) in notes.0 {
        let node = match event {
            TraceEvent::Start(node) => {
                active.insert(node);
                Some(node)
            }
            TraceEvent::End(node, _) | TraceEvent::Aborted(node, _) => {
                active.remove(&node);
                Some(node)
            }
            TraceEvent::Recheck(node, _)
            | TraceEvent::Check(node, _)
            | TraceEvent::Service(node, _)
            | TraceEvent::Switch(node)
            | TraceEvent::Emit(node, _)
            | TraceEvent::Abort { by: node, .. }
            | TraceEvent::Pause(node)
            | TraceEvent::Unpause(node) => Some(node),
            _ => None,
        };
        steps.push(StepView {
            node: node.map(NodeId::index),
            text: TraceLine::of(&after.tree, event).to_string().split_whitespace().collect::<Vec<_>>().join(" "),
            running: running(&after.tree, &active),
            active: active.iter().map(|it| it.index()).collect(),
        });
    }
    if let Some(last) = steps.last_mut() {
        // For an agent that the game added as a whole, the replay has seen no start.
        last.running = after.current().map(NodeId::index).collect();
        last.active = after.stacks.iter().flatten().map(|it| it.index()).collect();
        last.active.sort_unstable();
    }
    Ok(steps)
}

/// The active nodes that have no active one below them.
fn running(tree: &Tree<Stage>, active: &BTreeSet<NodeId>) -> Vec<usize> {
    let mut next = active.iter().skip(1);
    let is_top = |it: &&NodeId| next.next().is_none_or(|next| !tree.contains(**it, *next));
    active.iter().filter(is_top).map(|it| it.index()).collect()
}
