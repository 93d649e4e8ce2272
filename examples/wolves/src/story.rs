//! A minute on the meadow, told in plain words.

use std::error::Error;
use std::fmt::Write;

use pleach::draw::TraceLine;
use pleach::trace::{NoTracer, Recorder, TraceKinds};
use pleach::{TreeId, load_str};

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
        let count = game
            .forest
            .population(tree)?
            .agents()
            .filter(|it| game.forest.agent(*it).map(|it| it.is_active(branch.id())) == Ok(true))
            .count();
        parts.push(format!("{count} {}", branch.label()));
    }
    Ok(parts.join(", "))
}

/// Watches a hunting wolf for a second, and asks another one why it does not hunt.
fn look(game: &mut Game) -> Result<(), Box<dyn Error>> {
    let tree = game.forest.tree(game.wolves)?.clone();
    let (hunt, wolves) = (tree.find_one("hunt")?.id(), game.forest.population(game.wolves)?.agents());
    let (hunters, others): (Vec<_>, Vec<_>) =
        wolves.partition(|it| game.forest.agent(*it).map(|it| it.is_active(hunt)) == Ok(true));
    let (&hunter, &other) = hunters.first().zip(others.last()).ok_or("all wolves do the same")?;

    let mut recorder = Recorder::of([hunter]).only(TraceKinds::STARTS | TraceKinds::ENDS | TraceKinds::ABORTS);
    game.second(&mut recorder)?;
    writeln!(game.world.story, "\nA second of wolf {}:", game.forest.agent(hunter)?.entity().to_bits())?;
    for entry in recorder.take() {
        writeln!(game.world.story, "  {}", TraceLine::of_entry(&tree, &entry))?;
    }
    writeln!(game.world.story, "\n{}", game.forest.agent(hunter)?.explain())?;
    let why_not = game.forest.agent(other)?.why_not(hunt).ok_or("the tree has no such node")?;
    Ok(writeln!(game.world.story, "\nWolf {}: {why_not}\n", game.forest.agent(other)?.entity().to_bits())?)
}
