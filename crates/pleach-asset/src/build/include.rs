//! Includes: the nodes of another file or of a template in place of a node, and what they see.

use pleach_core::{
    Host,
    expr::{is_name, is_word},
    limits::{MAX_INSTANCE_DEPTH, MAX_NODES},
    names::{near, nearest},
    nodes::{self, Binding, Direction, Instance, Port},
    schema::{KeyDefault, Scope},
};

use super::lint::keys;
use super::place::Place;
use super::{Builder, File};
use crate::asset::{AssetNode, AssetTree, Broken, Given, Include, KeyEntry, PortEntry, Sort, Subtree, Template};
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::path;
use crate::read::{EMPTY, literal, type_name};
use crate::span::Word;
use crate::suggest::{did_you_mean, list};

/// What is given to a file or a template.
struct Target<'t, 'a> {
    /// The node that stands for it.
    at: Subtree<'a>,
    include: &'t Include<'a>,
    file: FileAt,
    /// Its name in messages.
    name: String,
    ports: &'t [PortEntry<'a>],
    broken: &'t Broken,
}

impl<'a, H: Host> Builder<'a, H> {
    /// What replaces the node, with everything below it. Returns how many nodes stand there.
    pub(super) fn include(&mut self, it: Subtree<'a>) -> usize {
        let Some(include) = it.node().include() else { return 0 };
        match (include.sort, include.asset) {
            (Sort::Hole(takes), Some(name)) => return self.hole(it, name, takes),
            (Sort::Slot, _) => self.slot(it, include),
            (Sort::Subtree, Some(asset)) => {
                self.file(it, include, asset, it.instance_name().unwrap_or_default().to_owned());
            }
            (Sort::Use, Some(name)) => self.template(it, include, name),
            (Sort::Subtree | Sort::Use | Sort::Hole(_), None) => self.placeholder(Place::Node(it)),
        }
        1
    }

    /// The nodes of another file.
    fn file(&mut self, it: Subtree<'a>, include: &'a Include<'a>, asset: Word<'a>, name: String) {
        let target = self.files.target(self.file, asset);
        let file = target.and_then(|at| Some((at, self.files.get(at)?)));
        let Some((target, File { asset: source, tree: Some(tree), name: of })) = file else {
            // Already reported, for one file or the other.
            self.placeholder(target.map_or(Place::Node(it), |at| Place::Include(it, at)));
            return;
        };
        if !self.has_room(it) {
            return;
        }
        let origin = self.origin(Place::Include(it, target));
        let given =
            Target { at: it, include, file: target, name: format!("`{of}`"), ports: &tree.ports, broken: &tree.broken };
        let ports = self.bind(&given, |port| self.files.needs_key(target, port));
        let around = self.enter((target, &source.values), &tree.holes, it);
        self.whole(tree);
        self.leave(around);
        // The id on a slot is the slot's own.
        let id = if include.sort == Sort::Subtree { self.id(it) } else { None };
        self.nodes.instance(Instance {
            file: Some(self.told_file(of, source.file()).to_owned()),
            id: id.map(str::to_owned),
            note: it.rest().note.filter(|_| include.sort == Sort::Subtree).or(tree.note).map(|it| it.text.to_owned()),
            ports,
            origin: Some(origin),
            ..declared(name, tree, tree.own())
        });
    }

    /// A file's name as the tree reports it. A baked tree says the same on every machine: the path
    /// from the directory of the tree's own file.
    fn told_file(&self, name: &'a str, shown: &'a str) -> &'a str {
        #[cfg(feature = "baked")]
        if self.called.is_some() {
            let own = self.files.get(self.entry).map_or("", |it| it.name);
            let directory = own.rfind('/').map_or("", |it| &own[..=it]);
            return name.strip_prefix(directory).unwrap_or(name);
        }
        let _ = name;
        shown
    }

    /// The nodes of a template of the current file.
    fn template(&mut self, it: Subtree<'a>, include: &'a Include<'a>, name: Word<'a>) {
        let Some((of, template)) = self.files.template(self.file, name) else {
            self.placeholder(Place::Node(it));
            return;
        };
        let Some(File { asset, tree: Some(tree), name: of_name }) = self.files.get(of) else { return };
        let Template { note, ports, holes, locals, root, .. } = template;
        if !self.has_room(it) {
            return;
        }
        let origin = self.origin(Place::Include(it, of));
        let broken = &Broken::default();
        let what = format!("the template `{}`", name.text);
        let given = Target { at: it, include, file: of, name: what, ports, broken };
        let ports = self.bind(&given, |port| is_used(template, port));
        let called = it.instance_name().unwrap_or_default();
        // One of another file has the keys of that file for itself.
        let is_own = of == self.file && !self.is_of_other();
        let around = self.enter((of, &asset.values), holes, it);
        self.set_of_other(!is_own);
        self.node(root.whole(), 1, None);
        self.leave(around);
        let id = self.id(it);
        self.nodes.instance(Instance {
            id: id.map(str::to_owned),
            note: it.rest().note.or(note.filter(|_| !self.files.is_standard(of))).map(|it| it.text.to_owned()),
            ports,
            locals: locals.iter().map(local).collect(),
            origin: Some(origin),
            ..if is_own {
                Instance { keys: slot_keys(template.enabled()).collect(), sees_file: true, ..Instance::named(called) }
            } else {
                let file = Some(self.told_file(of_name, asset.file()).to_owned());
                Instance { file, ..declared(called, tree, template.enabled()) }
            }
        });
    }

    /// A switch between files, by a key of its own.
    fn slot(&mut self, it: Subtree<'a>, include: &'a Include<'a>) {
        let (Some(name), true) = (it.name.filter(|it| is_name(it.text)), words(include).next().is_some()) else {
            self.placeholder(Place::Node(it));
            return;
        };
        let origin = self.origin(Place::Node(it));
        let mut cases = Vec::new();
        for (word, tree) in words(include) {
            self.file(it, include, tree, format!("{}.{word}", name.text));
            cases.push((word, nodes::fail()));
        }
        let count = cases.len();
        let mut node = nodes::switch(slot_key(name.text), cases).named(name.text).of_kind("Slot").from_origin(origin);
        if let Some(id) = self.id(it) {
            node = node.with_id(id);
        }
        if let Some(note) = it.rest().note {
            node = node.with_note(note.text);
        }
        self.nodes.push(node, count);
    }

    /// Whether more can be included there; if not, reports it and puts a placeholder there.
    fn has_room(&mut self, it: Subtree<'a>) -> bool {
        let finding = if self.level == MAX_INSTANCE_DEPTH {
            let message = format!("includes are nested too deep: more than {MAX_INSTANCE_DEPTH} inside each other");
            Finding::new(Code::Limit, it.kind.span, message).help("include this file from a file nearer the root")
        } else {
            return self.has_nodes_left(it);
        };
        self.push(finding);
        self.placeholder(Place::Node(it));
        false
    }

    /// Whether the tree can grow, reported as by [`has_room`](Self::has_room). The content of a
    /// hole may be empty, but takes its time all the same.
    pub(super) fn has_nodes_left(&mut self, it: Subtree<'a>) -> bool {
        if self.places.len() + self.filled <= MAX_NODES {
            return true;
        }
        let message = format!("the tree has more than {MAX_NODES} nodes, counting what it includes");
        self.push(Finding::new(Code::Limit, it.kind.span, message).help("include fewer files, or each fewer times"));
        self.placeholder(Place::Node(it));
        false
    }

    /// A placeholder for what cannot be included.
    pub(super) fn placeholder(&mut self, place: Place<'a>) {
        let origin = self.origin(place);
        self.nodes.push(nodes::fail().from_origin(origin), 0);
    }

    /// Gives each port what is written for it. Reports what is wrong, and then makes the port a key
    /// of its own, so that the rest can be checked.
    fn bind(&self, target: &Target<'_, 'a>, needs_key: impl Fn(&str) -> bool) -> Vec<Port> {
        let Target { at, include, file, name, ports, .. } = target;
        let mut bound = Vec::with_capacity(ports.len());
        for port in *ports {
            let mut default = port.default.clone();
            let given = include.with.iter().find(|it| it.port.text == port.name.text);
            let value = if needs_key(port.name.text) { Binding::Own } else { Binding::Constant };
            let wrong = |finding: Finding| {
                self.making.push(finding.in_file(self.file).also_at((*file, port.name.span), "the port"));
                if port.direction == Direction::In { value.clone() } else { Binding::Own }
            };
            let binding = match given.map(|it| (&it.value, it.span)) {
                Some((Given::Key(key), _)) => Binding::Key((*key).to_owned()),
                Some((Given::Literal(_), span)) if port.direction != Direction::In => {
                    let PortEntry { name, direction, .. } = port;
                    let message = format!("the port `{}` is `{direction}`: it needs a key, not a value", name.text);
                    wrong(Finding::new(Code::PortValue, span, message).help("write the name of a key, as a string"))
                }
                Some((Given::Literal(written), span)) => match literal(&port.default, *written) {
                    Some(it) => {
                        default = it;
                        value.clone()
                    }
                    None => {
                        let (port, ty, what) = (port.name.text, type_name(&port.default), written.what());
                        wrong(Finding::new(
                            Code::PortValue,
                            span,
                            format!("the port `{port}` is {ty}, and this is {what}"),
                        ))
                    }
                },
                None if port.has_default => value.clone(),
                None if include.lost_with || is_misspelt(include, ports, port) => Binding::Own,
                None => {
                    let port = port.name.text;
                    let message = format!("the port `{port}` of {name} is not connected");
                    let help = format!("write `with: {{ \"{port}\": .. }}`, with a key or a value");
                    wrong(Finding::new(Code::PortNotConnected, at.kind.span, message).help(help))
                }
            };
            let (name, direction) = (port.name.text.to_owned(), port.direction);
            bound.push(Port { name, direction, default, binding });
        }
        self.unknown_ports(target);
        bound
    }

    fn unknown_ports(&self, target: &Target<'_, 'a>) {
        let Target { include, name, ports, broken, .. } = target;
        let names: Vec<&str> = ports.iter().map(|it| it.name.text).collect();
        for with in &include.with {
            let port = with.port.text;
            if names.contains(&port) || broken.all_keys || broken.keys.contains(port) {
                continue;
            }
            let help = did_you_mean(near(port, names.iter().copied())).unwrap_or_else(|| match names.len() {
                0 => "it has no ports: declare one, as in `ports: { \"target\": In(Vec2) }`".into(),
                1 => format!("its only port is {}", list(&names)).into(),
                _ => format!("its ports are {}", list(&names)).into(),
            });
            self.push(
                Finding::new(Code::UnknownPort, with.port.span, format!("{name} has no port `{port}`")).help(help),
            );
        }
    }
}

/// A key that gets its default back, with the default.
fn local(it: &KeyEntry<'_>) -> (String, KeyDefault) {
    (it.name.text.to_owned(), it.default.clone())
}

/// The keys and events of a file, without its ports; and the keys of these nodes' slots.
pub(super) fn declared<'n, 'a: 'n>(
    name: impl Into<String>,
    tree: &AssetTree<'_>,
    nodes: impl Iterator<Item = &'n AssetNode<'a>>,
) -> Instance {
    let keys = tree.keys.iter().filter(|it| !it.local);
    let keys = keys.map(|it| (it.scope, it.name.text.to_owned(), it.default.clone()));
    Instance {
        keys: keys.chain(slot_keys(nodes)).collect(),
        locals: tree.keys.iter().filter(|it| it.local).map(local).collect(),
        events: tree.events.iter().map(|it| (it.name.text.to_owned(), it.payload)).collect(),
        ..Instance::named(name)
    }
}

/// The words of a slot with their files, except those reported as wrong.
fn words<'a>(include: &'a Include<'a>) -> impl Iterator<Item = (&'a str, Word<'a>)> {
    let stems = include.trees.iter().map(|it| (path::file_stem(it.text), *it)).enumerate();
    let is_first =
        |at: usize, word: &str| include.trees.iter().position(|it| path::file_stem(it.text) == word) == Some(at);
    stems.filter(move |(at, it)| is_word(it.0) && it.0 != EMPTY && is_first(*at, it.0)).map(|it| it.1)
}

fn slot_key(slot: &str) -> String {
    format!("slot:{slot}")
}

/// The keys of the slots among some nodes.
pub(super) fn slot_keys<'n, 'a: 'n>(
    nodes: impl Iterator<Item = &'n AssetNode<'a>>,
) -> impl Iterator<Item = (Scope, String, KeyDefault)> {
    let slots = nodes.filter_map(|it| {
        Some((it.name.filter(|it| is_name(it.text))?, it.include().filter(|it| it.sort == Sort::Slot)?))
    });
    // A duplicate name has been reported.
    let mut seen = std::collections::HashSet::new();
    slots.filter(move |it| seen.insert(it.0.text)).map(|(name, include)| {
        let all: Vec<String> = words(include).map(|it| it.0).chain([EMPTY]).map(str::to_owned).collect();
        let initial = include.initial.map(|it| it.text).filter(|it| all.iter().any(|word| word == it));
        (Scope::Agent, slot_key(name.text), KeyDefault::Symbol(initial.unwrap_or(EMPTY).to_owned(), all))
    })
}

/// Whether the leaves of a template, or of what it includes, may take a port as a key.
fn is_used(template: &Template<'_>, port: &str) -> bool {
    let given = template.enabled().filter_map(AssetNode::include).flat_map(|it| &it.with);
    let mut passed = given.filter_map(|it| if let Given::Key(key) = it.value { Some(key) } else { None });
    passed.any(|it| it.strip_prefix("agent.").unwrap_or(it) == port)
        || keys::of_leaves(template.enabled(), std::iter::empty()).contains(port)
}

/// Whether something is given for an unknown port that was probably meant to be this one.
fn is_misspelt(include: &Include<'_>, ports: &[PortEntry<'_>], port: &PortEntry<'_>) -> bool {
    let names = || ports.iter().map(|it| it.name.text);
    let mut unknown = include.with.iter().map(|it| it.port.text).filter(|it| names().all(|name| name != *it));
    unknown.any(|it| nearest(it, names()) == Some(port.name.text))
}
