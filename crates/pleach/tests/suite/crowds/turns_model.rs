//! A plain model of SEMANTICS 8.2 to 8.4 and 8.6 says which agent has a turn in which frame, with
//! which `dt`, over random lives.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::dice::Dice;
use pleach_core::nodes::{action, sequence, wait};
use pleach_core::{AgentId, Budget, Completion, Event, Forest, Phase, Rate, Spawn, Status, TreeId, nodes::Node};
use support::{Cx, Game, World, tree};

/// The agents of a chunk (SEMANTICS 8.2).
const CHUNK: usize = 1024;
/// In nanoseconds, and the `dt` that the forest gets for it.
const DTS: [(u64, f32); 4] = [(0, 0.0), (100_000_000, 0.1), (50_000_000, 0.05), (3_000_000_000, 3.0)];
/// How long agents of the second tree wait, in nanoseconds.
const WAIT: u64 = 370_000_000;

/// Notes the agent, its own time and its `dt` in milliseconds. Panics when it gets the event
/// "boom".
fn clock(status: Status) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let line = format!("{:?} {:.0} {:.0}", cx.agent(), cx.time() * 1000.0, cx.dt() * 1000.0);
        cx.host.log.push(line);
        if cx.event("boom").is_some() {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        status
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Life {
    On,
    Paused,
    Off,
    Panicked,
}

/// What an agent does in its next turn.
#[derive(Clone, Copy, PartialEq)]
enum Doing {
    /// Notes the time.
    Clock,
    /// Begins to wait.
    Fresh,
    /// Waits until then, in the agent's own time; after that it notes the time.
    Wait(u64),
}

#[derive(Clone, Copy)]
struct Agent {
    id: AgentId,
    waits: bool,
    rate: u64,
    due: bool,
    life: Life,
    doing: Doing,
    stops: bool,
    boom: bool,
    /// Whether the agent was asleep after its last tick.
    asleep: bool,
    /// The agent's own time, and what that was at its last turn.
    own: u64,
    last: u64,
}

impl Agent {
    fn new(id: AgentId, waits: bool, off: bool) -> Self {
        let doing = if waits { Doing::Fresh } else { Doing::Clock };
        let life = if off { Life::Off } else { Life::On };
        Agent { id, waits, rate: 1, due: false, life, doing, stops: false, boom: false, asleep: false, own: 0, last: 0 }
    }

    fn begin(&mut self) {
        self.asleep = false;
        self.doing = if self.waits { Doing::Fresh } else { Doing::Clock };
    }

    fn sleeps(&self) -> bool {
        matches!(self.doing, Doing::Wait(until) if self.own < until) && !self.boom
    }
}

/// The forest as SEMANTICS describes it.
struct Model {
    /// The chunks of the first tree, then those of the second.
    chunks: [Vec<Vec<Agent>>; 2],
    frame: u64,
    cursor: (usize, usize),
    sleep: bool,
}

struct Expected {
    log: Vec<String>,
    ticked: u64,
    asleep: u64,
    panics: bool,
}

impl Model {
    fn chunks(&mut self) -> impl Iterator<Item = &mut Vec<Agent>> {
        self.chunks.iter_mut().flatten()
    }

    fn agent(&mut self, id: AgentId) -> &mut Agent {
        self.chunks().flatten().find(|it| it.id == id).expect("it is here")
    }

    fn add(&mut self, agent: Agent) {
        let chunks = &mut self.chunks[usize::from(agent.waits)];
        match chunks.iter_mut().find(|it| it.len() < CHUNK) {
            Some(chunk) => chunk.push(agent),
            None => chunks.push(vec![agent]),
        }
    }

    fn remove(&mut self, id: AgentId) {
        for chunk in self.chunks() {
            if let Some(at) = chunk.iter().position(|it| it.id == id) {
                chunk.swap_remove(at);
            }
        }
    }

    /// A frame: with a budget, or without.
    fn tick(&mut self, dt: u64, budget: Option<u64>) -> Expected {
        self.frame += 1;
        let (frame, sleep) = (self.frame, self.sleep);
        for chunk in self.chunks() {
            for (place, it) in (0..).zip(chunk) {
                it.due |= it.rate > 0 && frame % it.rate == place % it.rate;
                if matches!(it.life, Life::On | Life::Panicked) {
                    it.own += dt;
                }
            }
        }
        let mut expected = Expected { log: Vec::new(), ticked: 0, asleep: 0, panics: false };
        expected.asleep = self.chunks().flatten().filter(|it| it.life == Life::On && it.asleep).count() as u64;
        let mut chunks: Vec<&mut Vec<Agent>> = self.chunks.iter_mut().flatten().collect();
        let cursor = match budget {
            Some(_) if self.cursor.0 < chunks.len() => self.cursor,
            Some(_) => (0, self.cursor.1),
            None => (0, 0),
        };
        let mut places: Vec<(usize, usize)> =
            chunks.iter().enumerate().flat_map(|(chunk, it)| (0..it.len()).map(move |at| (chunk, at))).collect();
        let first = places.partition_point(|it| *it < cursor);
        places.rotate_left(first);
        let mut stopped = None;
        for place in places {
            let it = &mut chunks[place.0][place.1];
            if budget == Some(expected.ticked) {
                stopped = Some(place);
                break;
            }
            if !std::mem::take(&mut it.due) || it.life != Life::On {
                continue;
            }
            if !(sleep && it.sleeps()) {
                expected.ticked += 1;
                expected.asleep -= u64::from(it.asleep);
                let mut clock = false;
                match it.doing {
                    Doing::Clock => clock = true,
                    Doing::Fresh => it.doing = Doing::Wait(it.own + WAIT),
                    Doing::Wait(until) => clock = it.own >= until,
                }
                if clock {
                    let (own, dt) = (it.own / 1_000_000, (it.own - it.last) / 1_000_000);
                    expected.log.push(format!("{:?} {own} {dt}", it.id));
                    if it.waits {
                        it.doing = Doing::Fresh;
                        it.life = if it.stops { Life::Off } else { Life::On };
                    }
                    if it.boom {
                        (it.life, expected.panics) = (Life::Panicked, true);
                    }
                }
                it.boom = false;
                it.asleep = sleep && it.life == Life::On && it.sleeps();
            }
            it.last = it.own;
            if expected.panics {
                stopped = Some((place.0, place.1 + 1));
                break;
            }
        }
        self.cursor = stopped.unwrap_or(self.cursor);
        expected
    }
}

/// One random life: in each frame the forest does the same as the model.
fn live(seed: u64, sleep: bool) {
    let (mut dice, mut world, mut forest) = (Dice(seed), World::default(), Forest::<Game>::new(seed));
    // In batches a panic costs no other agent of its chunk its turn.
    forest.configure(|it| it.batched = false);
    forest.configure(|it| it.sleep = sleep);
    let roots = [clock(Status::Running), sequence([wait(0.37), clock(Status::Success)])];
    let trees: [TreeId; 2] = roots.map(|it| forest.add_tree(tree(it)).unwrap());
    let mut model = Model { chunks: [Vec::new(), Vec::new()], frame: 0, cursor: (0, 0), sleep };
    let mut all: Vec<AgentId> = Vec::new();
    let crowd = [[5, 70, 1050][dice.below(3)], [5, 90, 300][dice.below(3)]];
    let spawn = |forest: &mut Forest<Game>, model: &mut Model, world: &mut World, waits: bool, off: bool| {
        let id =
            forest.spawn_with(world, trees[usize::from(waits)], Spawn { enabled: !off, ..Spawn::default() }).unwrap();
        model.add(Agent::new(id, waits, off));
        id
    };
    for waits in [false, true] {
        for _ in 0..crowd[usize::from(waits)] {
            all.push(spawn(&mut forest, &mut model, &mut world, waits, false));
        }
    }
    let most = all.len();
    // Some forests never tick within a budget, some never set a rate, some always panic.
    let (budgets, rates, booms) = (dice.below(3) > 0, dice.below(3) > 0, dice.below(2) == 0);
    for frame in 1..120 {
        for _ in 0..1 + most / 30 {
            let at = dice.below(all.len());
            let id = all[at];
            match dice.below(12) {
                0..=2 if rates => {
                    let rate = [1, 2, 3, 7, 10, 0][dice.below(6)];
                    forest.agent_mut(id).unwrap().set_rate(Rate::every(rate).unwrap_or(Rate::NEVER));
                    let it = model.agent(id);
                    it.rate = rate.into();
                    it.due &= rate > 0;
                }
                3 => {
                    forest.agent_mut(id).unwrap().pause(&mut world);
                    let it = model.agent(id);
                    it.life = if it.life == Life::On { Life::Paused } else { it.life };
                }
                4 | 5 => {
                    forest.agent_mut(id).unwrap().unpause(&mut world);
                    let it = model.agent(id);
                    it.life = if it.life == Life::Paused { Life::On } else { it.life };
                }
                6 => {
                    forest.agent_mut(id).unwrap().disable(&mut world);
                    let it = model.agent(id);
                    it.life = if it.life == Life::Panicked { Life::Panicked } else { Life::Off };
                    it.boom = false;
                }
                7 | 8 => {
                    forest.agent_mut(id).unwrap().enable(&mut world);
                    let it = model.agent(id);
                    if it.life == Life::Panicked {
                        it.last = it.own;
                    }
                    if matches!(it.life, Life::Off | Life::Panicked) {
                        it.begin();
                        it.life = Life::On;
                    }
                }
                9 if all.len() > 4 => {
                    forest.agent_mut(id).unwrap().despawn(&mut world);
                    model.remove(id);
                    all.swap_remove(at);
                }
                10 => {
                    let (waits, off) = (dice.below(2) == 0, dice.below(4) == 0);
                    all.push(spawn(&mut forest, &mut model, &mut world, waits, off));
                }
                11 => {
                    let stops = dice.below(2) == 0;
                    let completion = if stops { Completion::Stop } else { Completion::Restart };
                    forest.agent_mut(id).unwrap().set_completion(completion);
                    model.agent(id).stops = stops;
                }
                _ => {}
            }
        }
        if booms && dice.below(6) == 0 {
            let id = all[dice.below(all.len())];
            forest.agent_mut(id).unwrap().send(Event::new("boom")).unwrap();
            let it = model.agent(id);
            it.boom = matches!(it.life, Life::On | Life::Paused);
        }
        let (nanos, dt) = DTS[dice.below(if frame % 20 == 0 { 4 } else { 3 })];
        let budget = [0, 1, 7, 64, 100, most as u64, u64::MAX][dice.below(7)];
        let budget = (budgets && dice.below(3) > 0).then_some(budget);
        let expected = model.tick(nanos, budget);
        let call = catch_unwind(AssertUnwindSafe(|| match budget {
            Some(budget) => forest.tick_within(&mut world, dt, Budget::Agents(budget)).unwrap(),
            None => forest.tick(&mut world, dt).unwrap(),
        }));
        let found = world.take();
        if let Some(at) = (0..found.len().max(expected.log.len())).find(|&at| found.get(at) != expected.log.get(at)) {
            let (found, expected) = (found.get(at), expected.log.get(at));
            panic!("seed {seed}, frame {frame}, budget {budget:?}, turn {at}: {found:?}, not {expected:?}");
        }
        assert_eq!(call.is_err(), expected.panics, "seed {seed}, frame {frame}");
        if let Ok(report) = call {
            assert_eq!(report.ticked, expected.ticked, "seed {seed}, frame {frame}");
            assert_eq!(report.asleep, expected.asleep, "seed {seed}, frame {frame}");
        }
        for it in model.chunks().flatten() {
            let phase = forest.agent(it.id).unwrap().phase();
            let same = match it.life {
                Life::On => matches!(phase, Phase::Active | Phase::Asleep),
                Life::Paused => phase == Phase::Paused,
                Life::Off => phase == Phase::Off,
                Life::Panicked => phase == Phase::Panicked,
            };
            assert!(same, "seed {seed}, frame {frame}: {:?} is {phase:?}", it.id);
        }
    }
}

fn seeds(it: std::ops::Range<u64>) -> std::ops::Range<u64> {
    std::env::var("SEEDS").map_or(it, |all| 0..all.parse().unwrap())
}

#[test]
fn the_agents_with_a_turn_are_those_of_the_model() {
    for seed in seeds(0..40) {
        for sleep in [false, true] {
            live(seed, sleep);
        }
    }
}
