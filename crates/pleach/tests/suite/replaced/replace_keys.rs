//! The keys of agents whose tree is replaced (SEMANTICS 8.10): which values stay, and which trees
//! are refused because of their keys.

use crate::support;

use std::sync::Arc;

use pleach_core::nodes::{idle, selector, sequence, set, wait_ticks};
use pleach_core::{
    AgentId, Brain, Entity, Forest, NodeId, Replace, Spawn, Status, Symbol, Tree, Value,
    error::{AccessError, Difference, ReplaceTreeError},
    nodes::Node,
    schema::{KeyDefault, Scope},
};
use support::{Call, Game, World, always, crowd, probe, tree};

fn words(default: &str, all: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(default.into(), all.iter().map(|&it| it.to_owned()).collect())
}

#[test]
fn values_go_on_by_name_scope_and_type() {
    let mut old = Tree::<Game>::builder("t");
    let mut new = Tree::<Game>::builder("t");
    let kept = (old.key("flag", false), old.key("n", 1_i64), old.key("x", 1.5_f32));
    old.key("v2", [0.0_f32; 2]);
    old.key("v3", [0.0_f32; 3]);
    old.key("who", Entity::NONE);
    old.key("retyped", 7_i64);
    old.key("gone", 7_i64);
    old.declare(Scope::Agent, "mood", words("calm", &["calm", "alert", "angry"]));
    old.declare(Scope::Agent, "same", words("calm", &["calm", "alert"]));
    old.key_in(Scope::Group, "rescoped", 1_i64);

    new.key("fresh", 3_i64);
    new.declare(Scope::Agent, "same", words("alert", &["alert", "calm"]));
    new.declare(Scope::Agent, "mood", words("bored", &["bored", "alert"]));
    new.key("retyped", 0.25_f32);
    new.key("rescoped", 9_i64);
    new.key("who", Entity::from_bits(5));
    new.key("v3", [0.0_f32; 3]);
    new.key("v2", [0.0_f32; 2]);
    new.key("x", 9.5_f32);
    new.key("n", 9_i64);
    new.key("flag", true);

    let mut forest = Forest::new(1);
    let mut world = World::default();
    let id = forest.add_tree(old.build(sequence([set("n", "n + 1"), idle()])).unwrap()).unwrap();
    // More than a chunk of agents, each with values of its own.
    let agents: Vec<_> = (0..1300).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    forest.tick(&mut world, 0.1).unwrap();
    for (at, &agent) in (0_u16..).zip(&agents) {
        let x = f32::from(at);
        let word = Symbol::new(["calm", "alert", "angry"][usize::from(at % 3)]);
        forest.keys_mut(agent).unwrap().set(kept.1, i64::from(at));
        forest.keys_mut(agent).unwrap().set(kept.2, x);
        forest.keys_mut(agent).unwrap().set_value("v2", [x, 1.0]).unwrap();
        forest.keys_mut(agent).unwrap().set_value("v3", [x, 1.0, 2.0]).unwrap();
        forest.keys_mut(agent).unwrap().set_value("who", Entity::from_bits(u64::from(at) + 9)).unwrap();
        forest.keys_mut(agent).unwrap().set_value("retyped", 8_i64).unwrap();
        forest.keys_mut(agent).unwrap().set_value("rescoped", 8_i64).unwrap();
        forest.keys_mut(agent).unwrap().set_value("mood", word).unwrap();
        forest.keys_mut(agent).unwrap().set_value("same", Symbol::new("calm")).unwrap();
    }
    forest.replace_tree(&mut world, id, Replace::restart(new.build(idle()).unwrap())).unwrap();
    for (at, &agent) in (0_u16..).zip(&agents) {
        let x = f32::from(at);
        let value = |name| forest.keys(agent).unwrap().value(name).unwrap();
        assert_eq!(value("flag"), Value::Bool(true), "what was never written has the new default");
        // A written value counts as one even if it equals the old default.
        let n = if at == 1 { 9 } else { at.into() };
        assert_eq!((value("n"), value("x")), (Value::Int(n), Value::Float(x)));
        assert_eq!((value("v2"), value("v3")), (Value::Vec2([x, 1.0]), Value::Vec3([x, 1.0, 2.0])));
        assert_eq!(value("who"), Value::Entity(Entity::from_bits(u64::from(at) + 9)));
        assert_eq!(value("same"), Value::Symbol(Symbol::new("alert")));
        let mood = ["bored", "alert", "bored"][usize::from(at % 3)];
        assert_eq!(value("mood"), Value::Symbol(Symbol::new(mood)));
        assert_eq!((value("fresh"), value("retyped")), (Value::Int(3), Value::Float(0.25)));
        assert_eq!(value("rescoped"), Value::Int(9));
        assert!(forest.keys(agent).unwrap().value("gone").is_err());
    }
    // Old typed keys still work.
    assert!(forest.keys(agents[7]).unwrap().get(kept.0));
    assert_eq!(forest.keys(agents[7]).unwrap().get(kept.2), 7.0);
    let n = forest.tree(id).unwrap().key::<i64>("n").unwrap();
    assert!(forest.keys_mut(agents[7]).unwrap().set(n, 70));
}

#[test]
fn tuned_numbers_take_effect_and_written_ones_stay() {
    let of = |speed: f32, patience: f32, chance: f32| {
        let mut builder = Tree::<Game>::builder("t");
        let keys = (builder.key("speed", speed), builder.key("patience", patience), builder.key("chance", chance));
        (builder.build(idle()).unwrap(), keys.0)
    };
    let mut world = World::default();
    let mut forest = Forest::new(1);
    let (tree, speed) = of(1.0, 4.0, 0.25);
    let tree = Arc::new(tree);
    let id = forest.add_tree(Arc::clone(&tree)).unwrap();
    let mut brain = Brain::new(&mut world, tree, 1);
    let [written, plain] = [(); 2].map(|()| forest.spawn(&mut world, id).unwrap());
    forest.keys_mut(written).unwrap().set(speed, 3.0);
    brain.keys_mut().set(speed, 3.0);
    let values = |forest: &Forest<Game>, agent| {
        ["speed", "patience", "chance"].map(|name| forest.keys(agent).unwrap().value(name).unwrap())
    };
    forest.replace_tree(&mut world, id, Replace::restart(of(2.0, 4.5, 0.5).0)).unwrap();
    brain.replace_tree(&mut world, Replace::restart(of(2.0, 4.5, 0.5).0)).unwrap();
    let floats = |all: [f32; 3]| all.map(Value::Float);
    assert_eq!(values(&forest, written), floats([3.0, 4.5, 0.5]));
    assert_eq!(values(&forest, plain), floats([2.0, 4.5, 0.5]));
    assert_eq!(["speed", "patience", "chance"].map(|name| brain.keys().value(name).unwrap()), floats([3.0, 4.5, 0.5]));
    // Back again: values that were never written follow the default.
    forest.replace_tree(&mut world, id, Replace::restart(of(1.0, 4.0, 0.25).0)).unwrap();
    assert_eq!(values(&forest, written), floats([3.0, 4.0, 0.25]));
    assert_eq!(values(&forest, plain), floats([1.0, 4.0, 0.25]));
}

#[test]
fn a_nodes_keys_are_those_of_the_same_id_or_path() {
    let keyed = |default: i64| sequence([idle()]).with_key("k", default);
    let old = selector([keyed(1).with_id("one"), keyed(2).named("two"), keyed(3)]).with_key("k", 4_i64);
    let new = || {
        // The second node has another place now, and the third has the second's. The node with the
        // id has moved.
        let moved = sequence([keyed(10).with_id("one")]);
        selector([moved, keyed(30), keyed(20).named("two"), keyed(40).with_id("new")]).with_key("k", 50_i64)
    };
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(old, 3, &mut world);
    let value = |forest: &Forest<Game>, it: usize| {
        let key = forest.tree(id).unwrap().key_index_at(NodeId::new(it).unwrap(), "k").unwrap();
        forest.keys(agents[2]).unwrap().value(key).unwrap()
    };
    for (node, value) in [(1, 100_i64), (3, 200), (5, 300), (0, 400)] {
        let key = forest.tree(id).unwrap().key_index_at(NodeId::new(node).unwrap(), "k").unwrap();
        forest.keys_mut(agents[2]).unwrap().set_value(key, value).unwrap();
    }
    assert_eq!([1, 3, 5, 0].map(|it| value(&forest, it)), [100_i64, 200, 300, 400].map(Value::Int));
    forest.replace_tree(&mut world, id, Replace::restart(tree(new()))).unwrap();
    assert_eq!([2, 4, 6, 8, 0].map(|it| value(&forest, it)), [100_i64, 30, 20, 40, 400].map(Value::Int));
    // The same places again: all values stay.
    let key = forest.tree(id).unwrap().key_index_at(NodeId::new(6).unwrap(), "k").unwrap();
    forest.keys_mut(agents[2]).unwrap().set_value(key, 60_i64).unwrap();
    forest.replace_tree(&mut world, id, Replace::restart(tree(new()))).unwrap();
    assert_eq!([2, 4, 6, 8, 0].map(|it| value(&forest, it)), [100_i64, 30, 60, 40, 400].map(Value::Int));
}

#[test]
fn what_an_end_or_awake_writes_stays() {
    let mut old = Tree::<Game>::builder("t");
    let key = old.key("n", 0_i64);
    let leaf = probe("old", move |call, cx| {
        if matches!(call, Call::End(_)) {
            cx.set(key, 1);
        }
        Status::Running
    });
    let mut forest = Forest::new(1);
    let mut world = World::default();
    let id = forest.add_tree(old.build(leaf).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    let mut new = Tree::<Game>::builder("t");
    let key = new.key("n", 0_i64);
    let second = new.key("m", 0_i64);
    let leaf = probe("new", move |call, cx| {
        if call == Call::Awake {
            cx.set(second, cx.get(key) + 1);
        }
        Status::Running
    });
    forest.replace_tree(&mut world, id, Replace::restart(new.build(leaf).unwrap())).unwrap();
    assert_eq!((forest.keys(agent).unwrap().get(key), forest.keys(agent).unwrap().get(second)), (1, 2));
}

/// A tree with a group key and a global key.
fn sharing(group: KeyDefault, global: KeyDefault, root: Node<Game>) -> Tree<Game> {
    let mut builder = Tree::builder("t");
    builder.declare(Scope::Group, "plan", group);
    builder.declare(Scope::Global, "alarm", global);
    builder.build(root).unwrap()
}

#[test]
fn a_refused_tree_changes_nothing() {
    let life = |refused: bool| {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(1);
        let root = || sequence([always("a", Status::Success), wait_ticks(1), always("b", Status::Running)]);
        let id = forest.add_tree(sharing(1_i64.into(), false.into(), root())).unwrap();
        let other = forest.add_tree(sharing(1_i64.into(), false.into(), idle())).unwrap();
        let agents = [id, other, id].map(|it| forest.spawn(&mut world, it).unwrap());
        forest.set_group_value_of(agents[0], 5);
        forest.tick(&mut world, 0.1).unwrap();
        if refused {
            let new = |group, global| sharing(group, global, always("c", Status::Running));
            let mut replace = |new| match forest.replace_tree(&mut world, id, Replace::restart(new)).unwrap_err() {
                ReplaceTreeError::Shared(it) => (it.name, it.difference),
                it => panic!("{it}"),
            };
            let (int, float) = (Value::Int(1).ty(), Value::Float(1.0).ty());
            assert_eq!(replace(new(1.0_f32.into(), false.into())), ("plan".to_owned(), Difference::Type(float, int)));
            assert_eq!(
                replace(new(1_i64.into(), true.into())),
                ("alarm".into(), Difference::Default(true.into(), false.into()))
            );
            assert!(world.log.iter().all(|it| !it.starts_with('c')));
        }
        for _ in 0..4 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        let views = agents.map(|it| format!("{:?}", forest.agent(it).unwrap().inspect().keys));
        (world.take(), views)
    };
    assert_eq!(life(false), life(true));
}

/// Reads group keys by the agent.
trait OfAgent {
    fn set_group_value_of(&mut self, agent: AgentId, value: i64);
}

impl OfAgent for Forest<Game> {
    fn set_group_value_of(&mut self, agent: AgentId, value: i64) {
        self.keys_mut(agent).unwrap().set_value("group.plan", value).unwrap();
    }
}

#[test]
fn shared_keys_that_no_other_tree_declares_may_change() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let moods = |default, all: &[&str]| sharing(words(default, all), 1_i64.into(), idle());
    let id = forest.add_tree(moods("calm", &["calm", "alert"])).unwrap();
    let squad = forest.new_group();
    let member = Spawn { group: Some(squad), ..Spawn::default() };
    let [one, two] = [member, Spawn::default()].map(|it| forest.spawn_with(&mut world, id, it).unwrap());
    let symbol = |word| Value::Symbol(Symbol::new(word));
    forest.keys_mut(one).unwrap().set_value("group.plan", symbol("alert")).unwrap();
    forest.globals_mut().set_value("alarm", 5_i64).unwrap();

    // Other words: a value that is still a word stays.
    forest.replace_tree(&mut world, id, Replace::restart(moods("bored", &["bored", "alert"]))).unwrap();
    let plans = |forest: &Forest<Game>| [one, two].map(|it| forest.keys(it).unwrap().value("group.plan").unwrap());
    assert_eq!(plans(&forest), [symbol("alert"), symbol("bored")]);
    assert_eq!(forest.keys_mut(two).unwrap().set_value("group.plan", symbol("bored")), Ok(false));
    // A new default: written values stay; those that are the old default, and new groups, have it.
    forest
        .replace_tree(
            &mut world,
            id,
            Replace::restart(sharing(words("alert", &["bored", "alert"]), 2_i64.into(), idle())),
        )
        .unwrap();
    assert_eq!(plans(&forest), [symbol("alert"), symbol("alert")]);
    assert_eq!(forest.globals().value("alarm").ok(), Some(Value::Int(5)));
    let group = forest.new_group();
    assert_eq!(forest.group(group).unwrap().keys().value("plan"), Ok(symbol("alert")));
    assert_eq!(forest.globals_mut().reset_value("alarm"), Ok(true));
    assert_eq!(forest.globals().value("alarm").ok(), Some(Value::Int(2)));
    // Another type.
    forest.replace_tree(&mut world, id, Replace::restart(sharing(3_i64.into(), 0.5_f32.into(), idle()))).unwrap();
    assert_eq!((plans(&forest), forest.globals().value("alarm").ok()), ([Value::Int(3); 2], Some(Value::Float(0.5))));
    // The key is removed, and comes back with another default and type: it starts from the new
    // default. It may not change while another tree declares it.
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    forest.replace_tree(&mut world, id, Replace::restart(sharing(4_i64.into(), true.into(), idle()))).unwrap();
    assert_eq!((plans(&forest), forest.globals().value("alarm").ok()), ([Value::Int(4); 2], Some(Value::Bool(true))));
    let other = forest.add_tree(sharing(4_i64.into(), true.into(), idle())).unwrap();
    assert!(forest.replace_tree(&mut world, id, Replace::restart(sharing(5_i64.into(), true.into(), idle()))).is_err());
    forest.remove_tree(&mut world, other).unwrap();
    assert!(forest.replace_tree(&mut world, id, Replace::restart(sharing(5_i64.into(), true.into(), idle()))).is_ok());
}

#[test]
fn groups_stay_even_while_the_tree_has_no_use_for_them() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(idle(), 600, &mut world);
    let shared = || sharing(1_i64.into(), false.into(), idle());
    // An agent without a group now has one of its own.
    forest.replace_tree(&mut world, id, Replace::restart(shared())).unwrap();
    forest.set_group_value_of(agents[599], 2);
    assert_eq!(forest.keys(agents[0]).unwrap().value("group.plan"), Ok(Value::Int(1)));
    let squad = forest.new_group();
    for &agent in &agents[..2] {
        forest.agent_mut(agent).unwrap().join(Some(squad)).unwrap();
    }
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    let late = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(agents[3]).unwrap().despawn(&mut world);
    forest.replace_tree(&mut world, id, Replace::restart(shared())).unwrap();
    forest.set_group_value_of(agents[0], 7);
    let plan = |it| forest.keys(it).unwrap().value("group.plan").unwrap();
    // The squad is still a group. The key's value is gone, as no tree declared it for a while.
    assert_eq!([agents[1], agents[599], late, agents[4]].map(plan), [7_i64, 1, 1, 1].map(Value::Int));
    forest.tick(&mut world, 0.1).unwrap();
}

#[test]
fn who_comes_while_the_tree_has_no_group_keys_has_no_group() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(1));
    let keyed = || sharing(1_i64.into(), false.into(), idle());
    let id = forest.add_tree(keyed()).unwrap();
    // It keeps the keys here.
    forest.add_tree(keyed()).unwrap();
    let kept = forest.spawn(&mut world, id).unwrap();
    let left = forest.spawn(&mut world, id).unwrap();
    forest.set_group_value_of(kept, 5);
    forest.replace_tree(&mut world, id, Replace::restart(tree(idle()))).unwrap();
    let late = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(left).unwrap().join(None).unwrap();
    let groups = |forest: &Forest<Game>| [kept, left, late].map(|it| forest.agent(it).unwrap().group().is_some());
    assert_eq!(groups(&forest), [true, false, false]);
    forest.replace_tree(&mut world, id, Replace::restart(keyed())).unwrap();
    assert_eq!(groups(&forest), [true; 3]);
    let plans = [kept, left, late].map(|it| forest.keys(it).unwrap().value("group.plan").unwrap());
    assert_eq!(plans, [5_i64, 1, 1].map(Value::Int));
}

/// A tree with a global key and a group key of one name.
fn declaring(name: &str, value: impl Into<Value>) -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("tree");
    let value = value.into();
    builder.declare(Scope::Global, name, KeyDefault::Value(value));
    builder.declare(Scope::Group, name, KeyDefault::Value(value));
    builder.build(idle()).unwrap()
}

#[test]
fn a_shared_key_goes_with_the_last_tree_that_declares_it() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let group = forest.new_group();
    let kept = forest.add_tree(declaring("kept", 1_i64)).unwrap();
    let first = forest.add_tree(declaring("alarm", 5_i64)).unwrap();
    let second = forest.add_tree(declaring("alarm", 5_i64)).unwrap();
    forest.globals_mut().set_value("alarm", 6_i64).unwrap();
    forest.globals_mut().set_value("kept", 2_i64).unwrap();
    forest.group_mut(group).unwrap().keys_mut().set_value("alarm", 7_i64).unwrap();
    forest.group_mut(group).unwrap().keys_mut().set_value("kept", 3_i64).unwrap();
    // One tree still declares it.
    forest.remove_tree(&mut world, first).unwrap();
    assert_eq!(forest.globals().value("alarm").ok(), Some(Value::Int(6)));
    assert!(forest.add_tree(declaring("alarm", true)).is_err());
    // No tree declares it: it cannot be read, and other trees may declare it differently.
    forest.replace_tree(&mut world, second, Replace::restart(declaring("other", false))).unwrap();
    assert_eq!(forest.globals().value("alarm").ok(), None);
    assert!(matches!(forest.globals_mut().set_value("alarm", 1_i64), Err(AccessError::UnknownGlobal { .. })));
    assert!(matches!(forest.group(group).unwrap().keys().value("alarm"), Err(AccessError::UnknownGroupKey { .. })));
    let third = forest.add_tree(declaring("alarm", true)).unwrap();
    assert_eq!(
        (forest.globals().value("alarm").ok(), forest.group(group).unwrap().keys().value("alarm")),
        (Some(true.into()), Ok(true.into()))
    );
    // Another key in its place starts from its default, in old groups and new ones. All other keys
    // stay.
    forest.group_mut(group).unwrap().keys_mut().set_value("alarm", false).unwrap();
    forest.remove_tree(&mut world, third).unwrap();
    forest.add_tree(declaring("late", 0.5_f32)).unwrap();
    let young = forest.new_group();
    for it in [group, young] {
        assert_eq!(forest.group(it).unwrap().keys().value("late"), Ok(0.5_f32.into()));
    }
    assert_eq!(
        (forest.globals().value("late").ok(), forest.globals().value("kept").ok()),
        (Some(0.5_f32.into()), Some(2_i64.into()))
    );
    assert_eq!(forest.group(group).unwrap().keys().value("kept"), Ok(3_i64.into()));
    forest.remove_tree(&mut world, kept).unwrap();
    assert_eq!((forest.globals().value("kept").ok(), forest.globals().value("other").ok()), (None, Some(false.into())));
}

#[test]
fn a_shared_key_of_a_refused_tree_was_never_there() {
    let mut forest = Forest::<Game>::new(0);
    let mut world = World::default();
    let first = forest.add_tree(declaring("alarm", 5_i64)).unwrap();
    let mut builder = Tree::<Game>::builder("bad");
    builder.key_in(Scope::Global, "new", 1_i64);
    builder.key_in(Scope::Global, "alarm", true);
    let bad = Arc::new(builder.build(idle()).unwrap());
    assert!(forest.add_tree(Arc::clone(&bad)).is_err());
    assert_eq!(forest.globals().value("new").ok(), None);
    let second = forest.add_tree(declaring("calm", 1_i64)).unwrap();
    assert!(forest.replace_tree(&mut world, second, Replace::restart(Arc::clone(&bad))).is_err());
    assert_eq!((forest.globals().value("new").ok(), forest.globals().value("calm").ok()), (None, Some(1_i64.into())));
    // The only tree that declares it may change it.
    forest.replace_tree(&mut world, first, Replace::restart(bad)).unwrap();
    assert_eq!(
        (forest.globals().value("new").ok(), forest.globals().value("alarm").ok()),
        (Some(1_i64.into()), Some(true.into()))
    );
}
