//! Recordings that are read while they grow.

use std::sync::Arc;

use super::Recording;
use crate::inputs::ring::Place;

/// The place up to which a [`Recording`] has been read: see [`Recording::read`].
#[derive(Clone, Debug, Default)]
pub struct Reader {
    read: Option<Read>,
}

#[derive(Clone, Debug)]
struct Read {
    of: Arc<()>,
    place: Place,
    trees: usize,
    files: usize,
}

/// A part of a recording, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A recording by itself, for [`Replay::open`](super::Replay::open). It is the first piece that
    /// a reader gets, and comes again if the recording has dropped frames that were not read, or is
    /// another one.
    Begin(Vec<u8>),
    /// What came since the piece before, for [`Replay::extend`](super::Replay::extend).
    More(Vec<u8>),
}

impl Recording {
    /// The next piece of the recording behind those that the reader has got: about `most` bytes of
    /// frames, but one frame at least. `None` if nothing is new. So a tool can follow a game that
    /// runs. Costs what the piece takes.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes, record::{Piece, Reader, Recording, Replay}};
    /// # use std::sync::Arc;
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let tree = Arc::new(Tree::builder("guard").build(nodes::wait(0.3))?);
    /// # let guards = forest.add_tree(Arc::clone(&tree))?;
    /// # forest.spawn(&mut (), guards)?;
    /// let (mut recording, mut reader) = (Recording::new(), Reader::default());
    /// let mut replay: Option<Replay<Game>> = None;
    /// for _ in 0..60 {
    ///     forest.traced(&mut recording).tick(&mut (), 0.1)?;
    ///     while let Some(piece) = recording.read(&mut reader, 1 << 16) {
    ///         match (piece, &mut replay) {
    ///             (Piece::More(bytes), Some(replay)) => replay.extend(&bytes, |_| None)?,
    ///             (Piece::Begin(bytes) | Piece::More(bytes), _) => {
    ///                 replay = Some(Replay::open(&bytes, |_| Some(Arc::clone(&tree)))?);
    ///             }
    ///         }
    ///     }
    /// }
    /// let mut replay = replay.expect("there was a first piece");
    /// while replay.step(&mut ())? {}
    /// assert_eq!(replay.played(), 60);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn read(&self, reader: &mut Reader, most: usize) -> Option<Piece> {
        let frames = &self.recorder().frames;
        let mut bytes = Vec::new();
        let known = reader.read.as_mut().filter(|it| Arc::ptr_eq(&it.of, &self.identity));
        if let Some(read) = known
            && let Some(count) = frames.read(&mut read.place, most, &mut bytes)
        {
            let before = (read.trees, read.files);
            (read.trees, read.files) = (self.inputs.trees.len(), self.files.len());
            if count == 0 && before == (read.trees, read.files) {
                return None;
            }
            let mut piece = self.header(count, before);
            piece.append(&mut bytes);
            return Some(Piece::More(piece));
        }
        if self.is_empty() {
            return None;
        }
        let mut place = frames.oldest();
        let count = frames.read(&mut place, most, &mut bytes)?;
        let mut piece = self.header(count, (0, 0));
        piece.append(&mut bytes);
        let (trees, files) = (self.inputs.trees.len(), self.files.len());
        reader.read = Some(Read { of: Arc::clone(&self.identity), place, trees, files });
        Some(Piece::Begin(piece))
    }
}
