//! Ranges of bits in words of 64.

/// The bits of `from..to` that lie in the given word.
#[inline]
pub(crate) fn range(word: usize, from: u16, to: u16) -> u64 {
    let low = word * 64;
    let from = usize::from(from).clamp(low, low + 64) - low;
    let to = usize::from(to).clamp(low, low + 64) - low;
    if from >= to { 0 } else { (u64::MAX >> (64 - (to - from))) << from }
}

/// The words that hold bits of `from..to`.
#[inline]
fn touched(from: u16, to: u16) -> std::ops::Range<usize> {
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

/// Reads one bit.
#[inline]
pub(crate) fn get(words: &[u64], bit: u16) -> bool {
    words[usize::from(bit) / 64] >> (bit % 64) & 1 != 0
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
                    assert_eq!(get(&fast, bit), (from..to).contains(&bit), "{bit} in {from}..{to}");
                }
                clear(&mut fast, from, to);
                assert_eq!(fast, [0; 3]);
            }
        }
    }
}
