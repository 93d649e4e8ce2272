//! Random files: checks that every variety is generated.

use std::collections::BTreeMap;

use pleach_conform::compare;
use pleach_conform::scenario::{Call, Direction, Given, Node, Scope, Subtree, Takes, Value, Whose};

/// The nodes of a tree.
fn all<'a>(node: &'a Node, found: &mut Vec<&'a Node>) {
    found.push(node);
    node.children().iter().for_each(|it| all(it, found));
}

#[test]
fn all_that_files_can_be_is_made() {
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let mut note = |what, is: bool| *met.entry(what).or_default() += usize::from(is);
    for seed in 0..12_000 {
        let scenario = compare::scenario(seed);
        let Some(written) = &scenario.written else { continue };
        let mut host = Vec::new();
        all(&written.trees[0], &mut host);
        let instances: Vec<&Subtree> = host.iter().filter_map(|it| it.subtree()).collect();
        let gives_other = |a: &Subtree, b: &Subtree| a.file == b.file && a.with != b.with;
        note("a file twice with other ports", instances.iter().any(|a| instances.iter().any(|b| gives_other(a, b))));
        note("more than one version", written.trees.len() > 1);
        note("a version with other subtrees", {
            let mut last = Vec::new();
            all(written.trees.last().expect("there is one"), &mut last);
            let of = |nodes: &[&Node]| nodes.iter().filter(|it| it.subtree().is_some()).count();
            of(&last) != of(&host)
        });
        for file in written.files.values() {
            let mut inside = Vec::new();
            file.trees().into_iter().for_each(|it| all(it, &mut inside));
            note("an instance in a file", inside.iter().any(|it| it.subtree().is_some()));
            note("a slot in a file", inside.iter().any(|it| it.slot().is_some()));
            note("an interrupt of a file", !file.interrupts.is_empty());
            note("a key of its own", file.keys.of(Scope::Agent).next().is_some());
            note("a shared key", file.keys.of(Scope::Group).next().is_some());
            note("an event", !file.events.is_empty());
            for (name, hole) in &file.holes {
                note("a hole for one node", hole.takes == Takes::One);
                note("a hole for many", hole.takes == Takes::Many);
                note("a default", hole.default.is_some());
                let places = inside.iter().filter(|it| it.hole().is_some_and(|it| it.0 == name)).count();
                note("a hole in two places", places > 1);
            }
            for port in file.ports.values() {
                note("in", port.direction == Direction::In);
                note("out", port.direction == Direction::Out);
                note("in and out", port.direction == Direction::InOut);
                note("a symbol", matches!(port.key.default, Value::Symbol(_)));
            }
            host.extend(inside);
        }
        for node in host {
            note("without a name", node.subtree().is_some() && node.name.is_none());
            note("with an id", node.given().next().is_some() && node.id.is_some());
            note("a slot of several", node.slot().is_some_and(|it| it.files.len() > 1));
            note("an empty slot", node.slot().is_some_and(|it| it.initial.is_none()));
            note("a slot with ports", node.slot().is_some_and(|it| !it.with.is_empty()));
            if let Some(it) = node.subtree() {
                note("a hole without anything", written.files[&it.file].holes.len() > it.fillings.len());
                note("a given node", !it.nodes.is_empty());
                note("no given node", it.fillings.iter().any(|it| it.count == 0));
                note("several", it.fillings.iter().any(|it| it.count > 1));
                note("a given instance", it.nodes.iter().any(|it| it.subtree().is_some()));
                note("a hole that is passed on", it.nodes.iter().any(|it| it.hole().is_some()));
                note("a given node with an id", it.nodes.iter().any(|it| it.id.is_some()));
            }
            note("a literal", node.given().any(|it| matches!(it, Given::Literal(_))));
            note("a key", node.given().any(|it| matches!(it, Given::Key(_))));
        }
        for op in &scenario.ops {
            let of = |whose| matches!(op.call, Call::Fill { of, .. } if of == whose);
            note("fill", of(Whose::Agent));
            note("fill those of a group", of(Whose::Group));
            note("fill all", of(Whose::All));
            note("set in an instance", matches!(&op.call, Call::Set { key, .. } if key.split('.').count() > 1));
        }
    }
    assert!(met.values().all(|&it| it >= 10), "{met:?}");
}
