//! A slot map whose keys are no keys of another one, so that an id of another forest is an error
//! and not somebody else.
//!
//! Two slot maps with the same history give the same keys. Here a salt made of the forest's seed is
//! mixed into the upper bits of the version of each key that goes out, and out of each that comes
//! in. The versions themselves never come as far as those bits: a slot that has held so many lives
//! is retired. So a key of another salt has a version that no slot here ever has, and no key comes
//! back.

use std::ops::{Index, IndexMut};

use slotmap::{Key, KeyData, SlotMap};

/// Bits of a salt.
const SALT: u32 = 20;
/// Where it stands in a key: at the top, above the slot's index and the lower bits of its version.
const SHIFT: u32 = 64 - SALT;
/// The last version of a slot. Versions of slots in use are odd, so that is the 2 048th life.
const LAST: u64 = (1 << (SHIFT - 32)) - 1;

/// What tells one forest's ids from another's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Salt(u64);

impl Salt {
    /// The salt of a forest's seed. Seeds below 2^20 all have different ones; others are folded, so
    /// that seeds that differ in a few upper bits only have different ones as well. A counter of
    /// forests would tell even those of one seed apart, but then the same calls would not give the
    /// same ids, and no two runs the same trace.
    pub(crate) fn of(seed: u64) -> Self {
        Salt((seed ^ seed >> SALT ^ seed >> (2 * SALT) ^ seed >> (3 * SALT)) << SHIFT)
    }

    #[inline]
    fn mix<K: Key>(self, key: K) -> K {
        KeyData::from_ffi(key.data().as_ffi() ^ self.0).into()
    }
}

/// A slot map that gives and takes salted keys.
///
/// Invariant I1: a slot that holds nothing is retired, and nobody has its key.
#[derive(Debug)]
pub(crate) struct SaltedMap<K: Key, V> {
    map: SlotMap<K, Option<V>>,
    retired: usize,
    salt: Salt,
}

impl<K: Key, V> SaltedMap<K, V> {
    pub(crate) fn new(salt: Salt) -> Self {
        SaltedMap { map: SlotMap::with_key(), retired: 0, salt }
    }

    pub(crate) fn insert(&mut self, value: V) -> K {
        self.salt.mix(self.map.insert(Some(value)))
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let key = self.salt.mix(key);
        // A retired slot stays in use.
        let value = self.map.get_mut(key)?.take()?;
        if key.data().as_ffi() >> 32 == LAST {
            self.retired += 1;
        } else {
            self.map.remove(key);
        }
        Some(value)
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.map.get(self.salt.mix(key))?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.map.get_mut(self.salt.mix(key))?.as_mut()
    }

    pub(crate) fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len() - self.retired
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.map.values_mut().flatten()
    }
}

impl<K: Key, V> Index<K> for SaltedMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.get(key).expect("a key of this map")
    }
}

impl<K: Key, V> IndexMut<K> for SaltedMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.get_mut(key).expect("a key of this map")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    slotmap::new_key_type! { struct Id; }

    #[test]
    fn no_key_ever_comes_back() {
        let mut map = SaltedMap::<Id, u32>::new(Salt::of(7));
        let mut seen = HashSet::new();
        for life in 0..10_000 {
            let key = map.insert(life);
            assert!(seen.insert(key), "life {life}");
            assert_eq!((map.len(), map.get(key)), (1, Some(&life)));
            assert_eq!((map.remove(key), map.remove(key), map.len()), (Some(life), None, 0));
        }
        assert!(seen.iter().all(|&it| !map.contains_key(it)));
        // Four slots have had all their lives.
        assert_eq!((map.retired, map.map.len(), map.values_mut().count()), (4, 4, 0));
    }

    #[test]
    fn no_key_of_another_salt_is_one_however_worn_the_slots_are() {
        let lives = |seed: u64| {
            let mut map = SaltedMap::<Id, ()>::new(Salt::of(seed));
            let keys: Vec<Id> = (0..2_500)
                .map(|_| {
                    let key = map.insert(());
                    map.remove(key);
                    key
                })
                .collect();
            map.insert(());
            map.insert(());
            (map, keys)
        };
        let seeds = [0, 1, 2, 3, 1_597, 4_181, 5_778, (1 << 20) - 1, 1 << 32, 1 << 63];
        let all = seeds.map(lives);
        for (at, (map, _)) in all.iter().enumerate() {
            for (other, (_, keys)) in all.iter().enumerate() {
                assert!(at == other || keys.iter().all(|&it| !map.contains_key(it)), "{at} {other}");
            }
        }
    }

    #[test]
    fn small_seeds_have_different_salts() {
        let salts: HashSet<u64> = (0..1 << SALT).map(|it| Salt::of(it).0).collect();
        assert_eq!(salts.len(), 1 << SALT);
        let bits: HashSet<u64> = (0..64).map(|it| Salt::of(1 << it).0).collect();
        assert!(!bits.contains(&Salt::of(0).0));
    }
}
