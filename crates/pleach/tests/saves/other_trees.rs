//! A save under another version of its tree (SEMANTICS 11.3).

use pleach_core::inspect::RestartCause;
use pleach_core::nodes::{Abort, Node, check, cooldown, idle, log, parallel, selector, sequence, succeed, wait};
use pleach_core::{Forest, Save, Tree};

use crate::support::{Game, World};
use crate::walk;

/// A tree with these keys.
fn tree(root: Node<Game>, keys: impl FnOnce(&mut pleach_core::TreeBuilder<Game>)) -> Tree<Game> {
    let mut builder = Tree::builder("guard");
    keys(&mut builder);
    builder.build(root).unwrap()
}

/// Saves one agent of a tree after `ticks` ticks, and restores it under another one. Returns the
/// forest, its report, and what leaves heard.
fn moved(old: Tree<Game>, ticks: usize, new: Tree<Game>) -> (Forest<Game>, String, Vec<String>) {
    let mut world = World::default();
    let mut forest = Forest::new(1);
    let id = forest.add_tree(old).unwrap();
    forest.spawn(&mut world, id).unwrap();
    for _ in 0..ticks {
        forest.tick(&mut world, 0.1).unwrap();
    }
    let save: Save = postcard::from_bytes(&postcard::to_stdvec(&forest.save().unwrap()).unwrap()).unwrap();
    let (mut forest, mut world) = (Forest::new(2), World::default());
    forest.add_tree(new).unwrap();
    let report = forest.restore(&mut world, &save).unwrap();
    let kept = report.trees[0].restarts.iter().all(|it| it.cause != RestartCause::Asked);
    assert!(kept, "there is no old leaf to ask about");
    (forest, report.to_string(), world.take())
}

fn inspected(forest: &Forest<Game>) -> String {
    let (_, population) = (0, forest.population(forest.trees().next().unwrap()).unwrap());
    let agent = population.agents().next().unwrap();
    forest.agent(agent).unwrap().inspect().to_string()
}

fn goes_on(mut forest: Forest<Game>) -> Vec<String> {
    let mut world = World::default();
    forest.tick(&mut world, 0.1).unwrap();
    world.take()
}

#[test]
fn what_matches_goes_on_with_its_state_and_hears_that_it_is_restored() {
    let old = tree(sequence([succeed(), walk()]), |_| ());
    let new = tree(sequence([log("before"), succeed().named("more"), walk(), idle()]), |_| ());
    let (forest, report, told) = moved(old, 3, new);
    assert_eq!(told, ["walk restored at 3"]);
    assert_eq!(report, "1 agent restored\nguard: 1 agent kept running, 0 restarted; 2 nodes kept");
    assert_eq!(goes_on(forest), ["step 4"]);
}

#[test]
fn nobodys_end_is_called_of_what_does_not_go_on() {
    let old = tree(selector([sequence([succeed(), walk()]), idle()]), |_| ());
    let new = tree(selector([sequence([log("new"), wait(1.0)]), idle()]), |_| ());
    let (forest, report, told) = moved(old, 2, new);
    assert_eq!(told, [""; 0], "no `walk end`");
    let restarts = "guard/Sequence[0] restarts in 1 agent: a node that ran has no match in the same place \
                    (guard/Sequence[0]/Walk[1])";
    assert!(report.replace("Selector", "guard").contains(&restarts[5..]), "{report}");
    assert_eq!(goes_on(forest), ["n2 says new"]);
}

#[test]
fn leaves_that_are_new_are_awake() {
    let old = tree(parallel([wait(9.0)]), |_| ());
    let new = tree(parallel([wait(9.0), walk()]), |_| ());
    let (forest, report, told) = moved(old, 2, new);
    assert_eq!(told, ["walk awake"]);
    assert!(report.contains("a parallel has different branches"), "{report}");
    assert_eq!(goes_on(forest), ["step 1"]);
}

#[test]
fn a_branch_that_is_gone_begins_again_and_the_others_go_on() {
    let old = tree(parallel([walk(), sequence([wait(5.0)]).named("rest")]), |_| ());
    let new = tree(parallel([walk(), sequence([log("other")]).named("rest")]), |_| ());
    let (forest, report, told) = moved(old, 2, new);
    assert_eq!(told, ["walk restored at 2"]);
    assert!(report.contains("0 agents kept running, 1 restarted; 2 nodes kept"), "{report}");
    assert_eq!(goes_on(forest), ["step 3", "n3 says other"]);
}

#[test]
fn a_cooldown_whose_child_is_gone_begins() {
    let old = tree(selector([cooldown(1.0, sequence([walk()]).named("a")), idle()]), |_| ());
    let new = tree(selector([cooldown(1.0, sequence([wait(0.05)]).named("b")), log("cools")]), |_| ());
    let (forest, _, _) = moved(old, 2, new);
    assert_eq!(goes_on(forest), ["n4 says cools"]);
}

#[test]
fn a_cooldown_goes_on_cooling_when_its_agent_begins_anew() {
    let rest = || cooldown(1.0, succeed()).with_id("rest");
    let (forest, report, _) =
        moved(tree(sequence([rest(), walk()]), |_| ()), 2, tree(selector([rest(), log("cools")]), |_| ()));
    assert!(report.contains("1 restarted"), "{report}");
    assert_eq!(goes_on(forest), ["n3 says cools"]);
}

#[test]
fn cooldowns_and_deadlines_stay() {
    let both = |more: Option<Node<Game>>| {
        let rest = cooldown(1.0, succeed());
        let wait = wait(0.5).named("pause");
        tree(sequence(more.into_iter().chain([rest, wait])), |_| ())
    };
    let (mut forest, report, _) = moved(both(None), 3, both(Some(succeed().named("new"))));
    assert!(report.contains("1 agent kept running"), "{report}");
    let mut world = World::default();
    // The wait began in the first tick and ends in the sixth; then the cooldown fails the root.
    for _ in 0..3 {
        assert!(inspected(&forest).contains("pause"), "{}", inspected(&forest));
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert!(!inspected(&forest).contains("pause"), "{}", inspected(&forest));
}

#[test]
fn monitors_stay_where_the_question_is_the_same() {
    let of = |test: &str| {
        let watch = sequence([check(test), log("alarm")]).aborts(Abort::LOWER_PRIORITY);
        tree(selector([watch, walk()]), |it| {
            it.key("a", false);
            it.key("b", true);
        })
    };
    let (forest, _, told) = moved(of("a"), 2, of("a"));
    assert_eq!((told, goes_on(forest)), (vec!["walk restored at 2".to_owned()], vec!["step 3".to_owned()]));
    // Another condition has no earlier result: it is asked when control gets there.
    let (forest, _, told) = moved(of("a"), 2, of("b"));
    assert_eq!((told, goes_on(forest)), (vec!["walk restored at 2".to_owned()], vec!["step 3".to_owned()]));
}

#[test]
fn keys_take_their_values_along() {
    let old = tree(idle(), |it| {
        it.key("tuned", 1.0_f32);
        it.key("written", 1.0_f32);
        it.key("gone", 1_i64);
        it.key("typed", 1_i64);
    });
    let mut world = World::default();
    let mut forest = Forest::new(1);
    let id = forest.add_tree(old).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    for key in ["gone", "typed"] {
        forest.keys_mut(agent).unwrap().set_value(key, 5_i64).unwrap();
    }
    forest.keys_mut(agent).unwrap().set_value("written", 5.0_f32).unwrap();
    let save = forest.save().unwrap();
    let mut forest = Forest::new(1);
    let new = tree(idle(), |it| {
        it.key("typed", 2.0_f32);
        it.key("written", 2.0_f32);
        it.key("tuned", 2.0_f32);
        it.key("new", true);
    });
    forest.add_tree(new).unwrap();
    let report = forest.restore(&mut world, &save).unwrap();
    let value = |key| forest.keys(agent).unwrap().value(key).unwrap();
    assert_eq!(["typed", "written", "tuned", "new"].map(value), [2.0.into(), 5.0.into(), 2.0.into(), true.into()]);
    let keys: Vec<String> = report.trees[0].keys.iter().map(ToString::to_string).collect();
    assert_eq!(
        keys,
        [
            "the agent key `typed` has a different type",
            "the agent key `written` has a different default",
            "the agent key `tuned` has a different default",
            "the agent key `new` is new",
            "the agent key `gone` is gone"
        ]
    );
}

#[test]
fn trees_of_one_name_are_found_in_their_order() {
    let named = |text: &'static str| tree(sequence([log(text), wait(0.1)]), |_| ());
    let mut world = World::default();
    let mut forest = Forest::new(1);
    for text in ["first", "second"] {
        let id = forest.add_tree(named(text)).unwrap();
        forest.spawn(&mut world, id).unwrap();
    }
    let save = forest.save().unwrap();
    let mut forest = Forest::new(1);
    forest.add_tree(named("one")).unwrap();
    forest.add_tree(named("two")).unwrap();
    forest.restore(&mut world, &save).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["n1 says one", "n1 says two"]);
}
