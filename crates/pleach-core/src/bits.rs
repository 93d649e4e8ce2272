//! Bits in words of 64: ranges of them, and sets of the agents of a chunk.

use std::ops::Range;

use crate::row::{CHUNK, Row};

/// One bit per agent of a chunk.
pub(crate) type Bits = [u64; CHUNK / 64];

/// The bits of `from..to` that lie in the given word.
#[inline]
pub(crate) fn range(word: usize, from: u16, to: u16) -> u64 {
    let low = word * 64;
    let from = usize::from(from).clamp(low, low + 64) - low;
    let to = usize::from(to).clamp(low, low + 64) - low;
    if from >= to { 0 } else { (u64::MAX >> (64 - (to - from))) << from }
}

/// The words with bits of `from..to`.
#[inline]
fn touched(from: u16, to: u16) -> Range<usize> {
    if from < to { usize::from(from) / 64..usize::from(to - 1) / 64 + 1 } else { 0..0 }
}

/// Clears the bits of `from..to`.
#[inline]
pub(crate) fn clear(words: &mut [u64], from: u16, to: u16) {
    for word in touched(from, to) {
        words[word] &= !range(word, from, to);
    }
}

/// Sets the bits of `from..to`.
pub(crate) fn fill(words: &mut [u64], from: u16, to: u16) {
    for word in touched(from, to) {
        words[word] |= range(word, from, to);
    }
}

/// Whether a set has an agent.
#[inline]
pub(crate) fn has(set: &[u64], row: Row) -> bool {
    set[row.word()] & row.bit() != 0
}

/// Adds an agent to a set.
#[inline]
pub(crate) fn add(set: &mut [u64], row: Row) {
    set[row.word()] |= row.bit();
}

/// Removes an agent from a set.
#[inline]
pub(crate) fn remove(set: &mut [u64], row: Row) {
    set[row.word()] &= !row.bit();
}

/// Adds an agent to a set, or removes it.
#[inline]
pub(crate) fn put(set: &mut [u64], row: Row, on: bool) {
    let word = &mut set[row.word()];
    *word = *word & !row.bit() | u64::from(on) << row.place();
}

/// Takes the first agent out of a word of a set.
#[inline(always)]
pub(crate) fn pop(word: usize, bits: &mut u64) -> Option<Row> {
    if *bits == 0 {
        return None;
    }
    let first = Row::lowest(word, *bits);
    *bits &= *bits - 1;
    Some(first)
}

/// Whether a set has no agent. Not `==`, which calls memcmp.
#[inline]
pub(crate) fn is_empty(bits: &Bits) -> bool {
    bits.iter().fold(0, |any, word| any | word) == 0
}

/// The words with the bits of a range of agents.
#[inline]
pub(crate) fn words(range: &Range<Row>) -> Range<usize> {
    range.start.word()..range.end.index().div_ceil(64)
}

/// The bits of a word that belong to agents of a range.
pub(crate) fn within(word: usize, range: &Range<Row>) -> u64 {
    let cut = |it: Row| it.index().clamp(word * 64, word * 64 + 64) - word * 64;
    let below = |it: usize| if it == 64 { u64::MAX } else { (1 << it) - 1 };
    below(cut(range.end)) & !below(cut(range.start))
}

/// The bits of those of up to 64 agents for which `is` is true. Written so that one instruction
/// checks many agents: one byte for each, and one multiplication turns eight bytes into eight bits.
#[inline(always)]
pub(crate) fn those<V: Copy>(cells: &[V], is: impl Fn(V) -> bool) -> u64 {
    let mut bytes = [0; 64];
    match cells.first_chunk::<64>() {
        Some(cells) => bytes.iter_mut().zip(cells).for_each(|(byte, &it)| *byte = u8::from(is(it))),
        None => bytes.iter_mut().zip(cells).for_each(|(byte, &it)| *byte = u8::from(is(it))),
    }
    let (eights, _) = bytes.as_chunks::<8>();
    let pack = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |bits, eight| bits << 8 | pack(eight))
}

/// The agents of a set.
pub(crate) fn each(bits: &Bits) -> impl Iterator<Item = Row> {
    bits.iter().enumerate().flat_map(|(word, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            let row = (bits != 0).then(|| Row::lowest(word, bits));
            bits &= bits.wrapping_sub(1);
            row
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_match_a_plain_loop() {
        for from in 0..140_u16 {
            for to in 0..140_u16 {
                let mut fast = [0; 3];
                fill(&mut fast, from, to);
                for bit in 0..192 {
                    let set = fast[usize::from(bit) / 64] >> (bit % 64) & 1 != 0;
                    assert_eq!(set, (from..to).contains(&bit), "{bit} in {from}..{to}");
                }
                clear(&mut fast, from, to);
                assert_eq!(fast, [0; 3]);
            }
        }
    }

    #[test]
    fn sets_of_agents_match_a_plain_loop() {
        for len in 0..=64 {
            let cells: Vec<usize> = (0..len).map(|it| it * it % 7).collect();
            for rest in 0..7 {
                let plain = cells.iter().enumerate().fold(0, |all, (at, &it)| all | u64::from(it == rest) << at);
                assert_eq!(those(&cells, |it| it == rest), plain, "{len}");
            }
        }
        for from in 0..200 {
            for to in from..200 {
                let range = Row::behind(from)..Row::behind(to);
                let bits: Bits = std::array::from_fn(|word| within(word, &range));
                assert!(each(&bits).map(Row::index).eq(from..to), "{from}..{to}");
                assert_eq!(is_empty(&bits), from == to);
            }
        }
    }

    #[test]
    fn a_set_has_the_agents_that_were_added_and_not_removed() {
        let (mut set, mut plain) = (Bits::default(), std::collections::BTreeSet::new());
        for row in Row::all() {
            match row.index() % 7 {
                0 | 3 => add(&mut set, row),
                5 => put(&mut set, row, true),
                _ => continue,
            }
            plain.insert(row);
        }
        for row in Row::all().step_by(3) {
            if row.index() % 2 == 0 {
                remove(&mut set, row)
            } else {
                put(&mut set, row, false)
            }
            plain.remove(&row);
        }
        assert!(each(&set).eq(plain.iter().copied()));
        assert!(Row::all().all(|row| has(&set, row) == plain.contains(&row)));
        let mut popped = Vec::new();
        for (word, bits) in set.iter_mut().enumerate() {
            popped.extend(std::iter::from_fn(|| pop(word, bits)));
        }
        assert!(popped.into_iter().eq(plain) && is_empty(&set));
    }
}
