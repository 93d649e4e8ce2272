//! The same life of a random forest, run with every optimisation of the runtime: all must make the
//! same callbacks with the same keys, in the same order; in batches, in the same order per agent,
//! and with a tracer in the same order for all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::{
    AgentId, Budget, Event, Forest, TickReport, TreeId,
    trace::{NoTracer, TraceEvent, Traced, Tracer},
};

use crate::harness::{self, Dice, Fact, Keys, Line, Mode, Town, World, call, fact, frame_time, seeds};

/// Wants every n-th agent, or none.
#[derive(Clone, Copy)]
struct Some1In(Option<u64>);

impl Tracer for Some1In {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        self.0.is_some_and(|it| agent.to_bits().is_multiple_of(it))
    }
    fn record(&mut self, agent: AgentId, _: TraceEvent) {
        assert!(self.wants(agent));
    }
}

/// The observable results of a life: callbacks, and the agents at its end.
struct LifeResults {
    log: Vec<Line>,
    facts: Vec<(AgentId, Fact)>,
    reports: Vec<TickReport>,
}

/// How agents live.
#[derive(Clone, Copy, PartialEq)]
enum Life {
    /// With shared keys, and panics.
    Wild,
    Quiet,
    /// Quiet, and such that no agent sees what another does in the same tick.
    Discreet,
}

const MODE: Mode = harness::WILD;

/// One life.
fn live<T: Tracer>(
    seed: u64,
    life: Life,
    (mut forest, mut tracer): (Forest<Town>, T),
    mut tick: impl FnMut(&mut Traced<'_, Forest<Town>, T>, &mut World, f32, usize) -> TickReport,
) -> LifeResults {
    let mut forest = forest.traced(&mut tracer);
    let wild = life == Life::Wild;
    // In half of the lives agents have turns only in some frames.
    let paced = seed % 2 == 1;
    let (mut dice, mut world, mut reports) = (Dice(seed), World::default(), Vec::new());
    world.despawns = life != Life::Discreet;
    let mut trees: Vec<(TreeId, Keys)> = Vec::new();
    // In every third life trees have few agents, which are ticked differently from many.
    let crowds = if seed % 3 == 2 { [16, 15, 4, 1] } else { [1100, 90, 70, 20] };
    for (number, agents) in crowds.into_iter().enumerate() {
        let depth = 1 + dice.below(3);
        let root = |keys| harness::node(&mut dice, &MODE, keys, depth, number % 2 == 1, true);
        let (tree, keys) = harness::build(0, wild, root);
        let tree = forest.add_tree(tree).unwrap();
        trees.push((tree, keys));
        harness::spawn(&mut dice, &mut forest, &mut world, tree, agents);
    }
    for frame in 0..50 {
        for _ in 0..30 {
            let it = world.all[dice.below(world.all.len())];
            let (tree, _) = trees[dice.below(4)];
            let what = MODE.call(&mut dice, paced);
            call(&mut forest, &mut world, it, tree, what);
        }
        match dice.below(12) {
            0 => forest.broadcast(Event::new("hey")).unwrap(),
            1 => {
                let (tree, keys) = trees[dice.below(4)];
                let by = 2 + dice.below(50);
                let rule = |_, old| if dice.below(by) == 0 { (old + 1) % 5 } else { old };
                forest.population_mut(tree).unwrap().update_column(keys.level, rule).unwrap();
            }
            2 if wild => forest
                .agent_mut(world.all[dice.below(world.all.len())])
                .map_err(Into::into)
                .and_then(|mut it| it.send(Event::new("boom")))
                .unwrap_or(()),
            3 if wild => forest.globals_mut().set_value("storm", 4_i64).map(drop).unwrap(),
            _ => {}
        }
        world.mood = dice.below(1000);
        let dt = frame_time(&mut dice, frame);
        if let Ok(report) = catch_unwind(AssertUnwindSafe(|| tick(&mut forest, &mut world, dt, frame))) {
            reports.push(report);
        }
    }
    let facts = world.all.iter().filter_map(|&it| Some((it, fact(&forest, it)?.awake()))).collect();
    LifeResults { log: world.log, facts, reports }
}

fn in_order<T: Tracer>(seed: u64, tracer: T) -> (Forest<Town>, T) {
    let mut forest = Forest::new(seed);
    forest.configure(|it| it.batched = false);
    (forest, tracer)
}

fn batched<T: Tracer>(seed: u64, tracer: T) -> (Forest<Town>, T) {
    let mut forest = Forest::new(seed);
    forest.configure(|it| it.batched = true);
    (forest, tracer)
}

fn plainly<T: Tracer>(forest: &mut Traced<'_, Forest<Town>, T>, world: &mut World, dt: f32, _: usize) -> TickReport {
    forest.tick(world, dt).unwrap()
}

/// Within a budget that is spent before all have had their turns.
fn frugally<T: Tracer>(
    forest: &mut Traced<'_, Forest<Town>, T>,
    world: &mut World,
    dt: f32,
    frame: usize,
) -> TickReport {
    let budget = [0, 17, 300, 900, u64::MAX][frame * 7 % 5];
    forest.tick_within(world, dt, Budget::Agents(budget)).unwrap()
}

/// The first difference, in words.
fn same(what: &str, seed: u64, one: &LifeResults, other: &LifeResults, conditions: bool) {
    let lines = |it: &LifeResults| it.log.iter().copied().filter(|it| conditions || it.what != '?').collect::<Vec<_>>();
    harness::same(what, seed, &lines(one), &lines(other));
    harness::same(what, seed, &one.facts, &other.facts);
}

#[cfg(feature = "rayon")]
fn on_threads(forest: &mut Traced<'_, Forest<Town>, NoTracer>, world: &mut World, dt: f32) -> TickReport {
    let from = World { log: Vec::new(), ..world.clone() };
    forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)).unwrap()
}

#[test]
fn a_wild_life_is_the_same_without_sleep_with_every_condition_asked_and_with_tracers() {
    for seed in seeds(6) {
        let plain = live(seed, Life::Wild, in_order(seed, NoTracer), plainly);
        let mut forest = in_order(seed, NoTracer);
        forest.0.configure(|it| it.sleep = false);
        same("without sleep", seed, &plain, &live(seed, Life::Wild, forest, plainly), true);
        let mut forest = in_order(seed, NoTracer);
        forest.0.configure(|it| it.reevaluate_every_tick = true);
        same("every tick", seed, &plain, &live(seed, Life::Wild, forest, plainly), false);
        for some in [None, Some(3)] {
            let traced = live(seed, Life::Wild, in_order(seed, Some1In(some)), plainly);
            same("traced", seed, &plain, &traced, true);
            assert_eq!(plain.reports, traced.reports, "{seed}");
        }
    }
}

#[test]
fn a_wild_life_is_the_same_whatever_room_chunks_begin_with() {
    for seed in seeds(4) {
        let plain = live(seed, Life::Wild, in_order(seed, NoTracer), plainly);
        let frugal = live(seed, Life::Wild, in_order(seed, NoTracer), frugally);
        for room in [2, 64, 1024] {
            let forest = || {
                let mut forest = in_order(seed, NoTracer);
                forest.0.configure(|it| it.first_room = room);
                forest
            };
            let other = live(seed, Life::Wild, forest(), plainly);
            same("room", seed, &plain, &other, true);
            assert_eq!(plain.reports, other.reports, "{seed}");
            same("room within budgets", seed, &frugal, &live(seed, Life::Wild, forest(), frugally), true);
        }
    }
}

#[test]
fn a_frugal_life_is_the_same_with_tracers_and_with_every_condition_asked() {
    for seed in seeds(6) {
        let plain = live(seed, Life::Wild, in_order(seed, NoTracer), frugally);
        let traced = live(seed, Life::Wild, in_order(seed, Some1In(Some(3))), frugally);
        same("traced", seed, &plain, &traced, true);
        assert_eq!(plain.reports, traced.reports, "{seed}");
        let restless = || {
            let mut forest = in_order(seed, NoTracer);
            forest.0.configure(|it| it.sleep = false);
            forest
        };
        let plain = live(seed, Life::Wild, restless(), frugally);
        let mut forest = restless();
        forest.0.configure(|it| it.reevaluate_every_tick = true);
        same("every tick", seed, &plain, &live(seed, Life::Wild, forest, frugally), false);
    }
}

#[test]
fn a_quiet_life_is_the_same_within_a_budget_for_all_and_on_threads() {
    for seed in seeds(6) {
        let plain = live(seed, Life::Quiet, in_order(seed, NoTracer), plainly);
        let within = live(seed, Life::Quiet, in_order(seed, NoTracer), |forest, world, dt, frame| {
            let budget = Budget::Agents(u64::MAX);
            if frame % 3 == 0 { forest.tick(world, dt) } else { forest.tick_within(world, dt, budget) }.unwrap()
        });
        same("within", seed, &plain, &within, true);
        assert_eq!(plain.reports, within.reports, "{seed}");
        #[cfg(feature = "rayon")]
        {
            let threads =
                live(seed, Life::Quiet, in_order(seed, NoTracer), |forest, world, dt, _| on_threads(forest, world, dt));
            same("threads", seed, &plain, &threads, true);
            assert_eq!(plain.reports, threads.reports, "{seed}");
        }
    }
}

/// Agent by agent, each one's callbacks in their order. Its mail in any order: two agents may have
/// sent it events in the same tick, and in batches another one may come first.
fn by_agent(mut seen: LifeResults) -> LifeResults {
    seen.facts.iter_mut().for_each(|(_, fact)| fact.mail.sort_by_key(|it| format!("{it:?}")));
    LifeResults { log: harness::by_agent(seen.log), ..seen }
}

#[test]
fn a_discreet_life_is_the_same_for_each_agent_in_batches() {
    for seed in seeds(6) {
        let life = |forest| by_agent(live(seed, Life::Discreet, forest, plainly));
        let batched = || batched(seed, NoTracer);
        let plain = life(in_order(seed, NoTracer));
        let together = life(batched());
        same("batched", seed, &plain, &together, true);
        assert_eq!(plain.reports, together.reports, "{seed}");
        let mut forest = batched();
        forest.0.configure(|it| it.sleep = false);
        same("batched without sleep", seed, &plain, &life(forest), true);
        let mut forest = batched();
        forest.0.configure(|it| it.reevaluate_every_tick = true);
        same("batched every tick", seed, &plain, &life(forest), false);
        let within = by_agent(live(seed, Life::Discreet, batched(), |forest, world, dt, _| {
            forest.tick_within(world, dt, Budget::Agents(u64::MAX)).unwrap()
        }));
        same("batched within", seed, &plain, &within, true);
        #[cfg(feature = "rayon")]
        {
            let threads = live(seed, Life::Discreet, batched(), |forest, world, dt, _| on_threads(forest, world, dt));
            same("batched on threads", seed, &plain, &by_agent(threads), true);
        }
    }
}

#[test]
fn a_life_in_batches_is_the_same_with_tracers_to_the_order_of_all_callbacks() {
    for seed in seeds(6) {
        let plain = live(seed, Life::Wild, batched(seed, NoTracer), plainly);
        let frugal = live(seed, Life::Wild, batched(seed, NoTracer), frugally);
        for some in [None, Some(1), Some(3), Some(500)] {
            let traced = live(seed, Life::Wild, batched(seed, Some1In(some)), plainly);
            same("traced", seed, &plain, &traced, true);
            assert_eq!(plain.reports, traced.reports, "{seed}");
            let traced = live(seed, Life::Wild, batched(seed, Some1In(some)), frugally);
            same("traced within budgets", seed, &frugal, &traced, true);
            assert_eq!(frugal.reports, traced.reports, "{seed}");
        }
    }
}
