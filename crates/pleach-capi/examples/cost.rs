//! What leaves cost in Rust, beside `tests/c/cost.c`: see `.ci/capi cost`. Arguments: which tree,
//! how many agents, how many frames.

use std::error::Error;

use pleach_asset::{Registry, load_str};
use pleach_core::{Forest, Host, Key, Status};
use serde::Deserialize;

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}

#[derive(Deserialize)]
struct Step {
    x: Key<f32>,
    speed: f32,
}

#[derive(Deserialize)]
struct IsFar {
    x: Key<f32>,
    than: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [which, agents, frames] = &arguments[..] else { return Err("which tree, agents, frames".into()) };
    let mut registry = Registry::<Game>::new();
    registry.action_with::<Step>("Step", |it, cx| {
        let x = cx.get(it.x) + it.speed * cx.dt();
        cx.set(it.x, x);
        Status::Running
    })?;
    registry.condition_with::<IsFar>("IsFar", |it, cx| cx.get(it.x) > it.than)?;
    let root = match which.as_str() {
        "condition" => {
            "Selector([Sequence(abort: LowerPriority, children: [IsFar(x: \"x\", than: 1e9), Idle]), Step(x: \"x\", speed: 0.5)])"
        }
        _ => "Step(x: \"x\", speed: 0.5)",
    };
    let source = format!("Tree(version: 1, blackboard: {{ \"x\": Float(0) }}, root: {root})");
    let tree = load_str("cost.ron", &source, &registry)?;
    let x = tree.key::<f32>("x")?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree)?;
    let mut last = None;
    for _ in 0..agents.parse()? {
        last = Some(forest.spawn(&mut (), id)?);
    }
    for _ in 0..frames.parse()? {
        forest.tick(&mut (), 1.0 / 64.0)?;
    }
    println!("{}", forest.keys(last.ok_or("no agents")?)?.get(x));
    Ok(())
}
