//! Many sleepers that wake in one tick, some of which have more to do than the others: each does
//! what it would do without sleep, in batches and in order (SEMANTICS 8.3, 8.11).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use pleach_core::nodes::{action, check, on_event, repeat, repeat_forever, selector, sequence, until_failure, wait};
use pleach_core::{
    AgentId, Completion, Event, Forest, Key, Phase, Status, Tree,
    nodes::{Abort, Node},
    schema::Scope,
};
use support::{Call, Cx, Game, World, probe};

/// More than one chunk.
const AGENTS: usize = 1100;
const CHUNK: usize = 1024;

/// How a forest ticks its agents.
#[derive(Clone, Copy, Debug)]
enum Way {
    Awake,
    InOrder,
    Batched,
}

type Keys = (Key<i64>, Key<bool>);

struct Crowd {
    forest: Forest<Game>,
    agents: Vec<AgentId>,
    world: World,
    keys: Keys,
}

impl Crowd {
    fn new(way: Way, root: impl Fn(Keys) -> Node<Game>) -> Self {
        let mut world = World::default();
        let mut forest = Forest::new(3);
        forest.configure(|it| it.sleep = !matches!(way, Way::Awake));
        forest.configure(|it| it.batched = matches!(way, Way::Batched));
        let mut tree = Tree::builder("sleeper");
        let keys = (tree.key("me", 0), tree.key("alarm", false));
        // Agents that change their squad are looked at in the next tick.
        tree.key_in(Scope::Group, "squad", 0_i64);
        let tree = forest.add_tree(tree.build(root(keys)).unwrap()).unwrap();
        let agents: Vec<_> = (0..AGENTS).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
        for (number, &agent) in (0..).zip(&agents) {
            forest.keys_mut(agent).unwrap().set(keys.0, number);
        }
        Crowd { forest, agents, world, keys }
    }

    fn tick(&mut self, times: usize) {
        for _ in 0..times {
            self.forest.tick(&mut self.world, 0.125).unwrap();
        }
    }

    /// What each agent logged and where it is, or that it is gone. An agent that may sleep is
    /// active for one that may not.
    fn seen(&self) -> Vec<String> {
        let mut logs = vec![Vec::new(); AGENTS];
        for line in &self.world.log {
            let (number, what) = line.split_once(' ').unwrap();
            // Other log lines of probes do not name their agent.
            if let Ok(number) = number.parse::<usize>() {
                logs[number].push(what);
            }
        }
        let seen = |(&agent, log): (&AgentId, &Vec<&str>)| {
            let phase = self
                .forest
                .agent(agent)
                .map(|it| it.phase())
                .map(|it| if it == Phase::Asleep { Phase::Active } else { it });
            let place = self.forest.agent(agent).map(|it| it.inspect()).map(|it| it.to_string());
            format!("{log:?} {phase:?} {place:?} {:?}", self.forest.agent(agent).map(|it| it.last_outcome()))
        };
        self.agents.iter().zip(&logs).map(seen).collect()
    }
}

fn note(what: &str, me: Key<i64>, cx: &mut Cx<'_, '_>) -> i64 {
    let me = cx.get(me);
    cx.host.log.push(format!("{me} {what}"));
    me
}

fn step(what: &'static str, me: Key<i64>, status: impl Fn(i64) -> Status + Send + Sync + 'static) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let me = note(what, me, cx);
        if what == "a" && cx.host.count > 0 && [100, 101].contains(&me) {
            panic_any(me);
        }
        status(me)
    })
}

/// `Wait`, `a`, `Wait`, `b`, again and again, until the alarm is raised or a shout is heard.
fn naps((me, _): Keys) -> Node<Game> {
    let alarmed = sequence([check("alarm"), step("alarmed", me, |_| Status::Running)]).aborts(Abort::LOWER_PRIORITY);
    let heard = sequence([on_event("shout"), step("heard", me, |_| Status::Success)]).aborts(Abort::BOTH);
    // Some need two ticks for it, some fail.
    let a = step("a", me, |me| match me % 16 {
        11 => Status::Running,
        13 => Status::Failure,
        _ => Status::Success,
    });
    selector([
        alarmed,
        heard,
        repeat_forever(sequence([wait(0.25), a, wait(0.375), step("b", me, |_| Status::Success)])),
    ])
}

/// Ticks crowds in each way, with `meddle` before the tick in which all agents wake, and compares
/// what happens to each agent.
fn all_ways(root: impl Fn(Keys) -> Node<Game> + Copy, meddle: impl Fn(&mut Crowd)) {
    let mut crowds = [Way::Awake, Way::InOrder, Way::Batched].map(|way| Crowd::new(way, root));
    for crowd in &mut crowds {
        crowd.tick(2);
        meddle(crowd);
        crowd.tick(20);
    }
    let [awake, in_order, batched] = crowds.map(|it| it.seen());
    for (number, awake) in awake.iter().enumerate() {
        assert_eq!(&in_order[number], awake, "{number} in order");
        assert_eq!(&batched[number], awake, "{number} in a batch");
    }
}

#[test]
fn all_wake_at_once() {
    all_ways(naps, |crowd| {
        let report = crowd.forest.tick(&mut crowd.world, 0.125).unwrap();
        assert_eq!(report.ticked, AGENTS as u64);
        assert!(crowd.seen().iter().all(|it| it.starts_with("[\"a\"]")));
    });
}

#[test]
fn who_is_looked_at_early_goes_on_waiting() {
    all_ways(naps, |crowd| {
        // All begin their second `Wait`.
        crowd.tick(1);
        for &agent in crowd.agents.iter().step_by(3) {
            crowd.forest.agent_mut(agent).unwrap().join(None).unwrap();
        }
        crowd.tick(1);
        assert!(crowd.seen()[0].starts_with("[\"a\"]"));
    });
}

#[test]
fn some_have_more_to_do_than_to_wake() {
    all_ways(naps, |crowd| {
        let (_, alarm) = crowd.keys;
        for number in 0..AGENTS {
            let Crowd { forest, agents, world, .. } = crowd;
            let agent = agents[number];
            match number % 16 {
                1 => assert!(forest.keys_mut(agent).unwrap().set(alarm, true)),
                2 => forest.agent_mut(agent).unwrap().send(Event::new("shout")).unwrap(),
                // Mail that no node waits for, and a write that changes nothing.
                3 => forest.agent_mut(agent).unwrap().send(Event::new("whisper")).unwrap(),
                4 => {
                    assert!(forest.keys_mut(agent).unwrap().set(alarm, true));
                    assert!(forest.keys_mut(agent).unwrap().set(alarm, false));
                }
                5 => forest.agent_mut(agent).unwrap().pause(world),
                6 => {
                    forest.agent_mut(agent).unwrap().pause(world);
                    forest.agent_mut(agent).unwrap().unpause(world);
                }
                7 => forest.agent_mut(agent).unwrap().disable(world),
                8 => forest.agent_mut(agent).unwrap().restart(world),
                _ => {}
            }
        }
        for number in (0..AGENTS).filter(|it| it % 16 == 9) {
            crowd.forest.agent_mut(crowd.agents[number]).unwrap().despawn(&mut crowd.world);
        }
        crowd.tick(3);
        for number in (0..AGENTS).filter(|it| it % 16 == 5) {
            crowd.forest.agent_mut(crowd.agents[number]).unwrap().unpause(&mut crowd.world);
        }
    });
}

#[test]
fn roots_end_behind_a_wait() {
    let root = |(me, _): Keys| sequence([wait(0.25), step("a", me, |_| Status::Success)]);
    all_ways(root, |crowd| {
        for &agent in crowd.agents.iter().step_by(3) {
            crowd.forest.agent_mut(agent).unwrap().set_completion(Completion::Stop);
        }
    });
}

#[test]
fn actions_behind_a_wait_have_callbacks() {
    let root = |(me, _): Keys| {
        let logged = |name| {
            probe(name, move |call, cx| {
                note(&format!("{call:?}"), me, cx);
                Status::from_bool(call == Call::Update && cx.get(me) % 3 > 0)
            })
        };
        // Decorators that count, and nodes started in the same tick, are not run again at once.
        let counted = repeat(3, sequence([wait(0.25), logged("x"), step("a", me, |_| Status::Success), wait(0.125)]));
        let again = until_failure(sequence([step("c", me, |_| Status::Success), wait(0.0)]));
        repeat_forever(selector([
            sequence([counted, wait(0.25), logged("y")]),
            again,
            step("b", me, |_| Status::Success),
        ]))
    };
    all_ways(root, |_| {});
}

#[test]
fn what_was_started_in_a_tick_is_not_repeated_in_it() {
    let root = |(me, _): Keys| {
        let some = step("a", me, |me| Status::from_bool(me % 3 > 0));
        let other = step("b", me, |me| Status::from_bool(me % 2 > 0));
        let inner = until_failure(sequence([other, wait(0.125)]));
        sequence([wait(0.25), repeat_forever(sequence([some, inner, step("c", me, |_| Status::Success)]))])
    };
    all_ways(root, |_| {});
}

#[test]
fn a_panic_behind_a_wait_costs_only_its_own_agent_its_tick() {
    for way in [Way::InOrder, Way::Batched] {
        let mut crowd = Crowd::new(way, naps);
        crowd.tick(2);
        crowd.world.count = 1;
        let Crowd { forest, world, .. } = &mut crowd;
        let payload = catch_unwind(AssertUnwindSafe(|| forest.tick(world, 0.125))).unwrap_err();
        assert_eq!(payload.downcast_ref::<i64>(), Some(&100));
        crowd.world.count = 0;
        for (number, seen) in crowd.seen().iter().enumerate() {
            let had = match way {
                Way::Batched => number < CHUNK,
                Way::Awake | Way::InOrder => number <= 100,
            };
            let bad = number == 100 || had && number == 101;
            let phase = crowd.forest.agent(crowd.agents[number]).map(|it| it.phase());
            assert_eq!(phase == Ok(Phase::Panicked), bad, "{way:?} {number}");
            assert_eq!(seen.starts_with("[\"a\"]"), had, "{way:?} {number}");
        }
        // The others have their turn in the next frame.
        crowd.tick(1);
        assert!(crowd.seen().iter().all(|it| it.starts_with("[\"a\"")), "{way:?}");
        for number in [100, 101] {
            crowd.forest.agent_mut(crowd.agents[number]).unwrap().enable(&mut crowd.world);
        }
        let before = crowd.world.log.len();
        crowd.tick(10);
        assert!(crowd.world.log[before..].iter().any(|it| it == "100 a"));
    }
}
