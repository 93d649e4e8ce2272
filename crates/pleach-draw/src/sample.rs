//! The tree that the tests draw, and an agent of it.

use pleach_core::NodeId;
use pleach_core::nodes::{Abort, Instance, NodeList};
use pleach_core::nodes::{action, check, fail, idle, inverter, selector, sequence, timeout, wait};
use pleach_core::schema::{Access, KeyNeed, Scope};
use pleach_core::{AgentId, Forest, Host, Key, Status, Tree, Type};

use crate::shape::Drawing;

pub(crate) struct Game;

impl Host for Game {
    type Cx<'a> = ();
}

pub(crate) fn tree() -> Tree<Game> {
    made(Vec::new())
}

/// The same tree, whose `health` the game writes.
pub(crate) fn written() -> Tree<Game> {
    let mut health = KeyNeed::new("health", Scope::Agent, Type::Float);
    health.access = Some(Access::Write);
    made(vec![health])
}

fn made(needs: Vec<KeyNeed>) -> Tree<Game> {
    let mut builder = Tree::builder("a <guard>");
    builder.require(needs);
    builder.key("health", 1.0_f32);
    let run = timeout(4.0, inverter(idle()));
    let flee = sequence([check("health < 0.3"), run])
        .named("flee")
        .aborts(Abort::BOTH)
        .with_note("run & hide")
        .with_service(1.0, action(|_| Status::Success));
    let odd = sequence([fail().named("a\n\"b\"")]).aborts(Abort::SELF);
    builder.build(selector([flee, odd, wait(2.0)]).named("guard").with_id("<root>")).unwrap()
}

/// A tree with parts from other files.
pub(crate) fn instances() -> Tree<Game> {
    let instance = |name: &str, file: &str| Instance { file: Some(file.into()), ..Instance::named(name) };
    let mut list = NodeList::default();
    list.push(check("true"), 0);
    list.push(idle(), 0);
    list.instance(instance("pause", "pause.ron"));
    list.push(sequence([]), 2);
    list.instance(instance("fight", "parts/fight.ron"));
    list.push(wait(2.0), 0);
    list.push(selector([]), 2);
    Tree::builder("guard").build(list.into_node().unwrap()).unwrap()
}

pub(crate) struct Run {
    forest: Forest<Game>,
    agent: AgentId,
    health: Key<f32>,
}

impl Run {
    pub(crate) fn new() -> Self {
        let tree = tree();
        let health = tree.key("health").unwrap();
        let mut forest = Forest::new(1);
        let tree = forest.add_tree(tree).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        Run { forest, agent, health }
    }

    pub(crate) fn tick(&mut self) {
        self.forest.tick(&mut (), 0.1).unwrap();
    }

    pub(crate) fn hurt(&mut self) {
        self.forest.keys_mut(self.agent).unwrap().set(self.health, 0.1);
    }

    /// As text, with the agent.
    pub(crate) fn draw(&self) -> String {
        self.with(|it| it.text().to_string())
    }

    pub(crate) fn with<R>(&self, draw: impl FnOnce(&Drawing<'_>) -> R) -> R {
        let view = self.forest.agent(self.agent).unwrap().inspect();
        assert!(view.is_active(NodeId::ROOT));
        draw(&Drawing::of_agent(&view))
    }
}
