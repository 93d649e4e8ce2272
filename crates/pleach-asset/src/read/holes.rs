//! Holes of a file or a template, `nodes: { "body": One, "steps": Many }`, and what is given for
//! them, `nodes: { "body": Idle, "steps": [A, B] }`.

use std::collections::HashMap;

use super::node::Room;
use super::{AssetReader, did_you_mean, first};
use crate::asset::{Filling, HoleEntry, Include, Nodes, Takes};
use crate::code::Code;
use crate::span::{Span, Word};
use crate::syntax::{Args, Data, Value};

/// The most holes of a file or a template.
const MAX_HOLES: usize = 64;

impl AssetReader {
    /// The holes that are declared.
    pub(super) fn holes<'a>(&mut self, value: Value<'a>) -> Vec<HoleEntry<'a>> {
        self.includes = true;
        let mut holes = Vec::new();
        self.broken.holes |= !matches!(value.data(), Data::Map(_));
        for (name, value) in self.named_nodes(value, "a map like `{ \"body\": One }`") {
            if holes.len() == MAX_HOLES {
                self.error(Code::Limit, name.span, format!("more than {MAX_HOLES} holes"));
                break;
            }
            holes.push(self.hole(name, value));
        }
        holes
    }

    /// The entries of a map by their names, each once.
    fn named_nodes<'a>(&mut self, value: Value<'a>, wanted: &str) -> Vec<(Word<'a>, Value<'a>)> {
        let Data::Map(entries) = value.data() else {
            self.error(
                Code::WrongValue,
                first(value.span()),
                format!("`nodes` must be {wanted}, not {}", value.what()),
            );
            return Vec::new();
        };
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut found = Vec::new();
        for (name, value) in entries.entries() {
            let span = name.span();
            let Data::Text(text) = name.data() else {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("the name of a hole must be a string, not {}", name.what()),
                )
                .help = super::bare(name);
                continue;
            };
            if let Some(first) = seen.insert(text, span) {
                let finding = self.error(Code::DoubledName, span, format!("the hole `{text}` is there twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            found.push((Word { text, span }, value));
        }
        found
    }

    fn hole<'a>(&mut self, name: Word<'a>, value: Value<'a>) -> HoleEntry<'a> {
        // What is wrong with it has been reported, so it takes anything.
        let lost = HoleEntry { name, takes: None, default: None };
        let example = "write `One`, `Many`, or with a default `One(default: Succeed)`";
        let Data::Call(Some(head), args) = value.data() else {
            let message = format!("the hole `{}` cannot be {}", name.text, value.what());
            self.error(Code::WrongValue, first(value.span()), message).help = Some(example.into());
            return lost;
        };
        let takes = match head.text {
            "One" => Takes::One,
            "Many" => Takes::Many,
            other => {
                let help = did_you_mean(self.meant(other, ["One", "Many"])).unwrap_or_else(|| example.into());
                self.error(Code::WrongValue, head.span, format!("a hole takes `One` or `Many` nodes, not `{other}`"))
                    .help = Some(help);
                return lost;
            }
        };
        let default = match args {
            Args::None => None,
            Args::Tuple(_) => {
                self.error(
                    Code::Nameless,
                    head.span,
                    format!("the default of a hole has its name: `{}(default: ..)`", head.text),
                );
                // It is lost, not missing.
                Some(Vec::new())
            }
            Args::Named(fields) => {
                let mut default = None;
                for (field, value) in fields.without(&self.doubled(fields, head.text)) {
                    if field.text == "default" {
                        default = Some(self.hole_default(takes, value));
                        continue;
                    }
                    let help = did_you_mean(self.meant(field.text, ["default"]));
                    self.error(
                        Code::UnknownField,
                        field.span,
                        format!("`{}` has no field `{}`", head.text, field.text),
                    )
                    .help = Some(help.unwrap_or_else(|| "its field is `default`".into()));
                    default.get_or_insert_default();
                }
                default
            }
        };
        HoleEntry { name, takes: Some(takes), default }
    }

    /// The default of a hole. A lost one is empty.
    fn hole_default<'a>(&mut self, takes: Takes, value: Value<'a>) -> Vec<Nodes<'a>> {
        let values = match (takes, value.data()) {
            (Takes::One, _) => value.alone(),
            (Takes::Many, Data::List(items)) => items,
            (Takes::Many, _) => {
                let message = format!("the default of a hole for `Many` must be a list of nodes, not {}", value.what());
                self.error(Code::WrongValue, first(value.span()), message).help = Some("put the nodes in `[ ]`".into());
                return Vec::new();
            }
        };
        let outer = std::mem::replace(&mut self.in_default, true);
        let mut nodes = Vec::new();
        for value in values {
            let Some(it) = self.node(value, 1) else { continue };
            if it.whole().disabled && takes == Takes::One {
                self.error(Code::DisabledRoot, it.whole().kind.span, "the default of a hole cannot be disabled");
            }
            nodes.push(it);
        }
        self.in_default = outer;
        nodes
    }

    /// The nodes given for holes, which are below the node that gives them.
    pub(super) fn fillings<'a>(&mut self, value: Value<'a>, include: &mut Include<'a>) -> Vec<(Value<'a>, Room)> {
        include.lost_fillings = !matches!(value.data(), Data::Map(_));
        let mut below = Vec::new();
        for (hole, value) in self.named_nodes(value, "a map from holes to nodes") {
            let before = below.len();
            let takes = if let Data::List(items) = value.data() {
                below.extend(items.map(|it| (it, Room::List)));
                Takes::Many
            } else {
                below.push((value, Room::One));
                Takes::One
            };
            include.fillings.push(Filling { hole, takes, count: below.len() - before, span: first(value.span()) });
        }
        below
    }
}
