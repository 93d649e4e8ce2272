//! Typed keys that were looked up in an earlier version of a tree: they are found by name.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{idle, sequence};
use pleach_core::schema::Scope;
use pleach_core::{AgentId, Brain, Forest, Key, NodeId, Replace, Spawn, Symbol, Tree, Type, error::AccessError};

use crate::support::{Game, World};

/// A tree with the keys `names`, floats each, a node with a key of its own, and shared keys.
fn version(names: &[&str]) -> Tree<Game> {
    let mut builder = Tree::builder("wolf");
    for &name in names {
        builder.key(name, 1.0_f32);
    }
    for &name in names {
        builder.key_in(Scope::Group, &format!("of_group_{name}"), 1.0_f32);
        builder.key_in(Scope::Global, &format!("of_all_{name}"), 1.0_f32);
    }
    let with_keys = |it: &&str| idle().named(*it).with_key("own", 1.0_f32);
    builder.build(sequence(names.iter().map(with_keys).collect::<Vec<_>>())).unwrap()
}

fn forest() -> (Forest<Game>, pleach_core::TreeId, AgentId, World) {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(version(&["x", "y"])).unwrap();
    let agent = forest.spawn_with(&mut world, tree, Spawn::default()).unwrap();
    (forest, tree, agent, world)
}

fn panic_of<T>(call: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).err().expect("it panics");
    panic.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn a_key_that_has_moved_is_found_by_its_name() {
    let (mut forest, tree, agent, mut world) = forest();
    let x: Key<f32> = forest.tree(tree).unwrap().key("x").unwrap();
    let group: Key<f32> = forest.tree(tree).unwrap().key("group.of_group_x").unwrap();
    let all: Key<f32> = forest.tree(tree).unwrap().key("global.of_all_x").unwrap();
    // Another key of the same type has its place now, and then it has moved once more.
    for names in [&["w", "x", "y"][..], &["y", "v", "w", "x"]] {
        forest.replace_tree(&mut world, tree, version(names)).unwrap();
        for (at, key) in [(0_u8, x), (1, group), (2, all)] {
            let value = f32::from(at) + 7.0;
            assert!(forest.keys_mut(agent).unwrap().set(key, value), "{key:?}");
            assert_eq!(forest.keys(agent).unwrap().get(key), value);
            assert_eq!(forest.keys_mut(agent).unwrap().get(key), value);
            assert_eq!(forest.keys_mut(agent).unwrap().try_set(key, value), Ok(false));
            let name = ["x", "of_group_x", "of_all_x"][usize::from(at)];
            assert_eq!(forest.keys(agent).unwrap().value(name), Ok(value.into()));
        }
        let keys = forest.keys(agent).unwrap();
        for other in ["w", "y", "group.of_group_w", "global.of_all_w"] {
            assert_eq!(keys.value(other), Ok(1.0_f32.into()), "{other} is not touched");
        }
        assert_eq!(forest.population_mut(tree).unwrap().update_column(x, |_, it| it + 1.0), Ok(1));
        let column: Vec<_> = forest.population(tree).unwrap().column(x).unwrap().collect();
        assert_eq!(column, [(&[agent][..], &[8.0_f32][..])]);
        forest.population_mut(tree).unwrap().update_agents(|it| {
            let was = it.get(x);
            it.set(x, was + 1.0);
        });
        assert_eq!(forest.keys(agent).unwrap().value("x"), Ok(9.0_f32.into()));
        let squad = forest.agent(agent).unwrap().group().unwrap();
        assert_eq!(forest.group(squad).unwrap().keys().get(group), 8.0);
        assert_eq!(forest.globals().get(all), 9.0);
        assert!(forest.keys_mut(agent).unwrap().reset(x));
        for key in [group, all] {
            forest.keys_mut(agent).unwrap().reset(key);
        }
        assert_eq!(forest.keys(agent).unwrap().get(x), 1.0);
    }
}

/// Nodes may have keys of one name and type. Each is known with its node.
#[test]
fn a_key_of_a_node_stays_that_of_its_node() {
    let (mut forest, tree, agent, mut world) = forest();
    let own = |tree: &Tree<Game>, node: u16| tree.key_at::<f32>(NodeId::new(node.into()).unwrap(), "own").unwrap();
    let of_x = own(forest.tree(tree).unwrap(), 1);
    forest.replace_tree(&mut world, tree, version(&["w", "x", "y"])).unwrap();
    // In its place is the key of another node.
    let told = panic_of(|| forest.keys(agent).unwrap().get(of_x));
    let gone =
        "the tree `wolf` was replaced, and its key `own`, of type Float, is gone: look the key up in the current tree";
    assert_eq!(told, gone);
    let of_w = own(forest.tree(tree).unwrap(), 1);
    assert_eq!(forest.keys(agent).unwrap().get(of_w), 1.0);
}

#[test]
fn a_key_that_is_gone_is_named() {
    let (mut forest, tree, agent, mut world) = forest();
    let x: Key<f32> = forest.tree(tree).unwrap().key("x").unwrap();
    let y: Key<f32> = forest.tree(tree).unwrap().key("y").unwrap();
    let mut builder = Tree::<Game>::builder("wolf");
    builder.key("x", 3_i64);
    forest.replace_tree(&mut world, tree, Replace::restart(builder.build(idle()).unwrap())).unwrap();
    let told = |now| AccessError::GoneKey { key: "x".into(), ty: Type::Float, tree: "wolf".into(), now };
    // Its old identity is still known when the tree is replaced again.
    for now in [Some(Type::Int), None] {
        assert_eq!(forest.keys(agent).unwrap().try_get(x), None);
        assert_eq!(forest.keys_mut(agent).unwrap().try_set(x, 2.0), Err(told(now)));
        assert_eq!(forest.population(tree).unwrap().column(x).err(), Some(told(now)));
        assert_eq!(forest.population_mut(tree).unwrap().update_column(x, |_, it| it), Err(told(now)));
        let text = told(now).to_string();
        assert_eq!(panic_of(|| forest.keys(agent).unwrap().get(x)), text);
        assert_eq!(panic_of(|| forest.keys_mut(agent).unwrap().set(x, 1.0)), text);
        assert_eq!(panic_of(|| forest.keys_mut(agent).unwrap().reset(x)), text);
        assert!(panic_of(|| forest.keys(agent).unwrap().get(y)).contains("its key `y`, of type Float, is gone"));
        forest.replace_tree(&mut world, tree, Replace::restart(Tree::builder("wolf").build(idle()).unwrap())).unwrap();
    }
    let strange: Key<Symbol> = {
        let mut builder = Tree::<Game>::builder("strange");
        let words = vec!["calm".to_owned()];
        builder.declare(Scope::Agent, "mood", pleach_core::schema::KeyDefault::Symbol("calm".into(), words));
        builder.build(idle()).unwrap().key("mood").unwrap()
    };
    assert!(panic_of(|| forest.keys(agent).unwrap().get(strange)).contains("is a key of another tree"));
}

#[test]
fn a_brain_finds_moved_keys_too() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, version(&["x", "y"]), 1);
    let [x, group]: [Key<f32>; 2] = ["x", "group.of_group_x"].map(|it| brain.tree().key(it).unwrap());
    brain.replace_tree(&mut world, version(&["w", "x"])).unwrap();
    for key in [x, group] {
        assert!(brain.keys_mut().set(key, 4.0));
        assert_eq!(brain.keys().get(key), 4.0);
    }
    assert_eq!(brain.keys().value("w"), Ok(1.0_f32.into()));
    brain.replace_tree(&mut world, version(&["w"])).unwrap();
    assert!(panic_of(|| brain.keys().get(x)).contains("the tree `wolf` was replaced, and its key `x`"));
}
