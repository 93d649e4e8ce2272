//! `diff`: what changed, how it is shown, and what cannot be compared.

use std::fs;
use std::process::Command;

use crate::{BAD, CLOCK, Place, command, pleach, refused};

const OLD: &str = r#"Tree(
    version: 1,
    blackboard: { "n": Int(1), "gone": Bool(false) },
    root: Selector(name: "top", children: [
        Wait(name: "a", seconds: 1.0),
        Sequence(name: "b", children: [Check("n > 1"), Wait(name: "w", seconds: 2.0)]),
        Wait(name: "c", seconds: 3.0),
    ]),
)"#;

const NEW: &str = r#"// Another comment changes nothing.
Tree(
    version: 1,
    blackboard: { "n": Int(2) },
    events: { "storm": Vec2 },
    root: Selector(name: "top", children: [
        Wait(name: "c", seconds: 3.0),
        Wait(name: "a", seconds: 1.5, jitter: 0.5),
        Sequence(name: "b2", children: [Check("n > 1"), Idle]),
    ]),
)"#;

#[test]
fn files_are_compared_as_a_reload_matches_their_nodes() {
    let place = Place::new("diff");
    let (old, new) = (place.file("old.ron", OLD), place.file("new.ron", NEW));
    let (code, out, err) = pleach(&["diff", &old, &new]);
    let expected = format!(
        "{old} -> {new}
  agent key n: Int 1 -> Int 2
  agent key gone: Bool false -> nothing
  event storm: nothing -> Vec2
  - top/b[1] and 2 nodes below it  {old}:6:9
  > top/c[0] moved, was top/c[2]  {new}:7:9
  ~ top/a[1], was top/a[0]  {new}:8:9
      seconds: 1.0 -> 1.5
      jitter: nothing -> 0.5
  + top/b2[2] and 2 nodes below it  {new}:9:9
  reload: 3 of 6 nodes carried on
    top restarts if top/b[1] or one of 2 more runs: a node that ran has no match in the same place

1 tree differs, 0 equal
"
    );
    // A tree without a name has that of its file.
    let expected = expected.replacen("  agent", "  name: old -> new\n  agent", 1);
    assert_eq!((code, out, err.as_str()), (1, expected, ""));
    let (code, out, _) = pleach(&["diff", &old, &old]);
    assert_eq!((code, out.as_str()), (0, "0 trees differ, 1 equal\n"));
}

#[test]
fn programs_get_json() {
    let place = Place::new("diff-json");
    let (old, new) = (place.file("a/x.ron", OLD), place.file("b/x.ron", NEW));
    place.file("a/same.ron", CLOCK);
    place.file("b/same.ron", CLOCK);
    let dirs = [format!("{}/a", place.path()), format!("{}/b", place.path())];
    let (code, out, _) = pleach(&["diff", "--format", "json", &dirs[0], &dirs[1]]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["equal"], json["trees"].as_array().unwrap().len()), (1, &1.into(), 1));
    let tree = &json["trees"][0];
    assert_eq!((&tree["old"], &tree["new"]), (&old.into(), &new.into()));
    let changes: Vec<_> = tree["nodes"].as_array().unwrap().iter().map(|it| it["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["removed", "moved", "changed", "added"]);
    assert_eq!(tree["nodes"][2]["fields"][0], serde_json::json!({ "what": "seconds", "old": "1.0", "new": "1.5" }));
    assert_eq!((&tree["reload"]["kept"], &tree["reload"]["nodes"]), (&3.into(), &6.into()));
}

#[test]
fn every_field_counts() {
    let place = Place::new("diff-fields");
    let tree = |root: &str| {
        format!(
            "Tree(version: 1, blackboard: {{ \"n\": Int(1), \"b\": Bool(true) }}, events: {{ \"e\": () }}, templates: {{ \
             \"t\": (ports: {{ \"p\": In(Int) }}, root: Check(\"p > 1\")) }}, root: {root})"
        )
    };
    let edits = [
        ("Sequence([Idle])", "Sequence(abort: Self, children: [Idle])", "abort: nothing -> Self"),
        ("Guard(\"b\", Idle)", "Guard(\"not b\", Idle)", "when: \"b\" -> \"not b\""),
        (
            "UtilitySelector(children: [(score: \"1.0\", child: Idle)])",
            "UtilitySelector(children: [(score: \"2.0\", child: Idle)])",
            "score: \"1.0\" -> \"2.0\"",
        ),
        (
            "RandomChoice(children: [(weight: 1.0, child: Idle), (weight: 1.0, child: Fail)])",
            "RandomChoice(children: [(weight: 1.0, child: Idle), (weight: 5.0, child: Fail)])",
            "weight: 1.0 -> 5.0",
        ),
        ("Switch(on: \"n\", cases: { 1: Idle })", "Switch(on: \"n\", cases: { 2: Idle })", "case: 1 -> 2"),
        (
            "Switch(on: \"n\", cases: { 1: Idle, 2: Fail })",
            "Switch(on: \"n\", cases: { 1: Idle }, default: Fail)",
            "case: 2 -> default",
        ),
        (
            "Sequence(services: [(every: 1.0, run: Strange(x: 1))], children: [Idle])",
            "Sequence(services: [(every: 2.0, run: Strange(x: 1))], children: [Idle])",
            "service 1: (every: 1.0, run: Strange(x: 1)) -> (every: 2.0, run: Strange(x: 1))",
        ),
        (
            "Sequence(blackboard: { \"k\": Int(1) }, children: [Set(key: \"k\", to: \"2\")])",
            "Sequence(blackboard: { \"k\": Int(3) }, children: [Set(key: \"k\", to: \"2\")])",
            "blackboard: { \"k\": Int(1) } -> { \"k\": Int(3) }",
        ),
        ("Use(\"t\", { \"p\": 1 })", "Use(\"t\", { \"p\": 2 })", "t: with p: 1 -> 2"),
        (
            "Use(template: \"t\", note: \"x\", with: { \"p\": 1 })",
            "Use(\"t\", { \"p\": 1 })",
            "t: note: \"x\" -> nothing",
        ),
        ("Strange(x: 1, y: (2, \"a\"))", "Strange(x: 1, y: (3, \"a\"))", "y: (2, \"a\") -> (3, \"a\")"),
        ("Idle(note: \"x\")", "Idle", "note: \"x\" -> nothing"),
        (
            "Parallel(success: Any, children: [Idle])",
            "Parallel(success: AtLeast(1), children: [Idle])",
            "success: Any -> AtLeast(1)",
        ),
    ];
    for (old, new, change) in edits {
        let (old, new) = (place.file("a/t.ron", tree(old)), place.file("b/t.ron", tree(new)));
        let (code, out, err) = pleach(&["diff", &old, &new]);
        assert_eq!((code, out.contains(&format!("\n      {change}\n"))), (1, true), "{change}: {out}{err}");
        // A key of a node is also a key of the tree.
        let also = usize::from(change.starts_with("blackboard"));
        assert_eq!(out.matches(" -> ").count(), 2 + also, "nothing else differs: {out}");
    }
}

#[test]
fn files_that_others_include_are_compared_within_them() {
    let place = Place::new("diff-parts");
    for (side, seconds) in [("a", 1.0), ("b", 2.0)] {
        place.file(
            &format!("{side}/whole.ron"),
            "Tree(version: 1, root: Sequence([Subtree(\"part.ron\"), Use(\"t\")]), templates_from: [\"lent.ron\"])",
        );
        place.file(&format!("{side}/part.ron"), format!("Tree(version: 1, root: Wait({seconds:?}))"));
        place.file(&format!("{side}/lent.ron"), "Tree(version: 1, templates: { \"t\": (root: Idle) })");
    }
    place.file("a/only.ron", CLOCK);
    let (code, out, err) = pleach(&["diff", &format!("{}/a", place.path()), &format!("{}/b", place.path())]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("only.ron  removed, 9 nodes\n") && out.contains("b/part.ron:1:24"), "{out}");
    assert!(out.ends_with("2 trees differ, 0 equal\n"), "{out}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let place = Place::new("diff-bad");
    let (good, bad) = (place.file("good.ron", CLOCK), place.file("bad.ron", BAD));
    let (code, out, err) = pleach(&["diff", &good, &bad]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("bad.ron:1:") && err.contains("a tree has errors"), "{err}");
    refused(&["diff", &good], 2, "name two files or two directories");
    refused(&["diff", &good, &place.path()], 2, "is a directory and");
    refused(&["diff", &good, "none.ron"], 2, "there is no file `none.ron`");
    refused(&["diff", "-", "-"], 2, "standard input cannot be both versions");
    fs::create_dir(place.0.join("empty")).unwrap();
    let empty = format!("{}/empty", place.path());
    assert_eq!(pleach(&["diff", &empty, &empty]), (0, "0 trees differ, 0 equal\n".into(), String::new()));
    let text = String::from_utf8(vec![b' '; 50 << 20]).unwrap();
    refused(&["diff", &good, &place.file("huge.ron", text)], 2, "too large for a tree");
}

#[test]
fn a_tree_with_errors_does_not_stop_the_others() {
    let place = Place::new("diff-some-bad");
    for (side, seconds) in [("a", "3.0"), ("b", "4.0")] {
        place.file(&format!("{side}/good.ron"), OLD.replace("3.0", seconds));
        place.file(&format!("{side}/parts/part.ron"), "Tree(version: 1, root: Idle)");
        place.file(
            &format!("{side}/whole.ron"),
            "Tree(version: 1, root: Sequence([Subtree(\"parts/part.ron\"), Idle]))",
        );
        place.file(&format!("{side}/half.ron"), "Tree(version: 1, root: Subtree(\"parts/gone.ron\"))");
    }
    place.file("a/parts/gone.ron", "Tree(version: 1, root: Idle)");
    place.file("b/whole.ron", "Tree(version: 1, root: Sequence([Subtree(\"parts/part.ron\"), Wait]))");
    let dirs = [format!("{}/a", place.path()), format!("{}/b", place.path())];
    let (code, out, err) = pleach(&["diff", &dirs[0], &dirs[1]]);
    assert!(code == 1 && out.contains("      seconds: 3.0 -> 4.0\n"), "{out}{err}");
    assert!(out.contains("b/whole.ron  not compared: it has errors\n"), "{out}");
    assert!(out.contains("b/half.ron  not compared: it has errors\n"), "{out}");
    assert!(out.ends_with("\n1 tree differs, 0 equal, 2 not compared\n") && !out.contains("part.ron"), "{out}");
    assert!(err.contains("b/whole.ron:1:") && err.contains("b/half.ron:1:"), "{err}");
    let (code, out, _) = pleach(&["diff", "--format", "json", &dirs[0], &dirs[1]]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["trees"][1]["change"]), (1, &"not compared".into()), "{out}");
    assert!(json["trees"][1]["errors"][0].as_str().unwrap().contains("half.ron:1:"), "{out}");
}

fn git(place: &Place, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(&place.0).args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
    assert!(command.args(args).output().unwrap().status.success(), "git {args:?}");
}

#[test]
fn revisions_of_git_are_compared() {
    let place = Place::new("diff-git");
    git(&place, &["init", "-q"]);
    place.file("trees/a.ron", OLD);
    place.file("trees/b.ron", CLOCK);
    place.file("trees/a.test.ron", "Tests(version: 1, cases: {})");
    place.file(".gitignore", "target\n");
    git(&place, &["add", "."]);
    git(&place, &["commit", "-q", "-m", "one"]);
    place.file("trees/a.ron", OLD.replace("3.0", "4.0"));
    git(&place, &["commit", "-q", "-a", "-m", "two"]);
    place.file("trees/a.ron", OLD.replace("3.0", "5.0"));
    fs::remove_file(place.0.join("trees/b.ron")).unwrap();
    // What git ignores is not searched.
    place.file(&format!("target/{}x.ron", "deep/".repeat(70)), BAD);
    place.file("target/bad.ron", BAD);
    place.file("new/.hidden/bad.ron", BAD);
    place.file("new/c.ron", CLOCK);
    let run = |args: &[&str]| {
        let output = command(args).current_dir(&place.0).output().unwrap();
        let text = |it| String::from_utf8(it).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, out, err) = run(&["diff", "--git", "HEAD", "trees/a.ron", "--svg"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains(">seconds: 4.0 -&gt; 5.0</text>") && out.contains(">HEAD:trees/a.ron -&gt; trees"), "{out}");
    let (code, out, _) = run(&["diff", "--git", "HEAD", "trees/b.ron", "--svg"]);
    assert!(code == 1 && out.matches(">REMOVED</text>").count() == 9, "{out}");
    let (code, out, err) = run(&["diff", "--git", "HEAD", "--svg"]);
    assert!(code == 2 && out.is_empty() && err.contains("a picture shows one tree"), "{err}");
    let (code, out, err) = run(&["diff", "--git", "HEAD", "trees"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains("      seconds: 4.0 -> 5.0\n") && out.contains("HEAD:trees/b.ron  removed, 9 nodes"), "{out}");
    let (code, out, err) = run(&["diff", "--git", "HEAD~1"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains("      seconds: 3.0 -> 5.0\n") && out.contains("new/c.ron  added, 9 nodes\n"), "{out}");
    assert!(out.ends_with("3 trees differ, 0 equal\n"), "{out}");
    assert!(run(&["diff", "--git", "HEAD~1", "new"]).1.ends_with("1 tree differs, 0 equal\n"));
    let (code, out, _) = run(&["diff", "--git", "HEAD~1..HEAD", "trees/a.ron"]);
    assert!(
        code == 1 && out.contains("      seconds: 3.0 -> 4.0\n") && out.ends_with("1 tree differs, 0 equal\n"),
        "{out}"
    );
    assert_eq!(run(&["diff", "--git", "HEAD", "trees/b.ron"]).0, 1);
    for (args, message) in [
        (&["diff", "--git", "nowhere", "trees"][..], "`git` fails: fatal: Not a valid object name nowhere"),
        (&["diff", "--git=-x", "trees"], "`-x` is not a revision of git"),
        (&["diff", "--git", "a...b", "trees"], "write two dots"),
        (&["diff", "--git", "HEAD", "trees/none.ron"], "there is no tree `trees/none.ron` in either version"),
        (&["diff", "--git", "HEAD", "a", "b"], "name one path"),
        (&["diff", "--git", "HEAD", "-"], "standard input has no revisions"),
    ] {
        let (code, out, err) = run(args);
        assert!((code, out.as_str()) == (2, "") && err.contains(message), "{args:?}: {err}");
    }
    let output = command(&["diff", "--git", "HEAD", "trees"]).current_dir(&place.0).env("PATH", "").output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && err.contains("there is no program `git`"), "{err}");
}

#[test]
fn a_picture_shows_what_changed_in_one_tree() {
    let place = Place::new("diff-picture");
    let (old, new) = (place.file("a/x.ron", OLD), place.file("b/x.ron", NEW));
    let dirs = [format!("{}/a", place.path()), format!("{}/b", place.path())];
    let file = format!("{}/change.svg", place.path());
    let (code, out, err) = pleach(&["diff", &old, &new, "--svg", "-o", &file]);
    assert_eq!((code, out.as_str(), err.as_str()), (1, "", ""));
    let drawn = fs::read_to_string(&file).unwrap();
    assert_eq!(pleach(&["diff", &old, &new, "--svg"]), (1, drawn.clone(), String::new()));
    for (part, count) in [
        ("REMOVED", 3),
        ("ADDED", 3),
        ("MOVED", 1),
        ("was top/c[2]", 1),
        ("CHANGED", 1),
        ("seconds: 1.0 -&gt; 1.5", 1),
        ("agent key gone: Bool false -&gt; nothing", 1),
        ("event storm: nothing -&gt; Vec2", 1),
        ("reload: 3 of 6 nodes carried on", 1),
    ] {
        assert_eq!(drawn.matches(&format!(">{part}</text>")).count(), count, "{part}: {drawn}");
    }
    let (code, equal, _) = pleach(&["diff", &old, &old, "--svg"]);
    assert!(code == 0 && equal.matches("class=\"card\"").count() == 6 && !equal.contains("ED</text>"), "{equal}");
    // Text and JSON can go to files too.
    let text = format!("{}/change.txt", place.path());
    assert_eq!(pleach(&["diff", &old, &new, "-o", &text]), (1, String::new(), String::new()));
    assert_eq!(fs::read_to_string(&text).unwrap(), pleach(&["diff", &old, &new]).1);

    refused(&["diff", &dirs[0], &dirs[1], "--svg"], 2, "a picture shows one tree: name two files, or one file with");
    refused(&["diff", &old, &new, "--svg", "-o", &new], 2, "give it another name, for example `");
    refused(&["diff", &old, &new, "--svg", "--format", "json"], 2, "cannot be used with");
    refused(&["diff", &old, &new, "--svg", "-o", &format!("{}/none/x.svg", place.path())], 1, "cannot write `");
    let bad = place.file("bad.ron", BAD);
    let (code, out, err) = pleach(&["diff", &old, &bad, "--svg"]);
    assert!(code == 2 && out.is_empty() && err.contains("a tree has errors"), "{err}");
}
