//! What agents wait for, in a save: asleep, until when, and which observers they still have to ask. So
//! a restored agent goes on to the line of the trace (SEMANTICS 11.2).

use super::chunk::Chunk;
use crate::blackboard::board::Changes;
use crate::clock::Moment;
use crate::index::ObserverId;
use crate::life::Flags;
use crate::row::Row;
use crate::save::model::{SavedAgent, SavedPhase, SavedWait};
use crate::{Host, Tree, bits};

impl SavedWait {
    /// Whether such an agent can wait for this under its tree.
    pub(super) fn fits<H: Host>(&self, agent: &SavedAgent, tree: &Tree<H>) -> bool {
        let on = matches!(agent.phase, SavedPhase::Active | SavedPhase::Paused);
        let observes = |node| tree.observers.nodes.binary_search(node).is_ok();
        let may_wait = match self.wake {
            Some(wake) => on && !agent.fresh && wake <= Moment::NEVER,
            // No tick leaves it alone.
            None => agent.phase != SavedPhase::Active || self.awake,
        };
        may_wait && self.dirty.iter().all(observes)
    }
}

impl<H: Host> Chunk<H> {
    /// What an agent waits for.
    pub(super) fn saved_wait(&self, row: Row, tree: &Tree<H>) -> SavedWait {
        let (flags, bits) = (self.flags()[row.index()], self.run.bits());
        let mut wait = SavedWait {
            wake: flags.contains(Flags::ASLEEP).then(|| self.lives[row.index()].wake),
            dirty: Vec::new(),
            awake: bits::has(bits.awake(), row),
            changed: bits::has(bits.dirty_agents(), row),
        };
        for (word, &bits) in bits.dirty(row).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                wait.dirty.push(tree.observers.nodes[ObserverId::lowest(word, bits).index()]);
                bits &= bits - 1;
            }
        }
        wait
    }

    /// A restored agent, which was to be asked everything, waits for what it waited for. `now` is
    /// missing where no agent sleeps.
    pub(super) fn wait_on(&mut self, row: Row, wait: &SavedWait, tree: &Tree<H>, now: Option<Moment>) {
        let Changes { dirty, agents } = self.run.bits_mut().changes();
        let own = &mut dirty[row.cells(tree.observers.words)];
        own.fill(0);
        for node in &wait.dirty {
            let observer = ObserverId::new(tree.observers.nodes.binary_search(node).expect("the save was checked"));
            own[observer.word()] |= observer.bit();
        }
        bits::put(agents, row, wait.changed);
        if let Some(wake) = wait.wake {
            let Some(now) = now else { return };
            self.lives[row.index()].wake = wake;
            self.flags[row.index()] |= Flags::ASLEEP;
            let agents = self.len();
            self.deadlines.lend(agents, self.run.bits_mut().awake_mut()).sleep(
                row,
                self.lives[row.index()].wakes(),
                now,
            );
        }
        // How many there are to look at decides about batches.
        bits::put(self.run.bits_mut().awake_mut(), row, wait.awake);
    }
}
