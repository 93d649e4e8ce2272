//! The blackboard: types, scopes, what counts as a change, whole columns, groups and global keys
//! (SEMANTICS 8.9).

use crate::support;

use pleach_core::nodes::{action, check, condition, guard, idle, selector, sequence, set};
use pleach_core::{
    Entity, Event, Forest, Key, NodeId, Spawn, Status, Symbol, Tree, TreeId, Value,
    error::{AccessError, AddTreeError, Difference, Help, SchemaError, SharedKeyError, StaleError},
    nodes::Abort,
    schema::{KeyDefault, Scope},
    trace::{Recorder, TraceKinds},
};
use support::{Cx, Game, World};

fn forest_of(tree: Tree<Game>) -> (Forest<Game>, TreeId) {
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    (forest, id)
}

/// How many conditions a tick asks.
fn rechecks(forest: &mut Forest<Game>, world: &mut World) -> usize {
    let mut recorder = Recorder::all().only(TraceKinds::RECHECKS);
    forest.traced(&mut recorder).tick(world, 0.1).unwrap();
    recorder.take().len()
}

#[test]
fn every_type_in_every_scope() {
    fn round<T: pleach_core::BlackboardType + PartialEq + Into<KeyDefault>>(default: T, other: T) {
        for scope in [Scope::Agent, Scope::Group, Scope::Global] {
            let mut builder = Tree::<Game>::builder("t");
            builder.key_in(scope, "first", 0_i64);
            let key = builder.key_in(scope, "key", default);
            let inside = action(move |cx: &mut Cx<'_, '_>| {
                assert_eq!((cx.get(key), cx.try_get(key)), (other, Some(other)));
                assert!(!cx.set(key, other));
                assert!(cx.reset(key) && !cx.reset(key));
                assert_eq!(cx.get(key), default);
                Status::Success
            });
            let (mut forest, id) = forest_of(builder.build(inside).unwrap());
            let mut world = World::default();
            let agent = forest.spawn(&mut world, id).unwrap();
            assert_eq!(forest.keys(agent).unwrap().get(key), default);
            assert!(forest.keys_mut(agent).unwrap().set(key, other));
            assert!(!forest.keys_mut(agent).unwrap().set(key, other));
            forest.tick(&mut world, 0.1).unwrap();
            assert_eq!(forest.keys(agent).unwrap().get(key), default);
            let found = forest.tree(id).unwrap().key::<T>("key").unwrap();
            assert_eq!(found, key);
            assert_eq!(found.scope(), scope);
        }
    }
    round(false, true);
    round(1_i64, i64::MIN);
    round(1.5_f32, -0.0);
    round([0.0_f32, 1.0], [2.0, 3.0]);
    round([0.0_f32; 3], [1.0, 2.0, 3.0]);
    round(Entity::NONE, Entity::from_bits(u64::MAX));
}

#[test]
fn symbols_know_their_words() {
    let mut builder = Tree::<Game>::builder("t");
    let words = vec!["calm".to_owned(), "alert".to_owned()];
    builder.declare(Scope::Agent, "mode", KeyDefault::Symbol("calm".into(), words));
    let tree = builder.build(sequence([set("mode", "alert"), check("mode == alert")])).unwrap();
    let mode: Key<Symbol> = tree.key("mode").unwrap();
    assert_eq!(tree.schema().word(Symbol::new("alert")), Some("alert"));
    let (mut forest, id) = forest_of(tree);
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(mode), Symbol::new("calm"));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(mode), Symbol::new("alert"));
}

/// `key + 0 < 0.5` is watched while the agent idles: in a sum each change of the key matters.
fn watching() -> (Forest<Game>, TreeId, pleach_core::AgentId, Key<f32>, Key<f32>, World) {
    let mut builder = Tree::<Game>::builder("t");
    let key = builder.key("key", 1.0_f32);
    let other = builder.key("other", 1.0_f32);
    let root = selector([sequence([check("key + 0 < 0.5"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let (mut forest, id) = forest_of(builder.build(root).unwrap());
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    (forest, id, agent, key, other, world)
}

#[test]
fn only_a_change_of_a_watched_key_is_looked_at() {
    let (mut forest, id, agent, key, other, mut world) = watching();
    let mut after = |forest: &mut Forest<Game>| {
        let first = rechecks(forest, &mut world);
        assert_eq!(rechecks(forest, &mut world), 0, "one change is looked at once");
        first
    };
    assert_eq!(after(&mut forest), 0);
    forest.keys_mut(agent).unwrap().set(key, 1.0);
    assert_eq!(after(&mut forest), 0);
    forest.keys_mut(agent).unwrap().set(other, 0.0);
    assert_eq!(after(&mut forest), 0);
    forest.keys_mut(agent).unwrap().set(key, 0.9);
    assert_eq!(after(&mut forest), 1);
    // A NaN is the same value as another NaN.
    forest.keys_mut(agent).unwrap().set(key, f32::NAN);
    assert_eq!(after(&mut forest), 1);
    forest.keys_mut(agent).unwrap().set(key, f32::NAN);
    assert_eq!(after(&mut forest), 0);
    forest.keys_mut(agent).unwrap().reset_all();
    assert_eq!(after(&mut forest), 1);
    forest.keys_mut(agent).unwrap().reset_all();
    assert_eq!(after(&mut forest), 0);
    assert_eq!(forest.population_mut(id).unwrap().update_column(key, |_, old| old), Ok(0));
    assert_eq!(after(&mut forest), 0);
    assert_eq!(forest.population_mut(id).unwrap().update_column(key, |_, old| old + 1.0), Ok(1));
    assert_eq!(after(&mut forest), 1);
}

#[test]
fn every_tick_means_every_tick() {
    let (mut forest, _, _, _, _, mut world) = watching();
    forest.configure(|it| it.reevaluate_every_tick = true);
    for _ in 0..3 {
        assert_eq!(rechecks(&mut forest, &mut world), 1);
    }
    forest.configure(|it| it.reevaluate_every_tick = false);
    assert_eq!(rechecks(&mut forest, &mut world), 0);
}

#[test]
fn a_condition_that_writes_what_it_observes_is_asked_again() {
    for every_tick in [false, true] {
        let mut builder = Tree::<Game>::builder("t");
        let fuel = builder.key("fuel", 3_i64);
        let burning = condition(move |cx: &mut Cx<'_, '_>| {
            let left = cx.get(fuel) - 1;
            cx.set(fuel, left);
            left > 0
        })
        .observes([fuel.index()]);
        let (mut forest, id) = forest_of(builder.build(guard(burning, idle())).unwrap());
        forest.configure(|it| it.reevaluate_every_tick = every_tick);
        let mut world = World::default();
        forest.spawn(&mut world, id).unwrap();
        let ended: Vec<_> = (0..3).map(|_| forest.tick(&mut world, 0.1).unwrap().ended).collect();
        assert_eq!(ended, [0, 0, 1]);
    }
}

#[test]
fn node_keys_shadow_and_are_told_apart() {
    let mut builder = Tree::<Game>::builder("t");
    let outer = builder.key("n", 1_i64);
    let root = sequence([
        sequence([set("n", "n + 10"), set("agent.n", "agent.n + 100"), check("node.n == 12")]).with_key("n", 2_i64),
        sequence([set("n", "n + 10")]).with_key("n", 3_i64),
        set("n", "n + 1000"),
    ]);
    let tree = builder.build(root).unwrap();
    let at = |index| NodeId::new(index).unwrap();
    let first: Key<i64> = tree.key_at(at(2), "n").unwrap();
    let second: Key<i64> = tree.key_at(at(6), "n").unwrap();
    assert_eq!(tree.key_at::<i64>(at(7), "n"), Ok(outer));
    assert_eq!(tree.key_at::<i64>(at(2), "agent.n"), Ok(outer));
    assert!(matches!(tree.key_at::<i64>(at(7), "node.n"), Err(SchemaError::Unknown { .. })));
    assert!(matches!(tree.key_at::<f32>(at(2), "n"), Err(SchemaError::WrongType { .. })));
    for foreign in [tree.len(), usize::from(u16::MAX - 1)].map(at) {
        assert_eq!(tree.key_at::<i64>(foreign, "n"), Err(SchemaError::ForeignNode(foreign)));
    }
    let (mut forest, id) = forest_of(tree);
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((forest.keys(agent).unwrap().get(first), forest.keys(agent).unwrap().get(second)), (12, 13));
    assert_eq!(forest.keys(agent).unwrap().get(outer), 1101);
    forest.keys_mut(agent).unwrap().reset_all();
    assert_eq!((forest.keys(agent).unwrap().get(first), forest.keys(agent).unwrap().get(outer)), (2, 1));
}

#[test]
fn foreign_keys_are_refused() {
    let mut builder = Tree::<Game>::builder("a");
    builder.key_in(Scope::Group, "squad", 0_i64);
    builder.key("first", 0.0_f32);
    let foreign: [Key<i64>; 3] =
        [builder.key("x", 1), builder.key_in(Scope::Group, "y", 1), builder.key_in(Scope::Global, "z", 1)];
    builder.build(idle()).unwrap();
    let mut builder = Tree::<Game>::builder("b");
    let own = builder.key("own", 0_i64);
    let asks = action(move |cx: &mut Cx<'_, '_>| {
        assert!(foreign.iter().all(|&it| cx.try_get(it).is_none()));
        let at = usize::try_from(cx.host.count).unwrap();
        match at / 3 {
            0 => drop(cx.get(foreign[at % 3])),
            1 => drop(cx.set(foreign[at % 3], 2)),
            2 => drop(cx.reset(foreign[at % 3])),
            _ => drop(cx.reset(foreign[at % 3])),
        }
        Status::Success
    });
    let (mut forest, id) = forest_of(builder.build(asks).unwrap());
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    for key in foreign {
        assert_eq!(forest.keys(agent).unwrap().try_get(key), None);
        assert_eq!(forest.keys_mut(agent).unwrap().try_set(key, 3), Err(AccessError::ForeignKey));
        assert!(forest.population(id).map_err(Into::into).and_then(|it| it.column(key)).is_err());
        assert_eq!(forest.population_mut(id).unwrap().update_column(key, |_, it| it), Err(AccessError::ForeignKey));
    }
    for at in 0..12 {
        world.count = at;
        let panic =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("is a key of another tree"), "{message}");
        forest.agent_mut(agent).unwrap().enable(&mut world);
    }
    assert_eq!(forest.keys(agent).unwrap().get(own), 0);
}

/// Why a tree is not added.
fn unshared(added: Result<TreeId, AddTreeError>) -> SharedKeyError {
    match added {
        Err(AddTreeError::Shared(it)) => it,
        other => panic!("{other:?}"),
    }
}

/// A tree with the group key `plan` and the global key `alarm`.
fn squad_tree(plan: i64, alarm: impl Into<KeyDefault>) -> (Tree<Game>, Key<i64>) {
    let mut builder = Tree::<Game>::builder("squad");
    let key = builder.key_in(Scope::Group, "plan", plan);
    builder.declare(Scope::Global, "alarm", alarm.into()).unwrap();
    (builder.build(idle()).unwrap(), key)
}

#[test]
fn groups_share_and_leave() {
    let (tree, plan) = squad_tree(1, false);
    let (mut forest, id) = forest_of(tree);
    let mut world = World::default();
    let squad = forest.new_group();
    let spawn = Spawn { group: Some(squad), ..Spawn::default() };
    let [a, b] = [0; 2].map(|_| forest.spawn_with(&mut world, id, spawn).unwrap());
    let [c, d] = [0; 2].map(|_| forest.spawn(&mut world, id).unwrap());
    let plans = |forest: &Forest<Game>| [a, b, c, d].map(|it| forest.keys(it).unwrap().get(plan));
    assert!(forest.keys_mut(a).unwrap().set(plan, 5));
    assert!(forest.keys_mut(c).unwrap().set(plan, 6));
    assert_eq!(plans(&forest), [5, 5, 6, 1]);
    forest.agent_mut(c).unwrap().join(Some(squad)).unwrap();
    forest.agent_mut(b).unwrap().join(None).unwrap();
    assert_eq!(plans(&forest), [5, 1, 5, 1]);
    // Joining the group in which the agent already is changes nothing.
    forest.agent_mut(c).unwrap().join(Some(squad)).unwrap();
    forest.agent_mut(a).unwrap().despawn(&mut world);
    assert_eq!(forest.keys(c).unwrap().get(plan), 5);
    forest.group_mut(squad).unwrap().remove();
    assert_eq!(forest.keys(c).unwrap().get(plan), 1);
    assert!(forest.keys_mut(c).unwrap().set(plan, 8));
    assert_eq!(forest.keys(d).unwrap().get(plan), 1);
    assert_eq!(forest.group_mut(squad).map(|it| it.remove()), Err(StaleError::Group(squad)));
    assert_eq!(forest.agent_mut(c).and_then(|mut it| it.join(Some(squad))), Err(StaleError::Group(squad)));
    assert_eq!(forest.agent_mut(a).and_then(|mut it| it.join(None)), Err(StaleError::Agent(a)));
    assert!(forest.spawn_with(&mut world, id, spawn).is_err());
}

#[test]
fn global_keys_are_one_for_all_trees_and_types_must_agree() {
    let (first, _) = squad_tree(1, false);
    let (second, _) = squad_tree(1, false);
    let (mut forest, one) = forest_of(first);
    let mut world = World::default();
    let early = forest.spawn(&mut world, one).unwrap();
    let two = forest.add_tree(second).unwrap();
    let late = forest.spawn(&mut world, two).unwrap();
    let alarm: Key<bool> = forest.tree(two).unwrap().key("alarm").unwrap();
    assert_eq!((forest.keys(late).unwrap().get(alarm), forest.globals().get(alarm)), (false, false));
    assert_eq!(forest.globals_mut().set_value("alarm", true), Ok(true));
    assert_eq!(forest.globals_mut().set_value("alarm", true), Ok(false));
    assert_eq!((forest.keys(early).unwrap().get(alarm), forest.keys(late).unwrap().get(alarm)), (true, true));
    let (clash, _) = squad_tree(1, true);
    let error = unshared(forest.add_tree(clash));
    assert_eq!(error.difference, Difference::Default(Value::Bool(true), Value::Bool(false)));
    let message = "the trees `squad` and `squad` declare the global key `alarm` differently: its default is Bool(true) in the \
                   first, and Bool(false) in the second; all trees of a forest must declare it in the same way";
    assert_eq!(error.to_string(), message);
    let (clash, _) = squad_tree(1, 1.0_f32);
    let error = unshared(forest.add_tree(clash));
    assert_eq!((error.name.as_str(), error.scope), ("alarm", Scope::Global));
    assert_eq!(forest.trees().count(), 2);
    let mut builder = Tree::<Game>::builder("clash");
    builder.key_in(Scope::Group, "plan", 0.5_f32);
    assert_eq!(unshared(forest.add_tree(builder.build(idle()).unwrap())).scope, Scope::Group);
    assert!(matches!(
        forest.globals_mut().set_value("alarm", 1_i64),
        Err(AccessError::Key(SchemaError::WrongType { .. }))
    ));
    match forest.globals_mut().set_value("alram", true) {
        Err(AccessError::UnknownGlobal { help, .. }) => assert_eq!(help, Some(Help::Meant("alarm".into()))),
        other => panic!("{other:?}"),
    }
    assert_eq!(forest.globals().value("nothing").ok(), None);
}

#[test]
fn a_tree_that_comes_later_gives_old_groups_its_keys() {
    let (first, _) = squad_tree(1, false);
    let (mut forest, one) = forest_of(first);
    let mut world = World::default();
    let squad = forest.new_group();
    let spawn = Spawn { group: Some(squad), ..Spawn::default() };
    forest.spawn_with(&mut world, one, spawn).unwrap();
    let mut builder = Tree::<Game>::builder("late");
    let more = builder.key_in(Scope::Group, "more", 4_i64);
    let plan = builder.key_in(Scope::Group, "plan", 1_i64);
    let two = forest.add_tree(builder.build(idle()).unwrap()).unwrap();
    let late = forest.spawn_with(&mut world, two, spawn).unwrap();
    assert_eq!((forest.keys(late).unwrap().get(more), forest.keys(late).unwrap().get(plan)), (4, 1));
}

#[test]
fn columns_hold_all_agents_of_a_tree() {
    let (mut forest, id, agent, key, _, mut world) = watching();
    let agents: Vec<_> =
        std::iter::once(agent).chain((0..1200).map(|_| forest.spawn(&mut world, id).unwrap())).collect();
    let mut number = 0.0;
    let changed = forest.population_mut(id).map_err(Into::into).and_then(|mut it| {
        it.update_column(key, |_, _| {
            number += 1.0;
            number
        })
    });
    // One of the numbers is what the first agent's key already held.
    assert_eq!(changed, Ok(1200));
    let all: Vec<_> = forest
        .population(id)
        .unwrap()
        .column(key)
        .unwrap()
        .flat_map(|(ids, values)| ids.iter().copied().zip(values.iter().copied()))
        .collect();
    assert_eq!(all.iter().map(|it| it.0).collect::<Vec<_>>(), agents);
    assert!(all.iter().all(|&(agent, value)| forest.keys(agent).unwrap().get(key) == value));
    let (squads, plan) = squad_tree(1, false);
    let other = forest.add_tree(squads).unwrap();
    assert!(matches!(
        forest.population(other).map_err(Into::into).and_then(|it| it.column(plan)).map(drop),
        Err(AccessError::Key(SchemaError::WrongScope { .. }))
    ));
    assert!(forest.population(TreeId::default()).map_err(Into::into).and_then(|it| it.column(key)).is_err());
    forest.broadcast(Event::new("nothing")).unwrap();
}

#[test]
fn removing_a_key_and_asking_for_another_default() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("t");
    let health = builder.key("health", 1.0_f32);
    let mode =
        builder.declare(Scope::Agent, "mode", KeyDefault::Symbol("idle".into(), vec!["idle".into(), "run".into()]));
    assert!(mode.is_some());
    let tree = builder.build(pleach_core::nodes::idle()).unwrap();
    let mode = tree.key::<Symbol>("mode").unwrap();
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();

    assert!(forest.keys_mut(agent).unwrap().set(health, 0.5));
    assert_eq!(forest.keys(agent).unwrap().get(health), 0.5);
    assert!(forest.keys_mut(agent).unwrap().reset(health));
    assert!(!forest.keys_mut(agent).unwrap().reset(health));
    assert_eq!(forest.keys(agent).unwrap().get(health), 1.0);

    assert!(forest.keys_mut(agent).unwrap().set(mode, Symbol::new("run")));
    assert_eq!(
        forest.keys_mut(agent).unwrap().try_set(mode, Symbol::new("rnu")),
        Err(AccessError::NotAWord { key: "mode".into() })
    );
    assert_eq!(forest.keys(agent).unwrap().get(mode), Symbol::new("run"));
}

#[test]
fn a_column_keeps_what_its_typed_key_cannot_read() {
    let mut builder = Tree::<Game>::builder("t");
    let signed = builder.key("n", -3_i64);
    let tree = builder.build(idle()).unwrap();
    let unsigned = tree.key::<u32>("n").unwrap();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut World::default(), id).unwrap();
    assert_eq!(forest.keys(agent).unwrap().get(unsigned), 0);
    assert_eq!(forest.population_mut(id).unwrap().update_column(unsigned, |_, it| it), Ok(0));
    assert_eq!(forest.keys(agent).unwrap().get(signed), -3);
    assert_eq!(forest.population_mut(id).unwrap().update_column(unsigned, |_, it| it + 1), Ok(1));
    assert_eq!(forest.keys(agent).unwrap().get(signed), 1);
}
