//! `run --set`, `--fill` and `--send`, and `run --format json`.

use crate::{Place, pleach};

const FLOCK: &str = r#"Tree(
    version: 1, name: "sheep",
    blackboard: { "wolf": Bool(false), "tries": Int(0) },
    events: { "howl": (), "crack": Float },
    root: Selector([
        Sequence(name: "flee", abort: LowerPriority, children: [Check("wolf"), Wait(seconds: 9.0)]),
        Sequence(name: "listen", abort: LowerPriority, children: [OnEvent(event: "howl"), Wait(seconds: 9.0)]),
        Idle(name: "graze"),
    ]),
)"#;

/// The share of the agents that do this, by the JSON of a run.
fn share(json: &serde_json::Value, name: &str) -> f64 {
    let behaviours = json["behaviours"].as_array().unwrap();
    behaviours.iter().find(|it| it["name"] == name).map_or(0.0, |it| it["share"].as_f64().unwrap())
}

#[test]
fn a_run_reaches_branches_for_shares_of_the_agents() {
    let place = Place::new("acts");
    let file = place.file("sheep.ron", FLOCK);
    let run = |acts: &[&str]| {
        let args = [&["run", &file, "-n", "10", "-s", "2", "--hz", "10", "--format", "json"][..], acts].concat();
        let (code, out, err) = pleach(&args);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    };
    let json = run(&[]);
    assert_eq!((share(&json, "graze"), share(&json, "flee")), (1.0, 0.0));
    assert_eq!((&json["frames"], &json["agents"], &json["tree"]), (&20.into(), &10.into(), &"sheep".into()));
    assert_eq!(json["bytes_per_agent"]["blackboard"], 9);
    assert_eq!(share(&run(&["--set", "wolf=true"]), "flee"), 1.0);
    assert_eq!(share(&run(&["--set", "wolf = true at 1"]), "flee"), 0.5);
    assert_eq!(share(&run(&["--set", "wolf=true for agent 3"]), "flee"), 0.1);
    let json = run(&["--set", "wolf=true for 30%", "--send", "howl at 1 for 50%"]);
    assert!((share(&json, "flee") - 0.3).abs() < 1e-9, "{json}");
    assert_eq!((&json["events"], share(&json, "listen")), (&5.into(), 0.15));
}

#[test]
fn what_is_wrong_with_them_is_told_at_once_before_anything_runs() {
    let place = Place::new("wrong-acts");
    let file = place.file("sheep.ron", FLOCK);
    let args =
        ["--set", "wulf=true", "--set", "tries=many at 3", "--fill", "hand=bow", "--send", "crak", "--send", "howl=1"];
    let (code, out, err) = pleach(&[&["run", &file][..], &args].concat());
    assert_eq!((code, out.as_str()), (2, ""));
    for told in [
        "--set `wulf=true`: the tree has no key `wulf`: did you mean `wolf`?",
        "--set `tries=many at 3`: `many` is not a whole number",
        "--fill `hand=bow`: ",
        "--send `crak`: ",
        "--send `howl=1`: `howl` has no payload: leave out `1`",
    ] {
        assert!(err.contains(told), "{told}\n{err}");
    }
    assert_eq!(pleach(&["run", &file, "--format", "json", "--watch", "0"]).0, 2);
}

#[test]
fn a_value_that_the_game_writes_over_is_noted() {
    let warden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees/heist/warden.ron");
    let run = |set: &str| {
        let (code, out, err) = pleach(&["run", warden, "-n", "2", "-s", "1", "--set", set]);
        assert_eq!(code, 0, "{out}{err}");
        err
    };
    let note = "note: the game writes `health`, so this value lasts one frame: hold it with `until`\n";
    assert_eq!(run("health=0.2"), note);
    assert_eq!(run("health=0.2 at 0.5"), note);
    assert_eq!(run("health=0.2 until 0.5"), "");
}
