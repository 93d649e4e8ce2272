//! What agents wait for, in a save: asleep, until when, and which observers they still have to ask.
//! So a restored agent carries on exactly, to the line of the trace (SEMANTICS 11.2).

use super::chunk::Chunk;
use super::damage::Damage;
use super::parts::Shape;
use crate::blackboard::changes::Changes;
use crate::blackboard::shared::{Cell, Shared};
use crate::clock::Moment;
use crate::index::ObserverId;
use crate::life::Flags;
use crate::machine::state::RunColumns;
use crate::row::Row;
use crate::save::model::{SavedAgent, SavedPhase, SavedWait, SavedWaiting};
use crate::{Host, NodeId, Tree, bits};

impl SavedWaiting {
    /// What the agents of a saved tree wait for. `None` if the loaded tree is another version.
    pub(crate) fn under<H: Host>(&self, tree: &Tree<H>, agents: &[SavedAgent]) -> Result<Option<&[SavedWait]>, Damage> {
        if self.fingerprint != tree.fingerprint() {
            return Ok(None);
        }
        let fit = self.agents.len() == agents.len() && self.agents.iter().zip(agents).all(|it| it.0.fits(it.1, tree));
        if fit { Ok(Some(&self.agents)) } else { Err(Damage::UnknownWait) }
    }
}

impl SavedWait {
    /// Whether such an agent can wait for this under its tree.
    fn fits<H: Host>(&self, agent: &SavedAgent, tree: &Tree<H>) -> bool {
        let on = matches!(agent.phase, SavedPhase::Active | SavedPhase::Paused);
        let observes = |node| tree.observers.nodes.binary_search(node).is_ok();
        let may_wait = match self.wake {
            Some(wake) => on && !agent.fresh && wake <= Moment::NEVER,
            // No tick leaves it alone.
            None => agent.phase != SavedPhase::Active || self.awake,
        };
        may_wait && self.dirty.iter().all(observes)
    }

    /// What an agent waits for: asleep until `wake`, with these changed keys to look at. A reactive
    /// composite whose next rerun may do something counts as one with a changed key.
    pub(crate) fn of<H: Host>(
        wake: Option<Moment>,
        dirty: &[u64],
        (tops, memory): (&[NodeId], &[u32]),
        tree: &Tree<H>,
    ) -> Self {
        let mut nodes = Vec::new();
        let mut dirty = dirty.to_vec();
        for (observer, slot, quiet) in tree.reactive(tops) {
            if memory[slot.index()] != quiet {
                dirty[observer.word()] |= observer.bit();
            }
        }
        for (word, mut bits) in dirty.into_iter().enumerate() {
            while bits != 0 {
                nodes.push(tree.observers.nodes[ObserverId::lowest(word, bits).index()]);
                bits &= bits - 1;
            }
        }
        SavedWait { wake, dirty: nodes, awake: wake.is_none(), changed: false }
    }

    /// A restored agent, which was to be asked everything, has these changed keys to look at.
    pub(crate) fn put_dirty<H: Host>(
        &self,
        Changes { dirty, agents, .. }: Changes<'_>,
        columns: &mut RunColumns<'_>,
        row: Row,
        tree: &Tree<H>,
    ) {
        let own = &mut dirty[row.cells(tree.observers.words)];
        own.fill(0);
        for node in &self.dirty {
            let observer = ObserverId::new(tree.observers.nodes.binary_search(node).expect("the save was checked"));
            own[observer.word()] |= observer.bit();
        }
        bits::put(agents, row, self.changed);
        let tops = columns.tops(row).to_vec();
        for (_, slot, quiet) in tree.reactive(&tops).filter(|it| !it.0.is_in(own)) {
            *columns.word(row, slot) = quiet;
        }
    }
}

impl<H: Host> Chunk<H> {
    /// What an agent waits for. It also has to look at what the game has written to shared keys
    /// since the last frame, though it only hears of that at the beginning of the next frame.
    pub(super) fn saved_wait(&self, row: Row, shape: &Shape<H>, shared: &Shared) -> SavedWait {
        let (flags, bits) = (self.flags()[row.index()], self.run.bits());
        let wake = flags.contains(Flags::ASLEEP).then(|| self.lives[row.index()].wake);
        let (awake, mut changed) = (bits::has(bits.awake(), row), bits::has(bits.dirty_agents(), row));
        let runs = (self.run.tops(row), self.run.memory(row));
        let mut dirty = bits.dirty(row).to_vec();
        for cell in shared.untold().filter(|it| self.sees(row, *it)) {
            if let Some(watch) = shape.map.readers(&shape.tree.layout, cell) {
                dirty.iter_mut().zip(watch).for_each(|(dirty, watch)| *dirty |= watch);
                changed = true;
            }
        }
        SavedWait { awake, changed, ..SavedWait::of(wake, &dirty, runs, &shape.tree) }
    }

    /// Whether an agent sees a shared value if its tree has the key.
    fn sees(&self, row: Row, cell: Cell) -> bool {
        match cell {
            Cell::Global(_) => true,
            Cell::Group(group, _) => self.extras.ties().and_then(|it| it.group(row)).is_some_and(|it| it.0 == group),
        }
    }

    /// The shared keys that an agent sees may have other values than where it was saved, so its
    /// observers that read one are asked.
    pub(super) fn doubt_shared(&mut self, row: Row, tree: &Tree<H>) {
        if let Some(watch) = tree.layout.watch_of_any_shared() {
            self.run.bits_mut().changes().mark(watch, row);
        }
    }

    /// A restored agent waits for what it waited for. `now` is `None` where no agent sleeps.
    pub(super) fn wait_on(&mut self, row: Row, wait: &SavedWait, tree: &Tree<H>, now: Option<Moment>) {
        let (mut columns, changes, _) = self.run.lend();
        wait.put_dirty(changes, &mut columns, row, tree);
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
        // How many agents there are to look at decides about batches.
        bits::put(self.run.bits_mut().awake_mut(), row, wait.awake);
    }
}
