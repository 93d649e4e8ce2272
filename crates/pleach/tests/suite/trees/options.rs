//! Options of nodes: what they do, on which nodes, and the problems of those that do not fit.

use crate::support;

use pleach_core::nodes::{
    action, action_of, check, condition, condition_of, cooldown, deferred, emit, fail, finally, guard, idle, limit,
    on_event, parallel, random_selector, random_sequence, repeat, repeat_forever, selector, sequence, succeed, switch,
    timeout, until_failure, until_success, utility_selector, wait,
};
use pleach_core::{
    Action, Condition, Context, Forest, Observes, Outcome, Status, Tree,
    error::{Field, LeafError, ProblemKind},
    nodes::{Abort, Ending, Node, Policy},
};
use support::{Cx, Game, World, counting};

fn act() -> Node<Game> {
    action(|_: &mut Cx<'_, '_>| Status::Running)
}

fn ask() -> Node<Game> {
    condition(|_: &mut Cx<'_, '_>| true)
}

/// A tree with the key `n`.
fn build(root: Node<Game>) -> Result<Tree<Game>, Vec<(Field, ProblemKind)>> {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("n", 0_i64);
    let field = |it: pleach_core::error::Problem| (it.field.expect("a field"), it.kind);
    builder.build(root).map_err(|error| error.problems.into_iter().map(field).collect())
}

fn problem(root: Node<Game>) -> (Field, ProblemKind) {
    let all = build(root).map(drop).expect_err("it has a problem");
    let [only] = &*all else { panic!("{all:?}") };
    only.clone()
}

/// The outcome of a tree that ends in its first tick.
fn outcome(root: Node<Game>) -> Outcome {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(build(root).expect("a valid tree")).expect("no other keys");
    let agent = forest.spawn(&mut world, tree).expect("room");
    forest.tick(&mut world, 0.5).expect("a good dt");
    forest.agent(agent).expect("it is here").last_outcome().expect("it has ended")
}

type Set = fn(Node<Game>) -> Node<Game>;
type Make = fn() -> Node<Game>;

/// Each option with its name, and with a node that has it.
const OPTIONS: [(&str, Set, Make); 19] = [
    ("success", |it| it.success(Policy::All), || parallel([idle()])),
    ("failure", |it| it.failure(Policy::All), || parallel([idle()])),
    ("weights", |it| it.weights([1.0]), || random_sequence([idle()])),
    ("reevaluate", Node::reevaluate, || utility_selector([("1", idle())])),
    ("default", |it| it.default(idle()), || switch("n", [(1, idle())])),
    ("latch", Node::latch, || switch("n", [(1, idle())])),
    ("end_on_failure", Node::end_on_failure, || repeat(3, idle())),
    ("result", |it| it.result(Outcome::Failure), || timeout(1.0, idle())),
    ("count", |it| it.count(3), || until_success(idle())),
    ("after", |it| it.after(Outcome::Success), || cooldown(1.0, idle())),
    ("on", |it| it.on(Ending::Aborted), || finally([], idle())),
    ("exhausted", |it| it.exhausted(Outcome::Failure), || limit(1, idle())),
    ("into", |it| it.into_key("n"), || on_event("e")),
    ("to", Node::to_group, || emit("e")),
    ("payload", |it| it.payload("n"), || emit("e")),
    ("observes", |it| it.observes([]), ask),
    ("every", |it| it.every(0.5), ask),
    ("described", |it| it.described("so"), act),
    ("jitter", |it| it.jitter(0.1), || wait(1.0)),
];

#[test]
fn an_option_fits_its_kinds_alone() {
    for (option, set, node) in OPTIONS {
        assert!(build(set(node())).is_ok(), "{option}");
        let (field, kind) = problem(set(idle()));
        assert_eq!(field, Field::Param(option));
        assert_eq!(kind, ProblemKind::NoOption { kind: "Idle".into(), option });
    }
}

#[test]
fn an_option_is_given_once() {
    for (option, set, node) in OPTIONS {
        assert_eq!(problem(set(set(node()))), (Field::Param(option), ProblemKind::OptionTwice { option }));
    }
    // A condition observes one thing.
    let option = "every";
    let kind = ProblemKind::OptionTwice { option };
    assert_eq!(problem(ask().observes([]).every(1.0)), (Field::Param(option), kind));
    // Each service has its own.
    let served = sequence([idle()]).with_service(1.0, act()).jitter(0.1).with_service(1.0, act()).jitter(0.1);
    let twice = ProblemKind::OptionTwice { option: "jitter" };
    assert_eq!(problem(served.jitter(0.1)), (Field::Jitter(1), twice));
}

#[test]
fn other_kinds_that_share_an_option_have_it() {
    let all = [
        random_selector([idle()]).weights([1.0]),
        repeat_forever(idle()).end_on_failure(),
        cooldown(1.0, idle()).jitter(0.5),
        until_failure(idle()).count("n"),
        guard("n > 0", idle()).result(Outcome::Success),
        guard(ask(), idle()).result(Outcome::Success),
        ask().described("so"),
        condition_of(Always).every(1.0),
        deferred(|_| Ok(ask())).observes([]).described("so"),
    ];
    for root in all {
        assert!(build(root).is_ok());
    }
    assert!(matches!(problem(act().observes([])).1, ProblemKind::NoOption { option: "observes", .. }));
    assert!(matches!(problem(act().every(1.0)).1, ProblemKind::NoOption { option: "every", .. }));
    assert!(matches!(problem(check("n > 0").observes([])).1, ProblemKind::NoOption { .. }));
    assert!(matches!(problem(sequence([idle()]).described("so")).1, ProblemKind::NoOption { .. }));
}

#[test]
fn messages_say_which_kinds_have_the_option() {
    let text = |root: Node<Game>| {
        let error = Tree::<Game>::builder("t").build(sequence([root])).expect_err("it has a problem");
        error.problems[0].to_string()
    };
    let of = |option, who| format!("Sequence/Idle[0]: `{option}`: Idle has no `{option}`: only {who} can have it");
    assert_eq!(text(idle().weights([])), of("weights", "RandomSequence, RandomSelector and RandomChoice"));
    assert_eq!(text(idle().latch()), of("latch", "Switch"));
    assert_eq!(text(idle().result(Outcome::Success)), of("result", "Guard and Timeout"));
    assert_eq!(text(idle().jitter(1.0)), of("jitter", "Cooldown, Delay, Wait and services"));
    // A required field is not an option: a Set has a `to`.
    assert_eq!(text(idle().to_group()), of("to", "Emit"));
    assert_eq!(text(idle().described("so")), of("described", "leaves of the host"));
    assert_eq!(text(idle().every(1.0)), of("every", "conditions of the host"));
    let twice = "Sequence/Emit[0]: `payload`: `payload` is given twice: once is enough";
    assert_eq!(text(emit("e").payload("1").payload("1")), twice);
}

#[test]
fn weights_are_one_per_child() {
    let kind = ProblemKind::Count { found: 1, children: 2 };
    assert_eq!(problem(random_sequence([idle(), idle()]).weights([1.0])), (Field::Param("weights"), kind));
    assert_eq!(problem(random_selector([idle()]).weights([])).0, Field::Param("weights"));
}

#[test]
fn options_that_are_left_out_are_those_of_assets() {
    assert_eq!(outcome(timeout(0.0, idle())), Outcome::Failure);
    assert_eq!(outcome(timeout(0.0, idle()).result(Outcome::Success)), Outcome::Success);
    assert_eq!(outcome(guard("n > 0", idle())), Outcome::Failure);
    assert_eq!(outcome(guard("n > 0", idle()).result(Outcome::Success)), Outcome::Success);
    assert_eq!(outcome(guard(condition(|_| false), idle()).result(Outcome::Success)), Outcome::Success);
    assert_eq!(outcome(until_success(fail()).count(1)), Outcome::Failure);
    assert_eq!(outcome(until_success(succeed()).count(1)), Outcome::Success);
    assert_eq!(outcome(until_success(idle()).count("n")), Outcome::Failure);
    assert_eq!(outcome(until_failure(idle()).count("n - 1")), Outcome::Success);
    assert_eq!(outcome(until_failure(idle()).count("0")), Outcome::Success);
    assert_eq!(outcome(limit(0, idle())), Outcome::Failure);
    assert_eq!(outcome(limit(0, idle()).exhausted(Outcome::Success)), Outcome::Success);
    assert_eq!(outcome(parallel([succeed(), fail()])), Outcome::Failure);
    assert_eq!(outcome(parallel([succeed(), fail()]).success(Policy::Any)), Outcome::Success);
    assert_eq!(outcome(parallel([fail(), succeed(), succeed()]).failure(Policy::AtLeast(2))), Outcome::Failure);
    assert_eq!(outcome(switch("n", [(1, succeed())])), Outcome::Failure);
    assert_eq!(outcome(switch("n", [(1, fail())]).default(succeed())), Outcome::Success);
    // Without the option it would go on in the next tick.
    assert_eq!(outcome(repeat(9, fail()).end_on_failure()), Outcome::Failure);
}

/// How often a condition is asked in three ticks, in which its key changes once.
fn asked(of: impl FnOnce(Node<Game>, pleach_core::Key<i64>) -> Node<Game>) -> u64 {
    let mut builder = Tree::<Game>::builder("t");
    let n = builder.key("n", 0_i64);
    let test = condition(move |cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        cx.get(n) < 9
    });
    let tree = builder.build(sequence([of(test, n), idle()]).aborts(Abort::SELF)).expect("a valid tree");
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(tree).expect("no other keys");
    let agent = forest.spawn(&mut world, tree).expect("room");
    for round in 0..3 {
        forest.tick(&mut world, 0.5).expect("a good dt");
        if round == 0 {
            forest.keys_mut(agent).expect("it is here").set(n, 1);
        }
    }
    world.count
}

#[test]
fn what_a_condition_observes_counts_in_place_of_what_it_says() {
    assert_eq!(asked(|it, _| it), 3);
    assert_eq!(asked(|it, n| it.observes([n.index()])), 2);
    assert_eq!(asked(|it, _| it.observes([])), 1);
    assert_eq!(asked(|it, _| it.every(100.0)), 1);
    assert_eq!(asked(|it, n| deferred(|_| Ok(it)).observes([n.index()])), 2);
    assert_eq!(asked(|it, n| deferred(move |_| Ok(it.observes([n.index()])))), 2);
}

struct Always;
impl Condition<Game> for Always {
    type State = ();
    fn observes(&self) -> Observes {
        Observes::Keys(Vec::new())
    }
    fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
        Status::Success
    }
}
impl Action<Game> for Always {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
        Status::Success
    }
}

#[test]
fn one_type_can_be_an_action_and_a_condition() {
    assert_eq!((outcome(action_of(Always)), outcome(condition_of(Always))), (Outcome::Success, Outcome::Success));
    assert!(!action_of::<Game, _>(Always).is_condition() && condition_of::<Game, _>(Always).is_condition());
    assert!(check::<Game>("n > 0").is_condition() && !deferred(|_| Ok(ask())).is_condition());
    assert_eq!((act().described("so").detail(), act().detail(), idle::<Game>().detail()), ("so", "", ""));
}

#[test]
fn a_guard_asks_expressions_and_conditions() {
    let when: [Node<Game>; 5] =
        ["n == 0".into(), String::from("n == 0").into(), check("n == 0"), ask(), deferred(|_| Ok(ask()))];
    for when in when {
        assert_eq!(outcome(guard(when, succeed())), Outcome::Success);
    }
    let shown = |when: Node<Game>| build(guard(when, idle())).expect("a valid tree").root().to_string();
    assert_eq!(shown(check("n == 0")), "n0 Guard(n == 0)");
    assert_eq!(shown(ask()), "n0 Guard");
    assert_eq!(shown(ask().described("3 m")), "n0 Guard(3 m)");
    assert_eq!(shown(ask().of_kind("Near")), "n0 Guard(Near)");
    assert_eq!(shown(deferred(|_| Ok(ask().described("3 m"))).of_kind("Near")), "n0 Guard(Near(3 m))");
}

#[test]
fn only_leaves_of_the_host_are_parts_of_nodes() {
    let not_a_leaf = |kind: &str| ProblemKind::NotALeaf { kind: kind.into() };
    let when = || Field::Param("when");
    for (node, kind) in [(on_event("e"), "OnEvent"), (wait(1.0), "Wait"), (sequence([ask()]), "Sequence")] {
        assert_eq!(problem(guard(node, idle())), (when(), not_a_leaf(kind)));
    }
    assert_eq!(problem(guard(act(), idle())), (when(), ProblemKind::ActionAsTest));
    let served = |node| sequence([idle()]).with_service(1.0, act()).with_service(1.0, node);
    assert_eq!(problem(served(idle())), (Field::Service(1), not_a_leaf("Idle")));
    assert_eq!(problem(served(selector([act()]))), (Field::Service(1), not_a_leaf("Selector")));
    for node in [ask(), check("n > 0"), deferred(|_| Ok(ask()))] {
        assert_eq!(problem(served(node)), (Field::Service(1), ProblemKind::ConditionAsService));
    }
    let error = Tree::<Game>::builder("t").build(deferred(|_| Ok(wait(1.0)))).expect_err("it is no leaf of the host");
    assert_eq!((&error.problems[0].kind, &error.problems[0].field), (&not_a_leaf("Wait"), &None));
    let twice = deferred(|_| Ok(deferred(|_| Ok(ask()))));
    assert_eq!(problem(guard(twice, idle())), (when(), not_a_leaf("what `deferred` makes")));
    assert_eq!(problem(guard(deferred(|_| Ok(check("true"))), idle())), (when(), not_a_leaf("Check")));
}

#[test]
fn parts_of_nodes_are_no_nodes_of_their_own() {
    let given: [(&str, Set); 9] = [
        ("name", |it| it.named("a")),
        ("id", |it| it.with_id("a")),
        ("note", |it| it.with_note("a")),
        ("abort", |it| it.aborts(Abort::SELF)),
        ("blackboard", |it| it.with_key("k", 1_i64)),
        ("services", |it| it.with_service(1.0, act())),
        ("origin", |it| it.from_origin(1)),
        ("kind", |it| it.of_kind("Near")),
        ("", |it| it),
    ];
    for (what, give) in given {
        let told = |kind: &str| match what {
            "" => None,
            what => Some(ProblemKind::PartOfNode { kind: kind.into(), what }),
        };
        let of = |root| build(root).err().map(|all| all.into_iter().map(|it| it.1).collect::<Vec<_>>());
        let check_told = told("Check").map(|it| vec![it]);
        assert_eq!(of(guard(give(check("n > 0")), idle())), check_told, "{what}");
        // A leaf of the host is shown by its kind.
        let shown = |kind| told(kind).filter(|_| what != "kind").map(|it| vec![it]);
        assert_eq!(of(guard(give(ask()), idle())), shown("Condition"), "{what}");
        assert_eq!(of(sequence([idle()]).with_service(1.0, give(act()))), shown("Action"), "{what}");
        // Problems of what a deferred leaf is made of are reported for the node.
        let error = Tree::<Game>::builder("t").build(deferred(move |_| Ok(give(ask())))).err();
        let kinds = error.map(|it| it.problems.into_iter().map(|it| it.kind).collect::<Vec<_>>());
        assert_eq!(kinds, told("Condition").map(|it| vec![it]), "{what}");
    }
    // Wrong options of a part are reported with those of its node.
    let (field, kind) = problem(guard(ask().latch(), idle()));
    assert_eq!(
        (field, kind),
        (Field::Param("latch"), ProblemKind::NoOption { kind: "Condition".into(), option: "latch" })
    );
    let (field, kind) = problem(guard(ask(), idle().latch()));
    assert_eq!((field, kind), (Field::Param("latch"), ProblemKind::NoOption { kind: "Idle".into(), option: "latch" }));
}

#[test]
fn options_of_a_deferred_leaf_are_those_of_what_it_makes() {
    let both = deferred(|_| Ok(ask().described("in"))).described("out");
    assert_eq!(problem(both).1, ProblemKind::OptionTwice { option: "described" });
    let both = deferred(|_| Ok(ask().every(1.0))).observes([]);
    assert_eq!(problem(both).1, ProblemKind::OptionTwice { option: "every" });
    let action = deferred(|_| Ok(act())).every(1.0);
    assert_eq!(problem(action).1, ProblemKind::NoOption { kind: "Action".into(), option: "every" });
    let shown = |root| build(root).expect("a valid tree").root().to_string();
    assert_eq!(shown(deferred(|_| Ok(act().described("in")))), "n0 Action(in)");
    assert_eq!(shown(deferred(|_| Ok(act())).described("out")), "n0 Action(out)");
    // For one that cannot be made, only that is reported.
    let refused = deferred(|_| Err(LeafError::Other("no".into()))).every(1.0);
    let all = Tree::<Game>::builder("t").build(refused).expect_err("it cannot be made").problems;
    assert_eq!(all.into_iter().map(|it| it.kind).collect::<Vec<_>>(), [ProblemKind::Leaf("no".into())]);
}

#[test]
fn the_default_of_a_switch_is_its_last_child() {
    let tree =
        build(switch("n", [(1, idle()), (2, sequence([counting(Status::Success)]))]).default(sequence([wait(1.0)])))
            .expect("a valid tree");
    let nodes: Vec<String> = tree.nodes().map(|it| it.to_string()).collect();
    assert_eq!(
        nodes,
        ["n0 Switch(n: 1, 2, else)", "n1 Idle", "n2 Sequence", "n3 Action", "n4 Sequence", "n5 Wait(1 s)"]
    );
    // Deep chains are built and refused without copies at each level.
    let nested = |levels: usize| (1..levels).fold(fail(), |it, _| switch("n", [(1, idle())]).default(it));
    assert!(build(nested(100)).is_ok());
    let kind = Tree::<Game>::builder("t").build(nested(100_000)).expect_err("too deep").problems.remove(0).kind;
    assert!(matches!(kind, ProblemKind::TooDeep(_) | ProblemKind::TooManyNodes(_)), "{kind:?}");
}
