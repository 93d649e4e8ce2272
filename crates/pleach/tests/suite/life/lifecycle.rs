//! Enabling, disabling, pausing, finishing: the callbacks of leaves, and that every start has
//! exactly one end.

use crate::support;

use std::collections::HashMap;

use crate::dice::Dice;
use pleach_core::nodes::{
    check, condition, cooldown, delay, guard, idle, inverter, limit, parallel, random_selector, reactive_selector,
    reactive_sequence, repeat, selector, sequence, succeed, timeout, until_success, wait, wait_ticks,
};
use pleach_core::{
    AgentId, Completion, Forest, NodeId, Outcome, Phase, Reason, Spawn, Status,
    nodes::{Abort, Node, Policy},
    trace::{Recorder, TraceEntry, TraceEvent},
};
use support::{Game, World, alone, always, counting, probe, tree};

#[test]
fn one_life_from_spawn_to_despawn() {
    let mut world = World::default();
    let root = sequence([always("a", Status::Success), always("b", Status::Running)]);
    let (mut forest, agent) = alone(root, &mut world);
    assert_eq!(world.take(), ["a awake", "b awake"]);
    assert_eq!(forest.agent(agent).unwrap().current().next(), None);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["a start", "a update", "a end Success", "b start", "b update"]);
    forest.agent_mut(agent).unwrap().pause(&mut world);
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Paused);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
    forest.agent_mut(agent).unwrap().enable(&mut world);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Paused);
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    assert_eq!(world.take(), ["b pause", "b unpause"]);
    forest.agent_mut(agent).unwrap().restart(&mut world);
    assert_eq!(world.take(), ["b end Stopped", "a awake", "b awake"]);
    forest.agent_mut(agent).unwrap().disable(&mut world);
    forest.agent_mut(agent).unwrap().disable(&mut world);
    assert!(world.take().is_empty());
    forest.agent_mut(agent).unwrap().restart(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    world.take();
    forest.agent_mut(agent).unwrap().despawn(&mut world);
    assert_eq!(world.take(), ["b end Despawned"]);
    assert!(forest.agent_mut(agent).map(|it| it.despawn(&mut world)).is_err());
}

#[test]
fn pausing_tells_the_active_leaves_in_preorder() {
    let mut world = World::default();
    let run = |name| always(name, Status::Running);
    let root = parallel([sequence([succeed(), run("a")]), parallel([run("b"), run("c")]), run("d"), succeed()]);
    let (mut forest, agent) = alone(root, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert_eq!(world.take(), ["a pause", "b pause", "c pause", "d pause"]);
    forest.agent_mut(agent).unwrap().disable(&mut world);
    assert_eq!(world.take(), ["a end Stopped", "b end Stopped", "c end Stopped", "d end Stopped"]);
}

#[test]
fn completion_policies() {
    let mut world = World::default();
    let (mut forest, agent) = alone(counting(Status::Failure), &mut world);
    for _ in 0..3 {
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().ended, 1);
    }
    assert_eq!((world.count, forest.agent(agent).map(|it| it.last_outcome())), (3, Ok(Some(Outcome::Failure))));
    forest.agent_mut(agent).unwrap().set_completion(Completion::Stop);
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!((world.count, forest.agent(agent).map(|it| it.phase())), (4, Ok(Phase::Off)));
    // The last outcome is remembered, and so is the policy.
    forest.agent_mut(agent).unwrap().enable(&mut world);
    assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(Outcome::Failure));
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.count, 5);
    forest.agent_mut(agent).unwrap().set_completion(Completion::Restart);
    forest.agent_mut(agent).unwrap().enable(&mut world);
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.count, 8);
}

#[test]
fn monitors_are_cleared_when_the_root_ends() {
    let mut world = World::default();
    let asked = condition(|cx: &mut support::Cx<'_, '_>| {
        cx.host.count += 1;
        true
    });
    let root = sequence([asked, wait_ticks(1)]).aborts(Abort::SELF);
    let (mut forest, agent) = alone(root, &mut world);
    for expected in [1, 2, 3, 4] {
        forest.tick(&mut world, 0.1).unwrap();
        // Asked once by the start, once by the pass, and so on.
        assert_eq!(world.count, expected);
        assert_eq!(forest.agent(agent).unwrap().inspect().monitors.len(), usize::from(expected % 2 == 1));
    }
}

#[test]
fn enabling_forgets_cooldowns_and_limits_and_restarting_the_root_does_not() {
    let roots: [fn(Node<Game>) -> Node<Game>; 2] = [|it| cooldown(100.0, it), |it| limit(1, it)];
    for root in roots {
        let mut world = World::default();
        let (mut forest, agent) = alone(root(counting(Status::Success)), &mut world);
        for _ in 0..3 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        assert_eq!(world.count, 1);
        forest.agent_mut(agent).unwrap().restart(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.count, 2);
    }
}

#[test]
fn time_stands_still_in_a_pause_and_while_off() {
    let roots: [fn(Node<Game>) -> Node<Game>; 4] = [
        |it| sequence([wait(1.0), it]),
        |it| delay(1.0, it),
        |it| selector([timeout(1.0, idle()), it]),
        |it| sequence([repeat(2, cooldown(1.0, succeed())), it]),
    ];
    for (index, root) in roots.into_iter().enumerate().take(3) {
        let mut world = World::default();
        let (mut forest, agent) = alone(root(counting(Status::Running)), &mut world);
        forest.tick(&mut world, 0.25).unwrap();
        for _ in 0..3 {
            forest.agent_mut(agent).unwrap().pause(&mut world);
            forest.tick(&mut world, 7.0).unwrap();
            forest.agent_mut(agent).unwrap().unpause(&mut world);
            assert_eq!(world.count, 0);
            forest.tick(&mut world, 0.25).unwrap();
        }
        assert_eq!(world.count, 0, "{index}");
        forest.tick(&mut world, 0.25).unwrap();
        assert_eq!(world.count, 1, "{index}");
    }
    let mut world = World::default();
    let (mut forest, agent) = alone(cooldown(1.0, counting(Status::Success)), &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    forest.tick(&mut world, 7.0).unwrap();
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(world.count, 1);
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(world.count, 2);
    // The agent's own time is the sum of its ticks.
    assert_eq!(forest.agent(agent).unwrap().inspect().time, 1.5);
    forest.agent_mut(agent).unwrap().disable(&mut world);
    forest.tick(&mut world, 3.0).unwrap();
    assert_eq!(forest.agent(agent).unwrap().inspect().time, 1.5);
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.agent_mut(agent).unwrap().set_completion(Completion::Stop);
    forest.tick(&mut world, 0.5).unwrap();
    forest.tick(&mut world, 3.0).unwrap();
    assert_eq!(
        (forest.agent(agent).map(|it| it.phase()), forest.agent(agent).unwrap().inspect().time),
        (Ok(Phase::Off), 2.0)
    );
    forest.agent_mut(agent).unwrap().pause(&mut world);
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!((forest.time(), forest.agent(agent).unwrap().inspect().time), (15.5, 2.5));
}

/// A random tree of depth up to `depth`; leaves succeed, fail or run by the world's count and their
/// own number.
fn random(dice: &mut Dice, depth: usize) -> Node<Game> {
    let kind = if depth == 0 { dice.below(4) } else { dice.below(20) };
    let number = dice.below(7) as u64;
    let children = |dice: &mut Dice| (0..1 + dice.below(3)).map(|_| random(dice, depth - 1)).collect::<Vec<_>>();
    let abort = [Abort::NONE, Abort::SELF, Abort::LOWER_PRIORITY, Abort::BOTH][dice.below(4)];
    match kind {
        0 | 4 | 5 => probe("leaf", move |_, cx| match (cx.host.count + number) % 5 {
            0 => Status::Failure,
            1 => Status::Success,
            _ => Status::Running,
        }),
        1 | 6 => support::probe_condition("condition", move |_, cx| {
            Status::from_bool(!(cx.host.count / 3 + number).is_multiple_of(3))
        }),
        2 => wait(number as f64 / 10.0),
        3 => check("true"),
        7 | 8 => sequence(children(dice)).aborts(abort),
        9 | 10 => selector(children(dice)).aborts(abort),
        11 => parallel(children(dice)).aborts(abort),
        12 => parallel(children(dice)).success(Policy::Any).failure(Policy::All),
        13 => reactive_sequence(children(dice)).aborts(abort),
        14 => reactive_selector(children(dice)),
        15 => random_selector(children(dice)).aborts(abort),
        16 => guard(
            condition(move |cx: &mut support::Cx<'_, '_>| !(cx.host.count + number).is_multiple_of(4)),
            random(dice, depth - 1),
        ),
        17 => timeout(0.3, random(dice, depth - 1)).result(Outcome::Success),
        18 => until_success(random(dice, depth - 1)),
        _ => inverter(random(dice, depth - 1)),
    }
}

#[test]
fn every_start_has_exactly_one_end_with_its_reason() {
    let mut reasons = HashMap::<Option<Reason>, usize>::new();
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let mut world = World::default();
        let (mut forest, mut recorder) = (Forest::<Game>::new(seed), Recorder::all());
        let mut forest = forest.traced(&mut recorder);
        let id = forest.add_tree(tree(sequence([random(&mut dice, 4)]))).unwrap();
        let agents: Vec<_> = (0..3).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
        let mut active = HashMap::<(AgentId, NodeId), usize>::new();
        for tick in 0..40_u64 {
            world.count = tick;
            let agent = agents[dice.below(3)];
            let wanted = match dice.below(12) {
                0 => {
                    forest.agent_mut(agent).unwrap().restart(&mut world);
                    Some(Reason::Stopped)
                }
                1 if tick > 30 && forest.contains(agents[0]) => {
                    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
                    break;
                }
                _ => {
                    forest.tick(&mut world, 0.1).unwrap();
                    None
                }
            };
            for TraceEntry { agent, event, .. } in forest.tracer().take() {
                match event {
                    TraceEvent::Start(node) => {
                        let before = active.insert((agent, node), 1);
                        assert_eq!(before, None, "{seed}: {node} starts while it is active");
                    }
                    TraceEvent::End(node, _) => {
                        assert_eq!(active.remove(&(agent, node)), Some(1), "{seed}: {node} ends without a start");
                        *reasons.entry(None).or_default() += 1;
                    }
                    TraceEvent::Aborted(node, reason) => {
                        assert_eq!(active.remove(&(agent, node)), Some(1), "{seed}: {node} ends without a start");
                        *reasons.entry(Some(reason)).or_default() += 1;
                        match wanted {
                            Some(wanted) => assert_eq!(reason, wanted),
                            None => assert!(matches!(reason, Reason::Abort | Reason::Decided)),
                        }
                    }
                    _ => {}
                }
            }
            for &agent in &agents {
                let view = forest.agent(agent).unwrap().inspect();
                let stacks: usize = view.stacks.iter().map(Vec::len).sum();
                assert_eq!(stacks, active.keys().filter(|it| it.0 == agent).count(), "{seed}");
                assert!(view.stacks.iter().flatten().all(|&it| active.contains_key(&(agent, it))));
            }
        }
        forest.tracer().take();
        // Despawning ends the rest, and then nothing is active.
        let left: Vec<_> = agents.iter().copied().filter(|&it| forest.contains(it)).collect();
        for agent in left {
            forest.agent_mut(agent).unwrap().despawn(&mut world);
            for TraceEntry { event, .. } in forest.tracer().take() {
                let TraceEvent::Aborted(node, Reason::Despawned) = event else { panic!("{event:?}") };
                assert_eq!(active.remove(&(agent, node)), Some(1));
                *reasons.entry(Some(Reason::Despawned)).or_default() += 1;
            }
            assert!(active.keys().all(|it| it.0 != agent), "{seed}");
        }
        let starts = world.log.iter().filter(|it| it.ends_with("start")).count();
        let ends = world.log.iter().filter(|it| it.contains(" end ")).count();
        assert_eq!(starts, ends, "{seed}: the callbacks agree with the trace");
    }
    for reason in [None, Some(Reason::Abort), Some(Reason::Decided), Some(Reason::Stopped), Some(Reason::Despawned)] {
        assert!(reasons.get(&reason).is_some_and(|&it| it > 20), "{reasons:?}");
    }
}

#[test]
fn an_agent_does_the_same_whenever_it_is_spawned() {
    for seed in 0..60 {
        let mut runs = Vec::new();
        for late in [0, 7, 1000] {
            let mut world = World::default();
            let mut forest = Forest::<Game>::new(seed + late);
            for _ in 0..late {
                forest.tick(&mut world, 0.037).unwrap();
            }
            let id = forest.add_tree(tree(random(&mut Dice(seed), 4))).unwrap();
            let spawn = Spawn { seed: Some(seed), ..Spawn::default() };
            let agent = forest.spawn_with(&mut world, id, spawn).unwrap();
            for tick in 0..40 {
                world.count = tick;
                if tick == 20 {
                    forest.agent_mut(agent).unwrap().pause(&mut world);
                    forest.tick(&mut world, 1.0 + late as f32).unwrap();
                    forest.agent_mut(agent).unwrap().unpause(&mut world);
                }
                world.log.push(format!("-- {}", forest.agent(agent).unwrap().inspect().time));
                forest.tick(&mut world, 0.05).unwrap();
            }
            runs.push(world.log);
        }
        assert_eq!(runs[0], runs[1]);
        assert_eq!(runs[0], runs[2]);
    }
}

#[test]
fn awake_comes_once_per_leaf_in_every_enable() {
    let mut world = World::default();
    let root = parallel([always("a", Status::Success), guard("true", always("b", Status::Running))]);
    let (mut forest, agent) = alone(root, &mut world);
    for _ in 0..3 {
        forest.agent_mut(agent).unwrap().restart(&mut world);
    }
    assert_eq!(world.log.iter().filter(|it| *it == "a awake").count(), 4);
    assert_eq!(world.log.len(), 8);
}
