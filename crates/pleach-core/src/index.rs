//! The index types of a tree. Making one is checked. Using one needs no check, as they only come
//! from a validated [`Tree`](crate::Tree).

use std::fmt;
use std::ops::{Index, IndexMut};

use crate::bits;

/// A node of a tree: its index in pre-order, where the root is 0. Prints as `n12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub struct NodeId(u16);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);
    /// "No node", where an `Option` would double the size. No tree has a node of this index.
    pub(crate) const NONE: NodeId = NodeId(u16::MAX);

    /// The node of this pre-order index; `None` if no tree can have this many nodes.
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().filter(|&it| it != u16::MAX).map(NodeId)
    }

    /// The pre-order index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its index, or that of [`NodeId::NONE`].
    pub(crate) const fn to_bits(self) -> u16 {
        self.0
    }

    /// One past the last node of a subtree; at most [`MAX_NODES`](crate::limits::MAX_NODES).
    pub(crate) fn end(index: usize) -> NodeId {
        NodeId(narrow(index))
    }

    /// The next node in pre-order, which is the first child of a parent.
    pub(crate) const fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }

    /// This node, or `None` for [`NodeId::NONE`].
    pub(crate) fn some(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// A run stack of a tree (T4). Prints as `s3`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StackId(u16);

impl StackId {
    /// The only stack of a tree with one stack, and the first of every other.
    pub(crate) const FIRST: StackId = StackId(0);

    /// For an index that validation has bounded.
    pub(crate) fn new(index: usize) -> Self {
        StackId(narrow(index))
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Debug for StackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// A range of run stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stacks {
    pub(crate) from: StackId,
    pub(crate) to: StackId,
}

impl Stacks {
    pub(crate) fn iter(self) -> impl Iterator<Item = StackId> {
        (self.from.0..self.to.0).map(StackId)
    }
}

/// One value per run stack.
#[derive(Clone, Debug)]
pub(crate) struct PerStack<V>(Vec<V>);

impl<V> Default for PerStack<V> {
    fn default() -> Self {
        PerStack(Vec::new())
    }
}

impl<V> FromIterator<V> for PerStack<V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        PerStack(values.into_iter().collect())
    }
}

impl<V> PerStack<V> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The stacks, in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = StackId> + use<V> {
        Stacks { from: StackId::FIRST, to: StackId::new(self.len()) }.iter()
    }

    /// The stacks with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StackId, &V)> {
        self.ids().zip(&self.0)
    }
}

impl<V: Copy> PerStack<V> {
    /// Makes room for this many stacks.
    pub(crate) fn fit(&mut self, stacks: usize, value: V) {
        self.0.resize(stacks.max(self.0.len()), value);
    }

    /// Gives the first stacks a value.
    #[inline]
    pub(crate) fn fill(&mut self, stacks: usize, value: V) {
        self.0[..stacks].fill(value);
    }
}

impl<V> Index<StackId> for PerStack<V> {
    type Output = V;
    #[inline]
    fn index(&self, stack: StackId) -> &V {
        &self.0[stack.index()]
    }
}

impl<V> IndexMut<StackId> for PerStack<V> {
    #[inline]
    fn index_mut(&mut self, stack: StackId) -> &mut V {
        &mut self.0[stack.index()]
    }
}

/// An observer of a tree (T5): one bit in an agent's words. Prints as `o7`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObserverId(u16);

impl ObserverId {
    /// "No observer". No tree has this many.
    pub(crate) const NONE: ObserverId = ObserverId(u16::MAX);

    /// For an index that validation has bounded.
    pub(crate) fn new(index: usize) -> Self {
        ObserverId(narrow(index))
    }

    /// The observer of the lowest bit of a word.
    #[inline]
    pub(crate) fn lowest(word: usize, bits: u64) -> Self {
        ObserverId::new(word * 64 + bits.trailing_zeros() as usize)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn next(self) -> Self {
        ObserverId(self.0 + 1)
    }

    /// The word that its bit is in.
    #[inline]
    pub(crate) fn word(self) -> usize {
        usize::from(self.0) / 64
    }

    /// Its bit in that word.
    #[inline]
    pub(crate) fn bit(self) -> u64 {
        1 << (self.0 % 64)
    }

    /// The bits after its own in that word.
    #[inline]
    pub(crate) fn behind(self) -> u64 {
        (u64::MAX << (self.0 % 64)) << 1
    }

    /// This observer, or `None` for [`ObserverId::NONE`].
    pub(crate) fn some(self) -> Option<ObserverId> {
        (self != ObserverId::NONE).then_some(self)
    }

    /// Whether its bit is set.
    #[inline]
    pub(crate) fn is_in(self, words: &[u64]) -> bool {
        words[self.word()] & self.bit() != 0
    }
}

impl fmt::Debug for ObserverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// A range of observers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Observers {
    pub(crate) from: ObserverId,
    pub(crate) to: ObserverId,
}

impl Observers {
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// The bits of the range that lie in a word.
    #[inline]
    pub(crate) fn bits(self, word: usize) -> u64 {
        bits::range(word, self.from.0, self.to.0)
    }

    /// Sets the bits of the range.
    pub(crate) fn fill(self, words: &mut [u64]) {
        bits::fill(words, self.from.0, self.to.0);
    }

    /// Clears the bits of the range.
    #[inline]
    pub(crate) fn clear(self, words: &mut [u64]) {
        bits::clear(words, self.from.0, self.to.0);
    }
}

/// A list of a tree: its host leaves, expressions, texts, or cases of switches.
macro_rules! list_index {
    ($(#[doc = $doc:literal] $name:ident($inner:ty), $letter:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name($inner);

        impl $name {
            /// For an index that validation has bounded.
            pub(crate) fn new(index: usize) -> Self {
                $name(<$inner>::try_from(index).expect("bounded by the limits at load"))
            }

            #[inline]
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

impl ExprId {
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

list_index! {
    /// A host leaf of a tree. Prints as `l2`.
    LeafId(u16), "l";
    /// An expression of a tree. Prints as `e5`.
    ExprId(u32), "e";
    /// A span of a tree that has to be evaluated or drawn. Prints as `d2`.
    SpanId(u32), "d";
    /// A text of a tree. Prints as `t1`.
    TextId(u32), "t";
    /// The weights of a random composite. Prints as `w0`.
    WeightsId(u16), "w";
    /// The cases of a switch of a tree. Prints as `c1`.
    CasesId(u16), "c";
    /// A token of a tree. Prints as `k1`.
    TokenId(u8), "k";
}

impl LeafId {
    /// "No leaf". No tree has this many.
    pub(crate) const NONE: LeafId = LeafId(u16::MAX);

    /// The leaf after this one.
    #[inline]
    pub(crate) const fn next(self) -> Self {
        LeafId(self.0 + 1)
    }
}

/// A place in an agent's node memory, in words of 32 bits. Prints as `m4`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryOffset(u32);

impl MemoryOffset {
    pub(crate) const fn new(words: u32) -> Self {
        MemoryOffset(words)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The next word.
    #[inline]
    pub(crate) fn next(self) -> Self {
        MemoryOffset(self.0 + 1)
    }

    /// The word of a stack, where this is that of the first one.
    #[inline]
    pub(crate) fn of_stack(self, stack: StackId) -> Self {
        self.after(stack.0.into())
    }

    /// This many words further.
    pub(crate) fn after(self, words: u32) -> Self {
        MemoryOffset(self.0 + words)
    }
}

impl fmt::Debug for MemoryOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

/// Narrows an index that validation has bounded (invariant T1): there are at most
/// [`MAX_NODES`](crate::limits::MAX_NODES) nodes, and so at most as many stacks, leaves and
/// observers.
pub(crate) fn narrow(index: usize) -> u16 {
    u16::try_from(index).expect("bounded by MAX_NODES at load")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_NODES;

    #[test]
    fn an_index_says_what_it_is_an_index_of() {
        let lists = (LeafId::new(2), ExprId::new(70_000), TextId::new(1), WeightsId::new(0), CasesId::new(3));
        assert_eq!(format!("{lists:?}"), "(l2, e70000, t1, w0, c3)");
        let others = (NodeId::ROOT, StackId::new(3), ObserverId::new(7), MemoryOffset::new(4));
        assert_eq!(format!("{others:?}"), "(n0, s3, o7, m4)");
    }

    #[test]
    fn the_largest_tree_has_an_index_for_everything_and_none_is_free() {
        let last = MAX_NODES - 1;
        assert_eq!(NodeId::new(last).map(NodeId::index), Some(last));
        assert_eq!(NodeId::new(NodeId::NONE.index()), None);
        assert_eq!(NodeId::end(MAX_NODES).index(), MAX_NODES);
        assert!(LeafId::new(last) != LeafId::NONE && ObserverId::new(last) < ObserverId::NONE);
        assert_eq!((ObserverId::new(last).some(), ObserverId::NONE.some()), (Some(ObserverId::new(last)), None));
        assert_eq!(LeafId::new(last).next().index(), MAX_NODES);
        assert!(std::panic::catch_unwind(|| StackId::new(1 << 16)).is_err());
        assert!(std::panic::catch_unwind(|| WeightsId::new(1 << 16)).is_err());
    }

    #[test]
    fn stacks_come_in_order_each_with_its_value() {
        let mut values: PerStack<usize> = (10..14).collect();
        values[StackId::new(2)] = 7;
        values.fit(6, 5);
        values.fit(3, 9);
        values.fill(2, 1);
        let seen: Vec<(usize, usize)> = values.iter().map(|(stack, &value)| (stack.index(), value)).collect();
        assert_eq!(seen, [(0, 1), (1, 1), (2, 7), (3, 13), (4, 5), (5, 5)]);
        let some = Stacks { from: StackId::new(2), to: StackId::new(5) };
        assert!(some.iter().map(StackId::index).eq(2..5));
        let first = MemoryOffset::new(8);
        assert_eq!((first.of_stack(StackId::new(3)), first.next()), (first.after(3), MemoryOffset::new(9)));
    }

    #[test]
    fn the_bits_of_observers_match_a_plain_set() {
        for index in 0..130 {
            let observer = ObserverId::new(index);
            assert_eq!((observer.word(), observer.bit()), (index / 64, 1 << (index % 64)));
            assert_eq!(ObserverId::lowest(observer.word(), observer.bit() | observer.behind()), observer);
            assert_eq!(observer.next().index(), index + 1);
            let behind = (index % 64 + 1..64).fold(0, |all, bit| all | 1_u64 << bit);
            assert_eq!(observer.behind(), behind);
            for to in 0..130 {
                let range = Observers { from: observer, to: ObserverId::new(to) };
                let mut words = [0; 3];
                range.fill(&mut words);
                assert!((0..192).all(|it| ObserverId::new(it).is_in(&words) == (index..to).contains(&it)));
                assert!((0..3).all(|word| range.bits(word) == words[word]));
                assert_eq!(range.is_empty(), words == [0; 3]);
                range.clear(&mut words);
                assert_eq!(words, [0; 3]);
            }
        }
    }
}
