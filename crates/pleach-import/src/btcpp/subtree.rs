//! Trees in trees: ports are keys of the including tree.

use std::collections::BTreeSet;

use crate::item::{Data, Item};
use crate::keys::Kind;
use crate::keys::{FROM_ROOT, key_name};
use crate::map::Mapper;
use crate::report::{Fate, Line, shortened};
use crate::ron::Node;

pub(super) fn subtree(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let Some(inner) = item.tree else {
        let (node, _) = mapper.leaf(item);
        let why = format!("the tree `{}` was not given: a leaf stands for it", item.kind);
        return (node, Fate::Stub(why));
    };
    if mapper.cycles[inner] == mapper.cycles[mapper.tree] {
        return (Node::new("Fail"), Fate::Lost(format!("the tree `{}` would contain itself", item.kind)));
    }
    let (given, lost) = given(mapper, item, inner);
    let node = mapper.subtree(item, inner, given);
    (node, lost.into_iter().map(Fate::Lost).fold(Fate::Exact, Fate::and))
}

/// The value of each port of the inner tree, and which values are lost.
fn given(mapper: &mut Mapper<'_>, item: &Item, inner: usize) -> (Vec<(String, Data)>, Vec<String>) {
    let outer = mapper.tree;
    let (mut given, mut lost) = (Vec::new(), Vec::new());
    for it in item.given.iter().filter(|it| !it.name.starts_with('_')) {
        let port = key_name(&it.name);
        // A port that the part does not use is not passed on.
        if mapper.keys.has(inner, &port) {
            match &it.value {
                Data::Text(text) if Kind::is_foreign(text) => {
                    lost.push(format!("`{}=\"{}\"` is a list, or a value of the game", it.name, shortened(text)));
                    given.push((port.clone(), Data::Key(format!("{}_{port}", mapper.trees[inner].stem()))));
                }
                value => given.push((port, value.clone())),
            }
        } else {
            let why = format!("the tree `{}` does not use `{}`, so it is left out", item.kind, shortened(&it.name));
            mapper.notes.add(it.at, Line::Warning(why));
        }
    }
    let taken: BTreeSet<String> = given.iter().map(|it| it.0.clone()).collect();
    let is_auto = item.text("_autoremap").is_some_and(|it| matches!(it, "true" | "1"));
    let (mut same, mut own) = (Vec::new(), Vec::new());
    for key in mapper.keys.of(inner).filter(|it| !taken.contains(it.name)) {
        if key.name.starts_with(FROM_ROOT) || is_auto && !key.name.starts_with('_') {
            same.push(key.name.to_owned());
        } else if key.is_port && !mapper.trees[inner].keeps(key.name) {
            own.push(key.name.to_owned());
        }
    }
    let is_main = mapper.trees[outer].is_main;
    given.extend(same.into_iter().map(|it| {
        let key = it.strip_prefix(FROM_ROOT).filter(|_| is_main).unwrap_or(&it).to_owned();
        (it, Data::Key(key))
    }));
    // A port that this tree does not give becomes a key of the instance.
    let stem = mapper.trees[inner].stem().to_owned();
    given.extend(own.into_iter().map(|it| (it.clone(), Data::Key(format!("{stem}_{it}")))));
    given.sort_by(|a, b| a.0.cmp(&b.0));
    (given, lost)
}
