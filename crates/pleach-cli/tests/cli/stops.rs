//! `run --find` and `--where`, `replay --by`, `--against` and `run --record-keys`.

use super::replays::{TREES, guards};
use super::{Place, pleach, refused};

fn run(options: &[&str]) -> (i32, String, String) {
    let tree = format!("{TREES}/guard.ron");
    pleach(&[&["run", &tree, "--agents", "30", "--seed", "4", "--seconds", "8"], options].concat())
}

#[test]
fn a_run_stops_where_a_search_of_its_recording_finds_the_first_place() {
    let place = Place::new("stops");
    let file = guards(&place, &["--record-keys", "all"]);
    let cases: [&[&str]; 5] = [
        &["--find", "Attack"],
        &["--find", "Attack", "--ended", "failure"],
        &["--find", "patrol", "--ended", "aborted", "--by", "fight/Check"],
        &["--find", "Attack", "--where", "health < 0.9"],
        &["--where", "health < 0.95"],
    ];
    for options in cases {
        let (code, out, err) = run(options);
        assert_eq!((code, err.as_str()), (0, ""), "{options:?} {out}");
        let (found, explained) = out.split_once("\n\n").unwrap();
        let (code, searched, _) = pleach(&[&["replay", &file, "--format", "json"], options].concat());
        assert_eq!(code, 0, "{searched}");
        let all: serde_json::Value = serde_json::from_str(&searched).unwrap();
        let first = &all["found"][0];
        let (head, agent) = (found.lines().next().unwrap(), found.lines().nth(1).unwrap());
        assert!(head.contains(&format!(": frame {}, ", first["frame"])), "{options:?} {found} {first}");
        assert!(agent.starts_with(&format!("  agent {}", first["agent"])), "{options:?} {found} {first}");
        assert!(explained.starts_with(&format!("agent {} (guard), ", first["agent"])), "{explained}");
    }
}

#[test]
fn what_never_happens_or_cannot_is_said() {
    let (code, out, err) = run(&["--find", "Dead"]);
    assert_eq!((code, out.as_str(), err.as_str()), (1, "`Dead` started: never\n", ""));
    let tree = format!("{TREES}/guard.ron");
    let with = |options: &[&str], message: &str| refused(&[&["run", &tree][..], options].concat(), 2, message);
    with(&["--find", "flea"], "--find: the tree has no node `flea`: did you mean `flee`?");
    with(&["--find", "flee", "--ended", "success", "--by", "dead"], "--by needs --ended aborted");
    with(&["--find", "flee", "--ended", "aborted", "--by", "deed"], "--by: the tree has no node `deed`");
    with(&["--where", "helth < 0.3"], "--where: in `helth < 0.3`: ");
    with(&["--find", "flee", "--watch", "1"], "cannot be used with");
    with(&["--ended", "success"], "--find <NODE>");
    with(&["--record-keys", "all"], "--record <FILE>");
}

#[test]
fn a_search_tells_who_aborted() {
    let place = Place::new("by");
    let file = guards(&place, &[]);
    let count = |options: &[&str]| {
        let (_, out, err) = pleach(&[&["replay", &file, "--format", "json", "--find", "patrol"], options].concat());
        let all: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|it| panic!("{it}: {out}{err}"));
        all["times"].as_u64().unwrap()
    };
    let all = count(&["--ended", "aborted"]);
    let by = ["flee/Check", "fight/Check", "help/OnEvent", "investigate/OnEvent", "dead/Check"];
    let each: Vec<u64> = by.iter().map(|it| count(&["--ended", "aborted", "--by", it])).collect();
    assert!(each.iter().filter(|it| **it > 0).count() >= 2, "{each:?}");
    assert_eq!(each.iter().sum::<u64>(), all, "{each:?}");
    let file = ["replay", &file, "--find", "patrol", "--ended"];
    refused(&[&file[..], &["success", "--by", "flee/Check"]].concat(), 2, "--by needs --ended aborted");
}

#[test]
fn two_recordings_of_a_play_are_compared() {
    let (one, two, other) = (Place::new("against_1"), Place::new("against_2"), Place::new("against_3"));
    let (file, same) = (guards(&one, &["--record-keys", "read"]), guards(&two, &["--record-keys", "all"]));
    let (code, out, err) = pleach(&["replay", &file, "--against", &same]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let said = "guard.rec, 480 frames\n  differences   none\n  divergences   none\n";
    assert!(out.ends_with(said), "{out}");
    let changed = guards(&other, &["--set", "health=0.1 at 4 for agent 7"]);
    let (code, out, _) = pleach(&["replay", &changed, "--against", &file]);
    assert!(code == 1 && out.contains("agent 7 decided differently at frame 24"), "{out}");
    let (_, out, _) = pleach(&["replay", &changed, "--against", &file, "--format", "json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&all["frames_compared"], &all["decided_differently"][0]["agent"]), (&480.into(), &7.into()));
    let none = one.file("none.rec", "");
    refused(&["replay", &file, "--against", &none], 1, "none.rec`: this is not a recording of pleach");
    refused(&["replay", &file, "--against", &same, "--with", TREES], 2, "cannot be used with");
    // More keys make it larger; a replay reports which keys it knows.
    let size = |file: &str| std::fs::metadata(file).unwrap().len();
    assert!(size(&file) < size(&same));
    let note = |file: &str| pleach(&["replay", file, "--agent", "3", "--to", "5"]).1;
    assert!(note(&file).ends_with("Keys hold what expressions last read.\n"), "{}", note(&file));
    for options in
        [["--agent", "3", "--explain"], ["--agent", "3", "--why=Attack"], ["--find", "Attack", "--where=health < 0.9"]]
    {
        let (_, out, _) = pleach(&[&["replay", &file], &options[..]].concat());
        assert!(out.ends_with("Keys hold what expressions last read.\n"), "{out}");
    }
    assert!(!note(&same).contains("Keys hold"), "{}", note(&same));
}
