//! Snapshots of brains (SEMANTICS 12.3). Random lives test that the continuation is the same again.

use crate::support;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{action_of, check, idle, parallel, selector, sequence, wait};
use pleach_core::{
    Action, Brain, Entity, Event, Keep, Phase, Spawn, Status, Tree,
    error::{RollbackError, TreeChange},
    nodes::Abort,
    schema::Scope,
    trace::Recorder,
};
use support::{Cx, Game, World, counting};

/// A guard with everything that an agent can have: keys of all scopes, a watched condition, waits,
/// stacks.
fn guard() -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("alarm", false);
    builder.key_in(Scope::Group, "plan", 1_i64);
    builder.key_in(Scope::Global, "hour", 6.0_f32);
    let flee = sequence([check("alarm"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
    Arc::new(builder.build(selector([flee, parallel([counting(Status::Running), wait(0.55)])])).unwrap())
}

#[test]
fn all_that_the_agent_of_a_brain_has_is_back() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, guard(), 3);
    brain.tick(&mut world, 0.1).unwrap();
    brain.set_entity(Entity::from_bits(4));
    brain.send(Event::new("noise")).unwrap();
    brain.keys_mut().set_value("group.plan", 7_i64).unwrap();
    brain.keys_mut().set_value("global.hour", 9.5_f32).unwrap();
    let before = brain.snapshot().unwrap();
    assert_eq!((before.agent(), before.time()), (brain.agent(), brain.time()));
    let live = |brain: &mut Brain<Game>, world: &mut World| {
        let mut recorder = Recorder::all();
        for frame in 0..12 {
            if frame == 5 {
                brain.keys_mut().set_value("alarm", true).unwrap();
            }
            brain.traced(&mut recorder).tick(world, 0.1).unwrap();
        }
        let lines: Vec<String> = recorder.take().iter().map(ToString::to_string).collect();
        let keys = ["alarm", "group.plan", "global.hour"].map(|it| brain.keys().value(it).unwrap());
        (lines, keys, brain.explain().unwrap().to_string(), brain.time())
    };
    let first = live(&mut brain, &mut world);
    // All of it changes.
    let changes: [fn(&mut Brain<Game>, &mut World); 4] = [
        |brain, world| brain.despawn(world),
        |brain, world| brain.disable(world),
        |brain, world| brain.pause(world),
        |brain, _| {
            brain.set_entity(Entity::from_bits(5));
            drop(brain.keys_mut().set_value("global.hour", 1.0_f32));
        },
    ];
    for change in changes {
        change(&mut brain, &mut world);
        brain.rollback(&before).unwrap();
        assert_eq!((brain.entity(), brain.inspect().unwrap().mail.len()), (Entity::from_bits(4), 1));
        assert_eq!(live(&mut brain, &mut world), first);
    }
}

#[test]
fn settings_of_a_brain_stay_as_they_are() {
    let mut world = World::default();
    let mut brain = Brain::<Game>::new(&mut world, Tree::builder("nap").build(wait(5.0)).unwrap(), 1);
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(brain.phase(), Phase::Asleep);
    let before = brain.snapshot().unwrap();
    brain.configure(|it| it.sleep = false);
    brain.rollback(&before).unwrap();
    assert!(brain.configure(|it| !it.sleep));
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(brain.phase(), Phase::Active, "it does not sleep any more");
}

#[test]
fn a_snapshot_of_another_brain_or_tree_is_refused() {
    let mut world = World::default();
    let [mut one, other] = [1, 2].map(|it| Brain::new(&mut world, guard(), it));
    one.tick(&mut world, 0.1).unwrap();
    assert_eq!(one.rollback(&other.snapshot().unwrap()), Err(RollbackError::Foreign));
    let first = one.snapshot().unwrap();
    one.replace_tree(&mut world, guard()).unwrap();
    one.tick(&mut world, 0.1).unwrap();
    let time = one.time();
    let error = one.rollback(&first).unwrap_err();
    assert_eq!(error, RollbackError::Trees { tree: "guard".into(), change: TreeChange::Replaced });
    assert_eq!((one.time(), one.phase()), (time, Phase::Active), "nothing has changed");
    // With that tree again it can go back.
    let tree = Arc::clone(one.tree());
    let second = one.snapshot().unwrap();
    one.replace_tree(&mut world, guard()).unwrap();
    one.replace_tree(&mut world, tree).unwrap();
    one.rollback(&second).unwrap();
    assert_eq!(one.time(), time);
}

thread_local! {
    static BLOWS: Cell<&'static str> = const { Cell::new("") };
}

/// Panics when it is cloned or dropped and that is due.
#[derive(Default)]
struct Fuse;

impl Clone for Fuse {
    fn clone(&self) -> Self {
        assert!(BLOWS.get() != "clone", "in clone");
        Fuse
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        assert!(BLOWS.replace("") != "drop", "in drop");
    }
}

struct Burn;

impl Action<Game> for Burn {
    type State = Fuse;
    const KEEP: Keep<Fuse> = Keep::cloned();
    fn update(&self, _: &mut Fuse, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_state_of_a_brain_that_panics_leaves_it_as_it_was_or_as_it_shall_be() {
    let mut world = World::default();
    let mut brain = Brain::<Game>::new(&mut world, Tree::builder("fire").build(action_of(Burn)).unwrap(), 1);
    brain.tick(&mut world, 0.1).unwrap();
    let before = brain.snapshot().unwrap();
    brain.tick(&mut world, 0.1).unwrap();
    let time = brain.time();
    let blown = |what, brain: &mut Brain<Game>| {
        BLOWS.set(what);
        let blown = catch_unwind(AssertUnwindSafe(|| brain.rollback(&before))).is_err();
        BLOWS.set("");
        assert!(blown, "{what}");
        brain.time()
    };
    assert_eq!(blown("clone", &mut brain), time);
    assert_eq!(blown("drop", &mut brain), before.time());
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(brain.phase(), Phase::Active);
}

/// Remembers something that cannot be cloned.
struct Mute;

impl Action<Game> for Mute {
    type State = u8;
    fn update(&self, _: &mut u8, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_brain_whose_leaves_are_not_cloned_names_them() {
    let tree = Tree::builder("one").build(parallel([action_of(Mute), action_of(Mute), idle()])).unwrap();
    let brain = Brain::spawn_with(&mut World::default(), tree, 1, Spawn::default());
    let error = brain.snapshot().unwrap_err().to_string();
    assert!(error.contains("cannot take a snapshot, because "), "{error}");
    assert!(error.contains("Mute in the tree \"one\"; let their states derive `Clone`, and"), "{error}");
}
