//! Trees of other systems.

use std::fs;

use crate::{Place, pleach, refused};

const ROBOT: &str = r#"<root BTCPP_format="4"><BehaviorTree ID="Robot">
    <Sequence><GoTo place="{dock}"/><ForEach><Scan/></ForEach></Sequence>
</BehaviorTree></root>"#;

#[test]
fn a_directory_is_imported_checked_and_not_written_over() {
    let place = Place::new("import");
    place.file("there/robot.xml", ROBOT);
    place.file(
        "there/deep/model.xml",
        r#"<root BTCPP_format="4"><TreeNodesModel><Condition ID="Dark"/></TreeNodesModel></root>"#,
    );
    place.file("there/notes.txt", "no tree");
    let (there, into) = (format!("{}/there", place.path()), format!("{}/here/deep", place.path()));
    let (code, out, err) = pleach(&["import", &there, "--into", &into]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].ends_with(
            "robot.xml:2:21: question: of which type is the key `dock`? Nothing tells it: it is declared as an Entity"
        ),
        "{out}"
    );
    assert!(lines[1].contains("robot.xml:2:37: lost: ForEach: pleach has no lists"), "{out}");
    assert_eq!(lines[5], format!("4 nodes: 3 exact, 0 rewritten, 0 stubs, 1 lost; 3 files in {into}"), "{out}");
    assert!(fs::read_to_string(format!("{into}/game.leaves")).unwrap().contains("(name: \"Dark\", kind: Condition"));
    assert_eq!(pleach(&["check", "--leaves", &format!("{into}/game.leaves"), &into]).0, 0);
    assert_eq!(pleach(&["fmt", "--check", &into]).0, 0);
    refused(&["import", &there, "--into", &into], 2, "is there already (`--force` writes over it): nothing is written");
    assert_eq!(pleach(&["import", &there, "--into", &into, "--force", "--all"]).1.matches(": exact: ").count(), 3);
    assert_eq!(pleach(&["import", &there, "--into", &into, "--force", "--strict"]).0, 1);
    let left: Vec<_> = fs::read_dir(&into).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// A test that was written by hand for a sample, and the generated one.
#[test]
fn what_is_written_passes_its_tests() {
    let place = Place::new("import-tests");
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../pleach-import/tests/samples/btcpp");
    let into = format!("{}/here", place.path());
    let (code, out, _) = pleach(&["import", &format!("{samples}/guard"), "--into", &into, "--strict"]);
    assert_eq!(code, 0, "{out}");
    place.file("here/guard.test.ron", fs::read_to_string(format!("{samples}/guard.test.ron")).unwrap());
    let (code, out, _) = pleach(&["test", "--leaves", &format!("{into}/game.leaves"), &into]);
    assert!(code == 0 && out.contains("3 passed, 0 failed"), "{out}");
}

/// RON, XML, RON: with templates, slots, parts in folders, events, interrupts, and keys of groups
/// and of nodes.
#[test]
fn all_trees_that_ship_come_back_as_they_left() {
    let place = Place::new("round-trip");
    let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
    let (xml, back) = (format!("{}/xml", place.path()), format!("{}/back", place.path()));
    let (code, out, err) = pleach(&["export", trees, "--to", "btcpp", "--into", &xml]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let (code, out, err) = pleach(&["import", &xml, "--into", &back]);
    assert!(code == 0 && err.is_empty() && out.contains("0 stubs, 0 lost"), "{out}");
    let (code, out, _) = pleach(&["diff", trees, &back]);
    assert!(code == 0 && out.contains("0 trees differ, 48 equal"), "{out}");
}

/// A file says where it was exported from; it is written below the directory alone.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_or_above() {
    let place = Place::new("import-links");
    let xml = |file: &str| {
        let kept = format!(r#"<MetadataFields><Metadata pleach="Tree(version: 1)" file="{file}"/></MetadataFields>"#);
        format!(
            r#"<root BTCPP_format="4"><BehaviorTree ID="A"><AlwaysSuccess/></BehaviorTree>
            <TreeNodesModel><SubTree ID="A">{kept}</SubTree></TreeNodesModel></root>"#
        )
    };
    let into = format!("{}/here", place.path());
    for bad in ["../out.ron", "/tmp/out.ron", "x/../../out.ron", ".hidden.ron", "out.xml", "c:/out.ron", "x//out.ron"] {
        let file = place.file("a.xml", xml(bad));
        let (code, out, _) = pleach(&["import", &file, "--into", &into, "--force"]);
        assert!(code == 0 && out.contains(&format!("wrote: {into}/a.ron")), "{bad}: {out}");
    }
    let file = place.file("a.xml", xml("deep/out.ron"));
    std::os::unix::fs::symlink(place.path(), format!("{into}/deep")).unwrap();
    refused(&["import", &file, "--into", &into, "--force"], 2, "deep` is a link: nothing is written");
    fs::remove_file(format!("{into}/deep")).unwrap();
    let (code, out, _) = pleach(&["import", &file, "--into", &into, "--force"]);
    assert!(code == 0 && out.contains("here/deep/out.ron"), "{out}");
}

#[test]
fn a_profile_of_the_game_comes_first() {
    let place = Place::new("import-profile");
    let robot = place.file("robot.xml", ROBOT);
    let into = format!("{}/here", place.path());
    let profile =
        place.file("game.ron", r#"Profile(version: 1, nodes: { "ForEach": (is: ForceSuccess(child: Child)) })"#);
    let (code, out, _) =
        pleach(&["import", &robot, "--into", &into, "--profile", &profile, "--profile", "nav2", "--strict"]);
    assert_eq!(code, 0, "{out}");
    let wrong = place.file("wrong.ron", r#"Profile(version: 2, nodes: { "A": (children: 1, lots: "") }, name: "")"#);
    let (code, _, err) = pleach(&["import", &robot, "--into", &into, "--profile", &wrong, "--force"]);
    assert_eq!(code, 1);
    for told in
        ["the version of profiles is 1", "an entry has no `lots`", "expected `is: ..`", "a profile has no `name`"]
    {
        assert!(err.contains(told), "{told}: {err}");
    }
}

#[test]
fn what_is_wrong_writes_nothing() {
    let place = Place::new("import-wrong");
    let broken = place.file("broken.xml", "<root>\n<a");
    let other = place.file("other.xml", "<html/>");
    let into = format!("{}/here", place.path());
    for (file, told, why) in [
        (&broken, "broken.xml:2:1: error: ", "no tree is left: nothing is written"),
        (&other, "other.xml:1:1: warning: not a file of trees", "there is no tree in these files: nothing is written"),
    ] {
        let (code, out, err) = pleach(&["import", file, "--into", &into]);
        assert!(code == 1 && out.contains(told) && err.contains(why), "{code} {out} {err}");
    }
    refused(&["import", "-", "--into", &into], 2, "trees are imported with the files that they include: name files");
    refused(&["import", &format!("{into}/gone.xml"), "--into", &into], 2, "there is no file or directory");
    refused(&["import", &other, "--into", &into, "--from", "lisp"], 2, "`lisp` is not a format: it is one of btcpp");
    assert!(!fs::exists(&into).unwrap());
    // The rest is written, and the exit code shows that something is missing.
    let robot = place.file("robot.xml", ROBOT);
    assert_eq!(pleach(&["import", &robot, &broken, "--into", &into]).0, 1);
    assert!(fs::exists(format!("{into}/robot.ron")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_link_does_not_leave_its_directory() {
    let place = Place::new("import-links");
    place.file("secret.xml", ROBOT);
    place.file("there/robot.xml", ROBOT);
    std::os::unix::fs::symlink("../secret.xml", place.0.join("there/link.xml")).unwrap();
    let (there, into) = (format!("{}/there", place.path()), format!("{}/here", place.path()));
    refused(&["import", &there, "--into", &into], 1, "is a link that leaves its directory");
    // Nor is anything written through one.
    fs::remove_file(place.0.join("there/link.xml")).unwrap();
    fs::create_dir_all(&into).unwrap();
    std::os::unix::fs::symlink("../secret.xml", format!("{into}/robot.ron")).unwrap();
    refused(&["import", &there, "--into", &into, "--force"], 2, "is not a file: nothing is written");
    assert_eq!(fs::read_to_string(place.0.join("secret.xml")).unwrap(), ROBOT);
}

#[test]
fn trees_are_exported() {
    let place = Place::new("export");
    let file = place.file("trees/parts/nap.ron", "Tree(version: 1, name: \"nap\", root: Sequence([Wait(2.0), Idle]))");
    place.file("trees/main.ron", "Tree(version: 1, root: Selector([Subtree(\"parts/nap.ron\"), Fail]))");
    let (trees, into) = (format!("{}/trees", place.path()), format!("{}/out", place.path()));
    let (code, out, err) = pleach(&["export", &trees, "--to", "btcpp", "--into", &into]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("parts/nap.ron:1:58: stub: PleachIdle: "), "{out}");
    assert!(out.ends_with(&format!("2 files in {into}\n")), "{out}");
    let main = fs::read_to_string(format!("{into}/main.xml")).unwrap();
    assert!(main.contains("<include path=\"parts/nap.xml\"/>") && main.contains("<SubTree ID=\"nap\"/>"), "{main}");
    let back = format!("{}/back", place.path());
    assert_eq!(pleach(&["import", &into, "--into", &back, "--strict"]).0, 0);
    refused(&["export", &trees, "--to", "btcpp", "--into", &into], 2, "is there already (`--force` writes over it)");
    assert_eq!(pleach(&["export", &file, "--to", "json", "--into", &into]).0, 0);
    assert!(fs::read_to_string(format!("{into}/nap.json")).unwrap().contains("\"seconds\": 2.0"));
    assert_eq!(pleach(&["export", &trees, "--to", "dot", "--into", &into]).0, 0);
    assert!(fs::read_to_string(format!("{into}/parts/nap.dot")).unwrap().starts_with("digraph"));
    let bad = place.file("bad.ron", "Tree(");
    assert_eq!(pleach(&["export", &bad, "--to", "json", "--into", &into]).0, 1);
    refused(&["export", "-", "--to", "json", "--into", &into], 2, "standard input has no name to export it under");
}
