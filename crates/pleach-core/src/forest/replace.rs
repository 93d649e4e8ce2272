//! Gives the agents of a tree a new version of it, while they live (SEMANTICS 8.10).
//!
//! There are four steps, so that no forest is ever half of the old tree and half of the new one.
//! First comes all that can be refused or can fail; it changes nothing. Then all that is active
//! ends under the old tree. Then all columns change, without a callback. Then the agents are
//! enabled. A leaf that panics stops its own agent; the panic goes on when all is done.

use std::sync::Arc;

use indexmap::IndexMap;

use super::chunk::Chunk;
use super::error::ReplaceTreeError;
use super::lives::Lives;
use super::panics::Panics;
use super::parts::ForestParts;
use super::parts::Shape;
use super::population::Population;
use super::{Forest, TreeId};
use crate::blackboard::KeyDecl;
use crate::blackboard::board::Heir;
use crate::host::leaf::states::StateLists;
use crate::ids::StaleError;
use crate::life::LastAbort;
use crate::machine::state::RunState;
use crate::request::Asker;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Host, Tree};

impl<H: Host> Forest<H> {
    /// Gives all agents of a tree another one, such as its new version after its file was changed.
    /// What is active ends with [`Reason::Replaced`](crate::Reason::Replaced), agent by agent. Then
    /// the agents begin the new tree as after a [`restart`](super::AgentMut::restart), but paused
    /// agents stay paused, and agents that are off stay off. Ids, order, groups, rates, random
    /// streams, times, completion policies, last outcomes and events that wait stay as they are.
    ///
    /// Node and agent keys keep their values if the new tree has a key of the same name, scope and
    /// type. A node's key must be the same node's: the one of the same id, or without an id of the
    /// same [path](crate::NodeRef::path). All other keys begin with the default, and so does a
    /// symbol whose word the new key lacks. A key that still holds the old default takes the new
    /// one, so a number that was tuned in the file takes effect. The values of group and global
    /// keys stay, unless no tree declares the key any more. As long as another tree of the forest
    /// declares such a key too, its default cannot change: the two would differ. Look typed keys up
    /// anew. A trace names the nodes of the tree that ran when it was recorded.
    ///
    /// ```
    /// # mod pleach { pub use pleach_core::{Forest, Host, Tree, nodes}; }
    /// use pleach::nodes::{check, idle, log, selector, sequence};
    /// use pleach::{Forest, Host, Tree};
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = ();
    /// }
    /// let mut before = Tree::<Game>::builder("guard");
    /// let hunger = before.key("hunger", 0.0_f32);
    /// let mut forest = Forest::new(7);
    /// let tree = forest.add_tree(before.build(idle())?)?;
    /// let guard = forest.spawn(&mut (), tree)?;
    /// forest.keys_mut(guard)?.set(hunger, 0.75);
    /// forest.tick(&mut (), 0.1)?;
    ///
    /// let mut after = Tree::builder("guard");
    /// after.key("hunger", 0.0_f32);
    /// let eat = idle().named("eat");
    /// let after = after.build(selector([sequence([check("hunger > 0.5"), log("at last"), eat]), idle()]))?;
    /// forest.replace_tree(&mut (), tree, after)?;
    /// forest.tick(&mut (), 0.1)?;
    /// assert_eq!(forest.agent(guard)?.inspect().to_string(), "eat");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the tree is not here, or a group or global key has another type, default or words, or an
    /// event another payload, than in another tree that is here. Nothing has changed then. What no
    /// other tree declares may change; such a key keeps a value that it can still hold, but not the
    /// old default.
    ///
    /// # Panics
    /// If an `end` or `awake` does. Its agent is [`Panicked`](super::Phase::Panicked) then, all
    /// others run the new tree, and the first of several panics goes on. Also if the making of a
    /// leaf's state does; nothing has changed then.
    pub fn replace_tree(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        new: impl Into<Arc<Tree<H>>>,
    ) -> Result<(), ReplaceTreeError> {
        self.traced(&mut NoTracer).replace_tree(cx, tree, new)
    }

    /// Changes all columns, without a callback. Returns what is to be dropped, as dropping it is
    /// host code.
    fn refit(
        &mut self,
        tree: TreeId,
        new: Arc<Tree<H>>,
        states: Vec<StateLists<H>>,
    ) -> Option<(Shape<H>, Vec<StateLists<H>>)> {
        self.scratch.fit(&new);
        let Population { shape, chunks, .. } = self.trees.get_mut(tree)?;
        let map = self.shared.readmit(&shape.tree.schema, &new.schema);
        self.events.release(shape.tree.schema.known_events());
        self.events.admit(new.schema.known_events());
        let heirs = heirs(&shape.tree, &new);
        let grouped = new.schema.columns()[1] > 0;
        let mut old_states = Vec::with_capacity(chunks.len());
        for (chunk, states) in chunks.iter_mut().zip(states) {
            old_states.push(chunk.refit(&new, states, &heirs));
            if grouped {
                // Those that have groups keep them.
                let alone = |it: &Row| chunk.extras.ties().and_then(|ties| ties.group(*it)).is_none();
                for row in chunk.rows().filter(alone).collect::<Vec<_>>() {
                    let group = self.shared.new_group(chunk.ids()[row.index()]);
                    chunk.put_group(row, group, 0);
                }
            }
        }
        let old_shape = std::mem::replace(shape, Shape { tree: new, map, grouped });
        Some((old_shape, old_states))
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::replace_tree`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn replace_tree(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        new: impl Into<Arc<Tree<H>>>,
    ) -> Result<(), ReplaceTreeError> {
        let new = new.into();
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        self.shared.check(&population.shape.tree.schema, &new.schema)?;
        self.agree_on_events(&new, Some(tree))?;
        // This is host code, which may panic, so it comes before anything else knows of the new
        // tree.
        let states = population.chunks.iter().map(|it| new.stateful.lists(it.len())).collect();

        let mut panics = Panics::default();
        self.each_agent(tree, &mut panics, |chunk, shape, row, parts| chunk.suspend(shape, cx, parts, row));
        let old = self.refit(tree, new, states);
        // This is host code as well: the states of leaves, and the leaves themselves if nothing
        // else holds that tree.
        panics.catch(|| drop(old));
        let from = self.call.requests.len();
        self.each_agent(tree, &mut panics, |chunk, shape, row, parts| chunk.resume(shape, cx, parts, row));
        self.note_origins(tree, Asker::Callback, from);
        panics.go_on();
        self.carry_out(cx);
        Ok(())
    }

    /// Calls `call` for each agent of a tree, in order, also behind a panic.
    fn each_agent(
        &mut self,
        tree: TreeId,
        panics: &mut Panics,
        mut call: impl FnMut(&mut Chunk<H>, &Shape<H>, Row, &mut ForestParts<'_, T>),
    ) {
        let (mut parts, trees) = self.parts_between();
        let Some(Population { shape, chunks, .. }) = trees.get_mut(tree) else { return };
        for chunk in chunks {
            for row in chunk.rows() {
                panics.catch(|| call(chunk, shape, row, &mut parts));
            }
        }
    }
}

impl<H: Host> Chunk<H> {
    /// Makes all columns anew that depend on the tree, with these states. Returns the old ones.
    /// No agent is active.
    fn refit(&mut self, tree: &Tree<H>, states: StateLists<H>, heirs: &[Heir<'_>]) -> StateLists<H> {
        // The last abort names nodes of the old tree.
        self.lives.iter_mut().for_each(|it| it.last_abort = LastAbort::NONE);
        let (agents, room) = (self.len(), self.room());
        // Those that go on are marked for the next tick when they are enabled.
        self.run = RunState::new(tree);
        self.run.fit(0, room);
        let old = std::mem::take(&mut self.board);
        self.board.inherit(&tree.layout, &old, agents, room, heirs);
        std::mem::replace(&mut self.states, states)
    }
}

/// The owner of a key: a node, known by its id or else by its path, or the agent.
#[derive(PartialEq, Eq, Hash)]
enum Owner<'a> {
    Agent,
    Id(&'a str),
    Path(String),
}

impl<'a> Owner<'a> {
    fn of<H: Host>(tree: &'a Tree<H>, key: &KeyDecl) -> Self {
        match key.node().and_then(|it| tree.node(it)) {
            None => Owner::Agent,
            Some(node) => node.id_text().map_or_else(|| Owner::Path(node.path()), Owner::Id),
        }
    }
}

/// The node and agent keys of a tree, each with the key of the old tree whose values it takes.
pub(crate) fn heirs<'a, H: Host>(old: &'a Tree<H>, new: &'a Tree<H>) -> Vec<Heir<'a>> {
    let mut known: IndexMap<_, _> = old.schema.columned().map(|it| ((Owner::of(old, it), it.name()), it)).collect();
    // Removes the key, so that none has two heirs.
    let mut find = |it: &'a KeyDecl| known.swap_remove(&(Owner::of(new, it), it.name()));
    new.schema.columned().map(|it| (it, find(it).filter(|old| old.ty() == it.ty()))).collect()
}
