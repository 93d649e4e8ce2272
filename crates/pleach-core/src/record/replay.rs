//! Plays a recording.

mod alike;
mod check;
mod come;
mod edited;
mod extend;
mod find;
mod look;
mod marks;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashSet;

use self::come::NewAgent;
pub use self::find::Found;
use self::marks::Marks;
use super::bytes::Bytes;
use super::frame::Frame;
use super::problem::{Divergence, ReplayError, words};
use super::{Header, MAGIC, VERSION};
use crate::clock::{Moment, Span};
use crate::forest::Forest;
use crate::forest::record::{Outlined, State, first_answers};
use crate::ids::salted::Salt;
use crate::inputs::chunk::Answer;
use crate::inputs::edit::Edit;
use crate::inputs::log::{Entry, Input, take_number};
use crate::inputs::replayer::{RecordedPanic, RecordedTurns, Replayer, Unasked};
use crate::inputs::{Inputs, Mode};
use crate::save::model::{SavedAgent, SavedTree};
use crate::trace::{NoTracer, TraceEvent, TraceNames, Tracer};
use crate::turns::rate::Rate;
use crate::{AgentId, Host, Status, Tree, TreeId};

/// A tree of a recording, before it is loaded.
pub struct RecordedTree<'a> {
    /// The tree's name.
    pub name: &'a str,
    /// The files that were kept with the recording, by their names.
    pub files: &'a [(String, Vec<u8>)],
    /// Which version of the tree it is: how many different ones of its name come before it. One
    /// that equals an earlier version has its number.
    pub version: usize,
    fingerprint: u64,
    saved: &'a SavedTree,
}

/// Lends the replayer to a forest, beside another tracer.
struct Replaying<'a, T> {
    inputs: &'a mut Inputs,
    tracer: &'a mut T,
}

impl<T: Tracer> Tracer for Replaying<'_, T> {
    const ENABLED: bool = T::ENABLED;
    const REPLAYS: bool = true;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        Some(self.inputs)
    }
    fn wants(&self, agent: AgentId) -> bool {
        self.tracer.wants(agent)
    }
    fn wants_updates(&self, agent: AgentId) -> bool {
        self.tracer.wants_updates(agent)
    }
    fn frame(&mut self, frame: u64, time: f64) {
        self.tracer.frame(frame, time);
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        self.tracer.record(agent, event);
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        self.tracer.record_named(names, agent, event);
    }
}

/// Plays a recording frame by frame, without the game: no leaf is called.
///
/// It is positioned after a frame, or before the first one. [`forest`](Replay::forest) has the
/// agents as they were then, for all questions about agents.
pub struct Replay<H: Host> {
    frames: Vec<u8>,
    /// Where the next frame begins, and how many come before it.
    at: usize,
    played: u64,
    count: u64,
    forest: Forest<H>,
    inputs: Inputs,
    trees: Vec<ReplayTree<H>>,
    /// The agents by their numbers; `None` of one that is gone.
    numbers: BTreeMap<u32, Option<AgentId>>,
    /// The only agent that is played, by its number.
    only: Option<u32>,
    /// Frames before the first were dropped, and up to this one agents may be unknown.
    whole_after: u64,
    step: Span,
    files: Vec<(String, Vec<u8>)>,
    keys_every: u32,
    /// All divergences found, and how many of them were found up to here.
    divergences: Vec<Divergence>,
    diverged: usize,
    came: Vec<AgentId>,
    marks: Marks<H>,
}

impl<H: Host> fmt::Debug for Replay<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("played", &self.played).field("frames", &self.count).finish_non_exhaustive()
    }
}

/// A tree of a recording.
struct ReplayTree<H: Host> {
    tree: Arc<Tree<H>>,
    outlined: Outlined,
    /// The recorded tree, if this one is an edit of it.
    edit: Option<(Arc<Tree<H>>, Arc<Edit>)>,
    /// Where it is in the forest, if it is there.
    id: Option<TreeId>,
}

impl<H: Host> ReplayTree<H> {
    /// The tree that was recorded.
    fn recorded(&self) -> &Tree<H> {
        self.edit.as_ref().map_or(&self.tree, |it| &it.0)
    }
}

fn empty_forest<H: Host>(seed: u64) -> Forest<H> {
    let mut forest = Forest::new(seed);
    forest.configure(|it| it.batched = false);
    forest
}

fn unpacked<'de, V: serde::Deserialize<'de>>(bytes: &'de [u8]) -> Result<V, String> {
    postcard::from_bytes(bytes).map_err(|it| it.to_string())
}

/// What the bytes of a recording hold, and its frames.
pub(super) fn parts(bytes: &[u8]) -> Result<(Header, &[u8]), ReplayError> {
    let none = |why: &str| ReplayError::NotARecording(why.to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| none("this is not a recording of pleach"))?;
    let cut_off = || none("the recording is cut off in its header");
    let (version, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(none(&format!("the recording is of version {version}, and this program reads version {VERSION}")));
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok();
    let (header, frames) = length.and_then(|it| rest.split_at_checked(it)).ok_or_else(cut_off)?;
    let header = unpacked(header).map_err(|it| none(&format!("the header of the recording is damaged: {it}")))?;
    Ok((header, frames))
}

/// Accepts the trees that were recorded.
fn same<H: Host>(recorded: &RecordedTree<'_>, made: &Tree<H>) -> Result<Option<SavedTree>, ReplayError> {
    match recorded.is(made) {
        true => Ok(None),
        false => Err(ReplayError::OtherTree(recorded.name.to_owned())),
    }
}

/// Makes the tree that was recorded. Not generic, so that opening is compiled once for each host.
type Maker<'m, H> = &'m mut dyn FnMut(&RecordedTree<'_>) -> Option<Arc<Tree<H>>>;

/// Accepts a tree or not. It may return the outline of the tree that is here, for the recorded one.
type Accept<H> = fn(&RecordedTree<'_>, &Tree<H>) -> Result<Option<SavedTree>, ReplayError>;

/// Makes recorded trees.
fn made<H: Host>(
    outlines: &[Bytes],
    files: &[(String, Vec<u8>)],
    before: &[ReplayTree<H>],
    tree: Maker<'_, H>,
    accept: Accept<H>,
) -> Result<Vec<ReplayTree<H>>, ReplayError> {
    let mut trees = Vec::with_capacity(outlines.len());
    let mut versions: IndexMap<String, IndexSet<u64>> = IndexMap::new();
    for Outlined { tree, fingerprint, .. } in before.iter().map(|it| &it.outlined) {
        versions.entry(tree.name.clone()).or_default().insert(*fingerprint);
    }
    for outline in outlines {
        let damaged = |it: String| ReplayError::NotARecording(format!("a tree of the recording is damaged: {it}"));
        let mut outlined: Outlined = unpacked(&outline.0).map_err(damaged)?;
        let name = outlined.tree.name.clone();
        let Outlined { fingerprint, tree: saved, .. } = &outlined;
        let version = versions.entry(name.clone()).or_default().insert_full(*fingerprint).0;
        let recorded = RecordedTree { name: &name, files, version, fingerprint: *fingerprint, saved };
        let made = tree(&recorded).ok_or_else(|| ReplayError::MissingTree(name.clone()))?;
        if let Some(here) = accept(&recorded, &made)? {
            outlined.tree = here;
        }
        trees.push(ReplayTree { tree: made, outlined, edit: None, id: None });
    }
    Ok(trees)
}

impl<H: Host> Replay<H> {
    /// Opens a recording. `tree` makes the trees, which must be those that were recorded; their
    /// leaves are never called, so any leaf will do.
    ///
    /// # Errors
    /// If the bytes are not a recording that this version reads, or a tree is missing or a
    /// different one.
    pub fn open(
        bytes: &[u8],
        mut tree: impl FnMut(&RecordedTree<'_>) -> Option<Arc<Tree<H>>>,
    ) -> Result<Self, ReplayError> {
        Self::open_if(bytes, &mut tree, same)
    }

    /// The same with trees that `accept` accepts.
    fn open_if(bytes: &[u8], tree: Maker<'_, H>, accept: Accept<H>) -> Result<Self, ReplayError> {
        let (header, frames) = parts(bytes)?;
        let files: Vec<_> = header.files.into_iter().map(|(name, it)| (name, it.0)).collect();
        Ok(Replay {
            frames: frames.to_vec(),
            at: 0,
            played: 0,
            count: header.frames,
            forest: empty_forest(header.seed),
            inputs: Inputs::new(Mode::Replay(Replayer::default())),
            trees: made(&header.trees, &files, &[], tree, accept)?,
            numbers: BTreeMap::new(),
            only: None,
            whole_after: header.whole_after,
            step: Span::ZERO,
            files,
            keys_every: header.keys_every,
            divergences: Vec::new(),
            diverged: 0,
            came: Vec::new(),
            marks: Marks::default(),
        })
    }

    /// The agents as they were after the last frame that was played.
    #[must_use]
    pub fn forest(&self) -> &Forest<H> {
        &self.forest
    }

    /// How many frames have been played.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }

    /// How many frames there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The files that were kept with the recording, by their names.
    #[must_use]
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// The agents that were added or changed from outside before the frame that was played last.
    #[must_use]
    pub fn changed(&self) -> &[AgentId] {
        &self.came
    }

    /// Plays the next frame. Returns whether there was one. No leaf uses the context: none is
    /// called.
    ///
    /// # Errors
    /// If the frame cannot be read. Then this replay cannot continue: some agents may be missing.
    pub fn step(&mut self, cx: &mut H::Cx<'_>) -> Result<bool, ReplayError> {
        self.step_traced(cx, &mut NoTracer)
    }

    /// The same with a tracer, which sees what agents did as it would have seen it then; except
    /// that it sees more rechecks of conditions, and ticks of agents that slept.
    ///
    /// # Errors
    /// As [`step`](Replay::step).
    pub fn step_traced(&mut self, cx: &mut H::Cx<'_>, tracer: &mut impl Tracer) -> Result<bool, ReplayError> {
        let damaged = |what: &str| ReplayError::Damaged { frame: self.played, what: what.to_owned() };
        let mut rest = self.frames.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(false);
        }
        let length = take_number(&mut rest).and_then(|it| usize::try_from(it).ok());
        let (bytes, after) =
            length.and_then(|it| rest.split_at_checked(it)).ok_or_else(|| damaged("its last frame is cut off"))?;
        let frame = Frame::read(bytes, self.only).ok_or_else(|| damaged("its next frame has unknown entries"))?;
        let next = self.frames.len() - after.len();
        self.play(frame, cx, tracer)?;
        self.at = next;
        self.played += 1;
        Ok(true)
    }

    fn replayer(inputs: &mut Inputs) -> &mut Replayer {
        match &mut inputs.mode {
            Mode::Replay(it) => it,
            _ => unreachable!("a replay has a replayer"),
        }
    }

    fn play(&mut self, frame: Frame, cx: &mut H::Cx<'_>, tracer: &mut impl Tracer) -> Result<(), ReplayError> {
        let played = self.played;
        let damaged = |what: String| ReplayError::Damaged { frame: played, what };
        // Time went on, or back, while nothing was recorded, or frames before this one were
        // dropped: all agents are added again.
        if let Some((number, before)) = frame.jump.or(frame.part.filter(|_| played == 0)) {
            if number == 0 || number > Moment::END.0 || before > Moment::END {
                return Err(damaged("a frame has an impossible time".to_owned()));
            }
            self.clear();
            self.forest.empty_at(number, before);
        }
        let step = frame.step.unwrap_or(self.step);
        self.step = step;
        let salt = Salt::of(self.forest.seed());
        // Agents to add, by their trees.
        let mut coming: Vec<Vec<SavedAgent>> = self.trees.iter().map(|_| Vec::new()).collect();
        let (mut inputs, mut missed, mut new) = (Vec::new(), Vec::new(), Vec::new());
        let mut stood: Vec<(u32, Vec<u8>)> = Vec::new();
        let (mut noted, mut looked) = (Vec::new(), Vec::new());
        for Entry { agent: number, observer, nth, input } in frame.entries {
            match (input, self.numbers.get(&number).copied().flatten()) {
                (Input::State(bytes), before) => {
                    let State { tree, row, read, answers, agent: mut saved, known, label } =
                        unpacked(&bytes).map_err(|_| damaged("the state of an agent cannot be read".to_owned()))?;
                    let agents =
                        coming.get_mut(tree as usize).ok_or_else(|| damaged("an agent has no tree".to_owned()))?;
                    if known && before.is_some() {
                        continue;
                    }
                    let turns = saved.turn.as_mut().map(|it| {
                        let turns = RecordedTurns { rate: Rate::of_number(it.rate), row, due: it.due };
                        (it.rate, it.due) = (Rate::EVERY_FRAME.number(), false);
                        turns
                    });
                    let agent: AgentId = salt.key(saved.id);
                    let of = self.trees[tree as usize].recorded();
                    if saved.tops.iter().any(|it| it.index() >= of.len()) {
                        return Err(damaged("an agent runs a node that its tree does not have".to_owned()));
                    }
                    let mut answers: Vec<Answer> = answers
                        .into_iter()
                        .map(|(node, neither)| (node, if neither { Status::Running } else { Status::Success }))
                        .collect();
                    if !known {
                        answers.extend(first_answers(of, &saved));
                    }
                    agents.push(saved);
                    for known in before.into_iter().chain([agent]) {
                        self.forest.remove_agent(known);
                    }
                    self.numbers.insert(number, Some(agent));
                    new.push(NewAgent { tree: tree as usize, agent, turns, answers, read, label });
                }
                (Input::Gone, Some(agent)) => {
                    self.forest.remove_agent(agent);
                    Self::replayer(&mut self.inputs).agents.remove(&agent);
                    self.numbers.insert(number, None);
                }
                (Input::Missed(count), _) => missed.push(number..number.saturating_add(count)),
                (Input::Noted(key, value), Some(agent)) => noted.push((agent, key, value)),
                (Input::Looked(count), _) => looked.push(number..number.saturating_add(count)),
                (Input::Stood(checks), _) => stood.push((number, checks)),
                (input, Some(agent)) => inputs.push((agent, (observer, nth, input))),
                // It left with all others when time passed without the recorder.
                (Input::Gone, None) => {}
                // It was noted as a whole in a frame that was dropped.
                (_, None) if played < self.whole_after => {}
                (_, None) => return Err(damaged("it has an input for an unknown agent".to_owned())),
            }
        }
        self.restore(coming, cx)?;
        self.came = new.iter().map(|it| it.agent).collect();
        self.know(new);
        let replayer = Self::replayer(&mut self.inputs);
        for (agent, input) in inputs {
            replayer.call(agent, input);
        }
        replayer.given.clear();
        let frame = self.forest.frame() + 1;
        let mut misses: FxHashSet<AgentId> = FxHashSet::default();
        for numbers in missed {
            misses.extend(self.numbers.range(numbers).filter_map(|it| *it.1));
        }
        if replayer.rated || replayer.misses || !misses.is_empty() {
            replayer.misses = false;
            for (agent, known) in &mut replayer.agents {
                known.begin_frame(frame, misses.contains(agent));
                replayer.misses |= known.misses;
            }
        }
        if replayer.misses {
            self.forest.keep_turns();
        }
        // All their conditions are asked. The other agents have no reason to ask, except what their
        // own time brings.
        for &agent in replayer.called.iter().chain(&self.came) {
            self.forest.wake(agent);
        }
        let mut replaying = Replaying { inputs: &mut self.inputs, tracer };
        // A leaf that panicked then panics again, for its own agent alone.
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.forest.traced(&mut replaying).tick_span(cx, step);
        }));
        if let Err(panic) = panicked
            && !panic.is::<RecordedPanic>()
        {
            std::panic::resume_unwind(panic);
        }
        for Unasked { agent, input } in Self::replayer(&mut self.inputs).end_frame() {
            let tree = self.forest.agent(agent).ok().map(|it| &**it.tree());
            let (node, recorded) = words(&input, tree);
            self.diverge_here(agent, node, recorded);
        }
        self.tell_unknown();
        self.check(&stood);
        self.write_noted(&noted, &looked);
        Ok(())
    }
}
