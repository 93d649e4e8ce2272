//! Switches: which are refused, and what scenarios do not show.

use crate::support;

use pleach_core::expr::ExprErrorKind;
use pleach_core::nodes::{action, idle, sequence, switch, wait};
use pleach_core::{
    Forest, NodeId, Phase, Reason, Spawn, Status, Tree, TreeBuilder, Type,
    error::{Field, Problem, ProblemKind},
    nodes::{Case, Node, NodeList},
    schema::{KeyDefault, Scope},
    trace::{Recorder, TraceEvent},
};
use support::{Cx, Game, World};

fn builder() -> TreeBuilder<Game> {
    let mut builder = Tree::builder("t");
    builder.declare(Scope::Agent, "mode", KeyDefault::Symbol("idle".into(), vec!["idle".into(), "alert".into()]));
    builder.declare(Scope::Agent, "mood", KeyDefault::Symbol("calm".into(), vec!["calm".into(), "alert".into()]));
    builder.key("n", 0_i64);
    builder.key("on", false);
    builder.key("hp", 1.0_f32);
    builder
}

fn problems(root: Node<Game>) -> Vec<Problem> {
    builder().build(root).map(drop).expect_err("it has problems").problems
}

fn on<const N: usize>(on: &str, cases: [Case; N]) -> Node<Game> {
    switch(on, cases.map(|it| (it, idle())))
}

#[test]
fn a_list_gives_a_switch_a_child_for_each_case() {
    for (children, default, valid) in [(1, false, false), (2, false, true), (3, false, false), (2, true, false)] {
        let mut list = NodeList::<Game>::default();
        (0..children).for_each(|_| list.push(idle(), 0));
        let cases = [(true, idle()), (false, idle())];
        let root = switch("on", cases);
        list.push(if default { root.default(idle()) } else { root }, children);
        let root = list.into_node().unwrap();
        if valid {
            assert!(is_valid(root));
            continue;
        }
        let problems = problems(root);
        assert_eq!(problems[0].kind, ProblemKind::Count { found: 2 + usize::from(default), children });
        assert_eq!((&problems[0].field, problems.len()), (&Some(Field::Param("cases")), 1));
    }
}

fn is_valid(root: Node<Game>) -> bool {
    builder().build(root).is_ok()
}

#[test]
fn cases_are_of_the_type_of_the_value_and_known_to_its_keys() {
    assert!(is_valid(on("on", [true.into()])));
    assert!(is_valid(on("n % 3", [(-7).into(), i64::MAX.into()])));
    assert!(is_valid(on("mode", ["alert".into(), "idle".into()])));
    assert!(is_valid(on("if(on, mode, mood)", ["calm".into(), "idle".into(), "alert".into()])));
    let problem = |root| {
        let mut all = problems(root);
        assert_eq!(all.len(), 1, "{all:?}");
        let Problem { kind, field, .. } = all.remove(0);
        (field.expect("a field"), kind)
    };
    for (source, ty) in [("hp", Type::Float), ("hp + 1", Type::Float), ("none", Type::Entity)] {
        // Its cases are not reported: none could be right.
        let told = problem(on(source, ["x".into(), 1.into(), 1.into()]));
        assert_eq!(told, (Field::Param("on"), ProblemKind::SwitchType(ty)));
    }
    let wrong = |case: Case, on| ProblemKind::CaseType { case, on };
    let second = Field::Item("cases", 1);
    assert_eq!(problem(on("n", [1.into(), true.into()])), (second.clone(), wrong(true.into(), Type::Int)));
    assert_eq!(problem(on("on", [true.into(), "x".into()])), (second.clone(), wrong("x".into(), Type::Bool)));
    assert_eq!(problem(on("mode", ["idle".into(), 7.into()])), (second.clone(), wrong(7.into(), Type::Symbol)));
    for case in [Case::from(3), true.into(), "idle".into()] {
        let source = match case {
            Case::Int(_) => "n",
            Case::Bool(_) => "on",
            Case::Word(_) => "mode",
        };
        let doubled = problem(on(source, [case.clone(), case.clone()]));
        assert_eq!(doubled, (second.clone(), ProblemKind::DoubledCase(case)));
    }
    let (field, kind) = problem(on("mode", ["idle".into(), "calm".into()]));
    assert!(
        matches!(kind, ProblemKind::Expr(ExprErrorKind::UnknownWord { ref word, .. }) if word == "calm"),
        "{kind:?}"
    );
    assert_eq!(field, second);
    let (_, kind) = problem(on("mode", ["alret".into()]));
    assert_eq!(kind.to_string(), "unknown symbol `alret`: did you mean `alert`?");
    // The value does not compile: only repeated cases are reported.
    let all: Vec<_> = problems(on("moed", ["x".into(), 1.into(), "x".into()])).into_iter().map(|it| it.field).collect();
    assert_eq!(all, [Some(Field::Param("on")), Some(Field::Item("cases", 2))]);
}

#[test]
fn a_switch_has_a_case() {
    let none = || std::iter::empty::<(bool, Node<Game>)>();
    let told = |root| problems(root).into_iter().map(|it| it.kind).collect::<Vec<_>>();
    assert_eq!(told(switch("on", none())), [ProblemKind::NoChildren { kind: "Switch".into() }]);
    assert_eq!(told(switch("on", none()).default(idle())), [ProblemKind::NoCases]);
    assert_eq!(told(switch("on", none()).default(idle()).latch()), [ProblemKind::NoCases]);
}

#[test]
fn what_is_switched_off_is_told_why_and_a_sleeper_wakes_for_it() {
    let mut builder = builder();
    let n = builder.key("m", 0_i64);
    let tree = builder.build(switch("m", [(0, wait(100.0)), (1, idle())])).unwrap();
    let (mut forest, mut recorder) = (Forest::<Game>::new(1), Recorder::all());
    let mut forest = forest.traced(&mut recorder);
    let id = forest.add_tree(tree).unwrap();
    let mut world = World::default();
    let agent = forest.spawn_with(&mut world, id, Spawn::default()).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(forest.agent(agent).unwrap().inspect().phase, Phase::Asleep);
    let explained = forest.agent(agent).unwrap().explain().to_string();
    assert!(explained.contains("\n  selects  n0 Switch(m: 0, 1) (m = 0)"), "{explained}");
    forest.keys_mut(agent).unwrap().set(n, 1);
    forest.tracer().take();
    forest.tick(&mut world, 0.5).unwrap();
    let node = |it| NodeId::new(it).unwrap();
    let happened: Vec<TraceEvent> = forest.tracer().take().into_iter().map(|it| it.event).collect();
    let expected = [
        TraceEvent::Tick,
        TraceEvent::Aborted(node(1), Reason::Switched),
        TraceEvent::Switch(node(0)),
        TraceEvent::Start(node(2)),
        TraceEvent::Update(node(2), Status::Running),
        TraceEvent::TickEnd,
    ];
    assert_eq!(happened, expected);
}

/// Selecting comes before the services of the start, so that what they write counts from the next
/// pass on.
#[test]
fn a_service_that_writes_the_value_is_late_for_the_start() {
    for (latched, expected) in [(false, [2, 3]), (true, [2, 2])] {
        let mut builder = builder();
        let m = builder.key("m", 0_i64);
        let set = action(move |cx: &mut Cx<'_, '_>| {
            cx.set(m, 1);
            Status::Success
        });
        let cases = [(Case::Int(0), idle()), (Case::Int(1), idle())];
        let root = switch("m", cases).with_service(100.0, set);
        let root = if latched { root.latch() } else { root };
        let tree = builder.build(sequence([root])).unwrap();
        let mut forest = Forest::<Game>::new(1);
        let id = forest.add_tree(tree).unwrap();
        let mut world = World::default();
        let agent = forest.spawn(&mut world, id).unwrap();
        let mut top = || {
            forest.tick(&mut world, 0.5).unwrap();
            forest.agent(agent).unwrap().inspect().stacks[0].last().unwrap().index()
        };
        assert_eq!([top(), top()], expected, "{latched}");
    }
}
