//! Trees of several files, and parts of trees.

use super::{Place, pleach, refused};

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
╭ ├─ Sequence  aborts both  (fight: {file} with target: seen, pause: 0.5)
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
    assert!(code == 2 && err.contains("the tree has no node `rset`: did you mean `rest`?"), "{err}");
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
        assert_eq!(out.matches("error[P").count(), 1, "{name}: {out}");
        assert!(out.ends_with("\n2 files, 1 error, 0 warnings\n"), "{name}: {out}");
    }
}

#[cfg(unix)]
#[test]
fn check_and_bake_of_a_directory_refuse_links_that_leave_it_as_the_game_does() {
    let place = Place::new("links-leave");
    place.file("outside/o.ron", "Tree(version: 1, root: Succeed)");
    let main =
        place.file("libdir/main.ron", r#"Tree(version: 1, root: Sequence([Subtree("l.ron"), Subtree("dir/o.ron")]))"#);
    let directory = place.0.join("libdir");
    std::os::unix::fs::symlink("../outside/o.ron", directory.join("l.ron")).unwrap();
    std::os::unix::fs::symlink("../outside", directory.join("dir")).unwrap();
    let outside = "a link or its name leads outside the library";
    for name in ["libdir", "./libdir", "libdir/../libdir", "."] {
        let from = if name == "." { &directory } else { &place.0 };
        let run = super::command(&["check", name]).current_dir(from).output().unwrap();
        let out = String::from_utf8(run.stdout).unwrap();
        assert!(out.contains(&format!("l.ron`: {outside}\n")), "{out}");
        for included in ["l.ron", "dir/o.ron"] {
            assert!(out.contains(&format!("{included}`: {outside}\n --> ")), "{out}");
        }
        assert!(out.ends_with("\n2 files, 3 errors, 0 warnings\n"), "{out}");
    }
    let into = place.path() + "/baked";
    refused(&["bake", &directory.display().to_string(), "--into", &into], 1, outside);
    // A file by itself may be of any library.
    assert_eq!(pleach(&["check", &main]).0, 0);
    assert_eq!(pleach(&["bake", &main, "--into", &into]).0, 0);
    // A link that stays in the directory is fine.
    assert_eq!(pleach(&["check", &place.path()]), (0, "3 files, 0 errors, 0 warnings\n".into(), String::new()));
}

#[test]
fn check_of_a_directory_warns_of_keys_for_a_tree_that_is_not_there() {
    let place = Place::new("keys-of-no-tree");
    let keys = r#"Manifest(version: 1, leaves: [], keys: [(tree: Some("gaurd"), name: "sees", type: Bool)])"#;
    let leaves = place.file("game.leaves", keys);
    let guard = place.file("trees/guard.ron", "Tree(version: 1, root: Idle)");
    let trees = place.path() + "/trees";
    let (code, out, _) = pleach(&["check", "--leaves", &leaves, &trees]);
    let told = "warning[P1017]: keys are declared for the tree `gaurd`, but no file here has that name\n";
    assert!(code == 0 && out.starts_with(told) && out.contains("= help: did you mean `guard`?"), "{out}");
    assert!(out.contains("/trees:1:1\n") && out.ends_with("\n1 file, 0 errors, 1 warning\n"), "{out}");
    // For single files it is unknown which others exist.
    assert_eq!(pleach(&["check", "--leaves", &leaves, &guard]).1, "1 file, 0 errors, 0 warnings\n");
    place.file("trees/bytes.ron", b"\xff");
    let (_, out, _) = pleach(&["check", "--leaves", &leaves, &trees]);
    assert!(!out.contains("gaurd"), "{out}");
}
