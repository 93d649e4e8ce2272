//! The recording of the last minute of all agents: the past of an agent that is chosen only later,
//! and a file for `pleach replay`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach::asset::{Directory, Manifest, Source, SourceError, Stamp};
use pleach::record::{Recording, Replay, ReplayError};
use pleach::trace::Recorder;
use pleach::{AgentId, Registry, Tree};
use pleach_arena::{Arena, ArenaCx, Game};

use super::Sim;
use crate::behaviour::Behaviours;
use crate::history::{History, Moment};
use crate::timeline::{SPAN, Timeline, kinds};

/// How many bytes of frames are kept, and how many per agent if that is more. The state of an agent
/// takes about 400, and is saved again with each quarter of all bytes.
const MOST: usize = 16 << 20;
const EACH: usize = 2048;

/// The files of a folder, with their texts as last read.
#[derive(Debug)]
pub(super) struct Kept {
    directory: Directory,
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Kept {
    pub(super) fn new(directory: Directory) -> Self {
        Kept { directory, read: RefCell::default() }
    }
}

impl Source for Kept {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        let bytes = self.directory.read(name)?;
        self.read.borrow_mut().insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.directory.names()
    }
    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        self.directory.stamp(name)
    }
    fn shown(&self, name: &str) -> String {
        self.directory.shown(name)
    }
}

/// What all agents did in the last minute.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) recording: Recording,
    /// The number of its last frame.
    pub(super) frame: u64,
    /// All versions of all trees.
    trees: Vec<Arc<Tree<Arena>>>,
    /// The folder to which it is written if a panic drops it.
    pub(super) on_panic: Option<PathBuf>,
}

impl Past {
    pub(super) fn new(registry: &Registry<Arena>, agents: usize) -> Self {
        // Four times a second also the keys that no expression reads, for the panel.
        let mut recording = Recording::new().keys_every(15).last_seconds(SPAN).at_most(MOST.max(agents * EACH));
        recording.add_file("game.leaves", Manifest::of(registry).to_ron());
        Past { recording, frame: 0, trees: Vec::new(), on_panic: None }
    }

    /// Adds the game's new trees, and the texts of all files, so that those of one version stay
    /// together.
    pub(super) fn add_trees(&mut self, game: &Game, files: &Kept) {
        for tree in game.trees().filter_map(|it| game.forest.tree(it).ok()) {
            if !self.trees.iter().any(|it| Arc::ptr_eq(it, tree)) {
                self.trees.push(Arc::clone(tree));
            }
        }
        for (name, bytes) in &*files.read.borrow() {
            self.recording.add_file(name, bytes.clone());
        }
    }

    /// What an agent did in the last [`SPAN`] seconds before now. `None` if it is not recorded.
    pub(super) fn of(
        &self,
        agent: AgentId,
        now: f64,
        behaviours: &Behaviours,
        cx: &mut ArenaCx<'_>,
    ) -> Result<Option<(Timeline<Arena>, History)>, ReplayError> {
        let Some(number) = self.recording.number_of(agent) else { return Ok(None) };
        let bytes = self.recording.to_bytes();
        let of = |trees: &[Arc<Tree<Arena>>], it: &pleach::record::RecordedTree<'_>| {
            trees.iter().find(|tree| it.is(tree)).cloned()
        };
        let mut replay = Replay::<Arena>::open(&bytes, |it| of(&self.trees, it))?.only(number);
        let mut recorder = Recorder::of([agent]).only(kinds());
        let mut played: Option<(Timeline<Arena>, History)> = None;
        while replay.step_traced(cx, &mut recorder)? {
            let (entries, time) = (recorder.take(), replay.forest().time());
            let Some(seen) = replay.forest().agent(agent).ok().filter(|_| time >= now - SPAN) else { continue };
            let (behaviour, Ok(view)) = (behaviours.of_other(seen), replay.inspect(agent)) else { continue };
            let (timeline, history) = played.get_or_insert_with(|| (Timeline::begin(&view, time), History::default()));
            timeline.extend(entries, time, &view);
            history.push(Moment { time, view, behaviour, actor: None });
        }
        Ok(played)
    }

    /// Writes the recording to a new file in a folder. Returns its path. An error names it.
    fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        for nth in 1_u32.. {
            let again = if nth == 1 { String::new() } else { format!("-{nth}") };
            let path = folder.join(format!("arena-{}{again}.rec", self.frame));
            let named = |why: io::Error| io::Error::new(why.kind(), format!("{}: {why}", path.display()));
            let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(named)?,
            };
            if let Err(why) = file.write_all(&self.recording.to_bytes()) {
                // Half a recording is useless. If it stays, the first error says why.
                let _ = fs::remove_file(&path);
                return Err(named(why));
            }
            return Ok(path);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Past {
    fn drop(&mut self) {
        let Some(folder) = self.on_panic.as_ref().filter(|_| std::thread::panicking()) else { return };
        let mut err = io::stderr();
        // A terminal that is gone is no reason to panic again.
        let _ = match self.write(folder) {
            Ok(path) => writeln!(err, "arena: the last minute is in {}: pleach replay {0}", path.display()),
            Err(why) => writeln!(err, "arena: cannot write the last minute: {why}"),
        };
    }
}

impl Sim {
    /// Writes the recording of the last minute to a new file in a folder. Returns its path.
    ///
    /// # Errors
    /// The file cannot be written. The recording goes on.
    pub fn save(&self, folder: &Path) -> io::Result<PathBuf> {
        self.past.write(folder)
    }

    /// From now on writes the recording to that folder if the program panics.
    pub fn save_on_panic(&mut self, folder: PathBuf) {
        self.past.on_panic = Some(folder);
    }
}
