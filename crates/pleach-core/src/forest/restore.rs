//! Restores agents from a save (SEMANTICS 11.2, 11.3). First everything that can be wrong is
//! checked, and the states of leaves are read, which is host code; then all columns are written,
//! without a callback; then leaves are notified.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use pleach_expr::runtime::of_hash;

use super::chunk::Chunk;
use super::damage::Damage;
use super::error::RestoreError;
use super::lives::Lives;
use super::panics::Panics;
use super::replaced::{KeyChange, ReplaceReport, ReplaceTally, count};
use super::restored_tokens::bring_places;
use super::saved_parts::{SAVE, check_counters, damaged, plan_groups, read_states};
use super::saved_tree::{KnownKey, Understood, changes, known_keys, runs_in, runs_of_chunks, take_keys};
use super::trees::{ChunkPlace, Cursor, Place};
use super::{AgentId, Forest, TreeId};
use crate::blackboard::board::BoardRows;
use crate::blackboard::changes::Changes;
use crate::blackboard::shared::saved::Groups;
use crate::blackboard::shared::tokens::SavedHold;
use crate::clock::Moment;
use crate::event::News;
use crate::host::leaf::states::StateLists;
use crate::ids::salted::{Salt, SaltedMap};
use crate::ids::{GroupId, Ticket};
use crate::keys::rows::KeyRows;
use crate::life::{Flags, LastAbort, OwnTime};
use crate::machine::carry::Carry;
use crate::machine::state::RunColumns;
use crate::request::Asker;
use crate::row::{CHUNK, Row};
use crate::save::Save;
use crate::save::model::{Body, SavedAgent, SavedNews, SavedPhase, SavedTree, SavedWait, SavedWaiting};
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Entity, Event, Host, NodeId, Outcome, Tree, bits};

/// The result of restoring a save. Prints as a line for each fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreReport {
    /// How many agents were restored.
    pub agents: u64,
    /// The result for the agents of each tree, in the order of the save. If a tree is unchanged,
    /// all its agents carry on.
    pub trees: Vec<ReplaceReport>,
}

impl fmt::Display for RestoreReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} restored", count(self.agents, "agent"))?;
        self.trees.iter().try_for_each(|it| write!(f, "\n{it}"))
    }
}

/// Agents of a tree that are about to be restored.
struct Pending<'s, H: Host> {
    id: TreeId,
    tree: Arc<Tree<H>>,
    saved: Understood<'s>,
    /// What they wait for, if the tree is unchanged.
    waits: Option<&'s [SavedWait]>,
    carry: Carry,
    /// Which agents go into which chunk, one after the other; the states of their leaves.
    runs: Vec<(usize, Range<usize>, StateLists<H>)>,
    tally: ReplaceTally,
    keys: Vec<KeyChange>,
}

/// Everything that is about to be restored.
struct Plan<'s, H: Host> {
    trees: Vec<Pending<'s, H>>,
    places: SaltedMap<AgentId, Place>,
    groups: Groups,
    salt: Salt,
}

/// A restored agent, and its Cooldowns that begin.
type Cooling = (Place, Vec<NodeId>);

impl<H: Host> Forest<H> {
    /// Restores the agents of a save into this forest, under their ids. What follows is the same as
    /// without the save, to the line of the trace, if the trees and the
    /// [`Settings`](crate::Settings) are unchanged: an agent that slept sleeps on. A tree is
    /// unchanged if it has the same nodes, with the same parameters and abort types, and the same
    /// keys; what the code of leaves does is not compared. If a tree is another version, its agents
    /// wake, and carry on as in [`replace_tree`](Forest::replace_tree) (SEMANTICS 10), but `end` is
    /// not called on what does not: the process that started it is gone. Trees are matched by name,
    /// and those of one name by order. Needs the feature `save`.
    ///
    /// A save of a whole forest is restored into one without agents, groups and waiting requests,
    /// which takes over its time, its seed, its groups and the values of global keys; its settings
    /// stay. A save of some agents is restored into any forest of the same seed that has not given
    /// their ids to others, nor the ids of groups that it lacks. A group that is here takes its
    /// members back and keeps its values; one that is not is created again. Restoring some agents
    /// also copies the look-up of all ids, and of all groups.
    ///
    /// Leaves of enabled agents are notified: [`restored`](crate::Action::restored) is called on
    /// those that were in the save, active or not, and [`awake`](crate::Action::awake) on new ones.
    /// As in any `awake`, restarts that they request are dropped (SEMANTICS 8.8).
    ///
    /// # Errors
    /// See [`RestoreError`]. The forest is unchanged.
    ///
    /// # Panics
    /// If a `restored` or an `awake` does. Its agent is [`Panicked`](super::Phase::Panicked) then,
    /// all others are restored, and the first of several panics is resumed. Also if making a leaf's
    /// state or its `Deserialize` panics; nothing has changed then.
    pub fn restore(&mut self, cx: &mut H::Cx<'_>, save: &Save) -> Result<RestoreReport, RestoreError> {
        self.traced(&mut NoTracer).restore(cx, save)
    }

    /// Checks everything that can be wrong. It changes nothing.
    fn plan<'s>(&self, save: &'s Save) -> Result<Plan<'s, H>, RestoreError> {
        let body = &save.body;
        let used = !self.is_empty() || self.shared.has_groups() || !self.call.requests.is_empty();
        if body.whole.is_some() && used {
            return Err(RestoreError::NotEmpty);
        }
        if body.whole.is_none() && body.seed != self.seed {
            return Err(RestoreError::Seed { save: body.seed, here: self.seed });
        }
        check_counters(body)?;
        let salt = Salt::of(body.seed);
        let found = self.find_trees(body)?;
        if self.len() + save.len() > self.most {
            return Err(RestoreError::Full);
        }
        let places = self.plan_places(body, salt)?;
        let groups = plan_groups(&self.shared, body, salt)?;
        if !body.waiting.is_empty() && body.waiting.len() != body.trees.len() {
            return Err(RestoreError::Damaged { tree: SAVE, what: Damage::MissingWaits });
        }
        let mut trees = Vec::with_capacity(found.len());
        for (at, (saved, id)) in body.trees.iter().zip(found).enumerate() {
            trees.push(self.plan_tree(saved, body.waiting.get(at), id, body.whole.is_some())?);
        }
        let chunks: usize = trees.iter().map(|it| it.runs.len()).sum();
        if !self.trees.can_have(chunks) {
            return Err(RestoreError::Full);
        }
        Ok(Plan { trees, places, groups, salt })
    }

    fn find_trees(&self, body: &Body) -> Result<Vec<TreeId>, RestoreError> {
        let mut here: IndexMap<(&str, u32), TreeId> = IndexMap::new();
        let mut named: IndexMap<&str, u32> = IndexMap::new();
        for (id, population) in self.trees.populations() {
            let name = population.shape.tree.name();
            let place = named.entry(name).or_default();
            here.insert((name, *place), id);
            *place += 1;
        }
        let find = |it: &SavedTree| here.get(&(&*it.name, it.place)).copied();
        let missing = body.trees.iter().filter(|it| find(it).is_none());
        let missing: Vec<_> = missing.map(|it| (it.name.clone(), it.place as usize + 1)).collect();
        if !missing.is_empty() {
            return Err(RestoreError::Trees(missing));
        }
        let mut found: Vec<TreeId> = body.trees.iter().filter_map(find).collect();
        let all = found.clone();
        found.sort_unstable();
        found.dedup();
        if found.len() < all.len() {
            return Err(RestoreError::Damaged { tree: SAVE, what: Damage::DoubledTree });
        }
        Ok(all)
    }

    fn plan_places(&self, body: &Body, salt: Salt) -> Result<SaltedMap<AgentId, Place>, RestoreError> {
        let nowhere = Place::new(0, Row::FIRST);
        let agents = body.trees.iter().flat_map(|it| &it.agents).map(|it| it.id);
        if agents.clone().collect::<IndexSet<_>>().len() < agents.clone().count() {
            return Err(RestoreError::Damaged { tree: SAVE, what: Damage::DoubledAgent });
        }
        let mut taken: Vec<(u64, Place)> = self.places.entries().map(|(id, place)| (id, *place)).collect();
        let vacant = match &body.whole {
            Some(whole) => whole.agents.clone(),
            None => {
                let mut vacant = self.places.vacant();
                let mut slots = u32::try_from(taken.len() + vacant.len()).unwrap_or(u32::MAX);
                let lost = agents.clone().filter(|&id| !vacant.take(id, &mut slots));
                let lost: Vec<AgentId> = lost.map(|it| salt.key(it)).collect();
                if !lost.is_empty() {
                    return Err(RestoreError::Here(lost));
                }
                vacant
            }
        };
        taken.extend(agents.map(|it| (it, nowhere)));
        let ids = RestoreError::Damaged { tree: SAVE, what: Damage::AgentIds };
        SaltedMap::rebuilt(salt, taken, &vacant).ok_or(ids)
    }

    fn plan_tree<'s>(
        &self,
        saved: &'s SavedTree,
        waiting: Option<&'s SavedWaiting>,
        id: TreeId,
        whole: bool,
    ) -> Result<Pending<'s, H>, RestoreError> {
        let population = self.trees.get(id).expect("it was found");
        let tree = Arc::clone(&population.shape.tree);
        let understood = Understood::of(saved).map_err(|what| damaged(saved, what))?;
        for agent in &saved.agents {
            understood.check(agent).map_err(|what| damaged(saved, what))?;
        }
        let waits = waiting.map_or(Ok(None), |it| it.under(&tree, &saved.agents));
        let waits = waits.map_err(|what| damaged(saved, what))?;
        let carry = understood.carry(&tree);
        let runs = if whole {
            runs_of_chunks(saved).map_err(|what| damaged(saved, what))?
        } else {
            let (most, _) = self.trees.room_of_chunks();
            runs_in(population.chunks.iter().map(Chunk::len), saved.agents.len(), most)
        };
        let mut filled = Vec::with_capacity(runs.len());
        for (chunk, agents) in runs {
            let states = read_states(&understood, &carry, &tree, &saved.agents[agents.clone()])?;
            filled.push((chunk, agents, states));
        }
        let keys = changes(saved, &tree);
        Ok(Pending { id, tree, saved: understood, waits, carry, runs: filled, tally: ReplaceTally::default(), keys })
    }

    /// Writes all columns, without a callback.
    fn bring(&mut self, body: &Body, plan: &mut Plan<'_, H>) -> (Vec<Cooling>, Vec<SavedHold>) {
        self.epoch += 1;
        if let Some(whole) = &body.whole {
            self.seed = body.seed;
            // Its ids are different: no earlier snapshot belongs to this forest.
            self.mark = std::sync::OnceLock::new();
            // Empty chunks know earlier times.
            for tree in self.trees.ids().collect::<Vec<_>>() {
                self.trees.clear(tree);
            }
            self.call.now = body.time;
            self.call.before = body.time;
            (self.frame, self.paced, self.spawned) = (whole.frame, whole.paced, whole.spawned);
            self.shared.restore_globals(&whole.global_keys, &whole.globals);
            let (tree, chunk, row) = whole.cursor;
            let chunk = ChunkPlace { tree: tree as usize, chunk: chunk as usize };
            let row = if usize::from(row) <= CHUNK { Row::behind(row.into()) } else { Row::FIRST };
            self.cursor = self.trees.cursor(Cursor { chunk, row });
        }
        self.call.requests.set_tickets(body.tickets.max(self.call.requests.tickets()));
        let none = SaltedMap::new(plan.salt);
        self.places = std::mem::replace(&mut plan.places, none);
        let (mut cooling, mut holds) = (Vec::new(), Vec::new());
        for tree in &mut plan.trees {
            self.bring_tree(tree, plan.salt, body.whole.is_some(), &mut cooling, &mut holds);
        }
        (cooling, holds)
    }

    fn bring_tree(
        &mut self,
        coming: &mut Pending<'_, H>,
        salt: Salt,
        whole: bool,
        cooling: &mut Vec<Cooling>,
        holds: &mut Vec<SavedHold>,
    ) {
        let Pending { id, tree, saved, waits, carry, runs, tally, .. } = coming;
        let known = known_keys(saved.saved, tree);
        let (frame, now) = (self.frame, self.call.now);
        let sleeping = (self.call.sleep && !self.call.every_tick).then_some(now);
        for (at, agents, states) in runs {
            let waits = waits.map(|it| &it[agents.clone()]);
            let agents = &saved.saved.agents[agents.clone()];
            let chunk = self.trees.chunk_at(*id, *at).expect("there is room, as was found out");
            if self.paced || agents.iter().any(|it| it.turn.is_some()) {
                chunk.turns(frame, now);
            }
            chunk.adopt(tree, agents.len(), std::mem::take(states));
            for (index, agent) in agents.iter().enumerate() {
                let row = chunk.end();
                let id = salt.key(agent.id);
                chunk.push(tree, id, agent.rng.clone(), frame);
                let place = Place::new(chunk.number, row);
                let cools = chunk.bring(row, agent, (saved, carry, tree), &known, now, tally);
                if !cools.is_empty() {
                    cooling.push((place, cools));
                }
                holds.extend(bring_places(chunk, row, agent, (saved, carry, tree), id));
                chunk.hand_saved(row, agent, salt);
                if let Some(waits) = waits {
                    chunk.wait_on(row, &waits[index], tree, sleeping);
                }
                if !whole {
                    chunk.doubt_shared(row, tree);
                    if tree.observers.timed_by_now {
                        // The time may be different here.
                        chunk.wake(row);
                    }
                }
                self.places[id] = place;
            }
        }
    }

    /// Puts agents into their groups.
    fn bring_groups(&mut self, body: &Body, plan: Plan<'_, H>, holds: &[SavedHold]) {
        let known: IndexSet<GroupId> = self.shared.group_ids().collect();
        self.shared.set_groups(plan.groups);
        for group in &body.groups {
            let group = plan.salt.key(group.id);
            let members = self.shared.members(group).unwrap_or_default();
            for (seat, member) in (0..).zip(members) {
                let place = self.places[*member];
                self.trees.find_mut(place).1.put_group(place.row(), group, seat);
            }
        }
        for agent in body.trees.iter().flat_map(|it| &it.agents) {
            let agent = plan.salt.key(agent.id);
            let place = self.places[agent];
            let (shape, chunk) = self.trees.find_mut(place);
            if shape.grouped && chunk.extras.ties().and_then(|it| it.group(place.row())).is_none() {
                let group = self.shared.new_group(agent);
                chunk.put_group(place.row(), group, 0);
            }
        }
        self.bring_tokens(body, plan.salt, holds, &known);
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::restore`].
    ///
    /// # Errors
    /// If the save does not match this forest, is damaged, or holds a state that cannot be read.
    /// The forest is unchanged.
    ///
    /// # Panics
    /// If a `restored` or an `awake` panics. Also if making a leaf's state or its `Deserialize`
    /// panics; nothing has changed then.
    pub fn restore(&mut self, cx: &mut H::Cx<'_>, save: &Save) -> Result<RestoreReport, RestoreError> {
        let body = &save.body;
        let mut plan = self.plan(save)?;
        let (mut cooling, holds) = self.bring(body, &mut plan);
        let mut report = RestoreReport { agents: save.len() as u64, trees: Vec::with_capacity(plan.trees.len()) };
        let mut told = Vec::with_capacity(plan.trees.len());
        for coming in &mut plan.trees {
            let (saved, tally) = (&coming.saved, std::mem::take(&mut coming.tally));
            report.trees.push(tally.finish(|it| saved.path(it), std::mem::take(&mut coming.keys), coming.tree.name()));
            let new = coming.carry.new_leaves(&coming.tree);
            let kept = coming.tree.lifecycle.iter().copied().filter(|it| !new.contains(it)).collect::<Vec<_>>();
            told.push((coming.id, new, kept));
        }
        self.bring_groups(body, plan, &holds);
        let mut panics = Panics::default();
        cooling.reverse();
        for ((tree, new, kept), saved) in told.iter().zip(&body.trees) {
            if cooling.is_empty() && new.is_empty() && kept.is_empty() {
                continue;
            }
            let from = self.call.requests.len();
            let salt = Salt::of(body.seed);
            for agent in &saved.agents {
                // No agent has gone: requests of leaves are carried out later.
                let place = self.places[salt.key(agent.id)];
                let cools = cooling.pop_if(|it| it.0 == place).map_or_else(Vec::new, |it| it.1);
                let (mut parts, trees) = self.parts_between();
                let (shape, chunk) = trees.find_mut(place);
                panics.catch(|| chunk.tell_restored(shape, cx, &mut parts, place.row(), (&cools, kept, new)));
            }
            self.note_origins(*tree, Asker::Callback, from);
        }
        panics.go_on();
        self.carry_out(cx);
        Ok(report)
    }
}

/// Restores agents from a save, in a chunk or as brains.
pub(crate) trait Bring<H: Host>: Lives<H> {
    /// How the agent's root ended last.
    fn put_last(&mut self, row: Row, last: Outcome);
    fn bring_entity(&mut self, row: Row, entity: Entity);
    fn rows<'m>(&'m mut self, tree: &'m Tree<H>) -> BoardRows<'m>;
    /// The run state, and which keys have changed.
    fn run_columns<'m>(&'m mut self, tree: &'m Tree<H>) -> (RunColumns<'m>, Changes<'m>);

    /// Puts events that wait for a saved agent into its mail.
    fn hand_saved(&mut self, row: Row, agent: &SavedAgent, salt: Salt) {
        for news in &agent.mail {
            let news = match *news {
                SavedNews::Event(name, value) => News::Event(Event::of(of_hash(name), value.map(Into::into))),
                SavedNews::Spawned(ticket, agent) => News::Spawned(Ticket(ticket), salt.key(agent)),
            };
            self.hand(row, news);
        }
    }

    /// Writes an agent that was just added. Returns the Cooldowns that begin.
    fn bring(
        &mut self,
        row: Row,
        agent: &SavedAgent,
        (saved, carry, tree): (&Understood<'_>, &Carry, &Tree<H>),
        known: &[Option<KnownKey<'_>>],
        now: Moment,
        tally: &mut ReplaceTally,
    ) -> Vec<NodeId> {
        let parted = saved.part(carry, agent);
        let enabled = matches!(agent.phase, SavedPhase::Active | SavedPhase::Paused);
        let mut flags = match agent.phase {
            SavedPhase::Active => Flags::ENABLED,
            SavedPhase::Paused => Flags::ENABLED | Flags::PAUSED,
            SavedPhase::Off => Flags::empty(),
            SavedPhase::Panicked => Flags::PANICKED,
        };
        flags.set(Flags::FRESH, agent.fresh || parted.anew);
        flags.set(Flags::STOPS, agent.stops);
        flags.set(Flags::ENDED, agent.last.is_some());
        *self.flags(row) = flags;
        if let Some(last) = agent.last {
            self.put_last(row, last);
        }
        let life = self.life(row);
        life.time = OwnTime::of(agent.time, flags, now);
        life.last_abort = agent.abort.and_then(LastAbort::of_raw).map_or(LastAbort::NONE, |it| carry.last_abort(it));
        if agent.entity != Entity::NONE.to_bits() {
            self.bring_entity(row, Entity::from_bits(agent.entity));
        }
        // As seen by a chunk that tracks turns.
        let stands = crate::life::stands(flags) || flags.contains(Flags::PANICKED);
        if let Some(turns) = self.turns_kept() {
            match agent.turn {
                Some(turn) => turns.restore(row, (turn.rate, turn.passed, turn.due), stands, now),
                None if !stands => turns.go_on(row, now),
                None => {}
            }
        }
        take_keys(KeyRows { schema: &tree.schema, board: self.rows(tree), shared: None }, row, agent, known);
        if enabled {
            tally.parted(&parted.cuts);
            let (mut columns, changes) = self.run_columns(tree);
            let words = saved.words(agent);
            // One that starts from the beginning still knows what outlives an activation.
            let monitors = if parted.anew { &[][..] } else { &*agent.monitors };
            tally.kept(carry.restore((&saved.outline, tree), (&*parted.tops, &*words, monitors), &mut columns, row));
            if carry.ask_all(changes.dirty, row) {
                bits::add(changes.agents, row);
            }
            for to in parted.starts.iter().filter_map(|it| carry.pairs.to(*it)) {
                self.put_mail(row, News::Start(to));
                *self.flags(row) |= Flags::MAIL;
            }
            self.mark(row);
        }
        parted.cools
    }
}
