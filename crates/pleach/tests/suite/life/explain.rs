//! What people can read about an agent: its explanation, its last abort, and its leaves'
//! parameters.

use crate::support;

use std::sync::Arc;

use pleach_core::nodes::{
    action, check, condition, cooldown, fail, guard, idle, limit, on_event, parallel, reactive_selector, repeat,
    selector, sequence, switch, timeout, until_success, utility_selector, wait, wait_ticks, wait_until,
};
use pleach_core::{
    AgentId, Brain, Event, Forest, NodeId, Outcome, Status, Symbol, Tree,
    inspect::{AbortView, QuestionKind},
    nodes::{Abort, Policy},
    schema::Scope,
    trace::Recorder,
};
use support::{Game, World};

fn node(index: usize) -> NodeId {
    NodeId::new(index).unwrap()
}

#[test]
fn the_explanation_says_what_is_watched_and_what_it_says_now() {
    let mut builder = Tree::<Game>::builder("guard");
    let health = builder.key("health", 1.0_f32);
    builder.key_in(Scope::Global, "war", false);
    let far = condition(|_| false).described("metres: 5");
    let root = selector([
        sequence([check("health < 0.3 && !war"), idle()]).named("flee").aborts(Abort::LOWER_PRIORITY),
        sequence([on_event("noise"), idle()]).aborts(Abort::LOWER_PRIORITY),
        sequence([far, idle()]).aborts(Abort::LOWER_PRIORITY),
        idle().named("patrol"),
    ]);
    let tree = builder.build(root).unwrap();
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(1));
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    let expected = "\
guard, 0.000 s, active
  does     nothing yet: its root starts in its next tick";
    assert_eq!(forest.agent(agent).unwrap().explain().to_string(), expected);
    forest.tick(&mut world, 0.25).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("noise")).unwrap();
    let expected = "\
guard, 0.250 s, active
  does     n0 Selector > n10 Idle \"patrol\"
  watches  n2 Check(health < 0.3 && !war): was failure, is failure (health = 1, global.war = false)
  watches  n5 OnEvent(noise): was failure, is success
  watches  n8 Condition(metres: 5): was failure, only the game knows";
    assert_eq!(forest.agent(agent).unwrap().explain().to_string(), expected);

    forest.keys_mut(agent).unwrap().set(health, 0.25);
    forest.tick(&mut world, 0.25).unwrap();
    let view = forest.agent(agent).unwrap().inspect();
    assert!(view.mail.is_empty());
    let abort = AbortView { scope: node(0), by: node(2), was: Outcome::Failure, ended: node(10), time: 0.5 };
    assert_eq!(view.last_abort, Some(abort));
    let expected = "\
guard, 0.500 s, asleep
  does     n0 Selector > n1 Sequence \"flee\" > n3 Idle
  recalls  n2 Check(health < 0.3 && !war): was success, is success (health = 0.25, global.war = false)
  aborted  at 0.500 s: n2 Check(health < 0.3 && !war), which was failure, changed; n10 Idle \"patrol\" ended, n0 Selector went on";
    assert_eq!(view.explain().to_string(), expected);
}

#[test]
fn guards_waits_and_interrupts_are_questions_too() {
    let mut builder = Tree::<Game>::builder("car");
    builder.declare(
        Scope::Agent,
        "mode",
        pleach_core::schema::KeyDefault::Symbol("idle".into(), vec!["idle".into(), "go".into()]),
    );
    let fuel = builder.key("fuel", 3_i64);
    let root = reactive_selector([
        guard("fuel > 9", idle()),
        parallel([guard("fuel > 0", idle()), wait_until("mode == go")]).failure(Policy::All),
    ]);
    let tree = builder.build(root).unwrap();
    let mut world = World::default();
    let mut brain = Brain::<Game>::new(&mut world, tree, 1);
    brain.tick(&mut world, 1.0).unwrap();
    let expected = "\
car, 1.000 s, active
  does     n0 ReactiveSelector > n3 Parallel
  does     n4 Guard(fuel > 0) > n5 Idle
  does     n6 WaitUntil(mode == go)
  reruns   n1 Guard(fuel > 9): is failure (fuel = 3)
  needs    n4 Guard(fuel > 0): is success (fuel = 3)
  awaits   n6 WaitUntil(mode == go): is failure (mode = idle)";
    let explained = brain.inspect().unwrap().explain();
    assert_eq!(explained.to_string(), expected);
    assert_eq!(explained.questions[1].kind, QuestionKind::Holds);
    brain.keys_mut().set(fuel, 10);
    brain.keys_mut().set_value("mode", Symbol::new("go")).unwrap();
    brain.pause(&mut world);
    let explained = brain.inspect().unwrap().explain();
    assert!(explained.questions.iter().all(|it| it.now == Some(true)), "{explained}");
    assert!(explained.to_string().starts_with("car, 1.000 s, paused\n"), "{explained}");
}

#[test]
fn the_time_of_an_abort_is_the_agents_own() {
    let mut builder = Tree::<Game>::builder("x");
    let go = builder.key("go", true);
    let tree = builder.build(sequence([check("go"), idle()]).aborts(Abort::SELF)).unwrap();
    let tree = Arc::new(tree);
    for traced in [false, true] {
        let (mut world, mut forest) = (World::default(), Forest::<Game>::new(1));
        let id = forest.add_tree(Arc::clone(&tree)).unwrap();
        forest.tick(&mut world, 100.0).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        let mut recorder = Recorder::of(traced.then_some(agent));
        let mut forest = forest.traced(&mut recorder);
        forest.tick(&mut world, 0.5).unwrap();
        forest.keys_mut(agent).unwrap().set(go, false);
        forest.tick(&mut world, 0.25).unwrap();
        let abort = forest.agent(agent).unwrap().inspect().last_abort.unwrap();
        let expected = AbortView { scope: node(0), by: node(1), was: Outcome::Success, ended: node(2), time: 0.75 };
        assert_eq!(abort, expected);
        assert_eq!(abort.to_string(), "at 0.750 s: n1, which was success, changed; n2 ended, n0 went on");
    }
}

#[test]
fn leaves_with_parameters_can_be_told_apart() {
    let walk = |to: &str| action(|_| Status::Running).described(format!("to: {to:?}"));
    let near = condition(|_| true).described("Near(metres: 5)");
    let long = "x".repeat(100);
    let root = sequence([walk("home"), walk("away\n"), guard(near, walk(&long))]);
    let tree = support::tree(root);
    let lines: Vec<String> = tree.nodes().map(|it| it.to_string()).collect();
    assert_eq!(lines[1..4], ["n1 Action(to: \"home\")", "n2 Action(to: \"away\\n\")", "n3 Guard(Near(metres: 5))"]);
    assert_eq!(lines[4], format!("n4 Action(to: \"{}…)", &long[..54]));
    assert_eq!(tree.node(node(4)).unwrap().detail().len(), 106);
}

/// Forests are resources of ECSs, and other threads read them between ticks.
#[test]
fn forests_are_send_and_sync() {
    fn both<T: Send + Sync>() {}
    both::<Forest<Game>>();
    both::<Recorder>();
    both::<Brain<Game>>();
    both::<Tree<Game>>();
}

#[test]
fn what_nodes_remember_is_told() {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("thirst", 0.25_f32);
    let rest = timeout(9.0, repeat(3, sequence([wait_ticks(1), wait(2.0)])));
    let choice = utility_selector([("1 - thirst", rest), ("thirst", idle())]).reevaluate();
    let root = selector([cooldown(4.0, limit(2, fail())), choice]);
    let tree = builder.build(root).unwrap();
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    let expected = "\
t, 1.500 s, active
  does     n0 Selector > n4 UtilitySelector > n5 Timeout(9 s) > n6 Repeat(3 times) > n7 Sequence > n9 Wait(2 s)
  left     n1 Cooldown(4 s): 3.000 s
  left     n2 Limit(2 times): 1
  order    n4 UtilitySelector: n5 Timeout(9 s) (0.750), n10 Idle (0.250)
  left     n5 Timeout(9 s): 8.000 s
  left     n6 Repeat(3 times): 3
  left     n9 Wait(2 s): 1.500 s";
    assert_eq!(forest.agent(agent).unwrap().explain().to_string(), expected);
}

#[test]
fn what_is_shown_reads_the_agents_own_time() {
    let root = utility_selector([("5 - time", limit("floor(time) + 3", idle()))]);
    let mut world = World::default();
    let mut brain = Brain::<Game>::new(&mut world, support::tree(root), 1);
    brain.tick(&mut world, 2.0).unwrap();
    let expected = "\
test, 2.000 s, asleep
  does     n0 UtilitySelector > n1 Limit((floor(time) + 3) times) > n2 Idle
  order    n0 UtilitySelector: n1 Limit((floor(time) + 3) times) (3.000)
  left     n1 Limit((floor(time) + 3) times): 4";
    assert_eq!(brain.explain().unwrap().to_string(), expected);
}

/// What nodes remember, as lines, after one tick of a tree.
fn remembered(root: pleach_core::nodes::Node<Game>) -> Vec<String> {
    let (forest, agent, _) = ticked(root, true);
    forest.agent(agent).unwrap().explain().notes.iter().map(ToString::to_string).collect()
}

#[test]
fn attempts_that_are_left_are_told() {
    assert_eq!(remembered(until_success(fail()).count(3)), ["left     n0 UntilSuccess(at most 3 times): 2"]);
    assert_eq!(remembered(until_success(fail())), [""; 0]);
}

#[test]
fn a_cooldown_that_did_not_begin_has_nothing_left() {
    let root = |outcome| selector([cooldown(4.0, fail()).after(outcome), idle()]);
    let left = "left     n1 Cooldown(4 s after failure): 4.000 s";
    assert_eq!(remembered(root(Outcome::Failure)), [left]);
    assert_eq!(remembered(root(Outcome::Success)), [""; 0]);
    let (forest, agent, _) = ticked(root(Outcome::Success), true);
    assert_eq!(why_not(&forest, agent, 2)[1..], ["decides  n1 Cooldown(4 s after success)"]);
}

/// The obstacles before a node, as lines.
fn why_not(forest: &Forest<Game>, agent: AgentId, index: usize) -> Vec<String> {
    let why = forest.agent(agent).unwrap().why_not(node(index)).expect("there is such a node").to_string();
    why.lines().skip(1).map(|it| it.trim().to_owned()).collect()
}

#[test]
fn the_order_stands_before_a_node_that_is_not_its_first() {
    let mut builder = Tree::<Game>::builder("shop");
    builder.key("hunger", 0.5_f32);
    let root = utility_selector([("hunger", idle().named("eat")), ("1 - hunger / 2", idle().named("play"))]);
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(
        why_not(&forest, agent, 1),
        ["decides  n0 UtilitySelector: in the order n2 Idle \"play\" (0.750), n1 Idle \"eat\" (0.500)"]
    );
}

#[test]
fn what_stands_before_a_node_is_told() {
    let mut builder = Tree::<Game>::builder("guard");
    let health = builder.key("health", 1.0_f32);
    let brave = builder.key("brave", false);
    let ask = condition(|_| false).described("metres: 5");
    let root = selector([
        sequence([check("health < 0.3"), guard("!brave", idle())]).named("flee"),
        sequence([ask, on_event("noise"), idle()]).named("look").aborts(Abort::LOWER_PRIORITY),
        cooldown(4.0, sequence([check("brave"), fail()])),
        sequence([wait(1.0), check("health > 2"), idle()]).named("patrol"),
        idle().named("rest"),
    ]);
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    assert_eq!(why_not(&forest, agent, 1)[0], "requires n2 Check(health < 0.3): is failure (health = 1)");
    forest.tick(&mut world, 0.5).unwrap();
    // n13 Sequence "patrol" runs.
    assert_eq!(why_not(&forest, agent, 14), ["runs     it is active"]);
    assert_eq!(
        why_not(&forest, agent, 4),
        [
            "passed   n0 Selector runs n13 Sequence \"patrol\"; no watched condition will bring it back until it restarts",
            "requires n2 Check(health < 0.3): is failure (health = 1)",
        ]
    );
    assert_eq!(
        why_not(&forest, agent, 5),
        [
            "passed   n0 Selector runs n13 Sequence \"patrol\"; a change of n6 Condition(metres: 5) brings it back",
            "requires n6 Condition(metres: 5): only the game knows",
            "requires n7 OnEvent(noise): is failure",
        ]
    );
    assert_eq!(
        why_not(&forest, agent, 16),
        ["behind   n14 Wait(1 s) runs, and comes first", "requires n15 Check(health > 2): is failure (health = 1)",]
    );
    assert_eq!(why_not(&forest, agent, 17), ["behind   n13 Sequence \"patrol\" runs, and comes first"]);
    let cooling = why_not(&forest, agent, 12);
    assert!(cooling.iter().any(|it| it == "decides  n9 Cooldown(4 s): 4.000 s left"), "{cooling:?}");
    assert!(cooling.iter().any(|it| it == "requires n11 Check(brave): is failure (brave = false)"), "{cooling:?}");
    forest.keys_mut(agent).unwrap().set(health, 0.0);
    forest.keys_mut(agent).unwrap().set(brave, true);
    forest.agent_mut(agent).unwrap().pause(&mut world);
    let paused = why_not(&forest, agent, 3);
    assert_eq!(paused[0], "phase    the agent is paused");
    assert_eq!(paused.last().unwrap(), "requires n3 Guard(!brave): is failure (brave = true)");
    assert_eq!(forest.agent(agent).unwrap().why_not(node(99)), None);
    forest.agent_mut(agent).unwrap().despawn(&mut world);
    assert!(forest.agent(agent).map(|it| it.why_not(node(1))).is_err());
}

/// Of a forest that ticked once, with a bool `b`: the agent, and a way to write the key.
fn ticked(root: pleach_core::nodes::Node<Game>, b: bool) -> (Forest<Game>, AgentId, pleach_core::Key<bool>) {
    let mut builder = Tree::<Game>::builder("t");
    let key = builder.key("b", b);
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    (forest, agent, key)
}

#[test]
fn a_child_of_a_parallel_that_ended_is_not_started_again() {
    let root = parallel([sequence([check("b")]), idle()]).failure(Policy::All);
    let (forest, agent, _) = ticked(root, true);
    let passed = "passed   n0 Parallel runs n3 Idle; no watched condition will bring it back until it restarts";
    assert_eq!(why_not(&forest, agent, 2), [passed]);
}

#[test]
fn what_is_watched_before_a_node_leads_to_it_too() {
    let first = sequence([check("b"), wait(1.0)]).aborts(Abort::LOWER_PRIORITY);
    let (forest, agent, _) = ticked(selector([first, sequence([fail(), idle()]), idle()]), false);
    let passed = "passed   n0 Selector runs n7 Idle; a change of n2 Check(b) brings it back";
    assert_eq!(why_not(&forest, agent, 6), [passed]);
}

#[test]
fn what_a_running_child_began_with_is_no_obstacle() {
    let (mut forest, agent, b) = ticked(sequence([sequence([check("b"), idle()]), wait(1.0)]), true);
    forest.keys_mut(agent).unwrap().set(b, false);
    assert_eq!(why_not(&forest, agent, 4), ["behind   n1 Sequence runs, and comes first"]);
}

#[test]
fn a_reactive_composite_tries_again_what_it_passed() {
    let (forest, agent, _) = ticked(reactive_selector([guard("b", idle()), idle()]), false);
    assert_eq!(why_not(&forest, agent, 2), ["requires n1 Guard(b): is failure (b = false)"]);
}

#[test]
fn a_guard_that_skips_its_child_is_no_obstacle_in_a_sequence() {
    let skip = |when: &str| guard(when, sequence([check("!b"), idle()])).result(Outcome::Success);
    // n7 comes after a guard that does not hold: nothing in it has to succeed.
    let (forest, agent, _) = ticked(sequence([wait(1.0), skip("b"), idle()]), false);
    assert_eq!(why_not(&forest, agent, 6), ["behind   n1 Wait(1 s) runs, and comes first"]);
    // It does keep its own child from running.
    let own = ["behind   n1 Wait(1 s) runs, and comes first", "requires n2 Guard(b): is failure (b = false)"];
    assert_eq!(why_not(&forest, agent, 3), own);
    // A sequence that begins with it continues.
    let (forest, agent, _) = ticked(sequence([wait(1.0), sequence([skip("b"), idle()])]), false);
    assert_eq!(why_not(&forest, agent, 2), ["behind   n1 Wait(1 s) runs, and comes first"]);
    // In a selector it succeeds, so nothing after it runs. If it holds, its child fails.
    let root = || sequence([wait(1.0), selector([skip("b"), idle()])]);
    let (forest, agent, _) = ticked(root(), false);
    let before = ["behind   n1 Wait(1 s) runs, and comes first", "before   n3 Guard(b) comes first"];
    assert_eq!(why_not(&forest, agent, 7), before);
    let (forest, agent, _) = ticked(root(), true);
    assert_eq!(why_not(&forest, agent, 7), ["behind   n1 Wait(1 s) runs, and comes first"]);
}

#[test]
fn a_switch_stands_before_what_it_does_not_select() {
    for latched in [false, true] {
        let root = switch("b", [(true, idle()), (false, wait(1.0))]);
        let (mut forest, agent, b) = ticked(if latched { root.latch() } else { root }, false);
        let selects = "selects  n0 Switch(b: true, false) (b = false)";
        let passed = "passed   n0 Switch runs n2 Wait(1 s); no watched condition will bring it back until it restarts";
        let passed = passed.replace("n0 Switch", "n0 Switch(b: true, false)");
        let mut expected = vec![selects.to_owned()];
        if latched {
            expected.insert(0, passed.clone());
        }
        assert_eq!(why_not(&forest, agent, 1), expected);
        // The next pass selects it, unless it is latched.
        forest.keys_mut(agent).unwrap().set(b, true);
        let nothing = "nothing  is in the way: the next tick that reaches it starts it".to_owned();
        assert_eq!(why_not(&forest, agent, 1), [if latched { passed } else { nothing }]);
    }
}
