//! One call for many agents gives each the same as a call of its own.

use super::*;
use pleach_asset::Manifest;
use pleach_dynamic::register_manifest;

#[test]
fn a_crowd_is_updated_in_one_call() {
    let (mut world, mut forest, ids) = crowd("Sequence([Count(key: \"n\", to: 0, by: 5), Done])", 100);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.calls, [("Count".into(), 100), ("Done".into(), 100)]);
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(forest.keys(*id).unwrap().value("n").unwrap(), (at as i64 + 5).into());
    }
}

#[test]
fn a_chunk_is_a_batch() {
    let (mut world, mut forest, _) = crowd("Done", 2_500);
    forest.tick(&mut world, 0.1).unwrap();
    let sizes: Vec<usize> = world.calls.iter().map(|it| it.1).collect();
    assert_eq!(sizes, [1024, 1024, 452]);
}

#[test]
fn few_agents_are_called_one_by_one() {
    let (mut world, mut forest, _) = crowd("Done", 5);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.calls, vec![("Done".into(), 1); 5]);
}

/// Each agent of a crowd gets the same calls with batches and without.
#[test]
fn batches_change_nothing_for_an_agent() {
    let roots = [
        "Sequence([Told(key: \"m\", to: 3), Above(key: \"n\", than: 9), Told(key: \"m\", to: 9, by: 2)])",
        "Selector([Sequence(abort: LowerPriority, children: [Above(key: \"m\", than: 4), Told(key: \"m\", to: 6)]), Told(key: \"m\", to: 20)])",
        "Selector([Sequence(abort: Both, children: [Watched(key: \"m\", than: 4), Told(key: \"m\", to: 0, by: -1)]), Told(key: \"m\", to: 20)])",
        "Sequence([Told(key: \"m\", to: 3, rest: 0.35), Told(key: \"m\", to: 5, rest: 0.1)])",
        "Parallel(children: [Told(key: \"m\", to: 5), Told(key: \"n\", to: 12, rest: 0.3)])",
    ];
    let mut any = false;
    for root in roots {
        let mut run = |batched: bool, sleep: bool| {
            let (mut world, mut forest, _) = crowd(root, 70);
            forest.configure(|it| (it.batched, it.sleep) = (batched, sleep));
            for _ in 0..40 {
                forest.tick(&mut world, 0.1).unwrap();
            }
            assert_eq!(world.problems.count(), 0);
            assert!(batched || world.calls.iter().all(|it| it.1 == 1), "{root}");
            any |= world.calls.iter().any(|it| it.1 > 1);
            world.lines
        };
        assert_eq!(run(true, true), run(false, true), "{root}");
        assert_eq!(run(true, false), run(false, false), "{root}");
    }
    assert!(any);
}

#[test]
fn sleepers_are_left_alone() {
    let (mut world, mut forest, _) = crowd("Count(key: \"m\", to: 100, rest: 1.0)", 50);
    for _ in 0..20 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    let updates: usize = world.calls.iter().map(|it| it.1).sum();
    assert_eq!(updates, 100, "{:?}", world.calls);
}

#[test]
fn a_condition_that_observes_is_asked_when_its_key_changes() {
    let root = "Selector([Sequence(abort: LowerPriority, children: [Watched(key: \"m\", than: 1), Done]), Idle])";
    let (mut world, mut forest, ids) = crowd(root, 20);
    for _ in 0..10 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.calls.iter().map(|it| it.1).sum::<usize>(), 20);
    world.calls.clear();
    forest.keys_mut(ids[3]).unwrap().set_value("m", 1).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(
        world.calls,
        [("Watched".into(), 1), ("Watched".into(), 1), ("Done".into(), 1)],
        "in the pass, and when it is visited"
    );
}

#[test]
fn a_manifest_describes_leaves_as_code_does() {
    let file = Manifest::of(&registry()).to_ron();
    let manifest = Manifest::parse("t.leaves", &file).unwrap_or_else(|it| panic!("{it}"));
    let mut from_file = Registry::<Test>::new();
    register_manifest(&mut from_file, &manifest, |it| Some(Description::of(it.clone(), Function::Done))).unwrap();
    assert_eq!(Manifest::of(&from_file), manifest);
    let error = register_manifest(&mut Registry::<Test>::new(), &manifest, |_| None).unwrap_err();
    assert_eq!(error.to_string(), "nothing is there to call for the leaf `Count`");
}

#[test]
fn brains_call_for_one_agent() {
    let (mut world, tree) = (World::default(), tree("Count(key: \"n\", to: 2)"));
    let mut brain = pleach_core::Brain::new(&mut world, tree, 7);
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(brain.tick(&mut world, 0.1).unwrap(), Some(pleach_core::Outcome::Success));
    assert_eq!(world.calls, vec![("Count".into(), 1); 2]);
}

/// Lends the first agent, the next one, and the first again, and sleeps for it each time.
struct Restless;

struct Bare;

impl pleach_core::Host for Bare {
    type Cx<'a> = usize;
}

impl pleach_core::BatchLeaf<Bare> for Restless {
    fn update(&self, batch: &mut pleach_core::BatchContext<'_, '_, '_, Bare>) {
        let agents = batch.len();
        *batch.host() += agents;
        for agent in [0, 1 % agents, 0] {
            batch.at(agent).sleep(0.5);
        }
        batch.answer(0, pleach_core::Status::Success);
    }
}

#[test]
fn an_agent_that_sleeps_twice_in_a_call_is_ticked_once() {
    use pleach_core::nodes::{batch_action, idle, sequence};
    let (mut updates, mut forest) = (0, pleach_core::Forest::<Bare>::new(1));
    let root = sequence([batch_action(Restless), idle()]);
    let tree = forest.add_tree(pleach_core::Tree::builder("t").build(root).unwrap()).unwrap();
    let ids: Vec<_> = (0..32).map(|_| forest.spawn(&mut updates, tree).unwrap()).collect();
    for frame in 0..3 {
        let report = forest.tick(&mut updates, 0.1).unwrap();
        assert!(report.ticked <= 32, "frame {frame}: {report:?}");
        // The first one has ended the leaf, and never comes back to it.
        let nodes: Vec<_> = forest.agent(ids[0]).unwrap().current().map(|it| it.index()).collect();
        assert_eq!(nodes, [2], "frame {frame}");
    }
}
