//! Recordings: what agents did, to be computed again without the game (SEMANTICS 13).
//!
//! A behaviour tree decides by the answers of its leaves and by the keys it reads. A [`Recording`]
//! notes just these, where they differ from the last time. [`Replay`] feeds them to the same trees,
//! in any process: then every decision is made again, and everything that
//! [`inspect`](crate::inspect) and [`trace`](crate::trace) can say about a living agent they can
//! say about each moment of the recording.
//!
//! A forest is recorded with everything that happens to it. A [`Brain`](crate::Brain) is recorded
//! as the only agent of a forest, with number 0. A recording is of one forest or of one brain.

mod bytes;
mod force;
mod frame;
mod grow;
mod problem;
mod replay;

use std::sync::Arc;
use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::AgentId;
use crate::clock::Span;
use crate::inputs::recorder::InputRecorder;
pub use crate::inputs::replayer::Given;
use crate::inputs::{Inputs, Mode};
use crate::trace::{TraceEvent, Tracer};
use bytes::Bytes;
pub use force::ForceError;
pub use grow::{Piece, Reader};
pub use problem::{Divergence, ReplayError};
pub use replay::{Found, RecordedTree, Replay};

/// The format that this version writes and reads.
const VERSION: u32 = 4;
/// What a recording begins with.
const MAGIC: &[u8; 8] = b"pleachrc";

/// All of a recording except its frames, which come after it.
#[derive(Serialize, Deserialize)]
struct Header {
    seed: u64,
    frames: u64,
    /// After how many of them all agents are known.
    whole_after: u64,
    trees: Vec<Bytes>,
    files: Vec<(String, Bytes)>,
    /// The interval between two notes of the keys, in frames; 0 is never.
    keys_every: u32,
}

/// Records what agents do in the calls that are made through it: a [`Tracer`] like any other, to be
/// lent to a forest or a brain.
///
/// ```
/// # use pleach_core::{Forest, Host, Tree, nodes, record::{Recording, Replay}};
/// # use std::sync::Arc;
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// let mut forest = Forest::<Game>::new(7);
/// let tree = Arc::new(Tree::builder("guard").build(nodes::wait(0.3))?);
/// let guards = forest.add_tree(Arc::clone(&tree))?;
/// let guard = forest.spawn(&mut (), guards)?;
/// let mut recording = Recording::new();
/// for _ in 0..60 {
///     forest.traced(&mut recording).tick(&mut (), 0.1)?;
/// }
/// let bytes = recording.to_bytes();
///
/// // In another process:
/// let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree)))?;
/// while replay.step(&mut ())? {}
/// assert!(replay.divergences().is_empty());
/// let (then, now) = (replay.forest().agent(guard)?.inspect(), forest.agent(guard)?.inspect());
/// assert_eq!(then.to_string(), now.to_string());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recording {
    inputs: Inputs,
    files: Vec<(String, Bytes)>,
    /// Distinguishes readers of one recording from those of another.
    identity: Arc<()>,
}

impl Default for Recording {
    fn default() -> Self {
        Recording::new()
    }
}

impl Recording {
    /// An empty recording.
    #[must_use]
    pub fn new() -> Self {
        let inputs = Inputs::new(Mode::Record(InputRecorder::default()));
        Recording { inputs, files: Vec::new(), identity: Arc::default() }
    }

    /// Keeps a file with the recording, so that a tool can make its trees again: the text of a
    /// tree, a baked tree, or the manifest of the game's leaves under a name that ends in
    /// `.leaves`. A name that is added again begins a new version of the files. Other files are
    /// kept as they are.
    pub fn add_file(&mut self, name: impl Into<String>, content: impl AsRef<[u8]>) {
        self.files.push((name.into(), Bytes(content.as_ref().to_vec())));
    }

    /// The number of an agent in the recording, if it has been noted.
    #[must_use]
    pub fn number_of(&self, agent: AgentId) -> Option<u32> {
        self.recorder().number_of(agent)
    }

    /// The agent with this number in the recording, if it is there. Searches all agents.
    #[must_use]
    pub fn agent(&self, number: u32) -> Option<AgentId> {
        self.recorder().agent_of(number)
    }

    fn recorder_mut(&mut self) -> &mut InputRecorder {
        match &mut self.inputs.mode {
            Mode::Record(it) => it,
            _ => unreachable!("a recording has a recorder"),
        }
    }

    fn recorder(&self) -> &InputRecorder {
        match &self.inputs.mode {
            Mode::Record(it) => it,
            _ => unreachable!("a recording has a recorder"),
        }
    }

    /// Also notes the keys of agents and nodes that have changed, once in `frames` frames: 15 is
    /// four times a second in a game of 60 frames a second. 0 is never, as in
    /// [`new`](Recording::new): a replay then only knows what expressions last read, which is
    /// enough to make every decision. The interval must be chosen before the first frame; later
    /// calls do nothing. Each interval costs a look at all keys of each agent, 16 bytes of memory
    /// for each key, and about 8 bytes in the recording for a value that has changed. The chunks of
    /// a forest are noted in different frames.
    #[must_use]
    pub fn keys_every(mut self, frames: u32) -> Self {
        if self.is_empty() {
            self.recorder_mut().keys_every = frames;
        }
        self
    }

    /// Keeps the last `seconds` of the forest's time, and drops older frames: for a game that
    /// records all the time. It keeps up to twice as many seconds and a frame or two, as it drops
    /// frames in large parts, and notes the whole state of each agent twice in that time, so that
    /// it can be replayed without what was dropped. Trees and attached files are always kept.
    /// Frames that take no time are dropped only to keep within [`at_most`](Recording::at_most).
    #[must_use]
    pub fn last_seconds(mut self, seconds: f64) -> Self {
        let nanos = (seconds.max(0.0) * 1e9).min(9e18);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 9e18")]
        let span = Span(nanos as u64);
        self.recorder_mut().frames.keeps = Some(span);
        self
    }

    /// Keeps at most this many bytes of frames, and drops older ones. A frame that is larger is
    /// kept nevertheless. If the states of all agents take more than a quarter of it,
    /// [`complete_seconds`](Recording::complete_seconds) may stay at 0, and a replay does not have
    /// all agents.
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.recorder_mut().frames.most = Some(bytes);
        self
    }

    /// For how many seconds up to the last frame a replay has all agents. Before that some agents
    /// are missing, if frames were dropped.
    #[must_use]
    pub fn complete_seconds(&self) -> f64 {
        self.recorder().frames.whole().seconds()
    }

    /// How many frames it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.recorder().frames.len()
    }

    /// Whether it has no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes its frames take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.recorder().frames.bytes()
    }

    /// The whole recording, to be written to a file: see [`write_to`](Recording::write_to).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes).expect("a list takes all bytes");
        bytes
    }

    /// Writes the whole recording. Recording continues as before.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, to: &mut impl io::Write) -> io::Result<()> {
        let frames = &self.recorder().frames;
        to.write_all(&self.header(frames.len(), (0, 0)))?;
        frames.pieces().try_for_each(|it| to.write_all(it))
    }

    /// The magic, the version and the header of a piece with this number of frames. The header
    /// leaves out the trees and files that the reader has: the first `trees` and the first `files`.
    fn header(&self, frames: u64, (trees, files): (usize, usize)) -> Vec<u8> {
        let recorder = self.recorder();
        Header {
            seed: recorder.seed,
            frames,
            whole_after: recorder.frames.whole_after(),
            trees: self.inputs.trees[trees..].iter().map(|it| Bytes(it.outline.clone())).collect(),
            files: self.files[files..].to_vec(),
            keys_every: recorder.keys_every,
        }
        .to_bytes()
    }
}

impl Header {
    /// The magic, the version, the length and the header.
    fn to_bytes(&self) -> Vec<u8> {
        let header = crate::forest::record::packed(self);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes
    }
}

impl Tracer for Recording {
    const ENABLED: bool = false;
    const INPUTS: bool = true;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        Some(&mut self.inputs)
    }
    fn wants(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, _: AgentId, _: TraceEvent) {}
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} frames, {} bytes", self.len(), self.bytes())
    }
}
