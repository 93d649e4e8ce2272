//! Nodes of pleach that an export has written: `PleachCooldown`.

use std::collections::BTreeMap;

use pleach::tools::kinds::{Arity, FieldShape, NodeKind};
use pleach::tools::{INCLUDES, Include, IncludeShape};

use crate::item::{Data, Item};
use crate::map::Mapper;
use crate::names::declared;
use crate::profile::Skip;
use crate::report::Fate;
use crate::ron::{Node, Value, quoted};

/// What their names begin with.
pub(crate) const PREFIX: &str = "Pleach";

/// The type of a port that takes a variant of an enum.
pub(crate) const VARIANT: &str = "pleach::Variant";

/// The node of pleach that a name stands for.
pub(super) fn kind(name: &str) -> Option<NodeKind> {
    name.strip_prefix(PREFIX).and_then(NodeKind::from_name).filter(|it| it.is_built_in())
}

/// What stands for another file, a template, or a hole: `PleachUse`.
pub(super) fn include(name: &str) -> Option<&'static Include> {
    let name = name.strip_prefix(PREFIX)?;
    INCLUDES.iter().find(|it| it.name == name)
}

pub(super) fn included(mapper: &mut Mapper<'_>, item: &Item, include: &Include) -> (Node, Fate) {
    let mut node = Node::new(include.name);
    let mut holes: Vec<(String, Value)> = Vec::new();
    for given in &item.given {
        let text = text_of(&given.value);
        let hole = given.name.strip_prefix("hole").and_then(|it| {
            let (list, number) = it.split_once('_')?;
            Some((list == "s", number.parse::<usize>().ok()?.checked_sub(1)?))
        });
        let field = include.fields.iter().find(|it| it.name == given.name);
        node = match (hole, field) {
            (Some((is_list, child)), _) if let Some(child) = item.children.get(child) => {
                let child = Value::Node(mapper.node(child, Skip::Success));
                let hole = quoted(&text);
                match holes.iter_mut().find(|it| it.0 == hole) {
                    Some((_, Value::List(all))) if is_list => all.push(child),
                    _ => holes.push((hole, if is_list { Value::List(vec![child]) } else { child })),
                }
                node
            }
            (_, Some(field)) if field.shape == IncludeShape::Text => node.with(field.name, Value::Text(text)),
            (_, Some(field)) => node.with(field.name, Value::Raw(text)),
            (_, None) if NodeKind::COMMON_FIELDS.iter().any(|it| it.name == given.name) => {
                node.with(&given.name, Value::Raw(text))
            }
            _ => return no_field(include.name, &given.name),
        };
    }
    (if holes.is_empty() { node } else { node.with("nodes", Value::Map(holes)) }, Fate::Exact)
}

fn no_field(kind: &str, field: &str) -> (Node, Fate) {
    (Node::new("Fail"), Fate::Lost(format!("{kind} has no field `{field}`")))
}

fn text_of(value: &Data) -> String {
    match value {
        Data::Text(text) => text.clone(),
        Data::Key(key) => format!("{{{key}}}"),
    }
}

pub(super) fn node(mapper: &mut Mapper<'_>, item: &Item, kind: NodeKind) -> (Node, Fate) {
    let mut node = Node::new(kind.name());
    // Of each child, by its number, what it is given.
    let mut of_child: BTreeMap<usize, Vec<(&str, String)>> = BTreeMap::new();
    for given in &item.given {
        let text = text_of(&given.value);
        let numbered = given.name.rsplit_once('_').and_then(|it| Some((it.0, it.1.parse::<usize>().ok()?)));
        match kind.all_fields().find(|it| it.name == given.name) {
            Some(field) => {
                let value = value(field.shape, text);
                if matches!(field.name, "blackboard" | "locals") {
                    mapper.scoped.extend(declared(&value));
                }
                node = node.with(field.name, value);
            }
            None if numbered.is_some_and(|it| matches!(it.0, "weight" | "score" | "case")) => {
                let (name, number) = numbered.unwrap_or_default();
                of_child.entry(number).or_default().push((name, text));
            }
            None => return no_field(kind.name(), &given.name),
        }
    }
    let mut children: Vec<Node> = item.children.iter().map(|it| mapper.node(it, Skip::Success)).collect();
    node = match kind.arity() {
        Arity::Leaf => node,
        Arity::Decorator => children.into_iter().next().map_or(Node::new("Fail"), |it| node.child(it)),
        Arity::Composite if kind == NodeKind::Switch => {
            let default = (children.len() > of_child.len()).then(|| children.pop()).flatten();
            let cases = of_child.values().map(|it| case(&it[0].1)).zip(children.into_iter().map(Value::Node));
            let node = node.with("cases", Value::Map(cases.collect()));
            match default {
                Some(default) => node.with("default", Value::Node(default)),
                None => node,
            }
        }
        Arity::Composite => {
            let child = |(at, child): (usize, Node)| match of_child.get(&(at + 1)) {
                Some(given) => {
                    let value = |it: &(&str, String)| {
                        (
                            it.0.to_owned(),
                            value(if it.0 == "score" { FieldShape::Expr } else { FieldShape::Number }, it.1.clone()),
                        )
                    };
                    let child = ("child".to_owned(), Value::Node(child));
                    Value::Group(given.iter().map(value).chain([child]).collect())
                }
                None => Value::Node(child),
            };
            node.with("children", Value::List(children.into_iter().enumerate().map(child).collect()))
        }
    };
    (node, Fate::Exact)
}

/// A case of a Switch: `true` and numbers stand as they are.
fn case(text: &str) -> String {
    let is_plain = matches!(text, "true" | "false") || text.parse::<i64>().is_ok();
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// What a field holds, as the export wrote it: texts without quotes, all else as in RON.
fn value(shape: FieldShape, text: String) -> Value {
    let is_text = match shape {
        FieldShape::Text | FieldShape::Key | FieldShape::Event | FieldShape::Expr => true,
        FieldShape::Number | FieldShape::Count | FieldShape::Whole | FieldShape::Amount => text.parse::<f64>().is_err(),
        // A condition of the game begins with a capital letter, an expression with a key.
        FieldShape::Test => !text.starts_with(|it: char| it.is_ascii_uppercase()),
        _ => false,
    };
    if is_text { Value::Text(text) } else { Value::Raw(text) }
}
