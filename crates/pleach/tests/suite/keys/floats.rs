//! NaN and infinite floats: keys hold them, expressions compare them as IEEE 754 does. A NaN over a
//! NaN is not a change, so it wakes and aborts nothing again (SEMANTICS 8.23).

use crate::support;

use pleach_core::nodes::{action, check, idle, on_event, selector, sequence, set, utility_selector};
use pleach_core::{
    AgentId, BlackboardType, Event, Forest, Key, Outcome, Status, Tree, TreeId, Value,
    nodes::{Abort, Node},
    schema::{KeyDefault, Scope},
};
use support::{Cx, Game, World, always};

/// Different NaNs that operations may give.
const NANS: [f32; 4] = [f32::NAN, -f32::NAN, f32::from_bits(0x7fc0_0001), f32::from_bits(0xffff_ffff)];
const INF: f32 = f32::INFINITY;

/// One agent of a tree with the key `x`, which is 1 at first.
fn alone(scope: Scope, root: impl FnOnce(Key<f32>) -> Node<Game>) -> (Forest<Game>, TreeId, AgentId, Key<f32>) {
    let mut builder = Tree::builder("t");
    let x = builder.key_in(scope, "x", 1.0_f32);
    let mut forest = Forest::new(0);
    let id = forest.add_tree(builder.build(root(x)).unwrap()).unwrap();
    let agent = forest.spawn(&mut World::default(), id).unwrap();
    (forest, id, agent, x)
}

#[test]
fn keys_take_every_float() {
    let mut world = World::default();
    for scope in [Scope::Agent, Scope::Group, Scope::Global] {
        for odd in [NANS[0], NANS[3], INF, -INF] {
            let is_odd = |it: f32| it == odd || (it.is_nan() && odd.is_nan());
            let (mut forest, _, agent, x) = alone(scope, |_| on_event("e").into_key("x"));
            assert!(forest.keys_mut(agent).unwrap().set(x, odd));
            assert!(is_odd(forest.keys(agent).unwrap().get(x)));
            let mut keys = forest.keys_mut(agent).unwrap();
            assert_eq!((keys.reset(x), keys.set_value("x", odd)), (true, Ok(true)));
            forest.keys_mut(agent).unwrap().reset(x);
            forest.agent_mut(agent).unwrap().send(Event::new("e").with(odd)).unwrap();
            forest.tick(&mut world, 0.1).unwrap();
            assert!(is_odd(forest.keys(agent).unwrap().get(x)));

            let writes = |x| action(move |cx: &mut Cx<'_, '_>| Status::from_bool(cx.set(x, odd)));
            let (mut forest, _, agent, x) = alone(scope, writes);
            forest.tick(&mut world, 0.1).unwrap();
            assert!(is_odd(forest.keys(agent).unwrap().get(x)));
        }
        let (mut forest, _, agent, x) = alone(scope, |_| set("x", "0.0 / (x - x)"));
        forest.tick(&mut world, 0.1).unwrap();
        assert!(forest.keys(agent).unwrap().get(x).is_nan());
    }
    let (mut forest, id, agent, x) = alone(Scope::Agent, |_| idle());
    assert_eq!(forest.population_mut(id).unwrap().update_column(x, |_, _| INF), Ok(1));
    assert_eq!(forest.keys(agent).unwrap().get(x), INF);
}

#[test]
fn comparisons_are_those_of_ieee_754() {
    let holds = |expr: &str, value: f32| {
        let (mut forest, _, agent, x) = alone(Scope::Agent, |_| check(expr));
        forest.keys_mut(agent).unwrap().set(x, value);
        forest.tick(&mut World::default(), 0.1).unwrap();
        forest.agent(agent).map(|it| it.last_outcome()) == Ok(Some(Outcome::Success))
    };
    for nan in NANS {
        for expr in ["x < 1.0", "x <= 1.0", "x > 1.0", "x >= 1.0", "x == 1.0", "x == x", "x < 1.0 || x >= 1.0"] {
            assert!(!holds(expr, nan), "{expr}");
        }
        for expr in ["x != 1.0", "x != x", "!(x < 1.0)", "max(x, 2.0) == 2.0"] {
            assert!(holds(expr, nan), "{expr}");
        }
    }
    for expr in ["x > 3e38", "x == x", "x == x + 1.0", "-x < x", "x - x != x - x"] {
        assert!(holds(expr, INF), "{expr}");
    }
}

#[test]
fn a_nan_over_a_nan_is_no_change() {
    fn round<T: BlackboardType + Into<KeyDefault>>(of: impl Fn(f32) -> T + Send + Sync + Copy + 'static) {
        for scope in [Scope::Agent, Scope::Group, Scope::Global] {
            let mut builder = Tree::<Game>::builder("t");
            let key = builder.key_in(scope, "key", of(1.0));
            let leaf = action(move |cx: &mut Cx<'_, '_>| {
                assert!(NANS.iter().all(|&nan| !cx.set(key, of(nan))));
                Status::Success
            });
            let mut forest = Forest::new(0);
            let id = forest.add_tree(builder.build(leaf).unwrap()).unwrap();
            let agent = forest.spawn(&mut World::default(), id).unwrap();
            assert!(forest.keys_mut(agent).unwrap().set(key, of(f32::NAN)));
            for nan in NANS {
                assert!(!forest.keys_mut(agent).unwrap().set(key, of(nan)));
                assert_eq!(forest.keys_mut(agent).unwrap().set_value("key", of(nan).into_value()), Ok(false));
                if scope == Scope::Agent {
                    assert_eq!(
                        forest
                            .population_mut(id)
                            .map_err(Into::into)
                            .and_then(|mut it| it.update_column(key, |_, _| of(nan))),
                        Ok(0)
                    );
                }
            }
            assert_eq!(forest.tick(&mut World::default(), 0.1).unwrap().ended, 1);
            for other in [0.0, -0.0, INF, -INF] {
                assert!(forest.keys_mut(agent).unwrap().set(key, of(other)));
                assert!(!forest.keys_mut(agent).unwrap().set(key, of(other)));
            }
            assert!(forest.keys_mut(agent).unwrap().set(key, of(f32::NAN)));
        }
    }
    round(|it| it);
    round(|it| [it, 1.0]);
    round(|it| [0.0, it]);
    round(|it| [0.0, it, 1.0]);
    round(|it| [2.0, 1.0, it]);
    assert_eq!(Value::Float(NANS[1]), Value::Float(NANS[2]));
}

#[test]
fn a_nan_wakes_once() {
    // In a sum each change of the key matters.
    let root = |_| selector([sequence([check("x + 1 < 1.5"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let (mut forest, id, agent, x) = alone(Scope::Agent, root);
    let mut world = World::default();
    forest.tick(&mut world, 0.1).unwrap();
    let mut slept = Vec::new();
    for round in 0..8 {
        let nan = NANS[round % NANS.len()];
        match round % 3 {
            0 => drop(forest.keys_mut(agent).unwrap().set(x, nan)),
            1 => drop(forest.population_mut(id).unwrap().update_column(x, |_, _| nan).unwrap()),
            _ => drop(forest.keys_mut(agent).unwrap().set_value("x", nan).unwrap()),
        }
        let report = forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(report.aborts, 0, "what is not below 0.5 stays so");
        slept.push(report.asleep == 1);
    }
    assert_eq!(slept, [false, true, true, true, true, true, true, true]);
}

#[test]
fn a_nan_aborts_once() {
    for every_tick in [false, true] {
        let sensor = |x: Key<f32>| {
            let sensor = || -> Node<Game> {
                action(move |cx: &mut Cx<'_, '_>| {
                    cx.host.count += 1;
                    cx.set(x, NANS[usize::try_from(cx.host.count).unwrap() % NANS.len()]);
                    Status::Running
                })
            };
            // Changes from false to true with the first NaN.
            let top = sequence([check("!(x >= 0.5)"), sensor()]).aborts(Abort::BOTH);
            // Changes from true to false with the first NaN.
            let middle = sequence([check("x >= 0.5"), sensor()]).aborts(Abort::BOTH);
            selector([top, middle, idle()])
        };
        let (mut forest, _, _, _) = alone(Scope::Agent, sensor);
        forest.configure(|it| it.reevaluate_every_tick = every_tick);
        let mut world = World::default();
        let aborts: Vec<u64> = (0..8).map(|_| forest.tick(&mut world, 0.1).unwrap().aborts).collect();
        assert_eq!(aborts, [0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(world.count, 8);
    }
}

#[test]
fn a_score_that_is_no_number_comes_last_and_stays_there() {
    let root = |_| {
        let children = [("x", always("nan", Status::Running)), ("-1.0", always("number", Status::Running))];
        utility_selector(children).reevaluate()
    };
    let (mut forest, _, agent, x) = alone(Scope::Agent, root);
    let mut world = World::default();
    for nan in NANS {
        forest.keys_mut(agent).unwrap().set(x, nan);
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.take(), ["number start", "number update", "number update", "number update", "number update"]);
}
