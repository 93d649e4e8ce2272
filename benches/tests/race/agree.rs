//! Every implementation does the same: exactly the totals of each workload, and the same totals
//! after every frame.

use std::fmt::Debug;

use pleach_benches::bonsai::{
    BonsaiRaceGuards, BonsaiRaceWalkers, BonsaiReactiveGuards, BonsaiReactiveWalkers, BonsaiSleepers,
};
use pleach_benches::crowd::check;
use pleach_benches::guard::{Churn, Guards};
use pleach_benches::hand::{HandGuards, HandMatchGuards, HandSleepers, HandWalkers};
use pleach_benches::lite::{LiteGuards, LiteWalkers};
use pleach_benches::naive::{NaiveGuards, NaiveSleepers, NaiveWalkers};
use pleach_benches::pleach::{
    Batched, BrainGuards, BrainSpawn, BrainWalkers, DefaultWay, GuardForest, InOrder, ManyTrees, Mixed, OneTree,
    OtherWay, PlainJson, PlainLoad, PlainRon, Polled, QuietForest, SleepForest, ThreadGuards, ThreadSquads,
    TreesForest, WalkForest, Way,
};
use pleach_benches::racer::{Racer, Task};
use pleach_benches::sleep::Sleep;
use pleach_benches::squad::Squads;
use pleach_benches::walk::Walk;
use pleach_benches::workload::Quiet;
use pleach_benches::{Crowd, Workload, Wrong, absent, entries};

fn check_all<C: Crowd>(scenes: &[C::Scene]) -> Result<(), Wrong> {
    scenes.iter().try_for_each(|&scene| check::<C>(scene))
}

const GUARDS: [Guards; 3] = [Guards::Observed, Guards::Polled, Guards::Churn];
const SLEEPS: [Sleep; 2] = [Sleep::Napping, Sleep::Still];

#[test]
fn hand_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<HandGuards>(&GUARDS)?;
    check_all::<HandMatchGuards>(&[Churn])?;
    check_all::<HandWalkers>(&[Walk])?;
    check_all::<HandSleepers>(&SLEEPS)
}

#[test]
fn naive_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<NaiveGuards>(&GUARDS)?;
    check_all::<NaiveWalkers>(&[Walk])?;
    check_all::<NaiveSleepers>(&SLEEPS)
}

fn forests_reach_the_totals<R: Way>() -> Result<(), Wrong> {
    check_all::<GuardForest<R>>(&GUARDS)?;
    check_all::<WalkForest<R>>(&[Walk])?;
    check_all::<SleepForest<R>>(&SLEEPS)?;
    check_all::<TreesForest<R>>(&[ManyTrees])?;
    check_all::<OneTree<R>>(&[ManyTrees])
}

#[test]
fn pleach_in_order_reaches_the_totals() -> Result<(), Wrong> {
    forests_reach_the_totals::<InOrder>()
}

#[test]
fn pleach_batched_reaches_the_totals() -> Result<(), Wrong> {
    forests_reach_the_totals::<Batched>()
}

#[test]
fn pleach_polled_reaches_the_totals() -> Result<(), Wrong> {
    forests_reach_the_totals::<Polled>()
}

#[test]
fn those_who_wait_reach_the_totals() -> Result<(), Wrong> {
    const ALL: [Quiet; 3] = [Quiet::Reactive, Quiet::Shared, Quiet::Token];
    check_all::<QuietForest<InOrder>>(&ALL)?;
    check_all::<QuietForest<Batched>>(&ALL)
}

#[test]
fn pleach_brains_reach_the_totals() -> Result<(), Wrong> {
    check_all::<BrainGuards>(&GUARDS)?;
    check_all::<BrainWalkers>(&[Walk])
}

fn threads_reach_the_totals_in<R: Way>() -> Result<(), Wrong> {
    check_all::<ThreadGuards<R, 0>>(&GUARDS)?;
    check_all::<ThreadGuards<R, 1>>(&GUARDS)?;
    check_all::<ThreadGuards<R, 2>>(&GUARDS)
}

#[test]
fn threads_reach_the_totals() -> Result<(), Wrong> {
    threads_reach_the_totals_in::<DefaultWay>()?;
    threads_reach_the_totals_in::<OtherWay>()?;
    const SQUADS: [Squads; 2] = [Squads::Alone, Squads::OfEight];
    check_all::<ThreadSquads<0>>(&SQUADS)?;
    check_all::<ThreadSquads<1>>(&SQUADS)?;
    check_all::<ThreadSquads<2>>(&SQUADS)
}

#[test]
fn bonsai_race_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<BonsaiRaceGuards>(&GUARDS)?;
    check_all::<BonsaiRaceWalkers>(&[Walk])?;
    check_all::<BonsaiSleepers>(&SLEEPS)
}

#[test]
fn bonsai_reactive_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<BonsaiReactiveGuards>(&GUARDS)?;
    check_all::<BonsaiReactiveWalkers>(&[Walk])
}

#[test]
fn behavior_tree_lite_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<LiteGuards>(&GUARDS)?;
    check_all::<LiteWalkers>(&[Walk])
}

/// Sums over many frames could agree by chance; sums of every frame hardly can. The number of
/// agents is odd and small, so that one agent that is a tick late is visible.
fn follows<A: Crowd, B: Crowd<Scene = A::Scene>>(scene: A::Scene)
where
    A::Scene: Debug,
{
    let (mut a, mut b) = (A::new(37, scene), B::new(37, scene));
    for frame in 0..5_000 {
        a.frame(frame);
        b.frame(frame);
        assert_eq!(a.totals(), b.totals(), "{} and {} in {scene:?}, frame {frame}", A::NAME, B::NAME);
    }
}

#[test]
fn all_guards_agree_frame_by_frame() {
    follows::<HandGuards, NaiveGuards>(Guards::Churn);
    follows::<HandGuards, GuardForest<InOrder>>(Guards::Churn);
    follows::<HandGuards, GuardForest<Batched>>(Guards::Churn);
    follows::<HandGuards, GuardForest<Polled>>(Guards::Churn);
    follows::<HandGuards, BrainGuards>(Guards::Churn);
    follows::<HandGuards, BonsaiRaceGuards>(Guards::Churn);
    follows::<HandGuards, BonsaiReactiveGuards>(Guards::Churn);
    follows::<HandGuards, LiteGuards>(Guards::Churn);
}

/// A table instead of a `match` must be a pure optimisation. A single guard shows what sums over
/// many could hide.
#[test]
fn both_machines_agree_guard_by_guard() {
    for agents in [1, 200] {
        let (mut tables, mut matching) = (HandGuards::new(agents, Guards::Churn), HandMatchGuards::new(agents, Churn));
        for frame in 0..5_000 {
            tables.frame(frame);
            matching.frame(frame);
            assert_eq!(tables.totals(), matching.totals(), "{agents} guards, frame {frame}");
        }
    }
}

#[test]
fn all_sleepers_agree_frame_by_frame() {
    follows::<HandSleepers, NaiveSleepers>(Sleep::Napping);
    follows::<HandSleepers, SleepForest<InOrder>>(Sleep::Napping);
    follows::<HandSleepers, SleepForest<Batched>>(Sleep::Napping);
    follows::<HandSleepers, BonsaiSleepers>(Sleep::Napping);
}

/// Guards of a thousand trees do what those of one tree do, in every way to tick them.
#[test]
fn guards_of_many_trees_do_what_those_of_one_tree_do() {
    let (mut many, mut one) =
        (TreesForest::<Batched>::new(2_500, ManyTrees), OneTree::<InOrder>::new(2_500, ManyTrees));
    for frame in 0..10 {
        many.frame(frame);
        one.frame(frame);
        assert_eq!(many.totals(), one.totals(), "frame {frame}");
        assert_eq!(many.totals().waypoint, 2_500 * (u64::from(frame) + 1));
    }
}

/// Spawning brains again and again leaves as many brains as at first.
#[test]
fn brains_are_spawned_as_often_as_they_should_be() {
    let mut spawned = BrainSpawn::new(37);
    for _ in 0..3 {
        spawned.play(2);
        assert_eq!(spawned.guards_on_patrol(), 37);
    }
}

/// The workload of agents that stay asleep wakes no agent.
#[test]
fn still_sleepers_are_all_asleep() {
    let (agents, settling) = (1_000, Workload::Sleep(Sleep::Still).settling());
    let mut sleepers = SleepForest::<Batched>::new(agents, Sleep::Still);
    for frame in 0..2_000 {
        sleepers.frame(frame);
        assert!(frame < settling || sleepers.asleep() == u64::from(agents), "frame {frame}: {}", sleepers.asleep());
    }
}

#[test]
fn mixed_agents_are_as_sleepy_as_the_workload_says() -> Result<(), Wrong> {
    Mixed::<Batched>::check()
}

/// Evaluating every condition in every tick, or only after changes, makes no difference to what
/// happens.
#[test]
fn mixed_worlds_agree_frame_by_frame() {
    let (mut observed, mut polled) = (Mixed::<Batched>::new(999), Mixed::<Polled>::new(999));
    for frame in 0..200 {
        observed.frame();
        polled.frame();
        assert_eq!(observed.digest(), polled.digest(), "frame {frame}");
        assert!(observed.awake() <= polled.awake());
    }
}

#[test]
fn assets_have_the_nodes_they_should_have() {
    for nodes in (2..=80).chain([1_000]) {
        let tree = pleach::load_str("bench.ron", &pleach_benches::pleach::source(nodes), &pleach_arena::registry());
        assert_eq!(tree.map(|it| it.len()), Ok(nodes as usize));
    }
}

#[test]
fn plain_readers_read_all_nodes() -> Result<(), Wrong> {
    PlainLoad::<PlainRon>::check()?;
    PlainLoad::<PlainJson>::check()
}

/// Every workload has an implementation, and one that is listed as absent does not play.
#[test]
fn the_list_of_entries_is_consistent() {
    for workload in Workload::ALL {
        let names: Vec<_> = entries(workload).map(|it| it.name).collect();
        assert!(names.iter().any(|it| it.starts_with("pleach")), "{workload}");
        assert!(absent(workload).iter().all(|(name, _)| !names.contains(name)), "{workload}");
        for entry in entries(workload) {
            assert_eq!(names.iter().filter(|&&it| it == entry.name).count(), 1, "{workload}");
            assert!(entry.make(workload, 10).is_some(), "{workload}");
            assert!(workload.sizes().iter().any(|&it| entry.takes(it)), "{workload}: {}", entry.name);
        }
    }
}
