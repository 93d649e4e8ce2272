//! Compares trees with the systems that they come from. A row in `originals` is a random tree with
//! the answers of its leaves and changes of its keys, and what the system did with it in each tick.
//! `rows.py` made the trees, and the programs beside it played them with BehaviorTree.CPP 879522c,
//! behavior3js 0.2.2 and py_trees 2.6.0.
//!
//! A tree does here what it did there, or the report of its import says what differs.
//! `PLEACH_ORIGINALS` is a directory with other rows.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use pleach_import::{Fate, Line};

use crate::import_one;
use crate::played::{play, play_files};

/// A node of a row.
struct Written {
    name: String,
    fields: Vec<(String, String)>,
    children: Vec<Written>,
}

/// Reads the XML of a row, up to where an element ends that began before it.
fn read(rest: &mut &str) -> Vec<Written> {
    let mut nodes = Vec::new();
    while let Some((tag, behind)) = rest.split_once('>') {
        *rest = behind;
        if tag.starts_with("</") {
            break;
        }
        let inner = tag.trim_start_matches('<').trim_end_matches('/');
        let (name, fields) = inner.split_once(' ').unwrap_or((inner, ""));
        let fields = fields.split("' ").filter_map(|it| it.split_once('='));
        let fields = fields.map(|it| (it.0.to_owned(), it.1.trim_matches('\'').to_owned())).collect();
        let children = if tag.ends_with('/') { Vec::new() } else { read(rest) };
        nodes.push(Written { name: name.to_owned(), fields, children });
    }
    nodes
}

/// The classic JSON of behavior3.
fn behavior3(node: &Written, is_action: &dyn Fn(&str) -> bool) -> String {
    fn add(node: &Written, out: &mut Vec<String>) -> usize {
        let id = out.len() + 1;
        out.push(String::new());
        let children: Vec<String> = node.children.iter().map(|it| format!("\"{}\"", add(it, out))).collect();
        let fields: Vec<String> = node.fields.iter().map(|it| format!("\"{}\": {}", it.0, it.1)).collect();
        let below = match &children[..] {
            [] => String::new(),
            [child] if !node.name.ends_with("Sequence") && !node.name.ends_with("Priority") => {
                format!(", \"child\": {child}")
            }
            children => format!(", \"children\": [{}]", children.join(", ")),
        };
        let name = &node.name;
        out[id - 1] = format!(
            "\"{id}\": {{\"id\": \"{id}\", \"name\": \"{name}\", \"properties\": {{{}}}{below}}}",
            fields.join(", ")
        );
        id
    }
    fn leaves<'w>(node: &'w Written, out: &mut Vec<&'w str>) {
        if node.children.is_empty() {
            out.push(&node.name);
        }
        node.children.iter().for_each(|it| leaves(it, out));
    }
    let (mut nodes, mut names) = (Vec::new(), Vec::new());
    add(node, &mut nodes);
    leaves(node, &mut names);
    let custom = names.iter().map(|it| {
        let category = if is_action(it) { "action" } else { "condition" };
        format!("{{\"name\": \"{it}\", \"category\": \"{category}\"}}")
    });
    let custom: Vec<String> = custom.collect();
    format!(
        "{{\"title\": \"t\", \"root\": \"1\", \"nodes\": {{{}}}, \"custom_nodes\": [{}]}}",
        nodes.join(", "),
        custom.join(", ")
    )
}

/// The table for py_trees in `coming-from.md`: a node there, and here.
const PY_TREES: [(&str, &str, &str); 11] = [
    ("Sequence", "", "Sequence"),
    ("Selector", "", "Selector"),
    ("Sequence", "memory=False", "ReactiveSequence"),
    ("Selector", "memory=False", "ReactiveSelector"),
    ("Parallel", "policy=SuccessOnAll", "Parallel"),
    ("Parallel", "policy=SuccessOnOne", "Parallel(success: Any)"),
    ("Inverter", "", "Inverter"),
    ("FailureIsSuccess", "", "ForceSuccess"),
    ("SuccessIsFailure", "", "ForceFailure"),
    ("Repeat", "num_success=2", "Repeat(count: 2, end_on_failure: true)"),
    ("Retry", "num_failures=2", "UntilSuccess(count: 2)"),
];

/// The notes in the book on nodes that differ.
const DIFFERS: [(&str, &str); 3] = [
    ("<Parallel", "updates all children before it decides"),
    ("<Repeat", "a round per tick"),
    ("<Retry", "a round per tick"),
];

/// A tree of py_trees as RON, by the table of the book.
fn py_trees(node: &Written, out: &mut String) {
    if node.children.is_empty() {
        out.push_str(&node.name);
        return;
    }
    if node.name == "OneShot" {
        out.push_str("Use(template: \"RunOnce\", nodes: { \"body\": ");
        py_trees(&node.children[0], out);
        out.push_str("})");
        return;
    }
    let fields: Vec<String> = node.fields.iter().map(|it| format!("{}={}", it.0, it.1)).collect();
    let is = PY_TREES.iter().find(|it| it.0 == node.name && it.1 == fields.join(" ")).expect("a row of the table").2;
    let (name, fields) = is.split_once('(').unwrap_or((is, ")"));
    let fields = fields.trim_end_matches(')');
    let comma = if fields.is_empty() { "" } else { ", " };
    let is_composite = matches!(&*node.name, "Sequence" | "Selector" | "Parallel");
    write!(out, "{name}({fields}{comma}{}: ", if is_composite { "children" } else { "child" }).unwrap();
    if is_composite {
        out.push('[');
    }
    for (at, child) in node.children.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        py_trees(child, out);
    }
    out.push_str(if is_composite { "])" } else { ")" });
}

/// Without aborts: behavior3js does not close the first node that it leaves, and py_trees aborts in
/// another order.
fn updates(ticks: &str) -> String {
    let tick = |tick: &str| tick.split(' ').filter(|it| !it.ends_with('!')).collect::<Vec<_>>().join(" ");
    ticks.split('|').map(tick).collect::<Vec<_>>().join("|")
}

/// A row: the tree, answers, changes, and what happens.
type Fields<'r> = [&'r str; 4];

/// Plays all rows of a system. `play` returns what happens here, and the lines of the report.
/// Returns how many do the same, and for how many the report says what differs.
fn rows(system: &str, play: impl Fn(Fields<'_>) -> (String, Vec<String>)) -> (usize, usize) {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/originals");
    let directory = env::var_os("PLEACH_ORIGINALS").map_or_else(|| PathBuf::from(own), PathBuf::from);
    let rows = fs::read_to_string(directory.join(format!("{system}.txt"))).unwrap();
    let (mut same, mut told, mut wrong) = (0, 0, Vec::new());
    for row in rows.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let fields: Fields<'_> = fields.try_into().expect("four fields");
        let (played, differs) = play(fields);
        if played == fields[3] {
            same += 1;
        } else if differs.is_empty() {
            wrong.push(format!(
                "{}\n  {}  {}\n  there {}\n  here  {played}",
                fields[0], fields[1], fields[2], fields[3]
            ));
        } else {
            told += 1;
        }
    }
    wrong.sort_by_key(|it| it.find('\n'));
    wrong.truncate(10);
    assert!(wrong.is_empty(), "{same} the same, {told} told\n{}", wrong.join("\n"));
    println!("{system}: {same} do the same; of {told} the report says what differs");
    (same, told)
}

/// Imports a text and plays it.
fn imported(name: &str, text: String, [_, answers, changes, _]: Fields<'_>) -> (String, Vec<String>) {
    let imported = import_one(name, text);
    let fates = imported.report.entries.iter().filter_map(|it| match &it.what {
        Line::Node(_, Fate::Rewritten(why) | Fate::Lost(why)) => Some(why.clone()),
        _ => None,
    });
    (play(&imported, answers, changes, 6), fates.collect())
}

/// A manifest of the leaves that have answers.
fn manifest(answers: &str) -> String {
    let names = answers.split(' ').filter_map(|it| it.split_once('=')).map(|it| it.0);
    let leaves = names.map(|it| {
        let kind = if is_action(it) { "Action" } else { "Condition" };
        format!("(name: \"{it}\", kind: {kind}, parameters: Known([]))")
    });
    format!("Manifest(version: 1, leaves: [{}])", leaves.collect::<Vec<_>>().join(", "))
}

fn is_action(leaf: &str) -> bool {
    leaf.starts_with('A')
}

#[test]
fn trees_of_behaviortree_cpp_do_what_they_did() {
    let (same, told) = rows("btcpp", |fields| {
        let leaves = fields[1].split(' ').filter_map(|it| it.split_once('=')).map(|it| it.0);
        let model = leaves.map(|it| format!("<{} ID='{it}'/>", if is_action(it) { "Action" } else { "Condition" }));
        let model: String = model.collect();
        let tree = fields[0];
        let xml = format!(
            "<root BTCPP_format='4'><BehaviorTree ID='T'>{tree}</BehaviorTree><TreeNodesModel>{model}</TreeNodesModel></root>"
        );
        imported("t.xml", xml, fields)
    });
    assert!(same > 10 * told);
}

#[test]
fn trees_of_behavior3_do_what_they_did() {
    let (same, told) = rows("behavior3", |fields| {
        let json = behavior3(&read(&mut &*fields[0])[0], &is_action);
        let (played, differs) = imported("t.json", json, fields);
        (if updates(&played) == updates(fields[3]) { fields[3].to_owned() } else { played }, differs)
    });
    assert!(same > told);
}

#[test]
fn the_book_says_of_py_trees_what_it_does() {
    let page = include_str!("../../../../docs/guide/src/coming-from.md");
    for (there, fields, here) in PY_TREES {
        let row = format!(
            "| `{there}{}` | `{here}` |",
            if fields.is_empty() { String::new() } else { format!("({fields})") }
        );
        assert!(page.contains(&row), "the page lacks\n{row}");
    }
    assert!(DIFFERS.iter().all(|it| page.contains(it.1)));
    rows("py_trees", |fields| {
        let mut ron = String::from("Tree(version: 1, root: ");
        py_trees(&read(&mut &*fields[0])[0], &mut ron);
        ron.push(')');
        let files = [("t.ron".to_owned(), ron), ("game.leaves".to_owned(), manifest(fields[1]))].into();
        let played = play_files(&files, fields[1], "", 6);
        let differs = DIFFERS.iter().filter(|it| fields[0].contains(it.0));
        let differs = differs.map(|it| it.1.to_owned()).collect();
        (if updates(&played) == updates(fields[3]) { fields[3].to_owned() } else { played }, differs)
    });
}
