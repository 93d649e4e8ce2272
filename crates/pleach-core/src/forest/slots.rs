//! Cells that keep their places while others are added and removed.

/// Cells by place. A free place is reused, so no place may be kept for longer than its cell. Memory
/// is given back when cells at the end are empty.
///
/// Invariant L1: `free` has each place without a value. It may have others: those of values, and
/// some beyond the end.
#[derive(Clone, Debug)]
pub(super) struct Slots<V> {
    cells: Vec<Option<V>>,
    free: Vec<u32>,
}

/// This many places are too few to be counted.
const FEW: usize = 32;

impl<V> Default for Slots<V> {
    fn default() -> Self {
        Slots { cells: Vec::new(), free: Vec::new() }
    }
}

impl<V> Slots<V> {
    pub(super) fn insert(&mut self, value: V) -> u32 {
        while let Some(place) = self.free.pop() {
            if let Some(cell @ None) = self.cells.get_mut(place as usize) {
                *cell = Some(value);
                return place;
            }
        }
        self.cells.push(Some(value));
        u32::try_from(self.cells.len() - 1).expect("memory ends before 2^32 cells")
    }

    /// Takes a value out. Costs O(1) amortised: each cell that is given back was added once, and
    /// the free places are scanned after as many changes.
    pub(super) fn remove(&mut self, place: u32) -> Option<V> {
        let value = self.cells.get_mut(place as usize)?.take()?;
        self.free.push(place);
        while let Some(None) = self.cells.last() {
            self.cells.pop();
        }
        if self.cells.len() < self.cells.capacity() / 4 {
            self.cells.shrink_to(2 * self.cells.len());
        }
        if self.free.len() > 2 * self.cells.len() + FEW {
            self.free.clear();
            self.free.extend((0..).zip(&self.cells).filter(|it| it.1.is_none()).map(|it| it.0));
            self.free.shrink_to(2 * self.cells.len() + FEW);
        }
        Some(value)
    }

    #[inline]
    pub(super) fn get(&self, place: u32) -> Option<&V> {
        self.cells.get(place as usize)?.as_ref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut V> {
        self.cells.get_mut(place as usize)?.as_mut()
    }

    /// One past the last place in use.
    #[cfg(feature = "save")]
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    #[cfg(feature = "rayon")]
    pub(super) fn iter(&self) -> impl Iterator<Item = &V> {
        self.cells.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are_and_empty_cells_at_the_end_are_given_back() {
        let mut random = 1_u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap() % n
        };
        let (mut slots, mut model) = (Slots::default(), Vec::<(u32, usize)>::new());
        for step in 0..20_000 {
            // It grows to thousands, and back to none.
            let grows = step / 5_000 % 2 == 0;
            if below(10) < if grows { 8 } else { 1 } {
                model.push((slots.insert(step), step));
            } else if !model.is_empty() {
                let (place, value) = model.swap_remove(below(model.len()));
                assert_eq!((slots.remove(place), slots.remove(place)), (Some(value), None));
            }
            if step % 100 == 0 {
                assert!(model.iter().all(|&(place, value)| slots.get(place) == Some(&value)));
                let last = model.iter().map(|it| it.0 as usize + 1).max().unwrap_or(0);
                assert_eq!(slots.cells.len(), last);
                assert!(slots.cells.capacity() <= 4 * last.max(4), "{} for {last}", slots.cells.capacity());
                assert!(slots.free.capacity() <= 8 * last + 2 * FEW, "{} for {last}", slots.free.capacity());
            }
        }
        for (place, _) in model.drain(..) {
            slots.remove(place);
        }
        assert_eq!(slots.cells.capacity(), 0);
    }
}
