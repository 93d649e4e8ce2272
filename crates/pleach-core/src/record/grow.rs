//! Recordings that are read while they grow.

use std::sync::Arc;

use super::replay::parts;
use super::{Header, Recording, ReplayError};
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
    /// What was added since the piece before, for [`Replay::extend`](super::Replay::extend).
    More(Vec<u8>),
    /// The next bytes of the piece before, which is whole when [`Reader::rest`] is 0.
    Rest(Vec<u8>),
}

impl Piece {
    /// Joins the bytes of a [`Begin`](Piece::Begin) and of the whole pieces after it into one
    /// recording.
    ///
    /// # Errors
    /// If one of them is not a piece of a recording.
    #[doc(hidden)]
    pub fn join<B: AsRef<[u8]>>(pieces: &[B]) -> Result<Vec<u8>, ReplayError> {
        let mut all: Option<(Header, Vec<u8>)> = None;
        for piece in pieces {
            let (header, frames) = parts(piece.as_ref())?;
            match &mut all {
                None => all = Some((header, frames.to_vec())),
                Some((first, bytes)) => {
                    first.frames = first.frames.saturating_add(header.frames);
                    first.trees.extend(header.trees);
                    first.files.extend(header.files);
                    bytes.extend(frames);
                }
            }
        }
        let Some((header, frames)) = all else { return Ok(Vec::new()) };
        let mut bytes = header.to_bytes();
        bytes.extend(frames);
        Ok(bytes)
    }
}

impl Reader {
    /// How many bytes of the piece before have not been read. They are lost if the recording drops
    /// them: the next piece is a [`Piece::Begin`] then.
    #[must_use]
    pub fn rest(&self) -> usize {
        self.read.as_ref().map_or(0, |it| it.place.rest)
    }
}

impl Recording {
    /// The next piece of the recording after those that the reader has got: a header, and `most`
    /// bytes of frames, but at least one byte. A frame that is longer is cut, and its
    /// [rest](Piece::Rest) follows. `None` if nothing is new. So a tool can follow a running game.
    /// The cost grows with the piece.
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
    ///     // Without a limit, no piece is cut.
    ///     while let Some(piece) = recording.read(&mut reader, usize::MAX) {
    ///         match (piece, &mut replay) {
    ///             (Piece::Begin(bytes), _) => {
    ///                 replay = Some(Replay::open(&bytes, |_| Some(Arc::clone(&tree)))?);
    ///             }
    ///             (Piece::More(bytes) | Piece::Rest(bytes), Some(replay)) => {
    ///                 replay.extend(&bytes, |_| None)?;
    ///             }
    ///             (_, None) => unreachable!("the first piece is a `Begin`"),
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
        let (frames, most) = (&self.recorder().frames, most.max(1));
        let mut bytes = Vec::new();
        let mut known = reader.read.as_mut().filter(|it| Arc::ptr_eq(&it.of, &self.identity));
        if let Some(read) = known.as_mut().filter(|it| it.place.rest > 0)
            && let Some(bytes) = frames.rest(&mut read.place, most)
        {
            return Some(Piece::Rest(bytes));
        }
        if let Some(read) = known.filter(|it| it.place.rest == 0)
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
