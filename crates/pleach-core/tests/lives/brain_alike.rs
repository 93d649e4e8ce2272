//! The same life of one agent, lived by a brain and by a forest, where it is alone, or beside few
//! or many that are off, so that it is ticked both as one of few and as one of many: the same
//! callbacks with the same keys, in the same order, and the same state after each frame, for any
//! requests and panics of its leaves. Both are saved and restored in mid-life, also under another
//! tree, and go back to snapshots.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::{Brain, Forest, Phase, Replace, Settings, Spawn, Tree, trace::NoTracer};

use crate::harness::{self, Call, Danger, Dice, Fact, Mode, Town, World, call, call_brain, fact, frame_time, seeds};

static MODES: [Mode; 3] = [harness::WILD, harness::PANICS, harness::SHORT];

fn fact_of(brain: &Brain<Town>) -> Option<Fact> {
    brain.inspect().map(Fact::of)
}

/// Returns how many lines of callbacks there were, and how many panics.
fn live(seed: u64) -> (usize, usize) {
    let (mut dice, mode) = (Dice(seed), &MODES[[0, 1, 2, 2][(seed % 4) as usize]]);
    let (depth, wide, storm) = (dice.below(4), dice.below(2) == 0, dice.below(2) == 0);
    let mut grow = || -> Arc<Tree<Town>> {
        Arc::new(harness::build(0, storm, |keys| harness::node(&mut dice, mode, keys, depth, wide, true)).0)
    };
    let trees = [grow(), grow()];
    let despawns = dice.below(8) == 0;
    let mut worlds = [(); 2].map(|()| World { despawns, streams: true, ..World::default() });
    let [world, own] = &mut worlds;
    let (mut forest, mut none) = (Forest::<Town>::new(seed), NoTracer);
    let mut forest = forest.traced(&mut none);
    #[cfg_attr(not(feature = "save"), expect(unused_mut, reason = "a save comes with a tree of its own"))]
    let mut id = forest.add_tree(Arc::clone(&trees[0])).unwrap();
    let spawn = Spawn { seed: Some(seed), ..Spawn::default() };
    let agent = forest.spawn_with(world, id, spawn).unwrap();
    // Beside few the forest takes the fast tick, too; beside twenty it does not.
    for _ in 0..[0, 20, 20, 3][dice.below(4)] {
        forest.spawn_with(world, id, Spawn { enabled: false, ..Spawn::default() }).unwrap();
    }
    let mut brain = Brain::spawn_with(own, Arc::clone(&trees[0]), seed, spawn);
    assert_eq!(brain.agent(), agent);
    (world.all, own.all) = (Arc::new(vec![agent]), Arc::new(vec![agent]));
    let (sleep, every) = (dice.below(4) > 0, dice.below(4) == 0);
    let settings = |it: &mut Settings| (it.sleep, it.reevaluate_every_tick) = (sleep, every);
    forest.configure(settings);
    brain.configure(settings);
    let (mut panics, dangerous) = (0, dice.below(2) == 0);
    let (mut snapshots, keeps) = (None, dice.below(2) == 0);
    for frame in 0..100 {
        let danger = if dangerous && dice.below(2) == 0 { 1 + dice.below(1 << 20) as u64 } else { 0 };
        for world in [&mut *world, &mut *own] {
            world.danger = Danger { level: danger, alone: Some(0), ..Danger::default() };
        }
        if brain.phase() == Phase::Panicked && dice.below(2) == 0 {
            call(&mut forest, world, agent, id, (Call::Enable, 0));
            call_brain(&mut brain, own, (Call::Enable, 0));
        }
        for _ in 0..dice.below(3) {
            let what = mode.call(&mut dice, false);
            if matches!(what.0, Call::Join | Call::Part) {
                // A brain is only in its own group.
                continue;
            }
            if matches!(what.0, Call::Spawn | Call::Rate) || matches!(what.0, Call::Despawn) && !despawns {
                continue;
            }
            let one = catch_unwind(AssertUnwindSafe(|| call(&mut forest, world, agent, id, what))).is_err();
            let other = catch_unwind(AssertUnwindSafe(|| call_brain(&mut brain, own, what))).is_err();
            assert_eq!(one, other, "seed {seed}, frame {frame}");
        }
        if dice.below(20) == 0 {
            let new = &trees[dice.below(2)];
            let one =
                catch_unwind(AssertUnwindSafe(|| forest.replace_tree(world, id, Replace::restart(Arc::clone(new)))))
                    .is_err();
            let other =
                catch_unwind(AssertUnwindSafe(|| brain.replace_tree(own, Replace::restart(Arc::clone(new))).unwrap()))
                    .is_err();
            // A forest whose agent is gone has a tree that can be replaced nevertheless.
            assert_eq!(one, other, "seed {seed}, frame {frame}");
        }
        if keeps && dice.below(10) == 0 {
            snapshots = Some((forest.snapshot().unwrap(), brain.snapshot().unwrap()));
        } else if let Some((one, other)) = &snapshots
            && dice.below(10) == 0
        {
            assert_eq!(forest.rollback(one), brain.rollback(other), "seed {seed}, frame {frame}");
        }
        #[cfg(feature = "save")]
        if keeps && dice.below(10) == 0 {
            let new = &trees[dice.below(2)];
            if move_on((&mut forest, &mut brain), new, (world, own), settings) {
                snapshots = None;
                id = forest.trees().next().unwrap();
            }
        }
        (world.mood, own.mood) = (frame * 7 % 1000, frame * 7 % 1000);
        let dt = frame_time(&mut dice, frame);
        let one = catch_unwind(AssertUnwindSafe(|| forest.tick(world, dt).unwrap()));
        let other = catch_unwind(AssertUnwindSafe(|| brain.tick(own, dt).unwrap()));
        panics += usize::from(one.is_err());
        let outcome = forest.agent(agent).map(|it| it.last_outcome()).ok().flatten();
        let ended = one.ok().map(|it| outcome.filter(|_| it.ended > 0));
        assert_eq!(ended, other.ok(), "seed {seed}, frame {frame}");
        assert_eq!(fact(&forest, agent), fact_of(&brain), "seed {seed}, frame {frame}");
        assert_eq!(forest.agent(agent).map(|it| it.phase()).unwrap_or(Phase::Off), brain.phase());
    }
    harness::same("a brain", seed, &world.log, &own.log);
    (world.log.len(), panics)
}

/// Saves both and restores them elsewhere, under this tree. Returns whether they could be saved.
#[cfg(feature = "save")]
fn move_on(
    (forest, brain): (&mut Forest<Town>, &mut Brain<Town>),
    tree: &Arc<Tree<Town>>,
    (world, own): (&mut World, &mut World),
    settings: impl Fn(&mut Settings),
) -> bool {
    let (one, other) = (forest.save(), brain.save());
    let Ok(other) = other else {
        // A forest is saved without the agent that is gone.
        let gone = brain.inspect().is_none();
        assert!(gone || one.is_err(), "{one:?}");
        return false;
    };
    let (mut new, one) = (Forest::new(0), one.unwrap());
    new.add_tree(Arc::clone(tree)).unwrap();
    let spawn = Spawn { enabled: false, ..Spawn::default() };
    let mut lone = Brain::spawn_with(own, Arc::clone(tree), 0, spawn);
    new.configure(&settings);
    lone.configure(&settings);
    let one = catch_unwind(AssertUnwindSafe(|| new.restore(world, &one).map(|mut it| it.trees.pop().unwrap())));
    let other = postcard::from_bytes(&postcard::to_stdvec(&other).unwrap()).unwrap();
    let other = catch_unwind(AssertUnwindSafe(|| lone.restore(own, &other)));
    match (one, other) {
        (Ok(one), Ok(other)) => assert_eq!(one.unwrap().restarts, other.unwrap().restarts),
        (one, other) => assert_eq!(one.is_err(), other.is_err()),
    }
    (*forest, *brain) = (new, lone);
    true
}

#[test]
fn a_brain_lives_as_an_agent_of_a_forest() {
    let lives = seeds(1500);
    let many = usize::try_from(lives.end).unwrap();
    let (lines, panics) = lives.map(live).fold((0, 0), |all, it| (all.0 + it.0, all.1 + it.1));
    assert!(lines > 50 * many && panics > many / 8, "{lines} {panics}");
}
