//! What the fast tick leaves to the machine, and what it must not forget: a brain, a single agent
//! and one among many do the same, with a tracer and without.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{action, check, condition, cooldown, random_selector, selector, sequence, until_success};
use pleach_core::{
    Brain, Forest, Key, Spawn, Status, Tree,
    nodes::{Abort, Node},
    trace::Recorder,
};
use support::{Call, Cx, Game, World, always, probe};

fn says(name: &'static str, status: Status) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        cx.host.log.push(name.into());
        status
    })
}

fn runs(name: &'static str) -> Node<Game> {
    says(name, Status::Running)
}

/// Fails as soon as the key is set, and then resets another one.
fn until(name: &'static str, key: Key<bool>, reset: Key<bool>) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        cx.host.log.push(name.into());
        if !cx.get(key) {
            return Status::Running;
        }
        cx.set(reset, false);
        Status::Failure
    })
}

/// Runs, and notes its start and its end.
fn hooked(name: &'static str) -> Node<Game> {
    always(name, Status::Running)
}

fn interrupts(children: impl IntoIterator<Item = Node<Game>>) -> Node<Game> {
    sequence(children).aborts(Abort::LOWER_PRIORITY)
}

fn keyed_tree(root: impl FnOnce([Key<bool>; 3]) -> Node<Game>) -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("test");
    let keys = ["a", "b", "c"].map(|it| builder.key(it, false));
    Arc::new(builder.build(root(keys)).unwrap())
}

/// What happens before a tick, and what is called in it. Before it keys are set, or reset with a
/// `!`; a `~` replaces the tree with the second one.
type Tick<'a> = (&'a [&'a str], &'a [&'a str]);

fn plays(trees: &[Arc<Tree<Game>>], script: &[Tick<'_>]) {
    plays_with(trees, false, script);
}

/// The same with every condition asked in every tick, or not.
fn plays_with(trees: &[Arc<Tree<Game>>], every_tick: bool, script: &[Tick<'_>]) {
    for others in [None, Some(0), Some(20)] {
        for traced in [false, true] {
            let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
            let id = forest.add_tree(Arc::clone(&trees[0])).unwrap();
            let agent = forest.spawn(&mut world, id).unwrap();
            for _ in 0..others.unwrap_or(0) {
                forest.spawn_with(&mut world, id, Spawn { enabled: false, ..Spawn::default() }).unwrap();
            }
            let mut brain = Brain::new(&mut world, Arc::clone(&trees[0]), 0);
            forest.configure(|it| it.reevaluate_every_tick = every_tick);
            brain.configure(|it| it.reevaluate_every_tick = every_tick);
            world.take();
            for (tick, (sets, expected)) in script.iter().enumerate() {
                for set in *sets {
                    let (name, to) = set.strip_prefix('!').map_or((*set, true), |it| (it, false));
                    if name == "~" {
                        forest.replace_tree(&mut world, id, Arc::clone(&trees[1])).unwrap();
                        brain.replace_tree(&mut world, Arc::clone(&trees[1])).unwrap();
                    } else {
                        forest.keys_mut(agent).unwrap().set_value(name, to).unwrap();
                        brain.keys_mut().set_value(name, to).unwrap();
                    }
                }
                match (others, traced) {
                    (None, false) => drop(brain.tick(&mut world, 0.1).unwrap()),
                    (None, true) => drop(brain.traced(&mut Recorder::all()).tick(&mut world, 0.1).unwrap()),
                    (_, false) => drop(forest.tick(&mut world, 0.1).unwrap()),
                    (_, true) => drop(forest.traced(&mut Recorder::all()).tick(&mut world, 0.1).unwrap()),
                }
                assert_eq!(world.take(), *expected, "others {others:?}, traced {traced}, tick {tick}");
            }
        }
    }
}

#[test]
fn services_of_what_an_abort_starts_run() {
    let tree = keyed_tree(|_| {
        let guarded = interrupts([check("a"), runs("x")]).with_service(9.0, says("service", Status::Success));
        selector([guarded, runs("z")])
    });
    plays(&[tree], &[(&[], &["service", "z"]), (&["a"], &["service", "x"])]);
}

#[test]
fn an_abort_in_a_random_order_deletes_what_stands_behind_in_that_order() {
    // In this order: b, a, z.
    let tree = keyed_tree(|_| {
        random_selector([interrupts([check("a"), runs("y")]), interrupts([check("b"), runs("x")]), runs("z")])
            .weights([0.0, 1.0, 0.0])
    });
    plays(&[tree], &[(&[], &["z"]), (&["b"], &["x"]), (&["a"], &["x"])]);
}

#[test]
fn behind_an_abort_the_pass_goes_on() {
    // In this order: the second, the first.
    let tree = keyed_tree(|_| {
        let first = selector([interrupts([check("a"), runs("y")]), runs("z")]);
        random_selector([first, interrupts([check("b"), runs("x")])]).weights([0.0, 1.0])
    });
    plays(&[tree], &[(&[], &["z"]), (&["a", "b"], &["x"])]);
}

#[test]
fn what_starts_deletes_the_monitors_that_stand_right_of_the_running_child() {
    let guarded = || interrupts([check("a"), check("b"), runs("x")]);
    let before = keyed_tree(|[a, _, c]| selector([guarded(), until("z", c, a), hooked("w")]));
    let after = keyed_tree(|[a, _, c]| selector([until("z", c, a), guarded(), hooked("w")]));
    plays(
        &[before, after],
        &[(&["a"], &["z"]), (&["~"], &["z"]), (&["c"], &["z", "w start", "w update"]), (&["b"], &["w update"])],
    );
}

#[test]
fn a_key_that_did_not_matter_matters_at_the_next_place() {
    // While `p` runs the check is not watched.
    let tree = keyed_tree(|[_, b, c]| selector([interrupts([check("a"), until("p", c, b)]), hooked("q")]));
    plays(
        &[tree],
        &[
            (&["a"], &["p"]),
            (&["!a"], &["p"]),
            (&["c"], &["p", "q start", "q update"]),
            (&[], &["q end Abort", "q start", "q update"]),
            (&[], &["q update"]),
        ],
    );
    let tree = keyed_tree(|[_, b, c]| {
        let inner = interrupts([check("a"), until("p", c, b)]);
        sequence([selector([inner, says("r", Status::Success)]).aborts(Abort::LOWER_PRIORITY), runs("q")])
    });
    plays(&[tree], &[(&["a"], &["p"]), (&["!a"], &["p"]), (&["c"], &["p", "r", "q"]), (&[], &["r", "q"])]);
}

#[test]
fn what_an_abort_ends_below_a_cooldown_cools_down() {
    let tree = keyed_tree(|[a, _, c]| {
        selector([interrupts([check("a"), until("x", c, a)]), cooldown(9.0, runs("z")), runs("w")])
    });
    plays(&[tree], &[(&[], &["z"]), (&["a"], &["x"]), (&["c"], &["x", "w"])]);
}

#[test]
fn an_abort_deletes_the_monitors_before_its_condition_in_the_same_child() {
    let tree = keyed_tree(|[_, _, c]| {
        let first = probe("g", move |_, cx| if cx.get(c) { Status::Running } else { Status::Success });
        let guarded = sequence([first, check("a"), check("b"), runs("x")]);
        selector([guarded.aborts(Abort::SELF | Abort::LOWER_PRIORITY), runs("z")])
    });
    plays(
        &[tree],
        &[
            (&["a"], &["g start", "g update", "g end Success", "z"]),
            (&["b", "c"], &["g start", "g update"]),
            (&["!a"], &["g update"]),
        ],
    );
}

#[test]
fn a_repeating_decorator_that_an_abort_started_runs_its_child_once() {
    let tree = keyed_tree(|_| {
        let again = until_success(says("u", Status::Failure));
        selector([interrupts([check("a"), again]), runs("z")])
    });
    plays(&[tree], &[(&[], &["z"]), (&["a"], &["u"]), (&[], &["u"])]);
}

#[test]
fn an_abort_whose_end_panics_is_none() {
    let tree = keyed_tree(|_| {
        let bomb = probe("z", |call, _| match call {
            Call::End(_) => std::panic::panic_any(()),
            _ => Status::Running,
        });
        selector([interrupts([check("a"), runs("x")]), bomb])
    });
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, Arc::clone(&tree), 0);
    brain.tick(&mut world, 0.1).unwrap();
    brain.keys_mut().set_value("a", true).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| brain.tick(&mut world, 0.1))).is_err());
    assert!(brain.inspect().unwrap().last_abort.is_none());
    for others in [0, 20] {
        let mut forest = Forest::<Game>::new(0);
        let id = forest.add_tree(Arc::clone(&tree)).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        for _ in 0..others {
            forest.spawn_with(&mut world, id, Spawn { enabled: false, ..Spawn::default() }).unwrap();
        }
        forest.tick(&mut world, 0.1).unwrap();
        forest.keys_mut(agent).unwrap().set_value("a", true).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
        assert!(forest.agent(agent).unwrap().inspect().last_abort.is_none(), "{others}");
    }
}

#[test]
fn what_a_polled_condition_writes_is_looked_at_behind_it_and_not_before_it() {
    let tree = keyed_tree(|[a, b, _]| {
        let writes = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("writes".into());
            let falls = cx.get(a);
            cx.set(b, falls);
            false
        });
        let before = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("before".into());
            cx.get(b)
        });
        let behind = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("behind".into());
            cx.get(b)
        });
        let guarded = |it: Node<Game>, name| interrupts([it, runs(name)]);
        selector([
            guarded(before.observes([b.index()]), "x"),
            guarded(writes, "never"),
            guarded(behind.observes([b.index()]), "y"),
            runs("z"),
        ])
    });
    plays(
        &[tree],
        &[
            (&[], &["before", "writes", "behind", "z"]),
            (&[], &["writes", "z"]),
            (&["a"], &["writes", "behind", "behind", "y"]),
            (&[], &["before", "before", "x"]),
        ],
    );
}

#[test]
fn a_condition_that_writes_what_a_later_one_reads_has_it_asked_in_the_same_pass() {
    let tree = keyed_tree(|[a, b, _]| {
        let first = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("first".into());
            let it = cx.get(a);
            cx.set(b, it);
            false
        });
        let second = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("second".into());
            cx.get(b)
        });
        selector([
            interrupts([first.observes([a.index()]), runs("never")]),
            interrupts([second.observes([b.index()]), runs("y")]),
            runs("z"),
        ])
    });
    plays(&[tree], &[(&[], &["first", "second", "z"]), (&[], &["z"]), (&["a"], &["first", "second", "second", "y"])]);
}

#[test]
fn conditions_behind_a_check_are_asked_in_every_tick_if_all_are() {
    let tree = keyed_tree(|[_, b, _]| {
        let asked = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.log.push("asked".into());
            cx.get(b)
        });
        selector([interrupts([check("a"), runs("x")]), interrupts([asked.observes([b.index()]), runs("y")]), runs("z")])
    });
    let trees = [tree];
    plays_with(&trees, true, &[(&[], &["asked", "z"]), (&[], &["asked", "z"]), (&[], &["asked", "z"])]);
    plays_with(&trees, false, &[(&[], &["asked", "z"]), (&[], &["z"]), (&[], &["z"])]);
}
