//! Nesting, size, and what a large tree allocates.

use crate::common;

use std::fmt::Write;

use allocation_counter::measure;
use pleach_asset::{Asset, MAX_NESTING, MAX_PARAMETER_NESTING, MAX_SOURCE, Report, check_str, load_str};
use pleach_core::Tree;
use pleach_core::limits::{MAX_DEPTH, MAX_DRAWN_PROBLEMS, MAX_PROBLEMS};

fn load(source: &str) -> Result<Tree<common::Game>, Report> {
    load_str("limits.ron", source, &common::registry())
}

fn first(report: &Report) -> &str {
    report.diagnostics()[0].message()
}

/// Runs it on a stack of 2 MiB, the default of threads, also in a debug build.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread").join().expect("no overflow");
}

/// `depth` nested nodes: the last is `leaf`.
fn nested(depth: usize, open: &str, leaf: &str, close: &str) -> String {
    format!("Tree(version: 1, root: {}{leaf}{})", open.repeat(depth - 1), close.repeat(depth - 1))
}

const SEQUENCES: [&str; 2] = ["Sequence(abort: Self, services: [(every: 1, run: Patrol)], children: [", "])"];
const INVERTERS: [&str; 2] = ["Inverter(child: ", ")"];

/// A leaf with this many nested brackets, its own included.
fn with_parameters(brackets: usize) -> String {
    // The leaf and the innermost struct and tuple are the other three.
    let depth = brackets - 3;
    let inner = format!("{}(a: (1, \"x\")){}", "(a: (1, \"x\"), b: ".repeat(depth), ")".repeat(depth));
    format!(
        "Everything(flag: true, small: 1, large: 1, signed: 1, float: 1, letter: 'x', text: \"\", list: [], \
         triple: (0, 0, 0), map: {{}}, inner: {inner})"
    )
}

#[test]
fn whatever_the_core_takes_is_loaded_saved_and_loaded() {
    on_a_small_stack(|| {
        let deepest = with_parameters(MAX_PARAMETER_NESTING);
        for ([open, close], leaf) in [(SEQUENCES, "Idle"), (INVERTERS, "Idle"), (SEQUENCES, &*deepest)] {
            let source = nested(MAX_DEPTH, open, leaf, close);
            let tree = load(&source).expect("at the limit");
            assert_eq!((tree.len(), tree.nodes().last().map(|it| it.depth())), (MAX_DEPTH, Some(MAX_DEPTH)));
            assert!(check_str("limits.ron", &source, &common::registry()).is_ok());
            let asset = Asset::parse("a", &source).expect("at the limit");
            assert_eq!(Asset::parse("b", &asset.to_ron()).expect("its own output"), asset.clone());
            assert!(format!("{asset:?}").len() > MAX_DEPTH);
        }
    });
}

#[test]
fn one_node_deeper_is_refused_where_it_stands() {
    on_a_small_stack(|| {
        for [open, close] in [SEQUENCES, INVERTERS] {
            let source = nested(MAX_DEPTH + 1, open, "Idle", close);
            let report = load(&source).expect_err("past the limit");
            let found: Vec<_> = report.diagnostics().iter().map(|it| (it.message(), &source[it.span()])).collect();
            assert_eq!(found, [("nested too deep: more than 256 nodes inside each other", "Idle")]);
        }
        // Nodes that interrupt the tree have a guard above them, and a selector is over everything.
        let interrupted = |run: usize, root: usize| {
            let [open, close] = SEQUENCES;
            let [run, root] = [run, root].map(|it| format!("{}Idle{}", open.repeat(it - 1), close.repeat(it - 1)));
            load(&format!("Tree(version: 1, interrupts: [(when: \"true\", run: {run})], root: {root})"))
        };
        interrupted(MAX_DEPTH - 2, MAX_DEPTH - 1).expect("at the limit");
        for (run, root) in [(MAX_DEPTH - 1, 1), (1, MAX_DEPTH)] {
            let report = interrupted(run, root).expect_err("past the limit");
            assert_eq!(
                (first(&report), report.diagnostics().len()),
                ("nested too deep: more than 256 nodes inside each other", 1)
            );
        }
    });
}

/// The placeholder for a node that is too deep is not too deep itself, so the rest is checked too.
#[test]
fn a_node_that_is_too_deep_hides_no_other_problem() {
    on_a_small_stack(|| {
        let [open, close] = SEQUENCES;
        let source = nested(MAX_DEPTH, open, "Sequence(children: [Idle]), Nope", close);
        let report = load(&source).expect_err("two problems");
        let found: Vec<_> = report.diagnostics().iter().map(|it| (it.message(), &source[it.span()])).collect();
        let too_deep = ("nested too deep: more than 256 nodes inside each other", "Idle");
        assert_eq!(found, [too_deep, ("unknown node `Nope`", "Nope")]);
    });
}

#[test]
fn brackets_nest_up_to_the_limit_and_no_deeper() {
    on_a_small_stack(|| {
        let message = format!("nested too deep: more than {MAX_NESTING} brackets inside each other");
        let lists = |count: usize| format!("Tree(version: 1, root: {}{})", "[".repeat(count), "]".repeat(count));
        let report = load(&lists(MAX_NESTING - 1)).expect_err("that is no node");
        assert_eq!(first(&report), "expected a node, found a list");
        assert_eq!(first(&load(&lists(MAX_NESTING)).expect_err("past the limit")), message);
        for [open, close] in [SEQUENCES, INVERTERS, ["(", ")"], ["[", "]"], ["{", "}"], ["Guard(\"1 > 0\", ", ")"]] {
            for depth in [10_000, 100_000] {
                let report = load(&nested(depth, open, "Idle", close)).expect_err("far past the limit");
                assert_eq!((first(&report), report.diagnostics().len()), (&*message, 1));
                assert_eq!(first(&load(&open.repeat(depth)).expect_err("never closed")), message);
            }
        }
    });
}

#[test]
fn parameters_nest_up_to_the_limit_and_no_deeper() {
    on_a_small_stack(|| {
        let [open, close] = SEQUENCES;
        assert_eq!(load(&nested(1, "", &with_parameters(MAX_PARAMETER_NESTING), "")).expect("at the limit").len(), 1);
        let report = load(&nested(3, open, &with_parameters(MAX_PARAMETER_NESTING + 1), close)).expect_err("past it");
        let message = "the parameters of `Everything` are nested too deep: more than 128 brackets inside each other";
        assert_eq!((first(&report), report.diagnostics().len()), (message, 1));
        // Where only a leaf of the host can stand, nodes do not nest.
        let guards =
            format!("Tree(version: 1, root: {}Tired{})", "Guard(when: ".repeat(300), ", child: Idle)".repeat(300));
        assert_eq!(first(&load(&guards).expect_err("a guard cannot be asked")), "`Guard` cannot be used as a test");
        let service = "Sequence(children: [Idle], services: [(every: 1, run: ";
        let services = format!("Tree(version: 1, root: {}Patrol{})", service.repeat(150), ")])".repeat(150));
        let report = load(&services).expect_err("a sequence cannot be a service");
        assert_eq!(first(&report), "`Sequence` cannot be a service: only actions of the host can");
    });
}

/// The core's limits of expressions hold for those in files.
#[test]
fn expressions_of_256_parts_load() {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(|| {
            for parts in [255, 256] {
                for (open, inner, close, inner_parts, each) in [
                    ("", "1", " + 1", 1, 2),
                    ("1 + (", "1", ")", 1, 3),
                    ("(", "1", ")", 1, 1),
                    ("- ", "(1)", "", 2, 1),
                    ("max(1, ", "1", ")", 1, 2),
                ] {
                    // The comparison is a part, and so is its right side.
                    let levels = (parts - 2 - inner_parts) / each;
                    let sum = format!("{}{inner}{}", open.repeat(levels), close.repeat(levels));
                    let source = format!("Tree(version: 1, root: Guard(\"{sum} != 0\", WaitUntil(\"{sum} < 9\")))");
                    assert!(load(&source).is_ok(), "{source}");
                }
            }
        })
        .expect("a thread")
        .join()
        .expect("no overflow");
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
    let more = MAX_PROBLEMS + 7 - MAX_DRAWN_PROBLEMS;
    assert!(report.to_string().ends_with(&format!("... and {more} more problems in limits.ron")));
    let last = &report.diagnostics()[MAX_PROBLEMS - 1];
    assert_eq!((last.line(), last.column()), (1, 44 + 6 * (MAX_PROBLEMS - 1)));
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
fn a_large_tree_allocates_in_proportion_to_its_nodes() {
    let source = large();
    let registry = common::registry();
    let mut nodes = 0;
    let allocated = measure(|| {
        nodes = load_str("large.ron", &source, &registry).expect("a good tree").len();
    });
    assert_eq!(nodes, 10_000);
    assert!(allocated.count_total <= 10 * 10_000, "{allocated:?}");
    assert!(allocated.bytes_max <= 1_500 * 10_000, "{allocated:?}");
}
