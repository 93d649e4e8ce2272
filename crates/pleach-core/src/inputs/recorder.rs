//! Notes what comes from outside, as far as it cannot be known.

use std::sync::Arc;

use pleach_expr::Value;
use rand_core::Rng as _;
use rustc_hash::{FxHashMap, FxHashSet};

use super::asked::{Asked, Question};
use super::facts::TreeInputs;
use super::log::{Entry, Input, JUMP, STEP, put_number};
use super::{KeyAccess, Taker, same};
use crate::bits::{self, Bits, each};
use crate::clock::{Moment, Span};
use crate::event::Event;
use crate::index::ExprId;
use crate::life::Flags;
use crate::rng::Stream;
use crate::row::{CHUNK, Row};
use crate::turns::rate::Rate;
use crate::{AgentId, NodeId, Status};

/// Up to so many draws of leaves are counted. A leaf that draws more between two draws of the
/// runtime, or puts another stream in the place of its own, is not replayed exactly.
const MOST_DRAWS: u32 = 1 << 16;

const REWIND: Entry = Entry { agent: 0, observer: None, nth: 0, input: Input::Rewind };

/// What the flags of an agent say that no tick of its own changes.
const OUTSIDE: Flags = Flags::ENABLED.union(Flags::FRESH).union(Flags::PAUSED).union(Flags::PANICKED);

/// Notes the inputs of the agents of a chunk. It knows them as their last turns left them.
#[derive(Debug, Default)]
pub(crate) struct ChunkRecorder {
    facts: Option<Arc<TreeInputs>>,
    ids: Vec<AgentId>,
    /// The number of each in the recording.
    numbers: Vec<u32>,
    tops: Vec<NodeId>,
    flags: Vec<Flags>,
    /// Nothing, if all agents have a turn in each frame.
    rates: Vec<Rate>,
    /// The agents that are due still.
    due: Bits,
    /// Per agent the values that expressions last read.
    keys: Vec<Value>,
    streams: Vec<Stream>,
    /// Per question the agents to whom its last answer was yes; and neither yes nor no.
    yes: Vec<Bits>,
    neither: Vec<Bits>,
    /// What agents answered last that come again, by questions.
    kept: FxHashMap<AgentId, Vec<Status>>,
    /// The agents whose states are to be noted in any case.
    unknown: Bits,
    /// How many frames there were when it was last there, that one included.
    frames: u64,
    /// The entries of this frame, and the agent of the last one.
    entries: Vec<u8>,
    last: u32,
    pub(super) asked: Asked,
}

/// What a recorder sees of a chunk.
pub(crate) struct ChunkView<'a> {
    pub(crate) number: u32,
    pub(crate) facts: &'a Arc<TreeInputs>,
    pub(crate) ids: &'a [AgentId],
    pub(crate) tops: &'a [NodeId],
    pub(crate) flags: &'a [Flags],
    pub(crate) rates: &'a [Rate],
    pub(crate) due: Bits,
}

/// Writes a recording.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// All frames, each behind its length.
    pub(crate) frames: Vec<u8>,
    pub(crate) count: u64,
    /// The seed of the forest.
    pub(crate) seed: u64,
    /// What the next frame is expected to be.
    frame: u64,
    before: Moment,
    step: Option<Span>,
    head: Vec<u8>,
    chunks: Vec<ChunkRecorder>,
    /// The chunks that were there in this frame, in order.
    here: Vec<usize>,
    numbers: FxHashMap<AgentId, u32>,
    given: u32,
    /// Agents that have left their chunks, and may be gone.
    left: Vec<AgentId>,
    /// Agents that are gone.
    gone: Vec<u32>,
    at: Option<usize>,
}

impl Recorder {
    /// A frame of this number begins, that takes so long from this time on.
    pub(crate) fn begin_frame(&mut self, seed: u64, frame: u64, before: Moment, step: Span) {
        let mut kinds = 0;
        self.head.clear();
        self.head.push(0);
        if self.count == 0 || (self.frame, self.before, self.seed) != (frame, before, seed) {
            // Time went on, or back, without the recorder.
            kinds |= JUMP;
            put_number(&mut self.head, frame);
            put_number(&mut self.head, before.0);
            self.chunks.iter_mut().for_each(|it| it.unknown = [u64::MAX; CHUNK / 64]);
            self.seed = seed;
        }
        if self.step != Some(step) {
            kinds |= STEP;
            put_number(&mut self.head, step.0);
            self.step = Some(step);
        }
        self.head[0] = kinds;
        (self.frame, self.at) = (frame, None);
        self.here.clear();
    }

    /// A frame is over. The next one begins at this time.
    pub(crate) fn end_frame(&mut self, now: Moment) {
        let mut entries = Vec::new();
        for number in self.gone.drain(..) {
            Entry { agent: number, observer: None, nth: 0, input: Input::Gone }.put(&mut entries, 0);
            REWIND.put(&mut entries, number);
        }
        for &at in &self.here {
            let chunk = &mut self.chunks[at];
            if !chunk.entries.is_empty() {
                entries.append(&mut chunk.entries);
                REWIND.put(&mut entries, chunk.last);
                chunk.last = 0;
            }
        }
        if self.head[0] == 0 && entries.is_empty() {
            // A length of zero is a frame as the one before, in which nothing came.
            put_number(&mut self.frames, 0);
        } else {
            put_number(&mut self.frames, (self.head.len() + entries.len()) as u64);
            self.frames.extend(&self.head);
            self.frames.extend(entries);
        }
        self.count += 1;
        (self.frame, self.before, self.at) = (self.frame + 1, now, None);
    }

    /// The chunk in work.
    pub(crate) fn chunk(&mut self) -> Option<&mut ChunkRecorder> {
        self.chunks.get_mut(self.at?)
    }

    pub(super) fn chunk_mut(&mut self, number: u32) -> Option<&mut ChunkRecorder> {
        self.chunks.get_mut(number as usize)
    }

    /// Whether a chunk has begun in this frame. If so, it is in work from here on.
    pub(crate) fn has_begun(&mut self, number: u32) -> bool {
        let begun = self.chunks.get(number as usize).is_some_and(|it| it.frames == self.count + 1);
        if begun {
            self.at = Some(number as usize);
        }
        begun
    }

    /// A chunk is about to be ticked. Returns the agents whose states are to be noted first.
    pub(crate) fn begin_chunk(&mut self, view: &ChunkView<'_>) -> Vec<Row> {
        let at = view.number as usize;
        if self.chunks.len() <= at {
            self.chunks.resize_with(at + 1, ChunkRecorder::default);
        }
        self.at = Some(at);
        self.here.push(at);
        let chunk = &mut self.chunks[at];
        chunk.frames = self.count + 1;
        chunk.asked.begin_chunk();
        let changed = chunk.changed(view);
        if !changed.is_empty() {
            chunk.keep_answers(view, &changed);
        }
        if chunk.ids != view.ids {
            let here: FxHashSet<AgentId> = view.ids.iter().copied().collect();
            self.left.extend(chunk.ids.iter().filter(|it| !here.contains(*it)));
        }
        if !changed.is_empty() || chunk.ids.len() != view.ids.len() {
            let numbers = view.ids.iter().map(|id| {
                *self.numbers.entry(*id).or_insert_with(|| {
                    self.given += 1;
                    self.given - 1
                })
            });
            chunk.numbers = numbers.collect();
            chunk.fit(view);
        }
        changed
    }

    /// Chunks that have not been there in this frame may have lost agents.
    pub(crate) fn end_all(&mut self, here: impl Fn(AgentId) -> bool, agents: usize) {
        for id in self.left.drain(..).filter(|it| !here(*it)) {
            self.gone.extend(self.numbers.remove(&id));
        }
        if self.numbers.len() == agents {
            return;
        }
        for chunk in self.chunks.iter_mut().filter(|it| it.frames != self.count + 1) {
            if chunk.ids.iter().any(|it| !here(*it)) {
                let chunk = std::mem::take(chunk);
                for id in chunk.ids.iter().filter(|it| !here(**it)) {
                    self.gone.extend(self.numbers.remove(id));
                }
            }
        }
    }
}

impl ChunkRecorder {
    /// Notes an input that is taken once, outside of the pass.
    fn put(&mut self, row: Row, input: Input) {
        self.put_for(row, None, 0, input);
    }

    /// Notes an input that is taken now.
    fn put_asked(&mut self, row: Row, nth: u32, input: Input) {
        self.put_for(row, self.asked.observer(), nth, input);
    }

    fn put_for(&mut self, row: Row, observer: Option<NodeId>, nth: u32, input: Input) {
        let agent = self.numbers[row.index()];
        Entry { agent, observer, nth, input }.put(&mut self.entries, self.last);
        self.last = agent;
    }

    /// The agents that are not as they were left.
    fn changed(&self, view: &ChunkView<'_>) -> Vec<Row> {
        let (agents, stacks) = (view.ids.len(), view.tops.len() / view.ids.len().max(1));
        let same_tree = self.facts.as_ref().is_some_and(|it| Arc::ptr_eq(it, view.facts));
        let same = |a: &Flags, b: &Flags| (*a ^ *b) & OUTSIDE == Flags::empty();
        if same_tree
            && self.unknown.iter().all(|it| *it == 0)
            && self.ids == view.ids
            && self.tops == view.tops
            && self.rates == view.rates
            && self.due == view.due
            && self.flags.iter().zip(view.flags).all(|(a, b)| same(a, b))
        {
            return Vec::new();
        }
        let known = if same_tree { self.ids.len().min(agents) } else { 0 };
        let is_as_left = |row: Row| {
            row.index() < known
                && self.ids[row.index()] == view.ids[row.index()]
                && self.tops[row.cells(stacks)] == view.tops[row.cells(stacks)]
                && same(&self.flags[row.index()], &view.flags[row.index()])
                && self.rates.get(row.index()) == view.rates.get(row.index())
                && bits::has(&self.due, row) == bits::has(&view.due, row)
                && !bits::has(&self.unknown, row)
        };
        Row::of_agents(agents).filter(|it| !is_as_left(*it)).collect()
    }

    /// Keeps what agents answered last, to be known when they come again, where they stand then.
    fn keep_answers(&mut self, view: &ChunkView<'_>, changed: &[Row]) {
        self.kept.clear();
        let Some(facts) = self.facts.as_ref().filter(|it| Arc::ptr_eq(it, view.facts)) else { return };
        let again: FxHashSet<AgentId> = changed.iter().map(|it| view.ids[it.index()]).collect();
        for (row, id) in Row::all().zip(&self.ids).filter(|it| again.contains(it.1)) {
            let answers = (0..facts.asked).map(|it| self.known(it, row));
            if answers.clone().any(|it| it != Status::Failure) {
                self.kept.insert(*id, answers.collect());
            }
        }
    }

    /// Whether an agent that comes again is known by what it answered last.
    pub(crate) fn keeps(&self, row: Row) -> bool {
        self.kept.contains_key(&self.ids[row.index()])
    }

    /// Becomes as long as the chunk.
    fn fit(&mut self, view: &ChunkView<'_>) {
        self.unknown = Bits::default();
        self.facts = Some(Arc::clone(view.facts));
        self.ids.clear();
        self.ids.extend(view.ids);
        self.rates.clear();
        self.rates.extend(view.rates);
        let (agents, keys, asked) = (view.ids.len(), view.facts.keys.len(), view.facts.asked);
        self.keys.resize(agents * keys, Value::Bool(false));
        self.streams.resize(agents, crate::rng::exact(0));
        self.yes.resize(asked, Bits::default());
        self.neither.resize(asked, Bits::default());
    }

    /// An agent as it stands before its turn, as bytes; what its expressions would read now, and
    /// its random stream.
    /// `answers` are those that its conditions and guards gave last, of those that are watched.
    pub(crate) fn state(
        &mut self,
        row: Row,
        state: Vec<u8>,
        keys: impl Iterator<Item = Value>,
        answers: &[(NodeId, Status)],
        stream: &Stream,
    ) {
        let width = self.facts.as_ref().map_or(0, |it| it.keys.len());
        for (known, value) in self.keys[row.cells(width)].iter_mut().zip(keys) {
            *known = value;
        }
        self.streams[row.index()] = stream.clone();
        let known = self.kept.get(&self.ids[row.index()]);
        for (question, (yes, neither)) in self.yes.iter_mut().zip(&mut self.neither).enumerate() {
            let known = known.map_or(Status::Failure, |it| it[question]);
            bits::put(yes, row, known == Status::Success);
            bits::put(neither, row, known == Status::Running);
        }
        for &(node, status) in answers {
            if let Some(question) = self.facts.as_ref().and_then(|it| it.question(node)) {
                bits::put(&mut self.yes[question], row, status == Status::Success);
                bits::put(&mut self.neither[question], row, status == Status::Running);
            }
        }
        self.put(row, Input::State(state));
    }

    /// The chunk has been ticked. Gets the agents that are due still.
    pub(crate) fn end(&mut self, tops: &[NodeId], flags: &[Flags], missed: Option<&Bits>) {
        self.due = missed.copied().unwrap_or_default();
        self.tops.clear();
        self.tops.extend(tops);
        self.flags.clear();
        self.flags.extend(flags);
        let Some(missed) = missed else { return };
        let mut run: Option<(Row, u32)> = None;
        for row in each(missed).filter(|it| it.index() < flags.len()) {
            run = match run {
                Some((from, count)) if self.numbers[row.index()] == self.numbers[from.index()] + count => {
                    Some((from, count + 1))
                }
                _ => {
                    if let Some((from, count)) = run {
                        self.put(from, Input::Missed(count));
                    }
                    Some((row, 1))
                }
            };
        }
        if let Some((from, count)) = run {
            self.put(from, Input::Missed(count));
        }
    }

    /// A leaf of the host answered at a node.
    pub(super) fn answered(&mut self, (id, row): Taker, node: NodeId, status: Status) {
        match self.facts.as_ref().and_then(|it| it.question(node)) {
            None if status == Status::Running => {}
            None => self.put_asked(row, 0, answer(node, status)),
            Some(question) => {
                let nth = self.asked.ask((id, row), Question::Node(node));
                self.note_answer(question, row, nth, (node, status));
            }
        }
    }

    /// A condition of the host answered for many agents in the pass.
    pub(super) fn answered_all(&mut self, node: NodeId, asked: &Bits, yes: &Bits, neither: &Bits) {
        let Some(question) = self.facts.as_ref().and_then(|it| it.question(node)) else { return };
        let mut changed = Bits::default();
        for word in 0..asked.len() {
            let (known, known_neither) = (&mut self.yes[question][word], &mut self.neither[question][word]);
            changed[word] = ((*known ^ yes[word]) | (*known_neither ^ neither[word])) & asked[word];
            *known = *known & !asked[word] | yes[word] & asked[word];
            *known_neither = *known_neither & !asked[word] | neither[word] & asked[word];
        }
        for row in each(&changed) {
            let status = self.known(question, row);
            self.put_for(row, Some(node), 0, answer(node, status));
        }
    }

    /// A leaf was updated for many agents, and ended for some of them.
    pub(super) fn updated_all(&mut self, node: NodeId, updated: &Bits, succeeded: &Bits, failed: &Bits) {
        let question = self.facts.as_ref().and_then(|it| it.question(node));
        let status = |row| match (bits::has(succeeded, row), bits::has(failed, row)) {
            (true, _) => Status::Success,
            (false, true) => Status::Failure,
            (false, false) => Status::Running,
        };
        match question {
            Some(question) => {
                for row in each(updated) {
                    self.note_answer(question, row, 0, (node, status(row)));
                }
                self.asked.ask_all(node, updated);
            }
            None => {
                let ended: Bits = std::array::from_fn(|word| succeeded[word] | failed[word]);
                for row in each(&ended) {
                    self.put(row, answer(node, status(row)));
                }
            }
        }
    }

    /// Notes an answer that is remembered.
    fn note_answer(&mut self, question: usize, row: Row, nth: u32, (node, status): (NodeId, Status)) {
        let known = self.known(question, row);
        bits::put(&mut self.yes[question], row, status == Status::Success);
        bits::put(&mut self.neither[question], row, status == Status::Running);
        if status != known {
            self.put_asked(row, nth, answer(node, status));
        }
    }

    /// An expression is about to be evaluated.
    pub(super) fn read(&mut self, (id, row): Taker, keys: &impl KeyAccess, expr: ExprId) {
        let Some(facts) = self.facts.clone() else { return };
        if facts.of_expr(expr).is_empty() {
            return;
        }
        let nth = self.asked.ask((id, row), Question::Expr(expr));
        for (at, &place) in (0..).zip(facts.of_expr(expr)) {
            let value = keys.value(facts.keys[usize::from(place)]);
            let known = &mut self.keys[row.index() * facts.keys.len() + usize::from(place)];
            if !same(*known, value) {
                *known = value;
                self.put_asked(row, nth, Input::Key(expr.number(), at, value));
            }
        }
    }

    /// The runtime is about to draw a number of the agent's stream.
    pub(super) fn draws(&mut self, (id, row): Taker, stream: &Stream) {
        let nth = self.asked.ask((id, row), Question::Stream);
        let known = &mut self.streams[row.index()];
        let mut drawn = 0;
        while known != stream && drawn < MOST_DRAWS {
            known.next_u64();
            drawn += 1;
        }
        if drawn > 0 {
            self.put_asked(row, nth, Input::Drawn(drawn));
        }
    }

    /// The runtime has drawn.
    pub(super) fn drew(&mut self, row: Row, stream: &Stream) {
        self.streams[row.index()].clone_from(stream);
    }

    /// An agent is told of these events.
    pub(super) fn told(&mut self, row: Row, events: &[Event]) {
        self.asked.begin();
        for event in events {
            self.put(row, Input::Event(*event));
        }
    }

    /// A leaf of an agent panicked.
    pub(super) fn panicked(&mut self, row: Row) {
        bits::add(&mut self.unknown, row);
        self.put(row, Input::Panic);
    }

    fn known(&self, question: usize, row: Row) -> Status {
        if bits::has(&self.neither[question], row) {
            Status::Running
        } else {
            Status::from_bool(bits::has(&self.yes[question], row))
        }
    }
}

fn answer(node: NodeId, status: Status) -> Input {
    match status {
        Status::Success => Input::Success(node),
        Status::Failure => Input::Failure(node),
        Status::Running => Input::Running(node),
    }
}
