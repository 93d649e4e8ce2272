//! What agents wait for, in a save: asleep, until when, and which observers they still have to ask. So
//! a restored agent goes on to the line of the trace (SEMANTICS 11.2).

use super::chunk::Chunk;
use super::lives::Lives;
use crate::clock::Moment;
use crate::index::ObserverId;
use crate::life::Flags;
use crate::row::Row;
use crate::save::model::{SavedAgent, SavedPhase, SavedWait};
use crate::{Host, Tree};

impl SavedWait {
    /// Whether such an agent can wait for this under its tree.
    pub(super) fn fits<H: Host>(&self, agent: &SavedAgent, tree: &Tree<H>) -> bool {
        let on = matches!(agent.phase, SavedPhase::Active | SavedPhase::Paused);
        let sleeps = on && !agent.fresh && self.wake <= Some(Moment::NEVER);
        let observes = |node| tree.observers.nodes.binary_search(node).is_ok();
        (self.wake.is_none() || sleeps) && self.dirty.iter().all(observes)
    }
}

impl<H: Host> Chunk<H> {
    /// What an enabled agent waits for.
    pub(super) fn saved_wait(&self, row: Row, tree: &Tree<H>) -> SavedWait {
        let asleep = self.flags()[row.index()].contains(Flags::ASLEEP);
        let mut wait = SavedWait { wake: asleep.then(|| self.lives[row.index()].wake), dirty: Vec::new() };
        for (word, &bits) in self.run.bits().dirty(row).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                wait.dirty.push(tree.observers.nodes[ObserverId::lowest(word, bits).index()]);
                bits &= bits - 1;
            }
        }
        wait
    }

    /// A restored agent, which was to be asked everything, waits for what it waited for.
    pub(super) fn wait_on(&mut self, row: Row, wait: &SavedWait, tree: &Tree<H>, may_sleep: bool) {
        let own = self.run.bits_mut().changes().dirty;
        let own = &mut own[row.cells(tree.observers.words)];
        own.fill(0);
        for node in &wait.dirty {
            let observer = ObserverId::new(tree.observers.nodes.binary_search(node).expect("the save was checked"));
            own[observer.word()] |= observer.bit();
        }
        self.refresh_dirty(row);
        if let Some(wake) = wait.wake
            && may_sleep
        {
            // The next tick looks at it, and lets it sleep on until its time.
            self.lives[row.index()].wake = wake;
            self.flags[row.index()] |= Flags::ASLEEP;
        }
    }
}
