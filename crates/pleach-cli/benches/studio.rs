//! How fast the studio answers, over a recording of 30 seconds: as a table of goals and figures.
//!
//! `cargo bench --profile installed -p pleach-cli --bench studio`. Times are those of a client on
//! the same machine that waits for each answer: with the connection, the JSON, and whatever else
//! the machine does.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    Ok(())
}

fn measure(guards: u64) -> Done {
    let folder = std::env::temp_dir().join(format!("pleach-studio-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("guards.rec");
    let count = guards.to_string();
    let run = Command::new(PLEACH)
        .args(["run", TREE, "--agents", &count, "--seed", "4", "--seconds", "30", "--record"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    assert!(run.success(), "the run is recorded");

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

/// A studio that serves a recording, and a connection to it.
struct Studio {
    child: Child,
    connection: BufReader<TcpStream>,
    token: String,
}

impl Studio {
    fn open(file: &std::path::Path) -> Done<Self> {
        let mut child = Command::new(PLEACH).arg("studio").arg(file).arg("--no-open").stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("it prints")?).read_line(&mut line)?;
        let (host, token) = line.trim().split_once("/#token=").ok_or("it prints its address")?;
        let connection = TcpStream::connect(host.strip_prefix("http://").ok_or("it is an address")?)?;
        connection.set_nodelay(true)?;
        Ok(Studio { child, connection: BufReader::new(connection), token: token.to_owned() })
    }

    fn ask(&mut self, question: &str) -> Done<Duration> {
        let host = self.connection.get_ref().peer_addr()?;
        let request = format!(
            "POST /ask HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{question}",
            self.token,
            question.len()
        );
        let begin = Instant::now();
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
        self.connection.read_exact(&mut vec![0; length])?;
        Ok(begin.elapsed())
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
