//! How a forest or a brain runs its agents. What agents do is the same in any case.

use super::Forest;
use super::lives::Lives;
use crate::Host;
use crate::host::call::Call;
use crate::row::CHUNK;

/// How the agents of a forest, or of a brain, are run: see [`Forest::configure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Whether every watched condition is evaluated in every tick, literally as in SEMANTICS 5. If
    /// not, a condition is evaluated only when a change of a key that it observes matters to it
    /// (SEMANTICS 8.3). The agents do the same either way. In batches they may do it in another
    /// order: see [`batched`](Settings::batched). Off by default.
    pub reevaluate_every_tick: bool,

    /// Whether agents that have nothing to do before a certain time are left alone until then
    /// (SEMANTICS 8.3). The agents do the same either way. In batches they may do it in another
    /// order: see [`batched`](Settings::batched). On by default.
    pub sleep: bool,

    /// Whether agents of a tree that are at the same action are ticked together, in batches
    /// (SEMANTICS 8.11). The action updates these agents one after the other, with nothing else in
    /// between. A condition that is asked in every tick is asked for all of them, one after the
    /// other. The processor can then predict what comes next, which pays where many agents do many
    /// cheap things; `pleach bench` and `docs/benchmarks` say how much. On by default. A brain has
    /// no batches.
    ///
    /// Each agent takes the same steps in a tick, in the same order. But the steps of up to 1 024
    /// agents are interleaved: one agent may be asked or updated before another that comes earlier
    /// in the order, or between two steps of that other agent. Turn batches off if, within a tick,
    /// agents must see in order what others have done in the same tick: if, say, the first one in
    /// the order has to get the last apple. With batches, too, it is the same agent in every run,
    /// but another one may get it depending on whether agents sleep ([`sleep`](Settings::sleep)),
    /// or every condition is evaluated in every tick. Where few agents of a tree are due, always
    /// below 16, they are ticked in order. Batches have nothing to do with the groups that agents
    /// [`join`](super::AgentMut::join).
    ///
    /// If a leaf panics, all other agents of those 1 024 that the call reaches are ticked before
    /// the panic is resumed; without batches they have no turn. A tracer changes nothing: it sees
    /// agents do what they do without one.
    pub batched: bool,

    /// How many agents a chunk of a tree has at most: from 1 to 1 024, default 1 024; other numbers
    /// are clamped. Agents of a chunk are ticked together: in batches, and by `tick_parallel` on
    /// one thread. A few hundred agents that think hard spread over more threads in chunks of 64,
    /// say. Each chunk adds a cost per frame, so small chunks make many cheap agents slower. There
    /// can be about four million chunks of any size. A brain has no chunk.
    ///
    /// It applies to agents added from now on; existing ones stay where they are. The order in
    /// which agents are ticked depends on it.
    pub chunk_size: usize,

    /// The initial capacity of a chunk, in agents; default 1, maximum 1 024. The agents do the same
    /// in any case. For tests.
    #[doc(hidden)]
    pub first_room: usize,
}

impl Settings {
    /// The settings of a brain.
    pub(crate) fn of(call: &Call) -> Self {
        let &Call { every_tick, sleep, batched, .. } = call;
        Settings { reevaluate_every_tick: every_tick, sleep, batched, chunk_size: CHUNK, first_room: 1 }
    }

    /// Changes what a call knows about them. Returns whether agents may have to look at the change.
    pub(crate) fn put(self, call: &mut Call) -> bool {
        let old = (call.every_tick, call.sleep);
        (call.every_tick, call.sleep, call.batched) = (self.reevaluate_every_tick, self.sleep, self.batched);
        old != (call.every_tick, call.sleep)
    }
}

impl<H: Host> Forest<H> {
    /// Changes how agents are run: `change` gets the present settings, and its result is returned.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let mut forest = Forest::<Game>::new(7);
    /// forest.configure(|it| it.batched = false);
    /// assert!(forest.configure(|it| it.sleep && !it.batched));
    /// ```
    pub fn configure<R>(&mut self, change: impl FnOnce(&mut Settings) -> R) -> R {
        let (chunk_size, first_room) = self.trees.room_of_chunks();
        let mut settings = Settings { chunk_size, first_room, ..Settings::of(&self.call) };
        let result = change(&mut settings);
        if (settings.chunk_size, settings.first_room) != (chunk_size, first_room) {
            self.trees.set_room_of_chunks(settings.chunk_size, settings.first_room);
        }
        if settings.put(&mut self.call) {
            self.wake_all();
        }
        result
    }

    /// Marks all agents, after a change that any of them may have to look at.
    pub(super) fn wake_all(&mut self) {
        self.trees.for_each(|population| {
            for chunk in &mut population.chunks {
                chunk.rows().for_each(|row| chunk.wake(row));
            }
        });
    }
}
