//! Another file in place of a node: `Subtree(asset: "fight.ron", with: { "target": "suspect" })`.

use std::collections::HashMap;

use super::{AssetReader, first};
use crate::asset::{AssetNode, Body, Given, Include, With};
use crate::kind;
use crate::span::{Span, Word};
use crate::suggest::{did_you_mean, list};
use crate::syntax::{Args, Data, Value};

const FIELDS: [&str; 6] = ["asset", "with", "name", "id", "note", "disabled"];

impl AssetReader {
    pub(super) fn include<'a>(&mut self, head: Word<'a>, args: Args<'a>) -> AssetNode<'a> {
        let mut include = Include { asset: None, with: Vec::new(), lost_with: false };
        self.includes = true;
        let placeholder = Include { asset: None, with: Vec::new(), lost_with: false };
        let mut node = AssetNode::new(head, Body::Include(Box::new(placeholder)));
        // What is misspelt or wrong is not missing.
        let mut has_asset = false;
        match args {
            Args::None => {}
            Args::Tuple(mut values) => {
                if let Some(value) = values.next() {
                    has_asset = true;
                    include.asset = self.text(Word { text: "asset", span: value.span() }, value);
                }
                if let Some(value) = values.next() {
                    self.with(value, &mut include);
                }
                if let Some(more) = values.next() {
                    let message = format!("`{}` without names takes `asset` and `with`", head.text);
                    self.error(first(more.span()), message).help =
                        Some("write the names of the fields to give more".into());
                }
            }
            Args::Named(fields) => {
                for (field, value) in fields.without(&self.doubled(fields, head.text)) {
                    match field.text {
                        "asset" => {
                            has_asset = true;
                            include.asset = self.text(field, value);
                        }
                        "with" => self.with(value, &mut include),
                        it if kind::is_common(it) => self.common(&mut node, field, value),
                        other => {
                            let near = self.meant(other, FIELDS);
                            has_asset |= near == Some("asset");
                            include.lost_with |= near == Some("with");
                            let help = did_you_mean(near).unwrap_or_else(|| match other {
                                "child" | "children" => "what is below it is in the other file".into(),
                                _ => format!("its fields are {}", list(&FIELDS)),
                            });
                            self.error(field.span, format!("`{}` has no field `{other}`", head.text)).help = Some(help);
                        }
                    }
                }
            }
        }
        if !has_asset {
            self.error(head.span, format!("`{}` needs `asset`: the name of a file", head.text)).help =
                Some("write `asset: \"other.ron\"`, relative to this file".into());
        }
        node.body = Body::Include(Box::new(include));
        node
    }

    fn with<'a>(&mut self, value: Value<'a>, include: &mut Include<'a>) {
        let Data::Map(entries) = value.data() else {
            let message = format!("`with` must be a map from ports to keys or values, not {}", value.what());
            self.error(first(value.span()), message).help = Some("write `with: { \"port\": \"key\" }`".into());
            include.lost_with = true;
            return;
        };
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (name, value) in entries.entries() {
            let span = name.span();
            let Data::Text(text) = name.data() else {
                self.error(span, format!("the name of a port must be a string, not {}", name.what()));
                include.lost_with = true;
                continue;
            };
            if let Some(first) = seen.insert(text, span) {
                let finding = self.error(span, format!("the port `{text}` is given twice"));
                finding.also = Some((first, "the first".into()));
                continue;
            }
            let given = match value.data() {
                Data::Text(key) => Given::Key(key),
                Data::Literal(_) | Data::List(_) | Data::Map(_) | Data::Call(..) => Given::Literal(value),
            };
            include.with.push(With { port: Word { text, span }, value: given, span: value.span() });
        }
    }
}
