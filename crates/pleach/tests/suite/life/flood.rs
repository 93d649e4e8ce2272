//! A flood of events or requests takes memory for a while, not for the life of the forest.

use crate::support;

use allocation_counter::measure;
use pleach_core::nodes::action;
use pleach_core::{Brain, Event, Forest, Status, nodes::Node};
use support::{Cx, Game, World, tree};

/// How many events a flood has.
const FLOOD: usize = 50_000;
/// The number of quiet frames after which its memory is given back.
const FRAMES: usize = 400;
/// How many bytes may stay.
const LITTLE: i64 = 100_000;

/// Counts the events that its agent hears, and sends as many to itself as the world's count says.
fn ear() -> Node<Game> {
    action(|cx: &mut Cx<'_, '_>| {
        for _ in 0..std::mem::take(&mut cx.host.count) {
            cx.send(cx.agent(), Event::new("noise"));
        }
        if cx.events().count() > 100 {
            let heard = cx.events().count().to_string();
            cx.host.log.push(heard);
        }
        Status::Running
    })
}

#[test]
fn a_forest_gives_back_what_a_flood_of_events_took() {
    for (agents, leaf_sends) in [(1, false), (1, true), (40, false), (40, true)] {
        let (mut forest, _, ids) = support::crowd(ear(), agents, &mut World::default());
        let mut world = World::default();
        let mut quiet = |forest: &mut Forest<Game>, frames| {
            for _ in 0..frames {
                forest.agent_mut(ids[0]).unwrap().send(Event::new("noise")).unwrap();
                forest.tick(&mut world, 0.1).unwrap();
            }
            world.take()
        };
        quiet(&mut forest, 10);
        let flood = |forest: &mut Forest<Game>| {
            if leaf_sends {
                forest.tick(&mut World { count: FLOOD as u64, ..World::default() }, 0.1).unwrap();
            } else {
                for _ in 0..FLOOD {
                    forest.agent_mut(ids[0]).unwrap().send(Event::new("noise")).unwrap();
                }
            }
        };
        let kept = measure(|| {
            flood(&mut forest);
            assert_eq!(quiet(&mut forest, FRAMES).len(), 1);
        });
        assert!(kept.bytes_max > FLOOD as u64 * 16, "{kept:?}");
        assert!(kept.bytes_current < LITTLE, "{agents} {leaf_sends} {kept:?}");
        // Once it is given back, no tick allocates.
        assert_eq!(measure(|| drop(quiet(&mut forest, FRAMES))).count_total, 0);
    }
}

#[test]
fn a_flood_in_every_frame_keeps_its_memory_and_allocates_nothing() {
    let (mut forest, _, ids) = support::crowd(ear(), 3, &mut World::default());
    let mut world = World::default();
    let mut flood = || {
        for _ in 0..300 {
            for _ in 0..5000 {
                forest.agent_mut(ids[0]).unwrap().send(Event::new("noise")).unwrap();
            }
            forest.tick(&mut world, 0.1).unwrap();
            world.log.clear();
        }
    };
    flood();
    // The world's log has a text in every frame.
    let allocations = measure(flood);
    assert_eq!(allocations.count_total, 300, "{allocations:?}");
}

#[test]
fn a_brain_gives_back_what_a_flood_of_events_took() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(ear()), 0);
    let mut quiet = |brain: &mut Brain<Game>, frames| {
        for _ in 0..frames {
            brain.send(Event::new("noise")).unwrap();
            brain.tick(&mut world, 0.1).unwrap();
        }
        world.take()
    };
    quiet(&mut brain, 10);
    for leaf_sends in [false, true] {
        let kept = measure(|| {
            for _ in 0..3 {
                if leaf_sends {
                    brain.tick(&mut World { count: FLOOD as u64, ..World::default() }, 0.1).unwrap();
                } else {
                    (0..FLOOD).for_each(|_| brain.send(Event::new("noise")).unwrap());
                }
                assert_eq!(quiet(&mut brain, 1).len(), 1);
            }
            for _ in 0..FRAMES {
                brain.tick(&mut World::default(), 0.1).unwrap();
            }
        });
        assert!(kept.bytes_max > FLOOD as u64 * 16, "{kept:?}");
        assert!(kept.bytes_current < LITTLE, "{leaf_sends} {kept:?}");
    }
    quiet(&mut brain, 10);
    assert_eq!(measure(|| drop(quiet(&mut brain, FRAMES))).count_total, 0);
}

/// One thread, on which the allocations are counted.
#[test]
fn threads_give_back_what_a_flood_of_events_took() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let (mut forest, _, ids) = support::crowd(ear(), 40, &mut World::default());
        let frames = |forest: &mut Forest<Game>, frames| {
            for _ in 0..frames {
                forest.agent_mut(ids[0]).unwrap().send(Event::new("noise")).unwrap();
                forest.tick_parallel(0.1, |_| World::default(), |_| ()).unwrap();
            }
        };
        frames(&mut forest, 10);
        for leaf_sends in [false, true] {
            let kept = measure(|| {
                if leaf_sends {
                    let make = |chunk| World { count: if chunk == 0 { FLOOD as u64 } else { 0 }, ..World::default() };
                    forest.tick_parallel(0.1, make, |_| ()).unwrap();
                } else {
                    for _ in 0..FLOOD {
                        forest.agent_mut(ids[0]).unwrap().send(Event::new("noise")).unwrap();
                    }
                }
                frames(&mut forest, FRAMES);
            });
            assert!(kept.bytes_max > FLOOD as u64 * 16, "{kept:?}");
            assert!(kept.bytes_current < LITTLE, "{leaf_sends} {kept:?}");
        }
    });
}
