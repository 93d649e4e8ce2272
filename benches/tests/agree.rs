//! Every implementation does the same: exactly the totals of each workload, and the same totals after every frame.

use pleach_benches::{Crowd, Hand, Naive, Pleach, PleachPolled, Workload, Wrong, check};

fn check_all<C: Crowd>() -> Result<(), Wrong> {
    Workload::ALL.into_iter().try_for_each(check::<C>)
}

#[test]
fn hand_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<Hand>()
}

#[test]
fn naive_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<Naive>()
}

/// Sums over many frames could agree by chance; those of every frame hardly can. The number of agents is odd and small,
/// so that one agent that is a tick late shows.
#[test]
fn naive_follows_hand_frame_by_frame() {
    for workload in Workload::ALL {
        let (mut hand, mut naive) = (Hand::new(37, workload), Naive::new(37, workload));
        for frame in 0..10_000 {
            hand.frame(frame);
            naive.frame(frame);
            assert_eq!(hand.totals(), naive.totals(), "{workload}, frame {frame}");
        }
    }
}

#[test]
fn pleach_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<Pleach>()
}

#[test]
fn pleach_polled_reaches_the_totals() -> Result<(), Wrong> {
    check_all::<PleachPolled>()
}
