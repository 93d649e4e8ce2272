//! Day and night: a slot of the tree holds the behaviour of the day, and the game refills it for
//! all villagers at once.
//!
//! `cargo run -p pleach --example day_night`

use std::collections::BTreeMap;
use std::error::Error;

use pleach::{Context, Entity, Event, Forest, Host, Library, Registry, Spawn, Status, leaf};

const FILES: [(&str, &str); 3] = [
    (
        "villager.ron",
        r#"Tree(version: 1, name: "villager", root: Selector([
            Sequence(abort: LowerPriority, children: [OnEvent(event: "bell"), Say("runs to the square"), Wait(2.0)]),
            Slot(name: "shift", trees: ["work.ron", "sleep.ron"], initial: "work"),
        ]))"#,
    ),
    ("work.ron", r#"Tree(version: 1, root: Sequence([Say("works"), Wait(6.0)]))"#),
    ("sleep.ron", r#"Tree(version: 1, root: Sequence([Say("goes to bed"), Idle]))"#),
];

struct Village {
    said: Vec<String>,
}

struct Game;
impl Host for Game {
    type Cx<'a> = Village;
}

#[leaf]
fn say(cx: &mut Context<Game>, what: &str) -> Status {
    let line = format!("{:4.1} s: villager {} {what}", cx.time(), cx.entity().index().unwrap_or_default());
    cx.host.said.push(line);
    Status::Success
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(240), |it| it.parse())?;
    let mut registry = Registry::new();
    registry.leaf_fn::<say>()?;
    registry.event("bell", None)?;
    let mut library = Library::new(BTreeMap::from(FILES));
    let (mut village, mut forest) = (Village { said: Vec::new() }, Forest::new(7));
    let villagers = library.add_tree("villager.ron", &registry, &mut forest)?;
    for index in 0..2 {
        let spawn = Spawn { entity: Entity::from_index(index), ..Spawn::default() };
        forest.spawn_with(&mut village, villagers, spawn)?;
    }
    for frame in 0..frames {
        match frame {
            // Dusk and dawn: the tree in the slot ends, and the other one starts.
            80 => _ = forest.population_mut(villagers)?.fill("shift", "sleep")?,
            120 => forest.broadcast(Event::new("bell"))?,
            180 => _ = forest.population_mut(villagers)?.fill("shift", "work")?,
            _ => {}
        }
        forest.tick(&mut village, 0.1)?;
    }
    village.said.iter().for_each(|it| println!("{it}"));
    if frames >= 240 {
        let count = |what| village.said.iter().filter(|it| it.ends_with(what)).count();
        assert_eq!((count("goes to bed"), count("runs to the square")), (4, 2), "they sleep, run, and sleep on");
    }
    Ok(())
}
