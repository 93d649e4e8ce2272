//! A run that listens, and the studio that finds it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::studio::Studio;
use super::{Place, command, refused};

const GUARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees/guard.ron");

/// A run that listens.
struct Game(Child);

impl Game {
    fn listen(place: &Place, name: &str, more: &[&str]) -> Self {
        let listen = format!("--listen={name}");
        let args = ["run", GUARD, "--agents", "10", "--seconds", "300", "--seed", "4", &listen];
        let mut command = command(&[&args[..], more].concat());
        let mut child = command.env("PLEACH_GAMES", games(place)).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, format!("listens as `{name}`: `pleach studio` shows it. Ctrl-C ends the run\n"));
        Game(child)
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn games(place: &Place) -> String {
    format!("{}/games", place.path())
}

fn studio(place: &Place, more: &[&str]) -> Studio {
    let mut command = command(&[&["studio", "--no-open"][..], more].concat());
    command.env("PLEACH_GAMES", games(place));
    Studio::by(command)
}

fn live(studio: &Studio, after: u64) -> Value {
    let (code, body) = studio.ask(&format!(r#"{{"ask":"live","after":{after},"state":0}}"#));
    assert_eq!(code, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// Waits until the news satisfies a condition.
fn until(studio: &Studio, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let it = live(studio, 0);
        if is_so(&it) {
            return it;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{it}");
    }
}

fn frame(it: &Value) -> u64 {
    it["last"].as_u64().unwrap()
}

#[test]
fn the_studio_finds_a_run_and_steers_it() {
    let place = Place::new("live");
    let _game = Game::listen(&place, "guards", &[]);
    let studio = studio(&place, &[]);
    let first = frame(&live(&studio, 0));
    assert!(frame(&until(&studio, |it| frame(it) > first + 10)) > first);
    assert_eq!(studio.ask(r#"{"ask":"steer","do":"pause"}"#), (200, "null".to_owned()));
    let stopped = until(&studio, |it| it["game"]["paused"] == true);
    let set = r#"{"ask":"steer","do":"set","agent":3,"key":"suspect","value":"vec2(1, 2)"}"#;
    assert_eq!(studio.ask(set), (200, "null".to_owned()));
    studio.ask(r#"{"ask":"steer","do":"step","frames":1}"#);
    let next = frame(&until(&studio, |it| frame(it) > frame(&stopped)));
    assert_eq!(next, frame(&stopped) + 1);
    let (_, moment) = studio.ask(&format!(r#"{{"ask":"moment","agent":3,"frame":{next}}}"#));
    assert!(moment.contains("\"(1, 2)\""), "{moment}");
    for (question, why) in [
        (r#"{"ask":"steer","do":"set","agent":3,"key":"healt","value":"1"}"#, "did you mean `health`?"),
        (r#"{"ask":"steer","do":"set","agent":99,"key":"health","value":"1"}"#, "agent 99 is not in the game any more"),
        (r#"{"ask":"steer","do":"send","agent":3,"event":"nois","payload":""}"#, "nois"),
        (r#"{"ask":"steer","do":"break","find":{"node":"Fly"},"nth":1}"#, "Fly"),
        (r#"{"ask":"steer","do":"fly"}"#, "unknown variant `fly`"),
        (r#"{"ask":"steer","do":"speed","times":1e39}"#, "the speed is a number from 0.05 to 8"),
        (r#"{"ask":"steer","do":"break","find":{"node":"fight","from":9},"nth":1}"#, "a breakpoint has no `from`"),
        (r#"{"ask":"steer","do":"break","find":{"node":"fight","tree":"dog"},"nth":1}"#, "no tree is called `dog`"),
    ] {
        let (code, body) = studio.ask(question);
        assert!(code == 400 && body.contains(why), "{question}: {body}");
    }
}

#[test]
fn breakpoints_are_kept_in_a_file() {
    let place = Place::new("breaks");
    let game = Game::listen(&place, "guards", &[]);
    let file = format!("{}/guards.breaks", place.path());
    let breaks = &*file;
    let first = studio(&place, &["--breaks", breaks]);
    let set = r#"{"ask":"steer","do":"break","find":{"node":"investigate","agent":2},"nth":3}"#;
    assert_eq!(first.ask(set).0, 200);
    drop(first);
    let second = studio(&place, &["--breaks", breaks]);
    let view = live(&second, 0)["breaks"][0].clone();
    assert_eq!((&view["text"], &view["nth"]), (&"`investigate` starts, agent 2".into(), &3.into()));
    drop(second);
    // One that fits no tree is kept, too.
    std::fs::write(&file, r#"[{"find": {"node": "Fly"}, "nth": 1}]"#).unwrap();
    let third = studio(&place, &["--breaks", breaks]);
    assert!(live(&third, 0)["breaks"][0]["wrong"].as_str().unwrap().contains("Fly"));
    assert_eq!(third.ask(set).0, 200);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("Fly") && kept.contains("investigate"), "{kept}");
    drop(third);
    std::fs::write(&file, "[{").unwrap();
    let mut wrong = command(&["studio", "--no-open", "--breaks", breaks]);
    let output = wrong.env("PLEACH_GAMES", games(&place)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is not a file of breakpoints"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[{", "it is left as it was");
    drop(game);
}

#[test]
fn breakpoints_are_kept_beside_the_trees() {
    let place = Place::new("breaks_beside");
    let _game = Game::listen(&place, "guards", &[]);
    let text = r#"Tree(version: 1, name: "dog", root: Wait(0.1))"#;
    let tree = place.file("trees/dog.ron", text);
    let directory = format!("{}/trees", place.path());
    let set = r#"{"ask":"steer","do":"break","find":{"node":"investigate"},"nth":3}"#;
    let first = studio(&place, &["--trees", &directory]);
    assert_eq!(first.ask(set).0, 200);
    drop(first);
    assert!(std::path::Path::new(&format!("{directory}/studio.breaks")).exists());
    for trees in [&directory, &tree] {
        let next = studio(&place, &["--trees", trees]);
        assert_eq!(live(&next, 0)["breaks"][0]["nth"], 3);
    }
    // A file that is named comes first.
    let named = format!("{}/other.breaks", place.path());
    let other = studio(&place, &["--trees", &directory, "--breaks", &named]);
    assert_eq!(live(&other, 0)["breaks"], serde_json::json!([]));
}

#[test]
fn games_that_are_not_there_and_several_that_are_are_told() {
    let place = Place::new("games");
    let says = |args: &[&str]| {
        let mut command = command(&[&["studio", "--no-open"][..], args].concat());
        let output = command.env("PLEACH_GAMES", games(&place)).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(says(&[]).contains("no game listens. Start one that has a `Tap`"));
    let _one = Game::listen(&place, "one", &[]);
    let _two = Game::listen(&place, "two", &[]);
    assert!(says(&[]).contains("several games listen: name one of them with --game: `one`, `two`"));
    assert!(says(&["--game", "three"]).contains("no game `three` listens, but `one`, `two`"));
    let studio = studio(&place, &["--game", "two"]);
    assert!(studio.ask(r#"{"ask":"overview"}"#).1.starts_with(r#"{"title":"two","kind":"live""#));
    refused(&["studio", "x.rec", "--game", "two"], 2, "cannot be used with");
}

/// Its clock is stopped in every second frame, and then by a studio that hangs.
#[cfg(unix)]
#[test]
fn a_game_goes_on_when_a_studio_hangs_whose_breakpoint_never_stops_hitting() {
    let place = Place::new("live_hits");
    let text =
        r#"Tree(version: 1, name: "clock", root: Repeat(forever: true, child: Wait(name: "tick", seconds: 0.02)))"#;
    let tree = place.file("clock.ron", text);
    let args = ["run", &*tree, "--agents", "2", "--seconds", "300", "--listen=clocks"];
    let mut run = command(&args);
    let child = run.env("PLEACH_GAMES", games(&place)).stderr(Stdio::piped()).spawn().unwrap();
    let mut game = Game(child);
    BufReader::new(game.0.stderr.take().unwrap()).read_line(&mut String::new()).unwrap();
    let hangs = studio(&place, &[]);
    let set = r#"{"ask":"steer","do":"break","find":{"node":"tick"},"nth":1}"#;
    assert_eq!(hangs.ask(set).0, 200);
    // It stops again after each command.
    let mut hits = 0;
    for _ in 0..3 {
        let stopped = until(&hangs, |it| it["game"]["paused"] == true && it["breaks"][0]["hits"].as_u64() > Some(hits));
        hits = stopped["breaks"][0]["hits"].as_u64().unwrap();
        hangs.ask(r#"{"ask":"steer","do":"go"}"#);
    }
    let stopped = until(&hangs, |it| it["game"]["paused"] == true && it["breaks"][0]["hits"].as_u64() > Some(hits));
    hangs.signal("STOP");
    std::thread::sleep(Duration::from_secs(4));
    let other = studio(&place, &[]);
    let goes_on = until(&other, |it| frame(it) > frame(&stopped) + 20);
    assert_eq!(goes_on["game"]["paused"], false, "{goes_on}");
    hangs.signal("CONT");
}

/// What the studio prints for a game that is not one: `says` are its first bytes.
fn says_of(says: &[u8]) -> String {
    let place = Place::new("not_a_game");
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!("pleach game 1\n{port}\nsecret\nchess\n");
    let file = place.file("games/chess.game", text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = std::path::Path::new(&file).parent().unwrap();
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    let mut command = command(&["studio", "--no-open"]);
    let child = command.env("PLEACH_GAMES", games(&place)).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    std::io::Write::write_all(&mut stream, says).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_game_that_cannot_be_watched_is_told_with_the_reason() {
    let message = |kind: u8, body: &[u8]| {
        let length = u32::try_from(body.len() + 5).unwrap();
        [&length.to_le_bytes()[..], &[kind, 0, 0, 0, 0], body].concat()
    };
    let why = "this game speaks version 9 of the messages, and the studio version 2: build both with one version of \
               pleach";
    let length = u32::try_from(why.len()).unwrap().to_le_bytes();
    for (says, told) in [
        (message(70, &[&length, why.as_bytes()].concat()), format!("the game `chess` listens, but {why}")),
        (message(68, &[]), "the game `chess` listens, but what listens there is not a game".to_owned()),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "the game `chess` listens, but a message has".to_owned()),
        (Vec::new(), "listens, but it has not answered within 3 s: does it call `pump`?".to_owned()),
    ] {
        let said = says_of(&says);
        assert!(said.contains(&told), "{said}");
    }
}

#[test]
fn a_game_that_goes_on_with_another_tree_is_followed() {
    let place = Place::new("live_reload");
    let text = r#"Tree(version: 1, name: "dog", root: Sequence([Wait(0.1), Wait(name: "old", seconds: 0.2)]))"#;
    let tree = place.file("dog.ron", text);
    let args = ["run", &*tree, "--agents", "2", "--seconds", "300", "--listen=dogs", "--reload"];
    let mut run = command(&args);
    let child = run.env("PLEACH_GAMES", games(&place)).stderr(Stdio::piped()).spawn().unwrap();
    let mut game = Game(child);
    let mut said = BufReader::new(game.0.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    let studio = studio(&place, &[]);
    assert_eq!(live(&studio, 0)["trees"], 1);
    std::fs::write(&tree, text.replace("old", "new")).unwrap();
    let view = until(&studio, |it| it["trees"] == 2 && it["reload"] != Value::Null);
    // The terminal prints it too.
    let mut told = String::new();
    while !told.starts_with("  dog:") {
        told.clear();
        assert!(said.read_line(&mut told).unwrap() > 0);
    }
    assert_eq!(view["reload"]["text"], told.trim());
    let (_, overview) = studio.ask(r#"{"ask":"overview"}"#);
    assert!(overview.contains(r#""name":"new""#) && overview.contains(r#""version":2"#), "{overview}");
    assert_eq!(live(&studio, 0)["game"]["gone"], Value::Null);
}

#[test]
fn a_game_that_begins_again_with_another_tree_is_shown_with_it() {
    let place = Place::new("live_again");
    let text = r#"Tree(version: 1, name: "cat", root: Sequence([Wait(0.1), Wait(name: "old", seconds: 0.2)]))"#;
    let tree = place.file("cat.ron", text);
    let args = ["run", &*tree, "--agents", "2", "--seconds", "300", "--listen=cats"];
    let begin = || {
        let mut run = command(&args);
        let child = run.env("PLEACH_GAMES", games(&place)).stderr(Stdio::piped()).spawn().unwrap();
        let mut game = Game(child);
        BufReader::new(game.0.stderr.take().unwrap()).read_line(&mut String::new()).unwrap();
        game
    };
    let game = begin();
    let studio = studio(&place, &[]);
    let set = r#"{"ask":"steer","do":"break","find":{"node":"old"},"nth":9999}"#;
    assert_eq!(studio.ask(set).0, 200);
    drop(game);
    until(&studio, |it| it["game"]["gone"] != Value::Null);
    // Changed seconds matter as much as changed nodes.
    for (new, wait) in [(text.replace("old", "new"), "0.2"), (text.replace("old", "new").replace("0.2", "2"), "2")] {
        std::fs::write(&tree, new).unwrap();
        let begun = live(&studio, 0)["game"]["begun"].as_u64().unwrap();
        let game = begin();
        let view =
            until(&studio, |it| it["game"]["begun"].as_u64().unwrap() > begun && it["game"]["gone"] == Value::Null);
        let (_, overview) = studio.ask(r#"{"ask":"overview"}"#);
        assert!(overview.contains(r#""name":"new""#) && overview.contains(&format!("{wait} s")), "{overview}");
        // The breakpoint waits for a tree that has the node.
        assert!(view["breaks"][0]["wrong"].as_str().unwrap().contains("old"), "{view}");
        drop(game);
        until(&studio, |it| it["game"]["gone"] != Value::Null);
    }
}

#[test]
fn four_studios_watch_a_game_and_a_fifth_is_told_why_it_cannot() {
    let place = Place::new("live_four");
    let _game = Game::listen(&place, "guards", &[]);
    let all: Vec<Studio> = (0..4).map(|_| studio(&place, &[])).collect();
    for it in &all {
        assert_eq!(live(it, 0)["agents"], 10);
    }
    let mut fifth = command(&["studio", "--no-open"]);
    let output = fifth.env("PLEACH_GAMES", games(&place)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the game `guards` listens, but 4 studios are connected with this game"), "{said}");
}

#[test]
fn a_recording_has_no_game() {
    let place = Place::new("no_game");
    let studio = Studio::of(&super::replays::guards(&place, &[]));
    for question in [r#"{"ask":"steer","do":"pause"}"#, r#"{"ask":"live","after":0,"state":0}"#] {
        let (code, body) = studio.ask(question);
        assert!(code == 400 && body.contains("no game is connected: this is a recording of one"), "{body}");
    }
}
