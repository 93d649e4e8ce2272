//! What recordings cost, with 10 000 guards of the arena: as a table of goals and figures.
//!
//! `cargo bench -p pleach-benches --bench recordings`. Times are processor time of this thread.
//! Recorded and unrecorded games are measured in turns, frame by frame, over the tick alone.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use pleach::record::{Recording, Replay};
use pleach::trace::TraceEvent;
use pleach::{AgentId, Library, NodeId, Outcome, Tree};
use pleach_arena::{Arena, ArenaCx, Cast, Game, Journal, Map, World};
use pleach_benches::stopwatch::timed;

const GUARDS: usize = 10_000;
const DT: f32 = 1.0 / 60.0;
/// 30 seconds.
const FRAMES: u32 = 1_800;
const SEED: u64 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    // Criterion's arguments: there is nothing to select here.
    if std::env::args().any(|it| it == "--test" || it == "--list") {
        return Ok(());
    }
    let tree = tree()?;
    println!("| what | goal | measured |\n|---|---|---|");
    let bytes = record(&tree)?;
    ring(&tree)?;
    replay(&tree, &bytes)?;
    Ok(())
}

fn tree() -> Result<Arc<Tree<Arena>>, Box<dyn Error>> {
    let mut library = Library::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../trees"))?;
    Ok(Arc::new(library.load("guard.ron", &pleach_arena::registry())?))
}

fn row(what: &str, goal: &str, measured: &str) {
    println!("| {what} | {goal} | {measured} |");
}

fn millis(it: Duration) -> f64 {
    it.as_secs_f64() * 1e3
}

fn percent(more: Duration, than: Duration) -> f64 {
    (more.as_secs_f64() / than.as_secs_f64() - 1.0) * 100.0
}

/// A frame whose tick is measured.
fn frame(game: &mut Game, recording: Option<&mut Recording>) -> Result<Duration, Box<dyn Error>> {
    game.perceive()?;
    let (report, time) = match recording {
        Some(it) => timed(|| game.think_traced(DT, it)),
        None => timed(|| game.think(DT)),
    };
    report?;
    game.world.step(DT)?;
    Ok(time)
}

/// Records 30 seconds, beside the same game without a recording.
fn record(tree: &Arc<Tree<Arena>>) -> Result<Vec<u8>, Box<dyn Error>> {
    let game = || Game::new(Arc::clone(tree), GUARDS, SEED);
    let (mut plain, mut recorded) = (game()?, game()?);
    let mut recording = Recording::new();
    let (mut without, mut with) = (Duration::ZERO, Duration::ZERO);
    let mut first = (Duration::ZERO, 0);
    for at in 0..FRAMES {
        let times = (frame(&mut plain, None)?, frame(&mut recorded, Some(&mut recording))?);
        if at == 0 {
            first = (times.1.saturating_sub(times.0), recording.to_bytes().len());
            continue;
        }
        without += times.0;
        with += times.1;
    }
    assert_eq!(plain.world.digest(), recorded.world.digest(), "a recorder changes nothing");
    let bytes = recording.to_bytes();
    let seconds = f64::from(FRAMES - 1) * f64::from(DT);
    #[expect(clippy::cast_precision_loss, reason = "sizes")]
    let (each, at_first) = ((bytes.len() - first.1) as f64 / GUARDS as f64 / seconds, first.1 as f64 / GUARDS as f64);
    row("recording, time of the tick", "+3 %", &format!("{:+.1} %", percent(with, without)));
    row("the first frame", "", &format!("{:.1} ms more, {at_first:.0} bytes an agent", millis(first.0)));
    row("bytes per agent and second, after the first frame", "4", &format!("{each:.2}"));
    Ok(bytes)
}

/// Records the last 30 of 75 seconds, beside the same game without a recording.
fn ring(tree: &Arc<Tree<Arena>>) -> Result<(), Box<dyn Error>> {
    let game = || Game::new(Arc::clone(tree), GUARDS, SEED);
    let (mut plain, mut recorded) = (game()?, game()?);
    let mut recording = Recording::new().last_seconds(30.0);
    let (mut without, mut with, mut most) = (Duration::ZERO, Duration::ZERO, 0);
    for at in 0..FRAMES / 2 * 5 {
        let times = (frame(&mut plain, None)?, frame(&mut recorded, Some(&mut recording))?);
        // After the first parts, in which each guard is recorded as a whole in turn.
        if at >= FRAMES {
            (without, with) = (without + times.0, with + times.1);
        }
        if at % 60 == 0 {
            most = most.max(recording.to_bytes().len());
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a size")]
    let most = most as f64 / f64::from(1 << 20);
    row("the last 30 s, time of the tick", "", &format!("{:+.1} %", percent(with, without)));
    row("the last 30 s, most bytes", "16 MB", &format!("{most:.1} MiB"));
    Ok(())
}

/// A context for leaves, which a replay never calls.
struct NoGame {
    world: World,
    cast: Cast,
    journal: Journal,
}

fn replay(tree: &Arc<Tree<Arena>>, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let map = Map::open([10.0, 10.0])?;
    let mut none = NoGame { world: World::new(map, 0), cast: Cast::default(), journal: Journal::default() };
    let mut cx = ArenaCx { world: &mut none.world, cast: &mut none.cast, journal: &mut none.journal };
    let open = || Replay::<Arena>::open(bytes, |_| Some(Arc::clone(tree)));
    let seconds = f64::from(FRAMES) * f64::from(DT);

    let mut all = open()?;
    let (played, time) = timed(|| all.seek(u64::MAX, &mut cx));
    played?;
    assert_eq!((all.played(), all.divergences().len()), (FRAMES.into(), 0));
    let times = seconds / time.as_secs_f64();
    row("30 s of all guards", "10 x real time", &format!("{times:.0} x, {:.0} ms", millis(time)));
    let slowest = seek(&mut all, &mut cx)?;
    row("seek of all guards, once played", "50 ms", &format!("{:.0} ms at most", millis(slowest)));

    let mut one = open()?.only(17);
    let (played, time) = timed(|| one.seek(600, &mut cx));
    played?;
    row("10 s of one guard", "1 ms", &format!("{:.2} ms", millis(time)));
    one.seek(u64::MAX, &mut cx)?;
    let slowest = seek(&mut one, &mut cx)?;
    row("seek of one guard, once played", "5 ms", &format!("{:.2} ms at most", millis(slowest)));

    let attack = tree.nodes().find(|it| it.kind() == "Attack").map(|it| it.id()).ok_or("the tree has an Attack")?;
    let failed = |event: TraceEvent| event == TraceEvent::End(attack, Outcome::Failure);
    let mut search = |replay: &mut Replay<Arena>, before, wanted: &dyn Fn(AgentId, TraceEvent) -> bool| {
        timed(|| replay.find_last(before, &mut cx, |agent, event| wanted(agent.agent(), event)))
    };
    let mut fresh = open()?;
    let (found, first) = search(&mut fresh, u64::MAX, &|_, event| failed(event));
    let found = found?;
    let last = found.first().ok_or("no attack of the recording fails")?;
    let (found, again) = search(&mut fresh, last.played - 1, &|_, event| failed(event));
    found?;
    let never = NodeId::new(tree.len() + 1).ok_or("there are more nodes than that")?;
    let (found, in_vain) = search(&mut fresh, u64::MAX, &|_, event| event == TraceEvent::Start(never));
    assert!(found?.is_empty());
    let text = format!(
        "{:.0} ms the first time, {:.0} ms the next; {:.0} ms if it is nowhere",
        millis(first),
        millis(again),
        millis(in_vain)
    );
    row("the last failed attack of 30 s", "500 ms", &text);
    Ok(())
}

/// The longest of some seeks, forward and back.
fn seek(replay: &mut Replay<Arena>, cx: &mut ArenaCx<'_>) -> Result<Duration, Box<dyn Error>> {
    let mut slowest = Duration::ZERO;
    for at in 1..=40_u64 {
        // Spread by the golden ratio.
        let (sought, time) = timed(|| replay.seek(at * 1_113 % u64::from(FRAMES), cx));
        sought?;
        slowest = slowest.max(time);
    }
    Ok(slowest)
}
