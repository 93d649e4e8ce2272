//! `--coverage` of `test` and `run`, and related options.

use std::fs;

use crate::{Place, command, pleach, refused};

const CAT: &str = r#"Tree(
    version: 1,
    name: "cat",
    blackboard: { "hungry": Bool(false) },
    root: Selector([
        Sequence(name: "eat", abort: LowerPriority, children: [Check("hungry"), Subtree("chew.ron")]),
        Idle(name: "sleep"),
    ]),
)"#;

const SLEEPS: &str = r#"Tests(
    version: 1,
    tree: "cat.ron",
    cases: { "it sleeps": (steps: [(at: 0.2, running: "sleep")]) },
)"#;

fn cat(test: &str) -> Place {
    let place = Place::new(test);
    place.file("cat.ron", CAT);
    place.file("chew.ron", "Tree(\n    version: 1,\n    root: Sequence([\n        Wait(1.0),\n    ]),\n)");
    place.file("cat.test.ron", SLEEPS);
    place
}

#[test]
fn nodes_that_never_started_are_shown() {
    let place = cat("coverage_shown");
    let (code, out, err) = pleach(&["test", &place.path(), "--coverage"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "1 passed, 0 failed

cat.ron  4 of 6 nodes started
 started succeeded    failed   aborted
       1         -         -         -    Selector
       1         -         1         -    ├─ Sequence \"eat\"  aborts lower priority
       1         -         1         -    │  ├─ Check  hungry
       -         -         -         -  ╭ │  └─ Sequence  (chew: chew.ron)
       -         -         -         -  ╰ │     └─ Wait  1 s
       1         -         -         -    └─ Idle \"sleep\"

4 of 6 nodes started in 1 tree: 66.6 %
";
    let out = out.replace(&format!("{}/", place.path()), "");
    assert!(out.ends_with(expected), "{out}");
}

#[test]
fn a_limit_holds_in_ci() {
    let place = cat("coverage_limit");
    let (code, out, _) = pleach(&["test", &place.path(), "--fail-under", "66"]);
    assert!(code == 0 && out.ends_with("1 passed, 0 failed\n"), "{out}");
    for limit in [&["--all-nodes"][..], &["--fail-under", "70"]] {
        let (code, out, _) = pleach(&[&["test", &*place.path()], limit].concat());
        assert!(code == 1 && out.contains(" %, less than ") && out.contains("4 of 6 nodes started\n"), "{out}");
    }
    // A tree that no case plays counts, and a part of one that is played does not count again.
    place.file("dog.ron", "Tree(version: 1, root: Sequence([Idle]))");
    let (code, out, _) = pleach(&["test", &place.path(), "--fail-under", "66"]);
    assert!(code == 1 && out.contains("dog.ron  none of 2 nodes started\n"), "{out}");
    assert!(out.ends_with("4 of 8 nodes started in 2 trees: 50.0 %, less than 66 %\n"), "{out}");
    let file = format!("{}/cat.test.ron", place.path());
    // A tree has one path, in all test files that name it.
    place.file(
        "deep/dog.test.ron",
        "Tests(version: 1, tree: \"../dog.ron\", cases: { \"it\": (steps: [(at: 1.0, running: \"Idle\")]) })",
    );
    let (_, out, _) = pleach(&["test", &place.path(), "--coverage"]);
    assert!(out.contains("/dog.ron  all of 2 nodes started\n") && out.contains(" in 2 trees: 75.0 %"), "{out}");
    for limit in ["-1", "101", "many", "NaN"] {
        refused(&["test", &file, "--fail-under", limit], 2, "is not a number from 0 to 100");
    }
}

#[test]
fn coverage_is_written_for_others() {
    let place = cat("coverage_written");
    let path = |name: &str| format!("{}/{name}", place.path());
    let (json, lcov) = (path("c.json"), path("c.info"));
    let (code, ..) = pleach(&["test", &place.path(), "--coverage-json", &json, "--lcov", &lcov]);
    assert_eq!(code, 0);
    let real = fs::canonicalize(place.path()).unwrap();
    let written = fs::read_to_string(&lcov).unwrap().replace(&format!("{}/", real.display()), "");
    let expected = "\
TN:\nSF:cat.ron\nDA:5,1\nDA:6,2\nDA:7,1\nLF:3\nLH:3\nend_of_record
TN:\nSF:chew.ron\nDA:3,0\nDA:4,0\nLF:2\nLH:0\nend_of_record\n";
    assert_eq!(written, expected);
    let written = fs::read_to_string(&json).unwrap();
    assert!(written.contains("\"path\": \"eat/Check\"") && written.contains("\"failed\": 1"), "{written}");
    let (code, out, _) = pleach(&["show", &path("cat.ron"), "--coverage", &json]);
    assert!(code == 0 && out.contains("       1         -         1         -    │  ├─ Check  hungry\n"), "{out}");
    // A node that the tests do not know.
    place.file("cat.ron", CAT.replace("Idle(", "Idle(name: \"yawn\"), Idle("));
    let (_, out, _) = pleach(&["show", &path("cat.ron"), "--coverage", &json]);
    assert!(out.contains("       ?         ?         ?         ?    ├─ Idle \"yawn\"\n"), "{out}");
    refused(&["show", &path("chew.ron"), "--coverage", &json], 2, "chew.ron`: it knows `cat.ron`\n");
    place.file("none.json", "{ \"version\": 1, \"trees\": [] }");
    refused(&["show", &path("cat.ron"), "--coverage", &path("none.json")], 2, "cat.ron`: it knows no tree\n");
    refused(&["show", &path("cat.ron"), "--coverage", &lcov], 1, "c.info` is not a coverage file: ");
    refused(&["show", &path("cat.ron"), "--coverage", &path("gone")], 2, "there is no file `");
    let (code, _, err) = pleach(&["test", &place.path(), "--lcov", &path("gone/c.info")]);
    assert!(code == 1 && err.contains("cannot write `"), "{err}");
}

#[test]
fn the_shipped_trees_are_tested_node_by_node() {
    let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
    let (code, out, err) = pleach(&["test", trees, "--all-nodes"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
}

#[test]
fn pictures_show_how_often_nodes_started() {
    let place = cat("coverage_pictures");
    let [json, file] = ["c.json", "cat.ron"].map(|it| format!("{}/{it}", place.path()));
    assert_eq!(pleach(&["test", &place.path(), "--coverage-json", &json]).0, 0);
    let drawn = |form: &str| {
        let (code, out, err) = pleach(&["show", &file, form, "--coverage", &json]);
        assert_eq!((code, err.as_str()), (0, ""));
        out
    };
    for (form, greyed) in [("--svg", " never\""), ("--dot", "dashed\", fontcolor")] {
        let picture = drawn(form);
        assert_eq!(picture.matches("never started").count(), 2, "{picture}");
        assert_eq!(picture.matches(greyed).count(), 2, "{picture}");
        assert_eq!(picture.matches("started 1, ").count(), 4, "{picture}");
        let (_, plain, _) = pleach(&["show", &file, form]);
        assert!(!plain.contains("started"), "{plain}");
    }
}

#[test]
fn a_file_has_one_name_wherever_it_is_named_from() {
    let place = cat("coverage_names");
    fs::create_dir(place.0.join("other")).unwrap();
    let run = |directory: &str, args: &[&str]| {
        let output = command(args).current_dir(place.0.join(directory)).output().unwrap();
        let text = |it| String::from_utf8(it).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let test = ["test", "./cat.test.ron", "--coverage-json", "other/c.json", "--lcov", "other/c.info"];
    assert_eq!(run("", &test).0, 0);
    for (directory, tree, json) in [
        ("", "cat.ron", "other/c.json"),
        ("", "./other/../cat.ron", "./other/c.json"),
        ("other", "../cat.ron", "c.json"),
        ("..", "coverage_names/cat.ron", "coverage_names/other/c.json"),
    ] {
        let tree = tree.replace("coverage_names", &place.0.file_name().unwrap().to_string_lossy());
        let json = json.replace("coverage_names", &place.0.file_name().unwrap().to_string_lossy());
        let (code, out, err) = run(directory, &["show", &tree, "--coverage", &json]);
        assert_eq!((code, err.as_str()), (0, ""), "{directory} {tree}");
        assert!(out.starts_with(&format!("{tree}  4 of 6 nodes started\n")), "{out}");
    }
    let lcov = fs::read_to_string(place.0.join("other/c.info")).unwrap();
    assert!(lcov.contains("SF:cat.ron\n") && lcov.contains("SF:chew.ron\n"), "{lcov}");
    // The same file, named by two tests in two ways.
    place.file("other/cat.test.ron", SLEEPS.replace("cat.ron", "../cat.ron"));
    let (code, out, _) = run("", &["test", ".", "--coverage", "--lcov", "c.info"]);
    assert!(code == 0 && out.ends_with("4 of 6 nodes started in 1 tree: 66.6 %\n"), "{out}");
    assert_eq!(fs::read_to_string(place.0.join("c.info")).unwrap().matches("SF:").count(), 2);
}

#[test]
fn a_run_counts_what_its_agents_do() {
    let place = cat("coverage_run");
    let path = |name: &str| format!("{}/{name}", place.path());
    let (file, json, lcov) = (path("cat.ron"), path("run.json"), path("run.info"));
    let run = ["run", &*file, "--agents", "20", "--seconds", "2", "--hz", "10"];
    let fed = ["--set", "hungry=true at 1 for 50%"];
    let files = ["--coverage", "--coverage-json", &*json, "--lcov", &*lcov];
    let (code, out, err) = pleach(&[&run[..], &fed, &files].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    // Ten of them are hungry from second 1 on, chew for one second, and begin again.
    let expected = "cat.ron  all of 6 nodes started
 started succeeded    failed   aborted
      20         -         -         -    Selector
      30         -        20         -    ├─ Sequence \"eat\"  aborts lower priority
      30        10        20         -    │  ├─ Check  hungry
      10         -         -         -  ╭ │  └─ Sequence  (chew: chew.ron)
      10         -         -         -  ╰ │     └─ Wait  1 s
      20         -         -        10    └─ Idle \"sleep\"
";
    let out = out.replace(&format!("{}/", place.path()), "");
    assert!(out.ends_with(expected), "{out}");
    assert!(out.contains("nodes are counted: run without coverage for meaningful times\n"), "{out}");
    let (code, shown, _) = pleach(&["show", &file, "--coverage", &json]);
    assert_eq!((code, shown.replace(&format!("{}/", place.path()), "").as_str()), (0, expected));
    let lcov = fs::read_to_string(&lcov).unwrap();
    assert!(lcov.contains("chew.ron\nDA:3,10\nDA:4,10\n"), "{lcov}");
    let (_, plain, _) = pleach(&[&run[..], &fed].concat());
    assert!(!plain.contains("counted") && !plain.contains("nodes started"), "{plain}");

    let (code, out, _) = pleach(&[&run[..], &["--coverage", "--format", "json"]].concat());
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["coverage"][5]["path"], &told["coverage"][5]["started"]), (0, &"sleep".into(), &20.into()));
    assert_eq!((&told["coverage"][3]["line"], &told["coverage"][3]["started"]), (&3.into(), &0.into()));
    let (_, out, _) = pleach(&[&run[..], &["--coverage-json", &json, "--format", "json"]].concat());
    assert!(!out.contains("coverage"), "{out}");
}

#[test]
fn coverage_is_not_written_over_trees_nor_twice_into_one_file() {
    let place = cat("coverage_refused");
    let path = |name: &str| format!("{}/{name}", place.path());
    let (file, json) = (path("cat.ron"), path("c.json"));
    for command in [["run", &*file], ["test", &*path("cat.test.ron")]] {
        let refuse = |more: &[&str], message: &str| refused(&[&command[..], more].concat(), 2, message);
        refuse(&["--coverage-json", &file], "give it another name, for example `");
        refuse(&["--lcov", &path("new.ron")], "is the name of a tree");
        refuse(&["--coverage-json", &json, "--lcov", &json], "cannot be both JSON and LCOV");
    }
    for option in ["--trace", "--watch", "--explain"] {
        refused(&["run", &file, option, "0", "--coverage"], 2, "cannot be used with");
    }
    let (code, out, err) = pleach(&["run", &file, "--seconds", "0.1", "--lcov", &path("gone/c.info")]);
    assert!(code == 1 && out.contains("what they do") && err.contains("cannot write `"), "{out}{err}");
}
