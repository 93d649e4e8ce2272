//! A game and a studio, over a real connection.

use std::error::Error;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pleach_core::nodes::Abort;
use pleach_core::record::{Recording, Replay};
use pleach_core::{AgentId, Context, Forest, Host, NodeId, Outcome, Status, Tree, nodes};
use pleach_tap::Tap;
use pleach_tap::studio::{Connection, Game, News, Request, games_in};

type Done<T = ()> = Result<T, Box<dyn Error>>;

struct Guards;
impl Host for Guards {
    type Cx<'a> = ();
}

/// The leaf of the game in [`tree`].
const LOOK: u32 = 4;

fn tree() -> Done<Arc<Tree<Guards>>> {
    let mut builder = Tree::builder("guard");
    builder.key("health", 1.0_f32);
    builder.key("tries", 3_i64);
    builder.event("noise", None);
    builder.event("shot", Some(pleach_core::Type::Vec2));
    let look = nodes::action(|_: &mut Context<'_, '_, Guards>| Status::Running);
    let flee = nodes::sequence([nodes::check("health < 0.5"), nodes::wait(1.0)]).aborts(Abort::LOWER_PRIORITY);
    Ok(Arc::new(builder.build(nodes::selector([flee, look]))?))
}

/// A folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pleach-tap-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    folder
}

/// What a game has played when it ends.
struct Played {
    forest: Forest<Guards>,
    agents: Vec<AgentId>,
    frames: u64,
}

/// Runs a game that listens while a studio does what `studio` does with it.
fn with_game<R>(name: &str, studio: impl FnOnce(&Game) -> Done<R>) -> Done<(R, Played)> {
    let folder = folder(name);
    let mut tap = Tap::listen_in(&folder, name)?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree()?)?;
    let agents = (0..5).map(|_| forest.spawn(&mut (), id)).collect::<Result<Vec<_>, _>>()?;
    let mut recording = Recording::new().last_seconds(30.0).keys_every(1);
    let mut games = games_in(&folder)?;
    assert_eq!(games.len(), 1, "{games:?}");
    let game = games.remove(0);
    let ends = AtomicBool::new(false);
    let result = std::thread::scope(|threads| -> Done<(R, Played)> {
        let runs = threads.spawn(|| {
            let mut frames = 0;
            while !ends.load(Ordering::Relaxed) {
                if let Some(dt) = tap.pace(0.1) {
                    forest.traced(&mut recording).tick(&mut (), dt).expect("a step is a step");
                    frames += 1;
                }
                tap.pump(&mut forest, &mut recording);
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(tap);
            Played { forest, agents, frames }
        });
        // The game ends also if the studio fails.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| studio(&game)));
        ends.store(true, Ordering::Relaxed);
        let played = runs.join().expect("the game goes on");
        let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((result?, played))
    });
    assert!(games_in(&folder)?.is_empty(), "the file is removed");
    std::fs::remove_dir_all(&folder)?;
    result
}

/// A studio that keeps what it hears.
struct Studio {
    connection: Connection,
    replay: Option<Replay<Guards>>,
    clock: (bool, f32),
    forced: Vec<(u32, NodeId, Status)>,
    next: u32,
}

impl Studio {
    fn of(game: &Game) -> Done<Self> {
        let connection = game.connect()?;
        Ok(Studio { connection, replay: None, clock: (false, 1.0), forced: Vec::new(), next: 0 })
    }

    fn hear(&mut self) -> Done<Option<(u32, Result<(), String>)>> {
        match self.connection.news()? {
            News::Begin(bytes) => self.replay = Some(Replay::open_with(&bytes, |_| tree().ok())?),
            News::More(bytes) => self.replay.as_mut().ok_or("it has begun")?.extend(&bytes, |_| tree().ok())?,
            News::Clock { is_paused, speed } => self.clock = (is_paused, speed),
            News::Forced(leaves) => self.forced = leaves,
            News::Answer(number, answer) => return Ok(Some((number, answer))),
            News::Bye(why) => return Err(why.into()),
            other => return Err(format!("{other:?} is unknown").into()),
        }
        Ok(None)
    }

    fn ask(&mut self, request: &Request<'_>) -> Done<Result<(), String>> {
        self.next += 1;
        self.connection.asker()?.ask(self.next, request)?;
        loop {
            if let Some((number, answer)) = self.hear()? {
                assert_eq!(number, self.next);
                return Ok(answer);
            }
        }
    }

    /// Listens until so many frames have come.
    fn frames(&mut self, count: u64) -> Done<&mut Replay<Guards>> {
        while self.replay.as_ref().is_none_or(|it| it.len() < count) {
            self.hear()?;
        }
        Ok(self.replay.as_mut().expect("frames have come"))
    }
}

#[test]
fn a_studio_gets_what_the_game_plays() -> Done {
    let ((), played) = with_game("plays", |game| {
        assert_eq!(game.name(), "plays");
        let mut studio = Studio::of(game)?;
        let replay = studio.frames(20)?;
        while replay.step(&mut ())? {}
        assert_eq!((replay.agents().len(), replay.divergences().len()), (5, 0));
        Ok(())
    })?;
    assert!(played.frames >= 20);
    Ok(())
}

#[test]
fn the_clock_stops_steps_and_runs_faster() -> Done {
    let ((), _) = with_game("clock", |game| {
        let mut studio = Studio::of(game)?;
        studio.frames(3)?;
        studio.ask(&Request::Pause)??;
        studio.ask(&Request::Speed(0.5))??;
        while studio.clock != (true, 0.5) {
            studio.hear()?;
        }
        let before = studio.frames(3)?.len();
        studio.ask(&Request::Step(2))??;
        let replay = studio.frames(before + 2)?;
        while replay.step(&mut ())? {}
        assert!((replay.last_step() - 0.05).abs() < 1e-9, "{}", replay.last_step());
        // It stands again.
        studio.ask(&Request::Speed(8.0))??;
        while studio.clock != (true, 8.0) {
            studio.hear()?;
        }
        assert_eq!(studio.frames(1)?.len(), before + 2);
        studio.ask(&Request::Go)??;
        studio.frames(before + 5)?;
        for wrong in [f32::NAN, f32::INFINITY, 0.0, -1.0, 9.0] {
            let why = studio.ask(&Request::Speed(wrong))?.expect_err("it is no speed");
            assert_eq!(why, "the speed is a number from 0.05 to 8");
        }
        Ok(())
    })?;
    Ok(())
}

#[test]
fn keys_and_events_are_set_and_sent() -> Done {
    let (agent, played) = with_game("sets", |game| {
        let mut studio = Studio::of(game)?;
        studio.frames(3)?;
        studio.ask(&Request::Pause)??;
        let set = |agent, key, value| Request::Set { agent, key, value };
        studio.ask(&set(2, "health", "0.25"))??;
        studio.ask(&set(2, "tries", "tries * 2 + 1"))??;
        let send = |event, payload| Request::Send { agent: 2, event, payload };
        studio.ask(&send("noise", ""))??;
        studio.ask(&send("shot", "vec2(1, 2)"))??;
        let wrong = [
            (set(2, "healt", "1"), "there is no key `healt`; did you mean `health`?"),
            (set(2, "health", "true"), "`true`: expected Float, found Bool"),
            (set(2, "health", ""), "expected"),
            (set(2, "slot:weapon", "bow"), "slot"),
            (set(77, "health", "1"), "agent 77 is not in the game any more"),
            (send("nois", ""), "nois"),
            (send("noise", "3"), "the event `noise` has no payload"),
            (send("shot", "3"), "expected Vec2"),
        ];
        for (request, why) in wrong {
            let told = studio.ask(&request)?.expect_err("it is wrong");
            assert!(told.contains(why), "{request:?}: {told}");
        }
        let before = studio.frames(3)?.len();
        studio.ask(&Request::Step(1))??;
        let replay = studio.frames(before + 1)?;
        while replay.step(&mut ())? {}
        let agent = replay.agent(2).flatten().ok_or("it is there")?;
        assert_eq!(replay.forest().keys(agent)?.value("tries")?, 7_i64.into());
        assert_eq!(replay.forest().agent(agent)?.current().next().map(|it| it.index()), Some(3));
        assert_eq!(replay.divergences().len(), 0);
        Ok(agent)
    })?;
    assert_eq!(agent, played.agents[2]);
    assert_eq!(played.forest.keys(agent)?.value("tries")?, 7_i64.into());
    Ok(())
}

#[test]
fn a_leaf_is_forced_for_a_time() -> Done {
    let force = |agent, node, status, seconds| Request::Force { agent, node, status, seconds };
    let (before, played) = with_game("forces", |game| {
        let mut studio = Studio::of(game)?;
        studio.frames(3)?;
        studio.ask(&Request::Pause)??;
        studio.ask(&force(2, LOOK, Some(Status::Success), 0.25))??;
        studio.ask(&force(3, LOOK, Some(Status::Success), 600.0))??;
        studio.ask(&force(3, LOOK, None, 0.0))??;
        while studio.forced.len() != 1 {
            studio.hear()?;
        }
        let look = NodeId::new(LOOK as usize).ok_or("an index")?;
        assert_eq!(studio.forced, [(2, look, Status::Success)]);
        let wrong = [
            (force(2, 0, Some(Status::Success), 1.0), "Selector is not an action or a condition of the game"),
            (force(2, 999, Some(Status::Success), 1.0), "n999 is not an action"),
            (force(77, LOOK, Some(Status::Success), 1.0), "agent 77 is not in the game any more"),
            (force(2, LOOK, Some(Status::Success), f32::NAN), "for a number of seconds, more than 0"),
            (force(2, LOOK, Some(Status::Success), -1.0), "for a number of seconds, more than 0"),
        ];
        for (request, why) in wrong {
            let answer = studio.ask(&request)?.expect_err("it is wrong");
            assert!(answer.contains(why), "{answer}");
        }
        studio.ask(&Request::Step(10))??;
        while !studio.forced.is_empty() {
            studio.hear()?;
        }
        Ok(studio.frames(1)?.len())
    })?;
    assert_eq!(played.frames, before, "its clock stands");
    let ended = |at: usize| played.forest.agent(played.agents[at]).map(|it| it.last_outcome());
    assert_eq!((ended(2)?, ended(3)?), (Some(Outcome::Success), None));
    Ok(())
}

#[test]
fn a_game_goes_on_when_its_studio_is_silent() -> Done {
    let (waited, _) = with_game("silent", |game| {
        let mut studio = Studio::of(game)?;
        studio.frames(2)?;
        studio.ask(&Request::Pause)??;
        let begun = Instant::now();
        // It says nothing, and so the game lets go of it.
        while studio.hear().is_ok() {}
        let mut other = Studio::of(game)?;
        let frames = other.frames(1)?.len();
        other.frames(frames + 3)?;
        assert!(!other.clock.0);
        Ok(begun.elapsed())
    })?;
    assert!(waited >= Duration::from_secs(3), "{waited:?}");
    Ok(())
}

/// Says bytes to a game.
fn say(game: &Game, bytes: &[u8]) -> Done<TcpStream> {
    let text = std::fs::read_to_string(game.file())?;
    let port: u16 = text.lines().nth(1).ok_or("it has a port")?.parse()?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    // It may end the connection before all is written.
    _ = stream.write_all(bytes);
    Ok(stream)
}

/// What a game says to bytes, until it ends the connection or nothing more comes.
fn said(game: &Game, bytes: &[u8]) -> Done<Vec<u8>> {
    let mut stream = say(game, bytes)?;
    stream.set_read_timeout(Some(Duration::from_millis(60)))?;
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count) = stream.read(&mut part) {
        if count == 0 {
            break;
        }
        all.extend(&part[..count]);
    }
    Ok(all)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len() + 5).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    bytes.extend([kind, 0, 0, 0, 0]);
    bytes.extend(body);
    bytes
}

fn hello(version: u32, token: &str) -> Vec<u8> {
    let mut body = version.to_le_bytes().to_vec();
    body.extend(u32::try_from(token.len()).unwrap_or(u32::MAX).to_le_bytes());
    body.extend(token.as_bytes());
    message(1, &body)
}

#[test]
fn strangers_get_no_frame() -> Done {
    let ((), played) = with_game("strangers", |game| {
        let text = std::fs::read_to_string(game.file())?;
        let token = text.lines().nth(2).ok_or("it has a token")?;
        let cases: [(Vec<u8>, &str); 7] = [
            (hello(1, &"0".repeat(64)), "the token is wrong"),
            (hello(1, ""), "the token is wrong"),
            (hello(1, &token[..63]), "the token is wrong"),
            (hello(2, token), "version"),
            (message(3, &[1, 0, 0, 0]), "token first"),
            (message(200, b"what"), "token first"),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_vec(), ""),
        ];
        for (bytes, why) in cases {
            let answer = said(game, &bytes)?;
            assert!(String::from_utf8_lossy(&answer).contains(why), "{answer:?}");
            assert!(answer.len() < 200, "no frame");
        }
        // A gigabyte is refused by its length.
        let mut huge = hello(1, token);
        huge.extend((1_u32 << 30).to_le_bytes());
        huge.extend(vec![0; 1 << 20]);
        said(game, &huge)?;
        // A request that is cut off.
        for (kind, body, why) in
            [(5, &[0, 0][..], "the speed is"), (6, &[0, 0], "malformed"), (200, &[], "another version")]
        {
            let mut bytes = hello(1, token);
            bytes.extend(message(kind, body));
            let mut stream = say(game, &bytes)?;
            stream.set_read_timeout(Some(Duration::from_secs(2)))?;
            let (mut all, mut part) = (Vec::new(), [0; 4096]);
            while !String::from_utf8_lossy(&all).contains(why) {
                let count = stream.read(&mut part)?;
                all.extend(&part[..count]);
            }
        }
        Studio::of(game)?.frames(3)?;
        Ok(())
    })?;
    assert!(played.frames > 0);
    Ok(())
}

#[test]
fn bytes_at_random_leave_the_game_running() -> Done {
    let number = |name, usual| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    let (seed, count): (u64, u64) = (number("PLEACH_SEED", 1), number("PLEACH_COUNT", 20));
    let ((), played) = with_game("random", |game| {
        let text = std::fs::read_to_string(game.file())?;
        let token = text.lines().nth(2).ok_or("it has a token")?;
        for case in seed..seed + count {
            let mut state = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut next = |most: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % most
            };
            let mut bytes = hello(1, token);
            for _ in 0..next(40) {
                #[expect(clippy::cast_possible_truncation, reason = "bytes")]
                let body: Vec<u8> =
                    (0..next(30)).map(|_| if next(2) == 0 { next(4) } else { next(256) } as u8).collect();
                #[expect(clippy::cast_possible_truncation, reason = "a kind")]
                bytes.extend(message(next(12) as u8, &body));
            }
            // The game has time to read it.
            std::thread::sleep(Duration::from_millis(5));
            drop(say(game, &bytes)?);
        }
        std::thread::sleep(Duration::from_millis(50));
        let mut studio = Studio::of(game)?;
        studio.ask(&Request::Go)??;
        let frames = studio.frames(1)?.len();
        studio.frames(frames + 3)?;
        Ok(())
    })?;
    assert_eq!(played.forest.len(), 5);
    Ok(())
}

#[test]
fn more_studios_than_there_may_be_are_told_so() -> Done {
    with_game("many", |game| {
        let mut all = (0..4).map(|_| Studio::of(game)).collect::<Done<Vec<_>>>()?;
        let why = game.connect().expect_err("it is the fifth").to_string();
        assert_eq!(why, "4 studios are connected with this game, which is the most");
        // Each of them follows on its own.
        for it in &mut all {
            it.frames(3)?;
        }
        all[0].ask(&Request::Pause)??;
        for it in &mut all {
            while !it.clock.0 {
                it.hear()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[test]
fn strangers_do_not_keep_a_studio_out() -> Done {
    with_game("slow_strangers", |game| {
        let mut strangers = Vec::new();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(4) {
            if strangers.len() < 20 {
                strangers.push(say(game, &[9])?);
            }
            // A byte now and then is no token.
            for it in &mut strangers {
                _ = it.write_all(&[0]);
            }
            std::thread::sleep(Duration::from_millis(100));
            Studio::of(game)?.frames(1)?;
        }
        // Nothing is heard from those that are still there; the others were ended.
        let mut gone = 0;
        for it in &mut strangers {
            it.set_read_timeout(Some(Duration::from_millis(5)))?;
            let ended = |error: std::io::Error| !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            gone += usize::from(it.read(&mut [0; 9]).map_or_else(ended, |count| count == 0));
        }
        assert!(gone >= 12, "{gone} of {} are gone", strangers.len());
        Ok(())
    })?;
    Ok(())
}

#[test]
fn a_studio_that_asks_and_never_reads_is_not_listened_to() -> Done {
    let folder = folder("never_reads");
    let mut tap = Tap::listen_in(&folder, "never_reads")?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree()?)?;
    forest.spawn(&mut (), id)?;
    let mut recording = Recording::new();
    let game = games_in(&folder)?.remove(0);
    let text = std::fs::read_to_string(game.file())?;
    let token = text.lines().nth(2).ok_or("it has a token")?;
    let mut stream = say(&game, &hello(1, token))?;
    stream.set_nonblocking(true)?;
    // The answer to each is longer than the request.
    let ask = message(6, &[]).repeat(1_000);
    // The system keeps some of it on the way. When that is full, the game has ceased to read.
    let (mut at, begun, mut taken) = (0, Instant::now(), Instant::now());
    while taken.elapsed() < Duration::from_millis(300) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the game takes all that comes");
        forest.traced(&mut recording).tick(&mut (), 0.1)?;
        tap.pump(&mut forest, &mut recording);
        if let Ok(count) = stream.write(&ask[at..]) {
            at = (at + count) % ask.len();
            taken = Instant::now();
        }
    }
    drop(tap);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn a_reader_that_is_slow_begins_anew_and_the_game_does_not_wait() -> Done {
    let folder = folder("slow");
    let mut tap = Tap::listen_in(&folder, "slow")?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree()?)?;
    let agents = (0..2_000).map(|_| forest.spawn(&mut (), id)).collect::<Result<Vec<_>, _>>()?;
    let mut recording = Recording::new().at_most(1 << 20).keys_every(1);
    let game = games_in(&folder)?.remove(0);
    let connects = std::thread::spawn(move || game.connect());
    while !connects.is_finished() {
        tap.pump(&mut forest, &mut recording);
    }
    let connection = connects.join().expect("it connects")?;
    let key = forest.agent(agents[0])?.tree().key::<f32>("health")?;
    for frame in 0..1_200_u16 {
        // All keys change, so that a frame takes some 16 KB.
        for &agent in &agents {
            forest.keys_mut(agent)?.set(key, 1.0 + f32::from(frame));
        }
        forest.traced(&mut recording).tick(&mut (), 0.01)?;
        connection.asker()?.ask(0, &Request::Ping)?;
        tap.pump(&mut forest, &mut recording);
    }
    let mut studio = Studio { connection, replay: None, clock: (false, 1.0), forced: Vec::new(), next: 0 };
    let mut begun = 0;
    drop(tap);
    loop {
        match studio.connection.news() {
            Ok(News::Begin(_)) => begun += 1,
            Ok(News::Bye(why)) => {
                assert_eq!(why, "the game has ended");
                break;
            }
            Ok(_) => {}
            // What was not sent when the game ended is lost.
            Err(_) => break,
        }
    }
    assert!(begun >= 1, "{begun}");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn a_file_of_a_game_that_has_ended_is_removed() -> Done {
    let folder = folder("ended");
    let tap = Tap::listen_in(&folder, "ended")?;
    let text = std::fs::read_to_string(tap.file())?;
    let left = folder.join("left.game");
    drop(tap);
    std::fs::write(&left, text)?;
    let game = games_in(&folder)?.remove(0);
    game.connect().expect_err("nothing listens there");
    assert!(!left.exists());
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
