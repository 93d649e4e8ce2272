//! What the tests share: a host whose context is a log, and a leaf that logs every callback and
//! does what a closure says.

// Each test program uses a part of it.
#![allow(dead_code)]

use pleach_core::nodes::{action_of, condition_of};
use pleach_core::{
    Action, AgentId, Condition, Context, End, Event, Forest, Host, Key, NodeId, Status, Tree, TreeId, nodes::Node,
};

/// The host of these tests.
pub(crate) struct Game;

/// What its leaves see.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) log: Vec<String>,
    pub(crate) count: u64,
}

impl World {
    /// The log since the last call.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}

impl Host for Game {
    type Cx<'a> = World;

    fn on_emit(cx: &mut World, _: AgentId, event: Event) {
        cx.log.push(format!("emit {:?}", event.value()));
    }

    fn on_log(cx: &mut World, _: AgentId, node: NodeId, text: &str) {
        cx.log.push(format!("{node} says {text}"));
    }
}

pub(crate) type Cx<'a, 'h> = Context<'a, 'h, Game>;

/// A callback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Call {
    Awake,
    Start,
    Update,
    End(End),
    Pause(bool),
}

type Body = Box<dyn Fn(Call, &mut Cx<'_, '_>) -> Status + Send + Sync>;

/// A leaf that logs its callbacks. The result of its closure counts in updates.
pub(crate) struct Probe {
    name: &'static str,
    body: Body,
}

impl Probe {
    fn call(&self, call: Call, cx: &mut Cx<'_, '_>) -> Status {
        let name = self.name;
        cx.host.log.push(match call {
            Call::Awake => format!("{name} awake"),
            Call::Start => format!("{name} start"),
            Call::Update => format!("{name} update"),
            Call::End(End::Aborted(reason)) => format!("{name} end {reason:?}"),
            Call::End(end) => format!("{name} end {end:?}"),
            Call::Pause(paused) => format!("{name} {}", if paused { "pause" } else { "unpause" }),
        });
        (self.body)(call, cx)
    }
}

macro_rules! callbacks {
    ($trait:ident) => {
        impl $trait<Game> for Probe {
            type State = ();
            fn awake(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
                self.call(Call::Awake, cx);
            }
            fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
                self.call(Call::Start, cx);
            }
            fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
                self.call(Call::Update, cx)
            }
            fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, end: End) {
                self.call(Call::End(end), cx);
            }
            fn pause(&self, (): &mut (), cx: &mut Cx<'_, '_>, paused: bool) {
                self.call(Call::Pause(paused), cx);
            }
        }
    };
}
callbacks!(Action);
callbacks!(Condition);

/// An action that logs and runs `body` in every callback.
pub(crate) fn probe(
    name: &'static str,
    body: impl Fn(Call, &mut Cx<'_, '_>) -> Status + Send + Sync + 'static,
) -> Node<Game> {
    action_of(Probe { name, body: Box::new(body) })
}

/// The same as a condition.
pub(crate) fn probe_condition(
    name: &'static str,
    body: impl Fn(Call, &mut Cx<'_, '_>) -> Status + Send + Sync + 'static,
) -> Node<Game> {
    condition_of(Probe { name, body: Box::new(body) })
}

/// An action that logs and always answers the same.
pub(crate) fn always(name: &'static str, status: Status) -> Node<Game> {
    probe(name, move |_, _| status)
}

/// An action that logs nothing, and counts its updates in the world.
pub(crate) fn counting(status: Status) -> Node<Game> {
    pleach_core::nodes::action(move |cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        status
    })
}

/// A tree without keys.
pub(crate) fn tree(root: Node<Game>) -> Tree<Game> {
    Tree::builder("test").build(root).expect("a valid tree")
}

/// A forest with one agent of a tree without keys.
pub(crate) fn alone(root: Node<Game>, world: &mut World) -> (Forest<Game>, AgentId) {
    let mut forest = Forest::new(1);
    let id = forest.add_tree(tree(root)).expect("no other keys");
    let agent = forest.spawn(world, id).expect("room");
    (forest, agent)
}

/// A forest with `agents` agents of a tree without keys.
pub(crate) fn crowd(root: Node<Game>, agents: usize, world: &mut World) -> (Forest<Game>, TreeId, Vec<AgentId>) {
    let mut forest = Forest::new(1);
    let id = forest.add_tree(tree(root)).unwrap();
    let agents = (0..agents).map(|_| forest.spawn(world, id).unwrap()).collect();
    (forest, id, agents)
}

/// The value of the second key in each of `agents` agents after each of 20 ticks. The first changes
/// in a fifth of the agents before each.
pub(crate) fn values(
    tree: Tree<Game>,
    (seen, n): (Key<bool>, Key<i64>),
    batched: bool,
    agents: usize,
) -> Vec<Vec<i64>> {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(3));
    forest.configure(|it| it.batched = batched);
    let tree = forest.add_tree(tree).expect("the first tree");
    let all: Vec<_> = (0..agents).map(|_| forest.spawn(&mut world, tree).expect("room")).collect();
    let mut values = Vec::new();
    for frame in 0..20 {
        for &agent in all.iter().skip(frame % 5).step_by(5) {
            forest.keys_mut(agent).expect("it is there").set(seen, frame % 3 == 0);
        }
        forest.tick(&mut world, 0.1).expect("a time");
        values.push(all.iter().map(|&it| forest.keys(it).expect("it is there").get(n)).collect());
    }
    values
}
