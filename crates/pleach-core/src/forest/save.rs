//! Writing agents into a save (SEMANTICS 11.1).

use indexmap::{IndexMap, IndexSet};

use super::error::SaveError;
use super::heirs::owner;
use super::population::Population;
use super::{AgentId, Forest};
use crate::blackboard::Scope;
use crate::blackboard::board::BoardView;
use crate::blackboard::place::KeyPlace;
use crate::clock::Moment;
use crate::forest::AgentState;
use crate::forest::chunk::Chunk;
use crate::host::leaf::states::StateLists;
use crate::ids::StaleError;
use crate::index::{MemoryOffset, ObserverId};
use crate::life::Flags;
use crate::machine::carry::{Memory, Remembers};
use crate::row::Row;
use crate::save::Save;
use crate::save::model::{
    Body, SavedAgent, SavedGroup, SavedKey, SavedNode, SavedPhase, SavedTree, SavedTurn, SavedWaiting, Whole,
};
use crate::save::packed::Packed;
use crate::tree::outline::Outline;
use crate::turns::Turns;
use crate::{Entity, Host, NodeId, Tree};

/// Where an agent is: its tree's place in the order, its chunk, its row.
type At = (u32, usize, Row);

impl<H: Host> Forest<H> {
    /// All agents as they are now, to be written to a file: with what they do and remember, their
    /// keys, groups, events, rates and random streams, which of them sleep until when, the keys
    /// that they share, the time, and the next ids. So [`restore`](Forest::restore) carries on in
    /// another process from here. It does not hold the trees but their outlines, nor the
    /// [`Settings`](crate::Settings), nor anything of the game. Needs the feature `save`.
    ///
    /// Take it between ticks. Serde writes what leaves remember: their states derive `Clone`,
    /// `Serialize` and `Deserialize` ([`Action::KEEP`](crate::Action::KEEP)). Costs a walk over the
    /// agents, and some allocations for each of them.
    ///
    /// # Errors
    /// If leaves remember something and do not save it: all of them are named. If a state cannot be
    /// written. If requests of leaves are waiting, because a leaf panicked in the last call: tick
    /// once more.
    ///
    /// # Panics
    /// If the `Serialize` of a state does.
    pub fn save(&self) -> Result<Save, SaveError> {
        let mut all: Vec<At> = Vec::with_capacity(self.len());
        for (_, population) in self.trees.populations() {
            let chunks = population.chunks.iter().enumerate();
            all.extend(chunks.flat_map(|(at, chunk)| chunk.rows().map(move |row| (population.order, at, row))));
        }
        let mut body = self.save_body(&all, true)?;
        let cursor = self.trees.ranked(self.cursor);
        let narrow = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        body.groups = self.shared.group_ids().filter_map(|it| self.shared.saved_group(it, |_| true)).collect();
        body.whole = Some(Whole {
            frame: self.frame,
            paced: self.paced,
            spawned: self.spawned,
            cursor: (narrow(cursor.chunk.tree), narrow(cursor.chunk.chunk), crate::index::narrow(cursor.row.index())),
            global_keys: self.shared.saved_keys(Scope::Global),
            globals: self.shared.saved_globals(),
            agents: self.places.vacant(),
            groups: self.shared.vacant_groups(),
        });
        body.tokens = self.shared.saved_tokens(self.call.now, |_| true, true);
        Ok(Save { body })
    }

    /// Some agents, as they are now: one, a squad (`forest.group(squad)?.members()`), those of a
    /// region that the player leaves. Includes their groups, and the values of the groups' keys,
    /// but neither the time nor global keys. The agents stay in the forest: despawn them if they
    /// should leave.
    ///
    /// # Errors
    /// As [`save`](Forest::save), and if one does not exist. One that is named twice is saved once.
    ///
    /// # Panics
    /// As [`save`](Forest::save).
    pub fn save_agents(&self, agents: impl IntoIterator<Item = AgentId>) -> Result<Save, SaveError> {
        let mut all = Vec::new();
        let mut chosen = IndexSet::new();
        for agent in agents.into_iter().filter(|it| chosen.insert(*it)).collect::<Vec<_>>() {
            let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
            let (order, chunk) = self.trees.rank(place);
            all.push((order, chunk, place.row()));
        }
        all.sort_unstable();
        let mut body = self.save_body(&all, false)?;
        let mut groups: IndexSet<_> = IndexSet::new();
        for &agent in &chosen {
            let (_, chunk, row) = self.find(agent)?;
            groups.extend(chunk.extras.ties().and_then(|it| it.group(row)).map(|it| it.0));
        }
        let saved = |it| self.shared.saved_group(it, |member| chosen.contains(&member));
        body.groups = groups.into_iter().filter_map(saved).collect::<Vec<SavedGroup>>();
        body.tokens = self.shared.saved_tokens(self.call.now, |it| chosen.contains(&it), false);
        Ok(Save { body })
    }

    /// These agents, in their order.
    fn save_body(&self, all: &[At], whole: bool) -> Result<Body, SaveError> {
        if !self.call.requests.is_empty() {
            return Err(SaveError::Waiting);
        }
        let (mut trees, mut waiting) = (Vec::new(), Vec::new());
        let mut lost = Vec::new();
        let mut agents = all.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut named: IndexMap<&str, u32> = IndexMap::new();
        for (_, population) in self.trees.populations() {
            let tree = &population.shape.tree;
            let place = named.entry(tree.name()).or_default();
            if let Some(agents) = agents.next_if(|it| it[0].0 == population.order) {
                lost.extend(unsaved(tree).map(|it| (it, tree.name().to_owned())));
                if lost.is_empty() {
                    trees.push(self.save_tree(population, *place, agents, whole)?);
                    let wait = |it: &At| population.chunks[it.1].saved_wait(it.2, &population.shape, &self.shared);
                    let agents = agents.iter().map(wait).collect();
                    waiting.push(SavedWaiting { fingerprint: tree.fingerprint(), agents });
                }
            }
            *place += 1;
        }
        if !lost.is_empty() {
            return Err(SaveError::Leaves(lost));
        }
        Ok(Body {
            seed: self.seed,
            time: self.call.now,
            tickets: self.call.requests.tickets(),
            whole: None,
            trees,
            group_keys: self.shared.saved_keys(Scope::Group),
            groups: Vec::new(),
            waiting,
            tokens: Vec::new(),
        })
    }

    fn save_tree(
        &self,
        population: &Population<H>,
        place: u32,
        agents: &[At],
        whole: bool,
    ) -> Result<SavedTree, SaveError> {
        let tree = &*population.shape.tree;
        let writer = Writer::of(tree);
        let length = |it: &Chunk<H>| crate::index::narrow(it.len());
        // Which agents are due is known up to the last frame in which the chunk was ticked.
        let mut turns: Option<(usize, Option<Turns>)> = None;
        let agents = agents.iter().map(|&(_, at, row)| {
            let chunk = &population.chunks[at];
            if turns.as_ref().is_none_or(|it| it.0 != at) {
                let mut kept = chunk.extras.turns().cloned();
                kept.iter_mut().for_each(|it| it.begin(self.frame));
                turns = Some((at, kept));
            }
            let mut agent = writer.agent(&chunk.living(tree, row, self.call.now)).map_err(|(leaf, error)| {
                SaveError::State { leaf, tree: tree.name().into(), agent: chunk.ids()[row.index()], error }
            })?;
            agent.turn = turns.as_ref().and_then(|it| it.1.as_ref()).map(|it| {
                let (rate, passed, due) = it.saved(row, self.call.now);
                SavedTurn { rate, passed, due }
            });
            agent.id = self.places.salt().plain(chunk.ids()[row.index()]);
            agent.mail =
                chunk.extras.inbox().map_or_else(Vec::new, |it| it.saved(row, |id| self.places.salt().plain(id)));
            Ok::<_, SaveError>(agent)
        });
        let agents = agents.collect::<Result<_, SaveError>>()?;
        let chunks = if whole { population.chunks.iter().map(length).collect() } else { Vec::new() };
        Ok(writer.tree(place, chunks, agents))
    }
}

/// The types of the leaves of a tree that remember something which is not saved.
pub(crate) fn unsaved<H: Host>(tree: &Tree<H>) -> impl Iterator<Item = &'static str> {
    let unsaved = tree.leaves.iter().filter(|it| tree.stateful.saves(it) == Some(false));
    let mut types: Vec<_> = unsaved.map(|it| tree.stateful.type_name(it)).collect();
    types.sort_unstable();
    types.dedup();
    types.into_iter()
}

/// Where a node's words are: the first, and how many.
type Words = (MemoryOffset, usize);

/// An agent to save, wherever it is stored.
pub(crate) struct Living<'a, H: Host> {
    pub(crate) seen: AgentState<'a>,
    pub(crate) entity: Entity,
    /// The nodes that wait in its mail to be started again.
    pub(crate) starts: Vec<NodeId>,
    pub(crate) board: BoardView<'a>,
    pub(crate) states: &'a StateLists<H>,
    pub(crate) row: Row,
}

impl<H: Host> Chunk<H> {
    pub(super) fn living<'a>(&'a self, tree: &'a Tree<H>, row: Row, now: Moment) -> Living<'a, H> {
        Living {
            seen: self.seen(row, now),
            entity: self.entity(row),
            starts: self.extras.inbox().into_iter().flat_map(|it| it.starts(row)).collect(),
            board: self.board.view(&tree.layout, self.len(), self.room()),
            states: &self.states,
            row,
        }
    }
}

/// What is written about a tree, and where its agents keep their data.
pub(crate) struct Writer<'t, H: Host> {
    tree: &'t Tree<H>,
    outline: Outline<'t>,
    /// For each node, what it remembers while it is active, including its services.
    words: Vec<Vec<Words>>,
    /// The nodes that remember something for longer.
    kept: Vec<(NodeId, Words)>,
    /// The keys of agents and nodes, with their places on the board.
    keys: Vec<(SavedKey, KeyPlace)>,
    /// The leaves that remember something.
    stateful: Vec<usize>,
}

impl<'t, H: Host> Writer<'t, H> {
    pub(crate) fn of(tree: &'t Tree<H>) -> Self {
        let outline = Outline::of(tree);
        let mut words = vec![Vec::new(); outline.len()];
        let mut kept = Vec::new();
        for (id, node) in outline.nodes() {
            let remembers = Remembers::of(&outline, id);
            let own = (remembers.words() > 0).then(|| (tree.slot(id), remembers.words()));
            match remembers {
                Remembers::Kept(_) => kept.extend(own.map(|it| (id, it))),
                _ => words[id.index()].extend(own),
            }
            words[id.index()].extend((0..node.services.len()).map(|at| (tree.service((id, at)), 2)));
        }
        let key = |it: &crate::schema::KeyDecl| {
            let words = it.words().map(Into::into).collect();
            let key = SavedKey { name: it.name().into(), node: owner(tree, it), default: it.default().into(), words };
            (key, it.place())
        };
        let keys = tree.schema.columned().map(key).collect();
        let stateful = (0..tree.leaves.len()).filter(|&it| tree.stateful.saves(&tree.leaves[it]).is_some()).collect();
        Writer { tree, outline, words, kept, keys, stateful }
    }

    /// The same without the states of leaves and without mail.
    pub(crate) fn of_inputs(tree: &'t Tree<H>) -> Self {
        Writer { stateful: Vec::new(), ..Writer::of(tree) }
    }

    /// The tree with these agents.
    pub(crate) fn tree(&self, place: u32, chunks: Vec<u16>, agents: Vec<SavedAgent>) -> SavedTree {
        SavedTree {
            name: self.tree.name().into(),
            place,
            nodes: self.nodes(),
            leaves: self.leaves(),
            keys: self.keys.iter().map(|it| it.0.clone()).collect(),
            chunks,
            agents,
        }
    }

    fn nodes(&self) -> Vec<SavedNode> {
        let own = |it: &std::borrow::Cow<'_, str>| it.clone().into_owned();
        let index = |it: crate::index::LeafId| crate::index::narrow(it.index());
        let node = |(id, node): (NodeId, &crate::tree::outline::OutlineNode<'_>)| SavedNode {
            kind: own(&node.kind),
            built_in: (*node.kind != *node.node_kind.name()).then(|| node.node_kind.name().into()),
            name: node.name.as_ref().map(own),
            id: node.id.as_ref().map(own),
            parent: node.parent.some().map(|it| crate::index::narrow(it.index())),
            step: Some(self.tree.node(id).expect("T1").step())
                .filter(|it| *it != node.name.as_ref().unwrap_or(&node.kind).as_ref()),
            counted: node.counted,
            asks: node.asks.as_ref().map(own),
            leaf: node.leaf.map(index),
            services: node.services.iter().copied().map(index).collect(),
        };
        self.outline.nodes().map(node).collect()
    }

    fn leaves(&self) -> Vec<(String, bool)> {
        let names = self.outline.leaves.iter().map(|it| it.clone().into_owned());
        names.enumerate().map(|(at, name)| (name, self.stateful.binary_search(&at).is_ok())).collect()
    }

    /// An agent, except its id, its turns and its mail. An error belongs to a leaf's state.
    pub(crate) fn agent(&self, living: &Living<'_, H>) -> Result<SavedAgent, (String, String)> {
        let Living { seen, board, states, row, .. } = living;
        let AgentState { flags, life, now, .. } = *seen;
        let phase = if flags.contains(Flags::PANICKED) {
            SavedPhase::Panicked
        } else if !flags.contains(Flags::ENABLED) {
            SavedPhase::Off
        } else if flags.contains(Flags::PAUSED) {
            SavedPhase::Paused
        } else {
            SavedPhase::Active
        };
        let mut agent = SavedAgent {
            id: 0,
            phase,
            fresh: flags.contains(Flags::FRESH),
            stops: flags.contains(Flags::STOPS),
            last: seen.last_outcome,
            time: life.time.at(flags, now),
            rng: life.rng.clone(),
            abort: life.last_abort.raw(),
            entity: living.entity.to_bits(),
            turn: None,
            tops: Vec::new(),
            starts: Vec::new(),
            monitors: Vec::new(),
            memory: Vec::new(),
            kept: Vec::new(),
            keys: Vec::new(),
            mail: Vec::new(),
            states: Packed::default(),
        };
        if flags.contains(Flags::ENABLED) {
            self.running(living, &mut agent);
        }
        if agent.fresh {
            // Nodes to start from before its restart are dropped.
            agent.starts.clear();
        }
        for (at, (key, place)) in (0..).zip(&self.keys) {
            let value = board.value(*row, *place);
            if value != crate::Value::from(key.default) {
                agent.keys.push((at, value.into()));
            }
        }
        for &leaf in &self.stateful {
            let saved = states.save(&self.tree.leaves[leaf], *row, &mut agent.states);
            saved.map_err(|error| (self.outline.leaves[leaf].clone().into_owned(), error))?;
        }
        Ok(agent)
    }

    /// What it does, and what its nodes remember.
    fn running(&self, Living { seen, starts, .. }: &Living<'_, H>, agent: &mut SavedAgent) {
        let AgentState { tops, monitors, statuses, memory, .. } = *seen;
        agent.tops.extend(tops.iter().copied().filter(|it| *it != NodeId::NONE));
        agent.starts.extend(starts);
        if let Some(from) = self.tree.resume {
            let stored = self.tree.bottoms.ids().map(|it| memory[from.of_stack(it).index()]);
            agent.starts.extend(stored.filter_map(|it| NodeId::new((it as usize).checked_sub(1)?)));
        }
        let read = |&(from, count): &Words| memory[from.index()..][..count].iter().copied();
        for &top in &agent.tops {
            let mut node = top;
            while let Some(active) = node.some() {
                let words: Vec<u32> = self.words[active.index()].iter().flat_map(read).collect();
                if !words.is_empty() {
                    agent.memory.push((active, words));
                }
                let record = self.tree.rec(active);
                node = if record.bottom { NodeId::NONE } else { record.parent };
            }
        }
        for (node, words) in &self.kept {
            // Most were never used.
            if read(words).any(|it| it != 0) {
                agent.kept.push((*node, read(words).collect()));
            }
        }
        agent.memory.sort_by_key(|it| it.0);
        for (word, &bits) in monitors.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let observer = ObserverId::lowest(word, bits);
                bits &= bits - 1;
                let node = self.tree.observers.nodes[observer.index()];
                agent.monitors.push((node, statuses[observer.word()] & observer.bit() != 0));
            }
        }
    }
}
