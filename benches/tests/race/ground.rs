//! What the race relies on: its clock, the shares that workloads promise, and the floor.

use std::time::Duration;

use pleach::nodes::{action, check, selector, sequence};
use pleach::{AgentId, Context, Forest, Host, Status, Tree};
use pleach_benches::Crowd;
use pleach_benches::guard::Guards;
use pleach_benches::hand::HandGuards;
use pleach_benches::pleach::{DefaultWay, OtherWay, Way};
use pleach_benches::sleep::Sleep;
use pleach_benches::stopwatch::Stopwatch;

#[test]
fn it_runs_while_the_thread_does() {
    let watch = Stopwatch::start();
    let mut sum = 0_u64;
    while watch.elapsed() < Duration::from_millis(2) {
        sum = std::hint::black_box(sum + 1);
    }
    assert!(sum > 0);
    let before = watch.elapsed();
    std::thread::sleep(Duration::from_millis(20));
    let passed = watch.elapsed() - before;
    assert!(cfg!(not(unix)) || passed < Duration::from_millis(20), "{passed:?}");
}

#[test]
fn as_many_wake_as_the_workload_says() {
    let [first, second] = Sleep::Napping.waits();
    assert_eq!(first + second, Sleep::ROUND);
    let share = 2.0 / f64::from(Sleep::ROUND);
    assert!((share - 0.0168).abs() < 0.000_05, "{share}");
}

/// Relying on changes must be a pure optimisation of the hand-written guards.
#[test]
fn observing_and_polling_are_the_same() {
    let mut observed = HandGuards::new(200, Guards::Churn);
    let mut polled = HandGuards::new(200, Guards::Churn);
    for frame in 0..2_000 {
        observed.frame(frame);
        polled.frame_of_churn_polled(frame);
        assert_eq!(observed.totals(), polled.totals(), "frame {frame}");
    }
}

/// A forest without settings ticks in the way called the default.
#[test]
fn the_default_is_what_it_is_called() {
    assert_eq!(order_of_updates(|_| ()), order_of_updates(|it| it.configure(|it| it.batched = DefaultWay::BATCHED)));
    assert_ne!(order_of_updates(|_| ()), order_of_updates(|it| it.configure(|it| it.batched = OtherWay::BATCHED)));
    const { assert!(DefaultWay::BATCHED != OtherWay::BATCHED) };
    const { assert!(!DefaultWay::EVERY_TICK && !OtherWay::EVERY_TICK) };
}

struct Diary;

impl Host for Diary {
    type Cx<'a> = &'a mut Vec<AgentId>;
}

/// The order in which agents on two alternating actions are updated.
fn order_of_updates(choose: impl FnOnce(&mut Forest<Diary>)) -> Vec<AgentId> {
    let mut builder = Tree::<Diary>::builder("turns");
    let left = builder.key("left", false);
    let write = || {
        action(|cx: &mut Context<'_, '_, Diary>| {
            let agent = cx.agent();
            cx.host.push(agent);
            Status::Running
        })
    };
    let root = selector([sequence([check("left"), write()]), write()]);
    let mut forest = Forest::new(0);
    choose(&mut forest);
    let tree = forest.add_tree(builder.build(root).expect("valid")).expect("no other keys");
    let mut diary = Vec::new();
    for number in 0..64 {
        let agent = forest.spawn(&mut &mut diary, tree).expect("room");
        forest.keys_mut(agent).expect("its key").set(left, number % 2 == 0);
    }
    for _ in 0..3 {
        forest.tick(&mut &mut diary, 0.1).expect("a time");
    }
    diary
}
