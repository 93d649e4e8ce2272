//! What an agent does, in one word, which decides its colour.

use std::sync::Arc;

use pleach::{Host, NodeRef, Tree, TreeId, handles::AgentRef};
use pleach_arena::{Arena, Game};

/// How many behaviours are distinguished.
const MOST: usize = 64;

/// A behaviour: an index into [`Behaviours::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Behaviour(pub u8);

impl Behaviour {
    /// Nothing runs.
    pub const NONE: Behaviour = Behaviour(0);

    /// Its index among the names.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The behaviours of some trees. An agent's is the outermost named node on its active path with
/// another name than the tree, or else the running leaf.
#[derive(Debug)]
pub struct Behaviours {
    names: Vec<String>,
    trees: Vec<Known>,
}

/// What is known of a tree.
#[derive(Debug)]
struct Known {
    id: TreeId,
    tree: Arc<Tree<Arena>>,
    /// By the running node.
    behaviours: Vec<Behaviour>,
}

impl Default for Behaviours {
    fn default() -> Self {
        Behaviours { names: vec!["none".into()], trees: Vec::new() }
    }
}

impl Behaviours {
    /// Looks at a game's trees again, if they have changed. A behaviour keeps its number as long as
    /// these behaviours live. Returns whether a tree has changed.
    pub fn refresh(&mut self, game: &Game) -> bool {
        let mut changed = false;
        for id in game.trees() {
            let Ok(tree) = game.forest.tree(id) else { continue };
            if self.trees.iter().any(|it| it.id == id && Arc::ptr_eq(&it.tree, tree)) {
                continue;
            }
            changed = true;
            let behaviours = tree.nodes().map(|node| self.number(behaviour_of(tree, node))).collect();
            self.trees.retain(|it| it.id != id);
            self.trees.push(Known { id, tree: Arc::clone(tree), behaviours });
        }
        changed
    }

    /// Forgets the trees, because another game begins. The behaviours keep their numbers.
    pub fn forget(&mut self) {
        self.trees.clear();
    }

    fn number(&mut self, name: &str) -> Behaviour {
        let at = self.names.iter().position(|it| it == name).unwrap_or_else(|| {
            if self.names.len() < MOST {
                self.names.push(name.to_owned());
                self.names.len() - 1
            } else {
                0
            }
        });
        Behaviour(u8::try_from(at).unwrap_or(0))
    }

    /// What an agent does.
    #[must_use]
    pub fn of(&self, agent: AgentRef<'_, Arena>) -> Behaviour {
        let id = agent.tree_id();
        let known = self.trees.iter().find(|it| it.id == id);
        let node = agent.current().next();
        known.zip(node).and_then(|(known, node)| known.behaviours.get(node.index()).copied()).unwrap_or(Behaviour::NONE)
    }

    /// What an agent does in another forest, such as that of a replay, whose trees may be older
    /// versions.
    #[must_use]
    pub fn of_other(&self, agent: AgentRef<'_, Arena>) -> Behaviour {
        let node = agent.current().next().and_then(|it| agent.tree().node(it));
        let name = node.map(|it| behaviour_of(agent.tree(), it));
        let at = name.and_then(|name| self.names.iter().position(|it| it == name));
        at.and_then(|it| u8::try_from(it).ok()).map_or(Behaviour::NONE, Behaviour)
    }

    /// The behaviour that a node is part of.
    #[must_use]
    pub fn of_node(&self, tree: TreeId, node: pleach::NodeId) -> Behaviour {
        let known = self.trees.iter().find(|it| it.id == tree);
        known.and_then(|it| it.behaviours.get(node.index()).copied()).unwrap_or(Behaviour::NONE)
    }

    /// The name of a behaviour.
    #[must_use]
    pub fn name(&self, behaviour: Behaviour) -> &str {
        self.names.get(behaviour.index()).map_or("none", |it| it)
    }

    /// The names of all behaviours, by their numbers.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn behaviour_of<'a>(tree: &'a Tree<Arena>, node: NodeRef<'a, Arena>) -> &'a str {
    branch_of(tree, node).label()
}

/// The branch that a node is part of: the outermost named node on its path with another name than
/// the tree, or else the node itself.
pub(crate) fn branch_of<'a, H: Host>(tree: &'a Tree<H>, node: NodeRef<'a, H>) -> NodeRef<'a, H> {
    let path = std::iter::successors(Some(node), |it| it.parent());
    path.filter(|it| it.name().is_some_and(|name| name != tree.name())).last().unwrap_or(node)
}
