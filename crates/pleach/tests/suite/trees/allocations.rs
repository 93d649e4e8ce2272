//! A tick allocates nothing, with any nodes; and an agent of the guard tree is small.

use crate::dice::Dice;
use crate::support;

use allocation_counter::measure;
use pleach_core::nodes::{
    action, action_of, check, condition, cooldown, delay, emit, fail, finally, force_failure, force_success, free,
    guard, idle, inverter, limit, on_event, parallel, probability, random_choice, random_selector, random_sequence,
    reactive_selector, reactive_sequence, repeat, repeat_forever, roll, selector, sequence, set, succeed, switch,
    timeout, token, until_failure, until_success, utility_selector, wait, wait_ticks, wait_until,
};
use pleach_core::{
    Brain, Completion, Event, Forest, Key, NodeId, Outcome, Spawn, Status, Tree,
    nodes::{Abort, Node, Policy},
    schema::Scope,
};
use pleach_macros::leaf;
use support::{Cx, Game, World, counting};

/// A leaf whose result changes with the number of its agent's tick and its own number.
fn moody(own: u64) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        match (cx.host.count / 3 + own) % 4 {
            0 => Status::Success,
            1 => Status::Failure,
            _ => Status::Running,
        }
    })
}

fn fickle(own: u64) -> Node<Game> {
    condition(move |cx: &mut Cx<'_, '_>| (cx.host.count + own) % 5 > 1)
}

/// A small tree for every kind of node, with conditions that change, and branches that end and
/// begin.
fn every_kind() -> Vec<Node<Game>> {
    let leaf = |own| moody(own);
    let ask = |own| -> Node<Game> { fickle(own) };
    let some = || [ask(1), leaf(1), leaf(2)];
    vec![
        leaf(0),
        sequence(some()),
        sequence(some()).aborts(Abort::BOTH),
        selector([sequence(some()).aborts(Abort::LOWER_PRIORITY), leaf(3)]),
        selector([sequence(some()).aborts(Abort::BOTH), sequence([ask(4), idle()]).aborts(Abort::SELF), idle()]),
        parallel(some()),
        parallel([leaf(0), sequence(some()).aborts(Abort::SELF), parallel(some())])
            .success(Policy::AtLeast(2))
            .failure(Policy::All),
        reactive_sequence(some()),
        reactive_selector([sequence(some()), leaf(5), parallel(some())]),
        random_sequence(some()),
        random_selector(some()).weights([1.0, 0.0, 2.0]),
        random_choice(some()).weights([1.0, 0.0, 2.0]),
        switch("n > 2.0", [(true, leaf(0)), (false, leaf(1))]),
        switch("n > 1.0", [(true, leaf(0))]).default(idle()).latch().with_service(0.2, moody(7)),
        utility_selector([("n", leaf(0)), ("2.0", leaf(1))]),
        utility_selector([("n", leaf(0)), ("3.0 - n", leaf(1)), ("1.0", idle())]).reevaluate(),
        inverter(leaf(0)),
        force_success(leaf(0)),
        force_failure(leaf(0)),
        until_success(leaf(0)),
        until_failure(leaf(0)),
        repeat(3, leaf(0)),
        repeat_forever(leaf(0)),
        guard("n < 3.0", idle()),
        guard("n < 3.0", idle()).result(Outcome::Success),
        cooldown(0.25, leaf(0)).after(Outcome::Failure),
        until_success(leaf(0)).count(3),
        until_failure(leaf(0)).count("shared"),
        guard(fickle(0), leaf(0)),
        timeout(0.25, leaf(0)).result(Outcome::Success),
        cooldown(0.25, leaf(0)),
        limit(3, leaf(0)).exhausted(Outcome::Success),
        delay(0.15, leaf(0)),
        probability(0.5, leaf(0)),
        selector([token("t", 1, leaf(0)).rest(0.1), token("u", 2, leaf(1)).rest(0.2).global(), leaf(2)]),
        selector([sequence([free("t"), token("t", 1, leaf(0)).rest(0.1)]).aborts(Abort::BOTH), idle()]),
        finally([set("n", "n + 0.5"), moody(7), succeed()], leaf(0)),
        selector([sequence(some()).aborts(Abort::BOTH), finally([moody(7), set("squad", "squad + 1")], idle())]),
        sequence(some()).with_service(0.2, moody(7)),
        sequence(some()).with_service("n * 0.1", moody(7)).jitter(0.1),
        wait(0.25),
        wait_ticks(3),
        roll("n", 0, "shared"),
        sequence([wait("n * 0.1").jitter(0.1), wait_ticks("shared"), delay("n * 0.1", leaf(0)).jitter(0.05)]),
        repeat("shared", limit("squad", probability("n", leaf(0))).exhausted(Outcome::Success)),
        timeout("n * 0.2", cooldown("n * 0.1", leaf(0)).jitter(0.2)).result(Outcome::Success),
        wait_until("n > 2.0"),
        selector([sequence([check("now - 1 > 2.0"), idle()]).aborts(Abort::BOTH), wait(0.35)]),
        selector([sequence([check("n > 2.0"), idle()]).aborts(Abort::BOTH), idle()]),
        selector([sequence([on_event("e").into_key("n"), leaf(1)]).aborts(Abort::BOTH), idle()]),
        sequence([set("n", "n + 0.5"), set("shared", "shared + 1"), set("squad", "squad + 1")]),
        sequence([succeed(), fail()]),
        selector([sequence([set("own", "own + 1"), check("own == 2"), leaf(0)]).with_local("own", 1_i64), idle()]),
        repeat(2, leaf(0).with_local("own", 1_i64).with_local("other", 0.5_f32)),
        idle(),
    ]
}

#[test]
fn no_kind_of_node_allocates() {
    // The actions are alone on the only stack (agents one after the other, then in batches), or
    // beside another stack.
    let ways = [(false, false), (false, true), (true, false)];
    let kinds = ways.into_iter().flat_map(|way| every_kind().into_iter().map(move |it| (way, it)));
    for (index, ((beside, batched), root)) in kinds.enumerate() {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(1);
        forest.configure(|it| it.batched = batched);
        let mut builder = Tree::builder("t");
        let n = builder.key("n", 0.0_f32);
        let keys = [
            builder.key("own", 0_i64),
            builder.key_in(Scope::Global, "shared", 0_i64),
            builder.key_in(Scope::Group, "squad", 0_i64),
        ];
        let user = action(move |cx: &mut Cx<'_, '_>| {
            for key in keys {
                let value = cx.get(key) + cx.try_get(key).unwrap_or_default();
                cx.set(key, value % 5);
            }
            cx.reset(keys[usize::from(cx.host.count.is_multiple_of(2))]);
            Status::Running
        });
        let root = if beside { parallel([user, repeat_forever(root)]) } else { root };
        let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let agents: Vec<_> = (0..600).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
        let mut play = |forest: &mut Forest<Game>, frames: usize| {
            for frame in 0..frames {
                let agent = agents[frame * 7 % agents.len()];
                forest.keys_mut(agent).unwrap().set(n, (frame % 5) as f32);
                forest
                    .population_mut(id)
                    .unwrap()
                    .update_column(n, |_, old| if frame % 4 == 0 { old + 1.0 } else { old })
                    .unwrap();
                forest.population_mut(id).unwrap().update_agents(|agent| assert!(agent.set(n, agent.get(n) + 1.0)));
                forest.agent_mut(agent).unwrap().send(Event::new("e").with(1.0_f32)).unwrap();
                forest.agent_mut(agent).unwrap().send(Event::new("other")).unwrap();
                match frame % 10 {
                    3 => forest.agent_mut(agent).unwrap().pause(&mut world),
                    6 => forest.agent_mut(agent).unwrap().unpause(&mut world),
                    8 => forest.agent_mut(agent).unwrap().restart(&mut world),
                    _ => {}
                }
                forest.tick(&mut world, 0.05).unwrap();
            }
        };
        play(&mut forest, 40);
        // Events wait for paused agents. This empties their mail, so that the inbox keeps its size.
        for &agent in &agents {
            forest.agent_mut(agent).unwrap().unpause(&mut World::default());
        }
        play(&mut forest, 2);
        let memory = measure(|| play(&mut forest, 40));
        assert_eq!(memory.count_total, 0, "tree {index}: {memory:?}");
    }
}

#[test]
fn requests_events_and_lives_do_not_allocate_once_warm() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let talker = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += cx.events().count() as u64;
        let me = cx.agent();
        cx.send(me, Event::new("again"));
        match cx.host.count % 7 {
            0 => cx.restart(),
            1 => cx.sleep(0.1),
            _ => {}
        }
        Status::Running
    });
    let tells = repeat_forever(emit("told").to_group());
    let id = forest.add_tree(support::tree(parallel([talker, emit_free(), tells]))).unwrap();
    let groups: Vec<_> = (0..200).map(|_| forest.new_group()).collect();
    let spawn = |it: usize| Spawn { group: Some(groups[it % groups.len()]), ..Spawn::default() };
    let agents: Vec<_> = (0..1000).map(|it| forest.spawn_with(&mut world, id, spawn(it)).unwrap()).collect();
    let mut frame = 0;
    let mut play = |frames| {
        for _ in 0..frames {
            frame += 1;
            forest.broadcast(Event::new("all")).unwrap();
            let agent = agents[frame * 13 % agents.len()];
            forest.agent_mut(agent).unwrap().restart(&mut world);
            forest.agent_mut(agent).unwrap().pause(&mut world);
            forest.agent_mut(agent).unwrap().unpause(&mut world);
            let extra = forest.spawn_with(&mut world, id, Spawn { completion: Completion::Stop, ..Spawn::default() });
            forest.tick(&mut world, 0.1).unwrap();
            let running = forest.agent(agent).unwrap().current().count();
            assert!(running == 3 || running == 0, "three branches, unless it has restarted itself");
            assert_eq!(forest.agent(agent).unwrap().is_active(NodeId::ROOT), running > 0);
            forest.agent_mut(extra.unwrap()).unwrap().despawn(&mut world);
        }
    };
    play(10);
    assert_eq!(measure(|| play(20)).count_total, 0);
}

/// Emits nothing: the host of these tests would log an event, which allocates.
fn emit_free() -> Node<Game> {
    sequence([inverter(guard("false", emit("never"))), counting(Status::Running)])
}

/// Runs until its counter reaches the limit.
struct Timed(u32);

#[leaf(crate = pleach_core)]
impl pleach_core::Action<Game> for Timed {
    type State = u32;
    fn start(&self, counter: &mut u32, _: &mut Cx<'_, '_>) {
        *counter = 0;
    }
    fn update(&self, counter: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        if *counter == self.0 {
            cx.host.count += 1;
            return Status::Success;
        }
        *counter += 1;
        Status::Running
    }
}

/// The keys of the guard tree.
struct Keys {
    health: Key<f32>,
    dist: Key<f32>,
    sees: Key<bool>,
    noise: Key<bool>,
}

/// The guard tree that is also used to measure speed.
fn guard_tree() -> (Tree<Game>, Keys) {
    let mut builder = Tree::<Game>::builder("guard");
    let (health, dist) = (builder.key("health", 1.0_f32), builder.key("dist", 4.05_f32));
    let (sees, noise) = (builder.key("sees", false), builder.key("noise", false));
    let timed = |limit| action_of(Timed(limit));
    let approach = action(move |cx: &mut Cx<'_, '_>| {
        let nearer = cx.get(dist) - 0.1;
        cx.set(dist, nearer);
        if nearer < 2.0 { Status::Success } else { Status::Running }
    });
    let root = selector([
        sequence([condition(move |cx: &mut Cx<'_, '_>| cx.get(health) < 0.3).observes([health.index()]), timed(40)])
            .aborts(Abort::LOWER_PRIORITY),
        sequence([check("sees"), selector([sequence([check("dist >= 2.0"), approach]), timed(20)])])
            .aborts(Abort::LOWER_PRIORITY),
        sequence([check("noise"), timed(30), timed(60)]).aborts(Abort::LOWER_PRIORITY),
        counting(Status::Running),
    ]);
    (builder.build(root).unwrap(), Keys { health, dist, sees, noise })
}

#[test]
fn guards_whose_keys_change_do_not_allocate() {
    let (tree, keys) = guard_tree();
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(tree).unwrap();
    let agents: Vec<_> = (0..1000).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    let (mut dice, mut aborts) = (Dice(3), 0);
    let mut play = |frames| {
        for _ in 0..frames {
            for &agent in &agents {
                let change = match dice.below(1024) {
                    0..24 => {
                        let health = if forest.keys(agent).unwrap().get(keys.health) < 0.3 { 1.0 } else { 0.2 };
                        forest.keys_mut(agent).unwrap().try_set(keys.health, health)
                    }
                    24..54 => {
                        let seen = !forest.keys(agent).unwrap().get(keys.sees);
                        forest.keys_mut(agent).unwrap().set(keys.dist, 4.05);
                        forest.keys_mut(agent).unwrap().try_set(keys.sees, seen)
                    }
                    54..84 => {
                        let heard = !forest.keys(agent).unwrap().get(keys.noise);
                        forest.keys_mut(agent).unwrap().try_set(keys.noise, heard)
                    }
                    _ => Ok(false),
                };
                change.unwrap();
            }
            aborts += forest.tick(&mut world, 1.0 / 60.0).unwrap().aborts;
        }
    };
    play(5);
    assert_eq!(measure(|| play(100)).count_total, 0);
    assert!(aborts > 1000, "{aborts}");
}

#[test]
fn a_brain_of_a_guard_is_small_and_its_ticks_allocate_nothing() {
    let (tree, keys) = guard_tree();
    let (tree, mut world) = (std::sync::Arc::new(tree), World::default());
    let mut brain = None;
    let memory = measure(|| brain = Some(Brain::new(&mut world, std::sync::Arc::clone(&tree), 7)));
    let size = i64::try_from(size_of::<Brain<Game>>()).unwrap() + memory.bytes_current;
    assert!(size <= 400 && memory.count_current <= 4 && memory.count_total <= 4, "{size} {memory:?}");
    let mut brain = brain.unwrap();
    let mut play = || {
        for frame in 0..400 {
            match frame % 40 {
                3 => brain.keys_mut().set(keys.sees, true),
                9 => brain.keys_mut().set(keys.noise, true),
                20 => brain.keys_mut().set(keys.health, 0.2),
                30 => brain.keys_mut().set(keys.sees, false),
                35 => brain.keys_mut().set(keys.health, 1.0),
                _ => brain.keys_mut().set(keys.dist, 4.05),
            };
            brain.tick(&mut world, 1.0 / 60.0).unwrap();
        }
    };
    assert_eq!(measure(&mut play).count_total, 0);
    assert!(world.count > 10, "{}", world.count);
}

#[test]
fn a_guard_is_small() {
    let (tree, _) = guard_tree();
    let size = tree.footprint();
    assert!(size.hot <= 32, "{size:?}");
    assert!(size.hot + size.cold <= 96, "{size:?}");
    assert_eq!((size.blackboard, size.leaves), (10, 16));
    assert_eq!(size.total(), size.hot + size.cold + 26);
    // `footprint` says the same.
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(tree).unwrap();
    let count = 1 << 15;
    let memory = measure(|| {
        for _ in 0..count {
            forest.spawn(&mut world, id).unwrap();
        }
    });
    let each = memory.bytes_current / count;
    let stated = i64::try_from(size.total()).unwrap();
    assert!((stated..stated * 5 / 4).contains(&each), "{each} of {size:?}");
}

#[test]
fn a_thousand_trees_with_a_guard_each_are_small() {
    let (tree, _) = guard_tree();
    let (tree, mut world) = (std::sync::Arc::new(tree), World::default());
    let mut forest = Forest::<Game>::new(1);
    let memory = measure(|| {
        for _ in 0..1_000 {
            let id = forest.add_tree(std::sync::Arc::clone(&tree)).unwrap();
            forest.spawn(&mut world, id).unwrap();
        }
        forest.tick(&mut world, 1.0 / 60.0).unwrap();
    });
    assert!(memory.bytes_current <= 470 * 1_000 && memory.count_current < 12 * 1_000, "{memory:?}");
}
