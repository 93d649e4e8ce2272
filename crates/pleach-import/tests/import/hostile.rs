//! Files that are broken, hostile, or both: a report, never a panic, in little time.

use std::collections::BTreeMap;

use pleach_import::{Line, Options, import};

use crate::{checked, import_one};

const GUARD: &str = include_str!("../samples/btcpp/guard/guard.xml");
const ENTIRE: &str = include_str!("../samples/btcpp/nodes/nodes.xml");

/// The errors of an import, as they are printed.
fn errors(text: impl AsRef<[u8]>) -> Vec<String> {
    let imported = import_one("a.xml", text);
    let is_error = |it: &&pleach_import::Entry| matches!(it.what, Line::Error(_));
    imported.report.entries.iter().filter(is_error).map(ToString::to_string).collect()
}

fn tree(inner: &str) -> String {
    format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\">{inner}</BehaviorTree></root>")
}

#[test]
fn each_problem_has_its_place() {
    let bomb = "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol1 \"&lol;&lol;\">]>\n<root>&lol1;</root>";
    let deep = format!("<root>\n{}", "<a>".repeat(100_000));
    let wide = format!("<root {}/>", (0..1_000).map(|it| format!("a{it}=\"\" ")).collect::<String>());
    let cases = [
        (bomb, "a.xml:1:1: error: a document type"),
        (&*deep, "a.xml:2:766: error: elements are nested deeper than 256"),
        (&*wide, "a.xml:1:1945: error: `<root>` has more than 256 attributes"),
        ("<root>\n  <a>\n</root>", "a.xml:3:1: error: `</root>` does not end `<a>`"),
        ("<root><a>", "a.xml:1:7: error: `<a>` is never closed"),
        ("<root/><root/>", "a.xml:1:8: error: a second root element"),
        ("<root/></a>", "a.xml:1:8: error: `</a>` ends nothing"),
        ("<root a=\"1\"\n  a=\"2\"/>", "a.xml:2:3: error: `a` is given twice"),
        ("<root a=\"\n &nbsp; \"/>", "a.xml:2:2: error: `&nbsp;` is not an entity of XML"),
        ("<root a=\"&#xd800;\"/>", "error: `&#xd800;` is not an entity of XML"),
        ("<root/>\ntext", "a.xml:1:8: error: text outside of the root element"),
    ];
    for (text, expected) in cases {
        let errors = errors(text);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{expected}: {errors:?}");
    }
}

#[test]
fn encodings_are_told_apart() {
    let utf16: Vec<u8> = "\u{feff}<root/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(errors(&utf16), ["a.xml:1:1: error: the file is UTF-16: save it as UTF-8"]);
    assert_eq!(errors(b"<root>\n\xff"), ["a.xml:2:1: error: a byte that is not UTF-8: save the file as UTF-8"]);
    let plain = import_one("a.xml", ENTIRE);
    let with_mark = import_one("a.xml", format!("\u{feff}{ENTIRE}"));
    let with_returns = import_one("a.xml", ENTIRE.replace('\n', "\r\n"));
    assert_eq!(plain.files, with_mark.files);
    assert_eq!(plain.files, with_returns.files);
    assert_eq!(plain.report, with_returns.report);
}

#[test]
fn a_large_file_is_bounded() {
    let many = "<Fallback><Condition ID=\"C\" x=\"{key}\"/><Walk to=\"&amp;\"/></Fallback>".repeat(20_000);
    let imported = import_one("a.xml", tree(&format!("<Sequence>{many}</Sequence>")));
    assert_eq!(imported.report.counts().exact, 60_001);
    let too_many = errors(tree(&format!("<Sequence>{}</Sequence>", "<A/>".repeat(250_000))));
    assert!(too_many.len() == 1 && too_many[0].contains("more than 250000 elements: split it"), "{too_many:?}");
    let too_large = vec![b' '; (4 << 20) + 1];
    assert_eq!(errors(too_large), ["a.xml:1:1: error: the file has more than 4 MiB: split it"]);
}

#[test]
fn many_files_are_bounded() {
    let large = vec![b' '; 4 << 20];
    let files = (0..9).map(|it| (format!("{it}.xml"), large.clone())).collect();
    let report = import(&files, &Options::default()).report;
    assert!(
        report
            .entries
            .iter()
            .any(|it| it.to_string() == "8.xml:1:1: error: the files have more than 32 MiB: import some")
    );
    // Each of many trees contains a large one.
    let big = format!("<BehaviorTree ID=\"Big\"><Sequence>{}</Sequence></BehaviorTree>", "<A/>".repeat(20_000));
    let uses = (0..40).map(|it| format!("<BehaviorTree ID=\"T{it}\"><SubTree ID=\"Big\"/></BehaviorTree>"));
    let text = format!("<root BTCPP_format=\"4\">{big}{}</root>", uses.collect::<String>());
    let imported = import_one("a.xml", text);
    assert_eq!((imported.files.len(), imported.report.counts().errors), (42, 0));
    let warnings = imported.report.entries.iter().filter(|it| it.to_string().contains("not all trees are loaded"));
    assert_eq!(warnings.count(), 1);
}

#[test]
fn the_deepest_tree_is_written() {
    let deep = |count: usize, name: &str| {
        tree(&format!(
            "{}<A/>{}",
            format!("<{name} _post=\"x=1\" _while=\"x\">").repeat(count),
            format!("</{name}>").repeat(count)
        ))
    };
    for name in ["Inverter", "Sequence", "RunOnce", "IfThenElse", "Own", "TryCatch"] {
        // Nodes added around others can make a tree deeper than pleach writes.
        let told = errors(deep(253, name));
        assert!(told.iter().all(|it| it.contains("a.ron` cannot be written: ")), "{told:?}");
        assert!(!checked(&import_one("a.xml", deep(40, name))).contains("error["), "{name}");
    }
    assert!(errors(deep(254, "Inverter"))[0].contains("nested deeper than 256"));
    let plain = tree(&format!("{}<A/>{}", "<Inverter>".repeat(253), "</Inverter>".repeat(253)));
    let imported = import_one("a.xml", plain);
    assert_eq!((imported.report.counts().exact, imported.report.counts().errors), (254, 0));
    assert_eq!(checked(&imported), "");
}

#[test]
fn a_file_that_ends_anywhere_is_told() {
    for end in (0..GUARD.len()).filter(|it| GUARD.is_char_boundary(*it)) {
        let imported = import_one("a.xml", &GUARD[..end]);
        let is_whole = GUARD[end..].trim().is_empty();
        assert_eq!(imported.files.is_empty(), !is_whole, "{end}");
    }
    let others = [
        include_str!("../samples/behavior3/farm/farm.b3"),
        include_str!("../samples/behavior3-nested/knight/knight.json"),
        include_str!("../samples/maikire/fighter/fighter.txt"),
        include_str!("../samples/limboai/imp/imp.tres"),
        include_str!("../samples/beehave/slime/slime.tscn"),
        include_str!("../samples/behaviac/agent/rest.xml"),
        include_str!("../samples/behavior-designer/soldier/soldier.asset"),
        include_str!("../samples/starbound/moth/moth.behavior"),
    ];
    for text in others {
        for end in 0..text.len() {
            // Some text is whole wherever it ends.
            let _ = import_one("a", &text[..end]).report;
        }
    }
}

#[test]
fn nothing_else_is_read() {
    let source = "<root BTCPP_format=\"4\"><include path=\"/etc/passwd\"/><include path=\"../b.xml\"/></root>";
    let files = BTreeMap::from([("a/a.xml".to_owned(), source.into()), ("b.xml".to_owned(), tree("<A/>").into())]);
    let report = import(&files, &Options::default()).report;
    // The second was given.
    assert_eq!(report.counts().errors, 1, "{report:?}");
    assert!(report.entries[0].to_string().contains("`/etc/passwd` is included and was not given"), "{report:?}");
}

#[test]
fn scripts_are_bounded() {
    let brackets = format!("x := {}1{}", "(".repeat(2_000), ")".repeat(2_000));
    let sum = format!("x := {}1", "1+".repeat(2_000));
    let long = format!("x := {}1", "1+".repeat(20_000));
    for script in [&*brackets, &sum, &long, "x :=", "x", ":= 1", "x := 'a", "x := 0xg", "x := 1 $ 2", "x := a ? b"] {
        let imported = import_one("a.xml", tree(&format!("<Script code=\"{script}\"/>")));
        assert_eq!(imported.report.counts().lost, 1, "{:?}", imported.report);
    }
}

/// Nodes reported as exact load. Others are reported at their original places.
#[test]
fn what_is_written_loads_or_is_told() {
    let script = |code: &str| format!("<Script code=\"{code}\"/>");
    let loads = [
        "<Repeat num_cycles=\"0\"><A/></Repeat>".to_owned(),
        "<W\u{e4}chter/>".into(),
        "<A x=\"{w\u{e4}rme}\"/>".into(),
        script("m := 99999999999999999999"),
        script("n := 1e400"),
        "<A _skipIf=\"x &lt; 'b'\"/>".into(),
        // Each key gets its type from the next one.
        script(&((0..200).map(|it| format!("k{it} := k{} + 1;", it + 1)).collect::<String>() + "k200 := 1.5")),
    ];
    for inner in loads {
        let imported = import_one("a.xml", tree(&inner));
        assert!(!checked(&imported).contains("error["), "{inner}: {}", checked(&imported));
        assert_eq!(imported.report.counts().errors, 0, "{:?}", imported.report);
    }
    let told = [
        "<Repeat num_cycles=\"5000000000\"><A/></Repeat>".to_owned(),
        "<Sleep msec=\"99999999999999999\"/>".into(),
        script("n := 1e40"),
    ];
    for inner in told {
        let imported = import_one("a.xml", tree(&format!("<Sequence>\n{inner}</Sequence>")));
        assert!(checked(&imported).contains("error["), "{inner}");
        let report = &imported.report;
        let is_error = |it: &&pleach_import::Entry| matches!(it.what, Line::Error(_));
        let places: Vec<_> = report.entries.iter().filter(is_error).map(|it| (it.line, it.column)).collect();
        assert!(!places.is_empty() && places.iter().all(|it| *it == (2, 1)), "{report:?}");
        assert_eq!(report.counts().lost, 1, "{report:?}");
    }
    let id = |it: usize| format!("<BehaviorTree ID=\"T{it}\">\n<SubTree ID=\"T{}\"/></BehaviorTree>\n", it + 1);
    let parts = format!("<root BTCPP_format=\"4\">{}</root>", (0..80).map(id).collect::<String>());
    let keys = tree(&script(&(0..4_200).map(|it| format!("k{it} := 1;")).collect::<String>()));
    for text in [parts, keys] {
        assert!(errors(text).iter().any(|it| it.contains("does not load")));
    }
}

/// A line of the report is a single line, and no longer than a person reads.
#[test]
fn lines_are_bounded() {
    let long = "x".repeat(200_000);
    let inner = format!(
        "<Sequence name=\"a&#10;a.xml:1:1: lost: fake\"><Script code=\"{long} := 'a' .. 'b'\"/><A name=\"{long}\" _skipIf=\"{long} $\"/>\
         <Own x=\"{long}\"><A/></Own><{long}/><ScriptCondition code=\"{long} $\"/><A x=\"{{{long}}}\"/>\
         <SetBlackboard value=\"{long};\" output_key=\"k\"/><Switch2 variable=\"{{{long}}}\" case_1=\"{long}\"><A/></Switch2></Sequence>"
    );
    for entry in import_one("a.xml", tree(&inner)).report.entries {
        let line = entry.to_string();
        assert!(line.len() < 1_000 && !line.contains('\n'), "{line}");
    }
    // A large file is only reported as too large.
    let large = import_one("a.txt", vec![b' '; (4 << 20) + 1]).report;
    assert_eq!(large.entries.len(), 1, "{large:?}");
}

#[test]
fn other_formats_are_told_as_well() {
    let deep = format!("{{\"root\":{}{}}}", "{\"name\":\"Not\",\"children\":[".repeat(300), "]}".repeat(300));
    let deeper = "[".repeat(100_000);
    let lists = format!("[gd_resource]\nx = {deeper}");
    let knot = "[gd_resource]\n[sub_resource type=\"BTInvert\" id=\"a\"]\nchildren = [SubResource(\"a\")]\n[resource]\n\
                root_task = SubResource(\"a\")";
    let cases = [
        ("SelectorNode[0]\nSelectorNode[1]", "a.xml:2:1: error: a second root"),
        ("SelectorNode[0]\n SelectorNode[0]->Selector", "a.xml:2:2: error: `Selector` is not a node"),
        ("SelectorNode[0]\nA[0]->{B[0]}", "a.xml:2:1: error: `{B[0]}` is not a filter"),
        ("SelectorNode[0]\nA[0]->PriorityNode[0]", "a.xml:2:1: error: a PriorityNode cannot be a child"),
        ("A[0]->B[0]", "a.xml:1:1: error: there is no root"),
        ("A[0]\nA[0]->A[0]", "a.xml:1:1: error: `A[0]` would contain itself"),
        ("S[0]\nPriorityNode[0]->A[0]", "a.xml:2:1: error: `A[0]` is not a pair"),
        ("S[0]\nFilterNode[0]->{A[0],B[0]}", "a.xml:2:1: error: `A[0]` is not a condition"),
        ("S[0]\nGoBehavior[0]->B[0]", "a.xml:2:1: error: `GoBehavior[0]` is a leaf: it has no child"),
        (
            "PriorityNode[0]->{OfCondition[0],B[0]}\nPriorityNode[1]->{OfCondition[0],B[0]}",
            "a.xml:2:1: error: a second PriorityNode",
        ),
        ("{\"root\": {\"name\": \"A\",\n \"args\": 1e}}", "a.xml:2:12: error: "),
        ("{\"root\": {\"name\": \"A\",\n \"children\": [{}]}}", "a.xml:2:15: error: this node has no `name`"),
        ("{\"root\": {\"name\": \"A\",\n \"args\": {\"x\": 1, \"x\": 2}}}", "a.xml:2:19: error: `x` is given twice"),
        ("{\"root\": \"1\", \"nodes\": {\"2\": {},\n\"2\": {}}}", "a.xml:2:1: error: `2` is given twice"),
        ("{\"root\": \"1\", \"nodes\": {}}", "a.xml:1:1: error: there is no node of the id `1`"),
        ("{\"id\": \"t\", \"nodes\": {}, \"root\": {}}", "a.xml:1:1: error: the tree `t` has no root"),
        ("[gd_resource]\n[sub_resource id=\"a", "a.xml:2:19: error: a string has no end"),
        ("[gd_resource]\n[resource]\nroot_task = SubResource(\"x\")", "a.xml:2:1: error: there is no resource `x`"),
        ("[gd_resource]\nx = [[1", "a.xml:2:8: error: expected a name"),
        ("[gd_resource]", "a.xml:1:1: error: there is no `[resource]`"),
        ("--- x\n  JSONSerialization: \n", "a.xml:2:3: error: this tree is binary"),
        ("--- x\n  JSONSerialization: '{\n  ", "a.xml:2:23: error: this string has no end"),
        ("--- x\n  JSONSerialization: '{\"a\": }'", "a.xml:2:29: error: "),
        ("--- x\n  JSONSerialization: {}", "a.xml:2:22: error: expected a string in quotes"),
        ("{\"RootTask\": {\"ID\": 1}}", "a.xml:1:14: error: this task has no type"),
        (knot, "a.xml:2:1: error: the task `a` has two parents"),
        (&*lists, "error: values are nested too deep"),
        (&*deep, "Maximum nesting depth exceeded"),
        (&*deeper, "a.xml:1:"),
    ];
    for (text, expected) in cases {
        let errors = errors(text);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{expected}: {errors:?}");
    }
    // A huge number is given to the leaf as a text.
    let huge = import_one("a.json", "{\"root\": {\"name\": \"B\", \"args\": {\"n\": 1e999}}}");
    assert!(huge.files["a.ron"].contains("root: B(n: \"1e999\")"), "{:?}", huge.files);
}

#[test]
fn shared_nodes_are_bounded() {
    // Each node has the next one twice: 2^40 nodes.
    let edges: String = (0..40).map(|it| format!("A[{it}]->A[{0}]\nA[{it}]->A[{0}]\n", it + 1)).collect();
    let errors = errors(format!("A[0]\n{edges}"));
    assert!(errors.len() == 1 && errors[0].contains("too deep, or has too many nodes"), "{errors:?}");
}
