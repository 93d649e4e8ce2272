//! `time` in expressions: the agent's own seconds, asked in every tick (SEMANTICS 8.23).

use crate::support;

use pleach_core::nodes::{
    action, check, emit, guard, idle, selector, sequence, set, switch, timeout, utility_selector, wait, wait_until,
};
use pleach_core::{
    Brain, Forest, Phase, Rate, Status, Tree,
    error::SchemaError,
    inspect::KeyRead,
    nodes::{Abort, Node},
    schema::{KeyDefault, Scope},
};
use support::{Cx, Game, World, alone, always, counting};

/// In ticks of a quarter of a second: in which of eight the action after `root` was updated first.
fn reached(root: Node<Game>) -> u64 {
    let mut world = World::default();
    let (mut forest, _) = alone(root, &mut world);
    let mut at = 0;
    for tick in 1..=8 {
        forest.tick(&mut world, 0.25).unwrap();
        if world.count > 0 && at == 0 {
            at = tick;
        }
    }
    at
}

#[test]
fn no_agent_sleeps_through_it() {
    let counted = || counting(Status::Running);
    assert_eq!(reached(sequence([wait_until("time >= 1.0"), counted()])), 4);
    assert_eq!(reached(selector([sequence([check("time > 1"), counted()]).aborts(Abort::LOWER_PRIORITY), idle()])), 5);
    assert_eq!(reached(selector([guard("time < 0.75", idle()), counted()])), 3);
    assert_eq!(reached(switch("floor(time)", [(0, idle()), (1, counted())])), 4);
    let served = || action(|_: &mut Cx<'_, '_>| Status::Success);
    let switched = switch("floor(time)", [(0, wait(90.0)), (1, counted())]).with_service(90.0, served());
    assert_eq!(reached(switched), 4);
    assert_eq!(reached(timeout(1.5, sequence([wait_until("time >= 1 and true"), counted()]))), 4);
    let scores = utility_selector([("1", idle()), ("time", counted())]).reevaluate();
    assert_eq!(reached(scores), 5);
}

#[test]
fn it_is_polled_only_where_it_can_matter() {
    // The result of the check could abort nothing while the first branch runs.
    let root = selector([sequence([check("time >= 0"), wait(9.0)]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let mut world = World::default();
    let (mut forest, agent) = alone(root, &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    // Nor could a node that cannot be reached.
    let (mut forest, agent) = alone(wait_until("false and time > 1"), &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    let (mut forest, agent) = alone(wait_until("time != 100"), &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Active);
}

/// The time that leaves get, next to the time that expressions read.
fn told() -> Node<Game> {
    let told = action(|cx: &mut Cx<'_, '_>| {
        #[expect(clippy::cast_possible_truncation, reason = "expressions have 32-bit floats")]
        let time = cx.time() as f32;
        cx.host.log.push(format!("told {time:?}"));
        Status::Success
    });
    sequence([told, emit("now").payload("time * 1")])
}

#[test]
fn it_is_the_time_that_leaves_are_told() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(support::tree(told())).unwrap();
    // The agent is younger than the forest, and has turns in every second frame only.
    forest.tick(&mut world, 100.7).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(agent).unwrap().set_rate(Rate::every(2).unwrap());
    let mut own = World::default();
    let mut brain = Brain::<Game>::new(&mut own, support::tree(told()), 0);
    for dt in [0.1_f32, 0.3, 1e-9, 16_777.217, 1_000_000.0, 0.033] {
        forest.tick(&mut world, dt).unwrap();
        brain.tick(&mut own, dt).unwrap();
    }
    for (log, least) in [(world.take(), 3), (own.take(), 6)] {
        assert!(log.len() >= 2 * least, "{log:?}");
        for pair in log.chunks(2) {
            let number = pair[0].trim_start_matches("told ");
            assert_eq!(pair[1], format!("emit Some(Float({number}))"));
        }
    }
}

#[test]
fn it_stands_still_while_the_agent_is_paused() {
    let mut world = World::default();
    let (mut forest, agent) = alone(sequence([wait_until("time > 0.6"), counting(Status::Running)]), &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    for _ in 0..10 {
        forest.tick(&mut world, 0.25).unwrap();
    }
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(world.count, 0);
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(world.count, 1);
}

#[test]
fn a_key_of_its_name_comes_first() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("test");
    let time = builder.key("time", 7_i64);
    let root = sequence([wait_until("time == 8"), set("time", "agent.time * 2"), always("a", Status::Running)]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 8.0).unwrap();
    forest.tick(&mut world, 8.0).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep, "only the key can end it");
    forest.keys_mut(agent).unwrap().set(time, 8);
    forest.tick(&mut world, 8.0).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(time), 16);
}

#[test]
fn operators_are_no_names() {
    let mut schema = pleach_core::schema::Schema::default();
    for name in ["not", "and", "or", "true", "false"] {
        let wrong = schema.declare(name, Scope::Agent, None, 1_i64.into()).unwrap_err();
        assert_eq!(wrong, SchemaError::BadName(name.into()));
        let told = wrong.to_string();
        assert!(told.contains("none of `true`, `false`, `not`, `and`, `or`"), "{told}");
        let words = KeyDefault::Symbol("idle".into(), vec!["idle".into(), name.into()]);
        let wrong = schema.declare("mode", Scope::Agent, None, words).unwrap_err();
        assert!(wrong.to_string().contains("none of `true`, `false`, `not`, `and`, `or`"), "{wrong}");
    }
    schema.declare("time", Scope::Agent, None, 1_i64.into()).unwrap();
}

#[test]
fn an_explanation_has_it() {
    let mut world = World::default();
    let (mut forest, agent) = alone(wait_until("time > 1.5"), &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.tick(&mut world, 0.25).unwrap();
    let question = forest.agent(agent).unwrap().explain().questions.remove(0);
    assert_eq!(question.now, Some(false));
    let expected = KeyRead { name: "time".into(), value: "0.500".into(), by_game: false };
    assert_eq!(question.keys, [expected]);
}
