//! Another file in place of a node: its nodes, and what they see.

use pleach_core::{
    Host,
    limits::{MAX_INSTANCE_DEPTH, MAX_NODES},
    names::nearest,
    nodes::{self, Binding, Direction, Instance, Port},
};

use super::place::Place;
use super::{Builder, File};
use crate::asset::{AssetTree, Given, Include, PortEntry, Subtree};
use crate::finding::{FileAt, Finding};
use crate::path;
use crate::read::{literal, type_name};
use crate::suggest::{did_you_mean, list};

impl<'a, H: Host> Builder<'a, H> {
    /// What stands in place of the node: the root of the other file, with all below it.
    pub(super) fn include(&mut self, it: Subtree<'a>) {
        let Some(include) = it.node().include() else { return };
        let target = self.files.target(self.file, it.node());
        let file = target.and_then(|at| Some((at, self.files.get(at)?)));
        let Some((target, File { asset, tree: Some(tree), name })) = file else {
            // That has been reported, of the one file or of the other.
            self.stand_in(target.map_or(Place::Node(it), |at| Place::Include(it, at)));
            return;
        };
        if self.level == MAX_INSTANCE_DEPTH || self.places.len() > MAX_NODES {
            self.push(if self.level == MAX_INSTANCE_DEPTH {
                let message = format!("more than {MAX_INSTANCE_DEPTH} files inside each other");
                Finding::error(it.kind.span, message).help("include this file from one that is further out")
            } else {
                let message = format!("with what is included, these are more than {MAX_NODES} nodes");
                Finding::error(it.kind.span, message).help("include less, or less often")
            });
            self.stand_in(Place::Node(it));
            return;
        }
        let origin = self.origin(Place::Include(it, target));
        let ports = self.bind(it, include, target, name, tree);
        let around = (self.file, self.values, self.level);
        (self.file, self.values, self.level) = (target, &asset.values, self.level + 1);
        self.whole(tree);
        (self.file, self.values, self.level) = around;
        let keys = tree.keys.iter().map(|it| (it.scope, it.name.text.to_owned(), it.default.clone()));
        self.nodes.instance(Instance {
            name: it.name.map_or_else(|| path::stem(name), |it| it.text).to_owned(),
            file: Some(asset.file().to_owned()),
            id: it.rest().id.map(|it| it.text.to_owned()),
            note: it.rest().note.or(tree.note).map(|it| it.text.to_owned()),
            keys: keys.collect(),
            events: tree.events.iter().map(|it| (it.name.text.to_owned(), it.payload)).collect(),
            ports,
            origin: Some(origin),
        });
    }

    /// Something in place of what cannot be included.
    fn stand_in(&mut self, place: Place<'a>) {
        let origin = self.origin(place);
        self.nodes.push(nodes::fail().from_origin(origin), 0);
    }

    /// Gives each port what is written for it. What is wrong is reported, and then the port is a
    /// key of its own, so that the rest can be checked.
    fn bind(
        &self,
        it: Subtree<'a>,
        include: &Include<'a>,
        target: FileAt,
        name: &str,
        tree: &AssetTree<'a>,
    ) -> Vec<Port> {
        let mut ports = Vec::with_capacity(tree.ports.len());
        for port in &tree.ports {
            let mut default = port.default.clone();
            let given = include.with.iter().find(|it| it.port.text == port.name.text);
            let value = if self.files.needs_key(target, port.name.text) { Binding::Own } else { Binding::Constant };
            let wrong = |finding: Finding| {
                self.findings.push(finding.in_file(self.file).also_at((target, port.name.span), "the port"));
                Binding::Own
            };
            let binding = match given.map(|it| (&it.value, it.span)) {
                Some((Given::Key(key), _)) => Binding::Key((*key).to_owned()),
                Some((Given::Literal(_), span)) if port.direction != Direction::In => {
                    let PortEntry { name, direction, .. } = port;
                    let message = format!("the port `{}` is `{direction}`: it needs a key, not a value", name.text);
                    wrong(Finding::error(span, message).help("write the name of a key, as a string"))
                }
                Some((Given::Literal(written), span)) => match literal(&port.default, *written) {
                    Some(it) => {
                        default = it;
                        value
                    }
                    None => {
                        let (port, ty, what) = (port.name.text, type_name(&port.default), written.what());
                        wrong(Finding::error(span, format!("the port `{port}` is {ty}, and this is {what}")))
                    }
                },
                None if port.has_default => value,
                None if include.lost_with => Binding::Own,
                None => {
                    let port = port.name.text;
                    let message = format!("the port `{port}` of `{name}` is given nothing");
                    let help = format!("write `with: {{ \"{port}\": .. }}`, with a key or a value");
                    wrong(Finding::error(it.kind.span, message).help(help))
                }
            };
            let (name, direction) = (port.name.text.to_owned(), port.direction);
            ports.push(Port { name, direction, default, binding });
        }
        self.unknown_ports(include, name, tree);
        ports
    }

    fn unknown_ports(&self, include: &Include<'a>, name: &str, tree: &AssetTree<'a>) {
        let names: Vec<&str> = tree.ports.iter().map(|it| it.name.text).collect();
        for with in &include.with {
            let port = with.port.text;
            if names.contains(&port) || tree.broken.all_keys || tree.broken.keys.contains(port) {
                continue;
            }
            let help = did_you_mean(nearest(port, names.iter().copied())).unwrap_or_else(|| match names.len() {
                0 => "it has no ports: a file declares them, as in `ports: { \"target\": In(Vec2) }`".into(),
                1 => format!("its only port is {}", list(&names)),
                _ => format!("its ports are {}", list(&names)),
            });
            self.push(Finding::error(with.port.span, format!("`{name}` has no port `{port}`")).help(help));
        }
    }
}
