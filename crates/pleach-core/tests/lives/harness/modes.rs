//! The odds in the lives: tables of choices with their weights.

mod crossed;

use pleach_core::Status;

use super::{Call, Dice};
pub(crate) use crossed::CROSSED;

/// The odds for a test.
pub(crate) struct Mode {
    /// What actions do in an update, out of 1 000; for the rest nothing.
    pub(super) deeds: &'static [(Deed, usize)],
    /// Whether leaves have all callbacks, or only those that [`Act::Hooked`] makes.
    pub(super) hooked: bool,
    /// Whether leaves with callbacks sleep in every fourth update.
    pub(super) sleepy: bool,
    pub(super) asks: &'static [(Ask, usize)],
    pub(super) acts: &'static [(Act, usize)],
    /// Inner nodes of trees with one run stack, and of the others.
    pub(super) shapes: [&'static [(Shape, usize)]; 2],
    pub(super) times: Times,
    /// What is called from outside.
    pub(crate) calls: &'static [(Call, usize)],
}

/// Seconds. Those of [`EXACT`] are sums of powers of two, so that differences are exact too.
pub(super) struct Times {
    pub(super) waits: &'static [f64],
    pub(super) every: &'static [f32],
    pub(super) timeout: f64,
    pub(super) delay: f64,
    pub(super) cooldown: f64,
    pub(super) service: f64,
}

/// What a leaf does, apart from returning its status.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    Alarm,
    Level,
    /// Adds how often the leaf was updated.
    LevelByCount,
    Spare,
    Storm,
    Rank,
    SendToOthers,
    SendToItself,
    Stop,
    Restart,
    Despawn,
    Sleep,
    Clear,
}

/// A condition.
#[derive(Clone, Copy)]
pub(super) enum Ask {
    Alarm,
    Level,
    /// The global key; an event where there is none.
    Storm,
    /// Group keys, and global ones.
    Shared,
    Event,
    Observed,
    Polled,
    /// Asked at intervals.
    Rare,
    /// Does things when it is asked, and may run.
    Doer,
}

/// A leaf, or a few. Numbers say how steady its actions are: how likely they keep running.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Plain(f64),
    Hooked(f64),
    Sequence(&'static [f64]),
    Selector(&'static [f64]),
    /// Plain ones, and one with callbacks after them.
    SelectorHooked(&'static [f64], f64),
    /// Seventy actions below two inverters each.
    Long(f64),
    Nap(f64, Status),
    Wait,
    WaitTicks,
    WaitUntil,
    WaitForShared,
    WaitForEvent,
    Idle,
    Set(f64),
    SetAndEmit(f64),
    /// A key of a node.
    Own,
    /// A key of a node that keeps a moment of the agent's own time.
    Stamp,
    Roll(f64),
    Probability(f64, f64),
}

/// An inner node, or a few.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Sequence,
    Selector,
    /// A guarded branch before two others, with an abort type.
    Priority,
    /// Two guarded branches before another one.
    TwoPriorities,
    /// Three guarded branches before a steady action.
    Ladder,
    /// A condition between two nodes.
    Late,
    /// A repeated condition before a node.
    UntilAsked,
    Guard,
    GuardOfHost,
    /// Or a switch.
    GuardOfShared,
    Timeout,
    Delay,
    /// A delay, a wait or nothing at all.
    Silent,
    Parallel,
    Reactive,
    Utility,
    /// On an int with a default, or on a bool; latched at random.
    Switch,
    Service,
    Repeat,
    Cooldown,
    Finally,
    Choice,
    Random,
    /// Those that ask for the places of tokens.
    Tokens,
    /// In a random order, one that cools down and one that is limited.
    RandomWeighted,
    UntilSuccess,
    UntilFailure,
    /// What is below two decorators, and a third node.
    Mapped,
}

const ODD: Times = Times {
    waits: &[0.333_33, 0.777_77, 35.555_55],
    every: &[0.123_45, 0.444_44, 1.234_56],
    timeout: 0.888_88,
    delay: 0.222_22,
    cooldown: 0.444_44,
    service: 0.234_56,
};

const EXACT: Times =
    Times { waits: &[0.25, 0.75, 40.0], every: &[0.125], timeout: 0.875, delay: 0.25, cooldown: 0.5, service: 0.25 };

/// All features of a forest.
pub(crate) const WILD: Mode = Mode {
    deeds: &[
        (Deed::Alarm, 50),
        (Deed::Level, 100),
        (Deed::Spare, 50),
        (Deed::Storm, 20),
        (Deed::Rank, 20),
        (Deed::SendToOthers, 14),
        (Deed::Stop, 2),
        (Deed::Restart, 2),
        (Deed::Despawn, 2),
    ],
    hooked: false,
    sleepy: false,
    asks: &[
        (Ask::Alarm, 1),
        (Ask::Level, 1),
        (Ask::Storm, 1),
        (Ask::Shared, 3),
        (Ask::Event, 1),
        (Ask::Observed, 3),
        (Ask::Polled, 1),
        (Ask::Rare, 2),
    ],
    acts: &[
        (Act::Plain(0.8), 3),
        (Act::Hooked(0.7), 2),
        (Act::Sequence(&[0.0, 0.1, 0.9]), 1),
        (Act::Nap(0.333_33, Status::Success), 1),
        (Act::Nap(0.123_45, Status::Running), 1),
        (Act::Wait, 1),
        (Act::Idle, 1),
        (Act::WaitForEvent, 1),
        (Act::WaitTicks, 1),
        (Act::WaitUntil, 1),
        (Act::WaitForShared, 1),
        (Act::SetAndEmit(0.5), 1),
        (Act::Roll(0.5), 1),
        (Act::Probability(0.7, 0.7), 1),
    ],
    shapes: [
        &[
            (Shape::Priority, 6),
            (Shape::Late, 1),
            (Shape::Guard, 1),
            (Shape::GuardOfHost, 1),
            (Shape::GuardOfShared, 2),
            (Shape::Timeout, 1),
            (Shape::Delay, 1),
            (Shape::Repeat, 1),
            (Shape::Cooldown, 1),
            (Shape::Finally, 1),
            (Shape::Choice, 1),
            (Shape::Random, 1),
            (Shape::UntilSuccess, 1),
            (Shape::UntilFailure, 1),
            (Shape::Mapped, 2),
        ],
        &[
            (Shape::Priority, 6),
            (Shape::Late, 1),
            (Shape::Guard, 1),
            (Shape::GuardOfHost, 1),
            (Shape::GuardOfShared, 2),
            (Shape::Timeout, 1),
            (Shape::Delay, 1),
            (Shape::Parallel, 1),
            (Shape::Reactive, 1),
            (Shape::Utility, 1),
            (Shape::Switch, 1),
            (Shape::Service, 1),
            (Shape::Tokens, 2),
            (Shape::UntilFailure, 1),
            (Shape::Mapped, 2),
        ],
    ],
    times: ODD,
    calls: &[
        (Call::Spawn, 1),
        (Call::Rank, 2),
        (Call::Join, 3),
        (Call::Part, 1),
        (Call::Despawn, 1),
        (Call::Disable, 1),
        (Call::Enable, 2),
        (Call::Pause, 1),
        (Call::Unpause, 2),
        (Call::Restart, 1),
        (Call::SendThree, 1),
        (Call::Complete, 1),
        (Call::Alarm, 1),
        (Call::Level, 1),
    ],
};

/// Leaves that end in their first update, one after the other.
pub(crate) const SHORT: Mode = Mode {
    deeds: &[
        (Deed::Alarm, 60),
        (Deed::Level, 120),
        (Deed::Storm, 10),
        (Deed::SendToItself, 25),
        (Deed::Stop, 8),
        (Deed::Restart, 12),
        (Deed::Despawn, 2),
        (Deed::Sleep, 120),
    ],
    sleepy: true,
    acts: &[
        (Act::Plain(0.3), 4),
        (Act::Hooked(0.3), 1),
        (Act::Sequence(&[0.0, 0.0, 0.1]), 3),
        (Act::Sequence(&[0.1, 0.1, 0.3, 0.1]), 2),
        (Act::Selector(&[0.1, 0.1, 0.1]), 3),
        (Act::SelectorHooked(&[0.1, 0.1], 0.2), 2),
        (Act::Long(0.01), 1),
        (Act::Wait, 1),
        (Act::Set(0.3), 1),
        (Act::Nap(0.333_33, Status::Success), 1),
    ],
    shapes: [
        &[
            (Shape::Sequence, 5),
            (Shape::Selector, 4),
            (Shape::Priority, 3),
            (Shape::Repeat, 1),
            (Shape::Cooldown, 1),
            (Shape::Finally, 1),
            (Shape::Service, 2),
            (Shape::UntilSuccess, 2),
            (Shape::UntilFailure, 2),
            (Shape::Mapped, 3),
        ],
        &[
            (Shape::Sequence, 5),
            (Shape::Selector, 4),
            (Shape::Late, 1),
            (Shape::Guard, 1),
            (Shape::Timeout, 1),
            (Shape::Switch, 1),
            (Shape::UntilFailure, 2),
            (Shape::Mapped, 3),
        ],
    ],
    ..WILD
};

/// What agents do in batches, and what takes them out of batches.
pub(crate) const BATCHED: Mode = Mode {
    deeds: &[
        (Deed::Alarm, 50),
        (Deed::Level, 100),
        (Deed::SendToItself, 15),
        (Deed::Stop, 5),
        (Deed::Restart, 5),
        (Deed::Despawn, 5),
        (Deed::Sleep, 20),
        (Deed::Clear, 10),
    ],
    hooked: false,
    sleepy: true,
    asks: &[
        (Ask::Alarm, 1),
        (Ask::Level, 1),
        (Ask::Storm, 1),
        (Ask::Event, 1),
        (Ask::Observed, 2),
        (Ask::Doer, 2),
        (Ask::Rare, 1),
        (Ask::Polled, 2),
    ],
    acts: &[
        (Act::Plain(0.9), 4),
        (Act::Hooked(0.7), 1),
        (Act::Sequence(&[0.0, 0.3, 0.6]), 1),
        (Act::Long(0.05), 1),
        (Act::Wait, 1),
        (Act::Idle, 1),
        (Act::WaitUntil, 1),
        (Act::Set(0.5), 1),
        (Act::Selector(&[0.0, 0.8]), 1),
    ],
    shapes: [
        &[
            (Shape::Priority, 6),
            (Shape::Ladder, 3),
            (Shape::Late, 1),
            (Shape::Guard, 1),
            (Shape::Timeout, 1),
            (Shape::Delay, 1),
            (Shape::Repeat, 1),
            (Shape::Service, 1),
            (Shape::UntilSuccess, 1),
            (Shape::UntilFailure, 1),
            (Shape::UntilAsked, 1),
        ],
        &[
            (Shape::Priority, 6),
            (Shape::Ladder, 3),
            (Shape::Late, 1),
            (Shape::Guard, 1),
            (Shape::Timeout, 1),
            (Shape::Delay, 1),
            (Shape::Parallel, 1),
            (Shape::Utility, 1),
            (Shape::Switch, 1),
            (Shape::UntilSuccess, 1),
            (Shape::UntilFailure, 1),
            (Shape::UntilAsked, 1),
        ],
    ],
    times: ODD,
    calls: &[
        (Call::Spawn, 1),
        (Call::Despawn, 1),
        (Call::Disable, 1),
        (Call::Enable, 2),
        (Call::Pause, 1),
        (Call::Unpause, 2),
        (Call::Restart, 1),
        (Call::Send, 1),
        (Call::Complete, 1),
        (Call::Alarm, 1),
        (Call::Level, 1),
        (Call::Clear, 1),
        (Call::Storm, 1),
    ],
};

/// Agents that each do something in every tick, so that a panic is soon seen. The second shapes
/// have nodes without callbacks.
pub(crate) const PANICS: Mode = Mode {
    deeds: &[(Deed::Level, 100), (Deed::Restart, 20), (Deed::Stop, 20), (Deed::SendToItself, 20), (Deed::Sleep, 40)],
    hooked: false,
    sleepy: false,
    asks: &[(Ask::Level, 1), (Ask::Event, 1), (Ask::Observed, 1), (Ask::Polled, 2)],
    acts: &[
        (Act::Plain(0.9), 2),
        (Act::Hooked(0.8), 1),
        (Act::Sequence(&[0.0, 0.3, 0.8]), 1),
        (Act::SelectorHooked(&[0.3, 0.1], 0.5), 1),
        (Act::Long(0.1), 1),
    ],
    shapes: [
        &[
            (Shape::Sequence, 1),
            (Shape::Selector, 1),
            (Shape::Repeat, 1),
            (Shape::UntilSuccess, 1),
            (Shape::TwoPriorities, 2),
        ],
        &[
            (Shape::Sequence, 1),
            (Shape::Selector, 1),
            (Shape::Repeat, 1),
            (Shape::UntilSuccess, 1),
            (Shape::TwoPriorities, 2),
            (Shape::Guard, 1),
            (Shape::Timeout, 1),
            (Shape::Silent, 1),
            (Shape::Parallel, 1),
        ],
    ],
    times: ODD,
    calls: &[
        (Call::Disable, 1),
        (Call::Enable, 3),
        (Call::Pause, 1),
        (Call::Unpause, 2),
        (Call::Restart, 1),
        (Call::Send, 1),
        (Call::Complete, 1),
        (Call::AnyLevel, 2),
    ],
};

/// Inner nodes of trees that are replaced.
const REPLACED_SHAPES: &[(Shape, usize)] = &[
    (Shape::Priority, 5),
    (Shape::Late, 1),
    (Shape::Guard, 1),
    (Shape::Timeout, 1),
    (Shape::Delay, 1),
    (Shape::Parallel, 1),
    (Shape::Reactive, 1),
    (Shape::Utility, 1),
    (Shape::Switch, 1),
    (Shape::Service, 1),
    (Shape::Random, 1),
    (Shape::RandomWeighted, 1),
    (Shape::Repeat, 1),
    (Shape::Mapped, 1),
];

/// Everything that remembers something. Trees may be replaced by others, with other keys.
pub(crate) const REPLACED: Mode = Mode {
    deeds: &[
        (Deed::LevelByCount, 200),
        (Deed::Alarm, 100),
        (Deed::Restart, 20),
        (Deed::Stop, 10),
        (Deed::SendToItself, 30),
    ],
    hooked: true,
    sleepy: false,
    asks: &[(Ask::Alarm, 1), (Ask::Level, 1), (Ask::Event, 1), (Ask::Polled, 1)],
    acts: &[
        (Act::Hooked(0.7), 5),
        (Act::Wait, 1),
        (Act::Idle, 1),
        (Act::WaitForEvent, 1),
        (Act::WaitTicks, 1),
        (Act::WaitUntil, 1),
        (Act::Own, 1),
        (Act::Roll(0.7), 1),
        (Act::Probability(0.5, 0.9), 1),
        (Act::Sequence(&[0.0, 0.9]), 1),
    ],
    shapes: [REPLACED_SHAPES; 2],
    times: EXACT,
    calls: &[
        (Call::Alarm, 1),
        (Call::AnyLevel, 2),
        (Call::Send, 2),
        (Call::Pause, 1),
        (Call::Unpause, 2),
        (Call::Enable, 1),
    ],
};

/// The same without panics, and such that no agent sees in a frame what another does in it.
pub(crate) const DISCREET: Mode = Mode {
    deeds: &[
        (Deed::Alarm, 40),
        (Deed::LevelByCount, 80),
        (Deed::Spare, 30),
        (Deed::SendToItself, 20),
        (Deed::Restart, 8),
        (Deed::Stop, 4),
        (Deed::Sleep, 40),
    ],
    ..CROSSED
}
.calling(&[
    (Call::Disable, 1),
    (Call::Enable, 3),
    (Call::Pause, 1),
    (Call::Unpause, 2),
    (Call::Restart, 2),
    (Call::Send, 3),
    (Call::SendThree, 2),
    (Call::Complete, 1),
    (Call::Alarm, 2),
    (Call::AnyLevel, 2),
    (Call::Clear, 1),
    (Call::Rate, 1),
    (Call::Fill, 2),
]);

impl Mode {
    /// The same where agents write shared keys and watch them.
    pub(crate) const fn sharing(self) -> Self {
        const DEEDS: &[(Deed, usize)] = &[
            (Deed::Storm, 20),
            (Deed::Rank, 40),
            (Deed::LevelByCount, 100),
            (Deed::Restart, 20),
            (Deed::Stop, 10),
            (Deed::SendToItself, 30),
        ];
        const ASKS: &[(Ask, usize)] = &[(Ask::Alarm, 1), (Ask::Storm, 1), (Ask::Shared, 3), (Ask::Event, 1)];
        const ACTS: &[(Act, usize)] = &[
            (Act::Hooked(0.7), 2),
            (Act::Wait, 1),
            (Act::Idle, 3),
            (Act::WaitForShared, 2),
            (Act::Nap(0.333_33, Status::Running), 1),
        ];
        Mode { deeds: DEEDS, asks: ASKS, acts: ACTS, ..self }
    }

    /// The mode with other calls from outside.
    pub(crate) const fn calling(self, calls: &'static [(Call, usize)]) -> Self {
        Self { calls, ..self }
    }
}

/// One of a table, by its weights.
pub(super) fn pick<T: Copy>(dice: &mut Dice, table: &[(T, usize)]) -> T {
    let lot = dice.below(table.iter().map(|it| it.1).sum());
    find(table, lot).expect("below the sum")
}

/// The entry of a table that this number draws.
pub(super) fn find<T: Copy>(table: &[(T, usize)], mut lot: usize) -> Option<T> {
    for &(it, weight) in table {
        if lot < weight {
            return Some(it);
        }
        lot -= weight;
    }
    None
}
