//! The `TreeNodesModel`: the nodes that the game has, for Groot2.

use std::collections::{BTreeMap, BTreeSet};

use pleach::asset::{Access, LeafKind, Manifest, Presence, ValueType};

use super::btcpp::new;
use crate::btcpp::VARIANT;
use crate::xml::Element;

/// Nodes that the target lacks, with their ports.
#[derive(Debug, Default)]
pub(super) struct Model(BTreeMap<(&'static str, String), BTreeSet<String>>);

impl Model {
    pub(super) fn add(&mut self, tag: &'static str, name: &str, ports: impl Iterator<Item = String>) {
        self.0.entry((tag, name.to_owned())).or_default().extend(ports);
    }

    /// With the leaves of the manifest.
    pub(super) fn element(&self, manifest: &Manifest) -> Element {
        let mut model = new("TreeNodesModel");
        for ((tag, name), ports) in &self.0 {
            let mut node = new(tag).with("ID", name);
            node.children = ports.iter().map(|it| new("input_port").with("name", it)).collect();
            model.children.push(node);
        }
        for leaf in &manifest.leaves {
            let tag = if leaf.kind == LeafKind::Condition { "Condition" } else { "Action" };
            let mut node = new(tag).with("ID", &leaf.name);
            node.text.clone_from(&leaf.doc);
            for it in leaf.parameters.iter().flatten() {
                let tag = match it.access {
                    Some(Access::Write) => "output_port",
                    Some(Access::ReadWrite) => "inout_port",
                    _ => "input_port",
                };
                let mut port = new(tag).with("name", &it.name);
                if let Some(ty) = type_of(&it.ty) {
                    port = port.with("type", ty);
                }
                if let Presence::Default(default) = &it.presence {
                    port = port.with("default", default);
                }
                port.text.clone_from(&it.doc);
                node.children.push(port);
            }
            model.children.push(node);
        }
        model
    }
}

/// The equivalent type of C++.
fn type_of(ty: &ValueType) -> Option<&'static str> {
    Some(match ty {
        ValueType::Bool => "bool",
        ValueType::Int => "int",
        ValueType::Float | ValueType::FloatExpr => "double",
        ValueType::Char | ValueType::Text | ValueType::Word | ValueType::OneOf(_) => "std::string",
        // A name without quotes.
        ValueType::Variant(_) => VARIANT,
        ValueType::Key(ty) => match &*ty.to_string() {
            "Bool" => "bool",
            "Int" => "int",
            "Float" => "double",
            "Symbol" => "std::string",
            // A type of the game: there it is a class.
            "Vec2" => "pleach::Vec2",
            "Vec3" => "pleach::Vec3",
            "Time" => "pleach::Time",
            _ => "pleach::Entity",
        },
        _ => return None,
    })
}
