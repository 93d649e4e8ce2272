//! The trees of a forest by id, by place, and in the order in which they came.

use super::TreeId;
use super::chunk::Chunk;
use super::population::{Population, Shape};
use super::salted::{Salt, SaltedMap};
use crate::Host;

/// Populations stand in places that never move: four bytes lead an agent to its own.
pub(super) struct Trees<H: Host> {
    ids: SaltedMap<TreeId, u32>,
    places: Vec<Option<Population<H>>>,
    order: Vec<TreeId>,
}

const HERE: &str = "a tree stays as long as it has agents";

impl<H: Host> Trees<H> {
    pub(super) fn new(salt: Salt) -> Self {
        Trees { ids: SaltedMap::new(salt), places: Vec::new(), order: Vec::new() }
    }

    pub(super) fn insert(&mut self, population: Population<H>) -> TreeId {
        let free = self.places.iter().position(Option::is_none).unwrap_or(self.places.len());
        if free == self.places.len() {
            self.places.push(None);
        }
        self.places[free] = Some(population);
        let id = self.ids.insert(u32::try_from(free).expect("memory ends before 2^32 trees"));
        self.order.push(id);
        id
    }

    pub(super) fn remove(&mut self, tree: TreeId) {
        if let Some(place) = self.ids.remove(tree) {
            self.places[place as usize] = None;
            self.order.retain(|&it| it != tree);
        }
    }

    /// The place of a tree, for [`at`](Trees::at).
    pub(super) fn place(&self, tree: TreeId) -> Option<u32> {
        self.ids.get(tree).copied()
    }

    pub(super) fn get(&self, tree: TreeId) -> Option<&Population<H>> {
        Some(self.at(self.place(tree)?))
    }

    pub(super) fn get_mut(&mut self, tree: TreeId) -> Option<&mut Population<H>> {
        Some(self.at_mut(self.place(tree)?))
    }

    pub(super) fn at(&self, place: u32) -> &Population<H> {
        self.places[place as usize].as_ref().expect(HERE)
    }

    pub(super) fn at_mut(&mut self, place: u32) -> &mut Population<H> {
        self.places[place as usize].as_mut().expect(HERE)
    }

    pub(super) fn ids(&self) -> &[TreeId] {
        &self.order
    }

    /// The populations, in the order in which their trees came.
    pub(super) fn for_each(&mut self, mut call: impl FnMut(&mut Population<H>)) {
        for &tree in &self.order {
            let place = self.ids[tree];
            call(self.places[place as usize].as_mut().expect(HERE));
        }
    }

    /// How many chunks all trees have together.
    pub(super) fn chunks(&self) -> usize {
        self.order.iter().map(|&it| self.at(self.ids[it]).chunks.len()).sum()
    }

    /// A chunk by its number among those of all trees.
    ///
    /// # Panics
    /// If there are not so many.
    pub(super) fn chunk_mut(&mut self, mut number: usize) -> (&Shape<H>, &mut Chunk<H>) {
        for &tree in &self.order {
            let place = self.ids[tree] as usize;
            let count = self.places[place].as_ref().expect(HERE).chunks.len();
            if number < count {
                let Population { shape, chunks, .. } = self.places[place].as_mut().expect(HERE);
                return (shape, &mut chunks[number]);
            }
            number -= count;
        }
        unreachable!("asked for no more than there are");
    }
}
