//! Adds to a recording what has been recorded since.

use std::sync::Arc;

use super::alike::alike;
use super::{RecordedTree, Replay, ReplayError, made, parts};
use crate::{Host, Tree};

impl<H: Host> Replay<H> {
    /// Adds the next piece of a recording: [`Piece::More`](crate::record::Piece::More). The
    /// replay's position stays the same. `tree` makes the trees that came with the piece, as for
    /// [`open_with`](Replay::open_with). The cost grows with the size of the piece.
    ///
    /// # Errors
    /// As [`open_with`](Replay::open_with), or if the piece belongs to another recording. Nothing
    /// is added then.
    pub fn extend(
        &mut self,
        bytes: &[u8],
        mut tree: impl FnMut(&RecordedTree<'_>) -> Option<Arc<Tree<H>>>,
    ) -> Result<(), ReplayError> {
        let (header, frames) = parts(bytes)?;
        if (header.seed, header.keys_every) != (self.forest.seed(), self.keys_every) {
            return Err(ReplayError::NotARecording("the piece is of another recording".to_owned()));
        }
        let before = self.files.len();
        self.files.extend(header.files.into_iter().map(|(name, it)| (name, it.0)));
        match made(&header.trees, &self.files, &self.trees, &mut tree, alike) {
            Ok(trees) => self.trees.extend(trees),
            Err(error) => {
                self.files.truncate(before);
                return Err(error);
            }
        }
        self.frames.extend(frames);
        self.count = self.count.saturating_add(header.frames);
        Ok(())
    }
}
