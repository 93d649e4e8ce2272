//! Leaves that are known at run time only: their parameters, how they are called, and what happens
//! if they go wrong.

mod batches;
mod wrong;

use std::collections::BTreeMap;

use pleach_asset::{Argument, LeafKind, Registry, ValueType, load_str};
use pleach_core::{AgentId, BatchContext, Context, End, Forest, Host, Reason, Status, Tree, Type};
use pleach_dynamic::{Calls, Description, Leaf, Problems, register, write};

/// What a test's leaf does.
#[derive(Clone, Copy, Debug)]
enum Function {
    /// Adds `by` to a key until that is `to`; sleeps for `rest` in between.
    Count,
    /// Whether a key is at least `than`.
    Above,
    /// Goes wrong for agents whose key is odd.
    Odd,
    /// Panics for agents whose key is 3.
    Panic,
    /// Succeeds.
    Done,
}

struct Test;
impl Host for Test {
    type Cx<'a> = World;
}

#[derive(Debug, Default)]
struct World {
    problems: Problems,
    /// Each call with the number of its agents.
    calls: Vec<(String, usize)>,
    /// What happened to each agent, in order.
    lines: BTreeMap<AgentId, Vec<String>>,
}

impl World {
    fn note(&mut self, agent: AgentId, line: String) {
        self.lines.entry(agent).or_default().push(line);
    }
}

impl Calls for Test {
    type Function = Function;

    fn update(leaf: &Leaf<Self>, batch: &mut BatchContext<'_, '_, '_, Self>) {
        let call = (leaf.name().to_owned(), batch.len());
        assert_eq!((batch.agents().len(), batch.entities().len()), (call.1, call.1));
        batch.host().calls.push(call);
        let Some(pleach_asset::AnyKey::Int(key)) = leaf.key("key") else {
            batch.answers().fill(Status::Success);
            return;
        };
        let number =
            |name| if let Some(Argument::Int(it)) = leaf.argument(name) { i64::try_from(*it).unwrap() } else { 0 };
        let mut values = vec![0; batch.len()];
        assert!(batch.read(key, |agent, it| values[agent] = it));
        match leaf.function() {
            Function::Count => {
                values.iter_mut().for_each(|it| *it += number("by"));
                batch.write(key, |agent| values[agent]).unwrap();
                for (agent, value) in values.into_iter().enumerate() {
                    batch.answer(agent, if value >= number("to") { Status::Success } else { Status::Running });
                    if let Some(rest) = leaf.float("rest").filter(|it| *it > 0.0) {
                        #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
                        batch.at(agent).sleep(rest as f32);
                    }
                }
            }
            Function::Above => {
                for (agent, value) in values.into_iter().enumerate() {
                    batch.answer(agent, Status::from_bool(value >= number("than")));
                }
            }
            Function::Odd => {
                for (agent, value) in values.into_iter().enumerate() {
                    if value % 2 == 1 {
                        leaf.fail(batch, agent, format!("{value} is odd"));
                    } else {
                        batch.answer(agent, Status::Success);
                    }
                }
            }
            Function::Panic => {
                for (agent, value) in values.into_iter().enumerate() {
                    let _ = batch.at(agent);
                    assert!(value != 3, "three");
                }
            }
            Function::Done => batch.answers().fill(Status::Success),
        }
        for agent in 0..batch.len() {
            let answer = batch.answers()[agent];
            let cx = batch.at(agent);
            let (id, value) = (cx.agent(), cx.get(key));
            cx.host.note(id, format!("{} {value} {answer}", leaf.name()));
        }
    }

    fn start(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>) {
        let id = cx.agent();
        cx.host.note(id, format!("start {}", leaf.name()));
    }

    fn end(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>, end: End) {
        let id = cx.agent();
        cx.host.note(id, format!("end {} {end:?}", leaf.name()));
        if let (Some(key), End::Aborted(Reason::Abort)) = (leaf.key("key"), end) {
            write(cx.split().1, key, 0.into()).unwrap().unwrap();
        }
    }

    fn problems(cx: &mut World) -> &mut Problems {
        &mut cx.problems
    }
}

/// All leaves of these tests.
fn registry() -> Registry<Test> {
    let key = || ValueType::Key(Type::Int);
    let action = |name, function| Description::new(name, LeafKind::Action, function);
    let mut registry = Registry::new();
    let count = action("Count", Function::Count).parameter("key", key()).parameter("to", ValueType::Int);
    let count = count.default("by", ValueType::Int, "1").default("rest", ValueType::Float, "0");
    let above = Description::new("Above", LeafKind::Condition, Function::Above).parameter("key", key());
    let above = above.parameter("than", ValueType::Int);
    for leaf in [
        count.clone(),
        count.starts().ends().renamed("Told"),
        above.clone(),
        above.observes(["key"]).renamed("Watched"),
        action("Odd", Function::Odd).parameter("key", key()),
        action("Panic", Function::Panic).parameter("key", key()),
        action("Done", Function::Done),
    ] {
        register(&mut registry, leaf).unwrap();
    }
    registry
}

fn tree(root: &str) -> Tree<Test> {
    let source = format!("Tree(version: 1, name: \"t\", blackboard: {{ \"n\": Int(0), \"m\": Int(0) }}, root: {root})");
    load_str("t.ron", &source, &registry()).unwrap_or_else(|it| panic!("{it}"))
}

/// `agents` agents of a tree; the key `n` of each is its number.
fn crowd(root: &str, agents: i64) -> (World, Forest<Test>, Vec<AgentId>) {
    let (mut world, mut forest) = (World::default(), Forest::new(7));
    let tree = forest.add_tree(tree(root)).unwrap();
    let ids: Vec<AgentId> = (0..agents)
        .map(|it| {
            let id = forest.spawn(&mut world, tree).unwrap();
            forest.keys_mut(id).unwrap().set_value("n", it).unwrap();
            id
        })
        .collect();
    (world, forest, ids)
}
