//! What is not wrong but probably not meant.

use std::collections::HashSet;

use pleach_core::{Abort, Host, Tree};

use super::place::Place;
use crate::asset::{Asset, AssetNode, Body, BuiltIn, Interrupt, KeyEntry, Param};
use crate::report::Finding;
use crate::span::Span;
use crate::syntax::{Args, Data, Value};

/// All warnings, in no order.
pub(super) fn warnings<H: Host>(asset: &Asset, tree: &Tree<H>, places: &[Place<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    aborts(tree, places, &mut findings);
    keys(asset, &mut findings);
    findings
}

/// Abort types that can never fire.
fn aborts<H: Host>(tree: &Tree<H>, places: &[Place<'_>], findings: &mut Vec<Finding>) {
    // In ascending order, so that a search tells whether one lies in a subtree.
    let conditions: Vec<usize> = tree.nodes().filter(|it| it.is_condition()).map(|it| it.id().index()).collect();
    for node in tree.nodes().filter(|it| !it.abort().is_empty()) {
        let Some(Place::Node(written)) = node.origin().and_then(|it| places.get(it as usize)) else { continue };
        let Some((_, span)) = written.built_in().and_then(|it| it.abort) else { continue };
        let below = node.subtree();
        let from = node.id().index();
        let first = conditions.partition_point(|it| *it < from);
        let any = conditions.get(first).is_some_and(|it| *it < from + below.len());
        let kind = node.kind();
        if !any {
            let message = format!("this abort type never fires: there is no condition below the `{kind}`");
            let help = "conditions are `Check`, `OnEvent` and those of the host; a `Guard` looks after itself";
            findings.push(Finding::warning(span, message).help(help));
        } else if node.abort() == Abort::LOWER_PRIORITY && node.composite().is_none() {
            let message =
                format!("this abort type never fires: nothing has a lower priority than the topmost `{kind}`");
            findings.push(Finding::warning(span, message).help("`Self` aborts its own children"));
        }
    }
}

/// Keys of agents and nodes that nothing in the tree mentions. Those of groups and of all may be for other trees.
fn keys(asset: &Asset, findings: &mut Vec<Finding>) {
    let mut words = Words::default();
    let Asset { origin: _, name: _, note: _, keys, interrupts, root } = asset;
    for Interrupt { when, run } in interrupts {
        words.param(&when.value);
        words.node(run);
    }
    words.node(root);
    let own = keys.iter().filter(|it| it.scope == pleach_core::Scope::Agent);
    for KeyEntry { name, .. } in own.chain(words.keys.iter().copied()) {
        if !words.used.contains(&*name.text) {
            findings.push(unused(name.span, &name.text));
        }
    }
}

fn unused(span: Span, name: &str) -> Finding {
    Finding::warning(span, format!("the key `{name}` is not used in this tree"))
}

/// Every word of every string: a key that is not among them is used by nobody. Its name may also stand in a text that
/// has nothing to do with it, and then there is no warning.
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
            Body::Leaf(args) => self.args(args),
            Body::BuiltIn(own) => {
                let BuiltIn { kind: _, fields, abort: _, services, keys, children } = &**own;
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
