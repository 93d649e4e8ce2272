//! A server without a window: a loop of fixed steps, agents on several threads, and commands from
//! another thread. Write `alarm 30`, `who` or `stop`. `pleach studio` shows what the agents do, and
//! can stop them.
//!
//! `cargo run -p pleach --features rayon,tap --example headless`

use std::error::Error;
use std::io::BufRead;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use pleach::record::Recording;
use pleach::{Context, Entity, Event, Forest, Host, Key, Registry, Spawn, Status, Tap, leaf, load_str};

const AGENTS: usize = 10_000;
const STEP: Duration = Duration::from_millis(20);

const TREE: &str = r#"Tree(
    version: 1, name: "worker",
    blackboard: { "goal": Float(0.0) },
    events: { "alarm": Float },
    root: Selector([
        Sequence(abort: LowerPriority, children: [OnEvent(event: "alarm", into: "goal"), GoTo(goal: "goal")]),
        Sequence([Choose(goal: "goal"), GoTo(goal: "goal"), Wait(seconds: 2.0, jitter: 1.0)]),
    ]),
)"#;

/// What the agents of one chunk see: the places before the step, and what they want to do.
struct Cx<'a> {
    places: &'a [f32],
    moves: Vec<(usize, f32)>,
}

struct Server;
impl Host for Server {
    type Cx<'a> = Cx<'a>;
}

/// Threads read one world. An agent only notes what it wants to change.
#[leaf]
fn go_to(cx: &mut Context<Server>, goal: Key<f32>) -> Status {
    let Some(me) = cx.entity().index() else { return Status::Failure };
    let (left, step) = (cx.get(goal) - cx.host.places[me], 3.0 * cx.dt());
    cx.host.moves.push((me, cx.host.places[me] + left.clamp(-step, step)));
    if left.abs() <= step { Status::Success } else { Status::Running }
}

#[leaf]
fn choose(cx: &mut Context<Server>, goal: Key<f32>) -> Status {
    let somewhere = cx.random_range(-50.0..50.0);
    cx.set(goal, somewhere);
    Status::Success
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: u32 = std::env::args().nth(1).map_or(Ok(u32::MAX), |it| it.parse())?;
    let mut registry = Registry::new();
    registry.leaf_fn::<go_to>()?.leaf_fn::<choose>()?;
    let mut forest = Forest::new(7);
    let workers = forest.add_tree(load_str("worker.ron", TREE, &registry)?)?;
    let mut places = vec![0.0; AGENTS];
    for index in 0..AGENTS {
        let spawn = Spawn { entity: Entity::from_index(index), ..Spawn::default() };
        forest.spawn_with(&mut Cx { places: &places, moves: Vec::new() }, workers, spawn)?;
    }

    // What the studio shows when it connects: the last half minute.
    let mut recording = Recording::new().last_seconds(30.0).at_most(16 << 20).keys_every(50);
    recording.add_file("worker.ron", TREE);
    let mut tap = Tap::listen("workers").inspect_err(|why| println!("no studio can look on: {why}")).ok();

    let (sender, commands) = mpsc::channel();
    std::thread::spawn(move || {
        std::io::stdin().lock().lines().map_while(Result::ok).try_for_each(|it| sender.send(it))
    });
    let (mut behind, mut thought) = (Instant::now(), Duration::ZERO);
    let mut frame = 0;
    'server: while frame < frames {
        // It runs without anyone to write commands.
        while let Ok(command) = commands.try_recv() {
            match command.split_whitespace().collect::<Vec<_>>()[..] {
                ["alarm", at] => match at.parse::<f32>() {
                    Ok(at) if at.is_finite() => forest.broadcast(Event::new("alarm").with(at))?,
                    _ => println!("`{at}` is no place"),
                },
                ["who"] => {
                    let mean = places.iter().sum::<f32>() / AGENTS as f32;
                    println!("{} workers, at {mean:.1} m in the mean; the last step took {thought:.1?}", forest.len());
                }
                ["stop"] => break 'server,
                _ => println!("`{command}` is none of `alarm PLACE`, `who`, `stop`"),
            }
        }
        let begun = Instant::now();
        let step = STEP.as_secs_f32();
        if let Some(dt) = tap.as_mut().map_or(Some(step), |it| it.pace(step)) {
            let mut moves = Vec::new();
            let make = |_| Cx { places: &places, moves: Vec::new() };
            let mut forest = forest.traced(&mut recording);
            let report = forest.tick_parallel(dt, make, |cx| moves.extend(cx.moves))?;
            moves.into_iter().for_each(|(who, place)| places[who] = place);
            thought = begun.elapsed();
            frame += 1;
            if frame % 50 == 0 {
                println!("step {frame}: {} agents ticked, {} asleep", report.ticked, report.asleep);
            }
        }
        if let Some(tap) = &mut tap {
            tap.pump(&mut forest, &mut recording);
        }
        // A late step is not made up for: the next ones keep their pace.
        behind = (behind + STEP).max(begun);
        std::thread::sleep(behind.saturating_duration_since(Instant::now()));
    }
    Ok(())
}
