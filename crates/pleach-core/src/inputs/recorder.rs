//! Writes the inputs of all agents, frame by frame.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunk::{ChunkRecorder, ChunkView};
use super::log::{Before, Entry, Input, JUMP, PART, STEP, put_number};
use super::ring::Frames;
use crate::AgentId;
use crate::clock::{Moment, Span};
use crate::row::{CHUNK, Row};

const REWIND: Entry = Entry { agent: 0, observer: None, nth: 0, input: Input::Rewind };

/// Writes a recording.
#[derive(Debug, Default)]
pub(crate) struct InputRecorder {
    pub(crate) frames: Frames,
    /// How many frames there were.
    count: u64,
    /// The seed of the forest.
    pub(crate) seed: u64,
    /// The interval between two notes of the keys, in frames; 0 is never.
    pub(crate) keys_every: u32,
    /// How often agents of the forest were restored, or it was rolled back.
    epoch: u64,
    /// The expected number of the next frame.
    frame: u64,
    before: Moment,
    step: Option<Span>,
    head: Vec<u8>,
    chunks: Vec<ChunkRecorder>,
    /// The chunks of this frame, in order.
    here: Vec<usize>,
    numbers: FxHashMap<AgentId, u32>,
    given: u32,
    /// Agents that have left their chunks, and may have been removed.
    left: Vec<AgentId>,
    /// Agents that were removed.
    gone: Vec<u32>,
    at: Option<usize>,
    renewal: Renewal,
}

/// Which agents have been noted again in this part of the recording: those of all chunks before
/// `chunk`, and of its words before `word`.
#[derive(Debug, Default)]
struct Renewal {
    chunk: usize,
    word: usize,
    /// How many words that are.
    done: u64,
    /// These are all agents.
    over: bool,
}

impl InputRecorder {
    /// A frame of this number begins, with this length and start time.
    pub(crate) fn begin_frame(&mut self, (seed, epoch): (u64, u64), frame: u64, before: Moment, step: Span) {
        let mut kinds = 0;
        let expected = (self.frame, self.before, self.seed, self.epoch);
        let follows = self.count > 0 && expected == (frame, before, seed, epoch);
        if !follows {
            // Time passed, or went back, without the recorder.
            kinds |= JUMP;
            // Nothing that was begun remains, if a frame did not finish.
            for it in &mut self.chunks {
                (it.unknown, it.renewed) = ([u64::MAX; CHUNK / 64], [0; CHUNK / 64]);
                (it.frames, it.before) = (0, Before::default());
                it.entries.clear();
                it.stale_keys.clear();
            }
            (self.seed, self.epoch) = (seed, epoch);
        }
        if !follows || self.renewal.over && self.frames.part_is_over() {
            kinds |= PART;
            (self.step, self.renewal) = (None, Renewal { over: !follows, ..Renewal::default() });
            self.frames.begin_part(follows);
        } else {
            self.renew();
        }
        self.head.clear();
        self.head.push(0);
        if kinds != 0 {
            put_number(&mut self.head, frame);
            put_number(&mut self.head, before.0);
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

    /// Marks the agents that are due to be noted again. In the course of a part that is every
    /// agent, so that frames before the part can be dropped.
    fn renew(&mut self) {
        let Some(share) = self.frames.share_of_part() else { return };
        let words = |it: &ChunkRecorder| it.ids.len().div_ceil(64);
        let all: usize = self.chunks.iter().map(words).sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a count"
        )]
        let due = (share * all as f64).ceil() as u64;
        let Renewal { chunk, word, done, over } = &mut self.renewal;
        // No frame notes more than a 32nd of them, however long it was.
        let due = due.min(*done + all.div_ceil(32) as u64);
        while !*over {
            match self.chunks.get_mut(*chunk) {
                None => *over = true,
                Some(here) if *word >= words(here) => (*chunk, *word) = (*chunk + 1, 0),
                Some(_) if *done >= due => break,
                Some(here) => {
                    here.renewed[*word] = u64::MAX;
                    (*word, *done) = (*word + 1, *done + 1);
                }
            }
        }
    }

    /// A frame is over. The next one begins at this time.
    pub(crate) fn end_frame(&mut self, now: Moment) {
        let mut entries = Vec::new();
        for number in self.gone.drain(..) {
            Entry { agent: number, observer: None, nth: 0, input: Input::Gone }
                .put(&mut entries, &mut Before::default());
            REWIND.put(&mut entries, &mut Before::default());
        }
        for &at in &self.here {
            let chunk = &mut self.chunks[at];
            if !chunk.entries.is_empty() {
                entries.append(&mut chunk.entries);
                REWIND.put(&mut entries, &mut chunk.before);
            }
        }
        // A frame without bytes is like the one before, without inputs.
        let head = if self.head[0] == 0 && entries.is_empty() { &[][..] } else { &self.head };
        self.frames.push(head, &entries, self.step.unwrap_or(Span::ZERO));
        self.count += 1;
        (self.frame, self.before, self.at) = (self.frame + 1, now, None);
    }

    /// The number of an agent that has been noted.
    pub(crate) fn number_of(&self, agent: AgentId) -> Option<u32> {
        self.numbers.get(&agent).copied()
    }

    /// The agent with a number.
    pub(crate) fn agent_of(&self, number: u32) -> Option<AgentId> {
        self.numbers.iter().find(|it| *it.1 == number).map(|it| *it.0)
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

    /// A chunk is about to be ticked. Returns the agents whose states have to be noted first.
    pub(crate) fn begin_chunk(&mut self, view: &ChunkView<'_>) -> Vec<Row> {
        let at = view.number as usize;
        if self.chunks.len() <= at {
            self.chunks.resize_with(at + 1, ChunkRecorder::default);
        }
        self.at = Some(at);
        self.here.push(at);
        let chunk = &mut self.chunks[at];
        (chunk.frames, chunk.keys_every) = (self.count + 1, self.keys_every);
        chunk.asked.begin_chunk();
        let changed = chunk.changed(view);
        if !changed.is_empty() {
            chunk.keep_answers(view, &changed);
        }
        if !changed.is_empty() || chunk.ids.len() != view.ids.len() {
            if chunk.ids != view.ids {
                let here: FxHashSet<AgentId> = view.ids.iter().copied().collect();
                self.left.extend(chunk.ids.iter().filter(|it| !here.contains(*it)));
            }
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

    /// Chunks that are missing in this frame may have lost agents.
    pub(crate) fn end_all(&mut self, here: impl Fn(AgentId) -> bool, agents: usize) {
        for id in self.left.drain(..).filter(|it| !here(*it)) {
            self.gone.extend(self.numbers.remove(&id));
        }
        if self.numbers.len() == agents {
            return;
        }
        for chunk in self.chunks.iter_mut().filter(|it| it.frames != self.count + 1) {
            if chunk.ids.iter().any(|it| !here(*it)) {
                *chunk = ChunkRecorder::default();
            }
        }
        let from = self.gone.len();
        self.numbers.retain(|id, number| {
            let stays = here(*id);
            if !stays {
                self.gone.push(*number);
            }
            stays
        });
        self.gone[from..].sort_unstable();
    }
}
