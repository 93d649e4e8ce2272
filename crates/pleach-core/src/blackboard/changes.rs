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

/// Which marks need not be made again. In a frame in which each agent writes a shared key, nearly
/// all agents are marked already.
#[derive(Clone, Copy, Debug, Default)]
struct Marked {
    /// The observers that are marked in all agents, but for those of `cleared`.
    observers: u64,
    /// The words of agents in which a mark was cleared, one bit each.
    cleared: u16,
}

impl<'m> Changes<'m> {
    /// What has changed, of agents in these columns.
    pub(crate) fn new(dirty: &'m mut [u64], agents: &'m mut [u64]) -> Self {
        Changes { dirty, agents, all: Marked::default() }
    }

    /// A key of an agent has changed that observers compare: from one rank to another, while the
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

    /// A key of an agent that these observers read has changed.
    #[inline]
    pub(crate) fn mark(&mut self, watch: &[u64], agent: Row) {
        let dirty = &mut self.dirty[agent.cells(watch.len())];
        for (dirty, watch) in dirty.iter_mut().zip(watch) {
            *dirty |= watch;
        }
        bits::add(self.agents, agent);
    }

    /// A key of so many agents that these observers read has changed.
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

    /// An observer is about to be asked. Each agent has so many words of observers.
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

    /// An agent has come to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_agent(&mut self, words: usize, agent: Row) {
        let any = self.dirty[agent.cells(words)].iter().any(|&it| it != 0);
        bits::put(self.agents, agent, any);
        self.all.cleared |= 1 << agent.word();
    }
}
