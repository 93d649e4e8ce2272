//! A slot map whose keys are no keys of another one, so that an id of another forest is an error and not somebody else.
//!
//! Two slot maps with the same history give the same keys. Here a salt made of the forest's seed is mixed into the upper bits of the
//! version of each key that goes out, and out of each that comes in: a foreign key then has a version that its slot never
//! had (before some hundred thousand agents have lived in that one place).

use std::ops::{Index, IndexMut};

use slotmap::{Key, KeyData, SlotMap};

/// How far up in a key the salt stands: above the slot's index and the lower bits of its version.
const SHIFT: u32 = 32 + 20;
/// What tells one forest's ids from another's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Salt(u64);

impl Salt {
    /// The salt of a forest's seed. A counter of forests would tell even those of one seed apart, but then the same calls
    /// would not give the same ids, and no two runs the same trace.
    pub(crate) fn of(seed: u64) -> Self {
        // The upper eleven bits of a Fibonacci hash: neighbouring seeds get different ones.
        Salt((seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) << SHIFT)
    }

    #[inline]
    fn mix<K: Key>(self, key: K) -> K {
        KeyData::from_ffi(key.data().as_ffi() ^ self.0).into()
    }
}

/// A slot map that gives and takes salted keys.
#[derive(Debug)]
pub(crate) struct SaltedMap<K: Key, V> {
    map: SlotMap<K, V>,
    salt: Salt,
}

impl<K: Key, V> SaltedMap<K, V> {
    pub(crate) fn new(salt: Salt) -> Self {
        SaltedMap { map: SlotMap::with_key(), salt }
    }

    pub(crate) fn insert(&mut self, value: V) -> K {
        self.salt.mix(self.map.insert(value))
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        self.map.remove(self.salt.mix(key))
    }

    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.map.get(self.salt.mix(key))
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.map.get_mut(self.salt.mix(key))
    }

    pub(crate) fn contains_key(&self, key: K) -> bool {
        self.map.contains_key(self.salt.mix(key))
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.map.values_mut()
    }
}

impl<K: Key, V> Index<K> for SaltedMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.map[self.salt.mix(key)]
    }
}

impl<K: Key, V> IndexMut<K> for SaltedMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let key = self.salt.mix(key);
        &mut self.map[key]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    slotmap::new_key_type! { struct Id; }

    /// A map as it is when two thousand million lives less one have been in its only place.
    fn worn() -> SaltedMap<Id, ()> {
        let slots = r#"[{"value":null,"version":0},{"value":null,"version":4294967294}]"#;
        SaltedMap { map: serde_json::from_str(slots).expect("a slot map"), salt: Salt::of(7) }
    }

    #[test]
    fn after_two_thousand_million_lives_in_one_place_the_first_id_comes_back() {
        let mut new = SaltedMap::<Id, ()>::new(Salt::of(7));
        let first = new.insert(());
        let mut map = worn();
        assert!(!map.contains_key(first));
        let last = map.insert(());
        assert!(map.contains_key(last) && last != first);
        assert_eq!(map.remove(last), Some(()));
        assert!(!map.contains_key(last) && !map.contains_key(first));
        assert_eq!(map.insert(()), first);
        assert!(!map.contains_key(last));
    }
}
