//! What the fast path needs to know about a tree: whether it is simple, and which of its observers
//! are polled.

use super::Tree;
use super::observers::ObserverTable;
use crate::Host;

/// What the fast path needs from its tree. A tree is simple if it has one run stack and at most one
/// word of observers, none of which is below a reactive composite or asked at intervals, and no
/// token.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WatchSets {
    pub(crate) simple: bool,
    /// The observers that are not monitors.
    pub(crate) always: u64,
    /// The observers that are asked in every tick, whether or not a key changed.
    pub(crate) polled: u64,
    /// The observers for which it is known whether a key that they read has changed. They are
    /// polled only if every observer is.
    pub(crate) keyed: u64,
    /// The polled ones that ask for an event.
    pub(crate) events: u64,
    /// Those that read group or global keys, which other agents write.
    pub(crate) shared: u64,
}

impl WatchSets {
    /// Those of a tree, and those for ticks in which every observer is polled, and asked even if
    /// its answer is known.
    pub(super) fn of<H: Host>(tree: &Tree<H>) -> [Self; 2] {
        let ObserverTable { words, always, polled, events, periodic, .. } = &tree.observers;
        let simple = tree.bottoms.len() == 1 && *words <= 1 && tree.resume.is_none() && periodic.is_empty();
        // The fast path does not know which agents have asked for a place.
        let simple = simple && tree.tokens.is_empty();
        if !simple {
            return Default::default();
        }
        let [always, polled, events] = [always, polled, events].map(|it| it.first().copied().unwrap_or(0));
        let shared = tree.layout.watch_of_any_shared().map_or(0, |it| it[0]);
        let on_change = WatchSets { simple, always, polled, keyed: !polled, events, shared };
        [on_change, WatchSets { polled: u64::MAX, events: 0, ..on_change }]
    }

    /// The polled observers that may have a new answer for an agent without mail, whose monitors
    /// have these statuses. A condition that asks for an event fails without mail, and has nothing
    /// new to say if it failed before.
    #[inline(always)]
    pub(crate) fn without_mail(&self, statuses: u64) -> u64 {
        self.polled & !(self.events & !statuses)
    }
}

impl<H: Host> Tree<H> {
    /// Whether the fast path can tick its agents.
    pub(crate) fn is_simple(&self) -> bool {
        self.watch[0].simple
    }

    /// What the fast path needs; with `every_tick` every observer is polled.
    #[inline(always)]
    pub(crate) fn watch(&self, every_tick: bool) -> &WatchSets {
        &self.watch[usize::from(every_tick)]
    }
}
