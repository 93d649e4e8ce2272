//! Keys that nothing in the tree mentions.

use std::collections::HashSet;

use pleach_core::Scope;

use crate::asset::{Asset, AssetNode, Body, BuiltIn, Interrupt, KeyEntry, Param, Parent};
use crate::finding::Finding;
use crate::syntax::{Args, Data, Value};

/// Keys of agents and nodes that nothing in the tree mentions. Those of groups and of all may be
/// for other trees.
pub(super) fn unused(asset: &Asset, findings: &mut Vec<Finding>) {
    let mut words = Words::default();
    let Asset { origin: _, name: _, note: _, keys, events: _, interrupts, root } = asset;
    for Interrupt { when, run } in interrupts {
        words.param(&when.value);
        words.node(run);
    }
    words.node(root);
    let own = keys.iter().filter(|it| it.scope == Scope::Agent);
    for KeyEntry { name, .. } in own.chain(words.keys.iter().copied()) {
        if !words.used.contains(&*name.text) {
            findings.push(Finding::warning(name.span, format!("the key `{}` is not used in this tree", name.text)));
        }
    }
}

/// Every word of every string: a key that is not among them is not used. Its name may also
/// stand in a text that has nothing to do with it, and then there is no warning.
#[derive(Default)]
struct Words<'a> {
    used: HashSet<&'a str>,
    keys: Vec<&'a KeyEntry>,
}

impl<'a> Words<'a> {
    fn text(&mut self, text: &'a str) {
        self.used.extend(text.split(|it: char| !it.is_alphanumeric() && it != '_'));
    }

    fn node(&mut self, node: &'a AssetNode) {
        match &node.body {
            Body::Leaf(call) => self.value(call),
            Body::BuiltIn(own) => {
                let BuiltIn { kind: _, fields, parent: _ } = own;
                let Parent { abort: _, services, keys, cases: _, default: _, children } = own.parent();
                self.keys.extend(keys);
                fields.iter().for_each(|it| self.param(&it.value));
                services.iter().for_each(|it| self.node(&it.run));
                children.iter().for_each(|it| self.node(it));
            }
        }
    }

    fn param(&mut self, param: &'a Param) {
        match param {
            Param::Text(text) => self.text(text),
            Param::Texts(texts) => texts.iter().for_each(|it| self.text(&it.text)),
            Param::Leaf(node) => self.node(node),
            Param::Number(_)
            | Param::Count(_)
            | Param::Bool(_)
            | Param::Numbers(_)
            | Param::Outcome(_)
            | Param::Policy(_) => {}
        }
    }

    fn args(&mut self, args: &'a Args) {
        match args {
            Args::None => {}
            Args::Tuple(values) => values.iter().for_each(|it| self.value(it)),
            Args::Named(fields) => fields.iter().for_each(|it| self.value(&it.1)),
        }
    }

    fn value(&mut self, value: &'a Value) {
        match &value.data {
            Data::Text(text) => self.text(text),
            Data::Literal(_) => {}
            Data::List(items) => items.iter().for_each(|it| self.value(it)),
            Data::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.value(key);
                self.value(value);
            }),
            Data::Call(_, args) => self.args(args),
        }
    }
}
