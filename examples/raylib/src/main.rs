//! Sheep in a window of raylib: they graze, and run from the mouse. The world is a plain struct,
//! and raylib knows nothing of trees: one call per frame thinks for all.
//!
//! `cargo run --manifest-path examples/raylib/Cargo.toml` needs cmake, libclang and the headers of
//! X11 (`.ci/raylib` installs them). A number sets how many frames it runs, with a wolf of its own
//! instead of the mouse. `pleach studio` shows what each sheep does, and can stop them.

use std::error::Error;

use pleach::record::Recording;
use pleach::{Context, Entity, Forest, Host, Key, Keys, Registry, Spawn, Status, Tap, leaf, load_str};
use raylib::prelude::*;

const TREE: &str = r#"Tree(
    version: 1, name: "sheep", blackboard: { "wolf": Float(1000.0) },
    root: Selector([
        Sequence(name: "flee", abort: Both, children: [Check("wolf < 90"), Flee(speed: 120.0)]),
        Sequence(name: "graze", children: [Wait("1 + 3 * wolf / 1000"), Timeout(1.5, Stroll)]),
    ]),
)"#;

/// What the game writes into every sheep's blackboard.
#[derive(Keys)]
struct SheepKeys {
    /// How far away the wolf is, in pixels.
    #[key(writes)]
    wolf: Key<f32>,
}

struct Field {
    sheep: Vec<Vector2>,
    fled: Vec<bool>,
    wolf: Vector2,
}

struct Game;
impl Host for Game {
    type Cx<'a> = Field;
}

/// Runs from the wolf, and not off the field.
#[leaf]
fn flee(cx: &mut Context<Game>, speed: f32) -> Status {
    let (me, dt, field) = (index(cx.entity()), cx.dt(), &mut cx.host);
    let away = field.sheep[me] - field.wolf;
    let step = away * (speed * dt / away.length().max(1.0));
    field.sheep[me] = (field.sheep[me] + step).clamp(Vector2::new(10.0, 10.0), Vector2::new(790.0, 440.0));
    field.fled[me] = true;
    Status::Running
}

/// A few steps to somewhere.
#[leaf]
fn stroll(cx: &mut Context<Game>) -> Status {
    let (me, dt, turn) = (index(cx.entity()), cx.dt(), cx.time() as f32);
    cx.host.sheep[me] += Vector2::new((turn + me as f32).sin(), (turn * 1.3 + me as f32).cos()) * 20.0 * dt;
    Status::Running
}

fn index(who: Entity) -> usize {
    who.index().expect("every sheep has a place")
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: Option<u32> = std::env::args().nth(1).map(|it| it.parse()).transpose()?;
    let mut registry = Registry::new();
    registry.leaf_fn::<flee>()?.leaf_fn::<stroll>()?.keys::<SheepKeys>("sheep")?;
    let mut forest = Forest::new(7);
    let flock = forest.add_tree(load_str("sheep.ron", TREE, &registry)?)?;
    let SheepKeys { wolf } = forest.bind(flock)?;
    let sheep: Vec<Vector2> =
        (0..200).map(|it| Vector2::new(40.0 * (it % 20) as f32 + 20.0, 43.0 * (it / 20) as f32 + 25.0)).collect();
    let mut field = Field { fled: vec![false; sheep.len()], sheep, wolf: Vector2::zero() };
    for at in 0..field.sheep.len() {
        forest.spawn_with(&mut field, flock, Spawn { entity: Entity::from_index(at), ..Spawn::default() })?;
    }

    let mut recording = Recording::new().last_seconds(30.0).keys_every(1);
    recording.add_file("sheep.ron", TREE);
    let mut tap = Tap::listen("sheep")?;

    let (mut window, thread) =
        raylib::init().size(800, 450).title("sheep").log_level(TraceLogLevel::LOG_WARNING).build();
    window.set_target_fps(60);
    let mut frame = 0;
    while !window.window_should_close() && frames.is_none_or(|it| frame < it) {
        frame += 1;
        let circle =
            Vector2::new((frame as f32 / 50.0).cos() * 200.0 + 400.0, (frame as f32 / 50.0).sin() * 120.0 + 225.0);
        field.wolf = if frames.is_some() { circle } else { window.get_mouse_position() };
        forest.population_mut(flock)?.update_agents(|agent| {
            agent.set(wolf, (field.sheep[index(agent.entity())] - field.wolf).length());
        });
        if let Some(dt) = tap.pace(window.get_frame_time().min(0.1)) {
            forest.traced(&mut recording).tick(&mut field, dt)?;
        }
        tap.pump(&mut forest, &mut recording);
        let mut canvas = window.begin_drawing(&thread);
        canvas.clear_background(Color::DARKOLIVEGREEN);
        field.sheep.iter().for_each(|it| canvas.draw_circle_v(*it, 5.0, Color::RAYWHITE));
        canvas.draw_circle_v(field.wolf, 7.0, Color::FIREBRICK);
    }
    let fled = field.fled.iter().filter(|it| **it).count();
    println!("{frame} frames, {fled} of {} sheep have fled", field.sheep.len());
    if frames.is_some_and(|it| it >= 300) && (fled == 0 || fled == field.sheep.len()) {
        return Err("those that the wolf came near flee, and no others".into());
    }
    Ok(())
}
