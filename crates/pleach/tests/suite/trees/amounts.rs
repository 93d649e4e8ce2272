//! Numbers that are expressions, and jitter: which are refused, and what scenarios cannot show
//! (SEMANTICS 8.25, 8.26).

use crate::support;

use pleach_core::expr::ExprErrorKind;
use pleach_core::limits::MAX_SECONDS;
use pleach_core::nodes::{
    action, cooldown, delay, fail, idle, limit, parallel, probability, repeat, repeat_forever, selector, sequence, set,
    succeed, timeout, wait, wait_ticks,
};
use pleach_core::{
    Forest, Host, Outcome, Phase, Status, Tree, TreeBuilder, Type,
    error::{Field, Problem, ProblemKind},
    nodes::{Node, Number},
    schema::Scope,
};
use support::{Call, Cx, Game, World, always, counting, probe};

/// A tree with keys of several types.
fn builder() -> TreeBuilder<Game> {
    let mut builder = Tree::builder("t");
    builder.key("pause", 0.5_f32);
    builder.key("rounds", 2_i64);
    builder.key("alarm", false);
    builder.key("place", [0.0_f32, 0.0]);
    builder
}

fn problems(root: Node<Game>) -> Vec<Problem> {
    builder().build(root).map(drop).expect_err("it has problems").problems
}

/// The only problem of a tree.
fn problem(root: Node<Game>) -> Problem {
    let mut all = problems(root);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn act() -> pleach_core::nodes::Node<Game> {
    action(|_: &mut Cx<'_, '_>| Status::Success)
}

type Make<T> = fn(T) -> Node<Game>;

/// Everything that takes seconds, and the field.
fn with_seconds() -> Vec<(Make<Number>, Field)> {
    let seconds = || Field::Param("seconds");
    vec![
        (|it| wait(to_number(it)), seconds()),
        (|it| delay(to_number(it), idle()), seconds()),
        (|it| cooldown(to_number(it), idle()), seconds()),
        (|it| timeout(to_number(it), idle()), seconds()),
        (|it| sequence([idle()]).with_service(it, act()), Field::Service(0)),
    ]
}

fn to_number(it: Number) -> Number {
    it
}

/// Everything that takes a count, and the field.
fn with_counts() -> [(Make<&'static str>, &'static str); 3] {
    [(|it| wait_ticks(it), "ticks"), (|it| repeat(it, idle()), "count"), (|it| limit(it, idle()), "count")]
}

#[test]
fn expressions_of_numbers_are_taken() {
    for expr in ["pause", "agent.pause", "pause * 2", "rounds", "rounds + 1", "2", "0.5", "length(place)"] {
        for (make, _) in with_seconds() {
            assert!(builder().build(make(expr.into())).is_ok(), "{expr}");
        }
        assert!(builder().build(probability(expr, idle())).is_ok(), "{expr}");
    }
    for (make, _) in with_counts() {
        assert!(builder().build(make("rounds + 1")).is_ok() && builder().build(make("3")).is_ok());
    }
}

#[test]
fn a_wrong_type_is_named_with_the_key_and_the_place() {
    let wrong = |expr: &str, expected, found| ProblemKind::NotANumber { expr: expr.into(), expected, found };
    for (expr, found) in [("alarm", Type::Bool), ("place", Type::Vec2), ("pause < 1.0", Type::Bool)] {
        for (make, field) in with_seconds() {
            let problem = problem(make(expr.into()));
            assert_eq!((problem.kind, problem.field), (wrong(expr, Type::Float, found), Some(field)));
            assert_eq!(problem.span, Some(0..expr.len()));
        }
        let p = problem(probability(expr, idle()));
        assert_eq!((p.kind, p.field), (wrong(expr, Type::Float, found), Some(Field::Param("p"))));
    }
    for (expr, found) in [("pause", Type::Float), ("alarm", Type::Bool), ("0.5", Type::Float)] {
        for (make, field) in with_counts() {
            let problem = problem(make(expr));
            assert_eq!((problem.kind, problem.field), (wrong(expr, Type::Int, found), Some(Field::Param(field))));
        }
    }
    let text = |root| problem(sequence([idle(), root]).named("nap")).to_string();
    assert_eq!(text(wait("alarm")), "nap/Wait[1]: `seconds`: `alarm` is of type Bool: use a Float or an Int");
    assert_eq!(text(repeat("pause", idle())), "nap/Repeat[1]: `count`: `pause` is of type Float: use an Int");
    let long = format!("alarm{}", " || alarm".repeat(200));
    assert!(problem(wait(long)).to_string().len() < 200);
}

#[test]
fn an_expression_that_is_none_is_refused() {
    for (expr, expected) in [
        ("", "UnexpectedEnd"),
        ("pause +", "UnexpectedEnd"),
        ("pose", "UnknownKey"),
        ("pause alarm", "UnexpectedToken"),
        ("min(alarm, 2)", "WrongArgument"),
    ] {
        let mut made: Vec<Node<Game>> = with_seconds().into_iter().map(|(make, _)| make(expr.into())).collect();
        made.extend(with_counts().map(|(make, _)| make(expr)));
        made.push(probability(expr, idle()));
        for root in made {
            let ProblemKind::Expr(kind) = problem(root).kind else { panic!("{expr}") };
            assert!(format!("{kind:?}").starts_with(expected), "{expr}: {kind:?}");
        }
    }
    // A key of a node is seen by that node and below it.
    let own = || sequence([wait("own")]).with_key("own", 1.0_f32).with_service("own", act());
    assert!(builder().build(own()).is_ok());
    let all = problems(sequence([own(), wait("own")]));
    assert!(matches!(&all[..], [it] if matches!(it.kind, ProblemKind::Expr(ExprErrorKind::UnknownKey { .. }))));
}

#[test]
fn jitter_is_checked() {
    let makers: [Make<(Number, f64)>; 4] = [
        |(it, jitter)| wait(it).jitter(jitter),
        |(it, jitter)| delay(it, idle()).jitter(jitter),
        |(it, jitter)| cooldown(it, idle()).jitter(jitter),
        |(it, jitter)| sequence([idle()]).with_service(it, act()).jitter(jitter),
    ];
    for (index, make) in makers.into_iter().enumerate() {
        let field = if index == 3 { Field::Jitter(0) } else { Field::Param("jitter") };
        for (seconds, jitter) in [(2.0, 2.0), (2.0, 0.0), (0.0, 0.0), (-1.0, 0.0), (MAX_SECONDS, MAX_SECONDS)] {
            assert!(builder().build(make((seconds.into(), jitter))).is_ok(), "{seconds} {jitter}");
        }
        assert!(builder().build(make(("pause".into(), MAX_SECONDS))).is_ok());
        for span in [Number::Literal(2.0), "pause".into()] {
            for bad in [-0.5, f64::INFINITY, f64::NEG_INFINITY, MAX_SECONDS * 1.001] {
                let problem = problem(make((span.clone(), bad)));
                assert_eq!((problem.kind, problem.field), (ProblemKind::Jitter(bad), Some(field.clone())));
            }
            assert!(matches!(problem(make((span, f64::NAN))).kind, ProblemKind::Jitter(it) if it.is_nan()));
        }
        for (seconds, jitter) in [(2.0, 2.5), (0.0, 0.1), (-3.0, 1.0)] {
            let problem = problem(make((seconds.into(), jitter)));
            let expected = ProblemKind::JitterAboveSpan { jitter, seconds };
            assert_eq!((problem.kind, problem.field), (expected, Some(field.clone())));
        }
        // Both are reported, but an invalid span has no jitter that is too long.
        assert_eq!(problems(make((f64::INFINITY.into(), -1.0))).len(), 2);
        assert_eq!(problems(make((f64::INFINITY.into(), 1.0))).len(), 1);
    }
}

#[test]
fn only_what_is_drawn_has_a_jitter() {
    let others: [Node<Game>; 5] = [idle(), timeout(2.0, idle()), repeat(2, idle()), sequence([idle()]), wait_ticks(2)];
    for root in others {
        let problem = problem(root.jitter(0.5));
        assert!(matches!(problem.kind, ProblemKind::NoOption { option: "jitter", .. }), "{problem}");
    }
    // It belongs to the service before it.
    let two = sequence([idle()]).with_service(1.0, act()).jitter(0.5).with_service(0.25, act());
    assert!(builder().build(two).is_ok());
}

#[test]
fn parameters_are_shown() {
    let shown = |root: Node<Game>| builder().build(root).unwrap().root().to_string();
    assert_eq!(shown(wait("pause")), "n0 Wait(pause s)");
    assert_eq!(shown(wait("pause * 2").jitter(0.25)), "n0 Wait((pause * 2) ± 0.25 s)");
    assert_eq!(shown(cooldown(2.0, idle()).jitter(0.5)), "n0 Cooldown(2 ± 0.5 s)");
    assert_eq!(shown(repeat("rounds", idle())), "n0 Repeat(rounds times)");
    assert_eq!(shown(limit("rounds + 1", idle())), "n0 Limit((rounds + 1) times)");
    assert_eq!(shown(wait_ticks("rounds")), "n0 WaitTicks(rounds ticks)");
    assert_eq!(shown(probability("pause", idle())), "n0 Probability(pause)");
    assert_eq!(shown(probability(0.07, idle())), "n0 Probability(7 %)");
    assert_eq!(shown(probability(0.3333, idle())), "n0 Probability(33.33 %)");
    assert_eq!(shown(probability(1e-7, idle())), "n0 Probability(0.00001 %)");
}

/// A forest with one agent.
fn alone(tree: Tree<Game>, world: &mut World) -> (Forest<Game>, pleach_core::AgentId) {
    let mut forest = Forest::new(1);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(world, id).unwrap();
    (forest, agent)
}

/// In which of `ticks` ticks of a quarter of a second the action after a node is updated.
fn ticks_of(make: impl Fn(Node<Game>) -> Node<Game>, ticks: u64) -> Vec<u64> {
    let mut world = World::default();
    let (mut forest, _) = alone(builder().build(make(counting(Status::Success))).unwrap(), &mut world);
    let mut found = Vec::new();
    for tick in 1..=ticks {
        let before = world.count;
        forest.tick(&mut world, 0.25).unwrap();
        found.extend((world.count > before).then_some(tick));
    }
    found
}

#[test]
fn spans_are_bounded_at_runtime() {
    for none in ["-1.0", "0.0", "0.0 / 0.0", "-(1.0 / 0.0)", "0 - 5"] {
        assert_eq!(ticks_of(|it| sequence([wait(none), it, idle()]), 3), [1], "{none}");
        assert_eq!(ticks_of(|it| delay(none, sequence([it, idle()])), 3), [1], "{none}");
        assert_eq!(ticks_of(|it| cooldown(none, it), 3), [1, 2, 3], "{none}");
        assert_eq!(ticks_of(|it| timeout(none, it), 3), [0; 0], "{none}");
        let served = |it: Node<Game>| {
            drop(it);
            let count = action(|cx: &mut Cx<'_, '_>| {
                cx.host.count += 1;
                Status::Success
            });
            sequence([idle()]).with_service(none, count)
        };
        assert_eq!(ticks_of(served, 3), [1, 2, 3], "{none}");
    }
    for long in ["1.0 / 0.0", "3e38", "1e10"] {
        assert_eq!(ticks_of(|it| sequence([wait(long), it]), 9), [0; 0], "{long}");
        assert_eq!(ticks_of(|it| cooldown(long, it), 9), [1], "{long}");
        assert_eq!(ticks_of(|it| timeout(long, sequence([it, idle()])), 9), [1], "{long}");
    }
    // Ticks of a quarter: the first one at or past the deadline.
    for (seconds, tick) in [("0.25", 2), ("0.3", 3), ("0.5", 3), ("pause", 3), ("rounds", 9), ("1e-12", 2)] {
        assert_eq!(ticks_of(|it| sequence([wait(seconds), it, idle()]), 9), [tick], "{seconds}");
    }
}

#[test]
fn counts_are_bounded_at_runtime() {
    for none in ["0", "0 - 1", "-9223372036854775808"] {
        assert_eq!(ticks_of(|it| sequence([wait_ticks(none), it, idle()]), 3), [1], "{none}");
        assert_eq!(ticks_of(|it| selector([limit(none, it), idle()]), 3), [0; 0], "{none}");
        // No rounds are a success.
        assert_eq!(ticks_of(|it| sequence([repeat(none, fail()), it, idle()]), 3), [1], "{none}");
    }
    for many in ["4294967296", "9223372036854775807"] {
        assert_eq!(ticks_of(|it| sequence([wait_ticks(many), it]), 9), [0; 0], "{many}");
        assert_eq!(ticks_of(|it| limit(many, it), 3), [1, 2, 3], "{many}");
        assert_eq!(ticks_of(|it| sequence([repeat(many, it), fail()]), 3), [1, 2, 3], "{many}");
    }
}

#[test]
fn probabilities_are_bounded_at_runtime() {
    for never in ["0.0", "-0.5", "0.0 / 0.0", "0 - 3"] {
        assert_eq!(ticks_of(|it| probability(never, it), 5), [0; 0], "{never}");
    }
    for always in ["1.0", "1", "2.5", "1.0 / 0.0"] {
        assert_eq!(ticks_of(|it| probability(always, it), 5), [1, 2, 3, 4, 5], "{always}");
    }
}

#[test]
fn a_wait_sleeps_until_what_was_found() {
    for make in [wait::<Game> as fn(&'static str) -> _, |it| delay(it, succeed())] {
        let mut world = World::default();
        let mut builder = Tree::builder("t");
        let pause = builder.key("pause", 1.0_f32);
        let tree = builder.build(sequence([make("pause"), counting(Status::Success), idle()])).unwrap();
        let (mut forest, agent) = alone(tree, &mut world);
        forest.tick(&mut world, 0.25).unwrap();
        // A later change does not move what has begun, nor does it wake.
        for value in [0.1, 100.0, 0.0] {
            forest.keys_mut(agent).unwrap().set(pause, value);
            let report = forest.tick(&mut world, 0.25).unwrap();
            assert_eq!((report.ticked, report.asleep), (0, 1));
            assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
        }
        forest.tick(&mut world, 0.25).unwrap();
        assert_eq!(world.count, 1);
    }
}

#[test]
fn a_service_with_jitter_sleeps_between_its_runs() {
    let mut world = World::default();
    let count = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        Status::Success
    });
    let tree = builder().build(sequence([idle()]).with_service("pause * 20", count).jitter(2.0)).unwrap();
    let (mut forest, _) = alone(tree, &mut world);
    let mut ticked = 0;
    for _ in 0..400 {
        ticked += forest.tick(&mut world, 0.25).unwrap().ticked;
    }
    // A hundred seconds, with eight to twelve between two runs.
    assert!((9..=13).contains(&world.count), "{}", world.count);
    assert_eq!(ticked, world.count);
}

#[test]
fn a_thousand_do_not_wake_in_one_frame() {
    for batched in [true, false] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(3);
        forest.configure(|it| it.batched = batched);
        let root = sequence([wait(1.0).jitter(0.5), counting(Status::Success)]);
        let id = forest.add_tree(builder().build(root).unwrap()).unwrap();
        for _ in 0..1_000 {
            forest.spawn(&mut world, id).unwrap();
        }
        let mut woken = Vec::new();
        for _ in 0..52 {
            let before = world.count;
            forest.tick(&mut world, 1.0 / 32.0).unwrap();
            woken.push(world.count - before);
        }
        // No agent wakes before half a second has passed since the first frame, and all have woken
        // after one and a half.
        assert_eq!(woken[..16].iter().sum::<u64>(), 0, "{woken:?}");
        assert!(world.count >= 1_000, "{woken:?}");
        assert!(woken.iter().all(|&it| it < 80), "{woken:?}");
    }
}

#[test]
fn jitter_comes_from_the_agents_own_stream() {
    // One draw for each span with jitter, none for others.
    let draws = |node: fn() -> Node<Game>| {
        let mut world = World::default();
        let note = action(|cx: &mut Cx<'_, '_>| {
            let drawn = cx.random();
            cx.host.log.push(drawn.to_string());
            Status::Success
        });
        let (mut forest, _) = alone(builder().build(sequence([node(), note])).unwrap(), &mut world);
        for _ in 0..4 {
            forest.tick(&mut world, 9.0).unwrap();
        }
        world.take().remove(0)
    };
    let none = draws(succeed);
    assert_eq!(draws(|| wait("pause")), none);
    assert_eq!(draws(|| wait(0.5).jitter(0.0)), none);
    assert_eq!(draws(|| wait_ticks("rounds")), draws(|| wait(0.0)));
    let one = draws(|| wait(0.5).jitter(0.25));
    assert_ne!(one, none);
    assert_eq!(draws(|| wait("pause").jitter(0.25)), one);
    assert_eq!(draws(|| delay(0.5, succeed()).jitter(0.25)), one);
    assert_eq!(draws(|| cooldown(0.5, succeed()).jitter(0.25)), one);
    assert_eq!(draws(|| sequence([succeed()]).with_service(0.5, act()).jitter(0.25)), one);
}

#[test]
fn a_service_finds_its_interval_after_each_run() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("t");
    let pace = builder.key("pace", 100.0_f32);
    let slower = action(move |cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        #[expect(clippy::cast_precision_loss, reason = "few")]
        let next = cx.host.count as f32 * 0.5;
        cx.set(pace, next);
        Status::Success
    });
    let (mut forest, agent) =
        alone(builder.build(sequence([idle()]).with_service("pace", slower)).unwrap(), &mut world);
    let mut runs = Vec::new();
    for tick in 1..=14 {
        let before = world.count;
        forest.tick(&mut world, 0.25).unwrap();
        runs.extend((world.count > before).then_some(tick));
        // The new value is read at the next run: until then this changes nothing.
        forest.keys_mut(agent).unwrap().set(pace, 0.0);
    }
    assert_eq!(runs, [1, 3, 7, 13]);
}

/// A child that writes in its update how long the cooldown is to be, and something else at its end.
#[test]
fn a_cooldown_finds_its_span_before_the_end_of_its_child() {
    for by_itself in [true, false] {
        let mut world = World::default();
        let mut builder = Tree::<Game>::builder("t");
        let rest = builder.key("rest", 100.0_f32);
        let child = probe("child", move |call, cx| {
            match call {
                Call::Update => assert!(cx.set(rest, 0.5)),
                Call::End(_) => assert!(cx.set(rest, 9.0)),
                _ => {}
            }
            if by_itself { Status::Success } else { Status::Running }
        });
        let cooled = cooldown("rest", child);
        let root = if by_itself { cooled } else { timeout(0.25, cooled).result(Outcome::Success) };
        let (mut forest, _) = alone(builder.build(root).unwrap(), &mut world);
        let mut starts = Vec::new();
        for tick in 1..=8 {
            forest.tick(&mut world, 0.25).unwrap();
            starts.extend(world.take().contains(&"child start".to_owned()).then_some(tick));
        }
        // Ended by the timeout, it starts a tick later each time.
        assert_eq!(starts, if by_itself { vec![1, 3, 5, 7] } else { vec![1, 4, 7] });
    }
}

#[test]
fn a_limit_is_asked_each_time() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("t");
    let most = builder.key("most", 1_i64);
    let root = limit("most", counting(Status::Success));
    let (mut forest, agent) = alone(builder.build(root).unwrap(), &mut world);
    let mut counts = Vec::new();
    for value in [1, 1, 3, 3, 3, 0, 5, -1] {
        forest.keys_mut(agent).unwrap().set(most, value);
        forest.tick(&mut world, 0.25).unwrap();
        counts.push(world.count);
    }
    assert_eq!(counts, [1, 1, 2, 3, 3, 3, 4, 4]);
}

#[test]
fn a_repeat_counts_by_what_was_found_at_its_start() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("t");
    builder.key("rounds", 2_i64);
    builder.key_in(Scope::Group, "more", 1_i64);
    let round = sequence([set("rounds", "rounds + 1"), counting(Status::Success)]);
    let root = sequence([repeat("rounds + more", round), always("done", Status::Running)]);
    let (mut forest, _) = alone(builder.build(root).unwrap(), &mut world);
    for _ in 0..9 {
        forest.tick(&mut world, 0.25).unwrap();
    }
    assert_eq!(world.count, 3);
}

#[test]
fn spans_of_brains_are_found_too() {
    struct Quiet;
    impl Host for Quiet {
        type Cx<'a> = u64;
    }
    let mut builder = Tree::<Quiet>::builder("t");
    builder.key("pause", 0.5_f32);
    let count = action(|cx: &mut pleach_core::Context<'_, '_, Quiet>| {
        *cx.host += 1;
        Status::Success
    });
    let root = repeat_forever(sequence([wait("pause").jitter(0.0), count]));
    let mut counted = 0;
    let mut brain = pleach_core::Brain::new(&mut counted, builder.build(root).unwrap(), 7);
    for _ in 0..8 {
        brain.tick(&mut counted, 0.25).unwrap();
    }
    // Found in the ticks 1, 3, 5 and 7, and over two ticks later.
    assert_eq!(counted, 3);
}

#[test]
fn branches_draw_in_the_order_in_which_they_begin() {
    let mut world = World::default();
    let root = parallel([
        wait(0.5).jitter(0.5),
        sequence([wait("pause").jitter(0.5), always("second", Status::Success), idle()]),
    ]);
    let (mut forest, _) = alone(builder().build(root).unwrap(), &mut world);
    for _ in 0..5 {
        forest.tick(&mut world, 0.25).unwrap();
    }
    assert_eq!(world.take().iter().filter(|it| *it == "second update").count(), 1);
}
