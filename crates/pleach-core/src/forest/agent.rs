//! One agent of a forest, to look at.

use std::sync::Arc;

use pleach_expr::expr::{Expr, KeyIndex, Read};

use super::chunk::Chunk;
use super::population::Population;
use super::{AgentId, Forest, Phase, StaleError, TreeId};
use crate::inspect::{AgentView, Current, Explanation, TokenView, WhyNot};
use crate::row::Row;
use crate::turns::rate::Rate;
use crate::{Entity, GroupId, Host, Keys, NodeId, Outcome, Time, Tree, Value};

/// One agent of a forest, to look at. [`Forest::agent`] lends it. A [`Brain`](crate::Brain) has the
/// same names, except those for its tree's id, group and rate.
pub struct AgentRef<'a, H: Host> {
    forest: &'a Forest<H>,
    population: &'a Population<H>,
    chunk: &'a Chunk<H>,
    id: AgentId,
    at: Row,
}

impl<H: Host> Forest<H> {
    /// An agent, to look at. Costs one look-up, for any number of questions.
    ///
    /// ```
    /// # use pleach_core::{Entity, Forest, Host, Phase, Spawn, Tree, nodes};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let guards = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
    /// let spawn = Spawn { entity: Entity::from_bits(42), ..Spawn::default() };
    /// let id = forest.spawn_with(&mut (), guards, spawn)?;
    /// let guard = forest.agent(id)?;
    /// assert_eq!((guard.entity(), guard.phase()), (Entity::from_bits(42), Phase::Active));
    /// println!("{}", guard.explain());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it does not exist.
    pub fn agent(&self, agent: AgentId) -> Result<AgentRef<'_, H>, StaleError> {
        let (population, chunk, at) = self.find(agent)?;
        Ok(AgentRef { forest: self, population, chunk, id: agent, at })
    }
}

impl<'a, H: Host> AgentRef<'a, H> {
    /// Its id.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.id
    }

    /// The tree that it runs.
    #[must_use]
    pub fn tree(&self) -> &'a Arc<Tree<H>> {
        &self.population.shape.tree
    }

    /// The id of that tree.
    #[must_use]
    pub fn tree_id(&self) -> TreeId {
        self.forest.trees.of(self.forest.places[self.id])
    }

    /// Which of the game's entities it is: see [`Context::entity`](crate::Context::entity).
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.chunk.entity(self.at)
    }

    /// Its label for people: see [`AgentMut::set_label`](crate::handles::AgentMut::set_label).
    #[must_use]
    pub fn label(&self) -> Option<&'a str> {
        self.chunk.label(self.at).map(|it| &**it)
    }

    /// The group that it is in. An agent that joined none is in a group of its own if its tree has
    /// group keys.
    #[must_use]
    pub fn group(&self) -> Option<GroupId> {
        self.chunk.extras.ties().and_then(|it| it.group(self.at)).map(|it| it.0)
    }

    /// What it is doing, in one word.
    #[must_use]
    pub fn phase(&self) -> Phase {
        Phase::of(self.chunk.flags[self.at.index()])
    }

    /// How its root last ended, if it ever did.
    #[must_use]
    pub fn last_outcome(&self) -> Option<Outcome> {
        self.chunk.ended(self.at)
    }

    /// How often it is ticked.
    #[must_use]
    pub fn rate(&self) -> Rate {
        self.chunk.rate(self.at)
    }

    /// Its keys, to read: as [`Forest::keys`].
    #[must_use]
    pub fn keys(&self) -> Keys<'a> {
        self.forest.keys_of(self.population, self.chunk, self.at)
    }

    /// The value of an expression with its keys, and the time of its last tick. A key that its tree
    /// does not have is false. Allocates nothing.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, Value, nodes};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let mut tree = Tree::builder("guard");
    /// # tree.key::<f32>("health", 0.2);
    /// # let guards = forest.add_tree(tree.build(nodes::idle())?)?;
    /// # let guard = forest.spawn(&mut (), guards)?;
    /// let guard = forest.agent(guard)?;
    /// let is_weak = guard.tree().root().expr("health < 0.3", None).expect("it is right");
    /// assert_eq!(guard.eval(&is_weak), Value::Bool(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn eval(&self, expr: &Expr) -> Value {
        expr.eval(Reading { keys: self.keys(), agent: self })
    }

    /// Everything about it. Allocates.
    #[must_use]
    pub fn inspect(&self) -> AgentView<H> {
        let &AgentRef { forest, population, chunk, at, .. } = self;
        let seen = chunk.seen(at, forest.call.now);
        let mail = chunk.extras.inbox().map_or_else(Vec::new, |it| it.waiting(at).collect());
        let keys = self.keys();
        let needs = forest.trees.needs(self.tree_id());
        let shape = &population.shape;
        let (who, label) = ((seen.agent, self.group()), |it| forest.agent(it).ok()?.label().map(Into::into));
        let tokens = TokenView::all(&shape.tree, (&shape.map, &forest.shared), who, forest.call.now, label);
        seen.view(&shape.tree, |it| keys.read(it), mail, tokens, needs)
    }

    /// Why it does what it does, for printing: see [`AgentView::explain`].
    #[must_use]
    pub fn explain(&self) -> Explanation {
        self.inspect().explain()
    }

    /// Why a node of its tree is not active, for printing: see [`AgentView::why_not`]. `None` if
    /// the tree has no such node.
    #[must_use]
    pub fn why_not(&self, node: NodeId) -> Option<WhyNot> {
        self.inspect().why_not(node)
    }

    /// The nodes that run in it, in pre-order: the cheapest answer to "what is it doing?". Without
    /// a parallel there is one, or none if nothing is active; with parallels one for each running
    /// branch. These are leaves, except a decorator that waits or is between two runs of its child,
    /// and a composite that continues with another child in the next tick. The cost grows with the
    /// number of the tree's run stacks: one, and one for each child of a parallel. Allocates
    /// nothing.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, parallel, wait};
    /// # use pleach_core::{Forest, Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut forest = Forest::<Game>::new(7);
    /// let guards = forest.add_tree(Tree::builder("guard").build(parallel([idle(), wait(2.0)]))?)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.tick(&mut (), 0.1)?;
    /// let guard = forest.agent(guard)?;
    /// let label = |it| guard.tree().node(it).map(|it| it.label());
    /// assert_eq!(guard.current().filter_map(label).collect::<Vec<_>>(), ["Idle", "Wait"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn current(&self) -> Current<'a> {
        Current::new(self.tree(), self.chunk.run.tops(self.at), self.chunk.flags[self.at.index()])
    }

    /// Whether a node is active in it: whether it runs, or one below it does. `false` if its tree
    /// has no such node.
    #[must_use]
    pub fn is_active(&self, node: NodeId) -> bool {
        self.current().is_active(node)
    }
}

/// How expressions read an agent.
struct Reading<'a, H: Host> {
    keys: Keys<'a>,
    agent: &'a AgentRef<'a, H>,
}

impl<H: Host> Read for Reading<'_, H> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.keys.value(key).unwrap_or(Value::Bool(false))
    }
    fn time(&mut self) -> Time {
        let AgentRef { forest, chunk, at, .. } = *self.agent;
        chunk.lives[at.index()].time.at(chunk.flags[at.index()], forest.call.now).time()
    }
    fn now(&mut self) -> Time {
        self.agent.forest.call.now.time()
    }
}

impl<H: Host> Clone for AgentRef<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Host> Copy for AgentRef<'_, H> {}

impl<H: Host> std::fmt::Debug for AgentRef<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentRef")
            .field("agent", &self.id)
            .field("tree", self.tree())
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}
