//! Brains: each does what the only agent of a forest would do, and survives errors.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_core::nodes::{
    action, action_of, check, condition, idle, on_event, parallel, selector, sequence, set, wait, wait_until,
};
use pleach_core::{
    Action, Brain, Completion, Context, Entity, Event, Forest, Key, Outcome, Phase, Reason, Replace, Spawn, Status,
    Tree, Type,
    error::AccessError,
    nodes::{Abort, Node},
    schema::{KeyDefault, Scope},
    trace::Recorder,
};
use support::{Call, Cx, Game, World, always, counting, probe, tree};

fn panics<R>(call: impl FnOnce() -> R) {
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "it has to panic");
}

#[test]
fn a_brain_whose_leaf_panics_is_off_until_it_is_enabled() {
    // Alone on top, after a start, and in a tree of several stacks.
    let bomb = || {
        probe("bomb", |call, cx| {
            assert!(call != Call::Update || cx.host.count == 0, "boom");
            Status::Running
        })
    };
    for root in [bomb(), sequence([bomb(), idle()]), parallel([idle(), bomb()])] {
        let mut world = World::default();
        let mut brain = Brain::new(&mut world, tree(root), 0);
        brain.tick(&mut world, 0.5).unwrap();
        brain.tick(&mut world, 0.5).unwrap();
        world.count = 1;
        for _ in 0..2 {
            panics(|| brain.tick(&mut world, 0.5));
            assert_eq!((brain.phase(), brain.current().next()), (Phase::Panicked, None));
            assert!(brain.inspect().unwrap().stacks.is_empty());
            world.take();
            brain.send(Event::new("lost")).unwrap();
            assert_eq!(brain.tick(&mut world, 0.5), Ok(None));
            brain.disable(&mut world);
            brain.pause(&mut world);
            assert_eq!((brain.phase(), world.take()), (Phase::Panicked, Vec::new()));
            brain.enable(&mut world);
            assert!(brain.inspect().unwrap().mail.is_empty());
            assert_eq!((brain.phase(), world.take()), (Phase::Active, vec!["bomb awake".to_string()]));
        }
        world.count = 0;
        brain.tick(&mut world, 0.5).unwrap();
        assert_eq!(world.take(), ["bomb start", "bomb update"]);
        assert_eq!(brain.phase(), Phase::Active);
        // Its own time goes on after a panic.
        assert_eq!((brain.time(), brain.inspect().unwrap().time), (3.5, 3.5));
    }
}

#[test]
fn a_request_of_a_tick_that_panicked_is_carried_out_in_the_next() {
    let mut world = World { count: 1, ..World::default() };
    let root = probe("leaf", |call, cx| {
        if call == Call::Update && cx.host.count == 1 {
            let me = cx.agent();
            cx.send(me, Event::new("late"));
            cx.restart();
            panic!("boom");
        }
        Status::Running
    });
    let mut brain = Brain::new(&mut world, tree(root), 0);
    panics(|| brain.tick(&mut world, 0.1));
    world.count = 0;
    world.take();
    brain.enable(&mut world);
    // The event comes first, then the restart; the event stays queued.
    assert_eq!(world.take(), ["leaf awake", "leaf awake"]);
    assert_eq!(brain.inspect().unwrap().mail.len(), 1);
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!((world.take().len(), brain.inspect().unwrap().mail.len()), (2, 0));
}

/// Counts in its state how many states there are.
#[derive(Clone)]
struct Counted(Arc<AtomicUsize>);
static STATES: AtomicUsize = AtomicUsize::new(0);

struct Tally;
impl Default for Tally {
    fn default() -> Self {
        STATES.fetch_add(1, Ordering::SeqCst);
        Tally
    }
}
impl Drop for Tally {
    fn drop(&mut self) {
        STATES.fetch_sub(1, Ordering::SeqCst);
    }
}
impl Action<Game> for Counted {
    type State = Tally;
    fn update(&self, _: &mut Tally, cx: &mut Context<'_, '_, Game>) -> Status {
        match self.0.load(Ordering::SeqCst) {
            0 => cx.sleep(5.0),
            1 => cx.stop(),
            2 => cx.restart(),
            3 => {
                let me = cx.agent();
                cx.despawn(me);
            }
            _ => panic!("boom"),
        }
        Status::Running
    }
    fn end(&self, _: &mut Tally, cx: &mut Context<'_, '_, Game>, _: pleach_core::End) {
        cx.host.log.push("end".into());
        assert!(cx.host.count == 0, "boom");
    }
}

#[test]
fn a_brain_can_be_dropped_at_any_time() {
    let what = Arc::new(AtomicUsize::new(0));
    let leaf = || action_of(Counted(Arc::clone(&what)));
    let tree = Arc::new(tree(parallel([leaf(), leaf(), idle()])));
    let mut world = World::default();
    let fresh = |world: &mut World| {
        let brain = Brain::new(world, Arc::clone(&tree), 0);
        assert_eq!(STATES.load(Ordering::SeqCst), 2);
        brain
    };
    // Before its first tick, asleep, and paused. A brain that is dropped calls no leaf.
    drop(fresh(&mut world));
    assert_eq!(STATES.load(Ordering::SeqCst), 0);
    for paused in [false, true] {
        let mut brain = fresh(&mut world);
        brain.tick(&mut world, 0.1).unwrap();
        assert_eq!(brain.phase(), Phase::Asleep);
        if paused {
            brain.pause(&mut world)
        } else {
            brain.unpause(&mut world)
        };
        drop(brain);
        assert_eq!((STATES.load(Ordering::SeqCst), world.take()), (0, Vec::new()));
    }
    // By requests of its own leaves, and when these panic.
    for (request, phase, states) in [(1, Phase::Off, 2), (2, Phase::Active, 2), (3, Phase::Off, 0)] {
        what.store(request, Ordering::SeqCst);
        let mut brain = fresh(&mut world);
        brain.tick(&mut world, 0.1).unwrap();
        assert_eq!((brain.phase(), STATES.load(Ordering::SeqCst)), (phase, states), "{request}");
        drop(brain);
        assert_eq!(STATES.load(Ordering::SeqCst), 0);
        let mut brain = fresh(&mut world);
        world.count = 1;
        panics(|| brain.tick(&mut world, 0.1));
        world.count = 0;
        drop(brain);
        assert_eq!(STATES.load(Ordering::SeqCst), 0);
    }
    what.store(9, Ordering::SeqCst);
    let mut brain = fresh(&mut world);
    panics(|| brain.tick(&mut world, 0.1));
    drop(brain);
    assert_eq!(STATES.load(Ordering::SeqCst), 0);
}

#[test]
fn a_brain_is_one_agent_and_knows_no_tree_and_no_other_agent() {
    // A forest of the same seed gives the same ids.
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(7));
    let of_forest = forest.add_tree(tree(idle())).unwrap();
    let other = [forest.spawn(&mut world, of_forest).unwrap(), forest.spawn(&mut world, of_forest).unwrap()][1];
    let root = probe("leaf", move |call, cx| {
        if call == Call::Update {
            cx.spawn(of_forest, Spawn::default());
            cx.despawn(other);
            cx.send(other, Event::new("hello"));
        }
        Status::Running
    });
    let mut brain = Brain::new(&mut world, tree(root), 7);
    for _ in 0..3 {
        brain.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.take(), ["leaf awake", "leaf start", "leaf update", "leaf update", "leaf update"]);
    assert_eq!((brain.phase(), brain.inspect().unwrap().mail.len()), (Phase::Active, 0));
}

#[test]
fn a_despawned_brain_is_off_for_good() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(always("leaf", Status::Running)), 0);
    brain.tick(&mut world, 0.1).unwrap();
    world.take();
    brain.despawn(&mut world);
    assert_eq!(world.take(), [format!("leaf end {:?}", Reason::Despawned)]);
    brain.enable(&mut world);
    brain.restart(&mut world);
    brain.pause(&mut world);
    brain.send(Event::new("anyone?")).unwrap();
    brain.replace_tree(&mut world, Replace::restart(tree(always("other", Status::Running)))).unwrap();
    brain.keys_mut().reset_all();
    brain.despawn(&mut world);
    assert_eq!(brain.tick(&mut world, 0.1), Ok(None));
    assert_eq!((brain.phase(), brain.current().next(), brain.last_outcome()), (Phase::Off, None, None));
    assert!(brain.inspect().is_none() && brain.explain().is_none() && world.take().is_empty());
}

#[test]
fn a_brain_has_all_that_an_agent_has() {
    let mut builder = Tree::<Game>::builder("guard");
    let (sees, count) = (builder.key("sees", false), builder.key("count", 1_i64));
    let plan = builder.key_in(Scope::Group, "plan", 2_i64);
    builder.key_in(Scope::Global, "storm", false);
    let fight = sequence([check("sees && group.plan == 2 && !global.storm"), idle().named("fight")]);
    let hear = sequence([on_event("noise").into_key("count"), wait(1.0)]);
    let root = selector([
        fight.aborts(Abort::LOWER_PRIORITY),
        hear.aborts(Abort::LOWER_PRIORITY),
        sequence([set("count", "count + 1"), idle().named("patrol")]),
    ]);
    let tree = Arc::new(builder.build(root).unwrap());
    let mut world = World::default();
    let spawn = Spawn { completion: Completion::Stop, enabled: false, ..Spawn::default() };
    let (mut brain, mut recorder) = (Brain::spawn_with(&mut world, Arc::clone(&tree), 3, spawn), Recorder::all());
    let mut brain = brain.traced(&mut recorder);
    assert_eq!((brain.phase(), brain.tick(&mut world, 0.5)), (Phase::Off, Ok(None)));
    brain.enable(&mut world);
    brain.tick(&mut world, 0.5).unwrap();
    assert_eq!((brain.keys().get(count), brain.keys().get(sees), brain.keys().get(plan)), (2, false, 2));
    assert_eq!((brain.time(), brain.inspect().unwrap().time), (1.0, 0.5));
    assert!(brain.explain().unwrap().to_string().contains("patrol"));
    brain.send(Event::new("noise").with(7_i64)).unwrap();
    brain.tick(&mut world, 0.5).unwrap();
    assert_eq!((brain.keys().get(count), brain.inspect().unwrap().to_string()), (7, "Wait".into()));
    brain.keys_mut().set(sees, true);
    brain.keys_mut().set_value("storm", true).unwrap();
    brain.tick(&mut world, 0.5).unwrap();
    assert_eq!(brain.inspect().unwrap().to_string(), "Wait");
    assert_eq!((brain.keys().value("storm"), brain.keys_mut().reset_value("storm")), (Ok(true.into()), Ok(true)));
    brain.tick(&mut world, 0.5).unwrap();
    assert_eq!(brain.inspect().unwrap().to_string(), "fight");
    assert!(brain.inspect().unwrap().last_abort.is_some() && !brain.tracer().take().is_empty());
    assert_eq!((brain.keys_mut().reset(count), brain.keys().value("count")), (true, Ok(1_i64.into())));
    brain.keys_mut().reset_all();
    assert!(!brain.keys().get(sees));
    assert_eq!(brain.footprint(), tree.footprint());

    // Another tree keeps the values, including those of group and global keys.
    let mut builder = Tree::<Game>::builder("guard");
    builder.key_in(Scope::Group, "plan", 2_i64);
    builder.key("new", 0.5_f32);
    let again = builder.key("count", 1_i64);
    let after = builder.build(counting(Status::Success)).unwrap();
    assert_eq!((brain.keys_mut().set(count, 9), brain.keys_mut().set_value("group.plan", 5_i64)), (true, Ok(true)));
    brain.replace_tree(&mut world, Replace::restart(after)).unwrap();
    assert_eq!(
        (brain.keys().get(again), brain.keys().value("group.plan"), brain.keys().value("new")),
        (9, Ok(5_i64.into()), Ok(0.5_f32.into()))
    );
    assert_eq!(brain.tick(&mut world, 0.5), Ok(Some(Outcome::Success)));
    assert_eq!((brain.phase(), brain.last_outcome(), world.count), (Phase::Off, Some(Outcome::Success), 1));
    brain.set_completion(Completion::Restart);
    brain.enable(&mut world);
    brain.tick(&mut world, 0.5).unwrap();
    brain.tick(&mut world, 0.5).unwrap();
    assert_eq!((brain.phase(), world.count), (Phase::Active, 3));
}

/// A tree with one group key and one global key.
fn sharing(plan: impl Into<KeyDefault>, storm: impl Into<KeyDefault>) -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.declare(Scope::Group, "plan", plan.into());
    builder.declare(Scope::Global, "storm", storm.into());
    builder.build(idle()).unwrap()
}

/// Its shared keys are its own, so no tree of another agent can conflict.
#[test]
fn shared_keys_of_a_brain_may_change_their_types() {
    let (mut world, old) = (World::default(), Arc::new(sharing(2_i64, 0.5_f32)));
    let (plan, storm) = (old.key::<i64>("plan").unwrap(), old.key::<f32>("storm").unwrap());
    let mut brain = Brain::new(&mut world, Arc::clone(&old), 3);
    brain.keys_mut().set(plan, 7);
    brain.keys_mut().set(storm, 0.75);
    // Another type of one; the other keeps what was written.
    brain.replace_tree(&mut world, Replace::restart(sharing(true, 0.25_f32))).unwrap();
    let keys = brain.keys();
    assert_eq!((keys.value("group.plan"), keys.value("storm")), (Ok(true.into()), Ok(0.75_f32.into())));
    assert_eq!((keys.try_get(plan), keys.try_get(storm)), (None, Some(0.75)));
    let mut keys = brain.keys_mut();
    assert!(matches!(keys.try_set(plan, 1), Err(AccessError::GoneKey { now: Some(Type::Bool), .. })));
    assert!(matches!(keys.set_value("group.plan", 1_i64), Err(AccessError::Key(_))));
    assert_eq!(keys.set_value("group.plan", false), Ok(true));
    brain.tick(&mut world, 0.1).unwrap();

    // They come back with other types, after a tree that has none.
    brain.replace_tree(&mut world, Replace::restart(tree(idle()))).unwrap();
    assert!(brain.keys().value("group.plan").is_err());
    brain.replace_tree(&mut world, Replace::restart(sharing([1.0_f32, 2.0], 3_i64))).unwrap();
    brain.tick(&mut world, 0.1).unwrap();
    let keys = brain.keys();
    assert_eq!((keys.value("group.plan"), keys.value("storm")), (Ok([1.0_f32, 2.0].into()), Ok(3_i64.into())));
    assert_eq!((keys.try_get(plan), keys.try_get(storm)), (None, None));
}

#[test]
fn a_condition_that_is_only_polled_is_asked_in_every_tick_of_a_brain() {
    let mut world = World::default();
    let late = sequence([condition(|cx: &mut Cx<'_, '_>| cx.host.count >= 3), idle()]);
    let root = selector([late.aborts(Abort::LOWER_PRIORITY), counting(Status::Running)]);
    let mut brain = Brain::new(&mut world, tree(root), 0);
    for _ in 0..6 {
        brain.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!((world.count, brain.inspect().unwrap().to_string()), (3, "Idle".into()));
}

/// The path that a tick of a brain has cached serves the next one only while it is valid.
#[test]
fn a_brain_notices_whatever_changes_between_two_ticks_that_go_on() {
    let mut keys = Tree::<Game>::builder("test");
    let (low, seen) = (keys.key("low", false), keys.key("seen", false));
    let asked = |key: Key<bool>| {
        condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("asked".into());
            cx.get(key)
        })
    };
    let flee = sequence([asked(low).observes([low.index()]), always("flee", Status::Running)]);
    let fight = sequence([asked(seen).observes([seen.index()]), always("fight", Status::Running)]);
    let watch = Abort::LOWER_PRIORITY;
    let root = selector([flee.aborts(watch), fight.aborts(watch), always("patrol", Status::Running)]);
    let tree = Arc::new(keys.build(root).unwrap());
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, Arc::clone(&tree), 0);
    let mut ticks = |brain: &mut Brain<Game>, change: &dyn Fn(&mut Brain<Game>), expected: &[&str]| {
        change(brain);
        world.take();
        for _ in 0..2 {
            brain.tick(&mut world, 0.1).unwrap();
        }
        assert_eq!(world.take(), expected);
    };
    let nothing = |_: &mut Brain<Game>| {};
    let patrol = ["patrol update", "patrol update"];
    ticks(&mut brain, &nothing, &["asked", "asked", "patrol start", "patrol update", "patrol update"]);
    ticks(&mut brain, &nothing, &patrol);
    let every = |on| move |brain: &mut Brain<Game>| brain.configure(|it| it.reevaluate_every_tick = on);
    let all = ["asked", "asked", "patrol update", "asked", "asked", "patrol update"];
    ticks(&mut brain, &every(true), &all);
    ticks(&mut brain, &nothing, &all);
    ticks(&mut brain, &every(false), &patrol);
    let see = |brain: &mut Brain<Game>| assert!(brain.keys_mut().set(seen, true));
    let fought = ["asked", "patrol end Abort", "asked", "fight start", "fight update", "fight update"];
    ticks(&mut brain, &see, &fought);
    // Children to the right of the running one are not watched.
    let look_away = |brain: &mut Brain<Game>| assert!(brain.keys_mut().set(seen, false));
    ticks(&mut brain, &look_away, &["fight update", "fight update"]);
    let same = Arc::clone(&tree);
    let replace = move |brain: &mut Brain<Game>| {
        brain.replace_tree(&mut World::default(), Replace::keep(Arc::clone(&same))).unwrap();
    };
    // Children to the left are checked again under another tree, even an equal one.
    ticks(&mut brain, &replace, &["asked", "fight update", "fight update"]);
    let hurt = |brain: &mut Brain<Game>| assert!(brain.keys_mut().set(low, true));
    let fled = ["asked", "fight end Abort", "asked", "flee start", "flee update", "flee update"];
    ticks(&mut brain, &hurt, &fled);
    let restart = |brain: &mut Brain<Game>| brain.restart(&mut World::default());
    ticks(&mut brain, &restart, &["asked", "flee start", "flee update", "flee update"]);
}

#[test]
fn a_brain_of_several_stacks_is_woken_by_its_keys() {
    let mut keys = Tree::<Game>::builder("test");
    let on = keys.key("on", false);
    let tree = keys.build(sequence([parallel([wait_until("on"), wait(9.0)]), always("a", Status::Running)])).unwrap();
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, 0);
    let current = |brain: &Brain<Game>| brain.current().map(|it| it.index()).collect::<Vec<_>>();
    for _ in 0..3 {
        brain.tick(&mut world, 0.1).unwrap();
        assert_eq!((brain.phase(), current(&brain)), (Phase::Asleep, vec![2, 3]));
    }
    assert!(brain.keys_mut().set(on, true));
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!((brain.phase(), current(&brain)), (Phase::Asleep, vec![3]));
}

#[test]
fn a_brain_whose_action_ends_goes_on_with_the_next_and_then_anew() {
    // Leaves that need only their update, so that no machine is made.
    let lasting = |name: &'static str, ticks: u64| {
        action(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push(name.into());
            cx.host.count += 1;
            if cx.host.count < ticks {
                return Status::Running;
            }
            cx.host.count = 0;
            Status::Success
        })
    };
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(sequence([lasting("a", 2), lasting("b", 3)])), 0);
    let ended = Some(Outcome::Success);
    for round in 0..2 {
        for (expected, outcome) in [(&["a"][..], None), (&["a", "b"], None), (&["b"], None), (&["b"], ended)] {
            assert_eq!(brain.tick(&mut world, 0.1), Ok(outcome), "{round}");
            assert_eq!(world.take(), expected, "{round}");
        }
    }
}

#[test]
fn a_leaf_that_a_brain_wakes_sees_its_event_once() {
    let mut world = World::default();
    let root = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += 10 * cx.events().count() as u64 + 1;
        cx.sleep_until_change();
        Status::Running
    });
    let mut brain = Brain::new(&mut world, tree(root), 0);
    for frame in 0..6 {
        if frame == 3 {
            brain.send(Event::new("a")).unwrap();
            brain.send(Event::new("b")).unwrap();
        }
        brain.tick(&mut world, 0.1).unwrap();
        let expected = if frame < 3 { (1, Phase::Asleep) } else { (22, Phase::Asleep) };
        assert_eq!((world.count, brain.phase()), expected, "{frame}");
    }
}

/// Everything that a leaf may ask and do about its own agent, logged after the first tick. `plan`
/// is a shared key, if the tree has any.
fn nosy(keys: [Key<f32>; 3], plan: Option<Key<i64>>) -> Node<Game> {
    let [x, y, foreign] = keys;
    action(move |cx: &mut Cx<'_, '_>| {
        let told = format!("{:?} {:?} {} {}", cx.entity(), cx.group().is_some(), cx.time(), cx.dt());
        let drawn = (cx.random(), cx.random_range(1.0..2.0));
        let old = (cx.get(x), cx.try_get(y), cx.try_get(foreign));
        let wrote = (cx.set(x, old.0 + 1.0), cx.set(x, old.0 + 1.0), cx.try_set(y, 3.0), cx.try_set(foreign, 3.0));
        let reset = (cx.reset(y), cx.reset(y));
        let shared = plan.map(|it| (cx.get(it), cx.set(it, 7), cx.get(it), cx.reset(it)));
        let now = (cx.get(x), cx.get(y));
        if now.0 > 3.0 {
            cx.reset_all();
        }
        let heard = (cx.events().count(), cx.event("late"));
        cx.host.log.push(format!("{told} {drawn:?} {old:?} {wrote:?} {reset:?} {shared:?} {now:?} {heard:?}"));
        Status::Running
    })
}

#[test]
fn a_leaf_sees_and_does_the_same_in_a_brain_in_a_forest_and_behind_other_stacks() {
    let mut other = Tree::<Game>::builder("other");
    other.key("a", false);
    let foreign = other.key("b", 0.0_f32);
    for shares in [false, true] {
        let tree = |stacks: bool| {
            let mut builder = Tree::<Game>::builder("nosy");
            let (x, y) = (builder.key("x", 0.5_f32), builder.key("y", 0.0_f32));
            let plan = shares.then(|| builder.key_in(Scope::Global, "plan", 2_i64));
            builder.event("late", None);
            // The condition observes what the leaf writes, but its result never changes.
            let test = check("x < 100 && y < 100");
            let leaf = sequence([test, nosy([x, y, foreign], plan)]).aborts(Abort::SELF);
            let root = if stacks { parallel([leaf, idle()]) } else { leaf };
            Arc::new(builder.build(root).unwrap())
        };
        let spawn = || Spawn { entity: Entity::from_index(5), ..Spawn::default() };
        let in_brain = |stacks| {
            let mut world = World::default();
            let mut brain = Brain::spawn_with(&mut world, tree(stacks), 9, spawn());
            for _ in 0..6 {
                brain.tick(&mut world, 0.25).unwrap();
            }
            world.take()
        };
        let in_forest = |stacks| {
            let mut world = World::default();
            let mut forest = Forest::new(9);
            let tree = forest.add_tree(tree(stacks)).unwrap();
            forest.spawn_with(&mut world, tree, spawn()).unwrap();
            for _ in 0..6 {
                forest.tick(&mut world, 0.25).unwrap();
            }
            world.take()
        };
        let log = in_brain(false);
        assert_eq!(log.len(), 6);
        assert!(log[5].contains("1.5 0.25"), "{}", log[5]);
        assert_eq!((&log, &log), (&in_brain(true), &in_forest(false)));
        assert_eq!(log, in_forest(true));
    }
}

#[test]
fn a_leaf_of_a_brain_that_uses_a_key_of_another_tree_says_so() {
    let mut other = Tree::<Game>::builder("other");
    other.key("a", 0.0_f32);
    let foreign = other.key("b", 0.0_f32);
    let uses: [fn(&mut Cx<'_, '_>, Key<f32>); 3] =
        [|cx, key| assert!(cx.get(key) < 0.0), |cx, key| assert!(cx.set(key, 1.0)), |cx, key| assert!(cx.reset(key))];
    for use_key in uses {
        let mut world = World::default();
        let root = action(move |cx: &mut Cx<'_, '_>| {
            if cx.host.count == 1 {
                use_key(cx, foreign);
            }
            Status::Running
        });
        let mut brain = Brain::new(&mut world, tree(root), 0);
        brain.tick(&mut world, 0.5).unwrap();
        world.count = 1;
        let panic = catch_unwind(AssertUnwindSafe(|| brain.tick(&mut world, 0.5))).unwrap_err();
        let said = panic.downcast_ref::<String>().unwrap();
        assert!(said.contains("is a key of another tree"), "{said}");
        assert_eq!(brain.phase(), Phase::Panicked);
    }
}
