//! Keys by name: those of groups and of the forest, and any key of an agent, for tools that have no
//! typed keys.

use crate::support;

use pleach_core::nodes::{idle, sequence, set};
use pleach_core::{
    AccessError, AddTreeError, AgentId, Brain, Difference, Forest, GroupId, Help, Key, KeyDefault, NodeId, SchemaError,
    Scope, Spawn, StaleError, Symbol, Tree, TreeId, Type, Value,
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
    assert_eq!(forest.group_value(squad, "plan"), Ok(Value::Int(1)));
    assert_eq!(forest.set_group_value(squad, "plan", 5_i64), Ok(true));
    assert_eq!(forest.set_group_value(squad, "plan", 5_i64), Ok(false));
    assert_eq!((forest.get(agent, plan), forest.group_value(other, "plan")), (Ok(5), Ok(Value::Int(1))));
    forest.set(agent, plan, 6).unwrap();
    assert_eq!(forest.group_value(squad, "plan"), Ok(Value::Int(6)));
    assert_eq!((forest.remove_group_value(squad, "plan"), forest.get(agent, plan)), (Ok(true), Ok(1)));
    assert_eq!(forest.remove_group_value(squad, "plan"), Ok(false));
    assert_eq!(forest.set_group_value(squad, "mood", ALERT), Ok(true));
}

#[test]
fn a_group_refuses_unknown_keys_and_wrong_values() {
    let Setting { mut forest, squad, .. } = setting();
    assert_eq!(forest.set_group_value(squad, "plan", 5.0_f32), wrong_type("plan", Type::Int, Type::Float));
    assert_eq!(forest.set_group_value(squad, "mood", RED), Err(AccessError::NotAWord { key: "mood".into() }));
    assert_eq!(forest.group_value(squad, "mood"), Ok(Value::Symbol(CALM)));
    for (name, near) in [("plam", Some("plan")), ("alarm", None), ("group.plan", None), ("", None)] {
        let unknown = AccessError::UnknownGroupKey { name: name.into(), help: near.map(meant) };
        assert_eq!(forest.group_value(squad, name), Err(unknown.clone()));
        assert_eq!(forest.set_group_value(squad, name, 1_i64), Err(unknown.clone()));
        assert_eq!(forest.remove_group_value(squad, name), Err(unknown));
    }
    let message = forest.group_value(squad, "plam").unwrap_err().to_string();
    assert_eq!(message, "no tree of this forest declares the group key `plam`; did you mean `plan`?");
    let elsewhere = Forest::<Game>::new(1).new_group();
    forest.remove_group(squad).unwrap();
    for gone in [squad, elsewhere, GroupId::default()] {
        let stale = AccessError::from(StaleError::Group(gone));
        assert_eq!(forest.group_value(gone, "plan"), Err(stale.clone()));
        assert_eq!(forest.set_group_value(gone, "nothing", 1_i64), Err(stale.clone()));
        assert_eq!(forest.remove_group_value(gone, "plan"), Err(stale));
    }
}

#[test]
fn the_forests_keys_go_back() {
    let Setting { mut forest, .. } = setting();
    forest.set_global("alarm", true).unwrap();
    assert_eq!((forest.remove_global("alarm"), forest.remove_global("alarm")), (Ok(true), Ok(false)));
    assert_eq!(forest.global("alarm"), Some(Value::Bool(false)));
    let unknown = AccessError::UnknownGlobal { name: "alram".into(), help: Some(meant("alarm")) };
    assert_eq!(forest.remove_global("alram"), Err(unknown));
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
        assert_eq!(forest.value(agent, name), Ok(old.into()), "{name}");
        assert_eq!(forest.set_value(agent, name, old + 1), Ok(true), "{name}");
        assert_eq!(forest.set_value(agent, name, old + 1), Ok(false), "{name}");
        assert_eq!(forest.value(agent, name), Ok((old + 1).into()), "{name}");
        assert_eq!(forest.set_value(agent, name, old), Ok(true), "{name}");
    }
    assert_eq!(forest.set_value(agent, "global.alarm", true), Ok(true));
    assert_eq!((forest.value(agent, "alarm"), forest.global("alarm")), (Ok(true.into()), Some(true.into())));
    forest.set_value(agent, "group.n", 7_i64).unwrap();
    assert_eq!(forest.group_value(squad, "n"), Ok(7_i64.into()));
    assert_eq!(forest.set_value(agent, "mode", ALERT), Ok(true));
    assert_eq!(forest.value(agent, "mode"), Ok(ALERT.into()));
}

#[test]
fn node_keys_are_named_from_their_node() {
    let Setting { mut forest, agent, .. } = setting();
    for (at, name, old) in [(0, "n", 40_i64), (1, "n", 50), (2, "node.n", 50), (2, "agent.n", 30), (2, "count", 0)] {
        assert_eq!(forest.value_at(agent, node(at), name), Ok(old.into()));
        assert_eq!(forest.set_value_at(agent, node(at), name, old + 1), Ok(true));
        assert_eq!(forest.value_at(agent, node(at), name), Ok((old + 1).into()));
        assert_eq!(forest.set_value_at(agent, node(at), name, old), Ok(true));
    }
    // Node keys cannot be seen from outside of their nodes, and are not suggested.
    for name in ["count", "node.count", "node.n"] {
        assert_eq!(unknown(forest.value(agent, name)), expected(name, if name == "node.n" { Some("n") } else { None }));
    }
    assert_eq!(unknown(forest.set_value_at(agent, node(1), "cuont", 1_i64)), expected("cuont", Some("count")));
    assert_eq!(forest.set_value_at(agent, node(1), "n", true), wrong_type("n", Type::Int, Type::Bool));
    let foreign = AccessError::from(SchemaError::ForeignNode(node(3)));
    assert_eq!(forest.value_at(agent, node(3), "n"), Err(foreign.clone()));
    assert_eq!(forest.set_value_at(agent, node(3), "n", 1_i64), Err(foreign));
    // Every key that `inspect` shows can be read by name.
    for (decl, value) in forest.inspect(agent).unwrap().keys {
        let name = format!("{}.{}", decl.scope(), decl.name());
        let found = decl.node().map_or_else(|| forest.value(agent, &name), |it| forest.value_at(agent, it, &name));
        assert_eq!(found, Ok(value), "{name}");
    }
}

#[test]
fn an_agent_refuses_unknown_keys_and_wrong_values() {
    let Setting { mut forest, agent, .. } = setting();
    for (name, near) in [("helth", Some("health")), ("agent.helth", Some("health")), ("squad.n", Some("n")), ("", None)]
    {
        assert_eq!(unknown(forest.value(agent, name)), expected(name, near));
        assert_eq!(unknown(forest.set_value(agent, name, 1.0_f32)), expected(name, near));
    }
    assert_eq!(forest.set_value(agent, "health", 1_i64), wrong_type("health", Type::Float, Type::Int));
    assert_eq!(forest.set_value(agent, "alarm", ALERT), wrong_type("alarm", Type::Bool, Type::Symbol));
    assert_eq!(forest.set_value(agent, "mode", 0_i64), wrong_type("mode", Type::Symbol, Type::Int));
    for name in ["mode", "mood"] {
        assert_eq!(forest.set_value(agent, name, RED), Err(AccessError::NotAWord { key: name.into() }));
        assert_eq!(forest.value(agent, name), Ok(CALM.into()));
    }
    forest.despawn(&mut World::default(), agent).unwrap();
    let stale = AccessError::from(StaleError::Agent(agent));
    assert_eq!(forest.value(agent, "n"), Err(stale.clone()));
    assert_eq!(forest.set_value(agent, "nothing", 1_i64), Err(stale.clone()));
    assert_eq!(forest.value_at(agent, node(0), "n"), Err(stale.clone()));
    assert_eq!(forest.set_value_at(agent, node(0), "n", 1_i64), Err(stale));
}

#[test]
fn a_write_by_name_is_noticed_like_any_other() {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("hungry", false);
    builder.key("fed", 0_i64);
    let eats = pleach_core::nodes::guard("hungry", set("fed", "fed + 1"));
    let root = pleach_core::nodes::selector([
        sequence([pleach_core::nodes::check("hungry"), eats]).aborts(pleach_core::Abort::LOWER_PRIORITY),
        idle(),
    ]);
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let mut world = World::default();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().asleep, 1);
    forest.set_value(agent, "hungry", true).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
    assert_eq!(forest.value(agent, "fed"), Ok(1_i64.into()));
}

#[test]
fn a_brains_keys() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(), 0);
    assert_eq!((brain.value("n"), brain.value("plan")), (Ok(30_i64.into()), Ok(1_i64.into())));
    assert_eq!((brain.set_value("plan", 2_i64), brain.value("plan")), (Ok(true), Ok(2_i64.into())));
    assert_eq!(brain.set_value("health", true), wrong_type("health", Type::Float, Type::Bool));
    assert_eq!(brain.set_value("mode", RED), Err(AccessError::NotAWord { key: "mode".into() }));
    assert_eq!(unknown(brain.value("helth")), expected("helth", Some("health")));
    let agent = brain.agent();
    brain.despawn(&mut world);
    assert_eq!(brain.value("n"), Err(StaleError::Agent(agent).into()));
    assert_eq!(brain.set_value("n", 1_i64), Err(StaleError::Agent(agent).into()));
}
