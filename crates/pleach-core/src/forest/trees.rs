//! The trees of a forest, by id, by place, and in the order in which they were added.

use std::num::NonZeroU32;
use std::ops::Range;

use indexmap::IndexMap;

use super::chunk::Chunk;
use super::parts::{ForestParts, Shape};
use super::population::Population;
use super::slots::Slots;
use super::{AgentId, TreeId};
use crate::Host;
use crate::blackboard::KeyNeed;
use crate::ids::salted::{Salt, SaltedMap};
use crate::row::{CHUNK, Row};
use crate::trace::Tracer;

/// Invariant O1: each tree of the forest is in the order once, where its population says. The order
/// has gaps where trees were removed, at most as many as there are trees, and some more.
pub(super) struct Trees<H: Host> {
    ids: SaltedMap<TreeId, TreePlace>,
    populations: Slots<Population<H>>,
    order: Vec<Option<(TreeId, TreePlace)>>,
    /// The keys that the game relies on. Few trees have any, so they are not stored with the trees.
    needs: IndexMap<TreeId, Vec<KeyNeed>>,
    /// Where each chunk is, of any tree, by its number.
    homes: Homes,
    /// The minimum capacity of a chunk, in agents, if it has any.
    least: usize,
    /// How many agents a chunk has at most.
    most: usize,
    /// How many chunks there can be: a place has four bytes. Less in tests, which have less memory.
    pub(super) chunks: u32,
}

/// This many gaps in the order are too few to be closed.
const GAPS: usize = 32;

/// Where a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreePlace(NonZeroU32);

impl TreePlace {
    /// A place among the populations. Zero is free for "nowhere".
    fn new(slot: u32) -> Self {
        TreePlace(NonZeroU32::MIN.checked_add(slot).expect("memory ends before 2^32 trees"))
    }

    fn slot(self) -> u32 {
        self.0.get() - 1
    }
}

/// The position of a chunk among those of all trees: the place of its tree in the order, and the
/// index of the chunk in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChunkPlace {
    pub(super) tree: usize,
    pub(super) chunk: usize,
}

impl ChunkPlace {
    /// After all chunks.
    pub(super) const END: ChunkPlace = ChunkPlace { tree: usize::MAX, chunk: 0 };

    /// The place after this one in the same tree.
    pub(super) fn next(self) -> Self {
        ChunkPlace { chunk: self.chunk + 1, ..self }
    }
}

/// Where each chunk is, by its number.
pub(super) type Homes = Slots<Home>;

/// Where a chunk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    tree: TreePlace,
    chunk: u32,
}

/// Where the next call within a budget carries on: a chunk, and an agent of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) chunk: ChunkPlace,
    pub(super) row: Row,
}

/// Where an agent is, in four bytes: the number of its chunk and its row there, together, plus
/// one. So zero is free for "nowhere".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(NonZeroU32);

impl Place {
    pub(super) fn new(chunk: u32, row: Row) -> Self {
        Place(NonZeroU32::MIN.saturating_add(chunk * SIZE + u32::try_from(row.index()).expect("C2")))
    }
    fn number(self) -> u32 {
        self.0.get() - 1
    }
    pub(super) fn row(self) -> Row {
        Row::of_number(self.number() as usize)
    }
    /// The number of the chunk.
    pub(super) fn home(self) -> u32 {
        self.number() / SIZE
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a chunk is small")]
const SIZE: u32 = CHUNK as u32;

/// The initial capacity, in agents, of a chunk after the first.
const NEXT: usize = 64;

const HERE: &str = "a tree stays as long as it has agents";

impl<H: Host> Trees<H> {
    pub(super) fn new(salt: Salt) -> Self {
        Trees {
            ids: SaltedMap::new(salt),
            populations: Slots::default(),
            order: Vec::new(),
            needs: IndexMap::new(),
            homes: Slots::default(),
            least: 1,
            most: CHUNK,
            chunks: u32::MAX / SIZE,
        }
    }

    /// The keys of a tree that the game relies on.
    pub(super) fn needs(&self, tree: TreeId) -> &[KeyNeed] {
        self.needs.get(&tree).map_or(&[], |it| it)
    }

    /// The same for a tree of the forest, to add some.
    pub(super) fn needs_mut(&mut self, tree: TreeId) -> &mut Vec<KeyNeed> {
        self.needs.entry(tree).or_default()
    }

    pub(super) fn insert(&mut self, mut population: Population<H>) -> TreeId {
        population.order = number(self.order.len());
        let place = TreePlace::new(self.populations.insert(population));
        let id = self.ids.insert(place);
        self.order.push(Some((id, place)));
        id
    }

    /// Removes a tree. A cursor in it goes to the next tree.
    pub(super) fn remove(&mut self, tree: TreeId, cursor: &mut Cursor) -> Option<Population<H>> {
        let place = self.ids.remove(tree)?;
        self.needs.swap_remove(&tree);
        let population = self.populations.remove(place.slot()).expect(HERE);
        for chunk in &population.chunks {
            self.homes.remove(chunk.number);
        }
        let order = population.order as usize;
        self.order[order] = None;
        if cursor.chunk.tree == order {
            let next = (order..self.order.len()).find(|&it| self.order[it].is_some());
            let chunk = next.map(|tree| ChunkPlace { tree, chunk: 0 });
            *cursor = Cursor { chunk: chunk.unwrap_or_default(), row: Row::FIRST };
        }
        if self.order.len() > 2 * self.ids.len() + GAPS {
            self.close_gaps(cursor);
        }
        Some(population)
    }

    /// Closes the gaps in the order. As many trees were removed since the last time as remain, so
    /// each of them pays for a constant part of it.
    fn close_gaps(&mut self, cursor: &mut Cursor) {
        cursor.chunk.tree = self.order[..cursor.chunk.tree].iter().flatten().count();
        self.order.retain(Option::is_some);
        self.order.shrink_to(2 * self.order.len() + GAPS);
        for (order, (_, place)) in self.order.iter().flatten().enumerate() {
            self.populations.get_mut(place.slot()).expect(HERE).order = number(order);
        }
    }

    pub(super) fn place(&self, tree: TreeId) -> Option<TreePlace> {
        self.ids.get(tree).copied()
    }

    /// The tree of the agent at a place.
    pub(super) fn of(&self, place: Place) -> TreeId {
        let order = self.find(place).0.order;
        self.order[order as usize].expect(HERE).0
    }

    fn home(&self, place: Place) -> Home {
        *self.homes.get(place.home()).expect(HERE)
    }

    pub(super) fn get(&self, tree: TreeId) -> Option<&Population<H>> {
        Some(self.populations.get(self.place(tree)?.slot()).expect(HERE))
    }

    pub(super) fn get_mut(&mut self, tree: TreeId) -> Option<&mut Population<H>> {
        let place = self.place(tree)?;
        Some(self.populations.get_mut(place.slot()).expect(HERE))
    }

    /// The maximum and the initial capacity of chunks, in agents.
    pub(super) fn room_of_chunks(&self) -> (usize, usize) {
        (self.most, self.least)
    }

    /// Changes these. Chunks that have more agents keep them.
    pub(super) fn set_room_of_chunks(&mut self, most: usize, least: usize) {
        (self.most, self.least) = (most.clamp(1, CHUNK), least.clamp(1, CHUNK).next_power_of_two());
        self.for_each(|it| it.made_room(0));
    }

    /// Makes a chunk for a tree's next agent, if all are full. Returns whether there can be one.
    pub(super) fn make_room(&mut self, id: TreeId) -> bool {
        let Some(tree) = self.place(id) else { return true };
        let population = self.populations.get_mut(tree.slot()).expect(HERE);
        if population.chunk_with_room(self.most).is_some() {
            return true;
        }
        let chunks = population.chunks.len();
        let home = Home { tree, chunk: u32::try_from(chunks).expect("bounded by MAX_AGENTS") };
        let number = self.homes.insert(home);
        if number >= self.chunks {
            self.homes.remove(number);
            return false;
        }
        if chunks == 0 {
            // Many trees have few agents: a list would have room for four chunks.
            population.chunks.reserve_exact(1);
        }
        // A tree that fills chunks begins the next one with room: growing costs copies.
        let first = if chunks == 0 { self.least } else { NEXT.min(self.most.next_power_of_two()).max(self.least) };
        population.chunks.push(Chunk::new(&population.shape, number, first, self.least));
        true
    }

    /// The chunk that takes a tree's next agent, if there is room.
    pub(super) fn room(&mut self, tree: TreeId) -> Option<(&Shape<H>, &mut Chunk<H>)> {
        let tree = self.place(tree)?;
        let population = self.populations.get_mut(tree.slot()).expect(HERE);
        let index = population.chunk_with_room(self.most)?;
        Some((&population.shape, &mut population.chunks[index]))
    }

    /// An agent has left this place, and nothing of it remains. Removes chunks without agents after
    /// the last agent of the tree, except the first chunk.
    pub(super) fn made_room(&mut self, place: Place) {
        let Home { tree, chunk } = self.home(place);
        let population = self.populations.get_mut(tree.slot()).expect(HERE);
        population.made_room(chunk);
        while population.chunks.len() > 1
            && let Some(last) = population.chunks.pop_if(|it| it.is_empty())
        {
            self.homes.remove(last.number);
        }
        let chunks = population.chunks.len();
        if chunks < population.chunks.capacity() / 4 {
            population.chunks.shrink_to(2 * chunks);
        }
    }

    pub(super) fn find(&self, place: Place) -> (&Population<H>, &Chunk<H>) {
        let Home { tree, chunk } = self.home(place);
        let population = self.populations.get(tree.slot()).expect(HERE);
        (population, &population.chunks[chunk as usize])
    }

    pub(super) fn find_mut(&mut self, place: Place) -> (&Shape<H>, &mut Chunk<H>) {
        let Home { tree, chunk } = self.home(place);
        let Population { shape, chunks, .. } = self.populations.get_mut(tree.slot()).expect(HERE);
        (shape, &mut chunks[chunk as usize])
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The trees, in the order in which they were added.
    pub(super) fn ids(&self) -> impl Iterator<Item = TreeId> {
        self.order.iter().flatten().map(|it| it.0)
    }

    /// The same with their agents.
    pub(super) fn populations(&self) -> impl Iterator<Item = (TreeId, &Population<H>)> {
        self.order.iter().flatten().map(|&(id, place)| (id, self.populations.get(place.slot()).expect(HERE)))
    }

    /// Where an agent is: the place of its tree in the order, and its chunk.
    #[cfg(feature = "save")]
    pub(super) fn rank(&self, place: Place) -> (u32, usize) {
        (self.find(place).0.order, self.home(place).chunk as usize)
    }

    /// Whether there can be this many more chunks.
    #[cfg(feature = "save")]
    pub(super) fn can_have(&self, more: usize) -> bool {
        self.homes.len() + more <= self.chunks as usize
    }

    /// A chunk of a tree, which is made if it is the next one.
    #[cfg(feature = "save")]
    pub(super) fn chunk_at(&mut self, id: TreeId, at: usize) -> Option<&mut Chunk<H>> {
        let tree = self.place(id)?;
        let population = self.populations.get_mut(tree.slot()).expect(HERE);
        if at == population.chunks.len() {
            let home = Home { tree, chunk: u32::try_from(at).expect("bounded by MAX_AGENTS") };
            let number = self.homes.insert(home);
            population.chunks.push(Chunk::new(&population.shape, number, self.least, self.least));
        }
        population.chunks.get_mut(at)
    }

    /// Removes the chunks of a tree, which have no agents.
    #[cfg(feature = "save")]
    pub(super) fn clear(&mut self, id: TreeId) {
        let Some(tree) = self.place(id) else { return };
        let population = self.populations.get_mut(tree.slot()).expect(HERE);
        for chunk in population.chunks.drain(..) {
            self.homes.remove(chunk.number);
        }
        population.set_room(0);
    }

    /// Where each chunk is.
    pub(super) fn homes(&self) -> &Homes {
        &self.homes
    }

    /// Replaces the chunks of all trees.
    pub(super) fn set_homes(&mut self, homes: Homes) {
        self.homes = homes;
    }

    /// A cursor whose tree is counted without gaps in the order.
    pub(super) fn ranked(&self, cursor: Cursor) -> Cursor {
        let tree = self.order.iter().take(cursor.chunk.tree).flatten().count();
        Cursor { chunk: ChunkPlace { tree, ..cursor.chunk }, ..cursor }
    }

    /// The cursor that this ranked one was made from, if the trees are the same.
    pub(super) fn cursor(&self, ranked: Cursor) -> Cursor {
        let mut here = (0..self.order.len()).filter(|&it| self.order[it].is_some());
        let tree = here.nth(ranked.chunk.tree).unwrap_or(self.order.len());
        Cursor { chunk: ChunkPlace { tree, ..ranked.chunk }, ..ranked }
    }

    /// Calls `call` for each population, in the order in which the trees were added.
    pub(super) fn for_each(&mut self, mut call: impl FnMut(&mut Population<H>)) {
        for (_, place) in self.order.iter().flatten() {
            call(self.populations.get_mut(place.slot()).expect(HERE));
        }
    }

    /// How many chunks all trees have together.
    #[cfg(feature = "rayon")]
    pub(super) fn chunks(&self) -> usize {
        self.populations.iter().map(|it| it.chunks.len()).sum()
    }

    /// Calls `call` for some of the chunks, except those without agents. Agents see what those of
    /// earlier chunks wrote to shared keys.
    pub(super) fn for_chunks<T: Tracer>(
        &mut self,
        part: Range<ChunkPlace>,
        places: &SaltedMap<AgentId, Place>,
        parts: &mut ForestParts<'_, T>,
        mut call: impl FnMut(&mut ForestParts<'_, T>, ChunkPlace, &Shape<H>, &mut Chunk<H>),
    ) {
        let end = part.end.tree.saturating_add(1).min(self.order.len());
        if parts.shared.own().is_some_and(|it| it.is_watched()) {
            for tree in part.start.tree..end {
                self.for_chunks_telling(tree, &part, places, parts, &mut call);
            }
            return;
        }
        let trees = self.order.get(part.start.tree..end).unwrap_or_default();
        for (tree, entry) in (part.start.tree..).zip(trees) {
            let Some((_, place)) = entry else { continue };
            let Population { shape, chunks, .. } = self.populations.get_mut(place.slot()).expect(HERE);
            let from = if tree == part.start.tree { part.start.chunk } else { 0 };
            let to = if tree == part.end.tree { part.end.chunk.min(chunks.len()) } else { chunks.len() };
            for (chunk, columns) in (from..).zip(chunks.get_mut(from..to).unwrap_or_default()) {
                if !columns.is_empty() {
                    call(parts, ChunkPlace { tree, chunk }, shape, columns);
                }
            }
        }
    }

    /// The same for those of one tree, where observers read shared keys.
    fn for_chunks_telling<T: Tracer>(
        &mut self,
        tree: usize,
        part: &Range<ChunkPlace>,
        places: &SaltedMap<AgentId, Place>,
        parts: &mut ForestParts<'_, T>,
        call: &mut impl FnMut(&mut ForestParts<'_, T>, ChunkPlace, &Shape<H>, &mut Chunk<H>),
    ) {
        let Some((_, place)) = self.order[tree] else { return };
        let mut chunk = if tree == part.start.tree { part.start.chunk } else { 0 };
        let end = if tree == part.end.tree { part.end.chunk } else { usize::MAX };
        while chunk < end {
            let Population { shape, chunks, .. } = self.populations.get_mut(place.slot()).expect(HERE);
            let Some(columns) = chunks.get_mut(chunk) else { break };
            if !columns.is_empty() {
                let number = columns.number;
                call(parts, ChunkPlace { tree, chunk }, shape, columns);
                if let Some(shared) = parts.shared.own().filter(|it| it.has_changed()) {
                    self.tell(shared, places, Some(number));
                }
            }
            chunk += 1;
        }
    }
}

fn number(order: usize) -> u32 {
    u32::try_from(order).expect("memory ends before 2^32 trees")
}
