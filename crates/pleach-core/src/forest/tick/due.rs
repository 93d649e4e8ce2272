//! The agents of a chunk that a tick looks at, and those that others may wake during the tick.

use super::super::awake::Awake;
use super::super::parts::Shape;
use crate::Host;
use crate::bits::Bits;
use crate::machine::Machine;
use crate::trace::Tracer;

/// Agents of a chunk that have their turns.
pub(super) struct Due {
    /// Those that a tick looks at.
    pub(super) now: Bits,
    /// The others, if their tree has observers of shared keys and a tick looks at any agent: one
    /// that is ticked before them may wake them.
    pub(super) asleep: Option<Bits>,
}

impl Due {
    /// Those of some agents, of which a tick looks at these now.
    pub(super) fn of<H: Host>(shape: &Shape<H>, now: Bits, all: impl FnOnce() -> Bits) -> Self {
        let others = |mut all: Bits| {
            all.iter_mut().zip(&now).for_each(|(all, now)| *all &= !now);
            all
        };
        let wakes = shape.tree.layout.watches_shared() && now != Bits::default();
        let asleep = wakes.then(|| others(all()));
        Due { now, asleep }
    }

    /// These agents have no turn.
    pub(super) fn remove(&mut self, agents: &Bits) {
        for set in [Some(&mut self.now), self.asleep.as_mut()].into_iter().flatten() {
            set.iter_mut().zip(agents).for_each(|(set, agents)| *set &= !agents);
        }
    }

    /// This tick also looks at agents that were marked since it began; and so do the next ones,
    /// until they sleep again.
    pub(super) fn wake(&mut self, marked: &[u64], awake: &mut [u64]) {
        let Due { now, asleep: Some(asleep) } = self else { return };
        for (((now, asleep), marked), awake) in now.iter_mut().zip(asleep).zip(marked).zip(awake) {
            let woken = *asleep & marked;
            *now |= woken;
            *awake |= woken;
            *asleep &= !marked;
        }
    }
}

/// Also looks at the agents that were marked since the tick began.
#[inline]
pub(super) fn wake<H: Host, T: Tracer>(machine: &mut Machine<'_, '_, H, T>, due: &mut Due, awake: &mut Awake<'_>) {
    if due.asleep.is_some() {
        let rows = machine.cx.agent.rows_mut();
        if rows.shared.as_mut().is_some_and(|it| std::mem::take(&mut it.told)) {
            due.wake(rows.changes.agents, awake.bits);
        }
    }
}
