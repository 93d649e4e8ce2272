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

/// Waits until something is so of what is new.
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
    until(&studio, |it| it["trees"] == 2);
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
    // Other seconds are as important as other nodes.
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
