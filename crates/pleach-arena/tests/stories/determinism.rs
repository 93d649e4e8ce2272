//! The same seed and calls give the same game, for every tree of the repository.

use pleach::NoTracer;
use pleach_arena::{FrameReport, Game};

fn run(file: &str, agents: usize, frames: usize, seed: u64) -> (Vec<FrameReport>, Vec<u64>) {
    let mut game = Game::new(crate::common::tree(file), agents, seed, NoTracer).unwrap();
    assert_eq!(game.agents().len(), agents);
    let mut digests = Vec::new();
    let reports = (0..frames).map(|frame| {
        let report = game.frame(1.0 / 30.0).unwrap();
        if frame % 50 == 0 {
            digests.push(game.world.digest());
        }
        report
    });
    let reports = reports.collect();
    digests.push(game.world.digest());
    (reports, digests)
}

#[test]
fn two_hundred_guards_do_the_same_twice() {
    let (reports, digests) = run("guard.ron", 200, 1000, 7);
    let again = run("guard.ron", 200, 1000, 7);
    assert!((&reports, &digests) == (&again.0, &again.1), "the same again");
    assert_ne!(digests, run("guard.ron", 200, 1000, 8).1, "another seed, another game");
    let sum = |of: fn(&FrameReport) -> u64| reports.iter().map(of).sum::<u64>();
    assert!(sum(|it| it.events) > 100, "there were noises and calls");
    assert!(sum(|it| it.tick.aborts) > 100, "which were followed");
    assert!(sum(|it| it.tick.asleep) > 10_000, "and many slept at their waypoints: {}", sum(|it| it.tick.asleep));
}

#[test]
fn every_tree_runs_in_a_demo_and_repeats() {
    let files = ["fighter.ron", "minimal.ron", "rabbit.ron"].map(str::to_owned).into_iter();
    for file in files.chain((1..=6).map(|n| format!("luabt/bt{n}.ron"))) {
        let (reports, digests) = run(&file, 60, 300, 3);
        assert_eq!((reports, digests), run(&file, 60, 300, 3), "{file}");
    }
}
