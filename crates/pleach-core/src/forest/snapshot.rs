//! Snapshots: all of a forest's agents in memory, to go back to (SEMANTICS 11.4).

use std::sync::Arc;

use super::chunk::Chunk;
use super::error::{RollbackError, SnapshotError, TreeChange};
use super::origins::Origins;
use super::panics::Panics;
use super::trees::{Cursor, Homes, Place};
use super::{AgentId, Forest, TreeId};
use crate::blackboard::shared::Shared;
use crate::host::call::Call;
use crate::host::leaf::states::StateLists;
use crate::ids::salted::SaltedMap;
use crate::{Host, Tree};

/// All agents of a forest at one moment, with everything that they have and share. Made by
/// [`Forest::snapshot`], and kept for as long as you may want to go back to that moment.
pub struct Snapshot<H: Host> {
    mark: Arc<()>,
    /// What leaves remember is in the chunks.
    has_states: bool,
    /// The trees in their order, with their chunks.
    trees: Vec<KeptTree<H>>,
    homes: Homes,
    places: SaltedMap<AgentId, Place>,
    shared: Shared,
    call: Call,
    origins: Origins,
    spawned: u64,
    frame: u64,
    paced: bool,
    /// Its tree is counted without gaps in the order.
    cursor: Cursor,
}

struct KeptTree<H: Host> {
    id: TreeId,
    tree: Arc<Tree<H>>,
    chunks: Vec<Chunk<H>>,
    /// Every chunk before this one is full.
    room: u32,
}

impl<H: Host> Forest<H> {
    /// All agents as they are now, to go back to: for rollback in a network game, for a replay, to
    /// try out what would happen. Costs a copy of their columns.
    ///
    /// It holds the state of the agents, what they do and remember, their keys, groups, events,
    /// rates and random streams, the keys that they share, the time, and the next ids. It does not
    /// hold the trees, nor the [`Settings`](crate::Settings), nor anything of the game: the game
    /// itself must undo what leaves do to it.
    ///
    /// Take it between ticks. What leaves remember is cloned: their states derive `Clone`
    /// ([`Action::KEEP`](crate::Action::KEEP)).
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes::wait};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let mut forest = Forest::<Game>::new(7);
    /// let guards = forest.add_tree(Tree::builder("guard").build(wait(0.3))?)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.tick(&mut (), 0.1)?;
    ///
    /// let before = forest.snapshot()?;
    /// forest.agent_mut(guard)?.despawn(&mut ());
    /// forest.tick(&mut (), 0.1)?;
    /// forest.rollback(&before)?;
    /// assert!(forest.contains(guard));
    /// assert!((forest.time() - 0.1).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If leaves remember something and do not clone it: all of them are named.
    ///
    /// # Panics
    /// If the `clone` of a state does.
    pub fn snapshot(&self) -> Result<Snapshot<H>, SnapshotError> {
        let mut lost = Vec::new();
        for (_, population) in self.trees.populations() {
            let tree = &population.shape.tree;
            lost.extend(tree.uncopied().map(|it| (it, tree.name().to_owned())));
        }
        if lost.is_empty() { Ok(self.copied(true)) } else { Err(SnapshotError { leaves: lost }) }
    }

    /// The same without what leaves remember: after a rollback they remember what those of a new
    /// agent do. For replays, which call no leaf.
    #[cfg(feature = "save")]
    pub(crate) fn snapshot_without_leaves(&self) -> Snapshot<H> {
        self.copied(false)
    }

    fn copied(&self, has_states: bool) -> Snapshot<H> {
        let states = |it: &Chunk<H>| if has_states { it.states.copy() } else { Some(StateLists::default()) };
        let trees = self.trees.populations().map(|(id, population)| KeptTree {
            id,
            tree: Arc::clone(&population.shape.tree),
            chunks: population.chunks.iter().filter_map(|it| Some(it.copy(states(it)?))).collect(),
            room: population.room(),
        });
        let trees = trees.collect();
        Snapshot {
            has_states,
            mark: Arc::clone(self.mark.get_or_init(Arc::default)),
            trees,
            homes: self.trees.homes().clone(),
            places: self.places.clone(),
            shared: self.shared.clone(),
            call: self.call.clone(),
            origins: self.origins.clone(),
            spawned: self.spawned,
            frame: self.frame,
            paced: self.paced,
            cursor: self.trees.ranked(self.cursor),
        }
    }

    /// Goes back to a snapshot of this forest, without a callback: agents spawned since are gone,
    /// agents despawned since are back, under their ids. What follows is the same again, to the
    /// line of the trace, if the game does the same; ids that were given since are given once more.
    /// An agent that slept sleeps on. The [`Settings`](crate::Settings) stay as they are now; if
    /// they differ in whether agents sleep, or when conditions are evaluated, every agent wakes. A
    /// snapshot can be used any number of times. Costs a copy of the agents' columns.
    ///
    /// # Errors
    /// If the snapshot is of another forest, or trees were added, removed or replaced since, or a
    /// save of a whole forest was restored, which turns this into another forest. Nothing has
    /// changed then.
    ///
    /// # Panics
    /// If the `clone` of a state does; nothing has changed then. Also if the `drop` of one does;
    /// the forest is as in the snapshot then.
    pub fn rollback(&mut self, snapshot: &Snapshot<H>) -> Result<(), RollbackError> {
        if !self.mark.get().is_some_and(|it| Arc::ptr_eq(it, &snapshot.mark)) {
            return Err(RollbackError::Foreign);
        }
        self.same_trees(snapshot)?;
        // This is host code, which may panic, so it comes before anything has changed.
        let copy = |(tree, it): (&Tree<H>, &Chunk<H>)| match snapshot.has_states {
            true => it.states.copy().expect("a snapshot has only states that are copied"),
            false => tree.stateful.lists(it.len()),
        };
        let chunks = snapshot.trees.iter().flat_map(|kept| kept.chunks.iter().map(|it| (&*kept.tree, it)));
        let mut states = chunks.map(copy).collect::<Vec<_>>().into_iter();

        let mut gone = Vec::new();
        for kept in &snapshot.trees {
            let population = self.trees.get_mut(kept.id).expect("the trees are the same");
            gone.extend(population.chunks.drain(kept.chunks.len().min(population.chunks.len())..).map(|it| it.states));
            for (at, chunk) in kept.chunks.iter().enumerate() {
                let states = states.next().expect("there is a list for each chunk");
                match population.chunks.get_mut(at) {
                    Some(old) => gone.push(old.copy_from(chunk, states)),
                    None => population.chunks.push(chunk.copy(states)),
                }
            }
            population.set_room(kept.room);
        }
        self.trees.set_homes(snapshot.homes.clone());
        self.places.clone_from(&snapshot.places);
        self.shared.clone_from(&snapshot.shared);
        let differs = self.call.roll_back(&snapshot.call);
        self.origins.clone_from(&snapshot.origins);
        (self.spawned, self.frame, self.paced) = (snapshot.spawned, snapshot.frame, snapshot.paced);
        self.cursor = self.trees.cursor(snapshot.cursor);
        #[cfg(feature = "save")]
        {
            self.epoch += 1;
        }
        if differs {
            self.wake_all();
        }
        // This is host code as well.
        let mut panics = Panics::default();
        gone.into_iter().for_each(|it: StateLists<H>| {
            panics.catch(|| drop(it));
        });
        panics.go_on();
        Ok(())
    }

    /// An error if the trees are not those of the snapshot.
    fn same_trees(&self, snapshot: &Snapshot<H>) -> Result<(), RollbackError> {
        let known = |id| snapshot.trees.iter().find(|it: &&KeptTree<H>| it.id == id);
        for (id, population) in self.trees.populations() {
            let tree = &population.shape.tree;
            let change = match known(id) {
                None => TreeChange::Added,
                Some(it) if !Arc::ptr_eq(&it.tree, tree) => TreeChange::Replaced,
                Some(_) => continue,
            };
            return Err(RollbackError::Trees { tree: tree.name().into(), change });
        }
        match snapshot.trees.iter().find(|it| self.trees.get(it.id).is_none()) {
            Some(it) => Err(RollbackError::Trees { tree: it.tree.name().into(), change: TreeChange::Removed }),
            None => Ok(()),
        }
    }
}

impl<H: Host> Snapshot<H> {
    /// How many agents it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The forest's time in it, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.call.now.seconds()
    }
}

impl<H: Host> std::fmt::Debug for Snapshot<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("agents", &self.len()).field("time", &self.time()).finish_non_exhaustive()
    }
}
