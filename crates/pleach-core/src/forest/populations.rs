//! All agents of a tree: what can be read about them, and what a game's sensors write, agent by
//! agent or key by key.

use super::chunk::Chunk;
use super::parts::{Shape, groups};
use super::population::Population;
use super::{AgentId, Forest, StaleError, TreeId};
use crate::blackboard::shared::Shared;
use crate::blackboard::view::SharedRows;
use crate::blackboard::{KeyDecl, SchemaError, Scope};
use crate::clock::Moment;
use crate::error::AccessError;
use crate::keys::KeysMut;
use crate::keys::rows::KeyRows;
use crate::row::Row;
use crate::turns::rate::Rate;
use crate::{BlackboardType, Entity, Host, Key, Symbol, Tree, Value};

/// All agents of a tree, to look at. [`Forest::population`] lends it.
pub struct PopulationRef<'a, H: Host> {
    population: &'a Population<H>,
}

/// All agents of a tree, to change. [`Forest::population_mut`] lends it.
pub struct PopulationMut<'a, H: Host> {
    population: &'a mut Population<H>,
    shared: &'a mut Shared,
    frame: u64,
    now: Moment,
}

impl<H: Host> Forest<H> {
    /// All agents of a tree, to look at.
    ///
    /// # Errors
    /// If the tree does not exist.
    pub fn population(&self, tree: TreeId) -> Result<PopulationRef<'_, H>, StaleError> {
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        Ok(PopulationRef { population })
    }

    /// All agents of a tree, to change.
    ///
    /// # Errors
    /// If the tree does not exist.
    pub fn population_mut(&mut self, tree: TreeId) -> Result<PopulationMut<'_, H>, StaleError> {
        let population = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        Ok(PopulationMut { population, shared: &mut self.shared, frame: self.frame, now: self.call.now })
    }
}

impl<'a, H: Host> PopulationRef<'a, H> {
    /// How many agents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.population.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The agents, in the order in which they are ticked. This borrows the forest: to change them
    /// with [`Forest::agent_mut`], collect them first.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> + use<'a, H> {
        self.population.chunks.iter().flat_map(|it| it.ids().iter().copied())
    }

    /// The agents and their entities, in the order in which they are ticked.
    pub fn entities(&self) -> impl Iterator<Item = (AgentId, Entity)> + use<'a, H> {
        let of = |chunk| move |(row, &id)| (id, Chunk::entity(chunk, row));
        self.population.chunks.iter().flat_map(move |it| Row::all().zip(it.ids()).map(of(it)))
    }

    /// Reads a key of all agents, chunk by chunk: the agents and their values side by side.
    ///
    /// # Errors
    /// If the key is not a node or agent key of the tree.
    pub fn column<V: BlackboardType<Stored = V>>(
        &self,
        key: Key<V>,
    ) -> Result<impl Iterator<Item = (&'a [AgentId], &'a [V])> + use<'a, H, V>, AccessError> {
        let Population { shape, chunks, .. } = self.population;
        let (key, _) = own_column(&shape.tree, key)?;
        Ok(chunks.iter().map(move |it| (it.ids(), it.keys_view(shape).column(key).unwrap_or(&[]))))
    }
}

impl<H: Host> PopulationMut<'_, H> {
    /// Fills a slot of all agents: see [`AgentMut::fill`](super::AgentMut::fill). Returns how many
    /// changed.
    ///
    /// # Errors
    /// If the tree has no such slot, or the slot no such tree.
    pub fn fill(&mut self, slot: &str, word: &str) -> Result<usize, AccessError> {
        let schema = self.population.shape.tree.schema();
        let key = schema.typed::<Symbol>(schema.slot(slot, word)?)?;
        self.update_column(key, |_, _| Symbol::new(word))
    }

    /// Writes a key of all agents, and tracks the changes: `value` gets each agent and the key's
    /// value, and returns the new value. For sensors that look at thousands of agents at once.
    /// Returns how many changed.
    ///
    /// # Errors
    /// If the key is not a node or agent key of the tree. If a value is a symbol that is not one of
    /// the key's words: that agent's key stays unchanged, and the other agents' are written
    /// nevertheless.
    pub fn update_column<V: BlackboardType>(
        &mut self,
        key: Key<V>,
        mut value: impl FnMut(AgentId, V) -> V,
    ) -> Result<usize, AccessError> {
        let Population { shape, chunks, .. } = &mut *self.population;
        let tree = &shape.tree;
        let (key, decl) = own_column(&shape.tree, key)?;
        let (mut changed, mut all_words) = (0, true);
        for chunk in chunks {
            let (ids, _, keys) = chunk.ids_and_keys(shape);
            let checked = |row: Row, old| {
                let new: V = value(ids[row.index()], old);
                match new.into_value() {
                    Value::Symbol(symbol) if !decl.symbols().contains(&symbol) => {
                        all_words = false;
                        old
                    }
                    _ => new,
                }
            };
            changed +=
                keys.update_column(ids.len(), key, checked).map_err(|_| AccessError::foreign(tree.schema(), key))?;
        }
        if all_words { Ok(changed) } else { Err(AccessError::NotAWord { key: decl.name().into() }) }
    }

    /// Lends the blackboards of all agents, one after the other in the order in which they are
    /// ticked, to read and to write. It is for sensors that look at several keys of an agent before
    /// they write some of them.
    ///
    /// Does what [`Forest::keys_mut`] of each agent would do, without looking agents up: the keys
    /// of up to 1 024 agents lie side by side, and a key that is neither read nor written costs
    /// nothing. For a single key of all agents there is
    /// [`update_column`](PopulationMut::update_column).
    ///
    /// A shared key is written at once: the next agents of the group, or of the forest, see that.
    ///
    /// # Panics
    /// If `update` does, as [`KeysMut::get`] and [`KeysMut::set`] do with keys of another tree.
    /// Earlier writes stay, and the forest stays usable.
    ///
    /// # Examples
    /// ```
    /// # use pleach_core::nodes::idle;
    /// # use pleach_core::{Forest, Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let mut builder = Tree::<Game>::builder("guard");
    /// let (health, afraid) = (builder.key("health", 1.0_f32), builder.key("afraid", false));
    /// let mut forest = Forest::new(0);
    /// let guards = forest.add_tree(builder.build(idle())?)?;
    /// let hurt = forest.spawn(&mut (), guards)?;
    /// let well = forest.spawn(&mut (), guards)?;
    ///
    /// // It rains arrows.
    /// forest.population_mut(guards)?.update_agents(|agent| {
    ///     let damage = if agent.agent() == hurt { 0.75 } else { 0.25 };
    ///     let left = agent.get(health) - damage;
    ///     agent.set(health, left);
    ///     agent.set(afraid, left < 0.5);
    /// });
    /// assert!(forest.keys(hurt)?.get(afraid));
    /// assert!(!forest.keys(well)?.get(afraid));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn update_agents(&mut self, mut update: impl FnMut(&mut KeysMut<'_>)) {
        let Population { shape, chunks, .. } = &mut *self.population;
        let Shape { tree, map, .. } = &*shape;
        for chunk in chunks {
            let (ids, ties, board) = chunk.ids_and_keys(shape);
            let shared = SharedRows::own(self.shared, map, ids.len(), groups(ties));
            let rows = KeyRows { schema: tree.schema(), board, shared };
            let mut keys = KeysMut { at: Row::FIRST, ids, ties, rows };
            for row in Row::of_agents(ids.len()) {
                keys.at = row;
                update(&mut keys);
            }
        }
    }

    /// Changes the rates of all agents: `rate` gets each agent and its rate, and returns its new
    /// rate; see [`Bands`](crate::Bands) for rates by distance. Returns how many changed.
    pub fn update_rates(&mut self, mut rate: impl FnMut(AgentId, Rate) -> Rate) -> usize {
        let mut changed = 0;
        for chunk in &mut self.population.chunks {
            for row in chunk.rows() {
                let old = chunk.rate(row);
                let new = rate(chunk.ids[row.index()], old);
                if new != old {
                    chunk.set_rate(row, new, self.frame, self.now);
                    changed += 1;
                }
            }
        }
        changed
    }
}

impl<H: Host> Chunk<H> {
    /// How often an agent is ticked (SEMANTICS 8.2).
    pub(super) fn rate(&self, at: Row) -> Rate {
        self.extras.turns().map_or(Rate::EVERY_FRAME, |it| it.rate(at))
    }

    pub(super) fn set_rate(&mut self, at: Row, rate: Rate, frame: u64, now: Moment) {
        if rate != Rate::EVERY_FRAME || self.extras.turns().is_some() {
            self.turns(frame, now).set_rate(at, rate, frame);
        }
    }
}

impl<H: Host> std::fmt::Debug for PopulationRef<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PopulationRef").field("agents", &self.len()).finish_non_exhaustive()
    }
}

impl<H: Host> std::fmt::Debug for PopulationMut<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PopulationMut").field("agents", &self.population.len()).finish_non_exhaustive()
    }
}

/// A key of a column, and its declaration.
fn own_column<H: Host, V: BlackboardType>(tree: &Tree<H>, key: Key<V>) -> Result<(Key<V>, &KeyDecl), AccessError> {
    let (key, decl) = tree.schema().adopt(key).ok_or_else(|| AccessError::foreign(tree.schema(), key))?;
    match decl.scope() {
        Scope::Node | Scope::Agent => Ok((key, decl)),
        found => Err(SchemaError::WrongScope { name: decl.name().into(), found, wanted: Scope::Agent }.into()),
    }
}
