//! Every implementation does the same: exactly the totals of each workload, and the same totals
//! after every frame.

use std::fmt::Debug;

use pleach_benches::bonsai::{
    BonsaiRaceGuards, BonsaiRaceWalkers, BonsaiReactiveGuards, BonsaiReactiveWalkers, BonsaiSleepers,
};
use pleach_benches::crowd::check;
use pleach_benches::guard::Guards;
use pleach_benches::hand::{HandGuards, HandSleepers, HandWalkers};
use pleach_benches::lite::{LiteGuards, LiteWalkers};
use pleach_benches::naive::{NaiveGuards, NaiveSleepers, NaiveWalkers};
use pleach_benches::pleach::{
    Mixed, Observed, PlainJson, PlainLoad, PlainRon, PleachGuards, PleachInOrderGuards, PleachInOrderWalkers,
    PleachPolledGuards, PleachPolledWalkers, PleachSleepers, PleachWalkers, Polled, ThreadGuards, ThreadSquads,
};
use pleach_benches::racer::Task;
use pleach_benches::sleep::Sleep;
use pleach_benches::squad::Squads;
use pleach_benches::walk::Walk;
use pleach_benches::{Crowd, Workload, Wrong, absent, entries};

fn check_all<C: Crowd>(scenes: &[C::Scene]) -> Result<(), Wrong> {
    scenes.iter().try_for_each(|&scene| check::<C>(scene))
}

const GUARDS: [Guards; 3] = [Guards::Observed, Guards::Polled, Guards::Churn];
const SLEEPS: [Sleep; 2] = [Sleep::Napping, Sleep::Still];

#[test]
fn hand_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<HandGuards>(&GUARDS)?;
    check_all::<HandWalkers>(&[Walk])?;
    check_all::<HandSleepers>(&SLEEPS)
}

#[test]
fn naive_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<NaiveGuards>(&GUARDS)?;
    check_all::<NaiveWalkers>(&[Walk])?;
    check_all::<NaiveSleepers>(&SLEEPS)
}

#[test]
fn pleach_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<PleachGuards>(&GUARDS)?;
    check_all::<PleachWalkers>(&[Walk])?;
    check_all::<PleachSleepers>(&SLEEPS)
}

#[test]
fn pleach_polled_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<PleachPolledGuards>(&GUARDS)?;
    check_all::<PleachPolledWalkers>(&[Walk])
}

#[test]
fn pleach_in_order_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<PleachInOrderGuards>(&GUARDS)?;
    check_all::<PleachInOrderWalkers>(&[Walk])
}

#[test]
fn threads_reach_the_totals() -> Result<(), Wrong> {
    check_all::<ThreadGuards<0>>(&GUARDS)?;
    check_all::<ThreadGuards<1>>(&GUARDS)?;
    check_all::<ThreadGuards<2>>(&GUARDS)?;
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

/// Sums over many frames could agree by chance; those of every frame hardly can. The number of
/// agents is odd and small, so that one agent that is a tick late shows.
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
    follows::<HandGuards, PleachGuards>(Guards::Churn);
    follows::<HandGuards, PleachPolledGuards>(Guards::Churn);
    follows::<HandGuards, PleachInOrderGuards>(Guards::Churn);
    follows::<HandGuards, BonsaiRaceGuards>(Guards::Churn);
    follows::<HandGuards, BonsaiReactiveGuards>(Guards::Churn);
    follows::<HandGuards, LiteGuards>(Guards::Churn);
}

#[test]
fn all_sleepers_agree_frame_by_frame() {
    follows::<HandSleepers, NaiveSleepers>(Sleep::Napping);
    follows::<HandSleepers, PleachSleepers>(Sleep::Napping);
    follows::<HandSleepers, BonsaiSleepers>(Sleep::Napping);
}

/// The workload of agents that stay asleep wakes no agent.
#[test]
fn still_sleepers_are_all_asleep() {
    let (agents, settling) = (1_000, Workload::Sleep(Sleep::Still).settling());
    let mut sleepers = PleachSleepers::new(agents, Sleep::Still);
    for frame in 0..2_000 {
        sleepers.frame(frame);
        assert!(frame < settling || sleepers.asleep() == u64::from(agents), "frame {frame}: {}", sleepers.asleep());
    }
}

#[test]
fn mixed_agents_are_as_sleepy_as_the_workload_says() -> Result<(), Wrong> {
    Mixed::<Observed>::check()
}

/// To ask every condition in every tick, or only after changes, makes no difference to what
/// happens.
#[test]
fn mixed_worlds_agree_frame_by_frame() {
    let (mut observed, mut polled) = (Mixed::<Observed>::new(999), Mixed::<Polled>::new(999));
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
        assert!(names.contains(&"pleach"), "{workload}");
        assert!(absent(workload).iter().all(|(name, _)| !names.contains(name)), "{workload}");
        for entry in entries(workload) {
            assert_eq!(names.iter().filter(|&&it| it == entry.name).count(), 1, "{workload}");
            assert!(entry.make(workload, 10).is_some(), "{workload}");
        }
    }
}
