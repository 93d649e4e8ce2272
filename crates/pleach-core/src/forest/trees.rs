//! The trees of a forest, by id, by place, and in the order in which they were added.

use std::num::NonZeroU32;
use std::ops::Range;

use super::TreeId;
use super::chunk::Chunk;
use super::population::{Population, Shape};
use crate::Host;
use crate::ids::salted::{Salt, SaltedMap};
use crate::row::{CHUNK, Row};

pub(super) struct Trees<H: Host> {
    ids: SaltedMap<TreeId, TreePlace>,
    places: Vec<Option<Population<H>>>,
    order: Vec<TreeId>,
    /// Where each chunk is, of any tree, by its number.
    homes: Vec<Home>,
    /// Numbers of chunks that are gone.
    free: Vec<u32>,
}

/// Where a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreePlace(u32);

impl TreePlace {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a chunk is.
#[derive(Clone, Copy, Debug)]
struct Home {
    tree: TreePlace,
    chunk: u32,
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

const HERE: &str = "a tree stays as long as it has agents";

impl<H: Host> Trees<H> {
    pub(super) fn new(salt: Salt) -> Self {
        Trees { ids: SaltedMap::new(salt), places: Vec::new(), order: Vec::new(), homes: Vec::new(), free: Vec::new() }
    }

    pub(super) fn insert(&mut self, population: Population<H>) -> TreeId {
        let free = self.places.iter().position(Option::is_none).unwrap_or(self.places.len());
        if free == self.places.len() {
            self.places.push(None);
        }
        self.places[free] = Some(population);
        let id = self.ids.insert(TreePlace(u32::try_from(free).expect("memory ends before 2^32 trees")));
        self.order.push(id);
        id
    }

    pub(super) fn remove(&mut self, tree: TreeId) -> Option<Population<H>> {
        let place = self.ids.remove(tree)?;
        let population = self.places[place.index()].take().expect(HERE);
        self.free.extend(population.chunks.iter().map(|it| it.number));
        self.order.retain(|&it| it != tree);
        Some(population)
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

    /// Makes a chunk for a tree's next agent, if all are full. Returns its index among the chunks
    /// of all trees.
    pub(super) fn make_room(&mut self, id: TreeId) -> Option<usize> {
        let tree = self.place(id)?;
        let population = self.places[tree.index()].as_mut().expect(HERE);
        if population.chunk_with_room().is_some() {
            return None;
        }
        let chunks = population.chunks.len();
        let home = Home { tree, chunk: u32::try_from(chunks).expect("bounded by MAX_AGENTS") };
        let number = self.free.pop().unwrap_or_else(|| {
            self.homes.push(home);
            u32::try_from(self.homes.len() - 1).ok().filter(|&it| it < u32::MAX / SIZE).expect("memory for 2^22 chunks")
        });
        self.homes[number as usize] = home;
        population.chunks.push(Chunk::new(&population.shape, number));
        Some(self.first_chunk(id) + chunks)
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

    pub(super) fn ids(&self) -> &[TreeId] {
        &self.order
    }

    /// Calls `call` for each population, in the order in which the trees were added.
    pub(super) fn for_each(&mut self, mut call: impl FnMut(&mut Population<H>)) {
        for &tree in &self.order {
            let place = self.ids[tree];
            call(self.places[place.index()].as_mut().expect(HERE));
        }
    }

    /// How many chunks all trees have together.
    pub(super) fn chunks(&self) -> usize {
        self.order.iter().filter_map(|&it| self.get(it)).map(|it| it.chunks.len()).sum()
    }

    /// The index of a tree's first chunk among those of all trees.
    pub(super) fn first_chunk(&self, tree: TreeId) -> usize {
        let before = self.order.iter().take_while(|&&it| it != tree);
        before.filter_map(|&it| self.get(it)).map(|it| it.chunks.len()).sum()
    }

    /// Calls `call` for some of the chunks, by their indices among those of all trees.
    pub(super) fn for_chunks(&mut self, part: Range<usize>, mut call: impl FnMut(usize, &Shape<H>, &mut Chunk<H>)) {
        let mut first = 0;
        self.for_each(|Population { shape, chunks, .. }| {
            let here = |it: usize| it.saturating_sub(first).min(chunks.len());
            let (from, to) = (here(part.start), here(part.end));
            for (chunk, number) in chunks[from..to].iter_mut().zip(first + from..) {
                call(number, shape, chunk);
            }
            first += chunks.len();
        });
    }
}
