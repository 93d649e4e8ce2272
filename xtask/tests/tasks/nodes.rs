//! The documents that list the kinds of nodes say what the core's table says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pleach_core::kinds::NodeKind;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_documents_of_nodes_are_what_would_be_written() {
    let output = crate::xtask(&["nodes", "--check", "--root", ROOT]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn stale_and_missing_documents_are_told() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nodes");
    // It may be left from an earlier run.
    let _ = fs::remove_dir_all(&root);
    let check = || crate::xtask(&["nodes", "--check", "--root", &root.to_string_lossy()]);
    let output = check();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("docs/nodes.md: "), "{output:?}");

    fs::create_dir_all(root.join("docs/guide/src")).unwrap();
    fs::create_dir_all(root.join("crates/pleach/src")).unwrap();
    assert_eq!(crate::xtask(&["nodes", "--root", &root.to_string_lossy()]).status.code(), Some(0));
    assert_eq!(check().status.code(), Some(0));

    let page = root.join("docs/nodes.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replace("Idle", "Lazy")).unwrap();
    let output = check();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("docs/nodes.md is not what the table says") && text.lines().count() == 1, "{text}");
}

/// A row of a table of SEMANTICS: the kinds that it names, and the fields.
struct Row<'a> {
    kinds: Vec<NodeKind>,
    fields: BTreeSet<&'a str>,
    line: &'a str,
}

/// Other entries of the first column: parts of nodes and of trees, and what loading replaces.
const NO_KINDS: [&str; 6] = ["Service", "Subtree", "Use", "Node", "Slot", "interrupts"];

/// The rows of the table in this section.
fn rows(section: &str) -> Vec<Row<'_>> {
    let table = section.lines().filter(|it| it.starts_with("| ") && !it.starts_with("| node |"));
    let mut rows = Vec::new();
    for line in table {
        let columns: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        // In brackets are parameters, under names that explain them.
        let mut name = String::new();
        let mut depth = 0_i32;
        for letter in columns[0].chars() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if depth == 0 && letter != ')' {
                name.push(letter);
            }
        }
        let names: Vec<&str> = name.split([',', '/']).map(str::trim).collect();
        if NO_KINDS.iter().any(|it| names[0].starts_with(it)) {
            continue;
        }
        let kinds = names.iter().map(|it| NodeKind::from_name(it).unwrap_or_else(|| panic!("no kind: {it}"))).collect();
        let fields = columns.get(2).map_or("", |it| it.trim_end_matches('|')).split('`').skip(1).step_by(2).collect();
        rows.push(Row { kinds, fields, line });
    }
    rows
}

fn section<'a>(text: &'a str, title: &str) -> &'a str {
    let from = text.find(title).unwrap_or_else(|| panic!("no section: {title}"));
    let body = &text[from + title.len()..];
    &body[..body.find("\n## ").unwrap_or(body.len())]
}

#[test]
fn semantics_has_exactly_these_kinds_with_these_fields() {
    let text = fs::read_to_string(Path::new(ROOT).join("SEMANTICS.md")).unwrap();
    let (running, others) = (section(&text, "\n## 3. Running"), section(&text, "\n## 7. Every other node"));
    let mut named = Vec::new();
    // The fields of section 3 are described in its sentences.
    for row in rows(running) {
        for field in row.kinds.iter().flat_map(|it| it.fields()) {
            assert!(running.contains(field.name), "section 3 does not tell of `{}`: {}", field.name, row.line);
        }
        named.extend(row.kinds);
    }
    for row in rows(others) {
        let fields: BTreeSet<&str> =
            row.kinds.iter().flat_map(|it| it.fields().iter().chain(it.child_value())).map(|it| it.name).collect();
        assert_eq!(row.fields, fields, "{}", row.line);
        named.extend(row.kinds);
    }
    // Rule 8.19 adds the conditions that no table has.
    let conditions = section(&text, "**8.19 Conditions**").lines().next().unwrap_or_default();
    assert!(conditions.contains("are host conditions, Check, Free and OnEvent"), "{conditions}");
    for field in NodeKind::OnEvent.fields() {
        assert!(conditions.contains(&format!("`{}`", field.name)), "{conditions}");
    }
    if !named.contains(&NodeKind::OnEvent) {
        named.push(NodeKind::OnEvent);
    }
    named.sort();
    let all: Vec<NodeKind> = NodeKind::ALL.into_iter().filter(|it| it.is_built_in()).collect();
    assert_eq!(named, all, "SEMANTICS.md names each kind once");
}

#[test]
fn semantics_says_which_fields_composites_and_decorators_have() {
    let text = fs::read_to_string(Path::new(ROOT).join("SEMANTICS.md")).unwrap();
    let others = section(&text, "\n## 7. Every other node");
    for field in ["children", "abort", "services", "child"] {
        assert!(others.contains(&format!("`{field}`")), "{field}");
    }
    let found =
        |kind: NodeKind| kind.class().fields().iter().chain(kind.child_fields()).map(|it| it.name).collect::<Vec<_>>();
    assert_eq!(found(NodeKind::Sequence), ["abort", "services", "blackboard", "locals", "children"]);
    assert_eq!(found(NodeKind::Inverter), ["blackboard", "locals", "child"]);
}
