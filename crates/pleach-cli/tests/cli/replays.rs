//! `run --record` and `replay`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{Place, command, pleach, refused};

/// What keys of a recording are worth, unless it has all of them.
const NOTE: &str = "Keys of the agent hold what they held at most 15 frames before.";

pub(super) const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");

/// Records a run of guards, and returns the path of the recording.
pub(super) fn guards(place: &Place, options: &[&str]) -> String {
    let file = format!("{}/guard.rec", place.path());
    let tree = format!("{TREES}/guard.ron");
    let run = ["run", &tree, "--agents", "30", "--seed", "4", "--seconds", "8", "--record", &file];
    let (code, _, err) = pleach(&[&run[..], options].concat());
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("recorded 480 frames to `") && err.contains("guard.rec` ("), "{err}");
    file
}

/// The trees that come with pleach.
fn shipped() -> Vec<PathBuf> {
    let in_directory = |it: &str| fs::read_dir(Path::new(TREES).join(it)).unwrap().map(|it| it.unwrap().path());
    let all = ["", "cookbook", "luabt"].into_iter().flat_map(in_directory);
    let is_tree = |it: &PathBuf| it.extension().is_some_and(|it| it == "ron") && !it.ends_with(".test.ron");
    let mut trees: Vec<PathBuf> = all.filter(is_tree).collect();
    trees.sort();
    trees
}

#[test]
fn every_shipped_tree_is_replayed_without_the_game() {
    let place = Place::new("replay_shipped");
    let file = format!("{}/it.rec", place.path());
    let mut replayed = 0;
    for tree in shipped() {
        let tree = tree.to_str().unwrap();
        let (code, ..) = pleach(&["run", tree, "--agents", "12", "--seconds", "2", "--record", &file]);
        // Some have leaves that the arena does not know.
        if code != 0 {
            continue;
        }
        let (code, out, err) = pleach(&["replay", &file]);
        assert_eq!((code, err.as_str()), (0, ""), "{tree}: {out}");
        assert!(out.contains("  frames        120, 0.000 s to 2.000 s\n"), "{tree}: {out}");
        assert!(out.ends_with("  divergences   none\n"), "{tree}: {out}");
        replayed += 1;
    }
    assert!(replayed >= 20, "{replayed}");
}

#[test]
fn a_replay_says_what_the_run_said() {
    let place = Place::new("replay_same");
    let file = guards(&place, &[]);
    let tree = format!("{TREES}/guard.ron");
    let run = |more: &[&str]| {
        let run = ["run", &tree, "--agents", "30", "--seed", "4", "--seconds", "8"];
        pleach(&[&run[..], more].concat())
    };
    // Except for rechecks, which a replay does in each frame, so that more ticks are equal.
    let is_other = |it: &&str| it.starts_with("  recheck") || it.starts_with("  … the same");
    let trace = |text: &str| text.lines().filter(|it| !is_other(it)).collect::<Vec<_>>().join("\n");
    for agent in ["0", "17"] {
        let (code, was, _) = run(&["--trace", agent]);
        let (again, out, err) = pleach(&["replay", &file, "--agent", agent, "--trace"]);
        assert_eq!((code, again, err.as_str()), (0, 0, ""));
        assert_eq!(trace(&was), trace(&out));
        let (_, was, _) = run(&["--explain", agent]);
        let (_, out, _) = pleach(&["replay", &file, "--agent", agent, "--explain"]);
        // Keys hold what expressions last read: a change that flips no comparison is not recorded.
        let decided = |text: &str| text.lines().map(|it| it.split(" (").next().unwrap().to_owned()).collect::<Vec<_>>();
        let (out, note) = out.trim_end().rsplit_once('\n').unwrap();
        assert_eq!((decided(&was), note), (decided(out), NOTE));
    }
    // It does not change what is seen of the run either.
    let recorded = format!("{}/again.rec", place.path());
    let (_, was, _) = run(&["--trace", "17"]);
    let (_, out, _) = run(&["--trace", "17", "--record", &recorded]);
    assert_eq!(was, out);
    assert_eq!(fs::read(&file).unwrap(), fs::read(recorded).unwrap());
}

#[test]
fn an_agent_is_shown_at_any_time() {
    let place = Place::new("replay_agent");
    let options = ["--set", "health=0.1 at 5 until 6 for agent 3", "--record-keys", "read"];
    let file = guards(&place, &options);
    let at = |options: &[&str]| {
        let (code, out, err) = pleach(&[&["replay", &file, "--agent", "3"], options].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        out
    };
    let out = at(&["--to", "5.5"]);
    assert!(out.starts_with("guard  agent 3  5.50 s, frame 330, active\n"), "{out}");
    assert!(out.contains("• ├─ Sequence \"flee\"") || out.contains("•   ├─ Sequence \"flee\""), "{out}");
    assert!(out.contains("\nhealth       0.1\n"), "{out}");
    assert!(out.contains("player_pos ") && out.contains("may be out of date: no expression reads it"), "{out}");
    assert_eq!(out, at(&["--frame", "330"]));
    let out = at(&["--to", "4", "--why", "flee", "--explain"]);
    assert!(out.starts_with("agent 3 (guard), 4.000 s, active\n"), "{out}");
    assert!(out.contains("\n\nguard, 4.000 s, active: why not n4 Sequence \"flee\"?\n"), "{out}");
    let out = at(&["--from", "5", "--to", "5.1", "--trace"]);
    assert!(out.contains("tick 301, 5.017 s\n") && out.contains("  start     n4 Sequence \"flee\"\n"), "{out}");
    assert!(!out.contains("tick 299,") && !out.contains("tick 308,"), "{out}");
    let svg = format!("{}/at.svg", place.path());
    assert_eq!(at(&["--to", "5.5", "--svg", &svg]), "");
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"));
}

#[test]
fn programs_read_a_replay_as_json() {
    let place = Place::new("replay_json");
    let file = guards(&place, &["--set", "health=0.1 at 5 until 6 for agent 3"]);
    let options = ["--agent", "3", "--to", "5.5", "--trace", "--from", "5.4", "--why", "fight", "--explain"];
    let (code, out, err) = pleach(&[&["replay", &file, "--format", "json"], &options[..]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&all["frames"], &all["frames_played"], &all["end_s"]), (&480.into(), &330.into(), &5.5.into()));
    assert_eq!((&all["agents"], &all["divergences"]), (&30.into(), &0.into()));
    let agent = &all["agent"];
    assert_eq!((&agent["number"], &agent["tree"]), (&3.into(), &"guard".into()));
    assert_eq!(
        agent["keys"][0],
        serde_json::json!({ "name": "health", "of": "agent", "value": "0.1", "recorded": true })
    );
    for (name, text) in [("explanation", "agent 3 (guard), 5.500 s"), ("why_not", "why not n8 fight:")] {
        assert!(agent[name].as_str().unwrap().contains(text), "{agent}");
    }
    assert_eq!(agent["trace"][0], "guard  agent 3");
    let (_, out, _) = pleach(&["replay", &file, "--format", "json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(all["bytes_per_agent_second"].as_f64().unwrap() > 0.0 && all.get("agent").is_none(), "{all}");
}

#[test]
fn wrong_options_are_told_together() {
    let place = Place::new("replay_options");
    let file = guards(&place, &[]);
    let with = |options: &[&str], message: &str| refused(&[&["replay", &file], options].concat(), 2, message);
    with(&["--agent", "30"], "agent 30 does not exist: the 30 agents up to 8.000 s have the numbers 0 to 29");
    with(&["--agent", "-1"], "-1 is not in the range");
    with(&["--agent", "1", "--why", "fle"], "--why: the tree has no node `fle`: did you mean `flee`?");
    with(&["--agent", "1", "--trace", "--from", "9"], "--from 9: the recording ends at 8.000 s");
    with(
        &["--agent", "31", "--trace", "--from", "9"],
        "--from 9: the recording ends at 8.000 s\n  agent 31 does not exist",
    );
    with(&["--to", "soon"], "`soon` is not a number of seconds, 0 or more");
    with(&["--trace"], "--agent <AGENT>");
    let svg = format!("{TREES}/guard.ron");
    let options = ["--agent", "1", "--trace", "--from", "4", "--to", "3", "--svg", &svg];
    with(&options, "--from 4 is after --to 3\n  `");
    with(&["--agent", "1", "--svg", &file], "is the recording itself: give --svg another file");
}

#[cfg(target_os = "linux")]
#[test]
fn a_recording_that_cannot_be_written_does_not_hide_the_run() {
    let place = Place::new("record_unwritable");
    let tree = format!("{TREES}/guard.ron");
    let run = ["run", &tree, "--agents", "3", "--seconds", "1", "--trace", "1", "--record", "/dev/full"];
    let (code, out, err) = pleach(&run);
    assert!(code == 1 && out.starts_with("guard  agent 1\n"), "{out}");
    assert!(err.contains("error: cannot write `/dev/full`: No space left"), "{err}");
    refused(&["run", &tree, "--record", &tree], 2, "is the tree itself: give it another name");
    refused(&["run", &tree, "--record", "run.ron"], 2, "for example `run.rec`");
    refused(&["run", &tree, "--record", "-"], 2, "`-` is not a file: give the name of one");
    refused(&["run", &tree, "--record", &place.path()], 2, "is a directory: name a file in it");
    let nowhere = format!("{}/nowhere/run.rec", place.path());
    refused(&["run", &tree, "--record", &nowhere], 2, "run.rec` cannot be written: the directory `");
}

#[test]
fn recordings_and_replays_go_through_pipes() {
    let place = Place::new("replay_pipes");
    let file = guards(&place, &[]);
    let mut child =
        command(&["replay", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&fs::read(&file).unwrap()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && String::from_utf8(output.stdout).unwrap().starts_with("<stdin>\n  frames "));
    // A reader that goes away ends it without an error.
    let mut child = command(&["replay", &file, "--agent", "1", "--trace"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn an_edited_tree_is_tried_on_a_recording() {
    let place = Place::new("replay_with");
    let file = guards(&place, &[]);
    let read = |name: &str| fs::read_to_string(format!("{TREES}/{name}")).unwrap();
    let parts = ["fight", "help", "investigate", "patrol_by_day", "patrol_by_night"];
    for part in parts {
        let name = format!("guard/{part}.ron");
        place.file(&name, read(&name));
    }
    let with = |tree: &str| pleach(&["replay", &file, "--with", tree]);
    let same = place.file("guard.ron", read("guard.ron"));
    let (code, out, err) = with(&same);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("  replayed with ") && out.ends_with(&format!("  changed       none\n{NOTE}\n")), "{out}");
    // All guards flee at once.
    place.file("guard.ron", read("guard.ron").replace("health <= 0.3", "health <= 1.0"));
    for path in [&same, &place.path()] {
        let (code, out, err) = with(path);
        assert_eq!((code, err.as_str()), (1, ""), "{out}");
        assert!(out.contains("  changed       30 agents decided differently\n"), "{out}");
        let first = "agent 0 decided differently at frame 1, 0.017 s: n6 flee/Flee instead of n26 patrol";
        assert!(out.contains(first) && out.ends_with("\n20 other agents decided differently\n"), "{out}");
    }
    let (code, out, _) = pleach(&["replay", &file, "--with", &same, "--agent", "3", "--to", "1", "--explain"]);
    assert!(out.contains("does     n0 Selector \"guard\" > n4 Sequence \"flee\""), "{code}: {out}");
    assert!(out.contains("\n\nagent 3 decided differently at frame 1,") && out.contains("\n29 other agents "), "{out}");
    let (_, out, _) = pleach(&["replay", &file, "--with", &same, "--format", "json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(all["decided_differently"][29]["runs"], serde_json::json!(["n6 flee/Flee"]));
    // A copy may have another name.
    let copy = place.file("brave.ron", read("guard.ron").replace("health <= 0.3", "health <= 0.1"));
    assert_eq!(with(&copy).0, 0);
    // Nodes may come and go. A check that always fails changes nothing.
    let guard = read("guard.ron");
    let begin = "children: [\n";
    assert!(guard.contains(begin), "{guard}");
    let with_nodes = |nodes: &str| place.file("guard.ron", guard.replacen(begin, &format!("{begin}{nodes},\n"), 1));
    let (code, out, err) = with(&with_nodes("Sequence([Check(\"health > 2.0\"), Wait(1.0)])"));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with(&format!("  changed       none\n{NOTE}\n")), "{out}");
    // Nothing was recorded for a new leaf.
    let (code, out, err) = with(&with_nodes("Sequence([SeesEnemy, Wait(1.0)])"));
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    let said = "  changed       30 agents decided differently\n  no answers    n2 SeesEnemy, asked by 30 agents\n";
    assert!(out.contains(&format!("{said}{NOTE}\nagent 0 ")), "{out}");
    let (_, out, _) = pleach(&["replay", &file, "--with", &same, "--format", "json"]);
    let all: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(all["new_leaves"][0]["node"], "n2 SeesEnemy", "{out}");
    let gone = guard.replace("(tree: \"help.ron\"", "(tree: \"patrol_by_day.ron\"");
    assert!(with(&place.file("guard.ron", gone)).0 <= 1);
    // A tree of another name matches none of several.
    let other = place.file("other/wolf.ron", "Tree(version: 1, name: \"wolf\", root: Idle)");
    let (code, out, err) = with(&other);
    assert!(code == 1 && out.contains("decided differently") && err.is_empty(), "{out}{err}");
    let broken = place.file("guard.ron", read("guard.ron").replace("health <= 0.3", "helth <= 0.3"));
    let (code, _, err) = with(&broken);
    assert!(code == 1 && err.contains("did you mean `health`?"), "{err}");
}

#[test]
fn a_search_says_how_often_where_first_and_where_last() {
    let place = Place::new("replay_find");
    let file = guards(&place, &[]);
    let find = |options: &[&str]| pleach(&[&["replay", &file][..], options].concat());
    let (code, out, err) = find(&["--find", "Attack"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("`Attack` started: ") && out.contains(" times, ") && out.contains("  … "), "{out}");
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("Why the last one: --agent ") && last.ends_with(" --explain"), "{out}");
    // It is where the search says.
    let options: Vec<&str> = last.split(' ').skip_while(|it| *it != "--agent").collect();
    let (code, out, _) = find(&options);
    assert!(code == 0 && out.contains("Sequence \"fight\""), "{out}");

    let all = |options: &[&str]| {
        let (_, out, err) = find(&[options, &["--format", "json"]].concat());
        assert_eq!(err, "", "{out}");
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    };
    let times = |options: &[&str]| all(options)["times"].as_u64().unwrap();
    let started = times(&["--find", "help"]);
    let ended: u64 = ["success", "failure", "aborted"].map(|it| times(&["--find", "help", "--ended", it])).iter().sum();
    // Some still run.
    assert!(started > 0 && ended <= started && ended + 30 >= started, "{started} {ended}");
    let (early, late) = (times(&["--find", "help", "--to", "4"]), times(&["--find", "help", "--from", "4.01"]));
    assert_eq!(early + late, started);
    let each: u64 = (0..30).map(|it| times(&["--find", "help", "--agent", &it.to_string()])).sum();
    assert_eq!(each, started);
    let (seen, unseen) = (
        times(&["--find", "Attack", "--where", "sees_player"]),
        times(&["--find", "Attack", "--where", "not sees_player"]),
    );
    assert_eq!(seen + unseen, times(&["--find", "Attack"]));
    assert!(times(&["--where", "sees_player"]) > 0 && times(&["--event", "alarm"]) > 0);

    let (code, out, _) = find(&["--find", "dead"]);
    assert_eq!((code, out.as_str()), (1, "`dead` started: never\n"));
    let (code, out, _) = find(&["--where", "health < 0.0"]);
    assert_eq!((code, out), (1, format!("`health < 0.0` became true: never\n{NOTE}\n")));
}

#[test]
fn a_search_for_what_is_not_there_is_refused() {
    let place = Place::new("replay_find_wrong");
    let file = guards(&place, &[]);
    let with = |options: &[&str], message: &str| refused(&[&["replay", &file][..], options].concat(), 2, message);
    with(&["--find", "flea"], "--find: the tree has no node `flea`: did you mean `flee`?");
    with(&["--where", "helth < 0.3"], "--where: in `helth < 0.3`: ");
    with(&["--where", "health"], "--where: in `health`: ");
    with(&["--from", "3"], "--from needs --trace, --into, --report, --btlog, --find, --event or --where");
    with(&["--ended", "aborted"], "--find <NODE>");
    with(
        &["--find", "dead", "--agent", "31", "--from", "9"],
        "--from 9: the recording ends at 8.000 s\n  agent 31 does not",
    );
    with(&["--find", "flee", "--trace", "--agent", "1"], "cannot be used with");
    with(&["--find", "flee", "--event", "alarm"], "cannot be used with");
}

/// Copies the guard's tree and its parts.
fn guard_trees(place: &Place) {
    for name in
        ["guard", "guard/fight", "guard/help", "guard/investigate", "guard/patrol_by_day", "guard/patrol_by_night"]
    {
        let name = format!("{name}.ron");
        place.file(&name, fs::read_to_string(format!("{TREES}/{name}")).unwrap());
    }
}

#[test]
fn a_recording_becomes_a_test() {
    let place = Place::new("replay_into");
    let file = guards(&place, &[]);
    guard_trees(&place);
    let tests = format!("{}/guard.test.ron", place.path());
    let into = |options: &[&str]| pleach(&[&["replay", &file, "--into", &tests][..], options].concat());
    let all: Vec<String> = (0..30).map(|it| it.to_string()).collect();
    for agent in &all {
        let (code, out, err) = into(&["--agent", agent]);
        assert_eq!((code, out.as_str()), (0, ""), "{err}");
        assert!(err.contains(&format!("wrote the case `agent {agent} from 0.017 to 8 s` of 479 ticks to ")), "{err}");
    }
    // A part of it, twice.
    for name in ["agent 17 from 2 to 3.5 s", "agent 17 from 2 to 3.5 s (2)"] {
        let (code, _, err) = into(&["--agent", "17", "--from", "2", "--to", "3.5"]);
        assert!(code == 0 && err.contains(&format!("`{name}` of 90 ticks")), "{err}");
    }
    let (code, out, err) = pleach(&["test", &tests]);
    assert!(code == 0 && out.ends_with("32 passed, 0 failed\n"), "{out}{err}");
    let (code, _, err) = pleach(&["fmt", "--check", &tests]);
    assert_eq!(code, 0, "{err}");
    // Another tree does something else.
    let fight = fs::read_to_string(format!("{TREES}/guard/fight.ron")).unwrap();
    place.file("guard/fight.ron", fight.replace("abort: Both", "abort: LowerPriority"));
    let (code, out, _) = pleach(&["test", &tests]);
    assert!(code == 1 && out.contains("patrol by day` does not run: `fight/Repeat/Sequence/A"), "{out}");
    assert!(!out.contains("\n0 passed") && out.contains(" failed"), "{out}");
}

#[test]
fn shipped_trees_become_tests() {
    let place = Place::new("replay_into_shipped");
    let mut written = 0;
    for tree in shipped() {
        let name = tree.file_name().unwrap().to_str().unwrap();
        let tests = format!("{}/{}.test.ron", place.path(), name.strip_suffix(".ron").unwrap());
        let file = format!("{}/it.rec", place.path());
        let (code, ..) = pleach(&["run", tree.to_str().unwrap(), "--agents", "8", "--seconds", "5", "--record", &file]);
        if code != 0 || name == "guard.ron" {
            continue;
        }
        place.file(name, fs::read_to_string(&tree).unwrap());
        for agent in ["0", "5"] {
            let (code, _, err) = pleach(&["replay", &file, "--agent", agent, "--into", &tests]);
            assert_eq!(code, 0, "{name}: {err}");
            written += 1;
        }
        let (code, out, err) = pleach(&["test", &tests]);
        assert!(code == 0 && out.ends_with("2 passed, 0 failed\n"), "{name}: {out}{err}");
    }
    assert!(written >= 40, "{written}");
}

#[test]
fn a_case_is_added_behind_those_that_are_there() {
    let place = Place::new("replay_into_added");
    let file = guards(&place, &[]);
    guard_trees(&place);
    let tests = place.file(
        "guard.test.ron",
        "// Guards.\nTests(\n    version: 1,\n    tree: \"other.ron\",\n    dt: 0.5,\n    world: true,\n    cases: {\n        // Mine.\n        \"mine\": (steps: \
         [(at: 1.0, running: \"guard\")]) /* a, b */, // the last one\n    },\n)\n",
    );
    let (code, _, err) = pleach(&["replay", &file, "--into", &tests, "--agent", "3", "--to", "1"]);
    assert_eq!(code, 0, "{err}");
    let text = fs::read_to_string(&tests).unwrap();
    for part in ["// Guards.", "// Mine.", "// the last one", "tree: \"other.ron\"", "tree: \"guard.ron\""] {
        assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
    }
    let at = |part: &str| text.find(part).unwrap();
    assert!(at("\"mine\"") < at("// the last one") && at("// the last one") < at("\"agent 3 from"), "{text}");
    // The case uses neither the world nor the ticks of the file.
    assert!(text.contains("dt: 0.016666668"), "{text}");
    let (code, out, _) = pleach(&["test", &tests, "--filter", "agent 3"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_case_from_a_recording_knows_until_when_something_ran() {
    let place = Place::new("replay_into_until");
    let nap = r#"Tree(version: 1, name: "nap", root: Sequence([Wait(0.3), Wait(2.0), Idle]))"#;
    let (tree, file, tests) = (place.file("nap.ron", nap), place.path() + "/it.rec", place.path() + "/nap.test.ron");
    let run = |to: &str| pleach(&["run", &tree, "--agents", "1", "--hz", "10", "--seconds", to, "--record", &file]);
    for (to, last) in [("1.5", "Sequence/Wait[2]"), ("3", "Sequence/Idle")] {
        assert_eq!(run(to).0, 0);
        let (code, _, err) = pleach(&["replay", &file, "--agent", "0", "--into", &tests]);
        assert_eq!(code, 0, "{err}");
        assert!(fs::read_to_string(&tests).unwrap().contains(&format!("running: \"{last}\"")));
    }
    assert!(pleach(&["test", &tests]).1.ends_with("2 passed, 0 failed\n"));
    for seconds in ["0.5", "3.5"] {
        place.file("nap.ron", nap.replace("2.0", seconds));
        let (_, out, _) = pleach(&["test", &tests]);
        let failed = if seconds == "0.5" { "0 passed, 2 failed\n" } else { "1 passed, 1 failed\n" };
        assert!(out.ends_with(failed), "{out}");
    }
}

#[test]
fn a_recording_that_is_cut_off_is_not_taken_for_a_whole_one() {
    let place = Place::new("replay_cut");
    let file = guards(&place, &[]);
    guard_trees(&place);
    let bytes = fs::read(&file).unwrap();
    for length in [bytes.len() - 300, bytes.len() - 301, bytes.len() - 302] {
        fs::write(&file, &bytes[..length]).unwrap();
        let (code, out, err) = pleach(&["replay", &file, "--find", "Attack"]);
        assert!(code == 1 && out.starts_with("`Attack` started: "), "{out}");
        assert!(err.contains("the recording ") && err.contains(" frames"), "{err}");
        // The missing part comes after the end of the search.
        let (code, _, err) = pleach(&["replay", &file, "--find", "fight", "--to", "2"]);
        assert_eq!((code, err.as_str()), (0, ""));
        let tests = format!("{}/guard.test.ron", place.path());
        let (code, _, err) = pleach(&["replay", &file, "--agent", "3", "--into", &tests]);
        assert!(code == 1 && err.contains("the recording ") && !Path::new(&tests).exists(), "{err}");
    }
}

#[test]
fn what_a_case_cannot_say_is_refused() {
    let place = Place::new("replay_into_wrong");
    let file = guards(&place, &[]);
    let path = |name: &str| format!("{}/{name}", place.path());
    let with = |file_name: &str, options: &[&str], message: &str| {
        let into = path(file_name);
        refused(&[&["replay", &file, "--into", &into][..], options].concat(), 2, message);
        assert!(!Path::new(&into).exists());
    };
    with("guard.test.ron", &["--agent", "3"], "write it beside the tree, `");
    guard_trees(&place);
    with("guard.tests", &["--agent", "3"], "a test file ends in `.test.ron`");
    with(".test.ron", &["--agent", "3"], "a test file ends in `.test.ron`");
    with("guard.test.ron", &["--agent", "31"], "agent 31 does not exist");
    with("guard.test.ron", &["--agent", "3", "--from", "9"], "--from 9: the recording ends at 8.000 s");
    with("guard.test.ron", &["--agent", "3", "--from", "8"], "nothing happens between --from and --to");
    with("guard.test.ron", &[], "--agent <AGENT>");
    with("guard.test.ron", &["--agent", "3", "--explain"], "cannot be used with");
    // Existing files stay.
    let broken = place.file("guard.test.ron", "Tests(version: 1,");
    refused(&["replay", &file, "--into", &broken, "--agent", "3"], 1, "guard.test.ron");
    assert_eq!(fs::read_to_string(&broken).unwrap(), "Tests(version: 1,");
    assert_eq!(
        fs::read_dir(place.path())
            .unwrap()
            .filter(|it| { it.as_ref().unwrap().path().extension().is_some_and(|it| it == "save") })
            .count(),
        0
    );
}

/// The tree of a log, and its changes: the microsecond, the node, and the status as a letter.
fn btlog(file: &str) -> (String, Vec<(u64, u16, char)>) {
    let bytes = fs::read(file).unwrap();
    let rest = bytes.strip_prefix(b"BTCPP4-FileLogger2\x01").unwrap();
    let (size, rest) = rest.split_first_chunk().unwrap();
    let (xml, rest) = rest.split_at(i32::from_le_bytes(*size) as usize);
    let (began, rest) = rest.split_first_chunk().unwrap();
    assert_eq!(i64::from_le_bytes(*began), 0);
    assert_eq!(rest.len() % 9, 0);
    let changes = rest.chunks(9).map(|it| {
        let mut micros = [0; 8];
        micros[..6].copy_from_slice(&it[..6]);
        (u64::from_le_bytes(micros), u16::from_le_bytes([it[6], it[7]]), ['I', 'R', 'S', 'F'][usize::from(it[8])])
    });
    (String::from_utf8(xml.to_vec()).unwrap(), changes.collect())
}

#[test]
fn groot2_plays_what_an_agent_did() {
    let place = Place::new("replay_btlog");
    let file = guards(&place, &["--set", "health=0.1 at 5 until 6 for agent 3"]);
    let to = format!("{}/guard.btlog", place.path());
    let write = |options: &[&str]| {
        let (code, out, err) = pleach(&[&["replay", &file, "--agent", "3", "--btlog", &to], options].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        (out, btlog(&to))
    };
    let (out, (xml, all)) = write(&[]);
    assert!(out.starts_with(&format!("wrote {} changes of agent 3 from 0.017 to 8.000 s to `", all.len())), "{out}");
    assert!(xml.contains("<Fallback name=\"guard\" _uid=\"1\">"), "{xml}");
    assert!(xml.contains("<PleachCheck name=\"Check\" _uid=\"3\" parameters=\"health &lt;= 0\"/>"), "{xml}");
    // In its first frame the first branch fails, and is shown as failed.
    let first: Vec<(u16, char)> = all[..5].iter().map(|it| (it.1, it.2)).collect();
    assert_eq!(first, [(1, 'R'), (2, 'R'), (3, 'F'), (3, 'I'), (2, 'F')]);
    // The nodes that run at the end are those of the replay.
    let running = |all: &[(u64, u16, char)]| {
        let now: BTreeMap<u16, char> = all.iter().map(|it| (it.1, it.2)).collect();
        now.into_iter().filter(|it| it.1 == 'R').map(|it| it.0).collect::<Vec<u16>>()
    };
    let (_, (_, until)) = write(&["--to", "5.5"]);
    assert_eq!(until, all[..until.len()]);
    assert_eq!(running(&until), [1, 5, 7]);
    // A log that begins in the middle begins with the nodes running there.
    let (out, (_, later)) = write(&["--from", "5.5"]);
    assert!(out.contains("of agent 3 from 5.500 to 8.000 s to"), "{out}");
    assert_eq!(running(&later), running(&all));
    assert_eq!(later[..3], [(5_500_000, 1, 'R'), (5_500_000, 5, 'R'), (5_500_000, 7, 'R')]);
    let at = |all: &[(u64, u16, char)]| all.iter().filter(|it| it.0 > 5_500_000).copied().collect::<Vec<_>>();
    assert_eq!(at(&later), at(&all));

    let wrong = |options: &[&str], what: &str| refused(&[&["replay", &file], options].concat(), 2, what);
    wrong(&["--btlog", &to], "--agent <AGENT>");
    wrong(&["--agent", "3", "--btlog", "guard.ron"], "`guard.ron` is the name of a tree");
    wrong(&["--agent", "30", "--btlog", &to], "agent 30 does not exist: the 30 agents");
    wrong(&["--agent", "3", "--btlog", &to, "--from", "9"], "--from 9: the recording ends at 8.000 s");
    wrong(&["--agent", "3", "--btlog", &to, "--from", "3", "--to", "2"], "--from 3 is after --to 2");
    // A torn recording gives the part before the tear, with a message.
    let torn = format!("{}/torn.rec", place.path());
    let bytes = fs::read(&file).unwrap();
    fs::write(&torn, &bytes[..bytes.len() - 40]).unwrap();
    fs::remove_file(&to).unwrap();
    let (code, out, err) = pleach(&["replay", &torn, "--agent", "3", "--btlog", &to]);
    assert!(code == 1 && err.contains("torn.rec`: the recording "), "{out}{err}");
    let (_, before) = btlog(&to);
    assert!(!before.is_empty() && before == all[..before.len()]);
}

/// A build server ends a run that takes too long, and a terminal that is closed its own.
#[cfg(unix)]
#[test]
fn a_recording_is_written_when_a_signal_ends_the_run() {
    use std::io::{BufRead, BufReader};

    use rustix::process::{Pid, Signal, kill_process};

    let (place, tree) = (Place::new("replay_signal"), format!("{TREES}/guard.ron"));
    for (signal, ends) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let file = format!("{}/{ends}.rec", place.path());
        let args = ["run", &tree, "--agents", "3", "--seconds", "86400", "--trace", "1", "--record", &file];
        let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.nth(20).is_some_and(|it| it.is_ok()));
        kill_process(Pid::from_child(&child), signal).unwrap();
        lines.for_each(|it| drop(it.unwrap()));
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(ends), "{output:?}");
        let (code, out, err) = pleach(&["replay", &file]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
    }
}
