//! The recording of a running game, whose trees arrive one after the other.

use std::path::Path;

use pleach::asset::CheckOnly;
use pleach::record::Replay;
use pleach::{Host, Registry};
use pleach_studio_core::Session;

use super::trees::{Makers, Open};
use crate::failure::Failure;
use crate::paths::shown;

/// Makes sessions from the pieces of a recording.
pub(crate) struct Growing<'a, H: Host> {
    open: Open<'a, H>,
    /// For the growing recording.
    makers: Makers<'a>,
}

impl<'a, H: Host> Growing<'a, H> {
    /// Of a game of this name. Leaves that its recording does not describe are those of `given`,
    /// else those of this program, which is called `program`.
    pub(crate) fn new(
        game: &'a str,
        own: &'a Registry<H>,
        given: Option<&'a Registry<CheckOnly>>,
        program: &'a str,
        leaves: Option<&'a Path>,
    ) -> Self {
        let file = Path::new(game);
        let open = Open {
            bytes: &[],
            own,
            given,
            game: program,
            file,
            with: None,
            leaves,
            wants_places: true,
            in_studio: true,
        };
        Growing { makers: open.makers(None), open }
    }

    /// Starts a session from the first piece of a recording.
    ///
    /// # Errors
    /// A tree cannot be made, or the piece cannot be read.
    pub(crate) fn begin(&mut self, bytes: Vec<u8>) -> Result<Session, Failure> {
        // A game that was started again may have other files.
        self.makers = self.open.makers(None);
        let (mut failure, mut places) = (None, Vec::new());
        let opened = Replay::open_with(&bytes, |recorded| match self.makers.make(recorded) {
            Ok((loaded, at)) => {
                places.push(at);
                Some(loaded.tree)
            }
            Err(it) => {
                failure.get_or_insert(it);
                None
            }
        });
        let trees = match (failure, opened) {
            (Some(failure), _) => return Err(failure),
            (None, Err(error)) => return Err(self.broken(&error)),
            (None, Ok(replay)) => replay.trees().cloned().collect(),
        };
        let game = shown(self.open.file);
        Session::live(game, bytes, trees, places).map_err(|it| self.broken(&it))
    }

    /// Adds the next piece to a session. Returns whether a breakpoint stops the game.
    ///
    /// # Errors
    /// As [`begin`](Growing::begin).
    pub(crate) fn more(&mut self, session: &mut Session, bytes: Vec<u8>) -> Result<bool, Failure> {
        let mut failure = None;
        let makers = &mut self.makers;
        let made = session.extend(bytes, |recorded| match makers.make(recorded) {
            Ok((loaded, at)) => Some((loaded.tree, at)),
            Err(it) => {
                failure.get_or_insert(it);
                None
            }
        });
        match (failure, made) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(self.broken(&error)),
            (None, Ok(stops)) => Ok(stops),
        }
    }

    fn broken(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::Failed(format!("`{}`: {error}", shown(self.open.file)))
    }
}
