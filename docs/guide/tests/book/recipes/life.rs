//! Agents that live by a recipe, and what happens to them.

use pleach::handles::AgentMut;
use pleach::trace::{Recorder, TraceEvent, TraceKinds};
use pleach::{AgentId, Event, Forest, GroupId, Host, Library, NodeId, Registry, Spawn, TreeId, Value};

use super::folder;

/// How long a tick takes.
const DT: f32 = 0.1;

pub(super) struct Game;
impl Host for Game {
    /// The events that came out of trees.
    type Cx<'a> = Vec<Event>;

    fn on_emit(emitted: &mut Vec<Event>, _: AgentId, event: Event) {
        emitted.push(event);
    }
}

/// Agents of one recipe, all in one squad.
pub(super) struct Life {
    forest: Forest<Game>,
    tree: TreeId,
    squad: GroupId,
    agents: Vec<AgentId>,
    recorder: Recorder,
    pub(super) emitted: Vec<Event>,
    /// How many agents had their turn in the last tick.
    pub(super) ticked: u64,
    dice: u64,
}

impl Life {
    /// One agent.
    pub(super) fn of(file: &str) -> Self {
        Self::squad(file, 1)
    }

    pub(super) fn squad(file: &str, count: usize) -> Self {
        let mut forest = Forest::new(7);
        let mut library = Library::open(folder()).unwrap();
        let tree = library.add_tree(file, &Registry::new(), &mut forest).unwrap_or_else(|it| panic!("{file}: {it}"));
        let squad = forest.new_group();
        let mut emitted = Vec::new();
        let spawn = Spawn { group: Some(squad), ..Spawn::default() };
        let agents = (0..count).map(|_| forest.spawn_with(&mut emitted, tree, spawn).unwrap()).collect();
        let recorder = Recorder::all().only(TraceKinds::STARTS | TraceKinds::ABORTS);
        Life { forest, tree, squad, agents, recorder, emitted, ticked: 0, dice: 1 }
    }

    /// Runs `count` ticks of 0.1 s.
    pub(super) fn ticks(&mut self, count: u32) {
        for _ in 0..count {
            let report = self.forest.traced(&mut self.recorder).tick(&mut self.emitted, DT).unwrap();
            self.ticked = report.ticked;
        }
    }

    fn agent(&mut self, who: usize) -> AgentMut<'_, Game> {
        self.forest.agent_mut(self.agents[who]).unwrap()
    }

    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.set_of(0, key, value);
    }

    pub(super) fn set_of(&mut self, who: usize, key: &str, value: impl Into<Value>) {
        self.forest.keys_mut(self.agents[who]).unwrap().set_value(key, value).unwrap();
    }

    pub(super) fn value(&self, key: &str) -> Value {
        self.value_of(0, key)
    }

    pub(super) fn value_of(&self, who: usize, key: &str) -> Value {
        self.forest.keys(self.agents[who]).unwrap().value(key).unwrap()
    }

    pub(super) fn set_of_squad(&mut self, key: &str, value: impl Into<Value>) {
        self.forest.group_mut(self.squad).unwrap().keys_mut().set_value(key, value).unwrap();
    }

    pub(super) fn send(&mut self, event: Event) {
        self.agent(0).send(event).unwrap();
    }

    /// What runs.
    pub(super) fn now(&self) -> String {
        self.now_of(0)
    }

    pub(super) fn now_of(&self, who: usize) -> String {
        self.forest.agent(self.agents[who]).unwrap().inspect().to_string()
    }

    pub(super) fn is_active(&self, node: &str) -> bool {
        let node = self.forest.tree(self.tree).unwrap().find_one(node).unwrap().id();
        self.forest.agent(self.agents[0]).unwrap().inspect().is_active(node)
    }

    /// What the leaves with names did since the last call, of all agents: `shoot` when it starts,
    /// `shoot: cut short` when it is ended from outside.
    pub(super) fn story(&mut self) -> Vec<String> {
        let tree = self.forest.tree(self.tree).unwrap();
        let name = |node: NodeId| {
            let node = tree.node(node).unwrap();
            node.name().filter(|_| node.children().len() == 0)
        };
        let told = |event| match event {
            TraceEvent::Start(node) => name(node).map(str::to_owned),
            TraceEvent::Aborted(node, _) => name(node).map(|it| format!("{it}: cut short")),
            _ => None,
        };
        self.recorder.take().into_iter().filter_map(|it| told(it.event)).collect()
    }

    /// Whether a thing that happens once in `sides` cases happens now: always the same in a test.
    pub(super) fn chance(&mut self, sides: u64) -> bool {
        // A generator by Knuth; its high bits are good enough here.
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33).is_multiple_of(sides)
    }
}
