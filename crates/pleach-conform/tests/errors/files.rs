//! Scenarios of several files: the errors in them, and that they are written as they were read.

use std::path::Path;

use pleach_conform::{Scenario, oracle, suite};

const COUNT: &str = r#""count": {"ports": {"step": {"in": 1}, "sum": {"inout": 0}}, "keys": {"n": 0},
    "tree": {"type": "set", "key": "sum", "expr": "sum + step"}}"#;

/// A scenario with these files and this tree.
fn with(files: &str, tree: &str) -> String {
    format!(
        r#"{{"name": "n", "about": "", "keys": {{"hp": 1.0, "total": 3}}, "files": {{{COUNT}{files}}}, "tree": {tree}, "ticks": 1}}"#
    )
}

#[track_caller]
fn wrong(files: &str, tree: &str, message: &str) {
    match Scenario::from_json(&with(files, tree)) {
        Ok(_) => panic!("accepted: {files} {tree}"),
        Err(error) => assert_eq!(error.to_string(), message, "{files} {tree}"),
    }
}

fn count(with: &str) -> String {
    format!(r#"{{"type": "subtree", "file": "count", "with": {{{with}}}}}"#)
}

#[test]
fn what_ports_are_given() {
    Scenario::from_json(&with("", &count(r#""sum": "total", "step": 2"#))).unwrap_or_else(|e| panic!("{e}"));
    wrong("", &count(""), "tree: the port `sum` must be given a key, or a value");
    wrong("", &count(r#""sum": 1"#), "tree: the port `sum` must be given a key, or a value");
    wrong("", &count(r#""sum": "none""#), "tree: `keys` has no `none`");
    wrong("", &count(r#""sum": "hp""#), "tree: the port `sum` is given a key of another type, or with other words");
    wrong("", &count(r#""sum": "total", "step": 1.5"#), "tree: the port `step` cannot be 1.5");
    wrong("", &count(r#""sum": "total", "stop": 1"#), "tree: the file `count` has no port `stop`");
}

#[test]
fn what_files_see() {
    let file = |body: &str| format!(r#", "it": {{{body}}}"#);
    let it = r#"{"type": "subtree", "file": "it"}"#;
    let tree = |leaf: &str| format!(r#""tree": {{"type": {leaf}}}"#);
    wrong(&file(&tree(r#""check", "expr": "hp > 0""#)), it, "files.it: `keys` has no `hp`");
    wrong(&file(&tree(r#""set", "key": "hp", "expr": "1.0""#)), it, "files.it: `keys` has no `hp`");
    let port = format!(r#""ports": {{"p": {{"in": 1}}}}, {}"#, tree(r#""set", "key": "p", "expr": "1""#));
    wrong(&file(&port), it, "files.it: the port `p` is an `in`: nothing writes it");
    let both = format!(r#""ports": {{"p": {{"in": 1}}}}, "keys": {{"p": 1}}, {}"#, tree(r#""idle""#));
    wrong(&file(&both), it, "files.it: `p` is a port and a key");
    wrong(&file(&tree(r#""subtree", "file": "it""#)), it, "files.it: the file `it` includes itself");
    wrong("", it, "tree: `files` has no `it`");
    let twice = format!(r#"{{"type": "sequence", "children": [{0}, {0}]}}"#, count(r#""sum": "total""#));
    wrong("", &twice, "files.count: two instances have a key `count.n`");
    wrong(
        &file(r#""ports": {"p": {"needed": true}}, "tree": {"type": "idle"}"#),
        it,
        "files.it.ports.p: a port has one of `in`, `out` and `inout`",
    );
}

#[test]
fn what_holes_are_given() {
    let hole = |takes: &str, tree: &str| format!(r#", "it": {{"nodes": {{"h": {takes}}}, "tree": {tree}}}"#);
    let it = |nodes: &str| format!(r#"{{"type": "subtree", "file": "it", "nodes": {{{nodes}}}}}"#);
    let (node, idle) = (r#"{"type": "node", "hole": "h"}"#, r#"{"type": "idle"}"#);
    let one = hole(r#""one""#, node);
    Scenario::from_json(&with(&one, &it(&format!(r#""h": {idle}"#)))).unwrap_or_else(|e| panic!("{e}"));
    wrong(&one, &it(""), "tree: the hole `h` of the file `it` is given nothing");
    wrong(&one, &it(&format!(r#""h": [{idle}]"#)), "tree: the file `it` has no hole `h` for many nodes");
    wrong(&one, &it(&format!(r#""h": {idle}, "g": {idle}"#)), "tree: the file `it` has no hole `g` for one node");
    wrong("", node, "tree: there is no hole `h` for one node");
    let nodes = r#"{"type": "sequence", "children": [{"type": "nodes", "hole": "h"}]}"#;
    let many = hole(r#""many""#, nodes);
    let nothing = "files.it: all holes of a node are given nothing, and it has no other child";
    wrong(&many, &it(r#""h": []"#), nothing);
    wrong(&hole(r#"{"takes": "many", "default": []}"#, nodes), &it(""), nothing);
    wrong(&hole(r#""one""#, nodes), &it(&format!(r#""h": {idle}"#)), "files.it: there is no hole `h` for many nodes");
    let alone = r#"{"type": "inverter", "children": [{"type": "nodes", "hole": "h"}]}"#;
    wrong(
        &hole(r#""many""#, alone),
        &it(&format!(r#""h": [{idle}, {idle}]"#)),
        "files.it: `nodes` stands in lists alone",
    );
    wrong(&hole(r#""two""#, node), &it(""), r#"files.it.nodes.h: expected one or many, found "two""#);
    let named = r#"{"type": "action", "name": "a", "id": "a"}"#;
    let twice = format!(r#"{{"type": "sequence", "children": [{node}, {node}]}}"#);
    wrong(
        &hole(r#""one""#, &twice),
        &it(&format!(r#""h": {named}"#)),
        "tree.children[1].id: another node has the id `it.a`",
    );
    // What doubles is bounded.
    let hole = r#"{"type": "nodes", "hole": "h"}"#;
    let twice = |it: usize| format!(r#"{{"type": "subtree", "file": "f{it}", "nodes": {{"h": [{hole}, {hole}]}}}}"#);
    let tree = |it: usize| if it < 39 { twice(it + 1) } else { nodes.to_owned() };
    let file = |it: usize| format!(r#", "f{it}": {{"nodes": {{"h": "many"}}, "tree": {}}}"#, tree(it));
    let chain: String = (0..40).map(file).collect();
    wrong(&chain, r#"{"type": "subtree", "file": "f0", "nodes": {"h": []}}"#, "files.f0: more than 65535 holes");
}

#[test]
fn files_are_written_as_they_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees/conformance");
    let mut found = 0;
    for path in suite::files(&folder).unwrap() {
        let scenario = Scenario::load(&path).unwrap_or_else(|e| panic!("{e}"));
        if scenario.written.is_some() {
            found += 1;
            assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario, "{}", path.display());
            assert_eq!(oracle::trace(&scenario), scenario.trace, "{}", path.display());
        }
    }
    assert!(found >= 24, "{found} scenarios have files");
}
