//! Keys of type Time, and `now` (SEMANTICS 8.38): what scenarios cannot show.

use crate::support;

use pleach_core::nodes::{action, check, emit, idle, selector, sequence, set, wait, wait_until};
use pleach_core::{Brain, Forest, NoTime, Phase, Replace, Status, Time, Tree, nodes::Abort, schema::Scope};
use support::{Cx, Game, World, always};

#[test]
fn keys_hold_moments_exactly() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("guard");
    let seen = builder.key("seen", Time::ZERO);
    let rung = builder.key_in(Scope::Global, "rung", Time::from_secs(1.5));
    let noted = action(move |cx: &mut Cx<'_, '_>| {
        let now = cx.now();
        cx.set(seen, now);
        Status::Success
    });
    let age = emit("age").payload("now - seen");
    let root = sequence([noted, wait(0.25), age, set("rung", "now + 0.5"), idle()]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    for _ in 0..40 {
        forest.tick(&mut world, 1_000_000.0).unwrap();
        forest.agent_mut(agent).unwrap().restart(&mut world);
    }
    world.take();
    forest.tick(&mut world, 0.125).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(seen), forest.now());
    assert_eq!(forest.now(), Time::from_nanos(40_000_000_125_000_000));
    forest.tick(&mut world, 0.25).unwrap();
    // A float would have rounded both to the same.
    assert_eq!(world.take(), ["emit Some(Float(0.25))"]);
    let keys = forest.keys(agent).unwrap();
    assert_eq!(keys.get(rung), Time::from_nanos(40_000_000_875_000_000));
    let described = forest.agent(agent).unwrap().tree().schema().describe(keys.get(rung).into());
    assert_eq!(described, "40000000.875 s");
    assert!(keys.try_get(seen).is_some());
    forest.keys_mut(agent).unwrap().set_value("seen", Time::from_secs(3.5)).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(seen).to_string(), "3.5");
    let error = forest.keys_mut(agent).unwrap().set_value("seen", 3.5_f32).unwrap_err();
    assert!(error.to_string().contains("Time"), "{error}");
}

#[test]
fn the_forest_goes_on_while_an_agent_is_paused() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let root = || sequence([wait_until("now >= 1.0"), always("woke", Status::Running)]);
    let id = forest.add_tree(support::tree(root())).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    world.take();
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(world.take(), [""; 0]);
    forest.tick(&mut world, 0.25).unwrap();
    assert!(!world.take().is_empty(), "it is 1.0, and the agent is half a second old");
    assert!((forest.agent(agent).unwrap().inspect().time - 0.5).abs() < 1e-9);
    // A brain counts for itself.
    let mut own = World::default();
    let mut brain = Brain::<Game>::new(&mut own, support::tree(root()), 0);
    own.take();
    brain.tick(&mut own, 0.5).unwrap();
    brain.pause(&mut own);
    brain.tick(&mut own, 0.5).unwrap();
    assert_eq!((own.take(), brain.now()), (Vec::new(), Time::from_secs(1.0)));
    brain.unpause(&mut own);
    brain.tick(&mut own, 0.0).unwrap();
    assert!(!own.take().is_empty());
}

#[test]
fn an_agent_sleeps_until_it_turns_and_it_is_explained() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("guard");
    builder.key("seen", Time::from_secs(0.5));
    let calm = sequence([check("now - seen >= 1"), idle()]).aborts(Abort::LOWER_PRIORITY);
    let id = forest.add_tree(builder.build(selector([calm, idle()])).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.75).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 0);
    let told = forest.agent(agent).unwrap().explain().to_string();
    assert!(told.contains("was failure, is failure (seen = 0.5 s, now = 1.250)"), "{told}");
    forest.tick(&mut world, 0.25).unwrap();
    assert!(forest.agent(agent).unwrap().inspect().last_abort.is_some());
}

#[test]
fn a_new_version_keeps_it_and_a_rollback_brings_it_back() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = |default: f64, other: bool| {
        let mut builder = Tree::builder("guard");
        if other {
            builder.key("before", 1.0_f32);
        }
        let seen = builder.key("seen", Time::from_secs(default));
        (builder.build(sequence([set("seen", "now"), idle()])).unwrap(), seen)
    };
    let (first, seen) = tree(0.0, false);
    let id = forest.add_tree(first).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    let snapshot = forest.snapshot().unwrap();
    forest.tick(&mut world, 0.75).unwrap();
    let at = Time::from_nanos(750_000_000);
    assert_eq!(forest.keys(agent).unwrap().get(seen), at);
    forest.rollback(&snapshot).unwrap();
    assert_eq!((forest.keys(agent).unwrap().get(seen), forest.now()), (Time::ZERO, Time::ZERO));
    forest.tick(&mut world, 0.75).unwrap();
    forest.replace_tree(&mut world, id, Replace::keep(tree(9.0, true).0)).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(seen), at);
}

#[test]
fn a_time_is_read_and_written_as_seconds() {
    assert_eq!("0.000000001".parse(), Ok(Time::from_nanos(1)));
    assert_eq!("-1".parse::<Time>(), Err(NoTime));
    assert_eq!(
        NoTime.to_string(),
        "a time is a decimal number of seconds from 0 to 9223372036.854775807, with at most nine places"
    );
}
