//! What the race stands on: its clock, the shares that workloads speak of, and the floor.

use std::time::Duration;

use pleach_benches::Crowd;
use pleach_benches::guard::Guards;
use pleach_benches::hand::HandGuards;
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

/// That hand-written guards rely on changes must be an optimisation and nothing else.
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
