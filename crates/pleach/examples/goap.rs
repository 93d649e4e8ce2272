//! A planner beside a tree: the planner decides which step is next, the tree carries it out in a
//! slot, and anything urgent interrupts it.
//!
//! `cargo run -p pleach --example goap`

use std::collections::BTreeMap;
use std::error::Error;

use pathfinding::prelude::dijkstra;
use pleach::{Context, Forest, Host, Library, Registry, Status, leaf};

const FILES: [(&str, &str); 5] = [
    (
        "woodcutter.ron",
        r#"Tree(
            version: 1, name: "woodcutter",
            blackboard: { "rain": Bool(false) },
            root: Selector([
                Sequence(abort: Both, children: [Check("rain"), Say("shelters"), Idle]),
                Slot(name: "step", trees: ["find_axe.ron", "buy_axe.ron", "chop.ron", "light.ron"]),
            ]),
        )"#,
    ),
    ("find_axe.ron", r#"Tree(version: 1, root: Sequence([Say("looks for the axe"), Wait(6.0), Do("find_axe")]))"#),
    ("buy_axe.ron", r#"Tree(version: 1, root: Sequence([Say("goes to the smith"), Wait(2.0), Do("buy_axe")]))"#),
    ("chop.ron", r#"Tree(version: 1, root: Sequence([Say("chops wood"), Wait(3.0), Do("chop")]))"#),
    ("light.ron", r#"Tree(version: 1, root: Sequence([Say("lights a fire"), Wait(1.0), Do("light")]))"#),
];

/// What is true in the world, one bit each.
type Facts = u8;
const MONEY: Facts = 1;
const AXE: Facts = 2;
const WOOD: Facts = 4;
const FIRE: Facts = 8;

/// A step that the planner can take, which is also a file of the slot.
struct Step {
    name: &'static str,
    cost: u32,
    needs: Facts,
    uses: Facts,
    gives: Facts,
}

const STEPS: [Step; 4] = [
    Step { name: "find_axe", cost: 6, needs: 0, uses: 0, gives: AXE },
    Step { name: "buy_axe", cost: 2, needs: MONEY, uses: MONEY, gives: AXE },
    Step { name: "chop", cost: 3, needs: AXE, uses: 0, gives: WOOD },
    Step { name: "light", cost: 1, needs: WOOD, uses: WOOD, gives: FIRE },
];

impl Step {
    fn after(&self, facts: Facts) -> Option<Facts> {
        (facts & self.needs == self.needs).then_some(facts & !self.uses | self.gives)
    }
}

/// The cheapest way from these facts to the goal, step by step.
fn plan(from: Facts, goal: Facts) -> Option<Vec<&'static str>> {
    // A state of the search is facts with the step that led there.
    let next = |&(facts, _): &(Facts, &'static str)| {
        STEPS.iter().filter_map(move |it| Some(((it.after(facts)?, it.name), it.cost))).collect::<Vec<_>>()
    };
    let (path, _) = dijkstra(&(from, ""), next, |it| it.0 & goal == goal)?;
    Some(path.into_iter().skip(1).map(|it| it.1).collect())
}

struct World {
    facts: Facts,
    /// A step has ended, well or not.
    step_ended: bool,
    said: Vec<String>,
}

struct Game;
impl Host for Game {
    type Cx<'a> = World;
}

#[leaf]
fn say(cx: &mut Context<Game>, what: &str) -> Status {
    let line = format!("{:4.1} s: {what}", cx.time());
    cx.host.said.push(line);
    Status::Success
}

/// Takes a step of the plan, if the world is still as the plan expects.
#[leaf(name = "Do")]
fn take_step(cx: &mut Context<Game>, step: &str) -> bool {
    let after = STEPS.iter().find(|it| it.name == step).and_then(|it| it.after(cx.host.facts));
    cx.host.step_ended = true;
    cx.host.facts = after.unwrap_or(cx.host.facts);
    after.is_some()
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(300), |it| it.parse())?;
    let mut registry = Registry::new();
    registry.leaf_fn::<say>()?.leaf_fn::<take_step>()?;
    let mut forest = Forest::new(7);
    let tree = Library::new(BTreeMap::from(FILES)).load("woodcutter.ron", &registry)?;
    let rain = tree.key("rain")?;
    let trees = forest.add_tree(tree)?;
    let mut world = World { facts: MONEY, step_ended: true, said: Vec::new() };
    let agent = forest.spawn(&mut world, trees)?;
    for frame in 0..frames {
        match frame {
            // It is in the middle of chopping: it shelters, and then begins again.
            30 => _ = forest.keys_mut(agent)?.set(rain, true),
            60 => _ = forest.keys_mut(agent)?.set(rain, false),
            // The axe is stolen while it chops: the step fails, and there is another plan.
            75 => world.facts &= !AXE,
            _ => {}
        }
        if std::mem::take(&mut world.step_ended) {
            let steps = plan(world.facts, FIRE).ok_or("there is no way to a fire")?;
            world.said.push(format!("{:4.1} s: the plan is {steps:?}", forest.time()));
            forest.agent_mut(agent)?.fill("step", steps.first().copied().unwrap_or("empty"))?;
        }
        forest.tick(&mut world, 0.1)?;
    }
    world.said.iter().for_each(|it| println!("{it}"));
    if frames >= 300 {
        assert_eq!(world.facts, FIRE | AXE, "the fire burns");
        assert!(world.said.iter().any(|it| it.contains("looks for the axe")), "it had no money for another one");
    }
    Ok(())
}
