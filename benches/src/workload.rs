//! What is measured, by name.

use std::fmt;

/// What happens to the guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guards {
    /// Nothing. A change would be reported to the implementation, so it need not look.
    Observed,
    /// Nothing. The implementation must evaluate its three watched conditions in every tick.
    Polled,
    /// The event of (agent, frame) before each tick.
    Churn,
}

/// How long sleepers sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// 59 and 60 frames alternately: 1.68 % wake per frame.
    Napping,
    /// For a year: the cost of an agent that stays asleep.
    Still,
}

impl Sleep {
    /// The frames of two naps.
    pub const ROUND: u32 = 119;
}

/// How large squads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Squads {
    /// Each agent has its own squad.
    Alone,
    /// Eight agents, one after the other.
    OfEight,
}

/// Which conditions on events a guard on patrol watches, and what it hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// It watches none.
    None,
    /// Four, and hears nothing.
    Four,
    /// Sixteen, and hears nothing.
    Sixteen,
    /// Sixteen, and each frame it hears an event that it does not wait for.
    Mail,
}

/// How the game writes a float of sleeping agents without affecting their check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensors {
    /// Not at all.
    None,
    /// By `update_column`, the same value.
    SameColumn,
    /// By `update_column`, another value in each frame.
    Column,
    /// By `update_agents`, the same value.
    SameAgents,
    /// By `update_agents`, another value in each frame.
    Agents,
}

/// What agents wait for without ever getting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// Their own keys, below reactive composites.
    Reactive,
    /// A global key and a key of their squad, below aborts.
    Shared,
    /// One of three places of a token of the forest, which others hold. They ask in every tick.
    Token,
}

/// A workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// S1 and S2: guards that patrol, flee, fight and listen.
    Guards(Guards),
    /// The ticks of S1 and S2 on several threads, in wall-clock time.
    Threads(Guards),
    /// Agents that write to keys of their squad, on several threads, in wall-clock time.
    Squads(Squads),
    /// S3: a tree of 29 nodes that ends in every tick and starts again in the next.
    Walk,
    /// S4: agents that wait.
    Sleep(Sleep),
    /// S5: agents of eight trees, in random order, 10 % awake; 64 MiB of other data are
    /// written between frames.
    Mixed,
    /// Guards of 1 000 trees, without any events.
    Trees,
    /// Guards on patrol that listen for events.
    Events(Events),
    /// Agents with a float that sensors write.
    Sensors(Sensors),
    /// S7: agents that wait for something that never comes.
    Quiet(Quiet),
    /// S6: from the text of an asset to a tree. Its size is the number of nodes, which stand for
    /// the agents.
    Load,
    /// S6: adding agents.
    Spawn,
    /// S6: removing agents, in random order.
    Despawn,
    /// S6: from the text of an asset to agents that run it in place of their earlier tree, and
    /// start from its beginning.
    Reload,
    /// S6: the same, and agents carry on where they were.
    Keep,
    /// S6: agents are copied, and put back.
    Snapshot,
    /// S6: agents are saved and restored.
    Save,
}

impl Workload {
    /// Every workload, in the order in which they are reported.
    pub const ALL: [Self; 32] = [
        Self::Guards(Guards::Observed),
        Self::Guards(Guards::Polled),
        Self::Guards(Guards::Churn),
        Self::Threads(Guards::Observed),
        Self::Threads(Guards::Polled),
        Self::Threads(Guards::Churn),
        Self::Squads(Squads::Alone),
        Self::Squads(Squads::OfEight),
        Self::Walk,
        Self::Sleep(Sleep::Napping),
        Self::Sleep(Sleep::Still),
        Self::Mixed,
        Self::Trees,
        Self::Events(Events::None),
        Self::Events(Events::Four),
        Self::Events(Events::Sixteen),
        Self::Events(Events::Mail),
        Self::Sensors(Sensors::None),
        Self::Sensors(Sensors::SameColumn),
        Self::Sensors(Sensors::Column),
        Self::Sensors(Sensors::SameAgents),
        Self::Sensors(Sensors::Agents),
        Self::Quiet(Quiet::Reactive),
        Self::Quiet(Quiet::Shared),
        Self::Quiet(Quiet::Token),
        Self::Load,
        Self::Spawn,
        Self::Despawn,
        Self::Reload,
        Self::Keep,
        Self::Snapshot,
        Self::Save,
    ];

    /// The name under which results are reported.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Guards(Guards::Observed) => "S1-observed",
            Self::Guards(Guards::Polled) => "S1-polled",
            Self::Guards(Guards::Churn) => "S2",
            Self::Threads(Guards::Observed) => "threads-S1-observed",
            Self::Threads(Guards::Polled) => "threads-S1-polled",
            Self::Threads(Guards::Churn) => "threads-S2",
            Self::Squads(Squads::Alone) => "threads-squads-1",
            Self::Squads(Squads::OfEight) => "threads-squads-8",
            Self::Walk => "S3",
            Self::Sleep(Sleep::Napping) => "S4",
            Self::Sleep(Sleep::Still) => "S4-still",
            Self::Mixed => "S5",
            Self::Trees => "trees",
            Self::Events(Events::None) => "events-0",
            Self::Events(Events::Four) => "events-4",
            Self::Events(Events::Sixteen) => "events-16",
            Self::Events(Events::Mail) => "events-16-mail",
            Self::Sensors(Sensors::None) => "sensors-none",
            Self::Sensors(Sensors::SameColumn) => "sensors-column-same",
            Self::Sensors(Sensors::Column) => "sensors-column",
            Self::Sensors(Sensors::SameAgents) => "sensors-agents-same",
            Self::Sensors(Sensors::Agents) => "sensors-agents",
            Self::Quiet(Quiet::Reactive) => "S7-reactive",
            Self::Quiet(Quiet::Shared) => "S7-shared",
            Self::Quiet(Quiet::Token) => "S7-token",
            Self::Load => "S6-load",
            Self::Spawn => "S6-spawn",
            Self::Despawn => "S6-despawn",
            Self::Reload => "S6-reload",
            Self::Keep => "S6-keep",
            Self::Snapshot => "S6-snapshot",
            Self::Save => "S6-save",
        }
    }

    /// What happens in it, in one line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Guards(Guards::Observed) => "guards without events, three watched conditions over observed data",
            Self::Guards(Guards::Polled) => {
                "guards without events, three watched conditions over data of the game, evaluated in every tick"
            }
            Self::Guards(Guards::Churn) => "guards with events; 2.3 % of them change branch per frame",
            Self::Threads(Guards::Observed) => "the ticks of S1-observed on several threads, by the clock on the wall",
            Self::Threads(Guards::Polled) => "the ticks of S1-polled on several threads, by the clock on the wall",
            Self::Threads(Guards::Churn) => "the ticks of S2 on several threads, by the clock on the wall",
            Self::Squads(Squads::Alone) => {
                "agents that write to four shared keys in every tick, each in a squad of its own"
            }
            Self::Squads(Squads::OfEight) => "agents that write to four shared keys in every tick, eight in a squad",
            Self::Walk => "29 nodes visited per tick, ended and started again in every tick",
            Self::Sleep(Sleep::Napping) => "agents that wait; 1.68 % of them wake per frame and wait again",
            Self::Sleep(Sleep::Still) => "agents that wait and do not wake",
            Self::Mixed => "eight trees, agents in random order, 10 % awake, cold caches",
            Self::Trees => "the guards of S1-observed, of 1 000 trees, beside as many of one tree",
            Self::Events(Events::None) => "guards on patrol that listen for no event",
            Self::Events(Events::Four) => "guards on patrol that watch four conditions on events, and hear nothing",
            Self::Events(Events::Sixteen) => {
                "guards on patrol that watch sixteen conditions on events, and hear nothing"
            }
            Self::Events(Events::Mail) => "the same sixteen, and each guard hears another event in every frame",
            Self::Sensors(Sensors::None) => "agents that sleep, with a float that a check compares",
            Self::Sensors(Sensors::SameColumn) => "the same; `update_column` leaves each float as it is",
            Self::Sensors(Sensors::Column) => {
                "the same; `update_column` changes each float in every frame, and no comparison flips"
            }
            Self::Sensors(Sensors::SameAgents) => "the same; `update_agents` leaves each float as it is",
            Self::Sensors(Sensors::Agents) => {
                "the same; `update_agents` changes each float in every frame, and no comparison flips"
            }
            Self::Quiet(Quiet::Reactive) => {
                "agents that sleep below reactive composites, whose earlier children could do nothing new"
            }
            Self::Quiet(Quiet::Shared) => {
                "agents that sleep, and watch keys of all and of their squad, which do not change"
            }
            Self::Quiet(Quiet::Token) => "agents that ask in every tick for a place that others hold",
            Self::Load => "from RON, or from a baked tree, to a checked, flat one; per node",
            Self::Spawn => "adding agents of the guard tree",
            Self::Despawn => "removing agents of the guard tree, in random order",
            Self::Reload => {
                "reading the guard tree from RON and giving it to agents of the arena, which restart; per agent"
            }
            Self::Keep => "the same, and the agents go on with what they do; per agent",
            Self::Snapshot => {
                "copying agents of the arena and putting them back, beside a plain copy of as many bytes; per agent"
            }
            Self::Save => {
                "agents of the arena saved in a binary format, and restored from it into a new forest; per agent"
            }
        }
    }

    /// The sizes at which it is measured.
    #[must_use]
    pub fn sizes(self) -> &'static [u32] {
        match self {
            Self::Guards(_) | Self::Walk | Self::Sleep(_) => &[1, 10, 50, 100, 1_000, 10_000, 100_000, 1_000_000],
            Self::Squads(_) => &[1_000, 20_480, 100_000],
            Self::Threads(_) | Self::Mixed => &[1_000, 10_000, 100_000, 1_000_000],
            Self::Trees => &[1_000, 3_000, 10_000, 100_000],
            Self::Events(_) => &[1_000],
            Self::Sensors(_) => &[100_000],
            Self::Quiet(_) => &[1_000, 100_000],
            Self::Load => &[10, 1_000, 10_000],
            Self::Spawn => &[10_000, 100_000],
            Self::Despawn | Self::Reload | Self::Keep | Self::Save => &[100_000],
            Self::Snapshot => &[1_000, 100_000],
        }
    }

    /// Whether it is timed in wall-clock time instead of processor time. Processor time says
    /// nothing about threads that share the work, but other programs disturb wall-clock time.
    #[must_use]
    pub fn is_by_the_wall(self) -> bool {
        matches!(self, Self::Threads(_) | Self::Squads(_))
    }

    /// The number of frames played before the first measurement. Agents that all start at once
    /// need them to spread out.
    #[must_use]
    pub fn settling(self) -> u32 {
        match self {
            Self::Guards(Guards::Observed | Guards::Polled)
            | Self::Threads(Guards::Observed | Guards::Polled)
            | Self::Squads(_)
            | Self::Walk
            | Self::Trees
            | Self::Events(_)
            | Self::Sensors(_)
            | Self::Quiet(_) => 2,
            // Of the actions that many agents start with, Flee lasts longest: 41 updates.
            Self::Guards(Guards::Churn) | Self::Threads(Guards::Churn) => 60,
            // The first nap begins after at most one round of naps.
            Self::Sleep(Sleep::Napping) => Sleep::ROUND,
            // No agent has begun to wait before the first frame.
            Self::Sleep(Sleep::Still) => 2,
            Self::Mixed => 2,
            // The agents of a reload have settled already.
            Self::Load | Self::Spawn | Self::Despawn | Self::Reload | Self::Keep | Self::Snapshot | Self::Save => 0,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
