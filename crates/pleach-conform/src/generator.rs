//! Random scenarios. They are valid by construction, and the same seed always gives the same one.
//!
//! Most uniformly random trees test nothing: they fail at once or run for ever. So the odds favour
//! what is hard to get right: chains of composites with abort types, conditions that flip,
//! parallels whose branches end in different ticks, repeating decorators above conditions, reactive
//! composites above sequences.

mod data;
mod edit;
mod files;
mod finally;
mod holes;
mod tokens;
mod tree;

use std::collections::BTreeMap;

use crate::dice::Dice;
use crate::scenario::expand;
use crate::scenario::{
    ActionScript, Call, ConditionScript, Events, Interrupt, Keys, Node, Scenario, TimedCall, Token, ValueType, Whose,
    Written,
};
use data::Data;
use files::Shelf;

/// A random scenario of about this many nodes (at least one), without a trace. Another seed gives
/// another scenario.
///
/// Each special kind of node is in about half of the scenarios, so that it is tested both alone and
/// together with each of the others.
#[must_use]
pub fn scenario(seed: u64, nodes: usize) -> Scenario {
    let mut dice = Dice::new(seed);
    let flavour = Flavour::roll(&mut dice);
    // An agent that has turns in only some of the ticks needs more ticks.
    let ticks = if flavour.pace { dice.between(6, 24) } else { dice.between(3, 15) };
    let data = Data::roll(&mut dice, flavour.data);
    let agent_seed = dice.bits();
    let (conditions, actions) = (BTreeMap::new(), BTreeMap::new());
    let shelf = Shelf::default();
    let tokens = if flavour.tokens { tokens::roll(&mut dice) } else { Vec::new() };
    let mut maker = Maker { dice, flavour, data, ticks, conditions, actions, guards: 0, events: None, shelf, tokens };
    maker.events = maker.declared();
    if maker.flavour.files {
        maker.fill_shelf(nodes);
    }
    let interrupting = maker.flavour.timers && nodes >= 6 && maker.dice.chance(20);
    let budget = if interrupting { nodes - nodes / 3 } else { nodes };
    let mut tree = maker.root(budget.max(1));
    tokens::settle(&mut tree);
    maker.give_locals(&mut tree, &BTreeMap::new());
    if maker.flavour.edits {
        maker.give_ids(&mut tree, &mut 0);
    }
    let mut interrupts = if interrupting { maker.interrupts(nodes / 3) } else { Vec::new() };
    interrupts.iter_mut().for_each(|it| tokens::remove(&mut it.run));
    let squad = (maker.flavour.events || maker.flavour.files) && maker.dice.chance(50);
    let (keys, events) = (maker.data.keys.clone(), maker.events.clone());
    let files = maker.shelf.files();
    let written = (!files.is_empty()).then(|| Written {
        files: files.clone(),
        keys: keys.clone(),
        events: events.clone(),
        trees: Vec::new(),
        interrupts: interrupts.clone(),
    });
    let ops = maker.ops(&tree, written.as_ref(), squad);
    let mut scenario = Scenario {
        name: format!("generated-{seed}"),
        about: format!("seed {seed}, about {nodes} nodes"),
        notation: None,
        seed: agent_seed,
        keys,
        events,
        squad,
        // Depends only on the seed, so nothing else changes.
        stranger: squad && seed % 11 == 5,
        tree,
        interrupts,
        written: None,
        conditions: maker.conditions,
        actions: maker.actions,
        ops,
        ticks,
        trace: Vec::new(),
    };
    if !files.is_empty() {
        expand::scenario(&mut scenario, files).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    let is = |call: fn(&Call) -> bool| scenario.ops.iter().any(|it| call(&it.call));
    let panics = |it: &Call| matches!(it, Call::Panic);
    if is(panics) && is(|it| matches!(it, Call::Save)) && scenario.tells_group() {
        // No save is made while work that a panic left undone is pending.
        scenario.ops.retain(|it| !panics(&it.call));
    }
    scenario
}

/// Which kinds of nodes are in the scenario.
struct Flavour {
    parallels: bool,
    reactive: bool,
    random: bool,
    utility: bool,
    switches: bool,
    services: bool,
    /// Guards, timeouts, cooldowns, limits, delays, waits, interrupts.
    timers: bool,
    probability: bool,
    finally: bool,
    /// Blackboard keys and the leaves that use them. Half of the scenarios have keys of every type.
    data: bool,
    events: bool,
    /// Whether most composites have an abort type.
    aborts: bool,
    /// Rates, budgets, panics of others, conditions that are evaluated at intervals.
    pace: bool,
    /// The tree is replaced by other versions.
    edits: bool,
    /// Files, as subtrees and in slots.
    files: bool,
    /// The forest is saved and restored.
    saves: bool,
    /// Tokens. Only scenarios without files have a Free, which names a token of its own tree.
    tokens: bool,
}

impl Flavour {
    fn roll(dice: &mut Dice) -> Flavour {
        let (utility, switches) = (dice.chance(40), dice.chance(30));
        Flavour {
            parallels: dice.chance(60),
            reactive: dice.chance(50),
            random: dice.chance(40),
            utility,
            switches,
            services: dice.chance(30),
            timers: dice.chance(50),
            probability: dice.chance(30),
            finally: dice.chance(40),
            // Scores and values that never change never switch.
            data: dice.chance(if utility || switches { 80 } else { 40 }),
            events: dice.chance(40),
            aborts: dice.chance(82),
            pace: dice.chance(25),
            edits: dice.chance(35),
            files: dice.chance(30),
            saves: dice.chance(20),
            tokens: dice.chance(35),
        }
    }
}

struct Maker {
    dice: Dice,
    flavour: Flavour,
    data: Data,
    ticks: u32,
    conditions: BTreeMap<String, ConditionScript>,
    actions: BTreeMap<String, ActionScript>,
    guards: usize,
    /// The events known where nodes are being made.
    events: Option<Events>,
    shelf: Shelf,
    /// As the latest version of the tree has them.
    tokens: Vec<Token>,
}

impl Maker {
    fn event(&mut self) -> String {
        let known = |event: &&&str| self.events.as_ref().is_none_or(|it| it.contains_key(**event));
        let events: Vec<&str> = ["noise", "noise", "hit"].iter().filter(known).copied().collect();
        self.dice.pick(&events).to_owned()
    }

    /// The declaration of an event, if there is one.
    fn payload_of(&self, event: &str) -> Option<Option<ValueType>> {
        self.events.as_ref().map(|it| it[event])
    }

    fn declared(&mut self) -> Option<Events> {
        let declare = self.flavour.events && self.dice.chance(60);
        declare.then(|| ["noise", "hit"].map(|it| (it.to_owned(), self.data.payload_type(&mut self.dice))).into())
    }

    /// An event that is sent: mostly one that is known.
    fn sent(&mut self) -> Call {
        let (event, odd) = (self.event(), self.dice.chance(20));
        match self.payload_of(&event) {
            Some(_) if odd && self.dice.chance(30) => Call::Event { event: "nosie".into(), payload: None },
            Some(payload) if !odd => {
                Call::Event { event, payload: payload.map(|it| self.data.value_of(&mut self.dice, it)) }
            }
            _ => Call::Event { event, payload: self.dice.chance(60).then(|| self.data.value(&mut self.dice)) },
        }
    }

    fn interrupts(&mut self, budget: usize) -> Vec<Interrupt> {
        let count = 1 + usize::from(budget >= 4 && self.dice.chance(40));
        (0..count).map(|_| Interrupt { test: self.test(), run: self.node(budget / count, 3) }).collect()
    }

    /// Makes another version of the tree, if it has the same keys and events as all others.
    fn edit(&mut self, tree: &mut Node, written: Option<&Written>, declared: &Option<(Keys, Option<Events>)>) {
        let mut edited = self.edited(tree);
        self.retune(&mut edited);
        tokens::settle(&mut edited);
        if written.is_none_or(|it| expand::declared(it, &edited).ok() == *declared) {
            *tree = edited;
        }
    }

    fn ops(&mut self, tree: &Node, written: Option<&Written>, squad: bool) -> Vec<TimedCall> {
        let mut ops = Vec::new();
        let declared = written.map(|it| expand::declared(it, tree).unwrap_or_else(|e| panic!("{e}: {it:?}")));
        let (inner, slots) = declared.as_ref().map_or_else(Default::default, |it| Data::inner(&it.0));
        let mut tree = tree.clone();
        let lively = self.dice.chance(if self.flavour.pace { 60 } else { 35 });
        // How often the rate changes, a tick has a budget, an agent panics.
        let odds = [[0, 0, 0], [15, 0, 0], [0, 25, 0], [0, 0, 20], [20, 15, 15]];
        let [rates, budgets, panics] = if self.flavour.pace { self.dice.pick(&odds) } else { odds[0] };
        let mut saved = false;
        for before in 1..=self.ticks {
            if self.dice.chance(rates) || rates > 0 && before == 1 && self.dice.chance(50) {
                let frames = self.dice.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 7]);
                ops.push(TimedCall { before, call: Call::Rate { frames } });
            }
            if self.dice.chance(budgets) {
                ops.push(TimedCall { before, call: Call::Budget { agents: self.dice.pick(&[0, 1, 1, 2]) } });
            } else if self.dice.chance(panics) {
                ops.push(TimedCall { before, call: Call::Panic });
            }
            while self.flavour.edits && self.dice.chance(15) {
                self.edit(&mut tree, written, &declared);
                let call = Call::Replace { tree: Box::new(tree.clone()), keeps: self.dice.chance(90) };
                ops.push(TimedCall { before, call });
            }
            if self.flavour.saves && self.dice.chance(25) {
                ops.push(TimedCall { before, call: Call::Save });
                saved = true;
            }
            if saved && self.dice.chance(20) {
                let other = self.dice.chance(40);
                if other {
                    self.edit(&mut tree, written, &declared);
                }
                let tree = other.then(|| Box::new(tree.clone()));
                ops.push(TimedCall { before, call: Call::Restore { tree } });
            }
            if lively && self.dice.chance(20) {
                let calls = [
                    Call::Enable,
                    Call::Enable,
                    Call::Disable,
                    Call::Restart,
                    Call::Pause,
                    Call::Unpause,
                    Call::Unpause,
                ];
                ops.push(TimedCall { before, call: self.dice.pick(&calls) });
            }
            // A switch's value must change while the switch runs.
            let writes = if self.flavour.switches { 65 } else { 40 };
            while self.flavour.data && self.dice.chance(writes) {
                let within = !inner.keys.is_empty() && self.dice.chance(40);
                let (key, value) = if within { &inner } else { &self.data }.write(&mut self.dice);
                ops.push(TimedCall { before, call: Call::Set { key, value } });
            }
            while !slots.is_empty() && self.dice.chance(40) {
                let (slot, words) = self.dice.pick(&slots);
                let word = if self.dice.chance(5) { "nothing".to_owned() } else { self.dice.pick(&words) };
                let slot = if self.dice.chance(3) { "none".to_owned() } else { slot };
                let odds = [70, if squad { 20 } else { 0 }, 15];
                let of = [Whose::Agent, Whose::Group, Whose::All][self.dice.weighted(&odds)];
                ops.push(TimedCall { before, call: Call::Fill { slot, word, of } });
            }
            while self.flavour.events && self.dice.chance(25) {
                let call = self.sent();
                ops.push(TimedCall { before, call });
            }
        }
        ops
    }
}
