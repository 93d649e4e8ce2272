//! How fast the studio answers, over a recording of 30 seconds: as a table of goals and figures.
//!
//! `cargo bench --profile installed -p pleach-cli --bench studio`. Times are those of a client on
//! the same machine that waits for each answer: they include the connection, the JSON, and other
//! work of the machine.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use pleach::asset::Directory;
use pleach::record::Recording;
use pleach::{Library, Tap};
use pleach_arena::{Game, registry};

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees/guard.ron");
const PLEACH: &str = env!("CARGO_BIN_EXE_pleach");
/// 30 seconds.
const FRAMES: u64 = 1_800;
const NODES: u64 = 28;

type Done<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Done {
    // Criterion's arguments: there is nothing to choose here.
    if std::env::args().any(|it| it == "--test" || it == "--list") {
        return Ok(());
    }
    println!("| what | guards | goal | median | 95 % | most |\n|---|---|---|---|---|---|");
    for guards in [50, 2_000, 10_000] {
        measure(guards)?;
    }
    measure_found(100_000)?;
    for guards in [50, 10_000, 100_000] {
        measure_live(guards)?;
    }
    Ok(())
}

fn measure(guards: u64) -> Done {
    let folder = std::env::temp_dir().join(format!("pleach-studio-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = record(&folder, guards, "30")?;
    let begin = Instant::now();
    let mut studio = Studio::open(&file)?;
    row("the studio is there", guards, "", &mut [begin.elapsed()]);
    let mut dice = Dice(7);
    let overview = |_: &mut Dice| r#"{"ask":"overview"}"#.to_owned();
    studio.row("overview", guards, "", 50, &mut dice, overview)?;
    let all = (0..guards.min(100)).collect::<Vec<u64>>();
    let mut next = all.iter().map(|it| it * (guards / 100).max(1));
    let first = |_: &mut Dice| {
        let agent = next.next().unwrap_or_default();
        format!(r#"{{"ask":"track","agent":{agent},"from":0,"to":{FRAMES}}}"#)
    };
    studio.row("first track of an agent", guards, "", all.len().min(50), &mut dice, first)?;
    let track = |_: &mut Dice| format!(r#"{{"ask":"track","agent":17,"from":0,"to":{FRAMES}}}"#);
    studio.row("its track again", guards, "", 200, &mut dice, track)?;
    let moment = |dice: &mut Dice| format!(r#"{{"ask":"moment","agent":17,"frame":{}}}"#, 1 + dice.roll(FRAMES));
    studio.row("any moment of an agent", guards, "16 ms", 2_000, &mut dice, moment)?;
    let why = |dice: &mut Dice| {
        let (frame, node) = (1 + dice.roll(FRAMES), dice.roll(NODES));
        format!(r#"{{"ask":"why_not","agent":17,"frame":{frame},"node":{node}}}"#)
    };
    studio.row("why not, any node and moment", guards, "16 ms", 2_000, &mut dice, why)?;
    let agents = |dice: &mut Dice| {
        let frame = 1 + dice.roll(FRAMES);
        format!(r#"{{"ask":"agents","frame":{frame},"limit":100,"find":"fight & health < 0.9"}}"#)
    };
    studio.row("all agents, any frame", guards, "", 100, &mut dice, agents)?;
    let find = |_: &mut Dice| r#"{"ask":"find","node":"Attack","ended":"aborted"}"#.to_owned();
    studio.row("find all aborted attacks", guards, "", 5, &mut dice, find)?;
    let became = |_: &mut Dice| r#"{"ask":"find","where":"health < 0.3"}"#.to_owned();
    studio.row("find where an expression became true", guards, "", 5, &mut dice, became)?;

    let page = folder.join("agent.html");
    let begin = Instant::now();
    let report =
        Command::new(PLEACH).arg("replay").arg(&file).args(["--agent", "17", "--report"]).arg(&page).output()?;
    assert!(report.status.success(), "the report is written");
    row("a report of 30 s", guards, "", &mut [begin.elapsed()]);
    println!("| its size | {guards} | 300 KiB | {} KiB | | |", std::fs::metadata(&page)?.len() >> 10);
    drop(studio);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Records a number of guards for a time. Returns the file.
fn record(folder: &Path, guards: u64, seconds: &str) -> Done<PathBuf> {
    let (file, count) = (folder.join("guards.rec"), guards.to_string());
    let run = Command::new(PLEACH)
        .args(["run", TREE, "--agents", &count, "--seed", "4", "--seconds", seconds, "--record"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    assert!(run.success(), "the run is recorded");
    Ok(file)
}

/// Finds agents by their nodes and keys, in one frame.
fn measure_found(guards: u64) -> Done {
    let folder = std::env::temp_dir().join(format!("pleach-found-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut studio = Studio::open(&record(&folder, guards, "3")?)?;
    let question = r#"{"ask":"agents","frame":100,"limit":100,"find":"fight & health < 0.9"}"#;
    studio.ask(question)?;
    studio.row("find agents in a frame", guards, "50 ms", 100, &mut Dice(7), |_| question.to_owned())?;
    drop(studio);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// How many frames a game plays at each stage.
const LIVE: usize = 300;
const FRAME: Duration = Duration::from_micros(16_667);

/// A running game, and a studio that follows it.
fn measure_live(guards: u64) -> Done {
    let folder = std::env::temp_dir().join(format!("pleach-live-{}", std::process::id()));
    let mut library = Library::new(Directory::open(TREES)?);
    let tree = library.load("guard.ron", &registry()).map_err(|it| it.to_string())?;
    let mut recording = Recording::new().last_seconds(30.0).at_most(64 << 20);
    for name in [
        "guard.ron",
        "guard/fight.ron",
        "guard/help.ron",
        "guard/investigate.ron",
        "guard/patrol_by_day.ron",
        "guard/patrol_by_night.ron",
    ] {
        recording.add_file(name, std::fs::read_to_string(Path::new(TREES).join(name))?);
    }
    let game = Game::new(Arc::new(tree), usize::try_from(guards)?, 4)?;
    let mut tap = Tap::listen_in(&folder, "guards")?;
    let ends = AtomicBool::new(false);
    std::thread::scope(|threads| -> Done {
        let (sender, played) = channel();
        let ends = &ends;
        let _game_ends = Ends(ends);
        let runs = threads.spawn(move || play_live(game, &mut recording, &mut tap, ends, &sender));
        let pumps = |stage: &str| -> Done {
            let mut all: Vec<Duration> = played.iter().take(LIVE).map(|it: (u64, Instant, Duration)| it.2).collect();
            row(stage, guards, "0.20 ms", &mut all);
            Ok(())
        };
        pumps("`pump` without a studio")?;
        let mut studio =
            Studio::command(Command::new(PLEACH).args(["studio", "--no-open"]).env("PLEACH_GAMES", &folder))?;
        pumps("`pump` while a studio connects and after that")?;
        pumps("`pump` with a studio")?;
        // The time from the end of a frame's tick to the answer that has the frame.
        // The server has ended the connection, which was silent for too long.
        studio.connection = BufReader::new(TcpStream::connect(studio.connection.get_ref().peer_addr()?)?);
        studio.connection.get_ref().set_nodelay(true)?;
        let (mut after, mut waited) = (0, Vec::new());
        let mut known: Vec<(u64, Instant)> = Vec::new();
        while waited.len() < LIVE {
            let answer = studio.answer(&format!(r#"{{"ask":"live","after":{after},"state":0}}"#))?;
            let now = Instant::now();
            known.extend(played.try_iter().map(|it| (it.0, it.1)));
            let view: serde_json::Value = serde_json::from_slice(&answer)?;
            after = view["last"].as_u64().ok_or("a view has a last frame")?;
            waited.extend(known.iter().find(|it| it.0 == after).map(|it| now.saturating_duration_since(it.1)));
        }
        row("from the game to the studio's answer", guards, "50 ms", &mut waited);
        ends.store(true, Ordering::Relaxed);
        runs.join().map_err(|_| "the game goes on")?;
        Ok(())
    })?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Ends the game, even if something fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Plays frames in real time, and reports for each when its tick ended, and how long `pump` took.
fn play_live(
    mut game: Game,
    recording: &mut Recording,
    tap: &mut Tap,
    ends: &AtomicBool,
    played: &Sender<(u64, Instant, Duration)>,
) {
    let (mut due, mut frame) = (Instant::now(), 0);
    while !ends.load(Ordering::Relaxed) {
        game.frame_traced(1.0 / 60.0, recording).expect("a frame is played");
        frame += 1;
        let begin = Instant::now();
        tap.pump(&mut game.forest, recording);
        // When the other side is gone, the measurement has ended.
        _ = played.send((frame, begin, begin.elapsed()));
        due = (due + FRAME).max(Instant::now());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

/// A studio that serves a recording, and a connection to it.
struct Studio {
    child: Child,
    connection: BufReader<TcpStream>,
    token: String,
}

impl Studio {
    fn open(file: &Path) -> Done<Self> {
        Self::command(Command::new(PLEACH).arg("studio").arg(file).arg("--no-open"))
    }

    fn command(command: &mut Command) -> Done<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("it prints")?).read_line(&mut line)?;
        let (host, token) = line.trim().split_once("/#token=").ok_or("it prints its address")?;
        let connection = TcpStream::connect(host.strip_prefix("http://").ok_or("it is an address")?)?;
        connection.set_nodelay(true)?;
        Ok(Studio { child, connection: BufReader::new(connection), token: token.to_owned() })
    }

    fn ask(&mut self, question: &str) -> Done<Duration> {
        let begin = Instant::now();
        self.answer(question)?;
        Ok(begin.elapsed())
    }

    fn answer(&mut self, question: &str) -> Done<Vec<u8>> {
        let host = self.connection.get_ref().peer_addr()?;
        let request = format!(
            "POST /ask HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{question}",
            self.token,
            question.len()
        );
        self.connection.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut line) = (0, String::new());
        self.connection.read_line(&mut line)?;
        assert!(line.starts_with("HTTP/1.1 200"), "{question}: {line}");
        while line != "\r\n" {
            line.clear();
            self.connection.read_line(&mut line)?;
            if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body)?;
        Ok(body)
    }

    fn row(
        &mut self,
        what: &str,
        guards: u64,
        goal: &str,
        times: usize,
        dice: &mut Dice,
        mut question: impl FnMut(&mut Dice) -> String,
    ) -> Done {
        let mut all = Vec::with_capacity(times);
        for _ in 0..times {
            all.push(self.ask(&question(dice))?);
        }
        row(what, guards, goal, &mut all);
        Ok(())
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn row(what: &str, guards: u64, goal: &str, all: &mut [Duration]) {
    all.sort_unstable();
    let at = |share: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
        let place = ((all.len() - 1) as f64 * share).round() as usize;
        let millis = all[place].as_secs_f64() * 1e3;
        if millis < 10.0 { format!("{millis:.2} ms") } else { format!("{millis:.0} ms") }
    };
    match all.len() {
        1 => println!("| {what} | {guards} | {goal} | {} | | |", at(0.5)),
        _ => println!("| {what} | {guards} | {goal} | {} | {} | {} |", at(0.5), at(0.95), at(1.0)),
    }
}

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}
