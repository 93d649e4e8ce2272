//! The report on small mistakes and small differences.

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

#[test]
fn starbound_tells_what_it_cannot_say() {
    let told = |parameters: &str, root: &str| {
        let source = format!(r#"{{"name": "T", "parameters": {parameters}, "root": {root}}}"#);
        let report = import_one("t.behavior", source).report;
        report.entries.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let lines = told(
        r#"{"a": 1}"#,
        r#"{"type": "action", "name": "A", "parameters": {"x": {"key": "a"}, "y": {"key": "<a>"}}}"#,
    );
    says(
        &lines,
        "t.behavior:1:1: error: `a` is a parameter and a key of the board, and would be one key here: rename one there",
    );
    let lines = told("{}", r#"{"type": "composite", "name": "sequence", "children": [{"type": "leaf", "name": "A"}]}"#);
    says(&lines, "t.behavior:1:96: error: the `type` of `A` is not one of action, composite, decorator, module");
    let leaf = r#"{"type": "action", "name": "A"}"#;
    let parallel = format!(
        r#"{{"type": "composite", "name": "parallel", "parameters": {{"fail": {{"value": 9}}}}, "children": [{leaf}, {leaf}]}}"#
    );
    let lines = told("{}", &parallel);
    assert!(
        lines.iter().any(|it| it.contains("lost: parallel: its counts are not 1 to 2, or -1 for all")),
        "{lines:?}"
    );
}

#[test]
fn behaviac_tells_what_it_leaves_out() {
    let told = |nodes: &str| {
        let source = format!(
            r#"<Behavior Version="5"><Node Class="Behaviac.Design.Nodes.Behavior" AgentType="Agent" Id="-1">
            <Parameters><Parameter Name="tries" Type="int" DefaultValue="7"/></Parameters>
            <Connector Identifier="GenericChildren">{nodes}</Connector></Node></Behavior>"#
        );
        let imported = import_one("t.xml", source);
        let lines: String = imported.report.entries.iter().map(|it| format!("{it}\n")).collect();
        (lines, imported.files["t.ron"].clone())
    };
    let condition =
        |left: &str| format!(r#"<Node Class="Condition" Operator="Less" Opl="{left}" Opr="int Self.Agent::tries"/>"#);
    let (lines, tree) = told(&condition("int Self.Agent::hp"));
    assert!(!lines.contains("lost") && tree.contains("\"tries\": Int(7)"), "{lines}{tree}");
    let (lines, _) = told(&condition("int World.World::hp"));
    assert!(lines.contains("`int World.World::hp` is the game's: let a leaf write it into a key"), "{lines}");
    let (lines, _) = told(&condition("int Self.Agent::list[int Self.Agent::i]"));
    assert!(lines.contains("is in a list: let a leaf write it into a key"), "{lines}");
    let walk = r#"<Connector Identifier="GenericChild"><Node Class="Action" Method="Self.Agent::Walk()"/></Connector>"#;
    let (lines, _) =
        told(&format!(r#"<Node Class="DecoratorAlwaysSuccess" DecorateWhenChildEnds="false">{walk}</Node>"#));
    assert!(
        lines.contains("rewritten: DecoratorAlwaysSuccess: there it also decides, or counts, in each tick"),
        "{lines}"
    );
    let set = r#"<Attachment Class="Precondition" Operator="Assign" Opl="int Self.Agent::hp" Opr2="const int 5" Phase="Enter"/>"#;
    let (lines, _) = told(&format!(r#"<Node Class="Sequence">{set}{walk}</Node>"#));
    assert!(lines.contains("its condition is left out: the operator `Assign` compares nothing"), "{lines}");
}

#[test]
fn limboai_tells_what_it_leaves_out() {
    let told = |plan: &str, task: &str| {
        let source = format!(
            "[gd_resource type=\"BehaviorTree\" format=3]\n\n[ext_resource type=\"Script\" path=\"res://a/go.gd\" id=\"1\"]\n\
             [ext_resource type=\"Script\" path=\"res://b/go.gd\" id=\"2\"]\n\n[sub_resource type=\"BlackboardPlan\" id=\"p\"]\n{plan}\n\n\
             {task}\n\n[resource]\nblackboard_plan = SubResource(\"p\")\nroot_task = SubResource(\"r\")\n"
        );
        let imported = import_one("t.tres", source);
        (imported.report.entries.iter().map(|it| format!("{it}\n")).collect::<String>(), imported)
    };
    let subtree = "[sub_resource type=\"BTSubtree\" id=\"r\"]";
    let (lines, _) = told("var/speed/bind_to_property = NodePath(\"..:speed\")", subtree);
    assert!(
        lines.contains("t.tres:7:1: warning: `speed` is bound to a property there: let the game write the key"),
        "{lines}"
    );
    assert!(lines.contains("lost: BTSubtree: it names no tree: set its `subtree`"), "{lines}");
    let both = "[sub_resource type=\"BTAction\" id=\"a\"]\nscript = ExtResource(\"1\")\n\n[sub_resource type=\"BTAction\" id=\"b\"]\n\
                script = ExtResource(\"2\")\n\n[sub_resource type=\"BTSequence\" id=\"r\"]\nchildren = [SubResource(\"a\"), SubResource(\"b\")]";
    let (_, imported) = told("", both);
    assert!(imported.files["t.ron"].contains("Sequence([Go, BGo])"), "{}", imported.files["t.ron"]);
}

#[test]
fn behavior_designer_tells_of_tasks_that_wait() {
    let source = r#"{"RootTask": {"Type": "Sequence", "ID": 1, "Name": "Sequence", "Instant": true, "Children": [
        {"Type": "Idle", "ID": 2, "Name": "Idle", "Instant": false}]}, "Variables": []}"#;
    let lines: String = import_one("t.json", source).report.entries.iter().map(|it| format!("{it}\n")).collect();
    assert!(lines.contains("it waits a tick there before the next task, and not here"), "{lines}");
}
