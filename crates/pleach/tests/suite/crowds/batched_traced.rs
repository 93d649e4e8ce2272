//! Batches with a tracer (SEMANTICS 8.11): agents that depend on each other do what they do without
//! one, and each agent's lines are those of a tick alone.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{action, condition, idle, inverter, on_event, selector, sequence};
use pleach_core::{
    AgentId, Forest, Key, Phase, Status, Tree,
    nodes::{Abort, Node},
    trace::{NoTracer, Recorder, TraceEvent, Tracer},
};
use support::{Cx, Game, World};

const AGENTS: usize = 40;

/// Agents that rise on an event, plant an apple, and take two if there are two. `count` says how
/// many there are; in a night there are a million.
fn farmers() -> (Tree<Game>, Key<i64>) {
    let mut tree = Tree::builder("farmers");
    let me = tree.key("me", 0_i64);
    let step = |name: &'static str, update: fn(&mut World) -> Status| -> Node<Game> {
        action(move |cx: &mut Cx<'_, '_>| {
            let (me, status) = (cx.get(me), update(cx.host));
            cx.host.log.push(format!("{me} {name} {status}"));
            status
        })
    };
    let late = condition(move |cx: &mut Cx<'_, '_>| {
        let me = cx.get(me);
        cx.host.log.push(format!("{me} late"));
        false
    });
    let rise = |world: &mut World| if world.count < 1_000_000 { Status::Success } else { Status::Running };
    let plant = |world: &mut World| {
        world.count += 1;
        Status::Failure
    };
    let take = |world: &mut World| {
        let found = world.count >= 2;
        world.count -= if found { 2 } else { 0 };
        Status::from_bool(found)
    };
    let work = inverter(selector([step("plant", plant), step("take", take)]));
    let root = selector([
        sequence([on_event("hey"), idle()]).aborts(Abort::LOWER_PRIORITY),
        sequence([late, idle()]).aborts(Abort::LOWER_PRIORITY),
        sequence([step("rise", rise), work, step("wait", |_| Status::Running)]),
    ]);
    (tree.build(root).expect("valid"), me)
}

/// Everything that farmers do in the first two frames of the day.
fn day<T: Tracer>(tracer: &mut T, batched: bool) -> (Forest<Game>, Vec<AgentId>, Vec<String>, bool) {
    let (tree, me) = farmers();
    let mut plain = Forest::new(0);
    let mut forest = plain.traced(tracer);
    forest.configure(|it| it.batched = batched);
    let mut world = World { count: 1_000_000, ..World::default() };
    let tree = forest.add_tree(tree).expect("no other tree");
    let agents: Vec<AgentId> = (0..AGENTS).map(|_| forest.spawn(&mut world, tree).expect("room")).collect();
    for (number, &agent) in (0..).zip(&agents) {
        forest.keys_mut(agent).expect("it is here").set(me, number);
    }
    forest.tick(&mut world, 0.1).expect("a time");
    (world.count, world.log) = (0, vec!["dawn".to_owned()]);
    let panicked = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1).expect("a time"))).is_err();
    forest.tick(&mut world, 0.1).expect("a time");
    (plain, agents, world.log, panicked)
}

#[test]
fn agents_that_depend_on_each_other_do_the_same_with_a_tracer() {
    let (_, agents, plain, _) = day(&mut NoTracer, true);
    let (.., in_order, _) = day(&mut NoTracer, false);
    assert_ne!(plain, in_order, "here the order matters");
    assert!(plain.contains(&"1 take success".to_owned()) && in_order.contains(&"0 take failure".to_owned()));
    let none: fn(AgentId) -> Recorder = |_| Recorder::of([]);
    for recorder in [|_| Recorder::all(), |it| Recorder::of([it]), none] {
        let (.., traced, _) = day(&mut recorder(agents[17]), true);
        assert_eq!(plain, traced);
    }
}

#[test]
fn the_lines_of_an_agent_in_batches_are_those_of_a_tick_alone() {
    let mut recorder = Recorder::all();
    let (_, agents, ..) = day(&mut recorder, true);
    let trace = recorder.take();
    let lines = |agent: usize| -> Vec<String> {
        let own = trace.iter().filter(|it| it.agent == agents[agent]).map(|it| format!("{:?}", it.event));
        let ends = own.clone().enumerate().filter(|it| it.1 == "TickEnd").map(|it| it.0).collect::<Vec<_>>();
        own.skip(ends[0] + 1).take(ends[1] - ends[0]).collect()
    };
    let begins = [
        "Tick",
        "Recheck(n2, Failure)",
        "Recheck(n5, Failure)",
        "Update(n8, Success)",
        "End(n8, Success)",
        "Start(n9)",
        "Start(n10)",
        "Start(n11)",
        "Update(n11, Failure)",
        "End(n11, Failure)",
        "Start(n12)",
    ];
    let found = [
        "Update(n12, Success)",
        "End(n12, Success)",
        "End(n10, Success)",
        "End(n9, Failure)",
        "End(n7, Failure)",
        "End(n0, Failure)",
        "TickEnd",
    ];
    let missed = [
        "Update(n12, Failure)",
        "End(n12, Failure)",
        "End(n10, Failure)",
        "End(n9, Success)",
        "Start(n13)",
        "Update(n13, Running)",
        "TickEnd",
    ];
    assert_eq!(lines(1), [&begins[..], &found].concat());
    assert_eq!(lines(AGENTS - 1), [&begins[..], &missed].concat());
}

/// Panics when this agent plants for the first time.
struct Faulty(Option<AgentId>);

impl Tracer for Faulty {
    const ENABLED: bool = true;
    fn wants(&self, _: AgentId) -> bool {
        true
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        let plants = matches!(event, TraceEvent::Start(it) if it.index() == 11);
        if plants && self.0 == Some(agent) {
            self.0 = None;
            std::panic::resume_unwind(Box::new(()));
        }
    }
}

#[test]
fn a_tracer_that_panics_costs_one_agent_its_tick() {
    let (_, agents, ..) = day(&mut NoTracer, true);
    let (forest, _, log, panicked) = day(&mut Faulty(Some(agents[7])), true);
    assert!(panicked);
    for (number, &agent) in agents.iter().enumerate() {
        let bad = number == 7;
        assert_eq!(
            forest.agent(agent).map(|it| it.phase()),
            Ok(if bad { Phase::Panicked } else { Phase::Active }),
            "{number}"
        );
        let takes = log.iter().filter(|it| it.starts_with(&format!("{number} take"))).count();
        assert_eq!(takes > 0, !bad, "{number}");
    }
}
