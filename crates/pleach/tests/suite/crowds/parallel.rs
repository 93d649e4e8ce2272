//! Several threads (SEMANTICS 8.7): the run is the same on any number of them, and a panic loses
//! nothing.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::dice::Dice;
use pleach_core::nodes::{
    action, check, on_event, parallel, probability, random_selector, selector, sequence, set, wait,
};
use pleach_core::{
    Event, Forest, Spawn, Status, TickReport, Tree,
    nodes::Abort,
    schema::Scope,
    trace::{NoTracer, Recorder, TraceEntry, Traced, Tracer},
};
use support::{Call, Cx, Game, World, always, counting, probe, tree};

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// One tick on the threads of a pool; the notes of all contexts, in order.
fn tick<T: Tracer + Sync + Send>(
    pool: &rayon::ThreadPool,
    forest: &mut Traced<'_, Forest<Game>, T>,
    dt: f32,
) -> (TickReport, Vec<String>) {
    let mut log = Vec::new();
    let report = pool.install(|| forest.tick_parallel(dt, |_| World::default(), |cx| log.extend(cx.log))).unwrap();
    (report, log)
}

/// Agents that draw random numbers, write keys of their own, of their squad and of the forest,
/// despawn each other and send events.
fn town(threads: usize) -> (Vec<String>, Vec<TraceEntry>, Vec<TickReport>) {
    let pool = pool(threads);
    let mut world = World::default();
    let (mut forest, mut recorder) = (Forest::<Game>::new(5), Recorder::all());
    let mut forest = forest.traced(&mut recorder);
    let mut ids = Vec::new();
    for size in [1400_usize, 30, 2400] {
        let mut builder = Tree::<Game>::builder("citizen");
        let noise = builder.key("noise", 0_i64);
        let squad = builder.key_in(Scope::Group, "squad", 0_i64);
        let total = builder.key_in(Scope::Global, "total", 0_i64);
        let work = action(move |cx: &mut Cx<'_, '_>| {
            let lot = (cx.random() * 1000.0).floor();
            cx.set(squad, cx.get(squad) + 1);
            cx.set(total, cx.get(total) + 1);
            cx.set(noise, cx.get(squad) % 7);
            let line = format!("{:?} {} {}", cx.agent(), cx.get(squad), cx.get(total));
            cx.host.log.push(line);
            if lot < 5.0 {
                cx.despawn(cx.agent());
            } else if lot < 50.0 {
                cx.send(cx.agent(), Event::new("again"));
            }
            if lot < 500.0 { Status::Success } else { Status::Running }
        });
        let root = selector([
            sequence([check("noise == 3"), probability(0.5, always("three", Status::Success))])
                .aborts(Abort::LOWER_PRIORITY),
            sequence([on_event("again"), always("again", Status::Success)]).aborts(Abort::LOWER_PRIORITY),
            parallel([random_selector([wait(0.3), sequence([set("noise", "noise + 1"), wait(0.1)])]), work]),
        ]);
        let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let squads = [forest.new_group(), forest.new_group()];
        for number in 0..size {
            let spawn = Spawn { group: Some(squads[number % 2]), ..Spawn::default() };
            ids.push(forest.spawn_with(&mut world, id, spawn).unwrap());
        }
    }
    let (mut log, mut reports) = (world.take(), Vec::new());
    let mut dice = Dice(9);
    for _ in 0..25 {
        let someone = ids[dice.below(ids.len())];
        let _gone = forest.agent_mut(someone).map_err(Into::into).and_then(|mut it| it.send(Event::new("again")));
        let (report, lines) = tick(&pool, &mut forest, 0.1);
        reports.push(report);
        log.extend(lines);
        log.push(format!("{:?} {}", forest.globals().value("total").ok(), forest.len()));
    }
    (log, forest.tracer().take(), reports)
}

#[test]
fn one_two_and_eight_threads_run_alike() {
    let one = town(1);
    assert!(one.0.len() > 10_000 && one.1.len() > 50_000 && one.2.iter().any(|it| it.aborts > 10));
    for threads in [2, 8] {
        let other = town(threads);
        assert_eq!(one.0, other.0, "{threads} threads");
        assert!(one.1 == other.1 && one.2 == other.2, "{threads} threads");
    }
}

#[test]
fn without_shared_keys_it_is_as_without_threads() {
    let run = |parallel: bool| {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(3);
        let lots = action(|cx: &mut Cx<'_, '_>| {
            let line = format!("{:?} {}", cx.agent(), cx.random());
            cx.host.log.push(line);
            Status::Success
        });
        let root = sequence([lots, random_selector([wait(0.2), wait(0.5)])]);
        let id = forest.add_tree(tree(root)).unwrap();
        for _ in 0..2500 {
            forest.spawn(&mut world, id).unwrap();
        }
        let pool = pool(2);
        for _ in 0..20 {
            if parallel {
                world.log.extend(tick(&pool, &mut forest.traced(&mut NoTracer), 0.1).1);
            } else {
                forest.tick(&mut world, 0.1).unwrap();
            }
        }
        world.log
    };
    let log = run(false);
    assert!(log.len() > 5000);
    assert_eq!(log, run(true));
}

#[test]
fn a_panic_costs_at_most_the_rest_of_its_chunk() {
    let pool = pool(2);
    for batched in [false, true] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        forest.configure(|it| it.batched = batched);
        let id = forest
            .add_tree(tree(probe("leaf", |call, cx| {
                assert!(!(call == Call::Update && cx.event("boom").is_some()), "boom");
                Status::Running
            })))
            .unwrap();
        let agents: Vec<_> = (0..2200).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
        tick(&pool, &mut forest.traced(&mut NoTracer), 0.1);
        forest.agent_mut(agents[1112]).unwrap().send(Event::new("boom")).unwrap();
        let mut lines = Vec::new();
        let call = AssertUnwindSafe(|| {
            pool.install(|| forest.tick_parallel(0.1, |_| World::default(), |cx| lines.push(cx.log.len())))
        });
        assert!(catch_unwind(call).is_err());
        // Without batches the second chunk was ticked up to its eighty-ninth agent.
        assert_eq!(lines, [1024, if batched { 1024 } else { 89 }, 152]);
        assert_eq!(forest.agent(agents[1112]).unwrap().phase(), pleach_core::Phase::Panicked);
        assert_eq!(tick(&pool, &mut forest.traced(&mut NoTracer), 0.1).0.ticked, 2199);
    }
}

#[test]
fn a_make_that_panics_costs_the_ticks_of_its_chunks() {
    let pool = pool(2);
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(tree(counting(Status::Running))).unwrap();
    for _ in 0..2200 {
        forest.spawn(&mut world, id).unwrap();
    }
    let mut count = 0;
    let make = |chunk| {
        assert!(chunk != 1, "no context");
        World::default()
    };
    let call = AssertUnwindSafe(|| pool.install(|| forest.tick_parallel(0.1, make, |cx| count += cx.count)));
    assert!(catch_unwind(call).is_err());
    assert_eq!(count, 1024 + 152);
    assert_eq!(tick(&pool, &mut forest.traced(&mut NoTracer), 0.1).0.ticked, 2200);
    assert!(pool.install(|| forest.tick_parallel(f32::NAN, |_| World::default(), drop)).is_err());
}

#[test]
fn shared_keys_are_seen_in_the_chunk_at_once_and_by_all_afterwards() {
    let pool = pool(2);
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::<Game>::builder("t");
    let total = builder.key_in(Scope::Global, "total", 0_i64);
    let root = action(move |cx: &mut Cx<'_, '_>| {
        let sum = cx.get(total) + 1;
        cx.set(total, sum);
        cx.host.count = sum.unsigned_abs();
        Status::Running
    });
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    for _ in 0..1112 {
        forest.spawn(&mut world, id).unwrap();
    }
    for round in 1..4 {
        let mut last = Vec::new();
        pool.install(|| forest.tick_parallel(0.1, |_| World::default(), |cx| last.push(cx.count))).unwrap();
        // The second chunk has 88 agents, and its write counts.
        assert_eq!(last, [88 * (round - 1) + 1024, 88 * round]);
        assert_eq!(forest.globals().value("total").ok(), Some((88 * i64::try_from(round).unwrap()).into()));
    }
}

#[test]
fn the_last_write_counts_also_if_it_writes_what_was_there() {
    let pool = pool(2);
    for scope in [Scope::Global, Scope::Group] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        let mut builder = Tree::<Game>::builder("t");
        let alarm = builder.key_in(scope, "alarm", false);
        let last = builder.key("last", false);
        let root = action(move |cx: &mut Cx<'_, '_>| {
            // All agents except the last raise the alarm. The last one is alone in its chunk, and
            // sees the key as it was.
            let raises = !cx.get(last);
            let changed = cx.set(alarm, raises);
            assert_eq!(cx.get(alarm), raises);
            cx.host.count += u64::from(changed);
            Status::Running
        });
        let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let spawn = Spawn { group: Some(forest.new_group()), ..Spawn::default() };
        let agents: Vec<_> = (0..1025).map(|_| forest.spawn_with(&mut world, id, spawn).unwrap()).collect();
        forest.keys_mut(agents[1024]).unwrap().set(last, true);
        let mut changes = Vec::new();
        pool.install(|| forest.tick_parallel(0.1, |_| World::default(), |cx| changes.push(cx.count))).unwrap();
        assert_eq!((changes, forest.keys(agents[0]).unwrap().get(alarm)), (vec![1, 0], false), "{scope}");
    }
}

#[test]
fn an_empty_forest_makes_nothing() {
    let mut forest = Forest::<Game>::new(0);
    let make = |_| -> World { unreachable!("no chunk needs a context") };
    assert_eq!(forest.tick_parallel(0.1, make, drop), Ok(TickReport::default()));
}

#[test]
fn few_agents_in_small_chunks_have_many_contexts() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let think = action(|cx: &mut Cx<'_, '_>| {
        cx.host.log.push("thinks".into());
        Status::Running
    });
    let tree = forest.add_tree(Tree::builder("t").build(think).unwrap()).unwrap();
    forest.configure(|it| it.chunk_size = 0);
    forest.spawn(&mut world, tree).unwrap();
    forest.spawn(&mut world, tree).unwrap();
    forest.configure(|it| it.chunk_size = 32);
    let agents: Vec<_> = (2..200).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    let pool = pool(2);
    let mut contexts = Vec::new();
    let mut frame = |forest: &mut Forest<Game>| {
        contexts.clear();
        let make = |_| World::default();
        let report = pool.install(|| forest.tick_parallel(0.1, make, |cx| contexts.push(cx.log.len())));
        (report.unwrap().ticked, contexts.clone())
    };
    // A chunk with one agent takes 31 more.
    assert_eq!(frame(&mut forest), (200, vec![32, 32, 32, 32, 32, 32, 8]));
    // A smaller limit removes no agent, and a larger one is used where there is room.
    forest.configure(|it| it.chunk_size = 8);
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    forest.spawn(&mut world, tree).unwrap();
    forest.configure(|it| it.chunk_size = 5_000);
    for _ in 0..20 {
        forest.spawn(&mut world, tree).unwrap();
    }
    let (ticked, contexts) = frame(&mut forest);
    assert_eq!((ticked, contexts.iter().sum::<usize>(), contexts.len()), (220, 220, 8));
}
