//! What imported trees do, tick by tick: leaf updates, halts and results. The rows are written by
//! hand for what one node does. BehaviorTree.CPP 879522c does the same with `tickExactlyOnce`,
//! except that its `SequenceWithMemory` waits a tick after each child.

use pleach::nodes::{inverter, selector, sequence};
use pleach::trace::Recorder;
use pleach::{Forest, Tree};
use pleach_import::BtLog;

use crate::import_one;
use crate::played::{World, leaf, play};

/// The tree, answers, changes of keys, and what happens in each tick.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// Conditions of nodes: src/tree_node.cpp.
const CONDITIONS: [Row; 23] = [
    ("<Sequence><A _skipIf='go'/><B/></Sequence>", "A=RS B=S", "2:go=true", "A:R|A:S B:S =S|B:S =S"),
    ("<Sequence><A _while='go'/><B/></Sequence>", "A=R B=S", "1:go=true 3:go=false", "A:R|A:R|A! B:S =S|B:S =S"),
    ("<Sequence><A _while='go'/><B/></Sequence>", "A=F B=S", "1:go=true", "A:F =F|A:F =F"),
    (
        "<ReactiveSequence><A _while='go'/><B/></ReactiveSequence>",
        "A=S B=R",
        "1:go=true 3:go=false",
        "A:S B:R|A:S B:R|B:R",
    ),
    ("<Fallback><A _while='go'/><B/></Fallback>", "A=R B=S", "1:go=true 3:go=false", "A:R|A:R|A! B:S =S|B:S =S"),
    ("<Fallback><A _skipIf='go'/><B/></Fallback>", "A=S B=S", "2:go=true", "A:S =S|B:S =S"),
    ("<Sequence><Inverter><A _skipIf='go'/></Inverter><B/></Sequence>", "A=F B=S", "2:go=true", "A:F B:S =S|B:S =S"),
    ("<Fallback><Sequence><A _skipIf='go'/></Sequence><B/></Fallback>", "A=S B=S", "2:go=true", "A:S =S|B:S =S"),
    ("<Fallback><A _failureIf='go'/><B/></Fallback>", "A=S B=S", "2:go=true", "A:S =S|B:S =S"),
    ("<Sequence><A _successIf='go'/><B/></Sequence>", "A=F B=S", "2:go=true", "A:F =F|B:S =S"),
    ("<Sequence><A _onSuccess='go=true'/><B _skipIf='go'/></Sequence>", "A=S B=F", "", "A:S =S|A:S =S"),
    ("<Fallback><A _onFailure='go=true'/><B _skipIf='go'/></Fallback>", "A=F B=S", "", "A:F =F|A:F =F"),
    // `_post` runs at an end and not at a halt, after the other scripts.
    ("<Sequence><A _post='n:=1'/><B _skipIf='n==1'/></Sequence>", "A=S B=S", "", "A:S =S"),
    (
        "<Sequence><Fallback><A _while='!go' _post='n:=1'/><D/></Fallback><B _skipIf='n==1'/></Sequence>",
        "A=R B=S D=S",
        "2:go=true",
        "A:R|A! D:S B:S =S",
    ),
    ("<Sequence><A _post='n:=n*2' _onSuccess='n:=n+1'/><B _skipIf='n==2'/></Sequence>", "A=S B=S", "", "A:S =S"),
    // They run when a condition decides, and not when it skips.
    ("<Fallback><A _failureIf='go' _onFailure='n:=2'/><B _skipIf='n==2'/></Fallback>", "A=S B=S", "1:go=true", "=F"),
    ("<Sequence><A _successIf='go' _post='n:=2'/><B _skipIf='n==2'/></Sequence>", "A=S B=S", "1:go=true", "=S"),
    ("<Sequence><A _skipIf='go' _post='n:=2'/><B _skipIf='n==2'/></Sequence>", "A=S B=S", "1:go=true", "B:S =S"),
    ("<Sequence><A _while='go' _onSuccess='n:=2'/><B _skipIf='n==2'/></Sequence>", "A=S B=S", "", "B:S =S"),
    (
        "<Sequence><Sequence _onSuccess='n:=2'><A _skipIf='go'/></Sequence><B _skipIf='n==2'/></Sequence>",
        "A=S B=S",
        "1:go=true 2:go=false",
        "B:S =S|A:S =S",
    ),
    // Deciding conditions are checked before skipping ones, wherever the latter are checked.
    (
        "<Fallback><Inverter><A _failureIf='go' _skipIf='far'/></Inverter><B/></Fallback>",
        "A=S B=S",
        "1:go=true 1:far=true 2:go=false",
        "=S|B:S =S",
    ),
    (
        "<Fallback><Inverter><A _failureIf='go' _while='near'/></Inverter><B/></Fallback>",
        "A=S B=S",
        "1:go=true 2:go=false",
        "=S|B:S =S",
    ),
    (
        "<Fallback><Sequence><A _successIf='go' _skipIf='far'/></Sequence><B/></Fallback>",
        "A=F B=S",
        "1:go=true 1:far=true 2:go=false",
        "=S|B:S =S",
    ),
];

/// src/decorators.
const DECORATORS: [Row; 15] = [
    ("<Repeat num_cycles='3'><A/></Repeat>", "A=S", "", "A:S|A:S|A:S =S"),
    ("<Repeat num_cycles='3'><A/></Repeat>", "A=RSRSRS", "", "A:R|A:S A:R|A:S A:R|A:S =S"),
    ("<Repeat num_cycles='3'><A/></Repeat>", "A=SF", "", "A:S|A:F =F"),
    ("<RetryUntilSuccessful num_attempts='2'><A/></RetryUntilSuccessful>", "A=F", "", "A:F|A:F =F"),
    ("<RetryUntilSuccessful num_attempts='2'><A/></RetryUntilSuccessful>", "A=RFS", "", "A:R|A:F A:S =S"),
    ("<Repeat num_cycles='0'><A/></Repeat>", "A=F", "", "=S"),
    ("<RetryUntilSuccessful num_attempts='0'><A/></RetryUntilSuccessful>", "A=S", "", "=F"),
    ("<KeepRunningUntilFailure><A/></KeepRunningUntilFailure>", "A=RSRSF", "", "A:R|A:S|A:R|A:S|A:F =F"),
    ("<Precondition if='go' else='RUNNING'><A/></Precondition>", "A=S", "2:go=true", "|A:S =S"),
    ("<Precondition if='go' else='SUCCESS'><A/></Precondition>", "A=S", "2:go=true", "=S|A:S =S"),
    ("<Precondition if='go'><A/></Precondition>", "A=S", "2:go=true", "=F|A:S =S"),
    ("<Sequence><RunOnce><A/></RunOnce><B/></Sequence>", "A=RS B=S", "", "A:R|A:S B:S =S|B:S =S"),
    ("<Sequence><RunOnce><A/></RunOnce><B/></Sequence>", "A=F B=S", "", "A:F =F|B:S =S"),
    ("<Fallback><RunOnce><A/></RunOnce><B/></Fallback>", "A=S B=S", "", "A:S =S|B:S =S"),
    ("<Sequence><RunOnce then_skip='false'><A/></RunOnce><B/></Sequence>", "A=F B=S", "", "A:F =F|=F"),
];

/// src/controls.
const CONTROLS: [Row; 20] = [
    ("<Parallel success_count='2' failure_count='2'><A/><B/><D/></Parallel>", "A=S B=RS D=F", "", "A:S B:R D:F|B:S =S"),
    ("<Parallel success_count='3' failure_count='4'><A/><B/><D/><E/></Parallel>", "A=F B=F D=R E=R", "", "A:F B:F =F"),
    ("<Parallel success_count='1' failure_count='1'><A/><B/></Parallel>", "A=R B=RS", "", "A:R B:R|A:R B:S A! =S"),
    // With a count of successes, a skipped child is asked again in each tick.
    ("<Parallel success_count='1'><A _while='go'/><B/></Parallel>", "A=S B=RRS", "", "B:R|B:R|B:S =S"),
    ("<Parallel success_count='1'><A _while='go'/><B/></Parallel>", "A=RS B=R", "2:go=true", "B:R|A:R B:R|A:S B! =S"),
    (
        "<Parallel success_count='2'><A _while='go'/><B/></Parallel>",
        "A=R B=R",
        "1:go=true 2:go=false 3:go=true",
        "A:R B:R|A! B:R|A:R B:R",
    ),
    ("<Parallel success_count='2'><A _skipIf='go'/><B/></Parallel>", "A=S B=S", "1:go=true 3:go=false", "B:S||A:S =S"),
    (
        "<Fallback><Parallel success_count='2'><A _skipIf='go'/><B _skipIf='go'/></Parallel><D/></Fallback>",
        "A=S B=S D=S",
        "1:go=true 2:go=false",
        "D:S =S|A:S B:S =S",
    ),
    (
        "<Parallel success_count='2'><Inverter><A _while='go'/></Inverter><B/></Parallel>",
        "A=F B=S",
        "2:go=true",
        "B:S|A:F =S",
    ),
    ("<ParallelAll max_failures='2'><A/><B/><D/></ParallelAll>", "A=F B=RS D=S", "", "A:F B:R D:S|B:S =S"),
    ("<ParallelAll max_failures='2'><A/><B/><D/></ParallelAll>", "A=F B=F D=RS", "", "A:F B:F D:R|D:S =F"),
    ("<IfThenElse><Condition ID='C'/><A/><B/></IfThenElse>", "C=SF A=RS B=S", "", "C:S A:R|A:S =S|C:F B:S =S"),
    ("<IfThenElse><Condition ID='C'/><A/></IfThenElse>", "C=F A=S", "", "C:F =F"),
    ("<WhileDoElse><Condition ID='C'/><A/><B/></WhileDoElse>", "C=SSF A=R B=S", "", "C:S A:R|C:S A:R|C:F A! B:S =S"),
    ("<TryCatch><A/><B/><D/></TryCatch>", "A=S B=F D=RS", "", "A:S B:F D:R|D:S =F"),
    (
        "<Switch2 variable='{n}' case_1='1' case_2='2'><A/><B/><D/></Switch2>",
        "A=R B=R D=S",
        "1:n=1 2:n=2 3:n=7",
        "A:R|A! B:R|B! D:S =S",
    ),
    ("<ReactiveFallback><Condition ID='C'/><A/></ReactiveFallback>", "C=FFS A=R", "", "C:F A:R|C:F A:R|C:S A! =S"),
    ("<ReactiveSequence><Condition ID='C'/><A/></ReactiveSequence>", "C=SSF A=R", "", "C:S A:R|C:S A:R|C:F A! =F"),
    (
        "<SequenceWithMemory><A/><B/><D/></SequenceWithMemory>",
        "A=S B=FS D=S",
        "",
        "A:S B:F =F|B:S D:S =S|A:S B:S D:S =S",
    ),
    (
        "<Sequence><Script code='half := n / 2'/><A _skipIf='half == 1.5'/></Sequence>",
        "A=S",
        "1:n=3 2:n=4",
        "=S|A:S =S",
    ),
];

#[test]
fn imported_trees_do_what_they_did() {
    let mut wrong = Vec::new();
    for (tree, answers, changes, expected) in CONDITIONS.iter().chain(&DECORATORS).chain(&CONTROLS) {
        let xml = format!("<root BTCPP_format='4'><BehaviorTree ID='T'>{tree}</BehaviorTree></root>");
        let played = play(&import_one("t.xml", xml), answers, changes, expected.split('|').count());
        if played != *expected {
            wrong.push(format!("{tree}\n  expected {expected}\n  played   {played}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The row of the book for a node, compared with the output.
#[test]
fn the_book_says_what_is_written() {
    let page = include_str!("../../../../docs/guide/src/coming-from.md");
    let trees = [
        ("KeepRunningUntilFailure", "<KeepRunningUntilFailure><A/></KeepRunningUntilFailure>"),
        ("RetryUntilSuccessful", "<RetryUntilSuccessful num_attempts='3'><A/></RetryUntilSuccessful>"),
        ("Repeat", "<Repeat num_cycles='3'><A/></Repeat>"),
        ("RunOnce", "<RunOnce then_skip='false'><A/></RunOnce>"),
        ("IfThenElse", "<IfThenElse><A/><B/><D/></IfThenElse>"),
        ("WhileDoElse", "<WhileDoElse><A/><B/><D/></WhileDoElse>"),
        ("`_while` in a sequence", "<Sequence><A _while='go'/><B/></Sequence>"),
        ("`_while` in a selector", "<Fallback><A _while='go'/><B/></Fallback>"),
        ("`_skipIf` in a sequence", "<Sequence><A _skipIf='go'/><B/></Sequence>"),
        ("`_skipIf` in a selector", "<Fallback><A _skipIf='go'/><B/></Fallback>"),
        ("`_failureIf`", "<A _failureIf='go'/>"),
        ("`_successIf`", "<A _successIf='go'/>"),
        ("`_onSuccess`", "<A _onSuccess='n=0'/>"),
        ("Parallel", "<Parallel success_count='2' failure_count='3'><A/><B/><D/></Parallel>"),
        ("TryCatch", "<TryCatch><A/><B/><D/></TryCatch>"),
    ];
    for (name, tree) in trees {
        let row = page.lines().find(|it| it.starts_with(&format!("| {name} |")));
        let row = row.unwrap_or_else(|| panic!("the page has no row of {name}"));
        let xml = format!(
            "<root BTCPP_format=\"4\"><BehaviorTree ID=\"T\">{}</BehaviorTree></root>",
            tree.replace('\'', "\"")
        );
        let written = &import_one("t.xml", xml).files["t.ron"];
        let one_line: Vec<&str> = written.split_whitespace().collect();
        let one_line = one_line.join(" ").replace("( ", "(").replace(",)", ")").replace(", )", ")");
        let code = row.split('`').filter(|it| it.contains('(')).find(|it| one_line.contains(*it));
        assert!(code.is_some(), "{name}: {one_line}\n{row}");
    }
}

/// `FileLogger2` wrote these changes for the same tree and answers
/// (src/loggers/bt_file_logger_v2.cpp). A line has those of a tick, with the number of the node and
/// its status: idle, running, success, failure.
#[test]
fn a_log_is_the_one_of_its_engine() {
    let expected = [
        "1R 2F 2I 1F 1I",
        "1R 2S 3R 4R",
        "4F 5R 6R",
        "6F 6I 5S 4I 5I 3S 7R",
        "7S 2I 3I 7I 1S 1I",
        "1R 2S 3R 4S 4I 3S 7S 2I 3I 7I 1S 1I",
        "1R 2S 3R 4F 5R 6S 6I 5F 4I 5I 3F 2I 3I 1F 1I",
        "1R 2S 3R 4F 5R 6S 6I 5F 4I 5I 3F 2I 3I 1F 1I",
    ];
    let mut world = World::default();
    world.say("A=FSSSSS B=RFSF C=RFS D=RSS");
    let inner = selector([leaf("B", false), inverter(leaf("C", false).named("sea"))]);
    let root = sequence([leaf("A", false), inner, leaf("D", false)]).named("top");
    let mut forest = Forest::new(1);
    let tree = forest.add_tree(Tree::builder("T").build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    let mut log = BtLog::new(forest.tree(tree).unwrap()).unwrap();
    let mut ends = vec![0];
    for _ in expected {
        let mut recorder = Recorder::of([agent]);
        forest.traced(&mut recorder).tick(&mut world, 0.1).unwrap();
        recorder.take().into_iter().for_each(|it| log.event(forest.time(), it.event));
        ends.push(log.len());
    }
    let bytes = log.into_bytes();
    let changes: Vec<String> = bytes[bytes.len() - 9 * ends[ends.len() - 1]..]
        .chunks(9)
        .map(|it| format!("{}{}", u16::from_le_bytes([it[6], it[7]]), ["I", "R", "S", "F"][usize::from(it[8])]))
        .collect();
    let ticks: Vec<String> = ends.windows(2).map(|it| changes[it[0]..it[1]].join(" ")).collect();
    assert_eq!(ticks, expected);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("<Sequence name=\"top\" _uid=\"1\">"), "{text}");
    assert!(text.contains("_uid=\"6\"/>\n        </Inverter>"), "{text}");
}
