//! Finally: the nodes in its `do`, every way in which its child can end, panics and requests of its
//! leaves, batches, explanations (SEMANTICS 8.34).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{
    action, check, condition, deferred, emit, fail, finally, guard, idle, log, parallel, roll, selector, sequence, set,
    succeed, switch, timeout, wait, wait_for, wait_ticks, wait_until,
};
use pleach_core::{
    AgentId, Brain, Forest, Key, NodeId, Outcome, Phase, Replace, Status, Tree,
    error::ProblemKind,
    nodes::{Abort, Ending, Node},
};
use support::{Call, Cx, Game, World, alone, always, probe, probe_condition, tree};

/// Runs on until something ends it.
fn busy() -> Node<Game> {
    always("busy", Status::Running)
}

fn tidy() -> Node<Game> {
    always("tidy", Status::Success)
}

/// The calls of `tidy` when something ends `busy` for this reason.
fn ended(reason: &str) -> Vec<String> {
    [format!("busy end {reason}"), "tidy start".into(), "tidy update".into(), "tidy end Success".into()].into()
}

/// The calls when `treat` is applied to the agent of a running `finally`.
fn called(treat: impl FnOnce(&mut Forest<Game>, AgentId, &mut World)) -> Vec<String> {
    let mut world = World::default();
    let (mut forest, agent) = alone(finally([tidy()], busy()), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    world.take();
    treat(&mut forest, agent, &mut world);
    world.take()
}

#[test]
fn whatever_ends_the_agent_the_leaves_are_called() {
    let stopped = ended("Stopped");
    assert_eq!(called(|forest, agent, world| forest.agent_mut(agent).unwrap().disable(world)), stopped);
    let restarted = called(|forest, agent, world| forest.agent_mut(agent).unwrap().restart(world));
    assert_eq!(restarted[..4], stopped);
    let paused = called(|forest, agent, world| {
        forest.agent_mut(agent).unwrap().pause(world);
        forest.agent_mut(agent).unwrap().disable(world);
    });
    assert_eq!(paused[1..], stopped);
    let despawned = ended("Despawned");
    assert_eq!(called(|forest, agent, world| forest.agent_mut(agent).unwrap().despawn(world)), despawned);

    for replace in [Replace::restart, Replace::keep] {
        let replaced = called(|forest, agent, world| {
            let id = forest.agent(agent).unwrap().tree_id();
            forest.replace_tree(world, id, replace(tree(idle()))).unwrap();
        });
        assert_eq!(replaced, ended("Replaced"));
    }
    // The new version of the node calls its own leaves.
    let kept = called(|forest, agent, world| {
        let id = forest.agent(agent).unwrap().tree_id();
        forest.replace_tree(world, id, Replace::keep(tree(finally([log("new")], busy())))).unwrap();
        forest.agent_mut(agent).unwrap().disable(world);
    });
    assert_eq!(kept.last().unwrap(), "n2 says new");
    // A dropped forest calls nothing.
    let mut world = World::default();
    drop(alone(finally([tidy()], busy()), &mut world));
    assert!(world.take().iter().all(|it| it.ends_with("awake")));
}

#[test]
fn a_brain_calls_them_as_well() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(finally([tidy()], busy())), 7);
    let ends: [fn(&mut Brain<Game>, &mut World); 3] =
        [|it, cx| it.disable(cx), |it, cx| it.restart(cx), |it, cx| it.despawn(cx)];
    for end in ends {
        brain.enable(&mut world);
        brain.tick(&mut world, 0.5).unwrap();
        world.take();
        end(&mut brain, &mut world);
        assert_eq!(world.take()[1..4], ended("")[1..]);
    }
}

/// A tree of a Finally and of a branch that takes over from it.
type Around = fn(Node<Game>, Node<Game>) -> Node<Game>;

#[test]
fn what_stands_around_it_ends_it_in_the_tick() {
    let asks = || probe_condition("ask", |_, cx| Status::from_bool(cx.host.count == 1));
    let ends: [(Around, &str); 5] = [
        (|ask, it| selector([sequence([ask, idle()]).aborts(Abort::LOWER_PRIORITY), it]), "Abort"),
        (|_, it| guard(condition(|cx: &mut Cx<'_, '_>| cx.host.count == 0), it), "Abort"),
        (|_, it| timeout(0.5, it), "Abort"),
        (|_, it| switch("time < 0.7", [(true, it), (false, idle())]), "Switched"),
        (|_, it| parallel([it, wait(0.5)]).success(pleach_core::nodes::Policy::Any), "Decided"),
    ];
    for (around, reason) in ends {
        let mut world = World::default();
        let (mut forest, _) = alone(around(asks(), finally([tidy()], busy())), &mut world);
        forest.tick(&mut world, 0.5).unwrap();
        world.count = 1;
        world.take();
        forest.tick(&mut world, 0.5).unwrap();
        let log: Vec<_> = world.take().into_iter().filter(|it| !it.starts_with("ask")).collect();
        let at = log.iter().position(|it| it.starts_with("busy end")).expect("it is ended");
        assert_eq!(log[at..], ended(reason), "{log:?}");
    }
}

#[test]
fn only_actions_that_are_done_at_once_stand_in_do() {
    let kinds = |root: Node<Game>| {
        let mut builder = Tree::<Game>::builder("t");
        builder.key("n", 0_i64);
        let problems = builder.build(root).map(drop).err().map_or_else(Vec::new, |it| it.problems);
        problems.into_iter().map(|it| (it.node.unwrap().index(), it.kind)).collect::<Vec<_>>()
    };
    let good = [set("n", "1"), roll("n", 1, 6), log("a"), emit("e"), succeed(), fail(), tidy()];
    assert_eq!(kinds(finally(good, idle())), []);
    assert_eq!(kinds(finally([], idle())), []);
    let bad = [
        ("Wait", wait(0.0)),
        ("WaitTicks", wait_ticks(0)),
        ("WaitUntil", wait_until("true")),
        ("WaitFor", wait_for("e")),
        ("Idle", idle()),
        ("Check", check("true")),
        ("Condition", condition(|_: &mut Cx<'_, '_>| true)),
        ("Condition", deferred(|_| Ok(condition(|_: &mut Cx<'_, '_>| true)))),
        ("Sequence", sequence([succeed()])),
        ("Finally", finally([], succeed())),
    ];
    for (kind, leaf) in bad {
        assert_eq!(kinds(finally([succeed(), leaf], idle())), [(3, ProblemKind::NotInstant { kind: kind.into() })]);
    }
    assert!(kinds(finally([deferred(|_| Ok(action(|_: &mut Cx<'_, '_>| Status::Success)))], idle())).is_empty());
    let message = ProblemKind::NotInstant { kind: "Wait".into() }.to_string();
    assert_eq!(message, "Wait cannot stand in `do`: use actions that are done at once, as Set, Log, Emit, or your own");
}

fn panics(call: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "it has to panic");
}

fn boom(call: Call, _: &mut Cx<'_, '_>) -> Status {
    assert!(call == Call::Awake || call == Call::Start, "boom");
    Status::Success
}

#[test]
fn a_leaf_that_panics_stops_its_agent_and_those_behind_it_are_not_called() {
    let bad = || finally([always("first", Status::Success), probe("bad", boom), tidy()], busy());
    for outside in [false, true] {
        let mut world = World::default();
        let (mut forest, agent) = alone(timeout(0.5, bad()), &mut world);
        forest.tick(&mut world, 0.5).unwrap();
        world.take();
        if outside {
            panics(|| forest.agent_mut(agent).unwrap().disable(&mut world));
        } else {
            panics(|| _ = forest.tick(&mut world, 0.5));
        }
        let log = world.take();
        assert_eq!(log[1..], ["first start", "first update", "first end Success", "bad start", "bad update"]);
        let view = forest.agent(agent).unwrap().inspect();
        assert_eq!((view.phase, view.stacks.len()), (Phase::Panicked, 0));
        // It restarts when it is enabled.
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.tick(&mut world, 0.25).unwrap();
        assert_eq!(world.take().last().unwrap(), "busy update");
        assert_eq!(
            forest.agent(agent).unwrap().current().collect::<Vec<_>>(),
            NodeId::new(2).into_iter().collect::<Vec<_>>()
        );
    }
}

#[test]
fn after_a_panic_of_another_leaf_nothing_is_called() {
    let mut world = World::default();
    let bomb = probe("bomb", |call, cx| {
        assert!(call != Call::Update || cx.host.count == 0, "boom");
        Status::Running
    });
    let (mut forest, agent) = alone(finally([tidy()], bomb), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    (world.count, _) = (1, world.take());
    panics(|| _ = forest.tick(&mut world, 0.5));
    forest.agent_mut(agent).unwrap().disable(&mut world);
    forest.agent_mut(agent).unwrap().despawn(&mut world);
    assert_eq!(world.take(), ["bomb update"]);
}

#[test]
fn what_a_leaf_requests_is_carried_out_behind_the_call() {
    let asks: [fn(&mut Cx<'_, '_>); 3] = [|cx| cx.stop(), |cx| cx.restart(), |cx| cx.despawn(cx.agent())];
    for (index, ask) in asks.into_iter().enumerate() {
        let mut world = World::default();
        let asker = probe("asker", move |call, cx| {
            if call == Call::Update {
                ask(cx);
            }
            Status::Success
        });
        // Each of the two ends calls it, the second one because of the first one's request.
        let inner = finally([asker], sequence([wait_ticks(1), succeed()]));
        let (mut forest, agent) = alone(sequence([inner, finally([tidy()], busy())]), &mut world);
        forest.tick(&mut world, 0.5).unwrap();
        forest.tick(&mut world, 0.5).unwrap();
        let log = world.take();
        let tail: Vec<_> = log.iter().skip_while(|it| *it != "asker start").map(String::as_str).collect();
        let reason = if index == 2 { "busy end Despawned" } else { "busy end Stopped" };
        let expected = ["asker start", "asker update", "asker end Success", "busy start", "busy update", reason];
        assert_eq!(tail[..6], expected, "{log:?}");
        assert_eq!(tail[6..9], ["tidy start", "tidy update", "tidy end Success"]);
        let phase = forest.agent(agent).map(|it| it.phase()).ok();
        assert_eq!(phase, [Some(Phase::Off), Some(Phase::Active), None][index]);
    }
    // Also in a call: a restart requested while the agent is being stopped starts it again.
    let mut world = World::default();
    let again = probe("again", |call, cx| {
        if call == Call::Update {
            cx.restart();
        }
        Status::Success
    });
    let (mut forest, agent) = alone(finally([again], busy()), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().disable(&mut world);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Active);
    // A despawn requested while the agent is being despawned finds no agent.
    let gone = action(|cx: &mut Cx<'_, '_>| {
        cx.despawn(cx.agent());
        Status::Success
    });
    let (mut forest, agent) = alone(finally([gone], busy()), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().despawn(&mut world);
    assert!(forest.agent(agent).is_err() && forest.is_empty());
}

#[test]
fn a_leaf_sees_no_event_outside_of_a_tick_and_cannot_put_the_agent_to_sleep() {
    let mut world = World::default();
    let look = probe("look", |call, cx| {
        if call == Call::Update {
            cx.host.count = cx.events().count() as u64;
            cx.sleep(10.0);
        }
        Status::Running
    });
    let (mut forest, agent) = alone(sequence([finally([look], wait_ticks(1)), busy()]), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().send(pleach_core::Event::new("e")).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(world.count, 1);
    // The node that runs after it is updated in every tick.
    world.take();
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().asleep, 0);
    assert_eq!(world.take(), ["busy update"]);

    forest.agent_mut(agent).unwrap().restart(&mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().send(pleach_core::Event::new("e")).unwrap();
    forest.agent_mut(agent).unwrap().disable(&mut world);
    assert_eq!(world.count, 0);
    assert_eq!(world.take().last().unwrap(), "look end NotInstant");
}

/// In every way to tick: of a simple tree and of another one, with aborts in the pass.
#[test]
fn batches_do_as_agents_in_order() {
    let run = |batched: bool, agents: usize, wide: bool| {
        let mut builder = Tree::<Game>::builder("t");
        let (seen, n): (Key<bool>, Key<i64>) = (builder.key("seen", false), builder.key("n", 0_i64));
        let work = || action(|_: &mut Cx<'_, '_>| Status::Success);
        let flee = sequence([check("seen"), work(), wait_ticks(1)]).aborts(Abort::BOTH);
        let job = sequence([work(), set("n", "n + 1"), work(), wait_ticks(2), work()]);
        let job = finally([set("n", "n + 10"), action(|_: &mut Cx<'_, '_>| Status::Running)], job);
        let root = selector([flee, finally([set("n", "n + 100")], job).on(Ending::Aborted)]);
        let root = if wide { parallel([root, idle()]) } else { root };
        let tree = builder.build(root).unwrap();
        support::values(tree, (seen, n), batched, agents)
    };
    for wide in [false, true] {
        for agents in [1, 5, 200] {
            assert_eq!(run(true, agents, wide), run(false, agents, wide), "{agents} {wide}");
        }
    }
    let last = run(true, 5, false).pop().unwrap();
    assert!(last.iter().any(|it| it % 1000 >= 100) && last.iter().any(|it| it % 100 >= 20), "{last:?}");
}

#[test]
fn it_ends_as_its_child_and_drawings_say_when_it_calls() {
    for (child, outcome) in [(succeed(), Outcome::Success), (fail(), Outcome::Failure)] {
        let mut world = World::default();
        let mut brain = Brain::new(&mut world, tree(finally([fail(), succeed()], child)), 7);
        assert_eq!(brain.tick(&mut world, 0.1), Ok(Some(outcome)));
    }
    let line = |node: Node<Game>| tree(node).root().to_string();
    assert_eq!(line(finally([], idle())), "n0 Finally");
    assert_eq!(line(finally([], idle()).on(Ending::Any)), "n0 Finally");
    assert_eq!(line(finally([], idle()).on(Ending::Aborted)), "n0 Finally(on abort)");
    assert_eq!(line(finally([], idle()).on(Ending::Success)), "n0 Finally(on success)");
    assert_eq!(line(finally([], idle()).on(Ending::Failure)), "n0 Finally(on failure)");
    let tree = tree(sequence([finally([fail(), log("x")], idle()), succeed()]));
    let in_do: Vec<_> = tree.nodes().filter(|it| it.is_in_do()).map(|it| it.id().index()).collect();
    assert_eq!(in_do, [3, 4]);
}

#[test]
fn why_not_says_that_the_child_comes_first() {
    let why_not = |root: Node<Game>, index: usize| {
        let mut world = World::default();
        let (mut forest, agent) = alone(root, &mut world);
        forest.tick(&mut world, 0.5).unwrap();
        let why = forest.agent(agent).unwrap().why_not(NodeId::new(index).unwrap()).unwrap().to_string();
        why.lines().skip(1).map(|it| it.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(why_not(finally([log("x")], idle()), 2), ["behind   n1 Idle runs, and comes first"]);
    assert_eq!(
        why_not(finally([log("x")], idle()).on(Ending::Aborted), 2),
        ["behind   n1 Idle runs, and comes first", "decides  n0 Finally(on abort)"]
    );
    // Nodes in a `do` keep nothing from running, and decide nothing.
    let first = || finally([fail(), tidy()], sequence([check("1 > 0"), wait_ticks(9)]));
    let found = why_not(sequence([idle(), selector([first(), idle()])]), 9);
    assert_eq!(found, ["behind   n1 Idle runs, and comes first", "before   n3 Finally: n5 Check(1 > 0) holds"]);
    let found = why_not(sequence([idle(), first(), idle()]), 8);
    assert_eq!(found, ["behind   n1 Idle runs, and comes first"]);
}

#[test]
fn a_leaf_of_do_is_awake_with_the_others_and_is_not_told_of_pauses() {
    let mut world = World::default();
    let (mut forest, agent) = alone(finally([always("own", Status::Success)], busy()), &mut world);
    assert_eq!(world.take(), ["busy awake", "own awake"]);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert_eq!(world.take(), ["busy start", "busy update", "busy pause"]);
}
