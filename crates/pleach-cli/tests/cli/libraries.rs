//! Trees of several files, and parts of trees.

use super::{Place, pleach};

const MAIN: &str = r#"Tree(version: 1, name: "main", blackboard: { "seen": Bool(false) }, root: Selector([
    Subtree(asset: "parts/fight.ron", with: { "target": "seen", "pause": 0.5 }),
    Wait(name: "rest", seconds: 2.0),
]))"#;
const FIGHT: &str = r#"Tree(version: 1, ports: { "target": In(Bool), "pause": In(Float) },
    root: Sequence(abort: Both, children: [Check("target"), Wait("pause")]))"#;

fn place(name: &str) -> (Place, String) {
    let place = Place::new(name);
    let main = place.file("main.ron", MAIN);
    place.file("parts/fight.ron", FIGHT);
    (place, main)
}

#[test]
fn show_draws_borders_around_what_other_files_say() {
    let (place, main) = place("borders");
    let (code, out, err) = pleach(&["show", &main]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let file = place.path() + "/parts/fight.ron";
    let expected = format!(
        "
  Selector
╭ ├─ Sequence  aborts both  (fight: {file})
│ │  ├─ Check  target
╰ │  └─ Wait  pause s
  └─ Wait \"rest\"  2 s
"
    );
    assert!(out.contains(&expected), "{out}");
}

#[test]
fn show_draws_a_part() {
    let (_place, main) = place("part");
    for node in ["fight", "Selector/fight:Sequence[0]"] {
        let (code, out, err) = pleach(&["show", &main, "--node", node, "--depth", "1"]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.contains("\n─ Sequence  aborts both  … 2 nodes below  (fight: "), "{out}");
    }
    let (_, out, _) = pleach(&["show", &main, "--node", "rest"]);
    assert!(out.contains("\n  Wait \"rest\"  2 s\n") || out.contains("\nWait \"rest\"  2 s\n"), "{out}");
    let (code, _, err) = pleach(&["show", &main, "--node", "rset"]);
    assert!(code == 2 && err.contains("no node of `main` is called `rset`: did you mean `rest`?"), "{err}");
    assert_eq!(pleach(&["show", &main, "--depth", "0"]).0, 2);
}

#[test]
fn a_run_names_the_files_that_nodes_come_from() {
    let (_place, main) = place("explain");
    let (code, out, err) = pleach(&["run", &main, "-n", "1", "--seconds", "0.1", "--explain", "0"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("watches  n2 fight: Check(target): was failure, is failure (seen = false)"), "{out}");
}

#[test]
fn check_reports_a_file_once_however_often_it_is_included() {
    let (place, main) = place("included-once");
    place.file("other.ron", MAIN);
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert_eq!((code, out.as_str()), (0, "3 files, 0 errors, 0 warnings\n"));
    place.file("parts/fight.ron", FIGHT.replace("Check(\"target\")", "Check(\"nix\")"));
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert!(code == 1 && out.ends_with("\n3 files, 1 error, 0 warnings\n"), "{out}");
    assert!(out.contains("= note: included by ") && out.matches("unknown key `nix`").count() == 1, "{out}");
    // It need not be named.
    let (code, out, _) = pleach(&["check", &main]);
    assert!(code == 1 && out.ends_with("\n1 file, 1 error, 0 warnings\n"), "{out}");
    std::fs::remove_file(place.path() + "/parts/fight.ron").unwrap();
    let (code, _, err) = pleach(&["show", &main]);
    assert!(code == 1 && err.contains("to include"), "{err}");
}

#[test]
fn a_problem_is_told_once_however_the_directory_is_named() {
    let place = Place::new("once");
    place.file("main.ron", r#"Tree(version: 1, root: Selector([Subtree(asset: "parts/a.ron"), Idle]))"#);
    place.file("parts/a.ron", r#"Tree(version: 1, root: Check("nothing > 0"))"#);
    for name in [".", "./", "./parts/.."] {
        let run = super::command(&["check", name]).current_dir(place.path()).output().unwrap();
        let out = String::from_utf8(run.stdout).unwrap();
        assert_eq!(out.matches("error: ").count(), 1, "{name}: {out}");
        assert!(out.ends_with("\n2 files, 1 error, 0 warnings\n"), "{name}: {out}");
    }
}
