//! Keys that nothing in the tree mentions.

use std::collections::HashSet;

use pleach_core::schema::Scope;

use crate::asset::{AssetNode, AssetTree, Body, Given, HoleEntry, KeyEntry, Nodes, Param, PortEntry, Template};
use crate::code::Code;
use crate::finding::Finding;
use crate::syntax::{Args, Data, Value};

/// Keys of agents and nodes that nothing in the tree mentions. Those of groups and of all may be
/// for other trees; `of_game` says which of the agent's the game uses.
pub(in crate::build) fn unused(asset: &AssetTree<'_>, of_game: &dyn Fn(&str) -> bool, findings: &mut Vec<Finding>) {
    let mut words = Words::default();
    let AssetTree { keys, ports, holes, templates, interrupts, .. } = asset;
    interrupts.iter().for_each(|it| words.param(&it.when.value));
    asset.nodes().for_each(|it| words.node(it));
    let own = keys.iter().filter(|it| it.local || it.scope == Scope::Agent && !of_game(it.name.text));
    let locals = templates.iter().flat_map(|it| &it.locals);
    for KeyEntry { name, .. } in own.chain(words.keys.iter().copied()).chain(locals) {
        if !words.used.contains(name.text) {
            findings.push(Finding::new(
                Code::Unused,
                name.span,
                format!("the key `{}` is not used in this tree", name.text),
            ));
        }
    }
    let ports = ports.iter().filter(|it| !of_game(it.name.text));
    for PortEntry { name, .. } in ports.chain(templates.iter().flat_map(|it| &it.ports)) {
        if !words.used.contains(name.text) {
            findings.push(Finding::new(
                Code::Unused,
                name.span,
                format!("the port `{}` is not used in this tree", name.text),
            ));
        }
    }
    holes_of_nothing(holes, asset.own(), findings);
    templates.iter().for_each(|it| holes_of_nothing(&it.holes, it.root.enabled(), findings));
}

/// Templates that nothing in the tree uses.
pub(in crate::build) fn unused_templates(asset: &AssetTree<'_>, findings: &mut Vec<Finding>) {
    let used: HashSet<&str> = asset.enabled().filter_map(|it| it.include()?.template()).map(|it| it.text).collect();
    for Template { name, .. } in asset.templates.iter().filter(|it| !used.contains(it.name.text)) {
        let message = format!("the template `{}` is not used in this tree", name.text);
        findings.push(Finding::new(Code::Unused, name.span, message));
    }
}

/// Holes that no node stands for, so that what is given for them is lost.
fn holes_of_nothing<'n, 'a: 'n>(
    holes: &[HoleEntry<'_>],
    nodes: impl Iterator<Item = &'n AssetNode<'a>>,
    findings: &mut Vec<Finding>,
) {
    if holes.is_empty() {
        return;
    }
    let used: HashSet<&str> = nodes.filter_map(|it| it.include()?.hole()).map(|it| it.text).collect();
    for HoleEntry { name, .. } in holes.iter().filter(|it| !used.contains(it.name.text)) {
        let message = format!("the hole `{}` is not used: what is given for it is dropped", name.text);
        let help = format!("write `Node(\"{0}\")` or `Nodes(\"{0}\")` where it belongs", name.text);
        findings.push(Finding::new(Code::Unused, name.span, message).help(help));
    }
}

/// The strings that the host's leaves are given, whole.
pub(in crate::build) fn of_leaves<'a>(
    nodes: impl Iterator<Item = &'a AssetNode<'a>>,
    tests: impl Iterator<Item = &'a Param<'a>>,
) -> HashSet<&'a str> {
    let mut words = Words { whole: true, ..Words::default() };
    tests.for_each(|it| words.leaf(it));
    for node in nodes {
        match &node.body {
            Body::Leaf(call) => words.args(call.args()),
            Body::BuiltIn(own) => own.fields.iter().for_each(|it| words.leaf(&it.value)),
            Body::Include(_) => {}
        }
        node.rest().services.iter().for_each(|it| words.nodes(&it.run));
    }
    words.used
}

/// Every word of every string: a key that is not among them is not used. Its name may also
/// stand in a text that has nothing to do with it, and then there is no warning.
#[derive(Default)]
struct Words<'a> {
    used: HashSet<&'a str>,
    keys: Vec<&'a KeyEntry<'a>>,
    /// Whether strings count as a whole.
    whole: bool,
}

impl<'a> Words<'a> {
    /// A guard's condition, if that is a leaf.
    fn leaf(&mut self, param: &'a Param<'a>) {
        if let Param::Leaf(node) = param {
            self.nodes(node);
        }
    }

    fn text(&mut self, text: &'a str) {
        if self.whole {
            self.used.insert(text.strip_prefix("agent.").unwrap_or(text));
            return;
        }
        self.used.extend(text.split(|it: char| !it.is_alphanumeric() && it != '_'));
    }

    fn nodes(&mut self, nodes: &'a Nodes<'a>) {
        nodes.0.iter().for_each(|it| self.node(it));
    }

    fn node(&mut self, node: &'a AssetNode<'a>) {
        self.keys.extend(&node.rest().keys);
        node.rest().services.iter().for_each(|it| {
            self.param(&it.every.value);
            self.nodes(&it.run);
        });
        match &node.body {
            Body::Leaf(call) => self.args(call.args()),
            Body::Include(it) => it.with.iter().for_each(|it| match it.value {
                Given::Key(key) => self.text(key),
                Given::Literal(_) => {}
            }),
            Body::BuiltIn(own) => own.fields.iter().for_each(|it| self.param(&it.value)),
        }
    }

    fn param(&mut self, param: &'a Param<'a>) {
        match param {
            Param::Text(text) => self.text(text),
            Param::Texts(texts) => texts.iter().for_each(|it| self.text(it.text)),
            Param::Leaf(node) => self.nodes(node),
            Param::Number(_)
            | Param::Count(_)
            | Param::Bool(_)
            | Param::Numbers(_)
            | Param::Outcome(_)
            | Param::Policy(_)
            | Param::Word(_) => {}
        }
    }

    fn args(&mut self, args: Args<'a>) {
        match args {
            Args::None => {}
            Args::Tuple(values) => values.for_each(|it| self.value(it)),
            Args::Named(fields) => fields.for_each(|it| self.value(it.1)),
        }
    }

    fn value(&mut self, value: Value<'a>) {
        match value.data() {
            Data::Text(text) => self.text(text),
            Data::Literal(_) => {}
            // The keys and values of a map.
            Data::List(items) | Data::Map(items) => items.for_each(|it| self.value(it)),
            Data::Call(_, args) => self.args(args),
        }
    }
}
