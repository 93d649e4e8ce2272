//! Agents get a changed tree while they live: what stays, what restarts, and that a tree is never
//! half replaced (SEMANTICS 8.10).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{
    action, action_of, check, condition, cooldown, guard, idle, limit, on_event, parallel, random_selector,
    reactive_selector, repeat, selector, sequence, succeed, timeout, wait, wait_ticks,
};
use pleach_core::{
    Action, Budget, Completion, Context, Event, Forest, NodeId, Outcome, Phase, Rate, Reason, Replace, Spawn, Status,
    Tree,
    error::{ReplaceTreeError, StaleError},
    nodes::{Abort, Node},
    trace::{Recorder, TraceEvent},
};
use support::{Call, Cx, Game, World, alone, always, counting, crowd, probe, tree};

/// Runs a call that must panic, and returns the message.
fn panics<R>(call: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("it has to panic");
    match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).into(),
    }
}

#[test]
fn all_ends_under_the_old_tree_before_the_new_one_begins() {
    let mut world = World::default();
    let old = parallel([sequence([succeed(), always("a", Status::Running)]), always("b", Status::Running)]);
    let (mut forest, id, agents) = crowd(old, 2, &mut world);
    let idler = forest.add_tree(tree(always("other", Status::Running))).unwrap();
    forest.spawn(&mut world, idler).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    world.take();
    let new = Arc::new(tree(sequence([always("c", Status::Success), always("d", Status::Running)])));
    forest.replace_tree(&mut world, id, Replace::restart(Arc::clone(&new))).unwrap();
    let ends = ["a end Replaced", "b end Replaced", "a end Replaced", "b end Replaced"];
    assert_eq!(world.take(), [&ends[..], &["c awake", "d awake", "c awake", "d awake"]].concat());
    assert!(Arc::ptr_eq(forest.tree(id).unwrap(), &new));
    assert_eq!(
        (forest.population(id).map(|it| it.len()), forest.trees().collect::<Vec<_>>()),
        (Ok(2), vec![id, idler])
    );
    assert_eq!(forest.population(id).unwrap().agents().collect::<Vec<_>>(), agents);
    assert_eq!(forest.agent(agents[0]).unwrap().current().next(), None);
    forest.tick(&mut world, 0.5).unwrap();
    let one = ["c start", "c update", "c end Success", "d start", "d update"];
    assert_eq!(world.take(), [&one[..], &one, &["other update"]].concat());
    assert_eq!(forest.agent(agents[1]).unwrap().inspect().time, 1.0);
    // Agents that are spawned later run the new tree, and an agent that is despawned leaves no gap.
    let late = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    world.take();
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(world.take(), [&one[..], &["d update", "other update"]].concat());
    assert_eq!(forest.population(id).unwrap().agents().collect::<Vec<_>>(), [late, agents[1]]);
    // A tree can be replaced by itself.
    forest.replace_tree(&mut world, id, Replace::restart(Arc::clone(&new))).unwrap();
    assert_eq!(world.take()[..3], ["d end Replaced", "d end Replaced", "c awake"]);
}

#[test]
fn a_trace_says_that_the_tree_was_replaced() {
    let mut world = World::default();
    let (mut forest, mut recorder) = (Forest::new(1), Recorder::all());
    let mut forest = forest.traced(&mut recorder);
    let id = forest.add_tree(tree(sequence([idle()]))).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.tracer().take();
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    let ended = |it| (agent, TraceEvent::Aborted(NodeId::new(it).unwrap(), Reason::Replaced));
    let events: Vec<_> = forest.tracer().take().iter().map(|it| (it.agent, it.event)).collect();
    assert_eq!(events, [ended(1), ended(0)]);
}

#[test]
fn agents_that_are_off_or_paused_stay_so_and_sleepers_wake() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(sequence([wait(1000.0)]), 5, &mut world);
    let [active, off, paused, finished, fresh] = agents[..] else { unreachable!() };
    forest.agent_mut(finished).unwrap().set_completion(Completion::Stop);
    forest.agent_mut(fresh).unwrap().disable(&mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(off).unwrap().disable(&mut world);
    forest.agent_mut(paused).unwrap().pause(&mut world);
    forest.agent_mut(fresh).unwrap().enable(&mut world);
    assert_eq!(forest.agent(active).unwrap().phase(), Phase::Asleep);
    forest.tick(&mut world, 0.5).unwrap();
    forest.replace_tree(&mut world, id, Replace::restart(tree(probe("leaf", |_, _| Status::Success)))).unwrap();
    let phases = || agents.iter().map(|&it| forest.agent(it).unwrap().phase()).collect::<Vec<_>>();
    assert_eq!(phases(), [Phase::Active, Phase::Off, Phase::Paused, Phase::Active, Phase::Active]);
    let times: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().inspect().time).collect();
    assert_eq!(times, [1.0, 0.5, 0.5, 1.0, 0.5]);
    // The `awake` of every enabled agent is called.
    assert_eq!(world.take(), ["leaf awake"; 4]);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 3);
    assert_eq!(forest.agent(finished).unwrap().phase(), Phase::Off, "completion policies stay");
    world.take();
    forest.agent_mut(paused).unwrap().unpause(&mut world);
    forest.agent_mut(off).unwrap().enable(&mut world);
    assert_eq!(world.take(), ["leaf awake"]);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 4);
    assert_eq!(forest.agent(paused).unwrap().inspect().time, 1.0);
    // The next tree replaces this one the same way, with some agents that have finished.
    forest.replace_tree(&mut world, id, Replace::restart(tree(wait(1000.0)))).unwrap();
    assert_eq!(forest.agent(finished).unwrap().phase(), Phase::Off);
    assert_eq!(forest.agent(finished).unwrap().last_outcome(), Some(Outcome::Success));
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(forest.agent(active).unwrap().phase(), Phase::Asleep);
}

#[test]
fn rates_and_budgets_stay() {
    for budget in [false, true] {
        let mut world = World::default();
        let (mut forest, id, agents) = crowd(wait(1000.0), 3, &mut world);
        forest.agent_mut(agents[1]).unwrap().set_rate(Rate::every(4).unwrap());
        forest.agent_mut(agents[2]).unwrap().set_rate(Rate::NEVER);
        let tick = |forest: &mut Forest<Game>, world: &mut World| {
            let budget = budget.then_some(Budget::Agents(2));
            match budget {
                Some(budget) => forest.tick_within(world, 0.25, budget),
                None => forest.tick(world, 0.25),
            }
            .unwrap();
        };
        for _ in 0..6 {
            tick(&mut forest, &mut world);
        }
        let note = action(|cx: &mut Cx<'_, '_>| {
            cx.host.log.push(format!("{} {}", cx.time(), cx.dt()));
            Status::Running
        });
        forest.replace_tree(&mut world, id, Replace::restart(tree(note))).unwrap();
        let rates: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().rate().frames()).collect();
        assert_eq!(rates, [Some(1), Some(4), None]);
        for _ in 0..8 {
            tick(&mut forest, &mut world);
        }
        let log = world.take();
        assert_eq!(log.iter().filter(|it| it.ends_with(" 0.25")).count(), 8, "{budget} {log:?}");
        assert_eq!(log.len(), 8 + 2, "{budget} {log:?}");
    }
}

#[test]
fn an_id_that_is_not_here_is_an_error() {
    let mut world = World::default();
    let (mut forest, id, _) = crowd(idle(), 1, &mut world);
    forest.remove_tree(&mut world, id).unwrap();
    let error = forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap_err();
    assert_eq!(error, ReplaceTreeError::Stale(StaleError::Tree(id)));
    let (_, foreign) = (Forest::<Game>::new(2), Forest::<Game>::new(2).add_tree(tree(idle())).unwrap());
    assert!(forest.replace_tree(&mut world, foreign, Replace::restart(tree(idle()))).is_err());
}

#[test]
fn events_that_wait_go_on_waiting() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(idle(), 3, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agents[1]).unwrap().pause(&mut world);
    forest.agent_mut(agents[2]).unwrap().disable(&mut world);
    for &agent in &agents {
        forest.agent_mut(agent).unwrap().send(Event::new("hey")).unwrap();
    }
    let ear = || sequence([on_event("hey"), counting(Status::Success)]);
    forest.replace_tree(&mut world, id, Replace::restart(tree(ear()))).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 1);
    forest.agent_mut(agents[1]).unwrap().unpause(&mut world);
    forest.agent_mut(agents[2]).unwrap().enable(&mut world);
    for _ in 0..2 {
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.count, 2);
    }
}

#[test]
fn requests_of_ends_and_awakes_are_carried_out_when_all_is_done() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let bystander = forest.add_tree(tree(always("late", Status::Running))).unwrap();
    let old = probe("old", move |call, cx| {
        if matches!(call, Call::End(_)) {
            cx.spawn(bystander, Spawn::default());
            cx.despawn(cx.agent());
        }
        Status::Running
    });
    let id = forest.add_tree(tree(old)).unwrap();
    forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    let stubborn = forest.spawn(&mut world, id).unwrap();
    world.take();
    let new = probe("new", |call, cx| {
        if call == Call::Awake {
            cx.restart();
        }
        Status::Running
    });
    forest.replace_tree(&mut world, id, Replace::restart(tree(new))).unwrap();
    assert_eq!(world.take(), ["old end Replaced", "new awake", "new awake", "late awake"]);
    assert_eq!(
        (forest.population(id).map(|it| it.len()), forest.population(bystander).map(|it| it.len())),
        (Ok(1), Ok(1))
    );
    assert_eq!(forest.population(id).unwrap().agents().collect::<Vec<_>>(), [stubborn]);
}

#[test]
fn a_panic_in_an_end_costs_its_own_agent_only() {
    let mut world = World::default();
    let bomb = probe("bomb", |call, cx| {
        let armed = cx.host.count;
        let is_end = matches!(call, Call::End(_));
        cx.host.count -= u64::from(is_end && armed > 0);
        assert!(!(is_end && (armed == 3 || armed == 2)), "boom {armed}");
        Status::Running
    });
    let (mut forest, id, agents) = crowd(parallel([sequence([bomb]), idle()]), 4, &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    world.take();
    world.count = 4;
    let new = sequence([always("new", Status::Success), always("rest", Status::Running)]);
    assert_eq!(
        panics(|| forest.replace_tree(&mut world, id, Replace::restart(tree(new)))),
        "boom 3",
        "the first one goes on"
    );
    let phases: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().phase()).collect();
    assert_eq!(phases, [Phase::Active, Phase::Panicked, Phase::Panicked, Phase::Active]);
    assert_eq!(world.take()[..4], ["bomb end Replaced"; 4]);
    for &agent in &agents {
        assert_eq!(forest.agent(agent).unwrap().inspect().tree.len(), 3);
        assert_eq!(forest.agent(agent).unwrap().current().next(), None);
    }
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 2);
    world.take();
    forest.agent_mut(agents[1]).unwrap().enable(&mut world);
    assert_eq!(world.take(), ["new awake", "rest awake"]);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 3);
    assert_eq!(
        forest.agent(agents[1]).unwrap().inspect().to_string(),
        forest.agent(agents[0]).unwrap().inspect().to_string()
    );
    // Replacing again leaves the agent that panicked as it is.
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    assert_eq!(forest.agent(agents[2]).unwrap().phase(), Phase::Panicked);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 3);
}

#[test]
fn a_panic_in_an_awake_costs_its_own_agent_only() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(always("old", Status::Running), 3, &mut world);
    forest.tick(&mut world, 0.5).unwrap();
    forest.agent_mut(agents[1]).unwrap().pause(&mut world);
    world.take();
    let new = probe("new", |call, cx| {
        cx.host.count += u64::from(call == Call::Awake);
        assert!(!(call == Call::Awake && cx.host.count == 2), "boom");
        Status::Running
    });
    assert_eq!(panics(|| forest.replace_tree(&mut world, id, Replace::restart(tree(new)))), "boom");
    let phases: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().phase()).collect();
    assert_eq!(phases, [Phase::Active, Phase::Panicked, Phase::Active]);
    assert_eq!(world.take(), [["old end Replaced"; 3], ["new awake"; 3]].concat());
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 2);
    forest.agent_mut(agents[1]).unwrap().enable(&mut world);
    assert_eq!(forest.tick(&mut world, 0.5).unwrap().ticked, 3);
}

/// Its state panics when it is made, or dropped, while the thread's `BROKEN` says so.
struct Fragile;

#[derive(Clone, Copy, PartialEq)]
enum When {
    Never,
    Made,
    Dropped,
}

thread_local! {
    static BROKEN: std::cell::Cell<When> = const { std::cell::Cell::new(When::Never) };
}

struct Glass;

impl Default for Glass {
    fn default() -> Self {
        assert!(BROKEN.get() != When::Made, "it cannot be made");
        Glass
    }
}

impl Drop for Glass {
    fn drop(&mut self) {
        if BROKEN.get() == When::Dropped {
            BROKEN.set(When::Never);
            panic!("it cannot be dropped");
        }
    }
}

impl Action<Game> for Fragile {
    type State = Glass;
    fn update(&self, _: &mut Glass, cx: &mut Context<'_, '_, Game>) -> Status {
        cx.host.log.push("fragile".into());
        Status::Running
    }
}

#[test]
fn a_state_that_cannot_be_made_changes_nothing() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(always("old", Status::Running), 2, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    let fragile = || tree(parallel([idle(), action_of(Fragile)]));
    BROKEN.set(When::Made);
    assert_eq!(panics(|| forest.replace_tree(&mut world, id, Replace::restart(fragile()))), "it cannot be made");
    BROKEN.set(When::Never);
    assert_eq!(forest.tree(id).unwrap().len(), 1);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["old update"; 2]);

    forest.replace_tree(&mut world, id, Replace::restart(fragile())).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["old end Replaced", "old end Replaced", "fragile", "fragile"]);
    BROKEN.set(When::Dropped);
    let new = tree(always("new", Status::Running));
    assert_eq!(panics(|| forest.replace_tree(&mut world, id, Replace::restart(new))), "it cannot be dropped");
    assert_eq!(
        agents.iter().map(|&it| forest.agent(it).map(|it| it.phase())).collect::<Vec<_>>(),
        [Ok(Phase::Active); 2]
    );
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["new awake", "new awake", "new start", "new update", "new start", "new update"]);
}

#[test]
fn trees_of_any_shape_follow_each_other() {
    let watched = |count: usize| {
        let branch = |_| sequence([condition(|cx: &mut Cx<'_, '_>| cx.host.count > 9000), idle()]);
        let branches: Vec<_> = (0..count).map(|it| branch(it).aborts(Abort::LOWER_PRIORITY)).collect();
        selector(branches.into_iter().chain([counting(Status::Running)]))
    };
    let lanes = || parallel([counting(Status::Running), parallel([wait(0.1), counting(Status::Running), idle()])]);
    let memory = || {
        let many = sequence([cooldown(0.1, succeed()), limit(2, succeed()).exhausted(Outcome::Success), wait_ticks(1)]);
        sequence([random_selector([repeat(3, many), idle(), wait(0.1)]), counting(Status::Running)])
    };
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(idle(), 3, &mut world);
    let shapes: [&dyn Fn() -> Node<Game>; 7] = [
        &lanes,
        &|| watched(200),
        &memory,
        &|| counting(Status::Running),
        &|| watched(3),
        &|| guard(condition(|_: &mut Cx<'_, '_>| true), timeout(0.2, lanes()).result(Outcome::Success)),
        &|| reactive_selector([sequence([watched(70)]), memory()]),
    ];
    for one in 0..shapes.len() {
        for other in 0..shapes.len() {
            for shape in [one, other] {
                forest.replace_tree(&mut world, id, Replace::restart(tree(shapes[shape]()))).unwrap();
                for _ in 0..4 {
                    forest.tick(&mut world, 0.1).unwrap();
                }
                for &agent in &agents {
                    let _view = forest.agent(agent).unwrap().inspect();
                    assert!(forest.agent(agent).map(|it| it.explain()).is_ok());
                }
            }
        }
    }
    assert!(world.count > 0);
}

#[test]
fn the_last_abort_of_the_old_tree_is_forgotten() {
    let mut world = World::default();
    let asked = condition(|cx: &mut Cx<'_, '_>| cx.host.count > 0);
    let (mut forest, agent) =
        alone(selector([sequence([asked, idle()]).aborts(Abort::LOWER_PRIORITY), idle()]), &mut world);
    let id = forest.trees().next().unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.count = 1;
    forest.tick(&mut world, 0.1).unwrap();
    assert!(forest.agent(agent).unwrap().inspect().last_abort.is_some());
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    let view = forest.agent(agent).unwrap().inspect();
    assert!(view.last_abort.is_none() && view.stacks.is_empty() && view.monitors.is_empty());
    let _explanation = forest.agent(agent).unwrap().explain();
}

#[test]
fn a_changed_key_wakes_the_new_trees_conditions() {
    let build = |limit: &str| {
        let mut builder = Tree::<Game>::builder("t");
        builder.key("pad", 0_i64);
        builder.key("n", 0_i64);
        let root =
            selector([sequence([check(limit), counting(Status::Running)]).aborts(Abort::LOWER_PRIORITY), idle()]);
        builder.build(root).unwrap()
    };
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(build("n > 9")).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    // Changed before, but no tick has looked at the change.
    forest.keys_mut(agent).unwrap().set_value("n", 5_i64).unwrap();
    forest.replace_tree(&mut world, id, Replace::restart(build("n > 5"))).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((forest.agent(agent).map(|it| it.phase()), world.count), (Ok(Phase::Asleep), 0));
    forest.keys_mut(agent).unwrap().set_value("n", 6_i64).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 1);
    forest.replace_tree(&mut world, id, Replace::restart(build("n > 4"))).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 2);
}
