//! Gives the agents of trees new versions of these, while they live (SEMANTICS 8.10, 10).
//!
//! There are four steps, so that no forest is ever half of the old tree and half of the new one.
//! The first does everything that can be refused or can fail; it changes nothing. Then everything
//! that does not carry on ends under the old tree. Then all columns change, without a callback.
//! Then agents that start from the beginning are enabled. A leaf that panics stops its own agent;
//! the panic is resumed when all is done.

use std::sync::Arc;

use indexmap::IndexSet;

use super::chunk::Chunk;
use super::error::ReplaceTreeError;
use super::heirs::heirs;
use super::lives::Lives;
use super::panics::Panics;
use super::parts::ForestParts;
use super::parts::Shape;
use super::population::Population;
use super::replaced::{Replace, ReplaceReport, ReplaceTally};
use super::{Forest, TreeId};
use crate::blackboard::board::Heir;
use crate::blackboard::shared::{Cell, SharedMap};
use crate::blackboard::tokens::Deed;
use crate::event::News;
use crate::host::leaf::states::StateLists;
use crate::ids::StaleError;
use crate::life::{Flags, LastAbort};
use crate::machine::carry::{Carry, Cuts};
use crate::machine::state::RunState;
use crate::request::Asker;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Host, NodeId, Tree};

/// A tree that replaces another.
struct Pending<H: Host> {
    id: TreeId,
    new: Arc<Tree<H>>,
    /// The states of its leaves, for each chunk.
    states: Vec<StateLists<H>>,
    /// How agents carry on; missing if they all start from the beginning.
    carry: Option<Carry>,
    /// For each chunk, the nodes of the old tree to start.
    starts: Vec<Vec<(Row, NodeId)>>,
    tally: ReplaceTally,
}

/// What is left of a tree: dropping it is host code.
type OldTree<H> = (Shape<H>, Vec<StateLists<H>>);

impl<H: Host> Forest<H> {
    /// Gives all agents of a tree another one, such as its new version after its file was changed.
    /// Agents carry on with what they were doing, as far as the new tree still has it (SEMANTICS
    /// 10): active nodes, what they remember, cooldowns and limits, the states of leaves, monitors.
    /// Everything else ends with [`Reason::Replaced`](crate::Reason::Replaced), and the nearest
    /// composite above starts again in the next tick. A tree that is equal but for comments changes
    /// nothing.
    /// nothing.
    ///
    /// A node is matched to the node of the new tree with the same id and kind; else to the one of
    /// the same kind and name below the same parent. So `id`s and names identify it when others are
    /// put before it. A leaf carries on with its state, whatever its parameters are now, unless it
    /// says otherwise: see [`Action::can_resume`](crate::Action::can_resume). `awake` is called on
    /// new leaves.
    ///
    /// [`Replace::restart`] ends everything that runs instead: agents begin the new tree as after a
    /// [`restart`](super::AgentMut::restart), but paused agents stay paused, and agents that are
    /// off stay off. Ids, order, groups, rates, random streams, times, completion policies, last
    /// outcomes and waiting events stay as they are in any case.
    ///
    /// Node and agent keys keep their values if the new tree has a key of the same name, scope and
    /// type. A node's key must be the same node's: the one of the same id, or without an id of the
    /// same [path](crate::NodeRef::path). All other keys begin with the default, and so does a
    /// symbol whose word the new key lacks. A key that still holds the old default takes the new
    /// one, so a number that was tuned in the file takes effect. The values of group and global
    /// keys stay, unless no tree declares the key any more. Such a key may change (its default,
    /// say) if no other tree declares it; what several trees declare changes with
    /// [`replace_trees`](Forest::replace_trees). A typed [`Key`](crate::Key) that was looked up
    /// before works on: it is found by its name, scope and type. If the new tree has no such key,
    /// what is asked of it panics, or is an error, as that says; a tree to which the key was
    /// [bound](Forest::bind) is refused instead. A trace names the nodes of the
    /// tree that ran when it was recorded.
    ///
    /// ```
    /// # mod pleach { pub use pleach_core::{Forest, Host, Replace, Tree, nodes}; }
    /// use pleach::nodes::{check, idle, log, selector, sequence, wait};
    /// use pleach::{Forest, Host, Replace, Tree};
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = ();
    /// }
    /// let guard = |speed: f32, rest| {
    ///     let mut tree = Tree::<Game>::builder("guard");
    ///     tree.key("speed", speed);
    ///     tree.build(sequence([wait(1.0).named("look"), wait(rest).named("rest")]))
    /// };
    /// let mut forest = Forest::new(7);
    /// let tree = forest.add_tree(guard(1.0, 3.0)?)?;
    /// let agent = forest.spawn(&mut (), tree)?;
    /// forest.tick(&mut (), 1.0)?;
    /// forest.tick(&mut (), 1.0)?;
    /// assert_eq!(forest.agent(agent)?.inspect().to_string(), "rest");
    ///
    /// let report = forest.replace_tree(&mut (), tree, guard(2.0, 9.0)?)?;
    /// assert_eq!((report.agents_kept, report.nodes_kept), (1, 2));
    /// assert_eq!(report.keys[0].to_string(), "the agent key `speed` has a different default");
    /// // It rests on.
    /// assert_eq!(forest.agent(agent)?.inspect().to_string(), "rest");
    ///
    /// forest.replace_tree(&mut (), tree, Replace::restart(guard(2.0, 9.0)?))?;
    /// forest.tick(&mut (), 0.1)?;
    /// assert_eq!(forest.agent(agent)?.inspect().to_string(), "look");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the tree does not exist; if the new tree lacks a key that the game relies on
    /// ([`bind`](Forest::bind)); or if a group or global key has another type, default or words, or
    /// an event another payload, than in another tree of the forest. Nothing has changed then.
    ///
    /// # Panics
    /// If an `end` or `awake` does. Its agent is [`Panicked`](super::Phase::Panicked) then, all
    /// others run the new tree, and the first of several panics is resumed. Also if making a leaf's
    /// state or a `can_resume` panics; nothing has changed then.
    pub fn replace_tree(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        new: impl Into<Replace<H>>,
    ) -> Result<ReplaceReport, ReplaceTreeError> {
        self.traced(&mut NoTracer).replace_tree(cx, tree, new)
    }

    /// Gives the agents of several trees other ones, each as [`replace_tree`](Forest::replace_tree)
    /// does: all of them or, if there is an error, none. The new trees and those that stay must
    /// agree about the group and global keys and the events that they declare. So this is how a key
    /// that several trees declare changes: a group or global key takes the new default if it still
    /// holds its old one, or if it can no longer hold its value. First everything that does not
    /// carry on ends, tree by tree in the order of the call; then agents that start from the
    /// beginning are enabled, in the same order. Returns the result for each tree, in that order.
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
    /// If a tree does not exist or is named twice; if new trees lack keys that the game relies on
    /// ([`bind`](Forest::bind)); or if a new tree declares a group or global key or an event
    /// differently from another new one, or one that stays: the error names both trees. Nothing has
    /// changed then.
    ///
    /// # Panics
    /// As [`replace_tree`](Forest::replace_tree).
    pub fn replace_trees<N: Into<Replace<H>>>(
        &mut self,
        cx: &mut H::Cx<'_>,
        trees: impl IntoIterator<Item = (TreeId, N)>,
    ) -> Result<Vec<ReplaceReport>, ReplaceTreeError> {
        self.traced(&mut NoTracer).replace_trees(cx, trees)
    }

    /// Everything that can be refused or can fail. It changes nothing.
    fn prepare(&self, trees: Vec<(TreeId, Replace<H>)>) -> Result<Vec<Pending<H>>, ReplaceTreeError> {
        let mut seen = IndexSet::new();
        for &(tree, _) in &trees {
            self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
            if !seen.insert(tree) {
                return Err(ReplaceTreeError::Doubled(tree));
            }
        }
        self.meet_needs(&trees)?;
        self.agree(&trees.iter().map(|(id, new)| (Some(*id), &*new.tree)).collect::<Vec<_>>())?;
        // This is host code, which may panic, so it comes before anything else knows of the new
        // trees.
        let coming = |(id, new): (TreeId, Replace<H>)| {
            let population = self.trees.get(id)?;
            let carry = new.carry(&population.shape.tree);
            let Replace { tree: new, .. } = new;
            let states = population.chunks.iter().map(|it| new.stateful.lists(it.len())).collect();
            Some(Pending { id, new, states, carry, starts: Vec::new(), tally: ReplaceTally::default() })
        };
        Ok(trees.into_iter().filter_map(coming).collect())
    }

    /// Changes all columns, without a callback. Returns what the caller must drop, as dropping it
    /// is host code.
    fn refit(&mut self, trees: &mut [Pending<H>]) -> Vec<OldTree<H>> {
        let old = trees.iter().filter_map(|it| self.trees.get(it.id)).map(|it| &it.shape.tree.schema);
        let maps = self.shared.readmit(old.clone(), trees.iter().map(|it| (&it.new.schema, &it.new.layout)));
        old.for_each(|it| self.events.release(it.known_events()));
        trees.iter().for_each(|it| self.events.admit(it.new.schema.known_events()));
        trees.iter_mut().zip(maps).filter_map(|(tree, map)| self.refit_tree(tree, map)).collect()
    }

    fn refit_tree(&mut self, tree: &mut Pending<H>, map: SharedMap) -> Option<OldTree<H>> {
        let Pending { id, new, states, carry, starts, tally } = tree;
        self.scratch.fit(new);
        let Population { shape, chunks, .. } = self.trees.get_mut(*id)?;
        new.schema.follows(&shape.tree.schema, new.name());
        let lost = shape.tree.tokens.iter().filter(|it| !new.tokens.iter().any(|now| now.is_same(it)));
        for decl in lost {
            // Others may still have the token, but no agent here waits for it.
            for chunk in chunks.iter() {
                for row in chunk.rows() {
                    let group = chunk.extras.ties().and_then(|it| it.group(row)).map(|it| it.0);
                    let cell = Cell::of(&shape.map, group.unwrap_or_default(), decl.scope, decl.key);
                    self.shared.note_deed(cell, chunk.ids()[row.index()], Deed::Stop, self.call.now);
                }
            }
        }
        let heirs = heirs(&shape.tree, new);
        let grouped = new.schema.columns()[1] > 0;
        let mut old_states = Vec::with_capacity(chunks.len());
        for (index, (chunk, states)) in chunks.iter_mut().zip(states.drain(..)).enumerate() {
            old_states.push(match carry {
                None => chunk.refit(new, states, &heirs),
                Some(carry) => {
                    let starts = starts.get(index).map_or(&[][..], |it| it);
                    chunk.carry(carry, [&shape.tree, new], states, &heirs, starts, tally)
                }
            });
            if grouped {
                // Those that have groups keep them.
                let alone = |it: &Row| chunk.extras.ties().and_then(|ties| ties.group(*it)).is_none();
                for row in chunk.rows().filter(alone).collect::<Vec<_>>() {
                    let group = self.shared.new_group(chunk.ids()[row.index()]);
                    chunk.put_group(row, group, 0);
                }
            }
        }
        let old_shape = std::mem::replace(shape, Shape { tree: Arc::clone(new), map, grouped });
        Some((old_shape, old_states))
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::replace_tree`].
    ///
    /// # Errors
    /// If the tree does not exist; if the new tree lacks a key that the game relies on
    /// ([`bind`](Forest::bind)); or if it declares a group or global key or an event differently
    /// from another tree of the forest. Nothing has changed then.
    ///
    /// # Panics
    /// If an `end` or `awake` panics. Also if making a leaf's state or a `can_resume` panics;
    /// nothing has changed then.
    pub fn replace_tree(
        &mut self,
        cx: &mut H::Cx<'_>,
        tree: TreeId,
        new: impl Into<Replace<H>>,
    ) -> Result<ReplaceReport, ReplaceTreeError> {
        self.replace_trees(cx, [(tree, new)]).map(|it| it.into_iter().next().unwrap_or_default())
    }

    /// As [`Forest::replace_trees`].
    ///
    /// # Errors
    /// If a tree does not exist or is named twice; if new trees lack keys that the game relies on
    /// ([`bind`](Forest::bind)); or if a new tree declares a group or global key or an event
    /// differently from another new tree or one that stays. Nothing has changed then.
    ///
    /// # Panics
    /// If an `end` or `awake` panics. Also if making a leaf's state or a `can_resume` panics;
    /// nothing has changed then.
    pub fn replace_trees<N: Into<Replace<H>>>(
        &mut self,
        cx: &mut H::Cx<'_>,
        trees: impl IntoIterator<Item = (TreeId, N)>,
    ) -> Result<Vec<ReplaceReport>, ReplaceTreeError> {
        let mut trees = self.prepare(trees.into_iter().map(|(id, new)| (id, new.into())).collect())?;
        let mut panics = Panics::default();
        for tree in &mut trees {
            self.part_agents(cx, tree, &mut panics);
        }
        let old = self.refit(&mut trees);
        let reports = trees.iter_mut().zip(&old).map(|(tree, (shape, _))| {
            let tally = std::mem::take(&mut tree.tally);
            tally.of_trees(&shape.tree, &tree.new)
        });
        let reports = reports.collect();
        // This is host code as well: the states of leaves, and the leaves themselves if nothing
        // else holds that tree.
        for it in old {
            panics.catch(|| drop(it));
        }
        for Pending { id, new, carry, .. } in &trees {
            let from = self.call.requests.len();
            match carry {
                None => {
                    self.each_agent(*id, &mut panics, |chunk, shape, row, parts| chunk.resume(shape, cx, parts, row))
                }
                Some(carry) => {
                    let leaves = carry.new_leaves(new);
                    if !leaves.is_empty() {
                        self.each_agent(*id, &mut panics, |chunk, shape, row, parts| {
                            chunk.awake_new(shape, cx, parts, row, &leaves);
                        });
                    }
                }
            }
            self.note_origins(*id, Asker::Callback, from);
        }
        panics.go_on();
        self.carry_out(cx);
        Ok(reports)
    }

    /// Ends everything that does not carry on.
    fn part_agents(&mut self, cx: &mut H::Cx<'_>, tree: &mut Pending<H>, panics: &mut Panics) {
        let Pending { id, carry, starts, tally, .. } = tree;
        let Some(carry) = carry else {
            self.each_agent(*id, panics, |chunk, shape, row, parts| {
                if chunk.flags[row.index()].contains(Flags::ENABLED) {
                    tally.restarted();
                }
                chunk.suspend(shape, cx, parts, row);
            });
            return;
        };
        let (mut parts, trees) = self.parts_between();
        let Some(Population { shape, chunks, .. }) = trees.get_mut(*id) else { return };
        for chunk in chunks {
            let waiting = chunk.extras.inbox_mut().map(super::mail::Inbox::take_starts).unwrap_or_default();
            let mut waiting = waiting.into_iter().peekable();
            let mut all = Vec::new();
            let mut parted = Cuts::default();
            for row in chunk.rows() {
                parted.clear();
                while let Some((_, node)) = waiting.next_if(|it| it.0 == row) {
                    parted.starts.push(node);
                }
                if !chunk.flags[row.index()].contains(Flags::ENABLED) {
                    continue;
                }
                if !panics.catch(|| chunk.part(shape, cx, &mut parts, row, carry, &mut parted)) {
                    tally.parted(&parted.cuts);
                    all.extend(parted.starts.iter().map(|it| (row, *it)));
                }
            }
            starts.push(all);
        }
    }

    /// Calls `call` for each agent of a tree, in order, even after a panic.
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
    /// Remakes all columns that depend on the tree, with these states. Returns the old ones. No
    /// agent is active.
    fn refit(&mut self, tree: &Tree<H>, states: StateLists<H>, heirs: &[Heir<'_>]) -> StateLists<H> {
        // The last abort names nodes of the old tree.
        self.lives.iter_mut().for_each(|it| it.last_abort = LastAbort::NONE);
        let (agents, room) = (self.len(), self.room());
        // Agents that carry on are marked for the next tick when they are enabled.
        self.run = RunState::new(tree);
        self.run.fit(0, room);
        let old = std::mem::take(&mut self.board);
        self.board.inherit(&tree.layout, &old, agents, room, heirs);
        std::mem::replace(&mut self.states, states)
    }

    /// The same, with what carries on. Everything else has ended.
    fn carry(
        &mut self,
        carry: &Carry,
        trees: [&Tree<H>; 2],
        mut states: StateLists<H>,
        heirs: &[Heir<'_>],
        starts: &[(Row, NodeId)],
        tally: &mut ReplaceTally,
    ) -> StateLists<H> {
        let [_, new] = trees;
        self.lives.iter_mut().for_each(|it| it.last_abort = carry.last_abort(it.last_abort));
        let (agents, room) = (self.len(), self.room());
        let mut run = std::mem::replace(&mut self.run, RunState::new(new));
        self.run.fit(0, room);
        let goes_on = |row: Row| (row, self.flags[row.index()].contains(Flags::ENABLED));
        tally.kept(self.run.carry(carry, trees, &mut run, Row::of_agents(agents).map(goes_on)));
        for &(row, node) in starts {
            if let Some(to) = carry.pairs.to(node) {
                self.put_mail(row, News::Start(to));
                self.flags[row.index()] |= Flags::MAIL;
            }
        }
        for row in Row::of_agents(agents) {
            if self.flags[row.index()].contains(Flags::ENABLED) {
                self.mark(row);
            }
        }
        let board = std::mem::take(&mut self.board);
        self.board.inherit(&new.layout, &board, agents, room, heirs);
        carry.carry_states(trees, &mut self.states, &mut states);
        std::mem::replace(&mut self.states, states)
    }
}
