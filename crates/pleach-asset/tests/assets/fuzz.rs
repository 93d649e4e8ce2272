//! Any bytes give a tree or a report, and never a panic.

use crate::common::{self, Rng};

use std::collections::BTreeMap;

use pleach_asset::{Asset, Library, Report, load_str};

const PIECES: [&str; 48] = [
    "Node(\"x\")",
    "Nodes(\"x\")",
    "nodes: { \"x\": ",
    "One, ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "//",
    "r#\"",
    "\"#",
    "b\"",
    "0x",
    "-",
    ".",
    "1e999",
    "NaN",
    "inf",
    "true",
    "None",
    "Some(",
    "name:",
    "child:",
    "children: [",
    "Sequence(",
    "Tree(",
    "disabled: true",
    "é",
    "\u{1F333}",
    "\0",
    "\r\n",
    "\u{2028}",
    "#![enable(implicit_some)]",
    "..",
    "\u{200E}",
    "r#",
    "\u{feff}",
    "\u{301}",
    "global: { \"g\": Int(1) }, ",
];

const GOOD: &str = r#"Tree(version: 1, name: "a", blackboard: { "n": Int(1), "home": Vec3(0, 1.5, 2) }, root: Selector(
    note: "any text will do here, so that some changes do no harm", children: [
        Sequence(abort: Both, children: [Check("n > 1"), MoveTo(target: "home", speed: 5.0)]), // and a comment
        Log("some more text without a meaning"), Patrol, Repeat(30, Inverter(Wait(12.75))),
    ]))"#;

pub(crate) fn mutate(source: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = source.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(12)).min(bytes.len());
        match rng.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.splice(at..at, PIECES[rng.below(PIECES.len())].bytes()).for_each(drop),
            2 => bytes.splice(at..end, PIECES[rng.below(PIECES.len())].bytes()).for_each(drop),
            3 => bytes.truncate(at),
            4 => {
                let from = rng.below(bytes.len());
                let part = bytes[from..(from + rng.below(60)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part).for_each(drop);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(rng.below(256)).expect("below 256");
                }
            }
        }
    }
    bytes
}

fn sound(report: &Report) {
    assert!(!report.is_empty());
    for it in report.diagnostics() {
        assert!(it.line() > 0 && it.column() > 0 && !it.message().is_empty());
    }
}

#[test]
fn broken_files_are_reported() {
    let registry = common::registry();
    let mut seeds = vec![include_str!("../trees/all.ron").to_owned()];
    for entry in std::fs::read_dir(format!("{}/tests/ui", env!("CARGO_MANIFEST_DIR"))).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|it| it == "ron") {
            seeds.push(std::fs::read_to_string(path).expect("UTF-8"));
        }
    }
    seeds.sort();
    let mut rng = Rng(7);
    let (mut good, mut drawn) = (0, 0);
    for case in 0..20_000 {
        // Half of them are nearly right: completely wrong ones all end in the same few places.
        let seed = if case % 2 == 0 { GOOD } else { &seeds[rng.below(seeds.len())] };
        let bytes = mutate(seed, &mut rng);
        match Asset::parse_bytes("fuzz.ron", &bytes) {
            Ok(asset) => {
                let again = Asset::parse("again.ron", &asset.to_ron());
                let source = String::from_utf8_lossy(&bytes);
                assert_eq!(again.unwrap_or_else(|it| panic!("case {case}: {it}\n{source}")), asset);
            }
            Err(report) => sound(&report),
        }
        let source = String::from_utf8_lossy(&bytes);
        match load_str("fuzz.ron", &source, &registry) {
            Ok(_) => {
                good += 1;
                assert!(Asset::parse("fuzz.ron", &source).is_ok(), "case {case}");
            }
            Err(report) => {
                sound(&report);
                // Drawing takes longer than everything else.
                if case % 16 == 0 {
                    drawn += report.to_string().len();
                }
            }
        }
    }
    assert!(good > 100 && drawn > 10_000, "{good} {drawn}");
}

/// Files that include each other, in every way.
const FILES: [(&str, &str); 5] = [
    (
        "guard.ron",
        r#"Tree(version: 1, blackboard: { "n": Int(1), "home": Vec3(0, 1.5, 2) },
    templates_from: ["parts/lent.ron"],
    templates: { "calm": (nodes: { "x": Many }, root: Sequence([Check("n == 1"), Nodes("x")])) }, root: Selector([
        Use(template: "lent", nodes: { "body": Subtree(asset: "rest.ron", name: "lain", nodes: { "then": Check("n > 1") }) }),
        Subtree(asset: "parts/fight.ron", name: "one", with: { "count": "n", "place": "home" }),
        Subtree(asset: "parts/fight.ron", name: "two", with: { "place": "home" }), Use("calm", {}, { "x": [Idle, Check("n == 2")] }),
        Slot(name: "how", trees: ["rest.ron", "wait.ron"], initial: "wait"),
    ]))"#,
    ),
    (
        "parts/fight.ron",
        r#"Tree(version: 1, ports: { "count": In(Int, 2), "place": InOut(Vec3) }, root: Sequence(abort: Both, children: [
        Check("count > 1"), MoveTo(target: "place", speed: 5.0), Subtree("../rest.ron"),
    ]))"#,
    ),
    (
        "parts/lent.ron",
        r#"Tree(version: 1, templates: { "lent": (ports: { "n": In(Int, 3) }, nodes: { "body": One }, root: Inverter(Node("body"))) })"#,
    ),
    (
        "rest.ron",
        r#"Tree(version: 1, nodes: { "then": One(default: Succeed) }, root: Sequence([Wait(1.5), Subtree("wait.ron"), Node("then")]))"#,
    ),
    ("wait.ron", r#"Tree(version: 1, root: Wait(0.1))"#),
];

/// A number that the environment gives, for longer runs.
pub(crate) fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().map_or(or, |it| it.parse().unwrap_or_else(|_| panic!("{name} is a number: {it}")))
}

/// `PLEACH_SEED` and `PLEACH_COUNT` say which cases, and how many.
#[test]
fn libraries_whose_files_break_and_are_mended_keep_their_trees() {
    let registry = common::registry();
    // Some changes do no harm.
    let comment = "// any text will do here, and some more of it, so that a change is often in a comment\n".repeat(4);
    let files: BTreeMap<String, String> =
        FILES.iter().map(|(name, text)| ((*name).to_owned(), format!("{comment}{text}"))).collect();
    let mut library = Library::new(files.clone());
    for name in ["guard.ron", "rest.ron"] {
        library.load(name, &registry).unwrap_or_else(|it| panic!("{it}"));
    }
    let mut rng = Rng(number("PLEACH_SEED", 7));
    let (mut broken, mut new) = (0, 0);
    for case in 0..number("PLEACH_COUNT", 3_000) {
        let name = FILES[rng.below(FILES.len())].0;
        let good = &files[name];
        let text = String::from_utf8_lossy(&mutate(good, &mut rng)).into_owned();
        if rng.below(20) == 0 {
            library.source_mut().remove(name);
        } else {
            library.source_mut().insert(name.to_owned(), text);
        }
        let changes = library.poll(&registry);
        if let Some(report) = &changes.report {
            sound(report);
            assert!(!report.plain().is_empty());
        }
        broken += changes.broken.len();
        new += changes.trees.len();
        assert!(changes.trees.iter().all(|it| !changes.broken.contains(&it.0)), "case {case}");
        // It is mended, and everything is as before.
        library.source_mut().insert(name.to_owned(), good.clone());
        let mended = library.poll(&registry);
        assert!(mended.report.is_none() && mended.broken.is_empty(), "case {case}: {:?}", mended.report);
        assert_eq!(library.poll(&registry).files.len(), 0, "case {case}");
    }
    assert!(broken > 100 && new > 100, "{broken} {new}");
}

#[test]
fn ten_megabytes_of_anything_are_soon_refused() {
    let mut rng = Rng(1);
    let garbage: Vec<u8> = (0..10 << 20).map(|_| rng.next().to_le_bytes()[0]).collect();
    let ascii: Vec<u8> = garbage.iter().map(|it| 32 + it % 95).collect();
    let open = |text: &str| text.repeat((10 << 20) / text.len()).into_bytes();
    let tree = |text: &str, close: &str| {
        format!("Tree(version: 1, root: {}{close}", text.repeat((4 << 20) / text.len())).into_bytes()
    };
    let inputs = [
        garbage,
        ascii,
        open("("),
        open("\""),
        open("'"),
        open("r#\""),
        open("\\"),
        open("/*"),
        open("// "),
        open("a"),
        open("1"),
        open("[],"),
        open("é"),
        open("\n"),
        tree("Idle, ", "Sequence([1]))"),
        tree("\n", "Nope)"),
        tree("/* x */", "Nope)"),
        [b"Tree(version: 1, root: Sequence(children: [".to_vec(), open("Nope, "), b"]))".to_vec()].concat(),
        [b"Tree(version: 1, root: Nope(x: [".to_vec(), open("1, "), b"]))".to_vec()].concat(),
        [b"Tree(version: 1, root: Patrol(".to_vec(), open("x: 1, "), b"))".to_vec()].concat(),
        [b"Tree(version: 1, root: Say(\"".to_vec(), open("\\n"), b"\", 2))".to_vec()].concat(),
        [b"Tree(version: 1, blackboard: {".to_vec(), open("\"k\": Int(1), "), b"}, root: Idle)".to_vec()].concat(),
    ];
    let registry = common::registry();
    for (index, bytes) in inputs.into_iter().enumerate() {
        let source = String::from_utf8_lossy(&bytes);
        let report = load_str("big.ron", &source, &registry).expect_err("not a tree");
        let text = report.to_string();
        assert!(text.len() < 100_000, "input {index}: {} bytes", text.len());
    }
}
