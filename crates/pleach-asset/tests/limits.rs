//! Nesting, size, and the time that a large tree takes.

mod common;

use std::fmt::Write;
use std::time::Instant;

use pleach_asset::{Asset, MAX_NESTING, MAX_PROBLEMS, MAX_SOURCE, Report, load_str};
use pleach_core::Tree;

fn load(source: &str) -> Result<Tree<common::Game>, Report> {
    load_str("limits.ron", source, &common::registry())
}

fn first(report: &Report) -> &str {
    report.diagnostics()[0].message()
}

/// So many brackets in all.
fn nested(brackets: usize) -> String {
    let mut source = String::from("Tree(version: 1, root: ");
    let mut closing = vec![")"];
    while closing.len() < brackets {
        match brackets - closing.len() {
            1 => {
                source.push_str("Inverter(child: ");
                closing.push(")");
            }
            _ => {
                source.push_str("Sequence(children: [");
                closing.extend(["])", ""]);
            }
        }
    }
    source.push_str("Idle");
    source.extend(closing.iter().rev().copied());
    source
}

#[test]
fn nests_up_to_the_limit_and_no_deeper() {
    let deepest = nested(MAX_NESTING);
    let tree = load(&deepest).expect("at the limit");
    assert_eq!(tree.len(), (MAX_NESTING - 1) / 2 + 2);
    let asset = Asset::parse("a", &deepest).expect("at the limit");
    assert_eq!(Asset::parse("b", &asset.to_ron()).expect("its own output"), asset);
    assert_eq!(
        first(&load(&nested(MAX_NESTING + 1)).expect_err("past it")),
        format!("nested too deep: more than {MAX_NESTING} brackets inside each other")
    );
    for brackets in ["(", "[", "{", "Sequence([", "Inverter("] {
        let open = format!("Tree(version: 1, root: {}", brackets.repeat(100_000));
        assert!(first(&load(&open).expect_err("far past it")).starts_with("nested too deep"));
    }
}

/// Parameters nest as well, and are read by another way.
#[test]
fn parameters_nest_up_to_the_limit() {
    // The tree, the leaf and the innermost struct and tuple are the other four.
    let depth = MAX_NESTING - 4;
    let inner = format!("{}(a: (1, \"x\")){}", "(a: (1, \"x\"), b: ".repeat(depth), ")".repeat(depth));
    let source = format!(
        "Tree(version: 1, root: Everything(flag: true, small: 1, large: 1, signed: 1, float: 1, letter: 'x', \
         text: \"\", list: [], triple: (0, 0, 0), map: {{}}, inner: {inner}))"
    );
    assert_eq!(load(&source).expect("at the limit").len(), 1);
}

#[test]
fn a_huge_file_is_refused() {
    let source = " ".repeat(MAX_SOURCE + 1);
    assert!(first(&load(&source).expect_err("too long")).contains("bytes are too many"));
}

#[test]
fn problems_beyond_the_first_are_counted() {
    let source = format!("Tree(version: 1, root: Sequence(children: [{}]))", "Nope, ".repeat(MAX_PROBLEMS + 7));
    let report = load(&source).expect_err("unknown leaves");
    assert_eq!(report.diagnostics().len(), MAX_PROBLEMS);
    assert_eq!(report.more(), 7);
    assert!(report.to_string().ends_with("... and 7 more problems in limits.ron"));
}

#[test]
fn too_many_nodes_are_refused() {
    let source = |count| format!("Tree(version: 1, root: Sequence(children: [{}]))", "Idle, ".repeat(count));
    assert_eq!(load(&source(65_534)).expect("at the limit").len(), 65_535);
    assert_eq!(first(&load(&source(65_535)).expect_err("past it")), "more than 65535 nodes");
    let interrupts = format!(
        "Tree(version: 1, interrupts: [(when: \"true\", run: Idle)], {}",
        &source(65_533)["Tree(version: 1, ".len()..]
    );
    assert!(first(&load(&interrupts).expect_err("with what is added")).contains("65537 nodes"));
}

/// 10 000 nodes in some 450 kB.
fn large() -> String {
    let mut source = String::from(
        "Tree(version: 1, name: \"large\", blackboard: { \"health\": Float(1.0), \"home\": Vec3(0, 0, 0) },\n\
         root: Selector(children: [\n",
    );
    for index in 0..1_666 {
        let _ = write!(
            source,
            "    Sequence(name: \"part {index}\", abort: LowerPriority, children: [\n        Check(\"health < 0.{index}\"),\n        \
             Inverter(child: Tired),\n        MoveTo(target: \"home\", speed: 5.0),\n        Wait(2.0),\n    ]),\n"
        );
    }
    source.push_str("    Idle, Idle, Idle,\n]))\n");
    source
}

#[test]
fn a_large_tree_loads_soon() {
    let source = large();
    let registry = common::registry();
    let start = Instant::now();
    let tree = load_str("large.ron", &source, &registry).expect("a good tree");
    let took = start.elapsed();
    assert_eq!(tree.len(), 10_000);
    let start = Instant::now();
    let asset = Asset::parse("large.ron", &source).expect("a good tree");
    println!("parse alone: {:?}, {} bytes", start.elapsed(), asset.to_ron().len());
    println!("10 000 nodes, {} bytes: {took:?}", source.len());
    // The goal is 50 ms in release; this only has to notice what is not linear.
    assert!(took.as_secs() < 5, "{took:?}");
}
