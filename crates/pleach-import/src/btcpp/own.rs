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

/// The prefix of their names.
pub(crate) const PREFIX: &str = "Pleach";

/// The suffix of one that could have children, but has none: there it is an Action.
pub(crate) const ALONE: &str = "Alone";

/// The type of a port that takes a variant of an enum.
pub(crate) const VARIANT: &str = "pleach::Variant";

/// The node of pleach that a name stands for.
pub(super) fn kind(name: &str) -> Option<NodeKind> {
    bare(name).and_then(NodeKind::from_name).filter(|it| it.is_built_in())
}

fn bare(name: &str) -> Option<&str> {
    let name = name.strip_prefix(PREFIX)?;
    Some(name.strip_suffix(ALONE).unwrap_or(name))
}

/// The element for another file, a template, or a hole: `PleachUse`.
pub(super) fn include(name: &str) -> Option<&'static Include> {
    let name = bare(name)?;
    INCLUDES.iter().find(|it| it.name == name)
}

pub(super) fn included(mapper: &mut Mapper<'_>, item: &Item, include: &Include) -> (Node, Fate) {
    let mut node = Node::new(include.name);
    let mut fate = Fate::Exact;
    let mut children: Vec<Option<Node>> = item.children.iter().map(|it| Some(mapper.node(it, Skip::Success))).collect();
    let mut holes: Vec<(String, Value)> = Vec::new();
    for given in &item.given {
        let Data::Text(text) = given.value.clone() else { continue };
        let hole = numbered(&given.name).filter(|it| matches!(it.0, "hole" | "holes"));
        let field = include.fields.iter().find(|it| it.name == given.name);
        let is_common = NodeKind::COMMON_FIELDS.iter().any(|it| it.name == given.name);
        match (hole, field) {
            (Some((port, number)), _) => {
                let Some(child) = children.get_mut(number - 1).and_then(Option::take) else {
                    fate = fate.and(no_child(&given.name, number, item));
                    continue;
                };
                let (hole, child) = (quoted(&text), Value::Node(child));
                match holes.iter_mut().find(|it| it.0 == hole) {
                    Some((_, Value::List(all))) if port == "holes" => all.push(child),
                    _ => holes.push((hole, if port == "holes" { Value::List(vec![child]) } else { child })),
                }
            }
            (_, Some(field)) if field.shape == IncludeShape::Text => node = node.with(field.name, Value::Text(text)),
            (_, Some(field)) => node = node.with(field.name, Value::Raw(text)),
            (_, None) if is_common => node = node.with(&given.name, Value::Raw(text)),
            _ => fate = fate.and(no_field(include.name, &given.name)),
        }
    }
    for (at, _) in children.iter().enumerate().filter(|it| it.1.is_some()) {
        let number = at + 1;
        let why = format!("no hole takes its child {number}, which is left out: name it in `hole_{number}`");
        fate = fate.and(Fate::Lost(why));
    }
    (if holes.is_empty() { node } else { node.with("nodes", Value::Map(holes)) }, fate)
}

/// The field and the number of a child in the name of a port: `score_2`.
fn numbered(port: &str) -> Option<(&str, usize)> {
    let (name, number) = port.rsplit_once('_')?;
    Some((name, number.parse().ok().filter(|it| *it > 0)?))
}

fn no_child(port: &str, number: usize, item: &Item) -> Fate {
    let count = item.children.len();
    Fate::Lost(format!("`{port}` is of child {number}, and it has {count}: remove it, or number these ports anew"))
}

fn no_field(kind: &str, field: &str) -> Fate {
    Fate::Lost(format!("{kind} has no field `{field}`: it is left out"))
}

pub(super) fn node(mapper: &mut Mapper<'_>, item: &Item, kind: NodeKind) -> (Node, Fate) {
    let mut node = Node::new(kind.name());
    let mut fate = Fate::Exact;
    let count = item.children.len();
    // The values of each child, by its number.
    let mut of_child: BTreeMap<usize, Vec<(&str, String)>> = BTreeMap::new();
    for given in &item.given {
        let Data::Text(text) = given.value.clone() else { continue };
        let numbered = numbered(&given.name).filter(|it| matches!(it.0, "weight" | "score" | "case"));
        match (kind.all_fields().find(|it| it.name == given.name), numbered) {
            (Some(field), _) => {
                let value = value(field.shape, text);
                if matches!(field.name, "blackboard" | "locals") {
                    mapper.scoped.extend(declared(&value));
                }
                node = node.with(field.name, value);
            }
            (None, Some((_, number))) if number > count => fate = fate.and(no_child(&given.name, number, item)),
            (None, Some((name, number))) => of_child.entry(number).or_default().push((name, text)),
            (None, None) => fate = fate.and(no_field(kind.name(), &given.name)),
        }
    }
    let mut children: Vec<Node> = item.children.iter().map(|it| mapper.node(it, Skip::Success)).collect();
    let most = match kind.arity() {
        Arity::Leaf => 0,
        Arity::Decorator => 1,
        Arity::Composite if kind == NodeKind::Switch => of_child.len() + 1,
        Arity::Composite => usize::MAX,
    };
    if count > most {
        let why = format!("it has {count} children, and {} takes {most}: the others are left out", kind.name());
        fate = fate.and(Fate::Lost(why));
    }
    if kind == NodeKind::UtilitySelector
        && let Some(number) = (1..=count).find(|it| !of_child.contains_key(it))
    {
        fate = fate.and(Fate::Lost(format!("its child {number} has no `score_{number}`: add it")));
    }
    node = match kind.arity() {
        Arity::Leaf => node,
        Arity::Decorator => children.into_iter().next().map_or(Node::new("Fail"), |it| node.child(it)),
        Arity::Composite if kind == NodeKind::Switch => {
            let cases = of_child.len();
            let default = (children.len() > cases).then(|| children.drain(cases..).next()).flatten();
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
                        let shape = if it.0 == "score" { FieldShape::Expr } else { FieldShape::Number };
                        (it.0.to_owned(), value(shape, it.1.clone()))
                    };
                    let child = ("child".to_owned(), Value::Node(child));
                    Value::Group(given.iter().map(value).chain([child]).collect())
                }
                None => Value::Node(child),
            };
            node.with("children", Value::List(children.into_iter().enumerate().map(child).collect()))
        }
    };
    (node, fate)
}

/// A case of a Switch: `true` and numbers stay as they are.
fn case(text: &str) -> String {
    let is_plain = matches!(text, "true" | "false") || text.parse::<i64>().is_ok();
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// The value of a field, as the export wrote it: texts without quotes, everything else as in RON.
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
