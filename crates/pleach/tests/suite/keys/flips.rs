//! Which writes wake an agent (SEMANTICS 8.3): if its condition compares the key, only a write that
//! flips the comparison. `flips/random.rs` plays random expressions.

mod random;

use crate::support;

use pleach_core::nodes::{check, condition, guard, idle, inverter, selector, sequence, set, switch, wait_until};
use pleach_core::{
    AgentId, Brain, Entity, Forest, Status, Symbol, Tree, TreeBuilder, TreeId, Value,
    nodes::{Abort, Node},
    schema::{KeyDefault, Scope},
};
use support::{Cx, Game, World, always};

const WORDS: [&str; 4] = ["calm", "alert", "angry", "gone"];

/// A tree with keys of all types.
fn keys() -> TreeBuilder<Game> {
    let mut builder = Tree::<Game>::builder("t");
    builder.key("x", 1000.0_f32);
    builder.key("y", 10.0_f32);
    builder.key("n", 5_i64);
    builder.key("m", 7_i64);
    builder.key("on", false);
    builder.key("at", [0.0_f32, 0.0]);
    builder.key("who", Entity::NONE);
    for name in ["mood", "other"] {
        builder.declare(
            Scope::Agent,
            name,
            KeyDefault::Symbol("calm".into(), WORDS.iter().map(|&it| it.into()).collect()),
        );
    }
    builder
}

/// It waits for a change of the condition while it idles.
fn watching(source: &str) -> Node<Game> {
    selector([sequence([check(source), idle()]).aborts(Abort::BOTH), idle()])
}

struct Stage {
    forest: Forest<Game>,
    tree: TreeId,
    agent: AgentId,
    world: World,
}

impl Stage {
    /// An agent that sleeps.
    fn of(root: Node<Game>) -> Stage {
        let mut forest = Forest::new(0);
        let tree = forest.add_tree(keys().build(root).unwrap()).unwrap();
        let mut world = World::default();
        let agent = forest.spawn(&mut world, tree).unwrap();
        let mut stage = Stage { forest, tree, agent, world };
        stage.ticks();
        assert!(!stage.ticks(), "it sleeps before anything is written");
        stage
    }

    /// Whether the agent is ticked.
    fn ticks(&mut self) -> bool {
        let report = self.forest.tick(&mut self.world, 0.1).unwrap();
        assert_eq!(report.ticked + report.asleep, 1);
        report.ticked == 1
    }

    /// Whether a write wakes it. Then it falls asleep again.
    fn wakes(&mut self, key: &str, value: impl Into<Value>) -> bool {
        self.forest.keys_mut(self.agent).unwrap().set_value(key, value).unwrap();
        let wakes = self.ticks();
        assert!(!self.ticks(), "it sleeps again");
        wakes
    }

    /// Checks for each write whether it wakes.
    #[track_caller]
    fn plays<V: Into<Value> + Copy + std::fmt::Debug>(&mut self, key: &str, writes: &[(V, bool)]) {
        for &(value, wakes) in writes {
            assert_eq!(self.wakes(key, value), wakes, "{key} = {value:?}");
        }
    }
}

#[test]
fn a_float_that_a_sensor_writes_in_every_frame_wakes_nobody() {
    const CROWD: u64 = 300;
    let mut builder = Tree::<Game>::builder("hen");
    let distance = builder.key("fox_distance", 1000.0_f32);
    let mut forest = Forest::new(0);
    let tree = forest.add_tree(builder.build(watching("fox_distance < 10")).unwrap()).unwrap();
    let mut world = World::default();
    for _ in 0..CROWD {
        forest.spawn(&mut world, tree).unwrap();
    }
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, CROWD);
    for frame in 1..10_u8 {
        let at = 100.0 + f32::from(frame);
        forest.population_mut(tree).unwrap().update_agents(|hen| assert!(hen.set(distance, at)));
        let report = forest.tick(&mut world, 0.1).unwrap();
        assert_eq!((report.ticked, report.asleep), (0, CROWD));
        assert_eq!(forest.population_mut(tree).unwrap().update_column(distance, |_, it| it + 0.5), Ok(300));
        let report = forest.tick(&mut world, 0.1).unwrap();
        assert_eq!((report.ticked, report.asleep), (0, CROWD));
    }
    // The fox comes to a third of them, and leaves again.
    let mut turn = 0;
    let near = forest.population_mut(tree).unwrap().update_column(distance, |_, it| {
        turn += 1;
        if turn % 3 == 0 { 9.5 } else { it }
    });
    assert_eq!(near, Ok(100));
    let report = forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((report.ticked, report.asleep, report.aborts), (100, 200, 100));
    forest.population_mut(tree).unwrap().update_agents(|hen| {
        hen.set(distance, 500.0);
    });
    let report = forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((report.ticked, report.asleep, report.aborts), (100, 200, 100));
}

#[test]
fn a_float_wakes_when_a_comparison_with_a_constant_flips() {
    let (wakes, not) = (true, false);
    for source in ["x < 10", "10 > x", "not (x >= 10)", "if(x < 10, 1.5, 2.5) < 2"] {
        let mut stage = Stage::of(watching(source));
        stage.plays("x", &[(10.5, not), (10.0_f32, not), (9.999, wakes), (-f32::INFINITY, not), (10.0, wakes)]);
    }
    for source in ["x <= 10", "10 >= x"] {
        Stage::of(watching(source)).plays("x", &[(10.5_f32, not), (10.0, wakes), (0.0, not), (11.0, wakes)]);
    }
    for source in ["x == 10", "x != 10", "10 == x"] {
        let writes = [(10.5_f32, not), (10.0, wakes), (9.0, wakes), (11.0, not), (f32::NAN, not), (10.0, wakes)];
        Stage::of(watching(source)).plays("x", &writes);
    }
}

#[test]
fn a_nan_is_less_and_greater_than_nothing_and_zeros_are_equal() {
    let (wakes, not) = (true, false);
    let through = [f32::INFINITY, f32::NAN, -5.0, f32::NAN, 0.0, -0.0, f32::NAN];
    let plays = |source: &str, expected: [bool; 7]| {
        let writes: Vec<_> = through.into_iter().zip(expected).collect();
        Stage::of(watching(source)).plays("x", &writes);
    };
    plays("x < 0", [not, not, wakes, wakes, not, not, not]);
    plays("x <= 0", [not, not, wakes, wakes, wakes, not, wakes]);
    plays("x > 0", [not, wakes, not, not, not, not, not]);
    plays("x >= -1", [not, wakes, not, not, wakes, not, wakes]);
    plays("x == 0", [not, not, not, not, wakes, not, wakes]);
    // It holds at first, for 1000, and for each NaN.
    plays("x != 0", [not, not, not, not, wakes, not, wakes]);
    // A constant that is NaN: nothing flips, and nothing is ever equal.
    plays("x < sqrt(-1)", [not; 7]);
    plays("x != sqrt(-1)", [not; 7]);
    // The sign of a zero matters here, so each change wakes.
    plays("1 / x < 0", [wakes; 7]);
}

#[test]
fn ints_words_and_entities_wake_when_a_comparison_flips() {
    let (wakes, not) = (true, false);
    Stage::of(watching("n > 6")).plays("n", &[(6_i64, not), (7, wakes), (i64::MAX, not), (i64::MIN, wakes)]);
    Stage::of(watching("n < 5.5")).plays("n", &[(-5_i64, not), (6, wakes), (5, wakes), (i64::MIN, not)]);
    let limits = [(i64::MAX - 1, not), (i64::MAX, wakes), (0, wakes)];
    Stage::of(watching("n == 9223372036854775807")).plays("n", &limits);
    Stage::of(watching("n > 9223372036854775807")).plays("n", &[(i64::MAX, not), (i64::MIN, not)]);
    // The two ints are one float.
    let large = (1_i64 << 24) + 1;
    Stage::of(watching("n > 16777216.0")).plays("n", &[(large - 1, not), (large, not), (large + 1, wakes)]);
    let moods = [("alert", not), ("angry", wakes), ("gone", wakes), ("calm", not)];
    Stage::of(watching("mood == angry")).plays("mood", &moods.map(|(it, wakes)| (Symbol::new(it), wakes)));
    let (one, two) = (Entity::from_bits(1), Entity::from_bits(u64::MAX));
    Stage::of(watching("who != none")).plays("who", &[(one, wakes), (two, not), (Entity::NONE, wakes)]);
}

#[test]
fn a_comparison_of_two_keys_flips_by_a_write_of_either() {
    let mut stage = Stage::of(watching("x < y"));
    assert!(!stage.wakes("x", 10.5_f32) && !stage.wakes("y", 10.25_f32) && !stage.wakes("x", 10.25_f32));
    assert!(stage.wakes("y", 10.5_f32) && !stage.wakes("y", 99.0_f32) && stage.wakes("x", 100.0_f32));
    assert!(!stage.wakes("x", f32::NAN) && !stage.wakes("y", f32::NAN) && !stage.wakes("y", 0.0_f32));
    let mut stage = Stage::of(watching("m == n"));
    assert!(!stage.wakes("m", 6_i64) && stage.wakes("n", 6_i64) && stage.wakes("m", 5_i64));
    // An int beside a float.
    let mut stage = Stage::of(watching("n >= y"));
    assert!(!stage.wakes("n", 9_i64) && stage.wakes("y", 9.0_f32) && !stage.wakes("y", 8.5_f32));
    assert!(stage.wakes("n", 8_i64) && !stage.wakes("y", f32::NAN));
    let mut stage = Stage::of(watching("mood != other"));
    assert!(stage.wakes("mood", Symbol::new("alert")) && !stage.wakes("mood", Symbol::new("angry")));
    assert!(!stage.wakes("other", Symbol::new("gone")) && stage.wakes("other", Symbol::new("angry")));
    // A float differs from itself while it is a NaN.
    let mut stage = Stage::of(watching("x != x"));
    assert!(stage.wakes("x", f32::NAN) && stage.wakes("x", 1.0_f32));
}

#[test]
fn two_keys_of_a_whole_column_are_compared_agent_by_agent() {
    let mut stage = Stage::of(watching("x < y"));
    let mut write = |name: &str, value: f32| {
        let key = stage.forest.tree(stage.tree).unwrap().key::<f32>(name).unwrap();
        stage.forest.population_mut(stage.tree).unwrap().update_column(key, |_, _| value).unwrap();
        stage.ticks()
    };
    assert!(!write("x", 11.0) && !write("y", 11.0) && write("x", 10.0) && !write("x", 1.0) && write("y", 0.0));
}

#[test]
fn what_is_no_comparison_of_the_key_itself_wakes_by_each_change() {
    for source in ["-x < 0", "x + 1 > 0", "abs(x) > 0", "if(on, y, x) > 0", "min(x, y) > 0", "x > 0 && x * 2 > 0"] {
        Stage::of(watching(source)).plays("x", &[(9.0_f32, true), (9.5, true), (9.5, false)]);
    }
    Stage::of(watching("at == vec2(1, 2)")).plays("at", &[([5.0_f32, 5.0], true), ([6.0, 5.0], true)]);
    Stage::of(watching("on == true || n > 9")).plays("on", &[(true, true), (true, false), (false, true)]);
    // Code reached by a jump compares something else, or not with this constant.
    for source in ["if(on, y, 5.0) < x", "if(on, 5.0, y) < x", "x < if(on, y, 5.0)", "if(on, x, y) < 5.0"] {
        Stage::of(watching(source)).plays("x", &[(9.0_f32, true), (9.5, true)]);
    }
    // A key may be compared in one place and computed with in another.
    Stage::of(watching("y < 5 || x < y + 1")).plays("y", &[(9.0_f32, true), (9.5, true)]);
    Stage::of(watching("y < 5 || x < y + 1")).plays("x", &[(999.0_f32, true)]);
}

#[test]
fn and_or_not_and_if_wait_for_each_comparison() {
    let mut stage = Stage::of(watching("x < 10 && (n > 6 or mood == angry) || !(y < 3)"));
    assert!(!stage.wakes("x", 11.0_f32) && stage.wakes("x", 9.0_f32));
    // Regardless of the rest: which comparisons count at present is not evaluated.
    assert!(!stage.wakes("n", 6_i64) && stage.wakes("n", 7_i64) && stage.wakes("mood", Symbol::new("angry")));
    assert!(!stage.wakes("y", 4.0_f32) && stage.wakes("y", 2.0_f32));
    // Two thresholds of one key: in, out, and through both at once.
    let mut stage = Stage::of(watching("x > 5 && x < 8"));
    stage.plays("x", &[(100.0_f32, false), (6.0, true), (7.0, false), (4.0, true), (9.0, true), (8.0, false)]);
    // Nothing reads a part that a constant decides.
    Stage::of(watching("x < 10 && (false && n > 6)")).plays("n", &[(9_i64, false)]);
}

#[test]
fn guards_waits_and_switches_wait_for_flips_too() {
    let (wakes, not) = (true, false);
    let writes = [(500.0_f32, not), (9.0, wakes), (8.0, not), (50.0, wakes)];
    let mut stage = Stage::of(selector([guard("x < 10", idle()), idle()]));
    // A failed guard is not asked any more.
    stage.plays("x", &[(9.0_f32, not), (8.0, not)]);
    let mut stage2 = Stage::of(selector([guard("x > 10", idle()), idle()]));
    stage2.plays("x", &[(500.0_f32, not), (9.0, wakes), (500.0, not)]);
    let mut stage = Stage::of(sequence([wait_until("x < 10"), idle()]));
    stage.plays("x", &[(500.0_f32, not), (9.0, wakes), (50.0, not)]);
    let mut stage = Stage::of(switch("x < 10", [(true, idle()), (false, idle())]));
    stage.plays("x", &writes);
    // Over a key: all values without a case are alike.
    let mut stage = Stage::of(switch("n", [(1_i64, idle()), (2, idle())]).default(idle()));
    stage.plays("n", &[(7_i64, not), (2, wakes), (1, wakes), (9, wakes), (-9, not)]);
    let words = [("gone", wakes), ("calm", wakes), ("alert", wakes), ("angry", wakes)];
    let all = [("alert", idle()), ("angry", idle()), ("gone", idle())];
    let mut stage = Stage::of(switch("mood", all).default(idle()));
    stage.plays("mood", &words.map(|(it, wakes)| (Symbol::new(it), wakes)));
    let mut stage = Stage::of(switch("mood", [("angry", idle())]).default(idle()));
    let words = [("gone", not), ("alert", not), ("angry", wakes), ("calm", wakes)];
    stage.plays("mood", &words.map(|(it, wakes)| (Symbol::new(it), wakes)));
    let mut stage = Stage::of(switch("if(x < 10, 1, n)", [(1_i64, idle()), (2, idle())]).default(idle()));
    assert!(!stage.wakes("x", 11.0_f32) && stage.wakes("x", 9.0_f32) && stage.wakes("n", 6_i64));
    // A latched switch is not asked while it runs.
    let mut stage = Stage::of(switch("n", [(1_i64, idle())]).default(idle()).latch());
    stage.plays("n", &[(1_i64, not), (2, not)]);
}

#[test]
fn a_condition_of_the_host_wakes_by_each_change() {
    let mut builder = keys();
    let x = builder.key("z", 0.0_f32);
    let near = condition(move |cx: &mut Cx<'_, '_>| cx.get(x) < 10.0).observes([x.index()]);
    let root = selector([sequence([near, idle()]).aborts(Abort::BOTH), watching("z < -5")]);
    let mut forest = Forest::new(0);
    let tree = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let mut world = World::default();
    let agent = forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    for value in [1.0, 2.0, 20.0, 21.0, -6.0] {
        assert!(forest.keys_mut(agent).unwrap().set(x, value));
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
    }
}

#[test]
fn beyond_some_comparisons_of_a_key_each_change_wakes() {
    for (many, each) in [(32, false), (33, true), (200, true)] {
        // Far apart, so that the writes below flip none of them.
        let source = (0..many).map(|it| format!("x < {}", -1000 - it)).collect::<Vec<_>>().join(" || ");
        let mut stage = Stage::of(watching(&source));
        stage.plays("x", &[(5.0_f32, each), (6.0, each), (-2000.0, true)]);
    }
    // Equal ones count once, and others do not suffer.
    let mut checks: Vec<_> = (0..200).map(|_| sequence([check("x < 10"), idle()]).aborts(Abort::BOTH)).collect();
    checks.push(idle());
    let mut stage = Stage::of(selector(checks));
    stage.plays("x", &[(500.0_f32, false), (9.0, true), (8.0, false), (10.0, true)]);
}

#[test]
fn trees_with_many_words_of_observers_find_the_one_that_flips() {
    let branch = |it: i32| sequence([check(&format!("x < {}", it % 16)), idle()]).aborts(Abort::LOWER_PRIORITY);
    let mut branches: Vec<_> = (0..150).map(branch).collect();
    branches.push(idle());
    let mut stage = Stage::of(selector(branches));
    stage.plays("x", &[(15.5_f32, false), (15.0, false), (14.5, true), (14.25, false)]);
}

#[test]
fn what_leaves_and_nodes_write_wakes_in_the_same_way() {
    // The second branch of a parallel writes what the first waits for.
    let mut builder = keys();
    let go = builder.key("go", false);
    let level = builder.key("level", 0.0_f32);
    let raise = move |by: f32| {
        pleach_core::nodes::action(move |cx: &mut Cx<'_, '_>| {
            let old = cx.get(level);
            cx.set(level, old + by);
            Status::Success
        })
    };
    let waits = sequence([wait_until("level >= 10"), always("heard", Status::Success), idle()]);
    let step = sequence([wait_until("go"), set("go", "false"), raise(2.0), set("level", "level + 1")]);
    let root = pleach_core::nodes::parallel([waits, pleach_core::nodes::repeat_forever(step)]);
    let mut forest = Forest::new(0);
    let tree = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let mut world = World::default();
    let agent = forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    let mut log = Vec::new();
    for _ in 0..4 {
        forest.keys_mut(agent).unwrap().set(go, true);
        for _ in 0..3 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        log.push(world.take().iter().any(|it| it.starts_with("heard")));
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().asleep, 1);
    }
    // 3, 6, 9, and 12.
    assert_eq!(log, [false, false, false, true]);
}

#[test]
fn a_write_before_a_rollback_does_not_wake_behind_it() {
    let mut stage = Stage::of(watching("x < 10"));
    let before = stage.forest.snapshot().unwrap();
    stage.forest.keys_mut(stage.agent).unwrap().set_value("x", 5.0_f32).unwrap();
    let after = stage.forest.snapshot().unwrap();
    stage.forest.rollback(&before).unwrap();
    assert!(!stage.ticks() && !stage.wakes("x", 11.0_f32));
    stage.forest.rollback(&after).unwrap();
    assert!(stage.ticks());
    assert!(stage.wakes("x", 11.0_f32));
}

#[test]
fn a_brain_is_woken_by_the_same_writes() {
    let mut world = World::default();
    let asked = || inverter(always("asked", Status::Success));
    let root = selector([sequence([check("x < 10"), asked()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let mut brain = Brain::new(&mut world, keys().build(root).unwrap(), 0);
    brain.tick(&mut world, 0.1).unwrap();
    world.take();
    let mut hears = |value: f32| {
        brain.keys_mut().set_value("x", value).unwrap();
        brain.tick(&mut world, 0.1).unwrap();
        !world.take().is_empty()
    };
    assert_eq!([500.0, 10.0, 9.0, 8.0, 50.0, 9.5].map(&mut hears), [false, false, true, false, false, true]);
}
