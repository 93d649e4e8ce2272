//! Agents that are not ticked in every frame: by rate, by distance, by budget (SEMANTICS 8.2, 8.4).
//! Time passes for them regardless.

use crate::support;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::dice::Dice;
use pleach_core::nodes::{action, action_of, sequence, wait};
use pleach_core::{
    Action, AgentId, Bands, Budget, Event, Forest, Phase, Rate, Status, Tree, TreeId,
    error::{BandsError, RateError, StaleError},
};
use pleach_macros::leaf;
use support::{Cx, Game, World, counting, tree};

fn every(frames: u32) -> Rate {
    Rate::every(frames).unwrap()
}

/// Agents that log their number and the milliseconds since their last tick.
fn loggers(count: usize) -> (Forest<Game>, TreeId, Vec<AgentId>, World) {
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let leaf = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:?} {:.0}", cx.agent(), cx.dt() * 1000.0);
        cx.host.log.push(line);
        Status::Running
    });
    let id = forest.add_tree(tree(leaf)).unwrap();
    let agents = (0..count).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    (forest, id, agents, world)
}

#[test]
fn each_frame_does_its_share_and_dt_is_the_time_since_the_last_tick() {
    let (mut forest, _, agents, mut world) = loggers(900);
    for &agent in &agents {
        forest.agent_mut(agent).unwrap().set_rate(every(3));
    }
    let mut ticks = HashMap::<String, usize>::new();
    for frame in 0..30 {
        // A third of each chunk, and a chunk's size need not be a multiple of 3.
        assert!((298..=302).contains(&forest.tick(&mut world, 0.01).unwrap().ticked));
        for line in world.take() {
            let (agent, dt) = line.split_once(' ').unwrap();
            if frame >= 3 {
                assert_eq!(dt, "30");
            }
            *ticks.entry(agent.into()).or_default() += 1;
        }
    }
    assert_eq!(ticks.len(), 900);
    assert!(ticks.values().all(|&it| it == 10));
}

#[test]
fn rates_can_change_at_any_time_and_no_time_is_lost() {
    let (mut forest, _, agents, mut world) = loggers(20);
    let mut dice = Dice(3);
    let mut sums = HashMap::<String, i64>::new();
    let mut longest = 0;
    for _ in 0..2000 {
        if dice.below(3) == 0 {
            let rate = [every(1), every(2), every(7), every(10)][dice.below(4)];
            forest.agent_mut(agents[dice.below(20)]).unwrap().set_rate(rate);
        }
        forest.tick(&mut world, 0.01).unwrap();
        for line in world.take() {
            let (agent, dt) = line.split_once(' ').unwrap();
            let dt: i64 = dt.parse().unwrap();
            longest = longest.max(dt);
            *sums.entry(agent.into()).or_default() += dt;
        }
    }
    assert!(longest > 100 && longest < 2 * 255 * 10, "{longest}");
    assert!(sums.values().all(|&it| it > 20_000 - longest && it <= 20_000), "{sums:?}");
}

/// An agent whose first tick comes late, and whose update panics when it gets the event "boom".
fn late() -> (Forest<Game>, AgentId, World) {
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let leaf = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:.1} {:.1}", cx.time(), cx.dt());
        cx.host.log.push(line);
        assert!(cx.event("boom").is_none(), "boom");
        Status::Running
    });
    let id = forest.add_tree(tree(leaf)).unwrap();
    let agents: Vec<_> = (0..2).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    (forest, agents[1], world)
}

#[test]
fn the_time_before_a_pause_or_a_restart_counts() {
    for pause in [true, false] {
        let (mut forest, agent, mut world) = late();
        forest.agent_mut(agent).unwrap().set_rate(Rate::NEVER);
        forest.tick(&mut world, 1.0).unwrap();
        if pause {
            forest.agent_mut(agent).unwrap().pause(&mut world);
        } else {
            forest.agent_mut(agent).unwrap().disable(&mut world);
        }
        forest.tick(&mut world, 5.0).unwrap();
        forest.agent_mut(agent).unwrap().unpause(&mut world);
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.agent_mut(agent).unwrap().set_rate(every(1));
        world.take();
        forest.tick(&mut world, 0.5).unwrap();
        assert_eq!(world.take(), ["6.5 0.5", "1.5 1.5"]);
    }
}

#[test]
fn no_time_counts_twice_when_a_leaf_panics() {
    let (mut forest, agent, mut world) = late();
    forest.agent_mut(agent).unwrap().set_rate(every(1));
    forest.tick_within(&mut world, 1.0, Budget::Agents(9)).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("boom")).unwrap();
    let call = std::panic::AssertUnwindSafe(|| forest.tick(&mut world, 1.0));
    assert!(std::panic::catch_unwind(call).is_err());
    forest.tick(&mut world, 1.0).unwrap();
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.tick(&mut world, 1.0).unwrap();
    assert_eq!(world.take(), ["1.0 1.0", "1.0 1.0", "2.0 1.0", "2.0 1.0", "3.0 1.0", "4.0 1.0", "4.0 1.0"]);
}

#[test]
fn an_agent_that_takes_the_place_of_another_keeps_its_rate() {
    let (mut forest, _, agents, mut world) = loggers(2);
    forest.agent_mut(agents[1]).unwrap().set_rate(Rate::NEVER);
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    assert_eq!(forest.agent(agents[1]).unwrap().rate(), Rate::NEVER);
    forest.agent_mut(agents[1]).unwrap().set_rate(every(1));
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
}

#[test]
fn an_agent_that_is_never_ticked_gets_its_events_later() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let ear = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += cx.events().count() as u64;
        Status::Running
    });
    let id = forest.add_tree(tree(ear)).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.agent_mut(agent).unwrap().set_rate(Rate::NEVER);
    assert_eq!(forest.agent(agent).unwrap().rate(), Rate::NEVER);
    forest.agent_mut(agent).unwrap().send(Event::new("e")).unwrap();
    assert_eq!(forest.tick(&mut world, 1.0).unwrap().ticked, 0);
    assert_eq!(forest.tick_within(&mut world, 1.0, Budget::Agents(9)).unwrap().ticked, 0);
    forest.agent_mut(agent).unwrap().set_rate(every(1));
    assert_eq!(forest.tick(&mut world, 1.0).unwrap().ticked, 1);
    assert_eq!((world.count, forest.agent(agent).unwrap().inspect().time), (1, 3.0));
}

#[test]
fn a_sleeper_wakes_in_its_turn_with_the_dt_of_a_turn() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let leaf = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:.2} {:.2}", cx.time(), cx.dt());
        cx.host.log.push(line);
        Status::Success
    });
    let id = forest.add_tree(tree(sequence([wait(1.0), leaf]))).unwrap();
    for sleep in [true, false] {
        forest.configure(|it| it.sleep = sleep);
        let agent = forest.spawn(&mut world, id).unwrap();
        forest.agent_mut(agent).unwrap().set_rate(every(4));
        for _ in 0..40 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    let log = world.take();
    assert_eq!(log.len(), 4, "{log:?}");
    assert_eq!(log[..2], log[2..]);
    assert!(log.iter().all(|it| it.ends_with(" 0.40")), "{log:?}");
}

#[test]
fn rates_of_a_whole_tree_by_distance() {
    let (mut forest, id, agents, mut world) = loggers(600);
    let bands = Bands::new([(30.0, every(1)), (60.0, every(3)), (100.0, every(10))], Rate::NEVER, 5.0).unwrap();
    let distances: HashMap<AgentId, f32> = (0_u16..).zip(&agents).map(|(it, &agent)| (agent, it.into())).collect();
    assert_eq!(
        forest.population_mut(id).map(|mut it| it.update_rates(|agent, rate| bands.rate(distances[&agent], rate))),
        Ok(600 - 36)
    );
    assert_eq!(
        forest.population_mut(id).map(|mut it| it.update_rates(|agent, rate| bands.rate(distances[&agent], rate))),
        Ok(0)
    );
    let rates: Vec<_> = [0, 35, 36, 60, 61, 100, 101].map(|it| forest.agent(agents[it]).unwrap().rate()).into();
    // At first all were near. Each leaves that band 5 m late, for the band in which it is then.
    assert_eq!(rates, [every(1), every(1), every(3), every(3), every(3), every(10), every(10)]);
    let ticked: u64 = (0..30).map(|_| forest.tick(&mut world, 0.01).unwrap().ticked).sum();
    let count = |rate| agents.iter().filter(|&&it| forest.agent(it).map(|it| it.rate()) == Ok(rate)).count() as u64;
    assert_eq!(ticked, 30 * count(every(1)) + 10 * count(every(3)) + 3 * count(every(10)));
    assert_eq!(bands.rate(f32::NAN, every(3)), every(3));
    assert_eq!(bands.rate(f32::INFINITY, every(3)), Rate::NEVER);
}

#[test]
fn a_budget_of_agents_is_kept_and_no_agent_waits_for_ever() {
    for (count, budget) in [(1, 1), (100, 7), (1300, 100), (1300, 5000), (600, 599)] {
        let (mut forest, _, agents, mut world) = loggers(count);
        let mut last: HashMap<String, usize> = agents.iter().map(|it| (format!("{it:?}"), 0)).collect();
        let bound = count.div_ceil(budget) + 1;
        for call in 1..4 * bound {
            let report = forest.tick_within(&mut world, 0.01, Budget::Agents(budget as u64)).unwrap();
            assert_eq!(report.ticked, budget.min(count) as u64);
            for line in world.take() {
                let (agent, dt) = line.split_once(' ').unwrap();
                let before = last.insert(agent.into(), call).unwrap();
                assert_eq!(dt.parse::<usize>().unwrap(), (call - before) * 10);
                assert!(call - before <= bound, "{count} {budget}");
            }
            assert!(last.values().all(|&it| call - it < bound), "{count} {budget}");
        }
    }
}

#[test]
fn budgets_and_rates_and_coming_and_going() {
    let (mut forest, id, mut agents, mut world) = loggers(700);
    let mut dice = Dice(1);
    let mut last: HashMap<String, usize> = agents.iter().map(|it| (format!("{it:?}"), 0)).collect();
    for call in 1..600 {
        let at = dice.below(agents.len());
        match dice.below(4) {
            0 => forest.agent_mut(agents[at]).unwrap().set_rate(every(1 + u32::try_from(dice.below(5)).unwrap())),
            1 => {
                let gone = agents.swap_remove(at);
                last.remove(&format!("{gone:?}"));
                forest.agent_mut(gone).unwrap().despawn(&mut world);
            }
            _ => {
                let agent = forest.spawn(&mut world, id).unwrap();
                last.insert(format!("{agent:?}"), call - 1);
                agents.push(agent);
            }
        }
        forest.tick_within(&mut world, 0.01, Budget::Agents(200)).unwrap();
        for line in world.take() {
            let (agent, dt) = line.split_once(' ').unwrap();
            let before = last.insert(agent.into(), call).unwrap();
            assert_eq!(dt.parse::<usize>().unwrap(), (call - before) * 10);
        }
        let turns = agents.len().div_ceil(200) + 5;
        assert!(last.values().all(|&it| call - it <= 2 * turns), "{call}");
    }
}

#[test]
fn a_sleeper_is_counted_once_in_a_call() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(tree(wait(9.0))).unwrap();
    for _ in 0..600 {
        forest.spawn(&mut world, id).unwrap();
    }
    for (budget, ticked, asleep) in [(100, 100, 0), (600, 500, 100), (600, 0, 600)] {
        let report = forest.tick_within(&mut world, 0.1, Budget::Agents(budget)).unwrap();
        assert_eq!((report.ticked, report.asleep), (ticked, asleep));
    }
}

#[test]
fn budgets_of_time_by_any_clock() {
    let (mut forest, _, agents, mut world) = loggers(1000);
    // Each look at the clock is ten microseconds after the one before. The first look is at the
    // start.
    let mut now = 0;
    let mut clock = || {
        now += 10;
        now
    };
    let report = forest.tick_within(&mut world, 0.01, Budget::Micros(35, &mut clock)).unwrap();
    assert_eq!(report.ticked, 4 * 64);
    // A clock that stands still, and one that jumps back: both count as no time.
    assert_eq!(forest.tick_within(&mut world, 0.01, Budget::Micros(1, &mut || 7)).unwrap().ticked, 1000);
    let mut back = u64::MAX;
    let mut clock = || {
        back -= 1000;
        back
    };
    assert_eq!(forest.tick_within(&mut world, 0.01, Budget::Micros(1, &mut clock)).unwrap().ticked, 1000);
    // No budget: each call ticks one part, so every agent has a turn after as many calls as there
    // are parts.
    let mut now = 0;
    let mut clock = || {
        now += 1;
        now
    };
    let mut calls = 0;
    let mut turns = std::collections::HashSet::new();
    while turns.len() < 1000 {
        world.take();
        let report = forest.tick_within(&mut world, 0.01, Budget::Micros(0, &mut clock)).unwrap();
        assert!((1..=64).contains(&report.ticked));
        turns.extend(world.take().iter().filter_map(|it| it.split(' ').next().map(str::to_owned)));
        calls += 1;
        assert!(calls <= 1000_u32.div_ceil(64) + 1, "{calls}");
    }
    assert_eq!(forest.tick_within(&mut world, 0.01, Budget::Agents(0)).unwrap().ticked, 0);
    world.take();
    assert!(forest.tick_within(&mut world, f32::NAN, Budget::Agents(9)).is_err());
    assert!(agents.iter().all(|&it| forest.contains(it)));
}

#[test]
fn a_forest_without_agents_has_nothing_to_spend() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    assert_eq!(forest.tick_within(&mut world, 0.1, Budget::Agents(5)).unwrap().ticked, 0);
    let id = forest.add_tree(tree(counting(Status::Running))).unwrap();
    assert_eq!(forest.tick_within(&mut world, 0.1, Budget::Agents(5)).unwrap().ticked, 0);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
    forest.spawn(&mut world, id).unwrap();
    assert_eq!(forest.tick_within(&mut world, 0.1, Budget::Agents(5)).unwrap().ticked, 1);
}

#[test]
fn bad_rates_and_bands_are_refused() {
    assert_eq!(Rate::every(0), Err(RateError(0)));
    assert_eq!(Rate::every(256), Err(RateError(256)));
    assert_eq!(Rate::every(255).unwrap().frames(), Some(255));
    assert_eq!(Rate::NEVER.frames(), None);
    assert_eq!(Bands::new([(5.0, every(1)), (5.0, every(2))], every(3), 0.0), Err(BandsError::Border(5.0)));
    assert_eq!(Bands::new([(-1.0, every(1))], every(3), 0.0), Err(BandsError::Border(-1.0)));
    assert!(matches!(Bands::new([(f32::NAN, every(1))], every(3), 0.0), Err(BandsError::Border(_))));
    assert!(matches!(Bands::new([], every(3), f32::NAN), Err(BandsError::Hysteresis(_))));
    let (mut forest, _, agents, mut world) = loggers(1);
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    assert_eq!(forest.agent_mut(agents[0]).map(|mut it| it.set_rate(every(2))), Err(StaleError::Agent(agents[0])));
    assert_eq!(forest.agent(agents[0]).map(|it| it.rate()), Err(StaleError::Agent(agents[0])));
}

/// Measures its agent's time by itself.
struct Clock(Arc<Mutex<Vec<AgentId>>>);

#[leaf(crate = pleach_core)]
impl Action<Game> for Clock {
    type State = f64;
    fn update(&self, sum: &mut f64, cx: &mut Cx<'_, '_>) -> Status {
        *sum += f64::from(cx.dt());
        assert!((*sum - cx.time()).abs() < 1e-3, "{:?} counted {sum} of {} s", cx.agent(), cx.time());
        self.0.lock().unwrap().push(cx.agent());
        if cx.random() < 0.9 { Status::Running } else { Status::Success }
    }
}

#[test]
fn whatever_the_rates_every_agent_has_its_turn_and_all_of_its_time() {
    for seed in 0..8 {
        let budgets = seed % 2 == 1;
        let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::<Game>::new(seed));
        let ticked = Arc::new(Mutex::new(Vec::new()));
        let roots = [action_of(Clock(Arc::clone(&ticked))), sequence([action_of(Clock(Arc::clone(&ticked)))])];
        let trees = roots.map(|it| forest.add_tree(Tree::builder("clock").build(it).unwrap()).unwrap());
        // Since which frame each agent has been waiting for a turn.
        let mut since: HashMap<AgentId, usize> = HashMap::new();
        for number in 0..1300 {
            since.insert(forest.spawn(&mut world, trees[usize::from(number > 1100)]).unwrap(), 0);
        }
        let mut all: Vec<AgentId> = since.keys().copied().collect();
        all.sort_unstable();
        for frame in 1..250 {
            for _ in 0..20 {
                let it = all[dice.below(all.len())];
                let rate = [1, 2, 3, 7, 0][dice.below(5)];
                match dice.below(if frame % 40 == 0 { 8 } else { 6 }) {
                    0 | 1 => forest.agent_mut(it).map(|mut it| it.set_rate(Rate::every(rate).unwrap_or(Rate::NEVER))),
                    2 => forest.agent_mut(it).map(|it| it.pause(&mut world)),
                    3 => forest.agent_mut(it).map(|it| it.unpause(&mut world)),
                    4 => forest
                        .agent_mut(it)
                        .map(|it| it.disable(&mut world))
                        .and_then(|()| forest.agent_mut(it).map(|it| it.enable(&mut world))),
                    5 => forest.agent_mut(it).map(|it| it.restart(&mut world)),
                    6 => {
                        all.retain(|&other| other != it);
                        since.remove(&it);
                        // Other agents have moved: their wait starts again.
                        since.values_mut().for_each(|it| *it = frame - 1);
                        forest.agent_mut(it).map(|it| it.despawn(&mut world))
                    }
                    _ => forest.spawn(&mut world, trees[0]).map(|it| all.push(it)).map_err(|_| unreachable!()),
                }
                .unwrap();
                if forest.contains(it) {
                    since.insert(it, frame - 1);
                }
            }
            let dt = [0.0, 0.1, 0.05, 7.0][dice.below(4)];
            let most = dice.below(900) as u64;
            if budgets && dice.below(2) == 0 {
                assert!(forest.tick_within(&mut world, dt, Budget::Agents(most)).unwrap().ticked <= most);
            } else {
                forest.tick(&mut world, dt).unwrap();
            }
            for it in ticked.lock().unwrap().drain(..) {
                since.insert(it, frame);
            }
            for (&it, since) in since.iter_mut().filter(|_| !budgets) {
                match forest.agent(it).unwrap().rate().frames() {
                    Some(rate) if forest.agent(it).map(|it| it.phase()) == Ok(Phase::Active) => {
                        assert!(frame - *since <= 2 * rate as usize, "{it:?} of rate {rate}, seed {seed}");
                    }
                    _ => *since = frame,
                }
            }
        }
    }
}
