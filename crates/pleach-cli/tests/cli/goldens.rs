//! Golden files of `pleach test`.

use std::fs;

use crate::tests::DOG;
use crate::{Place, pleach};

pub(crate) const GOLDEN: &str = r#"Tests(
    version: 1,
    tree: "dog.ron",
    leaves: { "roam": Running, "LieDown": Success },
    cases: { "it naps": (steps: [(at: 0.2, set: { "tired": 1 }), (at: 1.0, running: "nap")], golden: "nap.trace") },
)"#;

#[test]
fn a_golden_file_keeps_a_trace_by_names() {
    let place = Place::new("tests_golden");
    place.file("dog.ron", DOG);
    let file = place.file("dog.test.ron", GOLDEN);
    let (code, out, _) = pleach(&["test", &file]);
    assert!(code == 1 && out.contains("nap.trace` yet: write it with `--bless`"), "{out}");
    let (code, out, _) = pleach(&["test", &file, "--bless"]);
    assert!(code == 0 && out.contains("ok      it naps  wrote ") && out.contains("nap.trace\n"), "{out}");
    let trace = fs::read_to_string(place.0.join("nap.trace")).unwrap();
    assert!(trace.starts_with("# pleach trace of: it naps\n0.1 s\n  start Selector\n  start nap\n"), "{trace}");
    assert_eq!(pleach(&["test", &file]).0, 0);
    // A node that is added changes its own lines.
    place.file("dog.ron", DOG.replace("Selector([", "Selector([Check(name: \"rain\", expr: \"tired > 2\"), "));
    let (code, out, _) = pleach(&["test", &file]);
    let changed: Vec<&str> = out.lines().map(str::trim).filter(|it| it.starts_with(['+', '-'])).collect();
    let expected = ["- golden file", "+ now", "+  start rain", "+  update rain -> failure", "+  end rain -> failure"];
    assert_eq!((code, &changed[..5]), (1, &expected[..]), "{out}");
    assert!(changed[5..].iter().all(|it| it.contains("rain")), "{out}");
}

#[test]
fn golden_files_do_not_replace_others() {
    let place = Place::new("tests_golden_others");
    place.file("dog.ron", DOG);
    let test = |golden: &str| GOLDEN.replace("nap.trace", golden);
    place.file("notes.txt", "My notes.\n");
    place.file("folder.trace/x", "");
    for (golden, said) in [
        ("dog.ron", "a golden file cannot have the name of a tree"),
        ("notes.txt", "is not a golden file: its first line is not `# pleach trace of: ..`"),
        ("folder.trace", "cannot read `"),
        ("gone/nap.trace", "cannot write `"),
    ] {
        let file = place.file("dog.test.ron", test(golden));
        let (code, out, _) = pleach(&["test", &file, "--bless"]);
        assert!(code == 1 && out.contains(said), "{golden}\n{out}");
    }
    assert_eq!(fs::read_to_string(place.0.join("notes.txt")).unwrap(), "My notes.\n");
    let one = place.file("one.test.ron", GOLDEN);
    let other = place.file("sub/other.test.ron", test("../sub/../nap.trace").replace("dog.ron", "../dog.ron"));
    let (code, out, _) = pleach(&["test", &one, &other, "--bless"]);
    assert!(code == 1 && out.contains("` is that of another case: `it naps` ("), "{out}");
    assert!(out.contains("1 passed, 1 failed"), "{out}");
}

#[test]
fn golden_files_are_written_beside_their_tests_only() {
    let place = Place::new("tests_golden_outside");
    place.file("sub/dog.ron", DOG);
    place.file("sub/deep/x", "");
    let bless = |golden: &str| {
        let file = place.file("sub/dog.test.ron", GOLDEN.replace("nap.trace", golden));
        pleach(&["test", &file, "--bless"])
    };
    let outside = place.0.join("nap.trace");
    for golden in ["../nap.trace", "../sub/../nap.trace", &outside.to_string_lossy().replace('\\', "/")] {
        let (code, out, _) = bless(golden);
        assert!(code == 1 && out.contains("nap.trace` is not written: `"), "{golden}\n{out}");
        assert!(out.contains("the directory of its test file") && !outside.exists(), "{golden}\n{out}");
    }
    #[cfg(unix)]
    for (link, target) in [("dead.trace", "../nap.trace"), ("live.trace", "../old.trace")] {
        place.file("old.trace", "# pleach trace of: it naps\nold\n");
        std::os::unix::fs::symlink(target, place.0.join("sub").join(link)).unwrap();
        let (code, out, _) = bless(link);
        assert!(code == 1 && out.contains(".trace` is not written: `"), "{link}\n{out}");
        assert!(
            !outside.exists() && fs::read_to_string(place.0.join("old.trace")).unwrap().ends_with("old\n"),
            "{link}"
        );
    }
    for golden in ["deep/nap.trace", "nap.trace", "./deep/../other.trace"] {
        let (code, out, _) = bless(golden);
        assert!(code == 0 && place.0.join("sub").join(golden).exists(), "{golden}\n{out}");
    }
    // It may be compared with one elsewhere.
    fs::rename(place.0.join("sub/nap.trace"), &outside).unwrap();
    place.file("sub/dog.test.ron", GOLDEN.replace("nap.trace", "../nap.trace"));
    assert_eq!(pleach(&["test", &format!("{}/sub/dog.test.ron", place.path())]).0, 0);
}

#[test]
fn a_golden_file_that_cannot_be_written_is_told() {
    let place = Place::new("tests_golden_read_only");
    place.file("dog.ron", DOG);
    let file = place.file("dog.test.ron", GOLDEN);
    let golden = place.0.join("nap.trace");
    let old = "# pleach trace of: it naps\nold\n";
    fs::write(&golden, old).unwrap();
    let mut only = fs::metadata(&golden).unwrap().permissions();
    only.set_readonly(true);
    fs::set_permissions(&golden, only).unwrap();
    let (code, out, _) = pleach(&["test", &file, "--bless"]);
    assert!(code == 1 && out.contains("nap.trace` stays as it is: it is read-only"), "{out}");
    assert_eq!(fs::read_to_string(&golden).unwrap(), old);
}

#[test]
fn a_golden_file_of_another_case_is_not_written() {
    let place = Place::new("tests_golden_of_another");
    place.file("dog.ron", DOG);
    let first = place.file("d1.test.ron", GOLDEN);
    let second = place.file("d2.test.ron", GOLDEN.replace("it naps", "it sleeps").replace("0.2", "0.3"));
    assert_eq!(pleach(&["test", &first, "--bless"]).0, 0);
    let trace = fs::read_to_string(place.0.join("nap.trace")).unwrap();
    for bless in [&["--bless"][..], &[]] {
        let (code, out, _) = pleach(&[&["test", &*second][..], bless].concat());
        let whose = "nap.trace` is the golden file of another case, `it naps`: give this case a file of its own";
        assert!(code == 1 && out.contains(whose), "{out}");
    }
    assert_eq!(fs::read_to_string(place.0.join("nap.trace")).unwrap(), trace);
    assert_eq!(pleach(&["test", &first]).0, 0);
    // Its owner writes it over.
    place.file("d1.test.ron", GOLDEN.replace("0.2", "0.4"));
    let (code, out, _) = pleach(&["test", &first, "--bless"]);
    assert!(code == 0 && out.contains("  wrote "), "{out}");
    assert!(fs::read_dir(&place.0).unwrap().all(|it| !it.unwrap().file_name().to_string_lossy().starts_with('.')));
    #[cfg(unix)]
    for link in ["link.trace", "later.trace"] {
        // One leads to a golden file that is there, the other to one that is not there yet.
        let target = if link == "link.trace" { "nap.trace" } else { "new.trace" };
        std::os::unix::fs::symlink(target, place.0.join(link)).unwrap();
        place.file("d1.test.ron", GOLDEN.replace("nap.trace", target));
        place.file("d2.test.ron", GOLDEN.replace("it naps", "it sleeps").replace("nap.trace", link));
        let (code, out, _) = pleach(&["test", &first, &second, "--bless"]);
        assert!(code == 1 && out.contains(&format!("`{link}` is that of another case: `it naps` (")), "{out}");
    }
}

#[test]
fn a_node_that_is_added_changes_no_lines_of_nodes_with_names() {
    let place = Place::new("tests_golden_names");
    let tree = |added: &str| {
        let named = "Sequence(name: \"named\", children: [Check(\"false\")])";
        let unnamed = "Sequence([Wait(0.1)])";
        place.file("dog.ron", format!("Tree(version: 1, root: Selector([{added}{named}, {unnamed}]))"));
    };
    tree("");
    let file = place.file(
        "dog.test.ron",
        r#"Tests(version: 1, tree: "dog.ron", cases: { "it": (steps: [(at: 0.5)], golden: "it.trace") })"#,
    );
    assert_eq!(pleach(&["test", &file, "--bless"]).0, 0);
    let old = fs::read_to_string(place.0.join("it.trace")).unwrap();
    tree("Sequence([Check(\"false\")]), ");
    assert_eq!(pleach(&["test", &file]).0, 1);
    assert_eq!(pleach(&["test", &file, "--bless"]).0, 0);
    let new = fs::read_to_string(place.0.join("it.trace")).unwrap();
    let of = |text: &str, what: &str| text.lines().filter(|it| it.contains(what)).count();
    assert_eq!(of(&old, "named"), of(&new, "named"));
    // The book says that one without a name gets another.
    assert_eq!((of(&old, "Sequence[2]"), of(&old, "Sequence/Wait")), (0, of(&new, "Sequence[2]/Wait")));
}
