//! The chapter of the book about every kind of node: picture, rule, fields, example.

use std::fmt::Write;

use pleach::draw::Drawing;
use pleach::{Host, Registry, Tree, load_str};
use pleach_core::kinds::NodeKind;

use super::examples::example;
use super::{fields, whole};

/// The contract, whose rules the chapter shows.
const SEMANTICS: &str = include_str!("../../../../SEMANTICS.md");

/// What each code means.
const CODES: &str = include_str!("../../../../crates/pleach-asset/src/codes.md");

/// The host of examples, which need no leaves.
struct Nobody;
impl Host for Nobody {
    type Cx<'a> = ();
}

/// A tree with nodes of each family, and its picture.
const FAMILIES: &str = r#"## Families

A picture tells the family of a node by its colour and its sign, which the line below the title names. A composite has
one or more children, a decorator has one. A red label is the abort type of a composite. The scores of a
`UtilitySelector` and the cases of a `Switch` stand at the edges:

<!-- file: families.ron -->
```ron
Tree(
    version: 1,
    name: "families",
    blackboard: { "wolf": Bool(false), "hunger": Float(0.4), "mood": Symbol("calm", ["calm", "angry"]) },
    root: Selector(name: "composite", children: [
        Sequence(name: "with an abort type", abort: LowerPriority, children: [
            Check(name: "condition", expr: "wolf"),
            Timeout(name: "decorator", seconds: 3.0, child: Idle(name: "action")),
        ]),
        Parallel(name: "parallel", success: Any, children: [
            Wait(name: "walk", seconds: 2.0),
            UtilitySelector(name: "utility", children: [
                (score: "hunger", child: Wait(name: "eat", seconds: 1.0)),
                (score: "0.3", child: Wait(name: "look round", seconds: 1.0)),
            ]),
        ]),
        Switch(on: "mood", cases: { "calm": Idle(name: "doze"), "angry": Idle(name: "growl") }),
    ]),
)
```

<!-- picture: show families.ron --svg -->
![A selector of three branches: a sequence with an abort type, a condition and a decorator; a parallel with a utility selector; and a switch](pictures/families.svg)

"#;

/// The whole chapter.
pub(super) fn chapter() -> String {
    let mut out = String::from(
        "# Every node\n\n`cargo run -p xtask -- nodes` writes this chapter from the table of nodes and from \
         [the contract](semantics.md). For each node\nit shows a small tree, its picture, the rule and the fields. The \
         rules are worded as in the contract: *told* means that a\nchild has ended, *visit* means that it is the \
         node's turn.\n\n",
    );
    out.push_str(FAMILIES);
    out.push_str("## Fields of every node\n\n");
    whole(&mut out, one);
    out
}

/// The tree that stands in the notation of the contract.
const NOTATION: &str = r#"The tree as a file, with a key for its condition and `Idle` for its actions, and as `pleach show` draws it:

<!-- file: notation.ron -->
```ron
Tree(
    version: 1,
    name: "notation",
    blackboard: { "c": Bool(false) },
    root: Selector(children: [
        Sequence(abort: LowerPriority, children: [Check("c"), Idle(name: "a")]),
        Idle(name: "z"),
    ]),
)
```

<!-- picture -->
![A selector over a sequence with the abort type LowerPriority, which has the condition c and the action a, and the action z](pictures/notation.svg)"#;

/// The contract as a chapter, so that links to its headings work wherever the book is read.
pub(super) fn contract() -> String {
    let (notation, rules) = SEMANTICS.split_once("\n\n## 1. Tree").expect("it begins with the notation");
    format!(
        "<!-- `cargo run -p xtask -- nodes` copies this chapter from SEMANTICS.md. -->\n\n{notation}\n\n{NOTATION}\n\n## 1. Tree{rules}"
    )
}

/// The pages of all codes as a chapter. Their examples are tested where they are written.
pub(super) fn codes() -> String {
    let head = "<!-- `cargo run -p xtask -- nodes` copies this chapter from crates/pleach-asset/src/codes.md. -->";
    let picture = "The picture of a tree shows the abort type. In that of the wrong tree the red label is missing:\n\n<!-- picture -->\n\
                   ![The right tree: the sequence with Check and Wait is marked with the abort type](pictures/asks-again.svg)\n\n";
    let pages = CODES.replace("```ron\n", "<!-- text -->\n```ron\n");
    // The right tree of P1006 is a file: its name is the title of the picture.
    let (before, after) = pages.split_once("## P1007: ").expect("it has a page");
    let (before, tree) = before.rsplit_once("<!-- text -->").expect("the page before has a tree");
    format!("{head}\n\n{before}<!-- file: guard.ron -->{tree}{picture}## P1007: {after}")
}

/// One kind.
fn one(out: &mut String, kind: NodeKind) {
    let _ = write!(out, "\n### {}\n\n{}\n", kind.name(), kind.doc());
    if let Some((declared, root)) = example(kind) {
        let file = format!("{}.ron", kind.name().to_lowercase());
        let declared = if declared.is_empty() { String::new() } else { format!("    {declared}\n") };
        let name = kind.name();
        let source = format!("Tree(\n    version: 1,\n    name: \"{name}\",\n{declared}    root: {root},\n)\n");
        let _ = write!(out, "\n<!-- file: {file} -->\n```ron\n{source}```\n");
        let picture = drawn(&file, &source);
        let _ = write!(out, "\n<!-- drawn: {file} -->\n```text\n{picture}```\n");
    }
    let rules = rules(kind);
    if !rules.is_empty() {
        let _ = write!(out, "\n{rules}\n");
    }
    let own = || kind.fields().iter().chain(kind.child_fields());
    if own().next().is_some() {
        out.push('\n');
        fields(out, own());
    }
}

fn drawn(file: &str, source: &str) -> String {
    let tree: Tree<Nobody> =
        load_str(file, source, &Registry::new()).unwrap_or_else(|report| panic!("an example is wrong:\n{report}"));
    let text = Drawing::of(&tree).text().to_string();
    text.lines().flat_map(|it| [it.trim_end(), "\n"]).collect()
}

/// What SEMANTICS says about a kind: its row in a table, and the numbers of the details.
fn rules(kind: NodeKind) -> String {
    let mut out = String::new();
    let mut section = "";
    for line in SEMANTICS.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.split('.').next().unwrap_or_default();
        }
        let Some(row) = line.strip_prefix("| ") else { continue };
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").map(str::trim).collect();
        if !names(cells[0]).any(|it| it == kind.name()) {
            continue;
        }
        match (section, &cells[..]) {
            ("3", [_, told, visit, ..]) => {
                let of = cells[0];
                let _ = write!(out, "**Rule** (SEMANTICS 3: {of}). *Told*: {told}. *Visit*: {visit}.");
            }
            (_, [_, rule, ..]) => {
                let rule = rule.trim_end_matches('.');
                let _ = write!(out, "**Rule** (SEMANTICS {section}: {}): {rule}.", cells[0]);
            }
            _ => {}
        }
    }
    let details: Vec<&str> = details().into_iter().filter(|it| has_word(it.1, kind.name())).map(|it| it.0).collect();
    if !details.is_empty() {
        let lead = if out.is_empty() { "**Rule**:" } else { " Details:" };
        let _ = write!(out, "{lead} SEMANTICS {}.", details.join(", "));
    }
    out
}

/// The kinds that a cell names, without the text in brackets.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let outside = move |it: char| {
        let is_end = it == ')';
        depth = depth + usize::from(it == '(') - usize::from(is_end && depth > 0);
        depth > 0 || is_end || !it.is_alphanumeric()
    };
    cell.split(outside).filter(|it| !it.is_empty())
}

/// The numbered rules of section 8, each with its whole text, in the order of the numbers.
fn details() -> Vec<(&'static str, &'static str)> {
    let from = SEMANTICS.find("\n## 8. ").map_or("", |at| &SEMANTICS[at + 1..]);
    let section = from.find("\n## ").map_or(from, |end| &from[..end]);
    // The last rule of a group ends at the heading of the next.
    let rules = section.split("\n**").skip(1).map(|it| it.split("\n### ").next().unwrap_or(it));
    let mut rules: Vec<_> = rules.filter_map(|it| Some((it.split_once(' ')?.0, it))).collect();
    rules.sort_by_key(|it| it.0.split_once('.').and_then(|number| number.1.parse::<u32>().ok()));
    rules
}

/// Whether a text contains a whole word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|it: char| !it.is_alphanumeric()).any(|it| it == word)
}
