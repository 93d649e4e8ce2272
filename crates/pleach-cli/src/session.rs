//! A run in progress: frame by frame, at a pace, with files that may change, and recorded if
//! requested.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pleach::asset::{Described, Manifest};
use pleach::record::Recording;
use pleach::{Host, Registry, Report};

use crate::ctrl_c::CtrlC;
use crate::failure::{Failure, say};
use crate::output;
use crate::pace::Pace;
use crate::paths::shown;
use crate::play::{Witness, timed_frame};
use crate::reload::{News, Reload};
use crate::words::{bytes, plural};
use crate::world::{FrameReport, World};

/// The name of the leaves' manifest in a recording.
const MANIFEST: &str = "game.leaves";
/// How many seconds are kept of a run that is not written to a file.
const LAST: f64 = 60.0;

/// A run in progress.
pub(crate) struct Session<'r, H: Host> {
    pub(crate) pace: Pace,
    pub(crate) ctrl_c: CtrlC,
    reload: Option<Reload<'r, H>>,
    tape: Option<Tape>,
}

impl<'r, H: Host> Session<'r, H> {
    /// # Errors
    /// The system refuses that a recording is written when a signal ends the program.
    pub(crate) fn new(pace: Pace, reload: Option<Reload<'r, H>>, tape: Option<Tape>) -> Result<Self, Failure> {
        let ctrl_c = CtrlC::listen();
        let ctrl_c = if tape.as_ref().is_some_and(|it| it.file.is_some()) { ctrl_c.with_signals()? } else { ctrl_c };
        Ok(Session { pace, ctrl_c, reload, tape })
    }

    /// Whether the files of the tree are followed.
    pub(crate) fn follows_files(&self) -> bool {
        self.reload.is_some()
    }

    /// If files are followed: waits until it is time for a frame, or until Ctrl-C is pressed.
    pub(crate) fn wait(&mut self, frame: u32) {
        if let Some(reload) = &mut self.reload {
            reload.wait(self.pace, frame, &self.ctrl_c);
        }
    }

    /// If files are followed: lets the game go on with a tree that has changed.
    pub(crate) fn look<W: World<Host = H>>(&mut self, game: &mut W, witness: Option<Witness<'_>>) -> Option<News<H>> {
        let reload = self.reload.as_mut()?;
        let news = reload.look(game, witness)?;
        if let (Some(tape), Some(_)) = (&mut self.tape, &news.tree) {
            tape.add_files(reload.texts());
        }
        Some(news)
    }

    /// Where the nodes of the tree are written now, if its files are followed.
    pub(crate) fn describe(&self) -> Option<Result<Described<H>, Report>> {
        self.reload.as_ref().map(Reload::describe)
    }

    /// Plays one frame. Returns what happened in it, and how long the agents' tick took.
    pub(crate) fn frame<W: World<Host = H>>(
        &mut self,
        game: &mut W,
        witness: Option<Witness<'_>>,
    ) -> Result<(FrameReport, Duration), Failure> {
        self.frame_of(game, self.pace.dt, witness)
    }

    /// Plays one frame of this length.
    pub(crate) fn frame_of<W: World<Host = H>>(
        &mut self,
        game: &mut W,
        dt: f32,
        witness: Option<Witness<'_>>,
    ) -> Result<(FrameReport, Duration), Failure> {
        let recording = self.tape.as_mut().map(|it| &mut it.recording);
        let is_watched = witness.is_some() || recording.is_some();
        timed_frame(game, dt, is_watched.then_some((witness, recording)))
    }

    /// What has been recorded.
    pub(crate) fn recording(&mut self) -> Option<&mut Recording> {
        self.tape.as_mut().map(|it| &mut it.recording)
    }

    /// Writes the recording, if there is one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn end(self) -> Result<(), Failure> {
        self.tape.map_or(Ok(()), |it| it.write())
    }
}

/// The recording of a run, and where to write it at the end, if anywhere.
pub(crate) struct Tape {
    file: Option<PathBuf>,
    recording: Recording,
}

impl Tape {
    /// A recording with everything needed to rebuild the trees. Without a file it keeps the last
    /// minute.
    ///
    /// # Errors
    /// The file is a tree, or cannot be there.
    pub(crate) fn new<H: Host>(
        file: Option<&Path>,
        tree: &Path,
        texts: Vec<(String, String)>,
        registry: &Registry<H>,
        keys_every: u32,
    ) -> Result<Self, Failure> {
        let mut recording = Recording::new().keys_every(keys_every);
        match file {
            Some(file) => {
                output::refuse_trees(file, Some(tree), "rec")?;
                output::refuse_missing(file)?;
            }
            None => recording = recording.last_seconds(LAST),
        }
        let mut tape = Tape { file: file.map(Into::into), recording };
        tape.recording.add_file(MANIFEST, Manifest::of(registry).to_ron());
        tape.add_files(texts);
        Ok(tape)
    }

    fn add_files(&mut self, texts: Vec<(String, String)>) {
        texts.into_iter().for_each(|(name, text)| self.recording.add_file(name, text));
    }

    fn write(self) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let all = self.recording.to_bytes();
        output::write(file, &all)?;
        #[expect(clippy::cast_precision_loss, reason = "it is shown with three digits")]
        let size = bytes(all.len() as f64);
        let frames = plural(usize::try_from(self.recording.len()).unwrap_or(usize::MAX), "frame");
        say(format_args!("recorded {frames} to `{}` ({size})", shown(file)));
        Ok(())
    }
}
