//! A game and a studio, over a real connection.

mod hostile;
mod slow;

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

/// What a game has played by its end.
struct Played {
    forest: Forest<Guards>,
    agents: Vec<AgentId>,
    frames: u64,
}

/// Runs a game that listens while `studio` uses it.
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
        // The game ends even if the studio fails.
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

    /// Listens until `count` frames have come.
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
        // It is stopped again.
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
fn what_a_game_says_is_heard_until_it_says_something_else() -> Done {
    let folder = folder("says");
    let mut tap = Tap::listen_in(&folder, "says")?;
    let (mut forest, mut recording) = (Forest::<Guards>::new(7), Recording::new());
    tap.say("the tree is rejected");
    let game = games_in(&folder)?.remove(0);
    let heard = std::thread::scope(|threads| {
        let studio = threads.spawn(|| -> std::io::Result<Vec<String>> {
            let mut connection = game.connect()?;
            let (mut heard, mut is_answered) = (Vec::new(), false);
            // A ping with a number is answered, one without is not.
            connection.asker()?.ask(0, &Request::Ping)?;
            connection.asker()?.ask(7, &Request::Ping)?;
            while heard.len() < 2 || !is_answered {
                match connection.news()? {
                    News::Said(text) => heard.push(text),
                    News::Answer(number, answer) => is_answered = (number, answer) == (7, Ok(())),
                    _ => {}
                }
            }
            Ok(heard)
        });
        let mut pumped = 0;
        while !studio.is_finished() {
            tap.pump(&mut forest, &mut recording);
            pumped += u32::from(tap.is_watched());
            if pumped == 100 {
                tap.say("");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        studio.join().expect("it listens")
    })?;
    assert_eq!(heard, ["the tree is rejected", ""]);
    drop(tap);
    std::fs::remove_dir_all(&folder)?;
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
        // It is silent, so the game drops it.
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

/// Sends bytes to a game.
fn say(game: &Game, bytes: &[u8]) -> Done<TcpStream> {
    let text = std::fs::read_to_string(game.file())?;
    let port: u16 = text.lines().nth(1).ok_or("it has a port")?.parse()?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    // It may end the connection before everything is written.
    _ = stream.write_all(bytes);
    Ok(stream)
}

/// The game's answer to bytes, until it ends the connection or falls silent.
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

/// The version of the messages.
const VERSION: u32 = 2;

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
            (hello(VERSION, &"0".repeat(64)), "the token is wrong"),
            (hello(VERSION, ""), "the token is wrong"),
            (hello(VERSION, &token[..63]), "the token is wrong"),
            (hello(VERSION - 1, token), "version"),
            (message(3, &[1, 0, 0, 0]), "token first"),
            (message(200, b"what"), "token first"),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_vec(), ""),
        ];
        for (bytes, why) in cases {
            let answer = said(game, &bytes)?;
            assert!(String::from_utf8_lossy(&answer).contains(why), "no `{why}` in {} bytes", answer.len());
            assert!(answer.len() < 200, "no frame");
        }
        // A gigabyte is refused by its length: the connection ends before it has come.
        let mut huge = hello(VERSION, token);
        huge.extend((1_u32 << 30).to_le_bytes());
        let mut stream = say(game, &huge)?;
        let begun = Instant::now();
        let mut taken = 0;
        while let Ok(count) = stream.write(&[0; 1 << 16]) {
            taken += count;
            assert!(begun.elapsed() < Duration::from_secs(20), "{taken} bytes are taken");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(taken < 1 << 30, "{taken}");
        // A request that is cut off.
        for (kind, body, why) in
            [(5, &[0, 0][..], "the speed is"), (6, &[0, 0], "malformed"), (200, &[], "another version")]
        {
            let mut bytes = hello(VERSION, token);
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

/// The seeds of random cases: `PLEACH_COUNT` of them, from `PLEACH_SEED` on.
fn seeds() -> std::ops::Range<u64> {
    let number = |name, usual| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    let (seed, count): (u64, u64) = (number("PLEACH_SEED", 1), number("PLEACH_COUNT", 20));
    seed..seed + count
}

/// Random numbers for a case, each below the given one (xorshift).
fn dice(case: u64) -> impl FnMut(u64) -> u64 {
    let mut state = case.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |most| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    }
}

#[test]
fn bytes_at_random_leave_the_game_running() -> Done {
    let ((), played) = with_game("random", |game| {
        let text = std::fs::read_to_string(game.file())?;
        let token = text.lines().nth(2).ok_or("it has a token")?;
        for case in seeds() {
            let mut next = dice(case);
            let mut bytes = hello(VERSION, token);
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
            // A byte now and then is not a token.
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
    let mut stream = say(&game, &hello(VERSION, token))?;
    stream.set_nonblocking(true)?;
    // The answer to each is longer than the request.
    let ask = message(6, &[]).repeat(1_000);
    // The system buffers some of it. Once that buffer is full, the game has stopped reading.
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

/// A frame in which many agents all start is split, so that no call of `pump` sends it whole.
#[test]
fn a_long_frame_comes_in_pieces() -> Done {
    let folder = folder("long");
    let mut tap = Tap::listen_in(&folder, "long")?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree()?)?;
    for _ in 0..20_000 {
        forest.spawn(&mut (), id)?;
    }
    let mut recording = Recording::new().at_most(16 << 20);
    forest.traced(&mut recording).tick(&mut (), 0.1)?;
    assert!(recording.bytes() > 4 * (128 << 10), "{} bytes", recording.bytes());
    let game = games_in(&folder)?.remove(0);
    let hears = std::thread::spawn(move || -> Result<usize, String> {
        let mut studio = Studio::of(&game).map_err(|it| it.to_string())?;
        let replay = studio.frames(3).map_err(|it| it.to_string())?;
        while replay.step(&mut ()).map_err(|it| it.to_string())? {}
        assert_eq!(replay.divergences().len(), 0);
        Ok(replay.agents().len())
    });
    let mut pumps = 0;
    while !hears.is_finished() {
        // The frames after the long one wait until it is sent.
        if tap.is_watched() {
            forest.traced(&mut recording).tick(&mut (), 0.1)?;
            pumps += 1;
        }
        tap.pump(&mut forest, &mut recording);
    }
    assert_eq!(hears.join().expect("it hears")?, 20_000);
    assert!(pumps > 4, "{pumps}");
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
