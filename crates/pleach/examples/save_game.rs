//! A saved game: agents and world in one file, and a newer version of the tree when it is loaded.
//!
//! `cargo run -p pleach --features save --example save_game`

use std::error::Error;

use pleach::{Action, Context, Forest, Host, Registry, Save, Status, leaf, load_str};
use serde::{Deserialize, Serialize};

const TREE: &str = r#"Tree(version: 1, name: "baker", root: Sequence([
    Bake(loaves: 5), Wait(name: "rest", seconds: 1.0),
]))"#;

#[derive(Default, Deserialize, Serialize)]
struct World {
    loaves: u32,
    story: Vec<String>,
}

struct Game;
impl Host for Game {
    type Cx<'a> = World;
}

/// Bakes `loaves` loaves, one in each tick. It remembers how many it has baked; as serde can handle
/// that type, `#[leaf]` saves it.
#[derive(Deserialize)]
struct Bake {
    loaves: u32,
}

#[leaf]
impl Action<Game> for Bake {
    type State = u32;
    fn start(&self, baked: &mut u32, cx: &mut Context<'_, '_, Game>) {
        *baked = 0;
        cx.host.story.push("begins to bake".into());
    }
    fn update(&self, baked: &mut u32, cx: &mut Context<'_, '_, Game>) -> Status {
        *baked += 1;
        cx.host.loaves += 1;
        cx.host.story.push(format!("loaf {baked} of {}", self.loaves));
        if *baked >= self.loaves { Status::Success } else { Status::Running }
    }
    fn restored(&self, baked: &mut u32, cx: &mut Context<'_, '_, Game>) {
        cx.host.story.push(format!("is back, with {baked} loaves baked"));
    }
}

/// The file: what pleach knows, and what the game knows.
#[derive(Deserialize, Serialize)]
struct SavedGame {
    agents: Save,
    world: World,
}

fn registry() -> Result<Registry<Game>, Box<dyn Error>> {
    let mut registry = Registry::new();
    registry.action::<Bake>("Bake")?;
    Ok(registry)
}

/// Plays `frames` frames and writes the game to a file.
fn play(frames: u32, file: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let (mut world, mut forest) = (World::default(), Forest::new(7));
    let bakers = forest.add_tree(load_str("baker.ron", TREE, &registry()?)?)?;
    forest.spawn(&mut world, bakers)?;
    for _ in 0..frames {
        forest.tick(&mut world, 0.5)?;
    }
    Ok(std::fs::write(file, ron::to_string(&SavedGame { agents: forest.save()?, world })?)?)
}

/// What another process does, a day later: the tree has been edited since.
fn go_on(frames: u32, file: &std::path::Path) -> Result<World, Box<dyn Error>> {
    let SavedGame { agents, mut world } = ron::from_str(&std::fs::read_to_string(file)?)?;
    let edited = TREE.replace("loaves: 5", "loaves: 4");
    let mut forest = Forest::new(7);
    forest.add_tree(load_str("baker.ron", &edited, &registry()?)?)?;
    let report = forest.restore(&mut world, &agents)?;
    world.story.push(format!("[{}]", report.to_string().replace('\n', "; ")));
    for _ in 0..frames {
        forest.tick(&mut world, 0.5)?;
    }
    Ok(world)
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(4), |it| it.parse())?;
    let file = std::env::temp_dir().join(format!("pleach-save-game-{}.ron", std::process::id()));
    play(3, &file)?;
    println!("the file has {} bytes", std::fs::metadata(&file)?.len());
    let world = go_on(frames, &file);
    std::fs::remove_file(&file)?;
    let World { loaves, story } = world?;
    story.iter().for_each(|it| println!("{it}"));
    // The fourth loaf is baked once, and is the last one under the new tree.
    assert!(frames < 4 || (loaves >= 4 && story.contains(&"loaf 4 of 4".into())), "{loaves}");
    assert_eq!(story.iter().filter(|it| *it == "loaf 3 of 5").count(), 1);
    Ok(())
}
