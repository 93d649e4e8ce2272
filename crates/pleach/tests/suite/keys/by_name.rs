//! Keys by name: group and global keys, and any key of an agent, for tools that have no typed keys.

use std::sync::Arc;

use crate::support;

use pleach_core::expr::KeyIndex;
use pleach_core::nodes::{idle, sequence, set};
use pleach_core::{
    AgentId, Brain, Forest, GroupId, Key, NodeId, Spawn, Symbol, Tree, TreeId, Type, Value,
    error::{AccessError, AddTreeError, Difference, Help, SchemaError, StaleError},
    schema::{KeyDefault, Scope},
};
use support::{Game, World};

const CALM: Symbol = Symbol::new("calm");
const ALERT: Symbol = Symbol::new("alert");
const RED: Symbol = Symbol::new("red");

fn words(all: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(all[0].into(), all.iter().map(|&it| it.into()).collect())
}

/// A tree with keys of every scope. `n` and `mode` are agent keys; `n` is also a key of the root
/// and of the group.
fn tree() -> Tree<Game> {
    let mut builder = Tree::builder("t");
    builder.key_in(Scope::Global, "alarm", false);
    builder.key_in(Scope::Group, "plan", 1_i64);
    builder.key_in(Scope::Group, "n", 20_i64);
    builder.key("n", 30_i64);
    builder.key("health", 1.0_f32);
    builder.declare(Scope::Agent, "mode", words(&["calm", "alert"]));
    builder.declare(Scope::Group, "mood", words(&["calm", "alert"]));
    let root = sequence([sequence([idle()]).with_key("n", 50_i64)]).with_key("n", 40_i64).with_key("count", 0_i64);
    builder.build(root).unwrap()
}

struct Setting {
    forest: Forest<Game>,
    tree: TreeId,
    agent: AgentId,
    squad: GroupId,
}

fn setting() -> Setting {
    let mut forest = Forest::new(0);
    let tree = forest.add_tree(tree()).unwrap();
    let squad = forest.new_group();
    let spawn = Spawn { group: Some(squad), ..Spawn::default() };
    let agent = forest.spawn_with(&mut World::default(), tree, spawn).unwrap();
    Setting { forest, tree, agent, squad }
}

fn node(index: usize) -> NodeId {
    NodeId::new(index).unwrap()
}

fn wrong_type<T>(name: &str, found: Type, wanted: Type) -> Result<T, AccessError> {
    Err(SchemaError::WrongType { name: name.into(), found, wanted }.into())
}

/// The error for a name that no key has: the name, and the suggestion. Leaves out which keys there
/// are.
fn unknown<T: std::fmt::Debug>(result: Result<T, AccessError>) -> (String, Option<String>) {
    match result {
        Err(AccessError::Key(SchemaError::Unknown { name, help })) => (name, near(help)),
        other => panic!("{other:?}"),
    }
}

fn near(help: Option<Help>) -> Option<String> {
    if let Some(Help::Meant(name)) = help { Some(name) } else { None }
}

fn meant(name: &str) -> Help {
    Help::Meant(name.into())
}

fn expected(name: &str, near: Option<&str>) -> (String, Option<String>) {
    (name.into(), near.map(Into::into))
}

#[test]
fn a_groups_keys() {
    let Setting { mut forest, tree, agent, squad } = setting();
    let plan: Key<i64> = forest.tree(tree).unwrap().key("plan").unwrap();
    let other = forest.new_group();
    assert_eq!(forest.group(squad).unwrap().keys().value("plan"), Ok(Value::Int(1)));
    assert_eq!(forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 5_i64), Ok(true));
    assert_eq!(forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 5_i64), Ok(false));
    assert_eq!(forest.keys(agent).unwrap().get(plan), 5);
    assert_eq!([squad, other].map(|it| forest.group(it).unwrap().keys().get(plan)), [5, 1]);
    forest.keys_mut(agent).unwrap().set(plan, 6);
    assert_eq!(forest.group(squad).unwrap().keys().value("plan"), Ok(Value::Int(6)));
    let mut squad_here = forest.group_mut(squad).unwrap();
    let mut keys = squad_here.keys_mut();
    assert_eq!((keys.reset_value("plan"), keys.reset_value("plan"), keys.get(plan)), (Ok(true), Ok(false), 1));
    assert_eq!((keys.set(plan, 7), keys.set(plan, 7), keys.try_get(plan)), (true, false, Some(7)));
    assert_eq!((keys.reset(plan), keys.reset(plan), keys.get(plan)), (true, false, 1));
    keys.set(plan, 8);
    keys.reset_all();
    assert_eq!(forest.keys(agent).unwrap().get(plan), 1);
    assert_eq!(forest.group_mut(squad).unwrap().keys_mut().set_value("mood", ALERT), Ok(true));
}

#[test]
fn a_word_and_a_whole_number_are_values_as_they_are_written() {
    let Setting { mut forest, agent, squad, .. } = setting();
    let mut keys = forest.keys_mut(agent).unwrap();
    assert_eq!((keys.set_value("mode", "alert"), keys.value("mode")), (Ok(true), Ok(Value::Symbol(ALERT))));
    assert_eq!((keys.set_value("mode", "alert"), keys.set_value("group.mood", "alert")), (Ok(false), Ok(true)));
    assert_eq!((keys.set_value("n", 7), keys.set_value("n", 7_u32)), (Ok(true), Ok(false)));
    assert_eq!(keys.set_value("health", 0.5), Ok(true));
    // Texts that are not words of the key, and words and numbers for keys of other types.
    assert_eq!(keys.set_value("mode", "red"), Err(AccessError::NotAWord { key: "mode".into() }));
    assert_eq!(keys.set_value("mode", ""), Err(AccessError::NotAWord { key: "mode".into() }));
    assert_eq!(keys.set_value("n", "7"), wrong_type("n", Type::Int, Type::Symbol));
    assert_eq!(keys.set_value("health", 1), wrong_type("health", Type::Float, Type::Int));
    assert_eq!(keys.set_value("mode", 1_u32), wrong_type("mode", Type::Symbol, Type::Int));
    assert_eq!(forest.group(squad).unwrap().keys().value("mood"), Ok(Value::Symbol(ALERT)));
    assert_eq!(forest.group_mut(squad).unwrap().keys_mut().set_value("mood", "calm"), Ok(true));
    assert_eq!((Value::from(u32::MAX), Value::from(i32::MIN)), (Value::Int(0xffff_ffff), Value::Int(-0x8000_0000)));
    // A single word as the default of a key is refused: the key must list its words.
    let mut builder = Tree::<Game>::builder("t");
    builder.declare(Scope::Agent, "mode", "calm".into());
    assert!(builder.build(idle()).unwrap_err().to_string().contains("`mode` must list its words"));
}

#[test]
fn a_group_refuses_unknown_keys_and_wrong_values() {
    let Setting { mut forest, squad, .. } = setting();
    assert_eq!(
        forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 5.0_f32),
        wrong_type("plan", Type::Int, Type::Float)
    );
    assert_eq!(
        forest.group_mut(squad).unwrap().keys_mut().set_value("mood", RED),
        Err(AccessError::NotAWord { key: "mood".into() })
    );
    assert_eq!(forest.group(squad).unwrap().keys().value("mood"), Ok(Value::Symbol(CALM)));
    for (name, near) in [("plam", Some("plan")), ("alarm", None), ("group.plan", None), ("", None)] {
        let unknown = AccessError::UnknownGroupKey { name: name.into(), help: near.map(meant) };
        assert_eq!(forest.group(squad).unwrap().keys().value(name), Err(unknown.clone()));
        assert_eq!(forest.group_mut(squad).unwrap().keys_mut().set_value(name, 1_i64), Err(unknown.clone()));
        assert_eq!(forest.group_mut(squad).unwrap().keys_mut().reset_value(name), Err(unknown));
    }
    let message = forest.group(squad).unwrap().keys().value("plam").unwrap_err().to_string();
    assert_eq!(message, "no tree of this forest declares the group key `plam`; did you mean `plan`?");
    let elsewhere = Forest::<Game>::new(1).new_group();
    forest.group_mut(squad).unwrap().remove();
    for gone in [squad, elsewhere, GroupId::default()] {
        let stale = StaleError::Group(gone);
        assert_eq!(forest.group(gone).map(|it| it.keys()).err(), Some(stale));
        assert_eq!(forest.group_mut(gone).map(drop), Err(stale));
    }
}

#[test]
fn the_forests_keys_go_back() {
    let Setting { mut forest, .. } = setting();
    forest.globals_mut().set_value("alarm", true).unwrap();
    let mut keys = forest.globals_mut();
    assert_eq!((keys.reset_value("alarm"), keys.reset_value("alarm")), (Ok(true), Ok(false)));
    assert_eq!(forest.globals().value("alarm").ok(), Some(Value::Bool(false)));
    let unknown = AccessError::UnknownGlobal { name: "alram".into(), help: Some(meant("alarm")) };
    assert_eq!(forest.globals_mut().reset_value("alram"), Err(unknown));
}

#[test]
fn trees_must_agree_about_the_words_of_a_shared_key() {
    for scope in [Scope::Group, Scope::Global] {
        let tree = |mode: &[&str]| {
            let mut builder = Tree::<Game>::builder("t");
            builder.declare(scope, "mode", words(mode));
            builder.build(idle()).unwrap()
        };
        let mut forest = Forest::<Game>::new(0);
        forest.add_tree(tree(&["calm", "red"])).unwrap();
        forest.add_tree(tree(&["calm", "red"])).unwrap();
        for other in [&["calm"][..], &["calm", "blue"], &["calm", "red", "blue"]] {
            match forest.add_tree(tree(other)) {
                Err(AddTreeError::Shared(it)) => assert_eq!((it.scope, it.difference), (scope, Difference::Words)),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn an_agents_keys_of_every_scope() {
    let Setting { mut forest, agent, squad, .. } = setting();
    for (name, old) in [("n", 30_i64), ("agent.n", 30), ("group.n", 20), ("plan", 1), ("group.plan", 1)] {
        assert_eq!(forest.keys(agent).unwrap().value(name), Ok(old.into()), "{name}");
        assert_eq!(forest.keys_mut(agent).unwrap().set_value(name, old + 1), Ok(true), "{name}");
        assert_eq!(forest.keys_mut(agent).unwrap().set_value(name, old + 1), Ok(false), "{name}");
        assert_eq!(forest.keys(agent).unwrap().value(name), Ok((old + 1).into()), "{name}");
        assert_eq!(forest.keys_mut(agent).unwrap().set_value(name, old), Ok(true), "{name}");
    }
    assert_eq!(forest.keys_mut(agent).unwrap().set_value("global.alarm", true), Ok(true));
    assert_eq!(
        (forest.keys(agent).unwrap().value("alarm"), forest.globals().value("alarm").ok()),
        (Ok(true.into()), Some(true.into()))
    );
    forest.keys_mut(agent).unwrap().set_value("group.n", 7_i64).unwrap();
    assert_eq!(forest.group(squad).unwrap().keys().value("n"), Ok(7_i64.into()));
    assert_eq!(forest.keys_mut(agent).unwrap().set_value("mode", ALERT), Ok(true));
    assert_eq!(forest.keys(agent).unwrap().value("mode"), Ok(ALERT.into()));
}

#[test]
fn node_keys_are_named_from_their_node() {
    let Setting { mut forest, tree, agent, .. } = setting();
    let tree = Arc::clone(forest.tree(tree).unwrap());
    for (at, name, old) in [(0, "n", 40_i64), (1, "n", 50), (2, "node.n", 50), (2, "agent.n", 30), (2, "count", 0)] {
        let key = tree.key_index_at(node(at), name).unwrap();
        let mut keys = forest.keys_mut(agent).unwrap();
        assert_eq!((keys.value(key), keys.set_value(key, old + 1)), (Ok(old.into()), Ok(true)));
        assert_eq!((keys.value(key), keys.reset_value(key)), (Ok((old + 1).into()), Ok(true)));
        assert_eq!(forest.keys(agent).unwrap().value(key), Ok(old.into()));
    }
    // Node keys cannot be seen from outside of their nodes, and are not suggested.
    let mut keys = forest.keys_mut(agent).unwrap();
    for name in ["count", "node.count", "node.n"] {
        assert_eq!(unknown(keys.value(name)), expected(name, if name == "node.n" { Some("n") } else { None }));
    }
    let unseen = tree.key_index_at(node(1), "cuont").map_err(Into::into);
    assert_eq!(unknown(unseen), expected("cuont", Some("count")));
    let inner = tree.key_index_at(node(1), "n").unwrap();
    assert_eq!(keys.set_value(inner, true), wrong_type("n", Type::Int, Type::Bool));
    assert_eq!(tree.key_index_at(node(3), "n"), Err(SchemaError::ForeignNode(node(3))));
    let beyond = KeyIndex::new(tree.schema().keys().len()).unwrap();
    assert_eq!(keys.value(beyond), Err(AccessError::ForeignKey));
    assert_eq!(keys.set_value(beyond, 1_i64), Err(AccessError::ForeignKey));
    // Every key that `inspect` shows can be read, in its order.
    for (at, (decl, value)) in forest.agent(agent).unwrap().inspect().keys.into_iter().enumerate() {
        let found = forest.keys(agent).unwrap().value(KeyIndex::new(at).unwrap());
        assert_eq!(found, Ok(value), "{}", decl.name());
    }
}

#[test]
fn a_typed_key_of_a_group_serves_whichever_tree_it_comes_from() {
    let Setting { mut forest, squad, .. } = setting();
    let mut builder = Tree::<Game>::builder("other");
    let other = builder.key_in(Scope::Group, "other", false);
    let plan = builder.key_in(Scope::Group, "plan", 1_i64);
    let alarm = builder.key_in(Scope::Global, "alarm", false);
    let own = builder.key("own", 0_i64);
    let mood: Key<Symbol> = tree().key("mood").unwrap();
    // No tree of the forest declares `other` yet.
    assert_eq!(forest.group(squad).unwrap().keys().try_get(other), None);
    forest.add_tree(builder.build(idle()).unwrap()).unwrap();
    let mut squad_here = forest.group_mut(squad).unwrap();
    let mut keys = squad_here.keys_mut();
    assert_eq!((keys.set(plan, 3), keys.get(plan), keys.try_get(other)), (true, 3, Some(false)));
    assert_eq!((keys.try_get(alarm), keys.try_get(own)), (None, None));
    assert_eq!(keys.try_set(own, 1).unwrap_err().to_string(), "this is an agent key, and the call is for group keys");
    assert_eq!(keys.try_set(mood, RED), Err(AccessError::NotAWord { key: "mood".into() }));
    assert_eq!((forest.globals_mut().set(alarm, true), forest.globals().get(alarm)), (true, true));
    assert_eq!(forest.globals().try_get(plan), None);
}

#[test]
fn a_typed_key_of_a_group_that_no_tree_declares_says_so_and_speaks_of_no_agent() {
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let squad = forest.new_group();
    let declaring = |default: Option<KeyDefault>| {
        let mut builder = Tree::<Game>::builder("guard");
        default.map(|it| builder.declare(Scope::Group, "plan", it));
        builder.build(idle()).unwrap()
    };
    let tree = declaring(Some(1_i64.into()));
    let plan: Key<i64> = tree.key("plan").unwrap();
    let id = forest.add_tree(tree).unwrap();
    let mut told = |forest: &mut Forest<Game>, default| {
        forest.replace_tree(&mut world, id, declaring(default)).unwrap();
        let mut group = forest.group_mut(squad).unwrap();
        let mut keys = group.keys_mut();
        assert_eq!(keys.try_set(plan, 2), keys.try_reset(plan));
        keys.try_set(plan, 2).unwrap_err().to_string()
    };
    assert_eq!(told(&mut forest, Some(true.into())), "the key `plan` is Bool, not Int");
    assert_eq!(told(&mut forest, None), "no tree of this forest declares this group key now");
}

#[test]
fn an_agent_refuses_unknown_keys_and_wrong_values() {
    let Setting { mut forest, agent, .. } = setting();
    for (name, near) in
        [("helth", Some("health")), ("agent.helth", Some("agent.health")), ("squad.n", Some("n")), ("", None)]
    {
        assert_eq!(unknown(forest.keys(agent).unwrap().value(name)), expected(name, near));
        assert_eq!(unknown(forest.keys_mut(agent).unwrap().set_value(name, 1.0_f32)), expected(name, near));
    }
    assert_eq!(
        forest.keys_mut(agent).unwrap().set_value("health", 1_i64),
        wrong_type("health", Type::Float, Type::Int)
    );
    assert_eq!(
        forest.keys_mut(agent).unwrap().set_value("alarm", ALERT),
        wrong_type("alarm", Type::Bool, Type::Symbol)
    );
    assert_eq!(forest.keys_mut(agent).unwrap().set_value("mode", 0_i64), wrong_type("mode", Type::Symbol, Type::Int));
    for name in ["mode", "mood"] {
        assert_eq!(
            forest.keys_mut(agent).unwrap().set_value(name, RED),
            Err(AccessError::NotAWord { key: name.into() })
        );
        assert_eq!(forest.keys(agent).unwrap().value(name), Ok(CALM.into()));
    }
    forest.agent_mut(agent).unwrap().despawn(&mut World::default());
    assert_eq!(forest.keys(agent).err(), Some(StaleError::Agent(agent)));
    assert_eq!(forest.keys_mut(agent).err(), Some(StaleError::Agent(agent)));
}

#[test]
fn a_write_by_name_is_noticed_like_any_other() {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("hungry", false);
    builder.key("fed", 0_i64);
    let eats = pleach_core::nodes::guard("hungry", set("fed", "fed + 1"));
    let root = pleach_core::nodes::selector([
        sequence([pleach_core::nodes::check("hungry"), eats]).aborts(pleach_core::nodes::Abort::LOWER_PRIORITY),
        idle(),
    ]);
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().asleep, 1);
    forest.keys_mut(agent).unwrap().set_value("hungry", true).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
    assert_eq!(forest.keys(agent).unwrap().value("fed"), Ok(1_i64.into()));
}

#[test]
fn a_brains_keys() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(), 0);
    assert_eq!((brain.keys().value("n"), brain.keys().value("plan")), (Ok(30_i64.into()), Ok(1_i64.into())));
    assert_eq!((brain.keys_mut().set_value("plan", 2_i64), brain.keys().value("plan")), (Ok(true), Ok(2_i64.into())));
    assert_eq!(brain.keys_mut().set_value("health", true), wrong_type("health", Type::Float, Type::Bool));
    assert_eq!(brain.keys_mut().set_value("mode", RED), Err(AccessError::NotAWord { key: "mode".into() }));
    assert_eq!(unknown(brain.keys().value("helth")), expected("helth", Some("health")));
    // Without an agent they keep their values.
    brain.despawn(&mut world);
    assert_eq!((brain.keys().value("n"), brain.keys().value("plan")), (Ok(30_i64.into()), Ok(2_i64.into())));
}
