//! Nodes of pleach that an export has written: `PleachCooldown`.

use std::collections::BTreeMap;

use pleach::tools::kinds::{Arity, FieldShape, NodeKind};

use crate::item::{Data, Item};
use crate::map::Mapper;
use crate::profile::Skip;
use crate::report::Fate;
use crate::ron::{Node, Value, quoted};

/// What their names begin with.
pub(crate) const PREFIX: &str = "Pleach";

/// The node of pleach that a name stands for.
pub(super) fn kind(name: &str) -> Option<NodeKind> {
    name.strip_prefix(PREFIX).and_then(NodeKind::from_name).filter(|it| it.is_built_in())
}

pub(super) fn node(mapper: &mut Mapper<'_>, item: &Item, kind: NodeKind) -> (Node, Fate) {
    let mut node = Node::new(kind.name());
    // Of each child, by its number, what it is given.
    let mut of_child: BTreeMap<usize, Vec<(&str, String)>> = BTreeMap::new();
    for given in &item.given {
        let text = match &given.value {
            Data::Text(text) => text.clone(),
            Data::Key(key) => format!("{{{key}}}"),
        };
        let numbered = given.name.rsplit_once('_').and_then(|it| Some((it.0, it.1.parse::<usize>().ok()?)));
        match kind.all_fields().find(|it| it.name == given.name) {
            Some(field) => node = node.with(field.name, value(field.shape, text)),
            None if numbered.is_some_and(|it| matches!(it.0, "weight" | "score" | "case")) => {
                let (name, number) = numbered.unwrap_or_default();
                of_child.entry(number).or_default().push((name, text));
            }
            None => return (Node::new("Fail"), Fate::Lost(format!("{} has no field `{}`", kind.name(), given.name))),
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
