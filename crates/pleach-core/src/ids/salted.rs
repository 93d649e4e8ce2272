//! A slot map whose keys differ from those of another one, so that an id of another forest is an
//! error and not the id of another agent.
//!
//! Two slot maps with the same history give the same keys. Here each key carries a salt, made from
//! the forest's seed. The salt is mixed into the upper bits of the version of each key that goes
//! out, and out of each key that comes in. The versions themselves never reach those bits: a slot
//! that has held that many values is retired. So a key with another salt has a version that no slot
//! here ever has, and no key is ever given twice.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use slotmap::{DefaultKey, Key, KeyData, SlotMap};

use super::Id;

/// Bits of a salt.
const SALT: u32 = 20;
/// The position of the salt in a key: at the top, above the slot's index and the lower bits of its
/// version.
const SHIFT: u32 = 64 - SALT;
/// The first key of a slot map: the first version of the first slot.
const FIRST: u64 = 1 << 32 | 1;
/// The last version of a slot. Slots in use have odd versions, so this is the version of the 2
/// 048th value.
const LAST: u64 = (1 << (SHIFT - 32)) - 1;

/// Differs from forest to forest, so that their ids differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Salt(u64);

impl Salt {
    /// The salt of a forest's seed. Seeds below 2^20 all have different salts. Larger seeds are
    /// folded, so seeds that differ only in a few upper bits have different salts as well. A
    /// counter of forests would give even forests of one seed different ids. But then the same
    /// calls would not give the same ids, and no two runs the same trace.
    pub(crate) fn of(seed: u64) -> Self {
        Salt((seed ^ seed >> SALT ^ seed >> (2 * SALT) ^ seed >> (3 * SALT)) << SHIFT)
    }

    /// The first key that a map with this salt gives.
    pub(crate) fn first<K: Id>(self) -> K {
        K::of(FIRST ^ self.0)
    }

    /// The salt of a map with this first key.
    pub(crate) fn of_first<K: Id>(key: K) -> Self {
        Salt(key.bits() ^ FIRST)
    }

    /// The key in the map, for one that came in.
    #[inline]
    fn inner<K: Id>(self, key: K) -> DefaultKey {
        KeyData::from_ffi(key.bits() ^ self.0).into()
    }

    /// A key that goes out.
    #[inline]
    fn outer<K: Id>(self, key: DefaultKey) -> K {
        K::of(key.data().as_ffi() ^ self.0)
    }
}

/// A slot map that gives and takes salted keys.
///
/// Invariant I1: an empty slot is retired, and its key is stale.
#[derive(Debug)]
pub(crate) struct SaltedMap<K: Id, V> {
    map: SlotMap<DefaultKey, Option<V>>,
    retired: usize,
    salt: Salt,
    keys: PhantomData<K>,
}

impl<K: Id, V: Clone> Clone for SaltedMap<K, V> {
    fn clone(&self) -> Self {
        SaltedMap { map: self.map.clone(), ..*self }
    }

    fn clone_from(&mut self, from: &Self) {
        self.map.clone_from(&from.map);
        (self.retired, self.salt) = (from.retired, from.salt);
    }
}

impl<K: Id, V> SaltedMap<K, V> {
    pub(crate) fn new(salt: Salt) -> Self {
        SaltedMap { map: SlotMap::new(), retired: 0, salt, keys: PhantomData }
    }

    pub(crate) fn insert(&mut self, value: V) -> K {
        self.salt.outer(self.map.insert(Some(value)))
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let key = self.salt.inner(key);
        // The map keeps a retired slot in use.
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
        self.map.get(self.salt.inner(key))?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.map.get_mut(self.salt.inner(key))?.as_mut()
    }

    pub(crate) fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len() - self.retired
    }

    /// Its values, in the order of the slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.map.iter().filter_map(|(key, value)| Some((self.salt.outer(key), value.as_ref()?)))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.map.values_mut().flatten()
    }
}

/// What a slot map knows about its empty slots. Keys are without their salt.
#[cfg(feature = "save")]
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Vacant {
    /// The keys that it gives next, in order, before it makes new slots.
    next: Vec<u64>,
    /// Slots that are no longer used.
    retired: Vec<u32>,
}

#[cfg(feature = "save")]
impl Salt {
    /// The least seed that has this salt.
    pub(crate) fn seed(self) -> u64 {
        self.0 >> SHIFT
    }

    /// A key without its salt, for another map.
    pub(crate) fn plain<K: Id>(self, key: K) -> u64 {
        key.bits() ^ self.0
    }

    /// The key with this salt, from one without.
    pub(crate) fn key<K: Id>(self, plain: u64) -> K {
        K::of(plain ^ self.0)
    }
}

#[cfg(feature = "save")]
impl<K: Id, V: Clone> SaltedMap<K, V> {
    pub(crate) fn salt(&self) -> Salt {
        self.salt
    }

    pub(crate) fn vacant(&self) -> Vacant {
        let retired = self.map.iter().filter(|it| it.1.is_none()).map(|it| slot(it.0.data().as_ffi()));
        let mut vacant = Vacant { next: Vec::new(), retired: retired.collect() };
        let mut probe = self.map.clone();
        loop {
            let next = probe.insert(None).data().as_ffi();
            // A slot that was used before has a later version.
            if next >> 32 == 1 {
                return vacant;
            }
            vacant.next.push(next);
        }
    }

    /// Its values, by keys without salt.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &V)> {
        self.map.iter().filter_map(|(key, value)| Some((key.data().as_ffi(), value.as_ref()?)))
    }

    /// Forgets which keys there were: each slot without a value can hold any.
    pub(crate) fn forget(&mut self) {
        let mut taken: Vec<(u64, V)> = self.entries().map(|(key, value)| (key, value.clone())).collect();
        taken.sort_unstable_by_key(|it| slot(it.0));
        let mut next = Vec::new();
        let mut slots = 1;
        for (key, _) in &taken {
            next.extend((slots..slot(*key)).map(|it| 3 << 32 | u64::from(it)));
            slots = slot(*key) + 1;
        }
        *self =
            SaltedMap::rebuilt(self.salt, taken, &Vacant { next, retired: Vec::new() }).expect("its keys are valid");
    }

    /// A map that holds these values, by keys without salt, and continues like the one that they
    /// are from. `None` if there is no such map.
    pub(crate) fn rebuilt(salt: Salt, taken: Vec<(u64, V)>, vacant: &Vacant) -> Option<Self> {
        let retired = vacant.retired.iter().map(|it| (LAST << 32 | u64::from(*it), None));
        // A free slot was in use at least once.
        let once = |it: u64| it.checked_sub(2 << 32).filter(|_| it >> 32 <= LAST);
        let free = vacant.next.iter().map(|it| Some((once(*it)?, None)));
        let taken = taken.into_iter().map(|(key, value)| (key, Some(value)));
        let mut all: Vec<(u64, Option<V>)> = free.collect::<Option<_>>()?;
        all.extend(taken.chain(retired));
        all.sort_unstable_by_key(|it| slot(it.0));
        let mut map = SlotMap::new();
        for (index, (plain, value)) in (1..).zip(all) {
            let version = plain >> 32;
            if slot(plain) != index || version % 2 == 0 || version > LAST {
                return None;
            }
            let mut key = map.insert(None);
            while key.data().as_ffi() != plain {
                map.remove(key);
                key = map.insert(None);
            }
            map[key] = value;
        }
        for plain in vacant.next.iter().rev() {
            map.remove(KeyData::from_ffi(plain - (2 << 32)).into());
        }
        Some(SaltedMap { map, retired: vacant.retired.len(), salt, keys: PhantomData })
    }
}

/// The number of extra slots that can be made for a key that comes back.
#[cfg(feature = "save")]
const MOST: u32 = 1 << 22;

/// The slot of a key.
#[cfg(feature = "save")]
#[expect(clippy::cast_possible_truncation, reason = "the lower half of a key is its slot")]
pub(crate) fn slot(plain: u64) -> u32 {
    plain as u32
}

#[cfg(feature = "save")]
impl Vacant {
    /// The same for an empty slot that must hold this key. False if the slot cannot: it holds a
    /// value, or has held one since.
    pub(crate) fn take(&mut self, plain: u64, slots: &mut u32) -> bool {
        let wanted = slot(plain);
        if wanted == 0
            || wanted > slots.saturating_add(MOST)
            || plain >> 32 > LAST
            || plain >> 32 & 1 == 0
            || self.retired.contains(&wanted)
        {
            return false;
        }
        while *slots < wanted {
            *slots += 1;
            // As if it had been in use once.
            self.next.push(3 << 32 | u64::from(*slots));
        }
        let Some(at) = self.next.iter().rposition(|it| slot(*it) == wanted) else { return false };
        let fits = self.next[at] >> 32 <= (plain >> 32) + 2;
        if fits {
            self.next.remove(at);
        }
        fits
    }

    /// How many slots are empty.
    pub(crate) fn len(&self) -> usize {
        self.next.len() + self.retired.len()
    }
}

impl<K: Id, V> Index<K> for SaltedMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.get(key).expect("a key of this map")
    }
}

impl<K: Id, V> IndexMut<K> for SaltedMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        self.get_mut(key).expect("a key of this map")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    use crate::AgentId;

    #[test]
    fn no_key_ever_comes_back() {
        let mut map = SaltedMap::<AgentId, u32>::new(Salt::of(7));
        let mut seen = HashSet::new();
        for life in 0..10_000 {
            let key = map.insert(life);
            assert!(seen.insert(key), "life {life}");
            assert_eq!((map.len(), map.get(key)), (1, Some(&life)));
            assert_eq!((map.remove(key), map.remove(key), map.len()), (Some(life), None, 0));
        }
        assert!(seen.iter().all(|&it| !map.contains_key(it)));
        // Four slots have held as many values as they may.
        assert_eq!((map.retired, map.map.len(), map.values_mut().count()), (4, 4, 0));
    }

    #[test]
    fn the_first_key_is_known_before_there_is_a_map() {
        for seed in [0, 7, 1 << 19, 1 << 40] {
            let salt = Salt::of(seed);
            let first: AgentId = SaltedMap::new(salt).insert(());
            assert_eq!((salt.first::<AgentId>(), Salt::of_first(first).0), (first, salt.0));
        }
    }

    #[test]
    fn no_key_of_another_salt_is_valid_however_often_slots_were_used() {
        let lives = |seed: u64| {
            let mut map = SaltedMap::<AgentId, ()>::new(Salt::of(seed));
            let keys: Vec<AgentId> = (0..2_500)
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
