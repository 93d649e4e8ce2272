//! Reports about files that include each other wrongly. The expected reports are in
//! `tests/libraries`.

use std::fs;
use std::path::PathBuf;

use pleach_asset::{Directory, Library, Severity, load_str};
use pleach_core::limits::{MAX_INSTANCE_DEPTH, MAX_NODES};

use super::common::{Game, Place, compare, registry};
use super::library::{files, load, problems, tree};

const IDLE: &str = "Tree(version: 1, root: Idle)";

/// The reports of a load that fails: drawn, and a line for each problem.
fn judge(name: &str, list: &[(&str, &str)]) {
    let report = load(list, "main.ron").expect_err("it is wrong");
    compare(&format!("tests/libraries/{name}.txt"), &format!("{report}\n\n{}\n", report.plain()));
}

#[test]
fn files_that_are_missing_or_named_wrongly() {
    let main = r#"Tree(version: 1, root: Sequence([
    Subtree("figth.ron"),
    Subtree("none_like_it.ron"),
    Subtree("../fight.ron"),
    Subtree("/fight.ron"),
    Subtree("parts\\fight.ron"),
    Subtree(""),
    Subtree(name: "what"),
    Subtree(asset: 3),
    Subtree(aset: "fight.ron"),
    Subtree(asset: "fight.ron", children: [Idle]),
    Subtree("fight.ron", [], 3),
    Guard(Subtree("fight.ron"), Idle),
    Sequence(services: [(every: 1.0, run: Subtree("fight.ron"))], children: [Idle]),
]))"#;
    judge("missing", &[("main.ron", main), ("fight.ron", IDLE)]);
}

#[test]
fn files_that_include_each_other() {
    let list = [
        ("main.ron", r#"Tree(version: 1, root: Sequence([Subtree("main.ron"), Subtree("a.ron"), Subtree("b.ron")]))"#),
        ("a.ron", r#"Tree(version: 1, root: Inverter(Subtree("b.ron")))"#),
        ("b.ron", r#"Tree(version: 1, root: Sequence([Subtree("c.ron"), Idle]))"#),
        ("c.ron", r#"Tree(version: 1, root: Subtree("a.ron"))"#),
    ];
    judge("cycles", &list);
}

const FIGHT: &str = r#"Tree(
    version: 1,
    ports: {
        "target": In(Vec3),
        "speed": In(Float, 3.0),
        "found": Out(Bool),
        "mode": InOut(Symbol(["idle", "alert"])),
    },
    root: Sequence([
        Set("found", "speed > 1"),
        Set("mode", "alert"),
        MoveTo(target: "target"),
    ]),
)"#;

#[test]
fn ports_that_are_given_wrongly() {
    let main = r#"Tree(
    version: 1,
    blackboard: {
        "flat": Vec2(0, 0), "seen": Bool(false), "home": Vec3(0, 0, 0), "count": Int(0),
        "mode": Symbol("idle", ["idle", "alert"]), "mood": Symbol("idle", ["idle", "angry"]),
    },
    root: Sequence([
        Subtree(asset: "fight.ron", name: "nothing"),
        Subtree(asset: "fight.ron", name: "types", with: {
            "target": "flat", "speed": "count", "found": true, "mode": "mood",
        }),
        Subtree(asset: "fight.ron", name: "names", with: {
            "taget": "home", "target": "hme", "found": "seen", "found": "seen", "mode": "mode", 3: "seen",
        }),
        Subtree(asset: "fight.ron", name: "literals", with: {
            "target": (1, 2), "speed": "fast and high", "found": "seen", "mode": alert,
        }),
        Subtree(asset: "fight.ron", name: "no map", with: ["home"]),
        Subtree("idle.ron", { "target": "home" }),
    ]),
)"#;
    judge("ports", &[("main.ron", main), ("fight.ron", FIGHT), ("idle.ron", IDLE)]);
}

#[test]
fn ports_that_are_declared_or_used_wrongly() {
    let main = r#"Tree(
    version: 1,
    blackboard: { "a": Int(0) },
    ports: {
        "a": In(Int), "b": In(Int), "b": In(Int), "c": Inn(Int), "d": In(Itn), "e": In(Symbol), "f": In(Int, 1.5),
        "g": Out(Bool, true), "h": 3, "i": In(Int, 1, 2), "no name": In(Int), "j": In(Symbol(["x", "x-y"]), y), "k": In(Vec2),
    },
    root: Sequence([
        Set("b", "1"), OnEvent(event: "hit", into: "k"), Set("agent.b", "2"), Check("c"), Check("k.x > 1"),
        Subtree("out.ron", { "value": "b" }),
    ]),
    events: { "hit": Vec2 },
)"#;
    let out = r#"Tree(version: 1, ports: { "value": Out(Int) }, root: Set("value", "1"))"#;
    judge("declared", &[("main.ron", main), ("out.ron", out)]);
}

#[test]
fn shared_keys_and_events_that_are_declared_differently() {
    let main = r#"Tree(version: 1, group: { "alarm": Bool(false) }, events: { "noise": Vec2 }, root: Sequence([
    Subtree("part.ron"), Check("day"), Emit("end"),
]))"#;
    let part = r#"Tree(version: 1, group: { "alarm": Bool(true) }, global: { "day": Bool(true) },
    events: { "noise": (), "end": () }, root: Sequence([Check("day"), Check("own"), OnEvent("noisy")]))"#;
    judge("shared", &[("main.ron", main), ("part.ron", part)]);
}

#[test]
fn what_is_not_of_the_file_is_not_seen_by_it() {
    let main = r#"Tree(version: 1, blackboard: { "health": Float(1) }, root: Sequence(
    blackboard: { "left": Int(1) }, children: [
        Subtree("part.ron"), Check("own"), Check("part.own"),
    ]))"#;
    let part = r#"Tree(version: 1, blackboard: { "own": Bool(true) }, root: Sequence([
    Check("health < 1"), Check("left > 0"), MoveTo(target: "home"), Check("agent.own"),
]))"#;
    judge("scopes", &[("main.ron", main), ("part.ron", part)]);
}

#[test]
fn keys_of_instances_are_private_whoever_names_them() {
    let parts = [
        (
            "one.ron",
            r#"Tree(version: 1, blackboard: { "y": Bool(false), "v": Vec2(0, 0) }, ports: { "in": In(Bool, false) }, group: { "g": Bool(false) }, root: Idle)"#,
        ),
        ("two.ron", r#"Tree(version: 1, ports: { "x": InOut(Bool) }, root: Idle)"#),
    ];
    let nodes = [
        r#"Set(key: "one.y", to: "true")"#,
        r#"Set(key: "agent.one.y", to: "true")"#,
        r#"Set(key: "one.in", to: "true")"#,
        r#"Check("agent.one.y")"#,
        r#"Check("g")"#,
        r#"OnEvent(event: "noise", into: "one.v")"#,
        r#"MoveTo(target: "one.v", speed: 1)"#,
        r#"Subtree(asset: "two.ron", with: { "x": "one.y" })"#,
        r#"Subtree(asset: "two.ron", with: { "x": "g" })"#,
        r#"Guard("one.y", Idle)"#,
    ];
    // Alone, and inside another file.
    let outer = r#"Tree(version: 1, root: Subtree("main.ron"))"#;
    for node in nodes {
        let main =
            format!(r#"Tree(version: 1, events: {{ "noise": Vec2 }}, root: Sequence([Subtree("one.ron"), {node}]))"#);
        let all: Vec<(&str, &str)> = [("main.ron", &*main), ("outer.ron", outer)].into_iter().chain(parts).collect();
        for entry in ["main.ron", "outer.ron"] {
            let report = problems(&all, entry);
            assert!(report.starts_with("main.ron:1:") && report.lines().count() == 1, "{node} in {entry}: {report}");
        }
    }
    // A Subtree at the root has no node above it.
    for (entry, with) in [("g", "g"), ("y", "one.y")] {
        let main = format!(
            r#"Tree(version: 1, root: Subtree(asset: "two.ron", with: {{ "x": "{with}" }}), interrupts: [(when: "false", run: Subtree("one.ron"))])"#
        );
        let alone = format!(r#"Tree(version: 1, root: Subtree(asset: "six.ron", with: {{ "x": "{entry}" }}))"#);
        let six = r#"Tree(version: 1, ports: { "x": InOut(Bool) }, group: { "g": Bool(false) }, blackboard: { "y": Bool(false) }, root: Idle)"#;
        for (source, name) in [(&main, "main.ron"), (&alone, "alone.ron")] {
            let all: Vec<(&str, &str)> = [(name, &**source), ("six.ron", six)].into_iter().chain(parts).collect();
            assert!(problems(&all, name).starts_with(name), "{name}, {entry}: {}", problems(&all, name));
        }
    }
}

#[test]
fn a_key_that_is_declared_otherwise_is_told_once() {
    let main = r#"Tree(version: 1, group: { "k": Int(1) }, root: Subtree("part.ron"))"#;
    let part =
        r#"Tree(version: 1, group: { "k": Int(2) }, root: Sequence([Check("k > 1"), Set(key: "k", to: "k + 1")]))"#;
    let report = problems(&[("main.ron", main), ("part.ron", part)], "main.ron");
    assert!(report.lines().count() == 1 && report.contains("`k`"), "{report}");
}

#[test]
fn all_problems_of_all_files_are_reported_once() {
    let main = r#"Tree(version: 1, root: Sequence([
    Subtree(asset: "a.ron", name: "one"), Subtree(asset: "a.ron", name: "two"), Nix, Subtree("broken.ron"),
]))"#;
    let a = r#"Tree(version: 1, root: Sequence([Check("unknown"), Subtree("b.ron"), Patrll]))"#;
    let b = r#"Tree(version: 1, root: Sequence([Wait(seconds: "x"), MoveTo(target: "home"), Guard("y", Idle)]))"#;
    let list = [("main.ron", main), ("a.ron", a), ("b.ron", b), ("broken.ron", "Tree(version: 1, root: Idle")];
    judge("all", &list);
}

#[test]
fn two_instances_of_one_name_with_keys() {
    let main = r#"Tree(version: 1, root: Sequence([Subtree("part.ron"), Subtree("part.ron"), Subtree("idle.ron"), Subtree("idle.ron")]))"#;
    let part = r#"Tree(version: 1, blackboard: { "own": Bool(true) }, root: Check("own"))"#;
    judge("alike", &[("main.ron", main), ("part.ron", part), ("idle.ron", IDLE)]);
}

#[test]
fn a_thousand_files_inside_each_other() {
    let name = |at: usize| format!("f{at}.ron");
    let text = |at: usize| format!("Tree(version: 1, root: Subtree(\"{}\"))", name(at + 1));
    let mut all: Vec<(String, String)> = (0..1_000).map(|at| (name(at), text(at))).collect();
    all.push((name(1_000), IDLE.to_owned()));
    let all: Vec<(&str, &str)> = all.iter().map(|it| (&*it.0, &*it.1)).collect();
    let expected = format!(
        "f64.ron:1:24: error[P0106]: includes are nested too deep: more than {MAX_INSTANCE_DEPTH} inside each other"
    );
    assert!(problems(&all, "f0.ron").starts_with(&expected), "{}", problems(&all, "f0.ron"));
    // The most allowed.
    assert_eq!(tree(&all, &name(1_000 - MAX_INSTANCE_DEPTH)).len(), 1);
}

#[test]
fn a_thousand_files_in_a_circle() {
    let name = |at: usize| format!("f{}.ron", at % 1_000);
    let text = |at: usize| format!("Tree(version: 1, root: Inverter(Subtree(\"{}\")))", name(at + 1));
    let all: Vec<(String, String)> = (0..1_000).map(|at| (name(at), text(at))).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|it| (&*it.0, &*it.1)).collect();
    let report = problems(&all, "f0.ron");
    assert!(
        report.contains("f999.ron:1:41: error[P0602]: these files include each other: f0.ron -> f1.ron -> "),
        "{report}"
    );
    assert!(report.contains(" more) -> "), "{report}");
}

#[test]
fn files_that_double_each_other_stop_at_the_most_nodes() {
    let name = |at: usize| format!("f{at}.ron");
    let text = |at: usize| {
        let next = name(at + 1);
        format!("Tree(version: 1, root: Sequence([Subtree(\"{next}\"), Subtree(\"{next}\")]))")
    };
    let mut all: Vec<(String, String)> = (0..40).map(|at| (name(at), text(at))).collect();
    all.push((name(40), IDLE.to_owned()));
    let all: Vec<(&str, &str)> = all.iter().map(|it| (&*it.0, &*it.1)).collect();
    let report = problems(&all, "f0.ron");
    assert!(report.contains(&format!("more than {MAX_NODES} nodes, counting what it includes")), "{report}");
}

#[test]
fn two_hundred_files_of_which_one_is_broken() {
    let mut all: Vec<(String, String)> = (0..199).map(|at| (format!("f{at:03}.ron"), IDLE.to_owned())).collect();
    let parts: String = all.iter().map(|it| format!("Subtree(\"{}\"),", it.0)).collect();
    all.push(("broken.ron".into(), "Tree(version: 1, root: Idl)".into()));
    all.push(("main.ron".into(), format!("Tree(version: 1, root: Parallel([{parts} Subtree(\"broken.ron\")]))")));
    let all: Vec<(&str, &str)> = all.iter().map(|it| (&*it.0, &*it.1)).collect();
    let report = load(&all, "main.ron").expect_err("one is broken");
    assert_eq!(report.diagnostics().len(), 1);
    let [it] = report.diagnostics() else { panic!("one") };
    assert_eq!((it.file(), it.message()), ("broken.ron", "unknown node `Idl`"));
    assert!(it.included_by().is_some_and(|it| it.starts_with("main.ron:1:")));
    let everything = Library::new(files(&all)).check_all(&registry());
    assert_eq!(everything.diagnostics().len(), 1);
}

#[test]
fn warnings_of_a_file_hold_wherever_it_is_included() {
    // Below a `Selector` its abort type can fire, at the root of a tree it cannot.
    let part = r#"Tree(version: 1, blackboard: { "on": Bool(true), "unused": Int(0) }, ports: { "nothing": In(Int, 1) },
        root: Sequence(abort: LowerPriority, children: [Check("on"), Wait(-1.0)]))"#;
    let main = r#"Tree(version: 1, root: Selector([Subtree("part.ron"), Idle]))"#;
    let alone = r#"Tree(version: 1, root: Subtree("part.ron"))"#;
    let report = |list: &[(&str, &str)]| Library::new(files(list)).check_all(&registry()).plain();
    compare("tests/libraries/warnings.txt", &report(&[("alone.ron", alone), ("part.ron", part)]));
    let both = report(&[("main.ron", main), ("alone.ron", alone), ("part.ron", part)]);
    compare("tests/libraries/warnings_both.txt", &both);
}

/// No forest takes two trees that declare a shared key or event differently.
#[test]
fn trees_that_could_not_be_in_one_forest_are_told() {
    let one = r#"Tree(version: 1, name: "one", blackboard: { "own": Bool(true) },
        group: { "alarm": Bool(true) }, global: { "night": Bool(false), "mood": Symbol("a", ["a", "b"]) },
        events: { "bark": Vec2, "howl": () },
        root: Sequence([Check("own && alarm && night && mood == a"), Emit("howl"), OnEvent("bark")]))"#;
    let other = r#"Tree(version: 1, blackboard: { "own": Int(1) },
        group: { "alarm": Bool(true) }, global: { "night": Bool(true), "mood": Symbol("a", ["b", "a"]) },
        events: { "bark": (), "howl": () },
        root: Sequence([Check("own > 0 && alarm && night && mood == a"), OnEvent("bark"), Emit("howl")]))"#;
    // Neither is one that declares nothing alike, nor what is of one tree.
    let third = r#"Tree(version: 1, root: Sequence([Subtree("other.ron"), Subtree("part.ron")]))"#;
    let part = r#"Tree(version: 1, global: { "night": Bool(true) }, root: Check("night"))"#;
    let all = [("one.ron", one), ("other.ron", other), ("part.ron", part), ("third.ron", third)];
    let report = Library::new(files(&all)).check_all(&registry());
    compare("tests/libraries/forest.txt", &format!("{report}\n{}", report.plain()));
    assert!(report.diagnostics().iter().all(|it| it.severity() == Severity::Warning));
    // Alone each is right.
    assert!(Library::new(files(&all)).check("third.ron", &registry()).is_ok_and(|it| it.1.is_empty()));
}

#[test]
fn a_file_without_a_library_says_what_it_needs() {
    let report = load_str("a.ron", r#"Tree(version: 1, root: Subtree("b.ron"))"#, &registry());
    assert!(report.unwrap_err().plain().contains("included files can only be found in a library"));
}

/// Even if one file is checked alone, files near the missing one are looked up on the disk.
#[test]
fn a_file_that_is_meant_is_found_on_the_disk() {
    let place = Place::new("near");
    place.write("guard/help.ron", IDLE);
    place.write("guard/deep/far.ron", IDLE);
    let told = |from: &str, path: &str| {
        place.write(from, &format!("Tree(version: 1, root: Subtree({path:?}))"));
        let report = place.library().check(from, &registry()).map(|it| it.1).expect_err("it is not there");
        let edits: Vec<String> = report.fixes().iter().flat_map(|it| it.1.edits()).map(|it| it.text().into()).collect();
        (report.diagnostics()[0].help().unwrap_or_default().to_owned(), edits)
    };
    let guard = ("did you mean `guard/help.ron`?".to_owned(), vec!["\"guard/help.ron\"".to_owned()]);
    for path in ["help.ron", "gaurd/help.ron", "Guard/Help.ron"] {
        assert_eq!(told("g1.ron", path), guard, "{path}");
    }
    assert_eq!(told("guard/g2.ron", "hepl.ron").0, "did you mean `help.ron`?");
    assert_eq!(told("g1.ron", "nothing/like/it.ron").0, "");
}

const MAIN: &str = "Tree(version: 1, root: Sequence([Subtree(\"part.ron\"), Idle]))";

#[test]
fn what_becomes_of_a_file_on_the_disk_is_reported_and_mended_by_mending_it() {
    let place = Place::new("disk");
    place.write("main.ron", MAIN);
    place.write("part.ron", IDLE);
    let mut forest = pleach_core::Forest::<Game>::new(1);
    let tree = forest.add_tree(place.library().load("main.ron", &registry()).unwrap()).unwrap();
    let path = place.0.join("part.ron");

    place.write("part.ron", &IDLE[..20]);
    assert!(place.problems().contains("part.ron:1:5: error[P0103]: "), "{}", place.problems());
    fs::write(&path, [b'T', 0xff, 0xfe]).unwrap();
    assert!(place.problems().contains("part.ron:1:2: error[P0101]: the file is not UTF-8"), "{}", place.problems());
    fs::write(&path, "").unwrap();
    assert!(place.problems().contains("part.ron:1:1: error[P0101]: "), "{}", place.problems());

    fs::rename(&path, place.0.join("prt.ron")).unwrap();
    let renamed = "main.ron:1:42: error[P0601]: there is no file `part.ron` to include";
    assert!(place.problems().starts_with(renamed), "{}", place.problems());
    fs::remove_file(place.0.join("prt.ron")).unwrap();
    assert!(place.problems().starts_with(renamed), "{}", place.problems());

    fs::create_dir(&path).unwrap();
    let directory = "main.ron:1:42: error[P0601]: cannot include `part.ron`: it is a directory, not a file";
    assert!(place.problems().starts_with(directory), "{}", place.problems());
    fs::remove_dir(&path).unwrap();

    // The old tree is unchanged, and a mended file loads again.
    assert_eq!(forest.tree(tree).unwrap().len(), 3);
    place.write("part.ron", IDLE);
    let again = place.library().load("main.ron", &registry()).unwrap();
    forest.replace_tree(&mut (), tree, again).unwrap();

    fs::remove_file(place.0.join("main.ron")).unwrap();
    assert!(place.problems().ends_with("it does not exist"), "{}", place.problems());
}

#[cfg(unix)]
#[test]
fn pipes_large_files_and_what_cannot_be_read_are_named_and_the_rest_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("odd");
    place.write("main.ron", MAIN);
    let status = std::process::Command::new("mkfifo").arg(place.0.join("part.ron")).status().expect("mkfifo");
    assert!(status.success());
    let pipe = "main.ron:1:42: error[P0601]: cannot include `part.ron`: it is a pipe, not a file";
    assert!(place.problems().starts_with(pipe), "{}", place.problems());

    place.write("deep/wrong.ron", "Tree(version: 1, root: Nix)");
    place.write("shut/any.ron", IDLE);
    place.write(".hidden/wrong.ron", "no tree");
    // A file whose path is too long cannot be listed, by any user.
    let short: PathBuf = std::iter::repeat_n("d", 20).collect();
    fs::create_dir_all(place.0.join(&short)).unwrap();
    // From the innermost to the outermost, so that no path is too long on the way.
    for at in short.ancestors().filter(|it| it.file_name().is_some()) {
        let at = place.0.join(at);
        fs::rename(&at, at.with_file_name("d".repeat(250))).unwrap();
    }
    place.write("notes.txt", "no tree");
    fs::set_permissions(place.0.join("shut"), fs::Permissions::from_mode(0o000)).unwrap();
    let shut = fs::read_dir(place.0.join("shut")).is_err();
    let everything = place.everything();
    fs::set_permissions(place.0.join("shut"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(everything.contains("deep/wrong.ron:1:24: error[P0201]: unknown node `Nix`"), "{everything}");
    assert!(everything.contains("part.ron:1:1: error[P0601]: cannot read `"), "{everything}");
    assert!(everything.contains(&"d".repeat(250)), "{everything}");
    // A user that may read everything, such as root, reads it.
    assert_eq!(shut, everything.contains("shut:1:1: error[P0601]: cannot read `"), "{everything}");

    fs::remove_file(place.0.join("part.ron")).unwrap();
    let large = fs::File::create(place.0.join("part.ron")).unwrap();
    large.set_len(pleach_asset::MAX_FILE + 1).unwrap();
    assert!(place.problems().contains("it is larger than 32 MiB"), "{}", place.problems());
}

#[test]
fn a_library_is_a_directory() {
    let place = Place::new("none");
    place.write("a.ron", IDLE);
    let error = |path: PathBuf| Library::open(path).unwrap_err().to_string();
    assert!(error(place.0.join("none")).starts_with("there is no directory `"));
    assert!(error(place.0.join("a.ron")).ends_with("is not a directory, as a library must be"));
}

#[test]
fn no_path_has_a_colon_on_any_system() {
    let place = Place::new("colons");
    for path in ["C:part.ron", "C:/part.ron", "part.ron:stream", "parts/C:x.ron", "a:b/part.ron"] {
        place.write("main.ron", &format!("Tree(version: 1, root: Subtree(\"{path}\"))"));
        let expected = match path {
            "C:/part.ron" => "main.ron:1:32: error[P0601]: a path must be relative to this file",
            _ => "main.ron:1:32: error[P0601]: a path has no `:`: on Windows that names a drive",
        };
        assert!(place.problems().starts_with(expected), "{path}: {}", place.problems());
    }
    let wrong = |name: &str| place.library().load::<Game>(name, &registry()).unwrap_err().plain();
    for name in ["C:main.ron", "main.ron:stream"] {
        let said = wrong(name);
        assert!(said.contains("it does not exist") || said.contains("its name has a `:`"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_files_inside_of_the_library_alone() {
    use std::os::unix::fs::symlink;
    let place = Place::new("links");
    place.write("out/part.ron", IDLE);
    place.write("library/own.ron", IDLE);
    place.write("library/deep/own.ron", IDLE);
    place.write("library/a:b.ron", IDLE);
    let root = place.0.join("library");
    symlink("own.ron", root.join("inside.ron")).unwrap();
    symlink("deep", root.join("near")).unwrap();
    symlink("../out/part.ron", root.join("part.ron")).unwrap();
    symlink(place.0.join("out"), root.join("far")).unwrap();
    symlink("part.ron", root.join("twice.ron")).unwrap();
    // The root itself may be a link.
    symlink("library", place.0.join("linked")).unwrap();
    for root in [root, place.0.join("linked")] {
        let load = |path: &str, may_leave: bool| {
            fs::write(root.join("main.ron"), format!("Tree(version: 1, root: Subtree(\"{path}\"))")).unwrap();
            let source = Directory::open(&root).unwrap().links_may_leave(may_leave);
            Library::new(source).load::<Game>("main.ron", &registry()).map_err(|it| it.plain())
        };
        for path in ["own.ron", "inside.ron", "near/own.ron"] {
            assert!(load(path, false).is_ok(), "{path}");
        }
        for path in ["part.ron", "far/part.ron", "twice.ron"] {
            let expected = format!(
                "main.ron:1:32: error[P0601]: cannot include `{path}`: a link or its name leads outside the library"
            );
            assert!(load(path, false).unwrap_err().contains(&expected), "{path}");
            assert!(load(path, true).is_ok(), "{path}");
        }
        // By its name alone, as a game may ask.
        let mut library = Library::open(&root).unwrap();
        for name in ["../out/part.ron", place.0.join("out/part.ron").to_str().unwrap()] {
            let said = library.load::<Game>(name, &registry()).unwrap_err().plain();
            assert!(said.contains("leads outside the library"), "{said}");
        }
        let said = library.load::<Game>("a:b.ron", &registry()).unwrap_err().plain();
        assert!(said.contains("its name has a `:`"), "{said}");
    }
}
