//! Wrong assets: each `ui/*.ron` has its report, letter by letter, in `ui/*.txt`; so have doubtful
//! ones, in `warnings`.

use crate::common;

use pleach_asset::{Asset, Diagnostic, Severity, check_str, load_str};
use pleach_core::limits::MAX_PROBLEMS;

/// The assets of a folder of the crate, by name.
fn names(folder: &str) -> Vec<String> {
    let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|it| it.expect("readable").file_name().into_string().expect("UTF-8"))
        .filter(|it| it.ends_with(".ron"))
        .collect();
    names.sort();
    names
}

fn text(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("UTF-8")
}

#[test]
fn bad_files_are_reported_as_expected() {
    let names = names("tests/ui");
    assert!(names.len() > 20);
    for name in names {
        let source = text(&format!("tests/ui/{name}"));
        let report = match load_str(&name, &source, &common::registry()) {
            Ok(_) => panic!("{name} loads"),
            Err(report) => report,
        };
        common::compare(&format!("tests/ui/{}", name.replace(".ron", ".txt")), &format!("{report}\n"));
        let places: Vec<(usize, usize)> = report.diagnostics().iter().map(|it| (it.line(), it.column())).collect();
        assert!(places.is_sorted(), "{name} is not in file order");
        assert!(places.len() <= MAX_PROBLEMS);
        assert!(report.styled().contains("\u{1b}["), "{name} has no colours");
    }
}

/// Files as first-time authors of trees break them: each has one problem, and `whole.ron` is the
/// original.
#[test]
fn what_designers_get_wrong_is_told_as_expected() {
    let mut silent = Vec::new();
    for name in names("tests/designers") {
        let source = text(&format!("tests/designers/{name}"));
        let report = match check_str(&name, &source, &common::registry()) {
            Ok((_, report)) | Err(report) => report,
        };
        common::compare(&format!("tests/designers/{}", name.replace(".ron", ".txt")), &format!("{report}\n"));
        if report.is_empty() {
            silent.push(name);
        }
    }
    assert_eq!(silent, ["whole.ron"]);
}

/// `check --fix` makes the edits of all reports, so an edit that needs thought is none.
#[test]
fn only_what_is_sure_is_an_edit() {
    let edits = |source: &str| -> Vec<String> {
        let report = check_str("a.ron", source, &common::registry()).map(|it| it.1).expect_err("a name is wrong");
        let fixes = report.fixes();
        fixes.iter().flat_map(|it| it.1.edits()).map(|it| it.text().to_owned()).collect()
    };
    for (node, meant) in [
        ("Wiat", "Wait"),
        ("Selektor", "Selector"),
        ("RaectiveSequense", "ReactiveSequence"),
        ("Seq", "Sequence"),
        ("Sel", "Selector"),
        ("MonitorSequence", "ReactiveSequence"),
        ("NonReactiveSequence", "Sequence"),
    ] {
        assert_eq!(edits(&format!("Tree(version: 1, root: {node})")), [meant], "{node}");
    }
    // Too many slips for their letters, two nodes that are as like, or several that may be meant.
    for node in ["Sequnec", "Selctr", "Sat", "Random", "Rand"] {
        assert!(edits(&format!("Tree(version: 1, root: {node})")).is_empty(), "{node}");
    }
    let keys = "blackboard: { \"hp1\": Int(1), \"hp2\": Int(1) }";
    assert!(edits(&format!("Tree(version: 1, {keys}, root: Check(\"hp3 > hp1\"))")).is_empty());
    assert_eq!(edits(&format!("Tree(version: 1, {keys}, root: Check(\"hpp1 > hp2\"))")), ["hp1"]);
}

/// Problems that need no leaves are found without them.
#[test]
fn parsing_alone_reports_wrong_fields() {
    let report = Asset::parse("a.ron", "Tree(version: 1, root: Sequence([Wait(true), Nobody(knows: \"this\")]))");
    let report = report.expect_err("a wait of true seconds");
    assert_eq!(report.diagnostics().len(), 1);
    assert_eq!(
        report.diagnostics()[0].message(),
        "`seconds` of `Wait` must be a number, or a string with an expression, not `true`"
    );
    assert_eq!((report.diagnostics()[0].line(), report.diagnostics()[0].column()), (1, 39));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let report = Asset::parse_bytes("a.ron", b"Tree(version: 1,\n  note: \"\xff\")").expect_err("not UTF-8");
    let it = &report.diagnostics()[0];
    assert_eq!(it.message(), "the file is not UTF-8: byte 26 (0xff) is invalid");
    assert_eq!((it.line(), it.column()), (2, 10));
    assert!(Asset::parse_bytes("a.ron", b"Tree(version: 1, root: Idle)").is_ok());
}

/// Some editors put a byte order mark before the text.
#[test]
fn a_mark_before_the_text_is_skipped() {
    let good = "\u{feff}Tree(version: 1, root: Idle)";
    assert_eq!(Asset::parse("a.ron", good).expect("a good tree"), Asset::parse("a.ron", &good[3..]).expect("the same"));
    assert!(Asset::parse_bytes("a.ron", good.as_bytes()).is_ok());
    for bad in [
        "Tree(version: 1, root: Nope)",
        "Tree(version: 1,\n root: Nope)",
        "Nope",
        "",
        "Tree(",
        "#![enable(nonsense)]",
        "%",
        "Tree(version: 1, root: Idle)\u{feff}",
    ] {
        let load = |source: &str| load_str("a.ron", source, &common::registry()).expect_err("it is bad");
        let (plain, marked) = (load(bad), load(&format!("\u{feff}{bad}")));
        assert_eq!(marked.to_string(), plain.to_string());
        let (one, other) = (&plain.diagnostics()[0], &marked.diagnostics()[0]);
        assert_eq!((one.line(), one.column()), (other.line(), other.column()));
        assert_eq!((one.span().start + 3, one.span().end + 3), (other.span().start, other.span().end), "{bad}");
    }
}

#[test]
fn a_line_of_any_length_is_drawn_in_part() {
    let source =
        format!("Tree(version: 1, root: Sequence([{}Nope, {}]))", "Idle, ".repeat(5_000), "Idle, ".repeat(5_000));
    let text = load_str("long.ron", &source, &common::registry()).expect_err("an unknown leaf").to_string();
    assert!(text.len() < 1_000, "{text}");
    assert!(text.contains("unknown node `Nope`") && text.contains("^^^^"), "{text}");
    assert_eq!(places(&text), ["long.ron:1:30034"], "{text}");
    // With both ends of a doubled field in such a line, far from each other.
    let doubled = format!("Tree(version: 1, note: \"{0}\",\nnote: \"{0}\", root: Nope, note: \"\")", "x".repeat(9_000));
    let text = load_str("long.ron", &doubled, &common::registry()).expect_err("three notes").to_string();
    assert_eq!(
        places(&text),
        ["long.ron:2:1", "long.ron:1:18", "long.ron:2:9017", "long.ron:2:9023", "long.ron:1:18"],
        "{text}"
    );
    let doubled = format!("Tree(version: 1, name: \"{0}\", note: \"{0}\", note: \"\", root: Idle)", "x".repeat(9_000));
    let report = load_str("long.ron", &doubled, &common::registry()).expect_err("two notes");
    let text = report.to_string();
    assert_eq!(places(&text), ["long.ron:1:18038", "long.ron:1:9028"], "{text}");
    let styled = report.styled();
    assert!(styled.contains("long.ron:1:18038") && !styled.contains("2049"), "{styled}");
}

/// All places named by a drawn report.
fn places(text: &str) -> Vec<&str> {
    let marked = |it: &str| it.starts_with("--> ") || it.starts_with("::: ");
    text.lines().map(str::trim_start).filter(|it| marked(it)).map(|it| it[4..].trim()).collect()
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    for name in names("tests/warnings") {
        let source = text(&format!("tests/warnings/{name}"));
        let report = match check_str(&name, &source, &common::registry()) {
            Ok((_, report)) => report,
            Err(report) => panic!("{report}"),
        };
        assert!(report.diagnostics().iter().all(|it| it.severity() == Severity::Warning));
        common::compare(&format!("tests/warnings/{}", name.replace(".ron", ".txt")), &format!("{report}\n"));
    }
}

#[test]
fn an_empty_report_displays_nothing() {
    let (_, report) = check_str("a.ron", "Tree(version: 1, root: Idle)", &common::registry()).expect("a good tree");
    assert!(report.is_empty());
    assert_eq!(format!("{report}{report:?}{}{}", report.plain(), report.styled()), "");
}

/// Warnings that need no tree are reported beside the errors that prevent one.
#[test]
fn spans_below_zero_are_told_beside_errors() {
    let found = |source: &str| -> Vec<(Severity, String)> {
        let report = check_str("a.ron", source, &common::registry()).expect_err("a node is misspelt");
        report.diagnostics().iter().map(|it| (it.severity(), it.message().to_owned())).collect()
    };
    assert_eq!(
        found("Tree(version: 1, root: Sequence([Wait(-1), Patorl, Limit(0, Idle), Wait(second: 1)]))"),
        [
            (Severity::Warning, "-1 seconds count as 0".into()),
            (Severity::Error, "unknown node `Patorl`".into()),
            (Severity::Warning, "a limit of 0 never starts its child".into()),
            (Severity::Error, "`Wait` has no field `second`".into()),
        ]
    );
    // A list that is full of errors has no room for warnings.
    let many = format!("Tree(version: 1, root: Sequence([Wait(-1), {}]))", "Patorl, ".repeat(MAX_PROBLEMS));
    assert!(found(&many).iter().all(|it| it.0 == Severity::Error));
    let loaded = load_str("a.ron", "Tree(version: 1, root: Sequence([Wait(-1), Patorl]))", &common::registry());
    assert_eq!(loaded.expect_err("a node is misspelt").diagnostics().len(), 1, "who loads is told of errors only");
}

/// That tree is a list of ways to write nodes: it does not do much.
#[test]
fn warnings_come_in_the_order_of_the_file() {
    let (_, report) = check_str("all.ron", include_str!("../trees/all.ron"), &common::registry()).expect("a good tree");
    let found: Vec<&str> = report.diagnostics().iter().map(Diagnostic::message).collect();
    assert_eq!(
        found,
        [
            "the key `target` is not used in this tree",
            "the key `nobody` is not used in this tree",
            "the key `p` is not used in this tree",
            "the key `tries` is not used in this tree",
            "this abort type never fires: the children of a `Parallel` do not abort each other",
            "this is never reached: the `Parallel` before it never fails",
        ]
    );
}
