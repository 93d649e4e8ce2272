//! The samples of each format: the fates of their nodes, and the output.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pleach_import::{Imported, Options, Profile, import};

use crate::{checked, import_one};

fn files(directory: &Path, below: &str, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files(&path, &format!("{name}/"), all);
        } else {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut all = Vec::new();
    for format in fs::read_dir(root).unwrap() {
        let found = fs::read_dir(format.unwrap().path()).unwrap().map(|it| it.unwrap().path());
        all.extend(found.filter(|it| it.is_dir()));
    }
    all.sort();
    all
}

/// `PLEACH_BLESS=1` writes the expectations. Review them: from then on they are the expected
/// results.
#[test]
fn each_sample_has_its_fates_and_its_files() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let mut given = BTreeMap::new();
        files(&sample, "", &mut given);
        let mut options = Options::default();
        options.profiles.extend(Profile::shipped("nav2").filter(|_| sample.ends_with("nav")));
        let imported = import(&given, &options);
        assert_eq!(imported.report, import(&given, &options).report, "it is deterministic");
        let mut out = String::new();
        for entry in &imported.report.entries {
            out += &format!("{entry}\n");
        }
        for (name, text) in &imported.files {
            out += &format!("\n== {name}\n{text}");
        }
        let checked = checked(&imported);
        if !checked.is_empty() {
            out += &format!("\n== pleach check\n{checked}\n");
        }
        let expected = sample.with_extension("txt");
        if std::env::var_os("PLEACH_BLESS").is_some() {
            fs::write(&expected, &out).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != out {
            wrong.push(format!("{}:\n{out}", expected.display()));
        }
        assert!(!checked.contains("error["), "{}: {checked}", sample.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn told(imported: &Imported) -> String {
    imported.report.entries.iter().map(|it| format!("{it}\n")).collect()
}

/// Values that pleach has no parameters for are not dropped silently.
#[test]
fn lists_and_objects_are_lost() {
    let files = [
        (
            "t.b3",
            r#"{"title": "t", "root": "1", "nodes": {"1": {"id": "1", "name": "Go", "properties": {"route": [1, 2], "fast": true, "then": null}}}}"#,
        ),
        ("t.json", r#"{"name": "t", "root": {"id": 1, "name": "Go", "args": {"route": {"a": 1}, "fast": true}}}"#),
        (
            "t.tres",
            "[gd_resource type=\"BehaviorTree\" format=3]\n[ext_resource type=\"Script\" path=\"res://go.gd\" id=\"1\"]\n\
             [sub_resource type=\"BTAction\" id=\"2\"]\nscript = ExtResource(\"1\")\nroute = [1, 2]\nfast = true\n\
             [resource]\nroot_task = SubResource(\"2\")\n",
        ),
        (
            "t.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://addons/beehave/nodes/beehave_tree.gd\" id=\"1\"]\n\
             [ext_resource type=\"Script\" path=\"res://go.gd\" id=\"2\"]\n[node name=\"T\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
             [node name=\"Go\" type=\"Node\" parent=\".\"]\nscript = ExtResource(\"2\")\nroute = { \"a\": 1 }\nfast = true\n",
        ),
    ];
    for (name, text) in files {
        let report = told(&import_one(name, text));
        assert!(report.contains("lost: Go: its `route` is left out"), "{name}: {report}");
        assert!(!report.contains("`fast`") && !report.contains("`then`"), "{name}: {report}");
    }
}

#[test]
fn a_text_in_a_call_may_have_commas() {
    let xml = r#"<Behavior Version="5"><Node Class="Behaviac.Design.Nodes.Behavior" AgentType="Agent"><Connector Identifier="GenericChildren"><Node Class="PluginBehaviac.Nodes.Action"
        Method="Self.Agent::Say(&quot;hello, you (there)&quot;,int Self.Agent::hp)" ResultFunctor="Self.Agent::Judge()" ResultOption="BT_INVALID"/></Connector></Node></Behavior>"#;
    let imported = import_one("t.xml", xml);
    let report = told(&imported);
    let written = imported.files.get("t.ron").unwrap_or_else(|| panic!("{report}"));
    assert!(written.contains(r#"Say(arg1: "hello, you (there)", arg2: "hp")"#), "{written}");
    assert!(report.contains("`Self.Agent::Judge()` makes its result there"), "{report}");
}

#[test]
fn values_that_switch_a_node_off_do_so() {
    let tree = |inner: &str| format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"t\">{inner}</BehaviorTree></root>");
    let imported = import_one("t.xml", tree("<Timeout msec=\"0\"><A/></Timeout>"));
    assert!(imported.files["t.ron"].contains("root: A)"), "{:?}", imported.files);
    let imported = import_one("t.xml", tree("<RunOnce then_skip=\"0\"><A/></RunOnce>"));
    assert!(imported.files["t.ron"].contains("template: \"RunOnce\""), "{:?}", imported.files);
    let switch = "<Switch3 variable=\"{k}\" case_1=\"1\" case_2=\"2\" case_3=\"3\"><A/><B/></Switch3>";
    let report = told(&import_one("t.xml", tree(switch)));
    assert!(report.contains("lost: Switch3: it has 2 children, and needs one for each case"), "{report}");
    let report = told(&import_one("t.xml", tree("<TryCatch catch_on_halt=\"true\"><A/><B/></TryCatch>")));
    assert!(report.contains("rewritten: TryCatch: its `catch_on_halt` is left out"), "{report}");
    let behaviac = r#"<Behavior Version="5"><Node Class="Behaviac.Design.Nodes.Behavior" AgentType="Agent"><Connector Identifier="GenericChildren">
        <Node Class="PluginBehaviac.Nodes.Noop"><Attachment Class="PluginBehaviac.Events.Effector" Enable="false" Opl="int Self.Agent::hp" Opr2="const int 1"
        Operator="Assign" Phase="Both"/></Node></Connector></Node></Behavior>"#;
    let imported = import_one("t.xml", behaviac);
    assert!(imported.files["t.ron"].contains("root: Succeed)"), "{:?}", imported.files);
}
