//! Trees in trees: ports are keys of the tree that includes.

use std::collections::BTreeSet;

use crate::item::{Data, Item};
use crate::keys::{FROM_ROOT, Kind, Use, key_name};
use crate::map::Mapper;
use crate::report::{Fate, shortened};
use crate::ron::{Node, Value};

pub(super) fn subtree(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let Some(inner) = item.tree else {
        let (node, _) = mapper.leaf(item);
        let why = format!("the tree `{}` was not given: a leaf stands for it", item.kind);
        return (node, Fate::Stub(why));
    };
    if mapper.cycles[inner] == mapper.cycles[mapper.tree] {
        return (Node::new("Fail"), Fate::Lost(format!("the tree `{}` would contain itself", item.kind)));
    }
    let (with, lost) = connected(mapper, item, inner);
    let mut node = Node::new("Subtree").text("asset", format!("{}.ron", mapper.trees[inner].file));
    if !with.is_empty() {
        node = node.with("with", Value::Map(with));
    }
    (node, lost.into_iter().map(Fate::Lost).fold(Fate::Exact, Fate::and))
}

/// What each port of the inner tree is connected to, and which values are lost.
fn connected(mapper: &mut Mapper<'_>, item: &Item, inner: usize) -> (Vec<(String, Value)>, Vec<String>) {
    let outer = mapper.tree;
    let (mut given, mut lost) = (Vec::new(), Vec::new());
    for it in item.given.iter().filter(|it| !it.name.starts_with('_')) {
        let port = key_name(&it.name);
        // What the part does not use is not passed on.
        if mapper.keys.has(inner, &port) {
            match &it.value {
                Data::Text(text) if Kind::is_foreign(text) => {
                    lost.push(format!("`{}=\"{}\"` is a list, or a value of the game", it.name, shortened(text)));
                    given.push((port.clone(), Data::Key(format!("{}_{port}", mapper.trees[inner].file))));
                }
                value => given.push((port, value.clone())),
            }
        }
    }
    let taken: BTreeSet<String> = given.iter().map(|it| it.0.clone()).collect();
    let is_auto = item.text("_autoremap").is_some_and(|it| matches!(it, "true" | "1"));
    let (mut same, mut own) = (Vec::new(), Vec::new());
    for key in mapper.keys.of(inner).filter(|it| !taken.contains(it.name)) {
        if key.name.starts_with(FROM_ROOT) || is_auto && !key.name.starts_with('_') {
            same.push(key.name.to_owned());
        } else if key.is_port {
            own.push(key.name.to_owned());
        }
    }
    let is_main = mapper.trees[outer].is_main;
    given.extend(same.into_iter().map(|it| {
        let key = it.strip_prefix(FROM_ROOT).filter(|_| is_main).unwrap_or(&it).to_owned();
        (it, Data::Key(key))
    }));
    // Somebody else gives it: here nobody does, so that it is a key of this instance.
    let stem = mapper.trees[inner].file.clone();
    given.extend(own.into_iter().map(|it| (it.clone(), Data::Key(format!("{stem}_{it}")))));
    given.sort_by(|a, b| a.0.cmp(&b.0));
    let mut with = Vec::new();
    for (port, data) in given {
        mapper.keys.port(inner, &port, item.at);
        let how = mapper.keys.uses(inner, &port);
        let value = match data {
            Data::Key(key) => {
                let key = key_name(&key);
                mapper.keys.used(outer, &key, item.at, how, Kind::Unknown);
                mapper.keys.unite((inner, &port), (outer, &key), item.at);
                // What is only read is only read all the way down.
                if mapper.keys.has_literal(outer, &key) {
                    mapper.keys.literal(inner, &port, item.at);
                }
                Value::Text(key)
            }
            Data::Text(text) => literal(mapper, item, inner, &port, &text, how),
        };
        with.push((crate::ron::quoted(&port), value));
    }
    (with, lost)
}

/// A port that is given a value.
fn literal(mapper: &mut Mapper<'_>, item: &Item, inner: usize, port: &str, text: &str, how: Use) -> Value {
    let declared = mapper.keys.kind(inner, port);
    let kind = mapper.keys.used(inner, port, item.at, Use::Read, Kind::of(text));
    let is_word = kind == Kind::Word;
    let word = if is_word { mapper.keys.word(inner, port, item.at, text) } else { crate::ron::number(text) };
    let is_written = mapper.keys.is_written(inner, port);
    mapper.keys.literal(inner, port, item.at);
    if !is_written && !matches!(declared, Kind::Object) {
        return Value::Raw(match kind {
            Kind::Bool => text.trim().into(),
            Kind::Int if matches!(text.trim(), "true" | "false") => u8::from(text.trim() == "true").to_string(),
            Kind::Float => crate::ron::float(text),
            _ => word,
        });
    }
    // The part writes it, so that it needs a key.
    let key = format!("{}_{port}", mapper.trees[inner].file);
    mapper.keys.used(mapper.tree, &key, item.at, how, kind);
    mapper.keys.begins_with(mapper.tree, &key, item.at, if is_word { &word } else { text });
    mapper.keys.unite((inner, port), (mapper.tree, &key), item.at);
    Value::Text(key)
}
