//! Random forests with all features: panics in and outside of turns, budgets, rates, slots,
//! declared events, brains beside the forest, trees that are replaced together. Each life is lived
//! in several ways: with tracers, as one that was saved and restored over and over, and as one that
//! went back to snapshots; in batches, in order and on threads. All callbacks come in the same
//! order with the same times and random streams, and the traces are the same, line by line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{parallel, selector, sequence, switch};
use pleach_core::{
    AgentId, Brain, Budget, Forest, Replace, Spawn, TickReport, Tree, TreeBuilder, TreeId, Type,
    nodes::Node,
    schema::{KeyDefault, Scope},
    trace::{NoTracer, Recorder, Traced, Tracer},
};

use crate::harness::{
    self, Call, Danger, Dice, Fact, Line, Mode, Town, World, call, call_brain, fact, frame_time, seeds,
};

const FRAMES: usize = 24;

/// How the forest is ticked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ticks {
    Batched,
    InOrder,
    /// In batches on this many threads.
    #[cfg(feature = "rayon")]
    Threads(usize),
}

/// What happens in mid-life, and must change nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Detour {
    None,
    /// The forest is saved, and continues as another one.
    #[cfg(feature = "save")]
    Saved,
    /// It plays some frames, and then goes back.
    RolledBack,
}

const DETOURS: &[Detour] = &[
    #[cfg(feature = "save")]
    Detour::Saved,
    Detour::RolledBack,
];

/// The choices for all ways to live a life.
#[derive(Clone, Copy)]
struct Kind {
    mode: &'static Mode,
    /// Leaves panic, agents are despawned, and there is a global key.
    wild: bool,
    /// Some frames have a budget.
    budgets: bool,
}

const WILD: Kind = Kind { mode: &harness::CROSSED, wild: true, budgets: true };
#[cfg(feature = "rayon")]
const WILD_THREADS: Kind = Kind { budgets: false, ..WILD };
/// Agents write shared keys and watch them, and so does the game.
const SHARED: Kind = Kind { mode: &SHARED_MODE, ..WILD };
const SHARED_MODE: Mode = harness::CROSSED.sharing().calling(&[
    (Call::Enable, 2),
    (Call::Disable, 1),
    (Call::Pause, 1),
    (Call::Unpause, 2),
    (Call::Restart, 1),
    (Call::Send, 2),
    (Call::Alarm, 1),
    (Call::AnyLevel, 2),
    (Call::Clear, 1),
    (Call::Storm, 2),
    (Call::Rank, 3),
    (Call::Join, 3),
    (Call::Part, 1),
    (Call::Rate, 1),
]);
const DISCREET: Kind = Kind { mode: &harness::DISCREET, wild: false, budgets: true };

/// The observable results of a life.
#[derive(Default)]
struct LifeResults {
    log: Vec<Line>,
    /// For each agent, brains after the others.
    facts: Vec<Option<Fact>>,
    /// Missing where a leaf panicked.
    reports: Vec<Option<TickReport>>,
    /// How many detours there were.
    detours: usize,
}

/// A tree, half of the time with a slot. In a third of all cases it declares its events.
fn tree(dice: &mut Dice, kind: Kind) -> Arc<Tree<Town>> {
    let (pads, depth, wide) = (dice.below(3), dice.below(3), dice.below(2) == 0);
    let (slotted, strict) = (dice.below(2) == 0, dice.below(3) == 0);
    let declare = |it: &mut TreeBuilder<Town>| {
        if slotted {
            let words = harness::WEAPONS.map(str::to_owned).to_vec();
            it.declare(Scope::Agent, "slot:weapon", KeyDefault::Symbol("empty".into(), words));
        }
        if strict {
            for (event, payload) in [("hey", None), ("ho", Some(Type::Float)), ("boom", None), ("e", None)] {
                it.event(event, payload);
            }
        }
    };
    let root = |keys| -> Node<Town> {
        let mut sub = |depth| harness::node(dice, kind.mode, keys, depth, wide, true);
        let first = sub(depth);
        if !slotted {
            return first;
        }
        let slot = switch("slot:weapon", [("sword", sub(1)), ("bow", sub(0))]);
        let rest = harness::hooked(kind.mode, keys, 0.8);
        if wide { parallel([first, selector([slot, rest])]) } else { selector([sequence([first, slot]), rest]) }
    };
    Arc::new(harness::build_with(pads, kind.wild, declare, root).0)
}

/// Runs code that may panic, and returns its result if it did not.
fn caught<R>(call: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// A forest at play with its world.
struct Play<'f, T: Tracer> {
    forest: Traced<'f, Forest<Town>, T>,
    world: &'f mut World,
    dice: &'f mut Dice,
    trees: Vec<TreeId>,
    kind: Kind,
}

impl<T: Tracer + Send + Sync> Play<'_, T> {
    /// From now on panics are as likely as a draw for this frame says.
    fn begin_frame(&mut self) {
        let level = if self.kind.wild && self.dice.below(2) == 0 { 1 + self.dice.below(1 << 20) as u64 } else { 0 };
        self.world.danger = Danger { level, everywhere: true, ..Danger::default() };
    }

    /// Calls from outside.
    fn meddle(&mut self) {
        for _ in 0..self.dice.below(16) {
            let it = self.world.all[self.dice.below(self.world.all.len())];
            let (what, tree) = (self.kind.mode.call(self.dice, false), self.trees[self.dice.below(self.trees.len())]);
            caught(|| call(&mut self.forest, self.world, it, tree, what));
        }
    }

    fn tick(&mut self, frame: usize, ticks: Ticks) -> Option<TickReport> {
        let Play { forest, world, dice, .. } = self;
        world.mood = dice.below(1000);
        let (dt, how) = (frame_time(dice, frame), dice.below(9));
        #[cfg(feature = "rayon")]
        if let Ticks::Threads(threads) = ticks {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let from = World { log: Vec::new(), ..world.clone() };
            let report = caught(|| {
                pool.install(|| forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)))
            });
            return report.map(|it| it.expect("it is a time"));
        }
        let _ = ticks;
        // A clock that shows another time at each look.
        let mut now = 0;
        let mut clock = || {
            now += 7;
            now
        };
        let budget = match how {
            it @ 0..5 => Some(Budget::Agents([0, 1, 2, 7, 40][it])),
            5 => Some(Budget::Micros(20, &mut clock)),
            6 => Some(Budget::Agents(u64::MAX)),
            _ => None,
        };
        let report = caught(|| match budget.filter(|_| self.kind.budgets) {
            Some(budget) => forest.tick_within(world, dt, budget),
            None => forest.tick(world, dt),
        });
        report.map(|it| it.expect("it is a time"))
    }
}

/// One life.
fn live<T: Tracer + Send + Sync>(
    seed: u64,
    kind: Kind,
    (ticks, detour): (Ticks, Detour),
    tracer: &mut T,
) -> LifeResults {
    let (mut dice, mut seen) = (Dice(seed), LifeResults::default());
    let chunk_size = [1024, 64, 20][dice.below(3)];
    let (sleep, every_tick) = (dice.below(4) > 0, dice.below(6) == 0);
    let new = |seed| {
        let mut forest = Forest::<Town>::new(seed);
        forest.configure(|it| {
            (it.batched, it.chunk_size) = (ticks != Ticks::InOrder, chunk_size);
            (it.sleep, it.reevaluate_every_tick) = (sleep, every_tick);
        });
        forest
    };
    let mut forest = new(seed);
    let mut world = World { despawns: kind.wild, streams: true, ..World::default() };
    let mut trees: Vec<(TreeId, Arc<Tree<Town>>)> = Vec::new();
    for agents in [[90, 40, 3], [15, 4, 1]][dice.below(2)] {
        let tree = tree(&mut dice, kind);
        let id = forest.add_tree(Arc::clone(&tree)).expect("they declare alike");
        trees.push((id, tree));
        harness::spawn(&mut dice, &mut forest.traced(tracer), &mut world, id, agents);
    }
    let mut brains: Vec<Brain<Town>> =
        trees[1..].iter().map(|it| Brain::spawn_with(&mut world, Arc::clone(&it.1), seed, Spawn::default())).collect();
    for frame in 0..FRAMES {
        let ids = |trees: &[(TreeId, Arc<Tree<Town>>)]| trees.iter().map(|it| it.0).collect::<Vec<_>>();
        let (forest_now, trees_now) = (forest.traced(tracer), ids(&trees));
        let mut play = Play { forest: forest_now, world: &mut world, dice: &mut dice, trees: trees_now, kind };
        play.begin_frame();
        play.meddle();
        for brain in &mut brains {
            let what = kind.mode.call(&mut dice, false);
            caught(|| call_brain(&mut brain.traced(tracer), &mut world, what));
        }
        if dice.below(8) == 0 {
            let from = dice.below(trees.len());
            let mut news = Vec::new();
            for (id, old) in &mut trees[from..] {
                *old = tree(&mut dice, kind);
                let new = Arc::clone(old);
                news.push((*id, if dice.below(3) == 0 { Replace::restart(new) } else { new.into() }));
            }
            // All have the new trees, even if a leaf panics.
            caught(|| forest.traced(tracer).replace_trees(&mut world, news).expect("they declare alike"));
            caught(|| brains[0].traced(tracer).replace_tree(&mut world, Arc::clone(&trees[1].1)));
        }
        let lot = dice.below(1 << 30) as u64;
        match detour {
            _ if !lot.is_multiple_of(3) => {}
            Detour::None => {}
            Detour::RolledBack => {
                let before = forest.snapshot().expect("all states are cloned");
                let (mut aside, mut dice) = (world.clone(), Dice(lot));
                let (forest_aside, mut nobody) = (&mut forest, NoTracer);
                let forest_aside = forest_aside.traced(&mut nobody);
                let mut play =
                    Play { forest: forest_aside, world: &mut aside, dice: &mut dice, trees: ids(&trees), kind };
                for frame in 0..3 {
                    play.begin_frame();
                    play.meddle();
                    play.tick(frame, ticks);
                }
                forest.rollback(&before).expect("the trees are the same");
                seen.detours += 1;
            }
            #[cfg(feature = "save")]
            Detour::Saved => {
                // Requests wait after a panic.
                if let Ok(save) = forest.save() {
                    let bytes = postcard::to_stdvec(&save).expect("it is written");
                    forest = new(0);
                    for (id, tree) in &mut trees {
                        *id = forest.add_tree(Arc::clone(tree)).expect("they declare alike");
                    }
                    let save = postcard::from_bytes(&bytes).expect("it is read");
                    forest.restore(&mut world, &save).expect("it was saved here");
                    let again = postcard::to_stdvec(&forest.save().expect("nothing waits")).expect("it is written");
                    assert!(again == bytes, "{ticks:?}, seed {seed}, frame {frame}: another save");
                    seen.detours += 1;
                }
            }
        }
        let forest_now = forest.traced(tracer);
        let mut play = Play { forest: forest_now, world: &mut world, dice: &mut dice, trees: ids(&trees), kind };
        seen.reports.push(play.tick(frame, ticks));
        let dt = frame_time(&mut dice, frame);
        for brain in &mut brains {
            caught(|| brain.traced(tracer).tick(&mut world, dt).expect("it is a time"));
        }
    }
    seen.facts = world.all.iter().map(|&it| fact(&forest, it)).collect();
    seen.facts.extend(brains.iter().map(|it| it.inspect().map(Fact::of)));
    // Only a life that is saved and restored has these.
    seen.log = world.log.into_iter().filter(|it| it.what != 'r').collect();
    seen
}

fn same(what: &str, seed: u64, one: &LifeResults, other: &LifeResults) {
    harness::same(what, seed, &one.log, &other.log);
    harness::same(what, seed, &one.facts, &other.facts);
    harness::same(what, seed, &one.reports, &other.reports);
}

fn traced(seed: u64, kind: Kind, ways: (Ticks, Detour)) -> (LifeResults, Vec<String>) {
    let mut recorder = Recorder::all();
    let seen = live(seed, kind, ways, &mut recorder);
    (seen, recorder.take().iter().map(ToString::to_string).collect())
}

/// Lives one life in all ways that must agree in the order of all callbacks. Returns how many ticks
/// panicked, and how many detours there were.
fn all_ways(seed: u64, kind: Kind, ticks: Ticks) -> [usize; 2] {
    let plain = live(seed, kind, (ticks, Detour::None), &mut NoTracer);
    let (all, trace) = traced(seed, kind, (ticks, Detour::None));
    same(&format!("{ticks:?}, traced"), seed, &plain, &all);
    let few: Vec<AgentId> = plain.log.iter().map(|it| it.agent).step_by(97).collect();
    same(
        &format!("{ticks:?}, some traced"),
        seed,
        &plain,
        &live(seed, kind, (ticks, Detour::None), &mut Recorder::of(few)),
    );
    let mut detours = 0;
    for &detour in DETOURS {
        let what = format!("{ticks:?}, {detour:?}");
        let other = live(seed, kind, (ticks, detour), &mut NoTracer);
        same(&what, seed, &plain, &other);
        let (other, lines) = traced(seed, kind, (ticks, detour));
        same(&format!("{what}, traced"), seed, &plain, &other);
        harness::same(&format!("{what}, trace"), seed, &trace, &lines);
        detours += other.detours;
    }
    [plain.reports.iter().filter(|it| it.is_none()).count(), detours]
}

#[test]
fn a_life_is_the_same_with_tracers_saved_and_rolled_back_whatever_panics_within_any_budget() {
    let mut sums = [0; 2];
    for seed in seeds(10) {
        for ticks in [Ticks::Batched, Ticks::InOrder] {
            let counts = all_ways(seed, WILD, ticks);
            sums = [sums[0] + counts[0], sums[1] + counts[1]];
        }
    }
    assert!(sums.into_iter().all(|it| it > 40), "{sums:?}");
}

#[cfg(feature = "rayon")]
#[test]
fn a_life_on_threads_is_the_same_on_any_number_with_tracers_saved_and_rolled_back() {
    for seed in seeds(4) {
        let one = live(seed, WILD_THREADS, (Ticks::Threads(1), Detour::None), &mut NoTracer);
        let three = live(seed, WILD_THREADS, (Ticks::Threads(3), Detour::None), &mut NoTracer);
        same("threads", seed, &one, &three);
        all_ways(seed, WILD_THREADS, Ticks::Threads(2));
    }
}

#[test]
fn a_life_with_shared_keys_is_the_same_with_tracers_saved_and_rolled_back() {
    let mut sums = [0; 2];
    for seed in seeds(8) {
        for ticks in [Ticks::Batched, Ticks::InOrder] {
            let counts = all_ways(seed, SHARED, ticks);
            sums = [sums[0] + counts[0], sums[1] + counts[1]];
        }
        #[cfg(feature = "rayon")]
        all_ways(seed, Kind { budgets: false, ..SHARED }, Ticks::Threads(2));
    }
    assert!(sums[1] > 40, "{sums:?}");
}

/// Agent by agent, each one's in their order.
#[test]
fn a_discreet_life_is_the_same_for_each_agent_in_batches_in_order_and_on_threads() {
    let by_agent = |mut seen: LifeResults| {
        seen.log = harness::by_agent(seen.log);
        seen
    };
    for seed in seeds(10) {
        let life = |kind, ticks| by_agent(live(seed, kind, (ticks, Detour::None), &mut NoTracer));
        same("in batches", seed, &life(DISCREET, Ticks::InOrder), &life(DISCREET, Ticks::Batched));
        #[cfg(feature = "rayon")]
        {
            let kind = Kind { budgets: false, ..DISCREET };
            same("on threads", seed, &life(kind, Ticks::InOrder), &life(kind, Ticks::Threads(2)));
        }
    }
}
