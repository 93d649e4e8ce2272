//! Reactive composites run their earlier children again only when that could do something new, and
//! their agents sleep until then (SEMANTICS 8.37).

use crate::support;

use pleach_core::nodes::{
    action, check, condition, cooldown, fail, force_failure, guard, idle, inverter, limit, on_event, probability,
    random_selector, reactive_selector, reactive_sequence, selector, sequence, set, switch, timeout, token,
    utility_selector, wait,
};
use pleach_core::{
    AgentId, BlackboardType, Brain, Event, Forest, Key, Phase, Status, Tree, TreeId,
    nodes::Node,
    schema::Scope,
    trace::{Recorder, TraceEvent},
};
use support::{Cx, Game, World, always, counting};

#[derive(Clone, Copy)]
struct Keys {
    n: Key<i64>,
    on: Key<bool>,
    /// Of the group.
    alarm: Key<bool>,
    /// Of all.
    night: Key<bool>,
}

fn keyed(root: Node<Game>) -> (Tree<Game>, Keys) {
    let mut builder = Tree::<Game>::builder("test");
    let keys = Keys {
        n: builder.key("n", 0_i64),
        on: builder.key("on", false),
        alarm: builder.key_in(Scope::Group, "alarm", false),
        night: builder.key_in(Scope::Global, "night", false),
    };
    (builder.build(root).expect("valid"), keys)
}

/// A forest with one agent.
struct One {
    forest: Forest<Game>,
    world: World,
    tree: TreeId,
    agent: AgentId,
    keys: Keys,
}

impl One {
    fn new(root: Node<Game>) -> Self {
        let (mut forest, mut world) = (Forest::new(1), World::default());
        let (tree, keys) = keyed(root);
        let tree = forest.add_tree(tree).expect("no other tree");
        let agent = forest.spawn(&mut world, tree).expect("room");
        world.take();
        One { forest, world, tree, agent, keys }
    }

    /// Ticks, and says whether the agent was ticked.
    fn ticks(&mut self) -> bool {
        self.forest.tick(&mut self.world, 0.125).expect("a time").ticked > 0
    }

    /// The tick in which it begins, and the one that finds the effect of a rerun.
    fn begin(&mut self) {
        self.ticks();
        self.ticks();
    }

    fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) {
        self.forest.keys_mut(self.agent).expect("it is there").set(key, value);
    }

    fn send(&mut self, event: &'static str) {
        self.forest.agent_mut(self.agent).expect("it is there").send(Event::new(event)).expect("known");
    }

    /// What runs, by name.
    fn runs(&self) -> String {
        self.forest.agent(self.agent).expect("it is there").inspect().to_string()
    }
}

/// Idles under this name.
fn calm() -> Node<Game> {
    idle().named("calm")
}

/// Something that a branch does after its test.
fn act() -> Node<Game> {
    always("act", Status::Running).named("act")
}

#[test]
fn a_first_child_that_runs_leaves_the_agent_asleep() {
    let first: Vec<(&str, Node<Game>)> = vec![
        ("idle", reactive_selector([calm(), act()])),
        ("wait", reactive_selector([wait(9.0).named("calm"), act()])),
        ("sequence", reactive_sequence([calm(), act()])),
        ("token", reactive_selector([token("strike", 1, calm()), act()])),
        ("services", reactive_selector([calm(), act()]).with_service(9.0, always("look", Status::Success))),
        ("nested", reactive_sequence([reactive_selector([sequence([set("n", "n + 1"), calm()]), act()]), act()])),
    ];
    for (what, root) in first {
        let mut one = One::new(root);
        one.ticks();
        assert!(one.runs().contains("calm"), "{what}: {}", one.runs());
        assert!((0..40).all(|_| !one.ticks()), "{what} is awake");
    }
}

#[test]
fn reruns_that_can_do_nothing_new_leave_the_agent_asleep() {
    let quiet: Vec<(&str, Node<Game>)> = vec![
        ("check", reactive_selector([sequence([check("n > 3"), act()]), calm()])),
        ("sequence", reactive_sequence([check("n < 3"), calm()])),
        ("guard", reactive_selector([guard("on", act()), calm()])),
        ("event", reactive_selector([sequence([on_event("noise"), act()]), calm()])),
        ("group key", reactive_selector([sequence([check("alarm"), act()]), calm()])),
        ("global key", reactive_selector([sequence([check("night"), act()]), calm()])),
        ("switch", reactive_selector([switch("n", [(7, act())]), calm()])),
        ("inverter", reactive_sequence([inverter(check("on")), inverter(force_failure(check("on"))), calm()])),
        ("timeout", reactive_selector([timeout(5.0, check("on")), calm()])),
        ("exhausted", reactive_selector([limit(0, act()), calm()])),
        ("nested", reactive_selector([reactive_sequence([check("on"), act()]), selector([fail(), calm()])])),
        ("last", reactive_selector([check("on"), wait(9.0).named("calm")])),
    ];
    for (what, root) in quiet {
        let mut it = One::new(root);
        it.ticks();
        assert_eq!(it.runs(), "calm", "{what}");
        // The second tick runs the children again, and finds that nothing new can result.
        assert!(it.ticks(), "{what}");
        assert!(!it.ticks() && !it.ticks(), "{what}");
        assert_eq!(it.forest.agent(it.agent).map(|it| it.phase()), Ok(Phase::Asleep), "{what}");
        assert_eq!(it.world.log, [""; 0], "{what}");
    }
}

#[test]
fn reruns_that_do_something_are_never_left_out() {
    let loud: Vec<(&str, Node<Game>)> = vec![
        ("action", reactive_selector([counting(Status::Failure), calm()])),
        ("condition", reactive_selector([sequence([condition(counted), act()]), calm()])),
        ("guard of the host", reactive_selector([guard(condition(counted), act()), calm()])),
        ("service", reactive_selector([selector([fail()]).with_service(9.0, action(served)), calm()])),
        ("own service", reactive_selector([counting(Status::Failure), calm()]).with_service(9.0, action(silent))),
        ("set", reactive_selector([sequence([set("n", "n + 1"), fail()]), calm()])),
        ("draw", reactive_selector([sequence([probability(0.5, counting(Status::Failure))]), calm()])),
        ("order", reactive_selector([random_selector([check("on"), counting(Status::Failure)]), calm()])),
        ("score", reactive_selector([utility_selector([("n", check("on"))]), calm()])),
        ("limit", reactive_selector([limit(1_000, check("on")), calm()])),
        ("time", reactive_selector([sequence([check("time > 1000"), act()]), calm()])),
        ("cooldown", reactive_selector([cooldown(0.0, check("on")), calm()])),
    ];
    for (what, root) in loud {
        let mut it = One::new(root);
        let before = it.forest.keys(it.agent).unwrap().get(it.keys.n);
        for _ in 0..6 {
            assert!(it.ticks(), "{what}");
        }
        let n = it.forest.keys(it.agent).unwrap().get(it.keys.n) - before;
        match what {
            "set" => assert_eq!(n, 6),
            "draw" | "score" | "limit" | "time" | "cooldown" | "order" => {}
            _ => assert_eq!(it.world.count, 6, "{what}"),
        }
    }
}

fn counted(cx: &mut Cx<'_, '_>) -> bool {
    cx.host.count += 1;
    false
}

fn silent(_: &mut Cx<'_, '_>) -> Status {
    Status::Success
}

fn served(cx: &mut Cx<'_, '_>) -> Status {
    cx.host.count += 1;
    Status::Success
}

#[test]
fn a_change_of_a_key_that_is_read_wakes_the_agent_and_another_does_not() {
    let mut it = One::new(reactive_selector([sequence([check("n > 3"), act()]), calm()]));
    it.begin();
    it.set(it.keys.on, true);
    it.set(it.keys.n, 3);
    assert!(!it.ticks(), "3 is not more than 3");
    it.set(it.keys.n, 4);
    assert!(it.ticks());
    assert_eq!((it.runs().as_str(), it.world.take()), ("act", vec!["act start".to_owned(), "act update".to_owned()]));
}

#[test]
fn shared_keys_and_another_group_wake_it() {
    for key in ["alarm", "night"] {
        let mut it = One::new(reactive_selector([sequence([check(key), act()]), calm()]));
        it.begin();
        assert!(!it.ticks(), "{key}");
        if key == "night" {
            it.forest.globals_mut().set(it.keys.night, true);
        } else {
            let group = it.forest.new_group();
            it.forest.group_mut(group).unwrap().keys_mut().set(it.keys.alarm, true);
            it.forest.agent_mut(it.agent).unwrap().join(Some(group)).unwrap();
        }
        assert!(it.ticks(), "{key}");
        assert_eq!(it.runs(), "act", "{key}");
    }
}

#[test]
fn an_event_wakes_it_and_is_forgotten_in_the_next_tick() {
    let branch = || sequence([on_event("noise"), always("look", Status::Failure)]);
    let mut it = One::new(reactive_selector([branch(), calm()]));
    it.begin();
    it.send("other");
    assert!(it.ticks());
    assert!(!it.ticks());
    it.send("noise");
    assert!(it.ticks());
    assert_eq!(it.world.take().len(), 3);
    // The heard event is not visible any more: a tick must find that out.
    assert!(it.ticks());
    assert!(!it.ticks());
    // What an event lets run ends in the next tick, without one.
    let mut it = One::new(selector([reactive_sequence([on_event("noise"), calm()]), idle().named("rest")]));
    it.send("noise");
    it.ticks();
    assert_eq!(it.runs(), "calm");
    assert!(it.ticks());
    assert_eq!(it.runs(), "rest");
}

#[test]
fn a_cooldown_wakes_it_when_it_is_over() {
    let blink = || cooldown(0.5, always("blink", Status::Failure));
    for gate in ["true", "on"] {
        let mut it = One::new(reactive_selector([sequence([check(gate), blink()]), calm()]));
        it.set(it.keys.on, true);
        let mut ticked = Vec::new();
        let mut blinks = Vec::new();
        for _ in 0..13 {
            ticked.push(it.ticks());
            blinks.push(!it.world.take().is_empty());
        }
        // It cools for four ticks. One tick after a blink finds out that the rest is quiet.
        let every_fourth: Vec<bool> = (0..13).map(|at| at % 4 == 0).collect();
        assert_eq!(blinks, every_fourth, "{gate}");
        assert!(ticked.iter().filter(|it| !**it).count() >= 6, "{gate}: {ticked:?}");
    }
}

#[test]
fn a_cooldown_that_was_over_while_its_gate_was_shut_starts_when_it_opens() {
    let blink = cooldown(0.5, always("blink", Status::Failure));
    let mut it = One::new(reactive_selector([sequence([check("on"), blink]), calm()]));
    it.set(it.keys.on, true);
    it.ticks();
    assert_eq!(it.world.take().len(), 3);
    it.set(it.keys.on, false);
    for _ in 0..8 {
        it.ticks();
    }
    assert!(!it.ticks());
    it.set(it.keys.on, true);
    assert!(it.ticks());
    assert_eq!(it.world.take().len(), 3);
}

#[test]
fn a_child_that_ran_is_run_again_once_before_it_is_left_out() {
    let second = wait(0.25).named("second");
    let mut it =
        One::new(reactive_selector([check("on"), inverter(second), sequence([check("n > 3"), act()]), calm()]));
    it.begin();
    // It is over, and the last child runs. A rerun starts it, and it becomes the running child.
    assert!(it.ticks());
    assert_eq!(it.runs(), "calm");
    assert!(it.ticks());
    assert_eq!(it.runs(), "second");
}

#[test]
fn interrupts_leave_the_agent_asleep() {
    let mut it = One::new(reactive_selector([guard("on", act()), guard("n > 3", act()), wait(9.0).named("calm")]));
    assert_eq!([it.ticks(), it.ticks(), it.ticks(), it.ticks()], [true, true, false, false]);
    it.set(it.keys.on, true);
    it.ticks();
    assert_eq!(it.world.take(), ["act start", "act update"]);
    it.set(it.keys.on, false);
    it.ticks();
    assert_eq!((it.world.take(), it.runs()), (vec!["act end Abort".to_owned()], "calm".to_owned()));
}

#[test]
fn a_new_version_a_restart_and_a_rollback_find_out_anew() {
    let root = |test: &str| reactive_selector([sequence([check(test), act()]), calm()]);
    let mut it = One::new(root("n > 3"));
    it.begin();
    assert!(!it.ticks());
    // Another test, which holds: the agent that slept must find that out.
    it.forest.replace_tree(&mut it.world, it.tree, keyed(root("n < 3")).0).unwrap();
    assert!(it.ticks());
    assert_eq!(it.runs(), "act");

    let mut it = One::new(root("n > 3"));
    it.begin();
    it.ticks();
    it.forest.agent_mut(it.agent).unwrap().restart(&mut it.world);
    assert!(it.ticks() && it.ticks());
    assert!(!it.ticks());

    let mut it = One::new(root("n > 3"));
    it.begin();
    let snapshot = it.forest.snapshot().unwrap();
    it.set(it.keys.n, 4);
    it.ticks();
    assert_eq!(it.runs(), "act");
    it.forest.rollback(&snapshot).unwrap();
    assert!(!it.ticks());
    it.set(it.keys.n, 4);
    it.ticks();
    assert_eq!(it.runs(), "act");
}

#[test]
fn a_brain_asks_again_only_for_a_change() {
    let tests = || condition(counted);
    let branches = [sequence([check("n > 3"), tests(), act()]), counting(Status::Running).named("calm")];
    let (tree, Keys { n, .. }) = keyed(reactive_selector(branches));
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, 1);
    for _ in 0..4 {
        brain.tick(&mut world, 0.125).unwrap();
    }
    assert_eq!(world.count, 4);
    brain.keys_mut().set(n, 4);
    brain.tick(&mut world, 0.125).unwrap();
    brain.tick(&mut world, 0.125).unwrap();
    // Twice the condition of the host, which is asked in every tick, and twice the action.
    assert_eq!(world.count, 8);
}

#[test]
fn a_trace_lacks_what_is_left_out_unless_everything_is_reevaluated() {
    for every_tick in [false, true] {
        let mut it = One::new(reactive_selector([sequence([check("n > 3"), act()]), counting(Status::Running)]));
        it.forest.configure(|settings| settings.reevaluate_every_tick = every_tick);
        it.begin();
        let mut recorder = Recorder::all();
        it.forest.traced(&mut recorder).tick(&mut it.world, 0.125).unwrap();
        let starts = recorder.take().iter().filter(|it| matches!(it.event, TraceEvent::Start(_))).count();
        assert_eq!(starts, if every_tick { 2 } else { 0 });
    }
}
