//! The same seed and calls give the same game, for every tree of the repository.

use pleach_arena::{FrameReport, Game};

fn run(file: &str, agents: usize, frames: usize, seed: u64) -> (Vec<FrameReport>, Vec<u64>) {
    let mut game = Game::new(crate::common::tree(file), agents, seed).unwrap();
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
    assert!(sum(|it| it.events) > 100, "there were noises");
    assert!(sum(|it| it.tick.aborts) > 100, "which were followed, as were the calls of squads");
    assert!(sum(|it| it.tick.asleep) > 10_000, "and many slept at their waypoints: {}", sum(|it| it.tick.asleep));
}

#[test]
fn every_tree_runs_in_a_demo_and_repeats() {
    let files = ["fighter.ron", "minimal.ron", "rabbit.ron", "veteran.ron"].map(str::to_owned).into_iter();
    for file in files.chain((1..=6).map(|n| format!("luabt/bt{n}.ron"))) {
        let (reports, digests) = run(&file, 60, 300, 3);
        assert_eq!((reports, digests), run(&file, 60, 300, 3), "{file}");
    }
}

/// The outcome of a game: the digest of its world, its aborts, and its events.
type Outcome = (u64, u64, u64);

/// A tree, its agents, frames and seed, and the outcome of the game.
///
/// These numbers change only when the game itself does. A change that makes the arena cheaper, or
/// lays out its data differently, does not affect them. Worlds are the same on every machine, so
/// the numbers are, too.
const OUTCOMES: [(&str, usize, usize, u64, Outcome); 8] = [
    ("guard.ron", 1, 2_000, 5, (0x7d5b_f74e_813b_0a11, 4, 20)),
    ("guard.ron", 200, 1_500, 1, (0x8370_91a4_433c_a5f0, 731, 519)),
    ("guard.ron", 200, 1_500, 2, (0x4d32_dfc8_876f_ca31, 1_278, 824)),
    ("guard.ron", 1_000, 400, 7, (0xbc99_f5bf_496d_7bea, 838, 848)),
    // A day, a night and the next morning.
    ("guard.ron", 100, 11_500, 9, (0xadb6_7dfe_f75d_a8b6, 987, 1_061)),
    ("fighter.ron", 150, 800, 3, (0x3bdf_5beb_8958_06ef, 0, 0)),
    ("rabbit.ron", 200, 1_500, 4, (0xa344_5c88_9c3e_11d6, 0, 0)),
    ("minimal.ron", 100, 800, 6, (0x0540_5d14_7902_a323, 0, 13)),
];

#[test]
fn a_seed_gives_the_game_that_it_always_gave() {
    let outcomes = OUTCOMES.map(|(file, agents, frames, seed, _)| {
        let (reports, digests) = run(file, agents, frames, seed);
        let sum = |of: fn(&FrameReport) -> u64| reports.iter().map(of).sum::<u64>();
        let outcome = (digests[digests.len() - 1], sum(|it| it.tick.aborts), sum(|it| it.events));
        (file, agents, frames, seed, outcome)
    });
    assert_eq!(outcomes, OUTCOMES);
}
