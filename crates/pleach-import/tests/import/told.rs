//! What the report says of small mistakes and small differences.

use crate::import_one;

/// A tree of BehaviorTree.CPP around these nodes, and more elements beside it.
fn told(nodes: &str, beside: &str) -> Vec<String> {
    let source = format!(
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"T\">\n<BehaviorTree ID=\"T\">{nodes}</BehaviorTree>\n{beside}</root>"
    );
    import_one("t.xml", &source).report.entries.iter().map(ToString::to_string).collect()
}

fn says(lines: &[String], expected: &str) {
    assert!(lines.iter().any(|it| it == expected), "no {expected}\n{lines:#?}");
}

#[test]
fn two_keys_that_would_become_one_are_an_error() {
    let lines = told("<Sequence><A x=\"{a b}\"/><A x=\"{a.b}\"/><A x=\"{it's}\"/></Sequence>", "");
    says(&lines, "t.xml:2:35: warning: the key `a b` is `a_b` here");
    says(&lines, "t.xml:2:49: error: `a b` and `a.b` would be one key here, `a_b`: rename one of them there");
    says(&lines, "t.xml:2:63: warning: the key `it's` is `it_s` here");
}

#[test]
fn a_name_in_capitals_is_a_question() {
    let lines = told("<ScriptCondition code=\"light == GREEN\"/>", "");
    says(
        &lines,
        "t.xml:2:22: question: `GREEN` is taken for a word: if it is a number of an enum there, use the number",
    );
}

#[test]
fn a_key_that_a_rewrite_would_hide_is_an_error() {
    let lines = told(
        "<Sequence><Script code=\"already_ran := true\"/><RunOnce><A/></RunOnce>\
         <Script code=\"steps_done := 1\"/><SequenceWithMemory><A/><A/></SequenceWithMemory></Sequence>",
        "",
    );
    for key in ["already_ran", "steps_done"] {
        let expected =
            format!("has a key `{key}` of its own, which hides that of the tree: rename the one of the tree");
        assert!(lines.iter().any(|it| it.contains("error") && it.contains(&expected)), "{lines:#?}");
    }
}

#[test]
fn a_count_from_a_key_may_be_negative_there() {
    for (node, port) in [("Repeat", "num_cycles"), ("RetryUntilSuccessful", "num_attempts")] {
        let lines = told(&format!("<{node} {port}=\"{{n}}\"><A/></{node}>"), "");
        let expected = format!(
            "t.xml:2:22: rewritten: {node}: if the key holds a negative number, it goes on for ever there, and not here"
        );
        says(&lines, &expected);
    }
}

#[test]
fn names_that_lead_nowhere_are_told() {
    let inner = "<BehaviorTree ID=\"In\"><A x=\"{x}\"/></BehaviorTree>\n";
    let lines = told("<SubTree ID=\"In\" x=\"{y}\" z=\"{y}\"/>", inner);
    says(&lines, "t.xml:2:47: warning: the tree `In` does not use `z`, so it is left out");
    let lines = told("<A _skipif=\"true\" _onsuccess=\"x := 1\" _uid=\"3\"/>", "");
    says(&lines, "t.xml:2:25: warning: `_skipif` does nothing there: `_skipIf` does");
    says(&lines, "t.xml:2:40: warning: `_onsuccess` does nothing there: `_onSuccess` does");
    assert!(!lines.iter().any(|it| it.contains("_uid")), "{lines:#?}");
    let lines = told("<A/>", "<include/>\n<include path=\" \"/>\n<BehaviorTree ID=\"\"><A/></BehaviorTree>\n");
    says(&lines, "t.xml:3:1: error: `<include>` lacks its `path`: name the file");
    says(&lines, "t.xml:4:1: error: `<include>` lacks its `path`: name the file");
    says(&lines, "t.xml:5:1: error: the `ID` of a tree is empty: name the tree");
    let lines = told("<Action ID=\"\"/>", "");
    says(&lines, "t.xml:2:22: error: `<Action>` lacks its `ID`: name the node of the game");
    let source =
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"X\"><BehaviorTree ID=\"T\"><A/></BehaviorTree></root>";
    let report = import_one("t.xml", source).report;
    let expected = "t.xml:1:24: warning: `main_tree_to_execute` is `X`, and there is no tree of this name";
    assert_eq!(report.entries[0].to_string(), expected);
}
