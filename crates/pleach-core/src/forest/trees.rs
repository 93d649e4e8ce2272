//! The trees of a forest, by id, by place, and in the order in which they were added.

use std::num::NonZeroU32;
use std::ops::Range;

use super::TreeId;
use super::chunk::Chunk;
use super::parts::Shape;
use super::population::Population;
use crate::Host;
use crate::ids::salted::{Salt, SaltedMap};
use crate::row::{CHUNK, Row};

/// Invariant O1: each tree that is here stands once in the order, where its population says. The
/// order has gaps where trees were removed, at most as many as there are trees, and some more.
pub(super) struct Trees<H: Host> {
    ids: SaltedMap<TreeId, TreePlace>,
    places: Vec<Option<Population<H>>>,
    /// Places without a population.
    vacant: Vec<TreePlace>,
    order: Vec<Option<(TreeId, TreePlace)>>,
    /// Where each chunk is, of any tree, by its number.
    homes: Vec<Home>,
    /// Numbers of chunks that are gone.
    free: Vec<u32>,
    /// For how many agents a chunk has room at least, if it has any.
    pub(super) least: usize,
}

/// Gaps in the order that are too few to be closed.
const GAPS: usize = 32;

/// Where a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreePlace(u32);

impl TreePlace {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a chunk stands among those of all trees: which place of the order its tree has, and which
/// chunk of the tree it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChunkPlace {
    pub(super) tree: usize,
    pub(super) chunk: usize,
}

impl ChunkPlace {
    /// Behind all chunks.
    pub(super) const END: ChunkPlace = ChunkPlace { tree: usize::MAX, chunk: 0 };

    /// The place behind this one in the same tree.
    pub(super) fn next(self) -> Self {
        ChunkPlace { chunk: self.chunk + 1, ..self }
    }
}

/// Where a chunk is.
#[derive(Clone, Copy, Debug)]
struct Home {
    tree: TreePlace,
    chunk: u32,
}

/// Where the next call within a budget goes on: a chunk, and an agent of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) chunk: ChunkPlace,
    pub(super) row: Row,
}

/// Where an agent is, in four bytes: the number of its chunk and its row there, together, plus
/// one. So zero is free for "nowhere".
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(NonZeroU32);

impl Place {
    pub(super) fn new(chunk: u32, row: Row) -> Self {
        Place(NonZeroU32::MIN.saturating_add(chunk * SIZE + u32::try_from(row.index()).expect("C2")))
    }
    fn number(self) -> usize {
        self.0.get() as usize - 1
    }
    pub(super) fn row(self) -> Row {
        Row::of_number(self.number())
    }
    fn home(self) -> usize {
        self.number() / CHUNK
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a chunk is small")]
const SIZE: u32 = CHUNK as u32;

/// For how many agents a chunk behind the first has room at first.
const NEXT: usize = 64;

const HERE: &str = "a tree stays as long as it has agents";

impl<H: Host> Trees<H> {
    pub(super) fn new(salt: Salt) -> Self {
        Trees {
            ids: SaltedMap::new(salt),
            places: Vec::new(),
            vacant: Vec::new(),
            order: Vec::new(),
            homes: Vec::new(),
            free: Vec::new(),
            least: 1,
        }
    }

    pub(super) fn insert(&mut self, mut population: Population<H>) -> TreeId {
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.places.push(None);
            TreePlace(u32::try_from(self.places.len() - 1).expect("memory ends before 2^32 trees"))
        });
        let id = self.ids.insert(place);
        population.order = self.order.len();
        self.order.push(Some((id, place)));
        self.places[place.index()] = Some(population);
        id
    }

    /// Removes a tree. A cursor in it goes to the next tree.
    pub(super) fn remove(&mut self, tree: TreeId, cursor: &mut Cursor) -> Option<Population<H>> {
        let place = self.ids.remove(tree)?;
        let population = self.places[place.index()].take().expect(HERE);
        self.vacant.push(place);
        self.free.extend(population.chunks.iter().map(|it| it.number));
        self.order[population.order] = None;
        if cursor.chunk.tree == population.order {
            let next = (population.order..self.order.len()).find(|&it| self.order[it].is_some());
            let chunk = next.map(|tree| ChunkPlace { tree, chunk: 0 });
            *cursor = Cursor { chunk: chunk.unwrap_or_default(), row: Row::FIRST };
        }
        if self.order.len() > 2 * self.ids.len() + GAPS {
            self.close_gaps(cursor);
        }
        Some(population)
    }

    /// Closes the gaps in the order. As many trees were removed since the last time as are here, so
    /// each of them pays for a constant part of it.
    fn close_gaps(&mut self, cursor: &mut Cursor) {
        cursor.chunk.tree = self.order[..cursor.chunk.tree].iter().flatten().count();
        self.order.retain(Option::is_some);
        self.order.shrink_to(2 * self.order.len() + GAPS);
        for (order, (_, place)) in self.order.iter().flatten().enumerate() {
            self.places[place.index()].as_mut().expect(HERE).order = order;
        }
    }

    pub(super) fn place(&self, tree: TreeId) -> Option<TreePlace> {
        self.ids.get(tree).copied()
    }

    /// The tree of the agent at a place.
    pub(super) fn of(&self, place: Place) -> TreePlace {
        self.homes[place.home()].tree
    }

    pub(super) fn get(&self, tree: TreeId) -> Option<&Population<H>> {
        Some(self.places[self.place(tree)?.index()].as_ref().expect(HERE))
    }

    pub(super) fn get_mut(&mut self, tree: TreeId) -> Option<&mut Population<H>> {
        let place = self.place(tree)?;
        Some(self.places[place.index()].as_mut().expect(HERE))
    }

    /// Makes a chunk for a tree's next agent, if all are full.
    pub(super) fn make_room(&mut self, id: TreeId) {
        let Some(tree) = self.place(id) else { return };
        let population = self.places[tree.index()].as_mut().expect(HERE);
        if population.chunk_with_room().is_some() {
            return;
        }
        let chunks = population.chunks.len();
        let home = Home { tree, chunk: u32::try_from(chunks).expect("bounded by MAX_AGENTS") };
        let number = self.free.pop().unwrap_or_else(|| {
            self.homes.push(home);
            u32::try_from(self.homes.len() - 1).ok().filter(|&it| it < u32::MAX / SIZE).expect("memory for 2^22 chunks")
        });
        self.homes[number as usize] = home;
        if chunks == 0 {
            // Many trees have few agents: a list would have room for four chunks.
            population.chunks.reserve_exact(1);
        }
        // A tree that fills chunks begins the next one with room: to grow costs copies.
        let first = if chunks == 0 { self.least } else { NEXT };
        population.chunks.push(Chunk::new(&population.shape, number, first, self.least));
    }

    /// The chunk that takes a tree's next agent, if there is room.
    pub(super) fn room(&mut self, tree: TreeId) -> Option<(&Shape<H>, &mut Chunk<H>)> {
        let tree = self.place(tree)?;
        let population = self.places[tree.index()].as_mut().expect(HERE);
        let index = population.chunk_with_room()?;
        Some((&population.shape, &mut population.chunks[index]))
    }

    /// An agent has left this place.
    pub(super) fn made_room(&mut self, place: Place) {
        let Home { tree, chunk } = self.homes[place.home()];
        self.places[tree.index()].as_mut().expect(HERE).made_room(chunk as usize);
    }

    pub(super) fn find(&self, place: Place) -> (&Population<H>, &Chunk<H>) {
        let Home { tree, chunk } = self.homes[place.home()];
        let population = self.places[tree.index()].as_ref().expect(HERE);
        (population, &population.chunks[chunk as usize])
    }

    pub(super) fn find_mut(&mut self, place: Place) -> (&Shape<H>, &mut Chunk<H>) {
        let Home { tree, chunk } = self.homes[place.home()];
        let Population { shape, chunks, .. } = self.places[tree.index()].as_mut().expect(HERE);
        (shape, &mut chunks[chunk as usize])
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The trees, in the order in which they were added.
    pub(super) fn ids(&self) -> impl Iterator<Item = TreeId> {
        self.order.iter().flatten().map(|it| it.0)
    }

    /// Calls `call` for each population, in the order in which the trees were added.
    pub(super) fn for_each(&mut self, mut call: impl FnMut(&mut Population<H>)) {
        for (_, place) in self.order.iter().flatten() {
            call(self.places[place.index()].as_mut().expect(HERE));
        }
    }

    /// How many chunks all trees have together.
    #[cfg(feature = "rayon")]
    pub(super) fn chunks(&self) -> usize {
        self.places.iter().flatten().map(|it| it.chunks.len()).sum()
    }

    /// Calls `call` for some of the chunks.
    pub(super) fn for_chunks(
        &mut self,
        part: Range<ChunkPlace>,
        mut call: impl FnMut(ChunkPlace, &Shape<H>, &mut Chunk<H>),
    ) {
        let trees = part.start.tree..self.order.len().min(part.end.tree.saturating_add(1));
        for tree in trees {
            let Some((_, place)) = self.order[tree] else { continue };
            let Population { shape, chunks, .. } = self.places[place.index()].as_mut().expect(HERE);
            let from = if tree == part.start.tree { part.start.chunk } else { 0 };
            for (index, chunk) in chunks.iter_mut().enumerate().skip(from) {
                let place = ChunkPlace { tree, chunk: index };
                if place >= part.end {
                    return;
                }
                call(place, shape, chunk);
            }
        }
    }
}
