//! Which implementation plays which workload: every [`Racer`].

use std::fmt;
use std::time::Duration;

use crate::bonsai::{BonsaiRaceGuards, BonsaiRaceWalkers, BonsaiReactiveGuards, BonsaiReactiveWalkers, BonsaiSleepers};
use crate::crowd::{Crowd, Scene, Wrong, check};
use crate::hand::{HandGuards, HandMatchGuards, HandSleepers, HandWalkers};
use crate::lite::{LiteGuards, LiteWalkers};
use crate::naive::{NaiveGuards, NaiveSleepers, NaiveWalkers};
use crate::pleach::{
    Baked, Batched, BrainGuards, BrainSleepers, BrainSpawn, BrainWalkers, Copied, DefaultWay, Despawn, EventForest,
    GuardForest, InOrder, Load, Mixed, OneTree, OtherWay, PlainJson, PlainLoad, PlainRon, Polled, QuietForest, Reload,
    Saves, SensorForest, SleepForest, Snapshots, Spawn, Text, ThreadGuards, ThreadSquads, TreesForest, WalkForest, Way,
};
use crate::racer::{Racer, Task};
use crate::sleep::Sleep;
use crate::stopwatch::timed;
use crate::workload::Workload;

/// One implementation of one kind of workload.
pub struct Entry {
    /// The implementation.
    pub name: &'static str,
    plays: fn(Workload) -> bool,
    most: u32,
    check: fn(Workload) -> Result<(), Wrong>,
    make: fn(Workload, u32) -> Option<Box<dyn Racer>>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Entry {
    /// Checks that it does what the workload requires, before it is timed. Takes about a second.
    ///
    /// # Errors
    /// It does something else.
    pub fn check(&self, workload: Workload) -> Result<(), Wrong> {
        (self.check)(workload)
    }

    /// Whether it is measured at that size.
    #[must_use]
    pub fn takes(&self, size: u32) -> bool {
        size <= self.most
    }

    /// One of `size` agents, before its first frame; `None` if it does not play this workload.
    #[must_use]
    pub fn make(&self, workload: Workload, size: u32) -> Option<Box<dyn Racer>> {
        (self.make)(workload, size)
    }
}

/// All entries, in the order in which they are reported.
static ENTRIES: [Entry; 61] = [
    of_crowd::<HandGuards>(),
    of_crowd::<HandMatchGuards>(),
    of_crowd::<HandWalkers>(),
    of_crowd::<HandSleepers>(),
    of_crowd::<NaiveGuards>(),
    of_crowd::<NaiveWalkers>(),
    of_crowd::<NaiveSleepers>(),
    of_crowd::<GuardForest<InOrder>>(),
    of_crowd::<WalkForest<InOrder>>(),
    of_crowd::<SleepForest<InOrder>>(),
    of_crowd::<GuardForest<Batched>>(),
    of_crowd::<WalkForest<Batched>>(),
    of_crowd::<SleepForest<Batched>>(),
    of_crowd::<GuardForest<Polled>>(),
    of_crowd::<WalkForest<Polled>>(),
    of_crowd::<BrainGuards>(),
    of_crowd::<BrainWalkers>(),
    of_crowd::<BrainSleepers>(),
    on_threads::<DefaultWay, 0>(),
    on_threads::<DefaultWay, 1>(),
    on_threads::<DefaultWay, 2>(),
    on_threads::<OtherWay, 0>(),
    on_threads::<OtherWay, 1>(),
    on_threads::<OtherWay, 2>(),
    of_crowd_by_the_wall::<ThreadSquads<0>>(),
    of_crowd_by_the_wall::<ThreadSquads<1>>(),
    of_crowd_by_the_wall::<ThreadSquads<2>>(),
    of_task::<Mixed<InOrder>>(),
    of_task::<Mixed<Batched>>(),
    of_task::<Mixed<Polled>>(),
    of_crowd::<TreesForest<InOrder>>(),
    of_crowd::<TreesForest<Batched>>(),
    of_crowd::<OneTree<InOrder>>(),
    of_crowd::<OneTree<Batched>>(),
    of_crowd::<EventForest<InOrder>>(),
    of_crowd::<EventForest<Batched>>(),
    of_crowd::<SensorForest<InOrder>>(),
    of_crowd::<SensorForest<Batched>>(),
    of_crowd::<QuietForest<InOrder>>(),
    of_crowd::<QuietForest<Batched>>(),
    of_task::<Load<Text>>(),
    of_task::<Load<Baked>>(),
    of_task::<PlainLoad<PlainRon>>(),
    of_task::<PlainLoad<PlainJson>>(),
    of_task::<Spawn>(),
    of_task::<BrainSpawn>(),
    of_task::<Despawn>(),
    of_task::<Reload<false>>(),
    of_task::<Reload<true>>(),
    of_task::<Snapshots<false>>(),
    of_task::<Snapshots<true>>(),
    of_task::<Copied>(),
    of_task::<Saves<false>>(),
    of_task::<Saves<true>>(),
    of_crowd::<BonsaiRaceGuards>(),
    of_crowd::<BonsaiRaceWalkers>(),
    of_crowd::<BonsaiSleepers>(),
    of_crowd::<BonsaiReactiveGuards>(),
    of_crowd::<BonsaiReactiveWalkers>(),
    of_crowd::<LiteGuards>(),
    of_crowd::<LiteWalkers>(),
];

/// The entries that play a workload, in the order in which they are reported.
pub fn entries(workload: Workload) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |it| (it.plays)(workload))
}

/// The implementations that a reader may expect in a workload, and why they are absent.
#[must_use]
pub fn absent(workload: Workload) -> &'static [(&'static str, &'static str)] {
    match workload {
        Workload::Guards(_) | Workload::Walk => &[],
        Workload::Sleep(Sleep::Napping | Sleep::Still) => &[
            ("pleach-polled", "the tree has no conditions: it is pleach-batched"),
            ("bonsai-reactive", "without memory a wait begins again in every tick"),
            ("behavior-tree-lite", "it has no notion of time"),
        ],
        Workload::Mixed | Workload::Reload | Workload::Keep | Workload::Snapshot | Workload::Save => {
            &[("all others", "the trees are assets of pleach")]
        }
        Workload::Events(_) => &[("all others", "events are compared with no events only")],
        Workload::Sensors(_) => &[("all others", "writes are compared with none only")],
        Workload::Quiet(_) => &[("all others", "it is compared with S4-still")],
        Workload::Load => &[("other libraries of trees", "the trees are assets of pleach")],
        Workload::Threads(_) | Workload::Squads(_) | Workload::Trees | Workload::Spawn | Workload::Despawn => {
            &[("all others", "there is a goal for pleach only")]
        }
    }
}

const fn of_crowd<C: Crowd>() -> Entry {
    Entry {
        name: C::NAME,
        plays: |it| C::Scene::of(it).is_some(),
        most: C::MOST,
        check: |it| C::Scene::of(it).map_or(Ok(()), check::<C>),
        make: |it, agents| {
            let scene = C::Scene::of(it)?;
            Some(Box::new(Runner { crowd: C::new(agents, scene), frame: 0 }))
        },
    }
}

/// A crowd that measures its own time.
const fn of_crowd_by_the_wall<C: Crowd + Racer>() -> Entry {
    Entry {
        name: C::NAME,
        plays: |it| C::Scene::of(it).is_some(),
        most: C::MOST,
        check: |it| C::Scene::of(it).map_or(Ok(()), check::<C>),
        make: |it, agents| Some(Box::new(C::new(agents, C::Scene::of(it)?))),
    }
}

const fn on_threads<R: Way, const THREADS: usize>() -> Entry {
    Entry {
        name: ThreadGuards::<R, THREADS>::NAME,
        plays: |it| matches!(it, Workload::Threads(_)),
        most: u32::MAX,
        check: |it| match it {
            Workload::Threads(scene) => check::<ThreadGuards<R, THREADS>>(scene),
            _ => Ok(()),
        },
        make: |it, agents| match it {
            Workload::Threads(scene) => Some(Box::new(ThreadGuards::<R, THREADS>::new(agents, scene))),
            _ => None,
        },
    }
}

const fn of_task<T: Task>() -> Entry {
    Entry {
        name: T::NAME,
        plays: |it| it == T::WORKLOAD,
        most: T::MOST,
        check: |_| T::check(),
        make: |it, size| if it == T::WORKLOAD { Some(Box::new(T::new(size))) } else { None },
    }
}

struct Runner<C> {
    crowd: C,
    frame: u32,
}

impl<C: Crowd> Racer for Runner<C> {
    fn play(&mut self, frames: u32) -> Duration {
        let play = || {
            for _ in 0..frames {
                self.crowd.frame(self.frame);
                self.frame = self.frame.wrapping_add(1);
            }
        };
        timed(play).1
    }
}
