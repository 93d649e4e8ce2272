//! Sensors that read and write the keys of all agents of a tree, agent by agent: their writes do
//! what `set` would do.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::dice::Dice;
use pleach_core::nodes::{check, idle, selector, sequence, wait, wait_until};
use pleach_core::{
    AgentId, BlackboardType, Forest, Key, KeysMut, Phase, Spawn, Status, Symbol, Tree, TreeBuilder, TreeId,
    error::{AccessError, StaleError},
    nodes::Abort,
    schema::{KeyDefault, Scope},
};
use support::{Game, World, always};

/// Three chunks, the last one not full.
const CROWD: usize = 2_400;

/// The keys of a guard: `health` and `sees` are watched while it sleeps, `dist` is not.
#[derive(Clone, Copy)]
struct Keys {
    health: Key<f32>,
    sees: Key<bool>,
    dist: Key<f32>,
    plan: Key<i64>,
    alarm: Key<i64>,
}

fn guards() -> (Forest<Game>, TreeId, Keys) {
    let mut builder = Tree::<Game>::builder("guard");
    let keys = Keys {
        health: builder.key("health", 1.0),
        sees: builder.key("sees", false),
        dist: builder.key("dist", 9.0),
        plan: builder.key_in(Scope::Group, "plan", 0),
        alarm: builder.key_in(Scope::Global, "alarm", 0),
    };
    let done = |name| always(name, Status::Success);
    let root = selector([
        sequence([check("health < 0.3"), wait(0.2), done("fled")]).aborts(Abort::LOWER_PRIORITY),
        sequence([check("sees"), check("dist > 2.0"), wait(0.1), done("near")]).aborts(Abort::LOWER_PRIORITY),
        idle(),
    ]);
    let mut forest = Forest::new(3);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    (forest, id, keys)
}

/// How a sensor reads and writes an agent's keys.
trait Way {
    fn get<V: BlackboardType>(&self, key: Key<V>) -> V;
    fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool;
}

impl Way for KeysMut<'_> {
    fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        KeysMut::get(self, key)
    }
    fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        KeysMut::set(self, key, value)
    }
}

struct ByHandle<'a>(&'a mut Forest<Game>, AgentId);

impl Way for ByHandle<'_> {
    fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        self.0.keys(self.1).unwrap().get(key)
    }
    fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        self.0.keys_mut(self.1).unwrap().set(key, value)
    }
}

/// What a sensor does to an agent: reads several keys, and writes some. Returns how many changed.
fn sense(way: &mut impl Way, keys: Keys, dice: &mut Dice) -> usize {
    let changed = match dice.below(12) {
        0 if way.get(keys.health) < 0.3 => way.set(keys.health, 1.0),
        0 => way.set(keys.health, 0.2),
        1 => {
            let sees = !way.get(keys.sees);
            way.set(keys.sees, sees) && way.set(keys.dist, if sees { 4.0 } else { 1.0 })
        }
        2 => way.set(keys.dist, f32::NAN),
        3 => {
            let plan = way.get(keys.plan) + way.get(keys.alarm);
            way.set(keys.plan, plan % 7 + 1)
        }
        4 => {
            let alarm = way.get(keys.alarm);
            way.set(keys.alarm, alarm + 1)
        }
        _ => way.set(keys.health, 1.0),
    };
    usize::from(changed)
}

/// Everything that can be seen of a crowd after some frames.
fn play(by_handle: bool) -> Vec<String> {
    let (mut forest, id, keys) = guards();
    let mut world = World::default();
    let squads = [0; 3].map(|_| forest.new_group());
    let mut dice = Dice(5);
    for at in 0..CROWD {
        let group = squads.get(at % 5).copied();
        forest.spawn_with(&mut world, id, Spawn { group, ..Spawn::default() }).unwrap();
    }
    let mut seen = Vec::new();
    for frame in 0..30 {
        // An agent is despawned, and the last of the chunk takes its place.
        let agents: Vec<_> = forest.population(id).unwrap().agents().collect();
        forest.agent_mut(agents[frame * 17]).unwrap().despawn(&mut world);
        let mut changed = 0;
        if by_handle {
            let agents: Vec<_> = forest.population(id).unwrap().agents().collect();
            for agent in agents {
                changed += sense(&mut ByHandle(&mut forest, agent), keys, &mut dice);
            }
        } else {
            forest.population_mut(id).unwrap().update_agents(|agent| changed += sense(agent, keys, &mut dice));
        }
        let report = forest.tick(&mut world, 0.05).unwrap();
        seen.push(format!("{changed} {report:?}"));
        seen.append(&mut world.log);
        let values = forest.population(id).unwrap().agents().map(|it| {
            let own = forest.keys(it).unwrap();
            (it, [own.get(keys.health), own.get(keys.dist)], own.get(keys.sees), own.get(keys.plan))
        });
        seen.extend(values.map(|it| format!("{it:?}")));
    }
    seen
}

#[test]
fn sensors_do_what_get_and_set_do() {
    let (by_handle, shown) = (play(true), play(false));
    assert!(by_handle.iter().any(|it| it.contains("fled")) && by_handle.iter().any(|it| it.contains("near")));
    assert!(by_handle == shown);
}

#[test]
fn agents_are_shown_in_the_order_in_which_they_are_ticked() {
    let (mut forest, id, keys) = guards();
    let mut world = World::default();
    let agents: Vec<_> = (0..CROWD).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    let mut shown = Vec::new();
    forest.population_mut(id).unwrap().update_agents(|agent| {
        agent.set(keys.plan, i64::try_from(shown.len()).unwrap());
        shown.push(agent.agent());
    });
    assert_eq!(shown, agents);
    assert!((0..).zip(&agents).all(|(at, &agent)| forest.keys(agent).unwrap().get(keys.plan) == at));
    forest.agent_mut(agents[3]).unwrap().despawn(&mut world);
    shown.clear();
    forest.population_mut(id).unwrap().update_agents(|agent| shown.push(agent.agent()));
    assert_eq!(shown, forest.population(id).unwrap().agents().collect::<Vec<_>>());
}

#[test]
fn only_agents_with_a_changed_watched_key_wake() {
    let (mut forest, id, keys) = guards();
    let mut world = World::default();
    let agents = [0; 100].map(|_| forest.spawn(&mut world, id).unwrap());
    let mut tick = |forest: &mut Forest<Game>| {
        let report = forest.tick(&mut world, 0.01).unwrap();
        (report.ticked, report.asleep, report.aborts)
    };
    assert_eq!(tick(&mut forest), (100, 0, 0));
    assert_eq!(tick(&mut forest), (0, 100, 0));
    // Writes the current values, and a key that no observer reads.
    let quiet = |agent: &mut KeysMut<'_>| {
        assert!(!agent.set(keys.health, 1.0) && !agent.set(keys.sees, false));
        let dist = agent.get(keys.dist);
        assert!(agent.set(keys.dist, dist + 1.0) && agent.set(keys.plan, 4));
    };
    forest.population_mut(id).unwrap().update_agents(quiet);
    assert_eq!(tick(&mut forest), (0, 100, 0));
    let hit = |agent: &mut KeysMut<'_>| {
        if [agents[7], agents[70]].contains(&agent.agent()) {
            assert!(agent.set(keys.health, 0.1));
        }
    };
    forest.population_mut(id).unwrap().update_agents(hit);
    assert_eq!(tick(&mut forest), (2, 98, 2));
    // They are asleep again, in the branch of higher priority.
    assert_eq!(tick(&mut forest), (0, 100, 0));
}

#[test]
fn what_waits_for_a_key_sees_what_a_sensor_writes() {
    for scope in [Scope::Agent, Scope::Group, Scope::Global] {
        let mut builder = Tree::<Game>::builder("t");
        let ready = builder.key_in(scope, "ready", 0_i64);
        let mut forest = Forest::<Game>::new(0);
        let root = sequence([wait_until("ready > 0"), idle()]);
        let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let mut world = World::default();
        let agents = [0; 3].map(|_| forest.spawn(&mut world, id).unwrap());
        forest.tick(&mut world, 0.1).unwrap();
        let mut before = Vec::new();
        forest.population_mut(id).unwrap().update_agents(|agent| {
            before.push(agent.get(ready));
            if agent.agent() == agents[1] {
                assert!(agent.set(ready, 1) && !agent.set(ready, 1));
            }
        });
        let shared = i64::from(scope == Scope::Global);
        assert_eq!(before, [0, 0, shared], "{scope}");
        forest.tick(&mut world, 0.1).unwrap();
        let idle = agents.map(|it| forest.agent(it).unwrap().current().next().unwrap().index() == 2);
        assert_eq!(idle, [shared > 0, true, shared > 0], "{scope}");
    }
}

const CALM: Symbol = Symbol::new("calm");
const ALERT: Symbol = Symbol::new("alert");

fn moody(scope: Scope) -> (TreeBuilder<Game>, Key<i64>) {
    let mut builder = Tree::<Game>::builder("moody");
    let words = ["calm", "alert"].map(Into::into).into();
    builder.declare(scope, "mode", KeyDefault::Symbol("calm".into(), words));
    let strange = {
        let mut other = Tree::<Game>::builder("other");
        other.key_in(scope, "strange", 0_i64)
    };
    (builder, strange)
}

#[test]
fn keys_and_symbols_that_do_not_fit_are_refused() {
    for scope in [Scope::Agent, Scope::Group, Scope::Global] {
        let (builder, strange) = moody(scope);
        let tree = builder.build(idle()).unwrap();
        let mode: Key<Symbol> = tree.key("mode").unwrap();
        let mut forest = Forest::<Game>::new(0);
        let id = forest.add_tree(tree).unwrap();
        let mut world = World::default();
        let agent = forest.spawn(&mut world, id).unwrap();
        forest.population_mut(id).unwrap().update_agents(|agent| {
            assert_eq!(agent.try_get(strange), None);
            assert_eq!(agent.try_set(strange, 1), Err(AccessError::ForeignKey));
            let bad = agent.try_set(mode, Symbol::new("red"));
            assert_eq!(bad, Err(AccessError::NotAWord { key: "mode".into() }));
            assert_eq!((agent.try_get(mode), agent.try_set(mode, ALERT)), (Some(CALM), Ok(true)));
            assert_eq!((agent.get(mode), agent.set(mode, ALERT)), (ALERT, false));
        });
        let mut panic = |update: &dyn Fn(&mut KeysMut<'_>)| {
            let panic =
                catch_unwind(AssertUnwindSafe(|| forest.population_mut(id).map(|mut it| it.update_agents(update))))
                    .unwrap_err();
            panic.downcast_ref::<String>().unwrap().clone()
        };
        assert!(panic(&|agent| assert_eq!(agent.get(strange), 0)).contains("is a key of another tree"));
        assert!(panic(&|agent| assert!(agent.set(strange, 1))).contains("is a key of another tree"));
        let message = panic(&|agent| assert!(agent.set(mode, Symbol::new("red"))));
        assert!(message.contains("none of the words of `mode`, which are `calm`, `alert`"), "{message}");
        // Nothing has changed for the agent.
        assert_eq!(
            (forest.keys(agent).unwrap().get(mode), forest.agent(agent).map(|it| it.phase())),
            (ALERT, Ok(Phase::Active))
        );
        forest.tick(&mut world, 0.1).unwrap();
    }
}

#[test]
fn a_tree_that_is_not_here_is_an_error() {
    let (mut forest, id, _) = guards();
    // No agent to show.
    forest.population_mut(id).unwrap().update_agents(|_| panic!("there is no agent"));
    let tree = TreeId::default();
    assert_eq!(forest.population_mut(tree).map(|mut it| it.update_agents(|_| ())), Err(StaleError::Tree(tree)));
}
