//! Codes: the examples of each page have that problem, or none.

use std::collections::{BTreeMap, BTreeSet};

use pleach_asset::{CodePage, Library, Manifest, Registry, Report, Severity, check_str, code_pages};
use pleach_core::schema::{Access, KeyFinder, Scope};
use pleach_core::{Key, KeySet};

use crate::common::{self, Game};

/// The game of the pages relies on a key of runners.
struct RunnerKeys;

impl KeySet for RunnerKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let speed: Option<Key<f32>> = keys.key("speed", Scope::Agent, Some(Access::Read), "");
        speed.map(|_| RunnerKeys)
    }
}

fn registry(page: &CodePage) -> Registry<Game> {
    let mut registry = common::registry();
    if ["P0309", "P1017"].contains(&page.code) {
        registry.keys::<RunnerKeys>("runner").expect("a good key");
    }
    registry
}

/// The examples of a page: what is wrong, and what is right.
fn examples(page: &CodePage) -> Vec<String> {
    let blocks = page.text.split("```ron\n").skip(1);
    blocks.map(|it| it.split_once("```").expect("the block ends").0.to_owned()).collect()
}

/// The files of an example, each behind its name.
fn files(example: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut name = "main.ron".to_owned();
    for line in example.lines() {
        match line.strip_prefix("// ").filter(|it| it.ends_with(".ron")) {
            Some(it) => name = it.to_owned(),
            None => *files.entry(name.clone()).or_insert_with(String::new) += &format!("{line}\n"),
        }
    }
    files
}

/// The codes of everything reported about an example.
fn codes(page: &CodePage, example: &str) -> BTreeSet<&'static str> {
    let of = |report: &Report| report.diagnostics().iter().map(|it| it.code()).collect::<Vec<_>>();
    if page.code == "P0701" {
        return Manifest::parse("game.leaves", example).err().iter().flat_map(of).collect();
    }
    let mut library = Library::new(files(example));
    let mut found = of(&library.check_all(&registry(page)));
    // A file that is only a part of trees is not a tree by itself.
    found.extend(library.load("main.ron", &registry(page)).err().iter().flat_map(of));
    found.into_iter().collect()
}

#[test]
fn the_examples_of_each_page_are_wrong_and_right() {
    let mut wrong = Vec::new();
    for page in code_pages() {
        // Limits are too large for examples, tests of trees belong to another crate, and the last
        // one comes from a bug of ours.
        if ["P0106", "P0702", "P0703"].contains(&page.code) {
            continue;
        }
        let [bad, good] = &examples(page)[..] else { panic!("{} has two examples", page.code) };
        let (found, left) = (codes(page, bad), codes(page, good));
        if found != BTreeSet::from([page.code]) || !left.is_empty() {
            wrong.push(format!("{}: {found:?}, {left:?}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn warnings(source: &str) -> Vec<String> {
    let (_, report) = check_str("a.ron", source, &common::registry()).expect("no error");
    report.diagnostics().iter().map(|it| format!("{}:{}:{}", it.code(), it.line(), it.column())).collect()
}

fn errors(source: &str) -> Vec<String> {
    let report = check_str("a.ron", source, &common::registry()).expect_err("an error");
    report.plain().lines().map(str::to_owned).collect()
}

#[test]
fn allowed_warnings_are_silent_there_and_below() {
    let tree = |file: &str, of_first: &str, of_all: &str| {
        format!(
            "Tree(version: 1, {file} root: Sequence({of_all} children: [\n\
             Wait(seconds: -1.0{of_first}),\nWait(-2.0),\nInverter(child: Wait(-3.0))]))"
        )
    };
    assert_eq!(warnings(&tree("", "", "")), ["P1013:2:15", "P1013:3:6", "P1013:4:22"]);
    assert_eq!(warnings(&tree("", ", allow: [\"P1013\"]", "")), ["P1013:3:6", "P1013:4:22"]);
    assert_eq!(warnings(&tree("", "", "allow: [\"P1013\"],")), [""; 0]);
    assert_eq!(warnings(&tree("allow: [\"P1013\"],", "", "")), [""; 0]);
    // What is allowed around it need not be allowed again.
    assert_eq!(warnings(&tree("allow: [\"P1013\"],", ", allow: [\"P1013\"]", "")), ["P1018:2:29"]);
    assert_eq!(warnings(&tree("", ", allow: [\"P1013\"]", "allow: [\"P1013\"],")), ["P1018:2:29"]);
    assert_eq!(warnings(&tree("", ", allow: [\"P1013\", \"P1013\"]", "")), ["P1018:2:38", "P1013:3:6", "P1013:4:22"]);
    assert_eq!(warnings(&tree("allow: [\"P1013\", \"P1018\"],", ", allow: [\"P1013\"]", "")), [""; 0]);
    let source = tree("allow: [\"P1013\"],", ", allow: [\"P1013\"]", "");
    let (_, report) = check_str("a.ron", &source, &common::registry()).expect("no error");
    let told = report.to_string();
    assert!(told.contains("this `allow` is not needed: P1013 is allowed here already"), "{told}");
    assert!(told.contains("by this") && told.contains("help: take it out"), "{told}");
    assert_eq!(warnings(&tree("allow: [\"P1014\"],", "", "allow: [\"P1013\"],")), ["P1018:1:26"]);
    assert_eq!(warnings(&tree("allow: [\"P1014\", \"P1018\"],", "", "allow: [\"P1013\"],")), [""; 0]);
}

#[test]
fn what_is_disabled_or_broken_allows_nothing_and_is_not_blamed() {
    assert_eq!(
        warnings(
            "Tree(version: 1, root: Sequence([Wait(1.0), Wait(seconds: 1.0, disabled: true, allow: [\"P1013\"])]))"
        ),
        [""; 0]
    );
    let found = errors("Tree(version: 1, root: Sequence(allow: [\"P1013\"], children: [Wait(-1.0), Nope]))");
    assert!(matches!(&found[..], [it] if it.contains("P0201")), "{found:?}");
}

#[test]
fn only_warnings_can_be_allowed() {
    for (allow, expected) in [
        ("[\"P0305\"]", "a.ron:1:33: error[P0212]: `P0305` is an error: only warnings can be allowed"),
        ("[\"P1666\"]", "a.ron:1:33: error[P0212]: unknown code `P1666`"),
        ("[\"p1013\"]", "a.ron:1:33: error[P0212]: unknown code `p1013`; in: Tree > Wait; help: did you mean `P1013`?"),
        ("[P1013]", "a.ron:1:33: error[P0206]: a code must be a string"),
        ("\"P1013\"", "a.ron:1:32: error[P0206]: `allow` must be a list of codes, not a string"),
        ("{}", "a.ron:1:32: error[P0206]: `allow` must be a list of codes"),
    ] {
        let found = errors(
            &format!("Tree(version: 1, root: Wait(allow: {allow}, seconds: 1.0))").replace("root: Wait(", "root:Wait("),
        );
        assert!(matches!(&found[..], [it] if it.contains(&expected[12..])), "{allow}: {found:?}");
    }
    let found = errors("Tree(version: 1, root: Guard(when: Tired(allow: [\"P1013\"]), child: Idle))");
    assert!(matches!(&found[..], [it] if it.contains("`allow` is not allowed here")), "{found:?}");
}

/// A game that loads trees gets the warnings of `check`.
#[test]
fn a_library_tells_the_warnings_of_what_it_loaded() {
    let idle = "Tree(version: 1, root: Sequence([Idle, Subtree(\"b.ron\")]))";
    let mut library = Library::new(BTreeMap::from([
        ("a.ron", idle),
        ("b.ron", "Tree(version: 1, root: Wait(-1.0))"),
        ("c.ron", "Tree(version: 1, root: Wait(-2.0))"),
    ]));
    let told = |library: &Library<BTreeMap<&str, &str>>| library.warnings(&common::registry()).plain();
    assert_eq!(told(&library), "", "nothing is loaded");
    library.load("a.ron", &common::registry()).expect("no error");
    library.load("a.ron", &common::registry()).expect("no error");
    let lines = |text: &str| text.lines().map(|it| it[..it.find(": ").unwrap()].to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&told(&library)), ["a.ron:1:40", "b.ron:1:29"]);
    library.source_mut().insert("b.ron", "Tree(version: 1, root: Nix)");
    assert!(!told(&library).contains("error"), "{}", told(&library));
    library.source_mut().insert("a.ron", "Tree(version: 1, root: Idle)");
    assert_eq!(told(&library), "");
}

#[test]
fn it_is_written_again() {
    let source = "Tree(version: 1, allow: [\"P1014\", \"P1013\"], root: Patrol(allow: [\"P1006\"]))";
    let asset = pleach_asset::Asset::parse("a.ron", source).expect("a good tree");
    let text = asset.to_ron();
    assert!(text.contains("allow: [\"P1014\", \"P1013\"]") && text.contains("Patrol(allow: [\"P1006\"])"), "{text}");
    assert_eq!(pleach_asset::Asset::parse("a.ron", &text).expect("the same"), asset);
}

/// Every proposed fix can be applied, fixes its problem and breaks nothing else.
#[test]
fn each_fix_mends_its_problem() {
    let mut count = 0;
    for entry in ["tests/ui", "tests/warnings", "tests/designers"]
        .iter()
        .flat_map(|it| std::fs::read_dir(format!("{}/{it}", env!("CARGO_MANIFEST_DIR"))).expect("it is there"))
    {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|it| it != "ron") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("UTF-8");
        let check = |source: &str| match check_str("a.ron", source, &common::registry()) {
            Ok((_, report)) | Err(report) => report,
        };
        let before = check(&source);
        let numbers =
            |it: &Report| it.diagnostics().iter().filter(|it| it.severity() == Severity::Error).count() + it.more();
        for it in before.diagnostics() {
            for fix in it.fixes() {
                let mut text = source.clone();
                for edit in fix.edits().iter().rev() {
                    text.replace_range(edit.span(), edit.text());
                }
                let after = check(&text);
                let is_there = |of: &Report| {
                    of.diagnostics().iter().any(|of| of.message() == it.message() && of.span().start == it.span().start)
                };
                assert!(!is_there(&after), "{}: {}: {} stays: {after}", path.display(), it.message(), fix.title());
                // Text that could not be read before may have more problems.
                let is_whole = !["P0102", "P0103", "P0105", "P0201"].contains(&it.code());
                assert!(
                    !is_whole || numbers(&after) <= numbers(&before),
                    "{}: {}: {after}",
                    path.display(),
                    fix.title()
                );
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}
