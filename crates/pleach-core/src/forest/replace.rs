//! Gives the agents of trees new versions of these, while they live (SEMANTICS 8.10).
//!
//! There are four steps, so that no forest is ever half of the old tree and half of the new one.
//! First comes all that can be refused or can fail; it changes nothing. Then all that is active
//! ends under the old tree. Then all columns change, without a callback. Then the agents are
//! enabled. A leaf that panics stops its own agent; the panic goes on when all is done.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

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
use crate::blackboard::shared::SharedMap;
use crate::host::leaf::states::StateLists;
use crate::ids::StaleError;
use crate::life::LastAbort;
use crate::machine::state::RunState;
use crate::request::Asker;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Host, Tree};

/// A tree that comes in place of another.
struct Coming<H: Host> {
    id: TreeId,
    new: Arc<Tree<H>>,
    /// The states of its leaves, for each chunk.
    states: Vec<StateLists<H>>,
}

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
    /// keys stay, unless no tree declares the key any more. Such a key may change (its default,
    /// say) if no other tree declares it; what several trees declare changes with
    /// [`replace_trees`](Forest::replace_trees). Look typed keys up anew. A trace names the nodes
    /// of the tree that ran when it was recorded.
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
    /// event another payload, than in another tree that is here. Nothing has changed then.
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

    /// Gives the agents of several trees other ones, each as
    /// [`replace_tree`](Forest::replace_tree) does: all of them or, if there is an error, none. The
    /// new trees and those that stay must agree about the group and global keys and the events that
    /// they declare. So this is how a key that several trees declare changes: a group or global key
    /// that still holds its old default takes the new one, and one that cannot hold its value any
    /// more, too. First everything that is active ends, tree by tree in the order of the call, then
    /// all agents are enabled, in the same order.
    ///
    /// ```
    /// # mod pleach { pub use pleach_core::{Forest, Host, Tree, Value, nodes, schema}; }
    /// use pleach::nodes::idle;
    /// use pleach::schema::Scope;
    /// use pleach::{Forest, Host, Tree, Value};
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = ();
    /// }
    /// let of = |name, alarm: f32| {
    ///     let mut tree = Tree::<Game>::builder(name);
    ///     tree.key_in(Scope::Global, "alarm", alarm);
    ///     tree.build(idle())
    /// };
    /// let mut forest = Forest::new(7);
    /// let (guard, thief) = (forest.add_tree(of("guard", 10.0)?)?, forest.add_tree(of("thief", 10.0)?)?);
    /// // Both declare the key, so neither can change it alone.
    /// assert!(forest.replace_tree(&mut (), guard, of("guard", 5.0)?).is_err());
    /// forest.replace_trees(&mut (), [(guard, of("guard", 5.0)?), (thief, of("thief", 5.0)?)])?;
    /// assert_eq!(forest.globals().value("alarm")?, Value::Float(5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a tree is not here or is named twice, or a new tree declares a group or global key or an
    /// event in another way than another new one, or one that stays. The error names both trees.
    /// Nothing has changed then.
    ///
    /// # Panics
    /// As [`replace_tree`](Forest::replace_tree).
    pub fn replace_trees<N: Into<Arc<Tree<H>>>>(
        &mut self,
        cx: &mut H::Cx<'_>,
        trees: impl IntoIterator<Item = (TreeId, N)>,
    ) -> Result<(), ReplaceTreeError> {
        self.traced(&mut NoTracer).replace_trees(cx, trees)
    }

    /// All that can be refused or can fail. It changes nothing.
    fn prepare(&self, trees: Vec<(TreeId, Arc<Tree<H>>)>) -> Result<Vec<Coming<H>>, ReplaceTreeError> {
        let mut seen = IndexSet::new();
        for &(tree, _) in &trees {
            self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
            if !seen.insert(tree) {
                return Err(ReplaceTreeError::Doubled(tree));
            }
        }
        self.agree(&trees.iter().map(|(id, new)| (Some(*id), &**new)).collect::<Vec<_>>())?;
        // This is host code, which may panic, so it comes before anything else knows of the new
        // trees.
        let states = |id: &TreeId, new: &Tree<H>| {
            let chunks = self.trees.get(*id).map_or(&[][..], |it| &it.chunks);
            chunks.iter().map(|it| new.stateful.lists(it.len())).collect()
        };
        Ok(trees.into_iter().map(|(id, new)| Coming { id, states: states(&id, &new), new }).collect())
    }

    /// Changes all columns, without a callback. Returns what is to be dropped, as dropping it is
    /// host code.
    fn refit(&mut self, trees: Vec<Coming<H>>) -> Vec<(Shape<H>, Vec<StateLists<H>>)> {
        let old = trees.iter().filter_map(|it| self.trees.get(it.id)).map(|it| &it.shape.tree.schema);
        let maps = self.shared.readmit(old.clone(), trees.iter().map(|it| &it.new.schema));
        old.for_each(|it| self.events.release(it.known_events()));
        trees.iter().for_each(|it| self.events.admit(it.new.schema.known_events()));
        trees.into_iter().zip(maps).filter_map(|(tree, map)| self.refit_tree(tree, map)).collect()
    }

    fn refit_tree(&mut self, tree: Coming<H>, map: SharedMap) -> Option<(Shape<H>, Vec<StateLists<H>>)> {
        let Coming { id, new, states } = tree;
        self.scratch.fit(&new);
        let Population { shape, chunks, .. } = self.trees.get_mut(id)?;
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
        self.replace_trees(cx, [(tree, new)])
    }

    /// As [`Forest::replace_trees`].
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn replace_trees<N: Into<Arc<Tree<H>>>>(
        &mut self,
        cx: &mut H::Cx<'_>,
        trees: impl IntoIterator<Item = (TreeId, N)>,
    ) -> Result<(), ReplaceTreeError> {
        let trees = self.prepare(trees.into_iter().map(|(id, new)| (id, new.into())).collect())?;
        let ids: Vec<_> = trees.iter().map(|it| it.id).collect();

        let mut panics = Panics::default();
        for &tree in &ids {
            self.each_agent(tree, &mut panics, |chunk, shape, row, parts| chunk.suspend(shape, cx, parts, row));
        }
        let old = self.refit(trees);
        // This is host code as well: the states of leaves, and the leaves themselves if nothing
        // else holds that tree.
        for it in old {
            panics.catch(|| drop(it));
        }
        for &tree in &ids {
            let from = self.call.requests.len();
            self.each_agent(tree, &mut panics, |chunk, shape, row, parts| chunk.resume(shape, cx, parts, row));
            self.note_origins(tree, Asker::Callback, from);
        }
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
