//! Giving the agents of a tree its new version, while they live.
//!
//! In four steps, so that there is never a forest in which one half belongs to the old tree and the
//! other to the new one: what can be refused or can fail is done first, and changes nothing; then
//! all that is active ends under the old tree; then all columns change, which calls nobody; then
//! the agents are enabled. A leaf that panics stops its own agent, and is heard of when all is
//! done.

use std::sync::Arc;

use indexmap::IndexMap;

use super::chunk::{Chunk, ForestParts, columns};
use super::error::ReplaceTreeError;
use super::panics::Panics;
use super::population::{Population, Shape};
use super::{Forest, TreeId};
use crate::blackboard::KeyDecl;
use crate::blackboard::board::{Board, Heir};
use crate::host::leaf::LeafColumn;
use crate::ids::StaleError;
use crate::life::{Flags, LastAbort};
use crate::machine::state::RunState;
use crate::request::Asker;
use crate::trace::Tracer;
use crate::{Host, Reason, Tree};

impl<H: Host, T: Tracer> Forest<H, T> {
    /// Gives all agents of a tree another one, such as its new version after its file was changed.
    /// Whatever is active ends with [`Reason::Replaced`], agent by agent; then they begin the new
    /// tree as after a [`restart`](Forest::restart), but that paused agents stay paused, and those
    /// that are off stay off. Ids, order, groups, rates, random streams, times, completion
    /// policies, last outcomes and events that wait stay as they are.
    ///
    /// Node and agent keys keep their values if the new tree has a key of the same name, scope and
    /// type. A node's key must be the same node's: the one of the same id, or without an id of the
    /// same [path](crate::NodeRef::path). All others begin with the default, and so do symbols
    /// whose word is none of the key's any more. The values of group and global keys stay, unless
    /// no tree declares the key any more. Typed keys should be looked up anew; and a trace names
    /// nodes of the tree that ran when it was recorded.
    ///
    /// ```
    /// # mod pleach { pub use pleach_core::{self as nodes, Forest, Host, Tree}; }
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
    /// forest.set(guard, hunger, 0.75)?;
    /// forest.tick(&mut (), 0.1)?;
    ///
    /// let mut after = Tree::builder("guard");
    /// after.key("hunger", 0.0_f32);
    /// let eat = idle().named("eat");
    /// let after = after.build(selector([sequence([check("hunger > 0.5"), log("at last"), eat]), idle()]))?;
    /// forest.replace_tree(&mut (), tree, after)?;
    /// forest.tick(&mut (), 0.1)?;
    /// assert_eq!(forest.inspect(guard)?.to_string(), "eat");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the tree is not here, or a group or global key has another type, default or words than in
    /// another tree that is here: nothing has changed then. Those that no other tree declares may
    /// change; they keep the values that they can still hold.
    ///
    /// # Panics
    /// If an `end` or `awake` does: its agent is [`Panicked`](super::Phase::Panicked) then, all
    /// others run the new tree, and the first of several panics goes on. If the making of a leaf's
    /// state does: nothing has changed then.
    pub fn replace_tree(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        new: impl Into<Arc<Tree<H>>>,
    ) -> Result<(), ReplaceTreeError> {
        let new = new.into();
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        self.shared.check(&population.shape.tree.schema, &new.schema)?;
        // Host code, which may panic: before anything else knows of the new tree.
        let leaves = population.chunks.iter().map(|it| columns(&new, it.len())).collect();

        let mut panics = Panics::default();
        self.each_agent(tree, &mut panics, |chunk, shape, at, world| chunk.suspend(shape, cx, world, at));
        let old = self.refit(tree, new, leaves);
        // Host code as well: the states of leaves, and the leaves themselves if nobody else has
        // that tree.
        panics.catch(|| drop(old));
        let from = self.requests.len();
        self.each_agent(tree, &mut panics, |chunk, shape, at, world| chunk.resume(shape, cx, world, at));
        if let Some(place) = self.trees.place(tree) {
            self.note_origins(place, Asker::Callback, from);
        }
        panics.go_on();
        self.carry_out(cx);
        Ok(())
    }

    /// Calls something for each agent of a tree, in their order, whoever panics.
    fn each_agent(
        &mut self,
        tree: TreeId,
        panics: &mut Panics,
        mut call: impl FnMut(&mut Chunk<H>, &Shape<H>, usize, &mut ForestParts<'_, T>),
    ) {
        let (mut world, trees) = self.world(self.now);
        let Some(Population { shape, chunks, .. }) = trees.get_mut(tree) else { return };
        for chunk in chunks {
            for at in 0..chunk.len() {
                panics.catch(|| call(chunk, shape, at, &mut world));
            }
        }
    }

    /// Changes all columns. Calls no host code: what that is to drop is returned.
    fn refit(&mut self, tree: TreeId, new: Arc<Tree<H>>, leaves: Vec<Leaves<H>>) -> Option<(Shape<H>, Vec<Leaves<H>>)> {
        self.scratch.fit(&new);
        let Population { shape, chunks, .. } = self.trees.get_mut(tree)?;
        let map = self.shared.readmit(&shape.tree.schema, &new.schema);
        let heirs = heirs(&shape.tree, &new);
        let had_groups = shape.grouped;
        let grouped = had_groups || new.schema.columns()[1] > 0;
        let mut old_leaves = Vec::with_capacity(chunks.len());
        for (chunk, leaves) in chunks.iter_mut().zip(leaves) {
            old_leaves.push(chunk.refit(&new, leaves, &heirs));
            if grouped && !had_groups {
                chunk.groups.extend(chunk.ids.iter().map(|_| self.shared.new_group()));
            }
        }
        let old_shape = std::mem::replace(shape, Shape { tree: new, map, grouped });
        Some((old_shape, old_leaves))
    }
}

/// The leaf states of a chunk.
type Leaves<H> = Vec<Box<dyn LeafColumn<H>>>;

impl<H: Host> Chunk<H> {
    /// Ends everything that is active in an agent. If it was enabled, it stays marked as
    /// [`FRESH`](Flags::FRESH), and if it was paused as [`PAUSED`](Flags::PAUSED), until it is
    /// [resumed](Chunk::resume).
    fn suspend<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut ForestParts<'_, T>,
        at: usize,
    ) {
        let before = self.flags[at];
        if before.contains(Flags::ENABLED) {
            self.disable(shape, host, world, at, Reason::Replaced);
            self.flags[at] |= Flags::FRESH | before & Flags::PAUSED;
        }
    }

    /// Enables an agent that was [suspended](Chunk::suspend), and pauses it if it was paused.
    fn resume<T: Tracer>(&mut self, shape: &Shape<H>, host: &mut H::Cx<'_>, world: &mut ForestParts<'_, T>, at: usize) {
        let marks = self.flags[at];
        if marks.contains(Flags::FRESH) {
            self.enable(shape, host, world, at);
            if marks.contains(Flags::PAUSED) {
                // Nothing is active that would have to be told.
                self.pause(shape, host, world, at, true);
            }
        }
    }

    /// Makes all columns anew that depend on the tree, with these leaves; returns those that were
    /// there. No agent is active.
    fn refit(&mut self, tree: &Tree<H>, leaves: Leaves<H>, heirs: &[Heir<'_>]) -> Leaves<H> {
        // What an abort was about are nodes of the old tree.
        self.lives.iter_mut().for_each(|it| it.last_abort = LastAbort::NONE);
        self.run = RunState::new(tree);
        self.run.grow(self.ids.len());
        let board = Board::new(&tree.schema, Arc::clone(&tree.observers.watch), tree.observers.words);
        let old = std::mem::replace(&mut self.board, board);
        self.board.inherit(old, heirs);
        std::mem::replace(&mut self.leaves, leaves)
    }
}

/// Whose a key is: a node's, known by its id or else by its path, or the agent's.
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

/// The node and agent keys of a tree, each with the one of the old tree that it goes on with.
fn heirs<'a, H: Host>(old: &'a Tree<H>, new: &'a Tree<H>) -> Vec<Heir<'a>> {
    let mut known: IndexMap<_, _> = old.schema.columned().map(|it| ((Owner::of(old, it), it.name()), it)).collect();
    // Taken out, so that none has two heirs.
    let mut find = |it: &'a KeyDecl| known.swap_remove(&(Owner::of(new, it), it.name()));
    new.schema.columned().map(|it| (it, find(it).filter(|old| old.ty() == it.ty()))).collect()
}
