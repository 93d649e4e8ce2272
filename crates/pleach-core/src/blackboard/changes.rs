//! Which keys have changed, for the observers that read them: marks.

use super::layout::Layout;
use super::place::KeyPlace;
use super::rank::Rank;
use crate::bits;
use crate::index::ObserverId;
use crate::row::Row;

/// Which keys have changed for the observers of some agents, borrowed.
#[derive(Debug)]
pub(crate) struct Changes<'m> {
    /// Per agent the observers that read a changed key.
    pub(crate) dirty: &'m mut [u64],
    /// The agents that may have a changed key to look at, one bit each.
    pub(crate) agents: &'m mut [u64],
    all: Marked,
}

/// Marks that [`Changes::mark_all`] need not set again. In a frame in which each agent writes a
/// shared key, nearly all agents are marked already.
#[derive(Clone, Copy, Debug, Default)]
struct Marked {
    /// The observers that are marked in all agents, except those of `cleared`.
    observers: u64,
    /// The words of agents in which a mark was cleared, one bit each.
    cleared: u16,
}

impl<'m> Changes<'m> {
    /// The changes for agents in these columns.
    pub(crate) fn new(dirty: &'m mut [u64], agents: &'m mut [u64]) -> Self {
        Changes { dirty, agents, all: Marked::default() }
    }

    /// A key that observers compare has changed for an agent: from one rank to another, while the
    /// other keys have these ranks.
    #[inline]
    pub(super) fn mark_flips(
        &mut self,
        layout: &Layout,
        key: KeyPlace,
        agent: Row,
        write: [Rank; 2],
        other: impl Fn(KeyPlace) -> Rank,
    ) {
        let Some(flips) = layout.flips(key) else { return };
        if flips.any {
            self.mark(layout.watch_of(key), agent);
        }
        flips.of_write(write, other, |word, observers| {
            self.dirty[agent.cell(layout.words) + word] |= observers;
            bits::add(self.agents, agent);
        });
    }

    /// A key of an agent has changed that these observers read.
    #[inline]
    pub(crate) fn mark(&mut self, watch: &[u64], agent: Row) {
        let dirty = &mut self.dirty[agent.cells(watch.len())];
        for (dirty, watch) in dirty.iter_mut().zip(watch) {
            *dirty |= watch;
        }
        bits::add(self.agents, agent);
    }

    /// A shared key has changed that these observers of the first `agents` agents read.
    pub(crate) fn mark_all(&mut self, watch: &[u64], agents: usize) {
        let known = watch.len() == 1 && self.all.observers & watch[0] == watch[0];
        let all = Row::FIRST..Row::end(agents);
        for word in bits::words(&all).filter(|word| !known || self.all.cleared >> word & 1 != 0) {
            let rows = word * 64..agents.min(word * 64 + 64);
            for dirty in self.dirty[rows.start * watch.len()..rows.end * watch.len()].chunks_exact_mut(watch.len()) {
                dirty.iter_mut().zip(watch).for_each(|(dirty, watch)| *dirty |= watch);
            }
            self.agents[word] |= bits::within(word, &all);
        }
        if watch.len() == 1 && (!known || self.all.observers == watch[0]) {
            self.all = Marked { observers: watch[0], cleared: 0 };
        }
    }

    /// An observer is about to be evaluated. Each agent has `words` words of observers.
    #[inline]
    pub(crate) fn clear(&mut self, words: usize, agent: Row, observer: ObserverId) {
        self.dirty[agent.cell(words) + observer.word()] &= !observer.bit();
        self.all.cleared |= 1 << agent.word();
    }

    /// An agent has been looked at: no changed key matters at its present place.
    #[inline]
    pub(crate) fn clear_agent(&mut self, agent: Row) {
        bits::remove(self.agents, agent);
        self.all.cleared |= 1 << agent.word();
    }

    /// An agent has moved to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_agent(&mut self, words: usize, agent: Row) {
        let any = self.dirty[agent.cells(words)].iter().any(|&it| it != 0);
        bits::put(self.agents, agent, any);
        self.all.cleared |= 1 << agent.word();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::CHUNK;

    /// Marking only where a mark was cleared has the same result as marking all.
    #[test]
    fn what_is_left_out_is_marked_already() {
        let mut state = 1_u64;
        let mut roll = move |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % n
        };
        for agents in [1, 63, 64, 65, 700, CHUNK] {
            let (mut dirty, mut set) = (vec![0; CHUNK], vec![0; CHUNK / 64]);
            let (mut plain_dirty, mut plain_set) = (dirty.clone(), set.clone());
            let mut changes = Changes::new(&mut dirty, &mut set);
            for _ in 0..600 {
                // A new one knows about no marks.
                let mut plain = Changes::new(&mut plain_dirty, &mut plain_set);
                let (agent, observer) = (Row::behind(roll(agents)), ObserverId::lowest(0, 1 << roll(3)));
                match roll(6) {
                    0 | 1 => {
                        let watch = [1_u64 << roll(2) | 1 << roll(3)];
                        changes.mark_all(&watch, agents);
                        plain.mark_all(&watch, agents);
                    }
                    2 => {
                        changes.mark(&[4], agent);
                        plain.mark(&[4], agent);
                    }
                    3 => {
                        changes.clear_agent(agent);
                        plain.clear_agent(agent);
                    }
                    4 => {
                        changes.refresh_agent(1, agent);
                        plain.refresh_agent(1, agent);
                    }
                    _ => {
                        changes.clear(1, agent, observer);
                        plain.clear(1, agent, observer);
                    }
                }
                assert!(*changes.dirty == *plain.dirty && *changes.agents == *plain.agents, "{agents} agents");
            }
        }
    }
}
