//! Nodes that BehaviorTree.CPP lacks: `PleachCooldown`, with its fields as ports.

use pleach::tools::INCLUDES;
use pleach::tools::kinds::{Arity, NodeKind};
use pleach::tools::ron::{Arguments, Shape};

use super::btcpp::{Writer, new};
use super::written::{Written, entries, items, text};
use crate::btcpp::{ALONE, PREFIX};
use crate::profile::Skip;
use crate::report::{Fate, Line};
use crate::xml::Element;

/// Nodes that may or may not have nodes in them.
const MAY_HAVE_NODES: [&str; 2] = ["Subtree", "Use"];

impl Writer<'_> {
    /// A node that the target lacks: an element with its fields as ports. The values of its
    /// children are ports with the number of the child: `weight_1`, `case_2`, and `hole_1`, or
    /// `holes_1` for a hole that takes a list.
    pub(super) fn own(&mut self, node: &Written<'_>) -> Element {
        let is_known = NodeKind::from_name(node.kind).is_some() || INCLUDES.iter().any(|it| it.name == node.kind);
        let mut name = if is_known { format!("{PREFIX}{}", node.kind) } else { node.kind.to_owned() };
        self.has_template |= node.kind == "Use";
        let (mut ports, mut children) = (Vec::new(), Vec::new());
        for (field, value) in node.fields.iter().filter(|it| !matches!(&*it.0, "name" | "note")) {
            match &value.shape {
                Shape::List(items) if field == "children" => {
                    for (at, it) in items.iter().enumerate() {
                        let Shape::Call(None, Arguments::Named(fields)) = &it.shape else {
                            children.push(self.element(it, Skip::Success));
                            continue;
                        };
                        for (field, value) in fields {
                            match &*field.text {
                                "child" => children.push(self.element(value, Skip::Success)),
                                field => ports.push((format!("{field}_{}", at + 1), self.port(value))),
                            }
                        }
                    }
                }
                Shape::Map(entries) if field == "cases" => {
                    for (at, (case, it)) in entries.iter().enumerate() {
                        ports.push((format!("case_{}", at + 1), self.port(case)));
                        children.push(self.element(it, Skip::Success));
                    }
                }
                Shape::Map(_) if field == "nodes" => {
                    for (hole, given) in entries(value) {
                        let (port, given) = match &given.shape {
                            Shape::List(_) => ("holes", items(given)),
                            _ => ("hole", std::slice::from_ref(given)),
                        };
                        for it in given {
                            ports.push((format!("{port}_{}", children.len() + 1), self.port(hole)));
                            children.push(self.element(it, Skip::Success));
                        }
                    }
                }
                _ if field == "child" || field == "default" => children.push(self.element(value, Skip::Success)),
                _ => ports.push((field.clone(), self.port(value))),
            }
        }
        // A name has a single arity there.
        let tag = match NodeKind::from_name(node.kind).map(NodeKind::arity) {
            Some(Arity::Composite) => "Control",
            Some(Arity::Decorator) => "Decorator",
            Some(Arity::Leaf) => "Action",
            None if children.is_empty() => "Action",
            None => "Control",
        };
        if tag == "Control" && children.is_empty() || tag == "Action" && MAY_HAVE_NODES.contains(&node.kind) {
            name += ALONE;
        }
        let tag = if children.is_empty() { "Action" } else { tag };
        let article = if tag == "Action" { "an" } else { "a" };
        let why = format!("{article} {tag} of this name, which a game that plays the file there has to write");
        (self.note)(node.at, Line::Node(name.clone(), Fate::Stub(why)));
        self.model.add(tag, &name, ports.iter().map(|it| it.0.clone()));
        let mut element = new(tag).with("ID", name);
        for (field, value) in ports {
            element = element.with(&field, value);
        }
        element.children = children;
        element
    }

    /// The value of a port: texts without quotes, everything else as in RON.
    fn port(&mut self, value: &pleach::tools::ron::Datum) -> String {
        if let Some(text) = text(value) {
            return text.to_owned();
        }
        let written = self.document.text(&value.span);
        // A service or a `do` may use a template, too.
        self.has_template |= written.contains("Use(");
        written.to_owned()
    }
}
