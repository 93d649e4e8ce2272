//! Validation: every problem, all of them at once and in node order, and every limit, at it and
//! past it.

use crate::support;

use pleach_core::expr::KeyIndex;
use pleach_core::limits::{
    MAX_DEPTH, MAX_KEYS, MAX_NAME, MAX_NODES, MAX_ORDERED_CHILDREN, MAX_PROBLEMS, MAX_SECONDS, MAX_WORDS,
};
use pleach_core::nodes::{
    action, check, condition, cooldown, delay, emit, fail, guard, idle, inverter, log, on_event, parallel, probability,
    random_selector, random_sequence, repeat, selector, sequence, set, succeed, timeout, until_failure, until_success,
    utility_selector, wait, wait_until,
};
use pleach_core::{
    NodeId, Outcome, Status, Tree, Type,
    error::{Field, Problem, ProblemKind, SchemaError},
    nodes::{Abort, Node, Policy},
    schema::{KeyDefault, Schema, Scope},
};
use support::{Cx, Game};

fn problems(root: Node<Game>) -> Vec<Problem> {
    Tree::builder("t").build(root).map(drop).expect_err("it has problems").problems
}

/// The only problem of a tree.
fn problem(root: Node<Game>) -> ProblemKind {
    let mut all = problems(root);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).kind
}

fn is_valid(root: Node<Game>) -> bool {
    Tree::builder("t").build(root).is_ok()
}

fn act() -> pleach_core::nodes::Node<Game> {
    action(|_: &mut Cx<'_, '_>| Status::Running)
}

fn ask() -> pleach_core::nodes::Node<Game> {
    condition(|_: &mut Cx<'_, '_>| true)
}

fn many(count: usize) -> impl Iterator<Item = Node<Game>> {
    (0..count).map(|_| succeed())
}

#[test]
fn shapes() {
    assert!(matches!(problem(sequence([])), ProblemKind::NoChildren { kind } if kind == "Sequence"));
    assert!(matches!(problem(parallel([])), ProblemKind::NoChildren { .. }));
    assert!(matches!(problem(utility_selector::<Game, &str>([])), ProblemKind::NoChildren { .. }));
    assert!(matches!(problem(random_sequence([])), ProblemKind::NoChildren { .. }));
    assert!(matches!(problem(inverter(idle()).aborts(Abort::SELF)), ProblemKind::AbortWithoutComposite { .. }));
    assert!(matches!(problem(idle().with_service(1.0, act())), ProblemKind::ServiceWithoutComposite { .. }));
    assert!(matches!(problem(sequence([idle()]).with_service(1.0, ask())), ProblemKind::ConditionAsService));
    assert!(matches!(problem(guard(act(), idle())), ProblemKind::ActionAsTest));
    assert!(is_valid(guard(ask(), idle())));
}

#[test]
fn policies_weights_and_scores() {
    let with = |policy| parallel(many(3)).success(policy);
    assert!(is_valid(with(Policy::AtLeast(1))) && is_valid(with(Policy::AtLeast(3))));
    for wanted in [0, 4, u16::MAX] {
        assert_eq!(problem(with(Policy::AtLeast(wanted))), ProblemKind::Policy { wanted, children: 3 });
    }
    let weighted = |weights: &[f64]| random_selector(many(2)).weights(weights.iter().copied());
    assert!(is_valid(weighted(&[0.0, 0.0])));
    assert_eq!(problem(weighted(&[1.0])), ProblemKind::Count { found: 1, children: 2 });
    assert_eq!(problem(weighted(&[1.0, -0.1])), ProblemKind::Weight(-0.1));
    assert_eq!(problem(weighted(&[f64::INFINITY, 1.0])), ProblemKind::Weight(f64::INFINITY));
    assert!(matches!(problem(weighted(&[f64::NAN, 1.0])), ProblemKind::Weight(it) if it.is_nan()));
    // Each has its place.
    let fields = |root| problems(root).into_iter().map(|it| it.field.expect("a field")).collect::<Vec<_>>();
    assert_eq!(
        fields(random_sequence(many(3)).weights([1.0, -1.0, f64::NAN])),
        [1, 2].map(|it| Field::Item("weights", it))
    );
    let served =
        [1.0, 1e10, -1.0, f64::NAN].iter().fold(sequence([idle()]), |it, &every| it.with_service(every, act()));
    assert_eq!(fields(served), [1, 3].map(Field::Service));
    // With an infinite sum, none could be drawn.
    assert!(is_valid(weighted(&[f64::MAX, 0.0])));
    assert_eq!(problem(weighted(&[f64::MAX, f64::MAX])), ProblemKind::WeightSum);
    assert_eq!(problem(random_sequence(many(3)).weights([f64::MAX / 2.0; 3])), ProblemKind::WeightSum);
    assert!(matches!(problem(utility_selector([("true", idle())])), ProblemKind::Expr(_)));
    assert!(matches!(problem(utility_selector([("1 +", idle())])), ProblemKind::Expr(_)));
}

#[test]
fn durations_probabilities_and_counts() {
    let makers: [fn(f64) -> Node<Game>; 5] = [
        wait,
        |it| cooldown(it, idle()),
        |it| delay(it, idle()),
        |it| timeout(it, idle()).result(Outcome::Success),
        |it| sequence([idle()]).with_service(it, act()),
    ];
    for make in makers {
        for good in [0.0, -1.0, f64::MIN, f64::MIN_POSITIVE, MAX_SECONDS] {
            assert!(is_valid(make(good)), "{good}");
        }
        for bad in [MAX_SECONDS * 1.001, f64::MAX, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(problem(make(bad)), ProblemKind::Duration(bad));
        }
        assert!(matches!(problem(make(f64::NAN)), ProblemKind::Duration(_)));
    }
    assert!(is_valid(probability(0.0, idle())) && is_valid(probability(1.0, idle())));
    for bad in [-0.01, 1.01, f64::INFINITY] {
        assert_eq!(problem(probability(bad, idle())), ProblemKind::Probability(bad));
    }
    assert!(matches!(problem(probability(f64::NAN, idle())), ProblemKind::Probability(_)));
    assert_eq!(problem(repeat(0, idle())), ProblemKind::NoRounds);
    assert_eq!(problem(until_success(idle()).count(0)), ProblemKind::NoAttempts);
    assert_eq!(problem(until_failure(idle()).count(0)), ProblemKind::NoAttempts);
    assert!(is_valid(repeat(u32::MAX, idle())));
}

#[test]
fn names_ids_and_events() {
    let long = "x".repeat(MAX_NAME);
    let longer = "x".repeat(MAX_NAME + 1);
    assert!(is_valid(sequence([on_event(&long), emit(&long)]).named(&long).with_id(&long)));
    for bad in ["", &longer] {
        for root in [idle().named(bad), idle().with_id(bad), on_event(bad), emit(bad)] {
            assert!(matches!(problem(root), ProblemKind::BadName(_)));
        }
    }
    let twice = problems(sequence([idle().with_id("a").named("first"), idle().with_id("a").from_origin(7)]));
    assert_eq!(twice.len(), 1);
    assert_eq!(twice[0].kind, ProblemKind::DoubledId { id: "a".into(), other: "Sequence/first[0]".into() });
    assert_eq!((twice[0].node, twice[0].origin), (NodeId::new(2), Some(7)));
    assert_eq!(twice[0].path, "Sequence/Idle[1]");
}

#[test]
fn only_an_emit_is_to_the_group() {
    assert!(is_valid(emit("e").to_group()));
    for root in [on_event("e").to_group(), idle().to_group()] {
        assert!(matches!(problem(root), ProblemKind::NoOption { option: "to", .. }));
    }
    assert!(matches!(problem(emit("e").to_group().to_group()), ProblemKind::OptionTwice { option: "to" }));
    let problem = &problems(sequence([idle().to_group()]))[0];
    assert_eq!(problem.to_string(), "Sequence/Idle[0]: `to`: Idle has no `to`: only Emit can have it");
}

#[test]
fn keys_and_expressions() {
    let unknown = |kind| matches!(kind, ProblemKind::Key(SchemaError::Unknown { .. }));
    assert!(unknown(problem(set("nothing", "1"))));
    assert!(unknown(problem(on_event("e").into_key("nothing"))));
    for root in [check("nothing"), wait_until("1 + 1"), guard("1 <", idle()), emit("e").payload("nothing")] {
        assert!(matches!(problem(root), ProblemKind::Expr(_)));
    }
    let index = KeyIndex::new(0).unwrap();
    assert_eq!(problem(condition(|_: &mut Cx<'_, '_>| true).observes([index])), ProblemKind::Observes);
    let mut builder = Tree::<Game>::builder("t");
    let shared = builder.key_in(Scope::Global, "shared", false);
    let root = condition(|_: &mut Cx<'_, '_>| true).observes([shared.index()]);
    assert!(builder.build(root).is_ok());

    let mut builder = Tree::<Game>::builder("t");
    builder.key("n", 1_i64);
    let error = builder.build(sequence([set("n", "true"), check("n < unknown")])).unwrap_err();
    assert_eq!(error.problems.len(), 2);
    assert_eq!(error.problems[1].span, Some(4..11));
    assert_eq!(error.problems[1].field, Some(Field::Param("expr")));
}

#[test]
fn bad_declarations() {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("ok", 1_i64);
    builder.key("ok", 1.0_f32);
    for name in ["", "a b", "1a", "true", "a.b", &"x".repeat(MAX_NAME + 1)] {
        builder.key(name, 1_i64);
    }
    builder.key("inf", f32::INFINITY);
    builder.key("vec", [0.0, f32::NAN]);
    builder.declare(Scope::Agent, "word", KeyDefault::Symbol("b".into(), vec!["a".into()]));
    builder.declare(Scope::Agent, "sym", KeyDefault::Value(pleach_core::Symbol::new("a").into()));
    builder.key_in(Scope::Node, "node", 1_i64);
    builder.declare(Scope::Node, "node", 1_i64.into());
    let problems = builder.build(idle()).unwrap_err().problems;
    let kinds: Vec<_> = problems
        .iter()
        .map(|it| match &it.kind {
            ProblemKind::Key(SchemaError::Doubled { .. }) => 0,
            ProblemKind::Key(SchemaError::BadName(_)) => 1,
            ProblemKind::Key(SchemaError::NotFinite(_)) => 2,
            ProblemKind::Key(SchemaError::NotAWord { .. }) => 3,
            ProblemKind::Key(SchemaError::NoWords(_)) => 4,
            ProblemKind::Key(SchemaError::Misplaced { scope: Scope::Node, .. }) => 5,
            _ => 9,
        })
        .collect();
    assert_eq!(kinds, [0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 5]);
    assert!(problems.iter().all(|it| it.node.is_none()));
    let mut schema = Schema::default();
    for (scope, node, good) in [
        (Scope::Node, Some(NodeId::ROOT), true),
        (Scope::Node, None, false),
        (Scope::Agent, Some(NodeId::ROOT), false),
        (Scope::Group, Some(NodeId::ROOT), false),
        (Scope::Global, Some(NodeId::ROOT), false),
    ] {
        let misplaced = SchemaError::Misplaced { name: "k".into(), scope };
        assert_eq!(schema.declare("k", scope, node, 1_i64.into()).err(), (!good).then_some(misplaced));
    }
    assert_eq!(schema.keys().len(), 1);
    // On a node, the problem has the node's path.
    let root = sequence([idle().with_key("k", 1_i64).with_key("k", 2_i64)]);
    let problem = problems_of_one(root);
    assert_eq!((problem.path.as_str(), problem.field), ("Sequence/Idle[0]", Some(Field::Key(Scope::Node, "k".into()))));
}

fn problems_of_one(root: Node<Game>) -> Problem {
    let mut all = problems(root);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn all_problems_at_once_in_node_order() {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("a b", 1_i64);
    let root = selector([
        sequence([wait(f64::NAN).named(""), check("nothing")]).named("first"),
        inverter(probability(2.0, sequence([]))).aborts(Abort::BOTH),
        repeat(0, set("nothing", "1")).with_id("x"),
        idle().with_id("x"),
    ]);
    let error = builder.build(root).unwrap_err();
    let nodes: Vec<_> = error.problems.iter().map(|it| it.node.map(NodeId::index)).collect();
    assert_eq!(nodes, [None, Some(2), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7), Some(8), Some(9)]);
    assert_eq!(error.problems[3].path, "Selector/first[0]/Check[1]");
    assert_eq!(error.problems[6].path, "Selector/Inverter[1]/Probability[0]/Sequence[0]");
    let text = error.to_string();
    assert!(text.starts_with("the tree has 10 problems\n  "), "{text}");
    assert_eq!(text.lines().count(), 11);
}

#[test]
fn limits_of_keys_and_of_ordered_children() {
    for (count, good) in [(MAX_KEYS, true), (MAX_KEYS + 1, false)] {
        let mut builder = Tree::<Game>::builder("t");
        for number in 0..count {
            builder.key(&format!("key{number}"), 1_i64);
        }
        match builder.build(idle()) {
            Ok(tree) => assert!(good && tree.schema().keys().len() == MAX_KEYS),
            Err(error) => {
                assert!(!good);
                assert_eq!(error.problems[0].kind, ProblemKind::Key(SchemaError::TooMany));
            }
        }
    }
    assert!(is_valid(random_selector(many(MAX_ORDERED_CHILDREN))));
    let past = MAX_ORDERED_CHILDREN + 1;
    assert_eq!(problem(random_selector(many(past))), ProblemKind::TooManyOrdered(past));
    assert_eq!(
        problem(utility_selector(many(past).map(|it| ("1.0", it))).reevaluate()),
        ProblemKind::TooManyOrdered(past)
    );
}

#[test]
fn limit_of_words() {
    let most = MAX_WORDS;
    let build = |count: usize| {
        let mut builder = Tree::<Game>::builder("t");
        let words: Vec<String> = (0..count).map(|it| format!("w{it}")).collect();
        builder.declare(Scope::Agent, "s", KeyDefault::Symbol("w7".into(), words));
        builder.build(check(&format!("s == w{}", most - 1)))
    };
    assert_eq!(build(most).unwrap().schema().keys().next().map(|it| it.words().count()), Some(most));
    let kind = build(most + 1).unwrap_err().problems.remove(0).kind;
    assert_eq!(kind, ProblemKind::Key(SchemaError::TooManyWords { name: "s".into(), count: most + 1 }));
}

#[test]
fn words_of_one_hash() {
    let words = ["axhBAsDpjnhfb", "fpBbeddDlDavg"].map(String::from);
    let mut builder = Tree::<Game>::builder("t");
    builder.declare(Scope::Agent, "s", KeyDefault::Symbol(words[0].clone(), words.to_vec()));
    let problems = builder.build(check("s == s")).unwrap_err().problems;
    let [one, other] = words;
    assert_eq!(problems[0].kind, ProblemKind::Key(SchemaError::Collision(one, other)));
    assert!(matches!(problems[1].kind, ProblemKind::Expr(_)));
}

#[test]
fn limits_of_nodes_and_leaves() {
    assert!(is_valid(sequence(many(MAX_NODES - 1))));
    assert_eq!(problem(sequence(many(MAX_NODES))), ProblemKind::TooManyNodes(MAX_NODES + 1));
    // Services are leaves as well, but not nodes.
    let served = |count| (0..count).fold(sequence([act()]), |it, _| it.with_service(1.0, act()));
    assert!(is_valid(served(MAX_NODES - 1)));
    assert_eq!(problem(served(MAX_NODES)), ProblemKind::TooManyLeaves);
}

#[test]
fn depth() {
    type Wrap = fn(Node<Game>) -> Node<Game>;
    let wraps: [Wrap; 4] =
        [inverter, |it| sequence([it]), |it| sequence([it, idle()]), |it| selector([succeed(), idle(), it])];
    for wrap in wraps {
        let nested = |levels: usize| (1..levels).fold(fail(), |it, _| wrap(it));
        let tree = Tree::<Game>::builder("t").build(nested(MAX_DEPTH)).unwrap();
        assert_eq!(tree.nodes().map(|it| it.depth()).max(), Some(MAX_DEPTH));
        assert_eq!(problem(nested(MAX_DEPTH + 1)), ProblemKind::TooDeep(MAX_DEPTH + 1));
        // Neither slow nor too deep for the stack: to build, to refuse, to drop.
        for levels in [10_000, 100_000] {
            drop(nested(levels));
            let kind = problem(nested(levels));
            assert!(matches!(kind, ProblemKind::TooDeep(_) | ProblemKind::TooManyNodes(_)), "{kind:?}");
        }
    }
}

#[test]
fn problems_are_told_up_to_a_limit_and_then_counted() {
    let most = MAX_PROBLEMS;
    for (count, more) in [(most, 0), (most + 1, 1), (20_000, 20_000 - most)] {
        let root = sequence((0..count).map(|_| check("1 > x")));
        let error = Tree::<Game>::builder("t").build(root).unwrap_err();
        assert_eq!((error.problems.len(), error.more), (most, more));
        let last = &error.problems[most - 1];
        assert_eq!((&*last.path, &last.span), ("Sequence/Check[999]", &Some(4..5)));
        let text = error.to_string();
        assert!(text.starts_with(&format!("the tree has {count} problems\n")), "{text}");
        assert_eq!(text.ends_with(&format!("\n  ... and {more} more")), more > 0);
    }
}

/// The path of each problem has the names of the nodes above.
#[test]
fn names_that_are_too_long_do_not_fill_the_memory() {
    let long = "é".repeat(2 << 20);
    let all = problems(sequence((0..500).map(|_| wait(f64::NAN))).named(long));
    assert_eq!(all.len(), 501);
    assert!(all.iter().map(|it| it.path.len()).sum::<usize>() < 1 << 20);
}

#[test]
fn looking_around_in_a_tree() {
    let tree = Tree::<Game>::builder("t")
        .build(selector([
            sequence([check("true").named("see"), inverter(ask()), idle().with_id("wait").with_note("here")])
                .named("fight")
                .aborts(Abort::BOTH),
            parallel([idle().named("a/b[0]"), inverter(inverter(succeed().named("deep")))]).with_service(1.0, act()),
        ]))
        .unwrap();
    let at = |index| tree.node(NodeId::new(index).unwrap()).unwrap();
    assert_eq!((tree.len(), tree.run_stacks(), tree.nodes().len()), (11, 3, 11));
    assert!(tree.node(NodeId::new(11).unwrap()).is_none() && NodeId::new(usize::MAX).is_none());
    assert_eq!(tree.find("see").map(|it| it.id().index()).collect::<Vec<_>>(), [2]);
    assert_eq!(tree.find("nothing").count(), 0);
    assert_eq!(tree.find_id("wait").and_then(|it| it.note()), Some("here"));
    assert!(tree.find_id("see").is_none());
    assert_eq!(
        ["see", "wait"].map(|it| tree.find_one(it).unwrap().id().index()),
        [2, tree.find_id("wait").unwrap().id().index()]
    );
    assert_eq!(tree.find_one("se").unwrap_err().to_string(), "no node of `t` is called `se`: did you mean `see`?");
    assert_eq!(
        tree.find_one("zzzzz").unwrap_err().to_string(),
        "no node of `t` is called `zzzzz`: the named nodes are `fight`, `see`, `wait`, `a/b[0]` and `deep`"
    );
    let nameless = Tree::<Game>::builder("t").build(idle()).unwrap();
    assert_eq!(nameless.find_one("zzzzz").unwrap_err().to_string(), "no node of `t` is called `zzzzz`");
    let twice = Tree::<Game>::builder("t").build(sequence([idle().named("a"), idle().named("b"), idle().named("a")]));
    assert_eq!(
        twice.unwrap().find_one("a").unwrap_err().to_string(),
        "several nodes of `t` are called `a`, n1 and n3 among them: give one an `id`"
    );
    for node in tree.nodes() {
        assert_eq!(tree.find_path(&node.path()).map(|it| it.id()), Some(node.id()), "{}", node.path());
        for child in node.children() {
            assert_eq!(child.parent().map(|it| it.id()), Some(node.id()));
            assert_eq!(child.depth(), node.depth() + 1);
        }
        for other in tree.nodes() {
            // Compared with a plain walk up.
            let above =
                |it| std::iter::successors(tree.node(it), |it| it.parent()).map(|it| it.id()).collect::<Vec<_>>();
            let (mine, theirs) = (above(node.id()), above(other.id()));
            assert_eq!(tree.contains(node.id(), other.id()), theirs.contains(&node.id()));
            let common = mine.iter().find(|it| theirs.contains(it)).copied();
            assert_eq!(Some(node.lowest_common_ancestor(other).id()), common);
        }
    }
    for path in
        ["", "Sequence", "Selector/", "Selector/fight", "Selector/fight[1]", "Selector/fight[0]x", "Selector/see[0]"]
    {
        assert!(tree.find_path(path).is_none(), "{path}");
    }
    let conditions = |index| at(index).child_conditions().map(|it| it.id().index()).collect::<Vec<_>>();
    assert_eq!((conditions(0), conditions(1), conditions(6)), (vec![], vec![2, 4], vec![]));
    assert_eq!(at(4).nearest_composite().map(|it| it.id().index()), Some(1));
    assert_eq!(at(1).subtree().len(), 5);
    assert_eq!((at(1).abort(), at(6).services(), at(4).is_condition()), (Abort::BOTH, 1, true));
}

#[test]
fn a_node_is_found_by_whatever_is_printed_of_it() {
    let tree = Tree::<Game>::builder("t")
        .build(selector([
            sequence([check("true").named("see"), idle().named("two\nlines").with_id("wait")]).named("fight"),
            idle().named("n0"),
            idle().named("n5"),
            idle().named("twice"),
            sequence([idle().named("twice")]),
        ]))
        .unwrap();
    for node in tree.nodes() {
        for text in [node.to_string(), node.path()] {
            assert_eq!(tree.find_printed(&text).map(|it| it.id()), Ok(node.id()), "{text}");
        }
    }
    for (text, expected) in [
        ("see", 2),
        ("\"see\"", 2),
        ("'see'", 2),
        ("`see`", 2),
        ("two\\nlines", 3),
        ("\"two\\nlines\"", 3),
        ("wait", 3),
        ("n2", 2),
        // A person gave these names, so they come before numbers.
        ("n0", 4),
        ("n5", 5),
        ("n0 Selector", 0),
    ] {
        assert_eq!(tree.find_printed(text).map(|it| it.id().index()), Ok(expected), "{text}");
    }
    for (text, expected) in [
        ("n9", "`t` has no node n9: its nodes are n0 to n8"),
        ("n99999999999999999999", "`t` has no node n99999999999999999999: its nodes are n0 to n8"),
        ("\"n2\"", "no node of `t` is called `n2`: did you mean `n0` or `n5`?"),
        ("twice", "several nodes of `t` are called `twice`, n6 and n8 among them: give one an `id`"),
    ] {
        assert_eq!(tree.find_printed(text).unwrap_err().to_string(), expected);
    }
    // A trace line of another version, and texts that are not names at all.
    for none in ["n2 Check(false) \"see\"", "n", "n-1", "n+1", "", "\"", "\"\"", "n1 ", "Selector/"] {
        assert!(tree.find_printed(none).is_err(), "{none}");
    }
}

#[test]
fn a_node_is_found_by_a_line_of_a_trace() {
    let mut builder = Tree::<Game>::builder("t");
    builder.event("noise", Some(Type::Int));
    let root = selector([
        sequence([idle().named("stab")]).named("poke"),
        sequence([log("a -> b"), idle(), emit("noise").payload("1 + 1")]),
    ]);
    let tree = builder.build(root).unwrap();
    for (text, expected) in [
        ("start     n1 Sequence \"poke\"", 1),
        ("update    n5 Idle -> running", 5),
        ("n5 Idle -> running", 5),
        ("end       n1 Sequence \"poke\" -> ended: aborted", 1),
        (&format!("update    {} -> success", tree.nodes().nth(4).unwrap()), 4),
        (&format!("emit      {} 2", tree.nodes().nth(6).unwrap()), 6),
        // A line with two nodes is about the first.
        ("abort     n0 Selector goes on at n5 Idle", 0),
        ("12 1.200 s AgentId(1v1) start     n5 Idle", 5),
    ] {
        assert_eq!(tree.find_printed(text).map(|it| it.id().index()), Ok(expected), "{text}");
    }
    // Lines of another version: another kind, name or number.
    for none in [
        "update    n5 Wait(1 s) -> running",
        "update    n1 Sequence \"hit\" -> running",
        "update    n5 Idle \"rest\" -> running",
        "update    n55 Idle -> running",
        "update    n5 Idles",
    ] {
        assert!(tree.find_printed(none).is_err(), "{none}");
    }
}

#[test]
fn a_node_is_found_by_its_kind_alone_or_with_its_name() {
    let tree = Tree::<Game>::builder("t")
        .build(selector([
            sequence([idle().named("Fail"), fail()]).named("big slam"),
            sequence([wait(1.0).named("big slam"), idle().named("rest")]),
            idle().named("rest"),
        ]))
        .unwrap();
    for (text, expected) in [
        ("Sequence \"big slam\"", 1),
        ("Wait \"big slam\"", 5),
        ("Wait", 5),
        // A person gave this name, so it comes before the kind.
        ("Fail", 2),
    ] {
        assert_eq!(tree.find_printed(text).map(|it| it.id().index()), Ok(expected), "{text}");
    }
    for (text, expected) in [
        ("Sequence", "several nodes of `t` are called `Sequence`, n1 and n4 among them: give one an `id`"),
        ("Idle \"rest\"", "several nodes of `t` are called `Idle \"rest\"`, n6 and n7 among them: give one an `id`"),
        ("big slam", "several nodes of `t` are called `big slam`, n1 and n5 among them: give one an `id`"),
    ] {
        assert_eq!(tree.find_printed(text).unwrap_err().to_string(), expected);
    }
    for none in ["Sequence \"rest\"", "Wait \"big\"", "Wait \"", "Parallel", "\"Wait\"", "wait"] {
        assert!(tree.find_printed(none).is_err(), "{none}");
    }
    assert!(tree.find_one("Wait").is_err(), "a kind is no name");
}
