//! The documents that list the kinds of nodes: each must name all of them, and nothing else.

use super::Finding;
use super::source::File;

/// The kinds of nodes that are built in, by the names that assets write.
fn kinds() -> Vec<&'static str> {
    KINDS.to_vec()
}

const KINDS: [&str; 31] = [
    "Sequence",
    "Selector",
    "Parallel",
    "ReactiveSequence",
    "ReactiveSelector",
    "RandomSequence",
    "RandomSelector",
    "UtilitySelector",
    "Inverter",
    "ForceSuccess",
    "ForceFailure",
    "UntilSuccess",
    "UntilFailure",
    "Repeat",
    "Guard",
    "Timeout",
    "Cooldown",
    "Limit",
    "Delay",
    "Probability",
    "Wait",
    "WaitTicks",
    "WaitUntil",
    "Check",
    "OnEvent",
    "Set",
    "Log",
    "Emit",
    "Succeed",
    "Fail",
    "Idle",
];

/// A document, and how kinds are found in it.
struct List {
    path: &'static str,
    /// Names in the document, each with its line.
    names: fn(&str) -> Vec<(usize, String)>,
    /// How the document calls a kind.
    called: fn(&str) -> String,
    /// What else stands in its lists.
    others: &'static [&'static str],
    place: &'static str,
}

const LISTS: [List; 3] = [
    List {
        path: "SEMANTICS.md",
        names: of_rules,
        called: str::to_owned,
        // Spliced in, or parts of other nodes.
        others: &["Subtree", "Slot", "Service", "interrupts"],
        place: "the tables of sections 3 and 7",
    },
    List {
        path: "crates/pleach/src/nodes.md",
        names: of_examples,
        called: str::to_owned,
        others: &[],
        place: "the table",
    },
    List {
        path: "trees/conformance/FORMAT.md",
        names: of_scenarios,
        called: in_scenarios,
        others: &["action", "condition", "conditions"],
        place: "the section \"Node types\"",
    },
];

/// Compares every document that lists the kinds with the kinds that there are.
pub(super) fn check<'a>(read: impl Fn(&str) -> Option<&'a File>, findings: &mut Vec<Finding>) {
    for list in LISTS {
        let Some(file) = read(list.path) else {
            let what = "the document that lists the kinds of nodes is missing";
            findings.push(Finding::new(list.path, 1, what, "restore it, or change `xtask/src/tidy/nodes.rs`"));
            continue;
        };
        let names = (list.names)(&file.text);
        let kinds: Vec<String> = kinds().into_iter().map(list.called).collect();
        for kind in kinds.iter().filter(|kind| names.iter().all(|it| it.1 != **kind)) {
            let what = format!("{} leaves out `{kind}`", list.place);
            findings.push(Finding::new(list.path, names.first().map_or(1, |it| it.0), what, "say there what it does"));
        }
        for (index, (line, name)) in names.iter().enumerate() {
            if !kinds.contains(name) && !list.others.contains(&name.as_str()) {
                let what = format!("{} names `{name}`, which is no kind of node", list.place);
                findings.push(Finding::new(list.path, *line, what, "take it out, or correct the name"));
            } else if names[..index].iter().any(|it| it.1 == *name) {
                let what = format!("{} names `{name}` twice", list.place);
                findings.push(Finding::new(list.path, *line, what, "say it in one row"));
            }
        }
    }
}

/// The first cells of the rows of all tables whose head begins with `node`, without parameters.
fn of_rules(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix('|') else {
            inside = false;
            continue;
        };
        let cell = row.split('|').next().unwrap_or_default().trim();
        if cell == "node" {
            inside = true;
        } else if inside && !cell.starts_with("---") {
            let found = without_brackets(cell);
            let found = found.split([',', '/']).map(|it| it.trim().to_owned());
            names.extend(found.map(|it| (index + 1, it)));
        }
    }
    names
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

/// The names in rows that begin with an example in backticks.
fn of_examples(text: &str) -> Vec<(usize, String)> {
    let rows = text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, line.strip_prefix("| `")?)));
    rows.map(|(line, row)| (line, row.split(['(', '`']).next().unwrap_or_default().to_owned())).collect()
}

/// The words in backticks that begin the items of the lists of node types: those before the first
/// colon of each part.
fn of_scenarios(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            inside = line == "## Node types";
        }
        let Some(item) = line.strip_prefix("- ").filter(|_| inside) else { continue };
        for span in item.split('`').skip(1).step_by(2) {
            let word = |it: &&str| it.chars().all(|it| it.is_ascii_lowercase() || it == '_');
            names.extend(span.split(' ').filter(word).map(|it| (index + 1, it.to_owned())));
        }
    }
    names
}

/// As scenarios call a kind: mostly the same words, small and apart.
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
