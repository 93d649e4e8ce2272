//! A minute on the meadow, told in plain words.

use std::error::Error;
use std::fmt::Write;

use pleach::draw::TraceLine;
use pleach::{
    TreeId, load_str,
    trace::{NoTracer, Recorder, TraceKinds},
};

use crate::{Game, WOLF};

/// Plays 60 seconds. `run` is how fast the wolves run from 40 s on, if that is tuned.
pub fn play(seed: u64, run: Option<f32>) -> Result<Game, Box<dyn Error>> {
    let mut game = Game::new(seed)?;
    for second in 1..=60 {
        match second {
            31 => look(&mut game)?,
            _ => game.second(&mut NoTracer)?,
        }
        if second % 10 == 0 {
            let (wolves, sheep) = (doing(&game, game.wolves)?, doing(&game, game.sheep)?);
            writeln!(game.world.story, "{second} s: of the wolves {wolves}; of the sheep {sheep}")?;
        }
        if let (40, Some(run)) = (second, run) {
            writeln!(game.world.story, "wolf.ron is loaded again: wolves run {run} m/s instead of 6.5")?;
            let source = WOLF.replace("\"run\": Float(6.5)", &format!("\"run\": Float({run:?})"));
            let tree = load_str("wolf.ron", &source, &game.registry)?;
            game.forest.replace_tree(&mut game.world, game.wolves, tree)?;
        }
    }
    Ok(game)
}

/// What the agents of a tree do: how many are in each branch below its root.
fn doing(game: &Game, tree: TreeId) -> Result<String, Box<dyn Error>> {
    let mut parts = Vec::new();
    for branch in game.forest.tree(tree)?.root().children() {
        let count = game.forest.agents(tree)?.filter(|it| game.is_in(*it, branch.id())).count();
        parts.push(format!("{count} {}", branch.label()));
    }
    Ok(parts.join(", "))
}

/// Looks for a second at a wolf that hunts, and asks another one why it does not.
fn look(game: &mut Game) -> Result<(), Box<dyn Error>> {
    let tree = game.forest.tree(game.wolves)?.clone();
    let hunt = tree.find("hunt").next().ok_or("no node has the name `hunt`")?.id();
    let (hunters, others): (Vec<_>, Vec<_>) = game.forest.agents(game.wolves)?.partition(|it| game.is_in(*it, hunt));
    let (&hunter, &other) = hunters.first().zip(others.last()).ok_or("all wolves do the same")?;

    let mut recorder = Recorder::of([hunter]).only(TraceKinds::STARTS | TraceKinds::ENDS | TraceKinds::ABORTS);
    game.second(&mut recorder)?;
    writeln!(game.world.story, "\nA second of wolf {}:", game.forest.entity_of(hunter)?.0)?;
    for entry in recorder.take() {
        writeln!(game.world.story, "  {:.3} s {}", entry.time, TraceLine::of(&tree, entry.event))?;
    }
    writeln!(game.world.story, "\n{}", game.forest.explain(hunter)?)?;
    let why_not = game.forest.why_not(other, hunt)?.ok_or("the tree has no such node")?;
    Ok(writeln!(game.world.story, "\nWolf {}: {why_not}\n", game.forest.entity_of(other)?.0)?)
}
