//! A brain in a struct: few agents, each a field of the thing it moves, and no forest.
//!
//! `cargo run -p pleach --example brain_in_struct`

use std::error::Error;
use std::sync::Arc;

use pleach::{Brain, Context, Host, Registry, Status, leaf, load_str};

const TREE: &str = r#"Tree(version: 1, name: "dog", root: Sequence([
    Run(to_ball: true, speed: 6.0), Grab, Run(to_ball: false, speed: 4.0), PutDown, Wait(0.5),
]))"#;

/// The body of a dog, in metres from its owner.
#[derive(Default)]
struct Body {
    at: f32,
    balls: u32,
}

struct Dog {
    brain: Brain<Game>,
    body: Body,
}

/// What a leaf sees: its own body, and the place of the ball. Both are borrowed for one tick.
struct Cx<'a> {
    body: &'a mut Body,
    ball: f32,
}

struct Game;
impl Host for Game {
    type Cx<'a> = Cx<'a>;
}

#[leaf]
fn run(cx: &mut Context<Game>, to_ball: bool, speed: f32) -> Status {
    let goal = if to_ball { cx.host.ball } else { 0.0 };
    let (left, step) = (goal - cx.host.body.at, speed * cx.dt());
    cx.host.body.at += left.clamp(-step, step);
    if left.abs() <= step { Status::Success } else { Status::Running }
}

#[leaf]
fn grab(cx: &mut Context<Game>) -> bool {
    (cx.host.body.at - cx.host.ball).abs() < 0.1
}

#[leaf]
fn put_down(cx: &mut Context<Game>) -> Status {
    cx.host.body.balls += 1;
    Status::Success
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(600), |it| it.parse())?;
    let mut registry = Registry::new();
    registry.leaf_fn::<run>()?.leaf_fn::<grab>()?.leaf_fn::<put_down>()?;
    let tree = Arc::new(load_str("dog.ron", TREE, &registry)?);

    let mut dogs = Vec::new();
    for seed in 0..3 {
        let mut body = Body::default();
        let brain = Brain::new(&mut Cx { body: &mut body, ball: 0.0 }, Arc::clone(&tree), seed);
        dogs.push(Dog { brain, body });
    }
    for _ in 0..frames {
        for (Dog { brain, body }, ball) in dogs.iter_mut().zip([4.0, 6.0, 9.0]) {
            brain.tick(&mut Cx { body, ball }, 1.0 / 60.0)?;
        }
    }
    for (number, Dog { brain, body }) in (1..).zip(&dogs) {
        let doing = brain.inspect().map(|it| it.to_string()).unwrap_or_default();
        println!("dog {number}: {} balls, at {:.1} m, {doing}", body.balls, body.at);
    }
    // The nearer the ball, the more often it comes back.
    assert!(dogs.windows(2).all(|it| it[0].body.balls >= it[1].body.balls), "a farther ball came back more often");
    Ok(())
}
