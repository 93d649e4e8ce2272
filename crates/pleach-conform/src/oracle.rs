//! The oracle: `SEMANTICS.md` in the plainest form that runs. It says what any scenario must print.
//!
//! Nodes are objects with their children inside, monitors are a list, run stacks are lists of nodes, and every question
//! ("is this active", "what is the lowest active composite above that") is answered by looking. Nothing here is fast and
//! nothing is clever: where this and the interpreter differ, it should take a minute to see which of them is right.

mod node;
mod pass;
mod random;
mod run;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::rc::Rc;

use crate::scenario::{ActionScript, Call, ConditionScript, Keys, Outcome, Scenario, Value, Values};
use crate::stack;
use node::Node;
use random::SplitMix64;

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
    let mut agent = Agent::new(scenario);
    agent.call(&Call::Enable);
    for tick in 1..=scenario.ticks {
        agent.tick = tick;
        for op in scenario.ops.iter().filter(|op| op.before == tick) {
            agent.call(&op.call);
        }
        agent.say(format_args!("tick {tick}"));
        agent.run_tick();
        agent.say_stacks();
    }
    agent.lines
}

/// An agent with its tree, and the lines that it has printed.
struct Agent<'a> {
    conditions: &'a BTreeMap<String, ConditionScript>,
    actions: &'a BTreeMap<String, ActionScript>,
    root: Rc<Node>,
    life: Life,
    /// The run stacks that are not empty, in the order in which they were made.
    stacks: Vec<Stack>,
    /// How many stacks have been made: a new one is not the one that stood at the same place before.
    stacks_made: u32,
    monitors: Vec<Monitor>,
    /// What is declared, and what it holds now. In its group the agent is alone, and in the world too.
    declared: &'a Keys,
    keys: Values,
    /// The events that this tick can see.
    events: Vec<Event>,
    /// The events that the next tick will see.
    sent: Vec<Event>,
    random: SplitMix64,
    /// The agent's own time in seconds. A tick lasts one.
    time: i64,
    /// The number of the tick, which scripts go by; it counts on while the agent is paused.
    tick: u32,
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Not enabled, or finished.
    Off,
    /// Ticked.
    On,
    /// Enabled and not ticked.
    Paused,
}

/// A run stack, bottom first, never empty.
struct Stack {
    id: u32,
    nodes: Vec<Rc<Node>>,
}

/// A condition and how its last normal evaluation ended.
struct Monitor {
    condition: Rc<Node>,
    status: Outcome,
}

struct Event {
    name: String,
    payload: Option<Value>,
}

impl<'a> Agent<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        Agent {
            conditions: &scenario.conditions,
            actions: &scenario.actions,
            root: Node::tree(&scenario.root(), &scenario.keys),
            life: Life::Off,
            stacks: Vec::new(),
            stacks_made: 0,
            monitors: Vec::new(),
            declared: &scenario.keys,
            keys: scenario.keys.defaults(),
            events: Vec::new(),
            sent: Vec::new(),
            random: SplitMix64(scenario.seed),
            time: 0,
            tick: 0,
            lines: Vec::new(),
        }
    }

    fn say(&mut self, line: impl Display) {
        self.lines.push(line.to_string());
    }

    // Section 6: lifecycle.

    fn call(&mut self, call: &Call) {
        self.say(call);
        match call {
            Call::Enable => self.enable(),
            Call::Disable => {
                self.disable();
                self.sent.clear();
            }
            Call::Restart => {
                self.disable();
                self.enable();
            }
            Call::Pause => self.pause(Life::On, Life::Paused, "pause"),
            Call::Unpause => self.pause(Life::Paused, Life::On, "unpause"),
            Call::Set { key, value } => self.write(key, value.clone()),
            Call::Event { event, payload } => {
                if self.life != Life::Off {
                    self.sent.push(Event { name: event.clone(), payload: payload.clone() });
                }
            }
        }
    }

    /// What cannot be the key's leaves it as it is: a value of another type, or a word that it lacks.
    fn write(&mut self, path: &str, value: Value) {
        let Some((name, key)) = self.declared.find(path) else {
            panic!("there is no {path}, which checking should have refused");
        };
        if value.value_type() == key.default.value_type() && key.takes(&value) {
            self.keys.insert(name.clone(), value);
        }
    }

    fn enable(&mut self) {
        if self.life == Life::Off {
            self.life = Life::On;
            self.root.for_each(&mut |n| n.forget());
        }
    }

    fn disable(&mut self) {
        if self.life != Life::Off {
            let root = self.root.clone();
            if root.is_active() {
                self.end_from_outside(&root);
            }
            self.monitors.clear();
            self.life = Life::Off;
        }
    }

    fn pause(&mut self, from: Life, to: Life, word: &str) {
        if self.life == from {
            self.life = to;
            let mut leaves = Vec::new();
            self.root.for_each(&mut |n| {
                if n.is_active() && n.children.is_empty() {
                    leaves.push(n.label.clone());
                }
            });
            for label in leaves {
                self.say(format_args!("{word} {label}"));
            }
        }
    }

    // Section 4: a tick.

    fn run_tick(&mut self) {
        if self.life != Life::On {
            return;
        }
        self.time += 1;
        self.events = std::mem::take(&mut self.sent);
        let items = self.pass_items();
        let root = self.root.clone();
        if !root.is_active() {
            self.start(&root);
        }
        let turns = self.turns(&root);
        let visited = self.pass(&items);
        for id in turns {
            if !visited.contains(&id) {
                self.take_turn(id);
            }
        }
        if !root.is_active() {
            self.life = Life::Off;
            self.monitors.clear();
        }
        self.events.clear();
    }

    /// The run stack that has `bottom` at its bottom, after those of the parallel on its top.
    fn turns(&self, bottom: &Rc<Node>) -> Vec<u32> {
        let Some(stack) = self.stacks.iter().find(|s| Rc::ptr_eq(&s.nodes[0], bottom)) else { return Vec::new() };
        let top = &stack.nodes[stack.nodes.len() - 1];
        let mut turns: Vec<u32> =
            if top.is_parallel() { top.children.iter().flat_map(|c| self.turns(c)).collect() } else { Vec::new() };
        turns.push(stack.id);
        turns
    }

    /// Step 3 for one stack.
    fn take_turn(&mut self, id: u32) {
        while let Some(stack) = self.stacks.iter().find(|s| s.id == id) {
            let decided = |n: &Rc<Node>| n.is_parallel() && n.state().verdict.is_some();
            if stack.nodes[0].ancestors().iter().any(decided) {
                return;
            }
            let top = stack.nodes[stack.nodes.len() - 1].clone();
            if self.visit(&top).is_none() {
                return;
            }
        }
    }

    fn say_stacks(&mut self) {
        let mut stacks: Vec<Vec<usize>> =
            self.stacks.iter().map(|s| s.nodes.iter().map(|n| n.index).collect()).collect();
        stacks.sort();
        let stacks: Vec<String> =
            stacks.iter().map(|s| s.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")).collect();
        self.say(format_args!("stacks [{}]", stacks.join(" | ")));
    }
}
