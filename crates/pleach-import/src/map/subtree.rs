//! Trees in trees: ports are keys of the including tree.

use super::Mapper;
use crate::item::{Data, Item};
use crate::keys::{Kind, Use, key_name};
use crate::place::path;
use crate::report::Fate;
use crate::ron::{Node, Value};

impl Mapper<'_> {
    /// A tree whose keys are those of the tree around it.
    pub(crate) fn shared_subtree(&mut self, item: &Item) -> (Node, Fate) {
        let Some(inner) = self.part(item) else { return self.no_part(item) };
        let keys = self.keys.of(inner).map(|it| it.name.to_owned());
        let given = keys.map(|it| (it.clone(), Data::Key(it))).collect();
        (self.subtree(item, inner, given), Fate::Exact)
    }

    /// The tree of an item, if it was given and does not contain the tree being mapped.
    pub(crate) fn part(&self, item: &Item) -> Option<usize> {
        item.tree.filter(|it| self.cycles[*it] != self.cycles[self.tree])
    }

    /// The placeholder for an unknown tree.
    pub(crate) fn no_part(&self, item: &Item) -> (Node, Fate) {
        let why = format!("the tree `{}` was not given (name it, too), or would contain itself", item.kind);
        (Node::new("Fail"), Fate::Lost(why))
    }

    /// A tree, with the values of its ports.
    pub(crate) fn subtree(&mut self, item: &Item, inner: usize, given: Vec<(String, Data)>) -> Node {
        let mut with = Vec::new();
        for (port, data) in given {
            self.keys.port(inner, &port, item.at);
            let how = self.keys.uses(inner, &port);
            let value = match data {
                Data::Key(key) => {
                    let key = key_name(&key);
                    self.keys.used(self.tree, &key, item.at, how, Kind::Unknown);
                    self.keys.unite((inner, &port), (self.tree, &key), item.at);
                    // A key that is only read is only read all the way down.
                    if self.keys.has_literal(self.tree, &key) {
                        self.keys.literal(inner, &port, item.at);
                    }
                    Value::Text(key)
                }
                Data::Text(text) => self.literal(item, inner, &port, &text, how),
            };
            with.push((crate::ron::quoted(&port), value));
        }
        let asset = path(&self.trees[self.tree].file, &self.trees[inner].file);
        let node = Node::new("Subtree").text("asset", asset);
        if with.is_empty() { node } else { node.with("with", Value::Map(with)) }
    }

    /// A port that is given a value.
    fn literal(&mut self, item: &Item, inner: usize, port: &str, text: &str, how: Use) -> Value {
        let declared = self.keys.kind(inner, port);
        let kind = self.keys.used(inner, port, item.at, Use::Read, Kind::of(text));
        let is_word = kind == Kind::Word;
        let word = if is_word { self.keys.word(inner, port, item.at, text) } else { crate::ron::number(text) };
        let is_written = self.keys.is_written(inner, port);
        self.keys.literal(inner, port, item.at);
        if !is_written && !matches!(declared, Kind::Object) {
            return Value::Raw(match kind {
                Kind::Bool => text.trim().into(),
                Kind::Int if matches!(text.trim(), "true" | "false") => u8::from(text.trim() == "true").to_string(),
                Kind::Float => crate::ron::float(text),
                _ => word,
            });
        }
        // The part writes it, so it needs a key.
        let key = key_name(&format!("{}_{port}", self.trees[inner].stem()));
        self.keys.used(self.tree, &key, item.at, how, kind);
        self.keys.begins_with(self.tree, &key, item.at, if is_word { &word } else { text });
        self.keys.unite((inner, port), (self.tree, &key), item.at);
        Value::Text(key)
    }
}
