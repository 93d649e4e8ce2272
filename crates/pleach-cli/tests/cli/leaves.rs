//! Leaves of other games: manifests, and drawings without one.

use std::fs;
use std::process::Stdio;

use crate::{Place, command, pleach, refused};

const WALK: &str = r#"Manifest(version: 1, leaves: [
    (name: "Walk", kind: Action, doc: "Walks \u{1b}on.\nAnd on.", parameters: Known([
        (name: "to", type: Key(Vec2), presence: Required, access: Some(Read), doc: "Where to."),
        (name: "speed", type: FloatExpr, presence: Default("2.0"), access: Some(Read)),
        (name: "call", type: Event, presence: Optional, access: Some(Write)),
    ])),
    (name: "Tired", kind: Condition),
])"#;

fn tree(root: &str) -> String {
    format!("Tree(version: 1, name: \"walk\", blackboard: {{ \"home\": Vec2(0, 0) }}, root: {root})")
}

#[test]
fn trees_are_checked_without_their_game() {
    let place = Place::new("leaves");
    let leaves = place.file("game.leaves", WALK);
    let good = place.file("trees/good.ron", tree("Sequence([Tired, Walk(to: \"home\")])"));
    let (code, out, err) = pleach(&["check", "--leaves", &leaves, &place.path()]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "1 file, 0 errors, 0 warnings\n", ""));
    // The program's own do not count.
    let (code, out, _) = pleach(&["check", &good]);
    assert!(
        code == 1 && out.contains("unknown node `Walk`") && out.ends_with("1 file, 2 errors, 0 warnings\n"),
        "{out}"
    );
    place.file(
        "trees/bad.ron",
        tree("Selector([Walk(too: \"home\"), Walk(to: \"home\", speed: true), Patrol(speed: 1)])"),
    );
    let (code, out, _) = pleach(&["check", &place.path(), "--leaves", &leaves]);
    assert_eq!(code, 1);
    for part in [
        "`Walk` has no parameter `too`",
        "did you mean `to`?",
        "`speed` of `Walk`: expected a number, or an expression that gives one, found `true`",
        "unknown node `Patrol`",
        "\n2 files, 3 errors, 0 warnings\n",
    ] {
        assert!(out.contains(part), "no {part} in {out}");
    }
    // The manifest may be among the trees, with a name like theirs.
    let leaves = place.file("trees/leaves.ron", WALK);
    let (_, out, _) = pleach(&["check", "--leaves", &leaves, &place.path()]);
    assert!(out.ends_with("\n2 files, 3 errors, 0 warnings\n"), "{out}");
    let (_, out, _) = pleach(&["check", &leaves]);
    assert!(out.contains("this is a manifest, which lists leaves, not a tree"), "{out}");
}

#[test]
fn a_bad_manifest_is_reported() {
    let place = Place::new("leaves-bad");
    let tree = place.file("a.ron", tree("Idle"));
    for (name, text, told) in [
        ("empty", "", "error[P0701]: the file is empty"),
        ("tree", "Tree(version: 1, root: Idle)", "this is not a manifest: expected `Manifest(..)`, found `Tree(..)`"),
        ("syntax", "Manifest(version: 1, leaves: [(name: \"A\"]", "syntax:1:41"),
        ("version", "Manifest(version: 9, leaves: [])", "unknown manifest version 9: this pleach reads version 1"),
        ("twice", "Manifest(version: 1, leaves: [(name: \"A\"), (name: \"A\")])", "the leaf `A` is declared twice"),
        ("kind", "Manifest(version: 1,\n  leaves: [(name: \"A\", kind: Deed)])", "kind:2:30"),
    ] {
        let file = place.file(name, text);
        for args in [
            &["check", "--leaves", &file, &tree][..],
            &["show", "--leaves", &file, &tree],
            &["nodes", "--leaves", &file],
        ] {
            refused(args, 1, told);
        }
    }
    refused(&["check", "--leaves", &place.path(), &tree], 2, "is a directory: name a file");
    refused(&["show", "--leaves", "nowhere.leaves", &tree], 2, "there is no file `nowhere.leaves`");
    refused(&["check", "--leaves", "-", "-"], 2, "standard input cannot be both a tree and the manifest of its leaves");
    let bytes = place.file("bytes", b"\xff");
    refused(&["nodes", "--leaves", &bytes], 1, "is not UTF-8 text");
}

#[test]
fn unknown_leaves_are_drawn_as_they_are_written() {
    let place = Place::new("leaves-show");
    let root =
        r#"Selector([Sequence(abort: Self, children: [Guard(when: Near(far: 2), child: Hop(1, "x")), Wander]), Idle])"#;
    let file = place.file("a.ron", tree(root));
    let (code, out, err) = pleach(&["show", &file]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(err, "note: `Hop`, `Wander` not known here: drawn as written\n");
    let drawing = "walk  6 nodes

Selector
├─ Sequence  aborts self
│  ├─ Guard  Near(far: 2)
│  │  └─ Hop  1, \"x\"
│  └─ Wander
└─ Idle
";
    assert!(out.starts_with(drawing), "{out}");
    assert!(!out.contains("events"), "{out}");
    let own = tree("Wander").replacen("Tree(", "Tree(events: { \"noise\": Vec2, \"fire\": () },", 1);
    let (_, out, _) = pleach(&["show", &place.file("own.ron", own)]);
    assert!(out.ends_with("\nevents\n  noise  Vec2\n  fire   ()\n"), "{out}");
    let (code, svg, _) = pleach(&["show", &file, "--svg"]);
    assert!(code == 0 && svg.starts_with("<svg ") && svg.contains("Wander"));
    // With a manifest they are errors.
    let leaves = place.file("game.leaves", WALK);
    refused(&["show", &file, "--leaves", &leaves], 1, "unknown node `Wander`");
    let good = place.file("b.ron", tree("Walk(to: \"home\", speed: 2.5)"));
    let (code, out, err) = pleach(&["show", &good, "--leaves", &leaves]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("walk  1 node\n\nWalk  to: \"home\", speed: 2.5\n"), "{out}");
    // Problems of known leaves are still errors.
    let bad = place.file("c.ron", tree("Sequence([Wander, Patrol(sped: 1)])"));
    refused(&["show", &bad], 1, "`Patrol` has no parameter `sped`");
    refused(&["run", &file, "--agents", "1"], 1, "unknown node `Wander`");
}

#[test]
fn the_program_describes_its_own_leaves() {
    let place = Place::new("leaves-own");
    let (code, manifest, err) = pleach(&["nodes", "--manifest"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(manifest.starts_with("Manifest(\n    version: 1,\n"), "{manifest}");
    let leaves = place.file("arena.leaves", &manifest);
    let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
    let (code, out, _) = pleach(&["check", "--deny-warnings", "--leaves", &leaves, trees]);
    assert_eq!(code, 0, "{out}");
    assert_eq!(pleach(&["nodes", "--leaves", &leaves, "--manifest"]), (0, manifest, String::new()));
    let (code, schema, _) = pleach(&["nodes", "--schema"]);
    assert!(code == 0 && schema.contains("\"$schema\": \"https://json-schema.org/draft/2020-12/schema\""), "{schema}");
    assert!(schema.contains("\"leaf.MoveTo\": {"), "{schema}");
    assert_eq!(pleach(&["nodes", "--leaves", &leaves, "--schema"]).1, schema);
    refused(&["nodes", "--manifest", "--schema"], 2, "cannot be used with");
    refused(&["nodes", "--manifest", "Wait"], 2, "cannot be used with");
}

#[test]
fn leaves_of_a_manifest_are_listed() {
    let place = Place::new("leaves-nodes");
    let leaves = place.file("game.leaves", WALK);
    let (_, out, _) = pleach(&["nodes", "--leaves", &leaves]);
    assert!(out.contains("\nleaves of the manifest\n  Walk   Walks \\u{1b}on.\n  Tired\n"), "{out}");
    let (_, out, _) = pleach(&["nodes", "--leaves", &leaves, "Walk"]);
    let expected = "\
Walk  action of the manifest
Walks \\u{1b}on.
And on.

parameters
  to: the name of a key of type Vec2, which it reads (required)
      Where to.
  speed: a number, or an expression that gives one (default 2.0)
  call: the name of an event, which it sends (optional)
";
    assert_eq!(out, expected);
    let (_, out, _) = pleach(&["nodes", "--leaves", &leaves, "Tired"]);
    assert_eq!(out, "Tired  condition of the manifest\n\nits parameters are not known\n");
    refused(&["nodes", "--leaves", &leaves, "Patrol"], 2, "there is no node, leaf, field or function `Patrol`");
}

#[test]
fn a_manifest_can_come_from_standard_input() {
    let place = Place::new("leaves-stdin");
    let leaves = place.file("game.leaves", WALK);
    let tree = place.file("a.ron", tree("Walk(to: \"home\")"));
    let input = Stdio::from(fs::File::open(leaves).unwrap());
    let output = command(&["check", "--leaves", "-", &tree]).stdin(input).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1 file, 0 errors, 0 warnings\n");
}

#[test]
fn the_help_says_what_a_manifest_cannot_know_and_whose_leaves_are_checked() {
    // Line breaks depend on the terminal's width.
    let help = |args: &[&str]| pleach(args).1.split_whitespace().collect::<Vec<_>>().join(" ");
    let out = help(&["check", "--help"]);
    assert!(
        out.contains("against the leaves of the arena")
            && out.contains("It does not know which values of the right type a leaf refuses"),
        "{out}"
    );
    let out = help(&["--help"]);
    assert!(out.contains("Its leaves are those of the arena") && out.contains("`pleach-cli`"), "{out}");
    let out = help(&["nodes", "--help"]);
    assert!(out.contains("--manifest > game.leaves") && out.contains("--schema"), "{out}");
}

#[test]
fn check_says_once_what_to_do_about_the_leaves_of_another_game() {
    let place = Place::new("leaves-unknown");
    place.file("a.ron", tree("Sequence([Tired, Walk(to: \"home\"), Walk(to: \"home\")])"));
    place.file("b.ron", tree("Sequence([Tired, Patroll])"));
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""));
    // Each is an error at its place; one that is like a leaf of this game is a misspelling.
    assert_eq!(out.matches("error[P0201]: unknown node `").count(), 5, "{out}");
    let help = "help: unknown leaves: `Tired` (2 times), `Walk` (2 times). To work with another game's trees, name its manifest \
                with `--leaves game.leaves`. The game's own \
                program writes that file: `nodes --manifest > game.leaves`. So does the game itself, with \
                `Manifest::of(&registry).to_ron()`\n\n2 files, 5 errors, 0 warnings\n";
    assert!(out.ends_with(help), "{out}");
    assert_eq!(out.matches("--leaves").count(), 1, "{out}");
    // A manifest that lacks them is old.
    let leaves = place.file("game.leaves", "Manifest(version: 1, leaves: [(name: \"Walk\"), (name: \"Patroll\")])");
    let (code, out, _) = pleach(&["check", &place.path(), "--leaves", &leaves]);
    let help = "/game.leaves`: `Tired` (2 times). If the game has them now, write the file again with the game's own program: `nodes \
                --manifest`\n\n2 files, 2 errors, 0 warnings\n";
    assert!(code == 1 && out.ends_with(help) && out.contains("help: leaf not in `"), "{out}");
    // Misspelt leaves alone do not cause it.
    let misspelt = place.file("c/c.ron", tree("Patroll"));
    let (_, out, _) = pleach(&["check", &misspelt]);
    assert!(out.contains("did you mean `Patrol`?") && !out.contains("--leaves"), "{out}");
}

#[test]
fn every_command_that_meets_unknown_leaves_says_once_what_to_do() {
    let place = Place::new("leaves-unknown-elsewhere");
    let file = place.file("a.ron", tree("Sequence([Tired, Tired, Walk(to: \"home\")])"));
    let into = place.path();
    for args in [&["run", &file][..], &["bench", &file], &["bake", &file, "--into", &into]] {
        let (code, out, err) = pleach(args);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains("\nhelp: unknown leaves: `Tired` (2 times), `Walk`. "), "{err}");
        assert_eq!(err.matches("--leaves").count(), 1, "{err}");
    }
    // Of several trees too.
    place.file("b.ron", tree("Tired"));
    for args in [&["bench", &into][..], &["bake", &into, "--into", &into]] {
        let (_, _, err) = pleach(args);
        assert!(err.contains("\nhelp: unknown leaves: `Tired` (3 times), `Walk`. "), "{err}");
        assert_eq!(err.matches("--leaves").count(), 1, "{err}");
    }
}

#[test]
fn keys_that_the_game_uses_are_marked_where_keys_are_listed_and_read() {
    let place = Place::new("leaves-keys");
    let leaves = place.file(
        "game.leaves",
        r#"Manifest(version: 1, leaves: [], keys: [
    (tree: Some("guard"), name: "sees", type: Bool, access: Some(Write), doc: "Whether it sees\nsomebody. Or hears."),
    (tree: Some("guard"), name: "hp", type: Float, access: Some(Read)),
    (tree: Some("guard"), name: "plan", scope: Group, type: Int, optional: true),
])"#,
    );
    let root = "Selector([Sequence(abort: LowerPriority, children: [Check(\"sees && hp > 0.5\"), Idle]), Idle])";
    let keys = "blackboard: { \"sees\": Bool(false), \"hp\": Float(1), \"own\": Int(0) }, group: { \"plan\": Int(1) }";
    let source = |name: &str| format!("Tree(version: 1, name: \"{name}\", {keys}, root: {root})");
    let [guard, other] = ["guard", "other"].map(|it| place.file(&format!("{it}.ron"), source(it)));
    let said = |args: &[&str]| {
        let (code, out, err) = pleach(&[args, &["--leaves", &leaves]].concat());
        assert!(code == 0 && (err.is_empty() || err.starts_with("1 warning: ")), "{args:?}: {err}");
        out
    };
    let shown = said(&["show", &guard]);
    let list = "
blackboard
  sees  agent  Bool   false  written by the game: Whether it sees somebody.
  hp    agent  Float  1  read by the game
  own   agent  Int    0
  plan  group  Int    1  used by the game
";
    assert!(shown.ends_with(list), "{shown}");
    assert!(said(&["show", "--dot", &guard]).contains("hp > 0.5\\ngame writes sees\""));
    assert!(said(&["show", "--svg", &guard]).contains(">game writes sees</text>"));
    for kind in ["--dot", "--svg"] {
        assert!(!said(&["show", kind, &other]).contains("game writes"), "{kind}");
    }
    assert!(!said(&["show", &other]).contains("by the game"));

    let played = said(&["play", &guard, "quiet; tick; get; get sees; explain"]);
    let expected = "\
sees  false  written by the game: Whether it sees somebody.
hp    1  read by the game
own   0
plan  1  group  used by the game
sees  false  written by the game: Whether it sees somebody.
guard, 0.100 s, asleep
  does     n0 Selector > n4 Idle
  watches  n2 Check(sees && hp > 0.5): was failure, is failure (sees = false, written by the game; hp = 1)
";
    assert_eq!(played, expected);
    assert_eq!(said(&["play", &other, "quiet; get"]), "sees  false\nhp    1\nown   0\nplan  1  group\n");

    let none = "the tree has no key `distance`: it has `sees`, `hp`, `own`, `plan`";
    refused(&["play", &guard, "set distance 1", "--leaves", &leaves], 2, &format!("{none}; the game writes `sees`"));
    let (_, _, err) = pleach(&["play", &other, "set distance 1", "--leaves", &leaves]);
    assert!(err.contains(none) && !err.contains("the game writes"), "{err}");
}

#[test]
fn a_leaf_that_is_another_one_here_is_told_with_the_way_to_a_manifest() {
    let place = Place::new("leaves-namesake");
    let file = place.file("boss.ron", "Tree(version: 1, root: Sequence([Attack(name: \"x\"), MoveTo(1, 2, 3)]))");
    let into = place.path();
    let help = "help: `Attack`, `MoveTo` were read as the leaves of the arena. To work with another game's trees, name its manifest with \
                `--leaves game.leaves`. ";
    for args in [
        &["check", &file][..],
        &["show", &file],
        &["play", &file, "tick"],
        &["bake", &file, "--into", &into],
        &["run", &file],
    ] {
        let (code, out, err) = pleach(args);
        assert!(code == 1 && format!("{out}{err}").contains(help), "{out}{err}");
    }
    let one = place.file("one.ron", "Tree(version: 1, root: Sequence([Attack(name: \"x\"), Hop]))");
    let (_, out, _) = pleach(&["check", &one]);
    assert!(out.contains("help: unknown leaf: `Hop`; `Attack` was read as the leaf of the arena. To work"), "{out}");
    // With a manifest, or if a similar name was meant, it is not printed.
    let leaves = place.file("game.leaves", WALK);
    let (_, out, _) = pleach(&["check", "--leaves", &leaves, &place.file("walk.ron", tree("Walk"))]);
    assert!(out.contains("`Walk`: the parameter `to` is missing") && !out.contains("--leaves"), "{out}");
    let (_, out, _) = pleach(&["check", &place.file("key.ron", tree("MoveTo(target: \"hoem\")"))]);
    assert!(out.contains("did you mean `home`?") && !out.contains("--leaves"), "{out}");
}
