//! Which observers of a tree read group and global keys. A change of such a key matters to all of
//! them.

use super::Scope;
use super::place::KeyPlace;
use crate::index::ObserverId;

/// Which observers of a tree read each of its group and global keys.
#[derive(Debug)]
pub(crate) struct SharedWatch {
    /// Words of observer bits per agent.
    words: usize,
    /// Per group key, and per global key.
    readers: [Vec<u64>; 2],
    /// The observers that read any group key.
    of_group: Vec<u64>,
    /// The observers that read any of them.
    of_any: Vec<u64>,
}

impl SharedWatch {
    /// Initially no observer reads any of this many keys of groups and of the forest.
    pub(crate) fn new(words: usize, [_, group, global]: [usize; 3]) -> Self {
        SharedWatch {
            words,
            readers: [group, global].map(|it| vec![0; words * it]),
            of_group: vec![0; words],
            of_any: vec![0; words],
        }
    }

    /// An observer reads a shared key.
    pub(crate) fn add(&mut self, scope: Scope, key: KeyPlace, observer: ObserverId) {
        let global = scope == Scope::Global;
        self.readers[usize::from(global)][key.index() * self.words + observer.word()] |= observer.bit();
        self.of_any[observer.word()] |= observer.bit();
        if !global {
            self.of_group[observer.word()] |= observer.bit();
        }
    }

    /// The observers that read a shared key.
    pub(super) fn of(&self, scope: Scope, key: KeyPlace) -> &[u64] {
        let readers = &self.readers[usize::from(scope == Scope::Global)];
        &readers[key.index() * self.words..(key.index() + 1) * self.words]
    }

    /// The observers that read any group key.
    pub(super) fn of_group(&self) -> &[u64] {
        &self.of_group
    }

    /// The observers that read any shared key.
    pub(super) fn of_any(&self) -> &[u64] {
        &self.of_any
    }
}
