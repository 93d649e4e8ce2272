//! The oracle: `SEMANTICS.md` as a simple program. It computes what any scenario must print.
//!
//! Nodes are objects with their children inside, monitors are a list, run stacks are lists of
//! nodes. Every question ("is this active", "what is the lowest active composite above that") is
//! answered by a search. Nothing here is fast. Where the oracle and the interpreter differ, it
//! should be easy to see which of them is right.

mod amounts;
mod node;
mod pass;
mod places;
pub mod random;
mod replace;
mod restore;
mod run;
mod seen;
mod setup;
mod told;
pub mod turns;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use crate::expr::Clock;
use crate::happening::{Happening, NodeIndex, Reason, Words, heard_line, stacks_line};
use crate::scenario::{Call, KeyName, Outcome, Scenario, Scope, Token, Value, Values};
use crate::stack;
use node::{AgentNode, Plan};
pub(crate) use places::Places;
use random::SplitMix64;
pub(crate) use restore::Saved;
pub(crate) use turns::{TreeNumber, Turn, Turns};

/// The slot of the first agent of a forest.
const FIRST_SLOT: u32 = 1;

/// What the scenario must print, line by line.
///
/// # Panics
/// When the scenario is not one that [`Scenario::check`] accepts.
#[must_use]
pub fn trace(scenario: &Scenario) -> Vec<String> {
    stack::with_room_for(scenario.levels(), || on_this_stack(scenario))
}

fn on_this_stack(scenario: &Scenario) -> Vec<String> {
    if let Err(e) = scenario.check() {
        panic!("the oracle was given a scenario that makes no sense: {e}");
    }
    let setup = Setup::of(scenario);
    let mut words: Vec<Words> = scenario.roots().iter().map(Words::of).collect();
    let (mut version, mut saved) = (0, None);
    let mut agent = Agent::new(&setup, scenario.seed, FIRST_SLOT, Completion::Stop);
    let mut turns = Turns::default();
    for who in [Who::Panicker, Who::Agent] {
        let tree = turns.tree();
        turns.spawn(tree, who);
    }
    agent.call(&Call::Enable);
    let mut lines = vec![Call::Enable.to_string()];
    for tick in 1..=scenario.ticks {
        let (mut budget, mut panics) = (None, false);
        for op in scenario.ops.iter().filter(|op| op.before == tick) {
            lines.push(op.call.to_string());
            match op.call {
                Call::Rate { frames } => {
                    turns.set_rate(Who::Agent, frames);
                    agent.get_rate(frames);
                }
                Call::Budget { agents } => budget = Some(agents.into()),
                Call::Panic => panics = true,
                Call::Replace { keeps, .. } => {
                    version += 1;
                    agent.replace(version, keeps);
                    lines.extend(agent.happened.drain(..).map(|it| words[0].line(&it)));
                    words.remove(0);
                }
                Call::Save => saved = Some((agent.save(), turns.clone())),
                Call::Restore { ref tree } => {
                    if tree.is_some() {
                        version += 1;
                        words.remove(0);
                    }
                    let (of_agent, of_turns) = saved.as_ref().expect("the scenario was checked");
                    agent.restore_keys(of_agent);
                    agent.restore(of_agent, version);
                    turns = of_turns.clone();
                }
                _ => agent.call(&op.call),
            }
            if setup.refuses(&op.call) {
                lines.push("refused".to_owned());
            }
            lines.extend(agent.happened.drain(..).map(|it| words[0].line(&it)));
        }
        lines.push(format!("tick {tick}"));
        agent.pass_time(1);
        turns.frame(budget, |who| match who {
            Who::Agent => agent.turn(tick, false),
            Who::Panicker if panics => Turn::Panicked,
            Who::Panicker => Turn::Free,
        });
        lines.extend(agent.happened.drain(..).map(|it| words[0].line(&it)));
        lines.push(stacks_line(&agent.run_stacks()));
        let told = agent.told.drain(..).filter(|_| scenario.squad && !scenario.stranger);
        lines.extend(told.map(|it| heard_line(&it.name, it.payload.map(|it| it.to_string()).as_deref())));
    }
    lines
}

/// The agents of a scenario's forest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The agent whose leaf panics when the scenario says so.
    Panicker,
    /// The agent of the scenario.
    Agent,
}

/// A scenario and its tree, for any number of agents.
pub(crate) struct Setup<'a> {
    scenario: &'a Scenario,
    /// One for each version of the tree.
    plans: Vec<Rc<Plan>>,
}

impl<'a> Setup<'a> {
    /// The setup of a scenario that [`Scenario::check`] accepts.
    pub(crate) fn of(scenario: &'a Scenario) -> Setup<'a> {
        let plans = scenario.roots().iter().map(|it| Plan::tree(it, &scenario.keys)).collect();
        Setup { scenario, plans }
    }
}

/// What an agent does when its root has ended (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It is off from then on.
    Stop,
    /// Its root starts again in its next tick.
    Restart,
}

/// An agent with its tree, and what has happened to it.
pub(crate) struct Agent<'a> {
    setup: &'a Setup<'a>,
    /// The lower 32 bits of its id.
    slot: u32,
    completion: Completion,
    /// While it is being restored: the Cooldowns whose children end, in that order.
    cools: Option<Vec<NodeIndex>>,
    /// Which version of the tree it has.
    version: usize,
    root: Rc<AgentNode>,
    pub(crate) phase: Phase,
    /// The run stacks that are not empty, in the order in which they were made.
    stacks: Vec<Stack>,
    /// How many stacks have been made.
    stacks_made: u32,
    monitors: Vec<Monitor>,
    /// What the keys hold now.
    pub(crate) keys: Values,
    /// The places of the tokens of its group and of the forest, while the agent is at work.
    pub(crate) places: [Places; 2],
    /// The tokens that it has asked for in its turn.
    asked: Vec<String>,
    /// While it is being restored: the tokens whose places it has given back.
    given_back: Vec<Token>,
    /// The events that this tick can see.
    events: Vec<Event>,
    /// The events that the next tick will see.
    sent: Vec<Event>,
    /// The events that it has sent to its group and that have not been received yet.
    pub(crate) told: Vec<Event>,
    /// The group and global keys that it has written in its last turn, in that order.
    pub(crate) written: Vec<&'a KeyName>,
    random: SplitMix64,
    /// The agent's own time in seconds.
    pub(crate) time: u64,
    /// The forest's time in seconds.
    pub(crate) now: u64,
    /// Its own time at its last turn.
    turned: u64,
    /// The time between its last two turns.
    pub(crate) dt: u64,
    /// The number of the frame, with or without a turn. Scripts follow it.
    tick: u32,
    /// The next update of an action panics.
    bomb: bool,
    pub(crate) last_outcome: Option<Outcome>,
    /// Everything that has happened since this was last cleared.
    pub(crate) happened: Vec<Happening>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not enabled, or finished.
    Off,
    /// Ticked.
    On,
    /// Enabled and not ticked.
    Paused,
    /// Off since one of its leaves panicked.
    Panicked,
}

/// The number of an agent's run stack. Stacks are numbered as they are made, and no number is
/// reused.
#[derive(Clone, Copy, PartialEq, Eq)]
struct StackId(u32);

/// A run stack, bottom first, never empty.
struct Stack {
    id: StackId,
    nodes: Vec<Rc<AgentNode>>,
}

/// A condition and how its last normal evaluation ended.
struct Monitor {
    condition: Rc<AgentNode>,
    status: Outcome,
}

#[derive(Clone)]
pub(crate) struct Event {
    name: String,
    payload: Option<Value>,
}

/// The payload of a panic that the caller requests.
struct LeafPanic;

impl<'a> Agent<'a> {
    /// An agent that is off.
    pub(crate) fn new(setup: &'a Setup<'a>, seed: u64, slot: u32, completion: Completion) -> Self {
        Agent {
            setup,
            slot,
            completion,
            cools: None,
            version: 0,
            root: AgentNode::tree(&setup.plans[0]),
            phase: Phase::Off,
            stacks: Vec::new(),
            stacks_made: 0,
            monitors: Vec::new(),
            keys: setup.scenario.keys.defaults(),
            places: Default::default(),
            asked: Vec::new(),
            given_back: Vec::new(),
            events: Vec::new(),
            sent: Vec::new(),
            told: Vec::new(),
            written: Vec::new(),
            random: SplitMix64(seed),
            time: 0,
            now: 0,
            turned: 0,
            dt: 0,
            tick: 0,
            bomb: false,
            last_outcome: None,
            happened: Vec::new(),
        }
    }

    /// Swaps these values with the agent's keys of the same names. The agent has the values of
    /// shared keys only while it is at work.
    pub(crate) fn swap(&mut self, shared: &mut Values) {
        for (name, value) in shared {
            std::mem::swap(value, self.keys.get_mut(name).expect("it declares all keys"));
        }
    }

    fn push_stack(&mut self, nodes: Vec<Rc<AgentNode>>) -> StackId {
        self.stacks_made += 1;
        let id = StackId(self.stacks_made);
        self.stacks.push(Stack { id, nodes });
        id
    }

    fn happens(&mut self, it: Happening) {
        self.happened.push(it);
    }

    /// The times that expressions read.
    pub(crate) fn clock(&self) -> Clock {
        Clock::at(self.time, self.now)
    }

    /// How many seconds of its own time have passed since an earlier own time.
    fn since(&self, time: u64) -> f64 {
        let passed = u32::try_from(self.time - time).expect("not that many seconds have passed");
        f64::from(passed)
    }

    // Section 6: lifecycle.

    /// A call that concerns this agent alone.
    ///
    /// # Panics
    /// The call concerns turns. [`Turns`] takes these.
    pub(crate) fn call(&mut self, call: &Call) {
        match call {
            Call::Enable => self.enable(),
            Call::Disable => {
                self.disable(Reason::Stopped);
                self.sent.clear();
            }
            Call::Restart => {
                self.disable(Reason::Stopped);
                self.enable();
            }
            Call::Pause => self.pause(Phase::On, Phase::Paused, Happening::Pause),
            Call::Unpause => self.pause(Phase::Paused, Phase::On, Happening::Unpause),
            Call::Set { key, value } => self.write(key, value.clone()),
            Call::Event { event, payload } => {
                if self.setup.knows(event, payload.as_ref()) {
                    self.hear(&Event { name: event.clone(), payload: payload.clone() });
                }
            }
            Call::Fill { slot, word, of: _ } => {
                if let Some(name) = self.setup.slot(slot, word) {
                    self.keys.insert(name.clone(), Value::Symbol(word.clone()));
                }
            }
            Call::Rate { .. }
            | Call::Budget { .. }
            | Call::Panic
            | Call::Replace { .. }
            | Call::Save
            | Call::Restore { .. } => {
                panic!("{call} is no call of the agent's own")
            }
        }
    }

    /// Receives an event that its tree knows.
    pub(crate) fn hear(&mut self, event: &Event) {
        if matches!(self.phase, Phase::On | Phase::Paused) {
            self.sent.push(event.clone());
        }
    }

    /// Writes a key. A value of another type, or a word that the key lacks, does not change it.
    fn write(&mut self, path: &str, value: Value) {
        let Some((name, key)) = self.setup.scenario.keys.find(path) else {
            panic!("there is no {path}, which checking should have refused");
        };
        if value.value_type() == key.default.value_type() && key.takes(&value) {
            self.keys.insert(name.clone(), value);
            if name.scope != Scope::Agent {
                self.written.push(name);
            }
        }
    }

    fn enable(&mut self) {
        if self.phase == Phase::Panicked {
            // No dt includes the time since the panic (8.6).
            self.turned = self.time;
            self.phase = Phase::Off;
        }
        if self.phase == Phase::Off {
            self.phase = Phase::On;
            self.root.for_each(&mut |n| n.forget());
        }
    }

    fn disable(&mut self, reason: Reason) {
        if matches!(self.phase, Phase::On | Phase::Paused) {
            let root = self.root.clone();
            if root.is_active() {
                self.end_from_outside(&root, reason);
            }
            self.monitors.clear();
            self.phase = Phase::Off;
            self.stop_waiting();
        }
    }

    /// The last call of an agent.
    pub(crate) fn despawn(&mut self) {
        self.disable(Reason::Despawned);
    }

    fn pause(&mut self, from: Phase, to: Phase, happening: fn(NodeIndex) -> Happening) {
        if self.phase == from {
            self.phase = to;
            if to == Phase::Paused {
                self.stop_waiting();
            }
            let mut leaves = Vec::new();
            self.root.for_each(&mut |n| {
                if n.is_active() && n.children.is_empty() {
                    leaves.push(n.index);
                }
            });
            self.happened.extend(leaves.into_iter().map(happening));
        }
    }

    // Section 8.2: frames and turns.

    /// A frame begins. The agent's own time stops while it is paused or off.
    pub(crate) fn pass_time(&mut self, seconds: u64) {
        let lives = matches!(self.phase, Phase::On | Phase::Panicked);
        self.places.iter_mut().for_each(|it| it.pass(seconds));
        self.now += seconds;
        self.time += if lives { seconds } else { 0 };
    }

    /// Its turn in the frame of this number. With a bomb, the first action that it updates panics.
    pub(crate) fn turn(&mut self, tick: u32, bomb: bool) -> Turn {
        self.written.clear();
        if self.phase != Phase::On {
            return Turn::Free;
        }
        (self.tick, self.bomb, self.dt) = (tick, bomb, self.time - self.turned);
        let ran = catch_unwind(AssertUnwindSafe(|| self.run_tick()));
        // Leaves that a finally calls outside of a turn do not panic.
        self.bomb = false;
        match ran {
            Ok(()) => {
                self.turned = self.time;
                Turn::Ticked
            }
            Err(panic) if panic.is::<LeafPanic>() => {
                self.fall();
                Turn::Panicked
            }
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Section 8.6: nothing stays active or waiting, and no `end` is called.
    fn fall(&mut self) {
        self.phase = Phase::Panicked;
        self.turned = self.time;
        self.root.for_each(&mut |n| n.state().active = false);
        for node in replace::all(&self.root.clone()) {
            self.give_back(&node);
        }
        self.stop_waiting();
        self.stacks.clear();
        self.monitors.clear();
        self.events.clear();
        self.sent.clear();
    }

    // Section 4: a tick.

    fn run_tick(&mut self) {
        self.events = std::mem::take(&mut self.sent);
        let observers = self.observers();
        let root = self.root.clone();
        if !root.is_active() {
            self.start(&root);
        }
        let turns = self.turns(&root);
        let visited = self.pass(&observers);
        for id in turns {
            if !visited.contains(&id) {
                self.take_turn(id);
            }
        }
        if !root.is_active() {
            if self.completion == Completion::Stop {
                self.phase = Phase::Off;
            }
            self.monitors.clear();
        }
        self.events.clear();
        self.end_asking();
    }

    /// The run stack with `bottom` at its bottom, after those of the parallel on its top.
    fn turns(&self, bottom: &Rc<AgentNode>) -> Vec<StackId> {
        let Some(stack) = self.stacks.iter().find(|s| Rc::ptr_eq(&s.nodes[0], bottom)) else { return Vec::new() };
        let top = &stack.nodes[stack.nodes.len() - 1];
        let mut turns: Vec<StackId> =
            if top.is_parallel() { top.children.iter().flat_map(|c| self.turns(c)).collect() } else { Vec::new() };
        turns.push(stack.id);
        turns
    }

    /// Step 3 for one stack.
    fn take_turn(&mut self, id: StackId) {
        while let Some(stack) = self.stacks.iter().find(|s| s.id == id) {
            let decided = |n: &Rc<AgentNode>| n.is_parallel() && n.state().verdict.is_some();
            if stack.nodes[0].ancestors().iter().any(decided) {
                return;
            }
            let top = stack.nodes[stack.nodes.len() - 1].clone();
            if self.visit(&top).is_none() {
                return;
            }
        }
    }
}
