//! Leaves that are made while their tree is built: what they see, when they are made, and the
//! errors of those that cannot be.

use std::sync::{Arc, Mutex};

use crate::support;

use pleach_core::nodes::{action, check, condition, deferred, fail, guard, idle, selector, sequence, wait};
use pleach_core::{
    NodeId, Status, Tree, Type,
    error::{Field, LeafError, Problem, ProblemKind, SchemaError, TreeError},
    kinds::Arity,
    nodes::Node,
    schema::Scope,
};
use support::{Cx, Game, World, alone};

fn act() -> Node<Game> {
    action(|_: &mut Cx<'_, '_>| Status::Running)
}

fn ask() -> Node<Game> {
    condition(|_: &mut Cx<'_, '_>| true)
}

fn refused(error: LeafError) -> Node<Game> {
    deferred(|_| Err(error))
}

fn error(root: Node<Game>) -> TreeError {
    Tree::builder("t").build(root).map(drop).expect_err("it has problems")
}

/// Adds 1 to the key `n` that it sees.
fn count() -> Node<Game> {
    deferred(|keys| {
        let n = keys.key::<i64>("n")?;
        Ok(action(move |cx: &mut Cx<'_, '_>| {
            let next = cx.get(n) + 1;
            cx.set(n, next);
            Status::Success
        }))
    })
}

#[test]
fn it_sees_the_keys_of_its_node_and_of_those_above() {
    let inner = sequence([count()]).with_key("n", 10_i64);
    let own = count().with_key("n", 20_i64);
    let outer = sequence([inner, own, count(), check("n == 1"), idle()]).with_key("n", 0_i64);
    let mut world = World::default();
    let (mut forest, agent) = alone(outer, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    let tree = forest.tree(forest.agent(agent).unwrap().tree_id()).unwrap();
    let at = |node| forest.keys(agent).unwrap().get(tree.key_at::<i64>(NodeId::new(node).unwrap(), "n").unwrap());
    assert_eq!([at(0), at(2), at(3), at(4)], [1, 11, 21, 1]);
}

#[test]
fn it_is_made_once_and_in_the_order_of_the_nodes() {
    let made = Arc::new(Mutex::new(Vec::new()));
    let note = |name: &'static str, leaf: Node<Game>| {
        let made = Arc::clone(&made);
        deferred(move |_| {
            made.lock().unwrap().push(name);
            Ok(leaf)
        })
    };
    let root = sequence([
        guard(note("when", ask()), note("below", act())),
        note("next", act()),
        selector([note("last", ask())]).with_service(1.0, note("second service", act())),
    ])
    .with_service(1.0, note("service", act()));
    Tree::<Game>::builder("t").build(root).unwrap();
    assert_eq!(*made.lock().unwrap(), ["service", "when", "below", "next", "second service", "last"]);
}

#[test]
fn it_is_drawn_as_what_it_became() {
    let leaf = |it: Node<Game>| deferred(|_| Ok(it));
    let when = deferred(|_| Ok(ask().described("near")));
    let root = sequence([leaf(act().described("3 m")), leaf(ask()), leaf(act()).of_kind("Walk"), guard(when, idle())]);
    let tree = Tree::<Game>::builder("t").build(root).unwrap();
    let nodes: Vec<String> = tree.nodes().map(|it| it.to_string()).collect();
    assert_eq!(nodes, ["n0 Sequence", "n1 Action(3 m)", "n2 Condition", "n3 Walk", "n4 Guard(near)", "n5 Idle"]);
    assert!(tree.nodes().skip(1).take(3).all(|it| it.arity() == Arity::Leaf));
}

/// Where, which part of it, and what.
fn told(it: Problem) -> (String, Option<Field>, ProblemKind) {
    (it.path, it.field, it.kind)
}

#[test]
fn what_cannot_be_made_is_reported_with_everything_else() {
    let other = |reason: &str| refused(LeafError::Other(reason.into()));
    let typed = deferred(|keys| Ok(keys.key::<f32>("n").map(|_| act())?));
    let root = sequence([
        wait(f64::INFINITY),
        typed.named("typed"),
        guard(other("not now"), idle()),
        guard(deferred(|_| Ok(act())), idle()),
        wait(f64::INFINITY),
        fail().with_key("true", 1_i64),
    ])
    .with_key("n", 0_i64)
    .with_service(f64::INFINITY, other("no service"))
    .with_service(1.0, deferred(|_| Ok(ask())));
    let error = error(root);
    assert_eq!((error.more, error.told), (0, 0));
    let place = |path: &str| format!("Sequence{path}");
    let endless = || ProblemKind::Duration(f64::INFINITY);
    let wrong_type = SchemaError::WrongType { name: "n".into(), found: Type::Int, wanted: Type::Float };
    let bad_name = SchemaError::BadName("true".into());
    let expected = [
        (place(""), Some(Field::Service(0)), endless()),
        (place(""), Some(Field::Service(0)), ProblemKind::Leaf("no service".into())),
        (place(""), Some(Field::Service(1)), ProblemKind::ConditionAsService),
        (place("/Wait[0]"), Some(Field::Param("seconds")), endless()),
        (place("/typed[1]"), None, ProblemKind::Key(wrong_type)),
        (place("/Guard[2]"), Some(Field::Param("when")), ProblemKind::Leaf("not now".into())),
        (place("/Guard[3]"), Some(Field::Param("when")), ProblemKind::ActionAsTest),
        (place("/Wait[4]"), Some(Field::Param("seconds")), endless()),
        (place("/Fail[5]"), Some(Field::Key(Scope::Node, "true".into())), ProblemKind::Key(bad_name)),
    ];
    assert_eq!(error.problems.into_iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn what_its_maker_tells_of_is_only_counted() {
    let alone = error(refused(LeafError::Told(2)));
    assert_eq!((alone.problems.len(), alone.more, alone.told), (0, 0, 2));
    assert_eq!(
        alone.to_string(),
        "the tree has 2 problems\n  2 of them were reported by the code that made the leaves"
    );
    // Whatever count it reports, the tree is refused.
    assert_eq!(error(sequence([refused(LeafError::Told(0))])).told, 1);
    let both = error(sequence([wait(f64::NAN), refused(LeafError::Told(1)), wait(f64::NAN)]));
    assert_eq!((both.problems.len(), both.told), (2, 1));
}
