//! Where a key's value is: the index types of the blackboard. Making one is checked, once, when its
//! key is declared or added to a forest.

use std::fmt;

use crate::index::narrow;

/// The place of a key among the keys of its tree with the same owner: the keys of an agent (which
/// include those of nodes), of a group, or of the forest. Prints as `p12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KeyPlace(u16);

impl KeyPlace {
    /// The place after this many keys; at most [`MAX_KEYS`](crate::limits::MAX_KEYS).
    pub(super) fn behind(keys: usize) -> Self {
        KeyPlace(narrow(keys))
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

/// The place of a node or agent key among the columns of its type. Prints as `c12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ColumnPlace(u16);

impl ColumnPlace {
    /// The first column of a type. Keys of groups and of the forest, which have no column, have
    /// this place as well; their tags differ from those of all keys that have a column.
    pub(super) const FIRST: ColumnPlace = ColumnPlace(0);
    /// A column that no tree has.
    pub(super) const NONE: ColumnPlace = ColumnPlace(u16::MAX);

    /// The place after this many columns; at most [`MAX_KEYS`](crate::limits::MAX_KEYS).
    pub(super) fn behind(columns: usize) -> Self {
        ColumnPlace(narrow(columns))
    }

    /// The place of a number, which may be one that the tree does not have.
    #[inline]
    pub(super) const fn of_number(number: u16) -> Self {
        ColumnPlace(number)
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ColumnPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// The place of a group or global key among the values of a group or of the forest, the same for
/// every tree that declares it. Prints as `v12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SharedPlace(u32);

impl SharedPlace {
    /// The place after this many values.
    pub(super) fn behind(values: usize) -> Self {
        SharedPlace(u32::try_from(values).expect("memory ends before 2^32 shared keys"))
    }

    /// All places from this one on, in order.
    pub(super) fn all_from(place: usize) -> impl Iterator<Item = Self> {
        (SharedPlace::behind(place).0..).map(SharedPlace)
    }

    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for SharedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_what_it_is_a_place_of() {
        let places = (KeyPlace::behind(4), ColumnPlace::behind(0), SharedPlace::behind(70_000));
        assert_eq!(format!("{places:?}"), "(p4, c0, v70000)");
    }
}
