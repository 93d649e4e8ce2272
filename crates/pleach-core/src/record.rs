//! Recordings: what agents did, to be computed again without the game (SEMANTICS 13).
//!
//! A behaviour tree decides by what its leaves answer and by the keys it reads. A [`Recording`]
//! notes just that, where it is not what it was the last time, so that it takes a few bytes per
//! agent and second. [`Replay`] gives it to the same trees, in any process: then every decision is
//! made again, and all that [`inspect`](crate::inspect) and [`trace`](crate::trace) can say of a
//! living agent they say of each moment of the recording.

mod bytes;
mod frame;
mod problem;
mod replay;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::AgentId;
use crate::inputs::recorder::Recorder;
use crate::inputs::{Inputs, Mode};
use crate::trace::{TraceEvent, Tracer};
use bytes::Bytes;
pub use problem::{Divergence, ReplayError};
pub use replay::{RecordedTree, Replay};

/// The format that this version writes and reads.
const VERSION: u32 = 1;
/// What a recording begins with.
const MAGIC: &[u8; 8] = b"pleachrc";

/// All of a recording but its frames, which come behind it.
#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    seed: u64,
    frames: u64,
    trees: Vec<Bytes>,
    files: Vec<(String, String)>,
}

/// Records what agents do in the calls that are made through it: a [`Tracer`] like any other, to be
/// lent to a forest.
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
    files: Vec<(String, String)>,
}

impl Default for Recording {
    fn default() -> Self {
        Recording::new()
    }
}

impl Recording {
    /// One that is empty.
    #[must_use]
    pub fn new() -> Self {
        Recording { inputs: Inputs::new(Mode::Record(Recorder::default())), files: Vec::new() }
    }

    /// Keeps a text with the recording, such as the file of a tree, so that a tool can make the
    /// tree anew.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.files.push((name.into(), text.into()));
    }

    fn recorder(&self) -> &Recorder {
        match &self.inputs.mode {
            Mode::Record(it) => it,
            _ => unreachable!("a recording has a recorder"),
        }
    }

    /// How many frames it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.recorder().count
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes its frames take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.recorder().frames.len()
    }

    /// All of it, to be written to a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let recorder = self.recorder();
        let header = Header {
            version: VERSION,
            seed: recorder.seed,
            frames: recorder.count,
            trees: self.inputs.trees.iter().map(|it| Bytes(it.outline.clone())).collect(),
            files: self.files.clone(),
        };
        let header = crate::forest::record::packed(&header);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(&recorder.frames);
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
