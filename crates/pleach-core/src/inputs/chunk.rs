//! Notes the inputs of the agents of a chunk, unless a replay can know them.

use std::sync::Arc;

use pleach_expr::Value;
use pleach_expr::expr::KeyIndex;
use rand_core::Rng as _;
use rustc_hash::{FxHashMap, FxHashSet};

use super::asked::{Question, QuestionCounts};
use super::facts::TreeInputs;
use super::log::{Before, Entry, Input, MOST_DRAWS, check_of};
use super::{KeyAccess, Taker, same};
use crate::bits::{self, Bits, each};
use crate::event::Event;
use crate::index::{ExprId, narrow};
use crate::life::Flags;
use crate::rng::Stream;
use crate::row::Row;
use crate::ties::label_of;
use crate::turns::rate::Rate;
use crate::{AgentId, NodeId, Status};

/// The flags of an agent that no tick of its own changes.
const OUTSIDE: Flags =
    Flags::ENABLED.union(Flags::STOPS).union(Flags::FRESH).union(Flags::PAUSED).union(Flags::PANICKED);

/// After how many frames the recorder again notes where an agent is.
const CHECKED: u64 = 256;

/// What a node answered.
pub(crate) type Answer = (NodeId, Status);

/// Notes the inputs of the agents of a chunk. It knows the agents as their last turns left them.
#[derive(Debug, Default)]
pub(crate) struct ChunkRecorder {
    facts: Option<Arc<TreeInputs>>,
    pub(super) ids: Vec<AgentId>,
    /// The number of each agent in the recording.
    pub(super) numbers: Vec<u32>,
    tops: Vec<NodeId>,
    flags: Vec<Flags>,
    /// The agents whose roots are about to be started, and what nodes remember about them. Starting
    /// such an agent from the beginning changes nothing else.
    fresh: Vec<Row>,
    memory: Vec<u32>,
    /// Empty if all agents have a turn in each frame.
    rates: Vec<Rate>,
    /// Empty if no agent has a label.
    pub(crate) labels: Vec<Option<Arc<str>>>,
    /// The agents that are still due.
    due: Bits,
    /// Per agent, the values that expressions last read.
    keys: Vec<Value>,
    streams: Vec<Stream>,
    /// The interval between two notes of the keys, in frames; 0 is never.
    pub(super) keys_every: u32,
    /// Per agent, the last noted values of its keys, if keys are noted.
    known_keys: Vec<Value>,
    /// Agents, and places of their keys, to note after the frame: they held something else when the
    /// agents were noted again.
    pub(super) stale_keys: Vec<(Row, usize)>,
    /// Per question, the agents for which the last answer was yes; and neither yes nor no.
    yes: Vec<Bits>,
    neither: Vec<Bits>,
    /// The last answers of agents that come back, by questions.
    kept: FxHashMap<AgentId, Vec<Status>>,
    /// The agents whose states have to be noted in any case.
    pub(super) unknown: Bits,
    /// The agents to be noted again, though they are known: the frames in which they were noted
    /// before will be dropped.
    pub(super) renewed: Bits,
    /// How many frames there were when the chunk was last there, that one included.
    pub(super) frames: u64,
    /// The entries of this frame, and what the next one is counted from.
    pub(super) entries: Vec<u8>,
    pub(super) before: Before,
    pub(super) asked: QuestionCounts,
}

/// What a recorder sees of a chunk.
pub(crate) struct ChunkView<'a> {
    pub(crate) number: u32,
    pub(crate) facts: &'a Arc<TreeInputs>,
    pub(crate) ids: &'a [AgentId],
    /// The ids may be other ones than when the last frame began.
    pub(crate) moved: bool,
    pub(crate) tops: &'a [NodeId],
    pub(crate) flags: &'a [Flags],
    pub(crate) memory: &'a [u32],
    pub(crate) rates: &'a [Rate],
    pub(crate) labels: &'a [Option<Arc<str>>],
    pub(crate) due: Bits,
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
        Entry { agent, observer, nth, input }.put(&mut self.entries, &mut self.before);
    }

    /// The agents that have changed since their last turn.
    pub(super) fn changed(&self, view: &ChunkView<'_>) -> Vec<Row> {
        let (agents, stacks) = (view.ids.len(), view.tops.len() / view.ids.len().max(1));
        let words = view.memory.len() / agents.max(1);
        let remembers = |at: usize, row: Row| {
            let kept = self.memory.get(at * words..(at + 1) * words);
            view.memory.get(row.cells(words)) == kept
        };
        let same_tree = self.facts.as_ref().is_some_and(|it| Arc::ptr_eq(it, view.facts));
        let same = |a: &Flags, b: &Flags| (*a ^ *b) & OUTSIDE == Flags::empty();
        // Without a branch, so that the processor compares many at once.
        let flags = || self.flags.iter().zip(view.flags).fold(Flags::empty(), |all, (a, b)| all | (*a ^ *b));
        let ids = || self.ids.iter().zip(view.ids).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits()));
        let tops = || self.tops.iter().zip(view.tops).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits()));
        if same_tree
            && self.unknown.iter().all(|it| *it == 0)
            && (self.ids.len(), self.tops.len()) == (agents, view.tops.len())
            && (!view.moved || ids() == 0)
            && tops() == 0
            && self.rates == view.rates
            && self.labels == view.labels
            && self.due == view.due
            && flags() & OUTSIDE == Flags::empty()
            && self.fresh.iter().enumerate().all(|(at, row)| remembers(at, *row))
        {
            debug_assert_eq!(ids(), 0, "the agents stayed");
            return Vec::new();
        }
        let known = if same_tree { self.ids.len().min(agents) } else { 0 };
        let is_as_left = |row: Row| {
            row.index() < known
                && self.ids[row.index()] == view.ids[row.index()]
                && self.tops[row.cells(stacks)] == view.tops[row.cells(stacks)]
                && same(&self.flags[row.index()], &view.flags[row.index()])
                && self.fresh.binary_search(&row).map_or(true, |at| remembers(at, row))
                && self.rates.get(row.index()) == view.rates.get(row.index())
                && label_of(&self.labels, row) == label_of(view.labels, row)
                && bits::has(&self.due, row) == bits::has(&view.due, row)
                && !bits::has(&self.unknown, row)
        };
        Row::of_agents(agents).filter(|it| !is_as_left(*it)).collect()
    }

    /// Keeps the last answers of agents, to know them when the agents come back at another place.
    pub(super) fn keep_answers(&mut self, view: &ChunkView<'_>, changed: &[Row]) {
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

    /// The last answers of an agent that comes back.
    pub(crate) fn kept(&self, row: Row) -> Vec<(NodeId, bool)> {
        let Some((kept, facts)) = self.kept.get(&self.ids[row.index()]).zip(self.facts.as_ref()) else {
            return Vec::new();
        };
        not_failed(facts.questions().map(|(node, at)| (node, kept[at])))
    }

    /// The agents to be noted again.
    pub(crate) fn take_renewed(&mut self) -> impl Iterator<Item = Row> + use<> {
        let agents = self.ids.len();
        let renewed = std::mem::take(&mut self.renewed);
        Row::of_agents(agents).filter(move |it| bits::has(&renewed, *it))
    }

    /// What is known about an agent: its last answers, the values that its expressions last read,
    /// and its random stream.
    pub(crate) fn known_of(&self, row: Row) -> (Vec<(NodeId, bool)>, &[Value], &Stream) {
        let Some(facts) = &self.facts else { return (Vec::new(), &[], &self.streams[row.index()]) };
        let answers = not_failed(facts.questions().map(|(node, at)| (node, self.known(at, row))));
        (answers, &self.keys[row.cells(facts.keys.len())], &self.streams[row.index()])
    }

    /// Notes an agent again.
    pub(crate) fn renew(&mut self, row: Row, state: Vec<u8>) {
        self.put(row, Input::State(state));
    }

    /// Grows or shrinks to the length of the chunk.
    pub(super) fn fit(&mut self, view: &ChunkView<'_>) {
        self.unknown = Bits::default();
        self.facts = Some(Arc::clone(view.facts));
        self.ids.clear();
        self.ids.extend(view.ids);
        self.rates.clear();
        self.rates.extend(view.rates);
        self.labels = view.labels.to_vec();
        let (agents, keys, asked) = (view.ids.len(), view.facts.keys.len(), view.facts.asked);
        self.keys.resize(agents * keys, Value::Bool(false));
        self.streams.resize(agents, crate::rng::exact(0));
        self.known_keys
            .resize(if self.keys_every > 0 { agents * view.facts.own_keys.len() } else { 0 }, Value::Bool(false));
        self.yes.resize(asked, Bits::default());
        self.neither.resize(asked, Bits::default());
    }

    /// An agent as it is before its turn, as bytes; what its expressions would read now; the last
    /// answers of its checks, watched conditions and guards; and its random stream.
    pub(crate) fn state(&mut self, row: Row, state: Vec<u8>, keys: &[Value], answers: &[Answer], stream: &Stream) {
        let width = self.facts.as_ref().map_or(0, |it| it.keys.len());
        self.keys[row.cells(width)].copy_from_slice(keys);
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

    /// The chunk has been ticked. Gets the agents that are still due.
    pub(crate) fn end(&mut self, tops: &[NodeId], flags: &[Flags], memory: &[u32], missed: Option<&Bits>) {
        self.due = missed.copied().unwrap_or_default();
        self.tops.clear();
        self.tops.extend(tops);
        self.flags.clear();
        self.flags.extend(flags);
        let words = memory.len() / flags.len().max(1);
        self.fresh.clear();
        self.memory.clear();
        if flags.iter().fold(Flags::empty(), |all, it| all | *it).contains(Flags::FRESH) {
            for row in Row::of_agents(flags.len()).filter(|it| flags[it.index()].contains(Flags::FRESH)) {
                self.fresh.push(row);
                self.memory.extend(&memory[row.cells(words)]);
            }
        }
        self.check();
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

    /// Whether an interval of `frames` frames ends with this one. Chunks take turns.
    fn is_one_of(&self, frames: u64) -> bool {
        let first = self.numbers.first().copied().unwrap_or_default();
        (self.frames + u64::from(first) / 61).is_multiple_of(frames)
    }

    /// The runs of agents with consecutive numbers: where each begins and ends.
    fn runs(&self) -> Vec<(usize, usize)> {
        let (mut runs, mut from) = (Vec::new(), 0);
        for to in 1..=self.numbers.len() {
            if self.numbers.get(to).is_none_or(|it| *it != self.numbers[to - 1] + 1) {
                runs.push((from, to));
                from = to;
            }
        }
        runs
    }

    /// Notes an input of several agents, starting with the one at this place.
    fn put_from(&mut self, at: usize, input: Input) {
        if let Some(row) = Row::of_agents(self.numbers.len()).nth(at) {
            self.put(row, input);
        }
    }

    /// An agent is noted as a whole, with its present keys; if `again`, a replay that knows it
    /// already skips that.
    pub(crate) fn know_keys(&mut self, row: Row, again: bool, key: impl Fn(KeyIndex) -> Value) {
        let Some(facts) = self.facts.clone().filter(|_| self.keys_every > 0) else { return };
        for (at, own) in facts.own_keys.iter().enumerate() {
            let (place, value) = (row.index() * facts.own_keys.len() + at, key(*own));
            if !again {
                self.known_keys[place] = value;
            } else if !same(self.known_keys[place], value) {
                self.stale_keys.push((row, at));
            }
        }
    }

    /// The chunk has been ticked: notes the keys of all agents, if it is time.
    pub(crate) fn end_keys(&mut self, key: impl Fn(Row, KeyIndex) -> Value) {
        let Some(facts) = self.facts.clone().filter(|_| self.keys_every > 0) else { return };
        for (row, at) in std::mem::take(&mut self.stale_keys) {
            self.note_key(row, at, key(row, facts.own_keys[at]), &facts);
        }
        if !self.is_one_of(self.keys_every.into()) {
            return;
        }
        for row in Row::of_agents(self.ids.len()) {
            for (at, own) in facts.own_keys.iter().enumerate() {
                let value = key(row, *own);
                if !same(self.known_keys[row.index() * facts.own_keys.len() + at], value) {
                    self.note_key(row, at, value, &facts);
                } else if let Some(place) = facts.place(*own) {
                    self.keys[row.index() * facts.keys.len() + place] = value;
                }
            }
        }
        for (from, to) in self.runs() {
            self.put_from(from, Input::Looked(u32::try_from(to - from).expect("a chunk has few agents")));
        }
    }

    /// Notes what a key holds. From here on it counts as the value that expressions last read.
    fn note_key(&mut self, row: Row, at: usize, value: Value, facts: &TreeInputs) {
        self.known_keys[row.index() * facts.own_keys.len() + at] = value;
        let key = facts.own_keys[at];
        if let Some(place) = facts.place(key) {
            self.keys[row.index() * facts.keys.len() + place] = value;
        }
        self.put(row, Input::Noted(narrow(key.index()).into(), value));
    }

    /// Notes where the agents are, if this frame is one of every [`CHECKED`].
    fn check(&mut self) {
        if !self.is_one_of(CHECKED) {
            return;
        }
        let agents = self.flags.len();
        let stacks = self.tops.len() / agents.max(1);
        let is_checked =
            |row: Row| !self.flags[row.index()].contains(Flags::PANICKED) && !bits::has(&self.unknown, row);
        let check = |row: Row| if is_checked(row) { check_of(&self.tops[row.cells(stacks)]) } else { 0 };
        let checks: Vec<u8> = Row::of_agents(agents).map(check).collect();
        for (from, to) in self.runs() {
            self.put_from(from, Input::Stood(checks[from..to].to_vec()));
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

    /// The runtime is about to draw a number from the agent's stream.
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

    /// An agent receives these events.
    pub(super) fn told(&mut self, row: Row, events: &[Event]) {
        self.asked.begin();
        for event in events {
            self.put(row, (*event).into());
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

/// The nodes whose answer was not failure, and whether it was not success either.
pub(crate) fn not_failed(answers: impl Iterator<Item = Answer>) -> Vec<(NodeId, bool)> {
    let answers = answers.filter(|it| it.1 != Status::Failure);
    answers.map(|(node, status)| (node, status == Status::Running)).collect()
}
