//! A squad: its members share keys. One of them sees the enemy, all attack it, and when it is dead
//! all go on with what they did.
//!
//! `cargo run -p pleach --example squad`

use std::error::Error;

use pleach::{Context, Entity, Forest, Host, Key, Registry, Spawn, Status, leaf, load_str};

const TREE: &str = r#"Tree(
    version: 1, name: "soldier",
    group: { "target": Entity(none) },
    root: Selector([
        // Both: all set off when the squad has a target, and let off when it has none.
        Sequence(name: "attack", abort: Both, children: [Check("target != none"), Fire(at: "target")]),
        Sequence(name: "patrol", services: [(every: 0.5, run: LookOut(into: "target"))], children: [Walk]),
    ]),
)"#;

struct Battle {
    /// Its places are the entities; the enemy is the last one.
    places: Vec<f32>,
    enemy_health: i32,
    shots: Vec<u32>,
}

struct Game;
impl Host for Game {
    type Cx<'a> = Battle;
}

fn index(who: Entity) -> usize {
    who.index().expect("every soldier has a place")
}

/// Walks along the line, each soldier at a pace of its own.
#[leaf]
fn walk(cx: &mut Context<Game>) -> Status {
    let (me, dt) = (index(cx.entity()), cx.dt());
    cx.host.places[me] += (1.0 + me as f32) * dt;
    Status::Running
}

/// Tells the squad of an enemy in sight.
#[leaf]
fn look_out(cx: &mut Context<Game>, into: Key<Entity>) -> Status {
    let enemy = cx.host.places.len() - 1;
    let distance = (cx.host.places[enemy] - cx.host.places[index(cx.entity())]).abs();
    if cx.host.enemy_health > 0 && distance < 10.0 {
        cx.set(into, Entity::from_index(enemy));
    }
    Status::Success
}

#[leaf]
fn fire(cx: &mut Context<Game>, at: Key<Entity>) -> Status {
    let me = index(cx.entity());
    cx.host.shots[me] += 1;
    cx.host.enemy_health -= 1;
    if cx.host.enemy_health <= 0 {
        cx.set(at, Entity::NONE);
    }
    Status::Running
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(300), |it| it.parse())?;
    let mut registry = Registry::new();
    registry.leaf_fn::<walk>()?.leaf_fn::<look_out>()?.leaf_fn::<fire>()?;
    let mut forest = Forest::new(7);
    let tree = load_str("soldier.ron", TREE, &registry)?;
    let target = tree.key::<Entity>("target")?;
    let soldiers = forest.add_tree(tree)?;
    let mut battle = Battle { places: vec![0.0, 0.0, 0.0, 20.0], enemy_health: 90, shots: vec![0; 3] };
    let squad = forest.new_group();
    for place in 0..3 {
        let spawn = Spawn { entity: Entity::from_index(place), group: Some(squad), ..Spawn::default() };
        forest.spawn_with(&mut battle, soldiers, spawn)?;
    }
    let mut was = Entity::NONE;
    for frame in 0..frames {
        forest.tick(&mut battle, 1.0 / 30.0)?;
        let now = forest.group(squad)?.keys().get(target);
        if now != was {
            let what = if now == Entity::NONE { "the squad has no target" } else { "the squad has a target" };
            println!("{:.1} s: {what}; shots {:?}", f64::from(frame + 1) / 30.0, battle.shots);
            was = now;
        }
    }
    println!("places {:.1?}, enemy's health {}", battle.places, battle.enemy_health.max(0));
    if frames >= 300 {
        assert!(battle.enemy_health <= 0 && was == Entity::NONE, "the enemy is dead, and the squad knows");
        // No soldier fired alone.
        assert!(battle.shots.iter().all(|it| *it >= 29), "{:?}", battle.shots);
    }
    Ok(())
}
