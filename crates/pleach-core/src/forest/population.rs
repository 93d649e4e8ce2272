//! The agents of one tree.

use std::sync::Arc;

use super::chunk::Chunk;
use super::parts::Shape;
use crate::blackboard::shared::SharedMap;
use crate::{Host, Tree};

/// One tree with its agents. A new agent goes to the first chunk with room (SEMANTICS 8.2).
pub(super) struct Population<H: Host> {
    pub(super) shape: Shape<H>,
    pub(super) chunks: Vec<Chunk<H>>,
    /// Every chunk before this one is full.
    room: u32,
    /// Its place in the order of trees.
    pub(super) order: u32,
}

impl<H: Host> Population<H> {
    pub(super) fn new(tree: Arc<Tree<H>>, map: SharedMap) -> Self {
        Population { shape: Shape::new(tree, map), chunks: Vec::new(), room: 0, order: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.chunks.iter().map(Chunk::len).sum()
    }

    /// The chunk that takes the next agent: the first with fewer than `most`, if there is one.
    pub(super) fn chunk_with_room(&mut self, most: usize) -> Option<usize> {
        while self.chunks.get(self.room as usize).is_some_and(|it| it.len() >= most) {
            self.room += 1;
        }
        Some(self.room as usize).filter(|&it| it < self.chunks.len())
    }

    /// Every chunk before this one is full.
    pub(super) fn room(&self) -> u32 {
        self.room
    }

    /// The chunks have changed.
    pub(super) fn set_room(&mut self, room: u32) {
        self.room = room;
    }

    /// An agent left this chunk.
    pub(super) fn made_room(&mut self, chunk: u32) {
        self.room = self.room.min(chunk);
    }
}
