//! What can be wrong with a recording, and with its replay.

use std::fmt;

use pleach_expr::text::plain;

use crate::inputs::log::Input;
use crate::{AgentId, Host, NodeId, Symbol, Tree, Value};

/// Why a recording cannot be played.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// Not a recording, or a recording of another version.
    NotARecording(String),
    /// A tree is missing.
    MissingTree(String),
    /// A tree differs from the recorded one.
    OtherTree(String),
    /// The bytes are damaged from this frame of the recording on.
    Damaged {
        /// How many frames come before it.
        frame: u64,
        /// What cannot be read.
        what: String,
    },
    /// Trees declare a shared key or a token differently, so they cannot be in one forest.
    Conflict(String),
    /// A tree has other nodes or keys than the recorded one.
    OtherNodes {
        /// The tree's name.
        tree: String,
        /// The first difference, in words.
        what: String,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NotARecording(why) => f.write_str(why),
            ReplayError::MissingTree(name) => {
                write!(f, "the recording needs the tree `{name}`: none of that name was given")
            }
            ReplayError::OtherTree(name) => {
                write!(f, "the tree `{name}` is not the one that was recorded: its nodes, parameters or keys differ")
            }
            ReplayError::Damaged { frame, what } => {
                write!(f, "the recording is damaged after {frame} frames: {what}")
            }
            ReplayError::Conflict(why) => f.write_str(why),
            ReplayError::OtherNodes { tree, what } => {
                write!(f, "the tree `{}` does not fit the recording: {what}", plain(tree))
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// An agent did not ask for what was recorded, or ran something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The number of the frame.
    pub frame: u64,
    /// The agent.
    pub agent: AgentId,
    /// The node that was recorded, if it was one.
    pub node: Option<NodeId>,
    /// What was recorded, in words.
    pub recorded: String,
    /// The node is a leaf of an [edited](super::Replay::edited) tree, and was not recorded.
    pub is_new_leaf: bool,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { frame, agent, recorded, .. } = self;
        write!(f, "diverged at frame {frame}, agent {agent:?}: when this was recorded, {recorded}")
    }
}

/// An input of an agent of this tree in words, and its node.
pub(super) fn words<H: Host>(input: &Input, tree: Option<&Tree<H>>) -> (Option<NodeId>, String) {
    const UNASKED: &str = "; the replay did not ask for it";
    let name = |node: NodeId| tree.and_then(|it| it.node(node)).map_or_else(|| node.to_string(), |it| it.to_string());
    let answered = |node: NodeId, what: &str| (Some(node), format!("{} answered {what}{UNASKED}", name(node)));
    let value = |it: Value| tree.map_or_else(|| format!("{it:?}"), |tree| tree.schema().describe(it));
    match input {
        Input::Success(node) => answered(*node, "success"),
        Input::Failure(node) => answered(*node, "failure"),
        Input::Running(node) => answered(*node, "running"),
        Input::Key(expr, key, read) => {
            let expr = tree.and_then(|it| it.exprs.get(*expr as usize));
            let key = expr.and_then(|it| it.keys().get(usize::try_from(*key).ok()?));
            let key = tree.zip(key).map(|(tree, key)| tree.schema().decl(*key).name());
            let (source, key) = (expr.map_or("an expression", |it| it.source()), key.unwrap_or("a key"));
            (None, format!("`{source}` read {key} = {}{UNASKED}", value(*read)))
        }
        Input::Drawn(count) => (None, format!("leaves drew {count} random numbers{UNASKED}")),
        Input::Event(name) | Input::EventWith(name, _) => {
            let decl = tree.and_then(|it| it.schema().events().find(|it| Symbol::new(it.name()) == *name));
            let name = decl.map_or_else(|| format!("{name:?}"), |it| it.name().to_owned());
            (None, format!("the event {name} came{UNASKED}"))
        }
        Input::Panic => (None, format!("a leaf panicked{UNASKED}")),
        Input::State(_)
        | Input::Gone
        | Input::Missed(_)
        | Input::Stood(_)
        | Input::SameEvent
        | Input::Noted(..)
        | Input::Looked(_)
        | Input::Rewind => (None, "the agent changed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Status, nodes};

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    #[test]
    fn inputs_are_said_in_words() {
        let mut builder = Tree::<Game>::builder("guard");
        builder.key("fear", 0.0_f32);
        builder.event("noise", None);
        let leaf = nodes::action(|_| Status::Running).named("walk");
        let tree = builder.build(nodes::selector([nodes::check("fear > 5"), leaf])).expect("it is a tree");
        let walk = tree.nodes().last().expect("it has nodes").id();
        let said = |input| {
            let said = words(&input, Some(&tree)).1;
            said.strip_suffix("; the replay did not ask for it").expect("it was not asked for").to_owned()
        };
        assert_eq!(said(Input::Failure(walk)), "n2 Action \"walk\" answered failure");
        assert_eq!(said(Input::Key(0, 0, Value::Float(9.0))), "`fear > 5` read fear = 9");
        assert_eq!(said(Event::new("noise").into()), "the event noise came");
        assert_eq!(said(Input::Drawn(3)), "leaves drew 3 random numbers");
        // A damaged recording may name things that its tree does not have.
        assert_eq!(said(Input::Key(7, 0, Value::Float(9.0))), "`an expression` read a key = 9");
        let divergence = Divergence {
            frame: 812,
            agent: crate::AgentId::default(),
            node: Some(walk),
            recorded: words(&Input::Success(walk), Some(&tree)).1,
            is_new_leaf: false,
        };
        let said = ": when this was recorded, n2 Action \"walk\" answered success; the replay did not ask for it";
        assert!(divergence.to_string().ends_with(said), "{divergence}");
    }
}
