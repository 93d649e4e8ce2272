//! What a recording notes about a forest's agents besides their inputs: their whole state, when a
//! recorder first sees them or sees that they were changed from outside.

use std::sync::Arc;

use pleach_expr::expr::{KeyIndex, Read};
use pleach_expr::{Time, Value};
use serde::{Deserialize, Serialize};

use super::chunk::Chunk;
use super::lives::Lives;
use super::parts::{ForestParts, Shape, groups};
use super::save::Writer;
use super::{AgentId, Forest};
use crate::blackboard::view::SharedRows;
use crate::blackboard::{KeyDecl, Scope};
use crate::clock::{Moment, Span};
use crate::ids::salted::Salt;
use crate::index::{ExprId, ObserverId, Observers};
use crate::inputs::chunk::{Answer, ChunkRecorder, ChunkView, not_failed};
use crate::inputs::facts::TreeInputs;
use crate::inputs::{Inputs, Mode, same};
use crate::keys::rows::{AgentKeys, KeyRows};
use crate::life::Flags;
use crate::machine::inputs::facts_of;
use crate::rng::Stream;
use crate::row::Row;
use crate::save::model::{SavedAgent, SavedTree, SavedTurn, SavedValue};
use crate::ties::{Ties, label_of};
use crate::trace::{Traced, Tracer};
use crate::tree::record::{GuardTest, Op};
use crate::turns::Turns;
use crate::{Host, NodeId, Status, Tree};

/// A tree of a recording.
#[derive(Serialize, Deserialize)]
pub(crate) struct Outlined {
    pub(crate) fingerprint: u64,
    pub(crate) tree: SavedTree,
}

/// An agent as a whole.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    /// The number of its tree.
    pub(crate) tree: u32,
    /// Its place in its chunk.
    pub(crate) row: u64,
    /// What its expressions last read, where its keys do not hold it: by places among the keys that
    /// expressions read.
    pub(crate) read: Vec<(u16, SavedValue)>,
    /// The nodes whose last answer was not failure, and whether it was not success either.
    pub(crate) answers: Vec<(NodeId, bool)>,
    pub(crate) agent: SavedAgent,
    /// It was known already, and is noted again because earlier frames may be dropped.
    pub(crate) known: bool,
    pub(crate) label: Option<String>,
}

/// A value as bytes.
pub(crate) fn packed(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers, texts and lists can be written to memory")
}

/// The last answers of an agent's conditions and guards: those that are watched, and the guards
/// above active nodes.
pub(crate) fn first_answers<H: Host>(tree: &Tree<H>, agent: &SavedAgent) -> Vec<Answer> {
    let mut answers: Vec<_> = agent.monitors.iter().map(|it| (it.0, Status::from_bool(it.1))).collect();
    for &top in &agent.tops {
        // A leaf on top kept running.
        answers.push((top, Status::Running));
        let mut node = top;
        while let Some(active) = node.some() {
            let record = tree.rec(active);
            if let Op::Guard { .. } = record.op {
                answers.push((active, Status::Success));
            }
            node = record.parent;
        }
    }
    answers
}

/// What a recording knows about a tree, and the tree's number in it.
pub(crate) fn facts<H: Host>(inputs: &mut Inputs, tree: &Arc<Tree<H>>) -> (u32, Arc<TreeInputs>) {
    inputs.facts(tree, || {
        let outline =
            Outlined { fingerprint: tree.fingerprint(), tree: Writer::of_inputs(tree).tree(0, Vec::new(), Vec::new()) };
        let mut facts = facts_of(tree);
        facts.outline = packed(&outline);
        facts
    })
}

/// The agents of a chunk to note as a whole.
pub(crate) struct Noted {
    /// Those that have changed since their last turn.
    pub(crate) changed: Vec<Row>,
    /// Those that are known, and whose states are noted again.
    pub(crate) renewed: Vec<Row>,
    /// All of them, in this order.
    pub(crate) saved: Vec<SavedAgent>,
}

/// What the expressions of an agent read: its keys, and two times.
struct Reading<'a> {
    facts: &'a TreeInputs,
    values: &'a [Value],
    time: Moment,
    now: Moment,
}

impl Read for Reading<'_> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.values[self.facts.place(key).expect("the key is one that expressions read")]
    }
    fn time(&mut self) -> Time {
        self.time.time()
    }
    fn now(&mut self) -> Time {
        self.now.time()
    }
}

/// Notes agents as a whole, with the present values of their keys and random streams. `number` is
/// that of their tree in the recording, `now` the time before their ticks.
///
/// An agent that comes with a save may leave out a check or a guard as nothing has changed that it
/// reads, and a replay asks all of them: so their last answers are what they would answer now.
pub(crate) fn note_states<'r, H: Host>(
    recorder: &mut ChunkRecorder,
    (tree, number, facts): (&Tree<H>, u32, &TreeInputs),
    noted: Noted,
    now: Moment,
    key: impl Fn(Row, KeyIndex) -> Value,
    stream: impl Fn(Row) -> &'r Stream,
) {
    let in_agent = |row: Row, at: KeyIndex, value: Value| {
        let is_shared = matches!(tree.schema.decl(at).scope(), Scope::Group | Scope::Global);
        !is_shared && same(key(row, at), value)
    };
    let read = |row: Row, values: &[Value]| {
        let known = (0_u16..).zip(facts.keys.iter().zip(values));
        let known = known.filter(|(_, (key, value))| !in_agent(row, **key, **value));
        known.map(|(place, (_, value))| (place, (*value).into())).collect::<Vec<(u16, SavedValue)>>()
    };
    let test = |op: Op| match op {
        Op::Check { expr } | Op::Guard { when: GuardTest::Expr(expr), .. } => Some(expr),
        _ => None,
    };
    let nodes = (0..).map_while(NodeId::new).zip(tree.records.iter());
    let tests: Vec<(NodeId, ExprId)> = nodes.filter_map(|(node, it)| Some((node, test(it.op)?))).collect();
    let Noted { changed, renewed, saved } = noted;
    let mut saved = saved.into_iter();
    for (row, agent) in changed.into_iter().zip(&mut saved) {
        let values: Vec<Value> = facts.keys.iter().map(|it| key(row, *it)).collect();
        let (at, read) = (row.index() as u64, read(row, &values));
        let reading = || Reading { facts, values: &values, time: agent.time, now };
        let mut known: Vec<Answer> = tests
            .iter()
            .map(|(node, expr)| (*node, Status::from_bool(tree.expr(*expr).eval_bool(reading()))))
            .collect();
        let mut answers = recorder.kept(row);
        answers.retain(|(node, _)| tests.binary_search_by_key(node, |it| it.0).is_err());
        answers.extend(not_failed(known.iter().copied()));
        known.extend(first_answers(tree, &agent));
        let label = label_of(&recorder.labels, row).map(|it| it.as_ref().to_owned());
        let state = State { tree: number, row: at, read, answers, agent, known: false, label };
        recorder.state(row, packed(&state), &values, &known, stream(row));
        recorder.know_keys(row, false, |it| key(row, it));
    }
    for (row, mut agent) in renewed.into_iter().zip(saved) {
        recorder.know_keys(row, true, |it| key(row, it));
        let (answers, values, stream) = recorder.known_of(row);
        agent.rng = stream.clone();
        let (at, read) = (row.index() as u64, read(row, values));
        let label = label_of(&recorder.labels, row).map(|it| it.as_ref().to_owned());
        recorder.renew(row, packed(&State { tree: number, row: at, read, answers, agent, known: true, label }));
    }
}

impl<H: Host> Chunk<H> {
    /// It is about to be ticked in this frame.
    pub(super) fn begin_inputs<T: Tracer>(&mut self, shape: &Shape<H>, parts: &mut ForestParts<'_, T>) {
        let Some(inputs) = parts.tracer.inputs() else { return };
        let has_begun = match &mut inputs.mode {
            Mode::Record(it) => it.has_begun(self.number),
            Mode::RecordChunk(_) => true,
            Mode::Replay(_) => false,
        };
        if has_begun {
            return;
        }
        let tree = &shape.tree;
        let (number, facts) = facts(inputs, tree);
        let recorder = match &mut inputs.mode {
            Mode::Record(it) => it,
            Mode::RecordChunk(_) => return,
            Mode::Replay(it) => return it.begin_chunk(facts),
        };
        // The frame has begun, except for the agents.
        let (frame, before) = (parts.frame - 1, parts.call.before);
        if let Some(turns) = self.extras.turns_mut() {
            turns.begin(frame);
        }
        let turns = self.extras.turns();
        let view = ChunkView {
            number: self.number,
            facts: &facts,
            ids: self.ids(),
            // In this frame or the one before. A wrong yes, every 256 frames, costs a comparison.
            moved: self.moved.wrapping_sub(frame.to_le_bytes()[0]) <= 1,
            tops: self.run.tops_of(self.len()),
            flags: &self.flags[..self.len()],
            memory: self.run.memory_of(self.len()),
            rates: turns.map_or(&[], |it| &it.rates()[..self.len()]),
            labels: self.extras.ties().map_or(&[], Ties::labels),
            due: turns.map(|it| *it.due()).unwrap_or_default(),
        };
        let changed = recorder.begin_chunk(&view);
        let seed = recorder.seed;
        let Some(recorder) = recorder.chunk() else { return };
        let renewed: Vec<Row> = recorder.take_renewed().filter(|it| changed.binary_search(it).is_err()).collect();
        if changed.is_empty() && renewed.is_empty() {
            return;
        }
        let (writer, salt) = (Writer::of_inputs(tree), Salt::of(seed));
        let agent = |row: Row| {
            let agent = writer.agent(&self.living(tree, row, before)).expect("no leaf writes a state");
            let turn = turns.map(|it| it.saved(row, before));
            let turn = turn.map(|(rate, passed, due)| SavedTurn { rate, passed, due });
            SavedAgent { id: salt.plain(self.ids[row.index()]), turn, ..agent }
        };
        let saved: Vec<SavedAgent> = changed.iter().chain(&renewed).map(|row| agent(*row)).collect();
        let (agents, room) = (self.len(), self.room());
        let Chunk { lives, extras, run, board, .. } = self;
        let (_, changes, _) = run.lend();
        let (_, ties, _) = extras.lend();
        let board = board.rows(&tree.layout, room, changes);
        let shared = SharedRows::of(&mut parts.shared, &shape.map, agents, || groups(ties));
        let keys = KeyRows { schema: &tree.schema, board, shared };
        let (noted, lives) = (Noted { changed, renewed, saved }, &*lives);
        let of_tree = (&**tree, number, &*facts);
        note_states(recorder, of_tree, noted, before, |row, key| keys.read(row, key), |row| &lives[row.index()].rng);
    }

    /// A frame is over.
    fn end_inputs<T: Tracer>(&mut self, shape: &Shape<H>, parts: &mut ForestParts<'_, T>) {
        self.begin_inputs(shape, parts);
        let Some(Inputs { mode: Mode::Record(recorder), .. }) = parts.tracer.inputs() else { return };
        let Some(recorder) = recorder.chunk() else { return };
        if let Some(turns) = self.extras.turns_mut() {
            turns.begin(parts.frame);
        }
        let (agents, run) = (self.len(), &self.run);
        let missed = self.extras.turns().map(Turns::due);
        recorder.end(run.tops_of(agents), &self.flags[..agents], run.memory_of(agents), missed);
        let tree = &shape.tree;
        let board = self.board.view(&tree.layout, agents, self.room());
        recorder.end_keys(|row, it| board.value(row, tree.schema.decl(it).place()));
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// A frame of this length has begun.
    pub(super) fn begin_inputs(&mut self, step: Span) {
        let forest = &*self.it;
        let (line, frame, before) = ((forest.seed, forest.epoch), forest.frame, forest.call.before);
        if let Some(Inputs { mode: Mode::Record(recorder), .. }) = self.tracer.inputs() {
            recorder.begin_frame(line, frame, before, step);
        }
    }

    /// A frame is over.
    pub(super) fn end_inputs(&mut self) {
        if !matches!(self.tracer.inputs(), Some(Inputs { mode: Mode::Record(_), .. })) {
            return;
        }
        let (mut parts, trees) = self.parts();
        trees.for_each(|population| {
            for chunk in population.chunks.iter_mut().filter(|it| !it.is_empty()) {
                chunk.end_inputs(&population.shape, &mut parts);
            }
        });
        let forest = &*self.it;
        if let Some(Inputs { mode: Mode::Record(recorder), .. }) = self.tracer.inputs() {
            recorder.end_all(|it: AgentId| forest.contains(it), forest.len());
            recorder.end_frame(forest.call.now);
        }
    }
}

impl<H: Host> Forest<H> {
    /// Forgets which agents there were, so that each can be added again.
    pub(crate) fn forget_agents(&mut self) {
        self.places.forget();
    }

    /// All watched conditions of an agent may have other answers.
    pub(crate) fn ask_anew(&mut self, agent: AgentId) {
        let Some(&place) = self.places.get(agent) else { return };
        let (shape, chunk) = self.trees.find_mut(place);
        let observers = &shape.tree.observers;
        let all = Observers { from: ObserverId::default(), to: ObserverId::new(observers.nodes.len()) };
        let watch: Vec<u64> = (0..observers.words).map(|word| all.bits(word)).collect();
        chunk.run.bits_mut().changes().mark(&watch, place.row());
        chunk.wake(place.row());
    }

    /// An agent has something to do in its next tick.
    pub(crate) fn wake(&mut self, agent: AgentId) {
        if let Some(&place) = self.places.get(agent) {
            self.trees.find_mut(place).1.wake(place.row());
        }
    }

    /// Writes values into keys of an agent, where the keys can hold them. Returns those that have
    /// changed.
    pub(crate) fn put_keys(
        &mut self,
        agent: AgentId,
        values: impl IntoIterator<Item = (KeyIndex, Value)>,
    ) -> Vec<(KeyIndex, Value)> {
        let Some(tree) = self.agent(agent).ok().map(|it| Arc::clone(it.tree())) else { return Vec::new() };
        let Ok(mut agent) = self.agent_mut(agent) else { return Vec::new() };
        let mut keys = agent.keys_mut();
        let row = keys.at;
        let mut changed = Vec::new();
        for (key, value) in values {
            let is_own = |it: &&KeyDecl| matches!(it.scope(), Scope::Node | Scope::Agent);
            let can_hold = |it: &&KeyDecl| it.ty() == value.ty() && it.admits(value);
            let decl = tree.schema.keys().nth(key.index()).filter(is_own).filter(can_hold);
            if let Some(decl) = decl.filter(|_| !same(keys.rows.read(row, key), value)) {
                keys.rows.write(row, decl, value);
                changed.push((key, value));
            }
        }
        changed
    }

    /// The tops of an agent's run stacks, if none of its leaves has panicked.
    pub(crate) fn tops(&self, agent: AgentId) -> Option<&[NodeId]> {
        let (_, chunk, at) = self.find(agent).ok()?;
        let panicked = chunk.flags[at.index()].contains(Flags::PANICKED);
        (!panicked).then(|| chunk.run.tops(at))
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn frame(&self) -> u64 {
        self.frame
    }

    /// Its time.
    pub(crate) fn moment(&self) -> Moment {
        self.call.now
    }

    /// An empty forest whose next frame is this one, at this time.
    pub(crate) fn empty_at(&mut self, frame: u64, before: Moment) {
        self.frame = frame - 1;
        (self.call.now, self.call.before) = (before, before);
    }
}
