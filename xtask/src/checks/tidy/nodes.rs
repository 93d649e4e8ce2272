//! The documents that list the kinds of nodes by hand: each must name all of them, with their
//! fields, and nothing else. `xtask nodes --check` checks the documents generated from the table.

use pleach_core::kinds::NodeKind;

use super::Finding;
use super::source::File;

/// A row, or a part of one, about some kinds.
struct Row {
    line: usize,
    /// Their names in the document.
    names: Vec<String>,
    /// The fields of all of them together, if the document lists fields.
    fields: Option<Vec<String>>,
}

/// A document, and how to find kinds in it.
struct List {
    path: &'static str,
    rows: fn(&str) -> Vec<Row>,
    /// A kind's name in the document.
    called: fn(&str) -> String,
    /// What else its lists contain.
    others: &'static [&'static str],
    place: &'static str,
}

const LISTS: [List; 2] = [
    List {
        path: "SEMANTICS.md",
        rows: of_rules,
        called: str::to_owned,
        // Spliced in, or parts of other nodes.
        others: &["Subtree", "Use", "Slot", "Node", "Nodes", "Service", "interrupts"],
        place: "the tables of sections 3 and 7",
    },
    List {
        path: "trees/conformance/FORMAT.md",
        rows: of_scenarios,
        called: in_scenarios,
        // Those of the host.
        others: &["action", "condition"],
        place: "the section \"Node types\"",
    },
];

/// Compares every document that lists the kinds with the existing kinds.
pub(super) fn check<'a>(read: impl Fn(&str) -> Option<&'a File>, findings: &mut Vec<Finding>) {
    for list in LISTS {
        match read(list.path) {
            Some(file) => list.check(&(list.rows)(&file.text), findings),
            None => {
                let what = "the document that lists the kinds of nodes is missing";
                findings.push(Finding::new(
                    list.path,
                    1,
                    what,
                    "restore it, or change `xtask/src/checks/tidy/nodes.rs`",
                ));
            }
        }
    }
}

impl List {
    fn check(&self, rows: &[Row], findings: &mut Vec<Finding>) {
        let mut find = |line, what: String, help: &str| {
            findings.push(Finding::new(self.path, line, format!("{}: {what}", self.place), help));
        };
        let kinds: Vec<(String, NodeKind)> =
            NodeKind::ALL.into_iter().filter(|it| it.is_built_in()).map(|it| ((self.called)(it.name()), it)).collect();
        let mut seen: Vec<&str> = Vec::new();
        for row in rows {
            let mut fields: Vec<&str> = Vec::new();
            let mut known = true;
            for name in &row.names {
                match kinds.iter().find(|it| it.0 == *name) {
                    Some((_, kind)) => fields.extend(kind.fields().iter().chain(kind.child_value()).map(|it| it.name)),
                    None => {
                        known = false;
                        if !self.others.contains(&name.as_str()) {
                            find(row.line, format!("`{name}` is no kind of node"), "take it out, or correct the name");
                        }
                    }
                }
                if seen.contains(&name.as_str()) {
                    find(row.line, format!("`{name}` stands there twice"), "say it in one row");
                }
                seen.push(name);
            }
            let Some(listed) = row.fields.as_ref().filter(|_| known) else { continue };
            for field in fields.iter().filter(|field| listed.iter().all(|it| it != *field)) {
                let what = format!("the field `{field}` of {} is missing", row.names.join(", "));
                find(row.line, what, "name it in the row");
            }
            for field in listed.iter().filter(|it| !fields.contains(&it.as_str())) {
                let what = format!("{} has no field `{field}`", row.names.join(", "));
                find(row.line, what, "take it out, or correct the name");
            }
        }
        let first = rows.first().map_or(1, |it| it.line);
        for (kind, _) in kinds.iter().filter(|it| !seen.contains(&it.0.as_str())) {
            find(first, format!("`{kind}` is missing"), "say there what it does");
        }
    }
}

/// The rows of all tables whose head begins with `node`: kinds in the first cell, with their
/// parameters in brackets, and fields in the column of that name.
fn of_rules(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut head: Option<Vec<&str>> = None;
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix('|') else {
            head = None;
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        match &head {
            None if cells[0] == "node" => head = Some(cells),
            Some(head) if !cells[0].starts_with("---") => {
                let outside = without_brackets(cells[0]);
                let names = outside.split([',', '/']).map(|it| it.trim().to_owned()).collect();
                let column = head.iter().position(|it| it.starts_with("fields"));
                let fields = column.and_then(|it| cells.get(it)).map(|it| words(it).collect());
                rows.push(Row { line: index + 1, names, fields });
            }
            _ => {}
        }
    }
    rows
}

/// The words in backticks.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).flat_map(|it| it.split(' ')).map(str::to_owned)
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = |it: &char| {
        depth = if *it == '(' { depth + 1 } else { depth };
        let is = depth == 0;
        depth = if *it == ')' { depth.saturating_sub(1) } else { depth };
        is
    };
    text.chars().filter(outside).collect()
}

/// The items of the lists of node types. Each part of an item begins with the types that it
/// describes, in backticks: "`log`: …; `emit`: …".
fn of_scenarios(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            inside = line == "## Node types";
        }
        let Some(item) = line.strip_prefix("- ").filter(|_| inside) else { continue };
        for part in item.split(';').filter(|it| it.trim().starts_with('`')) {
            let is_type = |it: &String| it.chars().all(|it| it.is_ascii_lowercase() || it == '_');
            let names = words(part.split(": ").next().unwrap_or_default()).filter(is_type).collect();
            rows.push(Row { line: index + 1, names, fields: None });
        }
    }
    rows
}

/// A kind's name in scenarios: mostly the same words in snake case.
fn in_scenarios(kind: &str) -> String {
    let mut small = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !small.is_empty() {
            small.push('_');
        }
        small.push(letter.to_ascii_lowercase());
    }
    match small.as_str() {
        "force_success" => "return_success".into(),
        "force_failure" => "return_failure".into(),
        "repeat" => "repeater".into(),
        _ => small,
    }
}
