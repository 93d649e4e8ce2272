//! Drawings show everything that is written for a node: each field of each kind is edited, and
//! text, SVG and Graphviz must differ. The fields come from the table of kinds, so a new one
//! without words fails here.

use std::collections::BTreeMap;

use pleach::asset::CheckOnly;
use pleach::draw::{Direction, Drawing};
use pleach::tools::kinds::{Arity, FieldDefault, FieldShape, NodeField, NodeKind};
use pleach::{Library, Registry};

use crate::{Place, pleach};

/// The drawings of a tree: as text, as SVG in two forms, for Graphviz.
fn drawings(files: &[(&str, &str)]) -> [String; 4] {
    let mut registry = Registry::<CheckOnly>::new();
    let registry = registry.allow_any_leaf(true).allow_any_event(true);
    let mut library = Library::<BTreeMap<&str, &str>>::new(files.iter().copied().collect());
    let tree = library.load(files[0].0, registry).unwrap_or_else(|it| panic!("{it}\n{}", files[0].1));
    let svg = |direction| Drawing::of(&tree).direction(direction).svg();
    let drawing = Drawing::of(&tree);
    [drawing.text().to_string(), svg(Direction::Down), svg(Direction::Outline), drawing.dot()]
}

/// A picture without the texts that show only under the pointer.
fn without_titles(svg: &str) -> String {
    let mut parts = svg.split("<title>");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, it| all + it.split_once("</title>").map_or("", |it| it.1))
}

/// Any two neighbours differ in every drawing.
fn differ(what: &str, versions: &[Vec<(&str, &str)>]) {
    let all: Vec<[String; 4]> = versions.iter().map(|it| drawings(it)).collect();
    for (pair, sources) in all.windows(2).zip(versions.windows(2)) {
        for (form, name) in ["text", "down", "outline", "dot"].iter().enumerate() {
            let [mut one, mut other] = [&pair[0], &pair[1]].map(|it| it[form].clone());
            // A note shows only under the pointer.
            if !what.ends_with("note") {
                [one, other] = [one, other].map(|it| without_titles(&it));
            }
            let [before, after] = [sources[0][0].1, sources[1][0].1];
            assert_ne!(one, other, "{what}: not in {name}:\n{before}\n{after}");
        }
    }
}

/// A tree with a node, and the names that it may use.
fn tree(node: &str) -> String {
    let rest = match node.starts_with("Free") {
        true => ", Token(token: \"a\", count: 1, child: Idle), Token(token: \"b\", count: 1, child: Idle)",
        false => "",
    };
    format!(
        "Tree(version: 1, name: \"t\", blackboard: {{ \"k\": Int(0), \"l\": Int(0) }}, \
         events: {{ \"e\": Int, \"f\": Int }}, root: Selector([{node}, Idle{rest}]))"
    )
}

/// Distinct values of a field. The first is used for every node that needs the field.
fn values(kind: NodeKind, field: &NodeField) -> Vec<String> {
    let words = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
    let quoted = |all: [&str; 2]| all.iter().map(|it| format!("\"{it}\"")).collect();
    match (field.shape, field.name) {
        (FieldShape::Number, "p") => words(&["0.5", "0.25", "\"k * 0.1\""]),
        (FieldShape::Number, "to") => words(&["6", "7", "\"k + 9\""]),
        (FieldShape::Number | FieldShape::Count, _) => words(&["2", "3", "\"k\"", "\"k + 1\""]),
        (FieldShape::Whole, _) => words(&["2", "3"]),
        (FieldShape::Amount, _) => words(&["0.5", "0.25"]),
        (FieldShape::Bool, _) => words(&["false", "true"]),
        (FieldShape::Text, _) => quoted(["a", "b"]),
        (FieldShape::Key, _) => quoted(["k", "l"]),
        (FieldShape::Event, _) => quoted(["e", "f"]),
        (FieldShape::Expr, _) => match kind {
            NodeKind::Check | NodeKind::WaitUntil => quoted(["k > 1", "k > 2"]),
            _ => quoted(["k", "l"]),
        },
        (FieldShape::Test, _) => words(&["\"k > 1\"", "\"k > 2\"", "Near(range: 2.0)", "Near(range: 3.0)"]),
        (FieldShape::Policy, _) => words(&["All", "Any", "AtLeast(2)"]),
        (FieldShape::Services, _) => words(&[
            "[(every: 0.5, run: Look)]",
            "[(every: 0.7, run: Look)]",
            "[(every: 0.7, jitter: 0.1, run: Look)]",
            "[(every: \"k\", jitter: 0.1, run: Look)]",
            "[(every: \"k\", run: Look(range: 2.0))]",
            "[(every: \"k\", run: Look(range: 3.0))]",
            "[(every: \"k\", run: Watch(range: 3.0))]",
            "[(every: \"k\", run: Watch(range: 3.0)), (every: 1.0, run: Look)]",
            "[(every: 0.0, run: Listen)]",
        ]),
        (FieldShape::Keys, _) => words(&[
            "{ \"own\": Int(1) }",
            "{ \"own\": Int(2) }",
            "{ \"own\": Float(2) }",
            "{ \"mine\": Float(2) }",
            "{ \"mine\": Symbol(\"a\", [\"a\"]) }",
            "{ \"mine\": Symbol(\"a\", [\"a\", \"b\"]) }",
        ]),
        // It affects only reports, and is not drawn.
        (FieldShape::Codes, _) => Vec::new(),
        (FieldShape::Leaf, _) => words(&["Look", "Listen"]),
        (FieldShape::Node, _) => words(&["Idle", "Succeed"]),
        (FieldShape::Nodes, _) => words(&["[Idle, Idle, Idle]", "[Idle, Idle, Fail]"]),
        (FieldShape::Scored, _) => words(&[
            "[(score: \"k\", child: Idle), (score: \"1\", child: Idle)]",
            "[(score: \"l\", child: Idle), (score: \"1\", child: Idle)]",
            "[(score: \"l\", child: Fail), (score: \"1\", child: Idle)]",
        ]),
        (FieldShape::Weighted, _) => {
            words(&["[Idle, Idle]", "[Idle, (weight: 2.0, child: Idle)]", "[Idle, (weight: 3.0, child: Idle)]"])
        }
        (FieldShape::Actions, _) => words(&["[Log(\"a\")]", "[Log(\"b\")]", "[Succeed, Log(\"b\")]"]),
        (FieldShape::Cases, _) => {
            words(&["{ 1: Idle, 2: Idle }", "{ 1: Idle, 3: Idle }", "{ 3: Idle, 1: Idle }", "{ 3: Idle }"])
        }
        (
            FieldShape::Outcome
            | FieldShape::Receiver
            | FieldShape::Sharers
            | FieldShape::ChildEnd
            | FieldShape::Ending
            | FieldShape::Abort,
            _,
        ) => words(field.shape.words()),
    }
}

/// The node with a field at each of its values, and without it if it can be left out.
fn versions(kind: NodeKind, edited: &NodeField) -> Vec<String> {
    let node = |value: Option<&str>| {
        let mut fields = Vec::new();
        for field in kind.all_fields() {
            let is_edited = field.name == edited.name;
            // Some fields need others, or exclude them.
            let needed = match (kind, field.name) {
                (NodeKind::Repeat, "count") => edited.name != "forever" || value.is_none(),
                (NodeKind::UtilitySelector, "reevaluate") if edited.name == "inertia" => {
                    fields.push("reevaluate: true".to_owned());
                    false
                }
                (NodeKind::Emit, "payload") => true,
                (_, _) => field.is_required(),
            };
            if is_edited {
                fields.extend(value.map(|it| format!("{}: {it}", field.name)));
            } else if needed {
                fields.push(format!("{}: {}", field.name, values(kind, field)[0]));
            }
        }
        if fields.is_empty() { kind.name().to_owned() } else { format!("{}({})", kind.name(), fields.join(", ")) }
    };
    let is_needed = edited.is_required() || (kind, edited.name) == (NodeKind::Repeat, "count");
    let is_needed = is_needed || (kind, edited.name) == (NodeKind::Emit, "payload");
    let default = match edited.default {
        FieldDefault::Value(it) => Some(it),
        FieldDefault::Required | FieldDefault::Absent => None,
    };
    // A default that is written is drawn like one that is not.
    let values = values(kind, edited).into_iter().filter(|it| Some(&**it) != default);
    let without = (!is_needed).then(|| node(None));
    without.into_iter().chain(values.map(|it| node(Some(&it)))).collect()
}

#[test]
fn each_field_of_each_kind_shows() {
    let mut count = 0;
    for kind in NodeKind::ALL.into_iter().filter(|it| it.is_built_in()) {
        for field in kind.all_fields().filter(|it| it.name != "allow") {
            let trees: Vec<String> = versions(kind, field).iter().map(|it| tree(it)).collect();
            assert!(trees.len() > 1, "{}: {}", kind.name(), field.name);
            let versions: Vec<_> = trees.iter().map(|it| vec![("t.ron", &**it)]).collect();
            differ(&format!("{}: {}", kind.name(), field.name), &versions);
            count += trees.len() - 1;
        }
        let leaf = kind.arity() == Arity::Leaf;
        assert_eq!(kind.child_fields().is_empty(), leaf || kind == NodeKind::Switch);
    }
    assert!(count > 300, "edits of every kind: {count}");
}

#[test]
fn leaves_of_the_game_show_their_parameters() {
    let node = |it: &str| tree(it);
    let trees = ["Walk", "Walk(speed: 1.0)", "Walk(speed: 2.0)", "Walk(name: \"x\", speed: 2.0)"].map(node);
    differ("a leaf", &trees.each_ref().map(|it| vec![("t.ron", &**it)]));
}

#[test]
fn instances_show_what_they_are_given() {
    let part = "Tree(version: 1, name: \"part\", ports: { \"n\": In(Int, 1), \"m\": InOut(Int) }, \
                root: Sequence([Check(\"n > 1\"), Set(key: \"m\", to: \"n\")]))";
    let node = |with: &str| tree(&format!("Subtree(asset: \"part.ron\", with: {{ {with} }})"));
    let trees = ["\"m\": \"k\"", "\"m\": \"l\"", "\"m\": \"l\", \"n\": 5", "\"m\": \"l\", \"n\": \"k\""].map(node);
    differ("ports", &trees.each_ref().map(|it| vec![("t.ron", &**it), ("part.ron", part)]));

    let slot = |initial: &str| {
        let initial = if initial.is_empty() { String::new() } else { format!(", initial: \"{initial}\"") };
        tree(&format!("Slot(name: \"s\", trees: [\"a.ron\", \"b.ron\"]{initial})"))
    };
    let trees = ["a", "b"].map(slot);
    let file = |name: &str| format!("Tree(version: 1, name: \"{name}\", root: Idle)");
    let [a, b] = ["a", "b"].map(file);
    differ("a slot", &trees.each_ref().map(|it| vec![("t.ron", &**it), ("a.ron", &*a), ("b.ron", &*b)]));

    let template = |given: &str| {
        tree(&format!("Use(template: \"x\", {given})"))
            .replace("root:", "templates: { \"x\": (ports: { \"n\": In(Int) }, nodes: { \"h\": One }, root: Sequence([Check(\"n > 0\"), Node(\"h\")])) }, root:")
    };
    let trees = [
        "with: { \"n\": 1 }, nodes: { \"h\": Idle }",
        "with: { \"n\": 2 }, nodes: { \"h\": Idle }",
        "with: { \"n\": 2 }, nodes: { \"h\": Fail }",
    ]
    .map(template);
    differ("a template", &trees.each_ref().map(|it| vec![("t.ron", &**it)]));

    let interrupt =
        |when: &str| tree("Idle").replace("root:", &format!("interrupts: [(when: \"{when}\", run: Idle)], root:"));
    let trees = ["k > 1", "k > 2"].map(interrupt);
    differ("interrupts", &trees.each_ref().map(|it| vec![("t.ron", &**it)]));
}

#[test]
fn keys_that_are_alike_are_listed_once() {
    let place = Place::new("drawn-keys");
    let file = place.file(
        "t.ron",
        "Tree(version: 1, blackboard: { \"n\": Int(1) }, templates: { \"t\": (locals: { \"tries\": Int(0) }, root: Set(key: \
         \"tries\", to: \"tries + n\")) }, root: Sequence([Use(\"t\"), Use(\"t\"), Use(\"t\")]))",
    );
    let (code, out, _) = pleach(&["show", &file]);
    assert_eq!(code, 0);
    let (_, listed) = out.split_once("\nblackboard\n").unwrap();
    assert_eq!(listed, "  n        agent  Int    1\n  t.tries  node   Int    0  x 3\n");
}

#[test]
fn notes_are_drawn() {
    let place = Place::new("drawn-notes");
    let note = "why it waits: ".repeat(60);
    let file = place.file(
        "t.ron",
        format!(
            "Tree(version: 1, templates: {{ \"t\": (root: Idle) }}, root: Sequence([Wait(seconds: 1.0, note: \"short & \\n \
             good\"), Wait(seconds: 2.0, note: {note:?}), Use(template: \"t\", note: \"of the part\")]))"
        ),
    );
    let drawn = |form: &[&str]| pleach(&[&["show", &*file], form].concat()).1;
    let text = drawn(&[]);
    assert!(text.contains("  # short & \\n good\n") && text.contains("(t)  # of the part\n"), "{text}");
    for form in [&["--svg"][..], &["--svg", "--direction", "outline"], &["--svg", "--direction", "right"]] {
        let svg = drawn(form);
        assert!(svg.contains("># short &amp;") && svg.contains(">t # of the part<"), "{svg}");
        // A long one is whole, in several lines.
        let words = svg.split("<title>").map(|it| it.split_once("</title>").map_or(it, |it| it.1)).collect::<String>();
        assert_eq!(words.matches("waits:").count(), 60, "{svg}");
    }
    let dot = drawn(&["--dot"]);
    assert!(dot.contains("\\n# short &amp;") && dot.contains("\"t # of the part\""), "{dot}");
}
