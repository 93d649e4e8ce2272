//! Leaves that go wrong, and descriptions and parameters that are wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use pleach_dynamic::{DescriptionError, MAX_PROBLEMS};

#[test]
fn a_leaf_that_goes_wrong_fails_and_is_reported() {
    for agents in [6, 60] {
        let (mut world, mut forest, ids) = crowd("Selector([Odd(key: \"n\"), Done])", agents);
        forest.tick(&mut world, 0.1).unwrap();
        let problems = std::mem::take(&mut world.problems);
        assert_eq!(problems.count(), ids.len() / 2);
        assert_eq!(problems.all().len(), problems.count().min(MAX_PROBLEMS));
        let first = &problems.all()[0];
        assert_eq!((&*first.leaf, first.agent, &*first.message), ("Odd", ids[1], "1 is odd"));
        assert_eq!(first.to_string(), format!("`Odd` (n1) of {:?}: 1 is odd", ids[1]));
        // The others went on, and those agents to the next child.
        let done: usize = world.calls.iter().filter(|it| it.0 == "Done").map(|it| it.1).sum();
        assert_eq!(done, ids.len() / 2);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.problems.count(), ids.len() / 2, "they are on, and fail again");
    }
}

#[test]
fn a_panic_is_one_of_the_agent_that_was_lent_last() {
    for agents in [6, 60] {
        let (mut world, mut forest, ids) = crowd("Sequence([Panic(key: \"n\"), Done])", agents);
        let tick = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1)));
        assert!(tick.is_err());
        for (at, id) in ids.iter().enumerate() {
            let is_off = forest.agent(*id).unwrap().phase() == pleach_core::Phase::Panicked;
            assert_eq!(is_off, at == 3, "{at}");
        }
        forest.agent_mut(ids[3]).unwrap().despawn(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
    }
}

#[test]
fn wrong_parameters_are_reported_all_at_once() {
    let source = "Tree(version: 1, blackboard: { \"x\": Float(0) }, root: Sequence([
        Count(key: \"x\", to: 1), Count(key: \"y\", to: 1.5), Count(kee: \"x\", to: 1), Count(to: 1), Done(1), Dome]))";
    let report = load_str("t.ron", source, &registry()).unwrap_err();
    let lines: Vec<String> = report.diagnostics().iter().map(|it| it.message().to_owned()).collect();
    assert_eq!(lines.len(), 7, "{lines:#?}");
    assert!(lines[0].contains("`key` of `Count`"), "{lines:#?}");
}

#[test]
fn wrong_descriptions_are_refused() {
    let of = |leaf| register(&mut Registry::<Test>::new(), leaf).unwrap_err().to_string();
    let new = |name, kind| Description::new(name, kind, Function::Done);
    let walk = || new("Walk", LeafKind::Action);
    assert_eq!(
        of(walk().parameter("a", ValueType::Int).parameter("a", ValueType::Int)),
        "`Walk` has two parameters `a`"
    );
    let condition = new("Is", LeafKind::Condition).parameter("a", ValueType::Int);
    let not_a_key = "`Is` cannot observe `a`: it has no parameter of that name that is a key";
    assert_eq!(of(condition.observes(["a"])), not_a_key);
    assert_eq!(of(walk().every(0.5)), "`Walk` is an action: only a condition says when it is asked");
    assert!(of(new("Wait", LeafKind::Action)).contains("built in"));
    let error = register(&mut registry(), new("Done", LeafKind::Action)).unwrap_err();
    assert!(matches!(error, DescriptionError::Registry(_)), "{error}");
}

#[test]
fn a_default_that_is_wrong_is_told_where_it_is_needed() {
    let mut registry = Registry::<Test>::new();
    let leaf = Description::new("Walk", LeafKind::Action, Function::Done);
    register(&mut registry, leaf.default("to", ValueType::Key(Type::Vec2), "\"home\"")).unwrap();
    let load =
        |keys: &str| load_str("t.ron", &format!("Tree(version: 1, blackboard: {{ {keys} }}, root: Walk)"), &registry);
    assert!(load("\"home\": Vec2(0, 0)").is_ok());
    let report = load("\"hole\": Vec2(0, 0)").unwrap_err();
    assert_eq!(report.diagnostics()[0].message(), "the default of `to` of `Walk`: there is no key `home`");
}
